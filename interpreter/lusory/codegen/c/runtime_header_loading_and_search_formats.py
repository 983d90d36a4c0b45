"""Load the C runtime: the header files in ``runtime/`` that become part of the C of every game.

The printed C is a single file that includes only system headers. Each header of the runtime can also be read, formatted
and compiled by itself; ``game.h`` then stands in for what is printed for a game. Loading drops ``#pragma once`` and
includes of other headers.

The constants describe binary formats that the native search shares with Python.
"""

from __future__ import annotations

from functools import cache

from lusory_dsl.source.safe_files_and_bundled_data import read_package_text

DROPPED_PREFIXES = ("#pragma once", '#include "')


@cache
def load_header(name: str) -> str:
    """Return the text of ``runtime/<name>.h`` as a printed file contains it, with one line break at its end.

    ``#pragma once`` and includes of other headers are left out.
    """
    lines = read_package_text(__package__, "runtime", f"{name}.h").splitlines()
    return "\n".join(line for line in lines if not line.startswith(DROPPED_PREFIXES)).strip() + "\n"


LN2 = 0.6931471805599453

MAX_EXACT_FLOAT = 1 << 52
"""Integers up to this one are exact as floats."""

PLAN = (
    *("seat", "tree_count", "is_deterministic", "horizon", "uses_payoffs", "rank_column", "is_weighted", "seed"),
    *("option_count", "min_width", "has_evaluation", "uses_amaf"),
)
"""The integers of a search plan, in order. The exploration constant, a float, follows them."""

CHOICE = ("site", "is_hidden", "is_weighted", "first_alternative")
"""The integers that describe a choice.

- ``site``: the site of the choice.
- ``is_hidden``: whether the deciding seat sees only a part of what it is offered.
- ``is_weighted``: whether its alternatives differ in weight.
- ``first_alternative``: the index of its first alternative.
"""

ALTERNATIVE = ("weight", "value_count", "hidden_values", "text_values")
"""The integers that describe an alternative.

- ``weight``: its weight in playouts.
- ``value_count``: its number of values.
- ``hidden_values``: a bit mask of the values that other seats do not learn, or -1 if they learn nothing at all.
- ``text_values``: a bit mask of the values that are texts.
"""

REPORT = 6
"""The length of the header of a search report. The visits of each option follow it."""

STAGE_OPTIONS, STAGE_TREE, STAGE_PLAYOUT = 1, 2, 3
"""The stage in which a simulation stopped: while listing options, inside the tree, or in the playout."""
