"""Positions in the form in which a search goes on from them: changed in place, without events, checks or objects.

Generated functions of the compiled engine are called directly: see :class:`lusory.compile.Functions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compile import Functions
from ..game import Game
from ..table.chance import FACTOR, MASK, STEP, mix
from ..table.state import Asked, State
from .guidance import Guidance

Answer = tuple[int, tuple[Any, ...]]
"""An option: its alternative and values."""

Taken = tuple[int, int, int, Answer]
"""An option that was taken: the seat that decided, the choice, the number of the option, and what it is."""


class Position:
    """A game under way. ``over``: nobody is asked; else ``seat`` is, and has so many ``options``. ``taken``: where it
    is kept, the options that were."""

    __slots__ = ("asked", "c", "f", "guidance", "options", "over", "seat", "taken", "z")

    def __init__(
        self, f: Functions, cells: list[Any], zones: list[list[int]], guidance: Guidance, asked: Asked | None
    ) -> None:
        self.f, self.c, self.z, self.guidance = f, cells, zones, guidance
        self.taken: list[Taken] | None = None
        self._now(asked)

    def _now(self, asked: Asked | None) -> None:
        self.asked = asked
        self.over = asked is None
        if asked is not None:
            self.seat, self.options = asked[0], asked[1]

    @property
    def site(self) -> int:
        """The choice that is asked."""
        number: int = self.c[self.f.waits]
        return self.f.sites[number]

    def answers(self) -> Sequence[Answer]:
        """The options."""
        f, c = self.f, self.c
        c[f.visits] = f.most_visits
        found: list[Answer] = f.listers[c[f.waits]](c, self.z, self.asked)
        return found

    def take(self, option: int) -> None:
        """Go on. Raises what generated code raises."""
        if self.taken is not None:
            self.taken.append((self.seat, self.site, option, self.answers()[option]))
        f, c, z = self.f, self.c, self.z
        c[f.until], c[f.visits] = c[f.work] + f.decision, f.most_visits
        after: Any = f.resumes[c[f.waits]](c, z, option, self.asked)
        while after.__class__ is int:
            after = f.blocks[after](c, z)
        self._now(after)

    def play_on(self, cell: int, most: int) -> int:
        """Go on at random until the end, or for at most so many decisions; the stream's next cell. Of n options the one
        numbered ``number * n >> 32`` is taken, ``number`` being the upper 32 bits of the cell."""
        if self.guidance.likely or self.taken is not None:
            return weighed(self, self.guidance, cell, most)
        f, c, z, asked = self.f, self.c, self.z, self.asked
        resumes, blocks, waits, work, until, visits = f.resumes, f.blocks, f.waits, f.work, f.until, f.visits
        decision, most_visits = f.decision, f.most_visits
        while asked is not None and most:
            most -= 1
            cell = (cell * FACTOR + STEP) & MASK
            c[until], c[visits] = c[work] + decision, most_visits
            after: Any = resumes[c[waits]](c, z, (cell >> 32) * asked[1] >> 32, asked)
            while after.__class__ is int:
                after = blocks[after](c, z)
            asked = after
        self._now(asked)
        return cell

    def state(self) -> State:
        """As a state, which changes with this."""
        return State(self.c, self.z, [])

    def standing(self) -> Sequence[int]:
        """How well each seat stands, as the ruleset says. Raises what generated code raises."""
        assert self.f.standing is not None, "the ruleset says so"
        self.c[self.f.visits] = self.f.most_visits
        return self.f.standing(self.c, self.z)

    def outcome(self) -> tuple[Any, ...]:
        """The fields of an outcome, as though the game ended here. Raises what generated code raises."""
        self.c[self.f.visits] = self.f.most_visits
        return self.f.ended(self.c, self.z)


def weighed(position: Position, guidance: Guidance, cell: int, most: int) -> int:
    """As `play_on`, options being as likely as their weights say."""
    while not position.over and most:
        most -= 1
        cell = (cell * FACTOR + STEP) & MASK
        if position.site in guidance.likely:
            position.take(pick(weights(position, guidance), cell))
        else:
            position.take((cell >> 32) * position.options >> 32)
    return cell


def weights(position: Position, guidance: Guidance) -> list[int]:
    """The weight of each option; all alike where none has any."""
    by_alternative = guidance.likely.get(position.site)
    if by_alternative is None:
        return [1] * position.options
    found = [by_alternative[alternative] for alternative, _ in position.answers()]
    return found if any(found) else [1] * len(found)


def pick(weights: Sequence[int], cell: int) -> int:
    """The place that the number in a cell falls on."""
    left = (cell >> 32) * sum(weights) >> 32
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return place
    raise ValueError("no weight")


class Walker:
    """Sets positions up: from a world of the compiled engine, with chance of its own."""

    def __init__(self, game: Game, guidance: Guidance) -> None:
        functions = game.functions
        if functions is None:
            raise ValueError("only games of the compiled engine can be searched")
        self.functions = functions
        self.guidance = guidance
        self.streams = tuple(game.layout.streams.values())

    def at(self, world: State, cell: int) -> tuple[Position, int]:
        """A position that begins as a world, in which chance is what follows from ``cell``; the next cell."""
        f, cells = self.functions, world.cells[:]
        for stream in self.streams:
            cell = (cell * FACTOR + STEP) & MASK
            cells[stream] = mix(cell)
        return Position(f, cells, world.zones[:], self.guidance, self.asked(world)), cell

    def asked(self, world: State) -> Asked | None:
        """What is asked in a world."""
        f = self.functions
        if world.asked is None and not world.cells[f.over]:
            world.asked = f.asks[world.cells[f.waits]](world.cells, world.zones)
        return world.asked
