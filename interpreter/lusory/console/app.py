"""A game in the terminal, from the first screen to the result. Used by the play command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import sleep

from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..play.match import Match, NotKept
from ..play.pace import Pace
from ..play.players import PlayerFails
from ..play.standing_in import StandIn, is_going_on, thinking
from ..screen.making import decide_again, screen_of, since_turn, take, take_back, who_thinks
from ..screen.model import Deed
from ..screen.story import deeds, is_told
from ..screen.text import Line, plain
from ..screen.words import said
from ..table.choices import RulesetFault
from . import drawing, render, streams
from .human import LOG_LINES, DecideAgain, Desk, Leave, LetDecide, TakeBack
from .pages import text_of
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
    journal keeps. ``pace``: seconds for which each step of a bot is shown where somebody looks on. ``once_more``: what
    the person wants when the game is over: a "rematch", the same "again", or "" for nothing."""

    once_more = ""

    def __init__(
        self, terminal: Terminal, match: Match, desk: Desk, replay: str, again: str = "", pace: float = 0.0
    ) -> None:
        self.terminal = terminal
        self.match = match
        self.desk = desk
        self.replay = replay
        self.again = again
        self.pace = pace if terminal.interactive else 0.0

    def run(self) -> int:
        """Play until the end, or until somebody leaves. The exit code."""
        self._welcome()
        try:
            self._play()
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
        self._finish()
        self._forget()
        if self.desk.files.ended(self.match) and self.terminal.interactive and not self.once_more:
            self.terminal.print(Text("To look at it again: lusory analyse", style="dim"))
        return PLAYED

    def _welcome(self) -> None:
        program = self.match.game.program
        self.terminal.print("", Text(f"{program.name}", style="bold"))
        if program.about:
            self.terminal.print(render.words(program.about.strip(), ()))
        if self.desk.people:
            if told := who_thinks(self.match, self.desk.names):
                self.terminal.print(text_of(told))
            again = ", and for this again" if program.about else ""
            self.terminal.print(Text(f"Type ? for help{again}.", style="dim"))

    def _play(self) -> None:
        if not self.desk.people:
            self._watch()
            return
        while True:
            try:
                while (decision := self.match.advance()) is not None:
                    question, answer = self.desk.ask(self.match, decision)
                    take(self.match, question, answer)
                return
            except LetDecide as let:
                self._let_decide(let.seat, let.bot)
            except TakeBack as back:
                self._change_of_mind(back.seat, self._take_back)
            except DecideAgain as again:
                self._change_of_mind(again.seat, self._decide_again)
            except NotKept as problem:
                self._retry(problem)

    def _let_decide(self, seat: int, bot: StandIn) -> None:
        """A bot decides for a person, who is told what it does; Ctrl-C stops it."""
        match, names, left = self.match, self.desk.names, bot
        try:
            while (decision := match.advance()) is not None and decision.seat == seat:
                made, start, part = len(match.turns), len(match.log), self._part_of_game(seat)
                match.take(*thinking(match, left.kind)())
                match.advance()
                others = any(turn.seat != seat for turn in match.turns[made:])
                told = is_told(left.words, deeds(match, seat, names, start), part, self._part_of_game(seat))
                more = left if is_going_on(match) else left.after_one(others, told)
                if more is None:  # the rest is told beside the next question
                    self.terminal.print(Text(f"A bot decided for you: {self._told_of(seat, start)}", style="dim"))
                    return
                left = more
                self._tell(deeds(match, seat, names, start))
            if decision is None:
                self.terminal.print(Text(left.at_end(), style="dim"))
        except KeyboardInterrupt:
            self.terminal.print(Text("You decide again.", style="dim"))
        except PlayerFails as problem:
            self.terminal.print(Text(f"The bot can't decide: {problem}", style="bold red"))

    def _part_of_game(self, seat: int) -> Line:
        return said(self.match.game.view(self.match.state, seat).phase_label, self.desk.names)

    def _change_of_mind(self, seat: int, change: Callable[[int], str]) -> None:
        try:
            said = change(seat)
        except NotKept as problem:
            self._retry(problem)
        else:
            self.desk.forget_table()
            self.terminal.print(Text(said, style="dim"))

    def _take_back(self, seat: int) -> str:
        """Take a choice back; what it was, in words."""
        told = self._told_of(seat, since_turn(self.match, seat))
        take_back(self.match, seat)
        return f"Taken back: {told}"

    def _decide_again(self, seat: int) -> str:
        """Decide once more what was taken back last; what it is, in words."""
        start = len(self.match.log)
        decide_again(self.match, seat)
        return f"Decided again: {self._told_of(seat, start)}"

    def _told_of(self, seat: int, start: int) -> str:
        """What a seat did first from an event on."""
        told = deeds(self.match, seat, self.desk.names, start)
        return next((plain(deed.line) for deed in told if deed.seat == seat), "your last decision")

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

    def _watch(self) -> None:
        """Nobody plays here: tell what happens while it does."""
        told, pace = 0, Pace(self.pace)
        while self.match.decision is not None:
            pace.begin()
            is_shown = pace.is_shown(self.match)
            self.match.step()
            if is_shown:
                sleep(pace.rest())
            self._tell(deeds(self.match, None, self.desk.names, told, whole=True))
            told = len(self.match.log)

    def _tell(self, told: Sequence[Deed]) -> None:
        if told:
            self.terminal.print(drawing.story(told, self.terminal.width))

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

    def _finish(self) -> None:
        match, names = self.match, self.desk.names
        viewer = self.desk.shown[0] if self.desk.people == 1 else None
        screen = screen_of(match, viewer, names)
        assert screen.ending is not None, "the game is over"
        self.terminal.print("", render.heading(screen.title, Text("the end")))
        if self.desk.people:
            told = deeds(match, viewer, names, since_turn(match, viewer), whole=viewer is None)
            room = max(LOG_LINES, self.terminal.height - 12)
            self.terminal.print(drawing.story(told, self.terminal.width, room), "")
        self.terminal.print(drawing.table(screen, self.terminal.width))
        self.terminal.print("", drawing.ending(screen.ending, screen), "")
        self.terminal.pipe(Text(one_line(f"Seed {match.seed}. To play it again: {self.replay}"), style="dim"))
