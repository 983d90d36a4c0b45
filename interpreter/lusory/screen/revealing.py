"""What a seat could not see of a game that is over: everything is turned up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lusory_dsl.language.types import ComponentType

from ..seat.marked import reference
from ..seat.view import View
from ..table.events import counted, is_bookkeeping, place_label
from ..table.setting import Indices, type_of_place
from .lines import joined
from .text import Line, Run
from .words import said, worded

MOST_NAMED = 12
"""So many cards of a place are named."""


def revealed(hidden: View, whole: View, names: Sequence[str]) -> tuple[Line, ...]:
    """Each place that a seat did not see, and what was there. ``hidden``: what the seat saw; ``whole``: everything."""
    setting = whole.setting
    lines: list[Line] = []
    for name in (*setting.program.variables, *setting.program.pools, *setting.program.zones):
        for at in setting.indices(name):
            if not hidden.sees(name, at) and (what := _content(whole, name, at, names)):
                lines.append((*said(place_label(setting, name, at), names), Run(": "), *what))
    return tuple(lines)


def _content(view: View, name: str, at: Indices, names: Sequence[str]) -> Line:
    """What lies in a place; nothing where that is nothing, or a variable without a label."""
    setting, program = view.setting, view.setting.program
    place = setting.layout.place(name)
    if name in program.zones:
        return joined(_cards(view, view.seen.zones[place.at(at)]))
    if name in program.pools:
        held = ((kind, view.seen.cells[place.at((*at, kind))]) for kind in program.pools[name].kinds)
        return joined((Run(f"{n} {counted(setting, name, kind, n)}"),) for kind, n in held if n)
    value = view.seen.cells[place.at(at)]
    if value is None or is_bookkeeping(setting, name):
        return ()
    return worded(view.asker, value, type_of_place(program, name), names)


def _cards(view: View, cards: Sequence[int]) -> Iterator[Line]:
    entities = view.setting.program.entities
    for card in cards[:MOST_NAMED]:
        yield said(entities[card].label, (), reference(view.setting, ComponentType(entities[card].kind), card))
    if len(cards) > MOST_NAMED:
        yield (Run(f"and {len(cards) - MOST_NAMED} more"),)
