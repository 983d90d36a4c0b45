"""All that chance can do in one step, one thing after the other; or one thing, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import factorial, prod
from random import Random
from time import monotonic
from typing import Any

from ..table.events import Event
from ..table.setting import Draw, Forced
from ..table.state import State

MOST_CARDS = 8
"""A shuffle of more has too many outcomes to go through."""

Step = Callable[[list[Event] | None, Forced], State]
"""A step of a game: it is told to a log, where somebody listens, and asks how chance decides."""

Told = Callable[[], list[Event]]
"""What is told of a step, which is done once more for that."""


class TooLarge(Exception):
    """A game has more positions than are gone through; the words say of what."""


class OutOfTime(TooLarge):
    """It takes longer than was allowed."""


def demand_time(until: float | None) -> None:
    """Raises OutOfTime from that moment on; None: there is time."""
    if until is not None and monotonic() >= until:
        raise OutOfTime("it takes longer than was allowed")


class _Branches(Forced):
    """Chance that takes branches by their numbers, and then the first. ``widths``: how many there were each time;
    ``large``: what has too many."""

    def __init__(self, branches: Sequence[int]) -> None:
        super().__init__()
        self.branches = branches
        self.widths: list[int] = []
        self.large = ""

    def _branch(self, width: int) -> int:
        at = len(self.widths)
        self.widths.append(width)
        return self.branches[at] if at < len(self.branches) else 0

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """One of the items."""
        return (items[self._branch(len(items))],)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """One of all orders."""
        if len(cards) > MOST_CARDS:
            self.large = (
                f"a shuffle of {len(cards)} cards"  # an engine would take what is raised here for its own fault
            )
            return (tuple(cards),)
        left, number, found = list(cards), self._branch(factorial(len(cards))), []
        for size in range(len(cards), 0, -1):
            at, number = divmod(number, factorial(size - 1))
            found.append(left.pop(at))
        return (tuple(found),)


class Drawn(Forced):
    """Chance that a generator of numbers decides."""

    def __init__(self, rnd: Random) -> None:
        super().__init__()
        self.rnd = rnd

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any]:
        """One of the items."""
        return (self.rnd.choice(items),)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Any order."""
        return (tuple(self.rnd.sample(list(cards), len(cards))),)


def outcomes(step: Step) -> Iterator[tuple[float, State, Told]]:
    """Each way in which a step can go: how likely it is, what it leads to, and what is told. Raises TooLarge."""
    branches: list[int] = []
    while True:
        chance = _Branches(branches)
        state = step(None, chance)
        if chance.large:
            raise TooLarge(chance.large)
        yield 1 / prod(chance.widths), state, partial(_told, step, tuple(branches))
        branches += [0] * (len(chance.widths) - len(branches))
        while branches and branches[-1] + 1 >= chance.widths[len(branches) - 1]:
            branches.pop()
        if not branches:
            return
        branches[-1] += 1


def _told(step: Step, branches: Sequence[int]) -> list[Event]:
    log: list[Event] = []
    step(log, _Branches(branches))
    return log
