"""Who sits at the table: anything that can pick one of the options it is offered."""

from __future__ import annotations

from collections.abc import Callable

from .player import Player
from .uniform import Uniform

RANDOM = "random"
BOTS: dict[str, Callable[[int, int], Player]] = {RANDOM: Uniform}  # kind -> maker(seed of the game, seat)

__all__ = ["BOTS", "RANDOM", "Player"]
