"""An equilibrium of a game for two in which one wins what the other loses, by CFR+.

Counterfactual regret minimisation (Zinkevich and others, "Regret Minimization in Games with Incomplete Information",
2007) in the form of Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014): regrets never fall below
zero, the seats take turns, later strategies count more. Each pass goes over the nodes once for each seat.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from math import sqrt
from operator import mul
from random import Random

from .game_tree import CHANCE, END, Choice, Place, Source, Strategy, ZeroSum


class Equilibrium:
    """``sums``: of all strategies so far; ``made``: passes so far."""

    def __init__(self, whole: ZeroSum) -> None:
        self.whole = whole
        self.sets = whole.tree.sets
        self.regrets: Strategy = [[0.0] * len(one.options) for one in self.sets]
        self.sums: Strategy = [[0.0] * len(one.options) for one in self.sets]
        self.made = 0

    def improve(self) -> None:
        """One pass more."""
        self.made += 1
        for seat in (0, 1):
            now = [matched(regrets) for regrets in self.regrets]
            self._learn(seat, now)
            own = self._own(now)
            for number, likely in enumerate(now):
                if self.whole.owner[number] == seat:
                    weight, sums = self.made * own[number], self.sums[number]
                    for option, share in enumerate(likely):
                        sums[option] += weight * share

    def _own(self, strategy: Strategy) -> list[float]:
        """How likely a seat's own decisions lead to each information set."""
        own: list[float] = []
        for one in self.sets:
            own.append(1.0 if one.before is None else own[one.before[0]] * strategy[one.before[0]][one.before[1]])
        return own

    def _learn(self, seat: int, now: Strategy) -> None:
        values, reach = self.whole.values(now), self.whole.reach(seat, now)
        sign = 1 if seat == 0 else -1
        learned: dict[int, list[float]] = {}
        for number, node in enumerate(self.whole.tree.nodes):
            if isinstance(node, Choice) and self.whole.owner[node.set] == seat:
                here, weight = values[number], reach[number] * sign
                found = learned.setdefault(node.set, [0.0] * len(node.nodes))
                for option, child in enumerate(node.nodes):
                    found[option] += weight * (values[child] - here)
        for number, found in learned.items():
            self.regrets[number] = [max(0.0, a + b) for a, b in zip(self.regrets[number], found, strict=True)]

    def strategy(self) -> Strategy:
        """The average of all passes, which is what comes near an equilibrium."""
        return [matched(sums) for sums in self.sums]


def matched(regrets: list[float]) -> list[float]:
    """Regret matching: each option as likely as it is regretted."""
    total = sum(regrets)
    return [regret / total for regret in regrets] if total > 0 else [1 / len(regrets)] * len(regrets)


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
