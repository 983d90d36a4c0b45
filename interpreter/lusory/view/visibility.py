"""Compute the view of a seat: a copy of the position in which everything hidden is replaced.

The declared visibility alone determines it. All output for a seat reads such a copy. It can leak nothing, because it
holds no reference to the full position, to random streams, or to functions that know them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core.constant_analysis import read_by
from lusory_dsl.core.knowledge_of_locals import ALL, AT_TIMES, COMPONENT, LOCATED, SEEING, WHERE, Level, knowledge_of
from lusory_dsl.source.lazy_dataclass import dataclass
from lusory_dsl.types.types import PlayerType

from ..evaluator.expressions import Reader
from ..state.decision import Decision, Option
from ..state.setting import HIDDEN, Indices, Setting
from ..state.state import State

FEW = 32  # largest number of cells that determine the hidden places, for which the result is cached
REMEMBERED = 512  # largest number of cached results


class Hidden(Exception):
    """Raised when a reader reads a value that the seat may not see."""


class Unknown:
    """Stand for a value that the seat can't see. Every operation on it raises :class:`Hidden`.

    Zones contain one for each hidden component, so that the number of components stays known.
    """

    __slots__ = ()

    def _hide(self, *_: object) -> NoReturn:
        raise Hidden

    __eq__ = __hash__ = __index__ = __bool__ = __iter__ = __len__ = __neg__ = _hide
    __lt__ = __le__ = __gt__ = __ge__ = _hide
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _hide
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _hide

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()  # for cells; each hidden component has its own object, because equal ones would be the same


@dataclass(frozen=True, eq=False)
class Seen:
    """Hold what a seat sees of a position.

    Attributes:
        seat: The seat. None stands for a spectator, who sees only what all seats see.
        cells: The cells of variables and pools, and the location of each component. A hidden value is :class:`Unknown`.
            So is the location of a component that is in no zone that the seat sees.
        zones: The components of each zone. A hidden zone has an Unknown for each component, except one that the seat
            sees at an end of the zone. The number of components is public.
        hidden: The places with hidden content.
    """

    setting: Setting
    seat: int | None
    cells: list[Any]
    zones: list[list[Any]]
    hidden: frozenset[tuple[str, Indices]]

    def sees(self, name: str, indices: Indices) -> bool:
        """Return whether the seat sees the content of a place. The indices of a pool don't include the kind."""
        return (name, indices) not in self.hidden

    def sees_all(self, name: str) -> bool:
        """Return whether the seat sees the content of a place at all its indices."""
        return all(hidden != name for hidden, _ in self.hidden)


def all_places(setting: Setting) -> list[tuple[str, Indices]]:
    """Return every variable, pool and card zone with each of its index tuples, of a pool without the kind."""
    return [(name, at) for name in (*setting.layout.places, *setting.layout.zones) for at in setting.indices(name)]


def sees_place(reader: Reader, name: str, indices: Indices, seat: int | None) -> bool:
    """Return whether a seat sees the content of a place. None stands for a spectator, who sees only what all seats see.

    ``reader`` reads the full position, because the condition of a visibility may need it.
    """
    return _shows(reader, reader.program.place(name).visible, name, indices, seat)


def seen_cards(reader: Reader, name: str, indices: Indices, seat: int | None) -> list[int | None]:
    """Return the components of a zone as a seat sees them, with None for each hidden one."""
    zone = reader.program.zones[name]
    cards: list[int | None] = [*reader.zones[reader.layout.zones[name].at(indices)]]
    if sees_place(reader, name, indices, seat):
        return cards
    found: list[int | None] = [None] * len(cards)
    for end, place in ((zone.top, 0), (zone.bottom, -1)):
        if cards and end is not None and _shows(reader, end, name, indices, seat):
            found[place] = cards[place]
    return found


def _shows(reader: Reader, visible: core.Visibility, name: str, indices: Indices, seat: int | None) -> bool:
    if visible.constant == "all":
        return True
    dims = reader.program.place(name).dims
    viewers = range(reader.setting.players) if seat is None else (seat,)
    return all(reader.sees(visible, dims, indices, viewer) for viewer in viewers)


def seen_by(setting: Setting, state: State, seat: int | None) -> Seen:
    """Return what a seat sees of a position. None stands for a spectator."""
    layout, entities = setting.layout, setting.program.entities
    hidden = hidden_places(setting, state, seat)
    out_of_sight = hidden_in(setting, hidden)
    cells = state.cells[: layout.location]
    for cell in out_of_sight.cells:
        cells[cell] = UNKNOWN
    zones: list[list[Any]] = [zone[:] for zone in state.zones]
    referee, faces, dealt = Reader(setting, state.cells, state.zones), _faces(len(entities)), 0
    for name, at, number in out_of_sight.zones:
        unknown = faces[dealt : dealt + len(zones[number])]
        dealt += len(unknown)
        shown = seen_cards(referee, name, at, seat)
        zones[number] = [face if card is None else card for card, face in zip(shown, unknown, strict=True)]
    whereabouts = list(out_of_sight.whereabouts)
    for number, zone in enumerate(zones):
        for card in zone:
            if card.__class__ is int:
                whereabouts[card] = number
    return Seen(setting, seat, cells + whereabouts, zones, hidden)


@lru_cache(maxsize=64)
def _faces(n: int) -> tuple[Unknown, ...]:
    """Return ``n`` different unknown components."""
    return tuple([Unknown() for _ in range(n)])


@dataclass(frozen=True, eq=False)
class OutOfSight:
    """Locate hidden places in a state.

    Attributes:
        cells: The cells of hidden variables and pools, in ascending order.
        zones: The hidden zones, each with its number.
        whereabouts: The location of each component if none is seen: :class:`Unknown` if its kind can be in a hidden
            zone, else None.
    """

    cells: tuple[int, ...]
    zones: tuple[tuple[str, Indices, int], ...]
    whereabouts: tuple[Any, ...]


@lru_cache(maxsize=256)
def hidden_in(setting: Setting, hidden: frozenset[tuple[str, Indices]]) -> OutOfSight:
    """Return the location of a set of hidden places."""
    layout, program = setting.layout, setting.program
    cells: list[int] = []
    zones = [(name, at, layout.zones[name].at(at)) for name, at in hidden if name in program.zones]
    for name, at in hidden:
        if name not in program.zones:
            kinds = [(kind,) for kind in program.pools[name].kinds] if name in program.pools else [()]
            cells += [layout.places[name].at((*at, *kind)) for kind in kinds]
    closed = {str(program.zones[name].holds) for name, _, _ in zones}
    whereabouts = tuple([UNKNOWN if entity.kind in closed else None for entity in program.entities])
    return OutOfSight(tuple(sorted(cells)), tuple(sorted(zones, key=lambda zone: zone[2])), whereabouts)


Places = tuple[tuple[str, Indices], ...]


def hidden_places(setting: Setting, state: State, seat: int | None) -> frozenset[tuple[str, Indices]]:
    """Return the places of a position whose content a seat doesn't see."""
    always, at_times = _secrets(setting, seat)
    if not at_times:
        return always
    cells, found = _telling(setting, seat)
    if cells is None:
        return _looked(setting, state, seat, at_times)
    told = tuple([state.cells[cell] for cell in cells])
    if told not in found:
        if len(found) >= REMEMBERED:
            found.clear()
        found[told] = _looked(setting, state, seat, at_times)
    return found[told]


def _looked(
    setting: Setting, state: State, seat: int | None, at_times: tuple[Places, ...]
) -> frozenset[tuple[str, Indices]]:
    referee = Reader(setting, state.cells, state.zones)
    return _hidden(setting, seat, tuple([sees_place(referee, *places[0], seat) for places in at_times]))


@lru_cache(maxsize=64)
def _telling(
    setting: Setting, seat: int | None
) -> tuple[tuple[int, ...] | None, dict[tuple[Any, ...], frozenset[tuple[str, Indices]]]]:
    """Return the cells that determine which places are hidden, and a cache from their values to the hidden places.

    The cells are None if there are more than :data:`FEW`, or if the hidden places depend on the location of components.
    """
    program, layout = setting.program, setting.layout
    conditions = {program.place(places[0][0]).visible.condition for places in _secrets(setting, seat)[1]}
    names = set[str]().union(*(read_by(one, program.queries, program.zones) for one in conditions if one is not None))
    if not names <= layout.places.keys():
        return None, {}
    cells = sorted(cell for name in names for cell in layout.places[name].numbers.values())
    return (tuple(cells) if len(cells) <= FEW else None), {}


@lru_cache(maxsize=256)
def _hidden(setting: Setting, seat: int | None, seen: tuple[bool, ...]) -> frozenset[tuple[str, Indices]]:
    """Return the hidden places. ``seen`` says which of the conditionally hidden groups the seat sees."""
    always, at_times = _secrets(setting, seat)
    unseen = (places for places, is_seen in zip(at_times, seen, strict=True) if not is_seen)
    return always.union(*unseen)


@lru_cache(maxsize=64)
def _secrets(setting: Setting, seat: int | None) -> tuple[frozenset[tuple[str, Indices]], tuple[Places, ...]]:
    """Return the places that are always hidden from a seat, and those that are hidden under a condition.

    The latter form groups with the same condition and the same owner.
    """
    reader = Reader(setting, [], [])
    always: list[tuple[str, Indices]] = []
    at_times: dict[tuple[str, int | None], list[tuple[str, Indices]]] = {}
    for name in (*setting.layout.places, *setting.layout.zones):
        place = setting.program.place(name)
        for at in setting.indices(name):
            if place.visible.condition is not None:
                owners = [index for index, dim in zip(at, place.dims, strict=False) if isinstance(dim.type, PlayerType)]
                at_times.setdefault((name, owners[0] if owners else None), []).append((name, at))
            elif place.visible.constant != "all" and not sees_place(reader, name, at, seat):
                always.append((name, at))
    return frozenset(always), tuple(map(tuple, at_times.values()))


def known_to(seen: Seen, slots: Sequence[Any], levels: Mapping[int, Level]) -> list[Any]:
    """Return the local values of a routine as the seat of ``seen`` knows them, with :class:`Unknown` for hidden ones.

    A spectator knows what all seats know.
    """

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
            # The absence of such a component may be a secret, too.
            return Unknown()
        return visible(seen, value) if level >= SEEING else value

    return [known(slot, value) for slot, value in enumerate(slots)]


def _component(seen: Seen, name: str) -> Any:
    """Return the component with this number, or in the variable with this name. None if it is hidden or missing."""
    if not name:
        return None
    held = int(name) if name.isdigit() else seen.cells[seen.setting.layout.places[name].at(())]
    return None if isinstance(held, Unknown) else held


def visible(seen: Seen, value: Any) -> Any:
    """Return a component, or a list of components, with :class:`Unknown` for each one that the seat doesn't see."""
    if value is None or isinstance(value, tuple):
        return None if value is None else tuple(visible(seen, one) for one in value)
    lies = seen.cells[seen.setting.layout.location + value]
    return Unknown() if lies is UNKNOWN else value


def _all_visible(seen: Seen, value: Any) -> bool:
    """Return whether a seat sees a component, or all components of a list."""
    shown = visible(seen, value)
    return not any(map(_is_unknown, shown)) if isinstance(shown, tuple) else not _is_unknown(shown)


def offered(seen: Seen, decision: Decision) -> Decision:
    """Return a decision as the deciding seat may know it. The value of a component that it can't see is ``?``."""
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
