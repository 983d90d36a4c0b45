"""A tree of what could be decided, grown where it pays: UCT, with a tree for each seat where something is hidden.

UCT is that of Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006), each seat after its own value (max^n,
Luckhardt and Irani 1986). Where seats know different things each has a tree of what it has seen, and a simulation goes
down all of them (multiple-observer information set search, Cowling, Powley and Whitehouse 2012); an option counts as
often as it could have been taken. Chance has no nodes: what follows on it is averaged. Lists are tried a few at a time
(progressive widening, Coulom 2007): as chance decides, or, where the list is long, first what did well wherever it was
taken in the simulations so far (all moves as first, Brügmann 1993; for each seat one table of the whole search, as in
Nijssen and Winands' progressive history, 2010). The options of the decision that is searched meet the same worlds and
the same chance, each on its first try, its second and so on, so that what differs is the option alone (common random
numbers); but not where the list is long.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple, Protocol

from lusory_dsl.core.knowledge import knowledge_of

from ..game import Game
from ..table.chance import FACTOR, MASK, STEP
from ..table.events import UNHEARD, redact
from .contest import Contested, Totals
from .positions import Answer, Position, pick, weights
from .simulation import Setup, portions
from .worth import Values

EXPLORE = 0.7
"""How much more an option is worth because little is known of it."""

FEW = 8
"""So many options of a decision are all tried; of more, as many as two times the square root of its visits, or one
time where it is kept how those did that were taken."""

LONG = 30
"""Where the decision that is searched has more options than so many, it is kept how those did that were taken. Each
simulation then has chance of its own, as one and the same tells little of what is taken in it."""

STEPS = 16
"""Simulations after which there is something to tell."""

OFTEN, AHEAD = 4, 64
"""What follows is told as far as it was taken so often, and so many decisions at most."""

LN2 = 0.6931471805599453


def logarithm(n: int) -> float:
    """The natural logarithm, on straight lines between the powers of two: the same on every machine."""
    power = n.bit_length() - 1
    return LN2 * (power - 1 + n / (1 << power))


class Edge:
    """An option of a decision: how often it was taken, what that came to for who decides, how often it could have been
    taken, and what follows."""

    __slots__ = ("node", "possible", "sum", "visits")

    def __init__(self) -> None:
        self.visits = self.possible = 0
        self.sum = 0.0
        self.node = Node()


class Node:
    """What a seat has seen. ``edges``: what it can decide; ``seen``: what others decide, as it learns of it."""

    __slots__ = ("edges", "seen", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.edges: dict[Hashable, Edge] = {}
        self.seen: dict[Hashable, Node] = {}


class Names:
    """What options are called in trees. ``is_open``: nothing is hidden, so that all seats can share a tree; where
    nothing is left to chance either, an option is known by its number."""

    def __init__(self, game: Game, is_open: bool) -> None:
        self.game = game
        self.is_certain = is_open and not game.layout.streams
        self.trees = 1 if is_open else game.players
        self._unseen = knowledge_of(game.program).unseen
        self._heard: dict[Hashable, Hashable] = {}

    def of(self, position: Position) -> Sequence[Hashable]:
        """Of the options, for who decides. Of cards that it can't see it knows the place in the list alone."""
        return range(position.options) if self.is_certain else self.lasting(position)

    def lasting(self, position: Position) -> list[Hashable]:
        """What options are called wherever they stand, likewise."""
        site = position.site
        if self._unseen.get(site):
            return [(site, number) for number in range(position.options)]
        return [(site, answer) for answer in position.answers()]

    def taken(self, site: int, option: int, answer: Answer) -> Hashable:
        """What an option is called wherever it stands that was taken."""
        return (site, option) if self._unseen.get(site) else (site, answer)

    def heard(self, seat: int, site: int, answer: Answer) -> Hashable:
        """Of an option that was taken, for who looks on; None: they learn nothing."""
        key = seat, site, answer
        if key not in self._heard:
            event = redact(("choice", seat, site, *answer, None), 0 if seat else 1, self.game)
            self._heard[key] = None if event is UNHEARD else event
        return self._heard[key]


class Tried(NamedTuple):
    """An option of the decision that is searched: how often it was taken, what that came to for the seat in all, and
    the numbers of the options that are likely to follow."""

    option: int
    visits: int
    sum: float
    follows: tuple[int, ...]


class Growing(Contested, Protocol):
    """A tree, whoever grows it."""

    def grow(self, simulations: int) -> None:
        """So many simulations more."""

    def tried(self) -> list[Tried]:
        """The options that were taken, in their order."""
        ...


class Past:
    """How an option did for a seat, wherever it was taken."""

    __slots__ = ("sum", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.sum = 0.0


NEVER = Past()
"""Of an option that was not taken yet."""


class Tree:
    """``root``: of the seat that decides. ``past``: of each seat how options did, where that is kept."""

    def __init__(self, setup: Setup, is_open: bool) -> None:
        self.setup = setup
        self.names = Names(setup.game, is_open)
        self.roots = [Node() for _ in range(self.names.trees)]
        position, _ = setup.begin(0)
        self.past = [dict[Hashable, Past]() for _ in range(setup.game.players)] if position.options > LONG else []
        self.keys = self.names.of(position)
        self.root = self.roots[setup.seat if len(self.roots) > 1 else 0]

    def grow(self, simulations: int) -> None:
        for _ in range(simulations):
            self.simulate(self.setup.made)

    def among(self, options: Sequence[int], first: int, simulations: int) -> None:
        for done in range(simulations):
            self.simulate(first + done // len(options), options[done % len(options)])

    def totals(self) -> Totals:
        edges = ((option, self.root.edges.get(key)) for option, key in enumerate(self.keys))
        return {option: (edge.visits, edge.sum) for option, edge in edges if edge is not None and edge.visits}

    def tried(self) -> list[Tried]:
        found = []
        for option, key in enumerate(self.keys):
            edge = self.root.edges.get(key)
            if edge is not None and edge.visits:
                follows = tuple(_likely(edge.node)) if self.names.is_certain else ()
                found.append(Tried(option, edge.visits, edge.sum, follows))
        return found

    def simulate(self, number: int, first: int | None = None) -> None:
        """One simulation more, of this number. ``first``: the option that is tried of the decision that is searched.
        Where the tree chooses it, it is tried in the simulation whose number is how often it was before, or where the
        list is long in that of this number."""
        setup = self.setup
        position, cell = setup.begin(number)
        path: list[tuple[Edge, int]] = []
        try:
            if first is None:
                keys = self.names.of(position)
                first, _ = self._choose(self.root, keys, self.root.visits + 1, position, cell)
                position, cell = setup.begin(number if self.past else self.root.edges[keys[first]].visits)
            position.taken = [] if self.past else None
            cell = self._descend(position, cell, path, first)
            values = setup.finish(position, cell)
            self._remember(position, values)
        except Exception:  # of generated code: in a world that can't be, or of rules that go wrong there
            values = setup.even()
        for edge, seat in path:
            edge.visits += 1
            edge.sum += values[seat]

    def _remember(self, position: Position, values: Values) -> None:
        """How options did that were taken, where that is kept."""
        for seat, site, option, answer in position.taken or ():
            past = self.past[seat].setdefault(self.names.taken(site, option, answer), Past())
            past.visits += 1
            past.sum += values[seat]

    def _descend(self, position: Position, cell: int, path: list[tuple[Edge, int]], first: int) -> int:
        """Go down from an option to where the tree ends, and one option further; the stream's next cell."""
        at = self.roots[:]
        several = len(at) > 1
        is_new = False
        while not (position.over or is_new):
            seat = position.seat
            node = at[seat if several else 0]
            node.visits += 1
            keys = self.names.of(position)
            if path:
                option, cell = self._choose(node, keys, node.visits, position, cell)
            else:
                option = first
                self._branch(node, keys[first])
            edge = node.edges[keys[option]]
            is_new = not edge.visits
            path.append((edge, seat))
            if several:
                at[seat] = edge.node
                self._tell(at, seat, position, option)
            else:
                at[0] = edge.node
            position.take(option)
        return cell

    def _choose(
        self, node: Node, keys: Sequence[Hashable], visits: int, position: Position, cell: int
    ) -> tuple[int, int]:
        """The option to try on this visit, and the stream's next cell."""
        option, more = self._best(node, keys, visits)
        if more:
            cell = (cell * FACTOR + STEP) & MASK
            new = self._new(position, node, keys, cell)
            option = new if new >= 0 else option
        return option, cell

    def _best(self, node: Node, keys: Sequence[Hashable], visits: int) -> tuple[int, bool]:
        """The option to try again, and whether rather another, if there is one."""
        setup, edges = self.setup, node.edges
        low, width = setup.low, setup.high - setup.low
        best, found, known = -1.0, -1, 0
        for option, key in enumerate(keys):
            edge = edges.get(key)
            if edge is None:
                continue
            known += 1
            edge.possible += 1
            tries = edge.visits or 1  # none yet where the rules went wrong
            value = (edge.sum / tries - low) / width if width > 0 else 0.5
            value += EXPLORE * sqrt(logarithm(edge.possible) / tries)
            if value > best:
                best, found = value, option
        return found, known < len(keys) and (known < FEW or known * known < (visits if self.past else 4 * visits))

    def _new(self, position: Position, node: Node, keys: Sequence[Hashable], cell: int) -> int:
        """An option that was not tried yet, by how they did or as chance decides; -1: there is none that is ever
        taken."""
        every = weights(position, self.setup.guidance)
        left = [0 if key in node.edges else weight for key, weight in zip(keys, every, strict=True)]
        if not any(left):
            return -1
        option = self._promising(position, left, cell) if self.past else pick(left, cell)
        self._branch(node, keys[option])
        return option

    def _promising(self, position: Position, weights: Sequence[int], cell: int) -> int:
        """The option that did best wherever it was taken, in proportion to its weight, each with one try more that came
        to the middle; of equals the next one behind where chance points."""
        low, width = self.setup.low, self.setup.high - self.setup.low
        past, keys = self.past[position.seat], self.names.lasting(position)

        def worth(option: int) -> float:
            known = past.get(keys[option], NEVER)
            mean = (known.sum - low * known.visits) / width if width > 0 else 0.5 * known.visits
            return weights[option] * ((mean + 0.5) / (known.visits + 1))

        first = (cell >> 32) * len(keys) >> 32
        best: int = max((*range(first, len(keys)), *range(first)), key=worth)
        return best

    def _branch(self, node: Node, key: Hashable) -> None:
        """An option gets its place, if it has none."""
        if key not in node.edges:
            node.edges[key] = edge = Edge()
            edge.possible = 1

    def _tell(self, at: list[Node], seat: int, position: Position, option: int) -> None:
        """Everybody else goes on to what they see of an option."""
        heard = self.names.heard(seat, position.site, position.answers()[option])
        if heard is None:
            return
        for other, node in enumerate(at):
            if other != seat:
                if heard not in node.seen:
                    node.seen[heard] = Node()
                at[other] = node.seen[heard]


def _likely(node: Node) -> Iterator[int]:
    """What is taken most often from here on, as long as it was taken more than once."""
    for _ in range(AHEAD):
        option, edge = max(node.edges.items(), key=lambda one: one[1].visits, default=(-1, NO_EDGE))
        if edge.visits < OFTEN:
            return
        assert isinstance(option, int)
        yield option
        node = edge.node


NO_EDGE = Edge()


def grown(tree: Growing, simulations: int) -> Iterator[Growing]:
    """A tree of so many simulations; what it is like after some of them."""
    for part in portions(simulations, STEPS):
        tree.grow(part)
        yield tree
