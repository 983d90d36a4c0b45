"""A game among players: the only loop that asks them. Used by the console, simulations and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from ..belief.belief import BeliefState
from ..game import Game
from ..search.search import PYTHON_BACKEND, SearchBackend
from ..state.decision import Decision, Outcome
from ..state.event_log import Event, redacted
from ..state.random_streams import Seed
from ..state.state import State
from .players import Player, Table
from .undo import UndoRules

NO_SIMULATIONS: Mapping[int, int] = {}


class NotKept(Exception):
    """A decision could not be kept, so it was not taken; the words say why."""


class Abandoned(Exception):
    """Nobody waits for an answer any more, so it was not taken."""


class Keeper(Protocol):
    """Keeps what is decided, before anybody sees what comes of it. Raises NotKept where it can't."""

    def decided(self, state: State, decision: Decision, option: int, simulations: int | None = None) -> None:
        """The pending decision is about to be answered with the option of this number. ``simulations``: as
        :class:`Turn` has it."""

    def undone(self, made: int) -> None:
        """Only the first ``made`` decisions are about to stand."""


@dataclass(frozen=True)
class Turn:
    """A decision that was made: the position before it, who chose what, and how long the log was. ``simulations``: how
    many were thought of, where a clock had said so."""

    before: State
    seat: int
    index: int
    logged: int
    simulations: int | None = None


def answer_of(player: Player, options: int, table: Table | None) -> int:
    """The index of the option that a player takes, of so many. What it is given, if it looks, holds nothing but what
    its seat may know. Raises ValueError for a person, who is asked elsewhere; PlayerFails."""
    if player.looks is None:
        raise ValueError(f"{player.name} is asked at a table")
    if player.looks is False:
        return player.pick(options)
    assert table is not None, "who looks is shown something"
    return player.choose(table)


class Match:
    """A game in progress: the position, what was decided so far, and the log of events.

    ``turns`` are kept for undo, saving and replay, ``log`` for people. ``picks`` are decisions made earlier, by index:
    a match continues behind them; ``simulations``: as a transcript has them. ``recorded`` False keeps neither turns nor
    log, only their number: for simulations; ``logged`` keeps the log all the same. ``taken_back``: what was undone, the
    latest last, until something else is decided. ``keeper`` is told of each decision before it is taken, and may refuse
    it with NotKept: then the match stands as it was. ``core``: who makes the simulations of searches that people ask
    for.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: Seed = 0,
        picks: Iterable[int] = (),
        recorded: bool = True,
        logged: bool = False,
        simulations: Mapping[int, int] = NO_SIMULATIONS,
        core: SearchBackend = PYTHON_BACKEND,
    ) -> None:
        if len(players) != game.players:
            raise ValueError(f"{len(players)} players for a game of {game.players}")
        self.game = game
        self.players = tuple(players)
        self.seed = seed
        self.core = core
        self.recorded = recorded
        self.logged = logged or recorded
        self.turns: list[Turn] = []
        self.log: list[Event] = []
        self.made = [0] * game.players
        self.keeper: Keeper | None = None
        self.taken_back: list[tuple[Turn, ...]] = []
        self._gate = Lock()
        self._held = object()
        self._undo_rules = UndoRules(game, seed)
        self._beliefs: dict[int, BeliefState] = {}
        if not recorded:  # a match without a record cannot replay its observations later
            self._beliefs = {seat: BeliefState(game, seat) for seat, one in enumerate(self.players) if one.looks}
        events = self._events()
        self.state = game.start(seed, events)
        self.decision: Decision | None = game.decision(self.state)
        self._learn(events)
        for number, pick in enumerate(picks, 1):
            self.take(pick, simulations.get(number))
        self.resume()

    def _events(self) -> list[Event] | None:
        """Where a step tells what happens, if anybody wants to know."""
        return [] if self.logged or self._beliefs else None

    def _learn(self, events: list[Event] | None) -> None:
        """Have everybody know what happened in a step."""
        if events is None:
            return
        if self.logged:
            self.log += events
        for seat, belief in self._beliefs.items():
            belief.update(self.game.view(self.state, seat), redacted(events, seat, self.game))

    def belief(self, seat: int) -> BeliefState:
        """Return the belief state of a seat, with all its observations since the game began."""
        if seat not in self._beliefs:
            assert self.recorded, "without a record, belief states are updated from the start"
            self._beliefs[seat] = belief = BeliefState(self.game, seat)
            ends = [*((turn.before, turn.logged) for turn in self.turns), (self.state, len(self.log))]
            heard = 0
            for state, logged in ends:
                events = redacted(self.log[heard:logged], seat, self.game)
                belief.update(self.game.view(state, seat), events)
                heard = logged
        return self._beliefs[seat]

    def table(self, seat: int) -> Table:
        """What a seat that is asked may know."""
        return Table(self.game, self.game.view(self.state, seat), self.belief(seat))

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome(self.state)

    def advance(self) -> Decision | None:
        """Ask until it is up to a person, whose decision it gives; None: the game is over. What a player raises passes
        through; the match stands and can be played on."""
        while self.decision is not None and self.players[self.decision.seat].looks is not None:
            self.step()
        return self.decision

    def play(self) -> Outcome:
        """Ask until the game is over, as :meth:`advance`. Raises ValueError where a person plays."""
        while self.decision is not None:
            self.step()
        outcome = self.outcome
        assert outcome is not None, "a game without a decision is over"
        return outcome

    def step(self) -> None:
        """Ask the player whose decision it is, and take the answer. Raises Abandoned, see :meth:`let_go`."""
        self.take_from(self.asked)

    def take_from(self, thinking: Callable[[], tuple[int, int | None]]) -> None:
        """Take what comes of ``thinking``, as :meth:`asked` has it. Raises Abandoned, see :meth:`let_go`."""
        held = self._held
        answer = thinking()
        with self._gate:
            if self._held is not held:
                raise Abandoned
            self.take(*answer)

    def let_go(self) -> None:
        """Wait for nobody: who is thinking in another thread is not listened to any more."""
        with self._gate:
            self._held = object()

    def asked(self) -> tuple[int, int | None]:
        """The answer of the player whose decision it is, and the simulations as :class:`Turn` has them."""
        assert self.decision is not None
        decision = self.decision
        player = self.players[decision.seat]
        index = answer_of(player, len(decision.options), self.table(decision.seat) if player.looks else None)
        return index, player.spent if player.looks else None

    def take(self, index: int, simulations: int | None = None) -> None:
        """Answer the pending decision with the option at ``index``. ``simulations``: as :class:`Turn` has it."""
        assert self.decision is not None
        if self.keeper is not None:
            self.keeper.decided(self.state, self.decision, index, simulations)
        before, seat, logged, events = self.state, self.decision.seat, len(self.log), self._events()
        try:
            self.state = self.game.apply(before, index, events)
        except Exception:
            if self.keeper is not None:
                with suppress(NotKept):
                    self.keeper.undone(len(self.turns))  # who goes on from what is kept does not meet it again
            raise
        self.decision = self.game.decision(self.state)
        self.made[seat] += 1
        self.taken_back.clear()
        if self.recorded:
            self.turns.append(Turn(before, seat, index, logged, simulations))
        self._learn(events)

    def can_undo(self, seat: int) -> bool:
        """Whether ``seat`` has a decision to take back, and has learned nothing since: see :mod:`lusory.play.undo`."""
        latest = self._latest(seat)
        answers = [turn.index for turn in self.turns]
        return latest is not None and self._undo_rules.can_go_back(answers, latest, seat)

    def undo(self, seat: int) -> None:
        """Go back to the latest decision of ``seat``, before it was made. Only where :meth:`can_undo`."""
        latest = self._latest(seat)
        assert latest is not None
        if self.keeper is not None:
            self.keeper.undone(latest)
        turn = self.turns[latest]
        for undone in self.turns[latest:]:
            self.made[undone.seat] -= 1
        self.taken_back.append(tuple(self.turns[latest:]))
        del self.turns[latest:]
        del self.log[turn.logged :]
        self._beliefs.clear()
        self.state = turn.before
        self.decision = self.game.decision(self.state)
        self.resume()

    def can_redo(self, seat: int) -> bool:
        """Whether the latest that was taken back was of ``seat``, and nothing else was decided since."""
        return bool(self.taken_back) and self.taken_back[-1][0].seat == seat

    def redo(self, seat: int) -> None:
        """Decide once more what ``seat`` took back last, and what followed it. Only where :meth:`can_redo`."""
        assert self.can_redo(seat)
        *before, again = self.taken_back
        for turn in again:
            self.take(turn.index, turn.simulations)
        self.taken_back = before
        self.resume()

    def _latest(self, seat: int) -> int | None:
        return next((i for i in reversed(range(len(self.turns))) if self.turns[i].seat == seat), None)

    def resume(self) -> None:
        """Have everybody go on from here: what they had thought of beyond is forgotten."""
        for player, made in zip(self.players, self.made, strict=True):
            player.resume(made)
