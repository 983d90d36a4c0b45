"""What a player is. Asked by :class:`lusory.play.match.Match`, which alone knows the whole position."""

from __future__ import annotations

from typing import Literal, Protocol

from .table import Table


class PlayerFails(Exception):
    """A player can't decide: what it goes by has come to an end, or code of somebody's own went wrong."""


class PlayerMissing(PlayerFails):
    """The file or code that a player is to go by can't be had. ``hint``: what helps."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Minded(Protocol):
    """What every player has."""

    name: str

    def resume(self, made: int) -> None:
        """Go on as though this seat had made ``made`` decisions so far: a saved game goes on, or some were undone."""
        ...


class Looking(Minded, Protocol):
    """A player who looks: a bot with a plan. All that it is given is what its seat may know. ``spent``: how many
    simulations the latest decision took, where a clock said so."""

    looks: Literal[True]
    spent: int | None

    def choose(self, table: Table) -> int:
        """The index of the option taken, of ``table.decision``. Raises PlayerFails."""
        ...


class Person(Minded, Protocol):
    """Somebody who sits at a table of their own: whoever runs the match shows it to them, and takes their answer with
    :meth:`lusory.play.match.Match.take`."""

    looks: Literal[None]


class Blind(Minded, Protocol):
    """A player who doesn't look, so that no view is made for it: all that it is told is how many options there are."""

    looks: Literal[False]

    def pick(self, options: int) -> int:
        """The index of the option taken. Raises PlayerFails."""
        ...


Player = Looking | Blind | Person
