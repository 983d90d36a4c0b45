"""Define the widget that shows scrollable, clickable lines, and moves between their links by direction."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from lusory_dsl.source.source import make_one_line

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import Line, Run, find_run, get_hex, measure_text, to_text
from ..model.game_result_and_score_history import list_hidden_information
from ..model.option_rows import ENTRY
from ..model.panel_lines import draw_texts, stack_panels
from ..model.screen import Screen
from ..session.match_service_answering_seat_requests import HISTORY_WORD

TALL = 34
"""Terminals of at least this many rows show more keys on pages."""

MOST_EARLY = 40
"""A player who types while others decide can type this many characters. They go to the next question."""
REGIONS = "head players table story_title story title options preview_title preview divider keys".split()  # noqa: SIM905
"""The regions of :mod:`lusory.ui.model.screen_layout`, from top to bottom."""

TABLE = """
Screen { layout: vertical; overflow: hidden; }
Screen > Sheet { position: absolute; }
#head, #keys { background: $panel; }
"""


def list_table(screen: Screen, columns: int) -> list[Line]:
    """Return the lines of the table in ``columns``, and the texts of its cards, if any, below ``What cards say``.

    Panels, items and attributes of players with a ``since`` greater than ``columns`` are left out. Once the game is
    over, what was hidden follows below ``What was hidden``, if anything was. These lines of what was hidden begin with
    a blank, and are not wrapped. An empty line, ``()``, stands between two panels (:func:`stack_panels`), and before
    the texts and what was hidden. Without panels, texts and this, the result is [].
    """
    hidden_lines = [] if screen.ending is None else list_hidden_information(screen.ending)
    parts = [stack_panels(screen.panels, columns), draw_texts(screen.texts, columns), hidden_lines]
    return [line for index, part in enumerate(filter(None, parts)) for line in ([()] if index else []) + part]


OF = "of"
LONGEST = 40
"""Maximum length of a word to look up, in characters."""
_HEAD = re.compile(r"(?<=\w) ?[:(]")
NONE: frozenset[str] = frozenset()


@lru_cache(4096)
def _make_style(run: Run, is_clickable: bool = False) -> Style:
    """Return the style of a run, with its reference as metadata, if it has one.

    ``is_clickable`` underlines it because it can be chosen. Fresh text is bold and italic.
    """
    style = Style(
        color=get_hex(run.colour) or None,
        bgcolor=get_hex(run.back) or None,
        bold=run.bold or run.fresh,
        italic=run.fresh or None,
        dim=run.dim,
        reverse=run.reverse,
        underline=is_clickable or None,
    )
    return style + Style.from_meta({OF: run.of}) if run.of else style


class Sheet(ScrollView):
    """Show lines, and report clicks on them.

    Attributes:
        clickable: The references that are underlined.
        marks: The references under the cursor.
        cursor: The index of the highlighted line, or None.
        place: Column, row, width and height on the screen. None if it has not been placed.
    """

    can_focus = False
    DEFAULT_CSS = """
    Sheet { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden; }
    """

    @dataclass
    class Pointed(Message):
        """Report a click on the line with index ``row``. ``reference`` is that under the mouse, or ""."""

        sheet: Sheet
        row: int
        reference: str
        is_double: bool

    @dataclass
    class Passed(Message):
        """Report that the mouse moved over something else, with the reference of a value or a word there, or ""."""

        sheet: Sheet
        reference: str

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: tuple[Line, ...] = ()
        self.clickable: frozenset[str] = frozenset()
        self.marks: frozenset[str] = frozenset()
        self.cursor: int | None = None
        self.place: tuple[int, int, int, int] | None = None
        self._over: tuple[int, str] = (-1, "")

    def show(self, lines: Sequence[Line], clickable: frozenset[str] = NONE, marks: frozenset[str] = NONE) -> None:
        """Replace ``lines`` (by a tuple), ``clickable`` (underlined references) and ``marks`` (those in reverse).

        The scroll position and ``cursor`` stay. If there are too few lines for the position, the next refresh shows the
        last of them.
        """
        self.lines = tuple(lines)
        self.clickable, self.marks = clickable, marks
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        self.refresh()

    def highlight(self, clickable: frozenset[str], marks: frozenset[str]) -> None:
        """Change the underlined and marked references, and scroll to the first line with a marked one.

        Does nothing if they are the same as before.
        """
        if (clickable, marks) != (self.clickable, self.marks):
            self.clickable, self.marks = clickable, marks
            self.refresh()
            if (row := self._find_row(marks)) is not None:
                self.reveal(row)

    def point(self, cursor: int | None) -> None:
        """Set ``cursor``, the index of the highlighted line, and scroll until that line is visible.

        None removes the highlight, and the scroll position stays.
        """
        self.cursor = cursor
        self.refresh()
        if cursor is not None:
            self.reveal(cursor)

    def reveal(self, row: int) -> None:
        """Scroll until a line is visible."""
        self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)

    def list_below(self) -> set[str]:
        """Return the references of which all runs stand below the visible lines.

        It contains "" if only lines below have runs without a reference.
        """
        end = self.scroll_offset.y + self.size.height
        visible_references = {run.of for line in self.lines[:end] for run in line}
        return {run.of for line in self.lines[end:] for run in line} - visible_references

    def end_bar(self, words: str) -> None:
        """Write ``words`` in bold into the last run of the first line, the rule of a title bar: ``─── words ──``.

        The line keeps its width. Does nothing without words, or if the rule is not at least 5 columns wider than they
        are.
        """
        *title, rule = self.lines[0] if self.lines and self.lines[0] else (Run(""),)
        room = len(rule.text) - measure_text(words) - 4
        if words and room > 0:
            line = (*title, replace(rule, text=rule.text[:room]), Run(f" {words} ", bold=True), Run("──", dim=True))
            self.show((line, *self.lines[1:]), self.clickable, self.marks)

    def _find_row(self, marks: frozenset[str]) -> int | None:
        """Return the index of the first line with one of some references, or None."""
        return next((row for row, line in enumerate(self.lines) if any(run.of in marks for run in line)), None)

    def render_line(self, y: int) -> Strip:
        """Return visible line ``y``, as wide as the widget without its scroll bar. It is blank after the last line.

        Runs with a reference in ``clickable`` are underlined. Those with one in ``marks``, and all of the line with the
        index ``cursor`` in ``lines``, are in reverse and not dim. A run that is in reverse by itself turns normal
        there.
        """
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if row >= len(self.lines):
            return Strip.blank(width, base)
        segments = [self._make_segment(run, row) for run in self.lines[row]]
        line = Strip(segments).adjust_cell_length(width, Style(reverse=True) if row == self.cursor else None)
        return line.apply_style(base)

    def _make_segment(self, run: Run, row: int) -> Segment:
        style = _make_style(run, bool(run.of) and run.of in self.clickable)
        if row == self.cursor or run.of in self.marks:
            style += Style(reverse=not run.reverse, dim=False)
        return Segment(make_one_line(run.text), style)

    def _find_reference(self, event: events.MouseEvent) -> tuple[int, str]:
        """Return the row under the mouse, and the reference of the value or else the word there, or ""."""
        row, reference = event.y + self.scroll_offset.y, str(event.style.meta.get(OF, ""))
        # A piece can cover a space that can be chosen. The reference of the space is then beside it.
        if reference not in self.clickable:
            runs = (find_run(self.lines, event.x + step, row) for step in (-1, 1))
            reference = next((run.of for run in runs if run is not None and run.of in self.clickable), reference)
        run = find_run(self.lines, event.x, row)
        words = _HEAD.split(run.text, maxsplit=1)[0].strip(" ·,│─▸") if run is not None else ""
        is_word = any(map(str.isalpha, words)) and len(words) <= LONGEST
        return row, reference or (f"{HISTORY_WORD}:{words}" if is_word else "")

    def on_click(self, event: events.Click) -> None:
        """Post :class:`Pointed` with the line and the reference, or else the word, under the mouse."""
        self.post_message(self.Pointed(self, *self._find_reference(event), event.chain == 2))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Post :class:`Passed` if the mouse has moved to another line, reference or word."""
        place = self._find_reference(event)
        if place != self._over:
            self._over = place
            self.post_message(self.Passed(self, place[1]))


def list_rows(lines: Sequence[Line]) -> list[list[int]]:
    """Return the indices of the entries on each line of a list of options, such as ``[[0, 1], [2]]``.

    Runs refer to entries by ``#`` and the index in ``of``, such as ``#2``. On a line, each entry counts once, where it
    first stands. A line without entries is left out, and so is one whose entries all stand on earlier lines. Any other
    line has all its entries.
    """
    rows = [[int(run.of[1:]) for run in line if run.of.startswith(ENTRY)] for line in lines]
    # An entry can go on below its line, and a tap target has several lines.
    earlier_entries: set[int] = set()
    new_rows = []
    for row in rows:
        if not earlier_entries.issuperset(row):
            new_rows.append(list(dict.fromkeys(row)))
            earlier_entries.update(row)
    return new_rows


Spot = tuple[float, float]
"""Column and row of the centre of a thing. A row counts as two columns."""

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
ROW = 2.0


def locate_references(lines: Sequence[Line], first: Collection[str] = ()) -> dict[str, Spot]:
    """Return the centre of each reference on the lines, column and doubled row: those in ``first``, then the others.

    Both come in order of occurrence. A line counts as two columns: a reference in columns 2 and 3 of the second line is
    at ``(3.0, 2.0)``. If a reference occurs several times, the first occurrence counts, with those that touch it
    directly or through others, even only at a corner: a card of three lines has one centre. A reference is left out if
    the result already has a centre on the same row, less than two columns away. So of ``a``, ``b`` and ``c`` in
    adjacent columns, only ``b`` is left out.
    """
    boxes: dict[str, list[tuple[int, int, int]]] = {}
    for row, line in enumerate(lines):
        column = 0
        for run in line:
            width = measure_text(run.text)
            if run.of:
                boxes.setdefault(run.of, []).append((column, column + width, row))
            column += width
    centres: dict[str, Spot] = {}
    for reference in sorted(boxes, key=lambda reference: reference not in first):
        across, down = _find_centre(boxes[reference])
        if not any(abs(across - x) < 2 and down == y for x, y in centres.values()):
            centres[reference] = (across, down)
    return centres


def _find_centre(boxes: Sequence[tuple[int, int, int]]) -> Spot:
    """Return the centre of the boxes that are connected with the first one, directly or through others."""
    group, remaining = [boxes[0]], list(boxes[1:])
    for box in group:  # grows while it is iterated over
        group += [candidate for candidate in remaining if _touches(box, candidate)]
        remaining = [candidate for candidate in remaining if not _touches(box, candidate)]
    left, right = min(box[0] for box in group), max(box[1] for box in group)
    rows = [box[2] for box in group]
    return (left + right) / 2, ROW * (min(rows) + max(rows)) / 2


def _touches(box: tuple[int, int, int], other_box: tuple[int, int, int]) -> bool:
    return abs(box[2] - other_box[2]) <= 1 and box[0] <= other_box[1] and other_box[0] <= box[1]


def _find_innermost(spots: Mapping[str, Spot]) -> str:
    """Return the reference nearest to the middle of all. Needs at least one."""
    column, row = (sum(spot[axis] for spot in spots.values()) / len(spots) for axis in (0, 1))
    return min(spots, key=lambda reference: (spots[reference][0] - column) ** 2 + (spots[reference][1] - row) ** 2)


def find_start(lines: Sequence[Line], clickable: Collection[str], story: Sequence[Deed]) -> str:
    """Return the reference at which the cursor starts on the lines of the table, or "" if they have none.

    If the story is not empty, the cursor starts at the place that changed: a reference outside ``clickable`` with a
    ``fresh`` run. Its kind (``Cell`` in ``Cell:b``) must be that of a reference in ``clickable``. Of several such
    places, it takes the one whose name (``b``) is the last in the story. ``north gate`` does not name
    ``Cell:north_gate``. If this gives no place, the cursor starts at the reference in ``clickable`` nearest to their
    mean position. If none of them is on the lines, all references are used instead. A line counts as two columns, and
    of equally near ones the first counts. Example: the row is ``Cell:a`` to ``Cell:e``, each two columns wide. Then a,
    b and c in ``clickable`` give ``Cell:b``, and only a and e give ``Cell:a``. A reference that
    :func:`locate_references` leaves out doesn't count.
    """
    spots = locate_references(lines, clickable)
    if not spots:
        return ""
    kinds = {reference.partition(":")[0] for reference in clickable}
    fresh_runs = (run for line in lines for run in line if run.fresh and run.of.partition(":")[0] in kinds)
    is_new = spots.keys() - set(clickable) if story else ()
    changes = {run.of.partition(":")[2]: run.of for run in fresh_runs if run.of in is_new}
    words = re.findall(r"\w+", " ".join(to_text(deed.line) for deed in story))
    names = list(changes) if len(changes) == 1 else [word for word in words if word in changes]
    clickable_spots = {reference: spot for reference, spot in spots.items() if reference in clickable}
    return changes[names[-1]] if names else _find_innermost(clickable_spots or spots)


def find_neighbour(spots: Mapping[str, Spot], start: str, direction: str) -> str:
    """Return the nearest reference in a direction, ``left``, ``right``, ``up`` or ``down``, or ``start`` without one.

    ``spots`` maps references to columns and rows, as :func:`locate_references` does, and must contain ``start``. From
    ``c`` in ``{"a": (0, 0), "b": (4, 0), "c": (2, 2)}``, up gives ``b`` and down ``c`` itself. The distance is that in
    the direction, plus three times that to the side. For up and down, the side doesn't count within 45 degrees, so that
    no row of a hexagonal board is skipped. Of several of these in one row, the one with the least distance to the
    side counts, and if two have it, up takes the right one and down the left one. Otherwise the first in ``spots``
    counts of equally far ones. But one beyond 45 degrees comes before one within that is not straight ahead.
    """
    dx, dy = STEPS[direction]
    column, row = spots[start]

    def make_sort_key(reference: str) -> tuple[float, float, float]:
        x, y = spots[reference][0] - column, spots[reference][1] - row
        ahead, sideways = x * dx + y * dy, abs(x * dy) + abs(y * dx)
        if ahead <= 0:
            return float("inf"), 0, 0
        return (ahead, sideways, x * dy) if dy and sideways <= ahead else (ahead + 3 * sideways, 0, 0)

    nearest = min(spots, key=make_sort_key)
    return nearest if make_sort_key(nearest)[0] < float("inf") else start
