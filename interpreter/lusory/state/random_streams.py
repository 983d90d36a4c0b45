"""Random numbers as plain integers kept in the state. Used by the engines; nothing else in the core is random.

A stream is one 64-bit number: a linear congruential generator with Knuth's constants for MMIX (The Art of Computer
Programming 2, 3.3.4), of which the upper 32 bits are used; a number below n comes from them without bias by Lemire's
multiplication with rejection ("Fast Random Integer Generation in an Interval", 2019). The same seed gives the same
numbers on every platform and Python. Streams are split by purpose, so that one more die does not change a later
shuffle.

That generator is quick, and who has seen a few of its numbers can tell the others. A game whose seed is a text draws
from :mod:`lusory.state.secure_random` instead, through the same functions: its cells are of another form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from . import secure_random

Seed = int | str  # a whole number, or a secure seed
Cell = int | secure_random.Cell

MASK = (1 << 64) - 1
LOW = (1 << 32) - 1
FACTOR = 6364136223846793005
STEP = 1442695040888963407
SHARE = 2.0**-32
CHOICES = "choices"
"""The stream of the answers of random play. It belongs to no game: nothing of it is in a state."""

SPREAD = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z: int) -> int:
    """Spreads every bit of a 64-bit number over all of them (the finaliser of SplitMix64)."""
    z = ((z ^ (z >> 30)) * SPREAD[0]) & MASK
    z = ((z ^ (z >> 27)) * SPREAD[1]) & MASK
    return z ^ (z >> 31)


@lru_cache(maxsize=64)
def name(stream: str) -> int:
    """What tells a stream from the others of the same seed."""
    cell = 0
    for byte in stream.encode():
        cell = mix(((cell ^ byte) + STEP) & MASK)
    return cell


def seed(number: int, stream: str) -> int:
    """The first value of a stream's cell. Any whole number is a seed; it counts modulo 2**64."""
    return first(number, name(stream))


def first(number: int, name: int) -> int:
    """As :func:`seed`, of a stream that is known by what tells it from the others."""
    z = (number * FACTOR + name) & MASK
    z = ((z ^ (z >> 30)) * SPREAD[0]) & MASK  # as mix, written out
    z = ((z ^ (z >> 27)) * SPREAD[1]) & MASK
    return z ^ (z >> 31)


def answers(number: int) -> Callable[[], float]:
    """The answers of random play in the game of a seed, each a number below 1: of n options the one numbered
    ``int(answer * n)`` is taken, which is ``number * n >> 32`` of the upper 32 bits of the stream's next number."""
    cell = first(number, name(CHOICES))

    def answer() -> float:
        nonlocal cell
        cell = (cell * FACTOR + STEP) & MASK
        return (cell >> 32) * SHARE

    return answer


def start(seed_: Seed, stream: str) -> Cell:
    """The first value of a stream's cell, of either kind of seed."""
    return secure_random.start(seed_, stream) if isinstance(seed_, str) else seed(seed_, stream)


def own(seed_: Seed, purpose: str) -> int:
    """A whole number for somebody at the table to draw from. Of a secure seed it tells nothing about the game."""
    if isinstance(seed_, str):
        return int.from_bytes(secure_random.derived(seed_, purpose, 8), "little")
    return seed(seed_, purpose)


def seed_in(text: str) -> Seed:
    """The seed that somebody typed. Raises ValueError for what is none."""
    return text if secure_random.WORDS.fullmatch(text) else int(text)


def draw(cell: int, n: int) -> tuple[int, int]:
    """The cell's next value, and a number 0..n-1 (n at most 2**32), each equally likely. One of one (n = 1) uses no
    chance."""
    if n < 2:
        return cell, 0
    while True:
        cell = (cell * FACTOR + STEP) & MASK
        product = (cell >> 32) * n
        if product & LOW >= n or product & LOW >= (LOW + 1 - n) % n:
            return cell, product >> 32


def shuffle(cell: int, items: list[int]) -> int:
    """Shuffle ``items`` in place, from the last place to the first; the cell's next value."""
    n = len(items)
    while n > 2:
        cell = (cell * FACTOR + STEP) & MASK
        product = (cell >> 32) * n
        if product & LOW < n and product & LOW < (LOW + 1 - n) % n:
            continue  # as draw, written out
        n -= 1
        chosen = product >> 32
        items[n], items[chosen] = items[chosen], items[n]
    if n == 2:  # the same of two: a number's first bit, and none is rejected
        cell = (cell * FACTOR + STEP) & MASK
        if not cell >> 63:
            items[0], items[1] = items[1], items[0]
    return cell


def drawn(cell: Cell, n: int) -> tuple[Cell, int]:
    """As :func:`draw`, of a stream of either kind."""
    if isinstance(cell, int):
        return draw(cell, n)
    return secure_random.draw(cell, n) if n > 1 else (cell, 0)


def shuffled(cell: Cell, items: list[int]) -> Cell:
    """As :func:`shuffle`, of a stream of either kind."""
    return shuffle(cell, items) if isinstance(cell, int) else secure_random.shuffle(cell, items)
