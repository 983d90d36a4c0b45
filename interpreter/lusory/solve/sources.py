"""Where drawn games come from: a tree that is at hand, or the engine."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Protocol, TypeVar

from ..game import Game
from ..table.events import Event, redacted
from ..table.setting import Forced
from ..table.state import State
from ..worlds.observed import observed
from .chance import Step, TooLarge, demand_time
from .tree import Choice, End, InformationSet, Knowing, Seat
from .zero_sum import NotForTwo, ZeroSum


class Table:
    """What is learned at an information set. ``likely``: the strategy now; ``sums``: of all strategies so far."""

    __slots__ = "likely", "regrets", "seat", "sums"

    def __init__(self, seat: int, options: int) -> None:
        self.seat = seat
        self.regrets = [0.0] * options
        self.sums = [0.0] * options
        self.likely = [1 / options] * options

    def learn(self, more: list[float]) -> None:
        """Of each option, how much better it would have been; each becomes as likely as it is regretted."""
        regrets, total = self.regrets, 0.0
        for option, one in enumerate(more):
            regrets[option] = one = one + regrets[option]
            if one > 0:
                total += one
        if total > 0:
            self.likely = [regret / total if regret > 0 else 0.0 for regret in regrets]
        else:
            self.likely = [1 / len(regrets)] * len(regrets)


@dataclass(slots=True)
class Place:
    """Where somebody decides, or, without a table, an end. ``worth``: what the first seat gets there, more or less than
    half."""

    table: Table | None
    worth: float


P = TypeVar("P", bound=Place)


class Source(Protocol[P]):
    """``tables``: for each of the information ``sets``; both may grow. ``middle``: half of what both get together; None
    until an end was seen."""

    sets: list[InformationSet]
    tables: list[Table]
    middle: float | None

    def start(self) -> P:
        """Where a new game begins."""

    def after(self, place: P, option: int) -> P:
        """Where an option leads to, with what chance does then."""


@dataclass(slots=True)
class Node(Place):
    """``behind``: what comes next; ``shares``: where chance decides, how likely it is up to each."""

    behind: list[Node] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)


class FromTree:
    """Games drawn from a tree."""

    def __init__(self, whole: ZeroSum, rnd: Random) -> None:
        self.sets = whole.tree.sets
        self.middle: float | None = whole.middle
        self.tables = [Table(one.seat, len(one.options)) for one in self.sets]
        self._random = rnd.random
        nodes: list[Node] = []
        for node in whole.tree.nodes:
            if isinstance(node, End):
                nodes.append(Node(None, node.payoffs[0] - whole.middle))
                continue
            behind = [nodes[number] for number in node.nodes]
            if isinstance(node, Choice):
                nodes.append(Node(self.tables[node.set], 0.0, behind))
            else:
                nodes.append(Node(None, 0.0, behind, list(accumulate(node.chances))))
        self._root = nodes[whole.tree.root]

    def start(self) -> Node:
        """Where a new game begins."""
        return self._drawn(self._root) if self._root.shares else self._root

    def after(self, place: Node, option: int) -> Node:
        """Where an option leads to."""
        found = place.behind[option]
        return self._drawn(found) if found.shares else found

    def _drawn(self, place: Node) -> Node:
        while place.shares:
            place = place.behind[bisect(place.shares, self._random(), 0, len(place.shares) - 1)]
        return place


@dataclass(slots=True)
class Position(Place):
    """``seats``: what each knows; ``number``: of the information set of who decides."""

    state: State
    seats: tuple[Seat, ...]
    number: int = -1


class FromEngine:
    """Games of the engine as ``chance`` decides, of which nothing is kept but what is learned. Raises NotForTwo, and
    TooLarge beyond ``most`` information sets."""

    def __init__(self, game: Game, most: int, chance: Forced, until: float | None = None) -> None:
        if game.players != 2:
            raise NotForTwo(f"it is for {game.players}")
        self.game, self.most, self.until = game, most, until
        self.sets: list[InformationSet] = []
        self.tables: list[Table] = []
        self.middle: float | None = None
        self._chance = chance
        self._numbers: dict[Hashable, int] = {}
        self._knowing = Knowing()

    def start(self) -> Position:
        """Where a new game begins."""
        return self._after(lambda log, chance: self.game.start(0, log, chance), (Seat(0, None), Seat(0, None)))

    def after(self, place: Position, option: int) -> Position:
        """Where an option leads to."""
        own = self.sets[place.number].seat
        known = place.seats[own]._replace(last=(place.number, option))
        seats = (*place.seats[:own], known, *place.seats[own + 1 :])
        return self._after(lambda log, chance: self.game.apply(place.state, option, log, chance), seats)

    def _after(self, step: Step, seats: tuple[Seat, ...]) -> Position:
        demand_time(self.until)
        log: list[Event] = []
        state = step(log, self._chance)
        decision = self.game.decision(state)
        if decision is None:
            return Position(None, self._worth(state), state, seats)
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redacted(log, number, self.game)))
            for number, seat in enumerate(seats)
        )
        number = self._set(state, decision.seat, seats[decision.seat])
        return Position(self.tables[number], 0.0, state, seats, number)

    def _worth(self, state: State) -> float:
        outcome = self.game.outcome(state)
        assert outcome is not None
        middle = sum(outcome.payoffs) / 2
        if self.middle is None:
            self.middle = middle
        if abs(middle - self.middle) > 1e-9:
            raise NotForTwo("what both get together differs from end to end")
        return outcome.payoffs[0] - middle

    def _set(self, state: State, seat: int, knows: Seat) -> int:
        view = self.game.view(state, seat)
        key = seat, knows.knows, observed(view, ())
        if key not in self._numbers:
            if len(self.sets) >= self.most:
                raise TooLarge(f"more than {self.most:,} information sets")
            decision = self.game.decision(state)
            assert decision is not None
            self._numbers[key] = len(self.sets)
            ids = tuple(self.game.option_ids(state, decision))
            self.sets.append(InformationSet(seat, ids, knows.last, self._knowing.told[knows.knows]))
            self.tables.append(Table(seat, len(ids)))
        return self._numbers[key]
