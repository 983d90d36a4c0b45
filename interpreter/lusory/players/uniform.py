"""A player without a plan: every option is as likely as every other."""

from __future__ import annotations

from ..choices import Decision
from ..game import Game
from ..random_stream import draw, seed
from ..view import View


class Uniform:
    """Its n-th pick depends on nothing but ``number``, ``seat`` and n, so a game goes on alike after a save or undo."""

    def __init__(self, number: int, seat: int, name: str = "random") -> None:
        self.name = name
        self._stream = seed(number, f"seat {seat}")
        self._made = 0

    def choose(self, game: Game, view: View, decision: Decision) -> int:
        _, index = draw(self._stream + self._made, len(decision.options))
        self._made += 1
        return index

    def resume(self, made: int) -> None:
        self._made = made
