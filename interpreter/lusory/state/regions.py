"""Find connected components and reachable values on boards.

The first functions work on lists of values. The last section does the same with bit masks: bit ``s`` stands for space
``s``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

Onward = Callable[[int], Iterable[int]]
"""Returns the values that one step leads to from a value."""


def reached(start: Iterable[int], within: int | None, onward: Onward) -> tuple[int, ...]:
    """Return all values that at most ``within`` steps from ``start`` reach, by breadth-first search.

    The values of ``start`` come first, then those of each further step. Each value occurs once. If ``within`` is None,
    the number of steps is unlimited.
    """
    found = list(dict.fromkeys(start))
    known = set(found)
    if within is None:
        # The loop appends to the list that it goes through.
        for value in found:
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    found.append(other)
        return tuple(found)
    begin = 0
    for _ in range(within):
        end = len(found)
        if begin == end:
            break
        for value in found[begin:end]:
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    found.append(other)
        begin = end
    return tuple(found)


def steps_to(start: Iterable[int], within: int | None, target: int, onward: Onward) -> int | None:
    """Return the smallest number of steps from ``start`` to ``target``.

    Return None if more than ``within`` steps are needed, or if no path exists. The search stops at the step that
    reaches ``target``.
    """
    layer = list(dict.fromkeys(start))
    known = set(layer)
    steps = 0
    while target not in known:
        if not layer or (within is not None and steps >= within):
            return None
        further: list[int] = []
        for value in layer:
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    further.append(other)
        layer, steps = further, steps + 1
    return steps


Touching = tuple[tuple[int, ...], ...]
"""An adjacency list: entry ``s`` holds the spaces that touch space ``s``."""

MOST_IN_MASKS = 256
"""The largest number of spaces of a board whose regions are computed with bit masks."""


@lru_cache(maxsize=64)
def both_ways(touching: Touching) -> Touching:
    """Return the symmetric closure of an adjacency list: if one space touches another, the other touches it, too."""
    found = [dict.fromkeys(others) for others in touching]
    for space, others in enumerate(touching):
        for other in others:
            found[other].setdefault(space)
    return tuple(map(tuple, found))


@lru_cache(maxsize=64)
def masks(touching: Touching) -> tuple[int, ...]:
    """Return one bit mask for each space, which holds the spaces that touch it or that it touches."""
    return tuple(sum(1 << other for other in others) for others in both_ways(touching))


# ---------------------------------------------------------------- lists


def group(start: Iterable[int], among: Sequence[int], touching: Touching) -> tuple[int, ...]:
    """Return the spaces of ``among`` that are connected, within ``among``, to a space of ``start``.

    The result keeps the order of ``among``. Spaces of ``start`` outside ``among`` are ignored.
    """
    left = set(among)
    waiting = [space for space in start if space in left]
    left.difference_update(waiting)
    found = set(waiting)
    while waiting:
        for other in touching[waiting.pop()]:
            if other in left:
                left.remove(other)
                found.add(other)
                waiting.append(other)
    return tuple([space for space in among if space in found])


def groups(among: Iterable[int], touching: Touching) -> int:
    """Return the number of connected components of the spaces in ``among``."""
    left = set(among)
    parts = 0
    while left:
        parts += 1
        waiting = [left.pop()]
        while waiting:
            for other in touching[waiting.pop()]:
                if other in left:
                    left.remove(other)
                    waiting.append(other)
    return parts


# ---------------------------------------------------------------- masks


def spread(part: int, among: int, touching: tuple[int, ...]) -> int:
    """Return the mask of the spaces in ``among`` that are connected to ``part``. ``part`` is a subset of ``among``."""
    left = among & ~part
    found = front = part
    while front:
        lowest = front & -front
        new = touching[lowest.bit_length() - 1] & left
        left ^= new
        found |= new
        front ^= lowest | new
    return found


def spaces_in(spaces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """Return the spaces that are in a mask, in the order of ``spaces``."""
    return tuple([space for space in spaces if mask >> space & 1])


def leading_in(spaces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """Return the spaces of a list before the first one that is not in the mask."""
    count = 0
    for space in spaces:
        if not mask >> space & 1:
            break
        count += 1
    return spaces[:count]


def first_in(mask: int) -> int:
    """Return the lowest space in a mask. Raise IndexError if the mask is empty, as for an empty list."""
    if not mask:
        raise IndexError
    return (mask ^ mask - 1).bit_length() - 1


def lowest_of_each(mask: int, groups: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lowest space that each group has in the mask, in ascending order.

    A group without a space in the mask is left out.
    """
    return tuple(sorted([(here & -here).bit_length() - 1 for group in groups if (here := mask & group)]))


def parts_of(among: int, touching: tuple[int, ...]) -> int:
    """Return the number of connected components of the spaces in a mask."""
    parts = 0
    while among:
        parts += 1
        front = among & -among
        among ^= front
        while front:
            lowest = front & -front
            new = touching[lowest.bit_length() - 1] & among
            among ^= new
            front ^= lowest | new
    return parts
