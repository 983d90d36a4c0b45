"""Define decisions, their options, the outcome of a game, and the exceptions of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from lusory_dsl.source.dataclass_with_lazy_methods import ValueRecord
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


def list_open_picks(source: Sequence[Any], picks: Sequence[int], low: int, is_ordered: bool) -> list[int]:
    """Return the indices in ``source`` of the candidates that the next pick of a choice of several items offers,
    ascending.

    ``picks`` has the indices picked so far. An unordered choice picks in ascending order, and leaves enough candidates
    to reach ``low`` picks. An ordered choice offers every candidate that is not picked yet. The largest number of picks
    is not looked at. Example: three candidates, ``picks`` ``(0,)`` and ``low`` 3 give ``[1]``.
    """
    if is_ordered:
        picked_numbers = frozenset(picks)
        return [index for index in range(len(source)) if index not in picked_numbers]
    begin = picks[-1] + 1 if picks else 0
    return [index for index in range(begin, len(source)) if len(picks) + len(source) - index >= low]


class Reason(ValueRecord):
    """Explain why something is not allowed.

    Attributes:
        message: A sentence for players, and for authors, too.
        span: The place in the ruleset that forbids it, if there is one.
        facts: If there is nothing to choose, why each value can't be chosen: "Stove: needs 9 coins, and P1 has 1".
        cause: The kind of the message, or "" for anything else. ``condition`` tells what a condition lacks. ``nature``
            tells that a condition never holds for a thing because of its printed values. ``absence`` tells that a thing
            is not where the rules look for it. ``phase`` tells that another phase has its actions.
    """

    message: str
    span: Span | None = None
    facts: tuple[str, ...] = ()
    cause: Literal["", "condition", "nature", "absence", "phase"] = ""

    @property
    def text(self) -> str:
        """The message and the facts in one line, separated by ``; ``, without the place."""
        return "; ".join((self.message, *self.facts))

    def __str__(self) -> str:
        return f"{self.text} ({self.span})" if self.span is not None else self.text


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


class LimitExceeded(Exception):
    """Raised by generated code that exceeds a limit. ``limit`` names a field of
    :class:`lusory.state.static_work_charges_and_list_bounds.Limits`.

    The engine turns it into a :class:`RulesetFault`.
    """

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)


Ranks = tuple[tuple[int, ...], ...]
ScoreColumns = tuple[tuple[str, tuple[int, ...]], ...]


class Outcome(NamedTuple):
    """Describe the result of a game.

    Attributes:
        reason: Why the game ended, or None.
        ranks: The rank values of each seat. They are compared in order, and higher is better.
        winners: The seats in first place.
        places: The place of each seat, from 1. Tied seats share a place. If nobody wins, places begin at 2.
        payoffs: The payoff of each seat.
        score_columns: Columns of the final table: a title and one value for each seat.
        chart: Title of the chart that ranked the players, or None.
        steps: The steps of that chart, as columns like those of ``score_columns``.
    """

    reason: str | None
    ranks: Ranks
    winners: tuple[int, ...]
    places: tuple[int, ...]
    payoffs: tuple[int | float, ...]
    score_columns: ScoreColumns
    chart: str | None = None
    steps: ScoreColumns = ()

    @property
    def table(self) -> ScoreColumns:
        """The columns of the final table: the steps of the chart, then ``score_columns`` without repeated
        titles.

        Each column is a title and a tuple with one value for each seat. The result is empty if the rules show no
        scores.
        """
        titles = [title for title, _ in self.steps]
        return (*self.steps, *((title, values) for title, values in self.score_columns if title not in titles))


def rank_outcome(
    reason: str | None,
    ranks: Ranks,
    payoffs: tuple[int, ...] | None,
    score_columns: ScoreColumns,
    is_selective: bool = False,
    is_zero_sum: bool = False,
) -> Outcome:
    """Return the outcome of a game from the rank values of each seat, compared in order; higher is better.

    The place of a seat is 1 more than the number of better seats, and seats in place 1 win.

    Args:
        payoffs: If None, the winners share 1, and the others get 0. If ``is_zero_sum``, the others together get -1
            instead; if all or none win, all get 0.
        is_selective: If True and the first rank values are all 0, places begin at 2.
    """
    winners, places, default_payoffs = _rank_seats(ranks, is_selective, is_zero_sum)
    return Outcome(reason, ranks, winners, places, default_payoffs if payoffs is None else payoffs, score_columns)


@lru_cache(maxsize=1024)
def _rank_seats(ranks: Ranks, is_selective: bool, is_zero_sum: bool) -> tuple[tuple[Any, ...], ...]:
    """Return winners, places and payoffs, as :func:`rank_outcome` does. Short games often end alike."""
    first_place = 2 if is_selective and has_no_winner(ranks) else 1
    places = tuple([first_place + sum(other_rank > rank for other_rank in ranks) for rank in ranks])
    winners = tuple([seat for seat, place in enumerate(places) if place == 1])
    return winners, places, compute_zero_sum_payoffs(places) if is_zero_sum else _compute_win_shares(places)


def has_no_winner(ranks: Sequence[tuple[int, ...]]) -> bool:
    """Return whether the first rank value of every seat is 0, in a game where that value says which seats can win.

    ``ranks`` has one tuple of at least one value for each seat, starting with seat 0.
    """
    return not any(rank[0] for rank in ranks)


def _compute_win_shares(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """Return the payoff of each seat if the seats in place 1 share a win worth 1 and all others get 0.

    ``places`` has the place of each seat, from 1: ``(1, 3, 1)`` gives ``(0.5, 0, 0.5)``. A sole winner gets the int 1.
    If no seat is in place 1, all payoffs are 0.
    """
    winners = places.count(1)
    payoff = 1 if winners < 2 else 1 / winners
    return tuple([payoff if place == 1 else 0 for place in places])


def compute_zero_sum_payoffs(places: tuple[int, ...]) -> tuple[int | float, ...]:
    """Return the payoff of each seat if the winners share 1 and the others pay it in equal parts.

    ``places`` has the place of each seat, from 1: ``(1, 2, 2)`` gives ``(1, -0.5, -0.5)``. All payoffs are 0 if no seat
    or every seat is in place 1.
    """
    losers = len(places) - places.count(1)
    if losers in (0, len(places)):
        return (0,) * len(places)
    loss = -1 if losers == 1 else -1 / losers
    return tuple([payoff or loss for payoff in _compute_win_shares(places)])
