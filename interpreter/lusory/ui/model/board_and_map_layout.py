"""Lay out boards (grids of cells) and maps (spaces with links) as lines.

Each layout has several forms, from rich to compact. The first form that fits into the given size wins. All other panels
are laid out in :mod:`lusory.ui.model.panel_lines`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise, product
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core.board_geometry import format_column

from ...explain.styled_text_wrapping_and_values import (
    Align,
    Line,
    Run,
    add_reference,
    blank,
    cut_line,
    join_lines,
    list_graphemes,
    measure,
    measure_text,
    measure_widest,
    pad_line,
    restyle,
    select_fitting,
    set_text,
    share_columns,
    split_words,
    to_text,
    trim_line,
    wrap_line,
    wrap_lines,
)
from .screen import Cell, Grid, Map, Node, Row


def make_map(board: core.Board, title: str, cells: Sequence[Cell]) -> Map:
    """Return the map of a board with linked spaces. ``cells`` has one entry for each space, in order.

    The result is ``Map("table", title, nodes, edges)``, with ``Node(cell, across, down)`` for each space in the same
    order. The rows and columns in use are numbered from 0 without gaps: a space at row 4 and column 2 can be across 1,
    down 1. A place of the board is ``(row, column)``. A board without places has all spaces in one row. ``edges`` holds
    sorted pairs of indices such as ``(0, 1)``, the smaller index first, each link once.
    """
    places = board.places or tuple((0, number) for number in range(board.size))
    down = {row: number for number, row in enumerate(sorted({row for row, _ in places}))}
    across = {column: number for number, column in enumerate(sorted({column for _, column in places}))}
    nodes = tuple(Node(cell, across[column], down[row]) for cell, (row, column) in zip(cells, places, strict=True))
    edges = tuple(sorted({(min(i, j), max(i, j)) for i, near in enumerate(board.beside) for j in near}))
    return Map("table", title, nodes, edges)


def add_column_letters(grid: Grid, board: core.Board) -> Grid:
    """Return the grid of a hexagonal board with dim column letters such as ``a``, as cells of its rows.

    The grid gets one more row at both ends. Its columns are slanted. Counted from row 1, a letter stands in the row
    before the first space of its column, half a cell to the left. It also stands in the row behind the last space, half
    a cell to the right. ``heads`` becomes a ``()`` for each cell of the longest row.
    """
    columns = {f"{board.name}:{name}": column for name, column in zip(board.names, board.column, strict=True)}
    rows = [*grid.rows] if board.is_first_row_north else [*reversed(grid.rows)]
    cell_rows = [{row.shift + 2 * i: cell for i, cell in enumerate(row.cells) if cell is not None} for row in rows]
    cell_rows = [{}, *cell_rows, {}]
    for ordered_rows, offset in ((cell_rows, -1), (cell_rows[::-1], 1)):
        lettered_columns: set[int] = set()
        for before, row in pairwise(ordered_rows):
            for across, cell in [*row.items()]:
                column = columns.get(cell.of)
                if column is not None and column not in lettered_columns:
                    lettered_columns.add(column)
                    before[across + offset] = Cell((restyle(_make_words(format_column(column)), dim=True),))
    start = min((across for row in cell_rows for across in row), default=0)
    new_rows = []
    for head, row in zip([(), *(row.head for row in rows), ()], cell_rows, strict=True):
        first = min(row, default=start)
        new_rows.append(Row(head, tuple(map(row.get, range(first, max(row, default=first) + 1, 2))), first - start))
    heads = ((),) * max(len(row.cells) for row in new_rows)
    return replace(grid, heads=heads, rows=tuple(new_rows if board.is_first_row_north else reversed(new_rows)))


def _make_words(text: str) -> Line:
    return (Run(text),) if text else ()


Block = list[list[list[Line]]]
"""The lines of each cell of each row."""

SHADE = "shade"
ROOMY = "roomy boxes"
HIGH = "boxes with an empty line above and below the text"
LEANING = "rows shifted by half a cell"
LATTICE = "rows shifted by half a cell, with links between them"
COMPACT = "one blank between"


def lay_out_grid(grid: Grid, columns: int, rows: int | None) -> list[Line]:
    """Lay out a grid as lines, in the richest of its forms that fits into ``columns`` and ``rows``.

    A board of two rows in squares gives ``   a  b``, ``2  x ``, ``1     o ``. If all forms that fit into ``columns``
    have too many rows, the result is the first of those with the fewest rows. If every form is too wide, cells and
    headings are wrapped and cut. ``rows`` None sets no limit, but leaves out boxes with an empty line above and below
    the text, and strokes between the rows of a leaning board. The texts of the edges stand around the board, but a
    wrapped one lacks them. Returns [] if ``grid.rows`` or ``grid.heads`` is empty.
    """
    if not grid.rows or not grid.heads:
        return []
    forms = (_add_edge_texts(grid, lines) for lines in _list_grid_forms(grid, rows is not None))
    return select_fitting(forms, columns, rows) or _shrink_grid(grid, columns)


def _add_edge_texts(grid: Grid, lines: list[Line]) -> list[Line]:
    """Put the texts of the edges beside a drawn grid: above and below its middle, and beside its middle row.

    Leaves out texts that are repeated along their edge, because the grid has them already, see :func:`_find_sign`.
    """
    top, right, bottom, left = [() if _find_sign(grid, i) else edge for i, edge in enumerate(grid.edges or [()] * 4)]
    middle, width = len(lines) // 2, measure_widest(lines)
    if right:
        lines[middle] = (*pad_line(lines[middle], width), Run("  "), *right)
    if left:
        indent = measure(left) + 2
        lines = [(*(pad_line(left, indent) if i == middle else blank(indent)), *line) for i, line in enumerate(lines)]
        width += indent
    above, below = [[(*blank((width - measure(edge)) // 2), *edge)] if edge else [] for edge in (top, bottom)]
    return [*above, *lines, *below]


def _find_sign(grid: Grid, edge: int) -> Line:
    """Return the sign that is repeated along an edge, 0 to 3, of a leaning board, or () if its text is no such sign."""
    line = grid.edges[edge] if grid.edges else ()
    is_lettered = grid.has_headings and not grid.rows[0].head and any(row.shift for row in grid.rows)
    return line if measure(line) == 1 and grid.frame == "none" and is_lettered else ()


def _list_grid_forms(grid: Grid, has_large: bool) -> Iterator[list[Line]]:
    """Yield the forms of a grid: with full text, with all but first rows shortened, and with all rows shortened.

    Boxes with padding come first if the grid allows boxes. Narrow gaps come last. Without ``has_large``, the forms that
    only add rows are left out.
    """
    margin = _measure_margin(grid)
    later_rows = [i for i, row in enumerate(grid.rows) if not row.keeps_text]
    forms = [_make_blocks(grid, short_rows) for short_rows in ((), later_rows, range(len(grid.rows)))]
    is_leaning = grid.frame == "none" and any(row.shift for row in grid.rows)
    is_low = all(len(cell.lines) < 2 for row in grid.rows for cell in row.cells if cell is not None)
    large = [LATTICE] if is_leaning else [HIGH] if grid.frame == "boxes" and is_low else []
    frames = [ROOMY, "boxes", "none", COMPACT] if grid.frame == "boxes" else [grid.frame, COMPACT]
    frames = [*(large if has_large else []), *([LEANING, COMPACT] if is_leaning else frames)]
    for frame in frames if grid.frame != "squares" else ["squares"]:
        for blocks in forms:
            yield _draw_grid(grid, blocks, margin, frame)


def _shrink_grid(grid: Grid, columns: int) -> list[Line]:
    """Lay out a grid with shortened text, and wrap cells and column names, so that no line is wider than ``columns``.

    Cut words that are too long, and the names of rows if they take more than a third of the width.
    """
    margin = min(_measure_margin(grid), columns // 3)
    frame = "squares" if grid.frame == "squares" else COMPACT
    blocks = _make_blocks(grid, range(len(grid.rows)))
    widths = _calculate_least_widths(grid, blocks, columns - margin - bool(margin), frame)
    inner_widths = [max(width - 2 * (frame == "squares"), 1) for width in widths]
    blocks = [[wrap_lines(lines, width) for lines, width in zip(row, inner_widths, strict=False)] for row in blocks]
    grid = replace(grid, rows=tuple(replace(row, head=cut_line(row.head, margin)) for row in grid.rows))
    lines = _draw_grid(grid, blocks, margin, frame, widths)
    return [cut_line(line, columns) for line in lines]


def _calculate_least_widths(grid: Grid, blocks: Block, room: int, frame: str) -> list[int]:
    """Return widths for which the columns of a grid fit into ``room``.

    Each column first gets the width of its longest word, and then more up to its natural width.
    """
    room -= _get_gap(frame) * (len(grid.heads) - 1)
    natural = _measure_columns(grid, blocks, frame)
    if grid.is_even or any(row.shift for row in grid.rows):
        return [max(min(natural[0], room // len(natural)), 1)] * len(natural)
    cells = [[line for row in blocks if i < len(row) for line in row[i]] for i in range(len(natural))]
    names = [[head] if grid.has_headings else [] for head in grid.heads]
    heads = [measure_widest(_list_words(lines)) for lines in names]
    extra = 2 * (frame == "squares")
    least = [max(measure_widest(_list_words(lines)) + extra, head, 1) for lines, head in zip(cells, heads, strict=True)]
    widths = share_columns(
        least, [max(measure_widest(lines) + extra, head, 1) for lines, head in zip(cells, heads, strict=True)], room
    )
    return share_columns(widths, natural, room) if sum(widths) <= room else widths


def _list_words(lines: Sequence[Line]) -> list[Line]:
    """Return the words of lines. Wrapping never breaks them."""
    return [word for line in lines for word in split_words(line)]


def _measure_margin(grid: Grid) -> int:
    """Return the width of the row headings."""
    return measure_widest(row.head for row in grid.rows) if grid.has_headings else 0


def _make_blocks(grid: Grid, short_rows: Sequence[int]) -> Block:
    return [[_get_cell_lines(cell, i in short_rows) for cell in row.cells] for i, row in enumerate(grid.rows)]


def _get_cell_lines(cell: Cell | None, is_short: bool) -> list[Line]:
    if cell is None:
        return []
    return list((cell.short or cell.lines) if is_short else cell.lines)


def _get_gap(frame: str) -> int:
    return {"squares": 0, COMPACT: 1}.get(frame, 2)


def _draw_grid(grid: Grid, blocks: Block, margin: int, frame: str, widths: Sequence[int] = ()) -> list[Line]:
    """Draw a grid in a form: headings, then the rows, each as high as its highest cell.

    ``blocks`` holds the lines of each cell, and ``margin`` is the width of the row headings. ``widths`` are those of
    the columns, by default their natural widths. In ``squares``, fresh text stands in brackets, ``[O]``, and every
    second square is shaded.
    """
    if frame in (LEANING, LATTICE):
        return _draw_leaning_board(grid, blocks, margin, frame == LATTICE)
    widths = widths or _measure_columns(grid, blocks, frame)
    if frame in ("boxes", ROOMY, HIGH):
        wider = {ROOMY: 2, HIGH: 6}.get(frame, 0)
        high = [[[(), *lines, ()] for lines in row] for row in blocks] if frame == HIGH else blocks
        return _draw_boxes(grid, high, margin, [columns + wider for columns in widths])
    gap = _get_gap(frame)
    tall = any(len(lines) > 1 for row in blocks for lines in row)
    # A single column is a list of texts.
    align: Align = "centre" if frame == "squares" or (tall and len(grid.heads) > 1) else "left"
    board_lines: list[Line] = []
    if grid.has_headings and any(grid.heads):
        board_lines += [(*blank(margin + bool(margin)), *line) for line in _lay_out_heads(grid.heads, widths, gap)]
    for number, (row, cells) in enumerate(zip(grid.rows, blocks, strict=True)):
        for i in range(max([1, *map(len, cells)])):
            line: list[Run] = []
            if margin:
                line += restyle(pad_line(row.head if i == 0 else (), margin, "right"), dim=True)
                line += blank(1)
            line += blank((widths[0] + gap) * row.shift // 2)
            texts = []
            for across, (lines, columns) in enumerate(zip(cells, widths, strict=False)):
                text = lines[i] if i < len(lines) else ()
                if frame == "squares" and any(run.fresh for run in text):
                    text = (Run("[", bold=True), *text, Run("]", bold=True))
                text = _refer_to_cell(row.cells[across], pad_line(text, columns, align))
                if frame == "squares" and row.cells[across] is not None and (number + across) % 2 == 0:
                    text = tuple(replace(run, back=run.back or SHADE) for run in text)
                texts.append(text)
            board_lines.append(trim_line((*line, *_join_with_gaps(texts, gap))))
    return board_lines


def _draw_leaning_board(grid: Grid, blocks: Block, margin: int, has_links: bool) -> list[Line]:
    """Draw a board whose rows are shifted by half a cell, with the signs along its edges, see :func:`_find_sign`.

    Fresh text stands in brackets. ``has_links`` adds a line below each row of spaces, with the links to the next row.
    ``margin`` is the width of the row headings.
    """
    pitch = _measure_columns(grid, blocks, LEANING)[0]
    top, right, bottom, left = (_find_sign(grid, edge) for edge in range(4))
    left_margin = margin + 2 * bool(left)
    board_lines: list[Line] = []
    for number, (row, cells) in enumerate(zip(grid.rows, blocks, strict=True)):
        # Rows without a heading hold the letters of the columns.
        along = (top if number == 0 else bottom) if grid.has_headings and not row.head else ()
        for i in range(max([1, *map(len, cells)])):
            head = restyle(pad_line(row.head if i == 0 else (), margin, "right"), dim=True)
            is_side = i == 0 and not along
            indent = left_margin - margin + pitch * row.shift // 2
            line: list[Run] = [*head, *blank(indent - measure(left)), *(left if is_side else blank(measure(left)))]
            for across, (lines, cell) in enumerate(zip(cells, row.cells, strict=True)):
                text = lines[i] if i < len(lines) else ()
                if any(run.fresh for run in text):
                    text = (Run("[", bold=True), *text, Run("]", bold=True))
                is_last = across == len(cells) - 1
                sign = (right if is_side else ()) if is_last else along
                line += _refer_to_cell(cell, pad_line(text, max(pitch - measure(sign), measure(text)), "centre"))
                line += sign
            board_lines.append(trim_line(line))
        if has_links and row.head and number < len(grid.rows) - 1 and grid.rows[number + 1].head:
            board_lines.append(_draw_links_below(row, grid.rows[number + 1], left_margin, pitch))
    return board_lines


def _draw_links_below(row: Row, below: Row, margin: int, pitch: int) -> Line:
    """Return a line with a dim stroke between each space of a row and each that touches it in the row below.

    Cells without a reference, such as letters, have none.
    """
    starts = [margin + pitch * board_row.shift // 2 + (pitch - 1) // 2 for board_row in (row, below)]
    middles = [
        [start + pitch * i for i, cell in enumerate(board_row.cells) if cell and cell.of]
        for start, board_row in zip(starts, (row, below), strict=True)
    ]
    strokes = {
        (above + under) // 2: SLANTS[1 if under > above else -1]
        for above, under in product(*middles)
        if abs(above - under) == pitch // 2
    }
    return (Run("".join(strokes.get(i, " ") for i in range(max(strokes, default=-1) + 1)), dim=True),)


def _lay_out_heads(heads: Sequence[Line], widths: Sequence[int], gap: int) -> list[Line]:
    """Lay out column headings. Long ones wrap upwards, so their last word is directly above the column."""
    blocks = [wrap_line(head, columns) for head, columns in zip(heads, widths, strict=True)]
    height = max(map(len, blocks))
    rows = zip(*([*[()] * (height - len(block)), *block] for block in blocks), strict=True)
    cells = ([pad_line(line, width, "centre") for line, width in zip(row, widths, strict=True)] for row in rows)
    return [trim_line(_join_with_gaps([restyle(line, dim=True) for line in lines], gap)) for lines in cells]


def _refer_to_cell(cell: Cell | None, line: Line) -> Line:
    """Let all of a cell's line refer to the value of the cell."""
    return line if cell is None else add_reference(line, cell.of)


def _measure_columns(grid: Grid, blocks: Block, frame: str) -> list[int]:
    """Return the width of each column.

    Columns of an even grid have the same width. It is an even number if rows are shifted by half a cell. Squares have
    room for brackets around their content, and boxes of numbers for two digits, so that a board keeps its width.
    """
    texts = [to_text(line) for row in blocks for lines in row for line in lines] if grid.frame == "boxes" else []
    least = 2 if texts and all(map(str.isdecimal, texts)) else 0
    most = [
        max([least, *(measure_widest(row[i]) for row in blocks if i < len(row))]) + 2 * (frame in ("squares", LEANING))
        for i in range(len(grid.heads))
    ]
    if grid.has_headings:
        most = [max(columns, measure(head)) for columns, head in zip(most, grid.heads, strict=True)]
    if any(row.shift for row in grid.rows):
        return [max(most) + max(most) % 2] * len(most)
    return [max(most)] * len(most) if grid.is_even else most


def _join_with_gaps(lines: Sequence[Line], gap: int) -> Line:
    return tuple(run for number, line in enumerate(lines) for run in (*blank(gap if number else 0), *line))


def _draw_boxes(grid: Grid, blocks: Block, margin: int, widths: Sequence[int]) -> list[Line]:
    """Draw a box around each cell that is not a gap. Neighbours share a border.

    The parameters are those of :func:`_draw_grid`.
    """
    boxes = [[cell is not None for cell in row.cells] for row in grid.rows]
    blanks = blank(margin + bool(margin))
    board_lines: list[Line] = []
    if grid.has_headings and any(grid.heads):
        board_lines += [(*blanks, *blank(1), *line) for line in _lay_out_heads(grid.heads, widths, 1)]
    for number in range(len(grid.rows) + 1):
        board_lines.append(trim_line((*blanks, Run(_draw_border(boxes, number, widths), dim=True))))
        if number == len(grid.rows):
            break
        cells = blocks[number]
        for i in range(max([1, *map(len, cells)])):
            head = restyle(pad_line(grid.rows[number].head if i == 0 else (), margin, "right"), dim=True)
            line: list[Run] = [*head, *blank(1)] if margin else []
            for across, columns in enumerate(widths):
                lines = cells[across] if across < len(cells) else []
                line.append(Run("│" if _has_border_before(boxes[number], across) else " ", dim=True))
                text = pad_line(lines[i] if i < len(lines) else (), columns, "centre")
                line += _refer_to_cell(grid.rows[number].cells[across] if across < len(cells) else None, text)
            line.append(Run("│" if _has_border_before(boxes[number], len(widths)) else " ", dim=True))
            board_lines.append(trim_line(line))
    return board_lines


def _has_border_before(boxes: Sequence[bool], across: int) -> bool:
    """Return whether there is a vertical border before a column."""
    return _has_box(boxes, across - 1) or _has_box(boxes, across)


def _has_box(boxes: Sequence[bool], across: int) -> bool:
    return 0 <= across < len(boxes) and boxes[across]


CORNERS = " ╶╷┌╴─┐┬╵└│├┘┴┤┼"
"""Box-drawing characters, indexed by the sum of their directions: 1 right, 2 down, 4 left, 8 up."""


def _draw_border(boxes: Sequence[Sequence[bool]], number: int, widths: Sequence[int]) -> str:
    """Return the border above row ``number`` of boxes, or below the last row."""
    above: Sequence[bool] = boxes[number - 1] if number else ()
    below: Sequence[bool] = boxes[number] if number < len(boxes) else ()
    text = ""
    for across in range(len(widths) + 1):
        left, right = (_has_box(above, i) or _has_box(below, i) for i in (across - 1, across))
        up, down = _has_border_before(above, across), _has_border_before(below, across)
        text += CORNERS[right + 2 * down + 4 * left + 8 * up]
        if across < len(widths):
            text += ("─" if right else " ") * widths[across]
    return text


Blocks = Sequence[Sequence[Line]]
"""The lines of each space."""
RIGHT, DOWN, LEFT, UP = 1, 2, 4, 8
STROKES = " ╶╷╭╴─╮┬╵╰│├╯┴┤┼"
"""Line-drawing characters with round corners, indexed by the sum of the directions above."""
ACROSS, ALONG = RIGHT + LEFT, UP + DOWN
SLANTS = {1: "╲", -1: "╱"}
OFF_MIDDLE = 2
"""Distance in columns from the middle of a space to the point where a line with corners leaves it."""
MARGIN = 2
"""Columns on each side of a map that hold lines around it."""
MOST_GIVEN, SEARCHES = 4, 3
"""Maximum columns that one map column gives another in a step of the width search, and the number of steps."""
Steps = list[tuple[int, int, int]]
"""Row, column and directions of each stroke of a line."""


def lay_out_map(map: Map, columns: int, rows: int | None) -> list[Line]:
    """Lay out a map as lines, in the richest of its forms that fits into ``columns`` and ``rows``.

    Two linked spaces in a row give `` Mill────Inn``. With ``rows`` None, any number of rows fits. If every form has too
    many rows, the result is the form with the fewest rows that fits into ``columns``. Narrow forms wrap the spaces and
    cut long words: ``Mi…───Inn``. If every form is too wide, the result exceeds ``columns``. Links that can't be drawn
    are listed below the map: ``also linked: a1–b2``. A form without rows between the spaces has the line
    ``F2 draws all links.`` in place of this list. Returns [] without nodes.
    """
    if not map.nodes:
        return []
    drawings = (_draw_map(map, form, columns) for form in _list_map_forms(map, columns))
    if lines := select_fitting(drawings, columns, rows):
        return lines
    return _draw_map(map, _Form(_narrow_map(map, columns, 3, _list_short_lines(map)), 3, 1), columns)


class _Form(NamedTuple):
    """Hold the lines of each space, the blanks between columns, the rows between rows of spaces, and ``step``.

    The distance between two columns is a multiple of ``step``, so that a small change of a text moves nothing else.
    """

    blocks: Blocks
    gap: int
    rise: int
    step: int = 1

    def _measure_columns(self, map: Map) -> tuple[list[int], list[int]]:
        """Return the start of each column of spaces and its width.

        Each column of spaces, even the last, is widened until its width plus the gap is a multiple of ``step``.
        """
        sizes = [-(-(measure_widest(block) + self.gap) // self.step) * self.step - self.gap for block in self.blocks]
        return _sum_sizes([node.across for node in map.nodes], sizes, self.gap)


LEAST_WRAPPED = 70
"""Columns from which on the full text of spaces is wrapped. In fewer it is shortened."""
ROUND = 4
"""Columns of the links that go round a map, at both sides."""


def _list_map_forms(map: Map, columns: int) -> Iterator[_Form]:
    """Yield the forms of a map, from rich to compact.

    Full text comes before shortened text, and steady columns come before others. From ``LEAST_WRAPPED`` columns on,
    full text is wrapped before it is shortened. Forms without rows between the spaces draw only horizontal links. The
    last form puts everything in a space on one line.
    """
    full_blocks = [[add_reference(line, node.cell.of) for line in node.cell.lines] for node in map.nodes]
    short_blocks = _list_short_lines(map)
    yield _Form(full_blocks, 2, 1, map.step)
    yield _Form(full_blocks, 3, 1)
    if columns >= LEAST_WRAPPED:
        yield _Form(_narrow_map(map, columns - ROUND, 3, full_blocks), 3, 1)
    yield _Form(short_blocks, 2, 1, map.step)
    narrow = _narrow_map(map, columns, 3, short_blocks)
    yield _Form(narrow, 3, 1)
    flat = [[join_lines(filter(None, lines), " ")] for lines in short_blocks]
    yield _Form(_narrow_map(map, columns, 3, flat), 3, 1)
    yield _Form(narrow, 3, 0)
    yield _Form(_narrow_map(map, columns, 2, flat), 2, 0)


def count_linked_rows(board: Map, columns: int) -> int:
    """Return the number of lines of the lowest drawing of a map in ``columns`` with rows between spaces for links.

    A list of links that can't be drawn counts. The map needs nodes, but no links. Returns 0 if no such drawing fits.
    """
    drawings = [_draw_map(board, form, columns) for form in _list_map_forms(board, columns) if form.rise]
    return min((len(lines) for lines in drawings if measure_widest(lines) <= columns), default=0)


def _list_short_lines(map: Map) -> list[list[Line]]:
    return [[add_reference(line, node.cell.of) for line in node.cell.short or node.cell.lines] for node in map.nodes]


def _narrow_map(map: Map, columns: int, gap: int, blocks: Blocks) -> list[list[Line]]:
    """Return the lines of each space, wrapped so that the map fits into ``columns`` with ``gap`` blanks."""
    across = max(node.across for node in map.nodes) + 1
    least, natural = [1] * across, [1] * across
    for node, block in zip(map.nodes, blocks, strict=True):
        least[node.across] = max([least[node.across], *(measure_widest(split_words(line)) for line in block)])
        natural[node.across] = max(natural[node.across], measure_widest(block))
    widths = share_columns(least, natural, max(columns - gap * (across - 1), across))
    widths = _improve_widths(map, blocks, widths)
    return [wrap_lines(block, widths[node.across]) for node, block in zip(map.nodes, blocks, strict=True)]


def _improve_widths(map: Map, blocks: Blocks, widths: list[int]) -> list[int]:
    """Return column widths improved by local search, so that the spaces take few rows. Their sum stays.

    Each step moves up to ``MOST_GIVEN`` columns of width from one map column to another. The search ends when no step
    lowers the total height, or after ``SEARCHES`` steps.
    """
    words = [[[measure(word) for word in split_words(line)] for line in block] for block in blocks]

    def calculate_height(widths: Sequence[int]) -> int:
        rows: dict[int, int] = {}
        for node, lines in zip(map.nodes, words, strict=True):
            rows[node.down] = max(rows.get(node.down, 1), sum(_count_rows(line, widths[node.across]) for line in lines))
        return sum(rows.values())

    for _ in range(SEARCHES):
        candidates = [widths]
        for giver, taker, n in product(range(len(widths)), range(len(widths)), range(1, MOST_GIVEN + 1)):
            if giver != taker and widths[giver] > n:
                changes = {giver: widths[giver] - n, taker: widths[taker] + n}
                candidates.append([changes.get(i, width) for i, width in enumerate(widths)])
        # ``widths`` comes first, so it wins ties.
        best = min(candidates, key=calculate_height)
        if best is widths:
            break
        widths = best
    return widths


def _count_rows(words: Sequence[int], columns: int) -> int:
    """Return the number of lines that words of the given widths take."""
    lines, length = 1, 0
    for size in words:
        if length and length + 1 + size > columns:
            lines, length = lines + 1, 0
        length += size + bool(length)
    return lines


def _draw_map(map: Map, form: _Form, columns: int) -> list[Line]:
    """Draw spaces and links, with a note about the links that have no room.

    Without rows between the spaces, only horizontal links are drawn, and the note says which key draws all. Otherwise
    it lists the others.
    """
    blocks, rise = form.blocks, form.rise
    plan = _make_plan(map, form, 0)
    round_links = [link for link in map.edges if rise and _is_round(map, *link)]
    if round_links:
        plan = _make_plan(map, form, MARGIN)
    missing_links = []
    for link in sorted(map.edges, key=lambda link: _rank(map, *link)):
        if link not in round_links and not _link(map, plan, *link, rise):
            missing_links.append(link)
    missing_links += _draw_round_margins(map, plan, round_links)
    canvas = [[Run(" ")] * plan.width for _ in range(plan.height)]
    for (row, column), stroke in plan.strokes.items():
        canvas[row][column] = Run(stroke if isinstance(stroke, str) else STROKES[stroke], dim=True)
    for i, block in enumerate(blocks):
        for row, line in enumerate(block):
            _write_line(canvas[plan.tops[i] + row], plan._find_span(i, row)[0], line)
    lines = [trim_line(_merge_runs(row)) for row in canvas]
    if missing_links and rise:
        pairs = [_format_pair(map.nodes[start].cell, map.nodes[end].cell) for start, end in sorted(missing_links)]
        lines += wrap_line((Run("also linked: ", dim=True), *join_lines(pairs, ", ")), columns, 2)
    elif missing_links:
        lines.append(cut_line((Run("F2 draws all links.", dim=True),), columns))
    return lines


def _format_pair(first: Cell, second: Cell) -> Line:
    """Return the names of two linked spaces. The name is the first run of a cell."""
    first_name, second_name = (cell.lines[0][:1] if cell.lines else () for cell in (first, second))
    return (*first_name, Run("–", dim=True), *second_name)


# ---------------------------------------------------------------- positions


@dataclass
class _Plan:
    """Hold the position of each space and the strokes drawn so far.

    Attributes:
        tops: The first row of each space.
        lefts: The first column of each space.
        sizes: The width of each line of each space.
        room: The width that each space has.
        obstacles: The row and column of every place that a space covers.
        strokes: The row and column of every stroke: its directions, or a diagonal character.
    """

    tops: list[int]
    lefts: list[int]
    sizes: list[list[int]]
    room: list[int]
    width: int
    height: int
    obstacles: set[tuple[int, int]]
    strokes: dict[tuple[int, int], int | str] = field(default_factory=dict)

    def _find_span(self, index: int, line: int) -> tuple[int, int]:
        """Return the first column of a line of a space, centred in its room, and the column after its end.

        For a space without lines, both are its middle.
        """
        size = self.sizes[index][line] if self.sizes[index] else 0
        left = self.lefts[index] + (self.room[index] - size) // 2
        return left, left + size

    def _find_bottom(self, index: int) -> int:
        """Return the row below a space."""
        return self.tops[index] + len(self.sizes[index])

    def _draw(self, steps: Steps, may_cross: bool = True) -> bool:
        """Draw a line if all its places are free. If ``may_cross``, it may also cross straight lines at a right angle.

        ``steps`` holds row, column and stroke of each place. Returns True, or False, with nothing drawn, if a place is
        occupied.
        """
        for row, column, stroke in steps:
            old_stroke = self.strokes.get((row, column))
            crosses = may_cross and {old_stroke, stroke} == {ACROSS, ALONG}
            if (row, column) in self.obstacles or not (old_stroke is None or crosses):
                return False
        for row, column, stroke in steps:
            old_stroke = self.strokes.get((row, column), 0)
            self.strokes[row, column] = stroke + (old_stroke if isinstance(old_stroke, int) else 0)
        return True


def _make_plan(map: Map, form: _Form, margin: int) -> _Plan:
    blocks = form.blocks
    lefts, widths = form._measure_columns(map)
    tops, heights = _sum_sizes([node.down for node in map.nodes], [max(len(block), 1) for block in blocks], form.rise)
    plan = _Plan(
        [tops[node.down] for node in map.nodes],
        [lefts[node.across] + margin for node in map.nodes],
        [[measure(line) for line in block] for block in blocks],
        [widths[node.across] for node in map.nodes],
        lefts[-1] + widths[-1] + 2 * margin,
        tops[-1] + heights[-1],
        set(),
    )
    for i, lines in enumerate(plan.sizes):
        for line in range(len(lines)):
            plan.obstacles |= {(plan.tops[i] + line, column) for column in range(*plan._find_span(i, line))}
    return plan


def _sum_sizes(numbers: Sequence[int], sizes: Sequence[int], gap: int) -> tuple[list[int], list[int]]:
    """Return the start of each column (or row) and its size."""
    most = [0] * (max(numbers) + 1)
    for number, size in zip(numbers, sizes, strict=True):
        most[number] = max(most[number], size)
    return [*accumulate((size + gap for size in most[:-1]), initial=0)], most


# ---------------------------------------------------------------- links


def _rank(map: Map, start: int, end: int) -> tuple[bool, int]:
    """Return a sort key: straight links before those with corners, and short links before long ones."""
    across, down = (map.nodes[end].across - map.nodes[start].across, map.nodes[end].down - map.nodes[start].down)
    return (bool(across and down), abs(across) + abs(down))


def _link(map: Map, plan: _Plan, start: int, end: int, rise: int) -> bool:
    """Draw a straight, cornered or diagonal link between two spaces. Returns whether there was room for it.

    Links that skip a row and are not vertical have none, and without rows between spaces only horizontal links do.
    """
    first, second = map.nodes[start], map.nodes[end]
    if (first.down, first.across) > (second.down, second.across):
        start, end, first, second = end, start, second, first
    if first.down == second.down:
        row, left, right = plan.tops[start], plan._find_span(start, 0)[1], plan._find_span(end, 0)[0]
        return plan._draw([(row, column, ACROSS) for column in range(left, right)])
    if not rise:
        return False
    if first.across == second.across:
        column = _find_free_column(plan, start, end)
        rows = range(plan._find_bottom(start), plan.tops[end])
        return column is not None and plan._draw([(y, column, ALONG) for y in rows])
    if second.down - first.down > 1:
        return False
    way = 1 if second.across > first.across else -1
    is_near = abs(second.across - first.across) == 1
    return _draw_bend(plan, start, end, way) or (is_near and _draw_diagonal(plan, start, end, way))


def _find_free_column(plan: _Plan, start: int, end: int) -> int | None:
    """Return the column of a vertical line between two spaces that nothing blocks, or None.

    Prefers columns on the outer side of the map, and then those closest to the middle of the space.
    """
    (left, right), (low, high) = plan._find_span(start, len(plan.sizes[start]) - 1), plan._find_span(end, 0)
    middle, outwards = _find_middle(plan, start), 1 if _find_middle(plan, start) > plan.width // 2 else -1
    rows = range(plan._find_bottom(start), plan.tops[end])
    near = {column for row, column in plan.obstacles if row in rows}
    near |= {column + offset for column in near for offset in (-1, 1)}
    free = set(range(max(left, low), min(right, high))) - near
    return min(free, key=lambda x: ((x - middle) * outwards < 0, abs(x - middle)), default=None)


def _draw_bend(plan: _Plan, start: int, end: int, way: int) -> bool:
    """Draw a line with two corners: down from one space, sideways in the row above the other, and down to it.

    Prefers a line that crosses no other. Returns False if there is no room.
    """
    (left, right), (low, high) = plan._find_span(start, len(plan.sizes[start]) - 1), plan._find_span(end, 0)
    row = plan.tops[end] - 1
    forward, back = (RIGHT, LEFT) if way > 0 else (LEFT, RIGHT)
    for may_cross in (False, True):
        for entry in range(_find_middle(plan, end) - OFF_MIDDLE * way, low - 1 if way > 0 else high, -way):
            outlet = _find_middle(plan, start) + OFF_MIDDLE * way
            if left <= outlet < right and low <= entry < high and (entry - outlet) * way > 0:
                between = range(min(outlet, entry) + 1, max(outlet, entry))
                steps = [(y, outlet, ALONG) for y in range(plan._find_bottom(start), row)]
                steps += [(row, outlet, UP + forward), *((row, x, ACROSS) for x in between), (row, entry, back + DOWN)]
                if plan._draw(steps, may_cross):
                    return True
    return False


def _draw_diagonal(plan: _Plan, start: int, end: int, way: int) -> bool:
    """Draw a diagonal between neighbouring columns with one character. Two crossing diagonals become a cross.

    Returns False if the place is occupied. Returns True without drawing if there is no row between the spaces.
    """
    row, column = plan.tops[end] - 1, (_find_middle(plan, start) + _find_middle(plan, end) + 1) // 2
    sign, old_stroke = SLANTS[way], plan.strokes.get((row, column), "")
    if row < plan._find_bottom(start):
        return True
    if (row, column) in plan.obstacles or (old_stroke and old_stroke != SLANTS[-way]):
        return False
    plan.strokes[row, column] = "╳" if old_stroke else sign
    return True


def _find_middle(plan: _Plan, index: int) -> int:
    return plan.lefts[index] + (plan.room[index] - 1) // 2


def _is_round(map: Map, start: int, end: int) -> bool:
    """Return whether a link goes around the map: it passes another space of the first or last column."""
    start, end = sorted((start, end), key=lambda index: map.nodes[index].down)
    first, second = map.nodes[start], map.nodes[end]
    if first.across != second.across or first.across not in (0, max(node.across for node in map.nodes)):
        return False
    between = range(first.down + 1, second.down)
    return any(node.across == first.across and node.down in between for node in map.nodes)


def _draw_round_margins(map: Map, plan: _Plan, links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Draw links around the map in its margins, from top to bottom. Returns the links that would overlap another."""
    missing_links = []
    lowest_rows = {True: -1, False: -1}
    for start, end in sorted(links, key=lambda link: sorted(map.nodes[i].down for i in link)):
        if map.nodes[start].down > map.nodes[end].down:
            start, end = end, start
        is_left = map.nodes[start].across == 0
        column = 0 if is_left else plan.width - 1
        inwards = RIGHT if is_left else LEFT
        steps: Steps = [(y, column, ALONG) for y in range(plan.tops[start] + 1, plan.tops[end])]
        steps += [(plan.tops[start], column, inwards + DOWN), (plan.tops[end], column, inwards + UP)]
        if plan.tops[start] < lowest_rows[is_left]:
            missing_links.append((start, end))
            continue
        lowest_rows[is_left] = plan.tops[end]
        for index in (start, end):
            span = (1, plan._find_span(index, 0)[0]) if is_left else (plan._find_span(index, 0)[1], column)
            steps += [(plan.tops[index], x, ACROSS) for x in range(*span)]
        for row, x, stroke in steps:
            old_stroke = plan.strokes.get((row, x), 0)
            plan.strokes[row, x] = stroke | (old_stroke if isinstance(old_stroke, int) else 0)
    return missing_links


def _write_line(row: list[Run], column: int, line: Line) -> None:
    """Write a line into a row of the canvas, one grapheme per place. A wide grapheme leaves the second place empty."""
    for run in line:
        for letter in list_graphemes(run.text):
            size = measure_text(letter)
            if size == 0:
                continue
            row[column] = set_text(run, letter)
            if size == 2:
                row[column + 1] = Run("")
            column += size


def _merge_runs(row: Sequence[Run]) -> Line:
    """Merge neighbouring characters of the same style into runs."""
    styles = groupby(row, key=lambda run: set_text(run, ""))
    return tuple(set_text(style, "".join(run.text for run in runs)) for style, runs in styles) or blank(0)
