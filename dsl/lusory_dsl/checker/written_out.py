"""How much an expression would be if each name in it were written out as what it stands for. A part of the checker.

A backend may do that where a value can go wrong and is not read for certain; names of names would else make any amount.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import core
from ..core.accesses import routines_of
from ..text import codes
from ..text.diagnostics import Diagnostics

MOST = 20_000
"""Nodes."""


def report_written_out(program: core.Program, phases: Iterable[core.Phase], report: Diagnostics) -> None:
    """One report for each routine in which the names of expressions stand for too much."""
    for routine in routines_of(phases, program.effects, program.queries):
        for root in routine:
            sizes: dict[int, int] = {}
            size = written_out(root, sizes)
            if sizes and size > MOST:
                message = f"what the names in this expression stand for comes to more than {MOST:,} parts"
                report.add(codes.TOO_LARGE, message, root.span, "make queries of some of them")


def written_out(node: core.Expr | core.Stmt, sizes: dict[int, int]) -> int:
    """The nodes of something, with each local that an expression names as what it stands for. ``sizes``: of those."""
    if isinstance(node, core.Local):
        return sizes.get(node.slot, 1)
    if isinstance(node, core.Named):
        sizes[node.slot] = written_out(node.value, sizes)
        return sizes[node.slot] + written_out(node.body, sizes)
    return 1 + sum(written_out(part, sizes) for part in core.children(node))
