"""Where text goes and lines come from: a person's terminal, a pipe, or a test."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import one_line, printable

from ...state.decision import RulesetFault
from . import diagnostics as report, streams

if TYPE_CHECKING:
    from ...testing.cases.model import CaseResult

_DIFFERENCE = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}
"""How the lines of a unified diff begin, and their colours."""


class _Harmless:
    """A renderable whose text can do nothing but be read, whatever it comes from; its colours stay."""

    def __init__(self, part: RenderableType) -> None:
        self.part = part

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.part, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


class _Door(RenderHook):
    """What a console prints goes through here."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        streams.done()
        return [_Harmless(part) for part in renderables]


class Terminal:
    """Prints renderables and reads lines. ``interactive``: a person sits there, so screens may be cleared.

    Nothing that is printed here, nor any prompt of ``read``, can steer the terminal."""

    def __init__(self, console: Console, read: Callable[[str], str], interactive: bool) -> None:
        console.push_render_hook(_Door())
        self.console = console
        self._read = read
        self.interactive = interactive
        self._typed: dict[int, list[str]] = {}  # by whom, while somebody else types
        self._typist = -1
        self.commands: list[str] = []

    def read(self, prompt: str) -> str:
        """A line that is typed behind a prompt. Raises EOFError where there is none."""
        streams.done()
        return self._read(printable(prompt))

    def command(self, prompt: str) -> str:
        """A line as :meth:`read`, to be told from answers to other questions: ``commands`` keeps what was typed."""
        line = self.read(prompt)
        self.commands.append(line)
        return line

    def recall(self, lines: Sequence[str]) -> None:
        """Have the arrow keys bring back what was typed at an earlier time."""
        if self.interactive:
            with suppress(ImportError):
                import_module("readline")
            _typed_lines(lines)

    @property
    def width(self) -> int:
        return self.console.width

    @property
    def height(self) -> int:
        return self.console.height

    def print(self, *parts: RenderableType) -> None:
        """Each part on lines of its own. Plain strings are never read as markup."""
        for part in parts:
            self.console.print(part)

    def pipe(self, text: str | Text) -> None:
        """Text that keeps its own line breaks however narrow the terminal is."""
        self.console.print(text, soft_wrap=True)

    def page(self, part: RenderableType) -> None:
        """Print; where a person sits and the screen is too small, through a pager that can be left, if there is one."""
        pager = real_pager() if self.interactive and self.drawn(part).count("\n") > self.height else None
        if pager is None:
            self.console.print(part)
            return
        with self.console.capture() as captured:
            self.console.print(part)
        try:
            _paged(pager, captured.get())
        except OSError:
            self.console.print(part)

    def completes(self, words: Sequence[str]) -> None:
        """Have Tab complete a line that is typed to one of these."""
        _completion(words if self.interactive else ())

    def sits_down(self, seat: int) -> None:
        """Somebody else takes the keyboard: the arrow keys bring back what this person typed, and nobody else."""
        if seat != self._typist:
            self._typed[self._typist] = _typed_lines(self._typed.pop(seat, []))
            self._typist = seat

    def drawn(self, part: RenderableType) -> str:
        """What ``part`` looks like here, as plain text: to measure it and to compare it."""
        options = self.console.options
        lines = self.console.render_lines(_Harmless(part), options, pad=False)
        return "".join("".join(segment.text for segment in line) + "\n" for line in lines)

    def markdown(self, text: str) -> None:
        """A page of documentation: laid out for a person, as it is for a pipe."""
        if not self.console.is_terminal:
            self.pipe(text)
            return
        from rich.markdown import Markdown  # imported late: it is slow, and few commands need it

        self.console.print(Markdown(text))

    def clear(self) -> None:
        """Wipe the screen and what was scrolled off it, so that nobody reads what the player before saw."""
        streams.done()
        if self.interactive and self.console.is_terminal:
            self.console.file.write("\x1b[2J\x1b[3J\x1b[H")
            self.console.file.flush()

    def diagnostics(self, found: Sequence[Diagnostic]) -> None:
        """Findings with their snippets, and how many there are."""
        for diagnostic in found:
            self.pipe(report.render(diagnostic, self.width if self.console.is_terminal else None))
            self.print("")
        if found:
            self.print(report.summary(found))

    def difference(self, lines: Iterable[str]) -> None:
        """A unified diff: in colour for a person, to the letter for a pipe."""
        for line in lines:
            if self.console.is_terminal:
                style = next((s for start, s in _DIFFERENCE.items() if line.startswith(start)), "")
                self.pipe(Text(one_line(line), style))
            else:
                self.console.file.write(f"{one_line(line)}\n")

    def ignored(self, found: Sequence[tuple[Diagnostic, str]]) -> None:
        """Findings that the authors have silenced, with the reasons that they give."""
        for diagnostic, reason in found:
            self.pipe(report.render_ignored(diagnostic, reason, self.width if self.console.is_terminal else None))
            self.print("")

    def fault(self, fault: RulesetFault) -> None:
        """Rules that went wrong while they were played."""
        self.pipe(report.render_fault(fault, self.width if self.console.is_terminal else None))

    def case_failure(self, result: CaseResult) -> None:
        """A case that did not pass: each reason with its place, then what was expected, what came, what happened."""
        title = one_line(f"{result.id} {result.title}")
        self.pipe(Text.assemble(("FAILED ", "bold red"), (title, "bold")))
        for failure in result.failures:
            self.pipe(report.render(failure.diagnostic, self.width if self.console.is_terminal else None))
            for line in failure.details:
                self.pipe(f"  {printable(line)}")
        self.print("")

    def complain(self, message: str) -> None:
        self.pipe(Text.assemble(("lusory: ", "bold red"), one_line(message)))


def terminal(input: TextIO | None = None, output: TextIO | None = None) -> Terminal:
    """The terminal of this process: its standard streams where no others are given."""
    source, target = input or sys.stdin, output or sys.stdout
    console = _console(target)
    interactive = source.isatty() and target.isatty()
    if interactive and source is sys.stdin:
        return Terminal(console, _read_edited, interactive)

    def read(prompt: str) -> str:
        target.write(prompt)
        target.flush()
        line = source.readline()
        if not line:
            target.write("\n")
            raise EOFError
        if not source.isatty():
            target.write(printable(line if line.endswith("\n") else line + "\n"))  # the output reads like a session
        return line.rstrip("\n")

    return Terminal(console, read, interactive)


def error_terminal() -> Terminal:
    """Standard error, for problems; nothing is read from it."""

    def read(prompt: str) -> str:
        raise EOFError

    return Terminal(_console(sys.stderr), read, False)


def _console(target: TextIO) -> Console:
    return Console(file=target, markup=False, highlight=False, emoji=False)


FUNCTION_KEYS = (*(f"\\e[{n}~" for n in (*range(11, 16), *range(17, 22), 23, 24)), *(f"\\eO{n}" for n in "PQRS"))
"""What F1 to F12 send; the library would take the end of it for letters."""


def _read_edited(prompt: str) -> str:
    """A line from the keyboard, with the arrow keys where the platform offers that."""
    with suppress(ImportError):
        bind = import_module("readline").parse_and_bind  # importing it is what turns line editing on
        for key in FUNCTION_KEYS:
            bind(f'"{key}": ""')
    return input(prompt)


def _completion(words: Sequence[str]) -> None:
    """What Tab completes; where the platform has no such keys, nothing."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    found: list[str] = []

    def complete(typed: str, number: int) -> str | None:
        if number == 0:
            start = typed.casefold()
            found[:] = [printable(word) for word in dict.fromkeys(words) if word.casefold().startswith(start)]
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")


def _typed_lines(those: Sequence[str]) -> list[str]:
    """The lines behind the arrow keys, in whose place come those."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    before = [readline.get_history_item(n) for n in range(1, readline.get_current_history_length() + 1)]
    readline.clear_history()
    for line in those:
        with suppress(UnicodeEncodeError):  # what was typed at a terminal that knows more signs
            readline.add_history(line)
    return before


def _paged(pager: Sequence[str], text: str) -> None:
    """Show text in a pager until it is left. Ctrl-C is the pager's own; whatever else ends this program ends the pager
    first, so that it gives the terminal back. Raises OSError where it can't be started."""
    colours = {"LESS": os.environ.get("LESS", "R")}  # else `less` shows what steers a terminal as signs
    before = signal.signal(signal.SIGINT, lambda number, frame: None)  # at once: one that comes as it starts is its own
    process = None
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, text=True, encoding="utf-8", env=os.environ | colours)
        process.communicate(text)
    finally:
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait()
        signal.signal(signal.SIGINT, before)


def real_pager() -> list[str] | None:
    """The program that shows long texts page by page: the user's own, else ``less``; None where there is none, or where
    it would not stop at a page."""
    words = shlex.split(os.environ.get("PAGER", "")) or ["less", "-R"]
    program = shutil.which(words[0])
    return None if program is None or os.path.basename(program) == "cat" else [program, *words[1:]]
