"""Hide names that hold secrets, and mark invariants that are laws.

Each pass takes a program and its :class:`~lusory_dsl.core.sugar_nodes.Sugar`, and returns the changed program.
"""

from __future__ import annotations

from .. import core
from ..core.knowledge_of_locals import get_knowledge
from ..core.program_reads_and_value_bounds import collect_reads
from ..core.provenance import LETS
from ..core.sugar_nodes import Sugar
from ..source.dataclass_with_lazy_methods import replace

NOBODY_SEES = core.Visibility("nobody", None)


def hide_secret_names(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program in which each name that holds hidden information is hidden, too.

    Names are the variables that ``let`` generates; one that holds a secret gets the visibility ``nobody``. Hiding a
    name can make others secret, so the pass repeats until nothing changes. Example: after ``let card be top of deck``
    the variable ``card`` is hidden. Returns the program itself if nothing is.
    """
    visible_names = {name for name, variable in program.variables.items() if variable.origin.generator == LETS}
    while visible_names and (secret_names := visible_names & get_knowledge(program).secret_variables):
        hidden_variables = {name: replace(program.variables[name], visible=NOBODY_SEES) for name in secret_names}
        program = replace(program, variables=program.variables | hidden_variables)
        visible_names -= secret_names
    return program


def mark_laws(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program in which each invariant that reads no state is marked as a law.

    The value of a law depends only on the data of the ruleset, so it is checked once. Example: ``always: count(Suit) =
    4`` becomes a law, and ``always: score[me] >= 0`` doesn't.
    """
    return replace(program, invariants=tuple(_mark_law(invariant, program) for invariant in program.invariants))


def _mark_law(invariant: core.Invariant, program: core.Program) -> core.Invariant:
    variable_parts = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    reads = (
        collect_reads(part, program.queries, program.zones) for part in (invariant.condition, *variable_parts, *texts)
    )
    return replace(invariant, is_law=not any(reads))
