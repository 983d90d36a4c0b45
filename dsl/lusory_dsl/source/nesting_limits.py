"""Limits on the nesting of a program, and the Python recursion limit that follows from them.

The parser limits the nesting of a single text. A chain of calls adds up the nesting of all routines on it. The
checker, the interpreter and generated code all recurse along such chains.
"""

from __future__ import annotations

import sys

MAX_CALL_DEPTH = 250
"""The maximum nesting of core nodes, added up along a chain of calls. The deepest bundled ruleset reaches some 60."""

MAX_BLOCK_DEPTH = 40
"""The maximum nesting of blocks in one routine. Every target language of the compiler supports this depth."""

MAX_PHASE_DEPTH = 8
"""The maximum nesting of phases."""

MAX_CHOICE_VARIABLES = 8
"""The maximum number of things that one choice can name."""

RECURSION_LIMIT = 5000
"""The Python recursion limit for that nesting: some fifteen frames per level if each level is a routine of its own."""


def raise_recursion_limit() -> None:
    """Raise Python's recursion limit to ``RECURSION_LIMIT``. A higher limit stays as it is."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
