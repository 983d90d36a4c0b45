"""A bot that decides for the person at the table for a while: one decision after the other, until a key is pressed."""

from __future__ import annotations

from typing import Protocol

from ..hosting.messages import Auto, Shown
from ..play.standing_in import StandIn, stand_in
from ..screen.story import is_told

TOLD = "A bot decides for you; any key stops it."
BACK = "You decide again."


class Table(Protocol):
    """The table that is decided at."""

    shown: Shown | None
    busy: bool

    def send(self, request: Auto) -> object:
        """Have a decision made."""

    def say(self, words: str) -> None:
        """Tell a line, until the next key."""


class Standing:
    """``bot``: who decides, None: the person does. ``seat``: for whom."""

    def __init__(self, app: Table) -> None:
        self.app = app
        self.bot: StandIn | None = None
        self.seat: int | None = None

    def begin(self, words: str) -> None:
        """Have a bot decide, as typed."""
        try:
            self.bot = stand_in(words)
        except ValueError as problem:
            self.app.say(str(problem))
        else:
            self.seat = None if self.app.shown is None else self.app.shown.screen.seat
            self.go_on(None)

    def stop(self) -> bool:
        """The person decides again; whether that is news."""
        was, self.bot = self.bot, None
        if was is not None:
            self.app.say(BACK)
        return was is not None

    def go_on(self, was: Shown | None) -> None:
        """Leave this decision to the bot, if it is one of those that are. ``was``: what was shown before."""
        shown = self.app.shown
        if self.bot is None or shown is None or shown.screen.question is None:
            if shown is None or shown.screen.ending is not None:
                if self.bot is not None:
                    self.app.say(self.bot.at_end(self._told(was)))
                self.bot = None
            return
        screen = shown.screen
        if screen.seat != self.seat:
            self.bot = None  # somebody else holds the keyboard
        elif was is not None and was.stamp != shown.stamp and not shown.screen.question.picked:
            others = any(deed.seat not in (None, screen.seat) for deed in screen.story)
            self.bot = self.bot.after_one(others, self._told(was))
            if self.bot is None:
                self.app.say(BACK)
        if self.bot is not None:
            self.app.say(TOLD)
            self.app.busy = True
            self.app.send(Auto(shown.stamp, self.bot.kind))

    def _told(self, was: Shown | None) -> bool:
        """Whether what was waited for came since."""
        now = self.app.shown
        if self.bot is None or was is None or now is None:
            return False
        return is_told(self.bot.words, now.screen.story, was.screen.phase, now.screen.phase)
