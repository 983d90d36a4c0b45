"""Review a recorded game: the cost of each decision, and the changes of the leader.

A bot evaluates each decision with only the information that its seat had. So a good decision with bad luck costs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..game import Game
from ..play.bot_kinds_python_players_and_recordings import BOT, create_bot, require_kind
from ..play.match import Match
from ..play.player_interface_scripted_and_random_players import DecisionTable
from ..play.searching_bots import SearchingBot
from ..search.option_evaluation import PYTHON_BACKEND, SearchBackend
from ..state.random_streams import Seed

COMPARED_OPTIONS = 2
"""Number of best options that are compared with the option taken."""


@dataclass(frozen=True)
class MoveReview:
    """Review of a decision.

    ``number`` is that of the decision in the game, from 1. ``value`` and ``best_value`` are the values of the option
    taken and of the best one for the seat, on the scale of
    :class:`lusory.search.position_evaluation_and_ruleset_hints.Evaluator`. ``cost`` is the regret, as a share from
    0 to 1 of the possible range. ``cost_error`` is its error.
    """

    number: int
    seat: int
    options: int
    taken_option: str
    best_option: str
    value: float
    best_value: float
    cost: float
    cost_error: float = 0.0


def round_percentage(share: float) -> int:
    """Return a share from 0 to 1 as a whole percentage, rounded as ``round`` does: 0.126 gives 13."""
    return round(100 * share)


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
        """The seats with a reviewed decision."""
        return {move.seat for move in self.moves}

    def list_costliest_moves(self, max_moves: int) -> list[MoveReview]:
        """Return the moves with the highest cost, worst first, at most ``max_moves``; equal ones in order of the game.

        A move counts only if its cost, as a whole percentage, is above its error.
        """
        costly_moves = (move for move in self.moves if round_percentage(move.cost) > round_percentage(move.cost_error))
        return sorted(costly_moves, key=lambda move: (-move.cost, move.number))[:max_moves]

    @property
    def lead_changes(self) -> list[tuple[MoveReview, int]]:
        """:attr:`leaders` without the first pair, as the first leader is no change."""
        return self.leaders[1:]

    @property
    def leaders(self) -> list[tuple[MoveReview, int]]:
        """A pair of a move and a seat each time the lead passed to that seat at that move, in order.

        The first leader counts, too. The leader is the seat with the highest value at its latest move, once all seats
        in ``seats`` have moved. A tie changes nothing. The list is empty if fewer than two seats have reviewed moves.
        """
        latest, leaders, leader = dict[int, float](), list[tuple[MoveReview, int]](), -1
        seats = self.seats
        for move in self.moves:
            latest[move.seat] = move.value
            if len(latest) == len(seats) > 1:
                best_seat = max(sorted(latest), key=lambda seat: latest[seat])
                if all(latest[best_seat] > value for seat, value in latest.items() if seat != best_seat):
                    if leader != best_seat:
                        leaders.append((move, best_seat))
                    leader = best_seat
        return leaders

    def to_json(self) -> dict[str, Any]:
        """Return the review as plain data, with seats as P1, P2, ….

        The key ``by`` has the kind of the bot, ``moves`` a list of dicts with the fields of each :class:`MoveReview`,
        and ``left_out`` the number of other decisions with a choice. ``leads`` has the number of the move and the new
        leader, such as ``{"number": 7, "seat": "P2"}``, for each of :attr:`lead_changes`: the first leader is none of
        them. ``costliest`` is a list with the number of the first of :meth:`list_costliest_moves`, or an empty one.
        """
        moves = [{**vars(move), "seat": f"P{move.seat + 1}"} for move in self.moves]
        leads = [{"number": move.number, "seat": f"P{seat + 1}"} for move, seat in self.lead_changes]
        worst_moves = [move.number for move in self.list_costliest_moves(1)]
        return {"by": self.kind, "moves": moves, "left_out": self.left_out, "leads": leads, "costliest": worst_moves}


def review_game(
    game: Game, seed: Seed, picks: Sequence[int], kind: str = BOT, backend: SearchBackend = PYTHON_BACKEND
) -> Iterator[MoveReview | None]:
    """Yield a bot's review of each decision, in order, or None if the bot could not evaluate it.

    ``kind`` is the kind of the bot, which reviews the decisions of all seats. ``picks`` are the option indexes of the
    decisions from the start, and must fit the game with this seed. They may end before the game does. A choice with a
    single option is no decision and has no pick. The ``number`` of a review is that of its pick, from 1, so decisions
    that give None count. A bot that does not search gives None for all. ``backend`` runs the simulations. Raises
    UnknownKind at the first item.
    """
    require_kind(kind)
    match = Match(game, [create_bot(kind, seed, seat) for seat in range(game.players)], seed)
    for number, pick in enumerate(picks, 1):
        decision = match.decision
        assert decision is not None, "a recorded decision is asked for"
        if len(decision.options) > 1:
            table, decision_counts = match.make_table(decision.seat), match.decision_counts[decision.seat]
            yield review_decision(table, seed, decision_counts, number, pick, kind, backend)
        match.take(pick)


def review_decision(
    table: DecisionTable,
    seed: Seed,
    earlier_decisions: int,
    number: int,
    pick: int,
    kind: str,
    backend: SearchBackend = PYTHON_BACKEND,
) -> MoveReview | None:
    """Return the review of the decision at a table, where the option with the index ``pick`` was taken.

    ``seed`` is that of the game, ``earlier_decisions`` the number of earlier decisions of the seat, and ``number`` that
    of this one in the game, from 1. ``kind`` names the bot. The option taken and the ``COMPARED_OPTIONS`` (2) best ones
    are compared with equal numbers of simulations. The review has the labels and values of the option taken and of the
    best one in this comparison. Its ``cost`` is the difference of these values, as a share of the range from the lowest
    to the highest value in any simulation. It is 0 for the best option. Returns None if the bot does not search or
    found no determinization. Raises UnknownKind if ``kind`` is unknown.
    """
    player = create_bot(kind, seed, table.seat, backend)
    if not isinstance(player, SearchingBot):
        return None
    player.resume(earlier_decisions)
    comparisons = player.compare_options(table, COMPARED_OPTIONS, (pick,))
    if not comparisons:
        return None
    best_comparison, labels = comparisons[0], table.view.option_labels()
    taken_comparison = next(comparison for comparison in comparisons if comparison.evaluation.option == pick)
    taken_option, best_option = str(labels[pick]), str(labels[best_comparison.evaluation.option])
    return MoveReview(
        number,
        table.seat,
        len(labels),
        taken_option,
        best_option,
        taken_comparison.evaluation.value,
        best_comparison.evaluation.value,
        taken_comparison.relative_regret,
        taken_comparison.relative_regret_error,
    )
