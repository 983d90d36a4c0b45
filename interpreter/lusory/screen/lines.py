"""Lines of runs, measured, cut, wrapped and put beside each other. Columns of a terminal are the unit of width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len, split_graphemes

from .text import Line, Run, plain, with_text

ELLIPSIS = "…"
Align = Literal["left", "right", "centre"]
_PIECES = re.compile(r"\s+|[^\s]+")


@lru_cache(maxsize=4096)
def text_width(text: str) -> int:
    """How many columns a text takes: two for wide letters and emoji, none for what stands over another letter."""
    return len(text) if text.isascii() else cell_len(text)


def graphemes(text: str) -> Iterator[str]:
    """Yield the letters of a text as a person sees them: an emoji with all that is joined to it is one."""
    if text.isascii():
        yield from text
        return
    spans, _ = split_graphemes(text)
    held = ""
    for start, end, _ in spans:
        letter = text[start:end]
        if held and _is_half_flag(held) and _is_half_flag(letter):
            yield held + letter
            held = ""
            continue
        if held:
            yield held
        held = letter
    if held:
        yield held


def _is_half_flag(letter: str) -> bool:
    """Whether it is one of the two letters that make the flag of a country."""
    return len(letter) == 1 and "\U0001f1e6" <= letter <= "\U0001f1ff"


def width_of(line: Iterable[Run]) -> int:
    """How many columns a line takes."""
    return sum(text_width(run.text) for run in line)


def widest(lines: Iterable[Line]) -> int:
    """How many columns the longest line takes; 0 without lines."""
    return max(map(width_of, lines), default=0)


def fitting(forms: Iterable[list[Line]], columns: int, rows: int | None) -> list[Line]:
    """The first of some blocks of lines that has no more than so many columns and, if given, rows; where none has so
    few rows, the lowest; nothing where all are too wide. No more blocks are made than are asked about."""
    lowest: list[Line] = []
    for lines in forms:
        if widest(lines) <= columns:
            if rows is None or len(lines) <= rows:
                return lines
            lowest = min(lowest or lines, lines, key=len)
    return lowest


def blank(columns: int) -> Line:
    """So many columns of nothing."""
    return (Run(" " * columns),) if columns > 0 else ()


def styled(line: Iterable[Run], **style: object) -> Line:
    """A line whose runs are all in a style: ``styled(line, dim=True)``."""
    return tuple(replace(run, **style) for run in line)  # type: ignore[arg-type]


def standing(line: Iterable[Run], of: str) -> Line:
    """A line whose runs stand for a value, but for those that stand for another."""
    return tuple(replace(run, of=run.of or of) for run in line) if of else tuple(line)


def cut(line: Line, columns: int) -> Line:
    """The line in at most so many columns, with an ellipsis where something is lost."""
    if width_of(line) <= columns:
        return line
    found: list[Run] = []
    left = columns - 1
    for run in line:
        kept = _first(run.text, left)
        if kept:
            found.append(replace(run, text=kept))
            left -= text_width(kept)
        if kept != run.text:
            break
    return (*found, Run(ELLIPSIS, dim=True)) if columns > 0 else ()


def _first(text: str, columns: int) -> str:
    """As much of a text as so many columns hold."""
    taken, end = 0, 0
    for letter in graphemes(text):
        taken += text_width(letter)
        if taken > columns:
            return text[:end]
        end += len(letter)
    return text


def padded(line: Line, columns: int, align: Align = "left") -> Line:
    """The line in exactly so many columns."""
    line = cut(line, columns)
    room = columns - width_of(line)
    before = {"left": 0, "right": room, "centre": room // 2}[align]
    return (*blank(before), *line, *blank(room - before)) if room else line


def beside(parts: Sequence[Sequence[Line]], widths: Sequence[int], gap: int = 0) -> list[Line]:
    """Blocks of lines one beside the other, each in its width."""
    height = max(map(len, parts), default=0)
    found: list[Line] = []
    for row in range(height):
        line: list[Run] = []
        for number, (part, columns) in enumerate(zip(parts, widths, strict=True)):
            line += blank(gap if number else 0)
            line += padded(part[row] if row < len(part) else (), columns)
        found.append(trimmed(line))
    return found


def trimmed(line: Iterable[Run]) -> Line:
    """Without the blanks at its end, unless they have a colour."""
    runs = list(line)
    while runs and not runs[-1].back and not runs[-1].reverse:
        text = runs[-1].text.rstrip(" ")
        if text:
            runs[-1] = replace(runs[-1], text=text)
            break
        runs.pop()
    return tuple(runs)


def wrapped(line: Line, columns: int, indent: int = 0) -> list[Line]:
    """The line in lines of at most so many columns, broken at blanks; further ones begin after ``indent`` blanks. Those
    with which the line itself begins are kept, at most half of the room. A word longer than a line is cut."""
    columns = max(columns, 1)
    if width_of(line) <= columns:
        return [line]
    found: list[Line] = []
    taken = min(margin(line), columns // 2)
    now: list[Run] = [*blank(taken)]
    begins = True
    for word in _pieces(line):
        if taken + width_of(word) > columns and not begins:
            found.append(trimmed(now))
            now, taken, begins = [*blank(indent)], indent, True
        if begins and all(run.text.isspace() for run in word):
            continue
        begins = False
        kept = cut(word, columns - taken)
        now += kept
        taken += width_of(kept)
    return [*found, trimmed(now)] if now else found


def as_text(line: Line, columns: int) -> list[Line]:
    """A line of a text, wrapped so that what follows stands further in than its beginning."""
    return wrapped(line, columns, min(margin(line), columns // 2) + 2)


def margin(line: Line) -> int:
    """The number of blanks with which a line begins."""
    words = plain(line)
    return len(words) - len(words.lstrip(" "))


def words_of(line: Line) -> list[Line]:
    """The words of a line, which stay together where it is wrapped."""
    return [word for word in _pieces(line) if not all(run.text.isspace() for run in word)]


def shared(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Widths of columns that want some room each and can do with less: who wants little has it, the others share what
    is left; nobody gets less than it can do with before all have that, nor more than it wants."""
    floor = least if sum(least) <= room else [0] * len(least)
    most = [max(pair) for pair in zip(least, wanted, strict=True)] if sum(least) <= room else list(least)
    found, left = list(floor), room - sum(floor)
    while left > 0 and (wanting := [at for at, width in enumerate(found) if width < most[at]]):
        narrowest = min(found[at] for at in wanting)
        for at in wanting:
            if found[at] == narrowest and left > 0:
                found[at] += 1
                left -= 1
    return found


def _pieces(line: Line) -> Iterator[Line]:
    """Blanks and words by turns; a word goes on over the end of a run."""
    word: list[Run] = []
    for run in line:
        for piece in _PIECES.findall(run.text):
            if word and (piece.isspace() or word[-1].text.isspace()):
                yield tuple(word)
                word = []
            word.append(with_text(run, piece))
    if word:
        yield tuple(word)


def joined(lines: Iterable[Line], between: str = ", ") -> Line:
    """Lines one behind the other, with a text between them."""
    found: list[Run] = []
    for number, line in enumerate(lines):
        if number and between:
            found.append(Run(between))
        found += line
    return tuple(found)


def listed(lines: Sequence[Line]) -> Line:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(lines) < 2:
        return joined(lines)
    return (*joined(lines[:-1]), Run(" and "), *lines[-1])


def run_at(lines: Sequence[Line], column: int, row: int) -> Run | None:
    """The run that stands in a column and row, both from 0; None beside the text."""
    if not 0 <= row < len(lines) or column < 0:
        return None
    for run in lines[row]:
        column -= text_width(run.text)
        if column < 0:
            return run
    return None
