"""Worlds on their way: what is kept of one between two steps, and what one step made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..table.events import Event
from ..table.state import State
from .cards import Loose, Names
from .fortune import Fortune, Lots, exchanged
from .observed import Observed

Taken = tuple[int, tuple[Any, ...]]
"""An answer: the number of the alternative, and its values."""


class Particle(NamedTuple):
    """A world and what is taken for granted in it. ``loose``: components that could as well lie elsewhere. ``names``:
    the cells in which hidden components are named. ``exact``: its history agrees with all that the seat was told and
    shown. ``hung``: the steps of this history that could have been others, had loose components lain elsewhere.
    ``turns``: what was done in each step. ``forks``: the steps in which something else could as well have been."""

    state: State
    loose: Loose
    names: tuple[int, ...] = ()
    exact: bool = True
    hung: tuple[Hung, ...] = ()
    turns: tuple[Turn, ...] = ()
    forks: tuple[Fork, ...] = ()


class Verdict(NamedTuple):
    """What a step says of components out of sight. ``barred``: those that can't have lain in zones, with the bits of
    these; ``is_free``: whether it would have gone the same wherever the others lay."""

    barred: Mapping[int, int]
    is_free: bool


FREE = Verdict({}, True)


class Turn(NamedTuple):
    """A step of a world, as far as it takes to do it again: the answer, what chance came to, and what it said.
    ``mark``: what it came to out of sight of the seat. ``alike``: which it was of the answers that would look the
    same, and of how many."""

    answer: Taken | None
    lots: Lots
    verdict: Verdict
    mark: int
    alike: tuple[int, int] = (0, 1)


class Fork(NamedTuple):
    """A step in which something else could as well have been answered, or drawn: its number, and the world before it,
    but for its ``forks`` and ``turns``, which are those of who has this one."""

    step: int
    before: Particle


class Later(NamedTuple):
    """What came to light later: values of cells that were hidden, words that were said, components that were named.
    ``about``: of a seat and what components are copies of, the first step in which such a one was named in what is
    about the seat. ``whose``: of components the seat with which they were first shown to lie."""

    cells: Mapping[int, Any]
    words: str = ""
    named: frozenset[int] = frozenset()
    about: Mapping[tuple[int, tuple[str, str]], int] = {}
    whose: Mapping[int, int] = {}


NOTHING = Later({})


class Trial(NamedTuple):
    """A step that is tried: the position before it, the answer, how both were mended, and its chance."""

    before: State
    answer: Taken | None
    names: Names
    lots: Lots

    def copy(self) -> Trial:
        """The same, with chance that goes on by itself."""
        return self._replace(lots=self.lots.copy())

    def by_other_chance(self, mixed: int, redraws: bool, fortune: Fortune) -> Trial:
        """The same with some of its chance otherwise: one of the first ``mixed`` shuffles, and one of the draws."""
        other = self.copy()
        if redraws:
            other.lots.redrawn(fortune)
        if mixed:
            exchanged(other.lots.orders[fortune.below(mixed)], fortune)
        return other


class Tried(NamedTuple):
    """A step of a world: the position before it, the answer, the position after it, and all that happened. ``moved``:
    how it was mended, and ``hung`` what that made of earlier steps. ``alike``: which of the answers it was that would
    have looked the same, and of how many. ``lots``: what chance came to; ``is_drawn``: whether some of it, beside
    shuffles, was not told."""

    before: State
    answer: Taken | None
    after: State
    log: list[Event]
    moved: Names
    lots: Lots
    hung: tuple[Hung, ...] = ()
    alike: tuple[int, int] = (0, 1)
    is_drawn: bool = False


class Hung(NamedTuple):
    """A step that hangs on where components lay. ``still``: those that have been out of sight and as they were
    since; ``loose``: all that were, with the zones in which each may have lain."""

    names: tuple[int, ...]
    tried: Tried
    seen: Observed
    still: frozenset[int]
    loose: Loose
