"""Play one random game on all engines in step, and replay a game to check whether a problem persists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from random import Random
from typing import Any

from lusory_dsl.core import Program

from ..belief.hidden_information_and_event_subjects import has_perfect_information
from ..game import EVALUATOR, Game
from ..native import NativeFailure, NativeSteps, NoNative
from ..state.decisions_outcomes_and_faults import Decision, Option, RulesetFault
from ..state.state import CodeStore, State
from ..state.static_work_charges_and_list_bounds import Limits
from ..support.cache import Cache
from ..testing.cases.single_case_runner import MemoryCodeStore
from ..testing.engine_comparison import Difference, Side, compare_native_position, compare_sides
from .checks_and_goals import (
    ENDLESS,
    ENGINES,
    EXHAUSTIVE,
    LONG_PLAYOUT,
    GoalCoverage,
    Goals,
    Problem,
    check_dead_end,
    check_position,
    make_fault_problem,
)
from .game_scripts_and_shrinking import Answer, Script, Variant, create_answer, find_next_option
from .leak_check_of_questions import Leak, find_leak

UNIFORM = 0.35  # chance that a seat chooses uniformly, whatever the other strategies are
STRATEGY_CHANGE = 0.06  # chance at each decision that the seat draws a new strategy
VIEW_INTERVAL = 16  # decisions between two views of all seats, which count for coverage, too
CACHED_VARIANTS = 24
MAX_REPLAYED = 4 * LONG_PLAYOUT  # decisions of a replay


@dataclass(frozen=True)
class Plan:
    """Game to play: first the script, then random decisions, at most ``decision_limit`` in all.

    If ``has_playouts`` is true and the limit is reached, long playouts look for an end. ``checks_leaks`` adds the leak
    check.
    """

    number: int
    script: Script
    decision_limit: int
    has_playouts: bool = False
    checks_leaks: bool = False


@dataclass
class GameResult:
    """Result of a random game.

    ``goal_steps`` maps each goal reached to the number of decisions up to it. ``reason`` is why the game ended.
    """

    script: Script
    goal_steps: dict[int, int] = field(default_factory=dict)
    problem: Problem | None = None
    answers: list[Answer] = field(default_factory=list)
    reason: str | None = None
    is_over: bool = False
    work: int = 0
    leak: Leak | None = None

    def replay_script(self) -> Script:
        """Return the script of the game as it was played: the variant and seed of ``script``, and all ``answers``."""
        return Script(self.script.variant, self.script.seed, tuple(self.answers))


STRATEGIES = ("uniformly", "rarest answer", "first option", "last option")


class _RandomSeats:
    """Chooser of the options of all seats. Each seat has a strategy, and sometimes draws another one.

    ``counts`` says how often each answer was given in earlier games.
    """

    def __init__(self, rng: Random, counts: Mapping[Answer, int], player_count: int) -> None:
        self.rng, self.counts = rng, counts
        self.strategies = [self._draw() for _ in range(player_count)]

    def _draw(self) -> str:
        return STRATEGIES[0] if self.rng.random() < UNIFORM else self.rng.choice(STRATEGIES)

    def choose(self, decision: Decision) -> Option:
        """Return the option that the deciding seat takes, by its entry in ``strategies``.

        With the chance ``STRATEGY_CHANGE`` (0.06), this entry is first drawn anew, and can stay the same.
        ``rarest answer`` draws one of the options whose :func:`create_answer`, such as ``(site, 0, (3,))``, has the
        lowest number in ``counts``; an answer that is missing has 0. ``uniformly`` draws an option, and
        ``first option`` and ``last option`` take these. ``counts`` doesn't change.
        """
        rng, options = self.rng, decision.options
        if rng.random() < STRATEGY_CHANGE:
            self.strategies[decision.seat] = self._draw()
        match self.strategies[decision.seat]:
            case "uniformly":
                return rng.choice(options)
            case "rarest answer":
                return min(options, key=lambda item: (self.counts.get(create_answer(decision, item), 0), rng.random()))
            case "first option":
                return options[0]
            case _:
                return options[-1]


@dataclass
class Engines:
    """One variant on the compiled engine, on the evaluator with its coverage, and in native code if it was built."""

    compiled_game: Game
    evaluator: Game
    coverage: GoalCoverage
    native: NativeSteps | None


@dataclass
class GameRunner:
    """Player of games of one program. ``answer_counts`` counts how often earlier rounds gave each answer."""

    program: Program
    limits: Limits
    store: CodeStore | None = None
    answer_counts: Mapping[Answer, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._engines: dict[Variant, Engines] = {}
        self._code_store = MemoryCodeStore() if self.store is None else self.store

    def __reduce__(self) -> tuple[Any, ...]:
        return GameRunner, (self.program, self.limits, self.store, dict(self.answer_counts))

    @cached_property
    def goals(self) -> Goals:
        """The goals of the program."""
        return Goals(self.program)

    @cached_property
    def _may_leak(self) -> bool:
        """True if the game has both chance and hidden information."""
        game = Game(self.program, None, {}, EVALUATOR)
        return bool(game.layout.streams) and not has_perfect_information(game)

    def get_engines(self, variant: Variant) -> Engines:
        """Return the engines of a variant. ``coverage`` counts what ``evaluator`` reaches, and ``native`` can be None.

        Native code is loaded only if ``store`` is a :class:`Cache` that has it, and never built. At most
        CACHED_VARIANTS are kept, so two calls in a row return the same.
        """
        if variant not in self._engines:
            if len(self._engines) == CACHED_VARIANTS:
                self._engines.clear()
            coverage, players, options = GoalCoverage(self.goals), variant.players, variant.option_values
            compiled_game = Game(self.program, players, options, store=self._code_store, limits=self.limits)
            evaluator = Game(self.program, players, options, EVALUATOR, observer=coverage, limits=self.limits)
            self._engines[variant] = Engines(compiled_game, evaluator, coverage, self._start_native(compiled_game))
        return self._engines[variant]

    def make_evaluator(self, variant: Variant) -> Game:
        """Return a game of a variant on the evaluator, without coverage."""
        return Game(self.program, variant.players, variant.option_values, EVALUATOR, limits=self.limits)

    def _start_native(self, game: Game) -> NativeSteps | None:
        if not isinstance(self.store, Cache):
            return None
        try:
            return NativeSteps(game, self.store, build=False)
        except NoNative:
            return None

    def play(self, plan: Plan) -> GameResult:
        """Play one game, and check every position of it. ``problem`` of the result is the first problem, or None.

        The answers of the plan's script come first, except those that don't fit, and then random ones. ``answers`` of
        the result has all that were given. Problems are faults of the rules, which are not raised, differences between
        engines, and findings of :func:`check_position`. At ``decision_limit``, findings of :func:`check_dead_end` are
        problems, too. Without a problem, ``leak`` is a leak of hidden information, or None. It is only searched for if
        the plan ``checks_leaks``, in a game with chance and hidden information. ``goal_steps`` maps the index of each
        goal reached to the number of decisions up to it: 1 if the first decision reaches it, and 0 if the setup or the
        variant's options do.
        """
        script = plan.script
        engines = self.get_engines(script.variant)
        result = _GameInStep(self, engines, plan, Random(f"{script.seed} {plan.number}")).run()
        if plan.checks_leaks and result.problem is None and self._may_leak:
            result.leak = find_leak(self.make_evaluator(script.variant), script.variant, result.answers, script.seed)
        result.goal_steps.update(dict.fromkeys(self.goals.list_goals_reached_by_options(engines.compiled_game), 0))
        return result

    def reproduce(self, script: Script, problem: Problem) -> tuple[Script, Problem] | None:
        """Replay a script, skipping answers that don't fit.

        Returns the part of it that leads to a problem with the same key, and that problem. The result is None if there
        is no problem, or if the first one is another.
        """
        if problem.kind == ENGINES:
            plan = Plan(0, script, len(script.answers))
            result = _GameInStep(self, self.get_engines(script.variant), plan, Random(0)).run()
            problem_found, replayed_script = result.problem, result.replay_script()
        else:
            problem_found, replayed_script = self._replay(script, problem)
        return None if problem_found is None or problem_found.key != problem.key else (replayed_script, problem_found)

    def _replay(self, script: Script, problem: Problem) -> tuple[Problem | None, Script]:
        """Replay a script on the compiled engine. Returns the first problem or None, and a script of the replay.

        That has the answers up to the problem, without those that don't fit. At most MAX_REPLAYED decisions are made.
        The only dead end that it looks for is that of an endless ``problem``. A fault of the rules is a problem.
        """
        game = self.get_engines(script.variant).compiled_game
        remaining, answers = list(reversed(script.answers)), list[Answer]()
        previous, problem_found, decisions = None, None, 0
        try:
            state = game.start(script.seed)
            while (problem_found := check_position(game, previous, state)) is None and decisions < MAX_REPLAYED:
                decision = game.decision(state)
                option = None if decision is None else find_next_option(decision, remaining)
                if decision is None:
                    game.outcome(state)  # a fault of the scoring is a problem, too
                if decision is None or (option is None and not script.takes_first):
                    break
                if option is not None:
                    answers.append(create_answer(decision, option))
                decisions += 1
                previous, state = state, game.apply(state, (option or decision.options[0]).index)
            if problem_found is None and problem.kind == ENDLESS:
                problem_found = check_dead_end(
                    game, state, 0 if problem.message.startswith(EXHAUSTIVE) else LONG_PLAYOUT
                )
        except RulesetFault as fault:
            problem_found = make_fault_problem(fault)
        takes_first = script.takes_first and len(answers) < decisions
        return problem_found, Script(script.variant, script.seed, tuple(answers), takes_first)


class _GameInStep:
    """One game on all engines, which are compared after each decision."""

    def __init__(self, runner: GameRunner, engines: Engines, plan: Plan, rng: Random) -> None:
        self.engines, self.plan = engines, plan
        self.result = GameResult(plan.script)
        self.seats = _RandomSeats(rng, runner.answer_counts, engines.compiled_game.players)
        self.decisions_left = list(reversed(plan.script.answers))
        self.evaluator, self.compiled = Side(engines.evaluator), Side(engines.compiled_game)
        self.previous_state: State | None = None
        self.native_state: bytes | None = b""  # None once native code doesn't play the game any more

    def run(self) -> GameResult:
        """Play until the game ends, a problem is found or ``decision_limit`` is reached, and return the result.

        Each decision takes the next answer of the script that fits. It drops those before, even if they would fit
        later. If none is left, the answer is random. ``answers`` of the result has all that were given. ``problem`` is
        the first problem, or None. ``is_over`` is true if the game ended without a problem. Faults of the rules, which
        are not raised, and differences between engines are problems. So are findings of :func:`check_position`, and at
        the limit those of :func:`check_dead_end`.
        """
        # discard what an earlier game reached
        self.engines.coverage.take()
        try:
            self.result.problem = self._play()
        except RulesetFault as fault:  # of an invariant or of the scoring
            self.result.problem = make_fault_problem(fault)
        cells = self.compiled.state.cells
        self.result.work = cells[self.compiled.game.layout.work] if cells else 0
        return self.result

    def _play(self) -> Problem | None:
        """Play as :meth:`run` does and return the first problem, or None. Raises RulesetFault outside of steps."""
        seed, game, result = self.plan.script.seed, self.compiled.game, self.result
        problem = self._step(lambda side: side.game.start(seed))
        if isinstance(seed, int):
            problem = problem or self._step_native(lambda steps: steps.start(seed))
        else:
            self.native_state = None  # native code can't replay a secure seed
        while problem is None:
            problem = check_position(game, self.previous_state, self.compiled.state)
            decision = self.compiled.decision
            if problem is not None:
                break
            if decision is None:
                outcome = game.outcome(self.compiled.state)
                result.is_over, result.reason = True, outcome and outcome.reason
                break
            if len(result.answers) >= self.plan.decision_limit:
                problem = check_dead_end(game, self.compiled.state, LONG_PLAYOUT if self.plan.has_playouts else 0)
                break
            problem = self._decide(decision)
        return problem

    def _decide(self, decision: Decision) -> Problem | None:
        """Make one decision on all engines."""
        option = find_next_option(decision, self.decisions_left) or self.seats.choose(decision)
        index, native_state = option.index, self.native_state
        self.result.answers.append(create_answer(decision, option))
        self.previous_state = self.compiled.state
        problem = self._step(lambda side: side.game.apply(side.state, index))
        return problem or self._step_native(lambda steps: steps.apply(native_state or b"", index))

    def _step(self, step: Callable[[Side], State]) -> Problem | None:
        """Take the same step on the evaluator and the compiled engine.

        Returns the difference between them, or the fault that both have, or None.
        """
        for side in (self.evaluator, self.compiled):
            side.take(partial(step, side))
        difference = compare_sides(self.evaluator, self.compiled, has_texts=False)
        if difference is not None:
            return _make_engine_problem(difference)
        if self.evaluator.fault is not None:
            return make_fault_problem(self.evaluator.fault)
        # views and outcomes count for coverage, too
        evaluator, state, decisions = self.evaluator.game, self.evaluator.state, len(self.result.answers)
        if decisions % VIEW_INTERVAL == 0 or not state.frame:
            for seat in range(evaluator.players):
                evaluator.view(state, seat)
            evaluator.outcome(state)
        for goal in self.engines.coverage.take():
            self.result.goal_steps.setdefault(goal, decisions)
        return None

    def _step_native(self, step: Callable[[NativeSteps], bytes]) -> Problem | None:
        """Take the same step in native code, and return a difference from the compiled engine, or None.

        If native code fails, it does not play the rest of the game.
        """
        steps = self.engines.native
        if steps is None or self.native_state is None:
            return None
        try:
            self.native_state = step(steps)
        except NativeFailure:
            self.native_state = None
            return None
        difference = compare_native_position(self.compiled.game, steps, self.compiled.state, self.native_state)
        return None if difference is None else _make_engine_problem(difference, "native code: ")


def _make_engine_problem(difference: Difference, prefix: str = "") -> Problem:
    """Return a difference between engines as a problem. Its place begins with ``prefix``."""
    subject, values = difference
    return Problem(ENGINES, f"{prefix}{subject}", f"{subject}: {values[0]} and {values[1]}")
