"""The question and its list on the table: how many rows they have, and what of them is in sight."""

from __future__ import annotations

from collections.abc import Sequence

from ..screen.boards import neighbours
from ..screen.lines import joined, width_of
from ..screen.options import by_reference, details
from ..screen.panels import Map, Panel
from ..screen.text import Line, Run
from .arranging import LEAST_LIST, TALL, entries_for, list_rows
from .choices import FINGER, Chooser, Listing, asked, for_fingers, listing
from .sheet import Sheet

FEWEST = 3
"""Rows of a list in columns, where the table wants room."""
KEY = 4
"""Columns for the number of an entry, and a bar to scroll with."""


class QuestionSheets:
    """``tallest``: rows that the list has had at this question: nothing moves where fewer entries fit what is typed.
    ``low``: the list takes little room, for one points at the board; ``dense``: it stands in more columns, so that the
    table has more rows."""

    def __init__(self, prompt: Sheet, options: Sheet, has_touch: bool = False) -> None:
        self.prompt, self.options = prompt, options
        self.tallest = 0
        self.low = self.dense = False
        self.is_single = True  # one column
        self.has_touch = has_touch

    def listing(self, chooser: Chooser, columns: int, rows: int) -> Listing:
        """The list on a terminal of some size."""
        most = list_rows(rows)
        if self.has_touch:
            return for_fingers(chooser, columns - 1, most)
        for fewer in range(FEWEST, most) if self.dense else ():
            found = listing(chooser, columns - 1, fewer)
            if len(found.lines) <= fewer:
                return found
        return listing(chooser, columns - 1, most)

    def say(self, lines: list[Line]) -> int:
        """No question: some lines in its place; how many rows they take."""
        self.prompt.styles.height = len(lines)
        self.prompt.show(lines)
        self.options.styles.height = 0
        self.options.show(())
        return len(lines)

    def draw(self, chooser: Chooser, columns: int, rows: int) -> int:
        """The question and its options; how many rows they take."""
        chooser.resize(entries_for(rows))
        listed = self.listing(chooser, columns, rows)
        self.is_single = listed.rows >= len(chooser.entries)
        least = FINGER if self.has_touch else LEAST_LIST
        most = least if self.low and rows < TALL and not chooser.choosing.opened else list_rows(rows)
        if self.dense and not self.has_touch:
            most = min(most, max(len(listed.lines), FEWEST))
        prompt = asked(chooser, columns, not self.is_single)
        height = self.tallest = max(min(len(listed.lines), most), min(self.tallest, most))
        self.prompt.styles.height = len(prompt)
        self.options.styles.height = height
        self.prompt.show(prompt)
        self.options.show([*listed.lines, *[()] * (height - len(listed.lines))])
        if chooser.cursor is not None:
            row = chooser.cursor % listed.rows * listed.height
            for line in (row + listed.height - 1, row):
                self.options.reveal(line)
        return len(prompt) + height

    def facts(self, chooser: Chooser, marked: str, panels: Sequence[Panel]) -> list[Line]:
        """What is known of the option under the cursor, or of what is ``marked`` on the board, as far as the list has
        no room for it: all of its words, what it costs and does, what is beside it."""
        options, entry = chooser.question.options, chooser.highlighted
        numbers = by_reference(options).get(marked, ()) if marked else () if entry is None else entry.options
        option = options[numbers[0]] if len(numbers) == 1 else None
        lines: list[Line] = []
        if option is not None:
            whole = (*option.label, *details(option))
            room = self.options.size.width - KEY if self.is_single else 0
            if width_of(whole) > (room if details(option) else self.options.size.width - KEY):
                lines.append(whole)
        place = marked or next((step.of for step in reversed(option.path if option else ()) if step.of), "")
        near = neighbours([panel for panel in panels if isinstance(panel, Map)], place)
        if near and not (option is not None and option.near):
            lines.append((Run("beside it: ", dim=True), *joined(near)))
        return lines
