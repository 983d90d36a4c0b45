"""How names and lists of them are spelt: in code, for people, in messages."""

from __future__ import annotations

import re
from collections.abc import Iterable


def snake_case(name: str) -> str:
    """``BuildingTile`` is ``building_tile``."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


def humanised(name: str) -> str:
    """A name as people read it: ``start_player`` is ``start player``, ``Card.play`` is ``Card play``. Numbers stay."""
    return name.replace("_", " ").replace(".", " ").strip()


def article(noun: object) -> str:
    """The noun with `a` or `an`."""
    text = str(noun)
    is_vowel = re.match(r"(?!uni|use|one\b|eu)[aeiou]", text.strip("`").lower())
    return f"an {text}" if is_vowel else f"a {text}"


def listed(words: Iterable[object], last: str = "and") -> str:
    """``a, b and c``, each between back-quotes."""
    quoted = [f"`{w}`" for w in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {last} {quoted[-1]}" if quoted else "nothing"
