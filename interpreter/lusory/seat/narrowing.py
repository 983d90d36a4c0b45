"""Lists that are narrowed down by what a place holds for each item: ``cards where receiver[it] is whom and …``.

Of most items that one comparison says that they don't belong; the rest of the condition is looked at for the others
alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.language.types import NoneType, OptionalType

LISTS = 1024  # of which it is known whether they can be narrowed down


class Narrowed(NamedTuple):
    """What is compared first: a ``place`` of which each item has a cell, with a ``value`` that is the same for all
    items. ``may_be_none``: the cell may hold nothing."""

    place: str
    value: core.Expr
    may_be_none: bool


@lru_cache(maxsize=LISTS)
def narrowed(condition: core.Expr, slot: int) -> Narrowed | None:
    """What a condition on the item in ``slot`` compares first; None: something else."""
    first = core.chain(condition, "and")[0]
    if not isinstance(first, core.Binary) or first.op != "=" or not isinstance(first.left, core.ReadCell):
        return None
    read = first.left
    is_own = [isinstance(index, core.Local) and index.slot == slot for index in read.indices] == [True]
    if not is_own or slot in core.locals_in(first.right):
        return None
    return Narrowed(read.place, first.right, isinstance(read.type, OptionalType | NoneType))
