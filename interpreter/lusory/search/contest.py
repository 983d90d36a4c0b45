"""Some options of one decision held against each other: as many simulations for each, until it is clear which is best.

A search gives what does well more simulations than the rest, so what it has tried little it can hardly tell from what
it has tried much. Here each option gets its simulation in the same worlds, with the same chance, and what counts is
how they differ there (common random numbers); how sure that is say the means of batches of such simulations (Law and
Kelton, "Simulation Modeling and Analysis").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

from .simulation import Setup

FEWEST, MOST = 8, 32
"""Batches that are made at least and at most."""

ERRORS = 2.5
"""An interval holds so many standard errors to each side: 95 %, and a bit more since one looks after each batch."""

NEAR = 0.005
"""Options that are surely no further apart than this part of all that can come are as good as one another."""

Totals = Mapping[int, tuple[int, float]]


class Contested(Protocol):
    """Who makes the simulations: a search that has begun."""

    setup: Setup

    def among(self, options: Sequence[int], first: int, simulations: int) -> None:
        """So many more of some options of the decision in turn, one each in the simulation numbered ``first``, then in
        the next: in the same worlds, with the same chance."""

    def totals(self) -> Totals:
        """How often each option that was tried was, and what came of it in all."""
        ...


@dataclass(frozen=True)
class Standing:
    """How an option did against the others. ``value``: what it comes to, and ``error``: how far off that may be;
    ``behind``: how much less than the best one's that is, at least 0, and ``doubt``: how far off that may be."""

    option: int
    value: float
    error: float
    behind: float
    doubt: float

    @property
    def is_level(self) -> bool:
        """Whether it may be as good as the best one."""
        return self.behind <= self.doubt


def contest(search: Contested, options: Sequence[int], simulations: int) -> list[Standing]:
    """How some options do against each other, best first, in so many simulations at most (and one of each in each
    batch); in fewer where it is clear before."""
    setup = search.setup
    passes = max(simulations // (len(options) * MOST), 1)
    first = setup.made
    rows: list[list[float]] = []
    before = search.totals()
    for batch in range(MOST):
        search.among(options, first + batch * passes, passes * len(options))
        after = search.totals()
        rows.append([_mean(before, after, option) for option in options])
        before = after
        if len(rows) >= FEWEST and _is_settled(rows, NEAR * (setup.high - setup.low)):
            break
    best = _best(rows)
    found = [
        Standing(option, *_estimate([row[at] for row in rows]), *_behind(rows, best, at))
        for at, option in enumerate(options)
    ]
    return sorted(found, key=lambda one: one.value, reverse=True)


def _mean(before: Totals, after: Totals, option: int) -> float:
    """What an option came to in one batch, on average."""
    visits, total = before.get(option, (0, 0.0))
    now, in_all = after[option]
    return (in_all - total) / (now - visits)


def _estimate(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and half of its interval."""
    n = len(values)
    mean = sum(values) / n
    return mean, ERRORS * sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)


def _best(rows: Sequence[Sequence[float]]) -> int:
    """The place of the option of the highest mean; of equals the first."""
    return max(range(len(rows[0])), key=lambda at: sum(row[at] for row in rows))


def _behind(rows: Sequence[Sequence[float]], best: int, at: int) -> tuple[float, float]:
    """How far an option is behind the best one, and half of the interval of that."""
    return _estimate([row[best] - row[at] for row in rows])


def _is_settled(rows: Sequence[Sequence[float]], near: float) -> bool:
    """Whether it is clear which option is best, or that none is."""
    best = _best(rows)
    others = [_behind(rows, best, at) for at in range(len(rows[0])) if at != best]
    is_alone = all(behind > doubt for behind, doubt in others)
    return is_alone or all(behind + doubt <= near for behind, doubt in others)
