"""Step through a recorded game on the full screen, and start the table for local and remote matches."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...explain.styled_text_wrapping_and_values import Line, Run, make_line, wrap_line
from ...play.match import Match
from ..line import screen_rendering
from ..line.line_session import LeaveRequested, LineSession
from ..model.game_introduction_page import Start
from ..model.screen import Screen
from ..model.screen_builder import build_screen
from ..model.screen_layout import ALL, Prompt, lay_out_unasked
from ..session.match_service_answering_seat_requests import MatchService
from ..session.messages import Ask, RemoteLink, Reply, Request, Shown, Told
from ..session.same_process_link import LocalLink
from .choice_input_state_preview_and_key_hints import Hint
from .dialogs_start_page_and_descriptions import Page
from .game_screen import TableApp
from .terminal_and_signal_handling import TableResult


class RecordedGame:
    """Implement :class:`lusory.ui.session.messages.Link` for a recorded game.

    Attributes:
        at: The number of decisions made so far.
        seat: The seat whose view is shown. None shows the view of a spectator.
    """

    is_own = False

    def __init__(self, match: Match, names: Sequence[str], said_of: Callable[[str], str | None]) -> None:
        self.match = match
        self.names = names
        self.said_of = said_of
        self.at = 0
        self.seat: int | None = 0
        self._replies: asyncio.Queue[Reply] = asyncio.Queue()

    @property
    def length(self) -> int:
        """The number of decisions."""
        return len(self.match.turns)

    def _copy_match_at(self, decision_count: int) -> Match:
        """Return a copy of the match as it was after ``decision_count`` decisions, 0 to all, with the log up to then.

        The match itself stays unchanged; the copy shares its players with it.
        """
        copied_match = copy.copy(self.match)
        if decision_count < self.length:
            turn = self.match.turns[decision_count]
            copied_match.state, copied_match.log = turn.before, self.match.log[: turn.log_length]
        copied_match.turns = self.match.turns[:decision_count]
        copied_match.decision = copied_match.game.decision(copied_match.state)
        return copied_match

    def make_screen(self) -> Screen:
        """Return the screen of ``seat`` after the first ``at`` decisions, with None as ``question``.

        Its story begins with the last of these decisions. If ``at`` is 0, it begins with the start of the game.
        """
        match = self._copy_match_at(self.at)
        start = self.match.turns[self.at - 1].log_length if self.at else 0
        return replace(build_screen(match, self.seat, self.names, start), question=None)

    def _describe_next_decision(self) -> Line:
        """Return the player's name and the next decision, ``Ann: Build Mill``, or an empty line at the end."""
        if self.at == self.length:
            return ()
        turn = self.match.turns[self.at]
        decision = self.match.game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        label = self.match.game.option_labels(turn.before, decision)[turn.index]
        return make_line(f"P{turn.seat + 1}: {label}", self.names)

    def step(self, steps: int) -> Shown:
        """Move by a number of decisions, at most to the beginning or the end, and return the screen there."""
        self.at = min(max(self.at + steps, 0), self.length)
        return Shown(self.make_screen())

    def _switch_view(self) -> Shown:
        """Switch to the view of the next seat, and return the screen.

        After the last seat comes the view of a spectator, and then the first seat again.
        """
        seats: list[int | None] = [*range(self.match.game.players), None]
        self.seat = seats[(seats.index(self.seat) + 1) % len(seats)]
        return Shown(self.make_screen())

    def hurry(self) -> None:
        """Do nothing: a recorded game has no pauses."""

    async def begin(self) -> None:
        """Show the first position."""
        self._replies.put_nowait(self.step(0))

    async def send(self, request: Request) -> None:
        """Answer questions about the current position. Other requests are ignored."""
        if isinstance(request, Ask):
            service = MatchService(self._copy_match_at(self.at), self.names, lambda name: "", self.said_of)
            lines = service.explain(self.seat, request.topic, request.words)
            self._replies.put_nowait(Told(request.number, lines))

    async def receive(self) -> Reply:
        return await self._replies.get()


FAR = 1 << 30
STEPS = {"right": 1, "space": 1, "enter": 1, "left": -1, "backspace": -1, "pagedown": 10, "pageup": -10}
STEPS |= {"home": -FAR, "end": FAR}
"""Key -> number of decisions to move by."""

_HELP = """\
→ Enter    the next decision
← Backsp   the one before
PgDn PgUp  ten on or back
Home End   the beginning and the end
Tab        as the next player saw it, or everybody
F2 F3      the whole table, what happened so far
mouse      a click looks at what it is on
q          leave"""

_HINTS = (
    Hint("right", "← → step"),
    Hint("pagedown", "PgUp PgDn ten"),
    Hint("end", "Home End"),
    Hint("tab", "Tab whose view"),
    Hint("f2", "F2 table"),
    Hint("f3", "F3 story"),
    Hint("q", "q leaves"),
)


class ReplayApp(TableApp):
    """Show a recorded game. Keys step through it."""

    def __init__(self, recording: RecordedGame) -> None:
        super().__init__(recording)
        self.recording = recording

    def lay_out_without_question(self, screen: Screen) -> Prompt:
        """Return the lower regions: whose view of which decision it is, and the next decision or the result.

        The ``title`` is a Line of one Run: ``Decision 3 of 40, seen by NAME`` (or ``everybody``) if ``recording.at`` is
        2. At the end, the number is that of the last decision. ``options(columns, rows)`` returns the wrapped lines of
        the next decision, such as ``Ann: Build Mill``, or those of the result if ``screen.ending`` is not None. At the
        end of an unfinished game, it returns one empty line.
        """
        game = self.recording
        viewer = "everybody" if game.seat is None else game.names[game.seat]
        title: Line = (Run(f"Decision {min(game.at + 1, game.length)} of {game.length}, seen by {viewer}"),)
        if screen.ending is not None:
            return replace(lay_out_unasked(screen), title=title)
        return Prompt(title, (), lambda columns, rows: wrap_line(game._describe_next_decision(), columns), max_rows=ALL)

    def list_hints(self) -> list[Hint]:
        """Return the key hints."""
        return list(_HINTS)

    def key(self, key: str, character: str | None) -> None:
        """Handle a key: step through the decisions, change the view, show a page, or leave. Ignore other keys.

        The keys of :data:`STEPS` step, Tab changes the view, and F1, ``?``, F2 and F3 show a page. ``q``, Escape and
        Ctrl-Q exit with ``TableResult("over")``, and Ctrl-C with ``TableResult("left", is_interrupted=True)``.
        """
        if key in STEPS:
            self.show(self.recording.step(STEPS[key]))
        elif key == "tab":
            self.show(self.recording._switch_view())
        elif key in ("q", "escape", "ctrl+q"):
            self.exit(TableResult("over"))
        elif key == "ctrl+c":
            self.exit(TableResult("left", is_interrupted=True))
        elif key == "f1" or character == "?":
            self.push_screen(Page("Help", tuple((Run(line),) for line in _HELP.splitlines())))
        elif key in ("f2", "f3"):
            super().key(key, character)


class FullSession(LineSession):
    """Run a match on the full screen. Final messages go to the scrollback, as in line mode."""

    def _greet(self) -> None:
        """Print nothing: the table shows everything."""

    def _play(self) -> None:
        """Play on the full screen, and set what the player wants next. Raises LeaveRequested or a failure.

        A player who wants that goes on in line mode.
        """
        link = LocalLink(
            MatchService(self.match, self.names, self.explain_rules, self.explain_name),
            self.save_keeper,
            self.is_secretive,
            self.journal,
            self.pace,
        )
        # The full-screen table reads all keys.
        was_interactive, self.terminal.is_interactive = self.terminal.is_interactive, False
        try:
            result = _run_table(TableApp(link, set_ups=self.set_ups, start=self.start))
        finally:
            link.leave()
            self.terminal.is_interactive = was_interactive
        self.journal = link.journal
        if result.failure is not None:
            raise result.failure
        if result.how == "plain":
            self._forget_table()
            super()._play()
            return
        if result.how == "set up":
            self.next_game, self.start = "set up", Start("", result.game, result.answers_setup)
            return
        if result.how == "left" or self.match.outcome is None:
            is_kept = result.is_kept and bool(self.match.turns)
            raise LeaveRequested(is_kept, result.is_interrupted)
        if result.how in ("rematch", "again"):
            self.next_game = result.how

    def _finish(self) -> None:
        if not self.next_game:
            screen = build_screen(self.match, None, self.names)
            assert screen.ending is not None, "the game is over"
            ending = screen_rendering.render_ending(screen.ending, screen, self.terminal.width)
            self.terminal.print("", ending, "")
            self.terminal.print_raw(f"Seed {self.match.seed}. To play it again: {self.replay_command}")


def run_guest(guest: RemoteLink, has_touch: bool = False) -> TableResult:
    """Play at a remote match until it ends or the user leaves, and return how that happened."""
    return _run_table(TableApp(guest, has_touch))


def run_replay(recording: RecordedGame) -> TableResult:
    """Step through a recorded game until the user leaves, and return how that happened."""
    return _run_table(ReplayApp(recording))


def _run_table(app: TableApp) -> TableResult:
    """Run a table until the user leaves, and return how that happened. Without a result, the game is kept.

    Raises whatever :meth:`lusory.ui.textual.terminal_and_signal_handling.FullApp.run_to_end` raises.
    """
    interruption = TableResult("left", is_kept=True, is_interrupted=True)
    return app.run_to_end(interruption, TableResult("left", is_kept=True)) or TableResult("left", is_kept=True)
