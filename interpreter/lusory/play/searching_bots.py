"""Play with search: the strength settings of bots, their budgets, and the choice among evaluated options.

:mod:`lusory.play.bot_kinds_python_players_and_recordings` makes a bot from its name.

A budget is a number of simulations. A budget in seconds is converted to simulations by measuring the bot's speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt
from time import perf_counter

from ..game import Game
from ..search.default_simulation_budget import estimate_budget
from ..search.likely_continuation import PrincipalVariation, sample_principal_variation
from ..search.option_evaluation import (
    AUTO,
    DEFAULT_COMPARED_OPTIONS,
    FLAT_MONTE_CARLO,
    PYTHON_BACKEND,
    SIMULATIONS_PER_DETERMINIZATION,
    ComparedOption,
    OptionEvaluation,
    SearchBackend,
    compare_best_options,
    evaluate_options,
)
from ..search.position_evaluation_and_ruleset_hints import SearchHints, read_hints
from ..search.simulation import pick_weighted
from ..state.random_streams import INCREMENT, MASK, MULTIPLIER, draw, mix_bits
from .player_interface_scripted_and_random_players import DecisionTable, TablePlayer

TRIAL_SIMULATIONS = 64
"""Number of simulations that measure the speed of a bot with a budget in seconds, before its first decision."""

MAX_SIMULATIONS = 1_000_000
"""Maximum number of simulations of one decision."""

EASY_SIMULATIONS = 5
"""Simulations of the weakest bot: typically two or three playouts for each of two options."""

OVERSAMPLING = 3
"""Number of determinizations from which a likely continuation is sampled; with chance, repetitions of the only one."""

CALIBRATION_BASE = 1000
"""Scale of the integer weights with which a bot picks among options within its margin."""


@dataclass(frozen=True)
class SearchPlan:
    """Strength settings of a bot.

    - ``algorithm``: one of :data:`lusory.search.option_evaluation.ALGORITHMS`.
    - ``simulations`` or ``seconds``: the budget of a decision. Without either, the game's default applies.
    - ``is_midway``: use the geometric mean of the game's default and :data:`EASY_SIMULATIONS`.
    - ``horizon``: the number of decisions after which a position is evaluated. None means the game's own.
    - ``margin``: the distance to the best value, from 0 to 1, within which a worse option may be taken. Worse options
      are less likely.
    - ``level``: the name under which a ruleset may set the number of simulations.
    """

    algorithm: str
    simulations: int | None = None
    seconds: float | None = None
    is_midway: bool = False
    horizon: int | None = None
    margin: float = 0.0
    level: str = ""


GREEDY_SIMULATIONS = 8
"""Determinizations in which the greedy bot evaluates each option."""


@dataclass(eq=False)
class SearchingBot(TablePlayer):
    """Player that searches before it decides.

    Its n-th decision depends only on ``chance`` (the seed of its own random stream), on n, on its observations and on
    the number of simulations. Therefore a game continues the same way after a save or an undo.

    ``evaluations`` holds the evaluations of the options of its latest decision, best first. It is empty if no
    determinization was found. ``simulations`` is their number of simulations. ``timed_simulations`` is the same
    number if the budget is in seconds, else None. ``backend`` runs the simulations, and ``clock`` returns seconds.
    """

    plan: SearchPlan
    chance: int
    name: str
    backend: SearchBackend = PYTHON_BACKEND
    clock: Callable[[], float] = perf_counter
    evaluations: list[OptionEvaluation] = field(default_factory=list)
    simulations: int = 0
    _rate: float = 0.0

    def choose(self, table: DecisionTable) -> int:
        """Search, and return the index of the best option, or of a random one at most ``plan.margin`` below it.

        :func:`choose_option` picks it, better ones more often. ``evaluations`` becomes a list with an
        :class:`OptionEvaluation` for each option that was simulated, best first: 5 simulations of 121 options give at
        most 5. ``simulations`` becomes the budget as a number of simulations. Without a determinization, all options
        are equally likely, ``evaluations`` is ``[]`` and ``simulations`` is 0. In both cases, with ``plan.seconds``,
        ``timed_simulations`` becomes the number of simulations that this time allowed. Each call counts as a decision,
        so that the next one draws other random numbers. :meth:`resume` sets that count.
        """
        stream = self._take_rng_state()
        start_time = self.clock()
        simulations = self._choose_simulations(table, stream)
        lines = self.evaluations = self._evaluate_options(table, simulations, stream)
        self.simulations = simulations if lines else 0
        if self.plan.seconds is not None:
            self.timed_simulations = simulations
            self._rate = simulations / max(self.clock() - start_time, 1e-6)
        if not lines:
            return draw(mix_bits(stream), len(table.decision.options))[1]
        return choose_option(lines, self.plan.margin, stream)

    def _take_rng_state(self) -> int:
        """Return the random state of the next decision, and count that decision."""
        self._decision_count += 1
        return mix_bits((self.chance + (self._decision_count - 1) * INCREMENT) & MASK)

    def compare_options(
        self, table: DecisionTable, best_count: int = DEFAULT_COMPARED_OPTIONS, other_options: Sequence[int] = ()
    ) -> list[ComparedOption]:
        """Compare the best ``best_count`` options and those in ``other_options`` by paired simulations.

        Returns one entry for each of them, by decreasing ``comparison.value``. Among equal values, the best of the
        search come first, and then ``other_options`` in their order. These are indices; each option counts once. The
        best are fewer than ``best_count`` if the search simulated fewer options. Returns [] if there is no
        determinization. There must be an option to compare. The comparison takes the random state of the next
        decision, as :meth:`choose` does. Call :meth:`resume` afterwards to give it back.
        """
        stream = self._take_rng_state()
        simulations = self._choose_simulations(table, stream)
        hints = complete_hints(table.game, self.plan.horizon)
        task = table.create_search(self.plan.algorithm, simulations, stream, hints)
        return compare_best_options(task, self.backend, best_count, other_options) if task.determinizations else []

    def predict_course(self, table: DecisionTable, index: int, depth: int) -> PrincipalVariation | None:
        """Return a likely continuation after the option at ``index``, as :func:`sample_principal_variation` predicts.

        ``labels`` has the labels of at most ``depth`` further decisions. With several players and perfect information,
        they name the seat: ``P2: draw``. With hidden information, they are those of the table's seat, such as ``draw``,
        up to the first decision of another seat. ``next_seat`` is the seat that decides after them, which after
        ``depth`` labels may be the same seat. It is None if the game ends, and UNKNOWN_SEAT if it is not clear who
        decides, or what that seat decides. ``end_reason`` is ``""`` unless the game ends for a reason. Returns None if
        there is no determinization.
        """
        stream = mix_bits((self.chance + self._decision_count * INCREMENT) & MASK)
        hints = complete_hints(table.game, self.plan.horizon)
        task = table.create_search(AUTO, OVERSAMPLING * SIMULATIONS_PER_DETERMINIZATION, stream, hints)
        if not task.determinizations:
            return None
        has_only_chance = table.has_perfect_information and bool(table.game.layout.streams)
        determinizations = [*task.determinizations] * (OVERSAMPLING if has_only_chance else 1)
        return sample_principal_variation(task._replace(determinizations=determinizations), index, depth, self.backend)

    def _evaluate_options(self, table: DecisionTable, simulations: int, stream: int) -> list[OptionEvaluation]:
        """Return the evaluations of the options, best first, or an empty list if there is no determinization.

        ``stream`` seeds the search.
        """
        hints = complete_hints(table.game, self.plan.horizon)
        task = table.create_search(self.plan.algorithm, simulations, stream, hints)
        return evaluate_options(task, self.backend) if task.determinizations else []

    def _choose_simulations(self, table: DecisionTable, stream: int) -> int:
        """Return the number of simulations for a decision.

        With a budget in seconds, the first call measures the speed of the bot by a search of TRIAL_SIMULATIONS.
        """
        plan = self.plan
        if plan.seconds is None:
            return choose_simulations(plan, table.game, len(table.decision.options))
        if not self._rate:
            start_time = self.clock()
            self._evaluate_options(table, TRIAL_SIMULATIONS, stream)
            self._rate = TRIAL_SIMULATIONS / max(self.clock() - start_time, 1e-6)
        return min(max(int(self._rate * plan.seconds), 2), MAX_SIMULATIONS)


def choose_simulations(plan: SearchPlan, game: Game, option_count: int) -> int:
    """Return the number of simulations of a plan without a clock, for a decision with that many options.

    The ruleset's number for the plan's ``level`` counts if there is one, and else the plan's ``simulations``, where 0
    means ``GREEDY_SIMULATIONS`` for each option. A plan with neither gets the number for strong play. That is the
    ruleset's number for ``strong``, or else that of :func:`estimate_budget`. Only for such a plan does ``is_midway``
    count: it then gets the geometric mean of this number and EASY_SIMULATIONS, rounded down.
    """
    levels = dict(game.program.advice.levels)
    if plan.level in levels:
        return levels[plan.level]
    if plan.simulations is not None:
        return plan.simulations or GREEDY_SIMULATIONS * option_count
    strong_budget = levels.get("strong") or estimate_budget(game).simulations
    return isqrt(EASY_SIMULATIONS * strong_budget) if plan.is_midway else strong_budget


def complete_hints(game: Game, horizon: int | None) -> SearchHints:
    """Return the ruleset's search hints with this horizon, or without one, with the horizon of the ruleset.

    If there is neither, the horizon is that of :func:`estimate_budget`, and None if that plays to the end.
    """
    ruleset_hints = read_hints(game)
    chosen_horizon = ruleset_hints.horizon if horizon is None else horizon
    return replace(ruleset_hints, horizon=estimate_budget(game).horizon if chosen_horizon is None else chosen_horizon)


def choose_option(evaluations: list[OptionEvaluation], margin: float, stream: int) -> int:
    """Return the ``option`` of the best evaluation, or of a random one at most ``margin`` below the best.

    ``evaluations`` holds at least one, best first; their ``normalized_value`` counts. The farther an option is from the
    best, the less likely it is. Options with a value above that of the first are ignored: they have too few simulations
    to be reliable. With the margin 0, all options with the best value are equally likely. ``stream`` seeds the choice.
    """
    best_value = evaluations[0].normalized_value
    close = [line for line in evaluations if best_value - margin <= line.normalized_value <= best_value]
    shares = [(line.normalized_value - best_value + margin) / margin if margin else 1.0 for line in close]
    cell = (mix_bits(stream) * MULTIPLIER + INCREMENT) & MASK
    return close[pick_weighted([1 + int(CALIBRATION_BASE * share * share) for share in shares], cell)].option


PLANS = {
    "bot": SearchPlan(AUTO),
    # evaluates the position directly after each option
    "greedy": SearchPlan(FLAT_MONTE_CARLO, simulations=0, horizon=0),
    "easy": SearchPlan(AUTO, simulations=EASY_SIMULATIONS, margin=0.25, level="easy"),
    "fair": SearchPlan(AUTO, is_midway=True, margin=0.08, level="fair"),
    "strong": SearchPlan(AUTO),
}
"""Plans of the kinds that need no argument."""
