"""Tune numbers and options of a ruleset towards goals: play games at many points, and rank the points.

One or two numbers are searched on a grid. More are sampled with Optuna, by a tree-structured Parzen estimator (Bergstra
et al., "Algorithms for Hyper-Parameter Optimization", 2011). It draws ten points at random, and later points near good
ones. The same seed and results give the same points.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, NamedTuple

from ..native import NativeUsage
from .checkpoints import CheckpointWriter
from .comparisons_and_thresholds import LEVEL, Goal
from .figures_estimates_and_significance_tests import Figure, calculate_normal_quantile
from .game_results_and_record_files import Series
from .mergeable_counters import Z_95

Value = int | str
Values = tuple[Value, ...]


class Axis(NamedTuple):
    """Number of the rules, or option, that is tuned: the values to try, and the current one."""

    name: str
    values: Values
    current: Value


class SamplerMissing(Exception):
    """Error: Optuna is not installed. The message says how to install it."""


def require_sampler() -> Any:
    """Return the Optuna module, and let it log only errors. Raises SamplerMissing if it is not installed."""
    try:
        import optuna
    except ImportError:
        raise SamplerMissing("to vary more than two numbers, install Optuna: pip install 'lusory[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _sample_points(axes: tuple[Axis, ...], trial_count: int, seed: int) -> Generator[Values, float | None, None]:
    """Yield ``trial_count`` points, each a value for each axis; points can repeat.

    Send the distance from the goals for each, or None if there is none. Raises SamplerMissing.
    """
    optuna = require_sampler()
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed % 2**32))
    for _ in range(trial_count):
        trial = study.ask()
        distance = yield tuple(_sample_value(trial, axis) for axis in axes)
        if distance is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, distance)


def _sample_value(trial: Any, axis: Axis) -> Value:
    """Sample a value of an axis. Integers in equal steps upwards are sampled as numbers, others as categories."""
    values = axis.values
    if len(values) > 1 and isinstance(values[0], int) and isinstance(values[1], int):
        step = values[1] - values[0]
        if values == tuple(range(values[0], int(values[-1]) + 1, step)) if step > 0 else False:
            return int(trial.suggest_int(axis.name, values[0], values[-1], step=step))
    value: Value = trial.suggest_categorical(axis.name, values)
    return value


JSON_VERSION = 1

MAX_POINTS = 1000
"""Maximum number of points of a grid."""


class RulesRefused(Exception):
    """Error: the rules are invalid with some values. The message says why."""


Play = Callable[[Values, bool], Series]
"""Function that plays games with some values. The flag asks for other seeds. Raises RulesRefused."""


@dataclass(frozen=True)
class FigureResult:
    """Figure with its 95 % interval from ``low`` to ``high``.

    ``change`` is the difference from the current rules, with its interval. ``has_moved`` says that it is significant.
    """

    value: float
    low: float
    high: float
    change: float
    change_low: float
    change_high: float
    has_moved: bool


@dataclass(frozen=True)
class Point:
    """Values and their results, with None for an unknown figure.

    ``distance`` is the total distance from all goals. ``problem`` says why nothing was played, or that not all games
    ended.
    """

    values: Values
    figures: tuple[FigureResult | None, ...] = ()
    distance: float | None = None
    problem: str = ""


@dataclass
class Tuning:
    """Tuning run, with its points in the order of play.

    ``trials`` is the number of points if there are too many axes for a grid. ``checkpoints`` saves the results of
    points. ``games`` is the number of games at each point. ``rechecked_point`` is the best point played again from
    other seeds.
    """

    axes: tuple[Axis, ...]
    goals: tuple[Goal, ...]
    figures: tuple[Figure, ...]
    play: Play
    games: int
    seed: int = 0
    trials: int = 40
    checkpoints: CheckpointWriter | None = None
    points: list[Point] = field(default_factory=list)
    base: Point | None = None
    rechecked_point: Point | None = None
    _stored_points: dict[Values, Point] = field(default_factory=dict)

    @property
    def is_grid(self) -> bool:
        """True if all combinations of values are tried, which holds for one or two axes."""
        return len(self.axes) < 3

    @property
    def size(self) -> int:
        """The number of points: all combinations of values in a grid, otherwise ``trials``."""
        return prod(len(axis.values) for axis in self.axes) if self.is_grid else self.trials

    @property
    def best_point(self) -> Point | None:
        """The one of ``points`` nearest to the goals; of several, the current rules, or else the first.

        It is None without goals, or if none of ``points`` has a distance from them. ``base`` counts only if the current
        rules are also among ``points``.
        """
        candidates = [point for point in self.points if point.distance is not None] if self.goals else []
        current_values = tuple(axis.current for axis in self.axes)
        return min(candidates, key=lambda point: (point.distance or 0.0, point.values != current_values), default=None)

    def run(self, report_progress: Callable[[int], None]) -> None:
        """Add all points of the grid or the sampler to ``points``, each once. Play those that aren't loaded.

        The current rules are always played first and become ``base``. They are in ``points`` only if the grid or the
        sampler has them, and this point is then ``base``. ``checkpoints`` saves the points after each one played, but
        not after ``base``. ``report_progress`` receives 1 after ``base``, and 1 plus the number of ``points`` after
        each point, even if :meth:`load_points` loaded it: 1, 2, 3 for two points. A point that the sampler repeats
        gives the same number again. At the end, :attr:`best_point` is compared with the current rules in games with
        other seeds, and stored as ``rechecked_point``, unless it is None, as it is without ``goals``. Raises
        RulesRefused if the current rules are invalid; other invalid values become a point with a ``problem``. After
        ``base``, raises SamplerMissing for three axes or more without Optuna.
        """
        current_values = tuple(axis.current for axis in self.axes)
        base = self.play(current_values, False)
        self.base = self._evaluate_point(current_values, base, base)
        if all(axis.current in axis.values for axis in self.axes):
            self._stored_points[current_values] = self.base
        report_progress(1)
        sampler = _iterate_grid(self.axes) if self.is_grid else _sample_points(self.axes, self.trials, self.seed)
        try:
            values = next(sampler)
            while True:
                point = self._find_point(values, base)
                if all(known_point.values != values for known_point in self.points):
                    self.points.append(point)
                report_progress(1 + len(self.points))
                values = sampler.send(point.distance)
        except StopIteration:
            pass
        if self.best_point is not None:
            self.rechecked_point = self._evaluate_point(
                self.best_point.values, self.play(self.best_point.values, True), self.play(current_values, True)
            )

    def _find_point(self, values: Values, base: Series) -> Point:
        point = self._stored_points.get(values)
        if point is None:
            try:
                point = self._evaluate_point(values, self.play(values, False), base)
            except RulesRefused as problem:
                point = Point(values, problem=str(problem))
            self._stored_points[values] = point
            if self.checkpoints is not None:
                self.checkpoints.add_block(len(self._stored_points), self._stored_points, NativeUsage(), ())
                self.checkpoints.write()
        return point

    def _evaluate_point(self, values: Values, series: Series, base: Series) -> Point:
        """Return a point with its results.

        ``series`` are its games and ``base`` those of the current rules, from the same seeds. Its distance is the sum
        over all goals, or None without goals or if a goal's figure is unknown.
        """
        z = calculate_normal_quantile(LEVEL / max(len(self.figures), 1))
        results = tuple(_estimate_result(figure, series, base, z) for figure in self.figures)
        results_by_figure = dict(zip(self.figures, results, strict=True))
        distance = 0.0 if self.goals else None
        for goal in self.goals:
            result = results_by_figure[goal.figure]
            distance = None if result is None or distance is None else distance + goal.measure_distance(result.value)
        lacks_games = sum(len(rows) for rows in series.values()) < self.games
        return Point(values, results, distance, "some games did not end" if lacks_games else "")

    # ------------------------------------------------------------ stored points

    def load_points(self) -> int:
        """Load the points of an earlier run of the same tuning, and return their number.

        They replace the points loaded before, which are dropped even if the result is 0. ``points`` stays unchanged:
        only a later :meth:`run` adds the loaded points to it, and plays those that are missing. It plays loaded points
        again only if they are the current rules or the best point. Returns 0 without a checkpoint, and if it is damaged
        or of another tuning.
        """
        checkpoint = None if self.checkpoints is None else self.checkpoints.load()
        self._stored_points = {} if checkpoint is None else checkpoint.totals
        return len(self._stored_points)

    # ------------------------------------------------------------ JSON

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON value, with the points in the order of play.

        The keys are ``version``, ``seed``, ``games``, ``axes``, ``goals`` (their texts), ``sampler`` (``grid`` or
        ``tpe``), ``now`` (the point of the current rules), ``points``, ``best`` and ``best_from_other_seeds``. A point
        is None if there is none yet.
        """
        return {
            "version": JSON_VERSION,
            "seed": self.seed,
            "games": self.games,
            "axes": [{"name": axis.name, "values": list(axis.values), "now": axis.current} for axis in self.axes],
            "goals": [goal.text for goal in self.goals],
            "sampler": "grid" if self.is_grid else "tpe",
            "now": self._convert_point(self.base),
            "points": [self._convert_point(point) for point in self.points],
            "best": self._convert_point(self.best_point),
            "best_from_other_seeds": self._convert_point(self.rechecked_point),
        }

    def _convert_point(self, point: Point | None) -> dict[str, Any] | None:
        if point is None:
            return None
        figures: dict[str, Any] = dict.fromkeys(figure.text for figure in self.figures)
        for figure, result in zip(self.figures, point.figures, strict=False):
            if result is not None:
                figures[figure.text] = {
                    "value": round(result.value, 4),
                    "value_95": [round(result.low, 4), round(result.high, 4)],
                    "change": round(result.change, 4),
                    "change_95": [round(result.change_low, 4), round(result.change_high, 4)],
                    "moved": result.has_moved,
                }
        return {
            "values": {axis.name: value for axis, value in zip(self.axes, point.values, strict=True)},
            "figures": figures,
            "distance": None if point.distance is None else round(point.distance, 4),
            **({"problem": point.problem} if point.problem else {}),
        }


def _iterate_grid(axes: Sequence[Axis]) -> Generator[Values, float | None, None]:
    for values in product(*(axis.values for axis in axes)):
        _ = yield values  # a grid ignores the distance


def _estimate_result(figure: Figure, series: Series, base: Series, z: float) -> FigureResult | None:
    estimate, change = figure.estimate_value(series), figure.estimate_change(base, series)
    if estimate is None or change is None:
        return None
    low, high = change.get_interval(z)
    return FigureResult(
        estimate.value, *estimate.get_interval(Z_95), change.value, *change.get_interval(Z_95), not low <= 0 <= high
    )


def rank_points(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points with a known distance, nearest first. Equal ones keep their order."""
    candidates = [point for point in points if point.distance is not None]
    yield from sorted(candidates, key=lambda point: point.distance or 0.0)
