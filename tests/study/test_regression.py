"""Regressions: weights that data were made with are found again, what one believed counts where little was seen."""

from __future__ import annotations

from math import exp
from random import Random

import pytest

from lusory.study.regression import Regression, Sample

TRUE = 0.8, -0.4


def shares(n: int, seed: int = 1) -> list[Sample]:
    """Games that are won as often as their terms say."""
    random, found = Random(seed), []
    for number in range(n):
        terms = random.gauss(0, 1), random.gauss(0, 2)
        chance = 1 / (1 + exp(-sum(w * x for w, x in zip(TRUE, terms, strict=True))))
        found.append(Sample(terms, float(random.random() < chance), number // 4))
    return found


def test_weights_of_who_wins_are_found_again() -> None:
    found = Regression(True).fitted(shares(1200), (1, 1))
    assert found.weights == pytest.approx(TRUE, abs=0.25)
    assert found.constant == 0
    assert found.spread == pytest.approx((0.07, 0.05), abs=0.06)
    assert 0.7 < found.loss < 0.9


def test_weights_of_what_comes_are_found_again() -> None:
    random = Random(2)
    terms = [(random.gauss(3, 1), random.gauss(0, 2)) for _ in range(300)]
    samples = [Sample(x, 5 + 2 * x[0] - 3 * x[1] + random.gauss(0, 0.5), n // 3) for n, x in enumerate(terms)]
    found = Regression(False).fitted(samples, (1, 0))
    assert found.weights == pytest.approx((2, -3), abs=0.1)
    assert found.constant == pytest.approx(5, abs=0.2)
    assert found.loss == pytest.approx(0.5, abs=0.05)


def test_little_that_was_seen_does_not_outweigh_what_was_believed() -> None:
    """Eight positions: one weight is half of the other, as one thought, and the scale is what is learned."""
    found = Regression(True).solved(shares(8), (0.8, -0.4, 0.0), 1000)
    assert found[1] == pytest.approx(-found[0] / 2, abs=0.05)
    assert found[0] > 0.6
    free = Regression(True).solved(shares(8), (0.8, -0.4, 0.0), 0.001)
    assert abs(free[1] + free[0] / 2) > 0.05


def test_what_is_known_is_told_in_bits() -> None:
    regression = Regression(True)
    samples = shares(600)
    assert regression.of(samples, (0, 0)) == pytest.approx(1)
    assert regression.of(samples, TRUE) < regression.of(samples, (1, 0)) < 1
    assert regression.of(samples, (80, -40)) == pytest.approx(regression.of(samples, TRUE))


def test_terms_that_say_nothing_and_terms_that_say_the_same() -> None:
    twice = [Sample((s.terms[0], s.terms[0], 0.0), s.outcome, s.game) for s in shares(200)]
    one, other, none = Regression(True).fitted(twice, (1, 1, 1)).weights
    assert one == pytest.approx(other)
    assert abs(none) < 1


def test_nothing_was_seen() -> None:
    with pytest.raises(ValueError, match="nothing was seen"):
        Regression(True).fitted([], (1,))
