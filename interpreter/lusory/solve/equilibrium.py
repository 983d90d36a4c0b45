"""An equilibrium of a game for two in which one wins what the other loses, by CFR+, and what the best answer wins.

Counterfactual regret minimisation (Zinkevich and others, "Regret Minimization in Games with Incomplete Information",
2007) in the form of Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014): regrets never fall below
zero, the seats take turns, later strategies count more. Each pass goes over the nodes once for each seat.
"""

from __future__ import annotations

from .tree import Choice, End, Lot, Tree

Strategy = list[list[float]]
"""How likely each option of each information set is taken."""


class NotForTwo(Exception):
    """Of a game in which two do not simply win from each other; the words say why."""


class Equilibrium:
    """``made``: passes so far. ``middle``: half of what both get together, which is the same in every end."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        if tree.game.players != 2:
            raise NotForTwo(f"it is for {tree.game.players}")
        sums = {round(sum(node.payoffs), 9) for node in tree.nodes if isinstance(node, End)}
        if len(sums) > 1:
            raise NotForTwo("what both get together differs from end to end")
        self.middle = sums.pop() / 2
        self.regrets: Strategy = [[0.0] * len(one.options) for one in tree.sets]
        self.sums: Strategy = [[0.0] * len(one.options) for one in tree.sets]
        self.owner = [one.seat for one in tree.sets]
        self.made = 0

    def improve(self) -> None:
        """One pass more."""
        self.made += 1
        for seat in (0, 1):
            now = [matched(regrets) for regrets in self.regrets]
            self._learn(seat, now)
            own = self._own(now)
            for number, likely in enumerate(now):
                if self.owner[number] == seat:
                    weight, sums = self.made * own[number], self.sums[number]
                    for option, share in enumerate(likely):
                        sums[option] += weight * share

    def _own(self, strategy: Strategy) -> list[float]:
        """How likely a seat's own decisions lead to each information set."""
        own: list[float] = []
        for one in self.tree.sets:
            own.append(1.0 if one.before is None else own[one.before[0]] * strategy[one.before[0]][one.before[1]])
        return own

    def _learn(self, seat: int, now: Strategy) -> None:
        values, reach = self.values(now), self.reach(seat, now)
        sign = 1 if seat == 0 else -1
        learned: dict[int, list[float]] = {}
        for number, node in enumerate(self.tree.nodes):
            if isinstance(node, Choice) and self.owner[node.set] == seat:
                here, weight = values[number], reach[number] * sign
                found = learned.setdefault(node.set, [0.0] * len(node.nodes))
                for option, child in enumerate(node.nodes):
                    found[option] += weight * (values[child] - here)
        for number, found in learned.items():
            self.regrets[number] = [max(0.0, a + b) for a, b in zip(self.regrets[number], found, strict=True)]

    def values(self, strategy: Strategy) -> list[float]:
        """What each node is worth to the first seat, more or less than half."""
        found: list[float] = []
        for node in self.tree.nodes:
            match node:
                case End(payoffs=payoffs):
                    found.append(payoffs[0] - self.middle)
                case Lot(chances=shares, nodes=nodes):
                    found.append(sum([share * found[child] for share, child in zip(shares, nodes, strict=True)]))
                case Choice(set=number, nodes=nodes):
                    shares = tuple(strategy[number])
                    found.append(sum([share * found[child] for share, child in zip(shares, nodes, strict=True)]))
        return found

    def reach(self, seat: int, strategy: Strategy) -> list[float]:
        """How likely chance and the other seat lead to each node, if the seat itself wants to come there."""
        nodes = self.tree.nodes
        found = [0.0] * len(nodes)
        found[self.tree.root] = 1.0
        for number in range(len(nodes) - 1, -1, -1):
            here, node = found[number], nodes[number]
            if not here or isinstance(node, End):
                continue
            if isinstance(node, Lot):
                shares = node.chances
            else:
                shares = (1.0,) * len(node.nodes) if self.owner[node.set] == seat else tuple(strategy[node.set])
            for share, child in zip(shares, node.nodes, strict=True):
                found[child] += here * share
        return found

    # ------------------------------------------------------------ what came of it

    def strategy(self) -> Strategy:
        """The average of all passes, which is what comes near an equilibrium."""
        return [matched(sums) for sums in self.sums]

    def value(self) -> float:
        """What the first seat gets when both play the average."""
        return self.values(self.strategy())[self.tree.root] + self.middle

    def exploitability(self) -> float:
        """What the best answers to the average win beyond it, on average of both seats: 0 in an equilibrium."""
        strategy = self.strategy()
        return sum(_BestAnswer(self, seat, strategy).value for seat in (0, 1)) / 2


class _BestAnswer:
    """The best that a seat can do when the other plays a strategy. ``value``: what it gets, beyond half."""

    def __init__(self, work: Equilibrium, seat: int, strategy: Strategy) -> None:
        self.work, self.seat, self.strategy = work, seat, strategy
        self.reach = work.reach(seat, strategy)
        self.of_set: dict[int, list[int]] = {}
        for number, node in enumerate(work.tree.nodes):
            if isinstance(node, Choice) and work.owner[node.set] == seat:
                self.of_set.setdefault(node.set, []).append(number)
        self.known: dict[int, float] = {}
        self.best: dict[int, int] = {}
        self.value = self._value(work.tree.root)

    def _value(self, number: int) -> float:
        if number in self.known:
            return self.known[number]
        node = self.work.tree.nodes[number]
        if isinstance(node, End):
            found = (node.payoffs[0] - self.work.middle) * (1 if self.seat == 0 else -1)
        elif isinstance(node, Lot):
            found = sum(share * self._value(child) for share, child in zip(node.chances, node.nodes, strict=True))
        elif self.work.owner[node.set] == self.seat:
            found = self._value(node.nodes[self._best(node.set)])
        else:
            shares = self.strategy[node.set]
            found = sum(share * self._value(child) for share, child in zip(shares, node.nodes, strict=True) if share)
        self.known[number] = found
        return found

    def _best(self, number: int) -> int:
        """The best option of an information set, over all that can be the case there."""
        if number not in self.best:
            options = range(len(self.work.tree.sets[number].options))
            here = [(self.reach[at], self.work.tree.nodes[at]) for at in self.of_set[number]]
            choices = [(reach, node.nodes) for reach, node in here if isinstance(node, Choice)]
            worths = [sum([reach * self._value(nodes[option]) for reach, nodes in choices]) for option in options]
            self.best[number] = max(options, key=worths.__getitem__)
        return self.best[number]


def matched(regrets: list[float]) -> list[float]:
    """Regret matching: each option as likely as it is regretted."""
    total = sum(regrets)
    return [regret / total for regret in regrets] if total > 0 else [1 / len(regrets)] * len(regrets)
