"""What comes of one game of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..table.outcome import nobody_wins

FINISHED, ENDLESS, FAULT = "finished", "endless", "fault"


class Result(NamedTuple):
    """One game. ``seating``: who sits on each seat, by number. ``ending``: it is finished, was given up as endless, or
    a fault of the rules ended it. ``ranks``, ``payoffs``, ``reason`` and ``table`` (a column after the other, a number
    for each seat) as the outcome has them; ``payoffs`` None where winners share one point. ``turns``: how often it was
    another's turn to decide, ``simulations``, how many players thought of, and ``began``, the seat of the first
    choice behind the setup: where somebody looked."""

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
    began: int | None = None


class Row(NamedTuple):
    """What is kept of a game that is finished, to be compared with another one: the seats that won, and the ``result``
    of a game for one. The rest as in a result."""

    seed: int
    seating: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    turns: int | None
    began: int | None
    reason: str | None
    result: int | None


def row_of(result: Result, selective: bool) -> Row:
    """``selective``: the first rank value says who can win."""
    ranks = result.ranks
    best = max(ranks)
    lost = selective and nobody_wins(ranks)
    winners = () if lost else tuple(seat for seat, rank in enumerate(ranks) if rank == best)
    alone = ranks[0][1 if selective and len(ranks[0]) > 1 else 0] if len(ranks) == 1 else None
    kept = result.decisions, result.turns, result.began, result.reason
    return Row(result.seed, result.seating, winners, *kept, alone)
