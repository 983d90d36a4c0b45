"""Player protocol and registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, Protocol

from ..belief.belief import BeliefState, Determinization
from ..game import Game
from ..search.evaluation import NO_HINTS, SearchHints
from ..search.properties import PrincipalVariation, has_perfect_information, sample_principal_variation
from ..search.search import (
    DEFAULT_COMPARED_OPTIONS,
    PYTHON_BACKEND,
    SIMULATIONS_PER_DETERMINIZATION,
    ComparedOption,
    OptionEvaluation,
    SearchBackend,
    compare_best_options,
    count_determinizations,
    evaluate_options,
)
from ..state.decision import Decision
from ..state.random_streams import draw
from ..state.state import State
from ..view.view import View

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
        return has_perfect_information(self.game)

    def worlds(self, n: int, stream: int) -> list[Determinization]:
        """Return ``n`` determinizations: states that agree with everything that the seat observed. The same ``stream``
        gives the same ones."""
        return self.belief.sample(n, stream)

    def analyse(
        self,
        way: str,
        simulations: int,
        stream: int,
        hints: SearchHints = NO_HINTS,
        core: SearchBackend = PYTHON_BACKEND,
        advised: Game | None = None,
    ) -> Iterator[list[OptionEvaluation]]:
        """What the options come to, best first, known better with each list: see :mod:`lusory.search.search`. No list
        where no world is found. ``advised``: the same rules, which say something else to those who search."""
        worlds, game = self._dealt(simulations, stream), advised or self.game
        if worlds:
            yield from evaluate_options(game, self.seat, worlds, way, simulations, stream, self.is_open, hints, core)

    def compared(
        self,
        way: str,
        simulations: int,
        stream: int,
        hints: SearchHints = NO_HINTS,
        core: SearchBackend = PYTHON_BACKEND,
        leading: int = DEFAULT_COMPARED_OPTIONS,
        also: Sequence[int] = (),
    ) -> list[ComparedOption]:
        """The best options and those in ``also``, held against each other: see :mod:`lusory.search.search`. None
        where no world is found."""
        worlds = self._dealt(simulations, stream)
        if not worlds:
            return []
        given = worlds, way, simulations, stream, self.is_open, hints, core, leading, also
        return compare_best_options(self.game, self.seat, *given)

    def course(
        self, option: int, ahead: int, stream: int, hints: SearchHints = NO_HINTS, core: SearchBackend = PYTHON_BACKEND
    ) -> PrincipalVariation | None:
        """What is likely to follow on an option: see :mod:`lusory.search.properties`. None where no world is found."""
        worlds = self._dealt(GUESSED * SIMULATIONS_PER_DETERMINIZATION, stream) * (GUESSED if self.is_open else 1)
        if not worlds:
            return None
        return sample_principal_variation(
            self.game, self.seat, worlds, option, ahead, stream, self.is_open, hints, core
        )

    def _dealt(self, simulations: int, stream: int) -> list[State]:
        """Worlds for so many simulations, each as often as its weight has it, in which the seat is asked what it is."""
        n = 1 if self.is_open else count_determinizations(simulations)
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


class PlayerFails(Exception):
    """A player can't decide: what it goes by has come to an end, or code of somebody's own went wrong."""


class PlayerMissing(PlayerFails):
    """The file or code that a player is to go by can't be had. ``hint``: what helps."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Minded(Protocol):
    """What every player has."""

    name: str

    def resume(self, made: int) -> None:
        """Go on as though this seat had made ``made`` decisions so far: a saved game goes on, or some were undone."""
        ...


class Looking(Minded, Protocol):
    """A player who looks: a bot with a plan. All that it is given is what its seat may know. ``spent``: how many
    simulations the latest decision took, where a clock said so."""

    looks: Literal[True]
    spent: int | None

    def choose(self, table: Table) -> int:
        """The index of the option taken, of ``table.decision``. Raises PlayerFails."""
        ...


class Person(Minded, Protocol):
    """Somebody who sits at a table of their own: whoever runs the match shows it to them, and takes their answer with
    :meth:`lusory.play.match.Match.take`."""

    looks: Literal[None]


class Blind(Minded, Protocol):
    """A player who doesn't look, so that no view is made for it: all that it is told is how many options there are."""

    looks: Literal[False]

    def pick(self, options: int) -> int:
        """The index of the option taken. Raises PlayerFails."""
        ...


Player = Looking | Blind | Person


class ScriptEnded(PlayerFails):
    """A scripted player is asked once more than its list is long."""


class Scripted:
    """Takes the options at ``picks``, one after the other."""

    looks: Literal[False] = False

    def __init__(self, picks: Sequence[int], name: str = "script") -> None:
        self.name = name
        self._picks = tuple(picks)
        self._made = 0

    def pick(self, options: int) -> int:
        if self._made >= len(self._picks):
            raise ScriptEnded(f"{self.name} has no pick left after {self._made}")
        self._made += 1
        return self._picks[self._made - 1]

    def resume(self, made: int) -> None:
        self._made = made


class Uniform:
    """Its n-th pick depends on nothing but ``chance``, where its own stream begins, and n: a game goes on alike after a
    save or undo."""

    looks: Literal[False] = False

    def __init__(self, chance: int, name: str = "random") -> None:
        self.name = name
        self._stream = chance
        self._made = 0

    def pick(self, options: int) -> int:
        _, index = draw(self._stream + self._made, options)
        self._made += 1
        return index

    def resume(self, made: int) -> None:
        self._made = made
