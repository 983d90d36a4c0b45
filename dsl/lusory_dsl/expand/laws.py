"""The pass that tells laws of the data from invariants of a game: nothing in them reads its state."""

from __future__ import annotations

from .. import core
from ..core.accesses import read_by
from ..core.sugar import Sugar
from ..text.records import replace


def laws(program: core.Program, sugar: Sugar) -> core.Program:
    """A program whose invariants are judged, with all that rules make of queries."""
    return replace(program, invariants=tuple(_judged(invariant, program) for invariant in program.invariants))


def _judged(invariant: core.Invariant, program: core.Program) -> core.Invariant:
    each = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    state = (read_by(part, program.queries, program.zones) for part in (invariant.condition, *each, *texts))
    return replace(invariant, is_law=not any(state))
