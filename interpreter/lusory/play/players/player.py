"""What a player is. Asked by :class:`lusory.play.match.Match`, which alone knows the whole position."""

from __future__ import annotations

from typing import Literal, Protocol

from ...seat.view import View


class Minded(Protocol):
    """What every player has."""

    name: str

    def resume(self, made: int) -> None:
        """Go on as though this seat had made ``made`` decisions so far: a saved game goes on, or some were undone."""
        ...


class Looking(Minded, Protocol):
    """A player who looks: a person, a bot with a plan. All that it is given is what its seat may know, as data."""

    looks: Literal[True]

    def choose(self, view: View) -> int:
        """The index of the option taken, of ``view.decision``."""
        ...


class Person(Minded, Protocol):
    """Somebody who sits at a table of their own: whoever runs the match shows it to them, and takes their answer with
    :meth:`lusory.play.match.Match.take`."""

    looks: Literal[None]


class Blind(Minded, Protocol):
    """A player who doesn't look, so that no view is made for it: all that it is told is how many options there are."""

    looks: Literal[False]

    def pick(self, options: int) -> int:
        """The index of the option taken."""
        ...


Player = Looking | Blind | Person
