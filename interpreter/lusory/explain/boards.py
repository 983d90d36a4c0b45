"""Describe boards and their spaces in English, and draw boards as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from lusory_dsl.checker.check import declare_names
from lusory_dsl.core.board_drawing_and_parsing import draw_board
from lusory_dsl.core.board_geometry import DIRECTIONS, Board
from lusory_dsl.ruleset import model
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import humanise
from lusory_dsl.types.builtins import SPACE_MEMBERS

MOST_DRAWN = 64
"""Larger boards have no diagram: the names of their spaces would fill a page."""
_SHAPES = {"grid": "squares", "hex": "hexagons", "ring": "spaces in a ring", "track": "spaces in a row"}


@lru_cache(maxsize=4)
def get_boards(ruleset: model.Ruleset) -> dict[str, Board]:
    """Return name -> board for the valid boards of a ruleset.

    Cached for four rulesets, because it needs all declarations.
    """
    return dict(declare_names(ruleset, Diagnostics()).texts.names.boards) if ruleset.boards else {}


def iterate_diagram_lines(decl: model.BoardDecl, board: Board | None) -> Iterator[str]:
    """Yield the labels of a board's spaces as ``name: label``, then the rows of a diagram with the names of all spaces.

    Of more than ``MOST_DRAWN`` spaces, it names only the first and the last: ``From a1 to m13.`` Yields nothing without
    a board, because its declaration has errors.
    """
    if board is None:
        return
    yield from (f"{word.text}: {label}" for word, label in decl.labels)
    if board.size > MOST_DRAWN:
        yield f"From {board.names[0]} to {board.names[-1]}."
    else:
        yield from draw_board(board, lambda space: board.names[space])


def describe_board_shape(decl: model.BoardDecl, board: Board | None) -> str:
    """Return the size and shape of a board: ``8 x 8 squares``, ``19 hexagons``, ``12 spaces in a ring``, or for a track
    ``12 spaces in a row``.

    A written size such as ``8 x 8`` comes first. Without one, or if it is a mere number, the number of spaces of
    ``board`` does, or no number if ``board`` is None. A shape of links or lines, and an unknown one, gives ``spaces``.
    """
    word = decl.shapes[0].text if decl.shapes else ""
    size = decl.size.text if decl.size is not None and decl.size.text.strip().isdecimal() is False else None
    number = size or (str(board.size) if board is not None else "")
    return f"{number} {_SHAPES.get(word, 'spaces')}".strip()


def describe_space_member(name: str, subject: str, args: Sequence[str]) -> str | None:
    """Return a member of a space, direction, line or seat in words, or None if there is no such member.

    Example: ``north`` of “it” gives “the space north of it”, and ``away`` with one argument “the space ARGUMENT of it”.
    If ``subject`` is an enum of directions, the name itself is returned as words, whatever it is. ``args`` are the
    arguments in words; a missing one is left empty, and too many give None.
    """
    if subject in DIRECTIONS and not args:
        return humanise(name)
    if name in DIRECTIONS["Compass"] + DIRECTIONS["Way"] and not args:
        return f"the space {humanise(name)} of {subject}"
    row = next((row for row in SPACE_MEMBERS if row.name == name and len(row.params) >= len(args)), None)
    if row is None:
        return None
    if name == "away" and len(args) == 1:
        return f"the space {args[0]} of {subject}"
    values = dict(zip((param for param, _ in row.params), args, strict=False))
    return row.text.format(subject=subject, **{param: values.get(param, "") for param, _ in row.params})
