"""A seat's table: all that a player is handed, made for one decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ...belief.belief import BeliefState, Determinization
from ...game import Game
from ...search.analysis import A_WORLD, LEADING, Compared, Line, analyse, compared, worlds_for
from ...search.cores import PYTHON, Core
from ...search.course import Course, course
from ...search.guidance import NONE, Guidance
from ...search.openness import is_open
from ...seat.view import View
from ...table.choices import Decision
from ...table.state import State

GUESSED = 3
"""Worlds in which it is looked at what is likely to follow on an option."""


class Table:
    """``game``: the rules, with number of players and options, in which no position stands. ``view``: what the seat
    sees. ``belief``: the belief state of the seat. The state of the match can't be reached."""

    def __init__(self, game: Game, view: View, belief: BeliefState) -> None:
        assert view.decision is not None, "somebody is asked"
        self.game = game.in_code
        self.view = view
        self.belief = belief

    @property
    def decision(self) -> Decision:
        """What the seat is asked, as it may know it."""
        assert self.view.decision is not None
        return self.view.decision

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.decision.seat

    @cached_property
    def is_open(self) -> bool:
        """Whether nothing in this game is hidden from anybody."""
        return is_open(self.game)

    def worlds(self, n: int, stream: int) -> list[Determinization]:
        """Return ``n`` determinizations: states that agree with everything that the seat observed. The same ``stream``
        gives the same ones."""
        return self.belief.sample(n, stream)

    def analyse(
        self,
        way: str,
        simulations: int,
        stream: int,
        guidance: Guidance = NONE,
        core: Core = PYTHON,
        advised: Game | None = None,
    ) -> Iterator[list[Line]]:
        """What the options come to, best first, known better with each list: see :mod:`lusory.search.analysis`. No list
        where no world is found. ``advised``: the same rules, which say something else to those who search."""
        worlds, game = self._dealt(simulations, stream), advised or self.game
        if worlds:
            yield from analyse(game, self.seat, worlds, way, simulations, stream, self.is_open, guidance, core)

    def compared(
        self,
        way: str,
        simulations: int,
        stream: int,
        guidance: Guidance = NONE,
        core: Core = PYTHON,
        leading: int = LEADING,
        also: Sequence[int] = (),
    ) -> list[Compared]:
        """The best options and those in ``also``, held against each other: see :mod:`lusory.search.analysis`. None
        where no world is found."""
        worlds = self._dealt(simulations, stream)
        if not worlds:
            return []
        given = worlds, way, simulations, stream, self.is_open, guidance, core, leading, also
        return compared(self.game, self.seat, *given)

    def course(
        self, option: int, ahead: int, stream: int, guidance: Guidance = NONE, core: Core = PYTHON
    ) -> Course | None:
        """What is likely to follow on an option: see :mod:`lusory.search.course`. None where no world is found."""
        worlds = self._dealt(GUESSED * A_WORLD, stream) * (GUESSED if self.is_open else 1)
        if not worlds:
            return None
        return course(self.game, self.seat, worlds, option, ahead, stream, self.is_open, guidance, core)

    def _dealt(self, simulations: int, stream: int) -> list[State]:
        """Worlds for so many simulations, each as often as its weight has it, in which the seat is asked what it is."""
        n = 1 if self.is_open else worlds_for(simulations)
        found = self.worlds(n, stream) if self.belief.particles else []
        return spread([world for world in found if self._is_asked(world.state)], n)

    def _is_asked(self, state: State) -> bool:
        here, there = self.decision, self.game.decision(state)
        return there is not None and there[:2] == here[:2] and len(there.options) == len(here.options)


def spread(worlds: list[Determinization], n: int) -> list[State]:
    """``n`` of some worlds, if there are any, each as often as its weight has it: systematic sampling."""
    total = sum(world.weight for world in worlds)
    found: list[State] = []
    reached = 0.0
    for world in worlds:
        reached += world.weight * n / total
        found += [world.state] * (int(reached + 0.5) - len(found))
    return found
