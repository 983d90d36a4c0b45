"""Redact positions: copy the cells, zones, locals and decisions of a state with everything hidden replaced.

The declared visibility alone determines what a seat sees. All output for a seat reads such a copy. It can leak nothing,
because it holds no reference to the full position, to random streams, or to functions that know them.
:mod:`lusory.view.seat_view` makes texts of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core.knowledge_levels_and_knowledge_results import ALL, LOCATED, SEEING, Level, Requirement
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.dataclass_with_lazy_methods import Record
from lusory_dsl.types.types import PlayerType

from ..evaluator.expressions import Reader
from ..state.decisions_outcomes_and_faults import Decision, Option
from ..state.setting_value_limits_builtins_and_names import HIDDEN, Indices, Setting
from ..state.state import State

MAX_CACHED_CELLS = 32  # largest number of cells that determine the hidden places, for which the result is cached
MAX_CACHED_RESULTS = 512  # largest number of cached results


class HiddenValue(Exception):
    """Raised when a reader reads a value that the seat may not see."""


class Unknown:
    """Stand for a value that the seat can't see. Every operation on it raises :class:`HiddenValue`.

    Zones contain one for each hidden component, so that the number of components stays known.
    """

    __slots__ = ()

    def _hide(self, *_: object) -> NoReturn:
        raise HiddenValue

    __eq__ = __hash__ = __index__ = __bool__ = __iter__ = __len__ = __neg__ = _hide
    __lt__ = __le__ = __gt__ = __ge__ = _hide
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _hide
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _hide

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()  # for cells; each hidden component has its own object, because equal ones would be the same


class RedactedState(Record):
    """Hold what a seat sees of a position.

    Attributes:
        seat: The seat. None stands for a spectator, who sees only what all seats see.
        cells: The cells of variables and pools, and the location of each component. A hidden value is :class:`Unknown`.
            So is the location of a component that is in no zone that the seat sees.
        zones: The components of each zone. A hidden zone has an Unknown for each component, except one that the seat
            sees at an end of the zone. The number of components is public.
        hidden_places: The places with hidden content.
    """

    setting: Setting
    seat: int | None
    cells: list[Any]
    zones: list[list[Any]]
    hidden_places: frozenset[tuple[str, Indices]]

    def can_see(self, name: str, indices: Indices) -> bool:
        """Return whether the seat sees the content of the place with this name and these indices.

        The indices of a pool don't include the kind of counter.
        """
        return (name, indices) not in self.hidden_places

    def can_see_all_of(self, name: str) -> bool:
        """Return whether the seat sees the content of a place at all its indices."""
        return all(place != name for place, _ in self.hidden_places)


def reveal_state(setting: Setting, state: State, seat: int | None = None) -> RedactedState:
    """Return a position in which nothing is hidden from ``seat``. It shares the lists of ``state``."""
    return RedactedState(setting, seat, state.cells, state.zones, frozenset())


def can_see_place(reader: Reader, name: str, indices: Indices, seat: int | None) -> bool:
    """Return whether a seat sees the content of a place. None stands for a spectator, who sees only what all seats see.

    ``reader`` reads the full position, because the condition of a visibility may need it.
    """
    return _is_visible(reader, reader.program.get_place(name).visible, name, indices, seat)


def _is_visible(reader: Reader, visible: core.Visibility, name: str, indices: Indices, seat: int | None) -> bool:
    """Return whether a seat sees a place with this visibility. A spectator sees it only if all seats do."""
    if visible.constant == "all":
        return True
    dims = reader.program.get_place(name).dims
    viewers = range(reader.setting.players) if seat is None else (seat,)
    return all(reader.is_visible_to(visible, dims, indices, viewer) for viewer in viewers)


def redact_state(setting: Setting, state: State, seat: int | None) -> RedactedState:
    """Return what a seat (from 0) sees of a position, in new lists. None stands for a spectator.

    ``state`` stays unchanged. ``cells`` has only the cells of variables and pools, and then the location of each
    component, the number of its zone. All other cells, such as those of random streams, are left out. Hidden values in
    ``cells`` are ``UNKNOWN``. The location of a component that the seat sees in no zone is ``UNKNOWN``, too, or None if
    no hidden zone can hold its kind. In ``zones``, each hidden component is an :class:`Unknown` object of its own.
    Comparing an Unknown by ``==`` raises HiddenValue. Each zone keeps its length. The component at an end of a hidden
    zone is shown if the seat may see this end.
    """
    layout, entities = setting.layout, setting.program.entities
    hidden_places = find_hidden_places(setting, state, seat)
    hidden_locations = locate_hidden_places(setting, hidden_places)
    cells = state.cells[: layout.location]
    for cell in hidden_locations.cells:
        cells[cell] = UNKNOWN
    zones: list[list[Any]] = [zone[:] for zone in state.zones]
    full_reader, unknowns, used_count = Reader(setting, state.cells, state.zones), _make_unknowns(len(entities)), 0
    for name, indices, number in hidden_locations.zones:
        zone_decl, cards = setting.program.zones[name], zones[number]
        zones[number] = [*unknowns[used_count : used_count + len(cards)]]
        used_count += len(cards)
        # The component at an end can be seen although the others are hidden.
        for end, place in ((zone_decl.top, 0), (zone_decl.bottom, -1)):
            if cards and end is not None and _is_visible(full_reader, end, name, indices, seat):
                zones[number][place] = cards[place]
    locations = list(hidden_locations.component_locations)
    for number, zone in enumerate(zones):
        for card in zone:
            if card.__class__ is int:
                locations[card] = number
    return RedactedState(setting, seat, cells + locations, zones, hidden_places)


@lru_cache(maxsize=64)
def _make_unknowns(n: int) -> tuple[Unknown, ...]:
    """Return ``n`` different unknown components."""
    return tuple([Unknown() for _ in range(n)])


class HiddenLocations(Record):
    """Locate hidden places in a state.

    Attributes:
        cells: The cells of hidden variables and pools, in ascending order.
        zones: The hidden zones, each with its number.
        component_locations: The location of each component if none is seen: :class:`Unknown` if its kind can be in a
            hidden zone, else None.
    """

    cells: tuple[int, ...]
    zones: tuple[tuple[str, Indices, int], ...]
    component_locations: tuple[Any, ...]


@lru_cache(maxsize=256)
def locate_hidden_places(setting: Setting, places: frozenset[tuple[str, Indices]]) -> HiddenLocations:
    """Return ``cells``, ``zones`` and ``component_locations`` of hidden places, given as (name, indices).

    The cells of variables and pools come in ascending order. The indices of pools don't include the kind; a hidden pool
    hides the cells of all its kinds. A zone is (name, indices, number), and the zones are sorted by number. The third
    part has one entry for each component: UNKNOWN if a hidden zone is declared to hold its kind, else None.
    """
    layout, program = setting.layout, setting.program
    cells: list[int] = []
    zones = [(name, indices, layout.zones[name].at(indices)) for name, indices in places if name in program.zones]
    for name, indices in places:
        if name not in program.zones:
            kinds = [(kind,) for kind in program.pools[name].kinds] if name in program.pools else [()]
            cells += [layout.places[name].at((*indices, *kind)) for kind in kinds]
    hidden_kinds = {str(program.zones[name].holds) for name, _, _ in zones}
    locations = tuple([UNKNOWN if entity.kind in hidden_kinds else None for entity in program.entities])
    return HiddenLocations(tuple(sorted(cells)), tuple(sorted(zones, key=lambda zone: zone[2])), locations)


Places = tuple[tuple[str, Indices], ...]


def find_hidden_places(setting: Setting, state: State, seat: int | None) -> frozenset[tuple[str, Indices]]:
    """Return (name, indices) for each variable, pool and zone whose content a seat (from 0) doesn't see, even if empty.

    For seat 0 of two, the result may be ``frozenset({("deck", ()), ("hand", (1,))})``. Generated variables, such as
    ``at_once0_Made0`` of a choice that all make at once, count, too. The indices of a pool don't include the kind. A
    zone counts as hidden even if one of its ends can be seen. ``seat`` None stands for a spectator, who sees only what
    all seats see. The result is empty in a game with perfect information.
    """
    always_hidden_places, place_groups = _classify_places(setting, seat)
    if not place_groups:
        return always_hidden_places
    cells, results = _find_deciding_cells(setting, seat)
    values = None if cells is None else tuple([state.cells[cell] for cell in cells])
    if values in results:
        return results[values]
    # The condition of each conditionally hidden group is evaluated once.
    full_reader = Reader(setting, state.cells, state.zones)
    unseen_groups = [places for places in place_groups if not can_see_place(full_reader, *places[0], seat)]
    hidden_places = always_hidden_places.union(*unseen_groups)
    if values is not None:
        if len(results) >= MAX_CACHED_RESULTS:
            results.clear()
        results[values] = hidden_places
    return hidden_places


@lru_cache(maxsize=64)
def _find_deciding_cells(
    setting: Setting, seat: int | None
) -> tuple[tuple[int, ...] | None, dict[tuple[Any, ...], frozenset[tuple[str, Indices]]]]:
    """Return the cells that determine which places are hidden, and a cache from their values to the hidden places.

    The cells are None if there are more than :data:`MAX_CACHED_CELLS`, or if the hidden places depend on the location
    of components.
    """
    program, layout = setting.program, setting.layout
    conditions = {program.get_place(places[0][0]).visible.condition for places in _classify_places(setting, seat)[1]}
    names = set[str]().union(
        *(collect_reads(condition, program.queries, program.zones) for condition in conditions if condition is not None)
    )
    if not names <= layout.places.keys():
        return None, {}
    cells = sorted(cell for name in names for cell in layout.places[name].numbers.values())
    return (tuple(cells) if len(cells) <= MAX_CACHED_CELLS else None), {}


@lru_cache(maxsize=64)
def _classify_places(setting: Setting, seat: int | None) -> tuple[frozenset[tuple[str, Indices]], tuple[Places, ...]]:
    """Return the places that are always hidden from a seat, and those that are hidden under a condition.

    The latter form groups with the same condition and the same owner.
    """
    reader = Reader(setting, [], [])
    hidden_places: list[tuple[str, Indices]] = []
    place_groups: dict[tuple[str, int | None], list[tuple[str, Indices]]] = {}
    for name in (*setting.layout.places, *setting.layout.zones):
        place = setting.program.get_place(name)
        for indices in setting.list_indices(name):
            if place.visible.condition is not None:
                owners = [
                    index for index, dim in zip(indices, place.dims, strict=False) if isinstance(dim.type, PlayerType)
                ]
                place_groups.setdefault((name, owners[0] if owners else None), []).append((name, indices))
            elif place.visible.constant != "all" and not can_see_place(reader, name, indices, seat):
                hidden_places.append((name, indices))
    return frozenset(hidden_places), tuple(map(tuple, place_groups.values()))


def redact_locals(redacted_state: RedactedState, slots: Sequence[Any], levels: Mapping[int, Level]) -> list[Any]:
    """Return the local values of a routine as the seat of ``redacted_state`` knows them.

    ``slots`` holds the full values by slot. ``levels`` maps slots to sets of requirements, which a seat must all meet
    to know the value. ``{Requirement("player", 2)}`` is met by the player whose number is in slot 2. A slot without a
    level is public. A spectator knows what all seats know. The list has as many entries as ``slots``, with an
    :class:`Unknown` object for each hidden one. If the level has ``SEEING``, a component that the seat sees in no zone
    is Unknown, and so is each one in a list. If it has ``SEEING`` or ``LOCATED``, None is always hidden, because it may
    be a secret.
    """

    def is_player(slot: int | None) -> bool:
        return slot is not None and redacted_state.seat is not None and bool(slots[slot] == redacted_state.seat)

    def can_meet(part: Requirement) -> bool:
        match part.kind:
            case "player":
                return is_player(part.slot)
            case "component" | "location":
                component = _find_component(redacted_state, part.place) if part.slot is None else slots[part.slot]
                components = component if isinstance(component, tuple) else (component,)
                return component is not None and not any(map(_is_unknown, _redact_value(redacted_state, components)))
            case "place":
                is_hidden = any(part.place == name for name, _ in redacted_state.hidden_places)
                return is_player(part.slot) or not is_hidden
        return part.kind != "nobody"

    def redact(slot: int, value: Any) -> Any:
        level = levels.get(slot, ALL)
        if not level:
            return value
        if not all(map(can_meet, level)) or (value is None and not level.isdisjoint(SEEING | LOCATED)):
            # The absence of such a component may be a secret, too.
            return Unknown()
        return _redact_value(redacted_state, value) if level >= SEEING else value

    return [redact(slot, value) for slot, value in enumerate(slots)]


def _find_component(redacted_state: RedactedState, name: str) -> Any:
    """Return the component with this number, or in the variable with this name.

    Return None if it is hidden or missing.
    """
    if not name:
        return None
    value = int(name) if name.isdigit() else redacted_state.cells[redacted_state.setting.layout.places[name].at(())]
    return None if isinstance(value, Unknown) else value


def _redact_value(redacted_state: RedactedState, value: Any) -> Any:
    """Return a component number, or a tuple of them, as the seat may know it.

    Each component whose location the seat doesn't know becomes a new :class:`Unknown`. None stays None. Other values,
    such as numbers, must not be passed: they would be taken for components.
    """
    if value is None or isinstance(value, tuple):
        return None if value is None else tuple(_redact_value(redacted_state, item) for item in value)
    return Unknown() if find_location(redacted_state, value) is None else value


def find_location(redacted_state: RedactedState, component: int) -> int | None:
    """Return the number of the zone in which the seat sees a component, or None if it is hidden or in no zone."""
    location = redacted_state.cells[redacted_state.setting.layout.location + component]
    return None if location is UNKNOWN else location


def redact_decision(redacted_state: RedactedState, decision: Decision) -> Decision:
    """Return a copy of a decision as the deciding seat may know it. ``decision`` stays unchanged.

    A value becomes :data:`HIDDEN` (``?``) if it is a component in no zone, or in a zone that the seat doesn't know.
    Only values of variables that may offer components out of sight do so: value 1 of an option with ``alternative`` 0
    if ``unseen_variables[decision.site]`` of the Knowledge has ``(0, 1)``. Other values stay, and so do the numbers of
    the options, their order and their count. ``redacted_state`` must be the position as the deciding seat sees it.
    """
    unseen_variables = get_knowledge(redacted_state.setting.program).unseen_variables.get(decision.site)
    if not unseen_variables:
        return Decision(decision.site, decision.seat, tuple(decision.options))

    def is_hidden(option: Option, n: int) -> bool:
        is_unseen = (option.alternative, n) in unseen_variables
        return is_unseen and _is_unknown(_redact_value(redacted_state, option.values[n]))

    options = [
        Option(
            option.index,
            option.alternative,
            tuple(HIDDEN if is_hidden(option, n) else value for n, value in enumerate(option.values)),
        )
        for option in decision.options
    ]
    return Decision(decision.site, decision.seat, tuple(options))


def _is_unknown(value: Any) -> bool:
    """Return whether a value of a redacted state is hidden from its seat."""
    return isinstance(value, Unknown)
