"""Boards in words: their shape, a drawing with the names of the spaces, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..checker.stages import declare
from ..core.boards import DIRECTIONS, Board
from ..core.pictures import laid_out
from ..language.spaces import SPACE_MEMBERS
from ..ruleset import model
from ..text.diagnostics import Diagnostics
from ..text.spelling import humanised

_SHAPES = {"grid": "squares", "hex": "hexagons", "ring": "spaces in a ring", "track": "spaces in a row"}


@lru_cache(maxsize=4)
def boards_of(ruleset: model.Ruleset) -> dict[str, Board]:
    """The records of the boards, as far as they are right: found once, as all is declared for it."""
    return dict(declare(ruleset, Diagnostics()).texts.names.boards) if ruleset.boards else {}


def drawing(decl: model.BoardDecl, board: Board | None) -> Iterator[str]:
    """The board with the names of its spaces, and what they are called."""
    if board is not None:
        yield from (f"{word.text}: {label}" for word, label in decl.labels)
        yield from laid_out(board, lambda space: board.names[space])


def shape_of(decl: model.BoardDecl, board: Board | None) -> str:
    """What a board is made of: ``8 x 8 squares``."""
    word = decl.shapes[0].text if decl.shapes else ""
    size = decl.size.text if decl.size is not None and decl.size.text.strip().isdecimal() is False else None
    number = size or (str(board.size) if board is not None else "")
    return f"{number} {_SHAPES.get(word, 'spaces')}".strip()


def said_of_space(name: str, subject: str, args: Sequence[str]) -> str | None:
    """A member of a space, a direction, a line or a seat in words; None where it is none."""
    if name in DIRECTIONS["Compass"] + DIRECTIONS["Way"] and subject not in DIRECTIONS:
        return f"the space {humanised(name)} of {subject}"
    if subject in DIRECTIONS:
        return humanised(name)
    row = next((row for row in SPACE_MEMBERS if row.name == name and len(row.params) >= len(args)), None)
    if row is None:
        return None
    if name == "away" and len(args) == 1:
        return f"the space {args[0]} of {subject}"
    values = dict(zip((param for param, _ in row.params), args, strict=False))
    return row.text.format(subject=subject, **{param: values.get(param, "") for param, _ in row.params})
