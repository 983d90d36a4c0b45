"""Build the game tree of a small game, enumerate or sample chance, and compute exploitability.

:class:`Tree` holds the whole tree. :class:`ZeroSum` evaluates strategies on it. :class:`TreeSource` and
:class:`EngineSource` provide games for Monte Carlo CFR.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import factorial, prod
from random import Random
from time import monotonic
from typing import Any, NamedTuple, Protocol

from ..belief.observation_and_matching import observe
from ..game import Game
from ..state.events_redaction_and_text import Event, PhaseBegan, ZoneShuffled, describe, redact_log
from ..state.setting_value_limits_builtins_and_names import Draw, ForcedChance
from ..state.state import State

MOST_CARDS = 8
"""Maximum number of cards in a shuffle whose orders are enumerated."""

Step = Callable[[list[Event] | None, ForcedChance], State]
"""Function that takes a step of a game. Its arguments are an optional log for events, and the source of chance."""

EventReader = Callable[[], list[Event]]
"""Function that repeats a step and returns its events."""


class TooLarge(Exception):
    """Error: a game has more positions than the limit. The message names the limit."""


class OutOfTime(TooLarge):
    """Error: the time limit is reached."""


def check_time(until: float | None) -> None:
    """Raise OutOfTime at or after the time ``until``, in seconds of ``time.monotonic``. None means no limit."""
    if until is not None and monotonic() >= until:
        raise OutOfTime("the time limit is too short")


class _Branches(ForcedChance):
    """Source of chance that follows given branches, then takes the first one each time.

    ``widths`` records the number of branches at each random event. ``large`` names a shuffle that has too many.
    """

    def __init__(self, branches: Sequence[int]) -> None:
        super().__init__()
        self.branches = branches
        self.widths: list[int] = []
        self.large = ""

    def _branch(self, width: int) -> int:
        at = len(self.widths)
        self.widths.append(width)
        return self.branches[at] if at < len(self.branches) else 0

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """Return the item of the branch in a tuple, and record the number of items in ``widths``."""
        return (items[self._branch(len(items))],)

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Return the order of the branch in a tuple of one, and record the number of orders in ``widths``.

        For three cards this number is 6. The first branch keeps the order of ``cards``. For more than
        :data:`MOST_CARDS` cards, set ``large`` to a text such as ``a shuffle of 9 cards``, record nothing, and return
        the cards as they are.
        """
        if len(cards) > MOST_CARDS:
            # An engine would report an exception raised here as its own fault.
            self.large = f"a shuffle of {len(cards)} cards"
            return (tuple(cards),)
        remaining, number, order = list(cards), self._branch(factorial(len(cards))), []
        for size in range(len(cards), 0, -1):
            at, number = divmod(number, factorial(size - 1))
            order.append(remaining.pop(at))
        return (tuple(order),)


class SampledChance(ForcedChance):
    """Source of chance that uses a random generator."""

    def __init__(self, rnd: Random) -> None:
        super().__init__()
        self.rnd = rnd

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """Return a random item in a tuple."""
        return (self.rnd.choice(items),)

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Return all cards in a random order, in a tuple of one. ``cards`` stays unchanged."""
        return (tuple(self.rnd.sample(list(cards), len(cards))),)


def merge_outcomes(step: Step) -> Iterator[tuple[float, State, EventReader]]:
    """Yield every outcome of chance in a step: its probability, the state, and a function that returns the step's
    events.

    The results of a draw are equally likely, and so are the orders of a shuffle. The first result of each draw comes
    first; the last draw varies fastest. The probabilities sum to 1, and a step without chance has a single outcome.
    Equal states are not merged. ``step`` runs once for each outcome, and again for its events. Raise TooLarge for a
    shuffle of more than :data:`MOST_CARDS` cards.
    """
    branches: list[int] = []
    while True:
        chance = _Branches(branches)
        state = step(None, chance)
        if chance.large:
            raise TooLarge(chance.large)
        yield 1 / prod(chance.widths), state, partial(_replay_events, step, tuple(branches))
        branches += [0] * (len(chance.widths) - len(branches))
        while branches and branches[-1] + 1 >= chance.widths[len(branches) - 1]:
            branches.pop()
        if not branches:
            return
        branches[-1] += 1


def _replay_events(step: Step, branches: Sequence[int]) -> list[Event]:
    log: list[Event] = []
    step(log, _Branches(branches))
    return log


MAX_POSITIONS = 400_000
"""Default limit of positions."""


@dataclass
class InformationSet:
    """Information set of a seat.

    Attributes:
        options: The ids of the options.
        before: Number of the preceding information set of the same seat and the option taken there, or None if there is
            none.
        observations: The events that the seat has observed since the start, in order.
    """

    seat: int
    options: tuple[str, ...]
    before: tuple[int, int] | None
    observations: tuple[Event, ...]


class End(NamedTuple):
    """Terminal node, with the payoff of each seat."""

    payoffs: tuple[float, ...]


class ChanceNode(NamedTuple):
    """Chance node: the probability of each child node."""

    chances: tuple[float, ...]
    nodes: tuple[int, ...]


class Choice(NamedTuple):
    """Decision node: the number of its information set, and the child node for each option."""

    set: int
    nodes: tuple[int, ...]


Node = End | ChanceNode | Choice


class SeatKnowledge(NamedTuple):
    """Knowledge of a seat on a path of the tree: a number for its observations, and its last decision."""

    knows: int
    last: tuple[int, int] | None


class ObservationTable:
    """Table that numbers sequences of observations. The empty sequence has the number 0.

    ``observations`` holds the sequence of each number.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self.observations: list[tuple[Event, ...]] = [()]

    def number(self, prefix: int, observations: Sequence[Event]) -> int:
        """Return the number of the sequence with the number ``prefix``, extended by further events.

        ``prefix`` must be 0, the empty sequence, or a number that was returned before. Without further events, the
        result is ``prefix``. A new sequence gets the next free number, from 1, and all its events, as a tuple, are
        appended to :attr:`observations`. Sequences are told apart by how they were extended: the same events in one
        extension and in two get different numbers.
        """
        if not observations:
            return prefix
        key = prefix, tuple(observations)
        if key not in self._numbers:
            self._numbers[key] = len(self.observations)
            self.observations.append((*self.observations[prefix], *observations))
        return self._numbers[key]


class Tree:
    """Game tree of a game on the compiled engine.

    Children stand before their parents in ``nodes``, and the root, whose number is ``root``, is last. Equal nodes are
    shared. ``sets`` holds the information sets, each before those that follow it, and ``positions`` counts the
    positions visited. Raise TooLarge beyond ``most`` positions, and OutOfTime at the time ``until`` of
    ``time.monotonic``.
    """

    def __init__(self, game: Game, most: int = MAX_POSITIONS, until: float | None = None) -> None:
        self.game, self.most, self.until = game, most, until
        self.nodes: list[Node] = []
        self.sets: list[InformationSet] = []
        self.positions = 0
        self._numbers: dict[Node, int] = {}
        self._sets: dict[Hashable, int] = {}
        self._knowing = ObservationTable()
        seats = tuple(SeatKnowledge(0, None) for _ in range(game.players))
        self.root = self._step(lambda log, chance: game.start(0, log, chance), seats)

    def _node(self, node: Node) -> int:
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def _step(self, step: Step, seats: tuple[SeatKnowledge, ...]) -> int:
        """Return the node after a step: a chance node if several nodes can follow."""
        probabilities: dict[int, float] = {}
        for chance, state, read_events in merge_outcomes(step):
            node = self._at(state, read_events, seats)
            probabilities[node] = probabilities.get(node, 0.0) + chance
        if len(probabilities) == 1:
            return next(iter(probabilities))
        return self._node(ChanceNode(tuple(probabilities.values()), tuple(probabilities)))

    def _at(self, state: State, read_events: EventReader, seats: tuple[SeatKnowledge, ...]) -> int:
        """Return the node of a position."""
        game = self.game
        check_time(self.until)
        self.positions += 1
        if self.positions > self.most:
            raise TooLarge(f"more than {self.most:,} positions")
        decision = game.decision(state)
        if decision is None:
            outcome = game.outcome(state)
            assert outcome is not None
            return self._node(End(tuple(map(float, outcome.payoffs))))
        log = read_events()
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redact_log(log, number, game)))
            for number, seat in enumerate(seats)
        )
        mine = seats[decision.seat]
        number = self._set(state, decision.seat, mine)
        children = []
        for option in range(len(decision.options)):
            next_seats = (*seats[: decision.seat], mine._replace(last=(number, option)), *seats[decision.seat + 1 :])
            children.append(
                self._step(lambda log, chance, option=option: game.apply(state, option, log, chance), next_seats)  # type: ignore[misc]
            )
        return self._node(Choice(number, tuple(children)))

    def _set(self, state: State, seat: int, knows: SeatKnowledge) -> int:
        game = self.game
        view = game.view(state, seat)
        key: Any = seat, knows.knows, observe(view, ())
        if key not in self._sets:
            decision = game.decision(state)
            assert decision is not None
            self._sets[key] = len(self.sets)
            ids = tuple(game.option_ids(state, decision))
            self.sets.append(InformationSet(seat, ids, knows.last, self._knowing.observations[knows.knows]))
        return self._sets[key]

    def words(self, number: int) -> str:
        """Return what :func:`describe_events` returns for the observations of information set ``number``."""
        information_set = self.sets[number]
        return describe_events(self.game, information_set.seat, information_set.observations)


def describe_events(game: Game, seat: int, observations: Sequence[Event]) -> str:
    """Return a line for each observation that ``seat`` learns, separated by ``; ``. The text is empty if there are
    none.

    Beginnings of phases and shuffles are left out, and so are events that
    :func:`~lusory.state.events_redaction_and_text.describe` gives no line.
    """
    words = (describe(event, game, seat) for event in observations if not isinstance(event, PhaseBegan | ZoneShuffled))
    return "; ".join(filter(None, words))


Strategy = list[list[float]]
"""Probability of each option of each information set."""


class NotZeroSum(Exception):
    """Error: the game is not a two-player constant-sum game. The message says why."""


class ZeroSum:
    """Two-player game tree whose payoffs have a constant sum.

    ``middle`` is half of this sum. ``owner`` holds the seat of each information set. Raise NotZeroSum for another
    number of players, or if two endings have different sums.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        if tree.game.players != 2:
            raise NotZeroSum(f"it has {tree.game.players} players, not 2")
        sums = {round(sum(node.payoffs), 9) for node in tree.nodes if isinstance(node, End)}
        if len(sums) > 1:
            raise NotZeroSum("the sum of the payoffs differs from ending to ending")
        self.middle = sums.pop() / 2
        self.owner = [information_set.seat for information_set in tree.sets]

    def values(self, strategy: Strategy) -> list[float]:
        """Return the expected payoff of the first seat at each node, less ``middle``, if both follow the strategy.

        The result has one value for each node, in the order of ``tree.nodes``, where the root is last. ``strategy``
        holds, for each information set, the probability of each option.
        """
        node_values: list[float] = []
        for node in self.tree.nodes:
            match node:
                case End(payoffs=payoffs):
                    node_values.append(payoffs[0] - self.middle)
                case ChanceNode(chances=shares, nodes=nodes):
                    node_values.append(
                        sum([share * node_values[child] for share, child in zip(shares, nodes, strict=True)])
                    )
                case Choice(set=number, nodes=nodes):
                    shares = tuple(strategy[number])
                    node_values.append(
                        sum([share * node_values[child] for share, child in zip(shares, nodes, strict=True)])
                    )
        return node_values

    def reach(self, seat: int, strategy: Strategy) -> list[float]:
        """Return for each node the probability that chance and the other seat lead there (counterfactual reach).

        The result has the order of ``tree.nodes``, where the root is last. The decisions of ``seat`` count as certain,
        the root as 1: chances of 0.3 and 0.7 give ``[0.3, 0.7, 1.0]``. The reach of a node is summed over all paths to
        it, so that it may exceed 1.
        """
        nodes = self.tree.nodes
        reaches = [0.0] * len(nodes)
        reaches[self.tree.root] = 1.0
        for number in range(len(nodes) - 1, -1, -1):
            node_reach, node = reaches[number], nodes[number]
            if not node_reach or isinstance(node, End):
                continue
            if isinstance(node, ChanceNode):
                shares = node.chances
            else:
                shares = (1.0,) * len(node.nodes) if self.owner[node.set] == seat else tuple(strategy[node.set])
            for share, child in zip(shares, node.nodes, strict=True):
                reaches[child] += node_reach * share
        return reaches

    def value(self, strategy: Strategy) -> float:
        """Return the expected payoff of the first seat if both follow the strategy, in points of the game."""
        return self.values(strategy)[self.tree.root] + self.middle

    def exploitability(self, strategy: Strategy) -> float:
        """Return the average gain of both seats' best responses to the strategy; 0 in an equilibrium.

        It is half of NashConv (Lanctot and others, "A Unified Game-Theoretic Approach to Multiagent Reinforcement
        Learning", 2017), and equals the exploitability in OpenSpiel.
        """
        return sum(_BestResponse(self, seat, strategy).value for seat in (0, 1)) / 2


class _BestResponse:
    """Best response of a seat to a strategy. ``value`` is its payoff relative to ``middle``."""

    def __init__(self, game: ZeroSum, seat: int, strategy: Strategy) -> None:
        self.game, self.seat, self.strategy = game, seat, strategy
        self.reach = game.reach(seat, strategy)
        self.nodes_of_set: dict[int, list[int]] = {}
        for number, node in enumerate(game.tree.nodes):
            if isinstance(node, Choice) and game.owner[node.set] == seat:
                self.nodes_of_set.setdefault(node.set, []).append(number)
        self.values: dict[int, float] = {}
        self.best: dict[int, int] = {}
        self.value = self._compute_value(game.tree.root)

    def _compute_value(self, number: int) -> float:
        """Return the seat's expected payoff at a node, relative to ``middle``, if it plays its best response. It is
        cached.
        """
        if number in self.values:
            return self.values[number]
        node = self.game.tree.nodes[number]
        if isinstance(node, End):
            node_value = (node.payoffs[0] - self.game.middle) * (1 if self.seat == 0 else -1)
        elif isinstance(node, ChanceNode):
            node_value = sum(
                share * self._compute_value(child) for share, child in zip(node.chances, node.nodes, strict=True)
            )
        elif self.game.owner[node.set] == self.seat:
            node_value = self._compute_value(node.nodes[self._choose_option(node.set)])
        else:
            shares = self.strategy[node.set]
            node_value = sum(
                share * self._compute_value(child) for share, child in zip(shares, node.nodes, strict=True) if share
            )
        self.values[number] = node_value
        return node_value

    def _choose_option(self, number: int) -> int:
        """Return the best option of an information set, over all its nodes."""
        if number not in self.best:
            options = range(len(self.game.tree.sets[number].options))
            reaches_and_nodes = [(self.reach[at], self.game.tree.nodes[at]) for at in self.nodes_of_set[number]]
            choices = [(reach, node.nodes) for reach, node in reaches_and_nodes if isinstance(node, Choice)]
            worths = [
                sum([reach * self._compute_value(nodes[option]) for reach, nodes in choices]) for option in options
            ]
            self.best[number] = max(options, key=worths.__getitem__)
        return self.best[number]


CHANCE, END = 2, 3
"""Values of :attr:`Place.decides` where no seat decides."""


EVEN, LAST = (0.5, 0.5), (0.0, 1.0)
"""Strategies of two options if no regret is positive, and if only the last is."""


class Table:
    """Learned values of an information set.

    ``likely`` is the current strategy. ``sums`` is the weighted sum of all strategies so far.
    """

    __slots__ = "likely", "regrets", "seat", "sums"

    def __init__(self, seat: int, options: int) -> None:
        self.seat = seat
        self.regrets = [0.0] * options
        self.sums = [0.0] * options
        self.likely: Sequence[float] = (1 / options,) * options

    def learn(self, values: Sequence[float], current_value: float, times: int) -> None:
        """Add the regrets of all options with weight ``times``, and update the strategy ``likely`` by regret matching.

        ``values`` are the values of the options, ``current_value`` that of the current strategy. Regrets may be
        negative; such options get probability 0. If no regret is positive, all options become equally likely. ``sums``
        stays unchanged. In a new table, ``learn([1.0, 0.0], 0.5, 1)`` makes ``likely`` the list ``[1.0, 0.0]``.
        """
        regrets, total = self.regrets, 0.0
        for option, value in enumerate(values):
            regrets[option] = new_regret = times * (value - current_value) + regrets[option]
            if new_regret > 0:
                total += new_regret
        if total > 0:
            self.likely = [regret / total if regret > 0 else 0.0 for regret in regrets]
        else:
            self.likely = [1 / len(regrets)] * len(regrets)

    def learn_two(self, first: float, second: float) -> None:
        """Do what :meth:`learn` does for exactly two options, the most frequent case, without loops.

        The arguments are weighted regrets to add: ``times * (value - current_value)`` of each option. ``likely``
        becomes a tuple, not a list: 3.0 and 1.0 in a new table give ``(0.75, 0.25)``.
        """
        regrets = self.regrets
        regrets[0] = first = first + regrets[0]
        regrets[1] = second = second + regrets[1]
        if first > 0:
            total = first + second if second > 0 else first
            self.likely = first / total, (second / total if second > 0 else 0.0)
        else:
            self.likely = EVEN if second <= 0 else LAST


NOTHING = Table(END, 1)
"""Table for places where no seat decides."""


@dataclass(slots=True)
class Place:
    """Node of a sampled game.

    ``decides`` is a seat, CHANCE or END. ``payoff`` is the payoff of the first seat at an end, relative to half of the
    total. ``children`` holds the children, ``shares`` the cumulative probabilities of chance.
    """

    decides: int
    table: Table = NOTHING
    payoff: float = 0.0
    children: Sequence[Place] = ()
    shares: Sequence[float] = ()


class Source(Protocol):
    """Source of games for Monte Carlo CFR.

    ``tables`` has an entry for each of ``sets``; both may grow. ``middle`` is half of the total payoff, or None before
    the first game has ended.
    """

    sets: list[InformationSet]
    tables: list[Table]
    middle: float | None

    def start(self) -> Place:
        """Return the first place of a new game."""


class TreeSource:
    """Source that samples games from a tree."""

    def __init__(self, whole: ZeroSum) -> None:
        self.sets = whole.tree.sets
        self.middle: float | None = whole.middle
        self.tables = [Table(information_set.seat, len(information_set.options)) for information_set in self.sets]
        places: list[Place] = []
        for node in whole.tree.nodes:
            if isinstance(node, End):
                places.append(Place(END, payoff=node.payoffs[0] - whole.middle))
                continue
            behind = tuple([places[number] for number in node.nodes])
            if isinstance(node, Choice):
                table = self.tables[node.set]
                places.append(Place(table.seat, table, children=behind))
            else:
                places.append(Place(CHANCE, children=behind, shares=tuple(accumulate(node.chances))))
        self._root = places[whole.tree.root]

    def start(self) -> Place:
        """Return the place of the tree's root, the same for every game."""
        return self._root


@dataclass(slots=True)
class Position(Place):
    """Place in a game of the engine.

    ``seats`` holds their knowledge, ``number`` the information set of the seat that decides.
    """

    state: State | None = None
    seats: tuple[SeatKnowledge, ...] = ()
    number: int = -1


@dataclass(slots=True)
class _LazyChildren(Sequence[Place]):
    """Children of a position, which the engine computes on access."""

    source: EngineSource
    place: Position

    def __getitem__(self, option: Any) -> Any:
        return self.source.after(self.place, option)

    def __iter__(self) -> Iterator[Place]:
        return map(self.__getitem__, range(len(self)))

    def __len__(self) -> int:
        return len(self.place.table.likely)


class EngineSource:
    """Source that plays games on the engine with the source of ``chance``. It stores only tables, not positions.

    Raises NotZeroSum, and TooLarge beyond ``most`` information sets.
    """

    def __init__(self, game: Game, most: int, chance: ForcedChance, until: float | None = None) -> None:
        if game.players != 2:
            raise NotZeroSum(f"it has {game.players} players, not 2")
        self.game, self.most, self.until = game, most, until
        self.sets: list[InformationSet] = []
        self.tables: list[Table] = []
        self.middle: float | None = None
        self._chance = chance
        self._numbers: dict[Hashable, int] = {}
        self._knowing = ObservationTable()

    def start(self) -> Position:
        """Return the first place of a new game, after its setup with sampled chance: a decision or an end.

        Raise what :meth:`after` raises.
        """
        return self._after(
            lambda log, chance: self.game.start(0, log, chance), (SeatKnowledge(0, None), SeatKnowledge(0, None))
        )

    def after(self, place: Position, option: int) -> Position:
        """Return the place after an option of a decision, with sampled chance: the next decision or an end, never
        chance.

        Each call samples anew. Record a new information set in ``sets`` and ``tables``, and ``middle`` at the first
        end. Raise TooLarge beyond ``most`` information sets, NotZeroSum if the payoffs of two ends have different sums,
        and OutOfTime.
        """
        own = self.sets[place.number].seat
        knowledge = place.seats[own]._replace(last=(place.number, option))
        seats = (*place.seats[:own], knowledge, *place.seats[own + 1 :])
        state = place.state
        assert state is not None, "an end has nothing behind it"
        return self._after(lambda log, chance: self.game.apply(state, option, log, chance), seats)

    def _after(self, step: Step, seats: tuple[SeatKnowledge, ...]) -> Position:
        check_time(self.until)
        log: list[Event] = []
        state = step(log, self._chance)
        decision = self.game.decision(state)
        if decision is None:
            return Position(END, payoff=self._worth(state))
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redact_log(log, number, self.game)))
            for number, seat in enumerate(seats)
        )
        number = self._set(state, decision.seat, seats[decision.seat])
        position = Position(decision.seat, self.tables[number], state=state, seats=seats, number=number)
        position.children = _LazyChildren(self, position)
        return position

    def _worth(self, state: State) -> float:
        outcome = self.game.outcome(state)
        assert outcome is not None
        middle = sum(outcome.payoffs) / 2
        if self.middle is None:
            self.middle = middle
        if abs(middle - self.middle) > 1e-9:
            raise NotZeroSum("the sum of the payoffs differs from ending to ending")
        return outcome.payoffs[0] - middle

    def _set(self, state: State, seat: int, knows: SeatKnowledge) -> int:
        view = self.game.view(state, seat)
        key = seat, knows.knows, observe(view, ())
        if key not in self._numbers:
            if len(self.sets) >= self.most:
                raise TooLarge(f"more than {self.most:,} information sets")
            decision = self.game.decision(state)
            assert decision is not None
            self._numbers[key] = len(self.sets)
            ids = tuple(self.game.option_ids(state, decision))
            self.sets.append(InformationSet(seat, ids, knows.last, self._knowing.observations[knows.knows]))
            self.tables.append(Table(seat, len(ids)))
        return self._numbers[key]
