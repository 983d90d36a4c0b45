"""An equilibrium of a game for two in which one wins what the other loses, by CFR+.

Counterfactual regret minimisation (Zinkevich and others, "Regret Minimization in Games with Incomplete Information",
2007) in the form of Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014): regrets never fall below
zero, the seats take turns, later strategies count more. Each pass goes over the nodes once for each seat.
"""

from __future__ import annotations

from .tree import Choice
from .zero_sum import Strategy, ZeroSum


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
