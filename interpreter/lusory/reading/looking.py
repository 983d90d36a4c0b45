"""Who sees the components that lie in zones. What follows from the rules alone is found once for each zone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..table.setting import Setting
from .reader import Reader

Masks = tuple[int, int, int]
"""Seats, one bit each: those that see all of a zone, and besides them what lies on top and at the bottom."""


class Looking:
    """Of one setting, as :meth:`lusory.reading.reader.Reader.seats_of_card` and its like have it, in a fraction of the
    time: every move of a component that is told of asks for it."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.layout = setting, setting.layout
        self._masks = [self._always(number) for number in range(self.layout.zone_count)]

    def _always(self, number: int) -> Masks | None:
        """Who sees what of a zone at all times; None: that hangs on how things stand."""
        name, at = self.layout.zone_at(number)
        zone, reader = self.setting.program.zones[name], Reader(self.setting, [], [])
        shown = [one for one in (zone.visible, zone.top, zone.bottom) if one is not None]
        if any(one.condition is not None for one in shown):
            return None
        seats, top, bottom = (
            0 if one is None else reader.seats(one, zone.dims, at) for one in (zone.visible, zone.top, zone.bottom)
        )
        return seats, top, bottom

    def seats_of_card(self, cells: list[Any], zones: list[list[int]], card: int, number: int) -> int:
        """The seats that see a component in the zone where it lies now, one bit each."""
        masks = self._masks[number]
        if masks is None:
            return Reader(self.setting, cells, zones).seats_of_card(card, *self.layout.zone_at(number))
        found, top, bottom = masks
        if top and zones[number][0] == card:
            found |= top
        if bottom and zones[number][-1] == card:
            found |= bottom
        return found

    def seats_of_cards(self, cells: list[Any], zones: list[list[int]], cards: Iterable[int], number: int) -> int:
        """The seats that see all of some components which lie in one zone now, one bit each."""
        masks = self._masks[number]
        if masks is None:
            return Reader(self.setting, cells, zones).seats_of_cards(tuple(cards), *self.layout.zone_at(number))
        if not (masks[1] or masks[2]):
            return masks[0]
        found = (1 << self.setting.players) - 1
        for card in cards:
            found &= self.seats_of_card(cells, zones, card, number)
        return found
