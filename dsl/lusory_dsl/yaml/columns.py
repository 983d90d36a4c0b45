"""Which line of a YAML file stands in the wrong column, where the parser only knows that some two don't agree.

The parser notices a fault at the second of two lines; the slip is as often in the first. What most lines do is right.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile

from ..text.records import dataclass


@dataclass(frozen=True)
class OddLine:
    """A line by its number, from 0. ``lacks_dash``: it should be an item of a list."""

    number: int
    lacks_dash: bool = False


def indent_of(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip(" "))


_SIGNS = re.compile(r" *(\S +)*\S *")
"""A row of a picture: signs with blanks between them."""


def picture_columns(lines: list[str], fault: int) -> int | None:
    """How far a picture is moved in from its key, where line ``fault`` is a row of it that is less far in than the
    first one, so that YAML can't tell; None where there is no such picture."""
    head = next((n for n in range(fault - 1, -1, -1) if not _SIGNS.fullmatch(lines[n])), None)
    if (
        head is None
        or head == fault - 1
        or not lines[head].rstrip().endswith("|")
        or not _SIGNS.fullmatch(lines[fault])
    ):
        return None
    own = indent_of(lines[head])
    rows = (
        line for line in takewhile(lambda line: indent_of(line) > own and _SIGNS.fullmatch(line), lines[head + 1 :])
    )
    least = min(map(indent_of, rows), default=own)
    return least - own if own < least < indent_of(lines[head + 1]) else None


def odd_line(lines: list[str], fault: int) -> OddLine:
    """The line that is out of its column, where line ``fault`` does not go on with what stands above it."""
    here = indent_of(lines[fault])
    deeper, parent = _above(lines, fault)
    first = deeper[-1] if deeper else None
    is_item = lines[fault].lstrip().startswith("- ")
    if first is not None and is_item and indent_of(lines[first]) == here + 2 and lines[first].lstrip()[:2] != "- ":
        return OddLine(first, lacks_dash=True)
    columns = Counter(indent_of(line) for line in lines if _says_something(line))
    alone = [
        n
        for n in (parent, *reversed(deeper))
        if n is not None and columns[indent_of(lines[n])] == 1 and lines[n][0] == " "
    ]
    if alone and columns[here] > 1:
        return OddLine(alone[0])
    if parent is not None and _holds_nothing_else(lines, parent):
        return OddLine(parent)
    nearest = min(deeper, key=lambda n: indent_of(lines[n]), default=None)
    if nearest is not None and siblings(lines, nearest, 1) < siblings(lines, fault, 1):
        return OddLine(nearest)
    return OddLine(fault)


def siblings(lines: list[str], number: int, step: int) -> int:
    """How many lines are indented like one, from there on (``step`` 1) or up to there (-1), as long as none is further
    out."""
    column, count = indent_of(lines[number]), 0
    while 0 <= number < len(lines) and (not _says_something(lines[number]) or indent_of(lines[number]) >= column):
        count += _says_something(lines[number]) and indent_of(lines[number]) == column
        number += step
    return count


def _above(lines: list[str], fault: int) -> tuple[list[int], int | None]:
    """The lines above one that are further in, the nearest first, and the one that they end at."""
    here = indent_of(lines[fault])
    deeper: list[int] = []
    for number in range(fault - 1, -1, -1):
        if _says_something(lines[number]):
            if indent_of(lines[number]) < here:
                return deeper, number
            if indent_of(lines[number]) > here:
                deeper.append(number)
    return deeper, None


def _holds_nothing_else(lines: list[str], number: int) -> bool:
    """Whether a line is a key, right below another in its column under which nothing stands."""
    before = next((n for n in range(number - 1, -1, -1) if _says_something(lines[n])), None)
    if before is None or indent_of(lines[before]) != indent_of(lines[number]):
        return False
    return all(lines[n].rstrip().endswith(":") for n in (before, number))


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
