"""A recorded game at a full screen, one decision after the other."""

from __future__ import annotations

from ..hosting.recorded import Recorded
from ..screen.lines import cut
from ..screen.model import Screen
from ..screen.text import Line, Run
from .arranging import ending_of
from .dialogs import Page
from .footer import Hint
from .table import TableApp, Went

FAR = 1 << 30
STEPS = {"right": 1, "space": 1, "enter": 1, "left": -1, "backspace": -1, "pagedown": 10, "pageup": -10}
STEPS |= {"home": -FAR, "end": FAR}
"""Key → decisions on or back."""

_HELP = """\
→ Enter    the next decision
← Backsp   the one before
PgDn PgUp  ten on or back
Home End   the beginning and the end
Tab        as the next player saw it, or everybody
F2 F3      the whole table, what happened so far
mouse      a click looks at what it is on
q          leave"""

_HINTS = (
    Hint("right", "← → step"),
    Hint("pagedown", "PgUp PgDn ten"),
    Hint("end", "Home End"),
    Hint("tab", "Tab whose view"),
    Hint("f2", "F2 table"),
    Hint("f3", "F3 story"),
    Hint("q", "q leaves"),
)


class ReplayApp(TableApp):
    """Nothing is asked here: keys go through the game."""

    def __init__(self, recorded: Recorded) -> None:
        super().__init__(recorded)
        self.recorded = recorded

    def unasked(self, screen: Screen, columns: int) -> list[Line]:
        """Where in the game this is, whose view, and what is decided here."""
        recorded = self.recorded
        who = "everybody" if recorded.seat is None else recorded.names[recorded.seat]
        where: Line = (Run(f"Decision {min(recorded.at + 1, recorded.length)} of {recorded.length}", bold=True),)
        lines = [cut((*where, Run(f", as seen by {who}", dim=True)), columns)]
        if screen.ending is not None:
            return [*lines, *ending_of(screen, screen.ending, columns)]
        return [*lines, cut(recorded.chosen(), columns)]

    def hints(self) -> list[Hint]:
        """What the keys do."""
        return list(_HINTS)

    def key(self, key: str, character: str | None) -> None:
        """One key."""
        if key in STEPS:
            self.show(self.recorded.step(STEPS[key]))
        elif key == "tab":
            self.show(self.recorded.turn())
        elif key in ("q", "escape", "ctrl+q"):
            self.exit(Went("over"))
        elif key == "ctrl+c":
            self.exit(Went("left", interrupted=True))
        elif key == "f1" or character == "?":
            self.push_screen(Page("Help", tuple((Run(line),) for line in _HELP.splitlines())))
        elif key in ("f2", "f3"):
            super().key(key, character)
