"""Play a match in line mode: print the table and the options, and read answers and commands.

:class:`LineSession` runs a whole match. The full screen is in
:mod:`lusory.ui.textual`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from time import sleep
from typing import Literal, Protocol

from rich.text import Text

from lusory_dsl.source.source import Span, make_one_line
from lusory_dsl.source.spelling_suggestions import find_nearest

from ...explain.event_sentences import Deed, tell_deeds
from ...explain.styled_text_wrapping_and_values import Line, Run, make_line, to_text
from ...play.bot_deciding_for_a_person_and_pacing import AutoPlay, BotPace, parse_auto_play, prepare_decision
from ...play.match import DecisionNotSaved, Match
from ...play.player_interface_scripted_and_random_players import Person, PlayerFailed
from ...play.saves_and_journals import Journal
from ...reports.check_suites_findings_and_locations import format_place
from ...state.decisions_outcomes_and_faults import Decision, RulesetFault
from ..model.game_introduction_page import NO_SET_UPS, SetUps, Start, list_recommended_commands, write_start_page
from ..model.look_and_why import describe_options, describe_thing, explain_why_not, parse_save_file, split_rules_suffix
from ..model.option_preview_sentences import OPEN
from ..model.option_tree_and_choice_in_progress import (
    END,
    Choosing,
    begin,
    expand_topic,
    has_happened,
    list_keys,
    match_options,
    write_picks,
)
from ..model.screen import Answer, Question, Screen
from ..model.screen_builder import NO_REDO, build_screen, explain_no_undo, find_story_start, take
from ..model.search_hint import write_hint
from . import plain_output_and_terminal_checks as plain_output, screen_rendering
from .screen_rendering import convert_line
from .terminal_output_and_line_editing import Terminal

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
SHORTCUTS = {"?": "help", "h": "help", "q": "quit", "exit": "quit", "b": "back", "..": "back", "explain": "rules"}


class ChangeRequested(Exception):
    """Request for ``seat`` an undo, a redo, or a bot that decides for a while. :meth:`LineSession.ask` raises it."""

    def __init__(self, seat: int, change: Literal["undo", "redo"] | AutoPlay) -> None:
        self.seat = seat
        self.change = change


class LeaveRequested(Exception):
    """Leave the table. ``is_interrupted`` is set after Ctrl-C, and ``is_kept`` asks to save the game."""

    def __init__(self, is_kept: bool, is_interrupted: bool = False) -> None:
        self.is_kept = is_kept
        self.is_interrupted = is_interrupted


@dataclass(frozen=True)
class FileResult:
    """Report whether a file was written, in ``is_done``, with a message."""

    is_done: bool
    words: str


class SaveKeeper(Protocol):
    """Save games to files, and record results."""

    def save(self, file: str | None) -> FileResult:
        """Save the game to a file. None chooses a file name. The result says whether that worked."""

    def record_result(self, match: Match) -> bool:
        """Record the result of a finished game. Returns whether it was recorded, so that it can be analysed later."""


class _DecisionDialog:
    """Ask one person for one decision."""

    def __init__(self, session: LineSession, human: Person) -> None:
        self.session = session
        self.human = human
        self.match, self.terminal, self.names = session.match, session.terminal, session.names
        self.screen: Screen = build_screen(session.match, human.seat, session.names)
        question = self.screen.question
        assert question is not None, "who decides is asked"
        self.question = question
        declined_ids, last_choice = session.declined_ids.get(human.seat, ()), session.last_choices.get(human.seat)
        self.choosing: Choosing = begin(question, declined_ids=declined_ids, previous=last_choice)

    # ------------------------------------------------------------ display

    def _pass_keyboard(self) -> None:
        """Hand the keyboard to another person: print a heading with their name.

        If players have secrets and this is a terminal, clear the screen and wait for Enter instead. Clears the input
        history. Does nothing if there is only one person, or if this seat saw a table last. At the end of the input and
        after Ctrl-C, raises LeaveRequested, which keeps the game.
        """
        if self.session.people == 1 or self.session.last_table[0] == self.human.seat:
            return
        name = self.human.name
        self.terminal.clear_history()
        if self.session.is_secretive and self.terminal.is_interactive:
            self.terminal.clear()
            try:
                self.terminal.read(f"Pass the keyboard to {name}, then press Enter. ")
            except (EOFError, KeyboardInterrupt):
                raise LeaveRequested(is_kept=True, is_interrupted=True) from None
            self.terminal.clear()
        else:
            self.terminal.print(screen_rendering.render_heading(name))

    def _show(self) -> None:
        """Print the title, the story since the seat's last decision, the table, and the options, in this order.

        The title and the table are left out if the same seat saw the same table last, and the story if it is empty.
        Upkeep and the seat's own choices that were not forced and had no effects are left out of the story.
        """
        seat = self.human.seat
        story = [deed for deed in self.screen.story if not deed.is_upkeep]
        news = [deed for deed in story if deed.seat != seat or deed.details or deed.forced]
        table = screen_rendering.render_table(self.screen, self.terminal.width)
        table_text = self.terminal.render_plain(table)
        is_new = (seat, table_text) != self.session.last_table
        if is_new:
            self.terminal.print("", screen_rendering.render_title(self.screen))
        if news:
            self.terminal.print(screen_rendering.render_story(news, self.terminal.width), *([""] if is_new else []))
        if is_new:
            self.terminal.print(table)
            self.session.last_table = (seat, table_text)
        self._show_choices()

    def _show_choices(self) -> None:
        """Print the question, the picks, the open group, the options and a hint.

        With several people the question begins with the person's name, unless it names the person. It is repeated below
        the options if these fill the screen.
        """
        prompt = convert_line(self.question.prompt, "bold")
        own_reference = f"Player:P{self.human.seat + 1}"
        if self.session.people > 1 and all(run.of != own_reference for run in self.question.prompt):
            prompt = Text.assemble((self.human.name, screen_rendering.get_seat_style(self.human.seat)), ": ", prompt)
        options = screen_rendering.render_entries(self.choosing, self.terminal.width)
        self.terminal.print("", prompt)
        if self.choosing.picks or self.question.earlier_picks:
            self.terminal.print(Text.assemble(" ", convert_line(write_picks(self.choosing))))
        if self.choosing.open_group is not None:
            self.terminal.print(Text.assemble(" ", convert_line(self.choosing.open_group.title, "italic"), " …"))
        self.terminal.print(options)
        if (hint := screen_rendering.render_hints(self.choosing)) is not None:
            self.terminal.print(hint)
        if self.terminal.render_plain(options).count("\n") > self.terminal.height - 3:
            self.terminal.print(prompt)

    # ------------------------------------------------------------ input

    def _read_answer(self) -> Answer | None:
        """Read and process a line. Returns the answer, or None if the line does not complete one.

        Takes the line as the first of these that it can be:

        - an empty line, which shows the options again
        - a key with ``?``, which shows a preview
        - keys of entries, which choose them
        - a number that no option has, which prints ``There is no option 9.``
        - a command, which is run, unless the line is the exact name of the only option that it fits
        - ``done`` in a choice of several, which ends it, or prints how many must be picked
        - words of options, which choose the one that they mean, or else show only the options that they fit
        - other words, which print ``No option is “LINE”.``

        Raises LeaveRequested at the end of the input and if the person leaves, and ChangeRequested for ``undo``,
        ``redo`` and ``auto``.
        """
        self.terminal.set_completions([*(option.words for option in self.question.options), *COMMANDS])
        try:
            line = self.terminal.read_command("> ").strip()
        except EOFError:
            raise LeaveRequested(is_kept=bool(self.match.turns)) from None
        except KeyboardInterrupt:
            self._leave(is_interrupted=True)
            return None
        if not line:
            self._show_choices()
            return None
        if line.endswith("?") and line[:-1].strip() in list_keys(self.choosing):
            self._preview(line[:-1].strip())
            return None
        choice = self._apply_numbers(line)
        if choice is not None:
            return choice if isinstance(choice, tuple) else self._show_or_return(choice)
        if (missing_number := self._find_missing_number(line)) is not None:
            self._print_text(f"There is no option {missing_number}.")
            return None
        command, _, argument = line.lstrip(":/").partition(" ")
        command = SHORTCUTS.get(command.lower(), command.lower())
        matches = match_options(self.question.options, line)
        options = [self.question.options[number] for number in matches]
        names = {name.casefold() for option in options for name in (option.id, option.words)}
        is_exact = len(matches) == 1 and line.casefold() in names
        if command in COMMANDS and not is_exact:
            self._run_command(command, argument.strip())
            return None
        if self.choosing.is_picking and command == "done":
            return self._finish_picks()
        if matches:
            choosing = self.choosing.type(line)
            match = choosing.matching_entry
            return self._show_or_return(choosing if match is None else self.choosing.choose(match.options[0]))
        nearest = find_nearest(line, [*(option.words for option in self.question.options), *COMMANDS])
        suggestion = f" Did you mean “{nearest}”?" if nearest else ""
        self._print_text(f"No option is “{line}”.{suggestion} Type a number or words of an option; ? for help.")
        return None

    def _find_missing_number(self, line: str) -> str | None:
        """Return the first number of a line of numbers that no entry and no option has, or None for other lines."""
        numbers = line.replace(",", " ").split()
        if not all(number.isdecimal() for number in numbers):
            return None
        known_numbers = {*list_keys(self.choosing), *(option.id for option in self.question.options)}
        return next((number for number in numbers if number not in known_numbers), None)

    def _apply_numbers(self, line: str) -> Choosing | Answer | None:
        """Apply a line of keys of entries, with blanks or commas between them. Returns None for other lines.

        The keys choose one after the other, also through groups. If several options can be picked, a line with several
        numbers completes the answer.
        """
        keys = [END if key == END.lower() else key for key in line.replace(",", " ").split()]
        if not set(keys) <= {*list_keys(self.choosing)} and not (len(keys) > 1 and keys[0].isdecimal()):
            return None
        if self.choosing.is_picking:
            return self._apply_keys(keys)
        choice: Choosing | Answer = self.choosing
        for key in keys:
            typable = list_keys(choice) if isinstance(choice, Choosing) else []
            if not isinstance(choice, Choosing) or key not in typable:
                return None
            choice = choice.take_entry(choice.entries[typable.index(key)])
        return choice

    def _apply_keys(self, keys: Sequence[str]) -> Choosing | Answer | None:
        """Apply keys to a choice of several options.

        A single key toggles a pick or opens a group. Several keys pick options and complete the answer. If too few
        options are picked then, or if their order matters and more could be picked, returns the choice with the picks.
        If the keys pick too many options, says so and returns the choice unchanged. Returns None for unknown or
        repeated keys, and if several keys include a group.
        """
        typable_keys = list_keys(self.choosing)
        if not set(keys) <= set(typable_keys) or len(set(keys)) < len(keys):
            return None
        entries = [self.choosing.entries[typable_keys.index(key)] for key in keys]
        if len(entries) == 1:
            return self.choosing.take_entry(entries[0])
        choice: Choosing | Answer = self.choosing
        for entry in entries:
            if entry.is_group or not isinstance(choice, Choosing):
                return None
            if entry.options[0] not in choice.picks:
                previous_choice, choice = choice, choice.choose(entry.options[0])
                if choice == previous_choice:
                    self._print_text(f"At most {self.question.most} can be picked, so none of these was.")
                    return self.choosing
        assert isinstance(choice, Choosing)
        can_pick_more = self.question.is_ordered and len(choice.picks) < self.question.most
        return choice.answer if choice.can_end and not can_pick_more else choice

    def _finish_picks(self) -> Answer | None:
        if self.choosing.can_end:
            return self.choosing.answer
        self._print_text(f"At least {self.question.least} are to be picked; so far {len(self.choosing.picks)}.")
        return None

    def _show_or_return(self, result: Choosing | Answer) -> Answer | None:
        """Return an answer, or show the new state of the choice, or what was wrong, and return None.

        A choice of several is complete once no more options can be picked.
        """
        if isinstance(result, tuple):
            return result
        if result == self.choosing and result.is_picking and not result.can_end and not result.typed_words:
            return self._finish_picks()
        if result.is_picking and len(result.picks) == self.question.most and result.picks != self.choosing.picks:
            return result.answer
        if result == self.choosing and result.is_picking and len(result.picks) == self.question.most:
            self._print_text(f"At most {self.question.most} can be picked: a number again puts one back.")
            return None
        self.choosing = result
        if result.to_confirm is None:
            self._show_choices()
        else:
            is_end = result.to_confirm == self.question.end
            reason = "You can still do something else" if is_end else "It does nothing now"
            option = self.question.options[result.to_confirm]
            self._print_text(f"{option.words}? {reason}. The same again does it anyway.")
        return None

    def _preview(self, key: str) -> None:
        """Say what the entry with a key would change, or what it holds."""
        entry = self.choosing.entries[list_keys(self.choosing).index(key)]
        if entry.is_group:
            lines = [self.question.options[number].label for number in entry.options]
        else:
            option = self.question.options[entry.options[0]]
            lines = [option.label, *option.preview] if option.preview else [option.label, (Run(OPEN),)]
        self._print_lines(lines)

    def _print_text(self, text: str) -> None:
        self.terminal.print(screen_rendering.render_text(text, self.names))

    # ------------------------------------------------------------ commands

    def _run_command(self, command: str, argument: str) -> None:
        """Run a command of :data:`COMMANDS`. Undo, redo, auto and quit raise their requests if they are possible."""
        match command:
            case "help" if argument:
                self._answer_why(argument)
            case "help":
                self._print_lines((*self.screen.introduction, *self.screen.commands, ()))
                self._print_text("Type the number of an option, or words of it in any order: what fits them is listed.")
                for name, meaning in COMMANDS.items():
                    self.terminal.print(Text.assemble((f"  {name:<6} ", "bold"), meaning))
            case "table":
                self.terminal.print(screen_rendering.render_table(self.screen, self.terminal.width))
                self._show_choices()
            case "back":
                self._show_or_return(self.choosing.go_back())
            case "log":
                log_deeds = tell_deeds(self.match, self.human.seat, self.names)
                if not log_deeds:
                    self._print_text("Nothing has happened yet.")
                story = screen_rendering.render_story(log_deeds, self.terminal.width, argument.startswith("d"))
                self.terminal.print(story)
            case "rules":
                rules = self.session.explain_rules(argument or None)
                self.terminal.print(screen_rendering.render_text(rules, self.names))
            case "look":
                view = self.match.game.view(self.match.state, self.human.seat)
                topic, place = self._split_rules_option(expand_topic(self.choosing, "look", argument))
                lines = describe_thing(topic, view, self.names, self.session.explain_name, place)
                self._print_lines((*lines, *describe_options(topic, self.question)))
            case "why":
                self._answer_why(argument)
            case "hint":
                self._print_lines(write_hint(self.match, self.human.seat, self.names))
            case "auto":
                try:
                    bot = parse_auto_play(argument)
                except ValueError as problem:
                    self._print_text(str(problem))
                    return
                raise ChangeRequested(self.human.seat, bot)
            case "undo" if not self.match.can_undo(self.human.seat):
                self._print_text(explain_no_undo(self.match, self.human.seat))
            case "redo" if not self.match.can_redo(self.human.seat):
                self._print_text(NO_REDO)
            case "undo" | "redo" as change:
                raise ChangeRequested(self.human.seat, change)
            case "save":
                self._save(argument)
            case "quit":
                self._leave()

    def _answer_why(self, option_text: str) -> None:
        option_text, place = self._split_rules_option(expand_topic(self.choosing, "why", option_text))
        self._print_lines(
            explain_why_not(option_text, self.match.game, self.match.state, self.question, self.names, place)
        )

    def _split_rules_option(self, topic: str) -> tuple[str, Callable[[Span], str] | None]:
        """Return the topic of a question, and a formatter of locations if the player asks for them."""
        words, is_with = split_rules_suffix(topic)
        return words, format_place if is_with else None

    def _print_lines(self, lines: Sequence[Line]) -> None:
        self.terminal.print(screen_rendering.render_lines(lines))

    def _save(self, argument: str) -> None:
        try:
            file = parse_save_file(argument)
        except ValueError as problem:
            self._print_text(str(problem))
            return
        result = self.session.save_keeper.save(file or None)
        self.terminal.print_raw(make_one_line(result.words))

    def _leave(self, is_interrupted: bool = False) -> None:
        """Ask whether to save. Raises LeaveRequested, or returns if the person stays."""
        if not self.terminal.is_interactive:
            raise LeaveRequested(is_kept=bool(self.match.turns), is_interrupted=is_interrupted)
        try:
            answer = self.terminal.read("\nLeave: Enter saves the game, d throws the game away, b goes back to it. ")
        except (EOFError, KeyboardInterrupt):
            raise LeaveRequested(is_kept=bool(self.match.turns), is_interrupted=True) from None
        answer = answer.strip().lower()
        if not answer.startswith("b"):
            raise LeaveRequested(is_kept=not answer.startswith("d"), is_interrupted=is_interrupted)


PLAYED, FAILED, INTERRUPTED = 0, 1, 130
# Base of exit codes after a signal, as in shells.
SIGNALLED = 128


class ProgramEnded(BaseException):
    """Signal that the system ends this program. ``has_hung_up`` is set if the terminal has closed."""

    def __init__(self, signal: int, name: str, has_hung_up: bool) -> None:
        self.signal = signal
        self.name = name
        self.has_hung_up = has_hung_up


def ignores_hang_up(name: str) -> bool:
    """Return whether a signal is SIGHUP and ignored, as ``nohup`` does so that a program outlives its terminal."""
    return name == "SIGHUP" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@dataclass(eq=False)
class LineSession:
    """Run one match at one terminal, where all people share the keyboard.

    Attributes:
        names: The names of all seats.
        explain_rules: Returns the text of all rules (None) or about a name.
        save_keeper: Saves games.
        is_secretive: Whether players must not see each other's screens.
        journal: The journal, or None.
        explain_name: Returns the text of the rules about a name, or None.
        replay_command: The command that plays the same game again.
        continue_command: The command that continues the journal.
        pace: Seconds for which each step of a bot is shown to a person at an interactive terminal.
        start: What the player chose on the start page, or None.
        set_ups: The games that the start page offers.
        next_game: What the player wants next: "rematch", "again" for the same game, "set up" for a recommended game, or
            "".
        last_table: The seat whose screen is shown, and its table as last printed.
        declined_ids: Seat -> what the player has left undone at the end of a turn, which is not asked again.
        last_choices: Seat -> the last choice that it made, whose numbers stay if the question is asked again.
    """

    terminal: Terminal
    match: Match
    names: Sequence[str]
    explain_rules: Callable[[str | None], str]
    save_keeper: SaveKeeper
    is_secretive: bool
    journal: Journal | None = None
    explain_name: Callable[[str], str | None] = lambda name: None
    replay_command: str = ""
    continue_command: str = ""
    pace: float = 0.0
    start: Start | None = None
    set_ups: SetUps = NO_SET_UPS
    next_game: str = ""
    last_table: tuple[int | None, str] = (None, "")
    declined_ids: dict[int, frozenset[str]] = field(default_factory=dict)
    last_choices: dict[int, Choosing] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.match.sharing_seats = () if self.is_secretive else self.match.people

    @cached_property
    def people(self) -> int:
        """The number of people at the keyboard."""
        return len(self.match.people)

    def ask(self, decision: Decision) -> tuple[Question, Answer]:
        """Ask the person of the deciding seat until an answer is complete. Return the question and the answer.

        The match does not change. Sets ``last_table`` when the table is printed. With the answer, it sets
        ``last_choices[seat]`` to the Choosing that gave it. If its ``to_confirm`` is an option ``question.end``, it
        adds its :attr:`Choosing.undone_ids` to ``declined_ids[seat]``, even if the answer is another option. Syncs the
        journal before anything is shown. Passes the keyboard, prints the screen, and answers commands. Raises
        ChangeRequested for ``undo``, ``redo`` and ``auto``. If these are not possible, it prints why. Raises
        DecisionNotSaved if the journal can't be written, and LeaveRequested to leave. The end of the input leaves.
        ``quit`` and Ctrl-C leave, too; at a terminal they first ask whether to, but while the keyboard is passed,
        Ctrl-C leaves at once.
        """
        human = self.match.players[decision.seat]
        assert isinstance(human, Person), "a person is asked"
        if self.journal is not None:
            # Everything shown now must be on the disk.
            self.journal.sync()
        turn = _DecisionDialog(self, human)
        turn._pass_keyboard()
        turn._show()
        while True:
            answer = turn._read_answer()
            if answer is not None:
                self.last_choices[human.seat] = turn.choosing
                if turn.choosing.to_confirm == turn.question.end is not None:
                    self.declined_ids[human.seat] = turn.choosing.declined_ids | turn.choosing.undone_ids
                return turn.question, answer

    def _forget_table(self) -> None:
        """Print the table again at the next decision, even if it has not changed."""
        self.last_table = (self.last_table[0], "")

    def run(self) -> int:
        """Play until the end, or until somebody leaves. Returns the exit code.

        At the end, the result is printed and recorded and the journal deleted: ``PLAYED``. At a terminal, ``quit``
        (``PLAYED``) and Ctrl-C at ``> `` (``INTERRUPTED``) ask whether to save the game. Without a terminal, they save
        it if ``match.turns`` is not empty. So does the end of the input at ``> `` (``PLAYED``). So do Ctrl-C and the
        end of the input at that question, and Ctrl-C while nothing is read (all ``INTERRUPTED``); in ``auto``, Ctrl-C
        only stops the bot. At other questions, Ctrl-C and the end of the input save it in any case: ``INTERRUPTED``. If
        saving fails in these cases, it is ``FAILED``. A fault of the rules is printed, and the game is saved:
        ``FAILED``. A signal keeps the journal of an unfinished game, or without one saves a game with ``match.turns``:
        ``SIGNALLED`` plus its number. If the bot of a seat fails, raises PlayerFailed, and saves nothing.
        """
        self._greet()
        try:
            self._play()
        except LeaveRequested as leave:
            return self._leave_match(leave)
        except KeyboardInterrupt:
            return self._leave_match(LeaveRequested(is_kept=bool(self.match.turns), is_interrupted=True))
        except RulesetFault as fault:
            self.terminal.print_fault(fault, shows_position=False)
            self._save()
            return FAILED
        except ProgramEnded as end:
            return self._handle_signal(end)
        self._finish()
        self._discard()
        if self.save_keeper.record_result(self.match) and self.terminal.is_interactive and not self.next_game:
            self._print_dim("To look at it again: lusory analyse")
        return PLAYED

    def _greet(self) -> None:
        self.terminal.print("", Text(self.match.game.program.name, style="bold"))
        viewer = next(iter(self.match.people), None)
        if not self.match.turns:
            introduction = write_start_page(self.match, viewer, self.names)
            commands = list_recommended_commands(self.match.game.program)
            self.terminal.print(screen_rendering.render_lines((*introduction, *commands)))
        if self.people:
            self._print_dim("Type ? for help, and for this again.")

    def _play(self) -> None:
        """Play until the game is over: bots decide, and people are asked. Raises LeaveRequested.

        Undo, redo and the choice of a bot are carried out, and a failed journal is handled.
        """
        if not self.people:
            self._watch_bots()
            return
        while True:
            try:
                while (decision := self.match.advance()) is not None:
                    question, answer = self.ask(decision)
                    take(self.match, question, answer)
                return
            except ChangeRequested as request:
                if isinstance(request.change, AutoPlay):
                    self._let_decide(request.seat, request.change)
                else:
                    self._change(request.seat, request.change)
            except DecisionNotSaved as problem:
                self._retry(problem)

    def _let_decide(self, seat: int, bot: AutoPlay) -> None:
        """Let a bot decide for a person until the person's wish is fulfilled, and print its decisions. Ctrl-C stops it.

        A bot that fails, and the end of the game, give a message.
        """
        match, names = self.match, self.names
        try:
            while (decision := match.advance()) is not None and decision.seat == seat:
                turn_count, start, phase = len(match.turns), len(match.log), self._get_phase(seat)
                match.take(*prepare_decision(match, bot.kind)())
                match.advance()
                has_other_decided = any(turn.seat != seat for turn in match.turns[turn_count:])
                story = tell_deeds(match, seat, names, start)
                is_narrated = has_happened(bot.words, story, phase, self._get_phase(seat))
                remaining: AutoPlay | None = bot
                if not match.is_picking:
                    remaining = bot.continue_after_decision(has_other_decided, is_narrated)
                # The story of the next question shows the rest.
                if remaining is None:
                    self._print_dim(f"A bot decided for you: {self._describe_first_deed(seat, start)}")
                    return
                bot = remaining
                self._print_story(story)
            if decision is None:
                self._print_dim(bot.describe_end())
        except KeyboardInterrupt:
            self._print_dim("You decide again.")
        except PlayerFailed as problem:
            self.terminal.print(Text(f"The bot can't decide: {problem}", style="bold red"))

    def _get_phase(self, seat: int) -> Line:
        return make_line(self.match.game.view(self.match.state, seat).phase_label, self.names)

    def _change(self, seat: int, change: Literal["undo", "redo"]) -> None:
        """Undo the last choice of a seat, or redo the undone one, and print a message about it."""
        match = self.match
        try:
            if change == "undo":
                decider = match.find_last_decider(seat)
                message = f"Taken back: {self._describe_first_deed(decider, find_story_start(match, decider))}"
                match.undo(seat)
            else:
                start = len(match.log)
                match.redo(seat)
                message = f"Decided again: {self._describe_first_deed(match.find_last_decider(seat), start)}"
        except DecisionNotSaved as problem:
            self._retry(problem)
        else:
            self._forget_table()
            self._print_dim(message)

    def _print_dim(self, words: str) -> None:
        self.terminal.print(Text(words, style="dim"))

    def _describe_first_deed(self, seat: int, start: int) -> str:
        """Return the first deed of a seat from an event on."""
        story = tell_deeds(self.match, seat, self.names, start, is_addressed=self.people == 1)
        return next((to_text(deed.line) for deed in story if deed.seat == seat), "your last decision")

    def _retry(self, problem: DecisionNotSaved) -> None:
        """Handle a failed journal. Returns to try again, or raises LeaveRequested."""
        self.match.resume()
        self._forget_table()
        self.terminal.print("", Text(f"Not kept, and so not decided: {problem}", style="bold red"))
        try:
            answer = self.terminal.read("Enter tries again, p plays on without a journal, q leaves the game. ")
        except (EOFError, KeyboardInterrupt):
            raise LeaveRequested(is_kept=True, is_interrupted=True) from None
        if answer.strip().lower().startswith("q"):
            raise LeaveRequested(is_kept=True)
        if answer.strip().lower().startswith("p"):
            self._discard()
            self.journal = self.match.store = None

    def _watch_bots(self) -> None:
        """Print what happens in a match without human players."""
        shown_events, pace = 0, BotPace(self.pace if self.terminal.is_interactive else 0.0)
        while self.match.decision is not None:
            pace.reset()
            is_shown = pace.is_shown(self.match)
            self.match.step()
            if is_shown:
                sleep(pace.take_remaining_seconds())
            self._print_story(tell_deeds(self.match, None, self.names, shown_events, tells_hidden=True))
            shown_events = len(self.match.log)

    def _print_story(self, story: Sequence[Deed]) -> None:
        if story:
            self.terminal.print(screen_rendering.render_story(story, self.terminal.width))

    def _leave_match(self, leave: LeaveRequested) -> int:
        exit_code = INTERRUPTED if leave.is_interrupted else PLAYED
        if leave.is_kept:
            return exit_code if self._save() else FAILED
        self._discard()
        return exit_code

    def _save(self) -> bool:
        """Save the game. Returns whether that worked; then the journal is removed."""
        result = self.save_keeper.save(None)
        self.terminal.print_raw(make_one_line(result.words))
        if result.is_done:
            self._discard()
        elif self.journal is not None:
            self.journal.close(keeps_file=True)
            self.terminal.print_raw(
                make_one_line(f"The journal has it up to the last decision that was kept: {self.continue_command}")
            )
        return result.is_done

    def _discard(self) -> None:
        if self.journal is not None:
            self.journal.close(keeps_file=False)

    def _handle_signal(self, end: ProgramEnded) -> int:
        """Handle a signal that ends the program: sync and keep the journal, or save the game without one.

        Reports that on standard error, unless the terminal has closed. The journal of a game that is over goes. Returns
        the exit code.
        """
        journal, save_keeper = self.journal, self.save_keeper
        if self.match.outcome is not None:
            self._discard()
            save_keeper.record_result(self.match)
            return SIGNALLED + end.signal
        if journal is not None:
            with suppress(DecisionNotSaved):
                journal.sync()
            journal.close(keeps_file=True)
        message = ""
        if self.match.turns:
            message = f"To go on: {self.continue_command}" if journal is not None else save_keeper.save(None).words
        if not end.has_hung_up:
            plain_output.write_error_line()
            plain_output.report_error(f"ended by {end.name}. {message}".rstrip())
        return SIGNALLED + end.signal

    def _finish(self) -> None:
        match, names = self.match, self.names
        viewer = self.last_table[0] if self.people == 1 else None
        screen = build_screen(match, viewer, names)
        assert screen.ending is not None, "the game is over"
        self.terminal.print("", screen_rendering.render_heading(screen.title, Text("the end")))
        if self.people:
            start = find_story_start(match, self.last_table[0])
            story = tell_deeds(match, viewer, names, start, tells_hidden=viewer is None)
            news = [deed for deed in story if not deed.is_upkeep]
            self.terminal.print(screen_rendering.render_story(news, self.terminal.width), "")
        self.terminal.print(screen_rendering.render_table(screen, self.terminal.width))
        self.terminal.print("", screen_rendering.render_ending(screen.ending, screen, self.terminal.width), "")
        self.terminal.print_raw(
            Text(make_one_line(f"Seed {match.seed}. To play it again: {self.replay_command}"), style="dim")
        )
