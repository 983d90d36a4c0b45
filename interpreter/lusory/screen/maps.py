"""Maps as lines: spaces where they lie, and lines between those that are linked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from .lines import blank, fitting, joined, standing, text_width, trimmed, widest, width_of, wrapped
from .panels import Cell, Map, Node
from .text import Line, Run

Canvas = list[list[Run]]
EMPTY = Run(" ")


def map_lines(map: Map, columns: int, rows: int | None) -> list[Line]:
    """The map in at most so many columns, in the richest form that has no more than so many rows; where none has, in
    the lowest. Links that can't be drawn as a straight line are told below."""
    if not map.nodes:
        return []
    return fitting(_forms(map, columns), columns, rows) or _narrowed(map, columns)


def _forms(map: Map, columns: int) -> Iterator[list[Line]]:
    """Far apart and near, in full and in short; at last without a row between, which shows links to the sides only."""
    full = [[standing(line, node.cell.of) for line in node.cell.lines] for node in map.nodes]
    short = [[standing(line, node.cell.of) for line in node.cell.short or node.cell.lines] for node in map.nodes]
    for gap in (5, 3):
        yield _drawn(map, full, gap, 1, columns)
        yield _drawn(map, short, gap, 1, columns)
    yield _drawn(map, short, 3, 0, columns)


def _narrowed(map: Map, columns: int) -> list[Line]:
    """The map in short, its words wrapped."""
    across = max(node.across for node in map.nodes) + 1
    room = max((columns - 3 * (across - 1)) // across, 1)
    short = [[standing(line, node.cell.of) for line in node.cell.short or node.cell.lines] for node in map.nodes]
    return _drawn(map, [[part for line in lines for part in wrapped(line, room)] for lines in short], 3, 1, columns)


def _drawn(map: Map, blocks: Sequence[list[Line]], gap: int, rise: int, columns: int) -> list[Line]:
    lefts, widths = _placed([node.across for node in map.nodes], [widest(block) for block in blocks], gap)
    tops, heights = _placed([node.down for node in map.nodes], [max(len(block), 1) for block in blocks], rise)
    width, height = lefts[-1] + widths[-1], tops[-1] + heights[-1]
    canvas: Canvas = [[EMPTY] * width for _ in range(height)]
    at = {(node.across, node.down): number for number, node in enumerate(map.nodes)}
    told = []
    for a, b in map.edges:
        if not _link(canvas, map.nodes[a], map.nodes[b], at, (lefts, widths, tops, heights)):
            told.append((a, b))
    for node, block in zip(map.nodes, blocks, strict=True):
        top = tops[node.down] + (heights[node.down] - len(block)) // 2
        for row, line in enumerate(block):
            _write(canvas[top + row], lefts[node.across] + (widths[node.across] - width_of(line)) // 2, line)
    found = [trimmed(_merged(row)) for row in canvas]
    if told and rise:
        pairs = [_pair(map.nodes[a].cell, map.nodes[b].cell) for a, b in told]
        found += wrapped((Run("also linked: ", dim=True), *joined(pairs, ", ")), columns, 2)
    return found


def _pair(a: Cell, b: Cell) -> Line:
    """Two spaces by their names, which stand first in them."""
    first, second = (cell.lines[0][:1] if cell.lines else () for cell in (a, b))
    return (*first, Run("–", dim=True), *second)


def _placed(numbers: Sequence[int], sizes: Sequence[int], gap: int) -> tuple[list[int], list[int]]:
    """Where each column (or row) begins, and its size."""
    most = [0] * (max(numbers) + 1)
    for number, size in zip(numbers, sizes, strict=True):
        most[number] = max(most[number], size)
    starts, at = [], 0
    for size in most:
        starts.append(at)
        at += size + gap
    return starts, most


def _link(
    canvas: Canvas,
    a: Node,
    b: Node,
    at: dict[tuple[int, int], int],
    grid: tuple[list[int], list[int], list[int], list[int]],
) -> bool:
    """Draw a link between two spaces: straight, past empty places, or to the next one aslant. Whether it could be."""
    lefts, widths, tops, heights = grid
    if (a.down, a.across) > (b.down, b.across):
        a, b = b, a
    down, across = b.down - a.down, b.across - a.across
    if down == 0:
        if any((x, a.down) in at for x in range(a.across + 1, b.across)):
            return False
        row = tops[a.down] + (heights[a.down] - 1) // 2
        for x in range(_middle(lefts, widths, a.across), _middle(lefts, widths, b.across)):
            canvas[row][x] = Run(_crossed(canvas[row][x].text, "─"), dim=True)
        return True
    if across == 0:
        if any((a.across, y) in at for y in range(a.down + 1, b.down)):
            return False
        column = _middle(lefts, widths, a.across)
        for y in range(_middle(tops, heights, a.down), _middle(tops, heights, b.down)):
            canvas[y][column] = Run(_crossed(canvas[y][column].text, "│"), dim=True)
        return True
    if down == 1 and abs(across) == 1:
        left = min(a.across, b.across)
        column = (lefts[left] + widths[left] + lefts[left + 1] - 1) // 2
        row = tops[b.down] - 1
        if row < tops[a.down] + heights[a.down]:
            return True
        canvas[row][column] = Run(_crossed(canvas[row][column].text, "╲" if across == 1 else "╱"), dim=True)
        return True
    return False


def _middle(starts: Sequence[int], sizes: Sequence[int], number: int) -> int:
    return starts[number] + (sizes[number] - 1) // 2


def _crossed(there: str, line: str) -> str:
    if {there, line} == {"─", "│"}:
        return "┼"
    return "╳" if {there, line} == {"╲", "╱"} else line


def _write(row: list[Run], left: int, line: Line) -> None:
    """Put a line on a row, a letter a place; what is two columns wide leaves the second empty."""
    for run in line:
        for letter in run.text:
            size = text_width(letter)
            if size == 0:
                continue
            row[left] = Run(letter, run.colour, run.bold, run.dim, run.reverse, run.fresh, run.back, run.of)
            if size == 2:
                row[left + 1] = Run("")
            left += size


def _merged(row: Sequence[Run]) -> Line:
    """Letters of one style side by side as one run."""
    return tuple(Run("".join(run.text for run in runs), *style) for style, runs in groupby(row, key=_style)) or blank(0)


def _style(run: Run) -> tuple[str, bool, bool, bool, bool, str, str]:
    return run.colour, run.bold, run.dim, run.reverse, run.fresh, run.back, run.of
