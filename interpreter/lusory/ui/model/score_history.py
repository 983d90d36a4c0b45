"""Follow the score of a finished game from round to round, and find the round that decided it.

Everything here reads whole positions with their secrets, so it is only for games that are over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lusory_dsl import core

from ...evaluator.expressions import Reader
from ...play.match import Match
from ...state.decisions_outcomes_and_faults import Outcome, RulesetFault
from ...state.state import State
from ...view.seat_view import pad_slots
from .screen import ResultColumn
from .styled_text import Line, Run, joined, player

MOST_TURNS = 1500
"""Games with more decisions have no history: each decision needs a view of its position."""
NUMBERED = re.compile(r"^(.*?)\s*\b(\d+)")
"""The name and the number of a round at the start of a phase label: ``Round 3 of 8 · Plan``."""


def score_history(match: Match) -> tuple[ResultColumn, ...]:
    """Return the deciding score of all seats after each round of a finished game: one column for each round, in order.

    The title of a column is the round, such as ``Round 3``, from phase labels that begin with a name and a number.
    Returns () if fewer than two rounds have numbers, or the game is not over or has more than ``MOST_TURNS`` decisions.
    Returns () also if no score decided the game, or if it can't be evaluated during the game.
    """
    outcome = match.outcome
    value = None if outcome is None else _deciding(match.game.program.scoring, outcome)
    if value is None or len(match.turns) > MOST_TURNS:
        return ()
    try:
        columns = tuple(
            ResultColumn(title, tuple(_score(match, state, value, seat) for seat in range(match.game.players)))
            for title, state in _ends_of_rounds(match)
        )
    except RulesetFault:
        return ()
    return columns if len(columns) > 1 else ()


def _deciding(scoring: core.Scoring, outcome: Outcome) -> core.Expr | None:
    """Return the score that is compared first: the first step of the chart that counted, or else the first rank.

    Returns None if there is no rank, or if the ruleset has charts or a selective ranking, and no chart counted.
    """
    steps = [step for chart in scoring.charts if chart.title == outcome.chart for step in chart.steps]
    if steps:
        return steps[0][1]
    return scoring.rank[0] if scoring.rank and not scoring.is_selective and not scoring.charts else None


def _score(match: Match, state: State, value: core.Expr, seat: int) -> int:
    reader = Reader(match.game.setting, state.cells, state.zones)
    points = reader.require(value, pad_slots((seat,), match.game.program.scoring.n_slots))
    assert isinstance(points, int), "the rank of a player is a number"
    return points


def _ends_of_rounds(match: Match) -> Iterator[tuple[str, State]]:
    """Yield the title of each round with the position at its end."""
    title = ""
    for turn in match.turns:
        label = NUMBERED.match(match.game.view(turn.before, None).phase_label)
        now = f"{label[1]} {label[2]}".strip() if label is not None and "·" not in label[1] else ""
        if title and now != title:
            yield title, turn.before
        title = now
    if title:
        yield title, match.state


def as_shown(history: tuple[ResultColumn, ...], table: Sequence[ResultColumn]) -> tuple[ResultColumn, ...]:
    """Return the history, with all values negated if the final table shows them so: where fewer points are better.

    That is so if a column of the table equals the negated last values, and these are not all 0.
    """
    last = tuple(-value for value in history[-1].values) if history else ()
    if not any(last) or all(column.values != last for column in table):
        return history
    return tuple(ResultColumn(column.title, tuple(-value for value in column.values)) for column in history)


def turning_points(history: Sequence[ResultColumn], winners: Sequence[int], names: Sequence[str]) -> tuple[Line, ...]:
    """Return up to two sentences: since when the winner has led, and which round improved the winner's lead most.

    The second lists the change of each player's score in that round. The first is missing if the winner does not lead
    at the end or plays alone. The second is missing if no round gained more than a point, or if several rounds gained
    as much. Returns () unless exactly one player wins, and without a history. A history has at least two columns.
    """
    if not history or len(winners) != 1:
        return ()
    winner = winners[0]
    leads = [_lead(column.values, winner) for column in history]
    lines: list[Line] = []
    if len(names) > 1 and leads[-1] > 0:
        since = max((at + 1 for at, lead in enumerate(leads) if lead <= 0), default=0)
        when = f" has led since {history[since].title}." if since else " led from the first round to the last."
        lines.append((player(winner, names), Run(when)))
    gains = [after - before for before, after in pairwise(leads)]
    best = max(range(len(gains)), key=lambda at: gains[at])
    if gains[best] > 1 and gains.count(gains[best]) == 1:
        before, after = history[best].values, history[best + 1].values
        changes = [(seat, new - old) for seat, (old, new) in enumerate(zip(before, after, strict=True)) if new != old]
        parts = [(player(seat, names), Run(f" {change:+}".replace("-", "–"))) for seat, change in changes]
        lines.append((Run(f"{history[best + 1].title} decided most: "), *joined(parts), Run(".")))
    return tuple(lines)


def _lead(values: Sequence[int], seat: int) -> int:
    """Return by how much a seat leads the best other seat. Without others it is the score of the seat."""
    others = [value for other, value in enumerate(values) if other != seat]
    return values[seat] - max(others) if others else values[seat]
