"""Where the components may lie that a seat can't see, in one world.

A world holds each component somewhere. Those that chance has put where they are, out of sight, are *loose*: they could
as well have changed places with others that the same chance has dealt. For each loose component there is the set of
zones in which it may lie, a bit for each; all others lie where the world has them, given what it takes for granted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..table.events import Event
from ..table.state import State, StateLayout
from .fortune import Fortune
from .observed import NOT_SEEN, Observed

Loose = dict[int, int]
"""Component -> the zones in which it may lie, a bit for each."""
Names = Mapping[int, int]
"""Components in each other's places: where each key was, its value comes."""
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


class Naming(NamedTuple):
    """What follows when components change places: ``cells``: where hidden names of them stand, which are then those of
    the others; ``is_sorted``: of each zone, whether its components lie in order."""

    cells: tuple[int, ...]
    is_sorted: Sequence[bool]


def renamed(layout: StateLayout, state: State, names: Names, naming: Naming) -> State:
    """A position with components in each other's places: where each key was, its value is."""
    if not names:
        return State(state.cells[:], state.zones, [], state.asked)
    cells, zones, location = state.cells[:], state.zones[:], layout.location
    for number in {state.cells[location + card] for card in names} - {None}:
        zones[number] = [names.get(card, card) for card in zones[number]]
        if naming.is_sorted[number]:
            zones[number].sort()
    for card, other in names.items():
        cells[location + other] = state.cells[location + card]
    for cell in naming.cells:
        value = cells[cell]
        if isinstance(value, tuple):
            cells[cell] = tuple([names.get(one, one) for one in value])
        elif value is not None:
            cells[cell] = names.get(value, value)
    return State(cells, zones, [])


def then(names: Names, others: Names) -> dict[int, int]:
    """One exchange of places after another."""
    made = {card: others.get(other, other) for card, other in names.items()}
    made.update({card: other for card, other in others.items() if card not in names})
    return {card: other for card, other in made.items() if card != other}


def among(names: Names, still: Container[int]) -> dict[int, int]:
    """What an exchange of places comes to for those components that lie as they did, and for those that come among
    them from where chance has mixed all up since: these leave their places to those that go."""
    found = {slot: card for slot, card in names.items() if slot in still}
    for card in [card for card in found.values() if card not in still]:
        other = names[card]
        while other not in still:
            other = names[other]
        found[card] = other
    return found


def path(layout: StateLayout, state: State, loose: Loose, card: int, other: int) -> Names | None:
    """How a component can come to the place of another, which goes to its place or on to that of a third, who comes
    here. None: it may not lie there."""
    location = layout.location
    if card not in loose or other not in loose:
        return None
    here, there = state.cells[location + card], state.cells[location + other]
    if not loose[card] >> there & 1:
        return None
    if loose[other] >> here & 1:
        return {other: card, card: other}
    for third, zones in loose.items():
        between = state.cells[location + third]
        if zones >> here & 1 and loose[other] >> between & 1 and third not in (card, other):
            return {other: card, third: other, card: third}
    return None


def dealing(layout: StateLayout, state: State, loose: Loose, held: Container[int], fortune: Fortune) -> Names:
    """The loose components in new places, but for those that are ``held``: in each place of one, another that may lie
    there."""
    slots = [card for card in loose if card not in held]
    cards, lies = slots[:], [state.cells[layout.location + card] for card in slots]
    mine = [loose[card] for card in slots]
    for _ in range(1 if len(set(mine)) == 1 else PASSES):
        for one in range(len(cards) - 1, 0, -1):
            other = fortune.below(one + 1)
            if mine[one] >> lies[other] & 1 and mine[other] >> lies[one] & 1:
                cards[one], cards[other] = cards[other], cards[one]
                mine[one], mine[other] = mine[other], mine[one]
    return {slot: card for slot, card in zip(slots, cards, strict=True) if slot != card}


def filled(
    zones: Sequence[Sequence[int]], seen: Sequence[Sequence[Any]], lying: Container[int], kinds: Sequence[str]
) -> tuple[list[list[int]], list[int]]:
    """Zones as they are seen, the places out of sight filled with components that lie nowhere in sight, where they were
    if there is room, else in others for their kind; and those for which there is none."""
    queues = [[card for card in zone if card not in lying] for zone in zones]
    rooms = [sum(card is NOT_SEEN for card in zone) for zone in seen]
    rest: dict[str, list[int]] = {kind: [] for kind in kinds}
    for queue, room, kind in zip(queues, rooms, kinds, strict=True):
        rest[kind] += queue[room:]
    made = []
    for queue, room, zone, kind in zip(queues, rooms, seen, kinds, strict=True):
        waiting = queue[:room]
        while len(waiting) < room and rest[kind]:
            waiting.append(rest[kind].pop())
        cards = iter(waiting)
        made.append([card for one in zone if (card := next(cards, None) if one is NOT_SEEN else one) is not None])
    return made, [card for cards in rest.values() for card in cards]
