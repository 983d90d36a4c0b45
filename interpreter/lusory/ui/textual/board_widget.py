"""Scrollable, clickable text widget."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from lusory_dsl.source.source import one_line

from ..model.layout import clipped, filled, in_flow, laid
from ..model.screen import Deed, Dials, Ending, Grid, Hand, Items, Map, Panel, Place, Players, Screen
from ..model.text import (
    COLOURS,
    SHADES,
    Line,
    Run,
    blank,
    cut,
    joined,
    padded,
    run_at,
    styled,
    text_width,
    widest,
    wrapped,
)
from ..session.session import WORD

WIDE = 100
"""Columns from which on the story stands beside the table, whatever the table is."""
LEAST_SIDE, MOST_SIDE = 30, 56
TALL = 34
"""Rows from which on lists are longer."""
LEAST_TABLE, LEAST_STORY, LEAST_PINNED = 3, 2, 3
LEAST_LIST = 2
MOST_HEAD = 5
"""What stands at the head has at most one of so many rows, beside the title."""
HOME, ABOUT = 100, 20
"""What it is worth to have in sight what stands for who looks, and each thing that options are about."""
FAR = 400
"""So many columns are enough for any table."""


class Sizes(NamedTuple):
    """Rows of each part; ``side``: columns of the story where it stands beside the table, 0 where it stands below.
    ``hand``: those under the table where that has no room for both."""

    head: int
    players: int
    table: int
    story: int
    side: int
    hand: int = 0


@dataclass(frozen=True)
class Arranged:
    """The lines of each part, and the rows it takes. ``first``: the line of the table that stands first in sight.
    ``fits``: all of table and hand is in sight."""

    head: list[Line]
    players: list[Line]
    table: list[Line]
    story: list[Line]
    sizes: Sizes
    hand: list[Line] = field(default_factory=list)
    first: int = 0

    @property
    def fits(self) -> bool:
        return len(self.table) <= self.sizes.table and len(self.hand) <= self.sizes.hand


def entries_for(rows: int) -> int:
    """How many entries a list of choices may have on a terminal of so many rows."""
    return 12 if rows >= TALL else 10


def list_rows(rows: int, on_board: bool = False) -> int:
    """How many rows a list of choices may take; ``on_board``: while they are pointed at on the table."""
    if rows >= TALL:
        return 12
    return LEAST_LIST if on_board else max(3, min(6, rows // 4))


class Arranging:
    """How a screen is arranged on a terminal of any size: what was laid out once is kept, for a key seldom changes how
    much room a panel has."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._laid: dict[tuple[int, int, int | None], list[Line]] = {}
        self._told: dict[int, list[Line]] = {}

    def arranged(self, columns: int, rows: int, asked: int, wanted: Collection[str] = ()) -> Arranged:
        """``rows``: all of the terminal; ``asked``: those that the question, its options and the line of keys take.
        ``wanted``: the references that options are about."""
        panels = self.screen.panels
        head = head_of(self.screen, panels, columns, rows)
        pinned = [line for at in self._at("players") for line in self._lines(at, columns)]
        left = rows - asked - len(head)
        spare = left - sum(len(self._lines(at, columns)) for at in self._at("table", "own")) - LEAST_STORY - 1
        most = max(min(rows // 3, left - LEAST_TABLE - LEAST_STORY), spare, LEAST_PINNED)
        pinned = clipped(pinned, columns, most)
        middle = max(left - len(pinned), LEAST_TABLE)
        natural = widest(line for at in self._at("table", "own") for line in self._lines(at, FAR))
        drawn_up = widest(
            line for at in self._at("table", "own") if self._has_width(at) for line in self._lines(at, FAR)
        )
        side = max(min(columns * 36 // 100, MOST_SIDE, columns - drawn_up - 1), LEAST_SIDE)
        if columns < WIDE and natural + LEAST_SIDE + 2 > columns:
            side = 0
        elif columns < WIDE:
            side = columns - max(natural + 2, columns - MOST_SIDE)
        told = self.story(side - 3 if side else columns - 2)  # beside a line, a blank and a bar to scroll with
        bar = int(rows >= TALL)  # the line above the story
        if side:
            table, hand = self._table(columns - side - 1, middle)
            holding = most_held(len(hand), middle)
            sizes = Sizes(len(head), len(pinned), middle - holding, middle, side, holding)
        else:
            table, hand = self._table(columns, middle - min(LEAST_STORY, len(told)) - bar)
            lying = len(table) + len(hand)
            story = min(max(len(told), LEAST_STORY) + bar, max(middle - lying, LEAST_STORY + bar))
            story = min(story, middle - min(lying, LEAST_TABLE)) if lying else middle
            holding = most_held(len(hand), middle - story)
            sizes = Sizes(len(head), len(pinned), middle - story - holding, story, 0, holding)
        return Arranged(head, pinned, table, told, sizes, hand, first_of(table, sizes.table, self._own(), wanted))

    def story(self, columns: int) -> list[Line]:
        """What happened since who looks decided last."""
        if columns not in self._told:
            self._told[columns] = story_of(self.screen.story, columns)
        return self._told[columns]

    def _at(self, *places: Place) -> list[int]:
        """The numbers of the panels that belong to some places."""
        return [at for at, panel in enumerate(self.screen.panels) if panel.place in places]

    def _lines(self, at: int, columns: int, rows: int | None = None) -> list[Line]:
        """A panel by its number, laid out."""
        key = (at, columns, rows)
        if key not in self._laid:
            self._laid[key] = laid(self.screen.panels[at], columns, rows)
        return self._laid[key]

    def _has_width(self, at: int) -> bool:
        """Whether a panel has a width of its own: others go on in the next line."""
        return isinstance(self.screen.panels[at], Dials | Grid | Map)

    def _own(self) -> tuple[str, str]:
        """The reference and the colour of who looks."""
        for panel in self.screen.panels:
            for head in panel.heads if isinstance(panel, Players) else ():
                if head.you and head.line:
                    return head.line[0].of, head.line[0].colour
        return "", ""

    def _table(self, columns: int, rows: int) -> tuple[list[Line], list[Line]]:
        """What lies on the table, in more rows than there are where nothing shorter tells it all; and then, for it is
        decided about, what one holds, which else stands below all of it."""
        table, hand = self._lying(columns, rows)
        if len(table) + len(hand) > rows:
            return self._lying(columns - 1, rows)  # beside a bar to scroll with
        return table, hand

    def _lying(self, columns: int, rows: int) -> tuple[list[Line], list[Line]]:
        lying = self._at("table", "own")
        blocks = [self._lines(at, columns) for at in lying]
        over = sum(map(len, blocks)) - rows
        if over > 0:
            held = [number for number, at in enumerate(lying) if isinstance(self.screen.panels[at], Hand)]
            for number in held:
                blocks[number] = self._lines(lying[number], columns, max(len(blocks[number]) - over, 1))
            others = [number for number in range(len(blocks)) if number not in held]
            over = sum(map(len, blocks)) - rows
            if over > 0 and others:
                tallest = max(others, key=lambda number: len(blocks[number]))
                blocks[tallest] = self._lines(lying[tallest], columns, max(len(blocks[tallest]) - over, 3))
            if sum(map(len, blocks)) > rows and others:
                hand = [line for number in held for line in blocks[number]]
                return [line for number in others for line in blocks[number]], hand
        return [line for block in blocks for line in block], []


def most_held(hand: int, rows: int) -> int:
    """How many rows a hand of so many lines has of those that it shares with the table: about half."""
    return max(min(hand, max((rows + 1) // 2, 2), rows - LEAST_TABLE), 0)


def first_of(table: Sequence[Line], rows: int, own: tuple[str, str], wanted: Collection[str] = ()) -> int:
    """The line from which on most of what matters is in sight, where the table has more lines than there is room: what
    stands for who looks (a reference), then what options are about (``wanted``), then what has one's own colour."""
    of, colour = own
    if len(table) <= rows:
        return 0
    stands = [{run.of for run in line if run.of and (run.of == of or run.of in wanted)} for line in table]
    coloured = [sum(bool(colour) and run.colour == colour for run in line) for line in table]

    def worth(first: int) -> tuple[int, int]:
        seen = set().union(*stands[first : first + rows])
        return (HOME * (of in seen) + ABOUT * len(seen - {of}) + sum(coloured[first : first + rows]), -first)

    return max(range(len(table) - rows + 1), key=worth)


def head_of(screen: Screen, panels: Sequence[Panel], columns: int, rows: int) -> list[Line]:
    """The title, where in the game this is, and what stands at the head, which goes on in further lines. To who has
    decided nothing yet, what the game is about."""
    title: Line = (Run(f" {screen.title} ", bold=True, reverse=True),)
    phase: Line = (*blank(1), *styled(screen.phase, dim=False)) if screen.phase else ()
    status = [panel for panel in panels if isinstance(panel, Items) and panel.place == "header"]
    entries = [entry for panel in status for entry in in_flow(panel, columns)]
    first, *more = filled([cut((*title, *phase), columns), *entries], columns)
    told = [(Run(" "), *line) for line in wrapped(screen.about, columns - 2)] if screen.new else []
    return [first, *told, *clipped(more, columns, max(rows // MOST_HEAD, 1))]


def story_of(deeds: Sequence[Deed], columns: int, details: bool = False) -> list[Line]:
    """What happened, a sentence a deed."""
    lines: list[Line] = []
    for deed in deeds:
        if deed.heading:
            lines += wrapped((Run("─ ", dim=True), *styled(deed.line, dim=True)), columns, 2)
            continue
        forced: Line = (Run(" (nothing else was possible)", dim=True),) if deed.forced else ()
        lines += wrapped((*deed.line, *forced), columns, 2)
        if details:
            for detail in deed.details:
                lines += wrapped((Run("    "), *styled(detail, dim=True)), columns, 6)
    return lines


def ending_of(screen: Screen, ending: Ending, columns: int) -> list[Line]:
    """Who won, and the scores by the columns that were counted."""
    lines = wrapped(styled(ending.verdict, bold=True), columns)
    rows = [*ending.table, *ending.steps]
    if not rows:
        return lines
    first = max(len(row.title) for row in rows) + 2
    widths = [max(len(name) + 2, 6) for name in screen.names]
    heads = [padded((Run(name, bold=True),), wide, "right") for name, wide in zip(screen.names, widths, strict=True)]
    lines.append(cut((*blank(first), *joined(heads, "")), columns))
    for row in rows:
        cells = [padded((Run(str(v)),), wide, "right") for v, wide in zip(row.values, widths, strict=True)]
        lines.append(cut((*padded((Run(row.title, dim=True),), first), *joined(cells, "")), columns))
    return lines


def hidden_of(screen: Screen) -> list[Line]:
    """What the seat that looks could not see, once the game is over."""
    if screen.ending is None or not screen.ending.revealed:
        return []
    return [(), (Run("What was hidden", dim=True),), *((Run(" "), *line) for line in screen.ending.revealed)]


OF = "of"
LONGEST = 40
"""Letters of what is looked up."""
_HEAD = re.compile(r"(?<=\w) ?[:(]")
NONE: frozenset[str] = frozenset()


def _colour(name: str) -> str | None:
    return COLOURS.get(name) or SHADES.get(name) or name or None


@lru_cache(4096)
def style_of(run: Run, lit: bool = False) -> Style:
    """How a run is drawn; its reference goes with it. ``lit``: what it stands for can be chosen now."""
    style = Style(
        color=_colour(run.colour),
        bgcolor=_colour(run.back),
        bold=run.bold or run.fresh,
        italic=run.fresh or None,
        dim=run.dim,
        reverse=run.reverse,
        underline=lit or None,
    )
    return style + Style.from_meta({OF: run.of}) if run.of else style


class Sheet(ScrollView):
    """Lines in a box. ``lit``: the references that are underlined; ``marked``: those under the cursor; ``cursor``:
    the line that is highlighted, None for none."""

    can_focus = False
    DEFAULT_CSS = """
    Sheet { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden; }
    """

    class Pointed(Message):
        """The mouse was pressed on a line, where it stands for ``of``; "" for nothing. ``is_double``: for the second
        time at once."""

        def __init__(self, sheet: Sheet, row: int, of: str, is_double: bool) -> None:
            super().__init__()
            self.sheet = sheet
            self.row = row
            self.of = of
            self.is_double = is_double

    class Passed(Message):
        """The mouse came over something else than before."""

        def __init__(self, sheet: Sheet, row: int, of: str) -> None:
            super().__init__()
            self.sheet = sheet
            self.row = row
            self.of = of

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: tuple[Line, ...] = ()
        self.lit: frozenset[str] = frozenset()
        self.marked: frozenset[str] = frozenset()
        self.cursor: int | None = None
        self._over: tuple[int, str] = (-1, "")

    def show(self, lines: Sequence[Line], lit: frozenset[str] = NONE, marked: frozenset[str] = NONE) -> None:
        """Other lines; what is scrolled stays where it can."""
        self.lines = tuple(lines)
        self.lit, self.marked = lit, marked
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        self.refresh()

    def light(self, lit: frozenset[str], marked: frozenset[str]) -> None:
        """The same lines, other things underlined or marked."""
        if (lit, marked) != (self.lit, self.marked):
            self.lit, self.marked = lit, marked
            self.refresh()
            if (row := self.row_of(marked)) is not None:
                self.reveal(row)

    def point(self, cursor: int | None) -> None:
        """Highlight a line, and have it in sight."""
        self.cursor = cursor
        self.refresh()
        if cursor is not None:
            self.reveal(cursor)

    def reveal(self, row: int) -> None:
        """Scroll so that a line is in sight."""
        self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)

    def row_of(self, marked: frozenset[str]) -> int | None:
        """The first line with a run that stands for one of some values."""
        return next((row for row, line in enumerate(self.lines) if any(run.of in marked for run in line)), None)

    def render_line(self, y: int) -> Strip:
        """One line of what is in sight."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if row >= len(self.lines):
            return Strip.blank(width, base)
        segments = [self._segment(run, row) for run in self.lines[row]]
        line = Strip(segments).adjust_cell_length(width, Style(reverse=True) if row == self.cursor else None)
        return line.apply_style(base)

    def _segment(self, run: Run, row: int) -> Segment:
        style = style_of(run, bool(run.of) and run.of in self.lit)
        if row == self.cursor or run.of in self.marked:
            style += Style(reverse=not run.reverse, dim=False)
        return Segment(one_line(run.text), style)

    def _under(self, event: events.MouseEvent) -> tuple[int, str]:
        row, of = event.y + self.scroll_offset.y, str(event.style.meta.get(OF, ""))
        if of not in self.lit:  # a piece on a space that can be chosen: the space begins beside it
            beside = (run_at(self.lines, event.x + by, row) for by in (-1, 1))
            of = next((run.of for run in beside if run is not None and run.of in self.lit), of)
        return row, of or self._word(event.x, row)

    def _word(self, x: int, row: int) -> str:
        """What is read at a place where nothing is stood for: a title, a word."""
        run = run_at(self.lines, x, row)
        words = _HEAD.split(run.text, maxsplit=1)[0].strip(" ·,│─▸") if run is not None else ""
        return f"{WORD}:{words}" if any(map(str.isalpha, words)) and len(words) <= LONGEST else ""

    def on_click(self, event: events.Click) -> None:
        """Say where."""
        self.post_message(self.Pointed(self, *self._under(event), event.chain == 2))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say so where it is something else."""
        under = self._under(event)
        if under != self._over:
            self._over = under
            self.post_message(self.Passed(self, *under))


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
