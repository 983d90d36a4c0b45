"""Random numbers as plain integers kept in the state. Used by the engines; nothing else in the core is random.

A stream is one 64-bit number (SplitMix64: a counter that steps by an odd constant, and a mixing function over it).
The same seed gives the same numbers on every platform and Python. Streams are split by purpose, so that one more
die does not change a later shuffle.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def seed(number: int, stream: str) -> int:
    """The first value of a stream's cell. Any whole number is a seed; it counts modulo 2**64."""
    cell = _mix((number + _STEP) & _MASK)
    for byte in stream.encode():
        cell = _mix(((cell ^ byte) + _STEP) & _MASK)
    return cell


def draw(cell: int, n: int) -> tuple[int, int]:
    """The cell's next value, and a number 0..n-1, each equally likely. One of one (n = 1) uses no chance."""
    if n < 2:
        return cell, 0
    limit = _MASK + 1 - (_MASK + 1) % n
    while True:
        cell = (cell + _STEP) & _MASK
        z = _mix(cell)
        if z < limit:
            return cell, z % n


def shuffle(cell: int, items: list[int]) -> int:
    """Shuffle ``items`` in place, from the last place to the first; the cell's next value."""
    for last in range(len(items) - 1, 0, -1):
        cell, chosen = draw(cell, last + 1)
        items[last], items[chosen] = items[chosen], items[last]
    return cell
