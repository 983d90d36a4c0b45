"""A player who follows a list: for tests, demonstrations and repeating a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .player import PlayerFails


class ScriptEnded(PlayerFails):
    """A scripted player is asked once more than its list is long."""


class Scripted:
    """Takes the options at ``picks``, one after the other."""

    looks: Literal[False] = False

    def __init__(self, picks: Sequence[int], name: str = "script") -> None:
        self.name = name
        self._picks = tuple(picks)
        self._made = 0

    def pick(self, options: int) -> int:
        if self._made >= len(self._picks):
            raise ScriptEnded(f"{self.name} has no pick left after {self._made}")
        self._made += 1
        return self._picks[self._made - 1]

    def resume(self, made: int) -> None:
        self._made = made
