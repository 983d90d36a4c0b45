"""Draw boards as rows of text, and read positions that authors write in the same rows.

Views and rulebooks draw boards this way. The checker and test cases read initial values and positions from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..source.dataclass_with_lazy_methods import Record
from .board_geometry import Board, Shape

GAPS = (".", "·")
"""Signs that an author may write where a row of a board has no space."""


class Sign(NamedTuple):
    """A sign and the values that it represents: those of the first places of a picture, in order."""

    text: str
    values: tuple[object, ...]


class Picture(Record):
    """The variables that a picture of a board shows, and the signs for their values.

    The board is the only dimension of each variable in ``variables``.
    """

    board: str
    variables: tuple[str, ...]
    signs: tuple[Sign, ...]

    def find_sign(self, values: Sequence[object]) -> str | None:
        """Return the first sign that matches ``values``, the values of all places in one space.

        A sign may cover only the first places, and then ignores the others. Returns None if none matches.
        """
        return next((sign.text for sign in self.signs if sign.values == tuple(values[: len(sign.values)])), None)

    def find_values(self, text: str) -> tuple[object, ...] | None:
        """Return the values that a sign represents, one for each place that it covers.

        Return None for an unknown sign.
        """
        return next((sign.values for sign in self.signs if sign.text == text), None)


class PlacedSign(NamedTuple):
    """A sign that an author wrote for a space, with its start and end offset in the text."""

    space: int
    sign: str
    start: int
    end: int


class PictureError(Exception):
    """Raised if the rows of a picture don't fit the board. Holds the message and the offsets in the text."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message, self.start, self.end = message, start, end


def parse_picture(board: Board, text: str) -> list[PlacedSign]:
    """Return the signs in a picture of a board, row by row from the top, each row from left to right, without gaps.

    Each is a ``PlacedSign(space, sign, start, end)``, with the number of its space and its offsets in ``text``. The
    text has the rows of the board as it is drawn, with blanks between the signs. A row has one sign for each of its
    spaces. It may also have one sign for each column, with `.` or `·` where there is no space. On hexagons, columns
    before and behind all spaces of the row have no sign. Empty lines are ignored, and all rows without spaces may be
    left out. Raises :class:`PictureError` if the number of rows or signs doesn't fit, or another sign stands in a gap.
    """
    rows = list_rows(board)
    lines = [(placed_signs.start(), placed_signs[0]) for placed_signs in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if len(lines) != len(rows):
        rows = [row for row in rows if any(space is not None for space in row)]
    if len(lines) != len(rows):
        start, line = lines[-1] if lines else (0, text)
        row_count = "1 row" if len(lines) == 1 else f"{len(lines)} rows"
        raise PictureError(f"this picture has {row_count}, the board {len(rows)}", start, start + max(len(line), 1))
    placed_signs: list[PlacedSign] = []
    for number, (row, (line_start, line)) in enumerate(zip(rows, lines, strict=True), 1):
        signs = list(re.finditer(r"\S+", line))
        places = row if len(signs) == len(row) else [space for space in row if space is not None]
        if len(signs) != len(places):
            sign_count = "1 sign" if len(signs) == 1 else f"{len(signs)} signs"
            message = f"row {number} has {sign_count}, the board {len(places)} there"
            raise PictureError(message, line_start, line_start + len(line.rstrip()))
        for space, sign in zip(places, signs, strict=True):
            begin, end = line_start + sign.start(), line_start + sign.end()
            if space is not None:
                placed_signs.append(PlacedSign(space, sign[0], begin, end))
            elif sign[0] not in GAPS:
                raise PictureError(f"row {number} has no space where `{sign[0]}` stands", begin, end)
    return placed_signs


def list_rows(board: Board) -> list[list[int | None]]:
    """Return the spaces in rows from top to bottom, each from left to right, as the board is drawn. A gap is None.

    Example: 2 by 2 squares give ``[[2, 3], [0, 1]]``, since the first row is the lowest. If the first row is north,
    they give ``[[0, 1], [2, 3]]``. On hexagons, gaps are only between spaces of a row, and a row without spaces is [].
    On other boards, all rows reach from the first column with a space to the last. Rows below the lowest space are left
    out, but empty rows above the highest stay. A board without ``places`` has all its spaces in one row.
    """
    places = board.places
    if not places:
        return [list(range(board.size))]
    space_at = {place: space for space, place in enumerate(places)}
    rows: list[list[int | None]] = []
    for current_row in range(max(row for row, _ in places) + 1):
        row_columns = [column for row, column in places if row == current_row]
        if board.shape is Shape.HEX:
            first_column, last_column = min(row_columns, default=0), max(row_columns, default=-1)
        else:
            first_column, last_column = min(column for _, column in places), max(column for _, column in places)
        rows.append([space_at.get((current_row, column)) for column in range(first_column, last_column + 1, 2)])
    return rows


def draw_board(board: Board, sign: Callable[[int], str]) -> list[str]:
    """Draw a board as lines of text, from top to bottom, without trailing blanks.

    ``sign`` returns the text of a space from its number. The text stands at the left of a cell, which is one wider than
    the widest sign. On hexagons, an odd width of the cell is rounded up. A gap is a blank cell, and a row without
    spaces an empty line. 2 by 2 squares with their names give ``["a2 b2", "a1 b1"]``. A row of hexagons has an indent
    of half a cell times the column of its first space in ``board.places``. The sign ``x`` gives
    ``[" x x", "x x x", " x x"]`` for 7 hexagons.
    """
    rows = list_rows(board)
    width = max((len(sign(space)) for row in rows for space in row if space is not None), default=1)
    is_hex = board.shape is Shape.HEX
    cell = width + 1 + (width + 1) % 2 if is_hex else width + 1
    lines = []
    for row in rows:
        first_space = next((space for space in row if space is not None), None)
        indent = board.places[first_space][1] * cell // 2 if is_hex and first_space is not None else 0
        texts = ("" if space is None else sign(space) for space in row)
        lines.append((" " * indent + "".join(f"{text:<{cell}}" for text in texts)).rstrip())
    return lines
