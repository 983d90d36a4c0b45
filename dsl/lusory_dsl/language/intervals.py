"""Intervals: the least and the greatest number that something can be, and what comes of them.

Ends are plain numbers, or stand for one that is still sought (:data:`UNKNOWN`), so they are compared by ``upper`` and
``lower`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .types import INT_MAX, INT_MIN, LIST_LIMIT, ListType, OptionalType, Type

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
