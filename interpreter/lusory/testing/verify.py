"""Check laws (invariants about data), and verify recorded games against changed rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NoReturn

from lusory_dsl import core
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import ComponentType

from ..evaluator.expressions import Reader, Slots
from ..evaluator.invariants import Violation, find_breaches
from ..game import Game
from ..play.playthrough import (
    Lines,
    RecordedPlay,
    decision_lines,
    event_lines,
    result_lines,
    strip_blank_lines,
    table_lines,
)
from ..play.transcript import MadeDecision, Transcript, TranscriptError, compare_position, find_option
from ..state.decision import Reason, RulesetFault
from ..state.event_log import Event
from ..state.setting import Setting, Value, item_type, name_of
from ..state.state import State, StateLayout

LAW_VISITS = 100_000
"""The number of list items that the laws of a ruleset may visit, for all numbers of players together.

The largest bundled ruleset visits 16,000.
"""


def check_laws(program: core.Program, diagnostics: Diagnostics) -> None:
    """Add a diagnostic for each law that does not hold, for any number of players and default options.

    Ends with a diagnostic if the laws together visit too many list items.
    """
    visits = LAW_VISITS
    laws = [invariant for invariant in program.invariants if invariant.is_law]
    counts = range(program.min_players, program.max_players + 1) if laws else ()
    found: dict[tuple[str, str], tuple[Violation, list[Span], list[int]]] = {}
    for players in counts:
        reader = _DataReader(program, players)
        reader.visits = visits
        for law in laws:
            try:
                for broken in find_breaches(reader, law):
                    key = law.id, broken.message
                    found.setdefault(key, (broken, reader.places(broken), []))[2].append(players)
            except RulesetFault as fault:
                message = f"the law `{law.id}` can't be computed: {fault.message}"
                _report(diagnostics, law, message, [fault.span or law.condition.span])
                if reader.visits < 0:
                    break
        visits = reader.visits
        if visits < 0:
            break
    told: dict[Span, str] = {}
    for broken, places, players_of in found.values():
        with_players = "" if len(players_of) == len(counts) else f", with {_list_players(players_of)} players"
        # another law is already reported at this place
        if told.setdefault(places[0], broken.id) != broken.id:
            places = [broken.invariant.condition.span, *places]
        _report(diagnostics, broken.invariant, f"the law {broken.message}{with_players}", places)


def _report(diagnostics: Diagnostics, law: core.Invariant, message: str, places: list[Span]) -> None:
    place, *others = places
    notes = [(other, "this breaks the law") for other in others]
    written = law.condition.span
    if place.source is not written.source or not written.start <= place.start < written.end:
        notes.append((law.condition.span, law.doc or "this must always be true"))
    diagnostics.add(diagnostic_codes.LAW_BROKEN, message, place, None, notes)


def _list_players(numbers: list[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


class _DataReader(Reader):
    """Reader of data without a position. It records the table entries that it reads."""

    def __init__(self, program: core.Program, players: int) -> None:
        options: dict[str, Value] = {option.name: option.default for option in program.options}
        layout = StateLayout(program, players)
        super().__init__(Setting(program, layout, players, options), [None] * layout.size, [])
        self.entries: list[tuple[core.Table, tuple[Value, ...]]] = []

    def fault(self, message: str, span: Span) -> NoReturn:
        raise RulesetFault(message, span)

    def visit(self, items: int, span: Span) -> None:
        self.visits -= items
        if self.visits < 0:
            self.fault(f"up to here, the laws visit more than {LAW_VISITS:,} list items", span)

    def eval_TableRead(self, expr: core.TableRead, slots: Slots) -> Value:
        indices = tuple(self.value(index, slots) for index in expr.indices)
        self.entries.append((self.program.get_table(expr.table), indices))
        return super().eval_TableRead(expr, slots)

    def places(self, broken: Violation) -> list[Span]:
        """Return the places where an author can fix a broken law: its card, and the table entry that matches best.

        Falls back to the condition of the law.
        """
        law, slots = broken.invariant, list(broken.slots)
        about = [(item_type(var.domain.type), slots[var.slot]) for var in law.each]
        cards = [self.program.entities[value] for type, value in about if isinstance(type, ComponentType)]
        self.entries.clear()
        self.holds(law.condition, slots)
        entries: dict[int, Span] = {}
        for data_table, indices in self.entries:
            of = list(zip((dim.type for dim in data_table.dims), indices, strict=True))
            names = tuple(name_of(self.setting, value, type) for type, value in of)
            if names in data_table.spans:
                entries.setdefault(sum(one in about for one in of), data_table.spans[names])
        found = [card.span for card in cards[-1:]]
        if entries and (not cards or max(entries)):
            found.append(entries[max(entries)])
        return found or [law.condition.span]


CHOICE, FAULT, EVENTS, RESULT, SHOWN = "choice", "fault", "events", "result", "shown"
KINDS = (CHOICE, FAULT, EVENTS, RESULT, SHOWN)
"""Kinds of differences, most serious first."""

CONTEXT = 3  # number of lines shown from the first difference on


@dataclass(frozen=True)
class RecordDifference:
    """Difference between a recorded game and a replay.

    ``number`` is the decision (from 1) that it follows, 0 in the setup. ``seat`` and ``phase`` are those of that
    decision; they are None in the setup and at the end. ``span`` is the place in the ruleset that asks or gives the
    value. ``recorded`` and ``now`` are lines from the first difference on. ``reasons`` say why an option is not legal
    any more.
    """

    kind: str
    message: str
    number: int
    seat: int | None = None
    phase: str | None = None
    span: Span | None = None
    recorded: Lines = ()
    now: Lines = ()
    reasons: tuple[Reason, ...] = ()


def find_differences(
    game: Game, transcript: Transcript, recorded: RecordedPlay | None = None
) -> list[RecordDifference]:
    """Return the first difference of each kind, in the order of :data:`KINDS`.

    Empty means that the game is unchanged.
    """
    return _Comparison(game, transcript, recorded).run()


class _Comparison:
    """Replay of one recorded game. ``number`` is the current decision."""

    def __init__(self, game: Game, transcript: Transcript, recorded: RecordedPlay | None) -> None:
        self.game = game
        self.transcript = transcript
        self.recorded = recorded
        self.found: dict[str, RecordDifference] = {}
        self.number = 0
        self.phase: str | None = None
        self.span: Span | None = None

    def run(self) -> list[RecordDifference]:
        try:
            state = self.play()
            if self.recorded is not None:
                self.end(state, self.recorded)
        except TranscriptError as problem:
            self.note(CHOICE, problem.message, reasons=problem.reasons)
        except RulesetFault as fault:
            self.span = fault.span or self.span
            self.note(FAULT, f"the rules fail {self.where}: {fault.message}")
        return [self.found[kind] for kind in KINDS if kind in self.found]

    @property
    def where(self) -> str:
        return f"after {self.decision}" if self.number else "in the setup"

    @property
    def decision(self) -> str:
        made = self.made
        total = len(self.transcript.decisions)
        return f"decision {self.number} of {total}, P{made.seat + 1} `{made.option}`" if made else "the setup"

    @property
    def made(self) -> MadeDecision | None:
        return self.transcript.decisions[self.number - 1] if self.number else None

    def note(
        self, kind: str, message: str, recorded: Lines = (), now: Lines = (), reasons: tuple[Reason, ...] = ()
    ) -> None:
        """Record a difference if it is the first of its kind."""
        seat = self.made.seat if self.made and self.phase is not None else None
        found = RecordDifference(kind, message, self.number, seat, self.phase, self.span, recorded, now, reasons)
        self.found.setdefault(kind, found)

    def compare(self, kind: str, message: str, recorded: Sequence[str], now: Sequence[str]) -> None:
        """Record a difference if the lines differ."""
        pairs = enumerate(zip_longest(recorded, now))
        first = next((number for number, (a, b) in pairs if a != b), None)
        if first is not None:
            part = slice(first, first + CONTEXT)
            self.note(kind, message, tuple(recorded[part]), tuple(now[part]))

    def play(self) -> State:
        """Replay all decisions and return the final state. Raises TranscriptError at the first that no longer fits."""
        log: list[Event] = []
        state = self.game.start(self.transcript.seed, log)
        if self.recorded is not None:
            self.compare(EVENTS, "other events in the setup", self.recorded.setup, event_lines(self.game, log))
        total = len(self.transcript.decisions)
        for number, made in enumerate(self.transcript.decisions, 1):
            self.hold_position(state)
            self.number = number
            self.stand(state)
            chosen = find_option(self.game, state, number, made, total)
            block = None if self.recorded is None else self.recorded.blocks[number - 1]
            if block is not None:
                now = decision_lines(self.game, state, number, chosen, block.is_whole)
                self.compare(SHOWN, f"the view of {self.decision} differs", block.asked, now)
            log = []
            state = self.game.apply(state, chosen, log)
            if block is not None:
                self.compare(EVENTS, f"other events {self.where}", block.happened, event_lines(self.game, log))
        self.hold_position(state)
        return state

    def hold_position(self, state: State) -> None:
        """Compare the position with the recorded digest, if the rules are unchanged."""
        if self.transcript.digest == self.game.program.digest:
            compare_position(self.game, self.transcript, state, self.number)

    def stand(self, state: State) -> None:
        """Record the current phase, and the place in the ruleset that asks."""
        decision = self.game.decision(state)
        self.phase = self.game.view(state, None).phase
        self.span = None if decision is None else self.game.setting.sites[decision.site].span

    def end(self, state: State, recorded: RecordedPlay) -> None:
        """Compare the final table and the result."""
        self.phase = self.span = None
        self.compare(
            SHOWN, "the final position differs", recorded.table, strip_blank_lines(table_lines(self.game, state))
        )
        now = tuple(result_lines(self.game.outcome(state)))
        self.span = self._place_of_result(recorded.result, now)
        self.compare(RESULT, "the result differs", recorded.result, now)

    def _place_of_result(self, recorded: Lines, now: Lines) -> Span | None:
        """Return the place in the ruleset that computes the first result line that differs, or None."""
        scoring = self.game.program.scoring
        for line in (b or a for a, b in zip_longest(recorded, now) if a != b):
            values = [value for title, value in scoring.shown if line.startswith(f"{title}: ")]
            return next((value.span for value in (*values, *scoring.rank)), None)
        return None
