"""Points of many numbers, where all of them are too many: the door to Optuna.

A tree-structured Parzen estimator (Bergstra et al., "Algorithms for Hyper-Parameter Optimization", 2011) draws ten
points at random, then more where those that were good lie. The same seed and the same answers give the same points.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, NamedTuple

Value = int | str
Values = tuple[Value, ...]


class Axis(NamedTuple):
    """A number of the rules, or an option: its values that are tried, and the one that it has."""

    name: str
    values: Values
    now: Value


class NoSampler(Exception):
    """Optuna is not installed; the words say how to have it."""


def demand() -> Any:
    """The library. Raises NoSampler."""
    try:
        import optuna
    except ImportError:
        raise NoSampler("for more than two numbers Optuna is needed: pip install 'lusory[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def sampled(axes: tuple[Axis, ...], trials: int, seed: int) -> Generator[Values, float | None, None]:
    """So many points; each is answered with its distance from the goals, None where it has none. Raises NoSampler."""
    optuna = demand()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what may change in later versions
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed % 2**32, multivariate=True))
    for _ in range(trials):
        trial = study.ask()
        found = yield tuple(_value(trial, axis) for axis in axes)
        if found is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, found)


def _value(trial: Any, axis: Axis) -> Value:
    """Numbers that are equally far apart are near to each other or not; other values are just different."""
    values = axis.values
    if len(values) > 1 and isinstance(values[0], int) and isinstance(values[1], int):
        step = values[1] - values[0]
        if values == tuple(range(values[0], int(values[-1]) + 1, step)) if step > 0 else False:
            return int(trial.suggest_int(axis.name, values[0], values[-1], step=step))
    found: Value = trial.suggest_categorical(axis.name, values)
    return found
