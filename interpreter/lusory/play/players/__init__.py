"""Who sits at the table: anything that can pick one of the options it is offered."""

from .kinds import (
    BOT,
    BOTS,
    FORMS,
    HUMAN,
    RANDOM,
    UnknownKind,
    bot,
    demand,
    is_trusted,
    ladder,
    look_for,
    simulations_of,
    thinks,
    thoughts_of,
)
from .player import Blind, Looking, Person, Player, PlayerFails, PlayerMissing
from .table import Table

__all__ = [
    "BOT",
    "BOTS",
    "FORMS",
    "HUMAN",
    "RANDOM",
    "Blind",
    "Looking",
    "Person",
    "Player",
    "PlayerFails",
    "PlayerMissing",
    "Table",
    "UnknownKind",
    "bot",
    "demand",
    "is_trusted",
    "ladder",
    "look_for",
    "simulations_of",
    "thinks",
    "thoughts_of",
]
