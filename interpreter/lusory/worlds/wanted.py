"""What a seat saw after a step, laid out so that a position can be held against it without a view being made of it."""

from __future__ import annotations

from itertools import pairwise

from lusory_dsl.core.knowledge import knowledge_of

from ..game import Game
from ..seat.sight import hidden_places
from ..table.setting import fixed_text
from ..table.state import State
from .observed import NOT_SEEN, Observed, observed

Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]
"""Components that lie in the place of others, each with the one that was seen there; where only a name was heard, one
of several with one of several."""


class Wanted:
    """Of one step. ``hidden``: the cells of variables and pools that the seat does not see. ``shows_ends``: whether who
    sees an end of a zone hangs on how things stand."""

    def __init__(self, game: Game, seat: int, seen: Observed, shows_ends: bool) -> None:
        self.game, self.seat, self.seen = game, seat, seen
        self.shows_ends = shows_ends
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
                pairs += [((one,), (other,)) for one, other in zip(zone, wanted, strict=True) if one != other]
        for number, shown in self.closed:
            zone = zones[number]
            if len(zone) != len(shown):
                return None
            pairs += [
                ((one,), (other,))
                for one, other in zip(zone, shown, strict=True)
                if other is not NOT_SEEN and one != other
            ]
        if pairs:
            return pairs
        return [] if is_same and self._asks_the_same(state) else None

    def _asks_the_same(self, state: State) -> bool:
        """Whether the rest is alike, too: who sees what, whose decision it is, and what is offered."""
        decision, asked = self.game.decision(state), self.seen.asked
        if (None if decision is None else decision.seat) != self.seen.waiting_for:
            return False
        if self.shows_ends or (asked is not None and knowledge_of(self.game.program).unseen.get(asked[0])):
            return observed(self.game.view(state, self.seat), ()).sight == self.seen.sight
        if asked is not None and decision is not None:
            offered = decision.options
            if decision.site != asked[0] or tuple([option[1:] for option in offered]) != asked[1]:
                return False
            ask = self.game.setting.sites[decision.site]
            if fixed_text(ask.prompt) is None and self.game.prompt(state, decision) != self.seen.prompt:
                return False
        if hidden_places(self.game.setting, state, self.seat) != self.seen.hidden:
            return False
        return self.game.phase_of(state) == self.seen.phase
