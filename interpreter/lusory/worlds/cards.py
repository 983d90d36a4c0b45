"""Where the components may lie that a seat can't see, in one world.

A world holds each component somewhere. Those that chance has put where they are, out of sight, are *loose*: they could
as well have changed places with others that the same chance has dealt. For each loose component there is the set of
zones in which it may lie, a bit for each; all others lie where the world has them, given what it takes for granted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..table.events import Event
from ..table.state import State, StateLayout
from .fortune import Fortune
from .observed import NOT_SEEN, Observed

Loose = dict[int, int]
"""Component -> the zones in which it may lie, a bit for each."""
PASSES = 2  # over all loose components, in which each is offered another place


def moved(
    layout: StateLayout, seat: int, before: State, log: Iterable[Event], after: State, seen: Observed, loose: Loose
) -> Loose:
    """What is loose after a step. ``log``: all that happened in this world, which is told in part."""
    loose = dict(loose)
    zones: list[list[int]] | None = None
    for event in log:
        if event[0] == "cards":
            _, cards, target, at, _, sources, seats = event
            number = layout.zones[target].at(at)
            if zones is None:
                zones = [zone[:] for zone in before.zones]
            for card, source in zip(cards, sources, strict=True):
                came = None if source is None else layout.zones[source[0]].at(source[1])
                _goes(loose, card, came, number, bool(seats >> seat & 1))
                if came is not None:
                    zones[came].remove(card)
                zones[number].append(card)
        elif event[0] == "shuffle":
            number = layout.zones[event[1]].at(event[2])
            for card in (before.zones if zones is None else zones)[number]:
                loose[card] = loose.get(card, 0) | 1 << number
    _looked(loose, after, seen)
    return loose


def _goes(loose: Loose, card: int, source: int | None, target: int, told: bool) -> None:
    """A component moves."""
    if told or source is None:
        loose.pop(card, None)
    elif source != target and card in loose:
        here, there = 1 << source, 1 << target
        for one, zones in loose.items():
            if zones & here:
                loose[one] = zones | there


def _looked(loose: Loose, state: State, seen: Observed) -> None:
    """What is seen is where it is, and where no loose component lies, none may lie."""
    full = 0
    for number, zone in enumerate(state.zones):
        for card, shown in zip(zone, seen.zones[number], strict=True):
            if shown is not NOT_SEEN:
                loose.pop(card, None)
            elif card in loose:
                full |= 1 << number
    for card, zones in loose.items():
        if zones & ~full:
            loose[card] = zones & full


def exchanged(layout: StateLayout, state: State, pairs: Mapping[int, int]) -> State:
    """A position with components in each other's places: each key where its value was."""
    cells, zones = state.cells[:], state.zones[:]
    location = layout.location
    where = {
        card: (state.cells[location + card], state.zones[state.cells[location + card]].index(card)) for card in pairs
    }
    for card, other in pairs.items():
        number, place = where[other]
        if zones[number] is state.zones[number]:
            zones[number] = zones[number][:]
        zones[number][place] = card
        cells[location + card] = number
    return State(cells, zones, [])


def path(layout: StateLayout, state: State, loose: Loose, card: int, other: int) -> dict[int, int] | None:
    """How a component can come to the place of another, which goes to its place or on to that of a third, who comes
    here. None: it may not lie there."""
    location = layout.location
    if card not in loose or other not in loose:
        return None
    here, there = state.cells[location + card], state.cells[location + other]
    if not loose[card] >> there & 1:
        return None
    if loose[other] >> here & 1:
        return {card: other, other: card}
    for third, zones in loose.items():
        between = state.cells[location + third]
        if zones >> here & 1 and loose[other] >> between & 1 and third not in (card, other):
            return {card: other, other: third, third: card}
    return None


def dealt(
    layout: StateLayout, state: State, loose: Loose, held: frozenset[int], is_sorted: Sequence[bool], fortune: Fortune
) -> State:
    """A position with the loose components dealt anew, but for those that are ``held``."""
    location, cells = layout.location, state.cells
    cards = [card for card in loose if card not in held]
    if len(cards) < 2:
        return State(cells[:], state.zones, [], state.asked)
    lies = [cells[location + card] for card in cards]
    mine = [loose[card] for card in cards]
    cell = fortune.cell
    for _ in range(PASSES):
        for one in range(len(cards) - 1, 0, -1):
            other = fortune.below(one + 1)
            if mine[one] >> lies[other] & 1 and mine[other] >> lies[one] & 1:
                cards[one], cards[other] = cards[other], cards[one]
                mine[one], mine[other] = mine[other], mine[one]
    del cell
    return _placed(layout, state, cards, lies, held, loose, is_sorted)


def _placed(
    layout: StateLayout,
    state: State,
    cards: list[int],
    lies: list[int],
    held: frozenset[int],
    loose: Loose,
    is_sorted: Sequence[bool],
) -> State:
    """A position with these loose components in the zones named beside them, in the places of loose ones."""
    cells, zones, location = state.cells[:], state.zones[:], layout.location
    queues: dict[int, list[int]] = {}
    for card, number in zip(cards, lies, strict=True):
        queues.setdefault(number, []).append(card)
        cells[location + card] = number
    for number, queue in queues.items():
        zone = zones[number]
        queue.reverse()
        zones[number] = [queue.pop() if card in loose and card not in held else card for card in zone]
        if is_sorted[number]:
            zones[number].sort()
    return State(cells, zones, [])
