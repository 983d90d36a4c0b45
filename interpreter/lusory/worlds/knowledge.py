"""What a seat has learned in a game, and worlds that agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..game import Game
from ..seat.view import View
from ..table import chance
from ..table.events import Event
from ..table.state import State
from .cards import dealt
from .following import Follower, Particle
from .fortune import Fortune
from .observed import Observed, observed

PARTICLES = 8


class World(NamedTuple):
    """A position that a seat takes for possible, to be played on: its random streams are its own. ``exact``: it agrees
    with all that the seat was told and shown; else with what it sees now, as far as could be. ``weight``: how likely it
    is beside others."""

    state: State
    exact: bool
    weight: float = 1.0


class Knowledge:
    """What one seat has learned since the game began. Plain data beside the ``game``, which is no part of it: a pickled
    one is handed its game again with :meth:`at`."""

    def __init__(self, game: Game, seat: int) -> None:
        self.seat = seat
        self.steps: list[Observed] = []
        self.particles: list[Particle] = []
        self.at(game)

    def at(self, game: Game) -> Knowledge:
        """The same knowledge, with its game."""
        self.game = game = game.in_code
        self.follower = Follower(game, self.seat)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("game", "follower")}

    def copy(self) -> Knowledge:
        """Knowledge that goes on by itself."""
        other = Knowledge.__new__(Knowledge)
        other.__dict__.update(self.__dict__)
        other.steps, other.particles = self.steps[:], self.particles[:]
        return other

    def learn(self, view: View, events: Sequence[Event]) -> None:
        """Take in a step: what the seat sees after a decision (or when the game begins), and what it was told since the
        one before, as :func:`lusory.table.events.redacted` gives it. Raises ValueError for the view of another seat."""
        if view.seat != self.seat:
            raise ValueError("that is what another seat sees")
        seen = observed(view, events)
        self.steps.append(seen)
        fortune = Fortune(len(self.steps), f"seat {self.seat}")
        if len(self.steps) == 1:
            found = [self.follower.begun(seen, fortune) for _ in range(PARTICLES)]
            self.particles = [one for one in found if one is not None]
            return
        self.particles = [
            one
            for particle in self.particles
            if (one := next(self.follower.followed(particle, seen, fortune), None)) is not None
        ]

    def worlds(self, n: int, stream: int) -> list[World]:
        """``n`` worlds, drawn with the numbers that follow from ``stream``: the same stream gives the same ones."""
        fortune = Fortune(stream, "worlds")
        return [self._world(fortune) for _ in range(n)]

    def _world(self, fortune: Fortune) -> World:
        particle = self.particles[fortune.below(len(self.particles))]
        layout = self.game.layout
        state = dealt(layout, particle.state, particle.loose, frozenset(), [False] * layout.zone_count, fortune)
        seed = fortune.number()
        for name, cell in layout.streams.items():
            state.cells[cell] = chance.seed(seed, name)
        return World(state, particle.exact)
