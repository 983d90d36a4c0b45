"""How values look to who sees the table: colours, signs and marks that the rules declare, by reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lusory_dsl import core
from lusory_dsl.language.types import ComponentType, EnumType, Type
from lusory_dsl.text.printable import printable

from ..seat.marked import pieces_of, reference
from ..seat.sight import Hidden
from ..seat.view import View
from ..table.choices import RulesetFault
from ..table.setting import Value
from .palette import seat_colour
from .panels import Cell
from .text import Line, Run
from .words import said


@dataclass(frozen=True)
class Style:
    """What stands for a value where there is little room, and in which colour; ``sign`` None: its label. ``inside``: it
    is just being worked out, and its own label stands in it."""

    colour: str = ""
    sign: Line | None = None
    inside: bool = False
    dim: bool = False
    marks: Line = ()


PLAIN = Style()
LETTERS = 4
"""As many letters of a label stand for it in a sign."""
LONGEST_INITIALS = 3


@dataclass(frozen=True)
class Looks:
    """Of a view. What the seat may not know shows in no colour either. ``names``: of the players, by seat."""

    view: View
    names: tuple[str, ...]

    # ------------------------------------------------------------ texts

    def lines(self, text: str, short: bool = False) -> tuple[Line, ...]:
        """Text with its values in their looks, as lines; ``short``: signs for values that have one."""
        found: list[list[Run]] = [[]]
        for piece in pieces_of(text):
            of = reference(self.view.setting, piece.type, piece.value)
            for number, words in enumerate(printable(piece.text).split("\n")):
                if number:
                    found.append([])
                found[-1] += self.drawn(said(words, self.names, of), short)
        return tuple(tuple(line) for line in found)

    def line(self, text: str, short: bool = False) -> Line:
        """Text on one line."""
        lines = self.lines(text, short)
        return tuple(run for number, line in enumerate(lines) for run in (*((Run(" "),) if number else ()), *line))

    def cell(self, text: str, short: str | None = None, of: str = "") -> Cell:
        """What stands in one place; the blanks round its lines and the line break at its end are left out. ``short``:
        what stands there where there is little room, if that is not the same with signs."""
        lines = _stripped(self.lines(text))
        brief = _stripped(self.lines(text if short is None else short, short=True))
        return Cell(lines, () if brief == lines else brief, of)

    def drawn(self, line: Iterable[Run], short: bool = False) -> Line:
        """Words whose values have their looks, with the marks behind them."""
        found: list[Run] = []
        for run in line:
            if not run.of:
                found.append(run)
                continue
            style = self.style(run.of)
            sign = self._sign(run, style) if short else (run,)
            found += [
                replace(
                    run, text=part.text, colour=style.colour or part.colour or run.colour, dim=part.dim or style.dim
                )
                for part in sign
            ]
            found += style.marks
        return tuple(found)

    def _sign(self, run: Run, style: Style) -> Line:
        """What stands for a run that stands for a value where there is little room."""
        if style.inside:
            return (replace(run, text=abbreviated(run.text)),)
        if style.sign is not None:
            return style.sign
        text = self._shorts.get(run.of) or self._initials.get(run.of) or run.text.partition(" (")[0]
        return (replace(run, text=text),)

    # ------------------------------------------------------------ values

    def style(self, of: str) -> Style:
        """How the value of a reference looks."""
        known = self._styles.get(of)
        if known is None:
            kind, _, name = of.partition(":")
            look = self._looks.get(kind)
            value = None if look is None else self._numbers(kind).get(name)
            self._styles[of] = replace(PLAIN, inside=True)
            known = PLAIN if look is None or value is None else self._style(of, look, value)
            self._styles[of] = known
        return known

    @cached_property
    def _styles(self) -> dict[str, Style]:
        return {}

    @cached_property
    def _looks(self) -> Mapping[str, core.Look]:
        return {str(look.type): look for look in self.view.setting.program.layout.looks}

    @cached_property
    def _shorts(self) -> Mapping[str, str]:
        """What authors call values of enums where there is little room."""
        enums = self.view.setting.program.enums.values()
        return {f"{e.name}:{v.name}": v.short for e in enums for v in e.values if v.short != v.label}

    @cached_property
    def _initials(self) -> Mapping[str, str]:
        """What players are called where there is little room: by as few letters as tell them apart, if three are
        enough, else as everywhere."""
        for letters in range(1, LONGEST_INITIALS + 1):
            found = [name[:letters] for name in self.names]
            if len(set(found)) == len(found):
                return {f"Player:P{seat + 1}": name for seat, name in enumerate(found)}
        return {}

    def _numbers(self, kind: str) -> Mapping[str, int]:
        """The values of a type by the names that references have for them."""
        if kind not in self._values:
            type = self._looks[kind].type
            program = self.view.setting.program
            if isinstance(type, EnumType):
                found = {value.name: at for at, value in enumerate(program.enums[kind].values)}
            elif isinstance(type, ComponentType):
                found = {entity.name: entity.number for entity in program.entities if entity.kind == kind}
            else:
                found = {f"P{seat + 1}": seat for seat in range(self.view.setting.players)}
            self._values[kind] = found
        return self._values[kind]

    @cached_property
    def _values(self) -> dict[str, Mapping[str, int]]:
        return {}

    def _style(self, of: str, look: core.Look, value: int) -> Style:
        colour, written = look.colours.get(value, ""), look.signs.get(value)
        sign: Line | None = None if written is None else (Run(written),)
        if look.short is not None:
            sign = self.line(self.view.text(look.short, (value,)), short=True)
        if look.like is not None and not colour:
            like = self._reference(look.like, value)
            colour = self.colour(like) if like and like != of else ""
        dim = look.dim is not None and self.view.holds(look.dim, (value,))
        marks = [
            Run(mark.sign, mark.colour, bold=True, of=of)
            for mark in look.marks
            if self.view.holds(mark.condition, (value,))
        ]
        return Style(colour, sign, dim=dim, marks=tuple(marks))

    def _reference(self, expr: core.Expr, value: Value) -> str:
        """What an expression about a value comes to; "" for nothing, and for what this seat may not know."""
        try:
            found = self.view.value(expr, [value, *[None] * self.view.setting.layout_slots])
        except (Hidden, RulesetFault):
            return ""
        return self.of(expr.type, found)

    def colour(self, of: str) -> str:
        """The colour of a value; of a player who has none by the rules, that of the seat."""
        colour = self.style(of).colour
        if not colour and of.startswith("Player:P"):
            return seat_colour(int(of.removeprefix("Player:P")) - 1)
        return colour

    def of(self, type: Type, value: Value) -> str:
        """What a person can point at."""
        return reference(self.view.setting, type, value)


def abbreviated(text: str) -> str:
    """A label by its first letters: of its first two words, if it has more than one, of those that are not small."""
    words = [word for word in text.partition(" (")[0].split() if word[:1].isupper()] or text.split()
    if len(words) < 2:
        return text.partition(" (")[0][:LETTERS] if len(words) == 1 else text
    return words[0][: LETTERS // 2] + words[1][: LETTERS // 2]


def _stripped(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Without the blanks round lines, and without empty lines at the end."""
    found = [_bare(line) for line in lines]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return tuple(found)


def _bare(line: Line) -> Line:
    runs = [run for run in line if run.text]
    while runs and not runs[0].text.lstrip():
        runs.pop(0)
    while runs and not runs[-1].text.rstrip():
        runs.pop()
    if runs:
        runs[0] = replace(runs[0], text=runs[0].text.lstrip())
        runs[-1] = replace(runs[-1], text=runs[-1].text.rstrip())
    return tuple(runs)
