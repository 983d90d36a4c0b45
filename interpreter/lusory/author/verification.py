"""Whether a recorded game is still the same game under rules that may have changed; where it parts, and in what.

Used by the command ``replay``. A playthrough says what happened, so all of it is compared; a transcript or saved game
holds decisions only, which must fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lusory_dsl.text.source import Span

from ..game import Game
from ..play.playthrough import Lines, Recorded, asked, happened, result, table, without_blanks
from ..play.transcript import Made, Transcript, TranscriptError, compare_position, fitting
from ..table.choices import Reason, RulesetFault
from ..table.events import Event
from ..table.state import State

CHOICE, FAULT, EVENTS, RESULT, SHOWN = "choice", "fault", "events", "result", "shown"
KINDS = (CHOICE, FAULT, EVENTS, RESULT, SHOWN)
"""What may be different, the gravest first."""

CONTEXT = 3  # lines shown from the first that differs


@dataclass(frozen=True)
class RecordDifference:
    """One thing that is not as recorded. ``number``: the decision (from 1) that it follows, 0 in the setup; ``seat``
    and ``phase`` are those of that decision, None in the setup and at the end.

    ``span``: the place in the ruleset that asks, or that gives the value. ``recorded`` and ``now``: lines from the
    first that differs on. ``reasons``: why an option is gone."""

    kind: str
    message: str
    number: int
    seat: int | None = None
    phase: str | None = None
    span: Span | None = None
    recorded: Lines = ()
    now: Lines = ()
    reasons: tuple[Reason, ...] = ()


def differences(game: Game, transcript: Transcript, recorded: Recorded | None = None) -> list[RecordDifference]:
    """The first difference of each kind, in order of :data:`KINDS`; empty: it is the same game."""
    return _Comparison(game, transcript, recorded).run()


class _Comparison:
    """One game played again. ``number`` is that of the decision under way."""

    def __init__(self, game: Game, transcript: Transcript, recorded: Recorded | None) -> None:
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
            self.note(FAULT, f"the rules go wrong {self.where}: {fault.message}")
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
    def made(self) -> Made | None:
        return self.transcript.decisions[self.number - 1] if self.number else None

    def note(
        self, kind: str, message: str, recorded: Lines = (), now: Lines = (), reasons: tuple[Reason, ...] = ()
    ) -> None:
        """Keep a difference if it is the first of its kind."""
        seat = self.made.seat if self.made and self.phase is not None else None
        found = RecordDifference(kind, message, self.number, seat, self.phase, self.span, recorded, now, reasons)
        self.found.setdefault(kind, found)

    def compare(self, kind: str, message: str, recorded: Sequence[str], now: Sequence[str]) -> None:
        """Note where lines differ."""
        pairs = enumerate(zip_longest(recorded, now))
        first = next((number for number, (a, b) in pairs if a != b), None)
        if first is not None:
            part = slice(first, first + CONTEXT)
            self.note(kind, message, tuple(recorded[part]), tuple(now[part]))

    def play(self) -> State:
        """All decisions. Raises TranscriptError at the first that no longer fits."""
        log: list[Event] = []
        state = self.game.start(self.transcript.seed, log)
        if self.recorded is not None:
            self.compare(EVENTS, "other events in the setup", self.recorded.setup, happened(self.game, log))
        total = len(self.transcript.decisions)
        for number, made in enumerate(self.transcript.decisions, 1):
            self.hold_position(state)
            self.number = number
            self.stand(state)
            chosen = fitting(self.game, state, number, made, total)
            block = None if self.recorded is None else self.recorded.blocks[number - 1]
            if block is not None:
                now = asked(self.game, state, number, chosen, block.is_whole)
                self.compare(SHOWN, f"{self.decision}, is shown otherwise", block.asked, now)
            log = []
            state = self.game.apply(state, chosen, log)
            if block is not None:
                self.compare(EVENTS, f"other events {self.where}", block.happened, happened(self.game, log))
        self.hold_position(state)
        return state

    def hold_position(self, state: State) -> None:
        """Against the digest recorded after so many decisions, by rules that are the same to the letter."""
        if self.transcript.digest == self.game.program.digest:
            compare_position(self.game, self.transcript, state, self.number)

    def stand(self, state: State) -> None:
        """Know the phase, and the place in the ruleset that asks."""
        decision = self.game.decision(state)
        self.phase = self.game.view(state, None).phase
        self.span = None if decision is None else self.game.setting.sites[decision.site].span

    def end(self, state: State, recorded: Recorded) -> None:
        """The final table and the result."""
        self.phase = self.span = None
        self.compare(SHOWN, "the table is another in the end", recorded.table, without_blanks(table(self.game, state)))
        now = tuple(result(self.game.outcome(state)))
        self.span = self._place_of_result(recorded.result, now)
        self.compare(RESULT, "another result", recorded.result, now)

    def _place_of_result(self, recorded: Lines, now: Lines) -> Span | None:
        """The place in the ruleset that gives the first line of a result that differs."""
        scoring = self.game.program.scoring
        for line in (b or a for a, b in zip_longest(recorded, now) if a != b):
            values = [value for title, value in scoring.shown if line.startswith(f"{title}: ")]
            return next((value.span for value in (*values, *scoring.rank)), None)
        return None
