"""Grids as lines: boards in squares, tracks, tables, places in boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .lines import (
    Align,
    blank,
    cut,
    fitting,
    padded,
    shared,
    standing,
    styled,
    trimmed,
    widest,
    width_of,
    words_of,
    wrapped,
)
from .panels import Cell, Grid, Row
from .text import Line, Run

Block = list[list[list[Line]]]
"""The lines of each cell of each row."""

SHADE = "shade"
ROOMY = "roomy boxes"
CLOSE = "one blank between"


def grid_lines(grid: Grid, columns: int, rows: int | None) -> list[Line]:
    """The grid in at most so many columns, in the richest form that has no more than so many rows; where none has, in
    the lowest."""
    if not grid.rows or not grid.heads:
        return []
    return fitting(_forms(grid, columns), columns, rows) or _narrowed(grid, columns)


def _forms(grid: Grid, columns: int) -> Iterator[list[Line]]:
    """The grid with all its words, with later rows in short, with all in short: boxed with room in the boxes first, if
    it can be; at last with columns close together."""
    first = _margin(grid)
    forms = [_blocks(grid, ()), _blocks(grid, _later(grid)), _blocks(grid, range(len(grid.rows)))]
    frames = [ROOMY, "boxes", "none", CLOSE] if grid.frame == "boxes" else [grid.frame, CLOSE]
    for frame in frames if grid.frame != "squares" else ["squares"]:
        for blocks in forms:
            yield _set(grid, blocks, first, frame)


def _narrowed(grid: Grid, columns: int) -> list[Line]:
    """The grid in short, its cells and the names of columns wrapped. What can't be wrapped is cut off, as are names of
    rows where they leave no room."""
    first = min(_margin(grid), columns // 3)
    frame = "squares" if grid.frame == "squares" else CLOSE
    blocks = _blocks(grid, range(len(grid.rows)))
    widths = _least_widths(grid, blocks, columns - first - bool(first), frame)
    inner = [max(width - 2 * (frame == "squares"), 1) for width in widths]
    blocks = [[_wrapped(lines, most) for lines, most in zip(row, inner, strict=False)] for row in blocks]
    lines = _set(replace(grid, rows=tuple(_headed(row, first) for row in grid.rows)), blocks, first, frame, widths)
    return [cut(line, columns) for line in lines]


def _headed(row: Row, columns: int) -> Row:
    return replace(row, head=cut(row.head, columns))


def _least_widths(grid: Grid, blocks: Block, room: int, frame: str) -> list[int]:
    """Widths in which so many columns of a terminal hold all columns of the grid: first what each has of words that
    can't be broken, then what it would like to have."""
    room -= _gap(frame) * (len(grid.heads) - 1)
    wanted = _widths(grid, blocks, frame)
    if grid.even or any(row.shift for row in grid.rows):
        return [max(min(wanted[0], room // len(wanted)), 1)] * len(wanted)
    cells = [[line for row in blocks if at < len(row) for line in row[at]] for at in range(len(wanted))]
    names = [[head] if grid.headings else [] for head in grid.heads]
    heads = [widest(_broken(lines)) for lines in names]
    more = 2 * (frame == "squares")
    least = [max(widest(_broken(lines)) + more, head, 1) for lines, head in zip(cells, heads, strict=True)]
    first = shared(least, [max(widest(lines) + more, head, 1) for lines, head in zip(cells, heads, strict=True)], room)
    return shared(first, wanted, room) if sum(first) <= room else first


def _broken(lines: Sequence[Line]) -> list[Line]:
    """The words of lines: the least that stays together where they are wrapped."""
    return [word for line in lines for word in words_of(line)]


def _margin(grid: Grid) -> int:
    """How wide the heads of rows are."""
    return max(widest(row.head for row in grid.rows), 0) if grid.headings else 0


def _later(grid: Grid) -> list[int]:
    return [at for at, row in enumerate(grid.rows) if not row.first]


def _blocks(grid: Grid, short: Sequence[int]) -> Block:
    return [[_lines(cell, at in short) for cell in row.cells] for at, row in enumerate(grid.rows)]


def _lines(cell: Cell | None, short: bool) -> list[Line]:
    if cell is None:
        return []
    return list((cell.short or cell.lines) if short else cell.lines)


def _wrapped(lines: Sequence[Line], columns: int) -> list[Line]:
    return [part for line in lines for part in wrapped(line, columns)]


def _gap(frame: str) -> int:
    return {"squares": 0, CLOSE: 1}.get(frame, 2)


def _set(grid: Grid, blocks: Block, first: int, frame: str, widths: Sequence[int] = ()) -> list[Line]:
    widths = widths or _widths(grid, blocks, frame)
    if frame == ROOMY:
        widths = [columns + 2 for columns in widths]
    if frame in ("boxes", ROOMY):
        return _boxed(grid, blocks, first, widths)
    gap = _gap(frame)
    tall = any(len(lines) > 1 for row in blocks for lines in row)
    align: Align = "centre" if tall or frame == "squares" else "left"
    found: list[Line] = []
    if grid.headings and any(grid.heads):
        found += [(*blank(first + bool(first)), *line) for line in _heads(grid.heads, widths, gap)]
    for number, (row, cells) in enumerate(zip(grid.rows, blocks, strict=True)):
        for at in range(max([1, *map(len, cells)])):
            line: list[Run] = []
            if first:
                line += styled(padded(row.head if at == 0 else (), first, "right"), dim=True)
                line += blank(1)
            line += blank((widths[0] + gap) * row.shift // 2)
            parts = []
            for across, (lines, columns) in enumerate(zip(cells, widths, strict=False)):
                part = lines[at] if at < len(lines) else ()
                if frame == "squares" and any(run.fresh for run in part):
                    part = (Run("[", bold=True), *part, Run("]", bold=True))
                part = _belonging(row.cells[across], padded(part, columns, align))
                if frame == "squares" and row.cells[across] is not None and (number + across) % 2 == 0:
                    part = tuple(replace(run, back=run.back or SHADE) for run in part)
                parts.append(part)
            found.append(trimmed((*line, *_spaced(parts, gap))))
    return found


def _heads(heads: Sequence[Line], widths: Sequence[int], gap: int) -> list[Line]:
    """Names of columns, on more lines than one where they are wider, the last word just above its column."""
    blocks = [wrapped(head, columns) for head, columns in zip(heads, widths, strict=True)]
    height = max(map(len, blocks))
    rows = zip(*([*[()] * (height - len(block)), *block] for block in blocks), strict=True)
    return [
        trimmed(
            _spaced(
                [styled(padded(part, columns, "centre"), dim=True) for part, columns in zip(row, widths, strict=True)],
                gap,
            )
        )
        for row in rows
    ]


def _belonging(cell: Cell | None, part: Line) -> Line:
    """A line of a cell, all of which stands for its place."""
    return part if cell is None else standing(part, cell.of)


def _widths(grid: Grid, blocks: Block, frame: str) -> list[int]:
    """The width of each column; of an even grid all are alike, and even numbers where rows are moved by half a cell. A
    square has room for brackets round what is in it."""
    most = [
        max((widest(row[at]) for row in blocks if at < len(row)), default=0) + 2 * (frame == "squares")
        for at in range(len(grid.heads))
    ]
    if grid.headings:
        most = [max(columns, width_of(head)) for columns, head in zip(most, grid.heads, strict=True)]
    if any(row.shift for row in grid.rows):
        return [max(most) + max(most) % 2] * len(most)
    return [max(most)] * len(most) if grid.even else most


def _spaced(parts: Sequence[Line], gap: int) -> Line:
    return tuple(run for number, part in enumerate(parts) for run in (*blank(gap if number else 0), *part))


def _boxed(grid: Grid, blocks: Block, first: int, widths: Sequence[int]) -> list[Line]:
    """A box round each cell; where two have a side in common it is drawn once."""
    there = [[cell is not None for cell in row.cells] for row in grid.rows]
    margin = blank(first + bool(first))
    found: list[Line] = []
    if grid.headings and any(grid.heads):
        found += [(*margin, *blank(1), *line) for line in _heads(grid.heads, widths, 1)]
    for number in range(len(grid.rows) + 1):
        found.append(trimmed((*margin, Run(_border(there, number, widths), dim=True))))
        if number == len(grid.rows):
            break
        cells = blocks[number]
        for at in range(max([1, *map(len, cells)])):
            head = styled(padded(grid.rows[number].head if at == 0 else (), first, "right"), dim=True)
            line: list[Run] = [*head, *blank(1)] if first else []
            for across, columns in enumerate(widths):
                lines = cells[across] if across < len(cells) else []
                line.append(Run("│" if _side(there[number], across) else " ", dim=True))
                part = padded(lines[at] if at < len(lines) else (), columns, "centre")
                line += _belonging(grid.rows[number].cells[across] if across < len(cells) else None, part)
            line.append(Run("│" if _side(there[number], len(widths)) else " ", dim=True))
            found.append(trimmed(line))
    return found


def _side(row: Sequence[bool], across: int) -> bool:
    """Whether a box begins or ends before a column."""
    return _is(row, across - 1) or _is(row, across)


def _is(row: Sequence[bool], across: int) -> bool:
    return 0 <= across < len(row) and row[across]


CORNERS = " ╶╷┌╴─┐┬╵└│├┘┴┤┼"
"""Where lines meet: the sum of 1 to the right, 2 down, 4 to the left, 8 up."""


def _border(there: Sequence[Sequence[bool]], number: int, widths: Sequence[int]) -> str:
    """The line above a row of boxes, or below the last."""
    over: Sequence[bool] = there[number - 1] if number else ()
    under: Sequence[bool] = there[number] if number < len(there) else ()
    text = ""
    for across in range(len(widths) + 1):
        left, right = (_is(over, at) or _is(under, at) for at in (across - 1, across))
        up, down = _side(over, across), _side(under, across)
        text += CORNERS[right + 2 * down + 4 * left + 8 * up]
        if across < len(widths):
            text += ("─" if right else " ") * widths[across]
    return text
