"""Lay out the result of a finished game."""

from __future__ import annotations

from collections.abc import Sequence

from .screen import Ending
from .text import Line, Run, cut, joined, padded, player, styled, text_width, wrapped


def ending_of(ending: Ending, names: Sequence[str], columns: int) -> list[Line]:
    """Return who won and why, then a row for each category of the score with the value of each player.

    A chart that ranked the players comes before the score: its steps say in which order they were compared.
    """
    lines = [part for line in ((*ending.verdict,), *ending.text) for part in wrapped((Run(" "), *line), columns, 1)]
    if lines:
        lines[0] = styled(lines[0], bold=True)
    titles = {step.title for step in ending.steps}
    rows = [*ending.steps, *(row for row in ending.table if row.title not in titles)]
    if not rows:
        return lines
    first = min(max([text_width(row.title) for row in rows] + [text_width(ending.chart)]) + 4, columns // 2)
    widths = [max(text_width(name) + 2, 6) for name in names]
    heads = [padded((player(seat, names),), wide, "right") for seat, wide in enumerate(widths)]
    lines += [(), cut((*padded((Run(f" {ending.chart}", dim=True),), first), *joined(heads, "")), columns)]
    for row in rows:
        cells = [padded((Run(str(v)),), wide, "right") for v, wide in zip(row.values, widths, strict=True)]
        lines.append(cut((*padded((Run(f"  {row.title}"),), first), *joined(cells, "")), columns))
    return lines
