"""Turn the event log of a match into sentences, as one seat or a spectator may know it.

The function :func:`tell_deeds` groups events into deeds: each choice, announcement or change by the rules is one
:class:`Deed`, with its effects as details. The module ``sentences_to_the_viewer_and_of_choices`` inflects them.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import AT_ONCE, SAYS, SPLITS
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.source import capitalize
from lusory_dsl.types.types import IntType

from ..game import Game
from ..play.match import Match, Turn
from ..state.decisions_outcomes_and_faults import Option
from ..state.events_redaction_and_text import (
    UNHEARD,
    Announced,
    ChoiceMade,
    Event,
    GameEnded,
    PhaseBegan,
    VariableSet,
    is_merged_if_repeated,
    redact,
)
from ..state.setting_value_limits_builtins_and_names import HIDDEN, Value, get_constant_text, unwrap_list_type
from ..state.state import State
from ..view.redacted_state import reveal_state
from ..view.seat_view import SeatReader
from ..view.table_and_option_text import format_option_label
from .net_changes import Changes, is_move_within
from .sentences_to_the_viewer_and_of_choices import address_viewer, write_choice_sentence
from .styled_text_wrapping_and_values import (
    Line,
    Run,
    capitalize_line,
    join_as_list,
    join_lines,
    make_line,
    name_player,
    restyle,
    set_text,
    take_characters,
    to_text,
    write_text,
    write_value,
)

_OUTCOME = re.compile(r" \(you will [^()]*\)$")
LABEL_FOLLOWS: Line = (Run(": "),)
"""Stands between a player and the label of the option that the player took, until the sentence is made of both."""


def _is_hidden_move(line: Line) -> bool:
    """Return whether a sentence only reports a move of hidden things, without naming a player."""
    is_hidden = "hidden " in to_text(line).partition(" from ")[0]
    return is_hidden and not any(run.of.startswith("Player:") for run in line)


@dataclass(frozen=True, slots=True)
class Deed:
    """Describe one event in a sentence.

    Attributes:
        seat: The seat that caused it, or None for the rules.
        details: Its effects.
        heading: Whether it starts a new part of the game.
        forced: Whether it was the only option.
        is_upkeep: Whether the rules only set up the game, or gathered and shuffled components. Only the whole story
            has it.
        is_housekeeping: Whether it only says that a player moves, draws or shuffles own things, by the rules.
    """

    line: Line
    seat: int | None = None
    details: tuple[Line, ...] = ()
    heading: bool = False
    forced: bool = False
    is_upkeep: bool = False
    is_housekeeping: bool = False


def tell_deeds(
    match: Match,
    seat: int | None,
    names: Sequence[str],
    start: int = 0,
    tells_hidden: bool = False,
    is_addressed: bool = True,
) -> tuple[Deed, ...]:
    """Return the story from the event with index ``start`` on, as a seat (or None, a spectator) knows it.

    ``line`` of a deed is a Line such as ``You sell for 6 coins``. ``details`` has a Line for each effect, such as
    ``You get 2 Coins from the Bank``. Without ``is_addressed``, the seat is called by its name. ``tells_hidden``
    includes hidden information. A deed with ``heading`` begins a phase that has deeds, or tells the game's end. One
    that repeats the last heading is left out if only choices are between them. Other equal deeds in a row with the
    ``seat`` None are one deed that ends with `` (×3)``; an announcement repeated within a deed isn't counted. Deeds
    with ``is_housekeeping`` in a row, of one player and with one ``is_upkeep``, are joined, except to a counted one:
    ``Bob moves Oak from their hand to their stall and draws 5 cards``. If another player's turn has no other deeds,
    theirs have that player's ``seat``, and ``is_housekeeping`` is False.
    """
    teller = _Teller(match, seat, names, tells_hidden, is_addressed)
    turns = {turn.log_length: turn for turn in match.turns if turn.log_length >= start}
    for number, event in list_visible_events(match, seat, range(start, len(match.log)), tells_hidden):
        teller._tell(event, number, turns.get(number))
    return teller._finish()


HISTORY = 200
"""Events before a story that :func:`tell_earlier_deeds` tells."""


def tell_earlier_deeds(
    match: Match, seat: int | None, names: Sequence[str], start: int, story: Sequence[Deed]
) -> tuple[Deed, ...]:
    """Return the deeds of the last ``HISTORY`` events before ``story``, which holds the deeds from ``start`` on.

    ``start`` is an index of the log, and a ``seat`` of None a spectator. If there are more events before, the first
    deed is left out, because it may have begun earlier. Return () if there are no earlier deeds, or if those of
    ``story`` change when they are told with them.
    """
    deeds = tell_deeds(match, seat, names, max(start - HISTORY, 0)) if start else ()
    earlier_count = len(deeds) - len(story)
    if earlier_count < 1 or deeds[earlier_count:] != tuple(story):
        return ()
    return deeds[:earlier_count] if start <= HISTORY else deeds[1:earlier_count]


def list_visible_events(
    match: Match, seat: int | None, numbers: Iterable[int], tells_hidden: bool = False
) -> Iterator[tuple[int, Event]]:
    """Yield the index of each event that a seat learns of, and the event as it is told. ``tells_hidden`` yields all.

    ``numbers`` holds the indices to look at, in any order. A mergeable event like the last one yielded is left out.
    """
    previous: Event | None = None
    for number in numbers:
        event = match.log[number] if tells_hidden else _redact_event(match.log[number], seat, match.game)
        if event == UNHEARD or (previous == event and is_merged_if_repeated(event, match.game)):
            continue
        yield number, event
        previous = event


def _redact_event(event: Event, seat: int | None, game: Game) -> Event:
    """Return an event redacted for a seat, or ``UNHEARD`` if the seat does not learn of it.

    A spectator (None) gets ``UNHEARD`` if any seat does. Otherwise it is the version of the first seat for which the
    event is changed, or the event itself.
    """
    if seat is not None:
        return redact(event, seat, game)
    versions = [redact(event, seat, game) for seat in range(game.players)]
    if UNHEARD in versions:
        return UNHEARD
    return next((version for version in versions if version != event), event)


@dataclass
class _Deed:
    """Hold a deed that is still being built.

    Attributes:
        awaits_announcement: Whether an announcement by the author replaces the label.
        has_says: Whether the author gave the option a sentence.
        is_part: Whether its effects belong to the deed before. Without a line, it adds nothing else.
        is_known: Whether the viewer made this choice and the others know less about it.
        is_early: Whether it is a simultaneous choice that not all players have made yet.
        is_nothing: Whether it is a part of nothing in a split. Without effects, it is not told.
        picks: The picks of a choice of several at ``site``.
    """

    line: Line
    seat: int | None
    changes: Changes
    is_forced: bool = False
    awaits_announcement: bool = False
    has_says: bool = False
    is_part: bool = False
    is_known: bool = False
    is_early: bool = False
    is_nothing: bool = False
    site: int | None = None
    picks: list[Line] = field(default_factory=list)


class _Teller:
    """Build deeds from events, one event after the other."""

    def __init__(
        self, match: Match, seat: int | None, names: Sequence[str], tells_hidden: bool, is_addressed: bool
    ) -> None:
        self.match = match
        self.game = match.game
        self.setting = match.game.setting
        self.seat = seat
        self.names = names
        self.tells_hidden = tells_hidden
        # The seat that is called "you".
        self.addressee = seat if is_addressed else None
        self.turn_starts = [turn.log_length for turn in match.turns]
        self.deeds: list[Deed] = []
        variables = self.setting.program.variables.values()
        self.has_simultaneous_choices = any(variable.origin.generator == AT_ONCE for variable in variables)
        # Phases that began, but have no deeds yet.
        self.phases_begun: list[str] = []
        # Labels of phases that depend on a position.
        self.phase_labels: dict[str, str] = {}
        self.deed: _Deed | None = None
        self.rules = self._create_changes()
        # Simultaneous choices that were described before all players had chosen.
        self.answers: list[Deed] = []
        # Whether nobody has decided anything yet.
        self.is_set_up = True

    @property
    def _label_reader(self) -> SeatReader:
        """A new reader that only formats labels of values."""
        return SeatReader(reveal_state(self.setting, self.match.state))

    def _create_changes(self) -> Changes:
        return Changes(self.setting, self.names)

    def _tell(self, event: Event, number: int, turn: Turn | None) -> None:
        """Process an event.

        ``number`` is its index in the log, and ``turn`` is the decision that it answers, if any.
        """
        match event:
            case PhaseBegan(phase=phase):
                self._close()
                self._label_phases(phase, number)
                self.phases_begun.append(phase)
            case ChoiceMade():
                self._process_choice(event, turn)
                self.is_set_up = False
            case Announced(text=text):
                self._process_announcement(capitalize_line(make_line((text or "").strip(), self.names)))
            case GameEnded(reason=words):
                self._close()
                reason = (Run(": "), *make_line(words, self.names)) if words is not None else ()
                sentence = address_viewer((Run("The game is over"), *reason), self.addressee)
                self.deeds.append(Deed(sentence, heading=True))
            case VariableSet(variable=name) if self.setting.program.variables[name].origin.generator == AT_ONCE:
                # Choices are kept in this variable until all players have chosen.
                pass
            case _:
                (self.rules if self.deed is None else self.deed.changes).add_event(event)

    def _process_announcement(self, words: Line) -> None:
        """Process an announcement.

        It replaces the label of the current deed if the author wants that, if the label hides something, or if both say
        the same. Otherwise it becomes a deed of its own.
        """
        deed = self.deed
        (self.rules if deed is None else deed.changes).drop_announced_chances(words)
        if deed is not None and to_text(deed.line).startswith(f"{to_text(words)} ("):
            # The deed already says this, together with the question.
            return
        answer = self._take_back(words)
        if answer is not None:
            self._close()
            self.deed = _Deed(answer.line, answer.seat, self._create_changes())
        elif deed is not None and deed.is_known and deed.changes.is_empty and self._knows_more(words, deed):
            # The announcement tells the others only what they may know, so the viewer keeps the fuller label.
            deed.is_known = False
        elif deed is not None and (deed.awaits_announcement or self._describes_choice(words, deed)):
            deed.line, deed.awaits_announcement, deed.is_part = words, False, deed.is_part or not words
        elif deed is not None and not deed.line and deed.changes.has_only_moves_of(words):
            # The label is hidden, and the announcement tells what was done.
            deed.line, deed.is_part = words, False
        elif deed is None and self.rules.has_only_moves_of(words):
            # The moves are details of the announcement.
            moves, self.rules = self.rules, self._create_changes()
            self._close()
            self.deed = _Deed(words, None, moves)
        elif deed is None or to_text(deed.line) != to_text(words):
            self._close()
            self.deed = _Deed(words, None, self._create_changes())

    def _take_back(self, words: Line) -> Deed | None:
        """Remove and return an early deed that an announcement to all players now repeats, or return None."""
        text = to_text(words)
        for answer in self.answers:
            if answer.line[:1] == words[:1] and to_text(answer.line).startswith((text, f"{text} (")):
                self.answers = [deed for deed in self.answers if deed is not answer]
                self.deeds = [deed for deed in self.deeds if deed is not answer]
                return answer
        return None

    def _describes_choice(self, words: Line, deed: _Deed) -> bool:
        """Return whether an announcement describes the current choice.

        It must begin with the player who chose, and contain all values of the label or the name before its colon. If
        there is neither, it must come before any change.
        """
        if deed.seat is None or deed.line[:1] != words[:1]:
            return False
        values = [run.text for run in deed.line[1:] if run.of]
        head, colon, _ = to_text(deed.line[1:]).removeprefix(": ").partition(":")
        # The label is a name and a description.
        if colon and not values:
            values = [head]
        return all(name in to_text(words) for name in values) and (bool(values) or deed.changes.is_empty)

    def _knows_more(self, words: Line, deed: _Deed) -> bool:
        """Return whether the label of the viewer's own choice contains values that the announcement leaves out."""
        values = [run.text for run in deed.line[1:] if run.of]
        return words[:1] == deed.line[:1] and not all(name in to_text(words) for name in values)

    def _finish(self) -> tuple[Deed, ...]:
        """Finish the current deed and return all deeds, with the ``addressee`` in the second person.

        Phases without deeds are left out, and equal deeds of the rules in a row become one. The housekeeping of one
        player in a row becomes one sentence. If another player does nothing else in a turn, it counts as a deed of that
        player.
        """
        self._close()
        players = [name_player(seat, self.names) for seat in range(self.game.players)]
        return tuple(map(self._address_deed, _tell_bare_turns([*_merge_equal_deeds(self.deeds)], self.seat, players)))

    def _address_deed(self, deed: Deed) -> Deed:
        """Return a deed in whole sentences that speak to the viewer."""
        line = deed.line
        if deed.heading:
            return deed
        if deed.seat is not None and line[1:2] == LABEL_FOLLOWS:
            outcome = _OUTCOME.search(to_text(line))
            # The outcome of the option is told when it happens.
            label = line if outcome is None else take_characters(line, outcome.start())
            # A forced answer was not asked, so that the question behind it would only puzzle.
            if deed.forced and label[-1].dim and label[-1].text.startswith(" ("):
                label = label[:-1]
            line = write_choice_sentence(line[0], label[2:])
        elif deed.seat is None and self.has_simultaneous_choices and _is_answer(line):
            line = write_choice_sentence(line[0], (set_text(line[1], line[1].text.removeprefix(": ")), *line[2:]))
        if deed.forced and to_text(line[1:2]).startswith(" chooses") and line[-1].text != "nothing":
            line = (*line, Run(" (the only choice)", dim=True))
        line = address_viewer(line, self.addressee)
        details = tuple(address_viewer(detail, self.addressee) for detail in deed.details)
        return replace(deed, line=line, details=details)

    # ------------------------------------------------------------ parts of the story

    def _close(self) -> None:
        """Finish the current deed and the changes by the rules. The effects of a part of a choice join the deed
        before.
        """
        deed, self.deed = self.deed, None
        if deed is not None:
            details = tuple(deed.changes.iterate_sentences())
            deed, details = _tell_drawn_cards(deed, details, self.setting.program.component_kinds)
            goes_on = bool(self.deeds) and not self.phases_begun and self.deeds[-1].seat == deed.seat
            if deed.is_part and goes_on and (details or not deed.line):
                self.deeds[-1] = replace(self.deeds[-1], details=(*self.deeds[-1].details, *details))
            elif deed.line and (details or not deed.is_nothing):
                self._add_heading()
                self.deeds.append(Deed(deed.line, deed.seat, details, forced=deed.is_forced))
                if deed.is_early:
                    self.answers.append(self.deeds[-1])
            for sentence in details if not deed.line and not goes_on else ():
                self._add_heading()
                self.deeds.append(Deed(sentence))
        # Gains and losses of a player are news, even if the items stay with the player.
        counter_sentences = set(self.rules.iterate_counter_sentences())
        for sentence in self.rules.iterate_sentences():
            self._add_heading()
            is_upkeep = not self.rules.shuffles.get(sentence, True) or _is_hidden_move(sentence)
            is_upkeep = self.is_set_up or is_upkeep
            is_housekeeping = is_move_within(sentence) and sentence not in counter_sentences
            self.deeds.append(Deed(sentence, is_upkeep=is_upkeep, is_housekeeping=is_housekeeping))
        self.rules = self._create_changes()

    def _add_heading(self) -> None:
        """Add a heading for the phases that began.

        A preceding announcement with the same text is removed. Repeated phases with only choices in them share one
        heading.
        """
        if not self.phases_begun:
            return
        path = [phase for phase in self.setting.phases[self.phases_begun[-1]] if phase.id in self.phases_begun]
        # A phase has no label here if it declares none, or if the position that determines it is unknown.
        phase_labels = [get_constant_text(phase.label) or self.phase_labels.get(phase.id, "") for phase in path]
        labels = list(dict.fromkeys(filter(None, phase_labels))) or [capitalize(re.sub("[_-]", " ", path[-1].id))]
        heading = Deed(make_line(" · ".join(labels), self.names), heading=True)
        last = self.deeds[-1] if self.deeds else None
        if last is not None and last.seat is None and to_text(last.line).casefold() == labels[-1].casefold():
            del self.deeds[-1]
        if self.deeds and self.deeds[-1].heading:
            # The previous heading has no deeds.
            del self.deeds[-1]
        top = next((i for i in range(len(self.deeds) - 1, -1, -1) if self.deeds[i].heading), None)
        goes_on = top is not None and f" · {to_text(self.deeds[top].line)}".endswith(f" · {to_text(heading.line)}")
        if not goes_on or top is None or any(deed.seat is None for deed in self.deeds[top + 1 :]):
            self.deeds.append(heading)
        self.phases_begun.clear()

    def _label_phases(self, phase_id: str, number: int) -> None:
        """Find the labels of a phase and its ancestors that depend on the position.

        Uses the position of the next decision, unless the phase begins again before it. Then nobody decided in it, and
        the label must not show that, because a player without a choice would be known to have none.
        """
        for phase in self.setting.phases[phase_id]:
            if phase.label is not None and not get_constant_text(phase.label):
                self.phase_labels.pop(phase.id, None)
                index = bisect(self.turn_starts, number)
                end = self.turn_starts[index] if index < len(self.turn_starts) else len(self.match.log)
                decision = self._locate_decision(index)
                later_events = self.match.log[number + 1 : end]
                if decision is None or any(
                    isinstance(event, PhaseBegan) and event.phase == phase.id for event in later_events
                ):
                    decision = self._build_position(phase.label, index, number)
                if decision is not None:
                    reader = self._read_position(*decision)[0]
                    text = reader.fill(phase.label, [None] * phase.n_slots)
                    self.phase_labels[phase.id] = to_text(write_text(self.setting, text, self.names))

    def _build_position(self, label: core.TextTemplate, index: int, number: int) -> tuple[State, int] | None:
        """Return a position with the variables at the event with index ``number``, and the site of the decision before.

        Pools and zones are still those of that decision, so the result is None if ``label`` reads any. It is also None
        if no decision was made before, that is if ``index`` is 0.
        """
        program = self.setting.program
        if index == 0 or not collect_reads(label, program.queries, program.zones) <= program.variables.keys():
            return None
        decision = self._locate_decision(index - 1)
        assert decision is not None, "the decision before the event"
        position, site = decision[0].copy(), decision[1]
        for event in self.match.log[self.turn_starts[index - 1] : number]:
            if isinstance(event, VariableSet):
                position.cells[self.game.layout.places[event.variable].at(event.indices)] = event.value
        return position, site

    def _locate_decision(self, index: int) -> tuple[State, int] | None:
        """Return the position and site of the decision with index ``index``, or None without one."""
        if index < len(self.match.turns):
            answer = self.match.log[self.turn_starts[index]]
            assert isinstance(answer, ChoiceMade), "what a decision logs first"
            return self.match.turns[index].before, answer.site
        decision = self.match.decision
        return None if decision is None else (self.match.state, decision.site)

    # ------------------------------------------------------------ choices

    def _process_choice(self, event: ChoiceMade, turn: Turn | None) -> None:
        """Begin a deed.

        A number that the rules took themselves, in the player's own deed, is left out. So is the line of a forced
        choice of the viewer's own whose value the viewer may not know.
        """
        _, seat, site, alternative, _, is_forced = event
        ask = self.setting.sites[site]
        if isinstance(ask, core.AskMany):
            self._process_pick(event, ask, turn)
            return
        values = self._name_own(event, turn)
        is_same_seat = self.deed is not None and self.deed.seat == seat
        is_number = self._is_mere_number(ask, alternative)
        # Without a turn nobody decided, and the number has no words of the author's.
        if is_same_seat and is_number and (is_forced or turn is None):
            return
        if self.deed is not None and is_same_seat and self.deed.has_says and self.deed.awaits_announcement:
            # The author's sentence follows once the cost is paid, and says the same.
            self.deed.line, self.deed.changes = (), self._create_changes()
        self._close()
        label = self._label(ask, Option(0, alternative, values), turn)
        self.deed = _Deed((name_player(seat, self.names), *LABEL_FOLLOWS, *label), seat, self._create_changes())
        # A forced choice is no news if the choice can never have several options.
        has_variants = len(ask.alternatives) > 1 or any(alternative.vars for alternative in ask.alternatives)
        self.deed.is_forced = bool(is_forced) and seat == self.seat and has_variants
        self.deed.is_part = is_same_seat and is_number
        if ask.origin.generator == SPLITS and not ask.alternatives[alternative].vars:
            # The game decides how to split. The story tells the result, not the decision.
            self.deed.line, self.deed.is_part = (), True
        elif turn is None and seat == self.seat and HIDDEN in values:
            self.deed.line = ()
        self.deed.is_early = ask.origin.generator == AT_ONCE
        self.deed.is_nothing = ask.origin.generator == SPLITS and values[-1:] == (0,)
        self.deed.is_known = turn is not None and seat == self.seat and _redact_event(event, None, self.game) != event
        is_unseen = HIDDEN in {run.text for run in label} or (turn is None and HIDDEN in event.values)
        self.deed.has_says = any(
            isinstance(stmt, core.Announce) and stmt.origin.generator == SAYS
            for stmt in ask.alternatives[alternative].body
        )
        self.deed.awaits_announcement = is_unseen or self.deed.has_says

    def _is_mere_number(self, ask: core.Ask, alternative: int) -> bool:
        """Return whether an answer consists of numbers alone or is part of a split.

        If forced, such an answer is left out. Otherwise its effects join the deed before.
        """
        if ask.origin.generator == SPLITS:
            return True
        answer = ask.alternatives[alternative]
        types = [unwrap_list_type(variable.domain.type) for variable in answer.vars]
        return answer.name is None and bool(types) and all(isinstance(type, IntType) for type in types)

    def _name_own(self, event: ChoiceMade, turn: Turn | None) -> tuple[Value, ...]:
        """Return the values of an answer. The viewer's own are as they were offered: components visible have names."""
        if event.seat != self.seat or turn is None:
            return event.values
        decision = self.game.view(turn.before, turn.seat).decision
        return event.values if decision is None else decision.options[turn.index].values

    def _process_pick(self, event: ChoiceMade, ask: core.AskMany, turn: Turn | None) -> None:
        """Process a pick, or the end of picking."""
        _, seat, site, alternative, _, is_forced = event
        deed = self.deed
        if deed is None or deed.site != site or deed.seat != seat or not deed.changes.is_empty:
            self._close()
            deed = self.deed = _Deed((), seat, self._create_changes(), True, site=site)
        if alternative == 0:
            deed.picks += [
                write_value(self._label_reader, value, unwrap_list_type(ask.source.type), self.names)
                for value in self._name_own(event, turn)
            ]
        deed.is_forced = deed.is_forced and bool(is_forced) and seat == self.seat
        picks = join_as_list(deed.picks) if deed.picks else (Run("nothing"),)
        is_unknown = deed.is_forced and any(to_text(pick) == HIDDEN for pick in deed.picks)
        deed.line = () if is_unknown else (name_player(seat, self.names), Run(" chooses "), *picks)

    def _label(self, ask: core.Ask, choice: Option, turn: Turn | None) -> Line:
        """Return the label of an answer in the position before it.

        Without that position, use a label that is the same in all positions.
        """
        alternative = ask.alternatives[choice.alternative]
        if HIDDEN in choice.values[:1] and _names_only_its_card(alternative):
            choice = Option(choice.index, choice.alternative, (alternative.original, *choice.values[1:]))
        if turn is not None and alternative.label is not None:
            reader, slots = self._read_position(turn.before, ask.site)
            return self._write_label(reader, ask, choice, slots)
        by_slot = {variable.slot: value for variable, value in zip(alternative.vars, choice.values, strict=True)}
        if alternative.label is not None and all(
            isinstance(part, str) or (isinstance(part, core.Local) and part.slot in by_slot)
            for part in alternative.label.parts
        ):
            no_locals: list[Value] = [None] * (max(by_slot, default=0) + 1)
            return self._write_label(self._label_reader, ask, choice, no_locals)
        return self._make_label(ask, alternative, choice.values, turn)

    def _write_label(self, reader: SeatReader, ask: core.Ask, choice: Option, slots: Sequence[Value]) -> Line:
        label = format_option_label(reader, ask, choice, slots)
        return _capitalize_label(write_text(self.setting, label, self.names))

    def _make_label(
        self, ask: core.Ask, alternative: core.Alternative, values: Sequence[Value], turn: Turn | None
    ) -> Line:
        """Return a label from the action's name and values. Values without an action come with the author's
        question.
        """
        pairs = [pair for pair in zip(alternative.vars, values, strict=True) if pair[1] is not None]
        words = [
            write_value(self._label_reader, value, unwrap_list_type(variable.domain.type), self.names)
            for variable, value in pairs
        ]
        if alternative.name is not None:
            return capitalize_line(join_lines([(Run(alternative.name.replace("_", " ")),), *words], " "))
        question = to_text(self._get_question(ask, turn))
        names = [variable.name.replace("_", " ") for variable, _ in pairs]
        # The author has written a question, so it differs from the default one.
        if words and question not in ("", f"Choose {' and '.join(names)}"):
            return (*_capitalize_label(join_lines(words)), Run(f" ({question})", dim=True))
        are_numbers = all(to_text(word).isdecimal() for word in words)
        pairs_of_words = [
            (Run(f"{variable.name.replace('_', ' ')} "), *word)
            for (variable, _), word in zip(pairs, words, strict=True)
        ]
        return _capitalize_label(join_lines(pairs_of_words if are_numbers else words))

    def _get_question(self, ask: core.Ask, turn: Turn | None) -> Line:
        """Return the question in the position.

        For a forced choice, return it only if it is the same in all positions.
        """
        if turn is None:
            return make_line(get_constant_text(ask.prompt) or "", self.names)
        reader, slots = self._read_position(turn.before, ask.site)
        return write_text(self.setting, reader.fill(ask.prompt, slots), self.names)

    def _read_position(self, state: State, site: int) -> tuple[SeatReader, list[Value]]:
        """Return a reader of a position, and the local variables of the routine that asks at a site."""
        if self.tells_hidden:
            return SeatReader(reveal_state(self.setting, state)), list(self.game.get_locals(state))
        return self.game.read_choice_as_seat(state, self.seat, site)


def _tell_drawn_cards(deed: _Deed, details: tuple[Line, ...], kinds: Collection[str]) -> tuple[_Deed, tuple[Line, ...]]:
    """Return a deed whose line tells which cards the player draws, and the other details.

    This is so if its label only says to draw, or is no action, such as an order of steps, and names no component.
    ``kinds`` are the kinds of components.
    """
    drawing = next((line for line in details if line[:1] == deed.line[:1] and line[1].text.startswith(" draws ")), None)
    names_component = any(run.of.partition(":")[0] in kinds for run in deed.line[2:])
    if drawing is None or deed.line[1:2] != LABEL_FOLLOWS or names_component:
        return deed, details
    verb = write_choice_sentence(deed.line[0], deed.line[2:])[1].text
    if not verb.startswith((" draws", " chooses")):
        return deed, details
    return replace(deed, line=drawing), tuple(line for line in details if line is not drawing)


def _is_answer(line: Line) -> bool:
    """Return whether a line announces an answer to a simultaneous choice: ``Ann: 2``."""
    return len(line) > 1 and line[0].of.startswith("Player:") and line[1].text.startswith(": ")


def _names_only_its_card(alternative: core.Alternative) -> bool:
    """Return whether an alternative is an action of one card, and its label reads nothing but which card that is.

    The alternative then tells the name of a card that the viewer didn't see, whichever copy it is.
    """
    if alternative.original is None or alternative.label is None:
        return False
    slot = alternative.vars[0].slot
    return all(
        isinstance(part, str) or (isinstance(part, core.Local) and part.slot == slot)
        for part in alternative.label.parts
    )


def _capitalize_label(words: Line) -> Line:
    """Capitalize the label of a choice, except a value such as ``a7``."""
    return words if words and words[0].of else capitalize_line(words)


def _merge_equal_deeds(deeds: Iterable[Deed]) -> Iterator[Deed]:
    """Merge consecutive equal deeds of the rules, with a count, and the housekeeping of one player to one sentence."""
    last: Deed | None = None
    times = 1
    for deed in (*deeds, None):
        if last is not None and deed is not None and deed == last and deed.seat is None and not deed.heading:
            times += 1
            continue
        if last is not None and deed is not None and times == 1 and _is_same_housekeeping(last, deed):
            verb, *tail = deed.line[1:]
            last = replace(last, line=(*last.line, set_text(verb, f" and{verb.text}"), *tail))
            continue
        if last is not None:
            yield last if times == 1 else replace(last, line=(*last.line, Run(f" (×{times})", dim=True)))
        last, times = deed, 1


def _tell_bare_turns(deeds: list[Deed], seat: int | None, players: Sequence[Run]) -> list[Deed]:
    """Return deeds, and tell as news the housekeeping of a player who does nothing else in a turn.

    A turn begins with a heading that names one of ``players``, by seat. The turns of ``seat`` stay as they are.
    """
    turn_players = {
        index: owner
        for index, deed in enumerate(deeds)
        for owner, player in enumerate(players)
        if deed.heading and f" {player.text} " in f" {to_text(deed.line)} "
    }
    for start, end in pairwise([*turn_players, len(deeds)]):
        turn, owner = deeds[start:end], turn_players[start]
        is_bare = all(deed.heading or (deed.is_housekeeping and deed.line[0].of == players[owner].of) for deed in turn)
        if is_bare and owner != seat:
            news = (deed if deed.heading else replace(deed, seat=owner, is_housekeeping=False) for deed in turn)
            deeds[start:end] = news
    return deeds


def _is_same_housekeeping(deed: Deed, last: Deed) -> bool:
    """Return whether two deeds are the housekeeping of the same player, and equally important."""
    is_same = deed.is_housekeeping and last.is_housekeeping and deed.line[:1] == last.line[:1]
    return is_same and deed.is_upkeep == last.is_upkeep


def list_story_lines(deeds: Iterable[Deed]) -> tuple[Line, ...]:
    """Return one line for each deed, and below it one for each of its ``details``.

    The line of a detail is a Run of four blanks, and then the detail, with ``dim`` in each run. The line of a deed with
    ``heading`` has the Run ``"— "`` before it and ``" —"`` after it: ``— Round 1 —``.
    """
    lines: list[Line] = []
    for deed in deeds:
        lines.append((Run("— "), *deed.line, Run(" —")) if deed.heading else deed.line)
        lines += [(Run("    "), *restyle(detail, dim=True)) for detail in deed.details]
    return tuple(lines)
