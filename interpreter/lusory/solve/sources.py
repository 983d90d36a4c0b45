"""Where drawn games come from: a tree that is at hand, or the engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from ..belief.observation import observe
from ..game import Game
from ..table.events import Event, redacted
from ..table.setting import Forced
from ..table.state import State
from .chance import Step, TooLarge, demand_time
from .tree import Choice, End, InformationSet, Knowing, Seat
from .zero_sum import NotForTwo, ZeroSum

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
