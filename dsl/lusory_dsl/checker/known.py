"""What an expression comes to that reads nothing of a game: for what is declared, as the places of a board that exist.

Small on purpose: numbers, truth and short lists, as the engines have them. Values of texts are left to the engines.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from .. import core
from ..language.types import INT_MAX, INT_MIN, NothingType
from ..text.source import Span


class Unknown(Exception):
    """The expression reads a game, goes wrong, or does what is not done here. ``is_reported``: it is a mistake."""

    def __init__(self, span: Span, is_reported: bool = False) -> None:
        super().__init__(str(span))
        self.span, self.is_reported = span, is_reported


def known_value(e: core.Expr, slots: Mapping[int, Any]) -> Any:
    """The value, with the locals in ``slots``. Raises Unknown."""
    match e:
        case core.Const(type=NothingType()):
            raise Unknown(e.span, is_reported=True)
        case core.Const(value=value):
            return value
        case core.Local(slot=slot) if slot in slots:
            return slots[slot]
        case core.Unary(op=op, operand=operand):
            value = known_value(operand, slots)
            return not value if op == "not" else _whole(e, -value)
        case core.Binary(op="and" | "or" as op, left=left, right=right):
            first = known_value(left, slots)
            return first if first is (op == "or") else known_value(right, slots)
        case core.Binary(op=op, left=left, right=right) if op in _OPERATORS:
            values = known_value(left, slots), known_value(right, slots)
            if op in ("div", "mod") and values[1] == 0:
                raise Unknown(e.span)
            return _whole(e, _OPERATORS[op](*values))
        case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return known_value(then if known_value(condition, slots) else otherwise, slots)
        case core.ListLit(items=items):
            return tuple(known_value(item, slots) for item in items)
        case core.Range(low=low, high=high):
            return range(known_value(low, slots), known_value(high, slots) + 1)
        case core.CallBuiltin(name="abs", args=[number]):
            return _whole(e, abs(known_value(number, slots)))
    raise Unknown(e.span)


def _whole(e: core.Expr, value: Any) -> Any:
    if isinstance(value, int) and not INT_MIN <= value <= INT_MAX:
        raise Unknown(e.span)
    return value


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda item, items: item in items,
}
