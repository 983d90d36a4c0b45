"""Marked text of a view → lines of runs, with names for seats, colours, and references to what words stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lusory_dsl.language.types import OptionalType, PlayerType, Type
from lusory_dsl.text.printable import one_line, printable

from ..seat.marked import Piece, pieces_of, reference
from ..table.setting import Setting, Value
from .palette import seat_colour
from .panels import Cell
from .text import Line, Run

_SEAT = re.compile(r"\bP([1-9])\b")


@dataclass(frozen=True)
class Words:
    """How values look to who sees the table. ``names``: of the players, by seat. ``signs``, ``colours``: of values, by
    reference."""

    setting: Setting
    names: Sequence[str]
    signs: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)

    def lines(self, text: str, short: bool = False) -> tuple[Line, ...]:
        """Text as lines of runs; ``short``: signs for values that have one."""
        found: list[list[Run]] = [[]]
        for piece in pieces_of(text):
            for run in self._runs(piece, short):
                first, *more = run.text.split("\n")
                found[-1].append(replace(run, text=first))
                found += [[replace(run, text=line)] for line in more]
        return tuple(tuple(run for run in line if run.text) for line in found)

    def line(self, text: str, short: bool = False) -> Line:
        """Text as one line; line breaks are blanks."""
        lines = self.lines(text, short)
        return tuple(run for number, line in enumerate(lines) for run in (*((Run(" "),) if number else ()), *line))

    def cell(self, text: str, of: str = "") -> Cell:
        """What stands in one place; the blanks round its lines and the line break at its end are left out."""
        lines = _stripped(self.lines(text))
        short = _stripped(self.lines(text, short=True))
        return Cell(lines, () if short == lines else short, of)

    def of(self, type: Type, value: Value) -> str:
        """What a person can point at."""
        return reference(self.setting, type, value)

    def seat(self, seat: int) -> Line:
        """A player by name."""
        name = self.names[seat] if seat < len(self.names) else f"P{seat + 1}"
        return (Run(one_line(name), seat_colour(seat), bold=True, of=f"Player:P{seat + 1}"),)

    def _runs(self, piece: Piece, short: bool) -> Iterator[Run]:
        type = piece.type.item if isinstance(piece.type, OptionalType) else piece.type
        if isinstance(type, PlayerType) and piece.value is not None:
            yield from self.seat(piece.value)
            return
        of = reference(self.setting, piece.type, piece.value)
        if of:
            sign = self.signs.get(of) if short else None
            yield Run(printable(sign if sign is not None else piece.text), self.colours.get(of, ""), of=of)
            return
        end = 0
        for match in _SEAT.finditer(piece.text):
            seat = int(match[1]) - 1
            if seat < len(self.names):
                if match.start() > end:
                    yield Run(printable(piece.text[end : match.start()]))
                yield from self.seat(seat)
                end = match.end()
        if end < len(piece.text):
            yield Run(printable(piece.text[end:]))


def _stripped(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Without the blanks round lines, and without an empty line at the end."""
    found = [_trimmed(_trimmed(line)[::-1], end=True)[::-1] for line in lines]
    return tuple(found[:-1] if len(found) > 1 and not found[-1] else found)


def _trimmed(line: Line, end: bool = False) -> Line:
    runs = list(line)
    while runs:
        text = runs[0].text.rstrip() if end else runs[0].text.lstrip()
        if text:
            runs[0] = replace(runs[0], text=text)
            break
        runs.pop(0)
    return tuple(runs)
