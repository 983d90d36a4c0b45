"""Let a bot decide for the person at a full-screen table for a while."""

from __future__ import annotations

from typing import Protocol

from ...play.bot_takeover_and_pacing import AutoPlay, parse_auto_play
from ..model.event_sentences import has_happened
from ..session.protocol import Auto, Shown

TOLD = "A bot decides for you; any key stops it."
BACK = "You decide again."


class Table(Protocol):
    """Describe what :class:`Standing` needs from the application."""

    shown: Shown | None
    busy: bool

    def send(self, request: Auto) -> object:
        """Request a decision by a bot."""

    def say(self, words: str) -> None:
        """Show a line until the next key."""


class Standing:
    """Let a bot decide for a person for a while.

    Attributes:
        bot: The bot, or None while the person decides.
        seat: The seat for which it decides.
    """

    def __init__(self, app: Table) -> None:
        self.app = app
        self.bot: AutoPlay | None = None
        self.seat: int | None = None

    def begin(self, words: str) -> None:
        """Let a bot decide, as described by typed words after ``auto``. Words that can't be parsed give a message."""
        try:
            self.bot = parse_auto_play(words)
        except ValueError as problem:
            self.app.say(str(problem))
        else:
            self.seat = None if self.app.shown is None else self.app.shown.screen.seat
            self.go_on(None)

    def stop(self) -> bool:
        """Let the person decide again, with a message. Returns whether a bot was deciding."""
        was, self.bot = self.bot, None
        if was is not None:
            self.app.say(BACK)
        return was is not None

    def go_on(self, was: Shown | None) -> None:
        """Let the bot make the pending decision, if it still should. ``was`` is the previous screen, or None.

        It stops, with a message, if the person's wish is fulfilled or the game is over, and without one if another
        person has the keyboard. While another player must decide, it waits.
        """
        shown = self.app.shown
        if self.bot is None or shown is None or shown.screen.question is None:
            if shown is None or shown.screen.ending is not None:
                if self.bot is not None:
                    self.app.say(self.bot.describe_end(self._told(was)))
                self.bot = None
            return
        screen = shown.screen
        if screen.seat != self.seat:
            # Another person has the keyboard.
            self.bot = None
        elif was is not None and was.stamp != shown.stamp and not shown.screen.question.picked:
            others = any(deed.seat not in (None, screen.seat) for deed in screen.story)
            self.bot = self.bot.continue_after_decision(others, self._told(was))
            if self.bot is None:
                self.app.say(BACK)
        if self.bot is not None:
            self.app.say(TOLD)
            self.app.busy = True
            self.app.send(Auto(shown.stamp, self.bot.kind))

    def _told(self, was: Shown | None) -> bool:
        """Return whether the event that ends the bot's turn has happened."""
        now = self.app.shown
        if self.bot is None or was is None or now is None:
            return False
        return has_happened(self.bot.words, now.screen.story, was.screen.phase, now.screen.phase)
