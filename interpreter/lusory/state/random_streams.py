"""Draw reproducible random numbers from streams that the state stores as plain integers.

The engines use these streams. Nothing else in the rules of a game is random. A stream is a 64-bit linear congruential
generator with Knuth's constants for MMIX (The Art of Computer Programming 2, 3.3.4). Only its upper 32 bits are used.
Lemire's multiplication with rejection turns them into an unbiased number below n ("Fast Random Integer Generation in an
Interval", 2019). The same seed gives the same numbers on every platform and Python version. Each purpose has its own
stream, so that one more die roll doesn't change a later shuffle.

This generator is fast, but a few of its numbers suffice to predict all others. A game whose seed is a text therefore
draws from :mod:`lusory.state.secure_random`, through the same functions. Its cells have a different form.
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
"""The stream from which random play draws its decisions. No state contains it."""

SPREAD = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z: int) -> int:
    """Spread every bit of a 64-bit number over all bits (the finalizer of SplitMix64)."""
    z = ((z ^ (z >> 30)) * SPREAD[0]) & MASK
    z = ((z ^ (z >> 27)) * SPREAD[1]) & MASK
    return z ^ (z >> 31)


@lru_cache(maxsize=64)
def name(stream: str) -> int:
    """Return the 64-bit hash of a stream's name, which distinguishes the streams of a seed."""
    cell = 0
    for byte in stream.encode():
        cell = mix(((cell ^ byte) + STEP) & MASK)
    return cell


def seed(number: int, stream: str) -> int:
    """Return the initial cell of a stream. Any whole number is a seed, taken modulo 2**64."""
    return first(number, name(stream))


def first(number: int, name: int) -> int:
    """Return the initial cell of the stream whose :func:`name` hash is given. :func:`seed` explains the seed."""
    z = (number * FACTOR + name) & MASK
    # This repeats the body of mix, which saves a function call.
    z = ((z ^ (z >> 30)) * SPREAD[0]) & MASK
    z = ((z ^ (z >> 27)) * SPREAD[1]) & MASK
    return z ^ (z >> 31)


def answers(number: int) -> Callable[[], float]:
    """Return a function that draws the decisions of random play in a game with this seed.

    Each call returns a number from 0 to below 1. Random play takes option ``int(answer * n)`` of ``n``. This
    equals ``number * n >> 32`` for the upper 32 bits of the stream's next number.
    """
    cell = first(number, name(CHOICES))

    def answer() -> float:
        nonlocal cell
        cell = (cell * FACTOR + STEP) & MASK
        return (cell >> 32) * SHARE

    return answer


def start(seed_: Seed, stream: str) -> Cell:
    """Return the initial cell of a stream, for either kind of seed."""
    return secure_random.start(seed_, stream) if isinstance(seed_, str) else seed(seed_, stream)


def own(seed_: Seed, purpose: str) -> int:
    """Derive a seed for one participant, such as a bot.

    If ``seed_`` is secure, the result reveals nothing about the game.
    """
    if isinstance(seed_, str):
        return int.from_bytes(secure_random.derived(seed_, purpose, 8), "little")
    return seed(seed_, purpose)


def seed_in(text: str) -> Seed:
    """Parse a seed that somebody typed. Raise ValueError if it is neither a number nor a secure seed."""
    return text if secure_random.WORDS.fullmatch(text) else int(text)


def draw(cell: int, n: int) -> tuple[int, int]:
    """Draw a uniform number from 0 to ``n`` - 1, where ``n`` is at most 2**32. Return the new cell and the number.

    If ``n`` is 1, the cell stays unchanged.
    """
    if n < 2:
        return cell, 0
    while True:
        cell = (cell * FACTOR + STEP) & MASK
        product = (cell >> 32) * n
        if product & LOW >= n or product & LOW >= (LOW + 1 - n) % n:
            return cell, product >> 32


def shuffle(cell: int, items: list[int]) -> int:
    """Shuffle ``items`` in place, from the last position to the first. Return the new cell."""
    n = len(items)
    while n > 2:
        cell = (cell * FACTOR + STEP) & MASK
        product = (cell >> 32) * n
        if product & LOW < n and product & LOW < (LOW + 1 - n) % n:
            # The rejection step of draw, written out for speed.
            continue
        n -= 1
        chosen = product >> 32
        items[n], items[chosen] = items[chosen], items[n]
    # For two items, draw only uses the first bit of a number and rejects none.
    if n == 2:
        cell = (cell * FACTOR + STEP) & MASK
        if not cell >> 63:
            items[0], items[1] = items[1], items[0]
    return cell


def drawn(cell: Cell, n: int) -> tuple[Cell, int]:
    """Draw like :func:`draw`, from a cell of either kind."""
    if isinstance(cell, int):
        return draw(cell, n)
    return secure_random.draw(cell, n) if n > 1 else (cell, 0)


def shuffled(cell: Cell, items: list[int]) -> Cell:
    """Shuffle like :func:`shuffle`, with a cell of either kind."""
    return shuffle(cell, items) if isinstance(cell, int) else secure_random.shuffle(cell, items)
