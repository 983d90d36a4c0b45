"""How what an author wrote gets into generated text: THE one door.

Values become literals, names become identifiers, and remarks are made of identifiers and numbers. Everything that the
three functions give is ASCII, on one line, and of an alphabet in which nothing can end what it stands in. The
printer writes authors' words through them and in no other way; :mod:`lusory.compile.python.admission` looks at what
comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_REMARKABLE = re.compile(r"[a-z0-9_-]+", re.ASCII)


def literal(value: object) -> str:
    """A value as a Python literal: None, a bool, an int, a text, or a tuple or mapping of such. Raises TypeError for
    anything else."""
    _check(value)
    return ascii(value)


def identifier(name: str, number: int, prefix: str = "") -> str:
    """An identifier of a name's plain letters that no other number has, for a local; with a ``prefix``, of a declared
    name as it is, or of its number where it isn't plain."""
    if prefix:
        return f"{prefix}_{name if _PLAIN.fullmatch(name) else number}"
    plain = re.sub("[^a-z0-9_]", "", name.lower()).lstrip("_0123456789")
    return f"{plain or 'v'}_{number}"


def place_names(places: Iterable[str]) -> dict[str, str]:
    """The local variable of a playout that each place is."""
    return {name: identifier(name, number, prefix="P") for number, name in enumerate(places)}


def remark(*words: str | int) -> str:
    """A line that is a comment, of a program's id, numbers and words of this program."""
    return "# " + " ".join(str(word) if isinstance(word, int) else plain_id(word) for word in words)


def plain_id(name: str) -> str:
    """An id as it is, if it is made of the letters that ids are made of."""
    return name if _REMARKABLE.fullmatch(name) else "unnamed"


def _check(value: object) -> None:
    if type(value) is tuple:
        for item in value:
            _check(item)
    elif type(value) is dict:
        for pair in value.items():
            _check(pair)
    elif value is not None and type(value) not in (bool, int, str):
        raise TypeError(f"{type(value).__name__} has no literal")
