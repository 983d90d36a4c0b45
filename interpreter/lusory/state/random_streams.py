"""Draw reproducible random numbers from streams that the state stores as plain integers.

The engines use these streams. Nothing else in the rules of a game is random. A stream is a 64-bit linear congruential
generator with Knuth's constants for MMIX (The Art of Computer Programming 2, 3.3.4). Only its upper 32 bits are used.
Lemire's multiplication with rejection turns them into an unbiased number below n ("Fast Random Integer Generation in an
Interval", 2019). The same seed gives the same numbers on every platform and Python version. Each purpose has its own
stream, so that one more die roll doesn't change a later shuffle.

This generator is fast, but a few of its numbers suffice to predict all others. If players must not be able to do that,
the game has a secure seed. It is the text ``secure:`` and 128 random bits from the operating system, as hexadecimal
digits. Each stream then has its own key: the keyed BLAKE2b hash (RFC 7693) of the stream's name under the seed. The
numbers of a stream are the hashes of 0, 1, 2, … under this key. Some numbers of a stream reveal nothing about the
others, other streams or the seed, unless somebody breaks the hash. The cell of such a stream is the key, as hexadecimal
digits, and the number of hashes used so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

Seed = int | str  # a whole number, or a secure seed
SecureCell = tuple[str, int]
Cell = int | SecureCell

SECURE_PREFIX = "secure:"
SEED_PATTERN = re.compile(r"secure:[0-9a-f]{32}")
KEY, NUMBER = 16, 8  # bytes of a key, and of one random number
MASK = (1 << 64) - 1
LOW_MASK = (1 << 32) - 1
MULTIPLIER = 6364136223846793005
INCREMENT = 1442695040888963407
UNIT = 2.0**-32
CHOICES = "choices"
"""The stream from which random play draws its decisions. No state contains it."""

MIX_MULTIPLIERS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix_bits(z: int) -> int:
    """Return a number from 0 to 2**64 - 1 in which every bit depends on all bits of ``z``.

    ``z`` must be in the same range. 0 gives 0, and 1 gives 0x5692161d100b05e5.

    This is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014),
    with the multipliers ``MIX_MULTIPLIERS``.
    """
    z = ((z ^ (z >> 30)) * MIX_MULTIPLIERS[0]) & MASK
    z = ((z ^ (z >> 27)) * MIX_MULTIPLIERS[1]) & MASK
    return z ^ (z >> 31)


@lru_cache(maxsize=64)
def hash_stream_name(stream: str) -> int:
    """Return the 64-bit hash of a stream's name, such as ``dice``. It distinguishes the streams of a seed.

    The hash ``h`` starts at 0, which the empty name gives. Each UTF-8 byte of the name turns it into
    ``mix_bits((h ^ byte) + INCREMENT)``, where the sum is modulo 2**64.
    """
    cell = 0
    for byte in stream.encode():
        cell = mix_bits(((cell ^ byte) + INCREMENT) & MASK)
    return cell


def seed_stream(number: int, stream: str) -> int:
    """Return the initial cell of the stream with this name. Any whole number is a seed, taken modulo 2**64."""
    return mix_bits((number * MULTIPLIER + hash_stream_name(stream)) & MASK)


def make_choice_source(number: int) -> Callable[[], float]:
    """Return a function that draws the decisions of random play in a game with this seed.

    Each call returns a float from 0 to below 1. Random play takes option ``int(answer * n)`` of ``n``, counted from 0.
    This equals ``bits * n >> 32`` for the upper 32 bits of the next number of the seed's stream ``choices``.
    """
    cell = seed_stream(number, CHOICES)

    def answer() -> float:
        nonlocal cell
        cell = (cell * MULTIPLIER + INCREMENT) & MASK
        return (cell >> 32) * UNIT

    return answer


def make_secure_seed(bits: bytes) -> str:
    """Return the secure seed that holds 16 random bytes: ``secure:`` and 32 hexadecimal digits.

    Raise ValueError for another number of bytes.
    """
    if len(bits) != KEY:
        raise ValueError(f"a secure seed has {KEY} bytes, not {len(bits)}")
    return SECURE_PREFIX + bits.hex()


def _derive_secure_bytes(seed: str, purpose: str, size: int) -> bytes:
    """Derive ``size`` bytes from a seed for one purpose. They reveal nothing about the seed or other derived bytes.

    Raise ValueError if ``seed`` is not a secure seed.
    """
    if not SEED_PATTERN.fullmatch(seed):
        raise ValueError(f"a secure seed is `{SECURE_PREFIX}` and {2 * KEY} hexadecimal digits")
    return blake2b(purpose.encode(), digest_size=size, key=bytes.fromhex(seed.removeprefix(SECURE_PREFIX))).digest()


def _draw_secure(cell: SecureCell, n: int) -> tuple[SecureCell, int]:
    """Draw a uniform number from 0 to ``n`` - 1, where ``n`` is 1 to 2**64. Return the new cell and the number.

    The algorithm is Lemire's multiplication with rejection, with 64 bits from BLAKE2b. The cell holds the secret key in
    hexadecimal digits, and the number of hashes so far. Each try adds 1 to this number, also if ``n`` is 1.
    """
    key, hash_count = cell
    secret = bytes.fromhex(key)
    while True:
        digest = blake2b(hash_count.to_bytes(8, "little"), digest_size=NUMBER, key=secret).digest()
        hash_count += 1
        product = int.from_bytes(digest, "little") * n
        if product & MASK >= n or product & MASK >= (MASK + 1 - n) % n:
            return (key, hash_count), product >> 64


def start_stream(seed: Seed, stream: str) -> Cell:
    """Return the initial cell of a stream: an int for a number as the seed, and ``(key, 0)`` for a secure seed.

    Raise ValueError for a text that is no secure seed.
    """
    return (_derive_secure_bytes(seed, stream, KEY).hex(), 0) if isinstance(seed, str) else seed_stream(seed, stream)


def derive_seed(seed: Seed, purpose: str) -> int:
    """Derive a number below 2**64, the seed of one participant such as a bot.

    The same seed and ``purpose`` give the same number; each ``purpose`` gives another. If ``seed`` is secure, the
    result reveals nothing about the game. Raise ValueError for a text that is no secure seed.
    """
    if isinstance(seed, str):
        return int.from_bytes(_derive_secure_bytes(seed, purpose, 8), "little")
    return seed_stream(seed, purpose)


def parse_seed(text: str) -> Seed:
    """Parse a seed that somebody typed: a whole number, or ``secure:`` and 32 hexadecimal digits in lower case.

    A secure seed stays a text. A number is read by ``int`` and may be negative: ``1_0`` gives 10. Raise ValueError for
    any other text.
    """
    return text if SEED_PATTERN.fullmatch(text) else int(text)


def draw(cell: int, n: int) -> tuple[int, int]:
    """Draw a uniform number from 0 to ``n`` - 1, where ``n`` is at most 2**32. Return the new cell and the number.

    If ``n`` is 1 or less, the cell stays unchanged, and the number is 0.
    """
    if n < 2:
        return cell, 0
    while True:
        cell = (cell * MULTIPLIER + INCREMENT) & MASK
        product = (cell >> 32) * n
        if product & LOW_MASK >= n or product & LOW_MASK >= (LOW_MASK + 1 - n) % n:
            return cell, product >> 32


def shuffle(cell: int, items: list[int]) -> int:
    """Shuffle ``items`` in place, from the last position to the first (Fisher and Yates). Return the new cell.

    ``cell`` is the state of the stream before. Fewer than two items leave it unchanged. For each ``n`` from the number
    of items down to 2, ``cell, index = draw(cell, n)``, and items ``n - 1`` and ``index`` change places. Cell 7 turns
    ``[0, 1, 2, 3]`` into ``[0, 3, 2, 1]``.
    """
    n = len(items)
    while n > 2:
        cell = (cell * MULTIPLIER + INCREMENT) & MASK
        product = (cell >> 32) * n
        if product & LOW_MASK < n and product & LOW_MASK < (LOW_MASK + 1 - n) % n:
            # The rejection step of draw, written out for speed.
            continue
        n -= 1
        index = product >> 32
        items[n], items[index] = items[index], items[n]
    # For two items, draw only uses the first bit of a number and rejects none.
    if n == 2:
        cell = (cell * MULTIPLIER + INCREMENT) & MASK
        if not cell >> 63:
            items[0], items[1] = items[1], items[0]
    return cell


def draw_from_cell(cell: Cell, n: int) -> tuple[Cell, int]:
    """Draw a number from 0 to ``n`` - 1 like :func:`draw`, from a cell of either kind. Return the new cell and the
    number.

    If ``n`` is 1 or less, the cell stays unchanged, and the number is 0.
    """
    if isinstance(cell, int):
        return draw(cell, n)
    return _draw_secure(cell, n) if n > 1 else (cell, 0)


def shuffle_with_cell(cell: Cell, items: list[int]) -> Cell:
    """Shuffle ``items`` in place, with the cell of a stream: a number or a SecureCell. Return the new cell,
    which fewer than two items leave unchanged.
    """
    if isinstance(cell, int):
        return shuffle(cell, items)
    for last in range(len(items) - 1, 0, -1):
        cell, index = _draw_secure(cell, last + 1)
        items[last], items[index] = items[index], items[last]
    return cell
