"""The spaces of boards whose names stand in the ruleset: those of all but `grid` and `hex`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.source import Embedded
from . import model


def named_spaces(decl: model.BoardDecl) -> list[str]:
    """The names of a board's spaces in their order, as far as they are written down; none of squares and hexagons."""
    shape = next((word.text for word in decl.shapes if word.text != "lines"), "lines")
    if shape == "track" and decl.size is not None:
        letters = decl.letters.text if decl.letters is not None else "s"
        size = int(decl.size.text) if re.fullmatch("[0-9]{1,4}", decl.size.text) else 0
        return [f"{letters}{number}" for number in range(1, size + 1)]
    if shape == "links" and decl.map is not None:
        return [name for name in decl.map.text.split() if name != "."]
    return list(dict.fromkeys(word.text for word in _written(decl, shape)))


def words_of_line(line: Embedded) -> Iterator[model.Word]:
    """The spaces of a printed line."""
    for found in re.finditer(r"\S+", line.text):
        yield model.Word(found[0], line.span(found.start(), found.end()))


def _written(decl: model.BoardDecl, shape: str) -> Iterator[model.Word]:
    if shape == "ring":
        yield from decl.spaces
    elif shape == "links":
        yield from (word for space, others in decl.links for word in (space, *others))
    elif shape == "lines":
        yield from (
            word
            for _, lines in decl.lines
            if not isinstance(lines, model.Word)
            for line in lines
            for word in words_of_line(line)
        )
