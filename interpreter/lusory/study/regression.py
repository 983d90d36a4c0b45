"""Weights of terms that foretell how games end, found from positions of games: regressions with a penalty.

Who comes out ahead: logistic regression by Newton's method (McCullagh and Nelder, "Generalized Linear Models", 1989).
What comes of it in numbers: least squares. Weights are drawn towards those that one believed in before (ridge
regression; Hoerl and Kennard 1970), the more the less was seen; how much is found by leaving out a part of the games in
turn (cross-validation; Stone 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

Row = tuple[float, ...]
Matrix = list[list[float]]

PARTS = 6
"""The games are left out in so many parts."""

PENALTIES = (1.0, 10.0, 100.0, 1000.0)
"""So many positions are outweighed by what one believed before."""

PASSES, CLOSE = 30, 1e-7
BOUND = 30.0
"""Beyond this many logits nothing is surer."""


@dataclass(frozen=True)
class Sample:
    """A position: what each term comes to, what came of the game (from 0 to 1, or a number), and the game's number."""

    terms: Row
    outcome: float
    game: int


@dataclass(frozen=True)
class Weights:
    """``weights``: of the terms; ``constant``: what is added to them. ``loss``: on games that were left out, in bits a
    position, or as the mean distance from what came of it; ``spread``: of each weight, between the parts of games."""

    weights: tuple[float, ...]
    constant: float
    loss: float
    spread: tuple[float, ...]
    penalty: float


@dataclass(frozen=True)
class Regression:
    """``is_share``: outcomes are from 0 to 1, and nothing is added to the terms, which are differences of two sides."""

    is_share: bool

    def fitted(self, samples: Sequence[Sample], believed: Sequence[float]) -> Weights:
        """The weights, drawn to those that one believes in, but for their scale. Raises ValueError without samples."""
        if not samples:
            raise ValueError("nothing was seen")
        parts = [[s for s in samples if s.game % PARTS == part] for part in range(PARTS)]
        best: Weights | None = None
        for penalty in PENALTIES:
            found, losses = list[Row](), 0.0
            for part, left_out in enumerate(parts):
                rest = [s for number, others in enumerate(parts) if number != part for s in others]
                if rest and left_out:
                    found.append(self.solved(rest, self.scaled(rest, believed), penalty))
                    losses += sum(self.loss(found[-1], s) for s in left_out)
            loss = self.told(losses / len(samples)) if found else float("inf")
            if best is None or loss < best.loss:
                whole = self.solved(samples, self.scaled(samples, believed), penalty)
                spread = tuple(_spread([row[term] for row in found]) for term in range(len(believed)))
                best = Weights(whole[: len(believed)], whole[-1], loss, spread, penalty)
        assert best is not None, "there is a penalty"
        return best

    def told(self, loss: float) -> float:
        """A mean loss in the unit that people read."""
        return loss / log(2) if self.is_share else sqrt(loss)

    def of(self, samples: Sequence[Sample], weights: Sequence[float]) -> float:
        """The loss of weights as they are, but for their scale, which is fitted to the same samples."""
        row = self.scaled(samples, weights)
        return self.told(sum(self.loss(row, s) for s in samples) / len(samples))

    def scaled(self, samples: Sequence[Sample], weights: Sequence[float]) -> Row:
        """Weights in the unit of what is foretold, and what is added: the scale that fits best, not below nothing."""
        sums = [
            Sample((sum(w * x for w, x in zip(weights, s.terms, strict=True)),), s.outcome, s.game) for s in samples
        ]
        scale, constant = self.solved(sums, (0.0, 0.0), 1e-3)
        scale = max(scale, 0.0)
        return (*(w * scale for w in weights), constant)

    def loss(self, row: Row, sample: Sample) -> float:
        """Of one position: what it is surprised by, in nats, or the square of the distance."""
        value = _dot(row, sample.terms)
        if not self.is_share:
            return (value - sample.outcome) ** 2
        chance = _logistic(value)
        return -(sample.outcome * log(chance) + (1 - sample.outcome) * log(1 - chance))

    def solved(self, samples: Sequence[Sample], believed: Row, penalty: float) -> Row:
        """The weights and what is added that cost least, with the penalty for being away from those believed in."""
        size = len(believed)
        scatter = [_scatter([s.terms[term] for s in samples]) for term in range(size - 1)]
        scatter.append(0.0)
        row = list(believed)
        for _ in range(PASSES if self.is_share else 1):
            slope = [penalty * scatter[i] * (believed[i] - row[i]) for i in range(size)]
            curve = [[0.0] * size for _ in range(size)]
            for i in range(size):
                curve[i][i] = penalty * scatter[i] + 1e-9
            for sample in samples:
                _add(slope, curve, (*sample.terms, 0.0 if self.is_share else 1.0), *self._pull(row, sample))
            step = _solution(curve, slope)
            row = [old + more for old, more in zip(row, step, strict=True)]
            if max(abs(more) for more in step) < CLOSE:
                break
        return tuple(row)

    def _pull(self, row: Sequence[float], sample: Sample) -> tuple[float, float]:
        """How much a position wants another value, and how stiff that is."""
        value = _dot(row, sample.terms)
        if not self.is_share:
            return sample.outcome - value, 1.0
        chance = _logistic(value)
        return sample.outcome - chance, chance * (1 - chance)


def _add(slope: list[float], curve: Matrix, terms: Row, pull: float, stiffness: float) -> None:
    """A position more."""
    for i, x in enumerate(terms):
        if x:
            slope[i] += pull * x
            line, much = curve[i], stiffness * x
            for j, y in enumerate(terms):
                line[j] += much * y


def _dot(row: Sequence[float], terms: Row) -> float:
    return sum(w * x for w, x in zip(row, terms, strict=False)) + row[-1]


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-min(max(value, -BOUND), BOUND)))


def _scatter(values: Sequence[float]) -> float:
    """The mean square distance from the mean."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def _spread(values: Sequence[float]) -> float:
    """How far off a weight may be: the jackknife's standard error (Tukey 1958), from leaving out each part of games."""
    parts = len(values)
    return sqrt((parts - 1) * _scatter(values)) if parts > 1 else float("inf")


def _solution(matrix: Matrix, right: Sequence[float]) -> list[float]:
    """Of a system of linear equations: Gauss's elimination, the largest number of a column first."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        best = max(range(at, size), key=lambda number: abs(rows[number][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for number in range(at + 1, size):
            part = rows[number][at] / rows[at][at] if rows[at][at] else 0.0
            if part:
                rows[number] = [x - part * y for x, y in zip(rows[number], rows[at], strict=True)]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        rest = rows[at][size] - sum(rows[at][i] * found[i] for i in range(at + 1, size))
        found[at] = rest / rows[at][at] if rows[at][at] else 0.0
    return found
