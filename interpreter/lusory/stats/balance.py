"""Compare two runs of simulations, check figures against a ruleset's thresholds, and parse goals for tuning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.source.diagnostics import suggest_name
from lusory_dsl.source.safe_files import FileRefused, read_text
from lusory_dsl.source.source import Source

from .aggregates import Z_95
from .estimates import (
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
    Series,
    estimate_difference,
    estimate_figure,
    estimate_null,
    expand_figure,
    normal_quantile,
)

LEVEL = 0.01  # significance level for all figures together

KEPT, UNCLEAR, BROKEN = "kept", "unclear", "broken"
LACKING = "the earlier result has no metrics: another version of lusory wrote it"
ENOUGH = 10  # minimum number of seeds for a verdict


class NotComparable(Exception):
    """Error: two results cannot be compared, or a file is not a result."""


@dataclass(frozen=True)
class FigureChange:
    """Change of one figure.

    ``low`` and ``high`` are the 95 % interval of the difference. ``p`` is the p-value. ``moved`` marks a significant
    change. ``rate`` is true for a share, false for a mean.
    """

    what: str
    before: float
    after: float
    low: float
    high: float
    p: float
    moved: bool
    rate: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "before": self.before,
            "after": self.after,
            "difference_95": [round(self.low, 4), round(self.high, 4)],
            "p": round(self.p, 6),
            "moved": self.moved,
        }


@dataclass(frozen=True)
class Comparison:
    """Changes of all figures, and remarks about other differences of the two simulations.

    ``paired`` is the number of seeds that both played, if single games are known. None means that the sides are treated
    as independent.
    """

    changes: tuple[FigureChange, ...]
    remarks: tuple[str, ...]
    paired: int | None = None

    @property
    def moved(self) -> bool:
        return any(change.moved for change in self.changes)

    def to_json(self) -> dict[str, Any]:
        return {
            "moved": self.moved,
            "level": LEVEL,
            "paired": self.paired,
            "changes": [change.to_json() for change in self.changes],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class ThresholdCheck:
    """Figure compared with its threshold.

    ``value`` has the 95 % interval from ``low`` to ``high``; the threshold allows ``least`` to ``most``. With
    ``change``, the value is the difference from an earlier run. ``n`` is the number of seeds. ``verdict`` is kept,
    broken or unclear.
    """

    figure: Figure
    change: bool
    value: float
    low: float
    high: float
    least: float
    most: float
    n: int
    verdict: str

    def to_json(self) -> dict[str, Any]:
        return {
            "figure": self.figure.written,
            "of": "change" if self.change else "value",
            "value": round(self.value, 4),
            "value_95": [round(self.low, 4), round(self.high, 4)],
            "allowed": [self.least, self.most],
            "seeds": self.n,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Thresholds:
    """Verdicts of a ruleset's thresholds, and remarks about those that could not be checked."""

    held: tuple[ThresholdCheck, ...]
    remarks: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return the worst verdict."""
        return max((one.verdict for one in self.held), key=(KEPT, UNCLEAR, BROKEN).index, default=KEPT)

    def to_json(self) -> dict[str, Any]:
        held = [one.to_json() for one in self.held]
        return {"verdict": self.verdict, "level": LEVEL, "thresholds": held, "remarks": list(self.remarks)}


def is_bad(comparison: Comparison | None, thresholds: Thresholds | None) -> bool:
    """Return whether a build should fail.

    It fails if a threshold is broken, or if a figure has moved and no threshold limits changes.
    """
    if thresholds is not None and thresholds.verdict == BROKEN:
        return True
    judged = thresholds is not None and any(one.change for one in thresholds.held)
    return comparison is not None and comparison.moved and not judged


def read_result(path: Path) -> dict[str, Any]:
    """Read the JSON result of a simulation. Raises NotComparable."""
    # Import only when needed: few simulations are compared.
    from lusory_dsl.yaml.json_reader import JsonFault, read_json
    from lusory_dsl.yaml.reader import to_plain_data

    try:
        found = to_plain_data(read_json(Source(str(path), read_text(path)), allow_decimals=True))
    except FileRefused as refusal:
        raise NotComparable(f"{path} cannot be read: {refusal.reason}") from None
    except JsonFault as fault:
        raise NotComparable(f"{fault.span}: this is not the result of a simulation: {fault.message}") from None
    if not isinstance(found, dict) or not {"version", "game", "seats", "games_finished"} <= found.keys():
        raise NotComparable(f"{path} is not the result of a simulation")
    return found


def compare_summaries(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Compare the result of a simulation with an earlier one. Raises NotComparable."""
    try:
        return _compare_all(before, after)
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        raise NotComparable(LACKING) from None


def compare_games(before: Series, after: Series, figures: Sequence[Figure]) -> Comparison:
    """Compare games with those of the same seeds, pair by pair. Raises NotComparable if too few seeds are common."""
    changes = []
    pairs = 0
    for figure in figures:
        then, now = figure.values(before), figure.values(after)
        common = [seed for seed in now if seed in then]
        if len(common) >= 2:
            pairs = max(pairs, len(common))
            old, new = (sum(side[seed] for seed in common) / len(common) for side in (then, now))
            changes.append(_compare_pairs(figure, old, new, [now[seed] - then[seed] for seed in common], len(figures)))
    if not changes:
        raise NotComparable("the games have other seeds: use the same --seed")
    return Comparison(tuple(changes), (), pairs)


def _compare_pairs(
    figure: Figure, then: float, now: float, differences: Sequence[float], looked_at: int
) -> FigureChange:
    found = estimate_difference(differences, figure.is_share)
    error = estimate_null(differences).error if figure.is_share else found.error
    p = erfc(abs(now - then) / error / sqrt(2)) if error else float(now == then)
    low, high = found.interval(Z_95)
    return FigureChange(figure.words, then, now, low, high, p, p < LEVEL / looked_at, figure.is_share)


def default_figures(players: int) -> list[Figure]:
    """Return the default figures: win rates, shared wins and length."""
    if players == 1:
        return [Figure(RESULT), Figure(LENGTH)]
    return [*expand_figure(WIN_RATE, EACH, players), Figure(DRAWS), Figure(LENGTH)]


def threshold_figures(balance: core.Balance, players: int) -> list[Figure]:
    """Return the figures in a ruleset's thresholds, without duplicates."""
    limits = (*balance.within, *balance.change)
    return list(
        dict.fromkeys(one for limit in limits for one in expand_figure(limit.statistic, limit.subject, players))
    )


def check_thresholds(
    balance: core.Balance, players: int, after: Series, before: Series | None, absolute: bool
) -> Thresholds:
    """Check games against the thresholds of their ruleset.

    ``before`` are other games from the same seeds. ``absolute`` says whether the thresholds for values apply to these
    players.
    """
    wanted: list[tuple[Figure, core.Threshold, FigureEstimate | None, bool]] = []
    for limit, figure in _expand_thresholds(balance.within if absolute else (), players):
        wanted.append((figure, limit, estimate_figure(list(figure.values(after).values()), figure.is_share), False))
    for limit, figure in _expand_thresholds(balance.change if before is not None else (), players):
        assert before is not None
        then, now = figure.values(before), figure.values(after)
        moves = [now[seed] - then[seed] for seed in now if seed in then]
        wanted.append((figure, limit, estimate_difference(moves, figure.is_share) if moves else None, True))
    z = normal_quantile(LEVEL / max(len(wanted), 1))
    held = tuple(_check_threshold(*one, z) for one in wanted if one[2] is not None)
    unknown = tuple(f"There is no data on {figure.written}." for figure, _, found, _ in wanted if found is None)
    return Thresholds(held, unknown)


def _expand_thresholds(limits: Iterable[core.Threshold], players: int) -> Iterator[tuple[core.Threshold, Figure]]:
    return ((limit, figure) for limit in limits for figure in expand_figure(limit.statistic, limit.subject, players))


def _check_threshold(
    figure: Figure, limit: core.Threshold, found: FigureEstimate | None, change: bool, z: float
) -> ThresholdCheck:
    """Return the verdict of a threshold.

    It is kept if the whole 95 % interval is allowed. It is broken if a wider interval (``z``) is entirely outside.
    """
    assert found is not None
    unit = 100 if figure.is_share else 1
    least, most = limit.low / unit, limit.high / unit
    low, high = found.interval(Z_95)
    surely = found.interval(z)
    verdict = UNCLEAR
    if found.n >= ENOUGH and least <= low and high <= most:
        verdict = KEPT
    elif found.n >= ENOUGH and (surely[0] > most or surely[1] < least):
        verdict = BROKEN
    return ThresholdCheck(figure, change, found.value, low, high, least, most, found.n, verdict)


def add_remarks(comparison: Comparison, before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Add remarks about other differences between the two results."""
    return replace(comparison, remarks=(*comparison.remarks, *_list_remarks(before, after)))


def require_same_game(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise NotComparable if two results are of different games or numbers of players."""
    try:
        game, players = before["game"]["id"], before["players"]
    except (KeyError, TypeError):
        raise NotComparable(LACKING) from None
    if game != after["game"]["id"]:
        raise NotComparable(f"that is another game: `{game}`")
    if players != after["players"]:
        raise NotComparable(f"those games have {players} players, these have {after['players']}")


def _compare_all(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    if before["version"] != after["version"]:
        raise NotComparable("another version of lusory wrote the earlier result")
    require_same_game(before, after)
    n, m = before["games_finished"], after["games_finished"]
    if n < 2 or m < 2:
        raise NotComparable("each side needs at least two finished games")
    level = LEVEL / (len(after["seats"]) + 2)
    changes = [
        _compare_rates(f"wins of {now['seat']}", then["wins"], n, now["wins"], m, level)
        for then, now in zip(before["seats"], after["seats"], strict=True)
    ]
    changes.append(_compare_rates("shared wins", before["ties"], n, after["ties"], m, level))
    changes.append(_compare_means("decisions in a game", before["length"], n, after["length"], m, level))
    return Comparison(tuple(changes), tuple(_list_remarks(before, after)))


def _list_remarks(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    found = []
    if before["game"]["digest"] == after["game"]["digest"]:
        found.append("The rules are identical.")
    for name in sorted({*before["options"], *after["options"]}):
        then, now = (json.dumps(side["options"].get(name, "missing")) for side in (before, after))
        if then != now:
            found.append(f"Option {name} was {then} and is {now}.")
    then, now = (", ".join(one["kind"] for one in side.get("lineup", side["seats"])) for side in (before, after))
    if then != now:
        found.append(f"The players were {then} and are {now}.")
    if ("lineup" in before) != ("lineup" in after):
        found.append("Only one of the two simulations swapped seats.")
    return found


def _compare_rates(what: str, hits: int, n: int, hits_now: int, m: int, level: float) -> FigureChange:
    before, after = hits / n, hits_now / m
    pooled = (hits + hits_now) / (n + m)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    apart = sqrt(before * (1 - before) / n + after * (1 - after) / m)
    return _figure_change(what, before, after, error, apart, level, True)


def _compare_means(
    what: str, then: Mapping[str, Any], n: int, now: Mapping[str, Any], m: int, level: float
) -> FigureChange:
    error = sqrt(then["deviation"] ** 2 / n + now["deviation"] ** 2 / m)
    return _figure_change(what, then["mean"], now["mean"], error, error, level, False)


def _figure_change(
    what: str, before: float, after: float, error: float, apart: float, level: float, rate: bool
) -> FigureChange:
    """Return the change of a figure.

    ``error`` is the standard error under no change, and ``apart`` that of the actual difference.
    """
    difference = after - before
    if error:
        p = erfc(abs(difference) / error / sqrt(2))
    else:
        p = float(difference == 0)
    half = Z_95 * apart
    return FigureChange(what, before, after, difference - half, difference + half, p, p < level, rate)


FIGURES = (WIN_RATE, DRAWS, LENGTH, TURNS, RESULT, ENDINGS)

OPERATORS = ("<=", ">=", "=")

FORMS = f"{WIN_RATE}({FIRST})=0.5, {WIN_RATE}(P2)>=45%, {DRAWS}<=5%, {LENGTH}<=40, {TURNS}=20, {RESULT}>=30"

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
    def written(self) -> str:
        """Return the goal as a user types it."""
        return f"{self.figure.written}{self.operator}{self.target:g}"

    def distance(self, value: float) -> float:
        """Return the distance of a value from the goal.

        Shares count as they are, other figures relative to the target. So ten games of a hundred weigh as much as a
        tenth of the length.
        """
        away = value - self.target
        if (self.operator == "<=" and away <= 0) or (self.operator == ">=" and away >= 0):
            return 0.0
        return abs(away) if self.figure.is_share else abs(away) / max(abs(self.target), 1.0)


def parse_goal(typed: str, players: int) -> Goal:
    """Parse a goal. Raises InvalidGoal if it is not one."""
    found = _GOAL.fullmatch(typed)
    if found is None:
        raise InvalidGoal(f"`{typed}`: a goal needs a metric, one of {', '.join(OPERATORS)}, and a number", FORMS)
    figure = parse_figure(found[1], (found[2] or "").strip(), players)
    target = float(found[4]) / (100 if found[5] else 1)
    if found[5] and not figure.is_share:
        raise InvalidGoal(f"`{typed}`: `{figure.name}` is not a share, so its number has no per cent sign", FORMS)
    if figure.is_share and not 0 <= target <= 1:
        raise InvalidGoal(f"`{typed}`: a share is a number from 0 to 1", f"{figure.written}{found[3]}{found[4]}%")
    return Goal(figure, {"<": "<=", ">": ">="}.get(found[3], found[3]), target)


def parse_figure(name: str, of: str, players: int) -> Figure:
    """Parse a figure for games with that many players. Raises InvalidGoal if it is not one."""
    if name not in FIGURES:
        raise InvalidGoal(f"there is no metric `{name}`", suggest_name(name, FIGURES) or FORMS)
    if name == WIN_RATE:
        if of != FIRST and not (_SEAT.fullmatch(of) and int(of[1:]) <= players):
            raise InvalidGoal(
                f"`{name}({of})`: there is no such player",
                f"`{name}({FIRST})`, or `{name}(P1)` to `{name}(P{players})`",
            )
    elif (name == ENDINGS) != bool(of):
        raise InvalidGoal(
            f"`{name}({of})`: "
            + ("the reason of the ending is missing" if name == ENDINGS else "it takes no brackets"),
            FORMS,
        )
    if (name == RESULT) != (players == 1) and name in (RESULT, WIN_RATE, DRAWS):
        raise InvalidGoal(f"`{name}` does not apply to a game for {players}", FORMS)
    return Figure(name, of)
