"""What comes of one game of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FINISHED, ENDLESS, FAULT = "finished", "endless", "fault"


class Result(NamedTuple):
    """One game. ``seating``: who sits on each seat, by number. ``ending``: it is finished, was given up as endless, or
    a fault of the rules ended it. ``ranks``, ``payoffs``, ``reason`` and ``table`` (a column after the other, a number
    for each seat) as the outcome has them; ``payoffs`` None where winners share one point. ``turns``: how often it was
    another's turn to decide, and ``simulations``, how many players thought of: where somebody looked."""

    number: int
    seed: int
    seating: tuple[int, ...]
    ending: str
    decisions: int
    ranks: Sequence[tuple[int, ...]] = ()
    payoffs: Sequence[float] | None = None
    reason: str | None = None
    table: Sequence[Sequence[int]] = ()
    turns: int | None = None
    simulations: int | None = None
