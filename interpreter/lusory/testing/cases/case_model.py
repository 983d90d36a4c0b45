"""Data model of case files: cases and steps, with resolved names and checked expressions.

The reader creates it, and the runner plays it. All records are frozen and have source locations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lusory_dsl import core
from lusory_dsl.ruleset.model import Word
from lusory_dsl.source.dataclass_with_lazy_methods import Record, ValueRecord
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Span

DOTS = "..."  # in the list of a zone: the cards that were there before
REST = "rest"  # of a pool or zone: whatever is nowhere else
NAMELESS = "?"  # the id of a case that has none


class CaseExpression(Record):
    """Expression of a case: its text, and the checked expression."""

    text: str
    expr: core.Expr
    n_slots: int
    span: Span


class CaseBlock(Record):
    """Checked statements of a case."""

    body: tuple[core.Stmt, ...]
    n_slots: int
    span: Span


class Cards(ValueRecord):
    """Names of the cards of a zone, topmost first, or in any order.

    :data:`DOTS` stands for the cards that were there before, and :data:`REST` for the cards that are nowhere else.
    """

    names: tuple[str, ...]
    is_ordered: bool = True


class Placing(Record):
    """Content of one place.

    ``content`` is the value of a variable, or the count of each kind of a pool (None for the rest). For a zone it is
    its :class:`Cards`. ``layer`` counts the positions that this one was put over.
    """

    place: str
    indices: tuple[int, ...]
    content: Any
    span: Span
    layer: int = 0


class Answer(Record):
    """Decision of a seat, or of any seat if ``seat`` is None.

    ``is_forced``: the choice has a single option and is not asked.
    """

    seat: int | None
    option: str
    span: Span
    is_forced: bool = False


class Viewer(Record):
    """Seat, spectator (``seat`` None), or the case itself, which sees everything."""

    seat: int | None
    is_case: bool = False

    def __str__(self) -> str:
        return f"P{self.seat + 1}" if self.seat is not None else "the case" if self.is_case else "a spectator"


# ---------------------------------------------------------------- cases


class Failure(Record):
    """Reason why a case fails: a diagnostic, and lines with details."""

    diagnostic: Diagnostic
    details: tuple[str, ...] = ()


Check = Callable[[Any], Iterator[Failure]]
"""Function that yields the failures of an expectation, or nothing if it is met.

Its argument is the :class:`~lusory.testing.cases.expectations.CheckedPosition` that it is about.
"""


class DictatedResult(Record):
    """Dictated result of a draw.

    ``name`` is the draw that it is for; None means the next one. ``values`` maps each possible type, as text, to the
    value that ``text`` has in it.
    """

    text: str
    span: Span
    values: Mapping[str, Any]
    name: str | None = None


class Until(Record):
    """Action ``play_until``. A ``formula`` of None means the end of the game."""

    formula: CaseExpression | None
    span: Span


class Step(Record):
    """Step of a case: its actions, then its checks.

    ``stop`` means that only the block of the last decision is played.
    """

    answers: tuple[Answer, ...]
    until: Until | None
    run: CaseBlock | None
    stop: Span | None
    fault: Word | None
    checks: tuple[Check, ...]
    span: Span


class GivenPosition(Record):
    """Starting position, with the positions that it extends. Each place occurs once.

    A ``phase`` of None means the first phase.
    """

    phase: str | None
    placings: tuple[Placing, ...]
    span: Span


class Case(Record):
    """Test case. ``faults`` are problems with its text; a case with an error is not played."""

    id: str
    title: str
    clauses: tuple[Word, ...]
    players: int
    options: Mapping[str, Any]
    seed: int
    dice: tuple[DictatedResult, ...]
    picks: tuple[DictatedResult, ...]
    shuffles: tuple[tuple[int, ...], ...]
    chance_span: Span
    given: GivenPosition | None
    steps: tuple[Step, ...]
    span: Span
    faults: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The faults that prevent it from being played."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def stops_between_decisions(self) -> bool:
        """True if it checks the game in the middle of its execution, between two decisions."""
        return any(step.stop is not None for step in self.steps)


class CaseResult(Record):
    """Result of a case.

    A file that cannot be read is a result, too, with the file's name as id. So is a random game. ``clauses`` are the
    clauses of the rules that the case names, and ``seconds`` the time of play.
    """

    file: str
    id: str
    title: str
    clauses: tuple[str, ...]
    span: Span
    failures: tuple[Failure, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True if there are no ``failures``."""
        return not self.failures
