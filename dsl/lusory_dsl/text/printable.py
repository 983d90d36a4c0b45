"""Text that can do nothing but be read: what steers a terminal, turns the direction of writing or can't be seen is
replaced by a mark. Used at every door to a screen, and in reports.

Whatever comes from a file, a name, a path, an option or the environment goes through here on its way to a person.
"""

from __future__ import annotations

import re
from typing import Any

TAB = "    "
MARK = "\N{REPLACEMENT CHARACTER}"

INVISIBLE = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
"""Marks of direction, line and paragraph separators, and what has no width and no use in a line of text."""

_UNSAFE = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{INVISIBLE}\ud800-\udfff\U000e0000-\U000e007f]")
"""Controls (C0 but the line feed, DEL, C1), what can't be seen, halves of surrogate pairs, tags."""


def printable(text: str) -> str:
    """Text of any number of lines; a tab becomes spaces."""
    return _UNSAFE.sub(_replaced, text)


def one_line(text: str) -> str:
    """Text that must not begin a new line: a name, a path, a message."""
    return printable(text).replace("\n", MARK)


def json_text(value: Any) -> str:
    """A JSON value as text, with a line break at its end: the same value for programs, and fit for a screen."""
    import json  # imported late: most of what is shown is no JSON

    return _UNSAFE.sub(_escaped, json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def _replaced(found: re.Match[str]) -> str:
    return TAB if found[0] == "\t" else MARK


def _escaped(found: re.Match[str]) -> str:
    """What stands in a JSON text for a character: json.dumps leaves such characters in strings only."""
    import json

    return json.dumps(found[0])[1:-1]
