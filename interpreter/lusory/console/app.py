"""A game in the terminal, from the first screen to the result. Used by the play command."""

from __future__ import annotations

from contextlib import suppress

from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..play.match import Match, NotKept
from ..play.story import log_lines
from ..table.choices import RulesetFault
from ..table.outcome import Outcome
from . import render, streams
from .human import LOG_LINES, Desk, Leave, TakeBack
from .terminal import Terminal

PLAYED, FAILED, INTERRUPTED = 0, 1, 130
SIGNALLED = 128  # and the number of the signal, as shells have it


class Ended(BaseException):
    """The system ends this program. ``hung_up``: the terminal has gone."""

    def __init__(self, signal: int, name: str, hung_up: bool) -> None:
        self.signal = signal
        self.name = name
        self.hung_up = hung_up


class Session:
    """One match at one terminal. ``replay`` says how to play the same game again, ``again`` how to go on with what the
    journal keeps. ``once_more``: what the person wants when the game is over: a "rematch", the same "again", or "" for
    nothing."""

    once_more = ""

    def __init__(self, terminal: Terminal, match: Match, desk: Desk, replay: str, again: str = "") -> None:
        self.terminal = terminal
        self.match = match
        self.desk = desk
        self.replay = replay
        self.again = again

    def run(self) -> int:
        """Play until the end, or until somebody leaves. The exit code."""
        self._welcome()
        try:
            outcome = self._play()
        except Leave as leave:
            return self._part(leave)
        except KeyboardInterrupt:
            return self._part(Leave(keep=bool(self.match.turns), interrupted=True))
        except RulesetFault as fault:
            self.terminal.fault(fault)
            self._save()
            return FAILED
        except Ended as end:
            return self._stop(end)
        self._finish(outcome)
        self._forget()
        return PLAYED

    def _welcome(self) -> None:
        program = self.match.game.program
        self.terminal.print("", Text(f"{program.name}", style="bold"))
        if program.about:
            self.terminal.print(render.words(program.about.strip(), ()))
        if self.desk.people:
            self.terminal.print(Text("Type ? for help.", style="dim"))

    def _play(self) -> Outcome:
        if not self.desk.people:
            return self._watch()
        while True:
            try:
                while (decision := self.match.advance()) is not None:
                    self.match.take(self.desk.ask(self.match, decision))
                return self.match.play()
            except TakeBack as back:
                self._take_back(back.seat)
            except NotKept as problem:
                self._retry(problem)

    def _take_back(self, seat: int) -> None:
        try:
            self.match.undo(seat)
        except NotKept as problem:
            self._retry(problem)
        else:
            self.desk.forget_table()
            self.terminal.print(Text("Taken back.", style="dim"))

    def _retry(self, problem: NotKept) -> None:
        """The journal could not be written, and nothing was decided. Return to try again; raises Leave."""
        self.match.resume()
        self.desk.forget_table()
        self.terminal.print("", Text(f"Not kept, and so not decided: {problem}", style="bold red"))
        try:
            answer = self.terminal.read("Enter tries again, p plays on without a journal, q leaves the game. ")
        except (EOFError, KeyboardInterrupt):
            raise Leave(keep=True, interrupted=True) from None
        if answer.strip().lower().startswith("q"):
            raise Leave(keep=True)
        if answer.strip().lower().startswith("p"):
            self._forget()
            self.desk.journal = self.match.keeper = None

    def _watch(self) -> Outcome:
        """Nobody plays here: tell what happens while it does."""
        told = 0
        while self.match.decision is not None:
            self.match.step()
            self._tell(told)
            told = len(self.match.log)
        return self.match.play()

    def _tell(self, start: int) -> None:
        lines = log_lines(self.match.log[start:], self.match.game, None)
        if lines:
            self.terminal.print(render.log(lines, self.desk.names))

    def _part(self, leave: Leave) -> int:
        left = INTERRUPTED if leave.interrupted else PLAYED
        if leave.keep:
            return left if self._save() else FAILED
        self._forget()
        return left

    def _save(self) -> bool:
        """Save the game, which the journal need not keep then. Whether that went well."""
        kept = self.desk.files.save(None)
        self.terminal.pipe(one_line(kept.words))
        if kept.done:
            self._forget()
        elif self.desk.journal is not None:
            self.desk.journal.close(keep=True)
            self.terminal.pipe(one_line(f"The journal has it up to the last decision that was kept: {self.again}"))
        return kept.done

    def _forget(self) -> None:
        if self.desk.journal is not None:
            self.desk.journal.close(keep=False)

    def _stop(self, end: Ended) -> int:
        """What is decided is in the journal; without one it is saved."""
        journal = self.desk.journal
        if journal is not None:
            with suppress(NotKept):
                journal.sync()
            journal.close(keep=True)
        kept = ""
        if self.match.turns:
            kept = f"To go on: {self.again}" if journal is not None else self.desk.files.save(None).words
        if not end.hung_up:
            streams.remark()
            streams.complain(f"ended by {end.name}. {kept}".rstrip())
        return SIGNALLED + end.signal

    def _finish(self, outcome: Outcome) -> None:
        match, names = self.match, self.desk.names
        viewer = self.desk.shown[0] if self.desk.people == 1 else None
        self.terminal.print("", render.heading(match.game.program.name, "the end"))
        if viewer is not None:
            start = next((t.logged for t in reversed(match.turns) if t.seat == viewer), 0)
            lines = log_lines(match.log[start:], match.game, viewer)
            self.terminal.print(render.log(lines, names, max(LOG_LINES, self.terminal.height - 12)), "")
        self.terminal.print(render.table(match.game, match.game.view(match.state, viewer), names, self.terminal.width))
        self.terminal.print("", render.result(outcome, names), "")
        self.terminal.pipe(Text(one_line(f"Seed {match.seed}. To play it again: {self.replay}"), style="dim"))
