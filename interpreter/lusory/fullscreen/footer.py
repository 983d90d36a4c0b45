"""The keys at the foot of a table, which can be clicked, and what stands where nothing is asked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..hosting.messages import Shown
from ..screen.lines import blank, cut, padded, width_of, wrapped
from ..screen.model import Question, Screen
from ..screen.text import Line, Run, plain
from .arranging import ending_of
from .choices import FINGER, Chooser

LONGEST = 28
"""Columns for what would be taken back."""


class Hint(NamedTuple):
    """A key and what it does. ``button``: the same for a touch screen, "" where it is left out there."""

    key: str
    words: str
    button: str = ""


def last_line(columns: int, left: Line, hints: Sequence[Hint]) -> Line:
    """What is typed or told on the left; on the right as many hints as there is room for. Each stands for its key."""
    room = columns - width_of(left) - 2
    right: Line = ()
    for hint in hints:
        more = (*right, *((Run(" · ", dim=True),) if right else ()), Run(hint.words, dim=True, of=hint.key))
        if width_of(more) > room:
            break
        right = more
    return (*padded(left, max(columns - width_of(right), 0)), *right)


def buttons(columns: int, hints: Sequence[Hint], most: int = 1) -> list[Line]:
    """Buttons in at most so many rows, each tall enough for a finger. Each stands for its key."""
    rows: list[Line] = [()]
    for hint in hints:
        button = Run(f" {hint.button} ", bold=True, back="shade", of=hint.key)
        gap = blank(1) if rows[-1] else ()
        if width_of((*rows[-1], *gap, button)) <= columns:
            rows[-1] += (*gap, button) if hint.button else ()
        elif len(rows) < most:
            rows.append((button,))
    lines: list[Line] = []
    for row in rows:
        empty = tuple(replace(run, text=" " * width_of((run,))) for run in row)
        lines += [*([()] if lines else []), empty, *[row] * (FINGER - 2), empty]
    return lines


def foot(columns: int, left: Line, hints: Sequence[Hint], has_touch: bool, most: int = 1) -> list[Line]:
    """The foot of a screen: one line, or on a touch screen a line and buttons in at most so many rows."""
    return [cut(left, columns), *buttons(columns, hints, most)] if has_touch else [last_line(columns, left, hints)]


def hints(
    shown: Shown | None, chooser: Chooser | None, on_board: bool, can_point: bool, is_own: bool, more: bool
) -> list[Hint]:
    """What can be done now, what matters most first: to who has not decided yet, where help is. ``more``: not all of
    the table is in sight."""
    found: list[Hint] = []
    about = shown is not None and shown.screen.about
    aim = Hint("f1", "F1 aim, help" if about else "F1 help", "Help")
    is_new = shown is not None and shown.screen.new
    if chooser is not None:
        found.append(Hint("enter", _usual(chooser, on_board), "Choose"))
    if is_new:
        found.append(aim)
    if more:
        found.append(Hint("shift+down", "Shift-↑↓ more of it"))
    if can_point:
        found.append(Hint("tab", "Tab the list" if on_board else "Tab the table"))
    if shown is not None and shown.undo:
        found.append(Hint("ctrl+z", f"^Z takes back “{plain(cut(shown.undo, LONGEST))}”", "Take back"))
    if chooser is not None and (chooser.typed or chooser.choosing.opened):
        found.append(Hint("escape", "Escape back", "Back"))
    if shown is not None and shown.redo:
        found.append(Hint("ctrl+y", f"^Y again “{plain(cut(shown.redo, LONGEST))}”", "Again"))
    found += [] if is_new else [aim]
    found += [Hint("f2", "F2 table", "Table"), Hint("f3", "F3 story", "Story")]
    return [*found, *([Hint("ctrl+s", "^S save")] if is_own else []), Hint("ctrl+q", "^Q leave", "Leave")]


def _usual(chooser: Chooser, on_board: bool) -> str:
    """What Enter does."""
    if chooser.cursor is not None or on_board or chooser.choosing.usual is None:
        return "Enter takes it"
    twice = "" if chooser.typed else " again" if chooser.choosing.is_sure else " twice"
    return f"Enter{twice}: {chooser.choosing.usual.words}"


def unasked(screen: Screen, columns: int, is_own: bool) -> list[Line]:
    """What stands in place of a question: how the game ended, or for whom one waits."""
    if screen.ending is not None:
        ways = ["r rematch", "g the same again", "l what happened"] if is_own else []
        ways += [*(["F2 what was hidden"] if screen.ending.revealed else []), "q leaves"]
        return [*ending_of(screen, screen.ending, columns), *wrapped((Run(" · ".join(ways), dim=True),), columns)]
    who = screen.names[screen.waiting] if screen.waiting is not None else ""
    return [(Run(f"{who} decides …", dim=True),)]


def is_about_places(question: Question, screen: Screen) -> bool:
    """Whether most options are places of a grid on the table, so that the cursor begins there."""
    cells = [cell for panel in screen.panels for row in getattr(panel, "rows", ()) for cell in row.cells if cell]
    cells += [node.cell for panel in screen.panels for node in getattr(panel, "nodes", ())]
    places = {cell.of for cell in cells if cell.of}
    about = [option for option in question.options if any(step.of in places for step in option.path)]
    return bool(about) and len(question.options) - len(about) <= 1 < len(question.options)
