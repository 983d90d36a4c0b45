"""Provide the runtime library of generated Python code.

Frequent operations are inlined by the printer; the rarer ones are functions here. :func:`make_namespace` returns the
names that a generated module sees, bound to one setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, takewhile
from typing import Any, NoReturn, cast

from lusory_dsl import core
from lusory_dsl.core.knowledge_levels_and_knowledge_results import TextStatement
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import (
    BOOL,
    INT,
    LIST_LIMIT,
    NONE,
    NOTHING,
    PLAYER,
    TEXT,
    ComponentType,
    EnumType,
    ListType,
    Type,
    optional,
)

from ...evaluator import expressions
from ...evaluator.expressions import Reader, set_except, set_intersect, set_union
from ...state import random_streams
from ...state.connected_spaces_and_reachability import (
    count_groups,
    count_mask_groups,
    count_steps,
    find_connected,
    find_lowest_space,
    find_reachable,
    grow_mask,
    select_leading_spaces,
    select_spaces,
)
from ...state.decisions_outcomes_and_faults import LimitExceeded, RulesetFault, list_open_picks
from ...state.events_redaction_and_text import KINDS
from ...state.setting_value_limits_builtins_and_names import (
    CARDS_NOT_IN_ZONE,
    CHARACTERS_PER_VISIT,
    FUNCTIONS,
    IMPOSSIBLE_DRAW,
    INT_OVERFLOW,
    SHORT_LIST,
    Draw,
    ForcedChance,
    Setting,
    check_int,
    check_list,
    describe_exceeded_bound,
    describe_wrong_pool,
    format_value_label,
    limit_text_parts,
)
from ...state.state import State
from ...view.seat_view import format_public_end_reason, redact_announcement

# Extra cells after those of the layout: the number of the waiting choice, the forced results of chance, the work limit
# of the current decision, and the number of items that expressions may still visit.
WAITS, FORCED, UNTIL, VISITS = range(4)
EXTRA_CELLS = 4
MANY_CARDS = 8  # from this many cards on, move_cards filters each source zone once


def raise_bad_index(name: str, value: object) -> NoReturn:
    """Raise RulesetFault, without a span: ``gold has no index 5`` for the place ``name`` and the index ``value``."""
    raise RulesetFault(f"{name} has no index {value}")


def require(value: Any) -> Any:
    """Return a value that is not none. Raise RulesetFault, without a span, for none: ``a value is none here``."""
    if value is None:
        raise RulesetFault("a value is none here")
    return value


def check_range(value: int, low: int, end: int, name: str) -> int:
    """Return an index from ``low`` up to but excluding ``end``.

    Raise RulesetFault for any other index and for none, such as ``gold has no index 5`` for the place ``name``.
    """
    if value is None or not low <= value < end:
        raise_bad_index(name, value)
    return value


def make_number_list(low: int, high: int) -> tuple[int, ...]:
    """Return the numbers from ``low`` to ``high``, both included, as a list. It is empty if ``high`` is less.

    Raise RulesetFault, such as ``1..100001 is too long``, if there are more than :data:`LIST_LIMIT`.
    """
    return tuple(make_range(low, high))


def make_range(low: int, high: int) -> range:
    """Return the numbers from ``low`` to ``high``, both included, for a loop. It is empty if ``high`` is less.

    Raise RulesetFault as :func:`make_number_list` does.
    """
    if high - low >= LIST_LIMIT:
        raise RulesetFault(f"{low}..{high} is too long")
    return range(low, high + 1)


def raise_overflow() -> NoReturn:
    """Raise RulesetFault, without a span: ``the number is beyond 64 bits``."""
    raise RulesetFault(INT_OVERFLOW)


def make_optional_list(value: int | None) -> tuple[int, ...]:
    """Return a list of one value, or the empty list for none."""
    return () if value is None else (value,)


def raise_bound(subject: str, bound: int) -> NoReturn:
    """Raise RulesetFault, without a span: ``the loop ran 9 times, its limit, and was not finished`` for the ``subject``
    and ``bound``.
    """
    raise RulesetFault(describe_exceeded_bound(subject, bound))


def draw_item(cell: int, items: tuple[Any, ...]) -> tuple[int, Any]:
    """Return the new cell of a random stream, and a random item of a list that is not empty."""
    cell, index = random_streams.draw(cell, len(items))
    return cell, items[index]


def sort_components(zones: Iterable[list[int]]) -> list[int]:
    """Return the components in the zones, sorted by their numbers, in a new list."""
    return sorted(chain.from_iterable(zones))


def raise_limit(limit: str) -> NoReturn:
    """Raise LimitExceeded for a limit, such as ``options``."""
    raise LimitExceeded(limit)


def make_mask(seats: tuple[int, ...]) -> int:
    """Return the bit mask of some seats or spaces. Repeated ones count once, and none give 0."""
    return sum(1 << seat for seat in set(seats))


def find_group(start: int, area: tuple[int, ...], touching: tuple[int, ...]) -> tuple[int, ...]:
    """Return the spaces of ``start`` in ``area``, and those connected to them through spaces of ``area``, in the order
    of ``area``.

    ``start`` is a bit mask; its spaces outside ``area`` are ignored. ``touching`` has the mask of the neighbours of
    each space. In a row of three spaces, ``find_group(0b1, (2, 1, 0), (0b10, 0b101, 0b10))`` gives ``(2, 1, 0)``.
    """
    mask = make_mask(area)
    group = grow_mask(start & mask, mask, touching)
    return tuple([space for space in area if group >> space & 1])


def select_most(items: tuple[Any, ...], key: Callable[[Any], int]) -> tuple[Any, ...]:
    """Return all items with the greatest key, in their order. No items give ``()``."""
    keys = [key(item) for item in items]
    best = max(keys, default=0)
    return tuple([item for item, item_key in zip(items, keys, strict=True) if item_key == best])


def select_least(items: tuple[Any, ...], key: Callable[[Any], int]) -> tuple[Any, ...]:
    """Return all items with the smallest key, in their order. No items give ``()``."""
    return select_most(items, lambda item: -key(item))


def select_distinct(items: tuple[Any, ...], key: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the first item of each key, in the order of the items.

    Keys must be hashable, and ``1`` and ``True`` are the same key. No items give ``()``.
    """
    first: dict[Any, Any] = {}
    for item in items:
        first.setdefault(key(item), item)
    return tuple(first.values())


def select_sorted(items: tuple[Any, ...], key: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the items in ascending order of their keys. Items with equal keys keep their order."""
    return tuple(sorted(items, key=key))


def select_leading(items: tuple[Any, ...], holds: Callable[[Any], bool]) -> tuple[Any, ...]:
    """Return the items before the first one for which ``holds`` is false."""
    return tuple(takewhile(holds, items))


def join_lists(lists: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the concatenation of lists, in order, as one tuple."""
    return tuple(chain.from_iterable(lists))


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    raise_bad_index,
    check_range,
    make_number_list,
    make_range,
    require,
    make_optional_list,
    check_int,
    check_list,
    raise_overflow,
    raise_bound,
    set_union,
    chain,
    sort_components,
    set_except,
    set_intersect,
    raise_limit,
    make_mask,
    select_most,
    select_least,
    select_distinct,
    select_sorted,
    select_leading,
    join_lists,
    list_open_picks,
    find_connected,
    count_groups,
    find_group,
    find_lowest_space,
    select_leading_spaces,
    count_mask_groups,
    select_spaces,
    find_reachable,
    count_steps,
    draw_item,
    random_streams.shuffle,
    random_streams.shuffle_with_cell,
)  # these functions need no setting


def list_slots(node: Any) -> Iterable[int]:
    """Return the slots that a node reads or binds itself: its fields ``slot`` and ``item_slot``, if it has them."""
    return [getattr(node, name) for name in ("slot", "item_slot") if hasattr(node, name)]


def parse_type(program: core.Program, text: str) -> Type:
    """Return the type with this text, the inverse of ``str(type)``. ``List[Int?]`` is a list of optional numbers.

    The only compound types are ``List[…]`` and ``…?``. A name is Int, Bool, Text, Player, none, Nothing or an enum of
    the program. Any other text is not checked, and gives a component type: ``Card`` gives ``ComponentType("Card")``.
    """
    if text.endswith("?"):
        return optional(parse_type(program, text[:-1]))
    if text.startswith("List["):
        return ListType(parse_type(program, text[5:-1]))
    built_in = {"Int": INT, "Bool": BOOL, "Text": TEXT, "Player": PLAYER, "none": NONE, "Nothing": NOTHING}.get(text)
    if built_in is not None:
        return built_in
    return EnumType(text) if text in program.enums else ComponentType(text)


def has_options(kind: str) -> bool:
    """Return whether game options are constants of a build of this kind, which holds for ``playout`` only.

    In playouts every test counts. Stepwise builds read options like other values, at no measurable cost, so that one
    build serves all options.
    """
    return kind == "playout"


def make_option_name(program: core.Program, option: str) -> str:
    """Return the name of a game option in generated code: ``option`` and its position among the options, from 0.

    Raise ValueError for an option that the program does not declare.
    """
    return f"option{[declaration.name for declaration in program.options].index(option)}"


def make_namespace(setting: Setting, label_types: Iterable[str]) -> dict[str, Any]:
    """Return the names that generated code uses, for one setting: name -> function or value, in a new dictionary.

    They are the functions in ``_FUNCTIONS``, all public methods of :class:`Primitives`, and the classes of events.
    ``new(event_class, fields)`` builds an event, and ``seeded`` is ``random_streams.seed_stream``. The values of the
    options are ``option0`` and so on. The functions of the language have the prefix ``fn_`` and take the arguments of
    the call only. ``label_types`` adds no names: it holds the ``type_name`` that ``show`` accepts, such as ``Card?``.
    """
    primitives = Primitives(setting, label_types)
    names: dict[str, Any] = {function.__name__: function for function in _FUNCTIONS}
    names.update({name: getattr(primitives, name) for name in vars(Primitives) if not name.startswith("_")})
    names.update({event_class.__name__: event_class for event_class in KINDS})
    names["new"] = tuple.__new__  # builds an event from its fields, much faster than a call of its class
    names["seeded"] = random_streams.seed_stream
    names.update({make_option_name(setting.program, name): value for name, value in setting.options.items()})
    names.update({f"fn_{name}": partial(function, setting.players) for name, function in FUNCTIONS.items()})
    return names


class Primitives:
    """The primitives that depend on a setting. ``label_types`` names the types whose labels generated code displays.

    Generated code may call every public method.

    Parameters that occur in many methods: ``c`` is the list of cells, ``z`` the list of zones, and ``number`` a zone.
    """

    def __init__(self, setting: Setting, label_types: Iterable[str]) -> None:
        self.setting = setting
        self.layout = setting.layout
        self.location = setting.layout.location
        self.forced_cell = setting.layout.size + FORCED
        self.visits_cell = setting.layout.size + VISITS
        self.types = {text: parse_type(setting.program, text) for text in label_types}
        self.tellers = tuple(get_knowledge(setting.program).text_levels)

    def pick(self, c: list[Any], stream: int, draw: tuple[str, str, str], domain: tuple[Any, ...]) -> Any:
        """Return a random item of ``domain``, or the item that ``c[self.forced_cell]`` forces, such as in a test case.

        That cell holds a ForcedChance or None. The ``take_draw`` of a plain one takes the item off the front of
        ``dice`` if ``draw[0]`` is ``dice``, else off that of ``picks``. An empty list forces nothing. Subclasses can
        force another item. ``c`` holds the cells. ``c[stream]`` is the random state, which advances unless the item is
        forced or the only one. ``domain`` must not be empty. ``draw`` is (stream, name, type), the fields of
        :class:`~lusory.state.setting_value_limits_builtins_and_names.Draw`. Raise RulesetFault for a forced item that
        is not in ``domain``; it is off the list then, too.
        """
        forced_chance: ForcedChance | None = c[self.forced_cell]
        forced_item = None if forced_chance is None else forced_chance.take_draw(Draw(*draw), domain)
        if forced_item is not None:
            if forced_item[0] not in domain:
                raise RulesetFault(IMPOSSIBLE_DRAW)
            return forced_item[0]
        c[stream], index = random_streams.draw_from_cell(c[stream], len(domain))
        return domain[index]

    def shuffle_zone(self, c: list[Any], stream: int, cards: list[int]) -> None:
        """Shuffle ``cards`` in place. ``c`` holds the cells of the state, and ``c[stream]`` is the random state to use.

        If ``c[self.forced_cell]`` is a ForcedChance, and its ``take_shuffle`` gives cards, move these to the front
        instead, in their order. The others keep their order: with the ``shuffles`` ``[(3, 1)]``, the cards 1, 2, 3 and
        4 become 3, 1, 2 and 4, whatever the zone. ``c[stream]`` advances, unless the shuffle is forced or there are
        fewer than two cards. Raise RulesetFault, and leave ``cards`` unchanged, if a forced card is not among them.
        """
        forced_chance: ForcedChance | None = c[self.forced_cell]
        forced_top = None if forced_chance is None else forced_chance.take_shuffle(cards)
        if forced_top is None:
            c[stream] = random_streams.shuffle_with_cell(c[stream], cards)
            return
        forced_cards, forced_set = forced_top[0], set(forced_top[0])  # a set, because a belief forces whole decks
        if not forced_set.issubset(cards):
            raise RulesetFault(CARDS_NOT_IN_ZONE)
        cards[:] = [*forced_cards, *(card for card in cards if card not in forced_set)]

    def move_card(self, c: list[Any], z: list[list[int]], card: int, number: int) -> None:
        """Move the component ``card`` to the bottom of zone ``number``, the end of its list, without an event.

        ``c`` holds all cells of a state, and ``z`` the list of components of each zone; both change in place. The
        location of ``card`` is ``c[self.location + card]``: a zone number, or None if it lies in no zone. Afterwards it
        is ``number``. In the zone where it already lies, ``card`` moves to the end.
        """
        cell = self.location + card
        if c[cell] is not None:
            z[c[cell]].remove(card)
        c[cell] = number
        z[number].append(card)

    def move_cards(
        self,
        c: list[Any],
        z: list[list[int]],
        cards: tuple[int, ...],
        number: int,
        to_top: bool | None,
        log: list[Any] | None = None,
    ) -> None:
        """Move components to zone ``number``, and log the events of the move if ``log`` is given.

        ``c`` holds all cells of the state, ``z`` the list of each zone. If ``to_top`` is True, the components go on
        top, at index 0 of the zone's list. If it is False, they go to the bottom. If it is None, the zone is sorted
        by number afterwards, and the events have the ``position`` ``bottom``. They keep their order, and a component
        that is listed twice counts only at its first place. No components do nothing. The locations and the lists of
        the zones change in place. ``log`` gets one ComponentsMoved. It gets two if all seats saw certain components
        before, but not the others, and not all seats see all of them now: first one for those that all saw, then one
        for the others.
        """
        if not cards:
            return
        if len(cards) > 1:
            cards = tuple(dict.fromkeys(cards))
        sources: tuple[Any, ...] = ()
        reader, seats_before = None, list[int]()
        if log is not None:
            get_zone = self.layout.get_zone
            numbers = [c[self.location + card] for card in cards]
            sources = tuple([None if zone_number is None else get_zone(zone_number) for zone_number in numbers])
            reader = Reader(self.setting, c, z)
            seats_before = expressions.find_seats_seeing(reader, cards)
        if len(cards) < MANY_CARDS:
            for card in cards:
                cell = self.location + card
                if c[cell] is not None:
                    z[c[cell]].remove(card)
                c[cell] = number
        else:
            moved_cards = frozenset(cards)
            for source in {c[self.location + card] for card in cards}:
                if source is not None:
                    z[source][:] = [card for card in z[source] if card not in moved_cards]
            for card in cards:
                c[self.location + card] = number
        if to_top:
            z[number][:0] = cards
        else:
            z[number].extend(cards)
        if to_top is None:
            z[number].sort()
        if log is not None and reader is not None:
            position = "top" if to_top else "bottom"
            log.extend(expressions.make_move_events(reader, cards, number, position, sources, seats_before))

    def move_cards_in_new_lists(
        self,
        c: list[Any],
        z: list[list[int]],
        cards: tuple[int, ...],
        number: int,
        to_top: bool | None,
        log: list[Any] | None = None,
    ) -> None:
        """Move components to zone ``number``, in new lists for all zones involved, because other states may share the
        old ones.

        ``to_top`` True puts them on top, False at the bottom, and None sorts the zone afterwards. The locations and
        ``z`` change in place. Events of the move are appended to ``log`` if it is given.
        """
        for zone in {number, *(c[self.location + card] for card in cards)}:
            if zone is not None:
                z[zone] = z[zone][:]
        self.move_cards(c, z, cards, number, to_top, log)

    def count_visits(self, c: list[Any], items: Any) -> Any:
        """Subtract the length of a list from the visits left, ``c[self.visits_cell]``, and return the list itself.

        ``c`` holds the cells of the state. Raise LimitExceeded, after the subtraction, if there are more items than
        visits left: with 5 left, a list of 5 leaves 0, and one of 6 leaves -1 and raises.
        """
        remaining = c[self.visits_cell] = c[self.visits_cell] - len(items)
        if remaining < 0:
            raise_limit("visits")
        return items

    def check_text_length(self, c: list[Any], text: str) -> str:
        """Return a text that was put together, if it has at most ``TEXT_LIMIT`` characters.

        Subtract a visit from ``c[self.visits_cell]`` for every full :data:`CHARACTERS_PER_VISIT` characters. Raise
        LimitExceeded if fewer than 0 visits are then left, and else RulesetFault if the text is too long. ``c`` holds
        the cells of a state, and stays changed after an exception.
        """
        remaining = c[self.visits_cell] = c[self.visits_cell] - len(text) // CHARACTERS_PER_VISIT
        if remaining < 0:
            raise_limit("visits")
        return next(limit_text_parts((text,)))

    def raise_wrong_pool(self, pool: str, kind: int) -> NoReturn:
        """Raise RulesetFault, without a span, for a pool that cannot hold a kind of counter, given by its number."""
        raise RulesetFault(describe_wrong_pool(self.setting, pool, kind))

    def _list_slot_values(self, stmt: TextStatement, frame: dict[int, Any]) -> list[Any]:
        """Return a list of all slots that a statement needs, filled from ``frame`` (slot -> value).

        Slots that it does not hold are None. The list has at least one slot.
        """
        last = max((slot for node in core.walk(stmt) for slot in list_slots(node)), default=0)
        return [frame.get(slot) for slot in range(1 + max(last, *frame, 0))]

    def announce(
        self, c: list[Any], z: list[list[int]], log: list[Any], number: int, seats: int, frame: dict[int, Any]
    ) -> None:
        """Append to ``log`` the events of an announcement to ``seats``, a bit mask.

        The first event has the full text and the seats that may know all of it, perhaps none. One event for each
        different redacted text follows, in the order of its lowest seat: ``("announce", "P1 draws ?", 0b10)``.
        ``number`` is that of the announcement among the texts with hidden information, and ``frame`` maps slots to
        values. ``c`` and ``z`` are the cells and zones of the state. ``c`` can hold a ForcedChance that names a
        listening seat. Then only the event for this seat is logged, with only its bit, or none if it hears nothing.
        """
        stmt = self.tellers[number]
        assert isinstance(stmt, core.Announce)
        forced_chance: ForcedChance | None = c[self.forced_cell]
        seat = None if forced_chance is None else forced_chance.listening_seat
        slots = self._list_slot_values(stmt, frame)
        log += redact_announcement(self.setting, State(c, z, []), stmt, slots, seats, seat)

    def format_end_reason(self, c: list[Any], z: list[list[int]], number: int, frame: dict[int, Any]) -> str:
        """Return the reason of an ending, with ``?`` for what not all seats know: ``P1 holds ?``.

        ``c`` holds the cells and ``z`` the zones of the state. ``number`` is the place of the ending, from 0, in
        ``tellers``: the announcements and endings with hidden information. ``frame`` maps slots of the core program to
        values.
        """
        stmt = self.tellers[number]
        assert isinstance(stmt, core.EndGame)
        return format_public_end_reason(self.setting, State(c, z, []), stmt, self._list_slot_values(stmt, frame))

    def show(self, type_name: str, value: Any) -> str:
        """Return the label of a value. ``type_name`` is the text of its type."""
        return format_value_label(self.setting, value, self.types[type_name])

    def count_range_visits(self, low: int, high: int, c: list[Any]) -> range:
        """Return the numbers from ``low`` to ``high``, both included, for a loop.

        They count as visits if there are more than :data:`SHORT_LIST`. Raise LimitExceeded if there are more of them
        than visits left, and RulesetFault for a range that is too long.
        """
        if high - low >= SHORT_LIST:
            return cast(range, self.count_visits(c, make_range(low, high)))
        return range(low, high + 1)

    def count_component_visits(self, c: list[Any], zones: list[list[int]]) -> list[list[int]]:
        """Subtract the lengths of ``zones`` from the visits left, ``c[self.visits_cell]``, and return ``zones`` itself.

        ``c`` holds the cells of the state. Raise LimitExceeded, after the subtraction, if there are more components
        than visits left: with 3 left, ``[[7, 8], [9]]`` leaves 0, and with 2 left, it leaves -1 and raises.
        """
        remaining = c[self.visits_cell] = c[self.visits_cell] - sum(map(len, zones))
        if remaining < 0:
            raise_limit("visits")
        return zones
