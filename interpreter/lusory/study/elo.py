"""How strong players are, from who beat whom: the model of Bradley and Terry, in Elo's units.

A player who is 400 points above another is expected to make ten points to the other's one; a draw is half a point to
each. Strengths are those under which the points are likeliest, found by the iteration of Zermelo (1929; as in Hunter,
"MM Algorithms for Generalized Bradley-Terry Models", 2004); half a point to each side of every pair is added, so that
who lost every game is not infinitely weak. Intervals come from the bootstrap (Efron 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10, sqrt

from ..table.chance import draw, mix

ADDED = 0.5
ITERATIONS = 10_000
CLOSE = 1e-10
SAMPLES = 400
"""Of the bootstrap."""

INTERVAL = 0.025, 0.975
EDGE = 30.0
"""Points of Elo: a pair is decided where it is far likelier that one is stronger by this than that the other is."""

SURE = log(19)
"""The logarithm of how much likelier: an error of one in twenty either way (Wald, "Sequential Analysis", 1947)."""

Meeting = tuple[int, int, float]
"""Two players, by number, and the points of the first, from 0 to 1, in games that began alike."""


@dataclass(frozen=True)
class Strength:
    """In points of Elo, the mean of all players being 0; with 95 % it lies from ``low`` to ``high``."""

    elo: float
    low: float
    high: float


def strengths(players: int, scores: Sequence[Sequence[Meeting]], seed: int = 0) -> list[Strength]:
    """Of each player, from scores that came from the same seed each: seeds are what is drawn anew in the bootstrap."""
    found = fitted(players, [points for one in scores for points in one])
    drawn: list[list[float]] = [[] for _ in range(players)]
    cell = mix(seed + 1)
    for _ in range(SAMPLES if len(scores) > 1 else 0):
        sample: list[Meeting] = []
        for _ in scores:
            cell, at = draw(cell, len(scores))
            sample += scores[at]
        for number, elo in enumerate(fitted(players, sample)):
            drawn[number].append(elo)
    return [Strength(elo, *_ends(sorted(values), elo)) for elo, values in zip(found, drawn, strict=True)]


def _ends(values: list[float], elo: float) -> tuple[float, float]:
    """Where 95 % of some sorted values lie; nothing is known from none."""
    if not values:
        return float("-inf"), float("inf")
    last = len(values) - 1
    low, high = (values[round(part * last)] for part in INTERVAL)
    return min(low, elo), max(high, elo)


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


def decided(scores: Sequence[float]) -> int:
    """Whether one of two players is stronger by their scores so far: 1 the first, -1 the second, 0 not known. A
    sequential test of normal means, so that one may look as often as one likes."""
    n = len(scores) + 2  # a win of each side is added, so that the scatter is never none
    total, squares = sum(scores) + 1, sum(points * points for points in scores) + 1
    mean = total / n
    scatter = max(squares / n - mean * mean, 1e-9)
    step = 1 / (1 + 10 ** (-EDGE / 400)) - 0.5
    evidence = 2 * n * step * (mean - 0.5) / scatter
    return 0 if abs(evidence) < SURE else 1 if evidence > 0 else -1


def share_interval(scores: Sequence[float]) -> tuple[float, float, float]:
    """The mean of some scores, and where it lies with 95 %: that of Wilson for games won or lost, with as many of them
    as tell as much as these scores, which scatter less where sets hold several games, or draws (the effective sample
    size of Kish 1965, in Wilson's interval as Korn and Graubard 1998 have it)."""
    if not scores:
        return 0.0, 0.0, 1.0
    mean, z = sum(scores) / len(scores), 1.959964
    n = len(scores) / _scatter(scores)
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return mean, max(middle - half, 0.0), min(middle + half, 1.0)


def _scatter(scores: Sequence[float]) -> float:
    """The variance of some scores from 0 to 1 beside that of games won or lost with the same mean: above 0, and 1 at
    most. A game won and one lost are added, so that the scatter is never none."""
    n = len(scores) + 2
    mean, squares = (sum(scores) + 1) / n, (sum(points * points for points in scores) + 1) / n
    return float((squares - mean * mean) / (mean - mean * mean))
