"""Define decisions, their options, the outcome of a game, and the exceptions of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lusory_dsl.source.lazy_dataclass import dataclass
from lusory_dsl.source.source import Span


class Option(NamedTuple):
    """Describe one legal answer to a decision.

    Attributes:
        index: Position in ``Decision.options``.
        alternative: Number of the ``core.Alternative``. For a ``core.AskMany``, 0 picks an item and 1 is "done".
        values: Runtime values of the alternative's variables, in order.
    """

    index: int  # type: ignore[assignment]  # replaces tuple.index, which options don't need
    alternative: int
    values: tuple[Any, ...]


class Decision(NamedTuple):
    """Describe a decision for which the game waits.

    Attributes:
        site: The choice site of the ``core.Ask`` or ``core.AskMany`` in the program.
        seat: The seat that decides.
        options: The legal options, at least two.
    """

    site: int
    seat: int
    options: Sequence[Option]


@dataclass(frozen=True)
class Reason:
    """Explain why something is not allowed.

    Attributes:
        message: A sentence for players.
        span: The place in the ruleset that forbids it, if there is one.
        facts: Values that the check read, for example "`purse.coin` is 1, needs at least 3".
    """

    message: str
    span: Span | None = None
    facts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Return the message and the facts in one line, without the place."""
        return "; ".join((self.message, *self.facts))

    def __str__(self) -> str:
        return f"{self.said} ({self.span})" if self.span is not None else self.said


class IllegalChoice(Exception):
    """Raised for an answer that is not among the options. ``reasons`` explains why it is not."""

    def __init__(self, message: str, reasons: list[Reason]) -> None:
        self.message = message
        self.reasons = reasons
        super().__init__(message, reasons)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"  {reason}" for reason in self.reasons)])


class NoSuchOption(Exception):
    """Raised by engines if an option number is out of range, or if the game is over."""


class RulesetFault(Exception):
    """Raised if the rules fail during a game: a division by zero, an endless loop, use of a ``none``.

    Attributes:
        message: A sentence that names the fault.
        span: The place in the ruleset.
        trail: The phases and effects that were running, innermost last.
        position: The whole table at that moment, as text.
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
    """Raised by generated code that exceeds a limit. ``limit`` names a field of
    :class:`lusory.state.work_limits.Limits`.

    The engine turns it into a :class:`RulesetFault`.
    """

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)


Ranks = tuple[tuple[int, ...], ...]
Shown = tuple[tuple[str, tuple[int, ...]], ...]


class Outcome(NamedTuple):
    """Describe the result of a game.

    Attributes:
        reason: Why the game ended, or None.
        ranks: The rank values of each seat. They are compared in order, and higher is better.
        winners: The seats in first place.
        places: The place of each seat, from 1. Tied seats share a place. If nobody wins, places begin at 2.
        payoffs: The payoff of each seat.
        shown: Columns of the final table: a title and one value for each seat.
        chart: Title of the chart that ranked the players, or None.
        steps: The steps of that chart, as columns like those of ``shown``.
    """

    reason: str | None
    ranks: Ranks
    winners: tuple[int, ...]
    places: tuple[int, ...]
    payoffs: tuple[int | float, ...]
    shown: Shown
    chart: str | None = None
    steps: Shown = ()

    @property
    def table(self) -> Shown:
        """Return the columns of the final table: the steps of the chart, then ``shown`` without repeated titles."""
        titles = [title for title, _ in self.steps]
        return (*self.steps, *((title, values) for title, values in self.shown if title not in titles))


def ranked(
    reason: str | None,
    ranks: Ranks,
    payoffs: tuple[int, ...] | None,
    shown: Shown,
    selective: bool = False,
    zero_sum: bool = False,
) -> Outcome:
    """Return the outcome that follows from the ranks.

    Args:
        reason: Why the game ended, or None.
        ranks: The rank values of each seat.
        payoffs: The payoffs of the ruleset. If None, the winners share 1, which the others pay in a zero-sum game.
        shown: Columns of the final table.
        selective: Whether the first rank value says which seats can win. If it is 0 for all, nobody wins.
        zero_sum: Whether the payoffs add up to zero.
    """
    first = 2 if selective and nobody_wins(ranks) else 1
    places = tuple([first + sum(other > rank for other in ranks) for rank in ranks])
    winners = tuple([seat for seat, place in enumerate(places) if place == 1])
    if payoffs is None:
        gained = stakes(places) if zero_sum else shares(places)
        return Outcome(reason, ranks, winners, places, gained, shown)
    return Outcome(reason, ranks, winners, places, payoffs, shown)


def nobody_wins(ranks: Sequence[tuple[int, ...]]) -> bool:
    """Return whether all seats have lost, in a game whose first rank value says which seats can win."""
    return not any(rank[0] for rank in ranks)


def shares(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """Return the payoffs of a game without declared payoffs: the winners share 1, all others get 0."""
    winners = places.count(1)
    share = 1 if winners < 2 else 1 / winners
    return tuple([share if place == 1 else 0 for place in places])


def stakes(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """Return the payoffs of a zero-sum game: the winners share 1, and the others pay it in equal parts.

    All payoffs are 0 if nobody or everybody won.
    """
    others = len(places) - places.count(1)
    if others in (0, len(places)):
        return (0,) * len(places)
    part = -1 if others == 1 else -1 / others
    return tuple([share or part for share in shares(places)])
