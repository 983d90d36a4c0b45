"""Compare two runs of simulations, check figures against a ruleset's thresholds, and parse goals for tuning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.source.safe_files_and_bundled_data import FileRefused, read_text
from lusory_dsl.source.spelling_suggestions import suggest_name

from .figures_estimates_and_significance_tests import (
    DRAWS,
    EACH,
    ENDINGS,
    FIRST,
    LENGTH,
    RESULT,
    TURNS,
    WIN_RATE,
    Figure,
    FigureEstimate,
    calculate_normal_quantile,
    estimate_difference,
    expand_figure,
)
from .game_results_and_record_files import Series
from .mergeable_counters import Z_95

LEVEL = 0.01  # significance level for all figures together

KEPT, UNCLEAR, BROKEN = "kept", "unclear", "broken"
NO_METRICS_MESSAGE = "the earlier result has no metrics: another version of lusory wrote it"
MIN_SEEDS = 10  # minimum number of seeds for a verdict


class NotComparable(Exception):
    """Error: two results cannot be compared, or a file is not a result."""


@dataclass(frozen=True)
class FigureChange:
    """Change of one figure.

    ``low`` and ``high`` are the 95 % interval of the difference. ``has_moved`` marks a significant change. ``is_share``
    is true for a share, false for a mean.
    """

    label: str
    earlier: float
    current: float
    low: float
    high: float
    has_moved: bool
    is_share: bool

    def to_json(self) -> dict[str, Any]:
        """Return the change as a JSON value. Only the interval is rounded, to four decimals.

        The keys are ``what`` (the label), ``before``, ``after``, ``difference_95`` and ``moved``.
        """
        return {
            "what": self.label,
            "before": self.earlier,
            "after": self.current,
            "difference_95": [round(self.low, 4), round(self.high, 4)],
            "moved": self.has_moved,
        }


@dataclass(frozen=True)
class Comparison:
    """Changes of all figures, and remarks about other differences of the two simulations.

    ``pair_count`` is the number of seeds that both played, if single games are known. None means that the sides are
    treated as independent.
    """

    changes: tuple[FigureChange, ...]
    remarks: tuple[str, ...]
    pair_count: int | None = None

    @property
    def has_moved(self) -> bool:
        """True if any figure has moved."""
        return any(change.has_moved for change in self.changes)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON value: ``moved``, ``level``, ``paired``, ``changes`` and ``remarks``.

        ``paired`` is the number of common seeds, or null.
        """
        return {
            "moved": self.has_moved,
            "level": LEVEL,
            "paired": self.pair_count,
            "changes": [change.to_json() for change in self.changes],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class ThresholdCheck:
    """Figure compared with its threshold.

    ``value`` has the 95 % interval from ``low`` to ``high``; the threshold allows ``minimum`` to ``maximum``. With
    ``is_change``, the value is the difference from an earlier run. ``seed_count`` is the number of seeds. ``verdict``
    is kept, broken or unclear.
    """

    figure: Figure
    is_change: bool
    value: float
    low: float
    high: float
    minimum: float
    maximum: float
    seed_count: int
    verdict: str

    def to_json(self) -> dict[str, Any]:
        """Return the check as a JSON value. Numbers are rounded to four decimals, but not the bounds in ``allowed``.

        The keys are ``figure``, ``of`` (``change`` or ``value``), ``value``, ``value_95``, ``allowed`` (both bounds),
        ``seeds`` and ``verdict``.
        """
        return {
            "figure": self.figure.text,
            "of": "change" if self.is_change else "value",
            "value": round(self.value, 4),
            "value_95": [round(self.low, 4), round(self.high, 4)],
            "allowed": [self.minimum, self.maximum],
            "seeds": self.seed_count,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class ThresholdResults:
    """Verdicts of a ruleset's thresholds, and remarks about those that could not be checked."""

    checks: tuple[ThresholdCheck, ...]
    remarks: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict of the checks: ``broken``, else ``unclear``, else ``kept``, also without checks."""
        return max((check.verdict for check in self.checks), key=(KEPT, UNCLEAR, BROKEN).index, default=KEPT)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON value with ``verdict``, ``level``, ``thresholds`` (a list of the checks) and ``remarks``."""
        checks = [check.to_json() for check in self.checks]
        return {"verdict": self.verdict, "level": LEVEL, "thresholds": checks, "remarks": list(self.remarks)}


def is_balance_failure(comparison: Comparison | None, thresholds: ThresholdResults | None) -> bool:
    """Return whether a build should fail: if ``thresholds.verdict`` is BROKEN, or if ``comparison.has_moved`` is True.

    If a check of ``thresholds`` has ``is_change``, ``has_moved`` doesn't count. None never makes a build fail.
    """
    if thresholds is not None and thresholds.verdict == BROKEN:
        return True
    has_change_limits = thresholds is not None and any(check.is_change for check in thresholds.checks)
    return comparison is not None and comparison.has_moved and not has_change_limits


def read_result(path: Path) -> dict[str, Any]:
    """Read the JSON result of a simulation, as plain data.

    Raises NotComparable if the file can't be read or :func:`~lusory_dsl.yaml.json_reader.read_json` refuses it: it is
    no JSON, repeats a key, or is nested more than 32 deep. Also refused are a text with a line break or another control
    character, and numbers of more than ``MAX_DIGITS`` (40) characters or as large as ``1e400``. Raises NotComparable,
    too, without an object with the keys ``version``, ``game``, ``seats`` and ``games_finished``. Their values may be
    anything.
    """
    # Import only when needed: few simulations are compared.
    from lusory_dsl.yaml.json_reader import JsonFault, read_json
    from lusory_dsl.yaml.reader import make_source, to_plain_data

    try:
        result = to_plain_data(read_json(make_source(str(path), read_text(path)), allows_decimals=True))
    except FileRefused as refusal:
        raise NotComparable(f"{path} cannot be read: {refusal.reason}") from None
    except JsonFault as fault:
        raise NotComparable(f"{fault.span}: this is not the result of a simulation: {fault.message}") from None
    if not isinstance(result, dict) or not {"version", "game", "seats", "games_finished"} <= result.keys():
        raise NotComparable(f"{path} is not the result of a simulation")
    return result


def compare_summaries(earlier: Mapping[str, Any], current: Mapping[str, Any]) -> Comparison:
    """Compare the result of a simulation with an earlier one, as independent samples.

    The changes are the sole wins of each seat (``wins of P1``), ``shared wins`` and ``decisions in a game``, the mean
    length. Remarks name other differences, see :func:`add_remarks`. Raises NotComparable for another version of the
    results, another game or number of players, and for fewer than two finished games on a side. Raises it, too, if a
    result lacks one of the keys compared.
    """
    try:
        if earlier["version"] != current["version"]:
            raise NotComparable("another version of lusory wrote the earlier result")
        require_same_game(earlier, current)
        games = earlier["games_finished"], current["games_finished"]
        if min(games) < 2:
            raise NotComparable("each side needs at least two finished games")
        level = LEVEL / (len(current["seats"]) + 2)
        changes = []
        for earlier_seat, current_seat in zip(earlier["seats"], current["seats"], strict=True):
            wins = earlier_seat["wins"], current_seat["wins"]
            changes.append(_compare_rates(f"wins of {current_seat['seat']}", wins, games, level))
        changes.append(_compare_rates("shared wins", (earlier["ties"], current["ties"]), games, level))
        before, after = earlier["length"], current["length"]
        error = sqrt(before["deviation"] ** 2 / games[0] + after["deviation"] ** 2 / games[1])
        change = FigureEstimate(after["mean"] - before["mean"], error, sum(games))
        label = Figure(LENGTH).description
        changes.append(_create_change(label, before["mean"], after["mean"], change, level, False))
        return Comparison(tuple(changes), tuple(_list_remarks(earlier, current)))
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        raise NotComparable(NO_METRICS_MESSAGE) from None


def compare_games(earlier: Series, current: Series, figures: Sequence[Figure]) -> Comparison:
    """Compare games with those of the same seeds, pair by pair. There are no remarks.

    The changes are in the order of ``figures``. Each has the ``label`` (:attr:`Figure.description`) and the means over
    the common seeds, ``earlier`` and ``current``. It also has the 95 % interval (``low``, ``high``) of the mean
    difference, current less earlier, by :func:`estimate_difference`: for a share that stays equal at two seeds, -0.49
    to 0.49. ``has_moved`` says whether the interval for the level LEVEL / ``len(figures)`` excludes 0 (Bonferroni).
    Figures that fewer than two common seeds have are left out; if no figure is left, raises NotComparable.
    ``pair_count`` is the largest number of common seeds of a figure.
    """
    changes = []
    pair_count = 0
    for figure in figures:
        earlier_values, current_values = figure.calculate_means(earlier), figure.calculate_means(current)
        seeds = [seed for seed in current_values if seed in earlier_values]
        if len(seeds) >= 2:
            pair_count = max(pair_count, len(seeds))
            means = [sum(side[seed] for seed in seeds) / len(seeds) for side in (earlier_values, current_values)]
            differences = [current_values[seed] - earlier_values[seed] for seed in seeds]
            estimate = estimate_difference(differences, figure.is_share)
            level = LEVEL / len(figures)
            changes.append(_create_change(figure.description, means[0], means[1], estimate, level, figure.is_share))
    if not changes:
        raise NotComparable("the games have other seeds: use the same --seed")
    return Comparison(tuple(changes), (), pair_count)


def list_default_figures(player_count: int) -> list[Figure]:
    """Return ``win_rate(P1)``, ``win_rate(P2)``, …, ``draws`` and ``length``. One player: ``result``, ``length``."""
    if player_count == 1:
        return [Figure(RESULT), Figure(LENGTH)]
    return [*expand_figure(WIN_RATE, EACH, player_count), Figure(DRAWS), Figure(LENGTH)]


def list_threshold_figures(balance: core.Balance, player_count: int) -> list[Figure]:
    """Return the figures in a ruleset's thresholds, without duplicates: those of values, then those of changes."""
    limits = (*balance.within, *balance.change)
    return list(dict.fromkeys(figure for _, figure in _expand_thresholds(limits, player_count)))


def check_thresholds(
    balance: core.Balance, player_count: int, current: Series, earlier: Series | None, checks_values: bool
) -> ThresholdResults:
    """Check games against the thresholds of their ruleset: first the limits of values, then those of changes.

    A limit for ``each`` counts as one limit per seat. A limit gives a check, or without data a remark such as
    ``There is no data on win_rate(P1).`` Limits of shares are in per cent in ``balance``: -5 gives -0.05 as ``minimum``
    of the check. Without ``checks_values``, limits of values are left out. ``earlier`` holds games from the same seeds;
    if it is None, limits of changes are left out.

    The ``verdict`` of a check is ``unclear`` if its ``seed_count`` is below MIN_SEEDS (10). Otherwise it is ``kept`` if
    the limit allows the whole 95 % interval. It is ``broken`` if a wider interval is entirely outside: that of the
    significance level LEVEL divided by the number of checks and remarks (Bonferroni). In all other cases it is
    ``unclear``.
    """
    estimates: list[tuple[core.Threshold, Figure, FigureEstimate | None, bool]] = []
    for limit, figure in _expand_thresholds(balance.within if checks_values else (), player_count):
        estimates.append((limit, figure, figure.estimate_value(current), False))
    if earlier is not None:
        for limit, figure in _expand_thresholds(balance.change, player_count):
            estimates.append((limit, figure, figure.estimate_change(earlier, current), True))
    z = calculate_normal_quantile(LEVEL / max(len(estimates), 1))
    checks, remarks = [], []
    for limit, figure, estimate, is_change in estimates:
        if estimate is None:
            remarks.append(f"There is no data on {figure.text}.")
            continue
        unit = 100 if figure.is_share else 1
        minimum, maximum = limit.low / unit, limit.high / unit
        low, high = estimate.get_interval(Z_95)
        wide_low, wide_high = estimate.get_interval(z)
        verdict = UNCLEAR
        if estimate.n >= MIN_SEEDS and minimum <= low and high <= maximum:
            verdict = KEPT
        elif estimate.n >= MIN_SEEDS and (wide_low > maximum or wide_high < minimum):
            verdict = BROKEN
        checks.append(
            ThresholdCheck(figure, is_change, estimate.value, low, high, minimum, maximum, estimate.n, verdict)
        )
    return ThresholdResults(tuple(checks), tuple(remarks))


def _expand_thresholds(limits: Iterable[core.Threshold], player_count: int) -> Iterator[tuple[core.Threshold, Figure]]:
    for limit in limits:
        yield from ((limit, figure) for figure in expand_figure(limit.statistic, limit.subject, player_count))


def add_remarks(comparison: Comparison, earlier: Mapping[str, Any], current: Mapping[str, Any]) -> Comparison:
    """Return a comparison with further ``remarks`` at the end: sentences about two results of simulations.

    They are ``The rules are identical.``, ``Option size was 9 and is 11.`` for each option that differs, ``The players
    were strong, random and are random, random.``, and ``Only one of the two simulations swapped seats.``
    """
    return replace(comparison, remarks=(*comparison.remarks, *_list_remarks(earlier, current)))


def require_same_game(earlier: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Raise NotComparable if the ids of the games or the numbers of players of two results differ.

    It is also raised if ``earlier`` lacks one of these. ``current`` must have both. Two results with ``"game": {"id":
    "a"}`` and ``"players": 2`` pass.
    """
    try:
        game, players = earlier["game"]["id"], earlier["players"]
    except (KeyError, TypeError):
        raise NotComparable(NO_METRICS_MESSAGE) from None
    if game != current["game"]["id"]:
        raise NotComparable(f"that is another game: `{game}`")
    if players != current["players"]:
        noun = "player" if players == 1 else "players"
        raise NotComparable(f"those games have {players} {noun}, these have {current['players']}")


def _list_remarks(earlier: Mapping[str, Any], current: Mapping[str, Any]) -> list[str]:
    """Return sentences about equal rules, and about other options, players and seat swaps."""
    remarks = []
    if earlier["game"]["digest"] == current["game"]["digest"]:
        remarks.append("The rules are identical.")
    for name in sorted({*earlier["options"], *current["options"]}):
        earlier_text, current_text = (json.dumps(side["options"].get(name, "missing")) for side in (earlier, current))
        if earlier_text != current_text:
            remarks.append(f"Option {name} was {earlier_text} and is {current_text}.")
    earlier_text, current_text = (
        ", ".join(seat["kind"] for seat in side.get("lineup", side["seats"])) for side in (earlier, current)
    )
    if earlier_text != current_text:
        remarks.append(f"The players were {earlier_text} and are {current_text}.")
    if ("lineup" in earlier) != ("lineup" in current):
        remarks.append("Only one of the two simulations swapped seats.")
    return remarks


def _compare_rates(label: str, hits: Sequence[int], games: Sequence[int], level: float) -> FigureChange:
    """Return the change of a rate: ``hits`` out of so many ``games``, each of the earlier and the current side."""
    earlier_rate, current_rate = (hit / n for hit, n in zip(hits, games, strict=True))
    pooled_rate = sum(hits) / sum(games)
    error = sqrt(pooled_rate * (1 - pooled_rate) * sum(1 / n for n in games))
    change = FigureEstimate(current_rate - earlier_rate, error, sum(games))
    return _create_change(label, earlier_rate, current_rate, change, level, True)


def _create_change(
    label: str, earlier: float, current: float, change: FigureEstimate, level: float, is_share: bool
) -> FigureChange:
    """Return the change of a figure. It has moved if its interval for the significance ``level`` excludes 0."""
    low, high = change.get_interval(calculate_normal_quantile(level))
    return FigureChange(label, earlier, current, *change.get_interval(Z_95), not low <= 0 <= high, is_share)


FIGURES = (WIN_RATE, DRAWS, LENGTH, TURNS, RESULT, ENDINGS)

OPERATORS = ("<=", ">=", "=")

GOAL_EXAMPLES = f"{WIN_RATE}({FIRST})=0.5, {WIN_RATE}(P2)>=45%, {DRAWS}<=5%, {LENGTH}<=40, {TURNS}=20, {RESULT}>=30"

_GOAL = re.compile(
    r"\s*([a-z_]+)\s*(?:\(([^<>=]*)\))?\s*(<=|>=|=|<|>)\s*(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(%?)\s*", re.ASCII
)
_SEAT = re.compile(r"P[1-9][0-9]?", re.ASCII)


class InvalidGoal(ValueError):
    """Error: this text is not a goal. ``hint`` suggests a correction."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Goal(NamedTuple):
    """Target of a figure: at most, at least or exactly ``target``. Shares are from 0 to 1."""

    figure: Figure
    operator: str
    target: float

    @property
    def text(self) -> str:
        """The goal as a user can type it, such as ``win_rate(P2)>=0.45``."""
        return f"{self.figure.text}{self.operator}{self.target:g}"

    def measure_distance(self, value: float) -> float:
        """Return the distance of a value from the goal: 0 if it meets it, otherwise a positive number.

        Shares count as they are: 0.4 has the distance 0.05 from ``win_rate(P1)>=0.45``. Other figures count relative to
        the target without its sign, but at least to 1. So 110 has the distance 0.1 from ``length<=100``, and -3 has 3
        from ``result>=0``.
        """
        deviation = value - self.target
        if (self.operator == "<=" and deviation <= 0) or (self.operator == ">=" and deviation >= 0):
            return 0.0
        return abs(deviation) if self.figure.is_share else abs(deviation) / max(abs(self.target), 1.0)


def parse_goal(text: str, player_count: int) -> Goal:
    """Parse a goal: ``win_rate(P2) > 45%`` gives ``Goal(Figure("win_rate", "P2"), ">=", 0.45)``.

    A goal is a figure, ``<=``, ``>=`` or ``=``, and a number. ``<`` is read as ``<=``, and ``>`` as ``>=``. The figures
    are ``win_rate(P1)``, ``win_rate(first)``, ``draws``, ``length``, ``turns``, ``result`` and ``endings(REASON)``. One
    without brackets, or with empty ones, has the subject ``""``. The number has at most nine digits before the point
    and six after it. ``result`` is for one player, ``win_rate`` and ``draws`` are for several. Raises InvalidGoal for
    anything else. Also raises it for a per cent sign after ``length``, ``turns`` or ``result``, and for a share that is
    not from 0 to 1.
    """
    match = _GOAL.fullmatch(text)
    if match is None:
        raise InvalidGoal(
            f"`{text}`: a goal needs a metric, one of {', '.join(OPERATORS)}, and a number", GOAL_EXAMPLES
        )
    figure = _parse_figure(match[1], (match[2] or "").strip(), player_count)
    target = float(match[4]) / (100 if match[5] else 1)
    if match[5] and not figure.is_share:
        raise InvalidGoal(
            f"`{text}`: `{figure.name}` is not a share, so its number has no per cent sign", GOAL_EXAMPLES
        )
    if figure.is_share and not 0 <= target <= 1:
        raise InvalidGoal(f"`{text}`: a share is a number from 0 to 1", f"{figure.text}{match[3]}{match[4]}%")
    return Goal(figure, {"<": "<=", ">": ">="}.get(match[3], match[3]), target)


def _parse_figure(name: str, subject: str, player_count: int) -> Figure:
    """Parse a figure for games with that many players. ``subject`` is the text in its brackets, or empty.

    Wins need a player of the game (``P2``) or ``first`` in brackets, and endings a reason of any text. Other figures
    take no brackets. The result figure is for one player only; wins and draws are for several. Raises InvalidGoal for
    other brackets, an unknown name, and a figure that does not apply to that many players.
    """
    if name not in FIGURES:
        raise InvalidGoal(f"there is no metric `{name}`", suggest_name(name, FIGURES) or GOAL_EXAMPLES)
    if name == WIN_RATE:
        if subject != FIRST and not (_SEAT.fullmatch(subject) and int(subject[1:]) <= player_count):
            raise InvalidGoal(
                f"`{name}({subject})`: there is no such player",
                f"`{name}({FIRST})`, or `{name}(P1)` to `{name}(P{player_count})`",
            )
    elif (name == ENDINGS) != bool(subject):
        raise InvalidGoal(
            f"`{name}({subject})`: "
            + ("the reason of the ending is missing" if name == ENDINGS else "it takes no brackets"),
            GOAL_EXAMPLES,
        )
    if (name == RESULT) != (player_count == 1) and name in (RESULT, WIN_RATE, DRAWS):
        raise InvalidGoal(f"`{name}` does not apply to a game for {player_count}", GOAL_EXAMPLES)
    return Figure(name, subject)
