"""A whole screen as one page of lines, for print: what is pinned, the table, what happened, the question.

Where a page has fewer rows than all that wants, the story is shortened first, then the table, whose panels have
smaller forms; the question and what is pinned stay whole as long as they can.
"""

from __future__ import annotations

from collections.abc import Sequence

from .choosing import ROWS, begin
from .layout import clipped, drawn, in_columns, laid
from .lines import beside, blank, cut, padded, styled, width_of, wrapped
from .model import Deed, Ending, Question, Screen
from .panels import Hand, Panel
from .text import Line, Run
from .words import player

WIDE = 110
"""From so many columns on what happened and the question stand beside the table."""
LEAST_SIDE = 38
LEAST_STORY = 2
MOST_ROWS = 3
"""Rows of options that can't be put in groups."""


def page(screen: Screen, columns: int, rows: int | None = None) -> list[Line]:
    """The screen in so many columns and, if given, at most so many rows."""
    head = _head(screen, columns)
    height = None if rows is None else rows - len(head)
    below = _narrow(screen, columns, height)
    if columns >= WIDE and height is not None and len(_narrow(screen, columns, None)) > height:
        below = _beside(screen, columns, height)
    return clipped([*head, *below], columns, rows)


def _beside(screen: Screen, columns: int, rows: int) -> list[Line]:
    """What happened and the question to the right of the table."""
    side = max(columns // 3, LEAST_SIDE)
    left = columns - side - 3
    asked, story = _asked(screen, side), _story(screen, side)
    room = max(rows - len(asked) - 1, LEAST_STORY)
    right = _parted([_latest(story, room, side), asked])
    tables = stacked(screen.panels, left, rows)
    bar: list[Line] = [(Run("│", dim=True),)] * max(len(tables), len(right))
    return beside([tables, bar, right], [left, 1, side], 1)


def _narrow(screen: Screen, columns: int, rows: int | None) -> list[Line]:
    """The table, what happened and the question one below the other."""
    asked, story = _asked(screen, columns), _story(screen, columns)
    whole = stacked(screen.panels, columns, None)
    if rows is None:
        return _parted([whole, story, asked])
    lines = len([line for line in whole if line])
    told = min(len(story), LEAST_STORY)
    for entries in (8, 6, 4):
        if lines + told + len(asked) > rows:
            asked = _asked(screen, columns, entries)
    tables = stacked(screen.panels, columns, rows - len(asked) - min(told, max(rows - lines - len(asked), 1)))
    room = rows - len(tables) - len(asked)
    spare = room - bool(tables) - bool(asked)
    if spare >= told:
        return _parted([tables, _latest(story, spare, columns), asked])
    return [*tables, *_latest(story, room, columns), *asked]


def _asked(screen: Screen, columns: int, entries: int = ROWS) -> list[Line]:
    if screen.ending is not None:
        return _ending(screen.ending, screen.names, columns)
    return [] if screen.question is None else _question(screen.question, columns, entries)


def _story(screen: Screen, columns: int) -> list[Line]:
    return [line for deed in screen.story for line in _deed(deed, columns)]


def _parted(parts: Sequence[Sequence[Line]]) -> list[Line]:
    """Parts one below the other, an empty line between them."""
    found: list[Line] = []
    for part in parts:
        if part:
            found += [(), *part] if found else part
    return found


def _head(screen: Screen, columns: int) -> list[Line]:
    line: Line = (Run(screen.title, bold=True), *((Run(" · ", dim=True), *screen.phase) if screen.phase else ()))
    who: Line = () if screen.seat is None else (Run("as ", dim=True), player(screen.seat, screen.names))
    room = columns - width_of(who) - 1
    about = wrapped(screen.about, columns) if screen.new else []
    return [(*padded(line, room), Run(" "), *who) if who else cut(line, columns), *about]


def stacked(panels: Sequence[Panel], columns: int, rows: int | None) -> list[Line]:
    """Panels one below the other, what is pinned first; where they are too many rows those on the table have less."""
    order = ("header", "players", "table", "own")
    ordered = sorted(panels, key=lambda panel: order.index(panel.place))
    blocks = [drawn(panel, columns) for panel in ordered]
    if rows is not None:
        tables = [at for at, panel in enumerate(ordered) if panel.place == "table" or isinstance(panel, Hand)]
        for draw in (laid, drawn):  # smaller forms before anything is left out
            for number in reversed(tables):
                over = sum(map(len, blocks)) - rows
                if over > 0:
                    blocks[number] = draw(ordered[number], columns, max(len(blocks[number]) - over, 2))
    found = [line for block in blocks for line in block]
    spare = None if rows is None else rows - len(found) - len(blocks)
    if spare is None or spare >= 0:
        found = _parted(blocks)
    return found if rows is None else clipped(found, columns, rows)


def _latest(lines: Sequence[Line], room: int | None, columns: int) -> list[Line]:
    if room is None or len(lines) <= room:
        return list(lines)
    note = (Run(f"… {len(lines) - room + 1} lines before", dim=True),)
    return [cut(note, columns), *lines[len(lines) - room + 1 :]]


def _deed(deed: Deed, columns: int) -> list[Line]:
    if deed.heading:
        return wrapped(styled(deed.line, bold=True), columns)
    parts = (deed.line, *(styled(detail, dim=True) for detail in deed.details))
    return [line for part in parts for line in wrapped(part, columns, 2)]


def _question(question: Question, columns: int, most: int) -> list[Line]:
    """The prompt, and the first step of the options with their numbers."""
    entries = begin(question, most).entries
    width = len(str(len(entries)))
    listed: list[Line] = [
        (Run(f"{number:>{width}} ", bold=True), *entry.title, *((Run(" …", dim=True),) if entry.is_group else ()))
        for number, entry in enumerate(entries, 1)
    ]
    picked = [(Run("picked ", dim=True), *line) for line in question.picked]
    shown = in_columns(listed, columns)
    if most < ROWS and len(shown) > len(listed):
        shown = [cut(line, columns) for line in listed]
    if len(entries) > ROWS:  # spaces of a board, say, which are picked there
        shown = clipped(shown, columns, MOST_ROWS)
    return [*wrapped(styled(question.prompt, bold=True), columns), *picked, *shown]


def _ending(ending: Ending, names: Sequence[str], columns: int) -> list[Line]:
    """Who won, and the final table."""
    found = wrapped(styled(ending.verdict, bold=True), columns)
    width = max(width_of((player(seat, names),)) for seat in range(len(names)))
    for seat in sorted(range(len(names)), key=lambda seat: ending.places[seat]):
        line: list[Run] = [Run(f"{ending.places[seat]} ", bold=True), *padded((player(seat, names),), width)]
        for column in ending.table:
            line += [*blank(2), Run(f"{column.title} ", dim=True), Run(str(column.values[seat]))]
        found += wrapped(tuple(line), columns, width + 4)
    return found
