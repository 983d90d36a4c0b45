"""Define the types of the language, subtyping, and arithmetic on integer intervals.

The checker uses intervals to bound the numbers that an expression can have. The end of an interval can be symbolic:
see ``UNKNOWN``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..source.dataclass_with_lazy_methods import dataclass

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1  # range of an Int: signed, 64 bits
TEXT_LIMIT = 10_000  # maximum number of characters of a Text
TOO_LONG_TEXT = f"the text is longer than {TEXT_LIMIT:,} characters"
LIST_LIMIT = 100_000  # maximum number of items of a List
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def is_integer_text(text: str) -> bool:
    """Return whether ``text`` is a whole number of at most 18 digits, perhaps with a minus sign."""
    return _INTEGER.fullmatch(text) is not None


@dataclass(frozen=True)
class Type:
    """The base class of all types. ``str(t)`` is the notation in a ruleset."""


@dataclass(frozen=True)
class IntType(Type):
    """The type of whole numbers of 64 bits."""

    def __str__(self) -> str:
        return "Int"


@dataclass(frozen=True)
class BoolType(Type):
    """The type of ``true`` and ``false``."""

    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True)
class TextType(Type):
    """The type of texts."""

    def __str__(self) -> str:
        return "Text"


@dataclass(frozen=True)
class PlayerType(Type):
    """The type of players. Values are the numbers of seats, from 0."""

    def __str__(self) -> str:
        return "Player"


@dataclass(frozen=True)
class EnumType(Type):
    """A declared enum. The enum of resource kinds is called ``Resource``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ComponentType(Type):
    """A declared component kind, such as cards, pieces or tiles."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ListType(Type):
    """An ordered, finite list. Set operations keep the order of the left operand."""

    item: Type

    def __str__(self) -> str:
        return f"List[{self.item}]"


@dataclass(frozen=True)
class OptionalType(Type):
    """A value of type ``item``, or ``none``. Optional types are never nested."""

    item: Type

    def __str__(self) -> str:
        return f"{self.item}?"


@dataclass(frozen=True)
class NoneType(Type):
    """The type of the literal ``none``. It fits every optional type."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class NothingType(Type):
    """The item type of the empty list literal, and the type of a faulty expression. It fits every type."""

    def __str__(self) -> str:
        return "Nothing"


INT = IntType()
BOOL = BoolType()
TEXT = TextType()
PLAYER = PlayerType()
NONE = NoneType()
NOTHING = NothingType()


def optional(item: Type) -> Type:
    """Return ``item?``. An optional type and the type Nothing are returned unchanged, so that optionals never nest."""
    if isinstance(item, OptionalType | NothingType):
        return item
    return OptionalType(item)


def strip_optional(type: Type) -> Type:
    """Return the item type of an optional type, or any other type itself: ``Int?`` and ``Int`` both give ``Int``."""
    return type.item if isinstance(type, OptionalType) else type


def get_default_value(type: Type) -> object:
    """Return the default value of a type: 0, False, the empty text, or () for a list.

    Returns None for every other type: an optional type begins with ``none``, and the others have no default.
    """
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


def is_subtype(actual: Type, expected: Type) -> bool:
    """Return whether ``actual`` is a subtype of ``expected``, so that its values are allowed there.

    Nothing, the type of faulty expressions, is a subtype and a supertype of every type. An optional type includes its
    item type and ``none``. Lists and optionals follow their item types: ``List[Card]`` is a subtype of ``List[Card?]``,
    but ``Card?`` is no subtype of ``Card``. Otherwise only equal types match.
    """
    if actual == expected or isinstance(actual, NothingType) or isinstance(expected, NothingType):
        return True
    if isinstance(expected, OptionalType):
        return isinstance(actual, NoneType) or is_subtype(
            actual.item if isinstance(actual, OptionalType) else actual, expected.item
        )
    if isinstance(expected, ListType) and isinstance(actual, ListType):
        return is_subtype(actual.item, expected.item)
    return False


def _contains_nothing(type: Type) -> bool:
    """Return whether a type is Nothing, or a list or optional of it. Another type beside it is more specific."""
    if isinstance(type, ListType | OptionalType):
        return _contains_nothing(type.item)
    return isinstance(type, NothingType)


def join(a: Type, b: Type) -> Type | None:
    """Return the smallest common supertype of two types, or None if there is none.

    Nothing yields the other type. ``none`` and T yield ``T?``, ``T`` and ``T?`` yield ``T?``, and lists and optionals
    join their items. Of a list of Nothing and another list, the other wins. The order of the two doesn't matter.
    """
    if is_subtype(a, b) and not (_contains_nothing(b) and is_subtype(b, a)):
        return b
    if is_subtype(b, a):
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
INT_RANGE: Interval = (INT_MIN, INT_MAX)
DOUBLE_INT_RANGE: Interval = (INT_MIN * 2, INT_MAX * 2)

#: A symbolic number: the greatest absolute value of the variables whose bounds an analysis is computing. The end of an
#: interval can be a multiple of it plus an ordinary number. Bounds computed with it hold for every value of it.
UNKNOWN = 1 << 200
# The limit of interval ends, because powers of the unknown could grow without limit.
MAX_SYMBOLIC = UNKNOWN << 20


def clip_to_int(interval: Interval) -> Interval:
    """Return an interval whose ends are cut to the range of Int.

    A low end of about ``-UNKNOWN`` and a high end of about ``UNKNOWN``, which are symbolic, stay the same.
    """
    low, high = interval
    return (
        low if low < -UNKNOWN // 2 else min(max(low, INT_MIN), INT_MAX),
        high if high > UNKNOWN // 2 else max(min(high, INT_MAX), INT_MIN),
    )


def split_symbolic(end: int) -> tuple[int, int]:
    """Split the end of an interval into a factor of ``UNKNOWN`` and an ordinary number.

    Returns ``(factor, number)``, so that ``end == factor * UNKNOWN + number``: ``UNKNOWN + 2`` gives (1, 2), and -3
    gives (0, -3).
    """
    multiple = (end + UNKNOWN // 2) // UNKNOWN
    return multiple, end - multiple * UNKNOWN


def get_upper_bound(*ends: int) -> int:
    """Return an upper bound of all ``ends`` that holds for every value of the unknown.

    An end may be a multiple of ``UNKNOWN`` plus an ordinary number. If the greatest end is such a sum, returns the
    greatest multiple plus the greatest ordinary number: ``UNKNOWN + 2`` and 5 give ``UNKNOWN + 5``. Otherwise returns
    the greatest end. Raises ValueError without ends.
    """
    greatest = max(ends)
    if greatest <= UNKNOWN // 2:
        return greatest
    parts = [split_symbolic(end) for end in ends]
    return max(times for times, _ in parts) * UNKNOWN + max(number for _, number in parts)


def get_lower_bound(*ends: int) -> int:
    """Return a lower bound of all ``ends`` that holds for every value of the unknown.

    The ends are like those of :func:`get_upper_bound`. Raises ValueError without ends.
    """
    return -get_upper_bound(*(-end for end in ends))


def compute_hull(intervals: Iterable[Interval]) -> Interval:
    """Return an interval that contains all ``intervals``, or (0, 0) if there are none.

    It is the smallest one, except where ends are symbolic: see :func:`get_upper_bound`.
    """
    bounds = list(intervals)
    return (
        (get_lower_bound(*(low for low, _ in bounds)), get_upper_bound(*(high for _, high in bounds)))
        if bounds
        else (0, 0)
    )


def is_component(type: Type) -> bool:
    """Return whether values of a type are components, or lists or optional values of components, at any depth."""
    return isinstance(get_innermost_type(type), ComponentType)


def get_innermost_type(type: Type) -> Type:
    """Return the innermost item type of nested lists and optionals, or any other type itself."""
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return type


def _iterate_leaves(value: object) -> Iterator[object]:
    """Yield the values in nested tuples from left to right, without None.

    A text is one value. A value that is no tuple is yielded alone.
    """
    if isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from _iterate_leaves(part)
    elif value is not None:
        yield value


def bound_values(values: object) -> Interval:
    """Return the least and the greatest number in nested tuples, or (0, 0) if there are none.

    True counts as 1 and False as 0. Other values are ignored.
    """
    numbers = [int(v) for v in _iterate_leaves(values) if isinstance(v, int)]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def compute_max_list_length(values: Iterable[object]) -> int:
    """Return the maximum length of the lists (tuples) in ``values``, not counting lists inside them.

    Returns ``LIST_LIMIT`` if there is no list.
    """
    return max((len(v) for v in values if isinstance(v, tuple)), default=LIST_LIMIT)


def compute_max_text_length(values: object) -> int:
    """Return the maximum number of characters of a value in nested tuples, written out, or 0 if all are None."""
    return max((len(str(v)) for v in _iterate_leaves(values)), default=0)


def _multiply(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return get_lower_bound(*corners), get_upper_bound(*corners)


def _divide(a: Interval, b: Interval) -> Interval:
    """Return the bounds of quotients, rounded towards minus infinity. Division by 0 is a fault and adds nothing."""
    if get_upper_bound(-a[0], a[1]) > UNKNOWN // 2:
        return get_lower_bound(a[0], -a[1]), get_upper_bound(-a[0], a[1])
    divisors = {d for d in (b[0], min(b[1], -1), max(b[0], 1), b[1]) if d and b[0] <= d <= b[1]}
    corners = [x // d for x in a for d in divisors]
    return (min(corners), max(corners)) if corners else (0, 0)


def _take_remainder(a: Interval, b: Interval) -> Interval:
    """Return the bounds of remainders. A remainder has the sign of the divisor."""
    low, high = min(b[0] + 1, 0), max(b[1] - 1, 0)
    return (low, min(high, a[1])) if low == 0 and a[0] >= 0 else (low, high)


INTERVAL_OPERATIONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _multiply,
    "div": _divide,
    "mod": _take_remainder,
}
