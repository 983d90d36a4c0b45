"""Values and templates of a ruleset in runs that name what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.language.types import ListType, OptionalType, PlayerType, TextType, Type
from lusory_dsl.text.printable import one_line

from ..reading.reader import Reader, Slots
from ..seat.marked import reference
from ..seat.sight import Hidden, Unknown
from ..table.choices import Option, RulesetFault
from ..table.setting import HIDDEN, TOO_LONG_TEXT, TOO_LONG_TEXTS, Value, bounded, item_type
from .lines import graphemes, joined
from .palette import seat_colour
from .text import Line, Run

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
    """What a person reads of an option, as :func:`lusory.seat.option_words.option_label`, with what it stands for."""
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
