"""How deep a program may be nested, and the room on Python's stack for whoever goes through one.

A single text is bounded by the parser; a chain of calls adds up, and whoever follows calls needs that much room: the
checker, the engines, the functions of generated code. Used by the checker, the interpreter and the command line.
"""

from __future__ import annotations

import sys

MAX_CALL_DEPTH = 250
"""How deep nodes of the core language may be nested, through all calls. The largest ruleset of lusory's own has 80."""

MAX_BLOCKS = 40
"""How many blocks of one routine may be nested: any target can write so many, in functions of its own."""

MAX_PHASES = 8
"""How many phases may be nested."""

MAX_CHOSEN = 8
"""How many things one choice can name."""

FRAMES = 5000
"""So many calls of Python follow that nesting, at most: about fifteen a level, where each is a routine of its own."""


def make_room() -> None:
    """Lets Python go as deep as a program may be nested. Never lowers a limit that somebody has set higher."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
