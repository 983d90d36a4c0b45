"""Simulations divided among the options of one decision: evenly, or with more and more for those that do well.

In a round every option that is still looked at gets its simulations from the same worlds and the same chance, so that
what differs is the option alone (common random numbers). Sequential halving is that of Karnin, Koren and Somekh,
"Almost Optimal Exploration in Multi-Armed Bandits" (2013), with what was found in earlier rounds kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..table.chance import FACTOR, MASK, STEP, mix
from .positions import pick, weights
from .simulation import Setup

SAMPLE = 3
"""Simulations an option at least: of a list that is too long for that, a part is looked at."""


class Arms:
    """``visits`` and ``sums``: of each option, how often it was tried and what came of it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        position, self.cell = setup.begin(0)
        self.visits = [0] * position.options
        self.sums = [0.0] * position.options
        self.weights = weights(position, setup.guidance)
        self.passes = 0

    def mean(self, option: int) -> float:
        """What an option came to, on average; nothing can be said of one that was never tried."""
        return self.sums[option] / self.visits[option] if self.visits[option] else float("-inf")

    def order(self, simulations: int) -> list[int]:
        """The options that are looked at, in an order that chance decides, likelier ones first."""
        left = self.weights[:]
        found: list[int] = []
        most = max(simulations // SAMPLE, 2)
        cell = mix((self.cell + 1) & MASK)
        while len(found) < most and any(left):
            cell = (cell * FACTOR + STEP) & MASK
            found.append(pick(left, cell))
            left[found[-1]] = 0
        return found

    def once(self, options: list[int], most: int) -> int:
        """Try each of some options once, ``most`` at most; how many were."""
        setup, seat = self.setup, self.setup.seat
        number, self.passes = self.passes, self.passes + 1
        for option in options[:most]:
            position, cell = setup.begin(number)
            try:
                position.take(option)
                values = setup.finish(position, cell)
            except Exception:  # of generated code: in a world that can't be, or of rules that go wrong there
                values = setup.even()
            self.visits[option] += 1
            self.sums[option] += values[seat]
        return min(most, len(options))


def flat(setup: Setup, simulations: int) -> Iterator[Arms]:
    """So many simulations, as many for each option; what is known after each round."""
    arms = Arms(setup)
    options = arms.order(simulations)
    while simulations > 0:
        simulations -= arms.once(options, simulations)
        yield arms


def halving(setup: Setup, simulations: int) -> Iterator[Arms]:
    """So many simulations, in rounds of the same size; after each, the better half of the options stays."""
    arms = Arms(setup)
    alive = arms.order(simulations)
    rounds = max((len(alive) - 1).bit_length(), 1)
    left = simulations
    for number in range(rounds):
        share = left // (rounds - number)
        while share > 0 and left > 0:
            done = arms.once(alive, min(len(alive), left))
            share, left = share - done, left - done
        yield arms
        alive.sort(key=arms.mean, reverse=True)
        del alive[max((len(alive) + 1) // 2, 1) :]
