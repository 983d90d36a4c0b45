"""Review a recorded game: the cost of each decision, and the changes of the leader.

A bot evaluates each decision with only the information that its seat had. So a good decision with bad luck costs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..game import Game
from ..play.bots import Searcher
from ..play.match import Match
from ..play.players import Table
from ..play.registry import BOT, create_bot, require_kind
from ..search.option_evaluation import PYTHON_BACKEND, SearchBackend
from ..state.random_streams import Seed

LEADING = 2
"""Number of best options that are compared with the option taken."""


@dataclass(frozen=True)
class MoveReview:
    """Review of a decision.

    ``number`` is that of the decision in the game, from 1. ``worth`` and ``best_worth`` are the values of the option
    taken and of the best one for the seat, on the scale of :class:`lusory.search.evaluation.Evaluator`. ``cost`` is the
    regret, as a share from 0 to 1 of the possible range. ``doubt`` is its error.
    """

    number: int
    seat: int
    options: int
    taken: str
    best: str
    worth: float
    best_worth: float
    cost: float
    doubt: float = 0.0


def round_percentage(part: float) -> int:
    """Return a share as a whole percentage."""
    return round(100 * part)


@dataclass(frozen=True)
class GameReview:
    """Review of a game by a bot of a ``kind``.

    ``moves`` holds the decisions with a choice that the bot could evaluate, in order. ``left_out`` counts the others
    with a choice.
    """

    kind: str
    moves: tuple[MoveReview, ...]
    left_out: int

    @property
    def seats(self) -> set[int]:
        """Return the seats with a reviewed decision."""
        return {move.seat for move in self.moves}

    def costliest(self, most: int) -> list[MoveReview]:
        """Return the moves with the highest cost, worst first, at most ``most``; equal ones in order of the game.

        Left out are moves whose cost, as a whole percentage, is not above their error.
        """
        costly = (move for move in self.moves if round_percentage(move.cost) > round_percentage(move.doubt))
        return sorted(costly, key=lambda move: (-move.cost, move.number))[:most]

    @property
    def leads(self) -> list[tuple[MoveReview, int]]:
        """Return the moves at which the leader changed, with the new leader."""
        return self.leaders[1:]

    @property
    def leaders(self) -> list[tuple[MoveReview, int]]:
        """Return the moves at which a seat took the lead, with that seat.

        The leader is the seat with the highest value at its latest decision, once all seats have decided.
        """
        latest, found, leader = dict[int, float](), list[tuple[MoveReview, int]](), -1
        seats = self.seats
        for move in self.moves:
            latest[move.seat] = move.worth
            if len(latest) == len(seats) > 1:
                first = max(sorted(latest), key=lambda seat: latest[seat])
                if latest[first] > max((worth for seat, worth in latest.items() if seat != first), default=0.0):
                    if leader != first:
                        found.append((move, first))
                    leader = first
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the review as plain data, with seats as P1, P2, …"""
        moves = [{**vars(move), "seat": f"P{move.seat + 1}"} for move in self.moves]
        leads = [{"number": move.number, "seat": f"P{seat + 1}"} for move, seat in self.leads]
        worst = [move.number for move in self.costliest(1)]
        return {"by": self.kind, "moves": moves, "left_out": self.left_out, "leads": leads, "costliest": worst}


def review_game(
    game: Game, seed: Seed, picks: Sequence[int], kind: str = BOT, core: SearchBackend = PYTHON_BACKEND
) -> Iterator[MoveReview | None]:
    """Yield the review of each decision with a choice, or None if it could not be evaluated.

    A bot that does not search gives None for all. ``core`` runs the simulations. Raises UnknownKind.
    """
    require_kind(kind)
    match = Match(game, [create_bot(kind, seed, seat) for seat in range(game.players)], seed)
    for number, pick in enumerate(picks, 1):
        decision = match.decision
        assert decision is not None, "a recorded decision is asked for"
        if len(decision.options) > 1:
            table, made = match.table(decision.seat), match.made[decision.seat]
            yield review_decision(table, seed, made, number, pick, kind, core)
        match.take(pick)


def review_decision(
    table: Table, seed: Seed, made: int, number: int, pick: int, kind: str, core: SearchBackend = PYTHON_BACKEND
) -> MoveReview | None:
    """Return the review of the decision at a table, where the option ``pick`` was taken.

    ``made`` is the number of earlier decisions of the seat. The option taken and the best ones are compared with equal
    numbers of simulations. Returns None if the bot does not search or found no determinization.
    """
    player = create_bot(kind, seed, table.seat, core)
    if not isinstance(player, Searcher):
        return None
    player.resume(made)
    found = player.compared(table, LEADING, (pick,))
    if not found:
        return None
    best, labels = found[0], table.view.option_labels()
    mine = next(one for one in found if one.evaluation.option == pick)
    taken, better = str(labels[pick]), str(labels[best.evaluation.option])
    return MoveReview(
        number,
        table.seat,
        len(labels),
        taken,
        better,
        mine.evaluation.value,
        best.evaluation.value,
        mine.relative_regret,
        mine.relative_regret_error,
    )
