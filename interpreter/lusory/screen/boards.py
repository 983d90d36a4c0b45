"""Boards of spaces as grids and maps, as they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core.pictures import rows_of
from lusory_dsl.core.shapes import column_name

from .panels import Cell, Frame, Grid, Map, Node, Row
from .text import Line, Run, plain


def board_map(board: core.Board, title: str, cells: Sequence[Cell]) -> Map:
    """A board whose spaces are linked, a cell for each."""
    places = board.places or tuple((0, at) for at in range(board.size))
    down = {row: number for number, row in enumerate(sorted({row for row, _ in places}))}
    across = {column: number for number, column in enumerate(sorted({column for _, column in places}))}
    nodes = tuple(Node(cell, across[column], down[row]) for cell, (row, column) in zip(cells, places, strict=True))
    edges = tuple(sorted({(min(a, b), max(a, b)) for a, near in enumerate(board.beside) for b in near}))
    return Map("table", title, nodes, edges)


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
    return _without_boxes(grid) if shown.boxed else grid


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
