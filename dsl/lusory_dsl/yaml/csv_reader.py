"""Text of a CSV file -> rows of cells that know where they stand. Used by the loader for sheets of cards.

As RFC 4180 has it: cells between separators, in quotation marks where a separator, a line break or a quotation mark
(written twice) is in them. The separator, comma, semicolon or tab, is the one that the first row has most of. Blanks
around a cell are not part of it. Bounded in rows, columns and the length of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..source import diagnostic_codes
from ..source.dataclasses import dataclass
from ..source.diagnostics import Code, Diagnostics
from ..source.source import Embedded, Sheet, Span
from .reader import YamlScalar, report_unreadable

MAX_ROWS = 10_000
MAX_COLUMNS = 200
MAX_CELL = 20_000  # characters
_SEPARATORS = ",;\t"
_DIVIDE = "divide it into several sheets"


@dataclass(frozen=True, eq=False)
class Cell(YamlScalar):
    """A cell, as text. ``offsets``: where each of its characters stands in the file."""

    offsets: tuple[int, ...] = ()

    def embedded(self) -> Embedded:
        return Embedded(self.span.source, self.text, self.offsets)

    def part(self, start: int, end: int) -> Cell:
        """Some characters of the cell as a cell of their own."""
        text, offsets = self.text[start:end], (*self.offsets[start:end], self.offsets[end - 1] + 1)
        return Cell(Span(self.span.source, offsets[0], offsets[-1]), text, text, "", -1, offsets)

    def words(self) -> list[Cell]:
        """What stands in it between blanks."""
        return [self.part(found.start(), found.end()) for found in re.finditer(r"\S+", self.text)]


@dataclass(frozen=True, eq=False)
class Row:
    """The cells of a row that hold something, by the number of their column from 0. ``number``: of the row, from 1."""

    number: int
    cells: dict[int, Cell]


def read_rows(source: Sheet, diagnostics: Diagnostics) -> list[Row] | None:
    """The rows of a sheet that hold something; None after a report. The first one names the columns."""
    if not report_unreadable(source, diagnostics):
        return None
    return _Reader(source, diagnostics).rows()


@dataclass(eq=False)
class _Reader:
    source: Sheet
    diagnostics: Diagnostics
    at: int = 0
    separator: str = ","
    failed: bool = False

    def rows(self) -> list[Row] | None:
        text = self.source.text
        self.separator = _separator(text)
        found: list[Row] = []
        number = 0
        while self.at < len(text) and not self.failed:
            number += 1
            start = self.at
            cells = {column: cell for column, cell in enumerate(self._row(number)) if cell.text}
            if number > MAX_ROWS:
                self._refuse(f"a sheet of more than {MAX_ROWS:,} rows", start, _DIVIDE, diagnostic_codes.TOO_LARGE)
            elif cells:
                if not found:
                    self.source.columns.update((column, cell.text) for column, cell in cells.items())
                found.append(Row(number, cells))
        return None if self.failed else found

    def _row(self, number: int) -> Iterator[Cell]:
        """The cells up to the end of the row, behind which the next one begins."""
        column = 0
        while True:
            self.source.cells.append((self.at, number, column))
            yield self._cell()
            column += 1
            end = self.source.text[self.at : self.at + 1]
            self.at += 1
            if end == self.separator and column == MAX_COLUMNS:
                self._refuse(
                    f"a sheet of more than {MAX_COLUMNS} columns", self.at - 1, _DIVIDE, diagnostic_codes.TOO_LARGE
                )
            if end != self.separator or self.failed:
                return

    def _cell(self) -> Cell:
        """One cell; afterwards the place is at what ends it."""
        text, start = self.source.text, self.at
        opening = re.compile(r'[ \u00a0]*"').match(text, start)
        if opening is None:
            end = re.compile(f"[\n{self.separator}]|$").search(text, start)
            self.at = len(text) if end is None else end.start()
            characters = list(range(start, self.at))
        else:
            characters = self._quoted(opening.end())
        while characters and text[characters[-1]].isspace():
            characters.pop()
        first = next((i for i, place in enumerate(characters) if not text[place].isspace()), len(characters))
        characters = characters[first:]
        content = "".join(text[place] for place in characters)
        if len(content) > MAX_CELL:
            message = f"a cell of more than {MAX_CELL:,} characters"
            self._refuse(message, start, "write what it says into a YAML file", diagnostic_codes.TOO_LARGE)
        after = characters[-1] + 1 if characters else start
        span = Span(self.source, characters[0] if characters else start, after)
        return Cell(span, content, content, "", -1, (*characters, after))

    def _quoted(self, at: int) -> list[int]:
        """The places of the characters of a cell in quotation marks."""
        text, found, start = self.source.text, [], at - 1
        while at < len(text):
            if text[at] == '"' and text[at + 1 : at + 2] != '"':
                break
            at += text[at] == '"'
            found.append(at)
            at += 1
        else:
            self._refuse(
                "this cell begins with a quotation mark and does not end with one", start, 'write `"` behind it'
            )
        behind = re.compile(r"[ \u00a0]*").match(text, at + 1)
        self.at = len(text) if behind is None else behind.end()
        if self.at < len(text) and text[self.at] not in f"{self.separator}\n":
            hint = 'a quotation mark inside of a cell is written twice: `""`'
            self._refuse("something stands behind the end of this cell", self.at, hint)
        return found

    def _refuse(self, message: str, at: int, hint: str, code: Code = diagnostic_codes.SHEET_COLUMN) -> None:
        if not self.failed:
            self.diagnostics.add(code, message, Span(self.source, at, at + 1), hint)
        self.failed = True


def _separator(text: str) -> str:
    """What the first row has most of, outside of quotation marks."""
    first = re.sub(r'"[^"]*"', "", text).lstrip("\n").partition("\n")[0]
    return max(_SEPARATORS, key=lambda separator: (first.count(separator), separator == ","))
