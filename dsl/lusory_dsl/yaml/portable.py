"""Finds values that other YAML readers read differently: PyYAML (with and without libyaml) and ruamel.yaml.

Used by the YAML reader, which warns of them, and by the formatter, which spells them in a form that all readers share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_YAML_1_1 = {
    "a truth value": r"(?i:yes|no|on|off)",
    "a number": r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9][0-9_.]*_[0-9_.]*|\.(?i:inf))|\.(?i:nan)",
    "a date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*",
    "a sign of YAML": r"=|<<",
}
"""What other readers take a text for -> how such texts are spelt."""
_MISREAD_TEXT = [(kind, re.compile(spelling)) for kind, spelling in _YAML_1_1.items()]
ANOTHER_NUMBER = "another value"
"""What other readers take a number for that is not spelt as they spell numbers."""
_MAY_BE_MISREAD = re.compile(r"[-+.0-9=<yYnNoO]")

_PORTABLE_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?)|\.[0-9]+(?:[eE][-+][0-9]+)?")

_COMMENT_OR_TAB = re.compile(r"(?<!\S)#[^\n]*|\t")


def misread_as(text: str, value: object, is_key: bool = False) -> str | None:
    """Return what other readers take a plain scalar for, or None if all read it as ``value``.

    A key is text for us whatever it looks like: others agree only if the value they make of it has the same text.
    """
    if isinstance(value, str):
        if not _MAY_BE_MISREAD.match(text):
            return None
        return next((kind for kind, spelling in _MISREAD_TEXT if spelling.fullmatch(text)), None)
    if value is None or isinstance(value, bool):
        return ("nothing" if value is None else "a truth value") if is_key else None
    is_portable = text == str(value) if is_key else _PORTABLE_NUMBER.fullmatch(text)
    return None if is_portable else ANOTHER_NUMBER


def portable_number(value: float) -> str | None:
    """Spell a number so that all readers read it alike; None if it is too large or too small for that."""
    text = repr(value)
    return text if _PORTABLE_NUMBER.fullmatch(text) else None


def tabs_outside(text: str, quoted: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield where tabs stand that are neither in a comment nor in ``quoted``: the places of quoted texts and blocks."""
    position = 0
    for start, end in [*sorted(quoted), (len(text), len(text))]:
        yield from (m.start() for m in _COMMENT_OR_TAB.finditer(text, position, start) if m[0] == "\t")
        position = end
