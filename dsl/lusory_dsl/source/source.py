"""Source text, spans, and text embedded in a YAML scalar."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from .dataclasses import dataclass, field

TAB = "    "
MARK = "\N{REPLACEMENT CHARACTER}"

INVISIBLE = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
"""Marks of direction, line and paragraph separators, and what has no width and no use in a line of text."""

_UNSAFE = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff\U000e0000-\U000e007f]")
"""Controls (C0 but the line feed, DEL, C1), what can't be seen, halves of surrogate pairs, tags."""


def printable(text: str) -> str:
    """Text of any number of lines; a tab becomes spaces."""
    return _UNSAFE.sub(_replaced, text)


def one_line(text: str) -> str:
    """Text that must not begin a new line: a name, a path, a message."""
    return printable(text).replace("\n", MARK)


def json_text(value: Any) -> str:
    """A JSON value as text, with a line break at its end: the same value for programs, and fit for a screen."""
    import json  # imported late: most of what is shown is no JSON

    return _UNSAFE.sub(_escaped, json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def _replaced(found: re.Match[str]) -> str:
    return TAB if found[0] == "\t" else MARK


def _escaped(found: re.Match[str]) -> str:
    """What stands in a JSON text for a character: json.dumps leaves such characters in strings only."""
    import json

    return json.dumps(found[0])[1:-1]


@dataclass(eq=False)
class Source:
    """One file: ``name`` as shown to people, ``text`` with line breaks normalised to ``\\n``."""

    name: str
    text: str

    @cached_property
    def line_starts(self) -> list[int]:
        return [0] + [i + 1 for i, c in enumerate(self.text) if c == "\n"]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        line = bisect_right(self.line_starts, offset) - 1
        return line + 1, offset - self.line_starts[line] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its break."""
        starts = self.line_starts
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end]

    def told(self, offset: int) -> str:
        """Words for a place, ahead of a message about it: none where line and column say all."""
        return ""


@dataclass(eq=False)
class Sheet(Source):
    """A file of rows and columns. ``cells``: where each begins, with the numbers of its row from 1 and its column from
    0; ``columns``: what these are called. Both grow while it is read."""

    cells: list[tuple[int, int, int]] = field(default_factory=list)
    columns: dict[int, str] = field(default_factory=dict)

    def told(self, offset: int) -> str:
        """``row 3, column cost: ``"""
        found = bisect_right(self.cells, offset, key=lambda cell: cell[0]) - 1
        if found < 0:
            return ""
        _, row, column = self.cells[found]
        return f"row {row}, column {self.columns.get(column, column + 1)}: "


@dataclass(frozen=True)
class Span:
    """The characters ``start`` … ``end`` - 1 of ``source``; at least one wide when shown."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{one_line(self.source.name)}:{line}:{column}"

    def __repr__(self) -> str:
        return f"Span({self})"


NOWHERE = Span(Source("<nowhere>", ""), 0, 0)


@dataclass(frozen=True, eq=False)
class Embedded:
    """Text of the effect language inside a YAML scalar.

    ``offsets[i]`` is the file offset of ``text[i]``; it has one more entry than ``text`` has characters.
    """

    source: Source
    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """Where ``text[start:end]`` stands in the file."""
        last = len(self.offsets) - 1
        first = self.offsets[min(max(start, 0), last)]
        if end <= start:
            return Span(self.source, first, first + 1)
        return Span(self.source, first, max(self.offsets[min(end - 1, last)] + 1, first + 1))

    @property
    def whole(self) -> Span:
        stripped = self.text.rstrip()
        lead = len(self.text) - len(self.text.lstrip()) if stripped else 0
        return self.span(lead, max(len(stripped), lead + 1))


def snake_case(name: str) -> str:
    """``BuildingTile`` is ``building_tile``."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


def humanised(name: str) -> str:
    """A name as people read it: ``start_player`` is ``start player``, ``Card.play`` is ``Card play``. Numbers stay."""
    return name.replace("_", " ").replace(".", " ").strip()


def article(noun: object) -> str:
    """The noun with `a` or `an`."""
    text = str(noun)
    is_vowel = re.match(r"(?!uni|use|one\b|eu)[aeiou]", text.strip("`").lower())
    return f"an {text}" if is_vowel else f"a {text}"


def listed(words: Iterable[object], last: str = "and") -> str:
    """``a, b and c``, each between back-quotes."""
    quoted = [f"`{w}`" for w in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {last} {quoted[-1]}" if quoted else "nothing"
