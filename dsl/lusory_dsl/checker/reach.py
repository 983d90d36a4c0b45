"""What is reached from somewhere by going on and on, and in how many steps."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import (
    INT,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
)
from ..text import codes
from ..text.source import Span
from .names import TypeSymbol
from .routine import Routine, faulty, is_faulty
from .values import expect, fit, item_type, list_value

DOES_NOT_END = "what is reached could go on for ever: `{}` has no end"


def reach(r: Routine, node: nodes.Reach, expected: Type | None) -> core.Expr:
    """All values that are reached."""
    if node.function == "steps":
        hint = "write of what: `steps(…)[value]`; `reach(…)` is the list of all that is reached"
        return r.error(codes.WRONG_INDICES, "`steps(…)` is the number of steps to something", node.span, hint)
    return _reached(r, node, None, node.span)


def steps(r: Routine, node: nodes.Reach, indices: tuple[nodes.Expr, ...], span: Span) -> core.Expr:
    """In how many steps something is reached."""
    if node.function != "steps" or len(indices) != 1:
        one = node.function == "steps"
        message = "`steps(…)` takes one index, what is reached" if one else "a list takes no index"
        hint = None if one else "`steps(…)[value]` is in how many steps a value is reached"
        return r.error(codes.WRONG_INDICES, message, span, hint)
    return _reached(r, node, indices[0], span)


def _reached(r: Routine, node: nodes.Reach, to: nodes.Expr | None, span: Span) -> core.Expr:
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


def _endless(r: Routine, node: nodes.Reach, item: Type) -> core.Expr:
    hint = "say a range on both sides: `reach((1..9) where … for x from [1])`" if isinstance(item, IntType) else None
    hint = hint or "an enum, a component kind, `Player` or a range has an end"
    return r.error(codes.ENDLESS_REACH, DOES_NOT_END.format(item), node.span, hint)


def _values(r: Routine, item: Type, start: core.Expr, body: core.Expr) -> core.Expr | None:
    """All values of what is gone through; None where they have no end."""
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
    """The least and the greatest number that a list can have, where it is written."""
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
