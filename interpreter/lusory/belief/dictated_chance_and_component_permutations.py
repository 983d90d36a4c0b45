"""Dictate the chance of a simulated step, so that it repeats an observation, and permute hidden components.

A component is *hidden* from a seat once chance has placed it out of that seat's sight: a card dealt face down, for
example. For each hidden component we keep the zones that it may be in. Every other component is exactly where the
sampled state has it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..state import random_streams
from ..state.events_redaction_and_text import Event
from ..state.setting_value_limits_builtins_and_names import Draw, ForcedChance
from .observation_and_matching import UNSEEN

PossibleZones = dict[int, int]
"""Hidden component -> bit mask of the zones that it may be in (bit ``z`` stands for zone ``z``)."""
Permutation = Mapping[int, int]
"""Component -> the component that takes its place. Components that stay are left out."""


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

    def change(self, shuffle_count: int, changes_draw: bool, rng: Rng) -> None:
        """Change the results slightly.

        Swap two components, perhaps one with itself, in one of the first ``shuffle_count`` orders, unless that is 0 or
        the order is empty. If ``changes_draw``, change one hidden draw to another value: ``draws`` [(0, 2)] becomes
        [(1, 2)]. One of the draws must then have several values.
        """
        if changes_draw:
            open_draws = [index for index, (_, n) in enumerate(self.draws) if n > 1]
            index = open_draws[rng.draw_below(len(open_draws))]
            number, n = self.draws[index]
            self.draws[index] = (number + 1 + rng.draw_below(n - 1)) % n, n
        if shuffle_count:
            order = self.orders[rng.draw_below(shuffle_count)]
            if order:
                first, second = rng.draw_below(len(order)), rng.draw_below(len(order))
                order[first], order[second] = order[second], order[first]


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

        It is the next announced value if that is among the items, unless ``outcomes.is_announced`` has False for this
        draw. Otherwise that value waits for a later draw, and the result is the next of ``outcomes.draws``: if that is
        ``(2, 6)``, the third of six items. If none is left, a random one is appended there; one from another number of
        items is replaced. Append to ``is_announced`` the flag of ``outcomes`` for this draw, or without one whether the
        announced value was among the items. Set ``has_hidden_draw`` if a draw from ``outcomes.draws`` has several
        items.
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

        The first call takes ``outcomes.orders[0]``, the next one ``outcomes.orders[1]``, and so on. If there is none, a
        random order is appended, as a list. A stored order that lacks cards or has others is replaced by a list of
        ``cards``. Lacking cards take the places of the others at random: ``[5, 3, 9]`` becomes ``[5, 3, 4]`` for the
        cards 3, 4 and 5. If none is left, the place closes up: ``[5, 9, 3]`` becomes ``[5, 3]`` for 3 and 5. If some
        are left, they go to the end in random order.
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


# ------------------------------------------------------------ permutations


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
    If another component comes in for one of them, it gets an entry, too: the next unmoved one of its cycle takes its
    place.

    Example: ``{1: 2, 2: 3, 3: 4, 4: 1}`` gives ``{1: 2, 2: 1}`` with 1 unmoved, and ``{1: 2, 3: 4, 2: 3, 4: 1}`` with 1
    and 3.
    """
    entries = {place: card for place, card in permutation.items() if place in unmoved_cards}
    for card in [card for card in entries.values() if card not in unmoved_cards]:
        replacement = permutation[card]
        while replacement not in unmoved_cards:
            replacement = permutation[replacement]
        entries[card] = replacement
    return entries


def fill_zones(
    zones: Sequence[Sequence[int]], visible: Sequence[Sequence[Any]], seen_cards: Container[int], kinds: Sequence[str]
) -> tuple[list[list[int]], list[int]]:
    """Fill the unseen places of observed zones with components that are nowhere in sight.

    ``zones`` says where the components were, and ``kinds`` which kind each zone holds. ``visible`` has the component
    that the seat sees at each place, or UNSEEN, and ``seen_cards`` all components that it sees. Seen components keep
    their order. The first unseen components of a zone stay in it, as many as there is room for. The rest goes to other
    zones for their kind, the last of the rest to the first free place. Return the zones, in the same order, and the
    components for which there is no room, kind by kind. Places for which no component is left are left out of the zone.

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
