"""Compare a recorded game with its replay under the current rules, and list the first difference of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lusory_dsl.source.source import Span

from ..game import Game
from ..play.playthrough_writer_and_parser import (
    Lines,
    RecordedPlay,
    drop_leading_empty,
    format_decision,
    format_events,
    format_result,
    format_table,
)
from ..play.recorded_game_data_and_replay import (
    MadeDecision,
    Transcript,
    TranscriptError,
    compare_position,
    find_option,
)
from ..state.decisions_outcomes_and_faults import Reason, RulesetFault
from ..state.events_redaction_and_text import Event
from ..state.state import State

CHOICE, FAULT, EVENTS, RESULT, SHOWN = "choice", "fault", "events", "result", "shown"
KINDS = (CHOICE, FAULT, EVENTS, RESULT, SHOWN)
"""Kinds of differences, most serious first."""

MAX_LINES_SHOWN = 3  # number of lines shown from the first difference on


@dataclass(frozen=True)
class RecordDifference:
    """Difference between a recorded game and a replay.

    ``number`` is the decision (from 1) that it follows, 0 in the setup. ``seat`` and ``phase`` are those of that
    decision; they are None in the setup and at the end. ``span`` is the place in the ruleset that asks or gives the
    value. ``recorded`` and ``current`` are lines from the first difference on. ``reasons`` say why an option is not
    legal any more.
    """

    kind: str
    message: str
    number: int
    seat: int | None = None
    phase: str | None = None
    span: Span | None = None
    recorded: Lines = ()
    current: Lines = ()
    reasons: tuple[Reason, ...] = ()


def find_differences(
    game: Game, transcript: Transcript, recorded_play: RecordedPlay | None = None
) -> list[RecordDifference]:
    """Return the first difference of each kind, in the order of :data:`KINDS`.

    ``recorded_play`` is the text of the recorded game. Without it, only decisions, faults and the digests of positions
    are compared. A fault, or a decision that no longer fits, ends the comparison. Empty means that the game is
    unchanged.
    """
    return _ReplayComparison(game, transcript, recorded_play).run()


class _ReplayComparison:
    """Replay of one recorded game. ``number`` is the current decision."""

    def __init__(self, game: Game, transcript: Transcript, recorded_play: RecordedPlay | None) -> None:
        self.game = game
        self.transcript = transcript
        self.recorded_play = recorded_play
        self.differences: dict[str, RecordDifference] = {}
        self.number = 0
        self.phase: str | None = None
        self.span: Span | None = None

    def run(self) -> list[RecordDifference]:
        """Replay the game, and return the first difference of each kind, in the order of KINDS."""
        try:
            state = self._play()
            if self.recorded_play is not None:
                self._compare_end(state, self.recorded_play)
        except TranscriptError as problem:
            self._record(CHOICE, problem.message, reasons=problem.reasons)
        except RulesetFault as fault:
            self.span = fault.span or self.span
            self._record(FAULT, f"the rules fail {self._moment_label}: {fault.message}")
        return [self.differences[kind] for kind in KINDS if kind in self.differences]

    @property
    def _moment_label(self) -> str:
        return f"after {self._decision_label}" if self.number else "in the setup"

    @property
    def _decision_label(self) -> str:
        """The current decision as ``decision NUMBER of COUNT, SEAT `OPTION` ``, or ``the setup``."""
        decision = self._recorded_decision
        total = len(self.transcript.decisions)
        return (
            f"decision {self.number} of {total}, P{decision.seat + 1} `{decision.option}`" if decision else "the setup"
        )

    @property
    def _recorded_decision(self) -> MadeDecision | None:
        return self.transcript.decisions[self.number - 1] if self.number else None

    def _record(
        self, kind: str, message: str, old_lines: Lines = (), new_lines: Lines = (), reasons: tuple[Reason, ...] = ()
    ) -> None:
        """Add a difference at the current decision to ``differences``, unless there is one of its kind."""
        seat = self._recorded_decision.seat if self._recorded_decision and self.phase is not None else None
        difference = RecordDifference(
            kind, message, self.number, seat, self.phase, self.span, old_lines, new_lines, reasons
        )
        self.differences.setdefault(kind, difference)

    def _compare(self, kind: str, message: str, old_lines: Sequence[str], new_lines: Sequence[str]) -> None:
        """Record a difference if the lines differ. A missing line differs from any line.

        It holds at most MAX_LINES_SHOWN lines of each side, from the first line that differs on.
        """
        pairs = enumerate(zip_longest(old_lines, new_lines))
        start = next((number for number, (old_line, new_line) in pairs if old_line != new_line), None)
        if start is not None:
            window = slice(start, start + MAX_LINES_SHOWN)
            self._record(kind, message, tuple(old_lines[window]), tuple(new_lines[window]))

    def _play(self) -> State:
        """Replay all decisions and return the final state.

        Raises TranscriptError at the first decision that no longer fits. If the rules are unchanged, it is also raised
        at the first position with another digest than the recorded one. For a playthrough, other events in the setup,
        other texts of a decision and other events after it are recorded, but don't end the replay.
        """
        log: list[Event] = []
        state = self.game.start(self.transcript.seed, log)
        if self.recorded_play is not None:
            self._compare(EVENTS, "other events in the setup", self.recorded_play.setup, format_events(self.game, log))
        total = len(self.transcript.decisions)
        for number, decision in enumerate(self.transcript.decisions, 1):
            self._check_position(state)
            self.number = number
            pending_decision = self.game.decision(state)
            self.phase = self.game.view(state, None).phase
            self.span = None if pending_decision is None else self.game.setting.sites[pending_decision.site].span
            option = find_option(self.game, state, number, decision, total)
            block = None if self.recorded_play is None else self.recorded_play.blocks[number - 1]
            if block is not None:
                lines = format_decision(self.game, state, number, option, block.is_whole)
                self._compare(SHOWN, f"the view of {self._decision_label} differs", block.decision_lines, lines)
            log = []
            state = self.game.apply(state, option, log)
            if block is not None:
                self._compare(
                    EVENTS, f"other events {self._moment_label}", block.event_lines, format_events(self.game, log)
                )
        self._check_position(state)
        return state

    def _check_position(self, state: State) -> None:
        """Compare the position with the recorded digest, if the rules are unchanged."""
        if self.transcript.digest == self.game.program.digest:
            compare_position(self.game, self.transcript, state, self.number)

    def _compare_end(self, state: State, recorded_play: RecordedPlay) -> None:
        """Compare the final table and the result with the recorded ones, and record their differences.

        ``state`` is the final position. A different result refers to the expression of the ranking that it comes from.
        """
        self.phase = self.span = None
        self._compare(
            SHOWN, "the final position differs", recorded_play.table, drop_leading_empty(format_table(self.game, state))
        )
        new_lines = tuple(format_result(self.game.outcome(state)))
        # the expression that computes the first line that differs
        pairs = zip_longest(recorded_play.result, new_lines, fillvalue="")
        line = next((new_line or old_line for old_line, new_line in pairs if old_line != new_line), "")
        scoring = self.game.program.scoring
        values = [value for title, value in scoring.columns if line.startswith(f"{title}: ")]
        self.span = next((value.span for value in (*values, *scoring.rank)), None)
        self._compare(RESULT, "the result differs", recorded_play.result, new_lines)
