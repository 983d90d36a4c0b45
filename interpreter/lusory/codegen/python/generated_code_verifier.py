"""Check that generated Python code contains only what the printer writes, before it first runs.

The check covers new code as well as code from the cache. It inspects the bytecode, since that is what runs; this takes
a few milliseconds. Admitted code knows only the names listed here, uses no attributes except a few methods of lists and
numbers, and has few builtins. So it can reach nothing but the game that it is given.
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
"""The builtin functions of Python that generated code may use."""

METHODS = frozenset({"append", "bit_count", "bit_length", "count", "from_iterable", "insert", "pop"})
"""The attributes that generated code may read."""

OWN = re.compile(r"K[0-9]+|(value|effect|[bfopqr])[0-9]+|outcome|standing|playout", re.ASCII)
"""The names that a generated module defines: constants and functions."""

_CONSTANTS = {bool, int, str, type(None), tuple, frozenset}
_REFUSED = ("IMPORT_", "MATCH_", "DELETE_", "STORE_ATTR", "STORE_GLOBAL", "LOAD_BUILD_CLASS")


class NotAdmitted(Exception):
    """Signal that generated code contains something that the printer does not write."""


def admit(code: object, provided: Container[str]) -> CodeType:
    """Return the code of a module if it may run. ``provided`` holds the names in the namespace of the module.

    Raise NotAdmitted if it is no code object, or if it or a function in it uses a name, an instruction or a type of
    constant that the printer does not write.
    """
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
    """Yield a code object and all code objects inside it.

    Raises NotAdmitted for a constant of a type that no ruleset has.
    """
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _parts(value)
        elif type(value) not in _CONSTANTS:
            raise NotAdmitted(f"a constant of type {type(value).__name__}")
