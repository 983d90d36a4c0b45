"""Arrange a screen on a terminal, show lines in a scrollable, clickable widget, and navigate by direction."""

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
"""Terminals of at least this many columns show the story beside the table, whatever the width of the table."""
LEAST_SIDE, MOST_SIDE = 30, 56
TALL = 34
"""Terminals of at least this many rows show longer lists."""
LEAST_TABLE, LEAST_STORY, LEAST_PINNED = 3, 2, 3
LEAST_LIST = 2
MOST_HEAD = 5
"""The header takes at most the terminal height divided by this, beside the title."""
HOME, ABOUT = 100, 20
"""Scores for keeping in sight the viewer's own piece, and each thing that options are about."""
FAR = 400
"""A width in columns that is enough for any table."""


class Sizes(NamedTuple):
    """Hold the rows of each part.

    ``side`` is the width of a story beside the table, or 0 if it stands below. ``hand`` is the rows of a separate hand.
    """

    head: int
    players: int
    table: int
    story: int
    side: int
    hand: int = 0


@dataclass(frozen=True)
class Arranged:
    """Hold the lines and sizes of each part. ``first`` is the index of the first visible line of the table."""

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
    """Return the maximum number of entries in a list of options, for a terminal of ``rows`` rows."""
    return 12 if rows >= TALL else 10


def list_rows(rows: int, on_board: bool = False) -> int:
    """Return the maximum rows of the option list. ``on_board`` is set while the player chooses on the table."""
    if rows >= TALL:
        return 12
    return LEAST_LIST if on_board else max(3, min(6, rows // 4))


class Arranging:
    """Lay out a screen for any terminal size, and cache the panels. Most keys don't change the room of a panel."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._laid: dict[tuple[int, int, int | None], list[Line]] = {}
        self._told: dict[int, list[Line]] = {}

    def arranged(self, columns: int, rows: int, asked: int, wanted: Collection[str] = ()) -> Arranged:
        """Lay out the screen.

        ``rows`` is the height of the terminal, and ``asked`` is the part used by the question, options and key hints.
        ``wanted`` holds the references that options are about.
        """
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
        # Leave room for a border, a blank and a scroll bar.
        told = self.story(side - 3 if side else columns - 2)
        # The border above the story.
        bar = int(rows >= TALL)
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
        """Return the lines of the story since the viewer's last decision."""
        if columns not in self._told:
            self._told[columns] = story_of(self.screen.story, columns)
        return self._told[columns]

    def _at(self, *places: Place) -> list[int]:
        """Return the indices of the panels in the given places."""
        return [at for at, panel in enumerate(self.screen.panels) if panel.place in places]

    def _lines(self, at: int, columns: int, rows: int | None = None) -> list[Line]:
        """Return the laid-out lines of a panel."""
        key = (at, columns, rows)
        if key not in self._laid:
            self._laid[key] = laid(self.screen.panels[at], columns, rows)
        return self._laid[key]

    def _has_width(self, at: int) -> bool:
        """Return whether the panel has a natural width. Other panels wrap."""
        return isinstance(self.screen.panels[at], Dials | Grid | Map)

    def _own(self) -> tuple[str, str]:
        """Return the reference and the colour of the viewer."""
        for panel in self.screen.panels:
            for head in panel.heads if isinstance(panel, Players) else ():
                if head.you and head.line:
                    return head.line[0].of, head.line[0].colour
        return "", ""

    def _table(self, columns: int, rows: int) -> tuple[list[Line], list[Line]]:
        """Return the lines of the table and of a separate hand.

        The hand is separate only if both together don't fit, because the player decides about it. The table may exceed
        ``rows`` if no shorter form shows everything.
        """
        table, hand = self._lying(columns, rows)
        if len(table) + len(hand) > rows:
            # Leave room for a scroll bar.
            return self._lying(columns - 1, rows)
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
    """Return the rows of a hand of ``hand`` lines when it shares ``rows`` with the table: about half."""
    return max(min(hand, max((rows + 1) // 2, 2), rows - LEAST_TABLE), 0)


def first_of(table: Sequence[Line], rows: int, own: tuple[str, str], wanted: Collection[str] = ()) -> int:
    """Return the first line of the table to show, so that the most important things are visible.

    In order of importance: the viewer's own piece, things that options are about, and things in the viewer's colour.
    ``own`` is the viewer's reference and colour.
    """
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
    """Return the header: title, phase and status. Before the first decision it includes the summary of the game."""
    title: Line = (Run(f" {screen.title} ", bold=True, reverse=True),)
    phase: Line = (*blank(1), *styled(screen.phase, dim=False)) if screen.phase else ()
    status = [panel for panel in panels if isinstance(panel, Items) and panel.place == "header"]
    entries = [entry for panel in status for entry in in_flow(panel, columns)]
    first, *more = filled([cut((*title, *phase), columns), *entries], columns)
    told = [(Run(" "), *line) for line in wrapped(screen.about, columns - 2)] if screen.new else []
    return [first, *told, *clipped(more, columns, max(rows // MOST_HEAD, 1))]


def story_of(deeds: Sequence[Deed], columns: int, details: bool = False) -> list[Line]:
    """Return the story, one sentence for each deed."""
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
    """Return the result and the final scores."""
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
    """Return the information that was hidden from the viewer, once the game is over."""
    if screen.ending is None or not screen.ending.revealed:
        return []
    return [(), (Run("What was hidden", dim=True),), *((Run(" "), *line) for line in screen.ending.revealed)]


OF = "of"
LONGEST = 40
"""Maximum length of a word to look up, in characters."""
_HEAD = re.compile(r"(?<=\w) ?[:(]")
NONE: frozenset[str] = frozenset()


def _colour(name: str) -> str | None:
    return COLOURS.get(name) or SHADES.get(name) or name or None


@lru_cache(4096)
def style_of(run: Run, lit: bool = False) -> Style:
    """Return the style of a run, with its reference as metadata. ``lit`` underlines it because it can be chosen."""
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
    """Show lines, and report clicks on them.

    Attributes:
        lit: The references that are underlined.
        marked: The references under the cursor.
        cursor: The index of the highlighted line, or None.
    """

    can_focus = False
    DEFAULT_CSS = """
    Sheet { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden; }
    """

    class Pointed(Message):
        """Report a click on a line. ``of`` is the reference under the mouse, or ""."""

        def __init__(self, sheet: Sheet, row: int, of: str, is_double: bool) -> None:
            super().__init__()
            self.sheet = sheet
            self.row = row
            self.of = of
            self.is_double = is_double

    class Passed(Message):
        """Report that the mouse moved over something else."""

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
        """Show other lines. The scroll position stays if possible."""
        self.lines = tuple(lines)
        self.lit, self.marked = lit, marked
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        self.refresh()

    def light(self, lit: frozenset[str], marked: frozenset[str]) -> None:
        """Change the underlined and marked references."""
        if (lit, marked) != (self.lit, self.marked):
            self.lit, self.marked = lit, marked
            self.refresh()
            if (row := self.row_of(marked)) is not None:
                self.reveal(row)

    def point(self, cursor: int | None) -> None:
        """Highlight a line and scroll to it."""
        self.cursor = cursor
        self.refresh()
        if cursor is not None:
            self.reveal(cursor)

    def reveal(self, row: int) -> None:
        """Scroll until a line is visible."""
        self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)

    def row_of(self, marked: frozenset[str]) -> int | None:
        """Return the first line with one of some references, or None."""
        return next((row for row, line in enumerate(self.lines) if any(run.of in marked for run in line)), None)

    def render_line(self, y: int) -> Strip:
        """Render one visible line."""
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
        # A piece can cover a space that can be chosen. The reference of the space is then beside it.
        if of not in self.lit:
            beside = (run_at(self.lines, event.x + by, row) for by in (-1, 1))
            of = next((run.of for run in beside if run is not None and run.of in self.lit), of)
        return row, of or self._word(event.x, row)

    def _word(self, x: int, row: int) -> str:
        """Return a reference to the word at a place without a value, or ""."""
        run = run_at(self.lines, x, row)
        words = _HEAD.split(run.text, maxsplit=1)[0].strip(" ·,│─▸") if run is not None else ""
        return f"{WORD}:{words}" if any(map(str.isalpha, words)) and len(words) <= LONGEST else ""

    def on_click(self, event: events.Click) -> None:
        """Report the click."""
        self.post_message(self.Pointed(self, *self._under(event), event.chain == 2))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report a move to another thing."""
        under = self._under(event)
        if under != self._over:
            self._over = under
            self.post_message(self.Passed(self, *under))


Spot = tuple[float, float]
"""Column and row of the centre of a thing. A row counts as two columns."""

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
ROW = 2.0


def spots(lines: Sequence[Line], wanted: Collection[str]) -> dict[str, Spot]:
    """Return the centre of each wanted reference on the lines. Only its first occurrence counts."""
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
    """Return the centre of the boxes that touch the first one."""
    together = [boxes[0]]
    for box in boxes[1:]:
        if any(abs(box[2] - other[2]) <= 1 and box[0] <= other[1] and other[0] <= box[1] for other in together):
            together.append(box)
    left, right = min(box[0] for box in together), max(box[1] for box in together)
    return (left + right) / 2, ROW * (together[0][2] + together[-1][2]) / 2


def beside(where: Mapping[str, Spot], now: str, step: str) -> str:
    """Return the nearest reference in a direction, or ``now`` if there is none."""
    across, down = STEPS[step]
    column, row = where[now]

    def far(of: str) -> float:
        x, y = where[of][0] - column, where[of][1] - row
        ahead, off = x * across + y * down, abs(x * down) + abs(y * across)
        return ahead + 3 * off if ahead > 0 else float("inf")

    nearest = min(where, key=far)
    return nearest if far(nearest) < float("inf") else now
