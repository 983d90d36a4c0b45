"""What a seat sees of a state as numbers, one an entry: cells of variables and pools, how many components a zone has,
and of each component its zone and its place there.

Nothing that is hidden from a seat at all times is written, nor what is hidden at times: where the ruleset gives a
condition for who sees a place, it counts as hidden. What Python writes comes from the copy that
:func:`lusory.seat.sight.seen_by` makes; native code goes by the same table of who sees what, and a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..reading.reader import Reader
from ..seat.sight import seen_by, sees_place
from ..table.setting import Setting, index_names
from ..table.state import State

if TYPE_CHECKING:
    from ..table.setting import Indices

NONE = -(1 << 31)
"""There is no value."""

HIDDEN = NONE + 1
"""The seat does not see what there is."""

LEAST, MOST = NONE + 2, (1 << 31) - 1
"""Ends of what is written; numbers beyond are written as these."""


@dataclass(frozen=True)
class Entry:
    """What a number of an observation is. ``kind``: ``cell`` of a variable or pool, ``count`` of a zone, ``zone`` (its
    number) or ``place`` (0: the first from the top) of a component; ``name`` and ``at``: of the variable, pool or zone
    with its indices, as authors write them; of a component its name and number."""

    kind: str
    name: str
    at: tuple[str, ...]

    def __str__(self) -> str:
        where = f"{self.name}[{', '.join(self.at)}]" if self.at else self.name
        return where if self.kind == "cell" else f"{self.kind} of {where}"


class Sight:
    """What the seats of one setting see."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        layout = setting.layout
        self.cells = [(name, at) for name in setting.numbers for at in _in_order(setting, name)]
        self.zones = [layout.zone_at(number) for number in range(layout.zone_count)]
        self.left_out = tuple(name for name in layout.places if name not in setting.numbers)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """What each number is."""
        setting = self.setting

        def named(kind: str, name: str, at: Indices) -> Entry:
            return Entry(kind, name, tuple(index_names(setting, setting.layout.place(name), at)))

        components = [(entity.name, (str(entity.number),)) for entity in setting.program.entities]
        return (
            *(named("cell", *place) for place in self.cells),
            *(named("count", *zone) for zone in self.zones),
            *(Entry("zone", *one) for one in components),
            *(Entry("place", *one) for one in components),
        )

    @cached_property
    def sees(self) -> list[list[int]]:
        """Of each seat, the last a spectator: which cells and which zones it sees at all times, and of which components
        it may know that they lie in no zone."""
        return [self._seen(seat) for seat in (*range(self.setting.players), None)]

    def _seen(self, seat: int | None) -> list[int]:
        cells = [int(self._shows(*place, seat)) for place in self.cells]
        zones = [int(self._shows(*zone, seat)) for zone in self.zones]
        shown = zip(self.zones, zones, strict=True)
        closed = {str(self.setting.program.zones[name].holds) for (name, _), sees in shown if not sees}
        return [*cells, *zones, *(int(entity.kind not in closed) for entity in self.setting.program.entities)]

    def _shows(self, name: str, indices: Indices, seat: int | None) -> bool:
        program = self.setting.program
        if program.place(name).visible.condition is not None:
            return False
        at = indices[:-1] if name in program.pools else indices  # the kinds of a pool are seen together
        return sees_place(Reader(self.setting, [], []), name, at, seat)

    def of(self, state: State, seat: int | None) -> list[int]:
        """What a seat sees of a state."""
        seen = seen_by(self.setting, state, seat)
        layout, sees = self.setting.layout, self.sees[-1 if seat is None else seat]
        cells = [layout.places[name].at(at) for name, at in self.cells]
        found = [_number(seen.cells[cell]) if sees[at] else HIDDEN for at, cell in enumerate(cells)]
        found += map(len, seen.zones)
        first = len(self.cells) + len(self.zones)
        zone = [NONE if known else HIDDEN for known in sees[first:]]
        place = zone[:]
        for number, components in enumerate(seen.zones):
            if sees[len(self.cells) + number]:
                for at, component in enumerate(components):
                    zone[component], place[component] = number, at
        return [*found, *zone, *place]


def _in_order(setting: Setting, name: str) -> list[Indices]:
    """The indices of a place in the order of its cells."""
    numbers = setting.layout.places[name].numbers
    return sorted(numbers, key=numbers.__getitem__)


def _number(value: int | None) -> int:
    return NONE if value is None else max(LEAST, min(int(value), MOST))
