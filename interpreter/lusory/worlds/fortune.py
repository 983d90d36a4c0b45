"""Chance for worlds: numbers from a stream of their own, and a guide that has chance repeat what a seat saw of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..table import chance
from ..table.events import Event
from ..table.setting import Forced


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


class Guide(Forced):
    """Dictates the chance of one step: draws come to what a seat was told, in order; a shuffle comes to an order that
    is drawn once and kept, so that the step can be tried again with cards of it exchanged.

    ``orders``: the order of each shuffle so far; more are added. ``is_chancy``: whether anything was left to chance.
    ``free``: the number of the draw that the seat was not
    told of, so that it is left to chance; None: it was told of all."""

    def __init__(
        self, events: Sequence[Event], fortune: Fortune, orders: list[list[int]], free: int | None = None
    ) -> None:
        super().__init__()
        self.told = [event[2] for event in events if event[0] == "random"]
        self.fortune = fortune
        self.orders = orders
        self.free = free
        self.is_chancy = False
        self.draws = self.shuffled = 0

    def drawn(self, stream: str, items: Sequence[Any]) -> tuple[Any] | None:
        number, self.draws = self.draws, self.draws + 1
        if number == self.free or not self.told or self.told[0] not in items:
            self.is_chancy |= len(items) > 1
            return (items[self.fortune.below(len(items))],)
        return (self.told.pop(0),)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        number, self.shuffled = self.shuffled, self.shuffled + 1
        self.is_chancy |= len(cards) > 1
        if number == len(self.orders):
            self.orders.append(self.fortune.shuffled(cards))
        elif set(self.orders[number]) != set(cards):
            del self.orders[number:]
            self.orders.append(self.fortune.shuffled(cards))
        return (tuple(self.orders[number]),)
