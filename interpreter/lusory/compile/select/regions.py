"""What hangs together on a board: masks are spread, of boards that are not too large."""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local
from lusory_dsl.language.types import INT, ListType

from ...table import regions
from .. import ir
from ..lower.lowered import Lookup
from .lists import as_it_lies, pipeline
from .masks import bits, mask
from .selector import Selector


def region(sel: Selector, e: core.Region) -> ir.Value:
    """Those that hang together with others, or the number of parts."""
    touching: Any = sel.program.table(e.touching).values
    if len(touching) > regions.MOST_IN_MASKS:
        lists = sel.tables.constant(regions.both_ways(touching))
        if e.start is None:
            return ir.Prim("groups", (as_it_lies(sel, e.among), lists))
        start = as_it_lies(sel, e.start)
        return ir.Prim("group", (start, as_it_lies(sel, e.among), lists))
    masks = sel.tables.constant(regions.masks(touching))
    if e.start is None:
        return ir.Prim("parts_of", (_mask(sel, e.among), masks))
    start = _mask(sel, e.start)
    return ir.Prim("group_among", (start, sel.value(e.among), masks))


def _mask(sel: Selector, e: Expr) -> ir.Value:
    """A list of spaces as a mask."""
    found = mask(sel, e)
    if found is not None:
        return found
    if isinstance(e, Const) and isinstance(e.value, tuple):
        return ir.Const(bits(set(e.value)))
    if isinstance(e, core.Filter) and _are_different(e.source) and isinstance(e.type, ListType):
        item = Local(e.type.item, e.span, e.slot, "it")
        board = sel.program.boards[str(e.type.item)]
        each = Lookup(INT, e.span, item, tuple(1 << space for space in range(board.size)))
        return pipeline(sel, e.slot, e.source, e.condition, each, "sum")
    return ir.Prim("mask_of", (as_it_lies(sel, e),))


def _are_different(e: Expr) -> bool:
    """Whether no item stands in a list twice."""
    while isinstance(e, core.Filter):
        e = e.source
    return isinstance(e, Const) and isinstance(e.value, tuple) and len(set(e.value)) == len(e.value)
