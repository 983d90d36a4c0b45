"""A player without a plan: every option is as likely as every other."""

from __future__ import annotations

from typing import Literal

from ...table.chance import draw


class Uniform:
    """Its n-th pick depends on nothing but ``chance``, where its own stream begins, and n: a game goes on alike after a
    save or undo."""

    looks: Literal[False] = False

    def __init__(self, chance: int, name: str = "random") -> None:
        self.name = name
        self._stream = chance
        self._made = 0

    def pick(self, options: int) -> int:
        _, index = draw(self._stream + self._made, options)
        self._made += 1
        return index

    def resume(self, made: int) -> None:
        self._made = made
