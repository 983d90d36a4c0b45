"""Compute with integer intervals, which bound the numbers that an expression can have.

The end of an interval can be symbolic: see ``UNKNOWN``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .types import INT_MAX, INT_MIN, LIST_LIMIT

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

    An end may be a multiple of ``UNKNOWN`` plus an ordinary number. If the greatest end has a positive multiple,
    returns the greatest multiple plus the greatest ordinary number: ``UNKNOWN + 2`` and 5 give ``UNKNOWN + 5``.
    Otherwise returns the greatest end. Raises ValueError without ends.
    """
    greatest = max(ends)
    if greatest <= UNKNOWN // 2:
        return greatest
    split_ends = [split_symbolic(end) for end in ends]
    return max(times for times, _ in split_ends) * UNKNOWN + max(number for _, number in split_ends)


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
    if not bounds:
        return 0, 0
    return get_lower_bound(*(low for low, _ in bounds)), get_upper_bound(*(high for _, high in bounds))


def _iterate_leaves(value: object) -> Iterator[object]:
    """Yield the values in nested tuples from left to right, without None.

    A text is one value. A value that is no tuple is yielded alone.
    """
    if isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            yield from _iterate_leaves(item)
    elif value is not None:
        yield value


def bound_values(values: object) -> Interval:
    """Return the least and the greatest number in nested tuples, or (0, 0) if there are none.

    True counts as 1 and False as 0. Other values are ignored.
    """
    numbers = [int(value) for value in _iterate_leaves(values) if isinstance(value, int)]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def compute_max_list_length(values: Iterable[object]) -> int:
    """Return the maximum length of the lists (tuples) in ``values``, not counting lists inside them.

    Returns ``LIST_LIMIT`` if there is no list.
    """
    return max((len(value) for value in values if isinstance(value, tuple)), default=LIST_LIMIT)


def compute_max_text_length(values: object) -> int:
    """Return the maximum number of characters of a value in nested tuples, written out, or 0 if all are None."""
    return max((len(str(value)) for value in _iterate_leaves(values)), default=0)


def _multiply(first: Interval, second: Interval) -> Interval:
    corners = [x * y for x in first for y in second]
    return get_lower_bound(*corners), get_upper_bound(*corners)


def _divide(dividends: Interval, divisors: Interval) -> Interval:
    """Return the bounds of quotients, rounded towards minus infinity. Division by 0 is a fault and adds nothing."""
    if get_upper_bound(-dividends[0], dividends[1]) > UNKNOWN // 2:
        return get_lower_bound(dividends[0], -dividends[1]), get_upper_bound(-dividends[0], dividends[1])
    low, high = divisors
    extremes = {divisor for divisor in (low, min(high, -1), max(low, 1), high) if divisor and low <= divisor <= high}
    corners = [x // divisor for x in dividends for divisor in extremes]
    return (min(corners), max(corners)) if corners else (0, 0)


def _take_remainder(dividends: Interval, divisors: Interval) -> Interval:
    """Return the bounds of remainders. A remainder has the sign of the divisor."""
    low, high = min(divisors[0] + 1, 0), max(divisors[1] - 1, 0)
    return (low, min(high, dividends[1])) if low == 0 and dividends[0] >= 0 else (low, high)


INTERVAL_OPERATIONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _multiply,
    "div": _divide,
    "mod": _take_remainder,
}
