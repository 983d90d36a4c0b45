"""What of a position a seat sees, as data: a copy in which everything else is gone.

Derived from the declared visibility alone. Whatever is told or handed to a seat is read from such a copy, so that there
is nothing behind it that could leak: no position, no random stream, no function that remembers one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core.constant_analysis import read_by
from lusory_dsl.core.information_flow import ALL, AT_TIMES, COMPONENT, LOCATED, SEEING, WHERE, Level, knowledge_of
from lusory_dsl.source.dataclasses import dataclass
from lusory_dsl.types.types import PlayerType

from ..evaluator.expressions import Reader
from ..state.decision import Decision, Option
from ..state.setting import HIDDEN, Indices, Setting
from ..state.state import State

FEW = 32  # cells on which it hangs what is hidden
REMEMBERED = 512  # contents of them for which that is known


class Hidden(Exception):
    """Something was read that the seat may not see."""


class Unknown:
    """Something that cannot be seen: a card counts, but nothing can be learnt from it."""

    __slots__ = ()

    def _hide(self, *_: object) -> NoReturn:
        raise Hidden

    __eq__ = __hash__ = __index__ = __bool__ = __iter__ = __len__ = __neg__ = _hide
    __lt__ = __le__ = __gt__ = __ge__ = _hide
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _hide
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _hide

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()  # in a cell; cards have one each, or two of them would be the same card


@dataclass(frozen=True, eq=False)
class Seen:
    """What a seat sees of a position (``seat`` None: a spectator, who sees only what all see).

    ``cells``: those of variables and pools, and where each component lies; what is hidden is :class:`Unknown`, also the
    whereabouts of a component that lies in no zone that the seat sees. ``zones``: their components, of a hidden one an
    Unknown for each that the seat does not see at an end of it: how many there are is public."""

    setting: Setting
    seat: int | None
    cells: list[Any]
    zones: list[list[Any]]
    hidden: frozenset[tuple[str, Indices]]

    def sees(self, name: str, indices: Indices) -> bool:
        """Whether the seat sees the content of a place (of a pool: without the kind)."""
        return (name, indices) not in self.hidden

    def sees_all(self, name: str) -> bool:
        """Whether the seat sees the content of a place at all its indices."""
        return all(hidden != name for hidden, _ in self.hidden)


def all_places(setting: Setting) -> list[tuple[str, Indices]]:
    """Every variable, pool and card zone with each of its indices (of a pool without the kind)."""
    return [(name, at) for name in (*setting.layout.places, *setting.layout.zones) for at in setting.indices(name)]


def sees_place(reader: Reader, name: str, indices: Indices, seat: int | None) -> bool:
    """Whether a seat sees the content of a place; None, a spectator, sees what everybody sees. ``reader``: of the whole
    position, which a condition of visibility may read."""
    return _shows(reader, reader.program.place(name).visible, name, indices, seat)


def seen_cards(reader: Reader, name: str, indices: Indices, seat: int | None) -> list[int | None]:
    """The components of a zone as a seat sees them, None for each that it does not see."""
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
    """What a seat sees of a position."""
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
    """So many components of which nothing is known, each another."""
    return tuple([Unknown() for _ in range(n)])


@dataclass(frozen=True, eq=False)
class OutOfSight:
    """Where places lie that are hidden. ``cells``: of variables and pools, in ascending order; ``zones``: each with its
    number; ``whereabouts``: where each component lies as long as none is seen: of a kind that hidden zones hold nothing
    is known, others lie nowhere."""

    cells: tuple[int, ...]
    zones: tuple[tuple[str, Indices, int], ...]
    whereabouts: tuple[Any, ...]


@lru_cache(maxsize=256)
def hidden_in(setting: Setting, hidden: frozenset[tuple[str, Indices]]) -> OutOfSight:
    """Where the places lie of which a seat doesn't see the content."""
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
    """The places of a position whose content a seat doesn't see."""
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
    """The cells on which it hangs which places are hidden (None: on more than a few, or on where components lie), and
    what was found for what they held."""
    program, layout = setting.program, setting.layout
    conditions = {program.place(places[0][0]).visible.condition for places in _secrets(setting, seat)[1]}
    names = set[str]().union(*(read_by(one, program.queries, program.zones) for one in conditions if one is not None))
    if not names <= layout.places.keys():
        return None, {}
    cells = sorted(cell for name in names for cell in layout.places[name].numbers.values())
    return (tuple(cells) if len(cells) <= FEW else None), {}


@lru_cache(maxsize=256)
def _hidden(setting: Setting, seat: int | None, seen: tuple[bool, ...]) -> frozenset[tuple[str, Indices]]:
    """The hidden places, where it is known which of those that are hidden at times are seen."""
    always, at_times = _secrets(setting, seat)
    unseen = (places for places, is_seen in zip(at_times, seen, strict=True) if not is_seen)
    return always.union(*unseen)


@lru_cache(maxsize=64)
def _secrets(setting: Setting, seat: int | None) -> tuple[frozenset[tuple[str, Indices]], tuple[Places, ...]]:
    """The places that are hidden from a seat at all times, and those that are at times, together where one owner and
    one condition say when."""
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
