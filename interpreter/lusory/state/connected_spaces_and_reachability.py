"""Find connected components and reachable values on boards.

The first functions work on lists of values. The last section does the same with bit masks: bit ``s`` stands for space
``s``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

Successors = Callable[[int], Iterable[int]]
"""Returns the values that one step leads to from a value."""


def find_reachable(start: Iterable[int], max_steps: int | None, successors: Successors) -> tuple[int, ...]:
    """Return all values that at most ``max_steps`` steps from ``start`` reach, by breadth-first search.

    ``successors`` returns the values that one step leads to. The values of ``start`` come first, then those of each
    further step. Each value occurs once. If ``max_steps`` is None, the number of steps is unlimited; for 0 or less,
    only the values of ``start`` are returned. An empty ``start`` gives ``()``.
    """
    return tuple(chain.from_iterable(_iterate_layers(start, max_steps, successors)))


def count_steps(start: Iterable[int], max_steps: int | None, target: int, successors: Successors) -> int | None:
    """Return the smallest number of steps from a value of ``start`` to ``target``, which is 0 if ``start`` contains it.

    Return None if more than ``max_steps`` steps are needed, or if no path exists. With ``max_steps`` None, the number
    of steps is unlimited. The step that reaches ``target`` is completed: ``successors`` is called for all its starts.
    """
    layers = enumerate(_iterate_layers(start, max_steps, successors))
    return next((step_count for step_count, layer in layers if target in layer), None)


def _iterate_layers(start: Iterable[int], max_steps: int | None, successors: Successors) -> Iterator[list[int]]:
    """Yield the values of ``start``, then the new values of each further step, at most ``max_steps`` times."""
    layer = list(dict.fromkeys(start))
    visited = set(layer)
    step_count = 0
    yield layer
    while layer and (max_steps is None or step_count < max_steps):
        next_layer: list[int] = []
        for value in layer:
            for neighbour in successors(value):
                if neighbour not in visited:
                    visited.add(neighbour)
                    next_layer.append(neighbour)
        layer, step_count = next_layer, step_count + 1
        yield layer


Adjacency = tuple[tuple[int, ...], ...]
"""An adjacency list: entry ``s`` holds the spaces that touch space ``s``."""

MAX_MASK_SPACES = 256
"""The largest number of spaces of a board whose regions are computed with bit masks."""


@lru_cache(maxsize=64)
def make_symmetric(adjacency: Adjacency) -> Adjacency:
    """Return the symmetric closure of an adjacency list: ``((1,), (), (0,))`` becomes ``((1, 2), (0,), (0,))``.

    The spaces that an entry has already come first, each once, then the added ones in ascending order.
    """
    neighbours = [dict.fromkeys(neighbour_list) for neighbour_list in adjacency]
    for space, neighbour_list in enumerate(adjacency):
        for neighbour in neighbour_list:
            neighbours[neighbour].setdefault(space)
    return tuple(map(tuple, neighbours))


@lru_cache(maxsize=64)
def make_neighbour_masks(adjacency: Adjacency) -> tuple[int, ...]:
    """Return one bit mask for each space. It holds the spaces that touch it or that it touches (bit ``s`` for space
    ``s``).
    """
    return tuple(sum(1 << neighbour for neighbour in neighbours) for neighbours in make_symmetric(adjacency))


# ---------------------------------------------------------------- lists


def find_connected(start: Iterable[int], area: Sequence[int], adjacency: Adjacency) -> tuple[int, ...]:
    """Return the spaces of ``area`` that are connected, within ``area``, to a space of ``start``.

    The result keeps the order and repetitions of ``area`` and includes the spaces of ``start`` that are in ``area``;
    others of ``start`` are ignored. Entry ``s`` of ``adjacency``, which must be symmetric, holds the neighbours of
    space ``s``.
    """
    unvisited = set(area)
    _remove_connected(unvisited, [space for space in start if space in unvisited], adjacency)
    return tuple([space for space in area if space not in unvisited])


def count_groups(area: Iterable[int], adjacency: Adjacency) -> int:
    """Return the number of connected components of the spaces in ``area``: 0 if it is empty.

    Spaces outside ``area`` connect nothing, and repeated spaces count once. Entry ``s`` of ``adjacency``, which must be
    symmetric, holds the neighbours of space ``s``.
    """
    unvisited = set(area)
    group_count = 0
    while unvisited:
        group_count += 1
        _remove_connected(unvisited, [unvisited.pop()], adjacency)
    return group_count


def _remove_connected(unvisited: set[int], frontier: list[int], adjacency: Adjacency) -> None:
    """Remove from ``unvisited`` the spaces of ``frontier``, and those that are connected to them within it."""
    unvisited.difference_update(frontier)
    while frontier:
        for neighbour in adjacency[frontier.pop()]:
            if neighbour in unvisited:
                unvisited.remove(neighbour)
                frontier.append(neighbour)


# ---------------------------------------------------------------- masks


def grow_mask(seed: int, limit: int, neighbour_masks: tuple[int, ...]) -> int:
    """Return the mask of the spaces in ``limit`` that are connected to ``seed`` within ``limit``, including
    ``seed``.

    ``seed`` is a subset of ``limit``. Entry ``s`` of ``neighbour_masks``, which must be symmetric, is the mask of the
    neighbours of space ``s``.
    """
    unvisited = limit & ~seed
    group = frontier = seed
    while frontier:
        lowest = frontier & -frontier
        new_spaces = neighbour_masks[lowest.bit_length() - 1] & unvisited
        unvisited ^= new_spaces
        group |= new_spaces
        frontier ^= lowest | new_spaces
    return group


def select_spaces(spaces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """Return the spaces that are in a mask, in the order of ``spaces``."""
    return tuple([space for space in spaces if mask >> space & 1])


def select_leading_spaces(spaces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """Return the spaces of a list before the first one that is not in the mask, in their order.

    Bit ``s`` of the mask stands for space ``s``. Example: ``(0, 2, 1)`` with the mask ``0b101`` gives ``(0, 2)``.
    """
    length = 0
    for space in spaces:
        if not mask >> space & 1:
            break
        length += 1
    return spaces[:length]


def find_lowest_space(mask: int) -> int:
    """Return the number of the lowest set bit of a mask. Raise IndexError if the mask is 0, as for an empty list."""
    if not mask:
        raise IndexError
    return (mask ^ mask - 1).bit_length() - 1


def count_mask_groups(mask: int, neighbour_masks: tuple[int, ...]) -> int:
    """Return the number of connected components of the spaces in a mask, which is 0 for the mask 0.

    Entry ``s`` of ``neighbour_masks`` is the mask of the neighbours of space ``s``; it must be symmetric.
    """
    groups = 0
    while mask:
        groups += 1
        mask ^= grow_mask(mask & -mask, mask, neighbour_masks)
    return groups
