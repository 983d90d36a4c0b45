"""Simulations divided among the options of one decision: evenly, or with more and more for those that do well.

In a round every option that is still looked at gets its simulations from the same worlds and the same chance, so that
what differs is the option alone (common random numbers). Sequential halving is that of Karnin, Koren and Somekh,
"Almost Optimal Exploration in Multi-Armed Bandits" (2013), with what was found in earlier rounds kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..table.chance import FACTOR, MASK, STEP, mix
from .contest import Totals
from .positions import pick, weights
from .simulation import Setup, portions

SAMPLE = 3
"""Simulations an option at least: of a list that is too long for that, a part is looked at."""


class Arms:
    """``visits`` and ``sums``: of each option, how often it was tried and what came of it. ``alive``: the options that
    are still looked at, which alone have met the same worlds and chance."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        position, self.cell = setup.begin(0)
        self.visits = [0] * position.options
        self.sums = [0.0] * position.options
        self.weights = weights(position, setup.guidance)
        self.passes = 0
        self.alive: list[int] = []

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

    def tried(self, options: Sequence[int], simulations: int) -> None:
        """So many simulations of some options in turn. Each pass over them has a number of its own."""
        for first in range(0, simulations, len(options)):
            for option in options[: simulations - first]:
                self.once(option, self.passes)
            self.passes += 1

    def among(self, options: Sequence[int], first: int, simulations: int) -> None:
        """As :class:`lusory.search.contest.Contested` has it."""
        self.passes = first
        self.tried(options, simulations)

    def totals(self) -> Totals:
        """Likewise."""
        return {option: (n, self.sums[option]) for option, n in enumerate(self.visits) if n}

    def once(self, option: int, number: int) -> None:
        """Try an option in the simulation of this number."""
        setup = self.setup
        position, cell = setup.begin(number)
        try:
            position.take(option)
            values = setup.finish(position, cell)
        except Exception:  # of generated code: in a world that can't be, or of rules that go wrong there
            values = setup.even()
        self.visits[option] += 1
        self.sums[option] += values[setup.seat]


def flat(arms: Arms, simulations: int) -> Iterator[Arms]:
    """So many simulations, as many for each option; what is known after some of them."""
    arms.alive = arms.order(simulations)
    for part in portions(simulations, len(arms.alive)):
        arms.tried(arms.alive, part)
        yield arms


def halving(arms: Arms, simulations: int) -> Iterator[Arms]:
    """So many simulations, in rounds of the same size; after each, the better half of the options stays."""
    alive = arms.alive = arms.order(simulations)
    rounds = max((len(alive) - 1).bit_length(), 1)
    left = simulations
    for number in range(rounds):
        share = left // (rounds - number)
        whole = min(-(-share // len(alive)) * len(alive), left)  # passes are not broken off but at the end
        arms.tried(alive, whole)
        left -= whole
        yield arms
        if number + 1 < rounds:
            alive.sort(key=arms.mean, reverse=True)
            del alive[max((len(alive) + 1) // 2, 1) :]
