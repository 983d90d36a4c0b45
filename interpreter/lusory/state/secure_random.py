"""Draw unpredictable random numbers, for games whose players must not be able to compute what comes next.

A seed is the text ``secure:`` and 128 random bits from the operating system, as hexadecimal digits. Each stream has its
own key: the keyed BLAKE2b hash (RFC 7693) of the stream's name under the seed. The numbers of a stream are the hashes
of 0, 1, 2, … under this key. Some numbers of a stream reveal nothing about the others, other streams or the seed,
unless somebody breaks the hash.

The cell of a stream is plain data: the key as hexadecimal digits, and the number of hashes used so far. The module
:mod:`lusory.state.random_streams` calls these functions, and holds a faster generator for games that may be
predictable.
"""

from __future__ import annotations

import re
from hashlib import blake2b

Cell = tuple[str, int]

PREFIX = "secure:"
SEED_PATTERN = re.compile(r"secure:[0-9a-f]{32}")
KEY, NUMBER = 16, 8  # bytes of a key, and of one random number
MASK = (1 << 64) - 1


def make_seed(bits: bytes) -> str:
    """Return the secure seed that holds 16 random bytes: ``secure:`` and 32 hexadecimal digits.

    Raise ValueError for another number of bytes.
    """
    if len(bits) != KEY:
        raise ValueError(f"a secure seed has {KEY} bytes, not {len(bits)}")
    return PREFIX + bits.hex()


def derive_bytes(seed: str, purpose: str, size: int) -> bytes:
    """Derive ``size`` bytes from a seed for one purpose. They reveal nothing about the seed or other derived bytes.

    Raise ValueError if ``seed`` is not a secure seed.
    """
    if not SEED_PATTERN.fullmatch(seed):
        raise ValueError(f"a secure seed is `{PREFIX}` and {2 * KEY} hexadecimal digits")
    return blake2b(purpose.encode(), digest_size=size, key=bytes.fromhex(seed.removeprefix(PREFIX))).digest()


def start_stream(seed: str, stream: str) -> Cell:
    """Return the initial cell of a stream: its key in hexadecimal digits, and 0.

    The key is derived from the seed and the stream's name. Raise ValueError if ``seed`` is not secure.
    """
    return derive_bytes(seed, stream, KEY).hex(), 0


def draw(cell: Cell, n: int) -> tuple[Cell, int]:
    """Draw a uniform number from 0 to ``n`` - 1, where ``n`` is 1 to 2**64. Return the new cell and the number.

    The algorithm is Lemire's multiplication with rejection, with 64 bits from BLAKE2b. The cell is the secret key, in
    hexadecimal digits, and the number of hashes so far, which grows by 1 for each try, also if ``n`` is 1.
    """
    key, hash_count = cell
    secret = bytes.fromhex(key)
    while True:
        digest = blake2b(hash_count.to_bytes(8, "little"), digest_size=NUMBER, key=secret).digest()
        hash_count += 1
        product = int.from_bytes(digest, "little") * n
        if product & MASK >= n or product & MASK >= (MASK + 1 - n) % n:
            return (key, hash_count), product >> 64


def shuffle(cell: Cell, items: list[int]) -> Cell:
    """Shuffle ``items`` in place, from the last position to the first (Fisher and Yates). Return the new cell.

    Fewer than two items leave the cell unchanged.
    """
    for last in range(len(items) - 1, 0, -1):
        cell, chosen = draw(cell, last + 1)
        items[last], items[chosen] = items[chosen], items[last]
    return cell
