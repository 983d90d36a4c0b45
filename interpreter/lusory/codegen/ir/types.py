"""Define sorts, the types of the intermediate representation.

A :class:`Sort` tells a printer for a typed language what a value or place can hold. It is a number with bounds, a truth
value, a text or list of bounded length, or a record. It also says whether the value may be none. Seats, enum values and
components are numbers, too; their sort names the type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl.types.integer_intervals import Interval
from lusory_dsl.types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, Type

NUMBER, TRUTH, TEXT, LIST, RECORD = "number", "truth", "text", "list", "record"
MAP, FRAME, STREAM = "map", "frame", "stream"
OPTION_VALUE, NOTHING, ANYTHING = "chosen", "nothing", "anything"


@dataclass(frozen=True)
class Sort:
    """The type of a value, with bounds.

    Attributes:
        kind: One of the constants above. ``chosen`` is a value from an option, with the sort
            of the local that receives it. ``nothing`` is none, or no value at all.
        low: The least number.
        high: The greatest number.
        type_name: The type that a number stands for: ``Player``, an enum or a component kind. Empty for plain numbers.
        item: The sort of list items, or of the values of a map.
        max_length: The greatest length of a list or text.
        parts: The sorts of the fields of a record.
        is_optional: Whether the value may be none.
    """

    kind: str
    low: int = 0
    high: int = 0
    type_name: str = ""
    item: Sort | None = None
    max_length: int = 0
    parts: tuple[Sort, ...] = ()
    is_optional: bool = False

    def __str__(self) -> str:
        match self.kind:
            case "number":
                ends = f"{_format_bound(self.low, INT_MIN, 'least')}..{_format_bound(self.high, INT_MAX, 'most')}"
                word = f"{self.type_name} {ends}" if self.type_name else ends
            case "list":
                word = f"list of at most {self.max_length:,}: {self.item}"
            case "text":
                word = f"text of at most {self.max_length:,}"
            case "record":
                word = f"({', '.join(map(str, self.parts))})"
            case "map":
                word = f"map to {self.item}"
            case _:
                word = self.kind
        return f"{word} or none" if self.is_optional and self.kind != NOTHING else word


def _format_bound(end: int, limit: int, word: str) -> str:
    return word if end == limit else str(end)


NumberBounds = dict[int, Interval]
"""Slot of a local -> bounds of its numbers."""


@dataclass(frozen=True, eq=False)
class Facts:
    """Hold what selection knows about the locals and places of a module.

    Attributes:
        types: Slot -> type from the checker.
        number_ranges: Slot -> bounds of the number, or of the numbers in the list.
        list_sizes: Slot -> greatest number of items.
        text_lengths: Slot -> greatest number of characters.
        place_ranges: Bounds of the values of variables (kind None) and of pools (by kind).
    """

    types: dict[int, Type]
    number_ranges: NumberBounds
    list_sizes: dict[int, int]
    text_lengths: dict[int, int]
    place_ranges: dict[tuple[str, int | None], Interval]


# ---------------------------------------------------------------- constructors

NONE = Sort(NOTHING, is_optional=True)
NEVER = Sort(NOTHING)
ANY = Sort(ANYTHING, is_optional=True)
ANY_INT = Sort(NUMBER, INT_MIN, INT_MAX)
BOOLEAN = Sort(TRUTH)
FROM_OPTION = Sort(OPTION_VALUE)
ANY_TEXT = Sort(TEXT, max_length=TEXT_LIMIT)


def make_number_sort(low: int, high: int, type_name: str = "") -> Sort:
    """Return the sort of numbers from ``low`` to ``high``, both included and cut to the range of an Int.

    ``type_name`` is the type that the numbers stand for, such as ``Player``, or empty.
    """
    return Sort(NUMBER, min(max(low, INT_MIN), INT_MAX), max(min(high, INT_MAX), INT_MIN), type_name)


def make_text_sort(max_length: int) -> Sort:
    """Return the sort of texts of at most ``max_length`` characters, or of the limit of a text if that is less."""
    return Sort(TEXT, max_length=min(max_length, TEXT_LIMIT))


def make_list_sort(item: Sort, max_length: int) -> Sort:
    """Return the sort of lists of at most ``max_length`` items, or of the limit of a list if that is less."""
    return Sort(LIST, item=item, max_length=min(max_length, LIST_LIMIT))


def make_record_sort(parts: Iterable[Sort]) -> Sort:
    """Return the sort of records whose fields have these sorts, in order."""
    return Sort(RECORD, parts=tuple(parts))


def get_value_sort(value: object) -> Sort:
    """Return the narrowest sort of a constant. A tuple is a list if its items share a kind, which none and a truth
    value among numbers do not prevent, else a record.

    Example: ``(3, 5)`` has the sort of a list of at most 2 numbers from 3 to 5. The empty tuple is a list of
    :data:`NEVER`. A set counts as a list, and a dict as a map to its values. None has the sort :data:`NONE`, and any
    other object :data:`ANY`.
    """
    match value:
        case None:
            return NONE
        case bool():
            return BOOLEAN
        case int():
            return Sort(NUMBER, value, value)
        case str():
            return Sort(TEXT, max_length=len(value))
        case frozenset():
            return make_list_sort(join_all(map(get_value_sort, value)), len(value))
        case dict():
            return Sort(MAP, item=join_all(map(get_value_sort, value.values())))
        case tuple():
            if value and all(type(item) is int for item in value):
                return make_list_sort(Sort(NUMBER, min(value), max(value)), len(value))
            items = [get_value_sort(item) for item in value]
            item = join_all(items)
            return make_record_sort(items) if item.kind == ANYTHING else make_list_sort(item, len(value))
    return ANY


def list_leaves(value: object) -> Iterator[Any]:
    """Yield the leaves of nested tuples, in order. Any other value is its only leaf."""
    if isinstance(value, tuple):
        for item in value:
            yield from list_leaves(item)
    else:
        yield value


# ---------------------------------------------------------------- comparison


def join(first: Sort, second: Sort) -> Sort:
    """Return the least sort that covers both ``first`` and ``second``, or :data:`ANY` if their kinds have nothing in
    common.

    The result can be none if either can: :data:`NONE` and 1..2 give ``1..2 or none``. :data:`NEVER` and 1..2 give 1..2.
    A value from an option and any different sort give :data:`FROM_OPTION`, which can't be none. Truth values count as 0
    or 1 among numbers. Numbers of two different named types become plain; a named and a plain type keep the name only
    if one of them is a single number. Records with different numbers of fields give :data:`ANY`; others are joined
    field by field. Lists join their items, and maps their values. Lists and texts keep the greater length. Example:
    0..2 and 5..9 give 0..9.
    """
    if first == second:
        return first
    is_optional = first.is_optional or second.is_optional
    if OPTION_VALUE in (first.kind, second.kind):
        return FROM_OPTION
    if NOTHING in (first.kind, second.kind):
        return replace(second if first.kind == NOTHING else first, is_optional=is_optional)
    if {first.kind, second.kind} == {NUMBER, TRUTH}:  # truth values count as 0 or 1 among numbers
        first, second = convert_to_number(first), convert_to_number(second)
    if first.kind != second.kind or len(first.parts) != len(second.parts):
        return ANY
    low, high = min(first.low, second.low), max(first.high, second.high)
    max_length = max(first.max_length, second.max_length)
    item = None if first.item is None or second.item is None else join(first.item, second.item)
    parts = tuple(join(*pair) for pair in zip(first.parts, second.parts, strict=True))
    return Sort(first.kind, low, high, _join_type_names(first, second), item, max_length, parts, is_optional)


def _join_type_names(first: Sort, second: Sort) -> str:
    """Return the type that both numbers stand for, or an empty text. A constant can stand for any type."""
    if first.type_name == second.type_name:
        return first.type_name
    has_constant = first.low == first.high or second.low == second.high
    return first.type_name or second.type_name if has_constant and not (first.type_name and second.type_name) else ""


def join_all(sorts: Iterable[Sort]) -> Sort:
    """Return the :func:`join` of sorts, from left to right, or :data:`NEVER` if there are none.

    The order can matter for named types. Coin 3 and Coin 5 give Coin 3..5, which with plain 4..6 gives plain 3..6. But
    Coin 3 and plain 4..6 give Coin 3..6, which Coin 5 leaves as it is.
    """
    result = NEVER
    for sort in sorts:
        result = join(result, sort)
    return result


def is_storable(value: Sort, place: Sort) -> bool:
    """Return whether a value of sort ``value`` may be stored in a place of sort ``place``.

    A value that can be none, such as :data:`NONE`, fits only a place that can be none. Apart from this, :data:`NONE`,
    :data:`NEVER` and :data:`FROM_OPTION` fit every place, and a place of kind ``anything`` takes every value.
    Otherwise the kinds must be equal. The bounds of numbers need only overlap, because inference for one operation may
    know less than the analysis of the whole game that determined the place. Numbers of two different named types don't
    fit each other. Records need as many fields, which must fit, and so must items of lists unless ``value`` is an empty
    list. Lengths and the items of maps are not compared.
    """
    if value.is_optional and not place.is_optional:
        return False
    if value.kind in (NOTHING, OPTION_VALUE) or place.kind == ANYTHING:
        return True
    if value.kind != place.kind or len(value.parts) != len(place.parts):
        return False
    if value.kind == NUMBER:
        have_same_type = not value.type_name or not place.type_name or value.type_name == place.type_name
        return have_same_type and place.low <= value.high and value.low <= place.high
    if value.item is not None and value.max_length and (place.item is None or not is_storable(value.item, place.item)):
        return False
    return all(is_storable(*pair) for pair in zip(value.parts, place.parts, strict=True))


def remove_none(sort: Sort) -> Sort:
    """Return the sort without none. A sort that excludes none already is returned as it is."""
    return replace(sort, is_optional=False) if sort.is_optional else sort


def convert_to_number(sort: Sort) -> Sort:
    """Return the sort of the numbers 0 and 1 for a truth value, which may still be none, and any other sort
    unchanged.
    """
    return Sort(NUMBER, 0, 1, is_optional=sort.is_optional) if sort.kind == TRUTH else sort


def widen(before: Sort, after: Sort) -> Sort:
    """Return the join of both sorts, with each bound of a number that ``after`` extends set to its limit.

    Example: 0..3 and then 0..4 give 0..most. This is the widening of abstract interpretation (Cousot and Cousot, POPL
    1977). It makes the inference of loops terminate. Sorts other than numbers are only joined.
    """
    if before.kind == after.kind == NUMBER:
        low = before.low if after.low >= before.low else INT_MIN
        high = before.high if after.high <= before.high else INT_MAX
        return replace(join(before, after), low=low, high=high)
    return join(before, after)
