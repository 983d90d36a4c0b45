"""Decide when the table stops to show what happened while the player waited, and lay out this recap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..model.event_sentences import is_bookkeeping_move
from ..model.regions import WIDE, Asked, story_of
from ..model.screen import Screen
from ..model.styled_text import Line, Run, listed, plain, player
from .choice_list import Hint

LEAST_ROWS = 8
"""Rows that a recap may take at least. From 20 rows on it may take two fifths of the terminal."""
LEAST_SENTENCES = 3
"""Shorter events don't stop the player."""
Mode = Literal["turn", "round", "never"]
MODES: tuple[Mode, ...] = ("turn", "round", "never")
WORDS = {
    "turn": "The game stops here after each turn of another player.",
    "round": "The game stops here at the end of each round.",
    "never": "The game no longer stops here. F6 shows what happened.",
}
HINTS = (
    Hint("enter", "Enter: go on", "Go on"),
    Hint("", "↑↓ scroll"),
    Hint("f3", "F3 whole story", "Story"),
    Hint("f6", "F6 shows this again"),
    Hint("r", "R: after each turn, each round, never", "Stop when?"),
)


@dataclass
class Recap:
    """Hold when the table stops for a recap, and whether it does now.

    Attributes:
        mode: After each turn of others, at the end of each round, or never.
        is_open: Whether the recap takes the place of the question.
        title: What is over, or for whom the player waited.
    """

    mode: Mode = "turn"
    is_open: bool = False
    title: Line = ()

    def begin(self, was: Screen | None, now: Screen) -> None:
        """Open the recap if enough has happened between two screens of a player."""
        self.is_open = False
        if was is None or was.seat != now.seat or now.question is None or now.question.picked:
            return
        others = [
            deed
            for deed in now.story
            if not deed.heading and deed.seat != now.seat and not is_bookkeeping_move(deed.line)
        ]
        is_round = bool(others) and _round_of(was) != _round_of(now)
        seats = list(dict.fromkeys(deed.seat for deed in others if deed.seat is not None))
        self.title = (Run("While you waited"),)
        if is_round and _round_of(was):
            self.title = (Run(f"{_round_of(was)} is over"),)
        elif seats:
            self.title = (*self.title, Run(" for "), *listed([(player(seat, now.names),) for seat in seats]))
        if self.mode == "turn":
            has_others = any(deed.seat is not None for deed in others)
            self.is_open = is_round or (has_others and len(others) >= LEAST_SENTENCES)
        elif self.mode == "round":
            self.is_open = is_round

    def turn(self) -> str:
        """Change the mode. Returns a sentence about the new one."""
        self.mode = MODES[(MODES.index(self.mode) + 1) % len(MODES)]
        return WORDS[self.mode]

    def asked(self, screen: Screen, columns: int, rows: int) -> Asked:
        """Return the lower regions of a terminal: the story, and how to go on. The table keeps its place above them."""
        title = self.title or (Run("While you waited"),)
        if columns >= WIDE:
            go_on: Line = (Run("▸", bold=True), Run("Enter", bold=True), Run("  Go on: "), *_prompt(screen))
            return Asked(title, (), lambda columns, rows: [go_on])
        most = max(LEAST_ROWS, rows * 2 // 5)
        return Asked(title, (), lambda columns, rows: story_of(screen.story, columns - 1), most=most)


def _prompt(screen: Screen) -> Line:
    return screen.question.prompt if screen.question is not None else ()


def _round_of(screen: Screen) -> str:
    """Return the outermost part of the phase, such as "Round 3 of 8". Phases without a number have none."""
    first = plain(screen.phase).partition(" · ")[0]
    return first if any(map(str.isdigit, first)) else ""
