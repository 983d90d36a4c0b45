"""What a seat saw after a step, laid out so that a position can be held against it without a view being made of it."""

from __future__ import annotations

from itertools import pairwise

from ..game import Game
from ..table.state import State
from .observed import NOT_SEEN, Observed, observed

Pairs = list[tuple[int, int]]
"""Components that lie in the place of others, each with the one that was seen there."""


class Wanted:
    """Of one step. ``hidden``: the cells of variables and pools that the seat does not see. ``is_sure``: what is seen
    hangs on nothing but the kind of place, so that there is no other way to look."""

    def __init__(self, game: Game, seat: int, seen: Observed, is_sure: bool) -> None:
        self.game, self.seat, self.seen = game, seat, seen
        self.is_sure = is_sure and seen.asked is None
        self.hidden = tuple([cell for cell, value in enumerate(seen.cells) if value is NOT_SEEN])
        ends = [-1, *self.hidden, len(seen.cells)]
        self.runs = [
            (one + 1, other, list(seen.cells[one + 1 : other])) for one, other in pairwise(ends) if one + 1 < other
        ]
        self.open = [(n, list(zone)) for n, zone in enumerate(seen.zones) if NOT_SEEN not in zone]
        self.closed = [(n, zone) for n, zone in enumerate(seen.zones) if NOT_SEEN in zone]

    def differences(self, state: State) -> Pairs | None:
        """As :func:`lusory.worlds.differences.differences` of what is seen in a position; empty: it looks the same."""
        cells, zones = state.cells, state.zones
        pairs: Pairs = []
        is_same = all(cells[start:end] == values for start, end, values in self.runs)
        for number, wanted in self.open:
            zone = zones[number]
            if zone != wanted:
                if len(zone) != len(wanted):
                    return None
                pairs += [(one, other) for one, other in zip(zone, wanted, strict=True) if one != other]
        for number, shown in self.closed:
            zone = zones[number]
            if len(zone) != len(shown):
                return None
            pairs += [
                (one, other) for one, other in zip(zone, shown, strict=True) if other is not NOT_SEEN and one != other
            ]
        if pairs:
            return pairs
        return [] if is_same and self._asks_the_same(state) else None

    def _asks_the_same(self, state: State) -> bool:
        if not self.is_sure:
            return observed(self.game.view(state, self.seat), ()).sight == self.seen.sight
        decision = self.game.decision(state)
        if (None if decision is None else decision.seat) != self.seen.waiting_for:
            return False
        return self.game.phase_of(state) == self.seen.phase
