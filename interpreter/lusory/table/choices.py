"""What an engine asks, and how it refuses. Made by engines and :class:`lusory.game.Game`; read by everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lusory_dsl.text.records import dataclass
from lusory_dsl.text.source import Span


class Option(NamedTuple):
    """One legal answer.

    ``index``: position in ``Decision.options``. ``alternative``: number of the ``core.Alternative`` (of a
    ``core.AskMany``: 0 = pick, 1 = done). ``values``: run-time values of the alternative's variables, in order.
    """

    index: int  # type: ignore[assignment]  # in place of tuple.index, of which an option has no need
    alternative: int
    values: tuple[Any, ...]


class Decision(NamedTuple):
    """The game waits for ``seat``. ``site`` is that of the ``core.Ask``; there are always at least two options."""

    site: int
    seat: int
    options: Sequence[Option]


@dataclass(frozen=True)
class Reason:
    """Why something is not allowed: a sentence, the place in the ruleset that says so, and what was read there:
    "`purse.coin` is 1, needs at least 3"."""

    message: str
    span: Span | None = None
    facts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """All of it in one line, without the place."""
        return "; ".join((self.message, *self.facts))

    def __str__(self) -> str:
        return f"{self.said} ({self.span})" if self.span is not None else self.said


class IllegalChoice(Exception):
    """An answer that is not among the options. ``reasons`` says why not."""

    def __init__(self, message: str, reasons: list[Reason]) -> None:
        self.message = message
        self.reasons = reasons
        super().__init__(message, reasons)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"  {reason}" for reason in self.reasons)])


class NoSuchOption(Exception):
    """The number of an option is outside the options, or the game is over. Raised by engines."""


class RulesetFault(Exception):
    """The rules went wrong while they were played: a division by zero, a loop without end, a ``none`` that was used.

    ``span``: the place in the ruleset. ``trail``: the phases and effects that were under way, innermost last.
    ``position``: the whole table at that moment, as text.
    """

    def __init__(self, message: str, span: Span | None = None, trail: tuple[str, ...] = (), position: str = "") -> None:
        self.message = message
        self.span = span
        self.trail = trail
        self.position = position
        super().__init__(message, span, trail, position)

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        trail = f"\n  in {' > '.join(self.trail)}" if self.trail else ""
        return f"{place}{self.message}{trail}"


class OverLimit(Exception):
    """Generated code passed a limit of :class:`lusory.table.cost.Limits`, whose name it gives. Becomes a
    RulesetFault."""

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)
