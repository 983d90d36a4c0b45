"""Run a game among players: ask each for its decisions, and keep what undo, saves and replays need.

This is the only loop that asks players. The console, simulations and tests use it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from ..belief.belief_state import BeliefState
from ..game import Game
from ..search.option_evaluation import PYTHON_BACKEND, SearchBackend
from ..state.decisions_outcomes_and_faults import Decision, Outcome
from ..state.events_redaction_and_text import Event, redact_log
from ..state.random_streams import Seed
from ..state.state import State
from .player_interface_scripted_and_random_players import BlindPlayer, DecisionTable, Person, Player, TablePlayer
from .undo_rules import UndoObstacle, UndoRules

NO_SIMULATIONS: Mapping[int, int] = {}


class DecisionNotSaved(Exception):
    """Error: a decision could not be written to disk, so it was not made. The message says why."""


class Abandoned(Exception):
    """Error: nobody waits for this answer any more, so it was not used."""


class DecisionStore(Protocol):
    """Writer that stores each decision before its consequences are shown.

    Its methods raise DecisionNotSaved if that fails.
    """

    def store_decision(self, state: State, decision: Decision, option: int, simulations: int | None = None) -> None:
        """Store the answer to the pending ``decision``: the index of the ``option``, and ``simulations`` as in
        :class:`Turn`.
        """

    def store_undo(self, decision_count: int) -> None:
        """Store that all decisions after the first ``decision_count`` are undone."""


@dataclass(frozen=True)
class Turn:
    """Decision that was made: the position ``before`` it, the seat, the index of the option and the length of the log.

    ``simulations`` is the number of simulations if a budget in seconds determined it, else None.
    """

    before: State
    seat: int
    index: int
    log_length: int
    simulations: int | None = None


class Match:
    """Game in progress: its position, its past decisions and the log of events.

    - ``picks``: indexes of the options of earlier decisions. The match continues after them.
    - ``simulations``: decision number (from 1) -> simulations, as in a transcript.
    - ``keeps_record``: False keeps neither turns nor log, for simulations. ``keeps_log`` then keeps at least the log.
    - ``backend``: the backend of searches that people ask for.
    - ``turns``: the past decisions, for undo, saves and replays. ``log``: the past events, for display.
    - ``decision_counts``: the number of decisions by seat.
    - ``undone_turns``: the undone turns, latest last. The next decision clears it.
    - ``store``: stores each decision before it is made. If it raises DecisionNotSaved, the match does not change.
    - ``sharing_seats``: the seats of people who share a keyboard without secrets. Each can undo and redo for all.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: Seed = 0,
        picks: Iterable[int] = (),
        keeps_record: bool = True,
        keeps_log: bool = False,
        simulations: Mapping[int, int] = NO_SIMULATIONS,
        backend: SearchBackend = PYTHON_BACKEND,
    ) -> None:
        if len(players) != game.players:
            raise ValueError(f"{len(players)} players for a game of {game.players}")
        self.game = game
        self.players = tuple(players)
        self.seed = seed
        self.backend = backend
        self.keeps_record = keeps_record
        self.keeps_log = keeps_log or keeps_record
        self.turns: list[Turn] = []
        self.log: list[Event] = []
        self.decision_counts = [0] * game.players
        self.store: DecisionStore | None = None
        self.undone_turns: list[tuple[Turn, ...]] = []
        self.sharing_seats: Collection[int] = ()
        self._lock = Lock()
        self._answer_generation = object()
        self._undo_rules = UndoRules(game, seed)
        self._beliefs: dict[int, BeliefState] = {}
        if not keeps_record:  # a match without a record cannot replay its observations later
            self._beliefs = {
                seat: BeliefState(game, seat) for seat, player in enumerate(players) if isinstance(player, TablePlayer)
            }
        events = self._create_event_list()
        self.state = game.start(seed, events)
        self.decision: Decision | None = game.decision(self.state)
        self._record_events(events)
        for number, pick in enumerate(picks, 1):
            self.take(pick, simulations.get(number))
        self.resume()

    def _create_event_list(self) -> list[Event] | None:
        """Return an empty list for the events of a step, or None if nobody needs them."""
        return [] if self.keeps_log or self._beliefs else None

    def _record_events(self, events: list[Event] | None) -> None:
        """Add the events of a step to the log and to the belief states."""
        if events is None:
            return
        if self.keeps_log:
            self.log += events
        for seat, belief in self._beliefs.items():
            belief.update(self.game.view(self.state, seat), redact_log(events, seat, self.game))

    def get_belief(self, seat: int) -> BeliefState:
        """Return the belief state of a seat, with all its observations since the game began.

        It is created at the first call and kept: later calls return the same object.
        """
        if seat not in self._beliefs:
            assert self.keeps_record, "without a record, belief states are updated from the start"
            self._beliefs[seat] = belief = BeliefState(self.game, seat)
            ends = [*((turn.before, turn.log_length) for turn in self.turns), (self.state, len(self.log))]
            heard_count = 0
            for state, log_length in ends:
                events = redact_log(self.log[heard_count:log_length], seat, self.game)
                belief.update(self.game.view(state, seat), events)
                heard_count = log_length
        return self._beliefs[seat]

    def make_table(self, seat: int) -> DecisionTable:
        """Return what the seat that decides may know. Creates its belief state.

        Call it only for the seat of the pending decision.
        """
        return DecisionTable(self.game, self.game.view(self.state, seat), self.get_belief(seat))

    @property
    def people(self) -> list[int]:
        """The seats of human players, in order."""
        return [seat for seat, player in enumerate(self.players) if isinstance(player, Person)]

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the game is not over."""
        return self.game.outcome(self.state)

    @property
    def is_picking(self) -> bool:
        """True if the pending decision is a further pick of a choice of several in which some are picked."""
        return self.decision is not None and bool(self.game.view(self.state, self.decision.seat).picks)

    def advance(self) -> Decision | None:
        """Play until a person must decide, and return that decision; return None when the game is over.

        Exceptions of players pass through. The match then still stands at the last decision and can continue.
        """
        while self.decision is not None and not isinstance(self.players[self.decision.seat], Person):
            self.step()
        return self.decision

    def play(self) -> Outcome:
        """Play until the game is over, and return the outcome. Raises ValueError when a person must decide.

        A finished match returns its outcome at once. Exceptions of players and of :meth:`take` pass through; the
        decisions before stay made.
        """
        while self.decision is not None:
            self.step()
        outcome = self.outcome
        assert outcome is not None, "a game without a decision is over"
        return outcome

    def step(self) -> None:
        """Ask the player of the pending decision, which must exist, and apply the answer.

        Raises ValueError if the player is a person. Raises Abandoned if :meth:`abandon_answers` was called meanwhile.
        """
        self.apply_answer_of(self.ask_player)

    def apply_answer_of(self, find_answer: Callable[[], tuple[int, int | None]]) -> None:
        """Call ``find_answer`` and apply the answer that it returns: the index of an option, and simulations or None.

        ``find_answer`` may run long and is called without the lock. Raises Abandoned if :meth:`abandon_answers` was
        called meanwhile; nothing is applied then. Exceptions of ``find_answer`` and of :meth:`take` pass through.
        """
        generation = self._answer_generation
        answer = find_answer()
        with self._lock:
            if self._answer_generation is not generation:
                raise Abandoned
            self.take(*answer)

    def abandon_answers(self) -> None:
        """Ignore the answer of any player who is thinking in another thread."""
        with self._lock:
            self._answer_generation = object()

    def ask_player(self) -> tuple[int, int | None]:
        """Return the answer of the player of the pending decision, see :meth:`prepare_answer`. It is not applied."""
        assert self.decision is not None
        return self.prepare_answer(self.players[self.decision.seat])()

    def prepare_answer(self, player: Player) -> Callable[[], tuple[int, int | None]]:
        """Return a function that asks ``player`` for the pending decision, in the place of the seat that decides.

        The function returns a pair: the index of the option that the player takes, and the number of simulations if a
        budget in seconds determined it, otherwise None. A BlindPlayer gets only the number of options, by ``pick``. A
        TablePlayer gets :meth:`make_table` of the seat, by ``choose``. This method makes the table, and with it the
        belief state of the seat, which the match keeps. The function reads nothing else of the match, so another thread
        can call it. For a person, calling the function raises ValueError. Exceptions of the player, such as
        PlayerFailed, pass through. There must be a pending decision.
        """
        assert self.decision is not None
        option_count = len(self.decision.options)
        table = self.make_table(self.decision.seat) if isinstance(player, TablePlayer) else None

        def ask() -> tuple[int, int | None]:
            if isinstance(player, BlindPlayer):
                return player.pick(option_count), None
            if isinstance(player, TablePlayer) and table is not None:
                return player.choose(table), player.timed_simulations
            raise ValueError(f"{player.name} is asked at a table")

        return ask

    def take(self, index: int, simulations: int | None = None) -> None:
        """Answer the pending decision, which must exist, with the option at ``index``.

        ``simulations`` is recorded with it: the number of simulations if a budget in seconds determined it, otherwise
        None. ``state``, ``decision`` and ``decision_counts`` change, ``turns`` and ``log`` grow if they are kept, and
        ``undone_turns`` is emptied. The decision is stored first; if that raises DecisionNotSaved, nothing changes. If
        the rules fail, or if there is no such option (IllegalChoice), the stored decision is undone, and the match does
        not change. The exception is then raised again. With a Journal as ``store``, an ``index`` of at least the number
        of options raises IndexError instead.
        """
        assert self.decision is not None
        if self.store is not None:
            self.store.store_decision(self.state, self.decision, index, simulations)
        before, seat, log_length, events = self.state, self.decision.seat, len(self.log), self._create_event_list()
        try:
            self.state = self.game.apply(before, index, events)
        except Exception:
            if self.store is not None:
                with suppress(DecisionNotSaved):
                    # whoever continues from the stored decisions must not meet this one again
                    self.store.store_undo(len(self.turns))
            raise
        self.decision = self.game.decision(self.state)
        self.decision_counts[seat] += 1
        self.undone_turns.clear()
        if self.keeps_record:
            self.turns.append(Turn(before, seat, index, log_length, simulations))
        self._record_events(events)

    def find_last_decider(self, seat: int) -> int:
        """Return the seat whose latest decision ``seat`` takes back: the last to decide of those that share its
        keyboard, or else ``seat`` itself.
        """
        return next((turn.seat for turn in reversed(self.turns) if self._shares_keyboard(turn.seat, seat)), seat)

    def _shares_keyboard(self, seat: int, other_seat: int) -> bool:
        return seat == other_seat or {seat, other_seat} <= {*self.sharing_seats}

    def can_undo(self, seat: int) -> bool:
        """Return whether ``seat`` may take back its latest decision, by the rules of :mod:`lusory.play.undo_rules`.

        It is the one of :meth:`find_last_decider`.
        """
        return self._find_latest_decision(seat) is not None and self.find_undo_obstacle(seat) is None

    def find_undo_obstacle(self, seat: int) -> UndoObstacle | None:
        """Return why the decider may not take back its latest decision, or None if it may or has made none.

        The decider is the seat that :meth:`find_last_decider` returns for ``seat``. The reason is ``end`` if the game
        is over, and its rules use chance anywhere or something was hidden from the decider at that decision. Otherwise
        the first step with a reason counts, from that decision on. A step has a reason if chance decided something, or
        if it read or showed something hidden from the decider. The reason is ``chance`` if the decider saw a result of
        chance, else ``shuffle`` if it saw a shuffle, else ``secret``, as for a face-down card that moves face down. Any
        other step gives ``another`` if another seat decided and knew more than the decider.
        """
        latest = self._find_latest_decision(seat)
        answers = [turn.index for turn in self.turns]
        return None if latest is None else self._undo_rules.find_obstacle(answers, latest, self.turns[latest].seat)

    def undo(self, seat: int) -> None:
        """Return to the position before the latest decision of ``seat``, also undoing all later ones.

        If it is a further pick in a choice of several, also undo the picks before it that may be taken back. The
        decisions and the log are cut, and the decisions can be redone. All belief states are dropped, and each player
        receives the number of its remaining decisions (``resume``). The caller must have asked :meth:`can_undo`, which
        is not checked. Raises DecisionNotSaved if the store fails; that pick and those before it stay then.
        """
        self._undo_decision(seat)
        while self.is_picking and self.can_undo(seat):
            self._undo_decision(seat)

    def _undo_decision(self, seat: int) -> None:
        latest = self._find_latest_decision(seat)
        assert latest is not None
        if self.store is not None:
            self.store.store_undo(latest)
        turn = self.turns[latest]
        for undone_turn in self.turns[latest:]:
            self.decision_counts[undone_turn.seat] -= 1
        self.undone_turns.append(tuple(self.turns[latest:]))
        del self.turns[latest:]
        del self.log[turn.log_length :]
        self._beliefs.clear()
        self.state = turn.before
        self.decision = self.game.decision(self.state)
        self.resume()

    def can_redo(self, seat: int) -> bool:
        """Return whether ``seat``, or one that shares its keyboard, made the latest undo, and nothing was decided
        since.
        """
        return bool(self.undone_turns) and self._shares_keyboard(self.undone_turns[-1][0].seat, seat)

    def redo(self, seat: int) -> None:
        """Repeat the decisions that ``seat`` undid last, with those that followed. Asserts :meth:`can_redo`.

        In a choice of several, all picks that were undone are repeated. Earlier undone decisions can still be redone.
        Raises DecisionNotSaved if the store fails; the decisions before that stay made. The rest can be redone only if
        the decision that failed is one of ``seat``, not one that followed it.
        """
        assert self.can_redo(seat)
        while True:
            *earlier_turns, turns = self.undone_turns
            for turn in turns:
                self.take(turn.index, turn.simulations)
            self.undone_turns = earlier_turns
            self.resume()
            if not (self.is_picking and self.can_redo(seat)):
                return

    def _find_latest_decision(self, seat: int) -> int | None:
        """Return the index in ``turns`` of the latest decision of :meth:`find_last_decider`, or None without any."""
        decider = self.find_last_decider(seat)
        return next((i for i in reversed(range(len(self.turns))) if self.turns[i].seat == decider), None)

    def resume(self) -> None:
        """Tell all players the number of their decisions so far, so that they forget any that were undone."""
        for player, decision_count in zip(self.players, self.decision_counts, strict=True):
            player.resume(decision_count)
