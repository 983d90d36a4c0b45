"""The last line of a table, and what stands where nothing is asked. Pure."""

from __future__ import annotations

from ..hosting.messages import Shown
from ..screen.lines import cut, padded, width_of, wrapped
from ..screen.model import Question, Screen
from ..screen.text import Line, Run, plain
from .arranging import ending_of
from .choices import Chooser

LONGEST = 28
"""Columns for what would be taken back."""


def last_line(columns: int, left: Line, hints: list[str]) -> Line:
    """What is typed or told on the left; on the right as many hints as there is room for."""
    room = columns - width_of(left) - 2
    kept = list(hints)
    while kept and width_of((Run(" · ".join(kept)),)) > room:
        kept.pop()
    right: Line = (Run(" · ".join(kept), dim=True),)
    return (*padded(left, max(columns - width_of(right), 0)), *right)


def hints(
    shown: Shown | None, chooser: Chooser | None, on_board: bool, can_point: bool, is_own: bool, more: bool
) -> list[str]:
    """What can be done now, what matters most first: to who has not decided yet, where help is. ``more``: not all of
    the table is in sight."""
    found = []
    aim = "F1 aim, help" if shown is not None and shown.screen.about else "F1 help"
    is_new = shown is not None and shown.screen.new
    if chooser is not None and chooser.cursor is None and not on_board and chooser.choosing.usual is not None:
        twice = "" if chooser.typed else " again" if chooser.choosing.is_sure else " twice"
        found.append(f"Enter{twice}: {chooser.choosing.usual.words}")
    if is_new:
        found.append(aim)
    if more:
        found.append("Shift-↑↓ more of it")
    if can_point:
        found.append("Tab the list" if on_board else "Tab the table")
    if shown is not None and shown.undo:
        found.append(f"^Z takes back “{plain(cut(shown.undo, LONGEST))}”")
    if shown is not None and shown.redo:
        found.append(f"^Y again “{plain(cut(shown.redo, LONGEST))}”")
    return [*found, *([] if is_new else [aim]), "F2 table", "F3 story", *(["^S save"] if is_own else []), "^Q leave"]


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
