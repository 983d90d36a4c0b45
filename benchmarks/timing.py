"""Time contestants. Used by every benchmark.

Contestants run in turn: each repeat times a slice of each of them, so that other work of the machine slows all of them
equally. A ratio is taken within each repeat. Reports give the median of the repeats and their spread.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Work = Callable[[int], int]  # does a thing so many times; how many smaller steps (moves) that took


@dataclass(frozen=True)
class Effort:
    """How long to measure: ``repeats`` slices of about ``seconds`` each, for every contestant."""

    repeats: int
    seconds: float


@dataclass(frozen=True)
class Contestant:
    """Something that can be timed. Its ``role`` determines its targets: see :mod:`benchmarks.targets`."""

    name: str
    role: str
    work: Work


@dataclass(frozen=True)
class Timing:
    """The measurements of a contestant. ``rates`` has runs per second, one for each repeat. ``steps`` is the mean
    number of moves in a run."""

    name: str
    role: str
    rates: tuple[float, ...]
    steps: float

    @property
    def rate(self) -> float:
        return median(self.rates)


@dataclass(frozen=True)
class Spread:
    """The median of some values, and the quartiles below and above it."""

    middle: float
    low: float
    high: float


def compute_spread(values: Sequence[float]) -> Spread:
    """Return the median and the quartiles."""
    sorted_values = sorted(values)
    last = len(sorted_values) - 1
    return Spread(median(sorted_values), sorted_values[round(last * 0.25)], sorted_values[round(last * 0.75)])


def compute_ratio(ours: Timing, theirs: Timing) -> Spread:
    """Return how many times as fast ``ours`` is, repeat by repeat."""
    pairs = zip(ours.rates, theirs.rates, strict=True)
    return compute_spread([our_rate / their_rate for our_rate, their_rate in pairs])


def run_race(contestants: Sequence[Contestant], effort: Effort) -> list[Timing]:
    """Time all contestants in turn. Each repeat begins with another one."""
    sizes = [_slice_of(contestant.work, effort.seconds) for contestant in contestants]
    rates: list[list[float]] = [[] for _ in contestants]
    steps = [0] * len(contestants)
    for repeat in range(effort.repeats):
        for turn in range(len(contestants)):
            i = (turn + repeat) % len(contestants)
            gc.collect()
            start = perf_counter()
            steps[i] += contestants[i].work(sizes[i])
            rates[i].append(sizes[i] / (perf_counter() - start))
    return [
        Timing(contestant.name, contestant.role, tuple(rates[i]), steps[i] / (sizes[i] * effort.repeats))
        for i, contestant in enumerate(contestants)
    ]


def _slice_of(work: Work, seconds: float) -> int:
    """Return how many runs fill a slice. It tries growing numbers, which also warms the work up. The first run does not
    count, because it may create something that later runs use again."""
    work(1)
    times = 1
    while True:
        start = perf_counter()
        work(times)
        took = perf_counter() - start
        if took >= seconds / 4:
            return max(1, round(times * seconds / took))
        times *= 4
