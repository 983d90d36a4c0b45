"""The type lattice, subtyping and integer intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..source.dataclasses import dataclass

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1  # what an Int can be: 64 bits with a sign
TEXT_LIMIT = 10_000  # characters of a Text
LIST_LIMIT = 100_000  # items of a List
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def is_whole(text: str) -> bool:
    """Whether a text that somebody wrote is a whole number of the language: of at most 18 digits."""
    return _WHOLE.fullmatch(text) is not None


@dataclass(frozen=True)
class Type:
    """Base of all types. ``str(t)`` is how authors write it."""


@dataclass(frozen=True)
class IntType(Type):
    def __str__(self) -> str:
        return "Int"


@dataclass(frozen=True)
class BoolType(Type):
    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True)
class TextType(Type):
    def __str__(self) -> str:
        return "Text"


@dataclass(frozen=True)
class PlayerType(Type):
    def __str__(self) -> str:
        return "Player"


@dataclass(frozen=True)
class EnumType(Type):
    """A declared enum (or the resource kinds, whose enum is called ``Resource``)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ComponentType(Type):
    """A declared component kind: cards, pieces, tiles."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ListType(Type):
    """An ordered finite collection. Set operations keep the order of the left operand."""

    item: Type

    def __str__(self) -> str:
        return f"List[{self.item}]"


@dataclass(frozen=True)
class OptionalType(Type):
    """A value of ``item`` or ``none``. Never nested."""

    item: Type

    def __str__(self) -> str:
        return f"{self.item}?"


@dataclass(frozen=True)
class NoneType(Type):
    """The type of the literal ``none`` alone; fits every optional type."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class NothingType(Type):
    """The item type of the empty list literal, and the type of a faulty expression; fits everything."""

    def __str__(self) -> str:
        return "Nothing"


INT = IntType()
BOOL = BoolType()
TEXT = TextType()
PLAYER = PlayerType()
NONE = NoneType()
NOTHING = NothingType()


def optional(item: Type) -> Type:
    """``item?``, without nesting."""
    if isinstance(item, OptionalType | NothingType):
        return item
    return OptionalType(item)


def nothing(type: Type) -> object:
    """What is read where there is nothing to read: 0, false, the empty text or list; ``None`` of all other types."""
    match type:
        case IntType():
            return 0
        case BoolType():
            return False
        case TextType():
            return ""
        case ListType():
            return ()
    return None


def fits(actual: Type, expected: Type) -> bool:
    """Whether a value of ``actual`` may stand where ``expected`` is asked for."""
    if actual == expected or isinstance(actual, NothingType) or isinstance(expected, NothingType):
        return True
    if isinstance(expected, OptionalType):
        return isinstance(actual, NoneType) or fits(
            actual.item if isinstance(actual, OptionalType) else actual, expected.item
        )
    if isinstance(expected, ListType) and isinstance(actual, ListType):
        return fits(actual.item, expected.item)
    return False


def _is_open(type: Type) -> bool:
    """Whether a type is that of nothing, or of an empty list: whatever it is beside says more."""
    if isinstance(type, ListType | OptionalType):
        return _is_open(type.item)
    return isinstance(type, NothingType)


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that both fit into, or None where there is none."""
    if fits(a, b) and not (_is_open(b) and fits(b, a)):
        return b
    if fits(b, a):
        return a
    if isinstance(a, NoneType):
        return optional(b)
    if isinstance(b, NoneType):
        return optional(a)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        inner = join(a.item if isinstance(a, OptionalType) else a, b.item if isinstance(b, OptionalType) else b)
        return None if inner is None else optional(inner)
    if isinstance(a, ListType) and isinstance(b, ListType):
        inner = join(a.item, b.item)
        return None if inner is None else ListType(inner)
    return None


Interval = tuple[int, int]
ANY: Interval = (INT_MIN, INT_MAX)
BEYOND: Interval = (INT_MIN * 2, INT_MAX * 2)

#: Stands for the greatest number, either way, in the places whose bounds are sought: ends may be so many times that,
#: and a number. What holds of it holds whatever it is.
UNKNOWN = 1 << 200
FARTHEST = UNKNOWN << 20  # products of the unknown with itself would else have any number of digits


def within(interval: Interval) -> Interval:
    """The numbers of an interval that an Int can be."""
    low, high = interval
    return (
        low if low < -UNKNOWN // 2 else min(max(low, INT_MIN), INT_MAX),
        high if high > UNKNOWN // 2 else max(min(high, INT_MAX), INT_MIN),
    )


def parts_of(end: int) -> tuple[int, int]:
    """How many times the unknown an end is, and the number beside it."""
    times = (end + UNKNOWN // 2) // UNKNOWN
    return times, end - times * UNKNOWN


def upper(*ends: int) -> int:
    """What none of some numbers goes beyond, whatever the unknown is."""
    most = max(ends)
    if most <= UNKNOWN // 2:
        return most
    parts = [parts_of(end) for end in ends]
    return max(times for times, _ in parts) * UNKNOWN + max(number for _, number in parts)


def lower(*ends: int) -> int:
    """What none of some numbers is less than, whatever the unknown is."""
    return -upper(*(-end for end in ends))


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval around others."""
    every = list(intervals)
    return (lower(*(low for low, _ in every)), upper(*(high for _, high in every))) if every else (0, 0)


def leaf(type: Type) -> Type:
    """What a list, or a list of lists, is of in the end."""
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return type


def leaves(value: object) -> Iterator[object]:
    """The values in nested tuples."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from leaves(part)
    elif value is not None:
        yield value


def of_values(values: object) -> Interval:
    """Bounds of the numbers in nested tuples."""
    numbers = [int(v) for v in leaves(values) if isinstance(v, int)]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def longest_list(values: Iterable[object]) -> int:
    """The most items of a list among values."""
    return max((len(v) for v in values if isinstance(v, tuple)), default=LIST_LIMIT)


def longest_text(values: object) -> int:
    """The most characters of a text in nested tuples."""
    return max((len(str(v)) for v in leaves(values)), default=0)


def _products(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return lower(*corners), upper(*corners)


def _quotients(a: Interval, b: Interval) -> Interval:
    """Rounded towards minus infinity; by 0 is a fault."""
    if upper(-a[0], a[1]) > UNKNOWN // 2:
        return lower(a[0], -a[1]), upper(-a[0], a[1])
    ends = {d for d in (b[0], min(b[1], -1), max(b[0], 1), b[1]) if d and b[0] <= d <= b[1]}
    corners = [x // d for x in a for d in ends]
    return (min(corners), max(corners)) if corners else (0, 0)


def _remainders(a: Interval, b: Interval) -> Interval:
    """Of the sign of what it is divided by."""
    low, high = min(b[0] + 1, 0), max(b[1] - 1, 0)
    return (low, min(high, a[1])) if low == 0 and a[0] >= 0 else (low, high)


COMPUTED: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _products,
    "div": _quotients,
    "mod": _remainders,
}
