"""Who sees the components that lie in zones. What follows from the rules alone is found once for each zone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..table.setting import Setting
from .reader import Reader

Masks = tuple[int, int, int]
"""Seats, one bit each: those that see all of a zone, and besides them what lies on top and at the bottom."""


@lru_cache(maxsize=64)
def _always(setting: Setting) -> list[Masks | None]:
    """Who sees what of each zone at all times; None: a condition of the rules decides."""
    reader, zones = Reader(setting, [], []), setting.program.zones
    found: list[Masks | None] = []
    for number in range(setting.layout.zone_count):
        zone = zones[setting.layout.zone_at(number)[0]]
        is_fixed = all(visible.condition is None for visible in zone.visibilities)
        found.append(_masks(reader, number) if is_fixed else None)
    return found


def _masks(reader: Reader, number: int) -> Masks:
    """Who sees what of a zone now."""
    name, at = reader.layout.zone_at(number)
    zone = reader.program.zones[name]
    seats, top, bottom = (
        0 if one is None else reader.seats(one, zone.dims, at) for one in (zone.visible, zone.top, zone.bottom)
    )
    return seats, top, bottom


def seats_before_move(reader: Reader, cards: Sequence[int]) -> int:
    """Return the seats that see all of some components where they lie now, one bit each; of one in no zone, none."""
    always, zones, location = _always(reader.setting), reader.zones, reader.layout.location
    found = (1 << reader.setting.players) - 1
    for card in cards:
        number = reader.cells[location + card]
        if number is None:
            return 0
        seats, top, bottom = always[number] or _masks(reader, number)
        if top and zones[number][0] == card:
            seats |= top
        if bottom and zones[number][-1] == card:
            seats |= bottom
        found &= seats
    return found


def seats_after_move(reader: Reader, cards: Sequence[int], number: int, before: int) -> int:
    """Return the seats that learn which components have moved to a zone, one bit each: those that see all of them now,
    and those that saw all of them ``before``."""
    seats, top, bottom = _always(reader.setting)[number] or _masks(reader, number)
    return before | (seats_before_move(reader, cards) if top or bottom else seats)
