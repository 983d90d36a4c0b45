"""Maps as lines: spaces where they lie, and lines between those that are linked.

A link is a line to the side or down, past what lies between if there is room; a line with two corners to a space of the
next row; or one round the map, from space to space of its first or last column, as on a plan of underground railways.
Each is drawn if all its places are free, and told in words below if they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import NamedTuple

from .lines import (
    blank,
    cut,
    graphemes,
    joined,
    shared,
    standing,
    text_width,
    trimmed,
    widest,
    width_of,
    words_of,
    wrapped,
)
from .panels import Cell, Map
from .text import Line, Run

Canvas = list[list[Run]]
Blocks = Sequence[Sequence[Line]]
"""The lines of each space."""
EMPTY = Run(" ")
RIGHT, DOWN, LEFT, UP = 1, 2, 4, 8
STROKES = " ╶╷╭╴─╮┬╵╰│├╯┴┤┼"
"""What goes in so many directions: the sum of those above."""
ACROSS, ALONG = RIGHT + LEFT, UP + DOWN
SLANTS = {1: "╲", -1: "╱"}
OFF_MIDDLE = 2
"""Columns from the middle of a space to where a line with corners leaves it."""
MARGIN = 2
"""Columns beside the map in which a line goes round it."""
MOST_GIVEN, SEARCHES = 4, 3
"""Columns of a terminal that one column of a map gives another at a time, and how often that is tried."""
Steps = list[tuple[int, int, int]]
"""Row, column and directions of the places of a line."""


def map_lines(map: Map, columns: int, rows: int | None) -> list[Line]:
    """The map in at most so many columns, in the richest form that has no more than so many rows; where none has, in
    the lowest. Links that can't be drawn are told below."""
    if not map.nodes:
        return []
    known: list[tuple[int, _Form]] = []
    for form in _forms(map, columns):
        width, height = form.size(map)
        if width > columns:
            continue
        if rows is None or height <= rows:
            lines = _drawn(map, form, columns)
            if widest(lines) <= columns and (rows is None or len(lines) <= rows):
                return lines
        known.append((height, form))
    for _, form in sorted(known, key=lambda pair: pair[0]):
        if widest(lines := _drawn(map, form, columns)) <= columns:
            return lines
    return _drawn(map, _Form(_narrowed(map, columns, 3), 3, 1), columns)


class _Form(NamedTuple):
    """The lines of each space, columns between columns of spaces, and rows between their rows."""

    blocks: Blocks
    gap: int
    rise: int

    def size(self, map: Map) -> tuple[int, int]:
        """Columns and rows that the spaces take."""
        lefts, widths = _placed([node.across for node in map.nodes], [widest(block) for block in self.blocks], self.gap)
        tops, heights = _placed([node.down for node in map.nodes], [max(len(b), 1) for b in self.blocks], self.rise)
        return lefts[-1] + widths[-1], tops[-1] + heights[-1]


def _forms(map: Map, columns: int) -> Iterator[_Form]:
    """Far apart and near, in full and in short, in short and wrapped; without a row between, which shows links to the
    sides only; at last with all that a space has on the line of its name."""
    full = [[standing(line, node.cell.of) for line in node.cell.lines] for node in map.nodes]
    short = _short(map)
    for gap in (5, 3):
        yield _Form(full, gap, 1)
        yield _Form(short, gap, 1)
    narrow = _narrowed(map, columns, 3)
    yield _Form(narrow, 3, 1)
    yield _Form(short, 3, 0)
    yield _Form(narrow, 3, 0)
    yield _Form(_narrowed(map, columns, 2, [[joined(filter(None, lines), " ")] for lines in short]), 2, 0)


def _short(map: Map) -> list[list[Line]]:
    return [[standing(line, node.cell.of) for line in node.cell.short or node.cell.lines] for node in map.nodes]


def _narrowed(map: Map, columns: int, gap: int, blocks: Blocks | None = None) -> list[list[Line]]:
    """The spaces in short, wrapped so that they fit with a gap between."""
    blocks = _short(map) if blocks is None else blocks
    across = max(node.across for node in map.nodes) + 1
    least, wanted = [1] * across, [1] * across
    for node, block in zip(map.nodes, blocks, strict=True):
        least[node.across] = max([least[node.across], *(widest(words_of(line)) for line in block)])
        wanted[node.across] = max(wanted[node.across], widest(block))
    widths = shared(least, wanted, max(columns - gap * (across - 1), across))
    widths = _lowest(map, blocks, widths)
    return [
        [part for line in block for part in wrapped(line, max(widths[node.across], 1))]
        for node, block in zip(map.nodes, blocks, strict=True)
    ]


def _lowest(map: Map, blocks: Blocks, widths: list[int]) -> list[int]:
    """Widths like these in which the spaces take few rows: as long as one column can give another some room, and all
    of them are lower then."""
    words = [[[width_of(word) for word in words_of(line)] for line in block] for block in blocks]

    def height(widths: Sequence[int]) -> int:
        rows: dict[int, int] = {}
        for node, lines in zip(map.nodes, words, strict=True):
            rows[node.down] = max(rows.get(node.down, 1), sum(_wraps(line, widths[node.across]) for line in lines))
        return sum(rows.values())

    for _ in range(SEARCHES):
        found = [widths]
        for giver, taker, much in product(range(len(widths)), range(len(widths)), range(1, MOST_GIVEN + 1)):
            if giver != taker and widths[giver] > much:
                given = {giver: widths[giver] - much, taker: widths[taker] + much}
                found.append([given.get(at, width) for at, width in enumerate(widths)])
        best = min(found, key=height)  # as they are, where no other is lower
        if best is widths:
            break
        widths = best
    return widths


def _wraps(words: Sequence[int], columns: int) -> int:
    """How many lines words take."""
    lines, taken = 1, 0
    for size in words:
        if taken and taken + 1 + size > columns:
            lines, taken = lines + 1, 0
        taken += size + bool(taken)
    return lines


def _drawn(map: Map, form: _Form, columns: int) -> list[Line]:
    """Spaces and links. Where there are no rows between only links to the sides are drawn, and the others counted."""
    blocks, gap, rise = form
    plan = _plan(map, blocks, gap, rise, 0)
    round_it = [link for link in map.edges if rise and _is_round(map, plan, *link)]
    if round_it:
        plan = _plan(map, blocks, gap, rise, MARGIN)
    told = []
    for link in sorted(map.edges, key=lambda link: _rank(map, *link)):
        if link not in round_it and not _link(map, plan, *link, rise):
            told.append(link)
    told += _rounded(map, plan, round_it)
    canvas: Canvas = [[EMPTY] * plan.width for _ in range(plan.height)]
    for (row, column), stroke in plan.strokes.items():
        canvas[row][column] = Run(stroke if isinstance(stroke, str) else STROKES[stroke], dim=True)
    for at, block in enumerate(blocks):
        for row, line in enumerate(block):
            _write(canvas[plan.tops[at] + row], plan.span(at, row)[0], line)
    found = [trimmed(_merged(row)) for row in canvas]
    if told and rise:
        pairs = [_pair(map.nodes[a].cell, map.nodes[b].cell) for a, b in sorted(told)]
        found += wrapped((Run("also linked: ", dim=True), *joined(pairs, ", ")), columns, 2)
    elif told:
        found.append(cut((Run(f"… {len(told)} more link{'s' if len(told) > 1 else ''}", dim=True),), columns))
    return found


def _pair(a: Cell, b: Cell) -> Line:
    """Two spaces by their names, which stand first in them."""
    first, second = (cell.lines[0][:1] if cell.lines else () for cell in (a, b))
    return (*first, Run("–", dim=True), *second)


# ---------------------------------------------------------------- where things stand


@dataclass
class _Plan:
    """Where the lines of each space begin and how wide they are; ``strokes``: what is drawn of links so far."""

    tops: list[int]
    lefts: list[int]
    sizes: list[list[int]]
    room: list[int]
    width: int
    height: int
    taken: set[tuple[int, int]]
    strokes: dict[tuple[int, int], int | str] = field(default_factory=dict)

    def span(self, at: int, line: int) -> tuple[int, int]:
        """Where a line of a space begins, and the column behind it."""
        size = self.sizes[at][line] if self.sizes[at] else 0
        left = self.lefts[at] + (self.room[at] - size) // 2
        return left, left + size

    def bottom(self, at: int) -> int:
        """The row under a space."""
        return self.tops[at] + len(self.sizes[at])

    def draw(self, steps: Steps, over: bool = True) -> bool:
        """Draw a line if all its places are free, or, if ``over``, it goes straight over others; whether it is."""
        for row, column, way in steps:
            before = self.strokes.get((row, column))
            crosses = over and {before, way} == {ACROSS, ALONG}
            if (row, column) in self.taken or not (before is None or crosses):
                return False
        for row, column, way in steps:
            before = self.strokes.get((row, column), 0)
            self.strokes[row, column] = way + (before if isinstance(before, int) else 0)
        return True


def _plan(map: Map, blocks: Blocks, gap: int, rise: int, margin: int) -> _Plan:
    lefts, widths = _placed([node.across for node in map.nodes], [widest(block) for block in blocks], gap)
    tops, heights = _placed([node.down for node in map.nodes], [max(len(block), 1) for block in blocks], rise)
    plan = _Plan(
        [tops[node.down] for node in map.nodes],
        [lefts[node.across] + margin for node in map.nodes],
        [[width_of(line) for line in block] for block in blocks],
        [widths[node.across] for node in map.nodes],
        lefts[-1] + widths[-1] + 2 * margin,
        tops[-1] + heights[-1],
        set(),
    )
    for at, lines in enumerate(plan.sizes):
        for line in range(len(lines)):
            plan.taken |= {(plan.tops[at] + line, column) for column in range(*plan.span(at, line))}
    return plan


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


# ---------------------------------------------------------------- links


def _rank(map: Map, a: int, b: int) -> tuple[bool, int]:
    """Straight ones before those with corners, short ones before long ones."""
    across, down = (map.nodes[b].across - map.nodes[a].across, map.nodes[b].down - map.nodes[a].down)
    return (bool(across and down), abs(across) + abs(down))


def _link(map: Map, plan: _Plan, a: int, b: int, rise: int) -> bool:
    """Draw a link between two spaces, straight or with corners; whether it could be."""
    first, second = map.nodes[a], map.nodes[b]
    if (first.down, first.across) > (second.down, second.across):
        a, b, first, second = b, a, second, first
    if first.down == second.down:
        row, left, right = plan.tops[a], plan.span(a, 0)[1], plan.span(b, 0)[0]
        return plan.draw([(row, column, ACROSS) for column in range(left, right)])
    if not rise:
        return False
    if first.across == second.across:
        column = _down(plan, a, b)
        return column is not None and plan.draw([(y, column, ALONG) for y in range(plan.bottom(a), plan.tops[b])])
    if second.down - first.down > 1:
        return False
    way = 1 if second.across > first.across else -1
    return _cornered(plan, a, b, way) or (abs(second.across - first.across) == 1 and _slanted(plan, a, b, way))


def _down(plan: _Plan, a: int, b: int) -> int | None:
    """The column of a straight line down with nothing in its way, as near to the middle as there is one; past
    something, on the side away from the middle of the map."""
    (left, right), (low, high) = plan.span(a, len(plan.sizes[a]) - 1), plan.span(b, 0)
    middle, outwards = _middle(plan, a), 1 if _middle(plan, a) > plan.width // 2 else -1
    rows = range(plan.bottom(a), plan.tops[b])
    near = {column for row, column in plan.taken if row in rows}
    near |= {column + by for column in near for by in (-1, 1)}
    free = set(range(max(left, low), min(right, high))) - near
    return min(free, key=lambda x: ((x - middle) * outwards < 0, abs(x - middle)), default=None)


def _cornered(plan: _Plan, a: int, b: int, way: int) -> bool:
    """Down from one space, to the side in the row over the other, and down to that: over no other line, if that can be.
    Not where spaces are too narrow."""
    (left, right), (low, high) = plan.span(a, len(plan.sizes[a]) - 1), plan.span(b, 0)
    row = plan.tops[b] - 1
    ahead, back = (RIGHT, LEFT) if way > 0 else (LEFT, RIGHT)
    for over in (False, True):
        for comes in range(_middle(plan, b) - OFF_MIDDLE * way, low - 1 if way > 0 else high, -way):
            leaves = _middle(plan, a) + OFF_MIDDLE * way
            if left <= leaves < right and low <= comes < high and (comes - leaves) * way > 0:
                between = range(min(leaves, comes) + 1, max(leaves, comes))
                steps = [(y, leaves, ALONG) for y in range(plan.bottom(a), row)]
                steps += [(row, leaves, UP + ahead), *((row, x, ACROSS) for x in between), (row, comes, back + DOWN)]
                if plan.draw(steps, over):
                    return True
    return False


def _slanted(plan: _Plan, a: int, b: int, way: int) -> bool:
    """One stroke between two spaces aslant."""
    row, column = plan.tops[b] - 1, (_middle(plan, a) + _middle(plan, b) + 1) // 2
    sign, before = SLANTS[way], plan.strokes.get((row, column), "")
    if row < plan.bottom(a):
        return True
    if (row, column) in plan.taken or (before and before != SLANTS[-way]):
        return False
    plan.strokes[row, column] = "╳" if before else sign
    return True


def _middle(plan: _Plan, at: int) -> int:
    return plan.lefts[at] + (plan.room[at] - 1) // 2


def _is_round(map: Map, plan: _Plan, a: int, b: int) -> bool:
    """Whether a link can only go round the map: in its first or last column, past another space."""
    a, b = sorted((a, b), key=lambda at: map.nodes[at].down)
    first, second = map.nodes[a], map.nodes[b]
    if first.across != second.across or first.across not in (0, max(node.across for node in map.nodes)):
        return False
    between = range(first.down + 1, second.down)
    return any(n.across == first.across and n.down in between for n in map.nodes) and _down(plan, a, b) is None


def _rounded(map: Map, plan: _Plan, links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Draw links round the map, from one space to the next; those that there is no room for."""
    left_over = []
    reached = {True: -1, False: -1}
    for a, b in sorted(links, key=lambda link: sorted(map.nodes[at].down for at in link)):
        if map.nodes[a].down > map.nodes[b].down:
            a, b = b, a
        is_left = map.nodes[a].across == 0
        column = 0 if is_left else plan.width - 1
        inwards = RIGHT if is_left else LEFT
        steps: Steps = [(y, column, ALONG) for y in range(plan.tops[a] + 1, plan.tops[b])]
        steps += [(plan.tops[a], column, inwards + DOWN), (plan.tops[b], column, inwards + UP)]
        if plan.tops[a] < reached[is_left]:
            left_over.append((a, b))
            continue
        reached[is_left] = plan.tops[b]
        for at in (a, b):
            ends = (1, plan.span(at, 0)[0]) if is_left else (plan.span(at, 0)[1], column)
            steps += [(plan.tops[at], x, ACROSS) for x in range(*ends)]
        for row, x, way in steps:
            before = plan.strokes.get((row, x), 0)
            plan.strokes[row, x] = way | (before if isinstance(before, int) else 0)
    return left_over


def _write(row: list[Run], left: int, line: Line) -> None:
    """Put a line on a row, a letter a place; what is two columns wide leaves the second empty."""
    for run in line:
        for letter in graphemes(run.text):
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
