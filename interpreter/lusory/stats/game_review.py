"""A game that was played, looked at again: what each decision cost, and where somebody else came to lead.

Each decision is thought through with what its seat knew then, and by nothing else: a move that turned out badly for
what nobody could know costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..game import Game
from ..play.bots import Searcher
from ..play.match import Match
from ..play.players import Table
from ..play.registry import BOT, bot, demand
from ..search.search import PYTHON_BACKEND, SearchBackend
from ..state.random_streams import Seed

LEADING = 2
"""So many options that look best are held against the one that was taken."""


@dataclass(frozen=True)
class Looked:
    """A decision that was looked at. ``number``: of the decision in the game, from 1. ``worth``, ``best_worth``: what
    the option taken and the best one come to for who decided, on the scale of
    :class:`lusory.search.evaluation.Evaluator`; ``cost``: how much less that is, from 0 to 1 of what can come of the
    decision at all; ``doubt``: how far off that may be."""

    number: int
    seat: int
    options: int
    taken: str
    best: str
    worth: float
    best_worth: float
    cost: float
    doubt: float = 0.0


def percent(part: float) -> int:
    """A part in whole parts of a hundred."""
    return round(100 * part)


@dataclass(frozen=True)
class Analysis:
    """``moves``: in the order of the game, those with a choice of which a bot of the ``kind`` can say something.
    ``left_out``: how many others with a choice there were."""

    kind: str
    moves: tuple[Looked, ...]
    left_out: int

    @property
    def seats(self) -> set[int]:
        """Who decided something that was looked at."""
        return {move.seat for move in self.moves}

    def costliest(self, most: int) -> list[Looked]:
        """The moves that cost most and surely something, the worst first; of equals the earlier one. Surely: also in
        whole parts of a hundred, as people read it."""
        costly = (move for move in self.moves if percent(move.cost) > percent(move.doubt))
        return sorted(costly, key=lambda move: (-move.cost, move.number))[:most]

    @property
    def leads(self) -> list[tuple[Looked, int]]:
        """Where somebody else came to lead than before, and who."""
        return self.leaders[1:]

    @property
    def leaders(self) -> list[tuple[Looked, int]]:
        """Where somebody came to lead, and who: the seat whose latest decision was worth most to it, once all have
        decided."""
        latest, found, leader = dict[int, float](), list[tuple[Looked, int]](), -1
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
        """All of it, as plain data: seats as P1, P2, …"""
        moves = [{**vars(move), "seat": f"P{move.seat + 1}"} for move in self.moves]
        leads = [{"number": move.number, "seat": f"P{seat + 1}"} for move, seat in self.leads]
        worst = [move.number for move in self.costliest(1)]
        return {"by": self.kind, "moves": moves, "left_out": self.left_out, "leads": leads, "costliest": worst}


def analysed(
    game: Game, seed: Seed, picks: Sequence[int], kind: str = BOT, core: SearchBackend = PYTHON_BACKEND
) -> Iterator[Looked | None]:
    """Each decision of a game with a choice, one after the other; None: nothing can be said of one. A bot that does not
    think says nothing of any. ``core``: who makes the simulations. Raises UnknownKind."""
    demand(kind)
    match = Match(game, [bot(kind, seed, seat) for seat in range(game.players)], seed)
    for number, pick in enumerate(picks, 1):
        decision = match.decision
        assert decision is not None, "a recorded decision is asked for"
        if len(decision.options) > 1:
            table, made = match.table(decision.seat), match.made[decision.seat]
            yield looked_at(table, seed, made, number, pick, kind, core)
        match.take(pick)


def looked_at(
    table: Table, seed: Seed, made: int, number: int, pick: int, kind: str, core: SearchBackend = PYTHON_BACKEND
) -> Looked | None:
    """The decision at a table, where ``pick`` was taken; ``made``: how many its seat had made before. The option that
    was taken and those that look best to the bot are held against each other, each as often as the others."""
    player = bot(kind, seed, table.seat, core)
    if not isinstance(player, Searcher):
        return None
    player.resume(made)
    found = player.compared(table, LEADING, (pick,))
    if not found:
        return None
    best, labels = found[0], table.view.option_labels()
    mine = next(one for one in found if one.evaluation.option == pick)
    taken, better = str(labels[pick]), str(labels[best.evaluation.option])
    return Looked(
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
