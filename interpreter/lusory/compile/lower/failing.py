"""Which expressions can go wrong. Read by the lowering and by selection: what can go wrong is neither dropped, nor
worked out at another time than the author wrote, so that both engines fail at the same place."""

from __future__ import annotations

from typing import Any, Protocol

from lusory_dsl import core
from lusory_dsl.core import Expr, children
from lusory_dsl.language.builtins import RUNTIME
from lusory_dsl.language.intervals import Interval
from lusory_dsl.language.rows import Fault
from lusory_dsl.language.types import LIST_LIMIT, TEXT_LIMIT, IntType, NoneType, OptionalType, Type

from .lowered import QueryRoutine
from .ranges import Ranges


class Known(Protocol):
    """What is known of how large values can be, as in :class:`lusory.compile.lower.ranges.Ranges`."""

    program: core.Program

    def interval(self, e: Expr) -> Interval: ...

    def fits(self, e: Expr) -> bool: ...

    def size(self, e: Expr) -> int: ...

    def longest(self, e: Expr) -> int: ...


class Knowledge(Ranges):
    """How large values can be, and what can go wrong."""

    def can_fail(self, e: Expr) -> bool:
        """Whether working out an expression may be a fault; in doubt, yes."""
        return bool(self.once("fails", e, lambda e: goes_wrong(e, self) or any(map(self.can_fail, children(e)))))


def can_fail(e: Any, known: Known) -> bool:
    """Whether working out an expression may be a fault; in doubt, yes."""
    return goes_wrong(e, known) or any(can_fail(part, known) for part in children(e))


def goes_wrong(e: Any, known: Known) -> bool:
    """Whether an expression may be a fault where nothing inside of it is; in doubt, yes."""
    if not isinstance(e, Expr) or not core.row(type(e)).fails:
        return False
    program = known.program
    match e:
        case core.ReadCell(place=place, indices=indices):
            return may_be_none(e, program) or _outside(indices, program.place(place).dims, known)
        case core.PoolTotal(zone=zone, indices=indices):
            return _outside(indices, program.place(zone).dims, known) or not known.fits(e)
        case core.ReadZone(zone=zone, indices=indices) | core.PoolKinds(zone=zone, indices=indices):
            return _outside(indices, program.place(zone).dims, known)
        case core.TableRead(table=table, indices=indices):
            return may_be_none(e, program) or _outside(indices, program.table(table).dims, known)
        case core.Field() | core.IndexOfPlace():
            return may_be_none(e, program)
        case core.Range():
            return too_long(e, known)
        case core.Unary(op="-") | core.Binary(op="+" | "-" | "*") | core.Fold(kind="sum"):
            return not known.fits(e)
        case core.Binary(op="div" | "mod", right=right):
            low, high = known.interval(right)
            return low <= 0 <= high or not known.fits(e)
        case core.Binary(op="join" | "union"):
            return known.size(e) > LIST_LIMIT
        case core.Concat():
            return known.size(e) > LIST_LIMIT
        case core.CallBuiltin(name=name):
            match RUNTIME[name].fault:
                case Fault.TOO_GREAT:
                    return not known.fits(e)
                case Fault.TOO_LONG:
                    return known.longest(e) > TEXT_LIMIT
                case fault:
                    return fault is not None
        case core.TextTemplate():
            return known.longest(e) > TEXT_LIMIT
        case QueryRoutine(routine=routine):
            return routine.fails
        case core.Unary() | core.Binary() | core.Fold():
            return False
    return True


def too_long(e: core.Range, known: Known) -> bool:
    """Whether a range may have more numbers than are allowed."""
    return known.interval(e.high)[1] - known.interval(e.low)[0] >= LIST_LIMIT


def may_be_none(e: core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace, program: core.Program) -> bool:
    """Whether ``none`` may be read where the author counts on a value."""
    if is_optional(e.type):
        return False
    if isinstance(e, core.ReadCell):
        variable = program.variables.get(e.place)
        return variable is not None and is_optional(variable.type)
    if isinstance(e, core.TableRead):
        return is_optional(program.table(e.table).type)
    if isinstance(e, core.IndexOfPlace):
        return True
    types = [fields[e.field] for fields in program.component_fields.values() if e.field in fields]
    return any(is_optional(type) for type in types)


def is_optional(type: Type) -> bool:
    return isinstance(type, OptionalType | NoneType)


def _outside(indices: tuple[Expr, ...], dims: tuple[core.Dim, ...], known: Known) -> bool:
    """Whether an index may be outside of its dimension (the kind of a pool, behind the dimensions, never is)."""
    for index, dim in zip(indices, dims, strict=False):
        if isinstance(dim.type, IntType) and not dim.is_open:
            low, high = known.interval(index)
            if low < dim.low or high >= dim.low + (dim.size or 0):
                return True
    return False
