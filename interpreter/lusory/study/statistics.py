"""What is counted about many games, and how sure the counts are. Filled by :mod:`lusory.study.simulate`.

A tally grows by games or by other tallies, never by more than a fixed number of words: its size does not depend on how
many games there were, but for the rows of games that are to be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from ..table.outcome import nobody_wins, stakes
from .gathered import OTHER_REASONS as OTHER_REASONS, PLAYED_OUT as PLAYED_OUT, REASON_LIMIT as REASON_LIMIT, Gathered
from .result import FINISHED, Result, Row, row_of
from .tallies import score_interval
from .unplayed import Use


@dataclass(frozen=True)
class FirstFailure:
    """The first game in which something went wrong, to be looked at. ``words``: what more is known of it."""

    what: str
    seed: int
    decision: int
    words: str = ""


@dataclass
class Statistics:
    """What is known after some games. ``wins``: alone; ``shared``: together with others. ``totals``: of the columns
    of the final table, for each seat. ``broken``: invariants, with the number of games they broke in. ``uses``: cards
    that were played and what was chosen, with the number of games, where that is looked for. ``gathered``: what was
    seen of the games, where somebody looks on. ``lineup``: the same games with players in place of seats, where these
    are swapped. ``rows``: each game by itself, where they are compared with others; these alone grow with their
    number."""

    players: int
    selective: bool = False  # whether an ending says who can win
    zero_sum: bool = False  # whether what the winners share is paid by the others
    played: int = 0
    finished: int = 0
    decisions: int = 0
    squares: int = 0  # of the decisions in each game, summed
    shortest: int | None = None
    longest: int | None = None
    ties: int = 0
    wins: list[int] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    totals: dict[str, list[int]] = field(default_factory=dict)
    broken: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    endless: int = 0
    uses: Counter[Use] = field(default_factory=Counter)
    troubles: dict[str, FirstFailure] = field(default_factory=dict)
    gathered: Gathered | None = None
    lineup: Statistics | None = None
    rows: list[Row] | None = None

    def __post_init__(self) -> None:
        for counts in (self.wins, self.shared, self.payoffs):
            counts.extend([0] * (self.players - len(counts)))

    @property
    def is_sound(self) -> bool:
        return not (self.broken or self.faults or self.endless)

    @property
    def mean_length(self) -> float:
        """Decisions in a game, on average over the finished ones."""
        return self.decisions / self.finished if self.finished else 0.0

    @property
    def deviation(self) -> float:
        """How far the lengths of games spread: their standard deviation."""
        n = self.finished
        return sqrt(max(0, n * self.squares - self.decisions**2) / (n * (n - 1))) if n > 1 else 0.0

    def count(
        self,
        length: int,
        ranks: Sequence[tuple[int, ...]],
        payoffs: Sequence[float] | None,
        reason: str | None,
        titles: Iterable[str],
        table: Iterable[Sequence[int]],
    ) -> None:
        """Add a finished game. Without ``payoffs`` its winners share one point, which the others may have to pay."""
        self.finished += 1
        self.decisions += length
        self.squares += length * length
        if self.shortest is None or length < self.shortest:
            self.shortest = length
        if self.longest is None or length > self.longest:
            self.longest = length
        best = max(ranks)
        if self.selective and nobody_wins(ranks):
            winners: Sequence[int] = ()
        elif ranks.count(best) == 1:
            winners = (ranks.index(best),)
            self.wins[winners[0]] += 1
        else:
            self.ties += 1
            winners = [seat for seat, rank in enumerate(ranks) if rank == best]
            for seat in winners:
                self.shared[seat] += 1
        gained = self.payoffs
        if payoffs is None and self.zero_sum:
            payoffs = stakes(tuple(1 if seat in winners else 2 for seat in range(self.players)))
        if payoffs is None:
            for seat in winners:
                gained[seat] += 1 / len(winners)
        else:
            for seat, payoff in enumerate(payoffs):
                gained[seat] += payoff
        self._reason(reason or PLAYED_OUT, 1)
        for title, values in zip(titles, table, strict=True):
            self._column(title, values)

    def game(self, result: Result, titles: Sequence[str]) -> None:
        """Add a game. ``titles``: of the columns of the final table."""
        self.played += 1
        if result.ending != FINISHED:
            return
        if self.rows is not None:
            self.rows.append(row_of(result, self.selective))
        length, ranks, payoffs, reason, table = result[4:9]
        self.count(length, ranks, payoffs, reason, titles, table)
        if self.lineup is not None:
            at = [result.seating.index(who) for who in range(self.players)]
            ranks, table = [ranks[seat] for seat in at], [[column[seat] for seat in at] for column in table]
            payoffs = None if payoffs is None else [payoffs[seat] for seat in at]
            self.lineup.count(length, ranks, payoffs, reason, titles, table)

    def add(self, other: Statistics) -> None:
        """Add the games of another tally, which were played after these."""
        for name in ("played", "finished", "decisions", "squares", "ties", "endless"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.shortest = min((n for n in (self.shortest, other.shortest) if n is not None), default=None)
        self.longest = max((n for n in (self.longest, other.longest) if n is not None), default=None)
        for seat in range(self.players):
            self.wins[seat] += other.wins[seat]
            self.shared[seat] += other.shared[seat]
            self.payoffs[seat] += other.payoffs[seat]
        for reason, times in other.reasons.items():
            self._reason(reason, times)
        for title, values in other.totals.items():
            self._column(title, values)
        self.broken.update(other.broken)
        self.faults.update(other.faults)
        self.uses.update(other.uses)
        if self.gathered is not None and other.gathered is not None:
            self.gathered.add(other.gathered)
        if self.lineup is not None and other.lineup is not None:
            self.lineup.add(other.lineup)
        if self.rows is not None and other.rows is not None:
            self.rows.extend(other.rows)
        for what, trouble in other.troubles.items():
            self.troubles.setdefault(what, trouble)

    def trouble(self, what: str, seed: int, decision: int, words: str = "") -> None:
        """Remember where something went wrong first."""
        self.troubles.setdefault(what, FirstFailure(what, seed, decision, words))

    def _reason(self, reason: str, times: int) -> None:
        known = reason in self.reasons or len(self.reasons) < REASON_LIMIT
        self.reasons[reason if known else OTHER_REASONS] += times

    def _column(self, title: str, values: Sequence[int]) -> None:
        sums = self.totals.setdefault(title, [0] * self.players)
        for seat, value in enumerate(values):
            sums[seat] += value


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Where a rate lies with 95 % confidence (Wilson's score interval)."""
    if not trials:
        return 0.0, 1.0
    return score_interval(hits / trials, trials)
