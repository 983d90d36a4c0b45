"""Answer the requests of the seats of a match: apply them, or say why not, and build screens and answers to questions.

A front end, local or remote, calls the protocol :class:`lusory.ui.session.messages.Link`. Behind it,
a :class:`lusory.ui.session.same_process_link.LocalLink` or a server calls :class:`MatchService`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import takewhile

from lusory_dsl.types.types import PLAYER

from ...explain.event_sentences import list_story_lines, list_visible_events, tell_deeds
from ...explain.styled_text_wrapping_and_values import Line, join_lines, make_line, to_text
from ...play import match as play
from ...play.bot_deciding_for_a_person_and_pacing import prepare_decision, require_bot
from ...play.match import Match, Turn
from ...play.player_interface_scripted_and_random_players import PlayerFailed
from ...reports.check_suites_findings_and_locations import format_place
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...state.events_redaction_and_text import remove_seats
from ..model.look_and_why import describe_options, describe_reasons, describe_thing, explain_why_not, split_rules_suffix
from ..model.screen import Answer, Question, Screen
from ..model.screen_builder import (
    NO_REDO,
    build_previewed_question,
    build_question,
    build_screen,
    ends_picking,
    explain_no_undo,
    list_latest_answer,
    list_undone_answer,
    take,
)
from ..model.search_hint import write_hint
from .messages import Ask, Auto, Note, NotKept, Redo, Reply, Shown, Take, Told, Topic, Undo

HISTORY_WORD = "?"
"""Prefix of references to words that are not values (``?:word``). Unknown words have no description."""
MAX_QUESTION_LENGTH = 200
"""Maximum length of a question, in characters."""


class RequestDenied(Exception):
    """Signal that a seat can't do something now. The message says why."""


@dataclass
class MatchService:
    """Apply the requests of seats to a match.

    Attributes:
        names: The names of all seats.
        explain_rules: Returns the text of all rules (None) or about a name.
        explain_name: Returns the text of the rules about a name, or None if it is unknown.
    """

    match: Match
    names: Sequence[str]
    explain_rules: Callable[[str | None], str]
    explain_name: Callable[[str], str | None] = lambda name: None

    @property
    def deciding_seat(self) -> int | None:
        """The seat that must decide, or None once the game is over."""
        return None if self.match.decision is None else self.match.decision.seat

    def create_screen(self, seat: int | None) -> Screen:
        """Return the screen of a seat. None is a spectator."""
        return build_screen(self.match, seat, self.names)

    def create_screen_message(self, seat: int | None, is_remote: bool = False) -> Shown:
        """Return a Shown with the screen of a seat, its stamp, and the labels of the answers to undo and to redo.

        Its ``undo`` and ``redo`` are each one :data:`Line`, which is ``()`` if nothing can be undone or redone. They
        are ``()`` for a spectator (``seat`` None). Some answers can't be undone, see :meth:`can_undo`.
        For a seat in ``match.sharing_seats`` (one keyboard), ``undo`` describes the latest answer of all these seats.
        ``redo`` describes the answer of the latest undo, if the seat or one that shares its keyboard made it. If
        ``is_remote`` (each player has a screen of their own), ``undo`` is also ``()`` if another person has decided
        since the seat's last answer.
        """
        undo = self.describe_undo(seat) if seat is not None and self.can_undo(seat, is_remote) else ()
        redo = self.describe_redo() if self.can_redo(seat) else ()
        return Shown(self.create_screen(seat), self.calculate_stamp(seat), undo, redo)

    def _get_question(self, seat: int) -> Question | None:
        """Return the question that a seat must answer, without building its screen. None if it need not decide."""
        return build_question(self.match.game.view(self.match.state, seat), self.names)

    # ------------------------------------------------------------ actions

    def apply_request(
        self, seat: int | None, request: Take | Auto | Undo | Redo | Ask, is_remote: bool = False
    ) -> Reply | None:
        """Process a request. Returns a reply, or None if a decision, undo or redo was applied.

        A question has its answer as the reply, for words cut to ``MAX_QUESTION_LENGTH``. The reply to a request that
        the seat can't make now, or to a bot that fails, is a :class:`Note` that says why. If a decision can't be
        stored, the match is restored, and the reply is :class:`NotKept`. For ``is_remote`` see :meth:`can_undo`; a hint
        is then refused. Raises RulesetFault if a decision leads to one.
        """
        try:
            match request:
                case Take(stamp, answer):
                    self.apply_answer(seat, stamp, answer)
                case Auto():
                    self.match.apply_answer_of(self.prepare_bot_decision(seat, request, is_remote))
                case Undo(stamp):
                    self.undo(seat, stamp, is_remote)
                case Redo(stamp):
                    self.redo(seat, stamp)
                case Ask(_, "hint", _) if is_remote:
                    raise RequestDenied("Hints are given at one keyboard only.")
                case Ask(number, topic, words):
                    return self._answer_question(number, seat, topic, words[:MAX_QUESTION_LENGTH], is_remote)
        except (RequestDenied, PlayerFailed) as problem:
            return Note(str(problem))
        except play.DecisionNotSaved as problem:
            return self.restore_after_failure(problem)
        return None

    def prepare_bot_decision(
        self, seat: int | None, request: Auto, is_remote: bool
    ) -> Callable[[], tuple[int, int | None]]:
        """Return a function that lets a bot decide and returns the index of its option and its number of simulations.

        The number is None unless a budget in seconds determined it. Call the function in a thread: it does not access
        the match, and may raise PlayerFailed. Raises RequestDenied if the seat is None or need not decide now, or if
        the stamp is stale. Also raises it if ``request.kind`` is a person, a recording, Python code or unknown. With
        ``is_remote`` (each player has a screen of their own), only the kinds in ``BOTS`` are allowed, so none with a
        budget.
        """
        if seat is None or self.deciding_seat != seat:
            raise RequestDenied("It is not your turn.")
        self._require_fresh_stamp(seat, request.stamp)
        try:
            require_bot(request.kind, is_remote)
        except ValueError as problem:
            raise RequestDenied(str(problem)) from None
        return prepare_decision(self.match, request.kind)

    def apply_bot_decision(self, seat: int | None, stamp: str, index: int, simulations: int | None) -> None:
        """Apply the answer of a bot: the index of its option, and its number of simulations or None.

        Raises RequestDenied if the match has moved on meanwhile, DecisionNotSaved or RulesetFault.
        """
        self._require_fresh_stamp(seat, stamp)
        self.match.take(index, simulations)

    def restore_after_failure(self, problem: play.DecisionNotSaved) -> NotKept:
        """Restore the match from before the decision that could not be stored, and return the message about it."""
        self.match.resume()
        return NotKept(str(problem))

    def apply_answer(self, seat: int | None, stamp: str, answer: Answer) -> None:
        """Apply an answer of a seat to its question: one decision for each pick, and one for "done" below the maximum.

        A pick or "done" is no decision if nothing else is left, because the rules take it. Without
        ``question.is_ordered``, picks must come in the order of the options: after a pick of the last option, "done" is
        no decision. Raises RequestDenied, with nothing applied, if the seat is None or need not decide now, or if the
        stamp is stale. Also raises it if the answer does not fit the question, for example if its picks are out of
        order. Raises DecisionNotSaved or RulesetFault; earlier picks then stay applied.
        """
        if seat is None or self.deciding_seat != seat:
            raise RequestDenied("It is not your turn.")
        self._require_fresh_stamp(seat, stamp)
        question = self._get_question(seat)
        assert question is not None, "who decides is asked"
        try:
            take(self.match, question, answer)
        except ValueError:
            raise RequestDenied("That can't be chosen.") from None

    def can_undo(self, seat: int | None, is_remote: bool = False) -> bool:
        """Return whether a seat may undo its latest decision. Seats that share a keyboard undo the latest one of them
        all.

        If ``is_remote`` (each player has a screen of their own), no other person may have decided since. Returns False
        if ``seat`` is None, if there is no such decision, or if :meth:`Match.find_undo_obstacle` returns an obstacle,
        such as ``chance`` once a die has been rolled.
        """
        if seat is None or not self.match.can_undo(seat):
            return False
        later_turns = takewhile(lambda turn: turn.seat != seat, reversed(self.match.turns))
        return not (is_remote and any(turn.seat in self.match.people for turn in later_turns))

    def can_redo(self, seat: int | None) -> bool:
        """Return whether a seat may redo an undone decision. False for spectators.

        For seats that share a keyboard, it is that of any of them.
        """
        return seat is not None and self.match.can_redo(seat)

    def undo(self, seat: int | None, stamp: str, is_remote: bool = False) -> None:
        """Undo the last answer of a seat and the decisions that followed: of several picks, those that may be undone.

        If the seat shares a keyboard (``match.sharing_seats``), the latest answer of any seat that shares it is undone.
        Raises RequestDenied if the seat is None, the stamp is stale, there is no such answer yet, or the rules of
        undoing forbid it. With ``is_remote``, also raises it if a person at another seat has decided since. Raises
        DecisionNotSaved if an undo can't be stored; of several picks, those after that one then stay undone.
        """
        self._require_fresh_stamp(seat, stamp)
        if not self.can_undo(seat, is_remote):
            if seat is not None and is_remote and self.match.can_undo(seat):
                raise RequestDenied("Your last decision stands: another person has decided since.")
            raise RequestDenied(explain_no_undo(self.match, seat))
        assert seat is not None
        self.match.undo(seat)

    def redo(self, seat: int | None, stamp: str) -> None:
        """Redo the last undone answer of a seat and the decisions that followed it. Earlier undos can still be redone.

        The last entry of ``match.undone_turns`` is removed. In a choice of several, each undone pick has an entry of
        its own, and all of them are redone and removed. The seat must have made the latest undo, or share the keyboard
        of the seat that did. A new decision drops all undos. Raises RequestDenied if the seat is None, if the stamp is
        stale, or if the seat can't redo the latest undo. Raises DecisionNotSaved if a decision can't be stored; those
        before it then stay made.
        """
        self._require_fresh_stamp(seat, stamp)
        if seat is None or not self.can_redo(seat):
            raise RequestDenied(NO_REDO)
        self.match.redo(seat)

    def _require_fresh_stamp(self, seat: int | None, stamp: str) -> None:
        if stamp != self.calculate_stamp(seat):
            raise RequestDenied("The game has gone on meanwhile.")

    def calculate_stamp(self, seat: int | None) -> str:
        """Return a digest, 16 hexadecimal digits, of the events that a seat knows and of the ids of its options.

        A seat that need not decide has no options; None is a spectator. Each decision of the seat changes the stamp.
        A decision of another seat changes it if ``seat`` learns of the decision or its effects, or must decide next.
        Which value another seat chooses in secret makes no difference, unless the effects show it.
        """
        match = self.match
        events = [remove_seats(event) for _, event in list_visible_events(match, seat, range(len(match.log)))]
        option_ids = (
            match.game.view(match.state, seat).option_ids() if seat is not None and self.deciding_seat == seat else ()
        )
        return blake2b(repr((events, tuple(option_ids))).encode(), digest_size=8).hexdigest()

    # ------------------------------------------------------------ answers

    def _answer_question(self, number: int, seat: int | None, topic: Topic, words: str, is_remote: bool) -> Told:
        """Answer a question. A fault of the rules becomes the answer, because the match can continue."""
        try:
            return Told(number, self.explain(seat, topic, words, is_remote))
        except RulesetFault as fault:
            return Told(number, _make_lines(f"The rules have no answer: {fault}", ()))

    def describe_undo(self, seat: int) -> Line:
        """Return the label of the answer that undo would revert, or its picks: ``Axe, Bow``. Needs :meth:`can_undo`."""
        return self._describe_answer(list_latest_answer(self.match, self.match.find_last_decider(seat)))

    def describe_redo(self) -> Line:
        """Return the label of the answer that redo would repeat, or the picks as in ``Axe, Bow``. Empty without one."""
        return self._describe_answer(list_undone_answer(self.match))

    def describe_change(self, seat: int | None, request: object) -> str:
        """Return a note about what a request will change: ``Taken back: Build Mill``, or ``Decided again: …`` for redo.

        Returns "" for other requests, and for an undo or redo that the seat can't make.
        """
        match request:
            case Undo() if seat is not None and self.can_undo(seat):
                return f"Taken back: {to_text(self.describe_undo(seat))}"
            case Redo() if self.can_redo(seat):
                return f"Decided again: {to_text(self.describe_redo())}"
        return ""

    def _describe_answer(self, turns: Sequence[Turn]) -> Line:
        picks = [turn for turn in turns if not ends_picking(self.match, turn)]
        return join_lines(self._describe_turn(turn) for turn in picks or turns)

    def _describe_turn(self, turn: Turn) -> Line:
        game, decision = self.match.game, self.match.game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        return make_line(game.option_labels(turn.before, decision)[turn.index], self.names)

    def explain(self, seat: int | None, topic: Topic, words: str, is_remote: bool = False) -> tuple[Line, ...]:
        """Return the answer to a question, from what the seat, or a spectator (None), may know.

        ``topic`` is a word, such as ``"hint"``. ``words`` is the name, option or reference (``Space:a1``) asked about.
        ``hint`` and ``log`` need none, and ``rules`` without words gives all rules. ``look`` gives () for an unknown
        value of an enum, such as ``Space:z9``, and for a reference to an action, such as ``do:buy``. Its answer to an
        unknown name or card (``Card:axe``) begins with ``You see no “axe”.`` With ``?:trump``, it asks ``explain_name``
        about the word. For ``look`` and ``why``, the word ``--rules`` adds places in files, unless ``is_remote`` (each
        player has a screen of their own). ``why`` and ``hint`` are answered only to the seat that must decide; others
        get ``It is not your turn.`` A ``log`` that has nothing to tell is ``Nothing has happened yet.`` Raises
        RulesetFault if the rules fail.
        """
        game, state, place = self.match.game, self.match.state, None
        if topic in ("look", "why"):
            words, has_suffix = split_rules_suffix(words)
            place = format_place if has_suffix and not is_remote else None
        match topic:
            case "rules":
                return _make_lines(self.explain_rules(words or None), self.names)
            case "log":
                return list_story_lines(tell_deeds(self.match, seat, self.names)) or _make_lines(
                    "Nothing has happened yet.", ()
                )
            case "hint":
                return write_hint(self.match, -1 if seat is None else seat, self.names)
            case "look":
                kind, colon, word = words.partition(":")
                if colon and kind == HISTORY_WORD:
                    return _make_lines(self.explain_name(word) or "", self.names)
                if colon and kind not in (str(PLAYER), *game.program.component_kinds, *game.program.enums):
                    # References of other kinds have no description.
                    return ()
                view = game.view(state, seat)
                lines = describe_thing(words, view, self.names, self.explain_name, place)
                preview = build_previewed_question(self.match, view, self.names)
                reasons = describe_reasons(words, game, state, preview, self.names)
                return (*lines, *describe_options(words, preview), *reasons)
        question = None if seat is None or self.deciding_seat != seat else self._get_question(seat)
        if question is None:
            return _make_lines("It is not your turn.", ())
        return explain_why_not(words, game, state, question, self.names, place)


def _make_lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(make_line(line, names) for line in text.splitlines())
