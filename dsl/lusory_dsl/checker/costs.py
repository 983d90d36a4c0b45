"""What a cost demands, so that an action is offered only to who can pay it. A part of the checker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import core
from ..core.origin import COSTS, Origin
from ..language.types import BOOL, INT
from .choices import ALL_OF_THEM

_DEMAND = Origin(COSTS, part="demand")


def demands(cost: Sequence[core.Stmt]) -> Iterator[core.Expr]:
    """The conditions under which the statements of a cost can be paid in full: that a pool holds the counters that are
    moved from it, that a variable is as great as what is taken from it, that there is enough to choose from.

    What depends on something that the cost itself finds out is not demanded."""
    found_out: set[int] = set()
    for stmt in cost:
        demand = _demand(stmt)
        if demand is not None and not core.locals_in(demand) & found_out:
            yield demand
        found_out |= core.leaves_bound(stmt)


def _demand(stmt: core.Stmt) -> core.Expr | None:
    """What one statement needs."""
    span = stmt.span
    match stmt:
        case core.MoveCount(
            kind=core.Expr() as kind, amount=core.Expr() as amount, source=pool, source_indices=indices
        ):
            held = core.ReadCell(INT, span, pool, (*indices, kind))
            return core.Binary(BOOL, span, ">=", held, amount, origin=_DEMAND)
        case core.SetCell(op="sub", place=place, indices=indices, value=amount):
            return core.Binary(BOOL, span, ">=", core.ReadCell(INT, span, place, indices), amount, origin=_DEMAND)
        case core.AskMany(low=low) if not isinstance(low, core.Const) or low.value not in (0, ALL_OF_THEM):
            return _enough(stmt, stmt.source, stmt.condition, stmt.item_slot, low)
        case core.Ask(alternatives=(core.Alternative(name=None, vars=(var,)),), otherwise=()):
            return _enough(stmt, var.domain, var.condition, var.slot, core.Const(INT, span, 1))
    return None


def _enough(stmt: core.Stmt, source: core.Expr, condition: core.Expr | None, slot: int, number: core.Expr) -> core.Expr:
    """That a list has at least so many items for which a condition holds."""
    body = condition if condition is not None else core.Const(BOOL, stmt.span, True)
    count = core.Fold(INT, stmt.span, "count", slot, source, None, body)
    return core.Binary(BOOL, stmt.span, ">=", count, number, origin=_DEMAND)
