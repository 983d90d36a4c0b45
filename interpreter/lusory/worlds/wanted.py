"""What a seat saw after a step, laid out so that a position can be held against it without a view being made of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from lusory_dsl.core.knowledge import knowledge_of

from ..game import Game
from ..seat.knowledge import known_to, offered
from ..seat.sight import Seen, hidden_in, hidden_places, seen_by
from ..seat.view import SeatReader
from ..table.choices import Decision
from ..table.setting import fixed_text
from ..table.state import State
from .observed import NOT_SEEN, Observed, observed

Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]
"""Components that lie in the place of others, each with the one that was seen there; where only a name was heard, one
of several with one of several."""
Options = tuple[tuple[int, tuple[Any, ...]], ...]
"""Of a decision: each as (alternative, values)."""


class Wanted:
    """Of one step. ``hidden``: the cells of variables and pools that the seat does not see. ``shows_ends``: whether who
    sees an end of a zone hangs on how things stand."""

    def __init__(self, game: Game, seat: int, seen: Observed, shows_ends: bool) -> None:
        self.game, self.seat, self.seen = game, seat, seen
        self.shows_ends = shows_ends
        self.hidden = hidden_in(game.setting, seen.hidden).cells
        ends = [-1, *self.hidden, len(seen.cells)]
        self.runs = [
            (one + 1, other, list(seen.cells[one + 1 : other])) for one, other in pairwise(ends) if one + 1 < other
        ]
        self.open = [(n, list(zone)) for n, zone in enumerate(seen.zones) if NOT_SEEN not in zone]
        self.closed = [(n, len(zone), _shown(zone)) for n, zone in enumerate(seen.zones) if NOT_SEEN in zone]
        self._sight: Seen | None = None
        self._said: dict[tuple[Any, ...], bool] = {}  # by the locals of the routine that asks, whether the words are so

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
        for number, length, shown in self.closed:
            zone = zones[number]
            if len(zone) != length:
                return None
            pairs += [((zone[at],), (card,)) for at, card in shown if zone[at] != card]
        if pairs:
            return pairs
        return [] if is_same and self._asks_the_same(state) else None

    def _asks_the_same(self, state: State) -> bool:
        """Whether the rest is alike, too: who sees what, whose decision it is, and what is offered."""
        game, asked = self.game, self.seen.asked
        decision = game.decision(state)
        if (None if decision is None else decision.seat) != self.seen.waiting_for:
            return False
        if asked is not None and decision is not None and decision.site != asked[0]:
            return False
        if hidden_places(game.setting, state, self.seat) != self.seen.hidden:
            return False
        if self.shows_ends and observed(game.view(state, self.seat), ()).sight != self.seen.sight:
            return False
        if asked is not None and decision is not None and not self._offers_the_same(state, decision, asked[1]):
            return False
        return game.phase_of(state) == self.seen.phase

    def _offers_the_same(self, state: State, decision: Decision, options: Options) -> bool:
        """Whether the seat is asked in the same words and offered the same, where all else that it sees is alike."""
        ask, known = self.game.setting.sites[decision.site], knowledge_of(self.game.program)
        is_fixed = fixed_text(ask.prompt) is not None
        if known.unseen.get(decision.site) or not is_fixed:
            self._sight = self._sight or seen_by(self.game.setting, state, self.seat)
        offers = decision if self._sight is None else offered(self._sight, decision)
        if tuple([option[1:] for option in offers.options]) != options:
            return False
        if self._sight is None or is_fixed:
            return True
        slots = tuple(self.game.locals_of(state))
        if slots not in self._said:
            told = known_to(self._sight, slots, known.sites[decision.site])
            self._said[slots] = SeatReader(self._sight).text(ask.prompt, told) == self.seen.prompt
        return self._said[slots]


def _shown(zone: tuple[Any, ...]) -> list[tuple[int, int]]:
    """The components of a zone that are seen, each with its place."""
    return [(at, card) for at, card in enumerate(zone) if card is not NOT_SEEN]
