"""Boards as rows of text: how spaces are laid out, and reading what somebody wrote in the same rows.

Used by whoever shows a board (views, rulebooks), and by whoever reads positions (starts of variables, cases).
"""

from __future__ import annotations

from collections.abc import Callable

from .boards import Board, Shape


def rows_of(board: Board) -> list[list[int | None]]:
    """The spaces from top to bottom and from left to right, None for gaps between them."""
    places = board.places
    if not places:
        return [list(range(board.size))]
    step = 1 if board.shape is Shape.HEX else 2
    found: list[list[int | None]] = []
    at = {place: space for space, place in enumerate(places)}
    for down in range(max(row for row, _ in places) + 1):
        across = [column for row, column in places if row == down]
        left = min((column for _, column in places), default=0) if step == 2 else min(across, default=0)
        found.append([at.get((down, column)) for column in range(left, max(across, default=left - 1) + 1, 2)])
    return found


def laid_out(board: Board, sign: Callable[[int], str], gap: str = "") -> list[str]:
    """A board as lines of text, each space with its sign; hexagons are moved by half a cell from row to row."""
    rows = rows_of(board)
    width = max((len(sign(space)) for row in rows for space in row if space is not None), default=1)
    cell = width + 1 if board.shape is not Shape.HEX else width + 1 + (width + 1) % 2
    lines = []
    for row in rows:
        first = next((space for space in row if space is not None), None)
        indent = board.places[first][1] * cell // 2 if board.shape is Shape.HEX and first is not None else 0
        written = (" " * (cell - 1) if space is None else f"{sign(space):<{cell - 1}}" for space in row)
        lines.append((" " * indent + " ".join(text or gap for text in written)).rstrip())
    return lines
