"""What generated code may be made of. It is held against this before it is first executed, whether it was made just now
or comes from the cache.

The compiled form is looked at, with everything inside of it: it is what runs, and looking takes a few milliseconds.
Code that knows no other names than these, reaches into nothing but lists, and has no builtins but those that it needs
can't get at anything but the game that it is given.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Callable, Container, Iterator
from types import CodeType
from typing import Any

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    abs,
    all,
    any,
    enumerate,
    frozenset,
    int,
    len,
    max,
    min,
    range,
    sorted,
    sum,
    tuple,
)
BUILTINS: dict[str, Any] = {f.__name__: f for f in _FUNCTIONS}
"""All that generated code has of Python's own functions."""

METHODS = frozenset({"append", "bit_count", "bit_length", "count", "from_iterable", "insert", "pop"})
"""All that it asks of anything by a dot."""

OWN = re.compile(r"K[0-9]+|(value|effect|[bfopqr])[0-9]+|outcome|standing|playout", re.ASCII)
"""What a generated module names itself: constants and functions."""

_CONSTANTS = {bool, int, str, type(None), tuple, frozenset}
_REFUSED = ("IMPORT_", "MATCH_", "DELETE_", "STORE_ATTR", "STORE_GLOBAL", "LOAD_BUILD_CLASS")


class NotAdmitted(Exception):
    """Generated code has something in it that the printer does not write."""


def admit(code: object, provided: Container[str]) -> CodeType:
    """The code of a module, if it may run. ``provided``: the names that it finds in its namespace. Raises
    NotAdmitted."""
    if not isinstance(code, CodeType):
        raise NotAdmitted(type(code).__name__)
    names: set[str] = set()
    instructions: set[int] = set()
    for part in _parts(code):
        names.update(part.co_names)
        instructions.update(part.co_code[::2])
    for name in names:
        if not (name in provided or name in BUILTINS or name in METHODS or OWN.fullmatch(name)):
            raise NotAdmitted(f"the name {name!a}")
    for number in instructions:
        if dis.opname[number].startswith(_REFUSED):
            raise NotAdmitted(f"the instruction {dis.opname[number]}")
    return code


def _parts(code: CodeType) -> Iterator[CodeType]:
    """A piece of code, and the pieces inside of it. Raises NotAdmitted for other constants than a ruleset has."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _parts(value)
        elif type(value) not in _CONSTANTS:
            raise NotAdmitted(f"a constant of type {type(value).__name__}")
