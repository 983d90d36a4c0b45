"""Who sits at the table: anything that can pick one of the options it is offered."""

from __future__ import annotations

from collections.abc import Callable

from ...table.chance import Seed, own
from .player import Blind, Looking, Person, Player
from .uniform import Uniform

RANDOM = "random"
BOTS: dict[str, Callable[[int], Player]] = {RANDOM: Uniform}  # kind -> maker(where its own chance begins)


def bot(kind: str, seed: Seed, seat: int) -> Player:
    """Who plays a seat in the game of a seed, with chance of its own: it tells nothing about that of the game where the
    seed is a secure one."""
    return BOTS[kind](own(seed, f"seat {seat}"))


__all__ = ["BOTS", "RANDOM", "Blind", "Looking", "Person", "Player", "bot"]
