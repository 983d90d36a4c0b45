"""Load the C runtime: the header files in ``runtime/`` that are pasted into the C of every game.

The printed C is one file that needs nothing beside it. Each header can be read, formatted and compiled as a file of its
own, with ``game.h`` in place of what is printed for a game. Here ``#pragma once`` and includes of other headers are
dropped.
"""

from __future__ import annotations

from functools import cache

from lusory_dsl.source.filesystem import package_text

DROPPED = ("#pragma once", '#include "')


@cache
def header(name: str) -> str:
    """Return the text of ``runtime/<name>.h`` as it stands in a printed file."""
    lines = package_text(__package__, "runtime", f"{name}.h").splitlines()
    return "\n".join(line for line in lines if not line.startswith(DROPPED)).strip() + "\n"


LN2 = 0.6931471805599453

LONGEST_FLOAT = 1 << 52
"""Integers up to here are exact as floats."""

PLAN = (
    *("seat", "tree_count", "is_deterministic", "horizon", "uses_payoffs", "rank_column", "is_weighted", "seed"),
    *("option_count", "min_width", "min_visits", "has_evaluation", "uses_amaf"),
)
"""The integers of a search plan. Behind them stands the exploration constant, a float."""

CHOICE = ("site", "is_hidden", "is_weighted", "first_alternative")
"""The integers of a choice: its site; whether the deciding seat does not see everything that it is offered; whether its
alternatives differ in weight; and the index of its first alternative."""

ALTERNATIVE = ("weight", "value_count", "hidden_values", "text_values")
"""The integers of an alternative: its weight in playouts; how many values it has; a bit mask of the values that other
seats do not learn (-1: they learn nothing at all); and a bit mask of the values that are texts."""

REPORT = 6
"""Numbers of a report before the visits of each option."""

LISTING, ALONG, ON = 1, 2, 3
"""The stage in which a simulation stopped: while options were listed, in the tree, or in the playout."""
