"""How long what a bot does is shown, so that a person can follow it."""

from __future__ import annotations

from time import monotonic

from .match import Match

LONGEST = 6.0
"""Seconds that somebody waits for nothing else, at most, until it is their turn again."""


class Pace:
    """``seconds``: for which each step of a bot is shown at least, what the bot takes to think counted; 0: no longer.
    Bots that do not think, and what was forced, are not waited for: the story tells it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = LONGEST
        self._since = 0.0

    def begin(self) -> None:
        """Somebody has decided, and looks on from now."""
        self._left = LONGEST

    def is_shown(self, match: Match) -> bool:
        """Whether the position is shown before the pending decision is made; its time begins."""
        decision = match.decision
        self._since = monotonic()
        is_to_be = self.seconds > 0 and self._left > 0 and decision is not None and len(decision.options) > 1
        return is_to_be and decision is not None and match.players[decision.seat].looks is True

    def rest(self) -> float:
        """The seconds that are left of the time for which it is shown; they are counted as waited for."""
        left = max(min(self.seconds - (monotonic() - self._since), self._left), 0.0)
        self._left -= left
        return left

    def hurry(self) -> None:
        """Nothing is waited for until :meth:`begin`."""
        self._left = 0.0
