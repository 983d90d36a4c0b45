"""Lists: which items, in what order, and what is made of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .. import core
from ..effect import nodes
from ..language.builtins import COMPREHENSIONS, FUNCTIONS
from ..language.types import BOOL, INT, BoolType, ComponentType, EnumType, IntType, ListType, PlayerType, Type
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.spelling import article
from .locals import LocalName
from .routine import Routine, faulty, is_faulty
from .values import expect, expression, item_type, list_value, written_condition


def where(r: Routine, node: nodes.Where, expected: Type | None) -> core.Expr:
    """The items for which a condition holds."""
    source = list_value(r, node.source, expected)
    with r.frame(), r.narrowing():
        slot = _item(r, node, source)
        condition = written_condition(r, node.condition, "after `where`")
        r.assume(condition, True)
        item = r.narrowed.get(slot, item_type(source))
    if is_faulty(source):
        return source
    return core.Filter(ListType(item), node.span, slot, source, condition)


def as_long(r: Routine, node: nodes.AsLong, expected: Type | None) -> core.Expr:
    """The items up to the first for which a condition does not hold."""
    source = list_value(r, node.source, expected)
    with r.frame(), r.narrowing():
        slot = _item(r, node, source)
        condition = written_condition(r, node.condition, "after `while`")
        r.assume(condition, True)
        item = r.narrowed.get(slot, item_type(source))
    if is_faulty(source):
        return source
    return core.Leading(ListType(item), node.span, slot, source, condition)


def with_key(r: Routine, node: nodes.WithKey, expected: Type | None) -> core.Expr:
    """The items with the greatest or least key, or one item for each key."""
    source = list_value(r, node.source, expected)
    with r.frame():
        slot = _item(r, node, source)
        if node.kind == "distinct":
            key = expression(r, node.key)
        else:
            key = expect(r, node.key, INT, f"after `with {node.kind}`")
    if is_faulty(source):
        return faulty(node.span)
    if node.kind == "distinct":
        return core.Distinct(source.type, node.span, slot, source, key)
    return core.Extreme(source.type, node.span, node.kind, slot, source, key)


def in_order(r: Routine, node: nodes.Sorted, expected: Type | None) -> core.Expr:
    """The items in the order of a key: numbers, players by their seats, and what is declared in order."""
    source = list_value(r, node.source, expected)
    with r.frame():
        slot = _item(r, node, source)
        key = expression(r, node.key)
    if is_faulty(source) or is_faulty(key):
        return faulty(node.span)
    if not isinstance(key.type, IntType | BoolType | PlayerType | EnumType | ComponentType):
        hint = "sort by a number, or by what has an order: a player, a card, a value of an enum"
        message = f"{article(f'`{key.type}`')} has no order to sort by"
        return r.error(codes.WRONG_TYPE, message, key.span, hint)
    return core.Sorted(source.type, node.span, slot, source, key)


def _item(r: Routine, node: nodes.Where | nodes.AsLong | nodes.WithKey | nodes.Sorted, source: core.Expr) -> int:
    """The local that the items of a selection are in: `it`, or as they are called."""
    if node.item is None:
        slot = r.bind_quietly("it", item_type(source), node.span, "item")
    else:
        slot = r.bind(node.item.name, item_type(source), node.item.span)
    r.known.sources[slot] = source
    return slot


def comprehension(r: Routine, node: nodes.Comprehension, expected: Type | None) -> core.Expr:
    """A number, truth or list made of something about each item, or about each of several lists."""
    kind = node.function
    if kind not in COMPREHENSIONS:
        message = f"`{kind}(… for …)` is not known"
        hint = did_you_mean(kind, COMPREHENSIONS) or f"there are {', '.join(COMPREHENSIONS)}"
        r.error(codes.UNKNOWN_NAME, message, node.function_span, hint)
    if node.more:
        return _of_several(r, node, expected)
    with each_item(r, node) as (slot, source, condition):
        if kind == "count" and isinstance(node.body, nodes.Name) and node.body.name == node.name:
            r.operand(node.body)
            body, condition = condition or core.Const(BOOL, node.body.span, True), None
        else:
            body = _body(r, node, expected)
    if is_faulty(source) or kind not in COMPREHENSIONS:
        return faulty(node.span)
    if kind == "list":
        return core.MapList(ListType(body.type), node.span, slot, source, condition, body)
    type = FUNCTIONS[kind].type
    assert type is not None
    return core.Fold(type, node.span, kind, slot, source, condition, body)


def _body(r: Routine, node: nodes.Comprehension, expected: Type | None) -> core.Expr:
    """What is made of an item."""
    if node.function == "list":
        return expression(r, node.body, expected.item if isinstance(expected, ListType) else None)
    function = FUNCTIONS.get(node.function)
    needed = INT if function is not None and function.params[0].type == ListType(INT) else BOOL
    return expect(r, node.body, needed, f"in `{node.function}(… for …)`")


def _of_several(r: Routine, node: nodes.Comprehension, expected: Type | None) -> core.Expr:
    """Loops in loops: of a sum, the sums of the inner one, and so on; the greatest and least are those of the list that
    the loops make, since an inner loop may have none."""
    kind, span = node.function, node.span
    names = (node.name, *(each.name for each in node.more))
    with ExitStack() as frames:
        parts = [frames.enter_context(each_item(r, node))]
        parts += [frames.enter_context(each_item(r, each)) for each in node.more]
        if kind == "count" and isinstance(node.body, nodes.Name) and node.body.name in names:
            r.operand(node.body)
            body: core.Expr = core.Const(BOOL, node.body.span, True)
        else:
            body = _body(r, node, expected)
    if kind not in COMPREHENSIONS or any(is_faulty(source) for _, source, _ in parts) or is_faulty(body):
        return faulty(span)
    *outer, (slot, source, condition) = parts
    listed = kind in ("list", "max", "min")
    type = ListType(body.type) if listed else FUNCTIONS[kind].type
    assert type is not None
    found: core.Expr
    if listed:
        found = core.MapList(type, span, slot, source, condition, body)
    else:
        found = core.Fold(type, span, kind, slot, source, condition, body)
    for slot, source, condition in reversed(outer):
        if listed:
            found = core.Concat(type, span, slot, source, condition, found)
        else:
            found = core.Fold(type, span, "sum" if kind == "count" else kind, slot, source, condition, found)
    return core.CallBuiltin(INT, span, kind, (found,)) if kind in ("max", "min") else found


def item_condition(r: Routine, node: nodes.Expr | None, slot: int, item: Type) -> core.Expr | None:
    """The condition behind the `where` of a loop or choice, in which `it` is another name of the item."""
    if node is None:
        return None
    with r.frame():
        r.put_in_sight(LocalName("it", slot, item, node.span, "item", exempt=True))
        condition = written_condition(r, node, "after `where`")
    r.assume(condition, True)
    return condition


@contextmanager
def each_item(
    r: Routine, node: nodes.Comprehension | nodes.Each | nodes.ForEach
) -> Iterator[tuple[int, core.Expr, core.Expr | None]]:
    """What is done with each item of a list: the local that it is in, the list, the condition on items."""
    source = list_value(r, node.source)
    with r.frame(), r.narrowing():
        slot = r.bind(node.name, item_type(source), node.name_span)
        r.known.sources[slot] = source
        yield slot, source, item_condition(r, node.condition, slot, item_type(source))
