"""What a case file says, checked against its ruleset: cases, steps, checks. Made by the reader, played by the runner.

Frozen; names are resolved, expressions are checked core expressions. Everything carries its place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lusory_dsl import core
from lusory_dsl.ruleset.model import Word
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Span

DOTS = "..."  # in the list of a card zone: whatever else lay there
REST = "rest"  # of a pool or card zone: whatever lies nowhere else
NAMELESS = "?"  # the id of a case that has none


@dataclass(frozen=True, eq=False)
class Formula:
    """An expression of a case, as written and as checked."""

    text: str
    expr: core.Expr
    n_slots: int
    span: Span


@dataclass(frozen=True, eq=False)
class Routine:
    """Statements of a case, as checked."""

    body: tuple[core.Stmt, ...]
    n_slots: int
    span: Span


@dataclass(frozen=True)
class Cards:
    """The cards of a zone by their names: topmost first, or in any order. :data:`DOTS` stands for what else lay there,
    :data:`REST` for the cards that lie nowhere else."""

    names: tuple[str, ...]
    is_ordered: bool = True


@dataclass(frozen=True, eq=False)
class Placing:
    """What lies, or should lie, in one place.

    ``content``: of a variable its value; of a pool the count of each kind, by ordinal (None: what lies nowhere else);
    of a card zone :class:`Cards`. ``layer``: 0, or how many positions it is laid over."""

    place: str
    indices: tuple[int, ...]
    content: Any
    span: Span
    layer: int = 0


@dataclass(frozen=True, eq=False)
class Answer:
    """A decision; ``seat`` None: by whoever must decide. ``is_forced``: nobody is asked, there is this option only."""

    seat: int | None
    option: str
    span: Span
    is_forced: bool = False


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
class IsDrawn(Check):
    """``position``: a board as its picture"""

    board: str
    placings: tuple[Placing, ...]


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
class MayGoOn(Check):
    """``legal`` or ``legal_includes`` by the words that options begin with. ``rest``: of the options that begin with
    ``word`` what follows it, exactly this or among others; None: anything, but something."""

    seat: int
    word: Word
    rest: tuple[Word, ...] | None
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
    """``sees``: one expression of it; ``hidden``, or the value; of a list of cards perhaps :class:`Cards`"""

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
class Shows(Check):
    """``screen``: ``lines`` of the table as it is drawn, one below the other"""

    viewer: Viewer
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Ends(Check):
    """``outcome``: one thing of it. ``what`` is ``winners``, ``places``, ``payoffs``, ``reason`` or, with the title of
    a column in ``title``, ``shown``; ``expected`` a set of seats, a number for each seat, or a text"""

    what: str
    expected: Any
    title: str = ""


# ---------------------------------------------------------------- cases


@dataclass(frozen=True, eq=False)
class Result:
    """What a case says of one draw. ``name``: the draw that it is for; None: the next one, whatever it is. ``values``:
    the value that ``text`` means, by each type as text that it can have."""

    text: str
    span: Span
    values: Mapping[str, Any]
    name: str | None = None


@dataclass(frozen=True, eq=False)
class Until:
    """``play_until``; ``formula`` None: to the end"""

    formula: Formula | None
    span: Span


@dataclass(frozen=True, eq=False)
class Step:
    """``stop``: nothing follows on the last decision but its own block."""

    answers: tuple[Answer, ...]
    until: Until | None
    run: Routine | None
    stop: Span | None
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
    """A scenario. ``faults``: what is wrong with it as written; a case with an error is not played."""

    id: str
    title: str
    clauses: tuple[Word, ...]
    players: int
    options: Mapping[str, Any]
    seed: int
    dice: tuple[Result, ...]
    picks: tuple[Result, ...]
    shuffles: tuple[tuple[int, ...], ...]
    chance_span: Span
    given: Given | None
    steps: tuple[Step, ...]
    span: Span
    faults: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Why it is not played."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def looks_inside(self) -> bool:
        """Whether it looks at the table where the game does not wait."""
        return any(step.stop is not None for step in self.steps)


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
