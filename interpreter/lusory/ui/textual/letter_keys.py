"""Tell a single letter that is a key from the letters of a typed word."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

PAUSE = 0.3
"""Seconds without another letter after which a letter is a key, and for which a page must be visible before."""


class LetterKeys:
    """Collect letters on a page on which single letters are keys.

    Attributes:
        typed: The letters so far. More than one are a word, which does nothing.
        pause: Seconds to wait for another letter. 0 takes every first letter for a key.
    """

    def __init__(self, act: Callable[[str], None], set_timer: Callable[[float, Callable[[], None]], object]) -> None:
        """Prepare to call ``act`` with each single letter, in lower case. ``set_timer`` calls a function later."""
        self.act, self.set_timer = act, set_timer
        self.typed, self.pause = "", PAUSE
        self._begun = 0.0

    def begin(self, typed: str) -> None:
        """Begin a page, with the letters that were typed before it appeared. The next letters belong to that word."""
        self.typed, self._begun = typed, monotonic()

    def type(self, letter: str) -> None:
        """Add a letter. It becomes a key if it stays the only one, and if the page was visible before."""
        is_first = not self.typed and monotonic() - self._begun >= self.pause
        self.typed += letter
        if is_first and self.pause:
            self.set_timer(self.pause, self._end_pause)
        elif is_first:
            self._end_pause()

    def clear(self) -> None:
        """Forget the letters."""
        self.typed = ""

    def _end_pause(self) -> None:
        if len(self.typed) == 1:
            letter, self.typed = self.typed.lower(), ""
            self.act(letter)
