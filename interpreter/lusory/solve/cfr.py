"""Compute equilibria of two-player zero-sum games by CFR+ on the whole tree, or by Monte Carlo CFR on sampled games.

CFR is counterfactual regret minimization: Zinkevich and others, "Regret Minimization in Games with Incomplete
Information" (2007). :class:`Equilibrium` uses CFR+: Tammelin, "Solving Large Imperfect Information Games Using CFR+"
(2014). Its regrets never fall below zero, the seats update in turn, and later strategies have more weight. Each
iteration visits all nodes once for each seat. :class:`Sampling` samples the decisions of chance and of the opponent.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from math import sqrt
from operator import mul
from random import Random

from .game_tree_exploitability_and_game_sources_for_cfr import (
    CHANCE,
    END,
    Choice,
    Place,
    Source,
    Strategy,
    ZeroSum,
    compute_own_reach,
)


class Equilibrium:
    """CFR+ on a whole game tree.

    Attributes:
        sets: The information sets of the tree. The lists below have one entry for each, in the same order.
        regrets: The regret of each option, never below 0.
        sums: For each option, the weighted sum of its probabilities in all strategies so far.
        iterations: Number of iterations so far.
    """

    def __init__(self, tree: ZeroSum) -> None:
        self.whole = tree
        self.sets = tree.tree.sets
        self.regrets: Strategy = [[0.0] * len(information_set.options) for information_set in self.sets]
        self.sums: Strategy = [[0.0] * len(information_set.options) for information_set in self.sets]
        self.iterations = 0

    def improve(self) -> None:
        """Run one iteration: update the regrets and the strategy sums, first of seat 0 and then of seat 1.

        In iteration ``n``, a strategy weighs ``n`` times the probability that the seat's own decisions lead to the
        information set.
        """
        self.iterations += 1
        for seat in (0, 1):
            strategy = [_match_regrets(regrets) for regrets in self.regrets]
            self._update_regrets(seat, strategy)
            own_reach = compute_own_reach(self.sets, strategy)
            for number, probabilities in enumerate(strategy):
                if self.whole.owner[number] == seat:
                    weight, sums = self.iterations * own_reach[number], self.sums[number]
                    for option, share in enumerate(probabilities):
                        sums[option] += weight * share

    def _update_regrets(self, seat: int, strategy: Strategy) -> None:
        values, reach = self.whole.compute_values(strategy), self.whole.compute_reach(seat, strategy)
        sign = 1 if seat == 0 else -1
        sums_by_set: dict[int, list[float]] = {}
        for number, node in enumerate(self.whole.tree.nodes):
            if isinstance(node, Choice) and self.whole.owner[node.set] == seat:
                node_value, weight = values[number], reach[number] * sign
                regret_sums = sums_by_set.setdefault(node.set, [0.0] * len(node.nodes))
                for option, child in enumerate(node.nodes):
                    regret_sums[option] += weight * (values[child] - node_value)
        for number, regret_sums in sums_by_set.items():
            self.regrets[number] = [
                max(0.0, regret + change) for regret, change in zip(self.regrets[number], regret_sums, strict=True)
            ]

    def compute_strategy(self) -> Strategy:
        """Return the average strategy, which converges to an equilibrium: a new list of probabilities for each
        information set.

        All options of an information set that no strategy has reached yet are equally likely.
        """
        return [_match_regrets(sums) for sums in self.sums]


def _match_regrets(regrets: list[float]) -> list[float]:
    """Return the strategy of regret matching: probabilities proportional to ``regrets``, which must not be negative.

    If all are 0, every option has the same probability. ``[3.0, 1.0]`` gives ``[0.75, 0.25]``.
    """
    total = sum(regrets)
    return [regret / total for regret in regrets] if total > 0 else [1 / len(regrets)] * len(regrets)


Player = Callable[[Place, int, float], float]
"""Function that plays from a place and returns the learner's payoff, relative to half of the total.

Its further arguments are the weight of the learned regrets and the weight of the other seat's strategy.
"""


class Sampling:
    """Monte Carlo CFR. ``iterations`` counts iterations; each plays one game for either seat to learn from."""

    def __init__(self, source: Source, rng: Random) -> None:
        self.source, self.sets = source, source.sets
        self._first, self._second = _make_player(0, rng.random), _make_player(1, rng.random)
        self.iterations = 0
        self._total = self._weights = 0.0

    def improve(self) -> None:
        """Run one iteration: play a game in which the first seat learns, then one in which the second seat learns.

        In iteration ``n``, new regrets weigh ``n``, and the strategy and the payoffs weigh the square root of ``n``. If
        an exception ends a game, ``iterations`` stays unchanged, but ``source.tables`` keep what was learned until
        then.
        """
        number = self.iterations + 1
        weight = sqrt(number)
        first = self._first(self.source.start(), number, weight)
        second = self._second(self.source.start(), number, weight)
        self._total += weight * (first - second) / 2
        self._weights += weight
        self.iterations = number

    def compute_strategy(self) -> Strategy:
        """Return the average strategy, which converges to an equilibrium: a list of probabilities for each of ``sets``.

        All options of an information set that was only seen by its own seat's learning are equally likely.
        """
        return [_match_regrets(table.sums) for table in self.source.tables]

    def compute_value(self) -> float:
        """Return the average payoff of the first seat in the games so far. Later games weigh more.

        Before the first game it is half of the total payoff, or 0.0 if that is not known either.
        """
        return (self.source.middle or 0.0) + (self._total / self._weights if self._weights else 0.0)


def _make_player(learner: int, random: Callable[[], float]) -> Player:
    """Return the function with which the seat ``learner`` learns. ``random`` returns numbers from 0 to below 1.

    The function tries every option of the learner and updates its regrets. It samples chance and the other seat's
    options, and adds the other seat's current strategy to its strategy sums (external sampling). Nearly all time is
    spent here and in :class:`~lusory.solve.game_tree_exploitability_and_game_sources_for_cfr.Table`. Therefore only the
    learner's decisions recurse; other places are handled in a loop.
    """

    def play(place: Place, times: int, weight: float) -> float:
        """Play on from ``place``, and return the learner's payoff, less half of the sum of both payoffs.

        At a decision of the learner all options are played, and the result is their mean under its strategy. Their
        regrets, times ``times``, are added to the learner's table, which then has a new strategy. Chance and the other
        seat are sampled. The other seat's probabilities, times ``weight``, are added to the ``sums`` of its table.
        """
        decides = place.decides
        while decides != learner:
            if decides == END:
                return -place.payoff if learner else place.payoff
            if decides == CHANCE:
                shares = place.shares
                place = place.children[bisect(shares, random(), 0, len(shares) - 1)]
            else:
                table, remaining, choice = place.table, random(), 0
                sums = table.sums
                for option, share in enumerate(table.probabilities):
                    sums[option] += weight * share
                    if remaining >= 0:
                        choice = option
                        remaining -= share
                place = place.children[choice]
            decides = place.decides
        table, children = place.table, place.children
        probabilities = table.probabilities
        values: list[float] = []
        # No comprehension: it would turn these locals into closure cells, which makes the whole function slower.
        for child in children:
            values.append(play(child, times, weight))
        mean = sum(map(mul, probabilities, values), 0.0)
        table.learn(values, mean, times)
        return mean

    return play
