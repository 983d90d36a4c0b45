"""Mergeable statistics: counters that several processes fill and the parent adds up, in any order.

The basic ones are sums and histograms. With them, :class:`Observations` counts what happens in games, and
:class:`Statistics` the results of a simulation. The class :class:`UsageIndex` lists the cards and choices that
games can use. Estimates and tests from these counts are in
:mod:`lusory.stats.figures_estimates_and_significance_tests`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, ClassVar, Self

from lusory_dsl import core

from ..state.decisions_outcomes_and_faults import compute_zero_sum_payoffs
from ..testing.program_traversal_and_node_replacement import list_used_routines, make_span_key, walk
from .game_results_and_record_files import FINISHED, GameResult, GameSummary, find_winners, summarize_result

FIXED_POINT = 10_000
"""Integer that represents 1 when fractions are counted, so that sums are exact."""

Z_95 = 1.959964
"""Standard deviations on each side of the mean that hold 95 % of a normal distribution."""


def calculate_score_interval(share: float, n: float, errors: float = Z_95) -> tuple[float, float]:
    """Return the ends of the score interval of a ``share`` of ``n`` trials, ``errors`` standard errors to each side.

    ``(0.5, 100)`` gives about ``(0.4038, 0.5962)``. Both ends are from 0 to 1, up to rounding errors. ``Z_95`` is
    1.959964. The low end is exactly 0 for a share of 0, the high end exactly 1 for a share of 1. ``n`` must be above 0,
    and need not be whole. Source: Wilson, "Probable Inference, the Law of Succession, and Statistical
    Inference" (1927).
    """
    spread = errors * errors / n
    middle = (share + spread / 2) / (1 + spread)
    half = errors * sqrt(max(share * (1 - share), 0) / n + spread / (4 * n)) / (1 + spread)
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)  # the bounds 0 and 1 are exact


def _merge(total: Any, addition: Any) -> Any:
    """Return the sum of two values of the same field. Mappings, lists and objects grow in place, and None stays None.

    Mappings are added key by key, and lists item by item. Keys and items that only ``addition`` has are taken over.
    """
    if total is None or addition is None:
        return total
    if isinstance(total, int | float):
        return total + addition
    if isinstance(total, Counter):
        total.update(addition)
    elif isinstance(total, list):
        total.extend(type(value)() for value in addition[len(total) :])
        for number, value in enumerate(addition):
            total[number] = _merge(total[number], value)
    elif isinstance(total, dict):
        for key, value in addition.items():
            total[key] = _merge(total[key] if key in total else type(value)(), value)
    else:
        total.add(addition)
    return total


class Mergeable:
    """Base of statistics that can be added up. ``APART`` names the fields that :meth:`add` leaves as they are."""

    APART: ClassVar[frozenset[str]] = frozenset()

    def add(self, other: Self) -> None:
        """Add the statistics of other games to these, field by field. A field that is None here or there stays."""
        for name, value in vars(other).items():
            if name not in self.APART:
                setattr(self, name, _merge(getattr(self, name), value))


@dataclass
class Sums(Mergeable):
    """Count, sum and sum of squares of numbers."""

    n: int = 0
    total: int = 0
    squares: int = 0

    def count(self, value: int) -> None:
        """Count a number: ``count(3)`` adds 1 to ``n``, 3 to ``total`` and 9 to ``squares``."""
        self.n += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> float:
        """The mean, or 0 without numbers."""
        return self.total / self.n if self.n else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of the sample, or 0 for fewer than two numbers."""
        n = self.n
        return sqrt(max(0, n * self.squares - self.total**2) / (n * (n - 1))) if n > 1 else 0.0

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval of the mean (normal approximation).

        It is None for fewer than two numbers.
        """
        return Z_95 * self.deviation / sqrt(self.n) if self.n > 1 else None


@dataclass
class Histogram(Mergeable):
    """Frequencies of whole numbers: ``frequencies`` by number, and ``sums`` of all."""

    frequencies: Counter[int] = field(default_factory=Counter)
    sums: Sums = field(default_factory=Sums)

    def count(self, value: int) -> None:
        """Count a number."""
        self.frequencies[value] += 1
        self.sums.count(value)

    @property
    def low(self) -> int | None:
        """The smallest number, or None without numbers."""
        return min(self.frequencies, default=None)

    @property
    def high(self) -> int | None:
        """The largest number, or None without numbers."""
        return max(self.frequencies, default=None)

    def calculate_quantile(self, fraction: float) -> int:
        """Return the smallest number at which at least ``fraction`` (from 0 to 1) of all numbers is reached.

        It is 0 without numbers. Example: with 3 and 131, the quantiles 0 and 0.5 are 3, and the quantile 1 is 131.
        """
        running_count = 0
        for value, times in sorted(self.frequencies.items()):
            running_count += times
            if running_count >= fraction * self.sums.n:
                return value
        return 0


@dataclass
class OptionUsage(Mergeable):
    """Use of a card or action over many games.

    ``offer_count`` counts the decisions with it among the options. ``expected_uses`` is the expected number of uses by
    random choice, times :data:`FIXED_POINT`. ``use_count`` counts uses and ``games`` the games with a use. ``seats``
    holds the results of the seats that used it, in each game.

    ``unequal_games`` counts games in which some seats used it more than the table's average, and ``ahead`` holds their
    results. ``excess`` and ``variance`` compare these seats with the others *of the same game*: the stratified test of
    Mantel and Haenszel (1959). For d of n seats with results r, the expected sum is d/n of Σr, and its variance is
    d(n-d)/(n(n-1)) · (Σr² − (Σr)²/n). They are stored times n and times n²(n-1), as integers.
    """

    offer_count: int = 0
    expected_uses: int = 0
    use_count: int = 0
    games: int = 0
    seats: Sums = field(default_factory=Sums)
    unequal_games: int = 0
    ahead: Sums = field(default_factory=Sums)
    excess: int = 0
    variance: int = 0

    def add_game(self, counts: list[int], results: tuple[int, ...]) -> None:
        """Add a game with a use: how often each seat used it, and the result of each seat, both in seat order.

        The uses are added to ``use_count``, and 1 to ``games``. ``seats`` counts the result of each seat that used it
        (:meth:`Sums.count`). ``ahead`` counts the results of the seats that used it more often than the average of all
        seats. If there are such seats, 1 is added to ``unequal_games``. Let ``k`` be their number, ``R`` the sum of
        their results, ``n`` the number of all seats, ``S`` the sum of all results, and ``Q`` that of their squares.
        Then ``excess`` grows by ``n*R - k*S``, and ``variance`` by ``k*(n-k)*(n*Q - S*S)``. With counts 2 and 0 and
        results 1 and -1, ``excess`` grows by 2, ``variance`` by 4. ``seats`` and ``ahead`` then count only the 1.
        """
        total_uses, players = sum(counts), len(counts)
        self.use_count += total_uses
        self.games += 1
        frequent_users = 0
        result_sum = 0
        for count, result in zip(counts, results, strict=True):
            if count:
                self.seats.count(result)
            if count * players > total_uses:
                frequent_users += 1
                result_sum += result
                self.ahead.count(result)
        if frequent_users:
            total, squares = sum(results), sum(result * result for result in results)
            self.unequal_games += 1
            self.excess += players * result_sum - frequent_users * total
            self.variance += frequent_users * (players - frequent_users) * (players * squares - total * total)


MAX_REASONS = 50  # reasons may contain numbers, so their number is limited
OTHER_REASONS = "(other reasons)"
PLAYED_OUT = "played to the end"  # reason of a game that ended without one

WIN = 2520
"""Points that the winners of a game share. Up to ten winners get whole numbers."""

GAME_PARTS = 10
"""Number of equal parts of a game's decisions for statistics over its course."""

MAX_VALUE = 130
"""Maximum number of values of an enum that are counted separately. Larger numbers count as this one."""


class UseKind:
    """Kinds of use: the first item of a :data:`Key`."""

    ACTION, FORCED, ANSWER, PICK, OPENING = "action", "forced", "answer", "pick", "opening"
    DRAWN, GAINED, PLAYED, KEYWORD = "drawn", "gained", "played", "keyword"
    TURNED = "turned"


Key = tuple[Any, ...]
"""Key of something used. All cards are given by their first copy.

``("action", number)`` has an index into the ``choices`` of :class:`UsageIndex`.
``("forced", number)`` has the same index, if it was the only option.
``("answer", site, alternative, variable, value)`` is a value in an answer.
``("pick", card)`` is a card in an answer.
``("drawn", card)`` is a card that moved into a hand that others can't see.
``("gained", card)`` is a card that moved into a player's open zone.
``("played", card)`` is a card that was played, as in :class:`UsageIndex`.
``("turned", card)`` is a card that no player played, such as one turned up by the rules.
``("keyword", name)`` says that a card with this keyword was played.
``("opening", …)`` is another key, in the first decision of the starting player.
"""


@dataclass
class QuestionCounts(Mergeable):
    """Statistics of a choice: the options at its decisions, and how often it was forced.

    ``weight`` is the value of the best option less the mean, as estimated by bots that search, times FIXED_POINT.
    """

    options: Sums = field(default_factory=Sums)
    weight: Sums = field(default_factory=Sums)
    forced_count: int = 0


@dataclass
class EndingCounts(Mergeable):
    """Statistics of games with the same ending. ``seats`` holds the results of each seat."""

    turns: Sums = field(default_factory=Sums)
    seats: list[Sums] = field(default_factory=list)


@dataclass
class ColumnCounts(Mergeable):
    """Statistics of a column of the final table, for winners and losers. In a solitaire game all are winners."""

    winners: Histogram = field(default_factory=Histogram)
    losers: Histogram = field(default_factory=Histogram)


@dataclass
class Observations(Mergeable):
    """Statistics of all games that were observed.

    The *result* of a seat is its share of :data:`WIN`, or the score of a solitaire game. ``seats_when_starting`` holds
    the results of each seat as the starting player, and ``starting_player`` those of any starting player. ``turns``
    counts runs of decisions of one seat. ``options_by_part`` holds the number of options in each tenth of the game.

    ``leads`` says for each tenth whether the leader won (1 or 0), over games with a leader. ``changes`` counts changes
    of the leader. ``lead_starts`` is the percentage of the game after which the winner led to the end. ``drama`` is
    times FIXED_POINT. ``executed_parts`` counts in how many of the ``replayed_games`` each part of the rules was
    executed.
    """

    APART = frozenset({"players", "ends"})

    players: int
    games: int = 0
    ties: int = 0
    seats: list[Sums] = field(default_factory=list)
    seats_when_starting: list[Sums] = field(default_factory=list)
    starting_player: Sums = field(default_factory=Sums)
    decisions: Histogram = field(default_factory=Histogram)
    turns: Histogram = field(default_factory=Histogram)
    rounds: dict[str, Histogram] = field(default_factory=dict)
    forced_choices: Histogram = field(default_factory=Histogram)
    options: Histogram = field(default_factory=Histogram)
    options_by_part: list[Sums] = field(default_factory=list)
    leads: list[Sums] = field(default_factory=list)
    changes: Histogram = field(default_factory=Histogram)
    lead_starts: Histogram = field(default_factory=Histogram)
    drama: Sums = field(default_factory=Sums)
    ends: dict[str, EndingCounts] = field(default_factory=dict)
    columns: dict[str, ColumnCounts] = field(default_factory=dict)
    questions: dict[int, QuestionCounts] = field(default_factory=dict)
    uses: dict[Key, OptionUsage] = field(default_factory=dict)
    replayed_games: int = 0
    executed_parts: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for sums, size in ((self.seats, self.players), (self.seats_when_starting, self.players)):
            sums.extend(Sums() for _ in range(size - len(sums)))
        for sums in (self.options_by_part, self.leads):
            sums.extend(Sums() for _ in range(GAME_PARTS - len(sums)))

    def add(self, other: Observations) -> None:
        """Add the statistics of other games to these, field by field; ``players`` stays.

        The order of merging does not matter, unless there are more than MAX_REASONS endings: see :meth:`find_ending`.
        """
        super().add(other)
        for reason, ending in other.ends.items():
            self.find_ending(reason).add(ending)

    def find_ending(self, reason: str) -> EndingCounts:
        """Return the statistics of an ending. New, empty ones are added to ``ends`` if there are none.

        If ``ends`` already has MAX_REASONS reasons, a new reason counts as OTHER_REASONS.
        """
        is_known = reason in self.ends or len(self.ends) < MAX_REASONS
        return self.ends.setdefault(reason if is_known else OTHER_REASONS, EndingCounts())

    def find_usage(self, key: Key) -> OptionUsage:
        """Return the statistics of a key. New, empty ones are added to ``uses`` if there are none."""
        usage = self.uses.get(key)
        if usage is None:
            usage = self.uses[key] = OptionUsage()
        return usage


OptionUse = tuple[int, int]
"""Alternative of a choice: its site and its number."""


@dataclass(frozen=True)
class OptionChoice:
    """Action, or named alternative of a choice, with the sites that offer it.

    ``card`` is the card of an action, if any.
    """

    name: str
    card: str | None
    place: str
    uses: frozenset[OptionUse]

    @property
    def title(self) -> str:
        """The name, followed by the id of an action's card, if any: ``play (axe)``."""
        return self.name if self.card is None else f"{self.name} ({self.card})"


class UsageIndex:
    """Index of the cards and choices of a program.

    Attributes:
        counted_zones: The zones that everybody sees. A card is played when it enters one of them.
        cards: The cards of each kind that one of these zones holds, as first copies.
        choices: The actions and named alternatives, in the order of the ruleset.
    """

    def __init__(self, program: core.Program) -> None:
        self.counted_zones = {zone.name for zone in program.zones.values() if zone.visible.constant == "all"}
        self._originals = [_get_original(entity) for entity in program.entities]
        kinds = {str(program.zones[name].holds) for name in self.counted_zones}
        self.cards = {
            kind: [card for card in program.entities if card.kind == kind and _get_original(card) == card.number]
            for kind in program.component_kinds
            if kind in kinds
        }
        self.choices = _list_choices(program)

    def find_original(self, card: int) -> int:
        """Return the number of the first copy of a card, given the number of any copy."""
        return self._originals[card]


def _get_original(entity: core.Entity) -> int:
    original = entity.fields.get("original", entity.number)
    assert isinstance(original, int)
    return original


def _list_choices(program: core.Program) -> list[OptionChoice]:
    """Return all named alternatives, in the order of the ruleset.

    Alternatives from the same source text at several sites are one.
    """
    choices: dict[tuple[Any, ...], tuple[core.Alternative, set[OptionUse]]] = {}
    for top, _ in list_used_routines(program):
        for node, _ in walk(top):
            if isinstance(node, core.Ask):
                for number, alternative in enumerate(node.alternatives):
                    if alternative.name is not None:
                        key = (alternative.name, alternative.original, make_span_key(alternative.span))
                        choices.setdefault(key, (alternative, set()))[1].add((node.site, number))
    return [
        OptionChoice(
            str(alternative.name),
            None if alternative.original is None else program.entities[alternative.original].card,
            f"{alternative.span.source.name}:{alternative.span.line}",
            frozenset(uses),
        )
        for alternative, uses in choices.values()
    ]


@dataclass(frozen=True)
class FirstFailure:
    """First game with a certain failure, so that a user can look at it. ``details`` gives details."""

    problem: str
    seed: int
    decision: int
    details: str = ""


@dataclass
class Statistics(Mergeable):
    """Statistics after some games.

    Attributes:
        wins: Sole wins by seat.
        shared_wins: Wins together with others, by seat.
        totals: Sums of the columns of the final table, for each seat.
        broken_invariants: Games in which each invariant broke.
        observations: Detailed statistics, if requested.
        lineup: The same games by player instead of seat, if players swap seats.
        rows: Every single game, if runs are compared. Only this grows with the number of games.
    """

    APART = frozenset({"players", "is_selective", "is_zero_sum", "reasons", "first_failures", "rows"})

    players: int
    is_selective: bool = False  # whether the first rank value says who can win
    is_zero_sum: bool = False  # whether the losers pay what the winners gain
    game_count: int = 0
    finished_count: int = 0
    lengths: Histogram = field(default_factory=Histogram)  # decisions of the finished games
    ties: int = 0
    wins: list[int] = field(default_factory=list)
    shared_wins: list[int] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    totals: dict[str, list[int]] = field(default_factory=dict)
    broken_invariants: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    endless: int = 0
    first_failures: dict[str, FirstFailure] = field(default_factory=dict)
    observations: Observations | None = None
    lineup: Statistics | None = None
    rows: list[GameSummary] | None = None

    def __post_init__(self) -> None:
        for counts in (self.wins, self.shared_wins, self.payoffs):
            counts.extend([0] * (self.players - len(counts)))

    @property
    def is_sound(self) -> bool:
        """True if no invariant broke, no game failed, and all came to an end."""
        return not (self.broken_invariants or self.faults or self.endless)

    def _add_finished_game(self, result: GameResult, titles: Sequence[str]) -> None:
        """Add a finished game. ``titles`` are the columns of the final table. The seat with the highest rank wins.

        A sole winner counts in ``wins``. Several count in ``shared_wins``, and the game in ``ties``. If
        ``is_selective``, nobody wins when the first rank value of every seat is 0. Without payoffs, the winners share
        one point. In a zero-sum game the others pay for it. The reason None counts as ``played to the end``. The sums
        of the columns go to ``totals``. ``game_count``, the line-up and the rows stay as they are.
        """
        payoffs = result.payoffs
        self.finished_count += 1
        self.lengths.count(result.decisions)
        winners = find_winners(result.ranks, self.is_selective)
        if len(winners) == 1:
            self.wins[winners[0]] += 1
        self.ties += len(winners) > 1
        for seat in winners if len(winners) > 1 else ():
            self.shared_wins[seat] += 1
        payoff_sums = self.payoffs
        if payoffs is None and self.is_zero_sum:
            payoffs = compute_zero_sum_payoffs(tuple(1 if seat in winners else 2 for seat in range(self.players)))
        if payoffs is None:
            for seat in winners:
                payoff_sums[seat] += 1 / len(winners)
        else:
            for seat, payoff in enumerate(payoffs):
                payoff_sums[seat] += payoff
        self._count_reason(result.reason or PLAYED_OUT, 1)
        for title, values in zip(titles, result.table, strict=True):
            sums = self.totals.setdefault(title, [0] * self.players)
            for seat, value in enumerate(values):
                sums[seat] += value

    def add_game(self, result: GameResult, titles: Sequence[str]) -> None:
        """Add a game. ``titles`` name the columns of its final table: ``totals[title]`` has the sum of each seat.

        A game whose ``ending`` is not ``FINISHED`` only adds 1 to ``game_count``. A finished one also counts in
        ``finished_count``, ``lengths``, ``reasons`` (None as ``PLAYED_OUT``), and by seat in ``wins`` (sole wins),
        ``payoffs`` and ``totals``. If ``result.payoffs`` is None, the winners share 1. With ``is_zero_sum``, the others
        then share -1, and all get 0 if all or none win. Several winners count in ``shared_wins`` instead of ``wins``,
        and the game in ``ties``. If ``rows`` is not None, it gets a GameSummary. If ``lineup`` is not None, the
        finished game counts in the same attributes of ``lineup``, by player instead of seat, but not in
        ``lineup.game_count`` and ``lineup.rows``.
        """
        self.game_count += 1
        if result.ending != FINISHED:
            return
        if self.rows is not None:
            self.rows.append(summarize_result(result, self.is_selective))
        self._add_finished_game(result, titles)
        if self.lineup is not None:
            seats = [result.seating.index(player) for player in range(self.players)]
            by_player = result._replace(
                ranks=[result.ranks[seat] for seat in seats],
                payoffs=None if result.payoffs is None else [result.payoffs[seat] for seat in seats],
                table=[[column[seat] for seat in seats] for column in result.table],
            )
            self.lineup._add_finished_game(by_player, titles)

    def add(self, other: Statistics) -> None:
        """Add the statistics of games played after these: counts and sums are added up, and lists item by item.

        Of two lists, the longer one gives the length. ``rows`` are appended. ``observations``, ``lineup`` and ``rows``
        are only added if both sides have them; otherwise, those of ``self`` stay. ``players``, ``is_selective`` and
        ``is_zero_sum`` always stay. Once ``reasons`` has ``MAX_REASONS`` (50) keys, a new reason counts as
        ``OTHER_REASONS``. If both have a failure of the same problem in ``first_failures``, ``self`` keeps its own.
        """
        super().add(other)
        for reason, times in other.reasons.items():
            self._count_reason(reason, times)
        if self.rows is not None and other.rows is not None:
            self.rows.extend(other.rows)
        for problem, failure in other.first_failures.items():
            self.first_failures.setdefault(problem, failure)

    def record_failure(self, problem: str, seed: int, decision: int, details: str = "") -> None:
        """Record a failure, unless one with the same ``problem`` is recorded already."""
        self.first_failures.setdefault(problem, FirstFailure(problem, seed, decision, details))

    def _count_reason(self, reason: str, times: int) -> None:
        is_known = reason in self.reasons or len(self.reasons) < MAX_REASONS
        self.reasons[reason if is_known else OTHER_REASONS] += times


def calculate_wilson_interval(hit_count: int, trial_count: int) -> tuple[float, float]:
    """Return the 95 % score interval (Wilson) of the rate ``hit_count / trial_count``. Without trials, it is 0 to 1."""
    if not trial_count:
        return 0.0, 1.0
    return calculate_score_interval(hit_count / trial_count, trial_count)
