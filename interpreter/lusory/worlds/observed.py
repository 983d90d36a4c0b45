"""What a seat learned of one step of a game, as plain data: what it was told, and what it saw afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..seat.sight import hidden_in
from ..seat.view import View
from ..table.events import Event

NOT_SEEN: Any = ...
"""In the place of what a seat does not see."""


class Observed(NamedTuple):
    """``events``: as the seat was told of them. ``cells`` (of variables and pools) and ``zones``: as it sees them, with
    NOT_SEEN elsewhere.
    ``waiting_for``: whose decision it is; None: the game is over. ``asked``: what the seat itself is asked: the site,
    and each option as (alternative, values); ``prompt``: in which words, which can tell what nothing else shows."""

    events: tuple[Event, ...]
    cells: tuple[Any, ...]
    zones: tuple[tuple[Any, ...], ...]
    hidden: frozenset[tuple[str, tuple[int, ...]]]
    phase: str | None
    waiting_for: int | None
    asked: tuple[int, tuple[tuple[int, tuple[Any, ...]], ...]] | None
    prompt: str = ""

    @property
    def sight(self) -> tuple[Any, ...]:
        """All but the events."""
        return self[1:]


def observed(view: View, events: Sequence[Event]) -> Observed:
    """What a view and the events before it say."""
    seen, decision = view.seen, view.decision
    asked = None
    if decision is not None:
        asked = decision.site, tuple([(option.alternative, option.values) for option in decision.options])
    cells = seen.cells[: seen.setting.layout.location]
    for cell in hidden_in(seen.setting, seen.hidden).cells:
        cells[cell] = NOT_SEEN
    return Observed(
        tuple(events),
        tuple(cells),
        tuple([tuple([card if card.__class__ is int else NOT_SEEN for card in zone]) for zone in seen.zones]),
        seen.hidden,
        view.phase,
        view.waiting_for,
        asked,
        view.prompt(),
    )
