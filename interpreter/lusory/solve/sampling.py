"""An approximate equilibrium from drawn games: Monte Carlo CFR with external sampling.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games" (2009): chance
and the other seat are drawn, the seat whose turn it is to learn tries all of its options. Regrets may fall below zero
and count as many times as the number of their pass (Brown and Sandholm, "Solving Imperfect-Information Games via
Discounted Regret Minimization", 2019); strategies count as its root. Where games are drawn from is another matter.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from math import sqrt
from operator import mul
from random import Random

from .equilibrium import matched
from .sources import CHANCE, END, Place, Source
from .zero_sum import Strategy

Play = Callable[[Place, int, float], float]
"""What the learner gets from a place on, more or less than half; what it learns counts so many times, and the other
seat's strategy so much."""


class Sampling:
    """``made``: passes so far, each a game for either seat to learn from."""

    def __init__(self, source: Source, rnd: Random) -> None:
        self.source, self.sets = source, source.sets
        self._first, self._second = _play(0, rnd.random), _play(1, rnd.random)
        self.made = 0
        self._total = self._weights = 0.0

    def improve(self) -> None:
        """One pass more."""
        number = self.made + 1
        weight = sqrt(number)
        first = self._first(self.source.start(), number, weight)
        second = self._second(self.source.start(), number, weight)
        self._total += weight * (first - second) / 2
        self._weights += weight
        self.made = number

    def strategy(self) -> Strategy:
        """The average of all passes, which is what comes near an equilibrium."""
        return [matched(table.sums) for table in self.source.tables]

    def value(self) -> float:
        """What the first seat got on average."""
        return (self.source.middle or 0.0) + (self._total / self._weights if self._weights else 0.0)


def _play(learner: int, random: Callable[[], float]) -> Play:
    """How one seat learns. All the time goes here and into tables: so only what the learner decides is a call."""

    def play(place: Place, times: int, weight: float) -> float:
        decides = place.decides
        while decides != learner:
            if decides == END:
                return -place.worth if learner else place.worth
            if decides == CHANCE:
                shares = place.shares
                place = place.behind[bisect(shares, random(), 0, len(shares) - 1)]
            else:
                table, left, drawn = place.table, random(), 0
                sums = table.sums
                for option, share in enumerate(table.likely):
                    sums[option] += weight * share
                    if left >= 0:
                        drawn = option
                        left -= share
                place = place.behind[drawn]
            decides = place.decides
        table, behind = place.table, place.behind
        likely = table.likely
        if len(likely) == 2:
            first, second = play(behind[0], times, weight), play(behind[1], times, weight)
            here = likely[0] * first + likely[1] * second
            table.learn_two(times * (first - here), times * (second - here))
            return here
        values: list[float] = []
        for (
            child
        ) in behind:  # a comprehension would have its own hold on what is read here, which makes all of it slower
            values.append(play(child, times, weight))
        here = sum(map(mul, likely, values), 0.0)
        table.learn(values, here, times)
        return here

    return play
