"""Names of `let` that are written are variables: nobody is told one that is given what not everybody knows."""

from __future__ import annotations

from .. import core
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
