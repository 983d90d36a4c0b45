"""Decision, Option, Outcome, RulesetFault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lusory_dsl.source.dataclasses import dataclass
from lusory_dsl.source.source import Span


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
    """Generated code passed a limit of :class:`lusory.state.cost.Limits`, whose name it gives. Becomes a
    RulesetFault."""

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)


Ranks = tuple[tuple[int, ...], ...]
Shown = tuple[tuple[str, tuple[int, ...]], ...]


class Outcome(NamedTuple):
    """How a game ended. ``ranks``: the rank values of each seat, compared in order, more is better. ``places``: from 1,
    ties share one; from 2 where nobody wins. ``shown``: title and value of each seat for the columns of the final
    table. ``chart``: the title of the chart that ranked the players, and its ``steps`` as columns."""

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
        """The columns of the final table: the steps of the chart, then what is shown after every game."""
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
    """The outcome that follows from the ranks. ``payoffs``: None where the ruleset declares none; the winners then
    share 1, which in a game of ``zero_sum`` the others pay. ``selective``: the first rank value says who can win."""
    first = 2 if selective and nobody_wins(ranks) else 1
    places = tuple([first + sum(other > rank for other in ranks) for rank in ranks])
    winners = tuple([seat for seat, place in enumerate(places) if place == 1])
    if payoffs is None:
        gained = stakes(places) if zero_sum else shares(places)
        return Outcome(reason, ranks, winners, places, gained, shown)
    return Outcome(reason, ranks, winners, places, payoffs, shown)


def nobody_wins(ranks: Sequence[tuple[int, ...]]) -> bool:
    """Whether all have lost, in a game whose endings say who can win."""
    return not any(rank[0] for rank in ranks)


def shares(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """1 for the winner, or in equal parts for those who won together; nothing for anybody where nobody won."""
    winners = places.count(1)
    share = 1 if winners < 2 else 1 / winners
    return tuple([share if place == 1 else 0 for place in places])


def stakes(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """What the winners share, as :func:`shares` has it, paid by the others in equal parts; nothing where nobody won, or
    everybody did."""
    others = len(places) - places.count(1)
    if others in (0, len(places)):
        return (0,) * len(places)
    part = -1 if others == 1 else -1 / others
    return tuple([share or part for share in shares(places)])
