"""Whether the balance of a game has moved: two simulations compared. Used by ``lusory simulate --compare``.

Each figure of one is set against that of the other with a normal approximation: rates with a pooled variance, lengths
with Welch's. As several figures are looked at, each is asked for a smaller probability (Bonferroni), so that of all
comparisons of games that are alike one in a hundred cries wolf.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import erfc, sqrt
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import FileRefused, read_text
from lusory_dsl.text.source import Source
from lusory_dsl.yaml.json_reader import JsonFault, read_json
from lusory_dsl.yaml.reader import plain

LEVEL = 0.01  # of all figures together
Z_95 = 1.96  # standard deviations to each side hold 95 % of a normal distribution


class NotComparable(Exception):
    """Two results that say nothing about each other, or a file that is none."""


@dataclass(frozen=True)
class Shift:
    """One figure, then and now. ``low`` and ``high``: where the difference lies with 95 % confidence; ``p``: how
    probable so large a difference is where nothing has changed; ``rate``: a share of the games, not a number."""

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
    """All figures, and what else differs between the two simulations."""

    changes: tuple[Shift, ...]
    remarks: tuple[str, ...]

    @property
    def moved(self) -> bool:
        return any(change.moved for change in self.changes)

    def to_json(self) -> dict[str, Any]:
        changes = [change.to_json() for change in self.changes]
        return {"moved": self.moved, "level": LEVEL, "changes": changes, "remarks": list(self.remarks)}


def read(path: Path) -> dict[str, Any]:
    """The saved JSON of a simulation. Raises NotComparable."""
    try:
        found = plain(read_json(Source(str(path), read_text(path)), decimals=True))
    except FileRefused as refusal:
        raise NotComparable(f"{path} cannot be read: {refusal.why}") from None
    except JsonFault as fault:
        raise NotComparable(f"{fault.span}: this is no result of a simulation: {fault.message}") from None
    if not isinstance(found, dict) or not {"version", "game", "seats", "games_finished"} <= found.keys():
        raise NotComparable(f"{path} is not the result of a simulation")
    return found


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Set the result of one simulation against an earlier one. Raises NotComparable."""
    try:
        return _compare(before, after)
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        raise NotComparable("the earlier result lacks figures: it was written by another version") from None


def _compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    if before["version"] != after["version"]:
        raise NotComparable("the earlier result was written by another version")
    if before["game"]["id"] != after["game"]["id"]:
        raise NotComparable(f"the earlier result is of another game: `{before['game']['id']}`")
    if before["players"] != after["players"]:
        raise NotComparable(f"the earlier result is of {before['players']} players, this one of {after['players']}")
    n, m = before["games_finished"], after["games_finished"]
    if n < 2 or m < 2:
        raise NotComparable("each side needs at least two finished games")
    level = LEVEL / (len(after["seats"]) + 2)
    changes = [
        _rates(f"wins of {now['seat']}", then["wins"], n, now["wins"], m, level)
        for then, now in zip(before["seats"], after["seats"], strict=True)
    ]
    changes.append(_rates("shared wins", before["ties"], n, after["ties"], m, level))
    changes.append(_means("decisions in a game", before["length"], n, after["length"], m, level))
    return Comparison(tuple(changes), tuple(_remarks(before, after)))


def _remarks(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    found = []
    if before["game"]["digest"] == after["game"]["digest"]:
        found.append("The rules are the same, to the letter.")
    for name in sorted({*before["options"], *after["options"]}):
        then, now = (json.dumps(side["options"].get(name, "not there")) for side in (before, after))
        if then != now:
            found.append(f"Option {name} was {then} and is {now}.")
    then, now = (", ".join(one["kind"] for one in side.get("lineup", side["seats"])) for side in (before, after))
    if then != now:
        found.append(f"The players were {then} and are {now}.")
    if ("lineup" in before) != ("lineup" in after):
        found.append("The players swapped seats in one of the two alone.")
    return found


def _rates(what: str, hits: int, n: int, hits_now: int, m: int, level: float) -> Shift:
    before, after = hits / n, hits_now / m
    pooled = (hits + hits_now) / (n + m)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    apart = sqrt(before * (1 - before) / n + after * (1 - after) / m)
    return _change(what, before, after, error, apart, level, True)


def _means(what: str, then: Mapping[str, Any], n: int, now: Mapping[str, Any], m: int, level: float) -> Shift:
    error = sqrt(then["deviation"] ** 2 / n + now["deviation"] ** 2 / m)
    return _change(what, then["mean"], now["mean"], error, error, level, False)


def _change(what: str, before: float, after: float, error: float, apart: float, level: float, rate: bool) -> Shift:
    """``error``: of the difference where nothing has changed; ``apart``: of the difference as it is."""
    difference = after - before
    if error:
        p = erfc(abs(difference) / error / sqrt(2))
    else:
        p = float(difference == 0)
    half = Z_95 * apart
    return Shift(what, before, after, difference - half, difference + half, p, p < level, rate)
