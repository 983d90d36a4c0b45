"""Sample results of chance, and arrangements of the hidden components among the places that each may be in.

A component is *hidden* from a seat once chance has placed it out of that seat's sight: a card dealt face down, for
example. For each hidden component we keep the zones that it may be in. Every other component is exactly where the
sampled state has it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..state import random_streams
from ..state.events_redaction_and_text import Event
from ..state.setting_value_limits_builtins_and_names import Draw, ForcedChance
from ..state.state import State
from ..state.state_layout import StateLayout
from .observation_and_matching import UNSEEN, Observation

PossibleZones = dict[int, int]
"""Hidden component -> bit mask of the zones that it may be in (bit ``z`` stands for zone ``z``)."""
Permutation = Mapping[int, int]
"""Component -> the component that takes its place. Components that stay are left out."""
SHUFFLE_PASSES = 2
"""Passes over all hidden components in a random arrangement. Each pass tries to swap each component once."""


# ------------------------------------------------------------ chance


class Rng:
    """A stream of random numbers. The same seed and purpose give the same numbers on every machine."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, purpose: str) -> None:
        self._state = random_streams.seed_stream(seed, purpose)

    def draw_below(self, n: int) -> int:
        """Return a number from 0 to n-1, each equally likely."""
        self._state, number = random_streams.draw(self._state, n)
        return number

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        """Return the items in random order, as a new list."""
        numbers = list(range(len(items)))
        self._state = random_streams.shuffle(self._state, numbers)
        return [items[n] for n in numbers]

    def draw_seed(self) -> int:
        """Return a random seed from 0 to 2**32 - 1."""
        return self.draw_below(1 << 32)


def swap_random_items(items: list[Any], rng: Rng) -> None:
    """Swap two random items of a list in place. They can be the same item, so that nothing changes."""
    first, second = rng.draw_below(len(items)), rng.draw_below(len(items))
    items[first], items[second] = items[second], items[first]


@dataclass
class ChanceOutcomes:
    """The results of chance in one step. :class:`ChanceScript` appends results when the step needs more.

    Attributes:
        orders: The order of components after each shuffle.
        draws: The result of each draw that the seat was not told, as (index of the value, number of values).
        is_announced: For each draw, whether the seat was told the result.
    """

    orders: list[list[int]] = field(default_factory=list)
    draws: list[tuple[int, int]] = field(default_factory=list)
    is_announced: list[bool] = field(default_factory=list)

    def copy(self) -> ChanceOutcomes:
        """Return a copy whose lists can change without this one."""
        return ChanceOutcomes([order[:] for order in self.orders], self.draws[:], self.is_announced[:])

    def count_draw_combinations(self) -> int:
        """Return the number of ways in which the hidden draws could have come out, 1 without such draws."""
        return prod(n for _, n in self.draws)

    def change_one_draw(self, rng: Rng) -> None:
        """Change the result of one hidden draw to another one at random: ``draws`` [(0, 2)] becomes [(1, 2)].

        Draws of a single value stay as they are. At least one draw must have several values.
        """
        open_draws = [index for index, (_, n) in enumerate(self.draws) if n > 1]
        index = open_draws[rng.draw_below(len(open_draws))]
        number, n = self.draws[index]
        self.draws[index] = (number + 1 + rng.draw_below(n - 1)) % n, n


class ChanceScript(ForcedChance):
    """Dictate the chance of one simulated step, so that it repeats what the seat observed.

    Draws that the seat was told come out as observed, in the same order. Shuffles and hidden draws come from
    ``outcomes``. If ``outcomes`` has too few, the rest is drawn at random and appended. So a step can be simulated
    again with part of its chance changed.

    Example: the seat was told "3". The step makes a hidden draw from 1..2 and then an announced one from 1..6. The
    first comes from ``outcomes``, because 3 is not one of its values. The second is 3.

    Attributes:
        outcomes: The results to use, as above.
        is_announced: For each draw so far, whether it counted as told to the seat. If ``outcomes`` does not say it, a
            draw counts as told if it can have the value that the seat was told next.
        has_hidden_draw: Whether a draw was left to chance.
    """

    def __init__(
        self, events: Sequence[Event], rng: Rng, outcomes: ChanceOutcomes, listener: int | None = None
    ) -> None:
        """``listener``: the only seat that gets announcements. None: all seats do."""
        super().__init__(has_full_faults=False, listening_seat=listener)
        self.rng = rng
        self.outcomes = outcomes
        self.is_announced: list[bool] = []
        self.has_hidden_draw = False
        self._announced_values = [event[2] for event in events if event[0] == "random"]
        self._shuffle_count = self._hidden_draw_count = 0

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """Return the result of a draw from ``items``, in a tuple of one: ``(item,)``.

        It is the next announced value if that is among the items, unless ``outcomes.is_announced`` is False for this
        draw. Otherwise it is the next of ``outcomes.draws``, where (2, 6) stands for the third of six items. A missing
        draw, or one from another number of items, is drawn at random and stored.
        """
        number, flags, draws = len(self.is_announced), self.outcomes.is_announced, self.outcomes.draws
        is_possible = bool(self._announced_values) and self._announced_values[0] in items
        self.is_announced.append(flags[number] if number < len(flags) else is_possible)
        if is_possible and self.is_announced[-1]:
            return (self._announced_values.pop(0),)
        self.has_hidden_draw |= len(items) > 1
        index = self._hidden_draw_count
        if index == len(draws):
            draws.append((self.rng.draw_below(len(items)), len(items)))
        elif draws[index][1] != len(items):
            draws[index] = self.rng.draw_below(len(items)), len(items)
        self._hidden_draw_count += 1
        return (items[draws[index][0]],)

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Return the order of ``cards`` after a shuffle, the top card first, in a tuple of one: ``((5, 3, 4),)``.

        It is the order that ``outcomes`` has next, or a random one, which is stored there. If the stored order has
        other components, new ones of ``cards`` take their places at random. Further new ones go to the end, and the
        order is stored again.
        """
        number, orders = self._shuffle_count, self.outcomes.orders
        self._shuffle_count += 1
        if number == len(orders):
            orders.append(self.rng.shuffle(cards))
        elif (missing := set(orders[number]).difference(cards)) or len(orders[number]) != len(cards):
            old_cards = set(orders[number])
            new_cards = self.rng.shuffle([card for card in cards if card not in old_cards])
            new_order = [new_cards.pop() if card in missing and new_cards else card for card in orders[number]]
            orders[number] = [card for card in new_order if card not in missing] + new_cards
        return (tuple(orders[number]),)

    def get_used_outcomes(self) -> ChanceOutcomes:
        """Return a copy of the outcomes that the step has used so far, with ``is_announced`` for each of its draws."""
        outcomes = self.outcomes.copy()
        return ChanceOutcomes(
            outcomes.orders[: self._shuffle_count], outcomes.draws[: self._hidden_draw_count], self.is_announced[:]
        )


# ------------------------------------------------------------ possible zones


def update_possible_zones(
    layout: StateLayout,
    seat: int,
    before: State,
    events: Iterable[Event],
    after: State,
    observation: Observation,
    zone_masks: PossibleZones,
) -> PossibleZones:
    """Return the possible zones after one step: component -> bit mask of zones. ``zone_masks`` stays unchanged.

    ``events`` holds everything that happened in the sampled state, including what ``seat`` was not told. A shuffled
    zone is possible for all components in it. Components that the seat saw move, or sees now, are left out, and so are
    those that came from no zone. So are zones in which every component is now known.

    Example: card 7 may be in the deck or in Ann's hand. One unseen card moves from the deck to Bob's hand. Now card 7
    may be in all three, because it may be the one that moved.
    """
    zone_masks = dict(zone_masks)
    zones: list[list[int]] | None = None
    for event in events:
        if event[0] == "cards":
            _, cards, name, indices, _, sources, seats = event
            target = layout.zones[name].at(indices)
            if zones is None:
                zones = [zone[:] for zone in before.zones]
            for card, place in zip(cards, sources, strict=True):
                assert card is not None, "the log of a sampled state hides nothing"
                source = None if place is None else layout.zones[place[0]].at(place[1])
                _record_move(zone_masks, card, source, target, bool(seats >> seat & 1))
                if source is not None:
                    zones[source].remove(card)
                zones[target].append(card)
        elif event[0] == "shuffle":
            number = layout.zones[event[1]].at(event[2])
            for card in (before.zones if zones is None else zones)[number]:
                zone_masks[card] = zone_masks.get(card, 0) | 1 << number
    _apply_observation(zone_masks, after, observation)
    return zone_masks


def _record_move(zone_masks: PossibleZones, card: int, source: int | None, target: int, is_visible: bool) -> None:
    """Add the target to every component that may have been the one that moved."""
    if is_visible or source is None:
        zone_masks.pop(card, None)
    elif source != target and card in zone_masks:
        for candidate, zones in zone_masks.items():
            if zones >> source & 1:
                zone_masks[candidate] = zones | 1 << target


def _apply_observation(zone_masks: PossibleZones, state: State, observation: Observation) -> None:
    """Drop components that the seat can now see, and zones that are now known to hold no hidden component."""
    occupied_zones = 0
    for number, zone in enumerate(state.zones):
        for card, visible_card in zip(zone, observation.zones[number], strict=True):
            if visible_card is not UNSEEN:
                zone_masks.pop(card, None)
            elif card in zone_masks:
                occupied_zones |= 1 << number
    for card, zones in zone_masks.items():
        if zones & ~occupied_zones:
            zone_masks[card] = zones & occupied_zones


# ------------------------------------------------------------ permutations


def permute_components(
    layout: StateLayout,
    state: State,
    permutation: Permutation,
    reference_cells: Sequence[int],
    are_sorted: Sequence[bool],
) -> State:
    """Return a new state in which components have taken each other's places. ``state`` stays unchanged.

    ``permutation`` maps the component that is in a place to the one that comes there. The references to components in
    ``reference_cells`` change with them. Zones for which ``are_sorted``, by number, is true are sorted again. Lists of
    zones that don't change are shared with ``state``. The cached decision is kept only if the permutation is empty. The
    frame of the result is always empty.
    """
    if not permutation:
        return State(state.cells[:], state.zones, [], state.cached_decision)
    cells, zones, location = state.cells[:], state.zones[:], layout.location
    for number in {state.cells[location + card] for card in permutation} - {None}:
        zones[number] = [permutation.get(card, card) for card in zones[number]]
        if are_sorted[number]:
            zones[number].sort()
    for card, replacement in permutation.items():
        cells[location + replacement] = state.cells[location + card]
    for cell in reference_cells:
        value = cells[cell]
        if isinstance(value, tuple):
            cells[cell] = tuple([permutation.get(card, card) for card in value])
        elif value is not None:
            cells[cell] = permutation.get(value, value)
    return State(cells, zones, [])


def compose(first: Permutation, second: Permutation) -> dict[int, int]:
    """Return the permutation that applies ``first`` and then ``second``. Components that stay are left out.

    Example: ``{1: 2, 2: 1}`` and then ``{2: 3, 3: 2}`` give ``{1: 3, 2: 1, 3: 2}``.
    """
    permutation = {card: second.get(replacement, replacement) for card, replacement in first.items()}
    permutation.update({card: replacement for card, replacement in second.items() if card not in first})
    return {card: replacement for card, replacement in permutation.items() if card != replacement}


def restrict(permutation: Permutation, unmoved_cards: Container[int]) -> dict[int, int]:
    """Restrict a permutation to the components that have not moved since an earlier step, and return the result.

    A permutation maps a component to the one that takes its place. Components in ``unmoved_cards`` keep their entries.
    A component that comes in from elsewhere leaves its own old place to the one that goes out.

    Example: ``{1: 2, 2: 3, 3: 1}`` restricted to component 1 is ``{1: 2, 2: 1}``.
    """
    entries = {place: card for place, card in permutation.items() if place in unmoved_cards}
    for card in [card for card in entries.values() if card not in unmoved_cards]:
        replacement = permutation[card]
        while replacement not in unmoved_cards:
            replacement = permutation[replacement]
        entries[card] = replacement
    return entries


def find_exchange(
    layout: StateLayout, state: State, zone_masks: PossibleZones, component: int, target: int
) -> Permutation | None:
    """Return an exchange of two or three components that brings ``component`` to the place of ``target``.

    The permutation maps the component in a place to the one that comes there: ``{target: component, component:
    target}`` if ``target`` may be in the zone of ``component``. Otherwise a third component takes the place of
    ``component``, and ``target`` that of the third: ``{target: component, third: target, component: third}``. The third
    is the first of ``zone_masks`` for which both zones are possible. Returns None if there is none, if ``component``
    can't be in the zone of ``target``, or if one of the two is not hidden.
    """
    location = layout.location
    if component not in zone_masks or target not in zone_masks:
        return None
    component_zone, target_zone = state.cells[location + component], state.cells[location + target]
    if not zone_masks[component] >> target_zone & 1:
        return None
    if zone_masks[target] >> component_zone & 1:
        return {target: component, component: target}
    for third, zones in zone_masks.items():
        third_zone = state.cells[location + third]
        if zones >> component_zone & 1 and zone_masks[target] >> third_zone & 1 and third not in (component, target):
            return {target: component, third: target, component: third}
    return None


def sample_arrangement(
    layout: StateLayout, state: State, zone_masks: PossibleZones, fixed_cards: Container[int], rng: Rng
) -> Permutation:
    """Shuffle the hidden components among the places that each may be in, except those in ``fixed_cards``.

    The result maps each component that moves to the one that takes its place: ``{3: 5}`` puts 5 where 3 was. The state
    does not change. If all have the same possible zones, one Fisher-Yates shuffle does it. Otherwise there are two such
    passes, and a swap is made only if both components may be where it would put them.
    """
    places = [card for card in zone_masks if card not in fixed_cards]
    cards, zones = places[:], [state.cells[layout.location + card] for card in places]
    masks = [zone_masks[card] for card in places]
    for _ in range(1 if len(set(masks)) == 1 else SHUFFLE_PASSES):
        for index in range(len(cards) - 1, 0, -1):
            other_index = rng.draw_below(index + 1)
            if masks[index] >> zones[other_index] & 1 and masks[other_index] >> zones[index] & 1:
                cards[index], cards[other_index] = cards[other_index], cards[index]
                masks[index], masks[other_index] = masks[other_index], masks[index]
    return {place: card for place, card in zip(places, cards, strict=True) if place != card}


def fill_zones(
    zones: Sequence[Sequence[int]], visible: Sequence[Sequence[Any]], seen_cards: Container[int], kinds: Sequence[str]
) -> tuple[list[list[int]], list[int]]:
    """Fill the unseen places of observed zones with components that are nowhere in sight.

    ``zones`` says where the components were, and ``kinds`` which kind each zone holds. ``visible`` has the component
    that the seat sees at each place, or UNSEEN, and ``seen_cards`` all components that it sees. Seen components keep
    their places. The first unseen components of a zone stay in it, as many as there is room for. The rest goes to other
    zones for their kind, the last of the rest to the first free place. Return the zones, in the same order, and the
    components for which there is no room. A zone for which no component is left stays shorter.

    Example (? is UNSEEN): zones ``[[1, 2], [3]]`` of one kind, seen as ``[[?], [?, ?]]``, give ``[[1], [3, 2]]`` and
    ``[]``.
    """
    queues = [[card for card in zone if card not in seen_cards] for zone in zones]
    capacities = [sum(card is UNSEEN for card in zone) for zone in visible]
    surplus: dict[str, list[int]] = {kind: [] for kind in kinds}
    for queue, count, kind in zip(queues, capacities, kinds, strict=True):
        surplus[kind] += queue[count:]
    contents = []
    for queue, count, zone, kind in zip(queues, capacities, visible, kinds, strict=True):
        zone_cards = queue[:count]
        while len(zone_cards) < count and surplus[kind]:
            zone_cards.append(surplus[kind].pop())
        cards = iter(zone_cards)
        contents.append([card for item in zone if (card := next(cards, None) if item is UNSEEN else item) is not None])
    return contents, [card for cards in surplus.values() for card in cards]
