"""The grammar at work: one Lark parser a process, and one run of it over a text.

Used by the parser's front; a run ends in a tree or in a fault that knows all about the place where it stopped.
"""

from __future__ import annotations

import re
from functools import cache

from ..text.records import dataclass
from .automaton import END, WHOLE_TEXTS, Run, Unfit
from .layout import Indenter
from .tables import STARTS, tables
from .trees import Token, Tree, token
from .words import KEYWORDS, SOFT_KEYWORDS

__all__ = ["LAYOUT_STARTS", "STARTS", "Fault", "run", "spellings"]

LAYOUT_STARTS = ("block", "rule")
"""Starting rules whose text has lines and indentation."""

_AHEAD = re.compile(r"([a-z]+)\(\?=")
"""A terminal that is a word only before something."""


@dataclass(frozen=True)
class Fault:
    """Where and why a run stopped.

    ``start`` … ``end``: what it stopped at; empty at the end of a line or of the text. ``type``: its terminal, empty
    where it is none. ``expected``: the terminals
    that could have followed. ``reserved``: it is a keyword where only a name could stand."""

    start: int
    end: int
    type: str
    expected: frozenset[str]
    layout: Indenter
    reserved: bool = False


@cache
def spellings() -> dict[str, str]:
    """How the terminals that are always spelt the same are spelt, also those that must see what stands behind them."""
    ahead = ((name, _AHEAD.match(way)) for name, way in tables().terminals)
    return tables().spelt | {name: word[1] for name, word in ahead if word is not None}


def run(start: str, text: str, fed: list[Token] | None = None) -> tuple[Tree | Fault, Indenter]:
    """Parses a text from one of ``STARTS``. ``fed`` collects the tokens as the grammar takes them."""
    layout = Indenter(text, flat=start not in LAYOUT_STARTS)
    parser = Run(text, start)
    try:
        for found in layout.tokens(parser.tokens()):
            if found in SOFT_KEYWORDS and found.type != "NAME" and not parser.takes(found.type):
                found = token("NAME", found, found.start_pos, found.end_pos)
            elif found.type == "NAME" and found in KEYWORDS and not _ordinary(found, text, layout):
                return _fault(parser, layout, found, reserved=True), layout
            parser.feed(found)
            if fed is not None:
                fed.append(found)
        return parser.end(layout.last), layout
    except Unfit as stop:
        found = token("", text[stop.at], stop.at, stop.at + 1) if stop.token is None else stop.token
        return _fault(parser, layout, found), layout


def _ordinary(found: Token, text: str, layout: Indenter) -> bool:
    """Whether a keyword is an ordinary word: a member, an option's name, the name of an argument."""
    if layout.last is not None and layout.last.type in ("DOT", "OPTION"):
        return True
    return bool(layout.open) and text[found.end_pos :].lstrip().startswith(":")


def _fault(parser: Run, layout: Indenter, found: Token, reserved: bool = False) -> Fault:
    start, end = found.start_pos, found.end_pos
    if found.type == END:
        start = end = layout.last.end_pos if layout.last is not None else 0
    expected = parser.expected()
    known = found.type not in WHOLE_TEXTS or not WHOLE_TEXTS.isdisjoint(expected)
    return Fault(start, end, found.type if known else "", expected, layout, reserved)
