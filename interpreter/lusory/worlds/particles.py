"""Worlds on their way: what is kept of one between two steps, and what one step made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..table.events import Event
from ..table.state import State
from .cards import Loose, Names
from .observed import Observed

Taken = tuple[int, tuple[Any, ...]]
"""An answer: the number of the alternative, and its values."""


class Particle(NamedTuple):
    """A world and what is taken for granted in it. ``loose``: components that could as well lie elsewhere. ``names``:
    the cells in which hidden components are named. ``exact``: its history agrees with all that the seat was told and
    shown. ``hung``: the steps of this history that could have been others, had loose components lain elsewhere."""

    state: State
    loose: Loose
    names: tuple[int, ...] = ()
    exact: bool = True
    hung: tuple[Hung, ...] = ()


class Later(NamedTuple):
    """What came to light later: values of cells that were hidden, words that were said, components that were named."""

    cells: Mapping[int, Any]
    words: str = ""
    named: frozenset[int] = frozenset()


NOTHING = Later({})


class Tried(NamedTuple):
    """A step of a world: the position before it, the answer, the position after it, and all that happened. ``moved``:
    how it was mended, and ``hung`` what that made of earlier steps. ``alike``: which of the answers it was that would
    have looked the same, and of how many."""

    before: State
    answer: Taken | None
    after: State
    log: list[Event]
    moved: Names
    hung: tuple[Hung, ...] = ()
    alike: tuple[int, int] = (0, 1)


class Hung(NamedTuple):
    """A step that hangs on where components lay. ``still``: those that have been out of sight and as they were
    since."""

    names: tuple[int, ...]
    tried: Tried
    seen: Observed
    still: frozenset[int]
