"""Chance that cannot be foretold: the streams of a real game, whose players must not find out what is to come.

A seed is the text ``secure:`` and 128 bits from the system in hexadecimal digits. Each stream has a key of its own,
the keyed BLAKE2b hash (RFC 7693) of its name under the seed; the numbers of a stream are the hashes of 0, 1, 2, … under
its key. Whoever sees any number of them learns nothing about the others, about other streams or about the seed, short
of breaking the hash. A stream's cell is plain data: the key in hexadecimal digits, and how many numbers are used up.

Used by :mod:`lusory.state.random_streams`, which has the quick generator for games that anybody may play again.
"""

from __future__ import annotations

import re
from hashlib import blake2b

Cell = tuple[str, int]

PREFIX = "secure:"
WORDS = re.compile(r"secure:[0-9a-f]{32}")
KEY, NUMBER = 16, 8  # bytes of a key, and of what is drawn at once
MASK = (1 << 64) - 1


def seed_of(bits: bytes) -> str:
    """The seed that 16 bytes of chance are."""
    if len(bits) != KEY:
        raise ValueError(f"a secure seed has {KEY} bytes, not {len(bits)}")
    return PREFIX + bits.hex()


def derived(seed: str, purpose: str, size: int) -> bytes:
    """Bytes that are bound to a seed and a purpose, and tell nothing about either to who has others."""
    if not WORDS.fullmatch(seed):
        raise ValueError(f"a secure seed is `{PREFIX}` and {2 * KEY} hexadecimal digits")
    return blake2b(purpose.encode(), digest_size=size, key=bytes.fromhex(seed.removeprefix(PREFIX))).digest()


def start(seed: str, stream: str) -> Cell:
    """The first value of a stream's cell."""
    return derived(seed, stream, KEY).hex(), 0


def draw(cell: Cell, n: int) -> tuple[Cell, int]:
    """The cell's next value, and a number 0..n-1 (n at most 2**64), each equally likely: Lemire's multiplication with
    rejection, on 64 bits."""
    key, used = cell
    secret = bytes.fromhex(key)
    while True:
        drawn = blake2b(used.to_bytes(8, "little"), digest_size=NUMBER, key=secret).digest()
        used += 1
        product = int.from_bytes(drawn, "little") * n
        if product & MASK >= n or product & MASK >= (MASK + 1 - n) % n:
            return (key, used), product >> 64


def shuffle(cell: Cell, items: list[int]) -> Cell:
    """Shuffle ``items`` in place, from the last place to the first; the cell's next value."""
    for last in range(len(items) - 1, 0, -1):
        cell, chosen = draw(cell, last + 1)
        items[last], items[chosen] = items[chosen], items[last]
    return cell
