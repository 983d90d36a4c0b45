"""What the ways of searching share: worlds, chance of each simulation, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..game import Game
from ..table.chance import MASK, mix
from ..table.state import State
from .guidance import NONE, Guidance
from .positions import Position, Walker
from .worth import Values, Worth

LONGEST = 5_000
"""Decisions after which a game that is played on is valued where it is."""


def portions(simulations: int, first: int) -> Iterator[int]:
    """Parts of so many simulations after which something is told: each is as many as all before it, and the first so
    many."""
    made = 0
    while made < simulations:
        part = min(max(made, first), simulations - made)
        yield part
        made += part


class Setup:
    """A decision that is searched: ``worlds`` that agree with what the seat knows, in all of which it is asked the
    same, and where chance begins. ``low`` and ``high``: of all values that came, whoever's."""

    def __init__(self, game: Game, seat: int, worlds: Sequence[State], stream: int, guidance: Guidance = NONE) -> None:
        self.game, self.seat, self.worlds, self.stream, self.guidance = game, seat, worlds, stream, guidance
        self.walker = Walker(game, guidance)
        self.worth = Worth(game, guidance)
        self.horizon = LONGEST if guidance.horizon is None else guidance.horizon
        self.low, self.high = 0.0, 0.0
        self.made = 0
        self.failed = 0

    @property
    def options(self) -> int:
        """How many options the decision has."""
        asked = self.walker.asked(self.worlds[0])
        assert asked is not None
        return int(asked[1])

    def begin(self, number: int) -> tuple[Position, int]:
        """The position of a simulation, and its own chance: both follow from its number alone."""
        cell = mix((self.stream + number) & MASK)
        return self.walker.at(self.worlds[number % len(self.worlds)], cell)

    def finish(self, position: Position, cell: int) -> Values:
        """Play on, and tell what came of it."""
        return self.counted(self.end(position, cell))

    def end(self, position: Position, cell: int) -> Values:
        """What comes of it to play on."""
        if not position.over and self.horizon:
            position.play_on(cell, self.horizon)
        return self.worth.of(position)

    def counted(self, values: Values) -> Values:
        """One simulation more."""
        low, high = min(values), max(values)
        if not self.made:
            self.low, self.high = low, high
        elif low < self.low:
            self.low = low
        if high > self.high:
            self.high = high
        self.made += 1
        return values

    def even(self) -> Values:
        """What came of a simulation in which the rules went wrong: nothing for anybody."""
        self.failed += 1
        self.made += 1
        return ((self.low + self.high) / 2,) * self.game.players

    def scaled(self, value: float) -> float:
        """A value as a number from 0 to 1: the worst and the best that came."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
