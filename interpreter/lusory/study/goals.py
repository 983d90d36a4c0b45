"""What a designer wants of a figure, as it is typed: ``win_rate(first)=0.5``, ``length<=40``, ``draws<5%``."""

from __future__ import annotations

import re
from typing import NamedTuple

from lusory_dsl.text.diagnostics import did_you_mean

from .figures import DRAWS, ENDINGS, FIRST, LENGTH, RESULT, TURNS, WIN_RATE, Figure

FIGURES = (WIN_RATE, DRAWS, LENGTH, TURNS, RESULT, ENDINGS)

OPERATORS = ("<=", ">=", "=")

FORMS = f"{WIN_RATE}({FIRST})=0.5, {WIN_RATE}(P2)>=45%, {DRAWS}<=5%, {LENGTH}<=40, {TURNS}=20, {RESULT}>=30"

_GOAL = re.compile(
    r"\s*([a-z_]+)\s*(?:\(([^<>=]*)\))?\s*(<=|>=|=|<|>)\s*(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(%?)\s*", re.ASCII
)
_SEAT = re.compile(r"P[1-9][0-9]?", re.ASCII)


class NoGoal(ValueError):
    """What was typed is no goal. ``hint``: what may be meant."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Goal(NamedTuple):
    """A figure should be at most, at least or just so much; shares from 0 to 1."""

    figure: Figure
    operator: str
    target: float

    @property
    def written(self) -> str:
        """As it is typed."""
        return f"{self.figure.written}{self.operator}{self.target:g}"

    def distance(self, value: float) -> float:
        """How far a figure is from where it should be: a share in parts of all games, else in parts of the target, so
        that ten games of a hundred weigh as much as a tenth of the length."""
        away = value - self.target
        if (self.operator == "<=" and away <= 0) or (self.operator == ">=" and away >= 0):
            return 0.0
        return abs(away) if self.figure.is_share else abs(away) / max(abs(self.target), 1.0)


def goal_of(typed: str, players: int) -> Goal:
    """Raises NoGoal."""
    found = _GOAL.fullmatch(typed)
    if found is None:
        raise NoGoal(f"`{typed}`: a goal is a figure, one of {', '.join(OPERATORS)}, and a number", FORMS)
    figure = figure_of(found[1], (found[2] or "").strip(), players)
    target = float(found[4]) / (100 if found[5] else 1)
    if found[5] and not figure.is_share:
        raise NoGoal(f"`{typed}`: `{figure.name}` is no share, and has no per cent", FORMS)
    if figure.is_share and not 0 <= target <= 1:
        raise NoGoal(f"`{typed}`: a share lies from 0 to 1", f"{figure.written}{found[3]}{found[4]}%")
    return Goal(figure, {"<": "<=", ">": ">="}.get(found[3], found[3]), target)


def figure_of(name: str, of: str, players: int) -> Figure:
    """A figure as it is typed, of games for so many. Raises NoGoal."""
    if name not in FIGURES:
        raise NoGoal(f"there is no figure `{name}`", did_you_mean(name, FIGURES) or FORMS)
    if name == WIN_RATE:
        if of != FIRST and not (_SEAT.fullmatch(of) and int(of[1:]) <= players):
            raise NoGoal(f"`{name}({of})`: of whom?", f"`{name}({FIRST})`, or `{name}(P1)` to `{name}(P{players})`")
    elif (name == ENDINGS) != bool(of):
        raise NoGoal(f"`{name}({of})`: " + ("of which?" if name == ENDINGS else "it is of nobody"), FORMS)
    if (name == RESULT) != (players == 1) and name in (RESULT, WIN_RATE, DRAWS):
        raise NoGoal(f"`{name}` says nothing of a game for {players}", FORMS)
    return Figure(name, of)
