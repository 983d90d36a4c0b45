"""Source text and positions. Made by the loader; carried by every node and diagnostic.

A :class:`Span` points into a file by character offsets; line and column are derived late. Effect text lives inside
YAML scalars of any style: :class:`Embedded` keeps the decoded text and, for each of its characters, the offset in the
file it came from.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from .printable import one_line
from .records import dataclass, field


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
