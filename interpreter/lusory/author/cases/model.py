"""What a case file says, checked against its ruleset: cases, steps, checks. Made by the reader, played by the runner.

Frozen; names are resolved, expressions are checked core expressions. Everything carries its place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lusory_dsl import core
from lusory_dsl.ruleset.model import Word
from lusory_dsl.text.diagnostics import Diagnostic
from lusory_dsl.text.source import Span

REST = "..."  # in the list of a card zone: whatever else lay there


@dataclass(frozen=True, eq=False)
class Formula:
    """An expression of a case, as written and as checked."""

    text: str
    expr: core.Expr
    n_slots: int
    span: Span


@dataclass(frozen=True, eq=False)
class Placing:
    """What lies, or should lie, in one place.

    ``content``: of a variable its value; of a pool the count of each kind, by ordinal; of a card zone the names of
    its cards, topmost first, as written (:data:`REST` stands for the others)."""

    place: str
    indices: tuple[int, ...]
    content: Any
    span: Span


@dataclass(frozen=True, eq=False)
class Answer:
    """A decision; ``seat`` None: by whoever must decide."""

    seat: int | None
    option: str
    span: Span


# ---------------------------------------------------------------- checks


@dataclass(frozen=True, eq=False)
class Check:
    span: Span


@dataclass(frozen=True, eq=False)
class Holds(Check):
    """``expect``"""

    formula: Formula


@dataclass(frozen=True, eq=False)
class Lies(Check):
    """``position``: one place of it"""

    placing: Placing


@dataclass(frozen=True, eq=False)
class Decides(Check):
    """``decision``; ``seat`` None: the game is over"""

    seat: int | None


@dataclass(frozen=True, eq=False)
class Asks(Check):
    """``prompt``"""

    text: str


@dataclass(frozen=True, eq=False)
class MayChoose(Check):
    """``legal`` (``exactly``) or ``legal_includes``"""

    seat: int
    options: tuple[Word, ...]
    exactly: bool


@dataclass(frozen=True, eq=False)
class IsRefused(Check):
    """``illegal``"""

    seat: int
    option: Word
    because: Word | None


@dataclass(frozen=True, eq=False)
class Viewer:
    """Who looks: a seat, a spectator (both seat None), or the case itself, which sees everything."""

    seat: int | None
    is_case: bool = False

    def __str__(self) -> str:
        return f"P{self.seat + 1}" if self.seat is not None else "the case" if self.is_case else "a spectator"


@dataclass(frozen=True, eq=False)
class Sees(Check):
    """``sees``: one expression of it; ``hidden``, or the value"""

    viewer: Viewer
    formula: Formula
    hidden: bool
    value: Any


@dataclass(frozen=True, eq=False)
class Reads(Check):
    """``events``, ``log``: ``parts`` in this order; ``not_in_log`` (``never``): none of them"""

    viewer: Viewer
    parts: tuple[Word, ...]
    never: bool


@dataclass(frozen=True, eq=False)
class Ends(Check):
    """``outcome``: one thing of it. ``what`` is ``winners``, ``places``, ``payoffs``, ``reason`` or, with the title of
    a column in ``title``, ``shown``; ``expected`` a set of seats, a number for each seat, or a text"""

    what: str
    expected: Any
    title: str = ""


# ---------------------------------------------------------------- cases


@dataclass(frozen=True, eq=False)
class Until:
    """``play_until``; ``formula`` None: to the end"""

    formula: Formula | None
    span: Span


@dataclass(frozen=True, eq=False)
class Step:
    answers: tuple[Answer, ...]
    until: Until | None
    fault: Word | None
    checks: tuple[Check, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class Given:
    """A starting position; ``phase`` None: the first."""

    phase: str | None
    placings: tuple[Placing, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario. ``faults``: what is wrong with it as written; such a case is not played."""

    id: str
    title: str
    clauses: tuple[Word, ...]
    players: int
    options: Mapping[str, Any]
    seed: int
    dice: tuple[Any, ...]
    picks: tuple[Any, ...]
    shuffles: tuple[tuple[int, ...], ...]
    chance_span: Span
    given: Given | None
    steps: tuple[Step, ...]
    span: Span
    faults: tuple[Diagnostic, ...]


@dataclass(frozen=True, eq=False)
class Failure:
    """Why a case does not pass: a diagnostic, and lines that show what was expected, what came, what happened."""

    diagnostic: Diagnostic
    details: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CaseResult:
    """How one case went. A file that can't be read at all is a result of its own, whose id is the file's name."""

    file: str
    id: str
    title: str
    clauses: tuple[str, ...]
    span: Span
    failures: tuple[Failure, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.failures
