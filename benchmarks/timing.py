"""Contestants and how they are timed. Used by every benchmark.

Contestants run in turns: each repeat times a slice of every one of them, so that whatever slows the machine down hits
all alike. A ratio is taken within each repeat; what is reported is the median over the repeats and how far they spread.
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
    """Something that can be timed. ``role`` says what it is measured for: see :mod:`benchmarks.targets`."""

    name: str
    role: str
    work: Work


@dataclass(frozen=True)
class Timing:
    """What one contestant did: ``rates`` are times a second, one for each repeat; ``steps``: moves each time."""

    name: str
    role: str
    rates: tuple[float, ...]
    steps: float

    @property
    def rate(self) -> float:
        return median(self.rates)


@dataclass(frozen=True)
class Spread:
    """The median of some repeats, and the range within which half of them lie around it."""

    middle: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """The median and the quartiles."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return Spread(median(ordered), ordered[round(last * 0.25)], ordered[round(last * 0.75)])


def ratio(ours: Timing, theirs: Timing) -> Spread:
    """How many times as fast ``ours`` is, repeat by repeat."""
    return spread([a / b for a, b in zip(ours.rates, theirs.rates, strict=True)])


def race(contestants: Sequence[Contestant], effort: Effort) -> list[Timing]:
    """Time all of them, in turns. Who begins changes from repeat to repeat."""
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
        Timing(c.name, c.role, tuple(rates[i]), steps[i] / (sizes[i] * effort.repeats))
        for i, c in enumerate(contestants)
    ]


def _slice_of(work: Work, seconds: float) -> int:
    """How many times fill a slice: tried out with growing numbers, which warms the work up too. The very first time
    does not count: it may have something to make that is made once."""
    work(1)
    times = 1
    while True:
        start = perf_counter()
        work(times)
        took = perf_counter() - start
        if took >= seconds / 4:
            return max(1, round(times * seconds / took))
        times *= 4
