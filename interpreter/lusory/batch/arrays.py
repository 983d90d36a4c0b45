"""The arrays of a batch: the door to numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

try:
    import numpy
except ImportError:
    raise ImportError("lusory.batch needs numpy: pip install 'lusory[batch]'") from None

Array = Any
"""An array of numpy."""


@dataclass(eq=False)
class Arrays:
    """What each of ``count`` states waits for; made once, and written in place.

    ``seat``: who decides, -1 where nobody does; ``options``: among how many; ``legal``: of each option that there is
    room for, whether it is one; ``done``: the game ended; ``wrong``: it can't go on; ``returns``: what each seat gets
    of a game that ended; ``seeds``: of the games; ``last``: what was answered last, -1 in a new game."""

    count: int
    most: int
    seats: int

    def __post_init__(self) -> None:
        n = self.count
        self.seat: Array = numpy.full(n, -1, numpy.int32)
        self.options: Array = numpy.zeros(n, numpy.int32)
        self.legal: Array = numpy.zeros((n, self.most), numpy.bool_)
        self.done: Array = numpy.zeros(n, numpy.bool_)
        self.wrong: Array = numpy.zeros(n, numpy.bool_)
        self.returns: Array = numpy.zeros((n, self.seats), numpy.float64)
        self.seeds: Array = numpy.zeros(n, numpy.uint64)
        self.last: Array = numpy.full(n, -1, numpy.int64)

    def show(self, at: int, options: int, seat: int) -> None:
        """What a state waits for."""
        self.options[at], self.seat[at] = options, seat
        self.legal[at, :options] = True
        self.legal[at, options:] = False


def whole(values: Any, count: int, what: str) -> Array:
    """Whole numbers, one for each state. Raises ValueError."""
    found = numpy.asarray(values)
    if found.shape != (count,) or found.dtype.kind not in "iu":
        raise ValueError(f"{what} are {count:,} whole numbers, not {found.dtype} {found.shape}")
    return numpy.ascontiguousarray(found, numpy.int64)


def chosen(where: Any, count: int) -> Array:
    """Truth values, one for each state, of a mask or of numbers of states; None: all."""
    if where is None:
        return numpy.ones(count, numpy.bool_)
    found = numpy.asarray(where)
    if found.dtype == numpy.bool_ and found.shape == (count,):
        return numpy.ascontiguousarray(found)
    mask: Array = numpy.zeros(count, numpy.bool_)
    mask[found.astype(numpy.int64)] = True
    return mask


def first_seeds(seed: int, count: int) -> Array:
    return numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(seed & (1 << 64) - 1)


def table(rows: list[list[int]], kind: str) -> Array:
    """Rows of numbers of a kind, one behind the other."""
    return numpy.ascontiguousarray(numpy.array(rows, dtype=kind))


def empty(shape: tuple[int, ...], kind: str) -> Array:
    return numpy.empty(shape, kind)
