"""What lies on a table as panels of plain data, as a seat sees it: what is drawn, not how.

A ``place`` says where a panel belongs: ``header`` and ``players`` are pinned, ``table`` is what is played on, ``own``
is what only who looks has. Further panels of a place stand below or beside each other, as there is room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .text import Line

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
