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
from dataclasses import dataclass
from math import prod

from lusory_dsl import core
from lusory_dsl.source import Span


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
        return inner + 1 + (phase.condition is not None) + 3 * (phase.repeat is not None)

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
    return (path[-1] for path in phase_paths(program))


def all_statements(program: core.Program) -> Iterator[core.Stmt]:
    """Every statement of every routine, each before the ones inside it."""
    for phase in all_phases(program):
        yield from core.statements_in(phase.body)
    for effect in program.effects.values():
        yield from core.statements_in(effect.body)
        for rule in (*effect.instead, *effect.when):
            yield from core.statements_in(rule.body)


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
                for body in (effect.body, *(rule.body for rule in (*effect.instead, *effect.when))):
                    yield from reached(body, called, effect.name)

    found: dict[int, tuple[str | None, tuple[str, ...]]] = {}
    for phase in all_phases(program):
        for site, by in dict.fromkeys(reached(phase.body, set(), None)):
            _, phases = found.get(site, (by, ()))
            found[site] = (by, (*phases, phase.id))
    return found


STEP_LIMIT = 1_000_000  # steps between two decisions: passes of the loops and phases that count
SHORT = 100  # passes, with those of the loops inside, that need no counting


def counted_loops(program: core.Program) -> frozenset[Span]:
    """Where the loops stand whose passes count towards the limit of steps: all but those that are known to be short.
    A loop over a list counts its passes when it begins, one with a condition as it goes."""
    known: dict[str, int] = {}
    loops = (stmt for stmt in all_statements(program) if isinstance(stmt, core.ForEach | core.Repeat))
    return frozenset(loop.span for loop in loops if _passes((loop,), program, known) > SHORT)


def may_run_away(program: core.Program) -> bool:
    """Whether the limit of steps could be reached at all."""
    passes = prod(phase.bound + 1 for phase in all_phases(program) if phase.repeat is not None)
    return passes > STEP_LIMIT or bool(counted_loops(program))


def _passes(block: tuple[core.Stmt, ...], program: core.Program, known: dict[str, int]) -> int:
    """The most passes of loops in a block and the effects that it calls. ``known``: effects looked at before."""
    total = 0
    for stmt in block:
        inner = sum(_passes(body, program, known) for body in core.blocks_of(stmt))
        if isinstance(stmt, core.ForEach | core.Repeat):
            total += _most_passes(stmt, program) * (1 + inner)
            continue
        if isinstance(stmt, core.CallEffect):
            if stmt.effect not in known:
                effect = program.effects[stmt.effect]
                bodies = (effect.body, *(rule.body for rule in (*effect.instead, *effect.when)))
                known[stmt.effect] = sum(_passes(body, program, known) for body in bodies)
            inner = known[stmt.effect]
        total += inner
    return total


def _most_passes(loop: core.ForEach | core.Repeat, program: core.Program) -> int:
    if isinstance(loop, core.ForEach):
        return _length(loop.source, program)
    limit = loop.times if loop.times is not None else loop.bound
    return max(limit.value, 0) if isinstance(limit, core.Const) and isinstance(limit.value, int) else SHORT + 1


def _length(source: core.Expr, program: core.Program) -> int:
    """The most items that a list can have; beyond SHORT: unknown."""
    if isinstance(source, core.Const):
        return len(source.value) if isinstance(source.value, tuple) else SHORT + 1
    if isinstance(source, core.Players):
        return program.max_players
    if isinstance(source, core.ListLit):
        return len(source.items)
    if isinstance(source, core.PoolKinds):
        return len(program.pools[source.zone].kinds)
    if isinstance(source, core.ReadZone):
        return len(program.entities)
    if isinstance(source, core.Filter | core.MapList | core.Extreme | core.Distinct):
        return _length(source.source, program)
    if isinstance(source, core.CallBuiltin):
        if source.name in ("clockwise_from", "anticlockwise_from"):
            return program.max_players
        if source.name in ("reverse", "take", "drop", "unique"):
            return _length(source.args[0], program)
    if isinstance(source, core.CallQuery):
        query = program.queries[source.query]
        return max(_length(value, program) for value in (query.value, *(m.value for m in query.modifiers)))
    if isinstance(source, core.IfExpr):
        return max(_length(source.then, program), _length(source.otherwise, program))
    if isinstance(source, core.Binary):
        return _length(source.left, program) + (_length(source.right, program) if source.op in ("union", "join") else 0)
    if isinstance(source, core.Range):
        low, high = source.low, source.high
        if isinstance(low, core.Const) and isinstance(high, core.Const):
            assert isinstance(low.value, int)
            assert isinstance(high.value, int)
            return max(high.value - low.value + 1, 0)
    return SHORT + 1
