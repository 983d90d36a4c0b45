"""What a seat may know of the locals of a routine and of the options of a choice, on a position as it sees it.

Follows from what it takes to know a local (:mod:`lusory_dsl.core.knowledge`), and from where components lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lusory_dsl.core.knowledge import ALL, AT_TIMES, COMPONENT, LOCATED, SEEING, WHERE, Level, knowledge_of

from ..table.choices import Decision, Option
from ..table.setting import HIDDEN
from .sight import UNKNOWN, Seen, Unknown


def known_to(seen: Seen, slots: Sequence[Any], levels: Mapping[int, Level]) -> list[Any]:
    """The locals of a routine as the seat of ``seen`` knows them; a spectator knows what all know."""

    at_times = knowledge_of(seen.setting.program).at_times

    def is_player(slot: int | None) -> bool:
        return slot is not None and seen.seat is not None and bool(slots[slot] == seen.seat)

    def suffices(one: int) -> bool:
        if one > AT_TIMES:
            return one < -1 or is_player(one if one >= 0 else None)
        place, owner = at_times[AT_TIMES - one]
        if place[:1] in (COMPONENT, WHERE):
            shown = _component(seen, place[1:]) if owner is None else slots[owner]
            return shown is not None and _all_visible(seen, shown)
        return is_player(owner) or all(place != hidden for hidden, _ in seen.hidden)

    def known(slot: int, value: Any) -> Any:
        level = levels.get(slot, ALL)
        if not level:
            return value
        if not all(map(suffices, level)) or (value is None and not level.isdisjoint(SEEING | LOCATED)):
            return Unknown()  # that there is no such component may be a secret, too
        return visible(seen, value) if level >= SEEING else value

    return [known(slot, value) for slot, value in enumerate(slots)]


def _component(seen: Seen, name: str) -> Any:
    """The component of this number, or in the variable of this name."""
    if not name:
        return None
    held = int(name) if name.isdigit() else seen.cells[seen.setting.layout.places[name].at(())]
    return None if isinstance(held, Unknown) else held


def visible(seen: Seen, value: Any) -> Any:
    """A component, or a list of them, as far as it lies where a seat sees it."""
    if value is None or isinstance(value, tuple):
        return None if value is None else tuple(visible(seen, one) for one in value)
    lies = seen.cells[seen.setting.layout.location + value]
    return Unknown() if lies is UNKNOWN else value


def _all_visible(seen: Seen, value: Any) -> bool:
    """Whether a seat sees a component, or every one of a list."""
    shown = visible(seen, value)
    return not any(map(_is_unknown, shown)) if isinstance(shown, tuple) else not _is_unknown(shown)


def offered(seen: Seen, decision: Decision) -> Decision:
    """A decision as the one who chooses may know it, all of it data: the value of a component that it can't see is
    ``?``."""
    unseen = knowledge_of(seen.setting.program).unseen.get(decision.site)
    if not unseen:
        return Decision(decision.site, decision.seat, tuple(decision.options))
    options = [
        Option(
            option.index,
            option.alternative,
            tuple(
                HIDDEN if (option.alternative, n) in unseen and _is_unknown(visible(seen, value)) else value
                for n, value in enumerate(option.values)
            ),
        )
        for option in decision.options
    ]
    return Decision(decision.site, decision.seat, tuple(options))


def _is_unknown(value: Any) -> bool:
    return isinstance(value, Unknown)
