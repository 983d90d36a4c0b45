"""Who sits at the table: anything that can pick one of the options it is offered."""

from .kinds import (
    BOT,
    BOTS,
    FORMS,
    RANDOM,
    UnknownKind,
    bot,
    demand,
    is_trusted,
    ladder,
    simulations_of,
    thinks,
    thoughts_of,
)
from .player import Blind, Looking, Person, Player, PlayerFails
from .table import Table

__all__ = [
    "BOT",
    "BOTS",
    "FORMS",
    "RANDOM",
    "Blind",
    "Looking",
    "Person",
    "Player",
    "PlayerFails",
    "Table",
    "UnknownKind",
    "bot",
    "demand",
    "is_trusted",
    "ladder",
    "simulations_of",
    "thinks",
    "thoughts_of",
]
