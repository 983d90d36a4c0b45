"""Play a match in line mode: print the table and the options, and read answers and commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import sleep
from typing import Literal, Protocol

from rich.text import Text

from lusory_dsl.source.diagnostics import find_nearest
from lusory_dsl.source.source import Span, make_one_line

from ...play.autoplay import Pace, StandIn, is_same_choice, parse_stand_in, prepare_decision
from ...play.match import DecisionNotSaved, Match
from ...play.players import PlayerFailed
from ...reports.model import format_place
from ...state.decision import Decision, RulesetFault
from ..model.build import (
    NO_REDO,
    decide_again,
    decided_last,
    decides_again,
    screen_of,
    since_turn,
    take,
    take_back,
    why_no_undo,
)
from ..model.event_sentences import deeds, has_happened
from ..model.look_and_why import describe_options, describe_thing, explain_why_not, file_to_save, with_rules
from ..model.option_tree import END, Choosing, begin, expand_topic, matching, picked, to_type
from ..model.previews import OPEN
from ..model.screen import Answer, Deed, Question, Screen
from ..model.search_hint import hinted
from ..model.start_page import Start, recommended_commands, start_page
from ..model.styled_text import Line, Run, plain, said
from . import render, streams
from .render import text_of
from .terminal import Terminal

COMMANDS = {
    "help": "this help; also ?",
    "table": "show the table again",
    "back": "back to the list before; also b",
    "log": "everything that happened so far, as you saw it; log details with all that it changed",
    "rules": "the rules in words; rules NAME for any word on the table; rules glossary for all of them",
    "look": "look NAME: what it is, and why its values are what they are now",
    "why": "why OPTION: why something can't be chosen now; also ? OPTION; with --rules the place in the rules",
    "hint": "what you could take, what it comes to and what is likely to follow",
    "auto": "a bot decides this for you; auto 5, auto turn, auto game, auto until WORDS; auto strong; Ctrl-C stops it",
    "undo": "take your last decision back, unless you learned a secret since or chance decided something",
    "redo": "decide once more what you took back",
    "save": "save the game; save FILE to say where",
    "quit": "leave the game",
}
# Minimum number of story lines shown, even if the screen is too small for them.
LOG_LINES = 12
SHORT = {"?": "help", "h": "help", "q": "quit", "exit": "quit", "b": "back", "..": "back", "explain": "rules"}


class TakeBack(Exception):
    """Request an undo of the last decision of ``seat``."""

    def __init__(self, seat: int) -> None:
        self.seat = seat


class DecideAgain(Exception):
    """Request a redo for ``seat``."""

    def __init__(self, seat: int) -> None:
        self.seat = seat


class LetDecide(Exception):
    """Request that a bot decides for ``seat`` for a while."""

    def __init__(self, seat: int, bot: StandIn) -> None:
        self.seat = seat
        self.bot = bot


class Leave(Exception):
    """Leave the table. ``interrupted`` is set after Ctrl-C, and ``keep`` asks to save the game."""

    def __init__(self, keep: bool, interrupted: bool = False) -> None:
        self.keep = keep
        self.interrupted = interrupted


@dataclass(frozen=True)
class Written:
    """Report whether a file was written, in ``done``, with a message."""

    done: bool
    words: str


class Keeping(Protocol):
    """Save games to files, and record results."""

    def save(self, file: str | None) -> Written:
        """Save the game to a file. None chooses a file name."""

    def ended(self, match: Match) -> bool:
        """Record the result of a finished game. Returns whether it was recorded, so that it can be analysed later."""


class Journaling(Protocol):
    """Record decisions from the start of the match on."""

    def sync(self) -> None:
        """Write everything to the disk. Raises DecisionNotSaved."""

    def close(self, keep: bool) -> None:
        """Close the journal. The game can be continued later if ``keep``."""


@dataclass
class Desk:
    """Hold the state that the players at one keyboard share.

    Attributes:
        rules: Returns the text of all rules (None) or about a name.
        files: Saves games.
        people: The number of people at this keyboard.
        secretive: Whether players must not see each other's screens.
        journal: The journal, or None.
        said_of: Returns the text of the rules about a name, or None.
        shown: The seat whose screen is shown, and its table as last printed.
    """

    terminal: Terminal
    names: Sequence[str]
    rules: Callable[[str | None], str]
    files: Keeping
    people: int
    secretive: bool
    journal: Journaling | None = None
    said_of: Callable[[str], str | None] = lambda name: None
    shown: tuple[int | None, str] = (None, "")

    def ask(self, match: Match, decision: Decision) -> tuple[Question, Answer]:
        """Ask a person to decide. Returns the question and the answer.

        Raises TakeBack, DecideAgain, LetDecide or Leave.
        """
        human = match.players[decision.seat]
        assert isinstance(human, Human), "a person is asked"
        if self.journal is not None:
            # Everything shown now must be on the disk.
            self.journal.sync()
        turn = _Asking(self, match, human)
        turn.pass_keyboard()
        turn.show()
        while True:
            answer = turn.answer()
            if answer is not None:
                return turn.question, answer

    def forget_table(self) -> None:
        """Show the table again next time."""
        self.shown = (self.shown[0], "")


class Human:
    """Hold a human player at a desk."""

    looks: Literal[None] = None

    def __init__(self, seat: int, name: str) -> None:
        self.seat = seat
        self.name = name

    def resume(self, made: int) -> None:
        """Do nothing: only bots need to restore their state."""


class _Asking:
    """Ask one person for one decision."""

    def __init__(self, desk: Desk, match: Match, human: Human) -> None:
        self.desk = desk
        self.match = match
        self.human = human
        self.terminal = desk.terminal
        self.names = desk.names
        self.screen: Screen = screen_of(match, human.seat, desk.names)
        question = self.screen.question
        assert question is not None, "who decides is asked"
        self.question = question
        self.choosing: Choosing = begin(question)

    # ------------------------------------------------------------ display

    def pass_keyboard(self) -> None:
        """Hand the keyboard to another person, and clear secrets from the screen."""
        if self.desk.people == 1 or self.desk.shown[0] == self.human.seat:
            return
        name = self.human.name
        self.terminal.sits_down(self.human.seat)
        if self.desk.secretive and self.terminal.interactive:
            self.terminal.clear()
            try:
                self.terminal.read(f"Pass the keyboard to {name}, then press Enter. ")
            except (EOFError, KeyboardInterrupt):
                raise Leave(keep=True, interrupted=True) from None
            self.terminal.clear()
        else:
            self.terminal.print(render.heading(name))

    def show(self) -> None:
        """Print the story since the seat's last decision, the table if it changed, and the options."""
        told = [deed for deed in self.screen.story if not self._is_known(deed)]
        table = render.table(self.screen, self.terminal.width)
        drawn = self.terminal.drawn(table)
        is_new = (self.human.seat, drawn) != self.desk.shown
        if is_new:
            self.terminal.print("", render.title(self.screen))
        if told:
            options = self.terminal.drawn(render.entries(self.choosing, self.terminal.width))
            taken = drawn.count("\n") * is_new + options.count("\n") + 6
            room = max(LOG_LINES, self.terminal.height - taken)
            self.terminal.print(render.story(told, self.terminal.width, room), *([""] if is_new else []))
        if is_new:
            self.terminal.print(table)
            self.desk.shown = (self.human.seat, drawn)
        self._show_choices()

    def _is_known(self, deed: Deed) -> bool:
        """Return whether a deed is the viewer's own choice without effects, and so no news."""
        return deed.seat == self.human.seat and not deed.details and not deed.forced

    def _show_choices(self) -> None:
        """Print the question and its options. Repeat the question if the options fill the screen."""
        asked = text_of(self.question.prompt, "bold")
        own = f"Player:P{self.human.seat + 1}"
        if self.desk.people > 1 and all(run.of != own for run in self.question.prompt):
            asked = Text.assemble((self.human.name, render.seat_style(self.human.seat)), ": ", asked)
        options = render.entries(self.choosing, self.terminal.width)
        self.terminal.print("", asked)
        if self.choosing.picks or self.question.picked:
            self.terminal.print(Text.assemble(" ", text_of(picked(self.choosing))))
        if self.choosing.title is not None:
            self.terminal.print(Text.assemble(" ", text_of(self.choosing.title.title, "italic"), " …"))
        self.terminal.print(options)
        if (hint := render.hints(self.choosing)) is not None:
            self.terminal.print(hint)
        if self.terminal.drawn(options).count("\n") > self.terminal.height - 3:
            self.terminal.print(asked)

    # ------------------------------------------------------------ input

    def answer(self) -> Answer | None:
        """Read and process a line. Returns the answer, or None if the line does something else."""
        self.terminal.completes([*(option.words for option in self.question.options), *COMMANDS])
        try:
            line = self.terminal.command("> ").strip()
        except EOFError:
            raise Leave(keep=bool(self.match.turns)) from None
        except KeyboardInterrupt:
            self._leave(interrupted=True)
            return None
        if not line:
            self._show_choices()
            return None
        if line.endswith("?") and line[:-1].strip() in to_type(self.choosing):
            self._preview(line[:-1].strip())
            return None
        keyed = self._keyed(line)
        if keyed is not None:
            return keyed if isinstance(keyed, tuple) else self._now(keyed)
        command, _, argument = line.lstrip(":/").partition(" ")
        command = SHORT.get(command.lower(), command.lower())
        found = matching(self.question.options, line)
        named = len(found) == 1 and line.casefold() in self._names_of(found[0])
        if command in COMMANDS and not named:
            self._obey(command, argument.strip())
            return None
        if self.choosing.is_picking and command == "done":
            return self._ended()
        if found:
            filtered = self.choosing.type(line)
            match = filtered.match
            return self._now(filtered if match is None else self.choosing.choose(match.options[0]))
        self._not_understood(line)
        return None

    def _names_of(self, number: int) -> tuple[str, str]:
        option = self.question.options[number]
        return option.id.casefold(), option.words.casefold()

    def _keyed(self, line: str) -> Choosing | Answer | None:
        """Apply a line of option numbers. Returns None for other lines.

        If several options can be picked, a line with several numbers completes the answer.
        """
        keys = [END if key == END.lower() else key for key in line.replace(",", " ").split()]
        if not set(keys) <= {*to_type(self.choosing)} and not (len(keys) > 1 and keys[0].isdecimal()):
            return None
        if self.choosing.is_picking:
            return self._picked(keys)
        now: Choosing | Answer = self.choosing
        for key in keys:
            known = to_type(now) if isinstance(now, Choosing) else []
            if not isinstance(now, Choosing) or key not in known:
                return None
            now = now.take(now.entries[known.index(key)])
        return now

    def _picked(self, keys: Sequence[str]) -> Choosing | Answer | None:
        """Apply option numbers to a choice of several: one toggles a pick, and more complete the answer."""
        known = to_type(self.choosing)
        if not set(keys) <= set(known) or len(set(keys)) < len(keys):
            return None
        entries = [self.choosing.entries[known.index(key)] for key in keys]
        if len(entries) == 1:
            return self.choosing.take(entries[0])
        now: Choosing | Answer = self.choosing
        for entry in entries:
            if entry.is_group or not isinstance(now, Choosing):
                return None
            if entry.options[0] not in now.picks:
                before, now = now, now.choose(entry.options[0])
                if now == before:
                    self._say(f"At most {self.question.most} can be picked, so none of these was.")
                    return self.choosing
        assert isinstance(now, Choosing)
        is_open = self.question.in_order and len(now.picks) < self.question.most
        return now.answer if now.can_end and not is_open else now

    def _ended(self) -> Answer | None:
        if self.choosing.can_end:
            return self.choosing.answer
        self._say(f"At least {self.question.least} are to be picked; so far {len(self.choosing.picks)}.")
        return None

    def _now(self, came: Choosing | Answer) -> Answer | None:
        """Return an answer, or show the new state of the choice and return None."""
        if isinstance(came, tuple):
            return came
        if came == self.choosing and came.is_picking and not came.can_end and not came.typed:
            self._say(f"At least {self.question.least} are to be picked; so far {len(came.picks)}.")
            return None
        if came.is_picking and len(came.picks) == self.question.most and came.picks != self.choosing.picks:
            return came.answer
        if came == self.choosing and came.is_picking and len(came.picks) == self.question.most:
            self._say(f"At most {self.question.most} can be picked: a number again puts one back.")
            return None
        self.choosing = came
        if came.unconfirmed is not None:
            self._ask_again(came.unconfirmed)
        else:
            self._show_choices()
        return None

    def _ask_again(self, number: int) -> None:
        """Ask whether an option that wastes something is meant."""
        option = self.question.options[number]
        why = "You can still do something else" if number == self.question.end else "It does nothing now"
        self._say(f"{option.words}? {why}. The same again does it anyway.")

    def _preview(self, key: str) -> None:
        """Say what the entry with a key would change, or what it holds."""
        entry = self.choosing.entries[to_type(self.choosing).index(key)]
        if entry.is_group:
            lines = [self.question.options[number].label for number in entry.options]
        else:
            option = self.question.options[entry.options[0]]
            lines = [option.label, *option.preview] if option.preview else [option.label, (Run(OPEN),)]
        self._told(lines)

    def _not_understood(self, line: str) -> None:
        known = find_nearest(line, [*(option.words for option in self.question.options), *COMMANDS])
        meant = f" Did you mean “{known}”?" if known else ""
        self._say(f"No option is “{line}”.{meant} Type a number or words of an option; ? for help.")

    def _say(self, text: str) -> None:
        self.terminal.print(render.words(text, self.names))

    # ------------------------------------------------------------ commands

    def _obey(self, command: str, argument: str) -> None:
        match command:
            case "help" if argument:
                self._why(argument)
            case "help":
                self._help()
            case "table":
                self.terminal.print(render.table(self.screen, self.terminal.width))
                self._show_choices()
            case "back":
                self._now(self.choosing.back())
            case "log":
                told = deeds(self.match, self.human.seat, self.names)
                if not told:
                    self._say("Nothing has happened yet.")
                self.terminal.page(render.story(told, self.terminal.width, details=argument.startswith("d")))
            case "rules":
                self.terminal.page(render.words(self.desk.rules(argument or None), self.names))
            case "look":
                self._look(argument)
            case "why":
                self._why(argument)
            case "hint":
                self._told(hinted(self.match, self.human.seat, self.names))
            case "auto":
                try:
                    bot = parse_stand_in(argument)
                except ValueError as problem:
                    self._say(str(problem))
                    return
                raise LetDecide(self.human.seat, bot)
            case "undo":
                seat = decided_last(self.match, self.human.seat, self._sharing)
                if not self.match.can_undo(seat):
                    self._say(why_no_undo(self.match, seat))
                    return
                raise TakeBack(seat)
            case "redo":
                seat = decides_again(self.match, self.human.seat, self._sharing)
                if not self.match.can_redo(seat):
                    self._say(NO_REDO)
                    return
                raise DecideAgain(seat)
            case "save":
                self._save(argument)
            case "quit":
                self._leave()

    @property
    def _sharing(self) -> list[int]:
        """Return the seats of human players who share the keyboard without secrets, or none."""
        seats = [] if self.desk.secretive else [*enumerate(self.match.players)]
        return [seat for seat, player in seats if player.looks is None]

    def _help(self) -> None:
        self._told((*self.screen.introduction, *self.screen.recommended, ()))
        self._say("Type the number of an option, or words of it in any order: what fits them is listed.")
        for name, meaning in COMMANDS.items():
            self.terminal.print(Text.assemble((f"  {name:<6} ", "bold"), meaning))

    def _look(self, wanted: str) -> None:
        view = self.match.game.view(self.match.state, self.human.seat)
        wanted, place = self._with_rules(expand_topic(self.choosing, "look", wanted))
        lines = describe_thing(wanted, view, self.names, self.desk.said_of, place)
        self._told((*lines, *describe_options(wanted, self.question)))

    def _why(self, wanted: str) -> None:
        wanted, place = self._with_rules(expand_topic(self.choosing, "why", wanted))
        self._told(explain_why_not(wanted, self.match.game, self.match.state, self.question, self.names, place))

    def _with_rules(self, wanted: str) -> tuple[str, Callable[[Span], str] | None]:
        """Return the topic of a question, and a formatter of locations if the player asks for them."""
        words, is_with = with_rules(wanted)
        return words, format_place if is_with else None

    def _told(self, lines: Sequence[Line]) -> None:
        self.terminal.page(render.lines_of(lines))

    def _save(self, argument: str) -> None:
        try:
            file = file_to_save(argument)
        except ValueError as problem:
            self._say(str(problem))
            return
        written = self.desk.files.save(file or None)
        self.terminal.pipe(make_one_line(written.words))

    def _leave(self, interrupted: bool = False) -> None:
        """Ask whether to save. Raises Leave, or returns if the person stays."""
        if not self.terminal.interactive:
            raise Leave(keep=bool(self.match.turns), interrupted=interrupted)
        try:
            answer = self.terminal.read("\nLeave: Enter saves the game, d throws the game away, b goes back to it. ")
        except (EOFError, KeyboardInterrupt):
            raise Leave(keep=bool(self.match.turns), interrupted=True) from None
        answer = answer.strip().lower()
        if not answer.startswith("b"):
            raise Leave(keep=not answer.startswith("d"), interrupted=interrupted)


PLAYED, FAILED, INTERRUPTED = 0, 1, 130
# Base of exit codes after a signal, as in shells.
SIGNALLED = 128


class Ended(BaseException):
    """Signal that the system ends this program. ``hung_up`` is set if the terminal has closed."""

    def __init__(self, signal: int, name: str, hung_up: bool) -> None:
        self.signal = signal
        self.name = name
        self.hung_up = hung_up


class Session:
    """Run one match at one terminal.

    Attributes:
        replay: The command that plays the same game again.
        again: The command that continues the journal.
        pace: Seconds for which each step of a bot is shown to an observer.
        once_more: What the player wants next: "rematch", "again" for the same game, "set up" for a recommended game, or
            "".
        start: What the player chose on the start page, or None.
    """

    once_more = ""
    start: Start | None = None

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
        """Play until the end, or until somebody leaves. Returns the exit code."""
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
        self.terminal.print("", Text(self.match.game.program.name, style="bold"))
        viewer = next((seat for seat, one in enumerate(self.match.players) if one.looks is None), None)
        if not self.match.turns:
            introduction = start_page(self.match, viewer, self.desk.names)
            commands = recommended_commands(self.match.game.program)
            self.terminal.print(render.lines_of((*introduction, *commands)))
        if self.desk.people:
            self.terminal.print(Text("Type ? for help, and for this again.", style="dim"))

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
            except DecisionNotSaved as problem:
                self._retry(problem)

    def _let_decide(self, seat: int, bot: StandIn) -> None:
        """Let a bot decide for a person, and print its decisions. Ctrl-C stops it."""
        match, names, left = self.match, self.desk.names, bot
        try:
            while (decision := match.advance()) is not None and decision.seat == seat:
                made, start, part = len(match.turns), len(match.log), self._part_of_game(seat)
                match.take(*prepare_decision(match, left.kind)())
                match.advance()
                others = any(turn.seat != seat for turn in match.turns[made:])
                told = has_happened(left.words, deeds(match, seat, names, start), part, self._part_of_game(seat))
                more = left if is_same_choice(match) else left.after_one(others, told)
                # The story of the next question shows the rest.
                if more is None:
                    self.terminal.print(Text(f"A bot decided for you: {self._told_of(seat, start)}", style="dim"))
                    return
                left = more
                self._tell(deeds(match, seat, names, start))
            if decision is None:
                self.terminal.print(Text(left.at_end(), style="dim"))
        except KeyboardInterrupt:
            self.terminal.print(Text("You decide again.", style="dim"))
        except PlayerFailed as problem:
            self.terminal.print(Text(f"The bot can't decide: {problem}", style="bold red"))

    def _part_of_game(self, seat: int) -> Line:
        return said(self.match.game.view(self.match.state, seat).phase_label, self.desk.names)

    def _change_of_mind(self, seat: int, change: Callable[[int], str]) -> None:
        try:
            said = change(seat)
        except DecisionNotSaved as problem:
            self._retry(problem)
        else:
            self.desk.forget_table()
            self.terminal.print(Text(said, style="dim"))

    def _take_back(self, seat: int) -> str:
        """Undo the last choice of a seat, and return a message about it."""
        told = self._told_of(seat, since_turn(self.match, seat))
        take_back(self.match, seat)
        return f"Taken back: {told}"

    def _decide_again(self, seat: int) -> str:
        """Redo the undone choice of a seat, and return a message about it."""
        start = len(self.match.log)
        decide_again(self.match, seat)
        return f"Decided again: {self._told_of(seat, start)}"

    def _told_of(self, seat: int, start: int) -> str:
        """Return the first deed of a seat from an event on."""
        told = deeds(self.match, seat, self.desk.names, start)
        return next((plain(deed.line) for deed in told if deed.seat == seat), "your last decision")

    def _retry(self, problem: DecisionNotSaved) -> None:
        """Handle a failed journal. Returns to try again, or raises Leave."""
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
        """Print what happens in a match without human players."""
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
            self.terminal.print(render.story(told, self.terminal.width))

    def _part(self, leave: Leave) -> int:
        left = INTERRUPTED if leave.interrupted else PLAYED
        if leave.keep:
            return left if self._save() else FAILED
        self._forget()
        return left

    def _save(self) -> bool:
        """Save the game. Returns whether that worked; then the journal is removed."""
        kept = self.desk.files.save(None)
        self.terminal.pipe(make_one_line(kept.words))
        if kept.done:
            self._forget()
        elif self.desk.journal is not None:
            self.desk.journal.close(keep=True)
            self.terminal.pipe(make_one_line(f"The journal has it up to the last decision that was kept: {self.again}"))
        return kept.done

    def _forget(self) -> None:
        if self.desk.journal is not None:
            self.desk.journal.close(keep=False)

    def _stop(self, end: Ended) -> int:
        """Handle a signal that ends the program: sync the journal, or save the game without one.

        Returns the exit code.
        """
        journal = self.desk.journal
        if journal is not None:
            with suppress(DecisionNotSaved):
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
            self.terminal.print(render.story(told, self.terminal.width, room), "")
        self.terminal.print(render.table(screen, self.terminal.width))
        self.terminal.print("", render.ending(screen.ending, screen), "")
        self.terminal.pipe(Text(make_one_line(f"Seed {match.seed}. To play it again: {self.replay}"), style="dim"))
