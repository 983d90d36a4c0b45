"""Hold styled lines, measure and lay them out, and write values of the rules as styled text.

A :data:`Line` is a tuple of runs. Each :class:`Run` has one style and may refer to the value that it represents. Widths
are columns of a terminal: wide letters and emoji take two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len, split_graphemes

from lusory_dsl.source.source import make_one_line
from lusory_dsl.types.types import OptionalType, PlayerType, Type

from ..state.setting_value_limits_builtins_and_names import Setting, Value
from ..view.seat_view import SeatReader
from ..view.table_and_option_text import identify, list_pieces, mark_unknown


@dataclass(frozen=True, slots=True)
class Run:
    """Hold text in one style, without control characters.

    Attributes:
        colour: The name of a text colour, see :data:`COLOURS`. "" is the terminal's own.
        reverse: Whether text and background colours are exchanged, as for a cursor.
        fresh: Whether the text changed since the viewer's last decision.
        back: The name of a background colour. "" is the terminal's own.
        of: The reference of the value that the text represents (``Card:phoenix``), or "".
    """

    text: str
    colour: str = ""
    bold: bool = False
    dim: bool = False
    reverse: bool = False
    fresh: bool = False
    back: str = ""
    of: str = ""


Line = tuple[Run, ...]


def set_text(run: Run, text: str) -> Run:
    """Return the run with another text, and all other fields the same. This is about twice as fast as ``replace``."""
    return Run(text, run.colour, run.bold, run.dim, run.reverse, run.fresh, run.back, run.of)


def to_text(line: Iterable[Run]) -> str:
    """Return the text of a line without its styles."""
    return "".join(run.text for run in line)


ELLIPSIS = "…"
Align = Literal["left", "right", "centre"]
_PIECES = re.compile(r"\s+|[^\s]+")


@lru_cache(maxsize=4096)
def measure_text(text: str) -> int:
    """Return the width of a text in columns. Wide letters and emoji count two, and combining characters none."""
    return len(text) if text.isascii() else cell_len(text)


def list_graphemes(text: str) -> Iterator[str]:
    """Yield the grapheme clusters of a text, in order: an emoji with everything joined to it is one.

    Joined together, they are the text. An empty text has none. In a text that is not ASCII, whatever takes no column,
    such as an accent or a line break, belongs to the cluster before it. At the start of the text, it is a cluster of
    its own. A flag of two regional letters, such as that of France, has two clusters.
    """
    if text.isascii():
        yield from text
        return
    spans, _ = split_graphemes(text)
    yield from (text[start:end] for start, end, _ in spans)


def measure(line: Iterable[Run]) -> int:
    """Return the width of a line in columns."""
    return sum(measure_text(run.text) for run in line)


def measure_widest(lines: Iterable[Line]) -> int:
    """Return the width of the longest line, or 0 without lines."""
    return max(map(measure, lines), default=0)


def select_fitting(forms: Iterable[list[Line]], columns: int, rows: int | None) -> list[Line]:
    """Return the first block of lines that fits into ``columns`` and, if given, ``rows``.

    If all blocks that are narrow enough have too many rows, return the one with the fewest, the first among equals. If
    all are too wide, return []. Blocks after the one that fits are not made.
    """
    lowest: list[Line] = []
    for lines in forms:
        if measure_widest(lines) <= columns:
            if rows is None or len(lines) <= rows:
                return lines
            lowest = min(lowest or lines, lines, key=len)
    return lowest


def blank(columns: int) -> Line:
    """Return a line of ``columns`` blanks, without a run if that is not positive."""
    return (Run(" " * columns),) if columns > 0 else ()


def restyle(line: Iterable[Run], **style: object) -> Line:
    """Return the line with fields of all its runs replaced: ``restyle(line, dim=True)``."""
    return tuple(replace(run, **style) for run in line)  # type: ignore[arg-type]


def add_reference(line: Iterable[Run], reference: str) -> Line:
    """Return the line with a reference on every run that has none. An empty ``reference`` changes nothing."""
    return tuple(replace(run, of=run.of or reference) for run in line) if reference else tuple(line)


def cut_line(line: Line, columns: int) -> Line:
    """Shorten a line to at most ``columns``. A dim ellipsis marks lost text and counts as one column.

    A line that fits comes back unchanged. A wide character that doesn't fit is dropped whole, so the result can be one
    column shorter. If ``columns`` is not positive, any other line becomes empty.
    """
    if measure(line) <= columns:
        return line
    runs: list[Run] = []
    room = columns - 1
    for run in line:
        text = _cut_text(run.text, room)
        if text:
            runs.append(replace(run, text=text))
            room -= measure_text(text)
        if text != run.text:
            break
    return (*runs, Run(ELLIPSIS, dim=True)) if columns > 0 else ()


def _cut_text(text: str, columns: int) -> str:
    """Return the longest prefix of a text that fits into ``columns``."""
    width, end = 0, 0
    for letter in list_graphemes(text):
        width += measure_text(letter)
        if width > columns:
            return text[:end]
        end += len(letter)
    return text


def pad_line(line: Line, columns: int, align: Align = "left") -> Line:
    """Pad a line with blanks, or shorten it as :func:`cut_line` does, to exactly ``columns``.

    ``align`` says where the line stands: at the ``left``, at the ``right`` or in the ``centre``. With ``centre``, an
    odd blank is at the right.
    """
    line = cut_line(line, columns)
    room = columns - measure(line)
    left_room = {"left": 0, "right": room, "centre": room // 2}[align]
    return (*blank(left_room), *line, *blank(room - left_room)) if room else line


def place_beside(parts: Sequence[Sequence[Line]], widths: Sequence[int], gap: int = 0) -> list[Line]:
    """Place blocks of lines side by side, each cut or padded to its own width, with ``gap`` blanks between them.

    A line cut to four columns is ``abc…``. Shorter blocks are filled with empty lines at the bottom. Blanks at the end
    of a line are taken off, except those with a background or in reverse. The result is [] if no block has lines.
    Otherwise, raises ValueError unless there are as many widths as blocks.
    """
    height = max(map(len, parts), default=0)
    lines: list[Line] = []
    for row in range(height):
        line: list[Run] = []
        for index, (part, columns) in enumerate(zip(parts, widths, strict=True)):
            line += blank(gap if index else 0)
            line += pad_line(part[row] if row < len(part) else (), columns)
        lines.append(trim_line(line))
    return lines


def trim_line(line: Iterable[Run]) -> Line:
    """Return the line as a tuple without the spaces at its end. Runs at the end that have no text left are dropped.

    A run with a background or in reverse, at the end, stays as it is, and so do all runs before it.
    """
    runs = list(line)
    while runs and not runs[-1].back and not runs[-1].reverse:
        text = runs[-1].text.rstrip(" ")
        if text:
            runs[-1] = replace(runs[-1], text=text)
            break
        runs.pop()
    return tuple(runs)


def wrap_line(line: Line, columns: int, indent: int = 0) -> list[Line]:
    """Wrap a line at blanks into lines of at most ``columns``, with their ends trimmed by :func:`trim_line`.

    Further lines start with ``indent`` blanks, which must be fewer than ``columns``. The first line keeps its own
    leading blanks, at most half of ``columns``, and fewer if its first word needs their room. A word too long for its
    line is cut, with an ellipsis. A line that fits, also an empty one, is returned unchanged as the only line.
    """
    columns = max(columns, 1)
    if measure(line) <= columns:
        return [line]
    lines: list[Line] = []
    used_columns = min(count_leading_blanks(line), columns // 2)
    current: list[Run] = [*blank(used_columns)]
    is_at_start = True
    for word in _split_at_blanks(line):
        if used_columns + measure(word) > columns and not is_at_start:
            lines.append(trim_line(current))
            current, used_columns, is_at_start = [*blank(indent)], indent, True
        if is_at_start and all(run.text.isspace() for run in word):
            continue
        if is_at_start and not lines and used_columns + measure(word) > columns:
            used_columns = max(columns - measure(word), 0)
            current = [*blank(used_columns)]
        is_at_start = False
        cut_word = cut_line(word, columns - used_columns)
        current += cut_word
        used_columns += measure(cut_word)
    return lines if is_at_start and lines else [*lines, trim_line(current)]


def wrap_lines(lines: Iterable[Line], columns: int, indent: int = 0) -> list[Line]:
    """Wrap each line as :func:`wrap_line` does, and return all lines one below the other."""
    return [row for line in lines for row in wrap_line(line, columns, indent)]


def wrap_with_hanging_indent(line: Line, columns: int) -> list[Line]:
    """Wrap a line like :func:`wrap_line`, with further lines indented two blanks deeper than the first.

    An indentation of more than half of ``columns`` counts as half.
    """
    return wrap_line(line, columns, min(count_leading_blanks(line), columns // 2) + 2)


def count_leading_blanks(line: Line) -> int:
    """Return the number of leading blanks of a line. If it has only blanks, they all count."""
    words = to_text(line)
    return len(words) - len(words.lstrip(" "))


def split_words(line: Line) -> list[Line]:
    """Return the words of a line in order, each as a line without blanks. Wrapping never breaks them."""
    return [word for word in _split_at_blanks(line) if not all(run.text.isspace() for run in word)]


def share_columns(minimums: Sequence[int], maximums: Sequence[int], room: int) -> list[int]:
    """Divide ``room`` among columns, each with a minimum and a maximum width, and return the width of each column.

    Every column first gets its minimum. The rest goes to the narrowest column, the first among equals, one unit at a
    time, until each has its maximum. A maximum below the minimum counts as equal to it. Room that is then left stays
    unused. If ``room`` is below the sum of the minimums, columns grow from 0 towards their minimum instead. Example:
    minimums 2 and 4, maximums 9 and 9, room 9 give 5 and 4.
    """
    floor = minimums if sum(minimums) <= room else [0] * len(minimums)
    limits = [max(pair) for pair in zip(minimums, maximums, strict=True)] if sum(minimums) <= room else list(minimums)
    widths, spare = list(floor), room - sum(floor)
    while spare > 0 and (growing := [i for i, width in enumerate(widths) if width < limits[i]]):
        narrowest = min(widths[i] for i in growing)
        for i in growing:
            if widths[i] == narrowest and spare > 0:
                widths[i] += 1
                spare -= 1
    return widths


def _split_at_blanks(line: Line) -> Iterator[Line]:
    """Yield blanks and words in turn, each as a line. A word can span several runs, but blanks can't."""
    word: list[Run] = []
    for run in line:
        for piece in _PIECES.findall(run.text):
            if word and (piece.isspace() or word[-1].text.isspace()):
                yield tuple(word)
                word = []
            word.append(set_text(run, piece))
    if word:
        yield tuple(word)


def join_lines(lines: Iterable[Line], separator: str = ", ") -> Line:
    """Join lines with a separator in a run of its own, without a style. An empty line gets a separator too.

    An empty separator adds no run.
    """
    runs: list[Run] = []
    for number, line in enumerate(lines):
        if number and separator:
            runs.append(Run(separator))
        runs += line
    return tuple(runs)


def join_as_list(lines: Sequence[Line]) -> Line:
    """Join lines as an English list: ``a``, ``a and b``, ``a, b and c``. Without lines, the result is empty."""
    if len(lines) < 2:
        return join_lines(lines)
    return (*join_lines(lines[:-1]), Run(" and "), *lines[-1])


def find_run(lines: Sequence[Line], column: int, row: int) -> Run | None:
    """Return the run at a column and row, both from 0. Return None outside the text, also behind the end of a line.

    ``column`` counts columns of the terminal.
    """
    if not 0 <= row < len(lines) or column < 0:
        return None
    for run in lines[row]:
        column -= measure_text(run.text)
        if column < 0:
            return run
    return None


COLOURS = {
    "red": "#d55e00",
    "orange": "#e69f00",
    "yellow": "#f0e442",
    "green": "#009e73",
    "sky": "#56b4e9",
    "blue": "#4477d4",
    "purple": "#cc79a7",
    "grey": "#bbbbbb",
}
"""Colour name -> ``#rrggbb``."""

SHADES = {"shade": "#303030"}
"""Background colours of the squares of boards."""

SEATS = ("sky", "orange", "purple", "yellow", "green", "red", "blue", "grey")


def get_hex(colour: str) -> str:
    """Return a named text or background colour as ``#rrggbb``. Other names are returned unchanged, also ""."""
    return COLOURS.get(colour) or SHADES.get(colour, colour)


def get_seat_colour(seat: int) -> str:
    """Return the colour name of a seat, from 0. After :data:`SEATS` they repeat."""
    return SEATS[seat % len(SEATS)]


DO = "do:"
"""Prefix of the references of alternatives."""
_SEAT = re.compile(r"\bP([1-9][0-9]?)\b")


def name_player(seat: int, names: Sequence[str]) -> Run:
    """Return the name of a player as a bold run in the colour of the seat, with the reference ``Player:P1`` for seat 0.

    A seat without a name is called ``P1``, and so on.
    """
    name = make_one_line(names[seat]) if seat < len(names) else f"P{seat + 1}"
    return Run(name, get_seat_colour(seat), bold=True, of=f"Player:P{seat + 1}")


def make_line(text: str, names: Sequence[str] = (), reference: str = "") -> Line:
    """Return text of a ruleset as a single line.

    A tab becomes four blanks. A line break becomes U+FFFD, and so does any other character that :func:`make_one_line`
    replaces, such as a control character.

    The words P1, P2 and so on become the runs of :func:`name_player`: the name in bold, in the colour of the seat. A
    seat beyond ``names`` stays as it is. All other text refers to ``reference``. Empty text gives an empty line.
    """
    runs: list[Run] = []
    last_end = 0
    for match in _SEAT.finditer(text):
        seat = int(match[1]) - 1
        if seat < len(names):
            if words := text[last_end : match.start()]:
                runs.append(Run(make_one_line(words), of=reference))
            runs.append(name_player(seat, names))
            last_end = match.end()
    if words := text[last_end:]:
        runs.append(Run(make_one_line(words), of=reference))
    return tuple(runs)


def capitalize_line(line: Line) -> Line:
    """Return the line with the first letter of its first run in upper case. The other letters keep their case."""
    return (set_text(line[0], line[0].text[:1].upper() + line[0].text[1:]), *line[1:]) if line else line


def end_sentence(line: Line) -> Line:
    """Return a sentence with a full stop, unless it ends with a full stop, ``!``, ``?`` or ``…``."""
    return line if to_text(line).endswith((".", "!", "?", "…")) else (*line, Run("."))


def take_characters(line: Line, length: int) -> Line:
    """Return the first ``length`` code points of a line with their styles. The length 0 gives ()."""
    runs: list[Run] = []
    for run in line:
        if length <= 0:
            break
        runs.append(set_text(run, run.text[:length]))
        length -= len(run.text)
    return tuple(runs)


def drop_characters(line: Line, start: int) -> Line:
    """Return a line without its first ``start`` characters. Styles stay, and empty runs are left out."""
    runs: list[Run] = []
    for run in line:
        text = run.text[start:] if start else run.text
        start = max(start - len(run.text), 0)
        if text:
            runs.append(set_text(run, text))
    return tuple(runs)


def close_brackets(line: Line) -> Line:
    """Return the line without the blanks before each ``)``: ``(2 gold )`` becomes ``(2 gold)``.

    Blanks at the end of a run go only if the next run begins with ``)``, not with a blank. No run is left out.
    """
    next_letters = [*(run.text[:1] for run in line[1:]), ""]
    trimmed_runs = (
        replace(run, text=run.text.rstrip(" ")) if letter == ")" else run
        for run, letter in zip(line, next_letters, strict=False)
    )
    return tuple(replace(run, text=re.sub(r" +\)", ")", run.text)) for run in trimmed_runs)


def write_text(setting: Setting, text: str, names: Sequence[str]) -> Line:
    """Return a text of a view as a line. The ``pieces`` of an AnnotatedText have values, and runs of their own.

    Only players, components and enum values have a reference: ``Space:a1``. A player is shown by the name in ``names``,
    coloured and bold, or as a plain ``P3`` if ``names`` ends before. Both have the reference ``Player:P3``. A plain str
    and a piece without a value are searched for the words ``P1``, ``P2``: with a name in ``names``, they become that
    name with a reference. The rest of them has none, also a name and a ``P3`` beyond ``names``.
    """
    runs: list[Run] = []
    for piece in list_pieces(text):
        kind = piece.type.item if isinstance(piece.type, OptionalType) else piece.type
        if isinstance(kind, PlayerType) and piece.value < len(names):
            runs.append(name_player(piece.value, names))
        else:
            runs += make_line(piece.text, names, identify(setting, kind, piece.value))
    return tuple(runs)


def write_value(reader: SeatReader, value: Value, type: Type, names: Sequence[str]) -> Line:
    """Return the label of a value as a line, see :func:`write_text`: ``?`` for one that the reader may not know."""
    return write_text(reader.setting, reader.label(mark_unknown(value), type), names)
