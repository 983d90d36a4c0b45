"""Lay out the result of a finished game."""

from __future__ import annotations

from collections.abc import Sequence

from .screen import Ending
from .text import Line, Run, blank, cut, joined, padded, styled, wrapped


def ending_of(ending: Ending, names: Sequence[str], columns: int) -> list[Line]:
    """Return the result and the final scores."""
    lines = wrapped(styled(ending.verdict, bold=True), columns)
    rows = [*ending.table, *ending.steps]
    if not rows:
        return lines
    first = max(len(row.title) for row in rows) + 2
    widths = [max(len(name) + 2, 6) for name in names]
    heads = [padded((Run(name, bold=True),), wide, "right") for name, wide in zip(names, widths, strict=True)]
    lines.append(cut((*blank(first), *joined(heads, "")), columns))
    for row in rows:
        cells = [padded((Run(str(v)),), wide, "right") for v, wide in zip(row.values, widths, strict=True)]
        lines.append(cut((*padded((Run(row.title, dim=True),), first), *joined(cells, "")), columns))
    return lines
