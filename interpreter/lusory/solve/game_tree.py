"""All that chance can do in one step, one thing after the other; or one thing, drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import factorial, prod
from random import Random
from time import monotonic
from typing import Any, NamedTuple, Protocol

from ..belief.observation import observe
from ..game import Game
from ..state.event_log import Event, PhaseBegan, ZoneShuffled, describe, redacted
from ..state.setting import Draw, Forced
from ..state.state import State

MOST_CARDS = 8
"""A shuffle of more has too many outcomes to go through."""

Step = Callable[[list[Event] | None, Forced], State]
"""A step of a game: it is told to a log, where somebody listens, and asks how chance decides."""

Told = Callable[[], list[Event]]
"""What is told of a step, which is done once more for that."""


class TooLarge(Exception):
    """A game has more positions than are gone through; the words say of what."""


class OutOfTime(TooLarge):
    """It takes longer than was allowed."""


def demand_time(until: float | None) -> None:
    """Raises OutOfTime from that moment on; None: there is time."""
    if until is not None and monotonic() >= until:
        raise OutOfTime("it takes longer than was allowed")


class _Branches(Forced):
    """Chance that takes branches by their numbers, and then the first. ``widths``: how many there were each time;
    ``large``: what has too many."""

    def __init__(self, branches: Sequence[int]) -> None:
        super().__init__()
        self.branches = branches
        self.widths: list[int] = []
        self.large = ""

    def _branch(self, width: int) -> int:
        at = len(self.widths)
        self.widths.append(width)
        return self.branches[at] if at < len(self.branches) else 0

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """One of the items."""
        return (items[self._branch(len(items))],)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """One of all orders."""
        if len(cards) > MOST_CARDS:
            self.large = (
                f"a shuffle of {len(cards)} cards"  # an engine would take what is raised here for its own fault
            )
            return (tuple(cards),)
        left, number, found = list(cards), self._branch(factorial(len(cards))), []
        for size in range(len(cards), 0, -1):
            at, number = divmod(number, factorial(size - 1))
            found.append(left.pop(at))
        return (tuple(found),)


class Drawn(Forced):
    """Chance that a generator of numbers decides."""

    def __init__(self, rnd: Random) -> None:
        super().__init__()
        self.rnd = rnd

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """One of the items."""
        return (self.rnd.choice(items),)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Any order."""
        return (tuple(self.rnd.sample(list(cards), len(cards))),)


def outcomes(step: Step) -> Iterator[tuple[float, State, Told]]:
    """Each way in which a step can go: how likely it is, what it leads to, and what is told. Raises TooLarge."""
    branches: list[int] = []
    while True:
        chance = _Branches(branches)
        state = step(None, chance)
        if chance.large:
            raise TooLarge(chance.large)
        yield 1 / prod(chance.widths), state, partial(_told, step, tuple(branches))
        branches += [0] * (len(chance.widths) - len(branches))
        while branches and branches[-1] + 1 >= chance.widths[len(branches) - 1]:
            branches.pop()
        if not branches:
            return
        branches[-1] += 1


def _told(step: Step, branches: Sequence[int]) -> list[Event]:
    log: list[Event] = []
    step(log, _Branches(branches))
    return log


MOST = 400_000
"""Positions that are gone through, if nobody says otherwise."""


@dataclass
class InformationSet:
    """``options``: what an author types for each; ``before``: the set and option of the same seat that come before;
    ``told``: what it was told."""

    seat: int
    options: tuple[str, ...]
    before: tuple[int, int] | None
    told: tuple[Event, ...]


class End(NamedTuple):
    """A game that is over: what each seat gets."""

    payoffs: tuple[float, ...]


class Lot(NamedTuple):
    """Chance decides: how likely each node is."""

    chances: tuple[float, ...]
    nodes: tuple[int, ...]


class Choice(NamedTuple):
    """A seat decides: the number of its information set, and the node behind each option."""

    set: int
    nodes: tuple[int, ...]


Node = End | Lot | Choice


class Seat(NamedTuple):
    """What a seat knows on the way down: a number for all it was told, and its last decision."""

    knows: int
    last: tuple[int, int] | None


class Knowing:
    """Numbers for what seats were told, the same for the same."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self.told: list[tuple[Event, ...]] = [()]

    def number(self, before: int, told: Sequence[Event]) -> int:
        """For what was told before and now."""
        if not told:
            return before
        key = before, tuple(told)
        if key not in self._numbers:
            self._numbers[key] = len(self.told)
            self.told.append((*self.told[before], *told))
        return self._numbers[key]


class Tree:
    """Of a game of the compiled engine. Nodes stand behind those they lead to; the last one is the root. Raises
    TooLarge beyond ``most`` positions."""

    def __init__(self, game: Game, most: int = MOST, until: float | None = None) -> None:
        self.game, self.most, self.until = game, most, until
        self.nodes: list[Node] = []
        self.sets: list[InformationSet] = []
        self.positions = 0
        self._numbers: dict[Node, int] = {}
        self._sets: dict[Hashable, int] = {}
        self._knowing = Knowing()
        seats = tuple(Seat(0, None) for _ in range(game.players))
        self.root = self._step(lambda log, chance: game.start(0, log, chance), seats)

    def _node(self, node: Node) -> int:
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def _step(self, step: Step, seats: tuple[Seat, ...]) -> int:
        """All that can come of a step."""
        found: dict[int, float] = {}
        for chance, state, told in outcomes(step):
            node = self._at(state, told, seats)
            found[node] = found.get(node, 0.0) + chance
        if len(found) == 1:
            return next(iter(found))
        return self._node(Lot(tuple(found.values()), tuple(found)))

    def _at(self, state: State, told: Told, seats: tuple[Seat, ...]) -> int:
        """The node of a position."""
        game = self.game
        demand_time(self.until)
        self.positions += 1
        if self.positions > self.most:
            raise TooLarge(f"more than {self.most:,} positions")
        decision = game.decision(state)
        if decision is None:
            outcome = game.outcome(state)
            assert outcome is not None
            return self._node(End(tuple(map(float, outcome.payoffs))))
        log = told()
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redacted(log, number, game)))
            for number, seat in enumerate(seats)
        )
        mine = seats[decision.seat]
        number = self._set(state, decision.seat, mine)
        children = []
        for option in range(len(decision.options)):
            after = (*seats[: decision.seat], mine._replace(last=(number, option)), *seats[decision.seat + 1 :])
            children.append(
                self._step(lambda log, chance, option=option: game.apply(state, option, log, chance), after)  # type: ignore[misc]
            )
        return self._node(Choice(number, tuple(children)))

    def _set(self, state: State, seat: int, knows: Seat) -> int:
        game = self.game
        view = game.view(state, seat)
        key: Any = seat, knows.knows, observe(view, ())
        if key not in self._sets:
            decision = game.decision(state)
            assert decision is not None
            self._sets[key] = len(self.sets)
            ids = tuple(game.option_ids(state, decision))
            self.sets.append(InformationSet(seat, ids, knows.last, self._knowing.told[knows.knows]))
        return self._sets[key]

    def words(self, number: int) -> str:
        """What a seat was told, in words."""
        found = self.sets[number]
        return told_words(self.game, found.seat, found.told)


def told_words(game: Game, seat: int, told: Sequence[Event]) -> str:
    """What a seat was told, in words: not which phases came, nor what was only shuffled."""
    words = (describe(event, game, seat) for event in told if not isinstance(event, PhaseBegan | ZoneShuffled))
    return "; ".join(filter(None, words))


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


CHANCE, END = 2, 3
"""Who decides where no seat does."""


EVEN, LAST = (0.5, 0.5), (0.0, 1.0)
"""What becomes of two options, neither of which is regretted, or only the last."""


class Table:
    """What is learned at an information set. ``likely``: the strategy now; ``sums``: of all strategies so far."""

    __slots__ = "likely", "regrets", "seat", "sums"

    def __init__(self, seat: int, options: int) -> None:
        self.seat = seat
        self.regrets = [0.0] * options
        self.sums = [0.0] * options
        self.likely: Sequence[float] = (1 / options,) * options

    def learn(self, values: Sequence[float], here: float, times: int) -> None:
        """How much better than ``here`` each option would have been, so many times; each becomes as likely as it is
        regretted."""
        regrets, total = self.regrets, 0.0
        for option, value in enumerate(values):
            regrets[option] = one = times * (value - here) + regrets[option]
            if one > 0:
                total += one
        if total > 0:
            self.likely = [regret / total if regret > 0 else 0.0 for regret in regrets]
        else:
            self.likely = [1 / len(regrets)] * len(regrets)

    def learn_two(self, first: float, second: float) -> None:
        """The same of two options, as most have, without loops."""
        regrets = self.regrets
        regrets[0] = first = first + regrets[0]
        regrets[1] = second = second + regrets[1]
        if first > 0:
            total = first + second if second > 0 else first
            self.likely = first / total, (second / total if second > 0 else 0.0)
        else:
            self.likely = EVEN if second <= 0 else LAST


NOTHING = Table(END, 1)
"""What is learned where no seat decides."""


@dataclass(slots=True)
class Place:
    """``decides``: a seat, CHANCE or END. ``worth``: of an end, what the first seat gets, more or less than half.
    ``behind``: what comes next; ``shares``: where chance decides, how likely it is up to each."""

    decides: int
    table: Table = NOTHING
    worth: float = 0.0
    behind: Sequence[Place] = ()
    shares: Sequence[float] = ()


class Source(Protocol):
    """``tables``: for each of the information ``sets``; both may grow. ``middle``: half of what both get together; None
    until an end was seen."""

    sets: list[InformationSet]
    tables: list[Table]
    middle: float | None

    def start(self) -> Place:
        """Where a new game begins."""


class FromTree:
    """Games drawn from a tree."""

    def __init__(self, whole: ZeroSum) -> None:
        self.sets = whole.tree.sets
        self.middle: float | None = whole.middle
        self.tables = [Table(one.seat, len(one.options)) for one in self.sets]
        places: list[Place] = []
        for node in whole.tree.nodes:
            if isinstance(node, End):
                places.append(Place(END, worth=node.payoffs[0] - whole.middle))
                continue
            behind = tuple([places[number] for number in node.nodes])
            if isinstance(node, Choice):
                table = self.tables[node.set]
                places.append(Place(table.seat, table, behind=behind))
            else:
                places.append(Place(CHANCE, behind=behind, shares=tuple(accumulate(node.chances))))
        self._root = places[whole.tree.root]

    def start(self) -> Place:
        """Where a new game begins."""
        return self._root


@dataclass(slots=True)
class Position(Place):
    """``seats``: what each knows; ``number``: of the information set of who decides."""

    state: State | None = None
    seats: tuple[Seat, ...] = ()
    number: int = -1


@dataclass(slots=True)
class _Behind(Sequence[Place]):
    """What comes next, played by the engine when it is asked for."""

    source: FromEngine
    place: Position

    def __getitem__(self, option: Any) -> Any:
        return self.source.after(self.place, option)

    def __iter__(self) -> Iterator[Place]:
        return map(self.__getitem__, range(len(self)))

    def __len__(self) -> int:
        return len(self.place.table.likely)


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
        state = place.state
        assert state is not None, "an end has nothing behind it"
        return self._after(lambda log, chance: self.game.apply(state, option, log, chance), seats)

    def _after(self, step: Step, seats: tuple[Seat, ...]) -> Position:
        demand_time(self.until)
        log: list[Event] = []
        state = step(log, self._chance)
        decision = self.game.decision(state)
        if decision is None:
            return Position(END, worth=self._worth(state))
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redacted(log, number, self.game)))
            for number, seat in enumerate(seats)
        )
        number = self._set(state, decision.seat, seats[decision.seat])
        found = Position(decision.seat, self.tables[number], state=state, seats=seats, number=number)
        found.behind = _Behind(self, found)
        return found

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
        key = seat, knows.knows, observe(view, ())
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
