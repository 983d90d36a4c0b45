"""Words of the language that are misspelt: found by spelling them right and looking whether the text then makes sense.

A misspelt word is taken for a name, so that the fault shows later: `nott x` fails at `x`. Used after a fault, for the
few names before it that are like a word of the language.
"""

from __future__ import annotations

from functools import lru_cache

from ..text import codes
from ..text.diagnostics import slips
from ..text.records import replace
from .fault_context import SyntaxFault
from .grammar import Fault, run
from .words import KEYWORDS, SOFT_KEYWORDS

MOST_NAMES = 4
"""How many names before a fault are looked at."""
MOST_CHARACTERS = 5_000
"""Longer texts are not parsed again for each word that a name is like."""

_WORDS = sorted(KEYWORDS | SOFT_KEYWORDS)
_DOUBTED = {
    codes.UNEXPECTED_WORD,
    codes.UNKNOWN_STATEMENT,
    codes.MISSING_COLON,
    codes.MISSING_AMOUNT,
    codes.UNFINISHED,
    codes.STRAY_CHARACTER,
    codes.WRONG_CLAUSE,
    codes.KEYWORD_AS_NAME,
    codes.STRAY_ELSE,
    codes.BAD_INDENTATION,
}


def respelt(start: str, text: str, fault: Fault, finding: SyntaxFault) -> SyntaxFault:
    """The finding, or a better one: that a word before the fault is misspelt."""
    if finding.certain or finding.code not in _DOUBTED or len(text) > MOST_CHARACTERS:
        return finding
    for place in _names(text, fault):
        written = text[place[0] : place[1]]
        word = max(_near(written), key=lambda word: _progress(start, text, place, word), default=None)
        if word is not None and _progress(start, text, place, word) > fault.end:
            hint = f"did you mean `{word}`?"
            if finding.place == place:
                return replace(finding, hint=hint)
            return SyntaxFault(codes.UNEXPECTED_WORD, f"`{written}` doesn't fit here", place, hint)
    return finding


def _near(written: str) -> list[str]:
    """The words of the language that a name is like, the nearest first."""
    most = max(1, len(written) // 3)
    lengths = range(len(written) - most, len(written) + most + 1)
    near = [(slips(written.lower(), word), word) for word in _WORDS if len(word) in lengths and word != written]
    return [word for number, word in sorted(near) if number <= most]


def _names(text: str, fault: Fault) -> list[tuple[int, int]]:
    """The places of the names around a fault, nearest first: where it stands, and those before it."""
    statement = fault.layout.statement or fault.layout.header
    before = [t for t in statement if t.type == "NAME"][-MOST_NAMES:]
    places = [(t.start_pos, t.end_pos) for t in reversed(before)]
    if text[fault.start : fault.end].isidentifier() and (fault.start, fault.end) not in places:
        places.insert(0, (fault.start, fault.end))
    return places


@lru_cache(maxsize=64)
def _progress(start: str, text: str, place: tuple[int, int], word: str) -> int:
    """How far the text makes sense when a word is spelt otherwise, in characters of the text as it is."""
    result, _ = run(start, text[: place[0]] + word + text[place[1] :])
    shift = len(word) - (place[1] - place[0])
    return result.start - shift if isinstance(result, Fault) else len(text) + 1
