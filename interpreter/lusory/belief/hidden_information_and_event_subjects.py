"""Compute once for each game which parts the rules ever hide, and the types of its cards and owners of its zones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

from lusory_dsl.core import Ask, AskMany, Program, Random
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import ComponentType, PlayerType, Type, is_component

from ..game import Game
from ..state.events_redaction_and_text import ComponentsMoved, CountersMoved, Event, VariableSet, ZoneShuffled
from ..state.flattened_phases import iterate_program_statements
from ..state.setting_value_limits_builtins_and_names import Indices, get_place_type, unwrap_list_type

LARGE_STATE = 12_000
"""Number of cells of a state for which searches get a quarter of the usual budget."""

CardType = tuple[str, str]
"""The kind and the card of a component. Copies of a card have the same."""


@lru_cache(maxsize=32)
def has_perfect_information(game: Game) -> bool:
    """Return whether all seats always see everything. The game may still contain chance.

    Then all variables, pools and zones are always visible to all, moves of counters too. No value is drawn or chosen in
    secret, no card is chosen unseen, and no choice is in ``private_sites``, such as one that all make at once. In such
    a game all seats can share one search tree, and the actual state is the only determinization.
    """
    program = game.program
    if program.private_sites or any(visibility.constant != "all" for visibility in program.list_visibilities()):
        return False
    return not _list_secret_types(program) and not any(get_knowledge(program).unseen_variables.values())


def _list_secret_types(program: Program) -> list[Type]:
    """Return the type of the list from which each secret value is chosen or drawn."""
    types = list[Type]()
    for stmt in iterate_program_statements(program):
        if isinstance(stmt, Random) and stmt.is_secret:
            types.append(stmt.domain.type)
        elif isinstance(stmt, AskMany) and stmt.is_secret:
            types.append(stmt.source.type)
        elif isinstance(stmt, Ask):
            choice_vars = [var for alternative in stmt.alternatives for var in alternative.vars]
            types += [var.domain.type for var in choice_vars if var.is_secret]
    return types


class HiddenInfo:
    """Facts about a game that belief states need besides its state. The game uses the compiled engine."""

    def __init__(self, game: Game) -> None:
        self.game, self.layout, self.program = game, game.layout, game.program

    # ------------------------------------------------------------ what is hidden

    @cached_property
    def hides_only_components(self) -> bool:
        """True if declared places and secret draws or choices hide only components and references to them, or nothing.

        ``visible.constant`` is then ``all`` for each pool, and for each declared variable that holds no components.
        Each value that is drawn or chosen with ``is_secret`` is a component. Choices that all players make at once
        don't count, even of numbers, although they are hidden for a while. So one particle gives many determinizations:
        its hidden components can be dealt anew.
        """
        program = self.program
        variables = [variable for variable in program.variables.values() if variable.origin.is_authored]
        names = (*[variable.name for variable in variables if not is_component(variable.type)], *program.pools)
        if any(program.get_place(name).visible.constant != "all" for name in names):
            return False
        return all(is_component(unwrap_list_type(type)) for type in _list_secret_types(program))

    @cached_property
    def has_conditional_ends(self) -> bool:
        """True if a condition decides who sees the top or bottom component of some zone."""
        zones = self.program.zones.values()
        return any(end.condition is not None for zone in zones for end in zone.visibilities[1:])

    @cached_property
    def revealing_sites(self) -> set[int]:
        """The sites of the choices that reveal something about hidden components by being possible at all."""
        return get_knowledge(self.program).revealing_sites

    @cached_property
    def budget_quarters(self) -> int:
        """The size of searches in quarters: LARGE_STATE by the number of cells, rounded down, from 1 to 4."""
        return max(1, min(4, LARGE_STATE // self.layout.size))

    # ------------------------------------------------------------ zones

    @cached_property
    def sorted_zones(self) -> tuple[bool, ...]:
        """True for each zone, by its number, whose components are kept in the order of their numbers."""
        numbers = range(self.layout.zone_count)
        return tuple(self.program.zones[self.layout.get_zone(number)[0]].is_sorted for number in numbers)

    @cached_property
    def zone_owners(self) -> tuple[int | None, ...]:
        """The seat that each zone belongs to, by the number of the zone, or None: ``(None, 0, 1)`` for a deck and
        two hands.

        A zone belongs to a seat if its first dimension is a player. That dimension varies fastest: a zone for each of
        two players and two colours gives ``(0, 1, 0, 1)``.
        """
        owners = []
        for number in range(self.layout.zone_count):
            name, indices = self.layout.get_zone(number)
            dims = self.program.zones[name].dims
            owners.append(indices[0] if dims and isinstance(dims[0].type, PlayerType) else None)
        return tuple(owners)

    @cached_property
    def zone_kinds(self) -> tuple[str, ...]:
        """The kind of component that each zone holds, by the number of the zone."""
        numbers = range(self.layout.zone_count)
        return tuple(str(self.program.zones[self.layout.get_zone(number)[0]].holds) for number in numbers)

    def group_zones_by_kind(self, numbers: Iterable[int]) -> dict[str, int]:
        """Return for each kind of component of the program a bit mask of those given zones that hold it.

        Each zone holds one kind. The mask of a kind that no given zone holds is 0. Example: zones 0 and 2 of cards give
        ``{"Card": 0b101, "Die": 0}``.
        """
        masks = dict.fromkeys(self.program.component_kinds, 0)
        for number in numbers:
            masks[self.zone_kinds[number]] |= 1 << number
        return masks

    # ------------------------------------------------------------ components and cells

    @cached_property
    def card_types(self) -> tuple[CardType, ...]:
        """The kind and card of each component, by its number. Copies of a card have the same."""
        return tuple((entity.kind, entity.card) for entity in self.program.entities)

    @cached_property
    def reference_cells(self) -> frozenset[int]:
        """The numbers of the cells whose type is a component, or a list or optional value of components at any depth.

        They are cells of variables, and cells in which the compiled engine keeps such locals. The game must be on the
        compiled engine.
        """
        layout = self.layout
        names = [variable.name for variable in self.program.variables.values() if is_component(variable.type)]
        cells = [cell for name in names for cell in layout.places[name].numbers.values()]
        return frozenset(cells) | frozenset(self.game.component_cells)

    @cached_property
    def cell_owners(self) -> dict[int, int]:
        """Cell -> seat, its first index, for the variables whose first dimension is the player."""
        return {
            cell: indices[0]
            for name, variable in self.program.variables.items()
            if variable.dims and isinstance(variable.dims[0].type, PlayerType)
            for indices, cell in self.layout.places[name].numbers.items()
        }

    @cached_property
    def list_item_types(self) -> dict[int, Type]:
        """Cell -> type of the items, for the variables that hold a list."""
        return {
            cell: unwrap_list_type(variable.type)
            for name, variable in self.program.variables.items()
            if variable.type != unwrap_list_type(variable.type)
            for cell in self.layout.places[name].numbers.values()
        }

    @cached_property
    def described_components(self) -> dict[int, int]:
        """Cell -> component, for the variables that have a cell for each component of a kind.

        A cell that belongs to several components leads to the last of them.
        """
        return {
            cell: indices[i]
            for name, variable in self.program.variables.items()
            for i, dim in enumerate(variable.dims)
            if isinstance(dim.type, ComponentType)
            for indices, cell in self.layout.places[name].numbers.items()
        }

    # ------------------------------------------------------------ what events are about

    def count_removed_counters(self, events: Iterable[Event]) -> dict[int, int]:
        """Return how many counters of each kind the events take from each pool: cell -> number.

        All cells of a pool from which something is taken are included, also those of other owners. With one kind and
        two owners, ``{7: 1, 8: 0}`` says that a counter was taken from the first. Counters that a pool receives are not
        subtracted, and a pool that only receives some is missing. Moves whose kind or amount is hidden are left out.
        """
        counts = dict[int, int]()
        for event in events:
            if event[0] == "move" and event[1] is not None and event[2] is not None:
                place = self.layout.places[event[3]]
                for cell in place.numbers.values():
                    counts.setdefault(cell, 0)
                counts[place.at((*event[4], event[1]))] += event[2]
        return counts

    def list_new_appearances(self, events: Iterable[Event], before: Sequence[Any]) -> Iterator[tuple[int, CardType]]:
        """Yield (seat, card type) for each component that comes to a seat, or is newly named in one of its variables.

        ``before`` holds the visible cells before the events. A visible move between zones counts as in
        :meth:`list_component_holders`. A variable counts for each seat that it belongs to, with the components that it
        did not already hold. Pairs come in the order of the events, and can repeat.
        """
        for event in events:
            yield from ((seat, self.card_types[card]) for card, seat in self.list_component_holders([event]))
            if isinstance(event, VariableSet) and is_component(get_place_type(self.program, event.variable)):
                value = before[self.layout.places[event.variable].at(event.indices)]
                old_cards = value if isinstance(value, tuple) else (value,)
                cards = event.value if isinstance(event.value, tuple) else (event.value,)
                types = [self.card_types[card] for card in cards if card is not None and card not in old_cards]
                yield from ((seat, card_type) for seat in self.list_involved_seats([event]) for card_type in types)

    def list_component_holders(self, events: Iterable[Event]) -> Iterator[tuple[int, int]]:
        """Yield (component, seat) for each visible component that moves.

        The seat is the owner of the zone that it comes to, or else of the zone that it leaves. A move between zones
        without an owner is left out. Pairs come in the order of the events.
        """
        for event in events:
            if not isinstance(event, ComponentsMoved):
                continue
            target = event.target, event.indices
            for card, source in zip(event.components, event.sources, strict=True):
                for name, indices in (target, source or target) if card is not None else ():
                    owner = self.zone_owners[self.layout.zones[name].at(indices)]
                    if owner is not None and card is not None:
                        yield card, owner
                        break

    def list_involved_seats(self, events: Iterable[Event]) -> Iterator[int]:
        """Yield the seats that events are about: the ones that chose, and the owners of the places.

        They come in the order of the events, and a seat can repeat.
        """
        for event in events:
            if event[0] == "choice":
                yield event[1]
            places: list[tuple[str, Indices]] = []
            match event:
                case VariableSet(variable=name, indices=indices) | ZoneShuffled(zone=name, indices=indices):
                    places = [(name, indices)]
                case CountersMoved():
                    places = [(event.source, event.source_indices), (event.target, event.target_indices)]
                case ComponentsMoved():
                    sources = (source for source in event.sources if source is not None)
                    places = [(event.target, event.indices), *sources]
            for name, indices in places:
                dims = self.program.get_place(name).dims
                yield from (index for index, dim in zip(indices, dims, strict=True) if isinstance(dim.type, PlayerType))

    def list_named_components(self, events: Iterable[Event]) -> Iterator[int]:
        """Yield the components that move visibly, or whose variables are set.

        They come in the order of the events, and a component can repeat.
        """
        for event in events:
            if event[0] == "cards":
                yield from (card for card in event[1] if card is not None)
            elif event[0] == "set":
                dims = self.program.get_place(event[1]).dims
                yield from (i for i, dim in zip(event[2], dims, strict=True) if isinstance(dim.type, ComponentType))
