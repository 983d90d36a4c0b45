"""Rates, means and confidence intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple

from .aggregates import PLAYED_OUT, Histogram, Sums, score_interval
from .game_records import Row

FALSE = 0.05
"""Of all differences that are called clear, so many are chance, on average."""

ENOUGH = 10
"""Games that it takes before a difference is tested: below, the normal approximation is not to be trusted."""


@dataclass(frozen=True)
class Estimate:
    """A share or a mean. With 95 % it lies from ``low`` to ``high``; None: not known. ``n``: of so many."""

    value: float
    low: float | None
    high: float | None
    n: int


def share(points: float, n: int) -> Estimate | None:
    """A part from 0 to 1 with its score interval; fractions of a point, of shared wins, count as such. None: of
    nothing."""
    if not n:
        return None
    return Estimate(points / n, *score_interval(points / n, n), n)


def mean(sums: Sums, unit: int = 1) -> Estimate | None:
    """A mean with its normal interval, in so many parts. None: of nothing."""
    if not sums.n:
        return None
    value, half = sums.mean / unit, sums.half
    if half is None:
        return Estimate(value, None, None, sums.n)
    return Estimate(value, value - half / unit, value + half / unit, sums.n)


@dataclass(frozen=True)
class Spread:
    """How numbers are distributed. ``bars``: ends of classes of equal width, the last one left out, with how often."""

    mean: float
    deviation: float
    low: int
    median: int
    high: int
    tenth: int
    nine_tenths: int
    width: int
    bars: tuple[tuple[int, int], ...]
    n: int


def spread(histogram: Histogram, most: int = 24) -> Spread | None:
    """That of a histogram, in ``most`` classes or fewer. None: of nothing."""
    if histogram.low is None or histogram.high is None:
        return None
    width = 1
    for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, *(10**n for n in range(3, 19))):
        width = step
        if histogram.high // step - histogram.low // step < most:
            break
    bars: dict[int, int] = {}
    for value, times in histogram:
        start = max(value, histogram.low) // width * width
        bars[start] = bars.get(start, 0) + times
    first, last = min(bars), max(bars)
    return Spread(
        histogram.sums.mean,
        histogram.sums.deviation,
        histogram.low,
        histogram.quantile(0.5),
        histogram.high,
        histogram.quantile(0.1),
        histogram.quantile(0.9),
        width,
        tuple((start, bars.get(start, 0)) for start in range(first, last + width, width)),
        histogram.sums.n,
    )


def chance_of(z: float) -> float:
    """How likely so large a difference, in standard errors, is by chance alone, either way."""
    return erfc(abs(z) / sqrt(2))


def corrected(chances: Sequence[float]) -> list[float]:
    """Of many chances looked at together: the share of false ones among what would be called clear up to there, by
    Benjamini and Hochberg, "Controlling the False Discovery Rate" (1995)."""
    order = sorted(range(len(chances)), key=lambda n: chances[n], reverse=True)
    found = [1.0] * len(chances)
    least = 1.0
    for passed, n in enumerate(order):
        least = min(least, chances[n] * len(chances) / (len(chances) - passed))
        found[n] = least
    return found


WIN_RATE, DRAWS, LENGTH, TURNS, RESULT, ENDINGS = "win_rate", "draws", "length", "turns", "result", "endings"
FIRST, EACH = "first", "each"

SHARES = (WIN_RATE, DRAWS, ENDINGS)
"""Figures that are parts of all games, from 0 to 1."""

Series = Mapping[int, Sequence[Row]]
"""Games by their seed, those of one seed in a settled order."""


class Figure(NamedTuple):
    """A figure by its name, and of whom or what it is: ``first``, ``P2``, the words of an ending."""

    name: str
    of: str = ""

    @property
    def is_share(self) -> bool:
        return self.name in SHARES

    @property
    def is_close(self) -> bool:
        """Whether games have to be looked at while they are played."""
        return self.name == TURNS or self.of == FIRST

    @property
    def written(self) -> str:
        """As it is typed."""
        return f"{self.name}({self.of})" if self.of else self.name

    @property
    def words(self) -> str:
        """As people read it."""
        if self.name == WIN_RATE:
            return "wins of who begins" if self.of == FIRST else f"wins of {self.of}"
        if self.name == ENDINGS:
            return f"ending: {self.of}"
        return _WORDS[self.name]

    def of_game(self, row: Row) -> float | None:
        """That of one game; None where it is not known."""
        if self.name == WIN_RATE:
            seat = row.began if self.of == FIRST else int(self.of[1:]) - 1
            if seat is None:
                return None
            return 1 / len(row.winners) if seat in row.winners else 0.0
        if self.name == DRAWS:
            return float(len(row.winners) > 1)
        if self.name == ENDINGS:
            return float(is_like(row.reason or PLAYED_OUT, self.of))
        value = {LENGTH: row.decisions, TURNS: row.turns, RESULT: row.result}[self.name]
        return None if value is None else float(value)

    def of_seed(self, rows: Sequence[Row]) -> float | None:
        """On average over the games from one seed; None where it is known of none."""
        known = [value for row in rows if (value := self.of_game(row)) is not None]
        return fmean(known) if known else None

    def values(self, series: Series) -> dict[int, float]:
        """Of each seed of which it is known."""
        found = ((seed, self.of_seed(rows)) for seed, rows in series.items())
        return {seed: value for seed, value in found if value is not None}


_WORDS = {
    DRAWS: "shared wins",
    LENGTH: "decisions in a game",
    TURNS: "turns in a game",
    RESULT: "result",
}


def is_like(reason: str, words: str) -> bool:
    """Whether a game ended with these words, with something in place of each ``{}``."""
    first, *others = words.split("{}")
    if not others:
        return reason == words
    last = others.pop()
    at, end = len(first), len(reason) - len(last)
    if at > end or not reason.startswith(first) or not reason.endswith(last):
        return False
    for part in others:
        found = reason.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def figures_of(name: str, of: str, players: int) -> list[Figure]:
    """A figure of a game for so many, or, of each seat, several."""
    if of == EACH:
        return [Figure(name, f"P{seat + 1}") for seat in range(players)]
    return [Figure(name, of)]


def series_of(rows: Iterable[Row]) -> Series:
    """Games by their seeds, those of one seed by who sat where."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row.seed, []).append(row)
    for games in found.values():
        games.sort(key=lambda row: row.seating)
    return found


# ---------------------------------------------------------------- how sure it is


def quantile(chance: float) -> float:
    """So many standard errors to each side leave out this part of a normal distribution."""
    return NormalDist().inv_cdf(1 - chance / 2)


class Measured(NamedTuple):
    """A figure, or a difference of two, over ``n`` seeds. ``error``: its standard error; ``is_share``: a share, which
    lies between 0 and 1; ``centre``: of intervals, where that is not the value."""

    value: float
    error: float
    n: int
    is_share: bool = False
    centre: float | None = None

    def interval(self, z: float) -> tuple[float, float]:
        """Where it lies, so many standard errors to each side: of a share the score interval."""
        if not self.is_share:
            centre = self.value if self.centre is None else self.centre
            return centre - z * self.error, centre + z * self.error
        return score_interval(self.value, self.n, z)


def measured(values: Sequence[float], is_share: bool) -> Measured | None:
    """A figure from that of each seed; None: of none."""
    if not values:
        return None
    value, error = _mean(values)
    return Measured(value, error, len(values), is_share)


def unmoved(differences: Sequence[float]) -> Measured:
    """What a difference would be where nothing has changed: none, with the error that the squares tell, which for
    single games is McNemar's test."""
    n = len(differences)
    return Measured(0.0, sqrt(sum(d * d for d in differences)) / n, n)


def difference(differences: Sequence[float], are_shares: bool) -> Measured:
    """A paired difference from that of each seed.

    Of shares with half a game more in each cell of the table of pairs, so that a few games which agree prove nothing:
    Agresti and Min, "Simple improved confidence intervals for comparing matched proportions" (2005)."""
    n = len(differences)
    value, error = _mean(differences)
    if not are_shares:
        return Measured(value, error, n)
    more = n + 2
    middle = sum(differences) / more
    squares = sum(d * d for d in differences) + 1
    return Measured(value, sqrt(max(squares / more - middle * middle, 0.0) / more), n, centre=middle)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """With its standard error."""
    n, value = len(values), fmean(values)
    spread = sum((one - value) ** 2 for one in values)
    return value, sqrt(spread / (n * (n - 1))) if n > 1 else 0.0
