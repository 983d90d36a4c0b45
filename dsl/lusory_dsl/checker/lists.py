"""Lists: which items, in what order, and what is made of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import core
from ..effect import nodes
from ..language.builtins import COMPREHENSIONS, FUNCTIONS
from ..language.types import BOOL, INT, ListType, Type
from ..text import codes
from ..text.diagnostics import did_you_mean
from .locals import LocalName
from .routine import Routine, faulty, is_faulty
from .values import expect, expression, item_type, list_value, written_condition


def where(r: Routine, node: nodes.Where, expected: Type | None) -> core.Expr:
    """The items for which a condition holds."""
    source = list_value(r, node.source, expected)
    with r.frame(), r.narrowing():
        slot = r.bind_quietly("it", item_type(source), node.span, "item")
        r.known.sources[slot] = source
        condition = written_condition(r, node.condition, "after `where`")
        r.assume(condition, True)
        item = r.narrowed.get(slot, item_type(source))
    if is_faulty(source):
        return source
    return core.Filter(ListType(item), node.span, slot, source, condition)


def with_key(r: Routine, node: nodes.WithKey, expected: Type | None) -> core.Expr:
    """The items with the greatest or least key, or one item for each key."""
    source = list_value(r, node.source, expected)
    with r.frame():
        slot = r.bind_quietly("it", item_type(source), node.span, "item")
        if node.kind == "distinct":
            key = expression(r, node.key)
        else:
            key = expect(r, node.key, INT, f"after `with {node.kind}`")
    if is_faulty(source):
        return faulty(node.span)
    if node.kind == "distinct":
        return core.Distinct(source.type, node.span, slot, source, key)
    return core.Extreme(source.type, node.span, node.kind, slot, source, key)


def comprehension(r: Routine, node: nodes.Comprehension, expected: Type | None) -> core.Expr:
    """A number, truth or list made of something about each item."""
    kind = node.function
    if kind not in COMPREHENSIONS:
        message = f"`{kind}(… for …)` is not known"
        hint = did_you_mean(kind, COMPREHENSIONS) or f"there are {', '.join(COMPREHENSIONS)}"
        r.error(codes.UNKNOWN_NAME, message, node.function_span, hint)
    wanted = expected if kind == "list" and isinstance(expected, ListType) else None
    with each_item(r, node) as (slot, source, condition):
        if kind == "count" and isinstance(node.body, nodes.Name) and node.body.name == node.name:
            r.operand(node.body)
            body, condition = condition or core.Const(BOOL, node.body.span, True), None
        elif kind == "list":
            body = expression(r, node.body, wanted.item if wanted else None)
        else:
            function = FUNCTIONS.get(kind)
            needed = INT if function is not None and function.params[0].type == ListType(INT) else BOOL
            body = expect(r, node.body, needed, f"in `{kind}(… for …)`")
    if is_faulty(source) or kind not in COMPREHENSIONS:
        return faulty(node.span)
    if kind == "list":
        return core.MapList(ListType(body.type), node.span, slot, source, condition, body)
    type = FUNCTIONS[kind].type
    assert type is not None
    return core.Fold(type, node.span, kind, slot, source, condition, body)


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
    r: Routine, node: nodes.Comprehension | nodes.ForEach
) -> Iterator[tuple[int, core.Expr, core.Expr | None]]:
    """What is done with each item of a list: the local that it is in, the list, the condition on items."""
    source = list_value(r, node.source)
    with r.frame(), r.narrowing():
        slot = r.bind(node.name, item_type(source), node.name_span)
        r.known.sources[slot] = source
        yield slot, source, item_condition(r, node.condition, slot, item_type(source))
