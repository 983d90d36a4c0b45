"""Compute with integer intervals, which bound the numbers that an expression can have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .types import INT_MAX, INT_MIN, LIST_LIMIT

Interval = tuple[int, int]


INT_RANGE: Interval = (INT_MIN, INT_MAX)


DOUBLE_INT_RANGE: Interval = (INT_MIN * 2, INT_MAX * 2)


def clip_to_int(interval: Interval) -> Interval:
    """Return an interval whose ends are cut to the range of Int."""
    low, high = interval
    return min(max(low, INT_MIN), INT_MAX), max(min(high, INT_MAX), INT_MIN)


def compute_hull(intervals: Iterable[Interval]) -> Interval:
    """Return the smallest interval that contains all ``intervals``: (1, 9) for (5, 9) and (1, 2).

    Returns (0, 0) if there are none.
    """
    bounds = list(intervals)
    if not bounds:
        return 0, 0
    return min(low for low, _ in bounds), max(high for _, high in bounds)


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
    return min(corners), max(corners)


def _divide(dividends: Interval, divisors: Interval) -> Interval:
    """Return the bounds of quotients, rounded towards minus infinity. Division by 0 is a fault and adds nothing."""
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
