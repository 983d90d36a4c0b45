"""Lay out the result of a finished game: the verdict, the scores as a table, and the score after each round."""

from __future__ import annotations

from collections.abc import Sequence

from .screen import Ending
from .styled_text import Line, Run, cut, joined, padded, player, styled, text_width, wrapped


def ending_of(ending: Ending, names: Sequence[str], columns: int) -> list[Line]:
    """Return the verdict in bold, the author's text, a table of the scores, and the score after each round.

    The table has a column for each player and a row for each category: first the steps of the chart that ranked the
    players, in the order of comparison, then the scores with other titles. It is left out if there are no categories.
    Lines longer than ``columns`` are wrapped, and those of the tables cut. Only the first line is bold.
    """
    lines = [part for line in ((*ending.verdict,), *ending.text) for part in wrapped((Run(" "), *line), columns, 1)]
    if lines:
        lines[0] = styled(lines[0], bold=True)
    titles = {step.title for step in ending.steps}
    rows = [*ending.steps, *(row for row in ending.table if row.title not in titles)]
    titles_shown = [*(row.title for row in rows), ending.chart, *names, _after(ending)]
    first = max(map(text_width, titles_shown))
    first = min(first + 4, columns // 2)
    if not rows:
        return [*lines, *_history(ending, names, first, columns)]
    widths = [max(text_width(name) + 2, 6) for name in names]
    # A player alone needs no name above the only column.
    heads = [padded((player(seat, names),), wide, "right") for seat, wide in enumerate(widths) if names[1:]]
    lines += [(), cut((*padded((Run(f" {ending.chart}", dim=True),), first), *joined(heads, "")), columns)]
    for row in rows:
        cells = [padded((Run(str(v)),), wide, "right") for v, wide in zip(row.values, widths, strict=True)]
        lines.append(cut((*padded((Run(f"  {row.title}"),), first), *joined(cells, "")), columns))
    return [*lines, *_history(ending, names, first, columns)]


def _history(ending: Ending, names: Sequence[str], first: int, columns: int) -> list[Line]:
    """Return a row for each player with the score after each round, and the turning points.

    Only the last rounds are shown if not all fit. An empty line comes first. Empty if the ending has neither.
    """
    lines: list[Line] = [()] if ending.turning_points or ending.history else []
    if ending.history:
        cells = [(column.title.rpartition(" ")[2], *map(str, column.values)) for column in ending.history]
        width = max(len(word) for column in cells for word in column) + 2
        shown = cells[-max((columns - first - 1) // width, 1) :]
        heads: list[Line] = [(Run(f" {_after(ending)}", dim=True),)]
        heads += [(Run("  "), player(seat, names)) for seat in range(len(names))] if names[1:] else [()]
        for row, head in enumerate(heads):
            line = [*padded(head, first)]
            for column in shown:
                line += padded((Run(column[row], dim=not row),), width, "right")
            lines.append(cut(tuple(line), columns))
    return lines + [part for line in ending.turning_points for part in wrapped((Run(" "), *line), columns, 1)]


def _after(ending: Ending) -> str:
    """Return the title of the rows of the history, such as ``After round``, or "" without a history."""
    name = ending.history[0].title.rpartition(" ")[0].lower() if ending.history else ""
    return f"After {name}" if name else ""
