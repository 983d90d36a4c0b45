"""Change a position to the content that a case gives, and find counters that it adds or removes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lusory_dsl import core
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Span

from ...state.state import State
from ...state.state_layout import StateLayout
from .case_model import DOTS, REST, Failure, Placing
from .case_position_parser import find_free_card


class ImpossiblePlacing(Exception):
    """Error: the given content of a place is impossible."""

    def __init__(self, message: str, placing: Placing) -> None:
        super().__init__(message)
        self.failure = Failure(Diagnostic(diagnostic_codes.WRONG_POSITION, message, placing.span))


def place_contents(program: core.Program, layout: StateLayout, position: State, placings: Sequence[Placing]) -> None:
    """Change a position in place to the given content: each placing has that of a variable, a pool or a zone.

    A ``rest`` of counters is their total before, less the counters that lie elsewhere now. Places that no placing names
    keep their content, except for cards that are taken. ``axe`` takes the first of the copies ``axe``, ``axe-2``, …
    that is free, wherever it lies, even if the zone has another. ``axe-2`` takes only that copy, before ``axe`` does.
    If none is free, and a higher ``layer`` has taken one, the name is left out. At ``...``, the other cards of the zone
    stay. Without it, they go to a ``rest``, or else out of the game. A listed zone with ``is_sorted`` is sorted at the
    end. Raises ImpossiblePlacing for any other card that isn't free, and if a ``rest`` in a limited pool would be
    negative. Part of the position has then changed. Other counters are not checked: see find_imbalance.
    """
    zones, pools = [], []
    for placing in placings:
        if placing.place in program.zones:
            zones.append(placing)
        elif placing.place in program.pools:
            pools.append(placing)
        else:
            position.cells[layout.places[placing.place].at(placing.indices)] = placing.content
    _place_counters(program, layout, position, pools)
    _CardPlacer(program, layout, position).lay(zones)


def _place_counters(program: core.Program, layout: StateLayout, position: State, placings: Iterable[Placing]) -> None:
    """Set the pools to the given counts, then compute the rests. Raises ImpossiblePlacing for a negative rest."""
    before = position.copy()
    rest_placings: list[tuple[Placing, int]] = []
    for placing in placings:
        place = layout.places[placing.place]
        for kind, count in enumerate(placing.content):
            position.cells[place.at((*placing.indices, kind))] = count or 0
            if count is None:
                rest_placings.append((placing, kind))
    for placing, kind in rest_placings:
        holds = program.pools[placing.place].holds
        pools = [pool for pool in program.pools.values() if pool.holds == holds]
        total, placed_count = (_count_kind(layout, state, pools, kind) for state in (before, position))
        if placed_count > total and not program.pools[placing.place].is_unlimited:
            name = program.enums[str(holds)].values[kind].name
            message = f"no `{name}` is left for `rest`: {placed_count} of {total} are placed elsewhere"
            raise ImpossiblePlacing(message, placing)
        position.cells[layout.places[placing.place].at((*placing.indices, kind))] = total - placed_count


def find_imbalance(
    program: core.Program, layout: StateLayout, before: State, after: State, placings: Sequence[Placing]
) -> tuple[Span, str] | None:
    """Return the span of the first placing that made the total of a kind of counters grow or shrink, and a hint.

    Returns None if all totals are as before. ``before`` and ``after`` are the position without and with the placings. A
    placing that left its own count as it was, or changed it the other way, is passed over. Example of a hint: “the game
    has 20 `coin`, but here there are 14: also list where the others are, such as `bank: rest`”. If there are more than
    before, it says “also list where they come from”. The pool in the hint has no placing, can hold the kind, is
    limited, and belongs to no player or other index. The one with the most before is named, or the first of equal ones.
    Without any, the hint ends before “, such as”.
    """
    listed_places = {placing.place for placing in placings}
    for placing in placings:
        if placing.place not in program.pools:
            continue
        holds = program.pools[placing.place].holds
        pools = [pool for pool in program.pools.values() if pool.holds == holds]
        for kind in range(len(placing.content)):
            cell = layout.places[placing.place].at((*placing.indices, kind))
            totals = [_count_kind(layout, position, pools, kind) for position in (before, after)]
            if (after.cells[cell] - before.cells[cell]) * (totals[1] - totals[0]) <= 0:
                continue
            name = program.enums[str(holds)].values[kind].name
            origin = "where they come from" if totals[1] > totals[0] else "where the others are"
            hint = f"the game has {totals[0]} `{name}`, but here there are {totals[1]}: also list {origin}"
            sources = [
                pool
                for pool in pools
                if pool.name not in listed_places and not pool.dims and not pool.is_unlimited and kind in pool.kinds
            ]
            sources.sort(key=lambda pool: -_count_kind(layout, before, [pool], kind))
            return placing.span, f"{hint}, such as `{sources[0].name}: rest`" if sources else hint
    return None


def _count_kind(layout: StateLayout, position: State, pools: Iterable[core.Pool], kind: int) -> int:
    """Return the number of counters of a kind in some pools, for all players and indices together."""
    numbers = (layout.places[pool.name].numbers.items() for pool in pools)
    return sum(position.cells[number] or 0 for items in numbers for indices, number in items if indices[-1] == kind)


class _CardPlacer:
    """Mover of named cards into the zones that list them.

    The other cards of such a zone go where the list has ``...``, to a rest, or out of the game. Higher layers take
    their cards first.
    """

    def __init__(self, program: core.Program, layout: StateLayout, position: State) -> None:
        self.program, self.layout, self.position = program, layout, position
        # the layer that uses each card
        self.card_layers: dict[int, int] = {}

    def lay(self, placings: Sequence[Placing]) -> None:
        items_by_zone: dict[int, list[int | str]] = {}
        old_cards = [card for zone in self.position.zones for card in zone]
        exact = {entity.name for entity in self.program.entities if entity.name != entity.card}
        # exact names first: `farm` must not take a copy that is named `farm-2` elsewhere
        for only_exact in (True, False):
            for placing in sorted(placings, key=lambda placing: -placing.layer):
                number = self.layout.zones[placing.place].at(placing.indices)
                cards = items_by_zone.setdefault(number, list(placing.content.names))
                for place, name in enumerate(cards):
                    if isinstance(name, str) and name not in (DOTS, REST) and (name in exact) == only_exact:
                        cards[place] = self._take_card(name, placing)
        for zone in self.position.zones:
            zone[:] = [card for card in zone if card not in self.card_layers]
        remaining = {number: self.position.zones[number] for number in items_by_zone}
        for number, cards in items_by_zone.items():
            self.position.zones[number] = [card for item in cards for card in self._list_cards(item, remaining[number])]
        for number, cards in items_by_zone.items():
            if REST in cards:
                cards_above = (self._list_cards(item, remaining[number]) for item in cards[: cards.index(REST)])
                self._lay_rest(number, sum(map(len, cards_above)), old_cards)
        for number in items_by_zone:
            if self.program.zones[self.layout.get_zone(number)[0]].is_sorted:
                self.position.zones[number].sort()

    def _take_card(self, name: str, placing: Placing) -> int | str:
        """Return the number of the free card with a name and mark it as used, or "" if a higher layer has taken it.

        Raises ImpossiblePlacing if the game has no such card, or if all are taken in this layer or a lower one.
        """
        card = find_free_card(self.program, name, self.card_layers)
        if card is not None:
            self.card_layers[card] = placing.layer
            return card
        copies = [entity.number for entity in self.program.entities if name in (entity.name, entity.card)]
        if any(self.card_layers[copy] > placing.layer for copy in copies):
            return ""
        raise ImpossiblePlacing(f"the game does not have that many `{name}`", placing)

    def _list_cards(self, item: int | str, remaining: list[int]) -> list[int]:
        """Return the cards that an item of a list stands for. ``...`` stands for ``remaining``."""
        if isinstance(item, int):
            return [item]
        return remaining if item == DOTS else []

    def _lay_rest(self, number: int, index: int, old_cards: Sequence[int]) -> None:
        """Insert all cards of the zone's kind that were in the game and are nowhere now, in declared order.

        ``number`` is that of the zone, and ``index`` the position in it. ``old_cards`` holds the cards that were in
        the game.
        """
        name, _ = self.layout.get_zone(number)
        kind = str(self.program.zones[name].holds)
        placed_cards = {card for zone in self.position.zones for card in zone}
        rest_cards = [
            card for card in sorted(old_cards) if card not in placed_cards and self.program.entities[card].kind == kind
        ]
        self.position.zones[number][index:index] = rest_cards
