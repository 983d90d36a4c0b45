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

    ``orders``: the order of each shuffle so far; more are added. ``is_drawn``: whether a draw was left to chance.
    ``hears``: the seat to which alone is announced what happens."""

    def __init__(
        self, events: Sequence[Event], fortune: Fortune, orders: list[list[int]], hears: int | None = None
    ) -> None:
        super().__init__(explains=False, hears=hears)
        self.told = [event[2] for event in events if event[0] == "random"]
        self.fortune = fortune
        self.orders = orders
        self.is_drawn = False
        self.shuffled = 0

    def drawn(self, stream: str, items: Sequence[Any]) -> tuple[Any] | None:
        if not self.told or self.told[0] not in items:
            self.is_drawn |= len(items) > 1
            return (items[self.fortune.below(len(items))],)
        return (self.told.pop(0),)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        number, self.shuffled = self.shuffled, self.shuffled + 1
        if number == len(self.orders):
            self.orders.append(self.fortune.shuffled(cards))
        elif (gone := set(self.orders[number]).difference(cards)) or len(self.orders[number]) != len(cards):
            self.orders[number] = self._amended(self.orders[number], cards, gone)
        return (tuple(self.orders[number]),)

    def _amended(self, order: list[int], cards: Sequence[int], gone: set[int]) -> list[int]:
        """An order of these cards that is like another: in the places of those that are ``gone`` lie those that were
        not there."""
        new = self.fortune.shuffled([card for card in cards if card not in set(order)])
        found = [new.pop() if card in gone and new else card for card in order]
        return [card for card in found if card not in gone] + new
