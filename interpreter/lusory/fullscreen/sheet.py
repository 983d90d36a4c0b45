"""A widget that shows lines, scrolls, and knows what each run of text stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from lusory_dsl.text.printable import one_line

from ..hosting.sitting import WORD
from ..screen.lines import run_at
from ..screen.palette import COLOURS, SHADES
from ..screen.text import Line, Run

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
