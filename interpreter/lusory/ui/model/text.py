"""Text as a screen shows it: runs in one style, which name the value they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len, split_graphemes

from lusory_dsl import core
from lusory_dsl.source.source import one_line
from lusory_dsl.types.types import ListType, OptionalType, PlayerType, TextType, Type

from ...evaluator.expressions import Reader, Slots
from ...state.decision import Option, RulesetFault
from ...state.setting import HIDDEN, TOO_LONG_TEXT, TOO_LONG_TEXTS, Value, bounded, item_type
from ...view.text import reference
from ...view.visibility import Hidden, Unknown


@dataclass(frozen=True, slots=True)
class Run:
    """A run of text in one style, without control characters. ``colour``, ``back``: names of colours of
    :mod:`lusory.ui.model.text`, "" for those of the terminal. ``fresh``: it is not as it was at the last decision of
    who looks. ``of``: the value that it stands for, as authors write it (``Card:phoenix``), "" for none."""

    text: str
    colour: str = ""
    bold: bool = False
    dim: bool = False
    reverse: bool = False
    fresh: bool = False
    back: str = ""
    of: str = ""


Line = tuple[Run, ...]


def with_text(run: Run, text: str) -> Run:
    """Return another text in the style of a run. Several times as fast as ``replace``."""
    return Run(text, run.colour, run.bold, run.dim, run.reverse, run.fresh, run.back, run.of)


def plain(line: Iterable[Run]) -> str:
    """A line without its styles."""
    return "".join(run.text for run in line)


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
"""Name → red, green and blue as eight bits each, in hexadecimal."""

SHADES = {"shade": "#303030"}
"""Grounds of squares: names that only boards use."""

SEATS = ("sky", "yellow", "green", "purple", "orange", "red", "blue", "grey")


def hex_of(colour: str) -> str:
    """Red, green and blue of a name, as ``#rrggbb``; other names of colours, which a terminal knows, as they are."""
    return COLOURS.get(colour) or SHADES.get(colour, colour)


def seat_colour(seat: int) -> str:
    """The colour of a player."""
    return SEATS[seat % len(SEATS)]


DO = "do:"
"""References of alternatives begin so."""
_SEAT = re.compile(r"\bP([1-9])\b")


def player(seat: int, names: Sequence[str]) -> Run:
    """A player by name, in the colour of the seat."""
    name = one_line(names[seat]) if seat < len(names) else f"P{seat + 1}"
    return Run(name, seat_colour(seat), bold=True, of=f"Player:P{seat + 1}")


def said(text: str, names: Sequence[str] = (), of: str = "") -> Line:
    """Words of a ruleset on one line, harmless: P1, P2, … by name and in the colour of their seat, the rest of it
    standing for ``of``."""
    runs: list[Run] = []
    end = 0
    for match in _SEAT.finditer(text):
        seat = int(match[1]) - 1
        if seat < len(names):
            if words := text[end : match.start()]:
                runs.append(Run(one_line(words), of=of))
            runs.append(player(seat, names))
            end = match.end()
    if words := text[end:]:
        runs.append(Run(one_line(words), of=of))
    return tuple(runs)


def capital(line: Line) -> Line:
    """The line with a capital letter at its beginning."""
    if not line or not line[0].text:
        return line
    return (replace(line[0], text=line[0].text[0].upper() + line[0].text[1:]), *line[1:])


def beginning(line: Line, length: int) -> Line:
    """The first ``length`` characters of a line, without a part of a joined emoji."""
    runs: list[Run] = []
    for run in line:
        if length <= 0:
            break
        end = 0
        for letter in graphemes(run.text):
            if end + len(letter) > length:
                break
            end += len(letter)
        runs.append(replace(run, text=run.text[:end]))
        length -= len(run.text)
    return tuple(runs)


def closed(line: Line) -> Line:
    """The line without blanks before a closing bracket, where a value ends in them."""
    behind = [*(run.text[:1] for run in line[1:]), ""]
    parted = (
        replace(run, text=run.text.rstrip(" ")) if next == ")" else run for run, next in zip(line, behind, strict=True)
    )
    return tuple(replace(run, text=run.text.replace(" )", ")")) for run in parted)


def worded(reader: Reader, value: Value, type: Type, names: Sequence[str]) -> Line:
    """A value as a person reads it."""
    kind = type.item if isinstance(type, OptionalType) else type
    if isinstance(value, Unknown) or (value == HIDDEN and not isinstance(kind, TextType)):
        return (Run(HIDDEN),)
    if isinstance(kind, ListType) and value:
        return _joined((worded(reader, item, kind.item, names) for item in value), ", ")
    if isinstance(kind, PlayerType) and value is not None and value < len(names):
        return (player(value, names),)
    if isinstance(kind, TextType) and value is not None:
        return said(value, names)
    return said(reader.label(value, type), names, reference(reader.setting, type, value))


def filled(reader: Reader, template: core.TextTemplate, slots: Slots, names: Sequence[str]) -> Line:
    """A template filled in as the reader may know it. Raises RulesetFault where it is too long for a text."""
    parts = (
        said(part, names) if isinstance(part, str) else shown(reader, part, slots, names) for part in template.parts
    )
    line: Line = reader.placed(template.span, _joined, parts, "")
    reader.count_characters(_characters(line), template.span)
    return line


def _joined(parts: Iterable[Line], between: str) -> Line:
    return joined(bounded(parts, len(between), _characters), between)


def _characters(line: Line) -> int:
    """The length of a line as a text of the rules, in which every player is called P1, P2, …"""
    return sum(2 if run.of.startswith("Player:") else len(run.text) for run in line)


def shown(reader: Reader, expr: core.Expr, slots: Slots, names: Sequence[str]) -> Line:
    """The value of an expression, ``?`` for what the reader may not know."""
    try:
        match expr:
            case core.TextTemplate():
                return filled(reader, expr, slots, names)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise) if isinstance(expr.type, TextType):
                return shown(reader, then if reader.holds(condition, slots) else otherwise, slots, names)
        return worded(reader, reader.value(expr, slots), expr.type, names)
    except Hidden:
        return (Run(HIDDEN),)
    except RulesetFault as fault:
        if fault.message in (TOO_LONG_TEXT, TOO_LONG_TEXTS):
            raise
        return (Run(reader.none_text),)  # the top card of an empty deck, and the like


def choice_words(
    reader: Reader, ask: core.Ask | core.AskMany, choice: Option, slots: Sequence[Value], names: Sequence[str]
) -> Line:
    """What a person reads of an option, as :func:`lusory.view.text.option_label`, with what it stands for."""
    locals_ = list(slots)
    if isinstance(ask, core.AskMany):
        if choice.alternative == 1:
            return (Run("done"),)
        locals_[ask.item_slot] = _known(choice.values[0])
        if ask.label is not None:
            return filled(reader, ask.label, locals_, names)
        return worded(reader, choice.values[0], item_type(ask.source.type), names)
    alternative = ask.alternatives[choice.alternative]
    for variable, value in zip(alternative.vars, choice.values, strict=True):
        locals_[variable.slot] = _known(value)
    if alternative.label is not None:
        return filled(reader, alternative.label, locals_, names)
    words: list[Line] = [(Run(alternative.name.replace("_", " ")),)] if alternative.name is not None else []
    values = zip(alternative.vars, choice.values, strict=True)
    words += [worded(reader, value, item_type(variable.domain.type), names) for variable, value in values]
    return joined(words, " ")


def _known(value: Value) -> Value:
    return Unknown() if value == HIDDEN else value
