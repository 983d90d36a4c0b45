"""Read a CSV file as rows of cells that know their position. The loader uses it for sheets of cards.

The format is RFC 4180. A cell with a separator, a line break or a quotation mark is quoted, and quotation marks in
it are doubled. The separator is the comma, semicolon or tab that occurs most often in the first row. Spaces around a
cell are removed. The numbers of rows, columns and cells and the length of a cell are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ..source import diagnostic_codes
from ..source.dataclass_with_lazy_methods import dataclass
from ..source.diagnostics import Code, Diagnostics
from ..source.source import EmbeddedText, Sheet, Span
from .reader import MAX_NODES, YamlScalar, check_readable

MAX_ROWS = 10_000
MAX_COLUMNS = 200
MAX_CELL_LENGTH = 20_000  # in characters
_SEPARATORS = ",;\t"
_SPLIT_HINT = "divide it into several sheets"


@dataclass(frozen=True, eq=False)
class Cell(YamlScalar):
    """A cell as text. ``offsets`` holds the file offset of each character, and of the end."""

    offsets: tuple[int, ...] = ()

    @cached_property
    def embedded_text(self) -> EmbeddedText:
        """Return the content of the cell as effect text, with the offset of each character in the file."""
        return EmbeddedText(self.span.source, self.text, self.offsets)

    def slice(self, start: int, end: int) -> Cell:
        """Return the characters from ``start`` to ``end`` - 1 as a separate cell."""
        text, offsets = self.text[start:end], (*self.offsets[start:end], self.offsets[end - 1] + 1)
        return Cell(Span(self.span.source, offsets[0], offsets[-1]), text, text, "", -1, offsets)

    def split_words(self) -> list[Cell]:
        """Return the words of the cell, separated by whitespace, as cells."""
        return [self.slice(match.start(), match.end()) for match in re.finditer(r"\S+", self.text)]


@dataclass(frozen=True, eq=False)
class Row:
    """A row without its empty cells.

    ``number`` counts from 1; ``cells`` maps the number of a column, from 0, to its cell.
    """

    number: int
    cells: dict[int, Cell]


def read_rows(source: Sheet, diagnostics: Diagnostics) -> list[Row] | None:
    """Return the rows of a sheet that are not empty, in order, or None after reporting an error.

    The first of these rows holds the titles of the columns. They are also stored in ``source.columns``, and the
    position of each cell in ``source.cells``. An empty sheet gives [].
    """
    if not check_readable(source, diagnostics):
        return None
    return _Reader(source, diagnostics).read_rows()


@dataclass(eq=False)
class _Reader:
    source: Sheet
    diagnostics: Diagnostics
    offset: int = 0
    separator: str = ","
    failed: bool = False

    def read_rows(self) -> list[Row] | None:
        """Return the rows that aren't empty, or None if the file has an error.

        A row has its number, from 1, and its cells that aren't empty by column, from 0. The texts of the first become
        the columns of the source.
        """
        text = self.source.text
        self.separator = _detect_separator(text)
        rows: list[Row] = []
        number = 0
        while self.offset < len(text) and not self.failed:
            number += 1
            start = self.offset
            cells = {column: cell for column, cell in enumerate(self._read_row(number)) if cell.text}
            if number > MAX_ROWS:
                self._report_size(f"{MAX_ROWS:,} rows", start)
            elif cells:
                if not rows:
                    self.source.columns.update((column, cell.text) for column, cell in cells.items())
                rows.append(Row(number, cells))
        return None if self.failed else rows

    def _read_row(self, number: int) -> Iterator[Cell]:
        """Yield the cells of one row and move behind its end."""
        column = 0
        while True:
            self.source.cells.append((self.offset, number, column))
            yield self._read_cell()
            column += 1
            end = self.source.text[self.offset : self.offset + 1]
            self.offset += 1
            if end == self.separator and column == MAX_COLUMNS:
                self._report_size(f"{MAX_COLUMNS} columns", self.offset - 1)
            elif len(self.source.cells) == MAX_NODES:
                self._report_size(f"{MAX_NODES:,} cells", self.offset - 1)
            if end != self.separator or self.failed:
                return

    def _read_cell(self) -> Cell:
        """Return the cell at the current position and move to the separator or line break that ends it."""
        text, start = self.source.text, self.offset
        opening = re.compile(r'[ \u00a0]*"').match(text, start)
        if opening is None:
            end = re.compile(f"[\n{self.separator}]|$").search(text, start)
            self.offset = len(text) if end is None else end.start()
            characters = list(range(start, self.offset))
        else:
            characters = self._read_quoted(opening.end())
        while characters and text[characters[-1]].isspace():
            characters.pop()
        first = next((i for i, place in enumerate(characters) if not text[place].isspace()), len(characters))
        characters = characters[first:]
        content = "".join(text[place] for place in characters)
        if len(content) > MAX_CELL_LENGTH:
            message = f"this cell has more than {MAX_CELL_LENGTH:,} characters"
            self._report(message, start, "write this card in a YAML file", diagnostic_codes.TOO_LARGE)
        text_end = characters[-1] + 1 if characters else start
        span = Span(self.source, characters[0] if characters else start, text_end)
        return Cell(span, content, content, "", -1, (*characters, text_end))

    def _read_quoted(self, position: int) -> list[int]:
        """Return the offsets of the characters of a quoted cell. ``position`` is behind the opening quotation mark."""
        text, characters, start = self.source.text, [], position - 1
        while position < len(text):
            if text[position] == '"' and text[position + 1 : position + 2] != '"':
                break
            position += text[position] == '"'
            characters.append(position)
            position += 1
        else:
            self._report("the quotation mark at the start of this cell is never closed", start, 'write `"` behind it')
        space = re.compile(r"[ \u00a0]*").match(text, position + 1)
        self.offset = len(text) if space is None else space.end()
        if self.offset < len(text) and text[self.offset] not in f"{self.separator}\n":
            hint = 'write a quotation mark inside a cell twice: `""`'
            self._report("there is text after the end of this cell", self.offset, hint)
        return characters

    def _report_size(self, limit: str, position: int) -> None:
        self._report(f"this sheet has more than {limit}", position, _SPLIT_HINT, diagnostic_codes.TOO_LARGE)

    def _report(self, message: str, position: int, hint: str, code: Code = diagnostic_codes.SHEET_COLUMN) -> None:
        if not self.failed:
            self.diagnostics.add(code, message, Span(self.source, position, position + 1), hint)
        self.failed = True


def _detect_separator(text: str) -> str:
    """Return the separator that occurs most often in the first row, outside of quotation marks."""
    first = re.sub(r'"[^"]*"', "", text).lstrip("\n").partition("\n")[0]
    return max(_SEPARATORS, key=lambda separator: (first.count(separator), separator == ","))
