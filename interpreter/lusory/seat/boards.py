"""Boards and lists as grids of texts, as a console lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lusory_dsl.core import Board, Shape
from lusory_dsl.core.pictures import rows_of
from lusory_dsl.core.shapes import column_name


class Grid(NamedTuple):
    """A board with its texts: what stands over its columns, and beside and in each row."""

    columns: list[str]
    rows: list[tuple[str, list[str]]]


def sheet(texts: Sequence[str], width: int) -> Grid:
    """Texts one after the other, so many in a row; the last row is filled up."""
    filled = [*texts, *[""] * (-len(texts) % width)]
    rows = [("", filled[at : at + width]) for at in range(0, len(filled), width)]
    return Grid([""] * width, rows)


def board_grid(board: Board, texts: Sequence[str], crop: Sequence[str] | None) -> Grid:
    """A board with a text for each space, and its letters and numbers round it. Hexagons take two columns, so that rows
    are moved by half a cell. ``crop``: texts that are empty, where edges that are shall be left out."""
    if board.shape is Shape.HEX:
        return _hexagons(board, texts, crop)
    rows = rows_of(board)
    cells = [["" if space is None else texts[space] for space in row] for row in rows]
    named = bool(board.column) and board.shape is not Shape.TRACK
    heads = [_letters(board, [row[at] for row in rows], named) for at in range(len(rows[0]) if rows else 0)]
    labels = [_number(board, row) if named else "" for row in rows]
    return _cropped(Grid(heads, list(zip(labels, cells, strict=True))), crop)


def _letters(board: Board, spaces: Sequence[int | None], named: bool) -> str:
    """What stands above a column of spaces."""
    there = [space for space in spaces if space is not None]
    if board.shape is Shape.TRACK:
        return board.names[there[0]]
    return column_name(board.column[there[0]]) if named and there else ""


def _number(board: Board, spaces: Sequence[int | None]) -> str:
    return next((str(board.row[space]) for space in spaces if space is not None), "")


def _hexagons(board: Board, texts: Sequence[str], crop: Sequence[str] | None) -> Grid:
    width = max(across for _, across in board.places) + 1
    cells = [[""] * width for _ in rows_of(board)]
    labels = [_number(board, row) for row in rows_of(board)]
    for (down, across), text in zip(board.places, texts, strict=True):
        cells[down][across] = text
    return _cropped(Grid([""] * width, list(zip(labels, cells, strict=True))), crop)


def _cropped(grid: Grid, crop: Sequence[str] | None) -> Grid:
    """Without rows and columns at the edges where every text is empty; one cell at least is left."""
    if crop is None:
        return grid
    empty = {"", *crop}
    filled = [[text.strip() not in empty for text in cells] for _, cells in grid.rows]
    rows = [at for at, cells in enumerate(filled) if any(cells)] or [0]
    columns = [at for at in range(len(grid.columns)) if any(cells[at] for cells in filled)] or [0]
    low, high = columns[0], columns[-1] + 1
    kept = grid.rows[rows[0] : rows[-1] + 1]
    return Grid(grid.columns[low:high], [(label, cells[low:high]) for label, cells in kept])
