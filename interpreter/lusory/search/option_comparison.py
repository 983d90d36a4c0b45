"""Test which options of a decision may be best, by paired simulations.

Options are simulated equally often, with common random numbers. The test compares the means of batches until one option
is clearly best, or all are clearly equal.

Reference:
    Law: Simulation Modeling and Analysis. (common random numbers, batch means)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

from .flat_monte_carlo_and_halving import PullTotals
from .simulation import Simulator

MIN_BATCHES, MAX_BATCHES = 8, 32
"""Number of batches in a paired comparison."""


STANDARD_ERRORS = 2.5
"""Half width of a confidence interval. It exceeds the usual 1.96, because the test is repeated after each batch."""


NEGLIGIBLE_REGRET = 0.005
"""Options that differ by less than this part of the value range count as equally good."""


class PairedSampler(Protocol):
    """Describe a search that can simulate chosen options again with common random numbers."""

    simulator: Simulator

    def sample_options(self, options: Sequence[int], first_simulation: int, simulations: int) -> None:
        """Simulate the options in turn. All options of one round share a simulation number.

        Args:
            options: The options of the root decision to simulate.
            first_simulation: The number of the first round. It grows by one with each round.
            simulations: The total number of simulations.
        """

    def totals(self) -> PullTotals:
        """Return the statistics of every option that was simulated."""
        ...


@dataclass(frozen=True)
class Comparison:
    """Hold the result of one option in a paired comparison.

    Attributes:
        value: The mean value of the option.
        value_error: The half width of its confidence interval.
        regret: The expected loss compared with the best option. It is 0 for the best option itself.
        regret_error: The half width of its confidence interval.
    """

    option: int
    value: float
    value_error: float
    regret: float
    regret_error: float

    @property
    def may_be_best(self) -> bool:
        """Return whether the confidence interval of the regret contains 0."""
        return self.regret <= self.regret_error


def compare_options(search: PairedSampler, options: Sequence[int], max_simulations: int) -> list[Comparison]:
    """Simulate some options equally often until one is clearly best, or all are clearly equal.

    An adaptive search gives most simulations to the options that look good, so its means are not comparable. This test
    gives each option the same simulations. It estimates the regret of each option from the differences of batch means.
    The statistics of ``search`` grow by these simulations.

    Example: in 8 batches, option 0 beats option 1 by 0.10 on average, and these differences have a standard deviation
    of 0.08. The regret of option 1 is 0.10, with an error of ``2.5 * 0.08 / sqrt(8) = 0.07``. The test stops there.

    Args:
        search: A search that has already run. It makes the simulations and keeps their results.
        options: The options to compare, at least one.
        max_simulations: The budget. At least one simulation of each option is made in each batch.

    Returns:
        One comparison for each option, in order of decreasing value.
    """
    simulator = search.simulator
    rounds_per_batch = max(max_simulations // (len(options) * MAX_BATCHES), 1)
    first_simulation = simulator.simulation_count
    batch_means: list[list[float]] = []
    before = search.totals()
    for batch in range(MAX_BATCHES):
        search.sample_options(options, first_simulation + batch * rounds_per_batch, rounds_per_batch * len(options))
        after = search.totals()
        batch_means.append([_batch_mean(before, after, option) for option in options])
        before = after
        negligible = NEGLIGIBLE_REGRET * (simulator.highest_value - simulator.lowest_value)
        if len(batch_means) >= MIN_BATCHES and _is_decided(batch_means, negligible):
            break
    best = _best_column(batch_means)
    comparisons = [
        Comparison(
            option, *_confidence_interval([row[column] for row in batch_means]), *_regret(batch_means, best, column)
        )
        for column, option in enumerate(options)
    ]
    return sorted(comparisons, key=lambda comparison: comparison.value, reverse=True)


def _batch_mean(before: PullTotals, after: PullTotals, option: int) -> float:
    """Return the mean value of an option in the simulations between two totals."""
    visits_before, sum_before = before.get(option, (0, 0.0))
    visits_after, sum_after = after[option]
    return (sum_after - sum_before) / (visits_after - visits_before)


def _confidence_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of some values, and the half width of its confidence interval."""
    n = len(values)
    mean = sum(values) / n
    return mean, STANDARD_ERRORS * sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)


def _best_column(batch_means: Sequence[Sequence[float]]) -> int:
    """Return the column of the highest mean, or the first of equal ones."""
    return max(range(len(batch_means[0])), key=lambda column: sum(row[column] for row in batch_means))


def _regret(batch_means: Sequence[Sequence[float]], best: int, column: int) -> tuple[float, float]:
    """Return the regret of an option, and the half width of its confidence interval."""
    return _confidence_interval([row[best] - row[column] for row in batch_means])


def _is_decided(batch_means: Sequence[Sequence[float]], negligible: float) -> bool:
    """Return whether one option is clearly best, or no regret can exceed ``negligible``."""
    best = _best_column(batch_means)
    regrets = [_regret(batch_means, best, column) for column in range(len(batch_means[0])) if column != best]
    is_one_best = all(regret > error for regret, error in regrets)
    return is_one_best or all(regret + error <= negligible for regret, error in regrets)
