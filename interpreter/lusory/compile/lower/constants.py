"""Constants of the lowered language: what an expression comes to that reads nothing of a game. Used by lowering.

The evaluator works them out, so that both engines mean the same.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Const, Expr, IfExpr, Local, children
from lusory_dsl.language.types import ComponentType, EnumType, Type
from lusory_dsl.text.source import Span

from ...reading.reader import Reader
from ...table.setting import Setting, Value
from .lowered import Lookup, Rows
from .shapes import shape

PLAIN = (
    core.Binary
    | core.Unary
    | core.ListLit
    | core.Range
    | core.TableRead
    | core.Field
    | core.CallBuiltin
    | Lookup
    | Rows
    | core.Region
)
EFFORT = 50_000  # nodes to go through for one constant or table
WORTHWHILE = 4  # nodes of an expression for which a table is made
LENGTH = 16  # of a list inside a loop, as a guess
LONGEST = 64  # range that is written out


@lru_cache(maxsize=4)
def _tables(program: core.Program, players: int) -> dict[object, tuple[Value, ...] | None]:
    """The tables made so far, by what they are tables of. What is lowered reads no options any more, so games that
    differ in them only share these."""
    return {}


class _Unsettled(Exception):
    """The expression goes wrong; it shall do so while the game is played, with its place."""


class Constants(Reader):
    """Reads expressions that need no position."""

    expressions = (*core.EXPRESSIONS, Lookup, Rows)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, [], [])
        self._tables = _tables(setting.program, setting.players)

    def fault(self, message: str, span: Span) -> NoReturn:
        raise _Unsettled

    def eval_Lookup(self, expr: Lookup, slots: Any) -> Value:
        return expr.values[self.value(expr.of, slots)]

    def eval_Rows(self, expr: Rows, slots: Any) -> Value:
        entry: Any = expr.values
        for index, low in zip(expr.indices, expr.lows, strict=True):
            entry = entry[self.value(index, slots) - low]
        return entry

    def fold(self, e: Expr) -> Expr:
        """A constant where everything in an expression is known and nothing goes wrong, a table where everything but
        one local is; else ``e``."""
        if not isinstance(e, LOOPS | PLAIN):
            return e
        free: dict[int, Local] = {}
        effort = _effort(e, frozenset(), free)
        if not effort <= EFFORT:
            return e
        if not free:
            slots: Any = {}
            try:
                return Const(e.type, e.span, self.value(e, slots))
            except _Unsettled:
                return e
        (local, *others) = free.values()
        if others or effort < WORTHWHILE:
            return e
        domain = self.domain(local.type)
        if not domain or effort * len(domain) > EFFORT:
            return e
        key = local.type, shape(e, local.slot)
        if key not in self._tables:
            self._tables[key] = self.table(e, local.slot, domain)
        values = self._tables[key]
        return e if values is None else Lookup(e.type, e.span, local, values)

    def table(self, e: Expr, slot: int, domain: list[int]) -> tuple[Value, ...] | None:
        """The value of an expression for each value of a local; None where it goes wrong for any of them."""
        values: list[Value] = [None] * (domain[-1] + 1)
        slots: Any = {}
        try:
            for item in domain:
                slots[slot] = item
                values[item] = self.value(e, slots)
        except _Unsettled:
            return None
        return tuple(values)

    def domain(self, type: Type) -> list[int]:
        """The values of a type, ascending, if a table can have a row for each."""
        if isinstance(type, EnumType):
            return list(range(len(self.program.enums[type.name].values)))
        if isinstance(type, ComponentType):
            return [n for n, entity in enumerate(self.program.entities) if entity.kind == type.name]
        return []


def _effort(e: Expr, bound: frozenset[int], free: dict[int, Local]) -> float:
    """About how many nodes it takes to work an expression out; infinite where it reads the state of a game.
    ``bound``: the locals of the loops round it; other locals that it reads are added to ``free``."""
    match e:
        case Const():
            return 1
        case Local(slot=slot):
            if slot not in bound:
                free[slot] = e
            return 1
        case core.Range(low=Const(value=int(low)), high=Const(value=int(high))) if high - low >= LONGEST:
            return inf
        case _ if isinstance(e, LOOPS):
            source, *inside = children(e)
            length = len(source.value) if isinstance(source, Const) and isinstance(source.value, tuple) else LENGTH
            total = _effort(source, bound, free)
            for part in inside:
                effort = _effort(part, bound | {e.slot}, free)
                total += length * effort if length else 0  # 0 times without bound would be no number
            return total
        case core.Binary() | core.Unary() | core.ListLit() | core.Range() | core.TableRead() | IfExpr():
            pass
        case core.Field() | core.CallBuiltin() | core.Region() | Lookup() | Rows():
            pass
        case _:
            return inf
    total = 1.0
    for part in children(e):
        total += _effort(part, bound, free)
        if total == inf:
            break
    return total
