"""Where on a sheet things stand that can be pointed at, and the way from one to the next with arrow keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..screen.lines import text_width
from ..screen.text import Line

Spot = tuple[float, float]
"""Column and row of the middle: a row is as high as two columns are wide."""

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
ROW = 2.0


def spots(lines: Sequence[Line], wanted: Collection[str]) -> dict[str, Spot]:
    """The middle of each reference that stands on some lines, as far as it is wanted: where it is drawn first."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for row, line in enumerate(lines):
        column = 0
        for run in line:
            width = text_width(run.text)
            if run.of in wanted:
                found.setdefault(run.of, []).append((column, column + width, row))
            column += width
    return {of: _middle(boxes) for of, boxes in found.items()}


def _middle(boxes: Sequence[tuple[int, int, int]]) -> Spot:
    """The middle of the boxes that touch the first: a name that stands elsewhere too is pointed at once."""
    together = [boxes[0]]
    for box in boxes[1:]:
        if any(abs(box[2] - other[2]) <= 1 and box[0] <= other[1] and other[0] <= box[1] for other in together):
            together.append(box)
    left, right = min(box[0] for box in together), max(box[1] for box in together)
    return (left + right) / 2, ROW * (together[0][2] + together[-1][2]) / 2


def beside(where: Mapping[str, Spot], now: str, step: str) -> str:
    """The nearest reference in the direction of a step; the same where there is none."""
    across, down = STEPS[step]
    column, row = where[now]

    def far(of: str) -> float:
        x, y = where[of][0] - column, where[of][1] - row
        ahead, off = x * across + y * down, abs(x * down) + abs(y * across)
        return ahead + 3 * off if ahead > 0 else float("inf")

    nearest = min(where, key=far)
    return nearest if far(nearest) < float("inf") else now
