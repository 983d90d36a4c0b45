"""How strong players are, from who beat whom: the model of Bradley and Terry, in Elo's units.

A player who is 400 points above another is expected to make ten points to the other's one; a draw is half a point to
each. Strengths are those under which the points are likeliest, found by the iteration of Zermelo (1929; as in Hunter,
"MM Algorithms for Generalized Bradley-Terry Models", 2004); half a point to each side of every pair is added, so that
who lost every game is not infinitely weak. Intervals come from the bootstrap (Efron 1979), with a set won and one lost
added of every pair, so that sets that are all alike do not seem to tell all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10

from ..table.chance import draw, mix
from .tallies import Z_95, score_interval

ADDED = 0.5
ITERATIONS = 10_000
CLOSE = 1e-10
SAMPLES = 400
"""Of the bootstrap."""

INTERVAL = 0.025, 0.975
"""An interval holds so many standard errors to each side: 95 %, where the number of sets was settled before."""

LOOKING = 2.7
"""And so many where sets are looked at again and again until it is clear who is stronger: 95 % with some twenty looks
(Pocock, "Group Sequential Methods in the Design and Analysis of Clinical Trials", 1977)."""

Meeting = tuple[int, int, float]
"""Two players, by number, and the points of the first, from 0 to 1, in games that began alike."""


@dataclass(frozen=True)
class Strength:
    """In points of Elo, the mean of all players being 0; with 95 % it lies from ``low`` to ``high``. Who won everything
    may be stronger still: their upper end is that of half a point lost."""

    elo: float
    low: float
    high: float


def strengths(players: int, scores: Sequence[Sequence[Meeting]], seed: int = 0, errors: float = Z_95) -> list[Strength]:
    """Of each player, from scores that came from the same seed each: seeds are what is drawn anew in the bootstrap.
    ``errors``: how many standard errors an interval holds to each side."""
    found = fitted(players, [points for one in scores for points in one])
    drawn: list[list[float]] = [[] for _ in range(players)]
    pairs = sorted({(one, other) for among in scores for one, other, _ in among})
    seeds = [*scores, *([(*pair, points)] for pair in pairs for points in (1.0, 0.0))]
    cell = mix(seed + 1)
    for _ in range(SAMPLES if len(scores) > 1 else 0):
        sample: list[Meeting] = []
        for _ in seeds:
            cell, at = draw(cell, len(seeds))
            sample += seeds[at]
        for number, elo in enumerate(fitted(players, sample)):
            drawn[number].append(elo)
    return [Strength(elo, *_ends(sorted(values), elo, errors / Z_95)) for elo, values in zip(found, drawn, strict=True)]


def _ends(values: list[float], elo: float, wider: float) -> tuple[float, float]:
    """Where 95 % of some sorted values lie, so many times as far from ``elo``; nothing is known from none."""
    if not values:
        return float("-inf"), float("inf")
    last = len(values) - 1
    low, high = (values[round(part * last)] for part in INTERVAL)
    return elo + min(low - elo, 0.0) * wider, elo + max(high - elo, 0.0) * wider


def fitted(players: int, scores: Sequence[Meeting]) -> list[float]:
    """The likeliest strengths, in points of Elo, their mean being 0."""
    points = [[0.0] * players for _ in range(players)]
    games = [[0.0] * players for _ in range(players)]
    for one, other, share in scores:
        points[one][other] += share
        points[other][one] += 1 - share
        for a, b in ((one, other), (other, one)):
            if not games[a][b]:
                points[a][b] += ADDED
                games[a][b] += 2 * ADDED
            games[a][b] += 1
    worth = [1.0] * players
    for _ in range(ITERATIONS):
        before = worth
        worth = [_next(number, before, points[number], games[number]) for number in range(players)]
        mean = sum(log(one) for one in worth) / players
        worth = [one / 2.718281828459045**mean for one in worth]
        if all(abs(one / old - 1) < CLOSE for one, old in zip(worth, before, strict=True)):
            break
    return [400 * log10(one) for one in worth]


def _next(number: int, worth: Sequence[float], points: Sequence[float], games: Sequence[float]) -> float:
    weight = sum(n / (worth[number] + other) for n, other in zip(games, worth, strict=True) if n)
    return sum(points) / weight if weight else worth[number]


def stronger(scores: Sequence[float], errors: float = Z_95) -> int:
    """Which of two players is the stronger one by the scores of the first: 1 the first, -1 the second, 0 not known, as
    the interval of what they made holds both. ``errors``: as :func:`share_interval` has them."""
    _, low, high = share_interval(scores, errors)
    return (low > 0.5) - (high < 0.5)


def share_interval(scores: Sequence[float], errors: float = Z_95) -> tuple[float, float, float]:
    """The mean of some scores, and where it lies within so many standard ``errors``: that of Wilson for games won or
    lost, with as many of them as tell as much as these scores, which scatter less where sets hold several games, or
    draws (the effective sample size of Kish 1965, in Wilson's interval as Korn and Graubard 1998 have it)."""
    if not scores:
        return 0.0, 0.0, 1.0
    mean = sum(scores) / len(scores)
    return mean, *score_interval(mean, len(scores) / _scatter(scores), errors)


def _scatter(scores: Sequence[float]) -> float:
    """The variance of some scores from 0 to 1 beside that of games won or lost with the same mean: above 0, and 1 at
    most. A game won and one lost are added, so that the scatter is never none."""
    n = len(scores) + 2
    mean, squares = (sum(scores) + 1) / n, (sum(points * points for points in scores) + 1) / n
    return float((squares - mean * mean) / (mean - mean * mean))
