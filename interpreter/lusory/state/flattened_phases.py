"""Lower the phase tree to a flat list of operations, and walk over the statements of a program.

:func:`flatten` runs once for each game. The evaluator interprets the operations, and the compiler turns them into the
dispatcher of the generated code. A phase with a condition and a repetition becomes::

    test condition, else jump to end        once, on entry
    reset the phase's repeat counter to 0
    again: test repeat, else jump to end; add 1 to the counter (beyond the bound: a fault)
    enter (emits the event ``phase``)
    the body, or the children in order
    jump to again
    end:
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lusory_dsl import core
from lusory_dsl.source.dataclass_with_lazy_methods import Record

Block = tuple[core.Stmt, ...]


class Test(Record):
    """Continue if the condition of ``phase`` holds. Otherwise jump to ``otherwise``."""

    phase: core.Phase
    path: tuple[str, ...]
    otherwise: int


class Reset(Record):
    """Set the repeat counter of ``phase`` to 0."""

    phase: core.Phase


class BeginPass(Record):
    """Count one more pass of ``phase`` if it repeats. Otherwise jump to ``otherwise``."""

    phase: core.Phase
    path: tuple[str, ...]
    otherwise: int


class Enter(Record):
    """Emit the event that ``phase`` begins."""

    phase: core.Phase
    path: tuple[str, ...]


class Run(Record):
    """Execute the body of a leaf phase. No other operation can ask for a decision."""

    phase: core.Phase
    path: tuple[str, ...]


class Jump(Record):
    """Continue with the operation number ``target``."""

    target: int


Operation = Test | Reset | BeginPass | Enter | Run | Jump


class Flow(Record):
    """Hold the operations of a game, which start at number 0. The game is over after the last operation.

    ``starts`` maps the id of each phase to its first operation. The ``path`` of an operation holds the ids of its phase
    and of the phases around it, outermost first.
    """

    operations: tuple[Operation, ...]
    starts: dict[str, int]


def flatten(program: core.Program) -> Flow:
    """Return the ``operations`` of the setup and the phase tree, and ``starts``: phase id -> number of its first
    operation, from 0.

    The setup comes first, even without statements: ``Enter(setup), Run(setup)``. No operation marks the end of the
    game. Each phase that the author wrote has an ``Enter``, too. A phase with a condition begins with a ``Test``. After
    the setup, a phase ``round`` that repeats, with one child ``turn`` made by the compiler, becomes ``Reset(round),
    BeginPass(round, otherwise=7), Enter(round), Run(turn), Jump(3)``. Then ``starts`` is
    ``{"setup": 0, "round": 2, "turn": 5}``.
    """
    operations: list[Operation] = []
    starts: dict[str, int] = {}

    def count_operations(phase: core.Phase) -> int:
        inner = sum(count_operations(child) for child in phase.children) if phase.children else 1
        return inner + phase.origin.is_authored + (phase.condition is not None) + 3 * (phase.repeat is not None)

    def add(phase: core.Phase, outer_ids: tuple[str, ...]) -> None:
        path = (*outer_ids, phase.id)
        end = len(operations) + count_operations(phase)
        starts[phase.id] = len(operations)
        if phase.condition is not None:
            operations.append(Test(phase, path, end))
        loop_start = len(operations) + 1
        if phase.repeat is not None:
            operations.append(Reset(phase))
            operations.append(BeginPass(phase, path, end))
        if phase.origin.is_authored:
            operations.append(Enter(phase, path))
        if phase.children:
            for child in phase.children:
                add(child, path)
        else:
            operations.append(Run(phase, path))
        if phase.repeat is not None:
            operations.append(Jump(loop_start))

    for phase in (program.setup, *program.phases):
        add(phase, ())
    return Flow(tuple(operations), starts)


def iterate_phase_paths(program: core.Program) -> Iterator[tuple[core.Phase, ...]]:
    """Yield one path for each phase: the phases around it, outermost first, and the phase itself.

    The setup comes first. Each phase comes before its children.
    """

    def visit(path: tuple[core.Phase, ...]) -> Iterator[tuple[core.Phase, ...]]:
        yield path
        for child in path[-1].children:
            yield from visit((*path, child))

    for phase in (program.setup, *program.phases):
        yield from visit((phase,))


def iterate_phases(program: core.Program) -> Iterator[core.Phase]:
    """Yield every phase. The setup comes first, and each phase comes before its children."""
    return core.walk_phases((program.setup, *program.phases))


def iterate_program_statements(program: core.Program) -> Iterator[core.Stmt]:
    """Yield every statement of every phase and effect, phases first. Each statement comes before those inside it."""
    for phase in iterate_phases(program):
        yield from core.walk_statements(phase.body)
    for effect in program.effects.values():
        for body in core.get_bodies(effect):
            yield from core.walk_statements(body)


def find_ask_sites(program: core.Program) -> dict[int, core.Ask | core.AskMany]:
    """Return the choice statement at each choice site of all phases and effects: site number -> statement."""
    return {ask.site: ask for ask in iterate_program_statements(program) if isinstance(ask, core.Ask | core.AskMany)}


def iterate_reachable_asks(
    program: core.Program, blocks: Iterable[Block]
) -> Iterator[tuple[core.Ask | core.AskMany, str | None]]:
    """Yield each choice that blocks may ask, directly or in effects that they call.

    With it comes the name of the effect that contains it, or None if it is in the blocks themselves. Rules that
    replace an effect or follow it belong to it. An effect counts once, however often it is called, even by itself. The
    choices come in no particular order.
    """
    pending: list[tuple[Block, str | None]] = [(block, None) for block in blocks]
    visited_effects: set[str] = set()
    while pending:
        block, effect_name = pending.pop()
        for stmt in core.walk_statements(block):
            if isinstance(stmt, core.Ask | core.AskMany):
                yield stmt, effect_name
            elif isinstance(stmt, core.CallEffect) and stmt.effect not in visited_effects:
                visited_effects.add(stmt.effect)
                pending += [(body, stmt.effect) for body in core.get_bodies(program.effects[stmt.effect])]


def find_ask_contexts(program: core.Program) -> dict[int, tuple[str | None, tuple[str, ...]]]:
    """Return choice site -> (name of the effect that contains it, ids of the leaf phases that can reach it).

    Example: ``{3: ("strike", ("move", "fight"))}``. The effect is None if the choice is in the body of a phase. The
    rules ``when strike`` and ``instead of strike`` belong to ``strike``. A rule ``drawn`` with
    ``when card enters hand`` is an effect of its own, ``when drawn``. Phases reach a choice directly or through calls
    of effects, and come in program order, ``setup`` first. A site that no phase reaches is missing. If only the setup
    reaches it, the effect may be a copy that doesn't call ``when drawn``: ``strike in the setup``.
    """
    contexts: dict[int, tuple[str | None, tuple[str, ...]]] = {}
    for phase in iterate_phases(program):
        for ask, effect_name in iterate_reachable_asks(program, (phase.body,)):
            _, phases = contexts.get(ask.site, (effect_name, ()))
            contexts[ask.site] = (effect_name, (*phases, phase.id))
    return contexts
