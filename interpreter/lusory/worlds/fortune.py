"""Chance for worlds: numbers from a stream of their own, and a guide that has chance repeat what a seat saw of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..table import chance
from ..table.events import Event
from ..table.setting import Draw, Forced


class Fortune:
    """Numbers from a whole number. The same number gives the same numbers on every machine."""

    __slots__ = ("cell",)

    def __init__(self, number: int, purpose: str) -> None:
        self.cell = chance.seed(number, purpose)

    def below(self, n: int) -> int:
        """A number 0..n-1, each equally likely."""
        self.cell, number = chance.draw(self.cell, n)
        return number

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """The items in random order."""
        numbers = list(range(len(items)))
        self.cell = chance.shuffle(self.cell, numbers)
        return [items[n] for n in numbers]

    def number(self) -> int:
        """A seed."""
        return self.below(1 << 32)


def exchanged(items: list[Any], fortune: Fortune) -> None:
    """Two items of a list change places."""
    one, other = fortune.below(len(items)), fortune.below(len(items))
    items[one], items[other] = items[other], items[one]


@dataclass
class Lots:
    """What chance came to in one step. ``orders``: of each shuffle; ``draws``: which of its values each draw came to of
    which the seat is told nothing, and of how many; ``heard``: of each draw, whether the seat is told what it came to.
    More are added where chance is asked for more."""

    orders: list[list[int]] = field(default_factory=list)
    draws: list[tuple[int, int]] = field(default_factory=list)
    heard: list[bool] = field(default_factory=list)

    def copy(self) -> Lots:
        """The same, which goes on by itself."""
        return Lots([order[:] for order in self.orders], self.draws[:], self.heard[:])

    def ways(self) -> int:
        """In how many ways what is not told could have been drawn."""
        return prod(n for _, n in self.draws)

    def redrawn(self, fortune: Fortune) -> None:
        """One of the draws of which nothing is told comes to something else."""
        which = [at for at, (_, n) in enumerate(self.draws) if n > 1]
        at = which[fortune.below(len(which))]
        number, n = self.draws[at]
        self.draws[at] = (number + 1 + fortune.below(n - 1)) % n, n


class Guide(Forced):
    """Dictates the chance of one step: draws come to what a seat was told, in order; a shuffle, or a draw of which it
    is told nothing, comes to what is drawn once and kept in ``lots``, so that the step can be tried again with some of
    it otherwise.

    ``heard``: of each draw, whether it was held to be told; where ``lots`` don't say it, it is if what the seat was
    told next can come of it. ``is_drawn``: whether a draw was left to chance. ``hears``: the seat to which alone is
    announced what happens."""

    def __init__(self, events: Sequence[Event], fortune: Fortune, lots: Lots, hears: int | None = None) -> None:
        super().__init__(explains=False, hears=hears)
        self.told = [event[2] for event in events if event[0] == "random"]
        self.fortune = fortune
        self.lots = lots
        self.heard: list[bool] = []
        self.is_drawn = False
        self.shuffled = self.left = 0

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        number, known, draws = len(self.heard), self.lots.heard, self.lots.draws
        is_next = bool(self.told) and self.told[0] in items
        self.heard.append(known[number] if number < len(known) else is_next)
        if is_next and self.heard[-1]:
            return (self.told.pop(0),)
        self.is_drawn |= len(items) > 1
        if self.left == len(draws):
            draws.append((self.fortune.below(len(items)), len(items)))
        elif draws[self.left][1] != len(items):
            draws[self.left] = self.fortune.below(len(items)), len(items)
        self.left += 1
        return (items[draws[self.left - 1][0]],)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        number, self.shuffled, orders = self.shuffled, self.shuffled + 1, self.lots.orders
        if number == len(orders):
            orders.append(self.fortune.shuffled(cards))
        elif (gone := set(orders[number]).difference(cards)) or len(orders[number]) != len(cards):
            orders[number] = self._amended(orders[number], cards, gone)
        return (tuple(orders[number]),)

    def came_to(self) -> Lots:
        """What chance came to."""
        lots = self.lots.copy()
        return Lots(lots.orders[: self.shuffled], lots.draws[: self.left], self.heard[:])

    def _amended(self, order: list[int], cards: Sequence[int], gone: set[int]) -> list[int]:
        """An order of these cards that is like another: in the places of those that are ``gone`` lie those that were
        not there."""
        new = self.fortune.shuffled([card for card in cards if card not in set(order)])
        found = [new.pop() if card in gone and new else card for card in order]
        return [card for card in found if card not in gone] + new
