"""A person at the keyboard: shows the table, reads what is typed, answers questions about the game."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from rich.text import Text

from lusory_dsl.text.diagnostics import nearest
from lusory_dsl.text.printable import one_line

from ..play.match import Match
from ..play.story import log_lines
from ..table.choices import Decision
from . import render
from .diagnostics import render_reason
from .look import look
from .terminal import Terminal

COMMANDS = {
    "help": "this help; also ?",
    "table": "show the table again",
    "log": "everything that happened so far, as you saw it",
    "rules": "the rules in words; rules NAME for one action, phase, card …",
    "look": "look CARD: what it is, and why its values are what they are now",
    "why": "why OPTION: why something can't be chosen now; also ? OPTION",
    "undo": "take your last decision back, up to the last secret or chance",
    "save": "save the game; save FILE to say where; save --seat FILE what you may keep, to look at",
    "quit": "leave the game",
}
LOG_LINES = 12  # of what happened meanwhile are shown even where the screen is too small for that
SHORT = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}


class TakeBack(Exception):
    """A person wants the latest decision of ``seat`` back."""

    def __init__(self, seat: int) -> None:
        self.seat = seat


class Leave(Exception):
    """A person leaves the table. ``interrupted``: by Ctrl-C. ``keep``: save the game first."""

    def __init__(self, keep: bool, interrupted: bool = False) -> None:
        self.keep = keep
        self.interrupted = interrupted


@dataclass(frozen=True)
class Written:
    """Whether something was written to a file, and the words about it."""

    done: bool
    words: str


class Keeping(Protocol):
    """Writes games to files. None: to a file of its own."""

    def save(self, file: str | None) -> Written:
        """The whole game, to go on with."""

    def keep(self, seat: int, file: str | None) -> Written:
        """What a seat knows of it, to look at."""


class Journaling(Protocol):
    """Keeps what is decided, from the start on."""

    def sync(self) -> None:
        """Have everything so far on the disk. Raises NotKept."""

    def close(self, keep: bool) -> None:
        """The game is left, and can be gone on with if ``keep``."""


@dataclass
class Desk:
    """What the ``people`` at one keyboard share. ``files``: where games are saved. ``secretive``: the game hides
    something, so one must not see the other's screen. ``journal``: None where none is kept. ``shown``: the seat whose
    screen it is now, and its table as it was last printed."""

    terminal: Terminal
    names: Sequence[str]
    rules: Callable[[str | None], str]
    files: Keeping
    people: int
    secretive: bool
    journal: Journaling | None = None
    shown: tuple[int | None, str] = (None, "")

    def ask(self, match: Match, decision: Decision) -> int:
        """Put a decision before the person whose it is; the number of the option taken. Raises TakeBack and Leave."""
        human = match.players[decision.seat]
        assert isinstance(human, Human), "a person is asked"
        turn = _Asking(self, match, human, decision)
        site, ahead = human.typed_ahead
        if ahead and site == decision.site and ahead[0] in turn.ids:
            return turn.ids.index(ahead.pop(0))
        human.typed_ahead = (0, [])
        if self.journal is not None:
            self.journal.sync()  # what is shown now is on the disk
        turn.pass_keyboard()
        turn.show()
        while True:
            chosen = turn.answer()
            if chosen is not None:
                return chosen

    def forget_table(self) -> None:
        """Have the table shown again: it is another than the one last seen."""
        self.shown = (self.shown[0], "")


class Human:
    """One of the people at a desk: a seat, a name, and what was typed ahead."""

    looks: Literal[None] = None

    def __init__(self, seat: int, name: str) -> None:
        self.seat = seat
        self.name = name
        self.typed_ahead: tuple[int, list[str]] = (0, [])  # further picks of the same choice, typed on one line

    def resume(self, made: int) -> None:
        """A person remembers without help."""
        self.typed_ahead = (0, [])


class _Asking:
    """One decision put before one person."""

    def __init__(self, desk: Desk, match: Match, human: Human, decision: Decision) -> None:
        self.desk = desk
        self.match = match
        self.human = human
        self.decision = decision
        self.terminal = desk.terminal
        self.names = desk.names
        self.game = game = match.game
        self.view = view = game.view(match.state, decision.seat)
        self.prompt = view.prompt()
        self.ids = view.option_ids()
        self.labels = view.option_labels()
        self.spoken = [render.words(label, self.names).plain for label in self.labels]
        self.keys = option_keys(self.ids)
        self.takes_several = game.takes_several(decision)
        self.takes_in_order = game.takes_in_order(decision)

    # ------------------------------------------------------------ showing

    def pass_keyboard(self) -> None:
        """Between two people: nobody reads the other's secrets from the screen."""
        if self.desk.people == 1 or self.desk.shown[0] == self.human.seat:
            return
        name = self.human.name
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
        """What happened since this seat last decided, the table if it changed, and the choices."""
        table = render.table(self.game, self.view, self.names, self.terminal.width)
        options = render.choices(self.keys, self.labels, self.names, self.terminal.width)
        drawn = self.terminal.drawn(table)
        if (self.human.seat, drawn) != self.desk.shown:
            taken = drawn.count("\n") + self.terminal.drawn(options).count("\n") + 6
            phase = render.phase_line(self.game, self.view)
            self.terminal.print("", render.heading(self.game.program.name, phase, self.names))
            lines = self._log_since_own_turn()
            if lines:
                room = max(LOG_LINES, self.terminal.height - taken)
                self.terminal.print(render.log(lines, self.names, room), "")
            self.terminal.print(table)
            self.desk.shown = (self.human.seat, drawn)
        self._show_choices()

    def _show_choices(self) -> None:
        """The question and its options; the question once more below them where they fill the screen."""
        asked = render.words(self.prompt, self.names, "bold")
        if self.desk.people > 1:
            asked = Text.assemble((self.human.name, render.seat_style(self.human.seat)), ": ", asked)
        options = render.choices(self.keys, self.labels, self.names, self.terminal.width)
        self.terminal.print("", asked, options)
        if self.takes_several and len(self.ids) > 2:
            hint = " several at once, in their order: 2 1" if self.takes_in_order else " several at once: 1 2"
            self.terminal.print(Text(hint, style="dim italic"))
        if self.terminal.drawn(options).count("\n") > self.terminal.height - 3:
            self.terminal.print(asked)

    def _log_since_own_turn(self) -> list[str]:
        start = next((t.logged for t in reversed(self.match.turns) if t.seat == self.human.seat), 0)
        return log_lines(self.match.log[start:], self.game, self.human.seat)

    # ------------------------------------------------------------ reading

    def answer(self) -> int | None:
        """The option that was typed, or None when a line asked or achieved something else."""
        try:
            line = self.terminal.read("> ").strip()
        except EOFError:
            raise Leave(keep=bool(self.match.turns)) from None
        except KeyboardInterrupt:
            self._leave(interrupted=True)
            return None
        if not line:
            self._show_choices()
            return None
        several = picks_in(line, self.keys, self.ids, self.takes_in_order) if self.takes_several else []
        if several:
            self.human.typed_ahead = (self.decision.site, several[1:])
            return self.ids.index(several[0])
        found = matching_options(line, self.keys, self.ids, self.spoken)
        exact = len(found) == 1 and line.casefold() in (self.ids[found[0]].casefold(), self.keys[found[0]].casefold())
        command, _, argument = line.lstrip(":/").partition(" ")
        command = SHORT.get(command.lower(), command.lower())
        if command in COMMANDS and not exact:
            self._obey(command, argument.strip())
            return None
        if len(found) == 1:
            return found[0]
        self._not_understood(line, found)
        return None

    def _not_understood(self, line: str, found: Sequence[int]) -> None:
        if found:
            self._say("That could be:")
            keys, labels = [self.keys[i] for i in found], [self.labels[i] for i in found]
            self.terminal.print(render.choices(keys, labels, self.names, self.terminal.width))
            return
        known = nearest(line, [*self.spoken, *self.ids, *COMMANDS])
        meant = f" Did you mean “{known}”?" if known else ""
        self._say(f"No option is “{line}”.{meant} Type a number or a part of an option; ? for help.")

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
                self.terminal.print(render.table(self.game, self.view, self.names, self.terminal.width))
                self._show_choices()
            case "log":
                lines = log_lines(self.match.log, self.game, self.human.seat)
                self.terminal.page(render.log(lines, self.names))
            case "rules":
                self.terminal.page(render.words(self.desk.rules(argument or None), self.names))
            case "look":
                self._look(argument)
            case "why":
                self._why(argument)
            case "undo":
                if not self.match.can_undo(self.human.seat):
                    self._say(self._why_no_undo())
                    return
                raise TakeBack(self.human.seat)
            case "save":
                self._save(argument)
            case "quit":
                self._leave()

    def _help(self) -> None:
        self._say("Type the number of an option, or a part of it that fits no other: words may be shortened.")
        for name, meaning in COMMANDS.items():
            self.terminal.print(Text.assemble((f"  {name:<6} ", "bold"), meaning))

    def _look(self, wanted: str) -> None:
        fitting = partial(matching_options, wanted, ())
        self.terminal.page(look(wanted, self.view, self.names, self.desk.rules, fitting, self.terminal.width))

    def _why(self, wanted: str) -> None:
        if not wanted:
            self._say("Say which option: why OPTION.")
            return
        open_now = matching_options(wanted, self.keys, self.ids, self.spoken)
        if open_now:
            self._say(f"“{self.spoken[open_now[0]]}” is open to you.")
            return
        for seat, name in enumerate(self.names, 1):
            wanted = re.sub(rf"\b{re.escape(name)}\b", f"P{seat}", wanted)
        for reason in self.game.why_not(self.match.state, wanted):
            said = render.words(reason.message, self.names, "bold")
            facts = [render.words(fact, self.names).plain for fact in reason.facts]
            self.terminal.pipe(render_reason(reason, said, facts, self.terminal.width))

    def _save(self, argument: str) -> None:
        seat, _, file = argument.partition(" ") if argument.startswith("--") else ("", "", argument)
        if seat not in ("", "--seat"):
            self._say(f"There is no {seat}; save --seat FILE writes what you may keep.")
        elif seat:
            self.terminal.pipe(one_line(self.desk.files.keep(self.human.seat, file.strip() or None).words))
        else:
            self.terminal.pipe(one_line(self.desk.files.save(file or None).words))

    def _why_no_undo(self) -> str:
        if not any(turn.seat == self.human.seat for turn in self.match.turns):
            return "There is nothing to take back yet."
        return "Since your last decision chance has spoken or something hidden was revealed: it stands."

    def _leave(self, interrupted: bool = False) -> None:
        """Ask whether to save; raise Leave, or return when the person stays."""
        if not self.terminal.interactive:
            raise Leave(keep=bool(self.match.turns), interrupted=interrupted)
        try:
            answer = self.terminal.read("\nLeave: Enter saves the game, d discards it, b goes back to it. ")
        except (EOFError, KeyboardInterrupt):
            raise Leave(keep=bool(self.match.turns), interrupted=True) from None
        answer = answer.strip().lower()
        if not answer.startswith("b"):
            raise Leave(keep=not answer.startswith("d"), interrupted=interrupted)


# ---------------------------------------------------------------- what a line means


def option_keys(ids: Sequence[str]) -> list[str]:
    """What to type for each option: numbers from 1, or, where the options are whole numbers, these themselves."""
    if all(i.isdecimal() for i in ids):
        return list(ids)
    return [str(number) for number in range(1, len(ids) + 1)]


def picks_in(typed: str, keys: Sequence[str], ids: Sequence[str], in_order: bool = False) -> list[str]:
    """The options that a line of several keys picks, and that it is all: `1 3 5`. In the order of the options; where it
    counts, as they were typed, and then more may follow. Empty for other lines."""
    wanted = typed.replace(",", " ").split()
    if len(wanted) < 2 or len(set(wanted)) < len(wanted) or not set(wanted) <= set(keys):
        return []
    by_key = dict(zip(keys, ids, strict=True))
    picked = [by_key[key] for key in sorted(wanted, key=list(keys).index) if by_key[key] != "done"]
    return [by_key[key] for key in wanted] if in_order else [*picked, "done"]


def matching_options(typed: str, keys: Sequence[str], ids: Sequence[str], labels: Sequence[str]) -> list[int]:
    """The options that a line may mean, by the strictest reading under which there is any.

    Readings: the key; the whole id or label; the beginning of one; every typed word begins a word of one."""
    wanted = typed.strip().casefold()
    if wanted in keys:
        return [keys.index(wanted)]
    names = [(i.casefold(), label.casefold()) for i, label in zip(ids, labels, strict=True)]
    parts = [p for p in wanted.replace(",", " ").split() if p]

    def begins_words(name: str) -> bool:
        known = name.replace(",", " ").replace(":", " ").split()
        return all(any(word.startswith(part) for word in known) for part in parts)

    readings: tuple[Callable[[str], bool], ...] = (
        lambda name: name == wanted,
        lambda name: name.startswith(wanted),
        begins_words,
    )
    for fits in readings:
        found = [i for i, pair in enumerate(names) if any(fits(name) for name in pair)]
        if found:
            return found
    return []
