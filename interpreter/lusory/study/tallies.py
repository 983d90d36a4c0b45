"""Sums and histograms of whole numbers: they need the same room for any number of games, and add up in any order to
the same, so that it makes no difference who counted which games. Used by :mod:`lusory.study.gather`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from math import sqrt

FINE = 64
"""Numbers below this have a class of their own; above, each power of two is divided into half as many classes."""

WHOLE = 10_000
"""Parts into which one is divided where what is counted is a fraction: sums stay exact."""

Z_95 = 1.959964
"""Standard deviations to each side of the mean that hold 95 % of a normal distribution."""


def score_interval(share: float, n: float, errors: float = Z_95) -> tuple[float, float]:
    """Return the score interval of a share of ``n`` trials, so many standard errors to each side: Wilson, "Probable
    Inference, the Law of Succession, and Statistical Inference" (1927)."""
    spread = errors * errors / n
    middle = (share + spread / 2) / (1 + spread)
    half = errors * sqrt(max(share * (1 - share), 0) / n + spread / (4 * n)) / (1 + spread)
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)  # the ends are exact


@dataclass
class Sums:
    """Numbers that were added up: how many, their sum and the sum of their squares."""

    n: int = 0
    total: int = 0
    squares: int = 0

    def count(self, value: int, times: int = 1) -> None:
        """One number more, or the same one several times."""
        self.n += times
        self.total += value * times
        self.squares += value * value * times

    def add(self, other: Sums) -> None:
        """Those of others, too."""
        self.n += other.n
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """On average; 0 of none."""
        return self.total / self.n if self.n else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of the sample."""
        n = self.n
        return sqrt(max(0, n * self.squares - self.total**2) / (n * (n - 1))) if n > 1 else 0.0

    @property
    def half(self) -> float | None:
        """With 95 % the mean lies no further off (normal approximation); None: not known of fewer than two."""
        return Z_95 * self.deviation / sqrt(self.n) if self.n > 1 else None


@dataclass
class Histogram:
    """How often numbers came. They are kept to within three per cent (classes of equal *relative* width, as in Tene's
    HdrHistogram); ``sums`` are exact. ``low`` and ``high``: the least and the greatest that came."""

    classes: Counter[int] = field(default_factory=Counter)
    sums: Sums = field(default_factory=Sums)
    low: int | None = None
    high: int | None = None

    def count(self, value: int, times: int = 1) -> None:
        """One number more, or the same one several times."""
        self.classes[class_of(value)] += times
        self.sums.count(value, times)
        self._reach((value,))

    def add(self, other: Histogram) -> None:
        """Those of others, too."""
        self.classes.update(other.classes)
        self.sums.add(other.sums)
        self._reach(end for end in (other.low, other.high) if end is not None)

    def _reach(self, values: Iterable[int]) -> None:
        for value in values:
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The least number of each class that occurred, and how often it did, in order."""
        yield from sorted(self.classes.items())

    def quantile(self, part: float) -> int:
        """The number below or at which this part of all lies, to within the width of a class; 0 of none."""
        found = list(self)
        for (value, _), reached in zip(found, accumulate(times for _, times in found), strict=True):
            if reached >= part * self.sums.n:
                return value
        return 0


def class_of(value: int) -> int:
    """The least number of the class in which a number falls; of negative ones the greatest."""
    if value < 0:
        return -class_of(-value)
    shift = max(value.bit_length() - FINE.bit_length() + 1, 0)
    return value >> shift << shift


@dataclass
class Use:
    """What was done with something that players can use: a card, an action. ``offered``: decisions in which it was
    among the options; ``chance``: how often it would have been taken there at random, in parts of :data:`WHOLE`.
    ``taken``: how often it was. ``games``: in so many games; ``seats``: what came of it for each seat that did, in
    each game.

    ``more``: games in which some seats did it more often than the average of the table; ``ahead``: what came of it for
    these. ``excess`` and ``variance`` compare them with the others *of the same game*, as where treatment is drawn by
    lot in each: of d seats among n with the results r the sum is expected to be d/n of Σr and to vary by
    d(n-d)/(n(n-1)) · (Σr² − (Σr)²/n) (the stratified test of Mantel and Haenszel, 1959). They are kept n and n²(n-1)
    times as large, which are whole numbers."""

    offered: int = 0
    chance: int = 0
    taken: int = 0
    games: int = 0
    seats: Sums = field(default_factory=Sums)
    more: int = 0
    ahead: Sums = field(default_factory=Sums)
    excess: int = 0
    variance: int = 0

    def add(self, other: Use) -> None:
        """The games of others, too."""
        for name in ("offered", "chance", "taken", "games", "more", "excess", "variance"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seats.add(other.seats)
        self.ahead.add(other.ahead)

    def game(self, counts: list[int], results: tuple[int, ...]) -> None:
        """One game more in which it was done: how often by each seat, and what each came to."""
        done, players = sum(counts), len(counts)
        self.taken += done
        self.games += 1
        doers = 0
        theirs = 0
        for count, result in zip(counts, results, strict=True):
            if count:
                self.seats.count(result)
            if count * players > done:
                doers += 1
                theirs += result
                self.ahead.count(result)
        if doers:
            whole, squares = sum(results), sum(result * result for result in results)
            self.more += 1
            self.excess += players * theirs - doers * whole
            self.variance += doers * (players - doers) * (players * squares - whole * whole)
