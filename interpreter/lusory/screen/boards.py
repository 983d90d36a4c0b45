"""Boards of spaces as grids and maps, as they lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from lusory_dsl import core
from lusory_dsl.core.pictures import rows_of
from lusory_dsl.core.shapes import column_name

from .lines import joined, styled
from .model import Question
from .panels import Cell, Frame, Grid, Map, Node, Panel, Row
from .text import Line, Run, plain
from .words import DO

MOST_SPACES = 8
"""Of so many spaces to choose from it is told what is beside each."""


def board_map(board: core.Board, title: str, cells: Sequence[Cell]) -> Map:
    """A board whose spaces are linked, a cell for each."""
    places = board.places or tuple((0, at) for at in range(board.size))
    down = {row: number for number, row in enumerate(sorted({row for row, _ in places}))}
    across = {column: number for number, column in enumerate(sorted({column for _, column in places}))}
    nodes = tuple(Node(cell, across[column], down[row]) for cell, (row, column) in zip(cells, places, strict=True))
    edges = tuple(sorted({(min(a, b), max(a, b)) for a, near in enumerate(board.beside) for b in near}))
    return Map("table", title, nodes, edges)


def with_neighbours(question: Question, panels: Sequence[Panel]) -> Question:
    """A question of a few spaces of maps, each with what is beside it: where there is little room not all links are
    drawn."""
    maps = [panel for panel in panels if isinstance(panel, Map)]
    if len(question.options) > MOST_SPACES:
        return question
    options = []
    for option in question.options:
        values = [step.of for step in option.path if not step.of.startswith(DO)]
        near = joined(neighbours(maps, values[0])) if len(values) == 1 else ()
        options.append(replace(option, near=near) if near else option)
    return replace(question, options=tuple(options))


def neighbours(maps: Iterable[Map], of: str) -> list[Line]:
    """The names of the spaces that are linked with one; they stand first in them."""
    found = []
    for map in maps:
        here = next((at for at, node in enumerate(map.nodes) if node.cell.of == of), None)
        linked = [a + b - here for a, b in map.edges if here in (a, b)] if here is not None else []
        found += [map.nodes[at].cell.lines[0][:1] for at in sorted(linked) if map.nodes[at].cell.lines]
    return found


def board_grid(board: core.Board, shown: core.BoardView, cells: Sequence[Cell]) -> Grid:
    """A board of spaces with its letters and numbers round it."""
    spaces = rows_of(board)
    is_hex = board.shape is core.Shape.HEX
    named = bool(board.column) and board.shape is not core.Shape.TRACK
    width = max((len(row) for row in spaces), default=0)
    heads = tuple(_head(board, [row[at] for row in spaces if at < len(row)], named) for at in range(width))
    rows = []
    for row in spaces:
        first = next((space for space in row if space is not None), None)
        label = str(board.row[first]) if named and first is not None else ""
        shift = board.places[first][1] if is_hex and first is not None else 0
        rows.append(Row(_words(label), tuple(None if space is None else cells[space] for space in row), shift))
    is_squares = board.shape is core.Shape.GRID and all(len(cell.lines) < 2 for cell in cells)
    frame: Frame = "boxes" if shown.boxed else "squares" if is_squares else "none"
    grid = Grid("table", shown.title, heads, tuple(rows), shown.headings, frame)
    if shown.crop is not None:
        grid = _cropped(grid, {"", *shown.crop})
    if shown.boxed:
        return _without_boxes(grid)
    return _lettered(grid, board) if is_hex and named and shown.headings else grid


def _lettered(grid: Grid, board: core.Board) -> Grid:
    """A board of hexagons, whose columns lie aslant: each has its letter where its next space would be, before its
    first row."""
    columns = {f"{board.name}:{name}": column for name, column in zip(board.names, board.column, strict=True)}
    rows = [*grid.rows] if board.first_row_north else [*reversed(grid.rows)]
    drawn = [{row.shift + 2 * at: cell for at, cell in enumerate(row.cells) if cell is not None} for row in rows]
    drawn.insert(0, {})
    lettered: set[int] = set()
    for before, row in pairwise(drawn):
        for across, cell in [*row.items()]:
            column = columns.get(cell.of)
            if column is not None and column not in lettered:
                lettered.add(column)
                before[across - 1] = Cell((styled(_words(column_name(column)), dim=True),))
    left = min((across for row in drawn for across in row), default=0)
    found = []
    for head, row in zip([(), *(row.head for row in rows)], drawn, strict=True):
        first = min(row, default=left)
        found.append(Row(head, tuple(map(row.get, range(first, max(row, default=first) + 1, 2))), first - left))
    heads = ((),) * max(len(row.cells) for row in found)
    return replace(grid, heads=heads, rows=tuple(found if board.first_row_north else reversed(found)))


def _without_boxes(grid: Grid) -> Grid:
    """Where nothing stands there is no box."""
    rows = (
        replace(row, cells=tuple(c if c is not None and any(map(plain, c.lines)) else None for c in row.cells))
        for row in grid.rows
    )
    return replace(grid, rows=tuple(rows))


def _head(board: core.Board, spaces: Sequence[int | None], named: bool) -> Line:
    """What stands above a column of spaces."""
    first = next((space for space in spaces if space is not None), None)
    if first is None or board.shape is core.Shape.HEX:
        return ()
    if board.shape is core.Shape.TRACK:
        return _words(board.names[first])
    return _words(column_name(board.column[first])) if named else ()


def _words(text: str) -> Line:
    return (Run(text),) if text else ()


def _cropped(grid: Grid, empty: set[str]) -> Grid:
    """Without rows and columns at the edges where every text is empty; one cell at least is left."""

    def is_empty(cell: Cell | None) -> bool:
        return cell is None or "".join(map(plain, cell.lines)).strip() in empty

    rows = [at for at, row in enumerate(grid.rows) if not all(map(is_empty, row.cells))] or [0]
    across = range(len(grid.heads))
    columns = [at for at in across if not all(is_empty(row.cells[at]) for row in grid.rows)] or [0]
    low, high = columns[0], columns[-1] + 1
    kept = tuple(Row(row.head, row.cells[low:high], row.shift, row.first) for row in grid.rows[rows[0] : rows[-1] + 1])
    return Grid(grid.place, grid.title, grid.heads[low:high], kept, grid.headings, grid.frame, grid.even)
