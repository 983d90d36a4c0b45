"""What is well-formed YAML and hardly meant: a text that is a key since a sign is missing, keys that stand twice.

Used by the YAML reader when a mapping is read to its end. What is found ends the reading of the file: everything else
that could be said of such a mapping follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass
from ..text.source import Span
from ..text.spelling import listed

_WORD_AND_SIGN = re.compile(r"([A-Za-z_][\w-]*):(\S.*)", re.DOTALL)
_WORD_AND_VALUE = re.compile(r"([A-Za-z_][\w-]*)\s+(\S.*)", re.DOTALL)
_WORD_AND_BRACKET = re.compile(r"([A-Za-z_][\w-]*)\s*([\[{].*)", re.DOTALL)

MOST_NAMES = 4
"""So many keys are named in one message."""


@dataclass(frozen=True)
class Key:
    """A key of a mapping. ``text``: as it reads; ``value``: what stands behind its colon, None where nothing does, and
    empty where that is a list, a mapping or in quotes; ``is_quoted``: the key itself."""

    text: str
    place: Span
    value: str | None
    is_quoted: bool = False


def explain_forgotten_signs(keys: Sequence[Key], flow: bool, diagnostics: Diagnostics) -> None:
    """Reports each key that is none: a colon, a space or quotes are missing. ``flow``: the mapping stands in braces."""
    before: str | None = None
    for key in keys:
        found = None if key.is_quoted else _forgotten(key, before, flow)
        if found is not None:
            message, start, hint = found
            place = Span(key.place.source, key.place.start + start, key.place.start + start + 1)
            diagnostics.add(codes.YAML_SYNTAX, message, place, hint)
        before = key.value


def _forgotten(key: Key, before: str | None, flow: bool) -> tuple[str, int, str] | None:
    """What is missing, where in the key, and how to write it."""
    bracket = _WORD_AND_BRACKET.fullmatch(key.text)
    if bracket is not None:
        return f"a `:` is missing behind `{bracket[1]}`", bracket.end(1), f"write `{bracket[1]}: {bracket[2]}`"
    if not flow or key.value is not None:
        return None
    glued = _WORD_AND_SIGN.fullmatch(key.text)
    if glued is not None:
        return "a space is missing behind this `:`", glued.end(1), f"write `{glued[1]}: {glued[2]}`"
    pair = _WORD_AND_VALUE.fullmatch(key.text)
    if before and (pair is None or (" " in before and (" " in pair[2] or not pair[2].isdigit()))):
        start = " ".join(key.text.split()[:2])
        return f"the comma before `{start}` ends the text before it", 0, "put the whole text in quotes"
    if pair is not None:
        return f"a `:` is missing behind `{pair[1]}`", pair.end(1), f"write `{pair[1]}: {pair[2]}`"
    return None


def explain_double_keys(keys: Sequence[Key], again: Sequence[Key], in_list: bool, diagnostics: Diagnostics) -> None:
    """Reports the keys of one mapping that stand there once more: together, with what is missing between.

    ``keys``: the others, the first of each name among them; ``in_list``: the mapping is an item of a list."""
    first = again[0]
    earlier = next(key for key in keys if key.text == first.text)
    notes = [(earlier.place, f"`{first.text}` is first given here")]
    names = list(dict.fromkeys(key.text for key in again))
    shown = listed(names) if len(names) <= MOST_NAMES else f"{listed(names[:1])} and {len(names) - 1:,} more keys"
    message = f"{shown} {'stands' if len(names) == 1 else 'stand'} twice in this mapping"
    above = [key for key in keys if earlier.place.start < key.place.start < first.place.start and key.value is None]
    if above:
        before = above[-1]
        hint = f"indent what belongs to `{before.text}`, and line it up with the names above"
        diagnostics.add(codes.DUPLICATE_KEY, f"nothing stands under `{before.text}`, and {message}", before.place, hint)
    elif in_list and earlier is keys[0]:
        hint = f"begin the next item of the list with `- {first.text}: …`, or keep one of them"
        diagnostics.add(codes.DUPLICATE_KEY, message, first.place, hint, notes)
    else:
        hint = "keep one of them, or rename one"
        if len(names) > 1:
            hint = "the name above is missing to which they belong, or keep one of each"
        diagnostics.add(codes.DUPLICATE_KEY, message, first.place, hint, notes)
