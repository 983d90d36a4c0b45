"""Estimate rates, means and differences from counts, with confidence intervals and tests.

:class:`Figure` names what users compare and limit, such as the share of wins of a seat.
:mod:`lusory.stats.comparisons_and_thresholds` uses these estimates for its verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from math import erfc, sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple

from .game_results_and_record_files import GameSummary, Series
from .mergeable_counters import PLAYED_OUT, Histogram, Sums, calculate_score_interval

FALSE_DISCOVERY_RATE = 0.05
"""False discovery rate: the expected share of false positives among the differences reported as clear."""

MIN_SAMPLE = 10
"""Minimum number of games for a test. With fewer, the normal approximation is unreliable."""


@dataclass(frozen=True)
class Estimate:
    """Share or mean with its 95 % interval from ``low`` to ``high``; None means unknown. ``n`` is the sample size."""

    value: float
    low: float | None
    high: float | None
    n: int


def format_value(estimate: Estimate | None, form: str = ".1%") -> str:
    """Return the value in a format of ``format()``, such as ``62.5%``, or "" without an estimate."""
    return "" if estimate is None else format(estimate.value, form)


def format_interval(estimate: Estimate | None, link: str = " – ", form: str = ".1%") -> str:
    """Return both ends of the interval, such as ``41.0% – 80.5%``, or "" if it is not known. ``link`` stands between
    them.
    """
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:{form}}{link}{estimate.high:{form}}"


def estimate_share(points: float, n: int) -> Estimate | None:
    """Return the share ``points / n`` with its 95 % score interval, or None if ``n`` is 0.

    ``points`` may contain fractions, for shared wins.
    """
    if not n:
        return None
    return Estimate(points / n, *calculate_score_interval(points / n, n), n)


def estimate_mean(sums: Sums, unit: int = 1) -> Estimate | None:
    """Return a mean as ``value`` with its 95 % normal interval from ``low`` to ``high``, all divided by ``unit``, or
    None without numbers.

    ``low`` and ``high`` are None for a single number. ``n`` is how many numbers there are.
    """
    if not sums.n:
        return None
    value, half_width = sums.mean / unit, sums.half_width
    if half_width is None:
        return Estimate(value, None, None, sums.n)
    return Estimate(value, value - half_width / unit, value + half_width / unit, sums.n)


@dataclass(frozen=True)
class Distribution:
    """Distribution of ``n`` numbers.

    ``low`` and ``high`` are the smallest and the largest number; ``tenth``, ``median`` and ``nine_tenths`` are
    quantiles. ``bars`` holds the start of each class of equal ``width``, and its frequency, in ascending order.
    """

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


def summarize_histogram(histogram: Histogram) -> Distribution | None:
    """Return the distribution of a histogram in at most 24 classes, or None if it is empty.

    ``low`` and ``high`` are the exact smallest and largest number. ``bars`` has a pair for each class: its first
    number, a multiple of ``width``, and its count. Empty classes between others have the count 0. The ``width`` is the
    first of 1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1,000, 10,000, … that is enough. ``deviation`` is that of a
    sample, 0 for one number. The ``median`` is the lower of two middle numbers. The numbers 1, 2 and 2 give ``bars``
    ((1, 1), (2, 2)), ``width`` 1 and ``median`` 2.
    """
    low, high = histogram.low, histogram.high
    if low is None or high is None:
        return None
    width = 1
    for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, *(10**i for i in range(3, 19))):
        width = step
        if high // step - low // step < 24:
            break
    bars = Counter[int]()
    for value, times in histogram.frequencies.items():
        bars[value // width * width] += times
    first_class, last_class = min(bars), max(bars)
    return Distribution(
        histogram.sums.mean,
        histogram.sums.deviation,
        low,
        histogram.calculate_quantile(0.5),
        high,
        histogram.calculate_quantile(0.1),
        histogram.calculate_quantile(0.9),
        width,
        tuple((start, bars[start]) for start in range(first_class, last_class + width, width)),
        histogram.sums.n,
    )


def calculate_p_value(z: float) -> float:
    """Return the two-sided p-value of a difference of ``z`` standard errors, about 0.05 for 1.96."""
    return erfc(abs(z) / sqrt(2))


def adjust_p_values(p_values: Sequence[float]) -> list[float]:
    """Return the q-values of p-values, in their order. They control the false discovery rate.

    Example: ``[0.01, 0.04, 0.03]`` gives ``[0.03, 0.04, 0.04]``, and ``[]`` gives ``[]``. Source: Benjamini and
    Hochberg, "Controlling the False Discovery Rate" (1995).
    """
    order = sorted(range(len(p_values)), key=lambda n: p_values[n], reverse=True)
    q_values = [1.0] * len(p_values)
    min_q_value = 1.0
    for index, n in enumerate(order):
        min_q_value = min(min_q_value, p_values[n] * len(p_values) / (len(p_values) - index))
        q_values[n] = min_q_value
    return q_values


WIN_RATE, DRAWS, LENGTH, TURNS, RESULT, ENDINGS = "win_rate", "draws", "length", "turns", "result", "endings"
FIRST, EACH = "first", "each"

SHARES = (WIN_RATE, DRAWS, ENDINGS)
"""Figures that are shares of all games, from 0 to 1."""


class Figure(NamedTuple):
    """Name of a statistic and its subject: ``first``, ``P2``, or the reason of an ending."""

    name: str
    subject: str = ""

    @property
    def is_share(self) -> bool:
        """True if a game has a value from 0 to 1: for ``win_rate``, ``draws`` and ``endings``."""
        return self.name in SHARES

    @property
    def needs_observation(self) -> bool:
        """True if games must be observed while they are played: for ``turns``, and if the subject is ``first``."""
        return self.name == TURNS or self.subject == FIRST

    @property
    def text(self) -> str:
        """The figure as a user types it: ``win_rate(P2)``, or ``length`` without a subject."""
        return f"{self.name}({self.subject})" if self.subject else self.name

    @property
    def description(self) -> str:
        """The figure in words: ``win_rate(P2)`` gives ``wins of P2``.

        ``win_rate(first)`` gives ``wins of the first player``, and ``endings(the deck is empty)`` ``ending: the deck is
        empty``. The other figures have no subject: ``draws`` gives ``shared wins``, ``length`` ``decisions in a game``,
        ``turns`` ``turns in a game``, and ``result`` ``result``.
        """
        if self.name == WIN_RATE:
            return "wins of the first player" if self.subject == FIRST else f"wins of {self.subject}"
        if self.name == ENDINGS:
            return f"ending: {self.subject}"
        return _WORDS[self.name]

    def measure_game(self, row: GameSummary) -> float | None:
        """Return the value of this figure for one game, or None if it is not known.

        - ``win_rate``: 1 divided by the number of winners if the seat of ``subject``, such as ``P2``, won, else 0;
          ``first`` is the starting seat, and gives None if that is not known
        - ``draws``: 1 for more than one winner, else 0
        - ``endings``: 1 if the reason matches ``subject``, a pattern such as ``P1 reached {} points`` (see
          :func:`matches_reason`), else 0; the reason of a game without one is ``played to the end``
        - ``length``, in decisions, ``turns``, and ``result``, which only a game for one player has
        """
        if self.name == WIN_RATE:
            seat = row.starting_seat if self.subject == FIRST else int(self.subject[1:]) - 1
            if seat is None:
                return None
            return 1 / len(row.winners) if seat in row.winners else 0.0
        if self.name == DRAWS:
            return float(len(row.winners) > 1)
        if self.name == ENDINGS:
            return float(matches_reason(row.reason or PLAYED_OUT, self.subject))
        value = {LENGTH: row.decisions, TURNS: row.turns, RESULT: row.result}[self.name]
        return None if value is None else float(value)

    def calculate_means(self, series: Series) -> dict[int, float]:
        """Return seed -> the mean of this figure over its games. Games without a value, and seeds without any, are left
        out.
        """
        means = {}
        for seed, rows in series.items():
            values = [value for row in rows if (value := self.measure_game(row)) is not None]
            if values:
                means[seed] = fmean(values)
        return means

    def estimate_value(self, series: Series) -> FigureEstimate | None:
        """Return the estimate of this figure, as :func:`estimate_figure` does, or None if no game has a value."""
        return estimate_figure(list(self.calculate_means(series).values()), self.is_share)

    def estimate_change(self, earlier: Series, current: Series) -> FigureEstimate | None:
        """Return the estimate of the difference, ``current`` less ``earlier``, over the seeds with values in both.

        Each seed counts once, with the difference of its means over its games. If two seeds change by 2 and 4
        decisions, the value is 3.0, the error 1.0 and ``n`` 2. With one seed, the error is 0, but 1/3 or more for a
        share, see :func:`estimate_difference`. The result is None if no seed has values in both.
        """
        earlier_values, current_values = self.calculate_means(earlier), self.calculate_means(current)
        differences = [current_values[seed] - earlier_values[seed] for seed in current_values if seed in earlier_values]
        return estimate_difference(differences, self.is_share) if differences else None


_WORDS = {DRAWS: "shared wins", LENGTH: "decisions in a game", TURNS: "turns in a game", RESULT: "result"}


def matches_reason(reason: str, pattern: str) -> bool:
    """Return whether a reason matches a pattern in which ``{}`` stands for any text, even none.

    The other parts must occur in order, the first at the start and the last at the end. A pattern without ``{}`` must
    be equal. Example: ``P1 reached {} points`` matches ``P1 reached 20 points``.
    """
    parts = (escape(part) for part in pattern.split("{}"))
    return fnmatchcase(reason, "*".join(parts))


def expand_figure(name: str, subject: str, player_count: int) -> list[Figure]:
    """Return the figures ``name`` for a subject: one for each seat, ``P1``, ``P2``, …, if ``subject`` is ``each``,
    otherwise one.
    """
    if subject == EACH:
        return [Figure(name, f"P{seat + 1}") for seat in range(player_count)]
    return [Figure(name, subject)]


# ---------------------------------------------------------------- intervals and tests


def calculate_normal_quantile(level: float) -> float:
    """Return the number of standard errors for a two-sided test at the level ``level``: about 1.96 for 0.05."""
    return NormalDist().inv_cdf(1 - level / 2)


class FigureEstimate(NamedTuple):
    """Estimated figure, or difference of two, over ``n`` seeds.

    ``error`` is the standard error. ``is_share`` marks a share between 0 and 1. ``centre`` is the centre of intervals
    if it differs from the value.
    """

    value: float
    error: float
    n: int
    is_share: bool = False
    centre: float | None = None

    def get_interval(self, z: float) -> tuple[float, float]:
        """Return the interval with ``z`` standard errors on each side; for a share, the score interval."""
        if not self.is_share:
            centre = self.value if self.centre is None else self.centre
            return centre - z * self.error, centre + z * self.error
        return calculate_score_interval(self.value, self.n, z)


def estimate_figure(values: Sequence[float], is_share: bool) -> FigureEstimate | None:
    """Return the mean (``value``), its standard ``error`` and the number ``n`` of the values, or None without values.

    ``values`` has the value of each seed. ``is_share`` says that they are from 0 to 1; it is only stored. Example:
    (1, 2, 3) gives the mean 2.0 and the error 0.577. For a single value the error is 0.
    """
    if not values:
        return None
    value, error = _estimate_mean(values)
    return FigureEstimate(value, error, len(values), is_share)


def estimate_difference(differences: Sequence[float], are_shares: bool) -> FigureEstimate:
    """Return the estimate of a paired difference from the difference of each seed. There must be at least one.

    ``value`` is the plain mean, and ``n`` the number of seeds. ``error`` is the standard error of the mean: 1.0 for
    ``[1, 3]``, and 0 for one difference. With ``are_shares``, ``error`` and ``centre`` count two seeds more: half a
    seed each with the differences 1 and -1, and one with 0. Three zeros then have the error 0.2, and a single 1.0 has
    the error 0.43 and the centre 1/3. ``centre`` is None for other figures. ``is_share`` of the result is always False.
    Source: Agresti and Min, "Simple improved confidence intervals for comparing matched proportions" (2005).
    """
    n = len(differences)
    value, error = _estimate_mean(differences)
    if not are_shares:
        return FigureEstimate(value, error, n)
    smoothing = n + 2
    middle = sum(differences) / smoothing
    squares = sum(difference * difference for difference in differences) + 1
    return FigureEstimate(value, sqrt(max(squares / smoothing - middle * middle, 0.0) / smoothing), n, centre=middle)


def _estimate_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    n, value = len(values), fmean(values)
    spread = sum((sample - value) ** 2 for sample in values)
    return value, sqrt(spread / (n * (n - 1))) if n > 1 else 0.0
