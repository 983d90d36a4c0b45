"""Large texts in parts, which a machine with several processors compiles side by side.

It stays one text: compiled as it is it is whole, and with ``-DPART=n`` the large functions of the other parts are left
out. Small functions are in every part, as a compiler looks through what it sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Lines = list[str]

SIZE = 200_000
"""Characters of the large functions of a part, of which one may be larger."""

SMALL = 10_000
"""Characters of a function that is in every part."""

LINKAGE = """\
#ifdef PART
#define IN_PART(n) (PART == n)
#define OWN __attribute__((visibility("hidden")))
#else
#define IN_PART(n) 1
#define OWN static
#endif"""
"""What tells parts apart, and how a function is declared that other parts call."""


def in_parts(functions: Sequence[Lines], driver: str) -> tuple[Lines, Lines, int]:
    """The heads of the functions of a text, then these and what calls them; and how many parts that has."""
    shared: list[Lines] = []
    large: list[list[Lines]] = []
    room = 0
    for one in functions:
        size = sum(map(len, one))
        if size <= SMALL:
            shared.append(one)
            continue
        if size > room:
            large.append([])
            room = SIZE
        large[-1].append(one)
        room -= size
    if len(large) < 2:
        return [_head(one) for one in functions], [*_spaced(functions), driver], 1
    body = _spaced(shared)
    for number, some in enumerate(large):
        last = number == len(large) - 1
        body += [f"#if IN_PART({number})", *_spaced(map(_called, some)), *([driver] if last else []), "#endif"]
    return [_head(one if one in shared else _called(one)) for one in functions], body, len(large)


def _called(function: Lines) -> Lines:
    """A function that other parts call."""
    return [function[0].replace("static", "OWN", 1), *function[1:]]


def _head(function: Lines) -> str:
    return f"{function[0].removesuffix(' {')};"


def _spaced(functions: Iterable[Lines]) -> Lines:
    return [line for one in functions for line in (*one, "")]
