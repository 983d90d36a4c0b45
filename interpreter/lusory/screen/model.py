"""A screen as data. Made of what a seat sees and was told, so that nothing is behind it that the seat may not know."""

from __future__ import annotations

from dataclasses import dataclass

from .panels import Panel
from .text import Line, plain


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen. ``number``: its index in the decision; -1 for what can only be picked behind
    others. ``id``: what authors type. ``path``: its alternative and each of its values in the author's order, in words,
    each with its reference in ``of``. ``cost``, ``result``: what it takes and what comes of it, where the rules can
    tell; ``near``: of a space what is beside it; empty lines elsewhere. ``like``: the place in the question of an
    option about another copy of the same, which stands for this one, too; -1 for none."""

    number: int
    id: str
    label: Line
    path: Line
    cost: Line = ()
    result: Line = ()
    near: Line = ()
    like: int = -1

    @property
    def words(self) -> str:
        """The label without its styles."""
        return plain(self.label)


@dataclass(frozen=True, slots=True)
class Question:
    """The pending decision of the seat that looks. ``usual``: the number in ``options`` of the answer that is given
    where somebody says no more than go on.

    ``several``: from ``least`` to ``most`` of the options are picked in any order, or, ``in_order``, in the order that
    counts; ``picked``: what was picked before. Then ``options`` are all that could be picked, and ending is none."""

    prompt: Line
    options: tuple[Option, ...]
    usual: int | None = None
    several: bool = False
    in_order: bool = False
    least: int = 1
    most: int = 1
    picked: tuple[Line, ...] = ()


Answer = tuple[str, ...]
"""What is chosen: ids of options, taken one after the other. Of several the last may be :data:`DONE`."""

DONE = "done"
"""The id by which picking of several ends before the most are picked."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that happened, in a sentence. ``seat``: who did it, None for the rules. ``details``: what it changed.
    ``heading``: it begins a part of the game. ``forced``: nothing else could be chosen."""

    line: Line
    seat: int | None = None
    details: tuple[Line, ...] = ()
    heading: bool = False
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the final table: its title, and a value for each seat."""

    title: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """How it ended. ``places``: of each seat, from 1. ``table``: what is counted, in the author's columns. ``chart``,
    ``steps``: the title of the chart that decided, and its steps. ``revealed``: what the seat could not see."""

    verdict: Line
    winners: tuple[int, ...]
    places: tuple[int, ...]
    table: tuple[Column, ...] = ()
    chart: str = ""
    steps: tuple[Column, ...] = ()
    revealed: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Screen:
    """What a seat sees (``seat`` None: a spectator): the game's ``title``, where in the game this is, the table, what
    happened since the seat decided, and what it is asked. ``about``: what the game is about, and ``new``: the seat has
    decided nothing yet, so it is told. ``names``: of all seats. ``waiting``: the seat that decides, None when the game
    is over."""

    title: str
    seat: int | None
    names: tuple[str, ...]
    phase: Line
    panels: tuple[Panel, ...]
    story: tuple[Deed, ...]
    question: Question | None
    waiting: int | None
    ending: Ending | None
    about: Line = ()
    new: bool = False
