"""Which expressions can go wrong. Read by the lowering and the emitters: what can go wrong is neither dropped, nor
worked out at another time than the author wrote, so that both engines fail at the same place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, children
from lusory_dsl.types import LIST_LIMIT, IntType, NoneType, OptionalType, Type

from .lowered import QueryRoutine

Interval = tuple[int, int] | None
PARTIAL = ("first", "last", "top", "bottom", "at", "index", "step")  # functions that need something to be there


def unknown(e: Expr) -> Interval:
    """The bounds of a number of which nothing is known but what is written."""
    return (e.value, e.value) if isinstance(e, Const) and type(e.value) is int else None


def can_fail(e: Any, program: core.Program, interval: Callable[[Expr], Interval] = unknown) -> bool:
    """Whether working out an expression may be a fault; in doubt, yes. ``interval``: bounds of an Int, as known."""
    if isinstance(e, core.ReadCell):
        if may_be_none(e, program) or _outside(e.indices, program.place(e.place).dims, interval):
            return True
    elif isinstance(e, core.ReadZone | core.PoolKinds | core.PoolTotal):
        if _outside(e.indices, program.place(e.zone).dims, interval):
            return True
    elif isinstance(e, core.TableRead):
        if may_be_none(e, program) or _outside(e.indices, program.tables[e.table].dims, interval):
            return True
    elif isinstance(e, core.Field | core.IndexOfPlace):
        if may_be_none(e, program):
            return True
    elif isinstance(e, core.Range):
        if too_long(e, interval):
            return True
    elif isinstance(e, core.Binary) and e.op in ("div", "mod"):
        if not isinstance(e.right, Const) or not e.right.value:
            return True
    elif (isinstance(e, core.CallBuiltin) and e.name in PARTIAL) or (isinstance(e, QueryRoutine) and e.routine.fails):
        return True
    return any(can_fail(part, program, interval) for part in children(e))


def too_long(e: core.Range, interval: Callable[[Expr], Interval]) -> bool:
    """Whether a range may have more numbers than are allowed."""
    low, high = interval(e.low), interval(e.high)
    return low is None or high is None or high[1] - low[0] >= LIST_LIMIT


def may_be_none(e: core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace, program: core.Program) -> bool:
    """Whether ``none`` may be read where the author counts on a value."""
    if is_optional(e.type):
        return False
    if isinstance(e, core.ReadCell):
        variable = program.variables.get(e.place)
        return variable is not None and is_optional(variable.type)
    if isinstance(e, core.TableRead):
        return is_optional(program.tables[e.table].type)
    if isinstance(e, core.IndexOfPlace):
        return True
    types = [fields[e.field] for fields in program.component_fields.values() if e.field in fields]
    return any(is_optional(type) for type in types)


def is_optional(type: Type) -> bool:
    return isinstance(type, OptionalType | NoneType)


def _outside(indices: tuple[Expr, ...], dims: tuple[core.Dim, ...], interval: Callable[[Expr], Interval]) -> bool:
    """Whether an index may be outside of its dimension (the kind of a pool, behind the dimensions, never is)."""
    for index, dim in zip(indices, dims, strict=False):
        if isinstance(dim.type, IntType):
            known = interval(index)
            if known is None or known[0] < dim.low or known[1] >= dim.low + (dim.size or 0):
                return True
    return False
