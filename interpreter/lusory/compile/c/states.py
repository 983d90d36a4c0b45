"""States of native code, written out as numbers, and states of the compiled engine: one made of the other.

The numbers come in the order of declaration: whether the game is over and which choice waits; variables and pools, each
list with its length before it; zones, likewise; passes of phases; the locals that are kept over a choice; seat, number
of options, streams, work, reason; the words of texts that were put together in play.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from ...table.setting import Setting
from ...table.state import State
from ..python.support import EXTRA_CELLS, VISITS, WAITS
from .results import NONE, Reader, Words
from .wordings import Said, Wordings

WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Held:
    """What a cell holds, as numbers: ``kind`` is ``number``, ``truth`` or ``text``; ``many``: a list of such."""

    kind: str
    many: bool


@dataclass(frozen=True)
class StateForm:
    """How a state is written out. ``places``: name, cells and what they hold, in order; ``locals``: those that are
    kept, each with its place among those that Python keeps (-1: it does not), in so many cells (``room``); ``sites``:
    of each choice; ``most``: of each, how many options there can be."""

    places: tuple[tuple[str, int, Held], ...]
    locals: tuple[tuple[Held, int], ...]
    room: int
    streams: tuple[str, ...]
    sites: tuple[int, ...]
    most: tuple[int, ...]

    @cached_property
    def runs(self) -> tuple[tuple[int, int, Held], ...]:
        """The cells of places that follow each other and hold the like: from which cell to which, and what."""
        found: list[tuple[int, int, Held]] = []
        at = 0
        for held, places in groupby(self.places, key=lambda place: place[2]):
            found.append((at, at + sum(size for _, size, _ in places), held))
            at = found[-1][1]
        return tuple(found)


def plain_form(form: StateForm) -> tuple[Any, ...]:
    """As plain values, to be kept."""
    places = tuple((name, size, held.kind, held.many) for name, size, held in form.places)
    kept = tuple((held.kind, held.many, at) for held, at in form.locals)
    return places, kept, form.room, form.streams, form.sites, form.most


def form_of(plain: tuple[Any, ...]) -> StateForm:
    """What :func:`plain_form` made plain."""
    places, kept, room, streams, sites, most = plain
    cells = tuple((name, size, Held(kind, many)) for name, size, kind, many in places)
    return StateForm(cells, tuple((Held(kind, many), at) for kind, many, at in kept), room, streams, sites, most)


@dataclass
class Reading:
    """Reads the numbers of one state. ``known``: the texts that have numbers."""

    setting: Setting
    form: StateForm
    reader: Reader
    known: Sequence[str]
    numbers: Sequence[int]
    at: int = 0

    def next(self) -> int:
        self.at += 1
        return self.numbers[self.at - 1]

    def some(self, count: int) -> Sequence[int]:
        self.at += count
        return self.numbers[self.at - count : self.at]

    def held(self, held: Held) -> Any:
        """What a cell holds: texts as numbers for now, as their words stand at the end."""
        if not held.many:
            return self.next()
        count = self.next()
        return None if count < 0 else tuple(self.some(count))

    def state(self) -> State:
        layout, form = self.setting.layout, self.form
        cells: list[Any] = [None] * (layout.size + EXTRA_CELLS)
        over, waits = self.next(), self.next()
        cells[layout.over], cells[layout.size + WAITS] = over, waits
        cells[layout.size + VISITS] = self.setting.limits.visits
        kinds = []
        values = []
        for _, size, held in form.places:
            kinds += [held] * size
            values += [self.held(held) for _ in range(size)]
        zones = [list(self.some(self.next())) for _ in range(layout.zone_count)]
        for number, zone in enumerate(zones):
            for component in zone:
                cells[layout.location + component] = number
        for cell in layout.repeats.values():
            cells[cell] = self.value(self.next())
        kept = [self.held(held) for held, _ in form.locals]
        self.some(2)  # the seat, and how many options there are
        for name in form.streams:
            cells[layout.streams[name]] = self.next() & WORD
        cells[layout.work] = self.next()
        reason = self.next()
        words = Words(self.reader, self.numbers, self.at + 1, self.known)
        cells[layout.reason] = words.value(reason, "text")
        for at, (held, value) in enumerate(zip(kinds, values, strict=True)):
            cells[at] = _cell(words, held, value)
        spilled: list[Any] = [None] * form.room
        for (held, at), value in zip(form.locals, kept, strict=True):
            if at >= 0:
                spilled[at] = _cell(words, held, value)
        cells += spilled
        return State(cells, zones, [])

    @staticmethod
    def value(number: int) -> int | None:
        return None if number == NONE else number


def _cell(words: Words, held: Held, value: Any) -> Any:
    if value is None or not held.many:
        return None if value is None else words.value(value, held.kind)
    return tuple([words.value(item, held.kind) for item in value])


Known = dict[int, tuple[list[Any], "array[int]"]]
"""Of a run of cells, by the first, what they held last and as which numbers."""


def numbers_of(
    setting: Setting, form: StateForm, wordings: Wordings, state: State, seat: int, options: int, known: Known
) -> array[int]:
    """A state of the compiled engine as numbers. ``seat``, ``options``: what is asked. ``known``: of the state before,
    since states that are written out together are alike in most cells."""
    layout, cells, said = setting.layout, state.cells, Said(wordings)
    found = array("q", [cells[layout.over], cells[layout.size + WAITS] or 0])

    def number(value: Any, held: Held) -> int:
        if value is None:
            return NONE
        return said.number_of(value) if held.kind == "text" else int(value)

    def put(value: Any, held: Held) -> None:
        if not held.many:
            found.append(number(value, held))
        elif value is None:
            found.append(-1)
        else:
            found.append(len(value))
            found.extend([number(item, held) for item in value])

    for start, end, held in form.runs:
        values = cells[start:end]
        if held.many or held.kind == "text":
            for value in values:
                put(value, held)
            continue
        if start not in known or known[start][0] != values:
            known[start] = values, array("q", [NONE if value is None else value for value in values])
        found += known[start][1]
    for zone in state.zones:
        found.append(len(zone))
        found.fromlist(zone)
    found.extend([NONE if cells[cell] is None else cells[cell] for cell in layout.repeats.values()])
    spilled = cells[layout.size + EXTRA_CELLS :]
    for held, at in form.locals:
        put(spilled[at] if at >= 0 else None, held)
    found.extend([seat, options, *[_signed(cells[layout.streams[name]]) for name in form.streams]])
    reason = cells[layout.reason]
    found.extend([cells[layout.work], NONE if reason is None else said.number_of(reason)])
    found.extend([len(said.words), *said.words])
    return found


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
