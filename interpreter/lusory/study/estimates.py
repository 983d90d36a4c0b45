"""How sure what was counted is: shares and means with their intervals, and which of many differences are more than
chance. Used by :mod:`lusory.study.findings`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt

from .tallies import Histogram, Sums, score_interval

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
