"""Screen data model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .text import Line, plain

Place = Literal["header", "players", "table", "own"]
Frame = Literal["none", "squares", "boxes"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place: its lines, and the same with signs for names, where there is little room. ``of``: the
    value that the whole place stands for."""

    lines: tuple[Line, ...] = ()
    short: tuple[Line, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A value with its title before it. ``since``: it is left out of screens with fewer columns."""

    title: str
    cell: Cell
    since: int = 0


@dataclass(frozen=True, slots=True)
class Items:
    """Values with titles: ``in_line`` one after the other, else one below the other."""

    place: Place
    title: str
    items: tuple[Item, ...]
    in_line: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A player at the head of a row. ``you``: who looks. ``turn``: who is asked now."""

    line: Line
    seat: int
    you: bool = False
    turn: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """What is told of every player: None of whom it does not hold now. ``since``: it is left out of screens with fewer
    columns. ``below``: it has a line of its own under the player's row."""

    title: str
    cells: tuple[Cell | None, ...]
    since: int = 0
    below: bool = False


@dataclass(frozen=True, slots=True)
class Players:
    """A row for each player, always, whatever the width."""

    place: Place
    title: str
    heads: tuple[Head, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Cells beside each other, None for a gap. ``shift``: half cells by which it is moved to the right. ``first``: it
    keeps its words where other rows are shortened."""

    head: Line
    cells: tuple[Cell | None, ...]
    shift: int = 0
    first: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in rows and columns: boards, tracks, tables. ``frame``: what stands between them: nothing, squares of a
    board in two shades, or a box round each. ``even``: all columns are equally wide."""

    place: Place
    title: str
    heads: tuple[Line, ...]
    rows: tuple[Row, ...]
    headings: bool = True
    frame: Frame = "none"
    even: bool = True


@dataclass(frozen=True, slots=True)
class Node:
    """A space of a map, in a column and a row of places, both from 0."""

    cell: Cell
    across: int
    down: int


@dataclass(frozen=True, slots=True)
class Map:
    """Spaces and what links them: pairs of numbers of ``nodes``."""

    place: Place
    title: str
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Dial:
    """Faces in the order in which they follow each other, from the last to the first again. ``at``: the number of the
    face it stands on; None where that is not known or it stands nowhere. ``marks``: faces that something leads to, with
    what. ``notes``: what else is there."""

    head: Line
    faces: tuple[Cell, ...]
    at: int | None = None
    marks: tuple[tuple[int, Line], ...] = ()
    notes: Line = ()


@dataclass(frozen=True, slots=True)
class Dials:
    """Dials one below the other."""

    place: Place
    title: str
    dials: tuple[Dial, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """Cards of one kind in a hand. ``dim``: of no use now."""

    cell: Cell
    count: int = 1
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """Cards that somebody holds."""

    place: Place
    title: str
    cards: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards on a heap: how many, and the one that is seen, if any."""

    title: Line
    count: int
    top: Cell | None = None


@dataclass(frozen=True, slots=True)
class Piles:
    """Heaps beside each other."""

    place: Place
    title: str
    piles: tuple[Pile, ...]


Panel = Items | Players | Grid | Map | Dials | Hand | Piles


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
class ResultColumn:
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
    table: tuple[ResultColumn, ...] = ()
    chart: str = ""
    steps: tuple[ResultColumn, ...] = ()
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
