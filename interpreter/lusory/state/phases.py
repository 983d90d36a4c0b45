"""The order of phases as a flat list of operations, and walks over a program's statements.

Made once a game; run by the evaluator, and by the compiler as the plan of its dispatcher.
A phase with a condition and a repetition becomes::

    test condition, else go to end          once, on entry
    reset the phase's repeat counter to 0
    again: test repeat, else go to end; add 1 to the counter (beyond the bound: a fault)
    enter (the event ``phase``)
    the body, or the children in order
    go to again
    end:
"""

from __future__ import annotations

from collections.abc import Iterator

from lusory_dsl import core
from lusory_dsl.source.dataclasses import dataclass

Block = tuple[core.Stmt, ...]


@dataclass(frozen=True, eq=False)
class Test:
    """Go on, or to ``otherwise`` when the condition of ``phase`` does not hold."""

    phase: core.Phase
    path: tuple[str, ...]
    otherwise: int


@dataclass(frozen=True, eq=False)
class Reset:
    """The repeat counter of ``phase`` becomes 0."""

    phase: core.Phase


@dataclass(frozen=True, eq=False)
class Again:
    """Count one more pass of ``phase``, or go to ``otherwise`` when it is not to be repeated."""

    phase: core.Phase
    path: tuple[str, ...]
    otherwise: int


@dataclass(frozen=True, eq=False)
class Enter:
    """The event that ``phase`` begins."""

    phase: core.Phase
    path: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Run:
    """Execute the body of a leaf: the only operation that may ask."""

    phase: core.Phase
    path: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Jump:
    target: int


Operation = Test | Reset | Again | Enter | Run | Jump


@dataclass(frozen=True, eq=False)
class Flow:
    """``operations`` run from 0; behind the last one the game is over. ``starts``: where each phase begins.

    ``path`` of an operation: ids of its phase and those around it, outermost first."""

    operations: tuple[Operation, ...]
    starts: dict[str, int]


def flatten(program: core.Program) -> Flow:
    """The setup, then the phase tree."""
    operations: list[Operation] = []
    starts: dict[str, int] = {}

    def size(phase: core.Phase) -> int:
        inner = sum(size(child) for child in phase.children) if phase.children else 1
        return inner + phase.origin.is_written + (phase.condition is not None) + 3 * (phase.repeat is not None)

    def add(phase: core.Phase, around: tuple[str, ...]) -> None:
        path = (*around, phase.id)
        end = len(operations) + size(phase)
        starts[phase.id] = len(operations)
        if phase.condition is not None:
            operations.append(Test(phase, path, end))
        again = len(operations) + 1
        if phase.repeat is not None:
            operations.append(Reset(phase))
            operations.append(Again(phase, path, end))
        if phase.origin.is_written:
            operations.append(Enter(phase, path))
        if phase.children:
            for child in phase.children:
                add(child, path)
        else:
            operations.append(Run(phase, path))
        if phase.repeat is not None:
            operations.append(Jump(again))

    for phase in (program.setup, *program.phases):
        add(phase, ())
    return Flow(tuple(operations), starts)


def phase_paths(program: core.Program) -> Iterator[tuple[core.Phase, ...]]:
    """Every phase behind those around it, outermost first; the setup first, each phase before its children."""

    def visit(path: tuple[core.Phase, ...]) -> Iterator[tuple[core.Phase, ...]]:
        yield path
        for child in path[-1].children:
            yield from visit((*path, child))

    for phase in (program.setup, *program.phases):
        yield from visit((phase,))


def all_phases(program: core.Program) -> Iterator[core.Phase]:
    """Every phase, the setup first, each before its children."""
    return core.phases_in((program.setup, *program.phases))


def all_statements(program: core.Program) -> Iterator[core.Stmt]:
    """Every statement of every routine, each before the ones inside it."""
    for phase in all_phases(program):
        yield from core.statements_in(phase.body)
    for effect in program.effects.values():
        for body in core.bodies_of(effect):
            yield from core.statements_in(body)


def ask_sites(program: core.Program) -> dict[int, core.Ask | core.AskMany]:
    """The choice that stands at each site."""
    return {stmt.site: stmt for stmt in all_statements(program) if isinstance(stmt, core.Ask | core.AskMany)}


def where_asked(program: core.Program) -> dict[int, tuple[str | None, tuple[str, ...]]]:
    """For the choice at each site the effect or window that asks, if one does, and the leaf phases in which it can come
    to that."""

    def reached(block: tuple[core.Stmt, ...], called: set[str], by: str | None) -> Iterator[tuple[int, str | None]]:
        for stmt in core.statements_in(block):
            if isinstance(stmt, core.Ask | core.AskMany):
                yield stmt.site, by
            elif isinstance(stmt, core.CallEffect) and stmt.effect not in called:
                called.add(stmt.effect)
                effect = program.effects[stmt.effect]
                for body in core.bodies_of(effect):
                    yield from reached(body, called, effect.name)

    found: dict[int, tuple[str | None, tuple[str, ...]]] = {}
    for phase in all_phases(program):
        for site, by in dict.fromkeys(reached(phase.body, set(), None)):
            _, phases = found.get(site, (by, ()))
            found[site] = (by, (*phases, phase.id))
    return found
