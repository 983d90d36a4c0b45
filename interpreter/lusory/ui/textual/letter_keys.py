"""Tell a single letter that is a key from the letters of a typed word."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

PAUSE = 0.3
"""Seconds without another letter after which a letter is a key, and for which a page must be visible before."""
WORD_PAUSE = 1.5
"""Seconds without another letter after which a word is forgotten."""


class LetterKeys:
    """Collect letters on a page on which some single letters are keys.

    Attributes:
        typed: The letters so far. More than one are a word, which does nothing and is soon forgotten.
        pause: Seconds to wait for another letter. 0 takes every first letter for a key.
    """

    def __init__(
        self, keys: str, act: Callable[[str], None], set_timer: Callable[[float, Callable[[], None]], object]
    ) -> None:
        """Prepare to call ``act`` with each of ``keys``, in lower case, and with "" if a word is forgotten.

        ``set_timer`` calls a function after a number of seconds.
        """
        self.keys, self.act, self.set_timer = keys, act, set_timer
        self.typed, self.pause = "", PAUSE
        self._begun = 0.0
        self._count = 0  # letters and pages so far, so that a timer knows whether another letter came

    def begin(self, typed: str) -> None:
        """Begin a page, with the letters that were typed before it appeared. The next letters belong to that word."""
        self.typed, self._begun = typed, monotonic()
        self._wait(WORD_PAUSE, is_key=False)

    def type(self, letter: str) -> None:
        """Add a letter. A key becomes one if it stays the only letter, and if the page was visible before."""
        is_first = not self.typed and monotonic() - self._begun >= self.pause
        self.typed += letter
        if not is_first or letter.lower() not in self.keys:
            self._wait(WORD_PAUSE, is_key=False)
        elif self.pause:
            self._wait(self.pause, is_key=True)
        else:
            self.typed = ""
            self.act(letter.lower())

    def clear(self) -> None:
        """Forget the letters."""
        self.typed = ""

    def _wait(self, seconds: float, is_key: bool) -> None:
        """Take the letters for a key, or forget them, if no other letter comes in this time."""
        self._count += 1
        count = self._count

        def end() -> None:
            if count == self._count and self.typed:
                letter, self.typed = self.typed.lower(), ""
                self.act(letter if is_key else "")

        self.set_timer(seconds, end)
