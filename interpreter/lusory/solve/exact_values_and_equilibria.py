"""Solve a game: exact values of perfect-information games, or an equilibrium of a two-player zero-sum game.

In a perfect-information game, every position is evaluated once, by retrograde analysis. Each seat takes the option with
its best value; this is the minimax value in a two-player zero-sum game. Chance is averaged. The work counter and the
repetitions of phases, which no rule can read, do not distinguish positions.

Example: players take 1 to 3 of 5 pebbles in turn, and the player who takes the last one wins. Taking 1 has the values
(1, 0): 4 pebbles remain, which is lost for the other seat. Taking 2 or 3 has the values (0, 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from ..belief.hidden_information_and_event_subjects import has_perfect_information
from ..game import Game
from ..state.state import State
from .cfr import Equilibrium, Sampling
from .game_tree_exploitability_and_game_sources_for_cfr import (
    MAX_POSITIONS,
    EngineSource,
    InformationSet,
    NotSolved,
    OutOfTime,
    SampledChance,
    Step,
    Strategy,
    TooLarge,
    Tree,
    TreeSource,
    ZeroSum,
    check_time,
    compute_own_reach,
    describe_events,
    iterate_outcomes,
)

Values = tuple[float, ...]
OPEN: Values = ()
"""Marks a position whose value is being computed."""


class Best(NamedTuple):
    """Option of a decision, by its id, and the value of each seat after it."""

    option: str
    values: Values


class _PositionSearch:
    """Values of all positions of a perfect-information game.

    Attributes:
        first_options: The options of the first decision with their values, in order; empty if there is none. If chance
            precedes the decision, they belong to its first outcome.
        seat: The seat that takes the first decision, or None.
        values: The expected value of each seat at the start.
        value_cache: The values at each decision, by position.

    A seat takes the first of equal options. Raise TooLarge beyond ``max_positions`` positions, and OutOfTime at the
    time ``deadline`` of ``time.monotonic``. Raise NotSolved for a position that can be repeated: its value would depend
    on itself.
    """

    def __init__(self, game: Game, max_positions: int, deadline: float | None = None) -> None:
        self.game, self.max_positions, self.deadline = game, max_positions, deadline
        self.value_cache: dict[Any, Values] = {}
        self._ignored_cells = (*game.layout.repeats.values(), *game.layout.streams.values(), game.layout.work)
        self.first_options: list[Best] = []
        self.seat: int | None = None
        self.values = self._evaluate_step(lambda log, chance: game.start(0, log, chance), is_first=True)

    def _evaluate_step(self, step: Step, is_first: bool = False) -> Values:
        """Return the expected values after a step."""
        total = [0.0] * self.game.players
        for share, state, _ in iterate_outcomes(step):
            values = self._evaluate_position(state, is_first)
            total = [total_value + share * value for total_value, value in zip(total, values, strict=True)]
        return tuple(total)

    def _evaluate_position(self, state: State, is_first: bool) -> Values:
        """Return the value of each seat in a position, from the cache if it is known.

        With ``is_first``, record the options of the first decision.
        """
        game = self.game
        decision = game.decision(state)
        if decision is None:
            outcome = game.outcome(state)
            assert outcome is not None
            return tuple(map(float, outcome.payoffs))
        cells = state.cells[:]
        for cell in self._ignored_cells:
            cells[cell] = 0
        key = tuple(cells), tuple(map(tuple, state.zones))
        cached_values = self.value_cache.get(key)
        if cached_values is OPEN:
            raise NotSolved("a position can come again")
        if cached_values is not None:
            return cached_values
        check_time(self.deadline)
        if len(self.value_cache) >= self.max_positions:
            raise TooLarge(f"more than {self.max_positions:,} positions")
        self.value_cache[key] = OPEN
        options = [
            self._evaluate_step(lambda log, chance, number=number: game.apply(state, number, log, chance))  # type: ignore[misc]
            for number in range(len(decision.options))
        ]
        if is_first and not self.first_options:
            self.seat = decision.seat
            self.first_options = list(map(Best, game.option_ids(state, decision), options))
        best = max(options, key=lambda values: values[decision.seat])
        self.value_cache[key] = best
        return best


JSON_VERSION = 1
POSITIONS, CFR, SAMPLING = "positions", "cfr", "mccfr"
METHODS = {
    POSITIONS: "a search of every position",
    CFR: "an equilibrium, by CFR over the whole game tree",
    SAMPLING: "an approximate equilibrium, by CFR over sampled games",
}
"""Methods and their descriptions."""

TARGET_EXPLOITABILITY = 0.001
MAX_ITERATIONS = 20_000
MAX_SAMPLES = 10_000_000
CHECK_RATIO = 1.25  # ratio of iterations between two computations of the exploitability
TREE_TIME_SHARE = 0.5  # share of the time limit for the tree, if games can be sampled without one


@dataclass
class Solver:
    """Solution of a game.

    ``method`` is one of METHODS; None chooses automatically. ``target`` is the exploitability at which it stops.
    ``passes`` limits the iterations (None: a default for each method), ``seconds`` the time, and ``max_positions`` the
    positions. The other fields are results; they are valid whenever :meth:`run` is interrupted. ``exploitability`` is
    None if it is not known, and ``unknown`` says why. ``whole`` is None if the tree is too large. ``first_options``,
    ``seat`` and ``values`` are those of :class:`_PositionSearch`, and empty or None for the other methods.
    """

    game: Game
    method: str | None = None
    target: float = TARGET_EXPLOITABILITY
    passes: int | None = None
    seconds: float | None = None
    max_positions: int = MAX_POSITIONS
    seed: int = 0
    iterations: int = 0
    exploitability: float | None = None
    unknown: str = "no position was searched yet"
    whole: ZeroSum | None = None
    first_options: list[Best] = field(default_factory=list)
    seat: int | None = None
    values: tuple[float, ...] | None = None
    positions: int = 0

    def __post_init__(self) -> None:
        self.work: Equilibrium | Sampling | None = None

    def run(self, progress: Callable[[int, float | None], None] | None = None) -> None:
        """Solve the game, and store the results in the fields. ``method`` becomes the one used.

        Without a method, games of perfect information are searched by position (``positions``), and others by CFR on
        the tree (``cfr``). If that tree is too large, or takes half of the time, games are sampled instead (``mccfr``),
        unless ``cfr`` was given. ``positions`` has no tree and no iterations, and no other method replaces it.
        ``mccfr`` builds the tree, too, if it can. With a tree, the exploitability is computed after the
        iterations 8, 11, 14, 18 … and the last. Iterations end if it is at most ``target``, after ``passes`` (0 is like
        None), or when the time is over. After each, except one that reaches the target, ``progress`` receives their
        number and the last computed exploitability, which is None if none is computed yet. Raise NotSolved if the game
        is too large, or the time too short for one iteration or for the search. ``positions`` also raises it for a
        repeated position or hidden information, and the others for anything but a constant-sum game of two players.
        """
        deadline = None if self.seconds is None else monotonic() + self.seconds
        method = self.method or (POSITIONS if has_perfect_information(self.game) else CFR)
        try:
            if method == POSITIONS:
                if not has_perfect_information(self.game):
                    raise NotSolved("it has hidden information")
                self.method, search = method, _PositionSearch(self.game, self.max_positions, deadline)
                self.first_options, self.seat, self.values = search.first_options, search.seat, search.values
                self.positions, self.exploitability = len(search.value_cache), 0.0
                return
            if self.game.players != 2:
                raise NotSolved(f"it has {self.game.players} players, not 2")
            self.whole = self._build_tree(deadline)
            self.method = method if self.whole is not None else SAMPLING
            self.work = self._start_work(deadline)
            self._improve(deadline, progress or (lambda iterations, gap: None))
        except TooLarge as problem:
            raise NotSolved(f"it is too large: {problem}") from None

    def _build_tree(self, deadline: float | None) -> ZeroSum | None:
        """Build the tree. If it is too large or slow, returns None, or raises TooLarge if the method is ``cfr``."""
        if self.method != CFR and deadline is not None and self.seconds is not None:
            deadline -= self.seconds * (1 - TREE_TIME_SHARE)
        try:
            return ZeroSum(Tree(self.game, self.max_positions, deadline))
        except TooLarge as problem:
            if self.method == CFR:
                raise
            is_slow = isinstance(problem, OutOfTime)
            self.unknown = "its game tree takes too long" if is_slow else f"its game tree is too large: {problem}"
            return None

    def _start_work(self, deadline: float | None) -> Equilibrium | Sampling:
        rng = Random(f"solve {self.seed}")
        if self.whole is None:
            return Sampling(EngineSource(self.game, self.max_positions, SampledChance(rng), deadline), rng)
        return Sampling(TreeSource(self.whole), rng) if self.method == SAMPLING else Equilibrium(self.whole)

    def _improve(self, deadline: float | None, progress: Callable[[int, float | None], None]) -> None:
        """Run iterations until the limit, the target or the time is reached, and store the results.

        The exploitability is computed after 8 iterations, and then each time that their number has grown by a quarter.
        """
        work = self.work
        assert work is not None
        passes = self.passes or (MAX_ITERATIONS if isinstance(work, Equilibrium) else MAX_SAMPLES)
        next_check = 8
        while work.iterations < passes:
            try:
                work.improve()
            except OutOfTime:
                if not work.iterations:
                    raise
                return
            self.iterations = work.iterations
            is_over = deadline is not None and monotonic() >= deadline
            if self.whole is not None and (work.iterations >= next_check or is_over or work.iterations == passes):
                next_check = int(next_check * CHECK_RATIO) + 1
                self.exploitability = self.whole.compute_exploitability(work.compute_strategy())
                if self.exploitability <= self.target:
                    return
            progress(work.iterations, self.exploitability)
            if is_over:
                return

    # ------------------------------------------------------------ results

    @property
    def sets(self) -> list[InformationSet]:
        """The information sets, in the order in which they were found. Empty before a run, and after a search of
        positions.
        """
        return self.work.sets if self.work is not None else []

    def compute_strategy(self) -> Strategy:
        """Return the probability of each option of each information set, in the order of ``sets``.

        Empty before a run, and after a search of positions.
        """
        return [] if self.work is None else self.work.compute_strategy()

    def compute_value(self) -> tuple[float, ...] | None:
        """Return the value of each seat, such as ``(-0.25, 0.25)``.

        It is None before the first iteration, or before a search of positions ends. After such a search, the values are
        exact, one for each seat. After iterations, there are two, which add up to the constant sum of the payoffs. With
        a tree in ``whole``, they are the exact values of the average strategy so far. Otherwise they are averages of
        the sampled games, in which later games weigh more.
        """
        if self.work is None or not self.work.iterations:
            return self.values
        if self.whole is not None:
            value, middle = self.whole.compute_value(self.compute_strategy()), self.whole.middle
        else:
            assert isinstance(self.work, Sampling)
            value, middle = self.work.compute_value(), self.work.source.middle or 0.0
        return value, 2 * middle - value

    def list_rows(self) -> list[tuple[float, int, str, dict[str, float]]]:
        """Return a row for each information set, in the order of ``sets``. The list is empty without a strategy.

        A row holds the probability that the seat's own decisions lead there, the seat (from 0), and its observations in
        words. The last item is the probability of each option, by its id: ``(1.0, 1, "1 hidden: Deck → P1's hand; King:
        Deck → P2's hand; P1: pass", {"pass": 0.2, "bet": 0.8})``.
        """
        strategy, rows = self.compute_strategy(), []
        own_reach = compute_own_reach(self.sets, strategy)
        for information_set, shares, reach in zip(self.sets, strategy, own_reach, strict=True):
            text = describe_events(self.game, information_set.seat, information_set.observations)
            rows.append((reach, information_set.seat, text, dict(zip(information_set.options, shares, strict=True))))
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object.

        Its keys are ``version``, ``game``, ``players``, ``method``, ``passes``, ``value``, ``exploitability``,
        ``exploitability_unknown``, ``positions``, ``information_sets``, ``first`` and ``strategy``. ``value`` and
        ``exploitability`` are None if they are not known; ``exploitability_unknown`` then says why. Both, and the
        probabilities of the strategy, are rounded to 6 decimals. Seats of the strategy are ``P1`` and ``P2``.
        """
        program, value = self.game.program, self.compute_value()
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "method": self.method,
            "passes": self.iterations,
            "value": None if value is None else [round(best, 6) for best in value],
            "exploitability": None if self.exploitability is None else round(self.exploitability, 6),
            "exploitability_unknown": self.unknown if self.exploitability is None else None,
            "positions": self.positions if self.whole is None else self.whole.tree.positions,
            "information_sets": len(self.sets),
            "first": [{"option": best.option, "value": list(best.values)} for best in self.first_options],
            "strategy": [
                {
                    "seat": f"P{seat + 1}",
                    "told": text,
                    "options": {option: round(share, 6) for option, share in options.items()},
                }
                for _, seat, text, options in self.list_rows()
            ],
        }
