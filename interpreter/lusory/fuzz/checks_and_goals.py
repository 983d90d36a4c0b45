"""Check a position for broken invariants, nearly exhausted budgets and dead ends; define the goals of a campaign."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from lusory_dsl import core
from lusory_dsl.source.source import Span, count_noun

from ..game import Game
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.state import State
from ..testing.coverage import CardUses, CoverageRecorder, ExecutionTrace, list_option_facts
from ..testing.coverage_items import KINDS, list_items, quote_span
from ..testing.program_traversal_and_node_replacement import list_used_routines, walk

FAULT, INVARIANT, ENDLESS, LEAK, ENGINES, BUDGET = "fault", "invariant", "endless", "leak", "engines", "budget"
PROBLEM_KINDS = {
    FAULT: "the rules raise a fault",
    INVARIANT: "an invariant is broken",
    ENDLESS: "the game can't end any more",
    LEAK: "a seat's options reveal what it can't see",
    ENGINES: "the engines disagree",
    BUDGET: "more than half of a budget is spent",
}
"""The kinds of problems, each with its heading in reports."""

BUDGET_SHARE = 0.5  # share of a budget from which on it is a problem
LONG_PLAYOUT = 5_000  # decisions of each playout that looks for an end
MAX_POSITIONS = 400  # positions that the exhaustive search for an end visits
EXHAUSTIVE = "only"  # the first word of a dead end's message when every position was visited
MARSHAL_VERSION = 2  # the last version that writes equal values alike, whether or not they share objects


@dataclass(frozen=True)
class Problem:
    """Problem that a check found.

    ``place`` is the phase, effect, invariant or budget, or for a leak ``str(span)``. ``span`` is the place in the
    ruleset, if it is known.
    """

    kind: str
    place: str
    message: str
    span: Span | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """(kind, place, message), which is equal for problems that differ only in their numbers.

        The message has ``#`` for each number, and for the text from its first to its last bracket. It is "" for a dead
        end or a leak.
        """
        text = "" if self.kind in (ENDLESS, LEAK) else re.sub(r"\(.*\)|\d[\d,.]*", "#", self.message)
        return self.kind, self.place, text


def make_fault_problem(fault: RulesetFault) -> Problem:
    """Return a fault of the rules as a problem of the kind FAULT, at its trail: ``turn > draw``."""
    return Problem(FAULT, " > ".join(fault.trail), fault.message, fault.span)


def check_position(game: Game, previous: State | None, state: State) -> Problem | None:
    """Return the first problem of a position, or None: a broken invariant, or a budget of which too much is spent.

    Broken laws come before other invariants. The budgets are for the step from ``previous``, or from the start if it is
    None, then for the whole game, and for the number of options (0 at the end). Too much is more than the share
    ``BUDGET_SHARE`` (0.5). The problem is of the kind INVARIANT with the invariant's id as ``place``, or BUDGET with
    ``decision``, ``game`` or ``options``. Raises RulesetFault if the rules fail in an invariant.
    """
    violation = next(iter(game.broken_invariants(state)), None)
    if violation is not None:
        span = violation.invariant.condition.span
        return Problem(INVARIANT, violation.id, f"the invariant {violation.message}", span)
    limits, work = game.setting.limits, game.layout.work
    step_work = state.cells[work] - (0 if previous is None else previous.cells[work])
    decision = game.decision(state)
    for name, cost, limit in (
        ("decision", step_work, limits.decision),
        ("game", state.cells[work], limits.game),
        ("options", 0 if decision is None else len(decision.options), limits.options),
    ):
        if cost > limit * BUDGET_SHARE:
            return Problem(BUDGET, name, f"more than half of the budget `{name}` is spent: {cost:,} of {limit:,}")
    return None


def check_dead_end(game: Game, state: State, playout_length: int) -> Problem | None:
    """Return a problem of the kind ENDLESS if no end seems reachable, else None. ``place`` is the id of the running
    phase, or "" outside phases.

    If the game is over, the result is None, too. The positions that can follow are visited, breadth first, up to
    MAX_POSITIONS with this one. An end among them gives None. If there are fewer and none is an end, this proves a dead
    end: ``only 3 positions can follow, and none is an end``, this one included. Otherwise the result is None
    if ``playout_length`` is 0. If it is not, three playouts of ``playout_length`` decisions look for an end, with the
    first, the last and random options. If one gets to an end, the result is None. A RulesetFault of the search or a
    playout gives None, too. Otherwise, ``message`` is
    ``no end within 5,000 more decisions, whether by first, last or random options``.
    """
    if game.decision(state) is None:
        return None
    phase = game.view(state, None).phase or ""
    try:
        count = 1
        for successor in _iterate_reachable(game, state):
            count += 1
            if game.decision(successor) is None:
                return None
        if count < MAX_POSITIONS:
            return Problem(
                ENDLESS, phase, f"{EXHAUSTIVE} {count_noun(count, 'position')} can follow, and none is an end"
            )
        if not playout_length or any(_can_playout_end(game, state, playout_length, strategy) for strategy in range(3)):
            return None
    except RulesetFault:
        return None  # random play reports the fault when it gets there
    message = f"no end within {playout_length:,} more decisions, whether by first, last or random options"
    return Problem(ENDLESS, phase, message)


def _can_playout_end(game: Game, state: State, length: int, strategy: int) -> bool:
    """Return whether the game ends within ``length`` decisions.

    They are the first options (strategy 0), the last (1) or random ones (2).
    """
    rng = Random(strategy)
    for _ in range(length):
        decision = game.decision(state)
        if decision is None:
            return True
        options = decision.options
        state = game.apply(state, (options[0], options[-1], rng.choice(options))[strategy].index)
    return game.decision(state) is None


def _iterate_reachable(game: Game, state: State) -> Iterator[State]:
    """Yield the other distinct positions that can follow, breadth first, but fewer than MAX_POSITIONS."""
    visited_keys, queue = {_make_position_key(game, state)}, [state]
    for position in queue:
        decision = game.decision(position)
        for option in () if decision is None else decision.options:
            successor = game.apply(position, option.index)
            key = _make_position_key(game, successor)
            if key not in visited_keys:
                visited_keys.add(key)
                if len(visited_keys) > MAX_POSITIONS:
                    return
                queue.append(successor)
                yield successor


def _make_position_key(game: Game, state: State) -> object:
    """Return a key of a position without the work so far and the repetitions of phases, which no rule can read."""
    cells, layout = list(state.cells), game.layout
    for cell in (layout.work, *layout.repeats.values()):
        cells[cell] = 0
    return marshal.dumps((cells, state.zones, state.frame), MARSHAL_VERSION)


ENDINGS = "endings"
GOALS = {**KINDS, ENDINGS: "reached"}
"""The kinds of goals in the order of reports, each with what it means to reach one."""


class Goals:
    """The goals of a program, numbered. Processes share the numbers; nodes are compared by identity."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        nodes = {id(node): node for routine, _ in list_used_routines(program) for node, _ in walk(routine)}
        self.items = list_items(program)
        for item in self.items:
            # statements that end the game have a kind of their own
            if any(isinstance(nodes.get(node), core.EndGame) for kind, node in item.probes if kind == "ran"):
                item.kind, item.gap = ENDINGS, f"{quote_span(item.span)} never ends a game"
        self._by_probe: dict[Any, list[int]] = {}
        for number, item in enumerate(self.items):
            for probe in item.probes:
                self._by_probe.setdefault(probe, []).append(number)

    def _list_reached_goals(self, trace: ExecutionTrace) -> Iterator[int]:
        """Yield the indexes in ``items`` of the goals that were exercised, in any order. An index can repeat."""
        for kind, ids in trace.nodes.items():
            for node in ids:
                yield from self._by_probe.get((kind, node), ())
        for fact in trace.facts:
            yield from self._by_probe.get(fact, ())

    def list_goals_reached_by_options(self, game: Game) -> set[int]:
        """Return the indexes in ``items`` of the goals that the options of a game reach."""
        return {number for fact in list_option_facts(game.setting) for number in self._by_probe.get(fact, ())}


class GoalCoverage(CoverageRecorder):
    """The observer of a game that records which goals each step reaches."""

    def __init__(self, goals: Goals) -> None:
        super().__init__(CardUses(goals.program))
        self.goals = goals

    def take(self) -> set[int]:
        """Return the indexes in ``goals.items`` of the goals reached since the last call.

        Empties the sets in ``trace.nodes`` and ``trace.facts``, but keeps the counts of ``trace``. A goal that is
        reached again later is returned again. The values of a game's options, such as ``size: 3``, reach their goals
        only once, when the game is first observed.
        """
        goal_indices = set(self.goals._list_reached_goals(self.trace))
        self.trace.clear()
        return goal_indices
