"""Check list expressions: filters, sorting, comprehensions, reachability and connected regions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .. import core
from ..source import diagnostic_codes
from ..source.diagnostics import did_you_mean
from ..source.source import Span, article
from ..syntax import ast
from ..types.builtins import COMPREHENSIONS, FUNCTIONS
from ..types.types import (
    BOOL,
    INT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
)
from .board_members import board_of
from .coercions import expect, expression, fit, item_type, list_value, written_condition
from .context import LocalName, Routine, faulty, is_faulty
from .symbols import TypeSymbol


def where(r: Routine, node: ast.Where, expected: Type | None) -> core.Expr:
    """Check ``list where condition``: the items for which a condition holds."""
    source = list_value(r, node.source, expected)
    with r.frame(), r.narrowing():
        slot = _item(r, node, source)
        condition = written_condition(r, node.condition, "after `where`")
        r.assume(condition, True)
        item = r.narrowed.get(slot, item_type(source))
    if is_faulty(source):
        return source
    return core.Filter(ListType(item), node.span, slot, source, condition)


def as_long(r: Routine, node: ast.AsLong, expected: Type | None) -> core.Expr:
    """Check ``list while condition``: the items before the first one for which the condition fails."""
    source = list_value(r, node.source, expected)
    with r.frame(), r.narrowing():
        slot = _item(r, node, source)
        condition = written_condition(r, node.condition, "after `while`")
        r.assume(condition, True)
        item = r.narrowed.get(slot, item_type(source))
    if is_faulty(source):
        return source
    return core.Leading(ListType(item), node.span, slot, source, condition)


def with_key(r: Routine, node: ast.WithKey, expected: Type | None) -> core.Expr:
    """Check a selection by key: the items with the greatest or least key, or one item for each key."""
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


def in_order(r: Routine, node: ast.Sorted, expected: Type | None) -> core.Expr:
    """Check a sort by key. Keys are numbers, truth values, players, cards or enum values."""
    source = list_value(r, node.source, expected)
    with r.frame():
        slot = _item(r, node, source)
        key = expression(r, node.key)
    if is_faulty(source) or is_faulty(key):
        return faulty(node.span)
    if not isinstance(key.type, IntType | BoolType | PlayerType | EnumType | ComponentType):
        hint = "sort by a number, or by what has an order: a player, a card, a value of an enum"
        message = f"{article(f'`{key.type}`')} has no order to sort by"
        return r.error(diagnostic_codes.WRONG_TYPE, message, key.span, hint)
    return core.Sorted(source.type, node.span, slot, source, key)


def _item(r: Routine, node: ast.Where | ast.AsLong | ast.WithKey | ast.Sorted, source: core.Expr) -> int:
    """Bind the name of the items of a selection, ``it`` if the author gives none. Returns its slot."""
    if node.item is None:
        slot = r.bind_quietly("it", item_type(source), node.span, "item")
    else:
        slot = r.bind(node.item.name, item_type(source), node.item.span)
    r.known.sources[slot] = source
    return slot


def comprehension(r: Routine, node: ast.Comprehension, expected: Type | None) -> core.Expr:
    """Check a comprehension over one list, or over several nested ones."""
    kind = node.function
    if kind not in COMPREHENSIONS:
        message = f"`{kind}(… for …)` is not known"
        hint = did_you_mean(kind, COMPREHENSIONS) or f"there are {', '.join(COMPREHENSIONS)}"
        r.error(diagnostic_codes.UNKNOWN_NAME, message, node.function_span, hint)
    if node.more:
        return _of_several(r, node, expected)
    with each_item(r, node) as (slot, source, condition):
        if kind == "count" and isinstance(node.body, ast.Name) and node.body.name == node.name:
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


def _body(r: Routine, node: ast.Comprehension, expected: Type | None) -> core.Expr:
    """Check the body of a comprehension, which is evaluated for each item."""
    if node.function == "list":
        return expression(r, node.body, expected.item if isinstance(expected, ListType) else None)
    function = FUNCTIONS.get(node.function)
    needed = INT if function is not None and function.params[0].type == ListType(INT) else BOOL
    return expect(r, node.body, needed, f"in `{node.function}(… for …)`")


def _of_several(r: Routine, node: ast.Comprehension, expected: Type | None) -> core.Expr:
    """Check a comprehension over several lists, and build nested loops for it.

    Folds such as ``sum`` are folded level by level. For ``max`` and ``min``, the loops build one list first, because an
    inner loop may have no items.
    """
    kind, span = node.function, node.span
    names = (node.name, *(each.name for each in node.more))
    with ExitStack() as frames:
        parts = [frames.enter_context(each_item(r, node))]
        parts += [frames.enter_context(each_item(r, each)) for each in node.more]
        if kind == "count" and isinstance(node.body, ast.Name) and node.body.name in names:
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


def item_condition(r: Routine, node: ast.Expr | None, slot: int, item: Type) -> core.Expr | None:
    """Check the condition after the ``where`` of a loop or choice. The item is also called ``it`` there."""
    if node is None:
        return None
    with r.frame():
        r.put_in_sight(LocalName("it", slot, item, node.span, "item", exempt=True))
        condition = written_condition(r, node, "after `where`")
    r.assume(condition, True)
    return condition


@contextmanager
def each_item(
    r: Routine, node: ast.Comprehension | ast.Each | ast.ForEach
) -> Iterator[tuple[int, core.Expr, core.Expr | None]]:
    """Open the scope of a loop over a list. Yields the slot of the item, the list, and the condition on items."""
    source = list_value(r, node.source)
    with r.frame(), r.narrowing():
        slot = r.bind(node.name, item_type(source), node.name_span)
        r.known.sources[slot] = source
        yield slot, source, item_condition(r, node.condition, slot, item_type(source))


DOES_NOT_END = "what is reached could go on for ever: `{}` has no end"


def reach(r: Routine, node: ast.Reach, expected: Type | None) -> core.Expr:
    """Check ``reach(…)``: all values that can be reached from a start."""
    if node.function == "steps":
        hint = "write of what: `steps(…)[value]`; `reach(…)` is the list of all that is reached"
        return r.error(
            diagnostic_codes.WRONG_INDICES, "`steps(…)` is the number of steps to something", node.span, hint
        )
    return _reached(r, node, None, node.span)


def steps(r: Routine, node: ast.Reach, indices: tuple[ast.Expr, ...], span: Span) -> core.Expr:
    """Check ``steps(…)[value]``: the number of steps to a value, or ``none`` if it can't be reached."""
    if node.function != "steps" or len(indices) != 1:
        one = node.function == "steps"
        message = "`steps(…)` takes one index, what is reached" if one else "a list takes no index"
        hint = None if one else "`steps(…)[value]` is in how many steps a value is reached"
        return r.error(diagnostic_codes.WRONG_INDICES, message, span, hint)
    return _reached(r, node, indices[0], span)


def _reached(r: Routine, node: ast.Reach, to: ast.Expr | None, span: Span) -> core.Expr:
    start = list_value(r, node.source)
    within = None if node.bound is None else expect(r, node.bound, INT, "after `within`")
    item = item_type(start)
    target = None if to is None else expect(r, to, item, "as what is reached")
    with r.frame(), r.narrowing():
        slot = r.bind(node.name, item, node.name_span)
        body = list_value(r, node.body, ListType(item))
    if is_faulty(start) or is_faulty(body):
        return faulty(node.span)
    body = fit(r, body, ListType(item), f"in `{node.function}(… for … from …)`")
    values = _values(r, item, start, body)
    if is_faulty(body) or values is None:
        return faulty(node.span) if values is not None else _endless(r, node, item)
    type = ListType(item) if target is None else OptionalType(INT)
    return core.Reach(type, span, slot, values, start, within, target, body)


def _endless(r: Routine, node: ast.Reach, item: Type) -> core.Expr:
    hint = "say a range on both sides: `reach((1..9) where … for x from [1])`" if isinstance(item, IntType) else None
    hint = hint or "an enum, a component kind, `Player` or a range has an end"
    return r.error(diagnostic_codes.ENDLESS_REACH, DOES_NOT_END.format(item), node.span, hint)


def _values(r: Routine, item: Type, start: core.Expr, body: core.Expr) -> core.Expr | None:
    """Return the list of all values that could be reached. None if there is no bound on them."""
    match item:
        case PlayerType():
            return core.Players(ListType(item), start.span)
        case EnumType() | ComponentType():
            symbol = r.names.symbols.get(item.name)
            return core.Const(ListType(item), start.span, symbol.values) if isinstance(symbol, TypeSymbol) else None
        case IntType():
            ends = [_ends(start), _ends(body)]
            lows, highs = [e[0] for e in ends if e is not None], [e[1] for e in ends if e is not None]
            if None in ends:
                return None
            low, high = (core.Const(INT, start.span, end) for end in (min(lows), max(highs)))
            return core.Range(ListType(INT), start.span, low, high)
    return start if isinstance(item, NothingType) else None


def _ends(numbers: core.Expr) -> tuple[int, int] | None:
    """Return the least and the greatest number in a list. None if they can't be read off the expression."""
    match numbers:
        case core.Range(low=core.Const(value=int() as low), high=core.Const(value=int() as high)):
            return low, high
        case core.ListLit(items=items):
            found = [item.value for item in items if isinstance(item, core.Const) and isinstance(item.value, int)]
            return (min(found), max(found)) if items and len(found) == len(items) else None
        case core.Filter(source=source) | core.Extreme(source=source) | core.Distinct(source=source):
            return _ends(source)
        case core.Binary(op="except" | "intersect", left=left):
            return _ends(left)
        case core.IfExpr(then=one, otherwise=other) | core.Binary(op="union" | "join", left=one, right=other):
            ends = _ends(one), _ends(other)
            if None not in ends:
                return min(e[0] for e in ends if e), max(e[1] for e in ends if e)
    return None


REGIONS = {"group": "group(s, among: xs)", "groups": "groups(xs)"}
"""Function name -> the form of a call, for hints."""


def region(r: Routine, name: str, node: ast.Call) -> core.Expr:
    """Check a call of ``group`` or ``groups``, which find connected regions of a board.

    ``group(s, among: xs)`` is the list of the spaces in ``xs`` that are connected with ``s``. ``groups(xs)`` is the
    number of connected regions of ``xs``. With ``corners: true``, diagonal neighbours are connected, too.
    """
    given = _arguments(r, name, node)
    if given is None:
        return faulty(node.span)
    start, spaces, corners = given
    among = list_value(r, spaces)
    if is_faulty(among):
        return among
    board = board_of(r, item_type(among))
    if board is None:
        message = f"`{name}` is asked of spaces of a board, these are a `{among.type}`"
        return r.error(
            diagnostic_codes.WRONG_TYPE, message, among.span, "`reach(… for x from …)` goes through other values"
        )
    own = EnumType(board.name)
    among = fit(r, among, ListType(own), f"in `{name}`")
    begin = None
    if start is not None:
        begin = expression(r, start, own)
        if not isinstance(begin.type, ListType):
            begin = core.ListLit(ListType(own), begin.span, (fit(r, begin, own, f"in `{name}`"),))
        begin = fit(r, begin, ListType(own), f"in `{name}`")
        if is_faulty(begin):
            return begin
    r.notes.used.add(board.name)
    touching = f"{board.name}.{'around' if corners else 'beside'}"
    return core.Region(INT if begin is None else ListType(own), node.span, touching, among, begin)


def _arguments(r: Routine, name: str, node: ast.Call) -> tuple[ast.Expr | None, ast.Expr, bool] | None:
    """Return the start space (None for ``groups``), the spaces, and whether corners connect. None after a report."""
    names = ["s", "among", "corners"] if name == "group" else ["among", "corners"]
    given: dict[str, ast.Expr] = {}
    for position, arg in enumerate(node.args):
        param = arg.name or (names[position] if position < len(names) - 1 else "")
        if param not in names or param in given:
            r.error(
                diagnostic_codes.WRONG_ARGUMENTS,
                f"`{name}` takes no such argument",
                arg.span,
                f"write `{REGIONS[name]}`",
            )
            return None
        given[param] = arg.value
    missing = [param for param in names[:-1] if param not in given]
    if missing:
        r.error(
            diagnostic_codes.WRONG_ARGUMENTS, f"`{name}` lacks `{missing[0]}`", node.span, f"write `{REGIONS[name]}`"
        )
        return None
    corners = given.get("corners")
    if corners is not None and not isinstance(corners, ast.BoolLit):
        r.error(diagnostic_codes.WRONG_ARGUMENTS, "`corners` is `true` or `false`", corners.span)
        return None
    return given.get("s"), given["among"], corners is not None and corners.value
