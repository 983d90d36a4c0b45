"""Represent source texts and spans, and format text for messages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from .dataclass_with_lazy_methods import Record, ValueRecord, dataclass, field

TAB = "    "
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

INVISIBLE_CHARACTERS = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
"""Characters that are invisible and useless in a line of text, as a part of a regular expression's character class.

These are direction marks, line and paragraph separators, and zero-width characters.
"""

_UNSAFE = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{INVISIBLE_CHARACTERS}\ud800-\udfff\U000e0000-\U000e007f]")
"""Matches control characters except line feeds, invisible characters, lone surrogates and tag characters."""


def make_printable(text: str) -> str:
    """Return ``text`` with ``TAB`` for each tab, and ``REPLACEMENT`` for each other unsafe character.

    Unsafe are control characters except line feeds, invisible characters, lone surrogates and tag characters.
    """
    return _UNSAFE.sub(lambda match: TAB if match[0] == "\t" else REPLACEMENT, text)


def make_one_line(text: str) -> str:
    """Return ``text`` as :func:`make_printable` does, but with ``REPLACEMENT`` for line feeds as well.

    A tab still becomes ``TAB``.
    """
    return make_printable(text).replace("\n", REPLACEMENT)


def format_json(value: Any) -> str:
    """Return a JSON value as text, indented by 2, with a final line feed.

    Characters that :func:`make_printable` calls unsafe are escaped: ``\\u001b``. Other characters beyond ASCII stay.
    """
    # imported late, because most commands print no JSON
    import json

    # unsafe characters occur only in the strings of a JSON text
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text) + "\n"


@dataclass(eq=False)
class Source:
    """One file. ``name`` is what messages show. Line breaks in ``text`` are normalised to ``\\n``."""

    name: str
    text: str
    start = 0  # the offset of a place in the file, as in a Fragment

    @property
    def file(self) -> Source:
        """The source itself, as the file of a place in it."""
        return self

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be computed again, so that stored programs stay small."""
        return {name: value for name, value in self.__dict__.items() if name not in ("fragments", "line_starts")}

    @cached_property
    def fragments(self) -> list[tuple[int, Fragment]]:
        """The fragments of the file, each with its start, in order.

        One begins at each line that is indented by at most two blanks and is neither empty nor a comment. It ends where
        the next begins. Text before the first one belongs to no fragment.
        """
        starts = [match.start() for match in _FRAGMENT_START.finditer(self.text)]
        return [
            (start, Fragment(self, start, end - start))
            for start, end in zip(starts, [*starts, len(self.text)][1:], strict=True)
        ]

    def move_fragments(self) -> None:
        """Let all fragments of the file lie where they are in this version of its text."""
        for start, fragment in self.fragments:
            fragment.file, fragment.start = self, start

    def reuse_fragments(self, old_source: Source) -> None:
        """Replace ``fragments`` by a new list with the fragments of an earlier version whose text is still in the
        file.

        ``fragments`` holds pairs of a start and a fragment. Each start stays. Its fragment becomes the old one with the
        same text; of several, the first that is not yet used. Without one, the fragment stays. The file and the start
        that an old fragment itself holds change only with :meth:`move_fragments`.
        """
        by_text: dict[str, list[Fragment]] = {}
        for _, fragment in reversed(old_source.fragments):
            by_text.setdefault(fragment.text, []).append(fragment)
        self.fragments = [
            (start, by_text[fragment.text].pop() if by_text.get(fragment.text) else fragment)
            for start, fragment in self.fragments
        ]

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of the first character of each line."""
        return [0] + [i + 1 for i, character in enumerate(self.text) if character == "\n"]

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character offset, both counted from 1."""
        line = bisect_right(self.line_starts, offset) - 1
        return line + 1, offset - self.line_starts[line] + 1

    def get_line(self, number: int) -> str:
        """Return the text of a line without the ``\\n`` at its end.

        Lines count from 1; the text behind a final ``\\n`` is a line, too. Raises IndexError for a line behind the
        last. ``number`` must be at least 1.
        """
        starts = self.line_starts
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end]

    def describe_place(self, offset: int) -> str:
        """Return "", because line and column describe a place in a text file.

        A subclass returns a prefix for messages that describes the place more clearly.
        """
        return ""


_FRAGMENT_START = re.compile(r"^ {0,2}(?=[^ #\n])", re.MULTILINE)
"""The start of a line that is indented like a section of a YAML file, or like a declaration in a section."""


@dataclass(eq=False)
class Fragment:
    """A part of a YAML file, such as one declaration, that begins at ``start`` and has ``size`` characters.

    Edits elsewhere in the file move it. A repeated check then sets ``file`` and ``start`` to its new place, and so all
    positions in it stay right in the results of earlier checks. An edit in the fragment replaces it.
    """

    file: Source
    start: int
    size: int

    @property
    def text(self) -> str:
        """The text of the fragment."""
        return self.file.text[self.start : self.start + self.size]


@dataclass(eq=False)
class Sheet(Source):
    """A file of rows and columns.

    ``cells`` holds a tuple for each cell: its offset, its row from 1 and its column from 0. ``columns`` maps a column
    to its title. The reader fills both while it reads the file.
    """

    cells: list[tuple[int, int, int]] = field(default_factory=list)
    columns: dict[int, str] = field(default_factory=dict)

    def describe_place(self, offset: int) -> str:
        """Return the place as row and column, such as ``"row 3, column `cost`: "``, which ends in a blank.

        It is that of the last cell that begins at or before ``offset``. A column without a title has its number from 1
        in the quotes: column `2`. The row number is that in ``cells``. Returns "" before the first cell.
        """
        index = bisect_right(self.cells, offset, key=lambda cell: cell[0]) - 1
        if index < 0:
            return ""
        _, row, column = self.cells[index]
        return f"row {row}, column `{self.columns.get(column, column + 1)}`: "


class Span(ValueRecord):
    """The characters from ``start`` to ``end`` - 1 of ``source``. An empty span is shown one character wide.

    ``first`` and ``last`` are the same offsets, counted from the beginning of ``base``: a file or one of its fragments.
    """

    base: Source | Fragment
    first: int
    last: int

    @property
    def source(self) -> Source:
        """The file."""
        return self.base.file

    @property
    def start(self) -> int:
        """The offset of the first character in the file."""
        return self.base.start + self.first

    @property
    def end(self) -> int:
        """The offset behind the last character in the file."""
        return self.base.start + self.last

    @property
    def line(self) -> int:
        """The line of the first character, from 1."""
        return self.source.locate(self.start)[0]

    @property
    def column(self) -> int:
        """The column of the first character, from 1."""
        return self.source.locate(self.start)[1]

    @property
    def text(self) -> str:
        """The characters."""
        return self.source.text[self.start : self.end]

    @property
    def line_text(self) -> str:
        """The characters as one line: each run of blanks and line breaks as one blank, and none at the ends."""
        return " ".join(self.text.split())

    def __str__(self) -> str:
        line, column = self.source.locate(self.start)
        return f"{make_one_line(self.source.name)}:{line}:{column}"

    def __repr__(self) -> str:
        return f"Span({self})"


NOWHERE = Span(Source("<nowhere>", ""), 0, 0)


class EmbeddedText(Record):
    """A text of the effect language inside a YAML scalar.

    ``offsets[i]`` is the offset of ``text[i]`` in ``base``, a file or one of its fragments. ``offsets`` has one more
    entry than ``text`` has characters.
    """

    base: Source | Fragment
    text: str
    offsets: tuple[int, ...]

    @property
    def source(self) -> Source:
        """The file."""
        return self.base.file

    def make_span(self, start: int, end: int) -> Span:
        """Return the span of ``text[start:end]`` in the file.

        Positions outside the text are moved to its ends first. The span has at least one character: for an empty range,
        the one at ``start``, even just after the text. It goes from the entry in ``offsets`` of its first character to
        one after that of its last. With a text of 6 characters at 3..9, ``(1, 3)`` gives 4..6, ``(-5, 1000)`` 3..9, and
        ``(9, 9)`` 9..10.
        """
        last = len(self.offsets) - 1
        start, end = min(max(start, 0), last), min(max(end, 0), last)
        first = self.offsets[start]
        return Span(self.base, first, max(self.offsets[end - 1] if end > start else first, first) + 1)

    @property
    def whole_span(self) -> Span:
        """The span, in the file, of the embedded text without surrounding blanks.

        It has at least one character: in a blank text, the first one. An empty text gives the character of the file at
        ``offsets[0]``. Line breaks count as blanks.
        """
        stripped_text = self.text.rstrip()
        lead = len(self.text) - len(self.text.lstrip()) if stripped_text else 0
        return self.make_span(lead, max(len(stripped_text), lead + 1))


def count_indent(line: str) -> int:
    """Return the number of spaces at the start of a line."""
    return len(line) - len(line.lstrip(" "))


def has_content(line: str) -> bool:
    """Return whether a line of YAML is neither blank nor only a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def to_snake_case(name: str) -> str:
    """Convert a name from camel case: ``BuildingTile`` becomes ``building_tile``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() and i else letter.lower() for i, letter in enumerate(name))


def humanise(name: str) -> str:
    """Return a name as readers see it: ``start_player`` becomes ``start player``.

    Dots become blanks, too. Capitals stay, and blanks at the ends are removed.
    """
    return name.replace("_", " ").replace(".", " ").strip()


def capitalize(text: str) -> str:
    """Return a text with a capital first letter. All else stays."""
    return text[:1].upper() + text[1:]


def make_title(name: str) -> str:
    """Return a declared name as a title: ``draw_pile`` becomes ``Draw pile``, and ``buy_VP`` becomes ``Buy VP``."""
    return capitalize(humanise(name))


DETERMINERS = frozenset(("the", "your", "my", "our", "his", "her", "its", "their"))
"""First words of labels that stand before a noun in place of ``the``."""


def prepend_article(noun: object) -> str:
    """Return a noun with `a` or `an`, by its first letter: ``an enum``, ``a card``.

    A backtick before it doesn't count. Nouns that begin with ``uni``, ``use``, ``eu`` or the word ``one`` take `a`.
    Case doesn't matter, and no other exceptions are known: `hour` takes `a`.
    """
    text = str(noun)
    is_vowel = re.match(r"(?!uni|use|one\b|eu)[aeiou]", text.strip("`").lower())
    return f"an {text}" if is_vowel else f"a {text}"


def prepend_the(label: str) -> str:
    """Return a label with ``the``: ``the Capital``.

    If its first word is in ``DETERMINERS``, that stands in lower case instead: ``Your Profit`` gives ``your Profit``.
    A label of one word always takes ``the``.
    """
    first, _, rest = label.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in DETERMINERS and rest else f"the {label}"


def count_noun(number: int, word: str) -> str:
    """Return a number with its noun, whose plural ends in ``s``: ``1 case``, ``2,000 cases``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def count_range(low: int, high: int, word: str) -> str:
    """Return a range of numbers with its noun, as :func:`count_noun` does: ``2 to 4 players``, or ``1 player``."""
    return count_noun(low, word) if low == high else f"{low:,} to {count_noun(high, word)}"


def join_items(items: Iterable[str], last: str = "and") -> str:
    """Return items as ``a, b and c``, with ``last`` before the last one.

    One item is returned as it is. Without items, the result is the word ``nothing``.
    """
    *leading_items, last_item = list(items) or ["nothing"]
    return f"{', '.join(leading_items)} {last} {last_item}" if leading_items else last_item


def quote_list(words: Iterable[object], last: str = "and") -> str:
    """Return words as :func:`join_items` does, each in backticks: three words give ```a`, `b` and `c```."""
    return join_items((f"`{word}`" for word in words), last)
