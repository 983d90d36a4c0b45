"""Two small passes: hide written names of `let` that hold secrets, and find invariants that are laws of the data."""

from __future__ import annotations

from .. import core
from ..core.accesses import read_by
from ..core.knowledge import knowledge_of
from ..core.origin import LETS
from ..core.sugar import Sugar
from ..text.records import replace

HIDDEN = core.Visibility("nobody", None)


def written_names(program: core.Program, sugar: Sugar) -> core.Program:
    """Hides those that are given something hidden, and those that are given one of them."""
    open_ones = {name for name, variable in program.variables.items() if variable.origin.maker == LETS}
    while open_ones and (given := open_ones & knowledge_of(program).given):
        hidden = {name: replace(program.variables[name], visible=HIDDEN) for name in given}
        program = replace(program, variables=program.variables | hidden)
        open_ones -= given
    return program


def laws(program: core.Program, sugar: Sugar) -> core.Program:
    """Mark each invariant that reads no state as a law: it holds for the data, whatever happens in a game."""
    return replace(program, invariants=tuple(_judged(invariant, program) for invariant in program.invariants))


def _judged(invariant: core.Invariant, program: core.Program) -> core.Invariant:
    each = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    state = (read_by(part, program.queries, program.zones) for part in (invariant.condition, *each, *texts))
    return replace(invariant, is_law=not any(state))
