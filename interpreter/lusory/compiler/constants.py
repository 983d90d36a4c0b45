"""Constants of the lowered language: what an expression comes to that reads nothing of a game. Used by lowering.

The evaluator works them out, so that both engines mean the same.
"""

from __future__ import annotations

from math import inf
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, IfExpr, Local
from lusory_dsl.source import Span

from ..expressions import Reader
from ..runtime import Setting
from .uses import LOOPS, operands

PLAIN = core.Binary | core.Unary | core.ListLit | core.Range | core.TableRead | core.Field | core.CallBuiltin
EFFORT = 50_000  # nodes to go through for one constant
LENGTH = 16  # of a list inside a loop, as a guess
LONGEST = 64  # range that is written out


class _Unsettled(Exception):
    """The expression goes wrong; it shall do so while the game is played, with its place."""


class Constants(Reader):
    """Reads expressions that need no position."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, [], [])

    def fault(self, message: str, span: Span) -> NoReturn:
        raise _Unsettled

    def fold(self, e: Expr) -> Expr:
        """A constant where everything in an expression is known and nothing goes wrong; else ``e``."""
        if not isinstance(e, LOOPS | PLAIN) or _effort(e, frozenset()) > EFFORT:
            return e
        slots: Any = {}
        try:
            return Const(e.type, e.span, self.value(e, slots))
        except _Unsettled:
            return e


def _effort(e: Expr, bound: frozenset[int]) -> float:
    """About how many nodes it takes to work an expression out; infinite where it reads more than what is known.
    ``bound``: the locals of the loops round it."""
    match e:
        case Const():
            return 1
        case Local(slot=slot):
            return 1 if slot in bound else inf
        case core.Range(low=Const(value=int(low)), high=Const(value=int(high))) if high - low >= LONGEST:
            return inf
        case core.Filter() | core.MapList() | core.Fold() | core.Extreme() | core.Distinct():
            source, *inside = operands(e)
            if not bound and not isinstance(source, Const):
                return inf
            length = len(source.value) if isinstance(source, Const) and isinstance(source.value, tuple) else LENGTH
            bound |= {e.slot}
            return _effort(source, bound) + length * sum(_effort(part, bound) for part in inside)
        case IfExpr() if bound:
            pass
        case core.Binary() | core.Unary() | core.ListLit() | core.Range() | core.TableRead():
            pass
        case core.Field() | core.CallBuiltin():
            pass
        case _:
            return inf
    total = 1.0
    for part in operands(e):
        total += _effort(part, bound)
        if total == inf:
            break
    return total
