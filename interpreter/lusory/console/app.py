"""A game in the terminal, from the first screen to the result. Used by the play command."""

from __future__ import annotations

from rich.text import Text

from lusory_dsl.printable import one_line

from ..choices import RulesetFault
from ..match import Match
from ..outcome import Outcome
from . import render
from .human import LOG_LINES, Desk, Leave, TakeBack
from .terminal import Terminal

PLAYED, FAULT, INTERRUPTED = 0, 1, 130


class Session:
    """One match at one terminal. ``replay`` says how to play the same game again."""

    def __init__(self, terminal: Terminal, match: Match, desk: Desk, replay: str) -> None:
        self.terminal = terminal
        self.match = match
        self.desk = desk
        desk.match = match
        self.replay = replay

    def run(self) -> int:
        """Play until the end, or until somebody leaves. The exit code."""
        self._welcome()
        try:
            outcome = self._play()
        except Leave as leave:
            return self._part(leave)
        except KeyboardInterrupt:
            return self._part(Leave(keep=True, interrupted=True))
        except RulesetFault as fault:
            self.terminal.fault(fault)
            self.terminal.pipe(one_line(self.desk.save(None)))
            return FAULT
        self._finish(outcome)
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
                return self.match.play()
            except TakeBack as back:
                self.match.undo(back.seat)
                self.terminal.print(Text("Taken back.", style="dim"))

    def _watch(self) -> Outcome:
        """Nobody plays here: tell what happens while it does."""
        told = 0
        while self.match.decision is not None:
            self.match.step()
            self._tell(told)
            told = len(self.match.log)
        return self.match.play()

    def _tell(self, start: int) -> None:
        lines = render.log_lines(self.match.log[start:], self.match.game, None)
        if lines:
            self.terminal.print(render.log(lines, self.desk.names))

    def _part(self, leave: Leave) -> int:
        if leave.keep and self.match.turns:
            self.terminal.pipe(one_line(self.desk.save(None)))
        return INTERRUPTED if leave.interrupted else PLAYED

    def _finish(self, outcome: Outcome) -> None:
        match, names = self.match, self.desk.names
        viewer = self.desk.shown[0] if self.desk.people == 1 else None
        self.terminal.print("", render.heading(match.game.program.name, "the end"))
        if viewer is not None:
            start = next((t.logged for t in reversed(match.turns) if t.seat == viewer), 0)
            lines = render.log_lines(match.log[start:], match.game, viewer)
            self.terminal.print(render.log(lines, names, max(LOG_LINES, self.terminal.height - 12)), "")
        self.terminal.print(render.table(match.game, match.game.view(match.state, viewer), names, self.terminal.width))
        self.terminal.print("", render.result(outcome, names), "")
        self.terminal.pipe(Text(one_line(f"Seed {match.seed}. To play it again: {self.replay}"), style="dim"))
