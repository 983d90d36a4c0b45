"""Connected components and reachability on boards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

Onward = Callable[[int], Iterable[int]]
"""Where the way goes on to from a value."""


def reached(start: Iterable[int], within: int | None, onward: Onward) -> tuple[int, ...]:
    """All that is reached in at most ``within`` steps: those of ``start`` first, then by steps, each once."""
    found = list(dict.fromkeys(start))
    known = set(found)
    if within is None:
        for value in found:  # which grows meanwhile
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
    """In how many steps a value is reached, at most ``within``; None where it is not. Nothing is looked at beyond the
    step in which it is."""
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
"""What touches each space."""

MOST_IN_MASKS = 256
"""How many spaces a board may have whose regions are masks."""


@lru_cache(maxsize=64)
def both_ways(touching: Touching) -> Touching:
    """The same where what touches a space is also touched by it."""
    found = [dict.fromkeys(others) for others in touching]
    for space, others in enumerate(touching):
        for other in others:
            found[other].setdefault(space)
    return tuple(map(tuple, found))


@lru_cache(maxsize=64)
def masks(touching: Touching) -> tuple[int, ...]:
    """What touches each space, as masks."""
    return tuple(sum(1 << other for other in others) for others in both_ways(touching))


# ---------------------------------------------------------------- lists


def group(start: Iterable[int], among: Sequence[int], touching: Touching) -> tuple[int, ...]:
    """Those of ``among``, in their order, that hang together with what of them is in ``start``."""
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
    """Of how many parts they consist."""
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
    """What of ``among`` hangs together with ``part``, which is in it."""
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
    """The spaces of a list, which stand in it in their order, that are in a mask."""
    return tuple([space for space in spaces if mask >> space & 1])


def leading_in(spaces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """The spaces of a list before the first that is not in a mask."""
    count = 0
    for space in spaces:
        if not mask >> space & 1:
            break
        count += 1
    return spaces[:count]


def first_in(mask: int) -> int:
    """The lowest space in a mask. Raises IndexError, as that of an empty list."""
    if not mask:
        raise IndexError
    return (mask ^ mask - 1).bit_length() - 1


def lowest_of_each(mask: int, groups: tuple[int, ...]) -> tuple[int, ...]:
    """The lowest space of each group that is in a mask, in order."""
    return tuple(sorted([(here & -here).bit_length() - 1 for group in groups if (here := mask & group)]))


def parts_of(among: int, touching: tuple[int, ...]) -> int:
    """Of how many parts a mask consists."""
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
