"""Load the C runtime: the header files in ``runtime/`` that are pasted into the C of every game.

The printed C is one file that needs nothing beside it. Each header can be read, formatted and compiled as a file of its
own, with ``game.h`` in place of what is printed for a game. Here ``#pragma once`` and includes of other headers are
dropped.
"""

from __future__ import annotations

from functools import cache

from lusory_dsl.text.resources import package_text

DROPPED = ("#pragma once", '#include "')


@cache
def header(name: str) -> str:
    """Return the text of ``runtime/<name>.h`` as it stands in a printed file."""
    lines = package_text(__package__, "runtime", f"{name}.h").splitlines()
    return "\n".join(line for line in lines if not line.startswith(DROPPED)).strip() + "\n"
