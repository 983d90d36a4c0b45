"""Editions of the language: which there are, and what is said of a construct in a file of an edition before it.

A game says its edition as ``game.language``, a pack as ``pack.language``; the files of each are sources of that
edition. What came later says so in its row, and is asked for in one place a kind of row: keys by their schema
(``ruleset/shape.py``), syntax by the table of nodes (``effect/editions.py``), functions by their table
(``language/builtins.py``).
"""

from __future__ import annotations

from . import codes
from .diagnostics import Diagnostics
from .source import Span

FIRST, LATEST = 1, 2


def report_later(edition: int, what: str, span: Span, report: Diagnostics) -> None:
    """Reports ``what`` stands in ``span``, if it came with an edition after that of its file."""
    if edition > span.source.edition:
        message = f"{what} came with edition {edition} of the language, and this file is of {span.source.edition}"
        hint = f"write `language: {edition}` under `game`, or under `pack` in a pack"
        report.add(codes.LATER_EDITION, message, span, hint, about=(f"edition {edition}",))
