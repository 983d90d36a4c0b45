"""What strategies come to in a game for two in which one wins what the other loses, worked out over its whole tree."""

from __future__ import annotations

from .tree import Choice, End, Lot, Tree

Strategy = list[list[float]]
"""How likely each option of each information set is taken."""


class NotForTwo(Exception):
    """Of a game in which two do not simply win from each other; the words say why."""


class ZeroSum:
    """``middle``: half of what both get together, which is the same in every end; ``owner``: whose each information set
    is. Raises NotForTwo."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        if tree.game.players != 2:
            raise NotForTwo(f"it is for {tree.game.players}")
        sums = {round(sum(node.payoffs), 9) for node in tree.nodes if isinstance(node, End)}
        if len(sums) > 1:
            raise NotForTwo("what both get together differs from end to end")
        self.middle = sums.pop() / 2
        self.owner = [one.seat for one in tree.sets]

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

    def value(self, strategy: Strategy) -> float:
        """What the first seat gets when both play it."""
        return self.values(strategy)[self.tree.root] + self.middle

    def exploitability(self, strategy: Strategy) -> float:
        """What the best answers to it win beyond its value, on average of both seats: 0 in an equilibrium.

        It is half of NashConv (Lanctot and others, "A Unified Game-Theoretic Approach to Multiagent Reinforcement
        Learning", 2017), and what OpenSpiel calls exploitability."""
        return sum(_BestAnswer(self, seat, strategy).value for seat in (0, 1)) / 2


class _BestAnswer:
    """The best that a seat can do when the other plays a strategy. ``value``: what it gets, beyond half."""

    def __init__(self, game: ZeroSum, seat: int, strategy: Strategy) -> None:
        self.game, self.seat, self.strategy = game, seat, strategy
        self.reach = game.reach(seat, strategy)
        self.of_set: dict[int, list[int]] = {}
        for number, node in enumerate(game.tree.nodes):
            if isinstance(node, Choice) and game.owner[node.set] == seat:
                self.of_set.setdefault(node.set, []).append(number)
        self.known: dict[int, float] = {}
        self.best: dict[int, int] = {}
        self.value = self._value(game.tree.root)

    def _value(self, number: int) -> float:
        if number in self.known:
            return self.known[number]
        node = self.game.tree.nodes[number]
        if isinstance(node, End):
            found = (node.payoffs[0] - self.game.middle) * (1 if self.seat == 0 else -1)
        elif isinstance(node, Lot):
            found = sum(share * self._value(child) for share, child in zip(node.chances, node.nodes, strict=True))
        elif self.game.owner[node.set] == self.seat:
            found = self._value(node.nodes[self._best(node.set)])
        else:
            shares = self.strategy[node.set]
            found = sum(share * self._value(child) for share, child in zip(shares, node.nodes, strict=True) if share)
        self.known[number] = found
        return found

    def _best(self, number: int) -> int:
        """The best option of an information set, over all that can be the case there."""
        if number not in self.best:
            options = range(len(self.game.tree.sets[number].options))
            here = [(self.reach[at], self.game.tree.nodes[at]) for at in self.of_set[number]]
            choices = [(reach, node.nodes) for reach, node in here if isinstance(node, Choice)]
            worths = [sum([reach * self._value(nodes[option]) for reach, nodes in choices]) for option in options]
            self.best[number] = max(options, key=worths.__getitem__)
        return self.best[number]
