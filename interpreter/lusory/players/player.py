"""What a player is. Asked by :class:`lusory.match.Match`, which alone knows the whole position."""

from __future__ import annotations

from typing import Protocol

from ..choices import Decision
from ..game import Game
from ..view import View


class Player(Protocol):
    """A seat's mind: a person, a bot, a script. It sees the table only through ``view``."""

    name: str

    def choose(self, game: Game, view: View, decision: Decision) -> int:
        """The index of the option taken."""
        ...

    def resume(self, made: int) -> None:
        """Go on as though this seat had made ``made`` decisions so far: a saved game goes on, or some were undone."""
        ...
