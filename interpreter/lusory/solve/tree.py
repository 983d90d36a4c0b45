"""The whole tree of a small game with secrets: every decision, what chance can do, and what each seat knows there.

What a seat knows is what it was told since the game began and what it sees; decisions at which a seat knows the same
are one *information set*. Subtrees that are alike are one node: what lies undealt at the bottom of a deck makes no
difference.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..belief.observation import observe
from ..game import Game
from ..table.events import Event, PhaseBegan, ZoneShuffled, describe, redacted
from ..table.state import State
from .chance import Step, Told, TooLarge, demand_time, outcomes

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
