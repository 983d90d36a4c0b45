"""Define sorts, the types of the intermediate representation.

A :class:`Sort` tells a printer for a typed language what a value or place can hold. It is a number with bounds, a truth
value, a text or list of bounded length, or a record, and says whether the value may be none. Seats, enum values and
components are numbers, too; their sort names the type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lusory_dsl.types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, Interval, Type

NUMBER, TRUTH, TEXT, LIST, RECORD = "number", "truth", "text", "list", "record"
SHARE, MAP, FRAME, STREAM = "share", "map", "frame", "stream"
CHOSEN, NOTHING, ANYTHING = "chosen", "nothing", "anything"


@dataclass(frozen=True)
class Sort:
    """The type of a value, with bounds.

    Attributes:
        kind: One of the constants above. ``share`` is a fraction. ``chosen`` is a value from an option, with the sort
            of the local that receives it. ``nothing`` is none, or no value at all.
        low: The least number.
        high: The greatest number.
        of: The type that a number stands for: ``Player``, an enum or a component kind. Empty for plain numbers.
        item: The sort of list items, or of the values of a map.
        most: The greatest length of a list or text.
        parts: The sorts of the fields of a record.
        absent: Whether the value may be none.
    """

    kind: str
    low: int = 0
    high: int = 0
    of: str = ""
    item: Sort | None = None
    most: int = 0
    parts: tuple[Sort, ...] = ()
    absent: bool = False

    def __str__(self) -> str:
        match self.kind:
            case "number":
                ends = f"{_end(self.low, INT_MIN, 'least')}..{_end(self.high, INT_MAX, 'most')}"
                word = f"{self.of} {ends}" if self.of else ends
            case "list":
                word = f"list of at most {self.most:,}: {self.item}"
            case "text":
                word = f"text of at most {self.most:,}"
            case "record":
                word = f"({', '.join(map(str, self.parts))})"
            case "map":
                word = f"map to {self.item}"
            case _:
                word = self.kind
        return f"{word} or none" if self.absent and self.kind != NOTHING else word


def _end(end: int, whole: int, word: str) -> str:
    return word if end == whole else str(end)


Facts = dict[int, Interval]
"""Slot of a local -> bounds of its numbers."""


@dataclass(frozen=True, eq=False)
class Known:
    """Hold what selection knows about the locals and places of a module.

    Attributes:
        types: Slot -> type from the checker.
        numbers: Slot -> bounds of the number, or of the numbers in the list.
        sizes: Slot -> greatest number of items.
        lengths: Slot -> greatest number of characters.
        places: Bounds of the values of variables (kind None) and of pools (by kind).
        any_options: Whether these facts hold for all game options.
    """

    types: dict[int, Type]
    numbers: Facts
    sizes: dict[int, int]
    lengths: dict[int, int]
    places: dict[tuple[str, int | None], Interval]
    any_options: bool


# ---------------------------------------------------------------- constructors

NONE = Sort(NOTHING, absent=True)
NEVER = Sort(NOTHING)
ANY = Sort(ANYTHING, absent=True)
WHOLE = Sort(NUMBER, INT_MIN, INT_MAX)
YES_OR_NO = Sort(TRUTH)
BROUGHT = Sort(CHOSEN)
SOME_TEXT = Sort(TEXT, most=TEXT_LIMIT)


def number(low: int, high: int, of: str = "") -> Sort:
    """Return the sort of numbers between two bounds, cut to the range of an Int."""
    return Sort(NUMBER, min(max(low, INT_MIN), INT_MAX), max(min(high, INT_MAX), INT_MIN), of)


def text(most: int) -> Sort:
    """Return the sort of texts of at most ``most`` characters."""
    return Sort(TEXT, most=min(most, TEXT_LIMIT))


def list_of(item: Sort, most: int) -> Sort:
    """Return the sort of lists of at most ``most`` items."""
    return Sort(LIST, item=item, most=min(most, LIST_LIMIT))


def record(parts: Iterable[Sort]) -> Sort:
    """Return the sort of records with these fields."""
    return Sort(RECORD, parts=tuple(parts))


def of_value(value: object) -> Sort:
    """Return the sort of a constant. A tuple is a list if its items share a kind, else a record."""
    match value:
        case None:
            return NONE
        case bool():
            return YES_OR_NO
        case int():
            return Sort(NUMBER, value, value)
        case str():
            return Sort(TEXT, most=len(value))
        case frozenset():
            return list_of(joined(map(of_value, value)), len(value))
        case dict():
            return Sort(MAP, item=joined(map(of_value, value.values())))
        case tuple():
            if value and all(type(item) is int for item in value):
                return list_of(Sort(NUMBER, min(value), max(value)), len(value))
            items = [of_value(item) for item in value]
            item = joined(items)
            return record(items) if item.kind == ANYTHING else list_of(item, len(value))
    return ANY


# ---------------------------------------------------------------- comparison


def join(a: Sort, b: Sort) -> Sort:
    """Return the least sort that covers both ``a`` and ``b``."""
    if a == b:
        return a
    absent = a.absent or b.absent
    if CHOSEN in (a.kind, b.kind):
        return BROUGHT
    if NOTHING in (a.kind, b.kind):
        return replace(b if a.kind == NOTHING else a, absent=absent)
    if {a.kind, b.kind} == {NUMBER, TRUTH}:  # truth values count as 0 or 1 among numbers
        a, b = counted(a), counted(b)
    if a.kind != b.kind or len(a.parts) != len(b.parts):
        return ANY
    low, high, most = min(a.low, b.low), max(a.high, b.high), max(a.most, b.most)
    item = None if a.item is None or b.item is None else join(a.item, b.item)
    parts = tuple(join(one, other) for one, other in zip(a.parts, b.parts, strict=True))
    return Sort(a.kind, low, high, _alike(a, b), item, most, parts, absent)


def _alike(a: Sort, b: Sort) -> str:
    """Return the type that both numbers stand for, or an empty text. A constant can stand for any type."""
    if a.of == b.of:
        return a.of
    return a.of or b.of if not (a.of and b.of) and (a.low == a.high or b.low == b.high) else ""


def joined(sorts: Iterable[Sort]) -> Sort:
    """Return the join of sorts, or :data:`NEVER` if there are none."""
    found = NEVER
    for one in sorts:
        found = join(found, one)
    return found


def fits(found: Sort, place: Sort) -> bool:
    """Return whether a value of sort ``found`` may be stored in ``place``.

    Bounds of numbers and lengths need only overlap: inference for one operation may know less than the analysis of the
    whole game that determined the place.
    """
    if found.absent and not place.absent:
        return False
    if found.kind in (NOTHING, CHOSEN) or place.kind == ANYTHING:
        return True
    if found.kind != place.kind or len(found.parts) != len(place.parts):
        return False
    if found.kind == NUMBER:
        alike = not found.of or not place.of or found.of == place.of
        return alike and place.low <= found.high and found.low <= place.high
    if found.item is not None and found.most and (place.item is None or not fits(found.item, place.item)):
        return False
    return all(fits(one, other) for one, other in zip(found.parts, place.parts, strict=True))


def present(sort: Sort) -> Sort:
    """Return the sort without none."""
    return replace(sort, absent=False) if sort.absent else sort


def counted(sort: Sort) -> Sort:
    """Return the sort of 0 or 1 for a truth value, and any other sort unchanged."""
    return Sort(NUMBER, 0, 1, absent=sort.absent) if sort.kind == TRUTH else sort


def widened(before: Sort, after: Sort) -> Sort:
    """Return the join of both sorts, with each bound of a number that still moves set to its limit.

    This is the widening of abstract interpretation. It makes the inference of loops terminate.
    """
    if before.kind == after.kind == NUMBER:
        low = after.low if after.low >= before.low else INT_MIN
        high = after.high if after.high <= before.high else INT_MAX
        return replace(join(before, after), low=low, high=high)
    return join(before, after)
