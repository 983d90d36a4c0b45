"""An approximate equilibrium from drawn games: Monte Carlo CFR with external sampling.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games" (2009): chance
and the other seat are drawn, the seat whose turn it is to learn tries all of its options. Regrets may fall below zero
and count as many times as the number of their pass (Brown and Sandholm, "Solving Imperfect-Information Games via
Discounted Regret Minimization", 2019); strategies count as its root. Where games are drawn from is another matter.
"""

from __future__ import annotations

from math import sqrt
from operator import mul
from random import Random
from typing import Generic

from .equilibrium import matched
from .sources import P, Source
from .zero_sum import Strategy


class Sampling(Generic[P]):
    """``made``: passes so far, each a game for either seat to learn from."""

    def __init__(self, source: Source[P], rnd: Random) -> None:
        self.source, self.sets = source, source.sets
        self._random, self._after = rnd.random, source.after
        self.made = 0
        self._weight = self._total = self._weights = 0.0

    def improve(self) -> None:
        """One pass more."""
        number = self.made + 1
        self._weight = sqrt(number)
        first = self._play(self.source.start(), 0, number)
        second = self._play(self.source.start(), 1, number)
        self._total += self._weight * (first - second) / 2
        self._weights += self._weight
        self.made = number

    def _play(self, place: P, learner: int, times: int) -> float:
        """What the learner gets from here on, more or less than half. What it learns counts so many times."""
        table = place.table
        if table is None:
            return place.worth if learner == 0 else -place.worth
        likely, after = table.likely, self._after
        if table.seat != learner:
            left, drawn, sums, weight = self._random(), 0, table.sums, self._weight
            for option, share in enumerate(likely):
                sums[option] += weight * share
                if left >= 0:
                    drawn = option
                    left -= share
            return self._play(after(place, drawn), learner, times)
        values = [self._play(after(place, option), learner, times) for option in range(len(likely))]
        here: float = sum(map(mul, likely, values))
        table.learn([times * (value - here) for value in values])
        return here

    def strategy(self) -> Strategy:
        """The average of all passes, which is what comes near an equilibrium."""
        return [matched(table.sums) for table in self.source.tables]

    def value(self) -> float:
        """What the first seat got on average."""
        return (self.source.middle or 0.0) + (self._total / self._weights if self._weights else 0.0)
