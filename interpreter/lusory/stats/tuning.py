"""Points of many numbers, where all of them are too many: the door to Optuna.

A tree-structured Parzen estimator (Bergstra et al., "Algorithms for Hyper-Parameter Optimization", 2011) draws ten
points at random, then more where those that were good lie. The same seed and the same answers give the same points.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl.source.filesystem import read_bytes

from ..support.cache import write_own
from .aggregates import Z_95
from .balance import LEVEL, Goal
from .checkpoints import identity_of, own_place
from .estimates import Figure, Series, difference, measured, quantile

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


JSON_VERSION = 1

MOST_POINTS = 1000
"""Of a grid."""

KEPT_BYTES = 20_000_000


class Refused(Exception):
    """The rules with some values are none; the words say why."""


Play = Callable[[Values, bool], Series]
"""Plays games by some values; anew: from other seeds. Raises Refused."""


@dataclass(frozen=True)
class Told:
    """A figure, which lies with 95 % from ``low`` to ``high``; ``change``: from the rules as they are, with its
    interval; ``moved``: beyond chance."""

    value: float
    low: float
    high: float
    change: float
    change_low: float
    change_high: float
    moved: bool


@dataclass(frozen=True)
class Point:
    """Some values and what came of them: of each figure, where it is known, what it is. ``distance``: how far from all
    goals together; ``problem``: why nothing was played, or that not all games came to an end."""

    values: Values
    figures: tuple[Told | None, ...] = ()
    distance: float | None = None
    problem: str = ""


@dataclass
class Tuning:
    """All of it: points in the order in which they were played. ``trials``: how many points are looked at where there
    are too many numbers for a grid; ``file``: what was played is kept there. ``games``: at each point."""

    axes: tuple[Axis, ...]
    goals: tuple[Goal, ...]
    figures: tuple[Figure, ...]
    play: Play
    games: int
    seed: int = 0
    trials: int = 40
    file: Path | None = None
    points: list[Point] = field(default_factory=list)
    base: Point | None = None
    checked: Point | None = None
    _kept: dict[Values, Point] = field(default_factory=dict)

    @property
    def is_grid(self) -> bool:
        """Whether all values are tried with all others."""
        return len(self.axes) < 3

    @property
    def size(self) -> int:
        """How many points there are."""
        return prod(len(axis.values) for axis in self.axes) if self.is_grid else self.trials

    @property
    def best(self) -> Point | None:
        """The one nearest to the goals; of those that are as near, the rules as they are before others."""
        known = [point for point in self.points if point.distance is not None] if self.goals else []
        now = tuple(axis.now for axis in self.axes)
        return min(known, key=lambda point: (point.distance or 0.0, point.values != now), default=None)

    def run(self, done: Callable[[int], None]) -> None:
        """Play all points, or what is left of them; ``done`` hears how many there are. What was played stands in
        ``points`` whenever this is interrupted."""
        now = tuple(axis.now for axis in self.axes)
        base = self.play(now, False)
        self.base = self._told(now, base, base)
        if all(axis.now in axis.values for axis in self.axes):
            self._kept[now] = self.base
        done(1)
        search = self._search()
        try:
            values = next(search)
            while True:
                point = self._point(values, base)
                if all(one.values != values for one in self.points):
                    self.points.append(point)
                done(1 + len(self.points))
                values = search.send(point.distance)
        except StopIteration:
            pass
        if self.best is not None:
            self.checked = self._told(self.best.values, self.play(self.best.values, True), self.play(now, True))

    def _search(self) -> Generator[Values, float | None, None]:
        if not self.is_grid:
            return sampled(self.axes, self.trials, self.seed)
        return _grid(self.axes)

    def _point(self, values: Values, base: Series) -> Point:
        found = self._kept.get(values)
        if found is None:
            try:
                found = self._told(values, self.play(values, False), base)
            except Refused as problem:
                found = Point(values, problem=str(problem))
            self._kept[values] = found
            self._keep()
        return found

    def _told(self, values: Values, series: Series, base: Series) -> Point:
        z = quantile(LEVEL / max(len(self.figures), 1))
        told = tuple(_figure(figure, series, base, z) for figure in self.figures)
        found = {figure: one.value for figure, one in zip(self.figures, told, strict=True) if one is not None}
        known = all(goal.figure in found for goal in self.goals)
        distance = sum(goal.distance(found[goal.figure]) for goal in self.goals) if known and self.goals else None
        short = sum(len(rows) for rows in series.values()) < self.games
        return Point(values, told, distance, "not all games came to an end" if short else "")

    # ------------------------------------------------------------ what is kept

    def _keep(self) -> None:
        if self.file is not None:
            kept = [asdict(point) for point in self._kept.values()]
            with suppress(OSError):
                write_own(self.file, json.dumps({"points": kept}))

    def take_up(self) -> int:
        """Go on with what an earlier run kept. How many points it was; what is damaged is as if it were not there."""
        if self.file is None:
            return 0
        try:
            kept = json.loads(read_bytes(self.file, KEPT_BYTES))["points"]
            self._kept = {point.values: point for point in map(self._read, kept)}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return 0
        return len(self._kept)

    def _read(self, kept: Mapping[str, Any]) -> Point:
        """Raises KeyError, TypeError and ValueError for what is no point of these axes."""
        values = tuple(kept["values"])
        fits = len(values) == len(self.axes) and len(kept["figures"]) in (0, len(self.figures))
        if not fits or any(value not in axis.values for value, axis in zip(values, self.axes, strict=True)):
            raise ValueError("of something else")
        told = tuple(None if one is None else _read_told(one) for one in kept["figures"])
        distance = None if kept["distance"] is None else float(kept["distance"])
        return Point(values, told, distance, str(kept["problem"]))

    def forget(self) -> None:
        """All is played: nothing needs to be kept."""
        if self.file is not None:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)

    # ------------------------------------------------------------ for programs

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        return {
            "version": JSON_VERSION,
            "seed": self.seed,
            "games": self.games,
            "axes": [{"name": axis.name, "values": list(axis.values), "now": axis.now} for axis in self.axes],
            "goals": [goal.written for goal in self.goals],
            "sampler": "grid" if self.is_grid else "tpe",
            "now": self._json(self.base),
            "points": [self._json(point) for point in self.points],
            "best": self._json(self.best),
            "best_from_other_seeds": self._json(self.checked),
        }

    def _json(self, point: Point | None) -> dict[str, Any] | None:
        if point is None:
            return None
        told = {
            figure.written: None if one is None else _json_of(one)
            for figure, one in zip(self.figures, point.figures or (None,) * len(self.figures), strict=True)
        }
        return {
            "values": {axis.name: value for axis, value in zip(self.axes, point.values, strict=True)},
            "figures": told,
            "distance": None if point.distance is None else round(point.distance, 4),
            **({"problem": point.problem} if point.problem else {}),
        }


def _grid(axes: Sequence[Axis]) -> Generator[Values, float | None, None]:
    for values in product(*(axis.values for axis in axes)):
        _ = yield values  # whatever it comes to


def _figure(figure: Figure, series: Series, base: Series, z: float) -> Told | None:
    values, before = figure.values(series), figure.values(base)
    found = measured(list(values.values()), figure.is_share)
    moves = [values[seed] - before[seed] for seed in values if seed in before]
    if found is None or not moves:
        return None
    change = difference(moves, figure.is_share)
    low, high = change.interval(z)
    return Told(found.value, *found.interval(Z_95), change.value, *change.interval(Z_95), not low <= 0 <= high)


def _read_told(kept: Mapping[str, Any]) -> Told:
    names = "value", "low", "high", "change", "change_low", "change_high"
    return Told(**{name: float(kept[name]) for name in names}, moved=bool(kept["moved"]))


def _json_of(told: Told) -> dict[str, Any]:
    return {
        "value": round(told.value, 4),
        "value_95": [round(told.low, 4), round(told.high, 4)],
        "change": round(told.change, 4),
        "change_95": [round(told.change_low, 4), round(told.change_high, 4)],
        "moved": told.moved,
    }


def kept_at(parts: Any) -> Path | None:
    """Where a tuning is kept, by what two runs of it have in common; None: nowhere."""
    try:
        return own_place(identity_of(parts), "tunings")
    except OSError:
        return None


def ranked(points: Sequence[Point]) -> Iterator[Point]:
    """Those whose distance from the goals is known, the nearest first."""
    known = [point for point in points if point.distance is not None]
    yield from sorted(known, key=lambda point: point.distance or 0.0)
