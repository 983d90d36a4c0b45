"""A match as seen by connected seats; local session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from lusory_dsl.types.types import PLAYER

from ...play import match as play
from ...play.autoplay import demand_bot, thinking
from ...play.match import Match, Turn
from ...play.players import PlayerFails
from ...reports.model import shown_place
from ...state.decision import RulesetFault
from ...state.event_log import without_seats
from ..model.build import (
    NO_REDO,
    answer_taken_back,
    decide_again,
    decided_last,
    decides_again,
    ends_picking,
    foretold_question,
    latest_answer,
    question_of,
    screen_of,
    take,
    take_back,
    why_no_undo,
)
from ..model.help_topics import asked_why, looked_at, offered, with_rules
from ..model.hints import hinted
from ..model.log import as_lines, deeds, events_told
from ..model.screen import Answer, Question, Screen
from ..model.text import Line, joined, plain, said
from .protocol import Ask, Auto, Note, NotKept, Redo, Reply, Request, Shown, Take, Told, Topic, Undo


class Link(Protocol):
    """``is_own``: the match is held here, so that it can be saved, discarded and played once more."""

    is_own: bool

    async def begin(self) -> None:
        """Have the first screen sent."""

    async def send(self, request: Request) -> None:
        """Do or ask something; what comes of it is received."""

    async def receive(self) -> Reply:
        """The next thing to show. Raises what went wrong with the rules."""

    def hurry(self) -> None:
        """Somebody has seen enough of what is going on."""


WORD = "?"
"""What stands before the colon where a word is looked at that stands for no value; of one that means nothing nothing is
told."""
LONGEST_WORDS = 200
"""Letters of a question."""


class Denied(Exception):
    """Something that a seat can't do now; the words say why."""


@dataclass
class Sitting:
    """``rules``: the words of the rules, of all or of what has a name, in lines. ``said_of``: what they say of
    something by any of its names, None where nothing is called so. ``sharing``: the seats of those who share a keyboard
    and hide nothing from each other: each takes back what any of them decided last."""

    match: Match
    names: Sequence[str]
    rules: Callable[[str | None], str]
    said_of: Callable[[str], str | None] = lambda name: None
    sharing: Collection[int] = ()

    @property
    def people(self) -> list[int]:
        """The seats of those who are asked elsewhere than by the match."""
        return [seat for seat, player in enumerate(self.match.players) if player.looks is None]

    @property
    def asked(self) -> int | None:
        """The seat that decides now; None: the game is over."""
        return None if self.match.decision is None else self.match.decision.seat

    def screen(self, seat: int | None) -> Screen:
        """What a seat sees now; None: a spectator."""
        return screen_of(self.match, seat, self.names)

    def shown(self, seat: int | None, alone: bool = False) -> Shown:
        """Its screen, with what it could take back or decide once more. ``alone``: as in :meth:`can_undo`."""
        undo = self.taken_back(seat) if seat is not None and self.can_undo(seat, alone) else ()
        redo = self.decided_again() if self.can_redo(seat) else ()
        return Shown(self.screen(seat), self.stamp(seat), undo, redo)

    def _question(self, seat: int) -> Question | None:
        """What a seat is asked now, without its table."""
        return question_of(self.match, self.match.game.view(self.match.state, seat), self.names)

    # ------------------------------------------------------------ doing

    def do(self, seat: int | None, request: Take | Auto | Undo | Redo | Ask, alone: bool = False) -> Reply | None:
        """Do what a seat wants: what it is told, None where the match has gone on. ``alone``: as in :meth:`can_undo`.
        Raises RulesetFault where a decision leads to one; a question is only not answered then."""
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
        except (Denied, PlayerFails) as problem:
            return Note(str(problem))
        except play.NotKept as problem:
            return self.not_kept(problem)
        return None

    def left_to_a_bot(self, seat: int | None, request: Auto, alone: bool) -> Callable[[], tuple[int, int | None]]:
        """What finds a bot's answer for a seat that is asked: see :func:`lusory.play.autoplay.thinking`. Raises
        Denied."""
        if seat is None or self.asked != seat:
            raise Denied("It is not your turn.")
        self._demand(seat, request.stamp)
        try:
            demand_bot(request.kind, alone)
        except ValueError as problem:
            raise Denied(str(problem)) from None
        return thinking(self.match, request.kind)

    def taken(self, seat: int | None, stamp: str, index: int, simulations: int | None) -> None:
        """Decide as a bot found. Raises Denied where the game has gone on meanwhile; NotKept, RulesetFault."""
        self._demand(seat, stamp)
        self.match.take(index, simulations)

    def not_kept(self, problem: play.NotKept) -> NotKept:
        """The match stands as it was, and who asked is told."""
        self.match.resume()
        return NotKept(str(problem))

    def take(self, seat: int | None, stamp: str, answer: Answer) -> None:
        """Decide. Raises Denied where it is not this seat's turn, or where it answers another question than what is
        asked now; NotKept, RulesetFault."""
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
        """Whether a seat may take its latest decision back. ``alone``: only where no other person decided since."""
        if seat is None or not self.match.can_undo(seat := decided_last(self.match, seat, self.sharing)):
            return False
        since = self._since(seat)
        return not (alone and any(turn.seat in self.people and turn.seat != seat for turn in since))

    def can_redo(self, seat: int | None) -> bool:
        """Whether a seat may decide once more what was taken back."""
        return seat is not None and self.match.can_redo(decides_again(self.match, seat, self.sharing))

    def undo(self, seat: int | None, stamp: str, alone: bool = False) -> None:
        """Take the latest decision of a seat back. Raises Denied; NotKept."""
        self._demand(seat, stamp)
        if not self.can_undo(seat, alone):
            stands = self.match.can_undo(seat) if seat is not None and alone else False
            raise Denied("Somebody else has decided since: it stands." if stands else why_no_undo(self.match, seat))
        assert seat is not None
        take_back(self.match, decided_last(self.match, seat, self.sharing))

    def redo(self, seat: int | None, stamp: str) -> None:
        """Decide once more what was taken back. Raises Denied; NotKept."""
        self._demand(seat, stamp)
        if seat is None or not self.can_redo(seat):
            raise Denied(NO_REDO)
        decide_again(self.match, decides_again(self.match, seat, self.sharing))

    def _demand(self, seat: int | None, stamp: str) -> None:
        if stamp != self.stamp(seat):
            raise Denied("The game has gone on meanwhile.")

    def stamp(self, seat: int | None) -> str:
        """A digest of all that a seat was told, and of what it is asked now. What others do in secret leaves it as it
        is, whereas each decision of the seat's own changes it."""
        match = self.match
        told = [without_seats(event) for _, event in events_told(match, seat, range(len(match.log)))]
        asked = match.game.view(match.state, seat).option_ids() if seat is not None and self.asked == seat else ()
        return blake2b(repr((told, tuple(asked))).encode(), digest_size=8).hexdigest()

    # ------------------------------------------------------------ telling

    def _told(self, number: int, seat: int | None, topic: Topic, words: str, alone: bool) -> Told:
        """Answer a question. A fault of the rules on the way is the answer: the match can go on."""
        try:
            return Told(number, self.told(seat, topic, words, alone))
        except RulesetFault as fault:
            return Told(number, _lines(f"The rules have no answer: {fault}", ()))

    def taken_back(self, seat: int) -> Line:
        """What undoing would take back: the label of the seat's latest decision, of several picks of all."""
        return self._answered(latest_answer(self.match, decided_last(self.match, seat, self.sharing)))

    def decided_again(self) -> Line:
        """What redoing would decide."""
        return self._answered(answer_taken_back(self.match))

    def mind_changed(self, seat: int | None, request: object) -> str:
        """What is told of what a request is about to take back, or to decide again; "" for any other."""
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
        """The answer to a question of a seat, as it may know it. ``alone``: at a screen of its own, where nothing is
        told of the files of who holds the match."""
        game, state, place = self.match.game, self.match.state, None
        if topic in ("look", "why"):
            words, is_with = with_rules(words)
            place = shown_place if is_with and not alone else None
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
                    return ()  # a reference to what nothing is said of
                view = game.view(state, seat)
                lines = looked_at(words, view, self.names, self.said_of, place)
                return (*lines, *offered(words, foretold_question(self.match, view, self.names)))
        question = None if seat is None or self.asked != seat else self._question(seat)
        if question is None:
            return _lines("It is not your turn.", ())
        return asked_why(words, game, state, question, self.names, place)


def _lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(said(line, names) for line in text.splitlines())
