"""Connect front ends to a match: the interface that they use, and the code beside the match that answers.

A front end, local or remote, calls the protocol :class:`Link`. Beside the match, :class:`Sitting` checks the requests
of the seats, applies them, and answers questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from lusory_dsl.types.types import PLAYER

from ...play import match as play
from ...play.autoplay import prepare_decision, require_bot
from ...play.match import Match, Turn
from ...play.players import PlayerFailed
from ...reports.model import format_place
from ...state.decision import RulesetFault
from ...state.event_log import without_seats
from ..model.build import (
    NO_REDO,
    answer_taken_back,
    decide_again,
    decided_last,
    decides_again,
    ends_picking,
    latest_answer,
    previewed_question,
    question_of,
    screen_of,
    take,
    take_back,
    why_no_undo,
)
from ..model.event_sentences import as_lines, deeds, visible_events
from ..model.look_and_why import describe_options, describe_thing, explain_why_not, with_rules
from ..model.screen import Answer, Question, Screen
from ..model.search_hint import hinted
from ..model.styled_text import Line, joined, plain, said
from .protocol import Ask, Auto, Note, NotKept, Redo, Reply, Request, Shown, Take, Told, Topic, Undo


class Link(Protocol):
    """Connect a front end to a match.

    ``is_own`` is true if the match runs in this process, so that it can be saved, discarded and played again.
    """

    is_own: bool

    async def begin(self) -> None:
        """Request the first screen."""

    async def send(self, request: Request) -> None:
        """Send a request. Its result arrives through :meth:`receive`."""

    async def receive(self) -> Reply:
        """Return the next message to show. Raises faults of the rules."""

    def hurry(self) -> None:
        """Skip the pauses between the steps of bots."""


WORD = "?"
"""Prefix of references to words that are not values (``?:word``). Unknown words have no description."""
LONGEST_WORDS = 200
"""Maximum length of a question, in characters."""


class Denied(Exception):
    """Signal that a seat can't do something now. The message says why."""


@dataclass
class Sitting:
    """Apply the requests of seats to a match.

    Attributes:
        names: The names of all seats.
        rules: Returns the text of all rules (None) or about a name.
        said_of: Returns the text of the rules about a name, or None if it is unknown.
        sharing: The seats of players who share a keyboard without secrets. Each can undo the decisions of all.
    """

    match: Match
    names: Sequence[str]
    rules: Callable[[str | None], str]
    said_of: Callable[[str], str | None] = lambda name: None
    sharing: Collection[int] = ()

    @property
    def people(self) -> list[int]:
        """Return the seats of human players."""
        return [seat for seat, player in enumerate(self.match.players) if player.looks is None]

    @property
    def asked(self) -> int | None:
        """Return the seat that must decide, or None once the game is over."""
        return None if self.match.decision is None else self.match.decision.seat

    def screen(self, seat: int | None) -> Screen:
        """Return the screen of a seat. None is a spectator."""
        return screen_of(self.match, seat, self.names)

    def shown(self, seat: int | None, alone: bool = False) -> Shown:
        """Return the screen of a seat, with what it could undo or redo. For ``alone`` see :meth:`can_undo`."""
        undo = self.taken_back(seat) if seat is not None and self.can_undo(seat, alone) else ()
        redo = self.decided_again() if self.can_redo(seat) else ()
        return Shown(self.screen(seat), self.stamp(seat), undo, redo)

    def _question(self, seat: int) -> Question | None:
        """Return the question that a seat must answer, without building its screen. None if it need not decide."""
        return question_of(self.match, self.match.game.view(self.match.state, seat), self.names)

    # ------------------------------------------------------------ actions

    def do(self, seat: int | None, request: Take | Auto | Undo | Redo | Ask, alone: bool = False) -> Reply | None:
        """Process a request. Returns a reply, or None if the match has moved on.

        The reply to a request that the seat can't make now is a note that says why. For ``alone`` see :meth:`can_undo`.
        Raises RulesetFault if a decision leads to one.
        """
        try:
            match request:
                case Take(stamp, answer):
                    self.take(seat, stamp, answer)
                case Auto():
                    self.match.take_from(self.left_to_a_bot(seat, request, alone))
                case Undo(stamp):
                    self.undo(seat, stamp, alone)
                case Redo(stamp):
                    self.redo(seat, stamp)
                case Ask(_, "hint", _) if alone:
                    raise Denied("Hints are given at one keyboard only.")
                case Ask(number, topic, words):
                    return self._told(number, seat, topic, words[:LONGEST_WORDS], alone)
        except (Denied, PlayerFailed) as problem:
            return Note(str(problem))
        except play.DecisionNotSaved as problem:
            return self.not_kept(problem)
        return None

    def left_to_a_bot(self, seat: int | None, request: Auto, alone: bool) -> Callable[[], tuple[int, int | None]]:
        """Return a function that lets a bot find an answer, see :func:`lusory.play.autoplay.prepare_decision`.

        Raises Denied if the seat can't decide now or may not use this bot.
        """
        if seat is None or self.asked != seat:
            raise Denied("It is not your turn.")
        self._demand(seat, request.stamp)
        try:
            require_bot(request.kind, alone)
        except ValueError as problem:
            raise Denied(str(problem)) from None
        return prepare_decision(self.match, request.kind)

    def taken(self, seat: int | None, stamp: str, index: int, simulations: int | None) -> None:
        """Apply the answer of a bot.

        Raises Denied if the match has moved on meanwhile, DecisionNotSaved or RulesetFault.
        """
        self._demand(seat, stamp)
        self.match.take(index, simulations)

    def not_kept(self, problem: play.DecisionNotSaved) -> NotKept:
        """Restore the match after the journal failed, and return the message about it."""
        self.match.resume()
        return NotKept(str(problem))

    def take(self, seat: int | None, stamp: str, answer: Answer) -> None:
        """Apply an answer.

        Raises Denied if the answer does not fit the current question, DecisionNotSaved or RulesetFault.
        """
        if seat is None or self.asked != seat:
            raise Denied("It is not your turn.")
        self._demand(seat, stamp)
        question = self._question(seat)
        assert question is not None, "who decides is asked"
        try:
            take(self.match, question, answer)
        except ValueError:
            raise Denied("That can't be chosen.") from None

    def can_undo(self, seat: int | None, alone: bool = False) -> bool:
        """Return whether a seat may undo its last decision.

        If ``alone`` (each player has a screen of their own), no other person may have decided since.
        """
        if seat is None or not self.match.can_undo(seat := decided_last(self.match, seat, self.sharing)):
            return False
        since = self._since(seat)
        return not (alone and any(turn.seat in self.people and turn.seat != seat for turn in since))

    def can_redo(self, seat: int | None) -> bool:
        """Return whether a seat may redo an undone decision."""
        return seat is not None and self.match.can_redo(decides_again(self.match, seat, self.sharing))

    def undo(self, seat: int | None, stamp: str, alone: bool = False) -> None:
        """Undo the last decision of a seat. Raises Denied or DecisionNotSaved."""
        self._demand(seat, stamp)
        if not self.can_undo(seat, alone):
            stands = self.match.can_undo(seat) if seat is not None and alone else False
            raise Denied("Somebody else has decided since: it stands." if stands else why_no_undo(self.match, seat))
        assert seat is not None
        take_back(self.match, decided_last(self.match, seat, self.sharing))

    def redo(self, seat: int | None, stamp: str) -> None:
        """Redo an undone decision. Raises Denied or DecisionNotSaved."""
        self._demand(seat, stamp)
        if seat is None or not self.can_redo(seat):
            raise Denied(NO_REDO)
        decide_again(self.match, decides_again(self.match, seat, self.sharing))

    def _demand(self, seat: int | None, stamp: str) -> None:
        if stamp != self.stamp(seat):
            raise Denied("The game has gone on meanwhile.")

    def stamp(self, seat: int | None) -> str:
        """Return a digest of everything that a seat knows, including its question.

        Secret decisions of other seats don't change it. Each decision of the seat does.
        """
        match = self.match
        told = [without_seats(event) for _, event in visible_events(match, seat, range(len(match.log)))]
        asked = match.game.view(match.state, seat).option_ids() if seat is not None and self.asked == seat else ()
        return blake2b(repr((told, tuple(asked))).encode(), digest_size=8).hexdigest()

    # ------------------------------------------------------------ answers

    def _told(self, number: int, seat: int | None, topic: Topic, words: str, alone: bool) -> Told:
        """Answer a question. A fault of the rules becomes the answer, because the match can continue."""
        try:
            return Told(number, self.told(seat, topic, words, alone))
        except RulesetFault as fault:
            return Told(number, _lines(f"The rules have no answer: {fault}", ()))

    def taken_back(self, seat: int) -> Line:
        """Return the label of the answer that undo would revert, with all its picks."""
        return self._answered(latest_answer(self.match, decided_last(self.match, seat, self.sharing)))

    def decided_again(self) -> Line:
        """Return the label of the answer that redo would repeat."""
        return self._answered(answer_taken_back(self.match))

    def mind_changed(self, seat: int | None, request: object) -> str:
        """Return a note about what an undo or redo request will change. Returns "" for other requests."""
        match request:
            case Undo() if seat is not None and self.can_undo(seat):
                return f"Taken back: {plain(self.taken_back(seat))}"
            case Redo() if self.can_redo(seat):
                return f"Decided again: {plain(self.decided_again())}"
        return ""

    def _answered(self, turns: Sequence[Turn]) -> Line:
        picks = [turn for turn in turns if not ends_picking(self.match, turn)]
        return joined(self._label(turn) for turn in picks or turns)

    def _label(self, turn: Turn) -> Line:
        game, decision = self.match.game, self.match.game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        return said(game.option_labels(turn.before, decision)[turn.index], self.names)

    def _since(self, seat: int) -> list[Turn]:
        turns = self.match.turns
        latest = max(at for at, turn in enumerate(turns) if turn.seat == seat)
        return turns[latest:]

    def told(self, seat: int | None, topic: Topic, words: str, alone: bool = False) -> tuple[Line, ...]:
        """Return the answer to a question, from what the seat may know.

        If ``alone`` (each player has a screen of their own), hide the host's file names.
        """
        game, state, place = self.match.game, self.match.state, None
        if topic in ("look", "why"):
            words, is_with = with_rules(words)
            place = format_place if is_with and not alone else None
        match topic:
            case "rules":
                return _lines(self.rules(words or None), self.names)
            case "log":
                return as_lines(deeds(self.match, seat, self.names)) or _lines("Nothing has happened yet.", ())
            case "hint":
                return hinted(self.match, -1 if seat is None else seat, self.names)
            case "look":
                kind, colon, word = words.partition(":")
                if colon and kind == WORD:
                    return _lines(self.said_of(word) or "", self.names)
                if colon and kind not in (str(PLAYER), *game.program.component_kinds, *game.program.enums):
                    # References of other kinds have no description.
                    return ()
                view = game.view(state, seat)
                lines = describe_thing(words, view, self.names, self.said_of, place)
                return (*lines, *describe_options(words, previewed_question(self.match, view, self.names)))
        question = None if seat is None or self.asked != seat else self._question(seat)
        if question is None:
            return _lines("It is not your turn.", ())
        return explain_why_not(words, game, state, question, self.names, place)


def _lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(said(line, names) for line in text.splitlines())
