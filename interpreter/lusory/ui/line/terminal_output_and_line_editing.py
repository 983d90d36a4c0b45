"""Print and read at a person's terminal, a pipe or a test, with the layout of Rich.

:mod:`lusory.ui.line.plain_output_and_terminal_checks` writes plain text to the standard streams, for commands that must
start fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import make_one_line, make_printable

from ...state.decisions_outcomes_and_faults import RulesetFault
from . import diagnostic_rendering as report, plain_output_and_terminal_checks as plain_output

if TYPE_CHECKING:
    from ...testing.cases.case_model import CaseResult

_DIFFERENCE = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}
"""Prefixes of the lines of a unified diff, and their styles."""


class _SafeRenderable:
    """Wrap a renderable so that its text can't contain control characters. Styles stay."""

    def __init__(self, part: RenderableType) -> None:
        self.part = part

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.part, options):
            yield segment if segment.control else Segment(make_printable(segment.text), segment.style)


class _SafetyHook(RenderHook):
    """Make everything that a console prints safe."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        plain_output.clear_status()
        return [_SafeRenderable(part) for part in renderables]


class Terminal:
    """Print renderables and read lines. ``is_interactive`` is set if a person uses it, so that screens may be cleared.

    Printed text and prompts can't control the terminal. ``commands`` holds all lines of :meth:`read_command`.
    """

    def __init__(self, console: Console, read_line: Callable[[str], str], is_interactive: bool) -> None:
        console.push_render_hook(_SafetyHook())
        self.console = console
        self._read_line = read_line
        self.is_interactive = is_interactive
        self.commands: list[str] = []

    def read(self, prompt: str) -> str:
        """Read a line after a prompt, without its line break. Raises EOFError at the end of the input.

        The status line is wiped first.
        """
        plain_output.clear_status()
        return self._read_line(make_printable(prompt))

    def read_command(self, prompt: str) -> str:
        """Read a line like :meth:`read`, and append it to ``commands``. Answers to other questions are not recorded.

        Raises EOFError at the end of the input, and records nothing then.
        """
        line = self.read(prompt)
        self.commands.append(line)
        return line

    def load_history(self, lines: Sequence[str]) -> None:
        """Load earlier input, oldest line first, into the history of the arrow keys, if a person uses the terminal."""
        if self.is_interactive:
            with suppress(ImportError):
                import_module("readline")
            _replace_history(lines)

    @property
    def width(self) -> int:
        return self.console.width

    @property
    def height(self) -> int:
        return self.console.height

    @property
    def _source_width(self) -> int | None:
        """The width for lines of source, or None if no terminal limits it."""
        return self.width if self.console.is_terminal else None

    def print(self, *parts: RenderableType) -> None:
        """Print each part on lines of its own. Strings are never parsed as markup."""
        for part in parts:
            self.console.print(part)

    def print_raw(self, text: str | Text) -> None:
        """Print text with its own line breaks only, whatever the width."""
        self.console.print(text, soft_wrap=True)

    def set_completions(self, words: Sequence[str]) -> None:
        """Set the words that Tab completes by their beginning, whatever their case.

        There are none if no person uses the terminal.
        """
        _set_completions(words if self.is_interactive else ())

    def clear_history(self) -> None:
        """Clear the history of the arrow keys, so that the next player doesn't see what another has typed."""
        _replace_history(())

    def render_plain(self, part: RenderableType) -> str:
        """Return a renderable as plain text at the terminal's width, to measure and compare it.

        Long lines wrap. Each line ends with a line feed and is not padded, but keeps those blanks of its own at the end
        that fit. A final line feed begins another line: ``a\\n`` gives ``a\\n\\n``. In texts, a tab becomes blanks, and
        Rich drops the control characters BEL, BS, VT, FF and CR. U+FFFD replaces each other control character and
        each invisible one, as in :func:`make_printable`. Wrapping doesn't count it, so a full line is cut at its end.
        """
        options = self.console.options
        lines = self.console.render_lines(_SafeRenderable(part), options, pad=False)
        return "".join("".join(segment.text for segment in line) + "\n" for line in lines)

    def print_markdown(self, text: str) -> None:
        """Print Markdown: formatted if ``console.is_terminal``, and otherwise as its source text.

        Any text in the environment variable ``FORCE_COLOR``, even ``0``, makes ``is_terminal`` True without a terminal.
        If the variable is set but empty, it is False even on a terminal.
        """
        if not self.console.is_terminal:
            self.print_raw(text)
            return
        # This import is slow, and few commands need it.
        from rich.markdown import Markdown

        self.console.print(Markdown(text))

    def clear(self) -> None:
        """Clear the screen and the scrollback of a person's terminal, so that nobody sees another player's screen."""
        plain_output.clear_status()
        if self.is_interactive and self.console.is_terminal:
            self.console.file.write("\x1b[2J\x1b[3J\x1b[H")
            self.console.file.flush()

    def print_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Print each diagnostic with its snippet and an empty line, and a last line ``2 errors, 1 warning``.

        Prints nothing without diagnostics.
        """
        for diagnostic in diagnostics:
            self.print_raw(report.render_diagnostic(diagnostic, self._source_width))
            self.print("")
        if diagnostics:
            self.print(report.summarize(diagnostics))

    def print_diff(self, lines: Iterable[str]) -> None:
        """Print the lines of a unified diff, coloured on a terminal. The lines have no line breaks."""
        for line in lines:
            if self.console.is_terminal:
                style = next((line_style for start, line_style in _DIFFERENCE.items() if line.startswith(start)), "")
                self.print_raw(Text(make_one_line(line), style))
            else:
                self.console.file.write(f"{make_one_line(line)}\n")

    def print_ignored(self, diagnostics: Sequence[tuple[Diagnostic, str]]) -> None:
        """Print suppressed diagnostics with their reasons, each with its snippet and an empty line."""
        for diagnostic, reason in diagnostics:
            self.print_raw(report.render_ignored(diagnostic, reason, self._source_width))
            self.print("")

    def print_fault(self, fault: RulesetFault, shows_position: bool = True) -> None:
        """Print a fault of the rules, see :func:`lusory.ui.line.diagnostic_rendering.render_fault`.

        The position holds every secret of the game, so it is not printed where people play.
        """
        self.print_raw(report.render_fault(fault, self._source_width, shows_position))

    def print_case_failure(self, result: CaseResult) -> None:
        """Print a failed test case: ``FAILED ID TITLE``, and each failure as a diagnostic with its details.

        An empty title gives ``FAILED ID `` with the last blank. Details are lines indented by two blanks. One empty
        line ends the whole.
        """
        title = make_one_line(f"{result.id} {result.title}")
        self.print_raw(Text.assemble(("FAILED ", "bold red"), (title, "bold")))
        for failure in result.failures:
            self.print_raw(report.render_diagnostic(failure.diagnostic, self._source_width))
            for line in failure.details:
                self.print_raw(f"  {make_printable(line)}")
        self.print("")

    def complain(self, message: str) -> None:
        """Print an error as one line: ``lusory: MESSAGE``."""
        self.print_raw(Text.assemble(("lusory: ", "bold red"), make_one_line(message)))


def create_terminal(output: TextIO | None = None) -> Terminal:
    """Return a terminal that reads standard input and writes to ``output``, by default standard output.

    Its ``is_interactive`` is True if both are terminals; lines can then be edited. Reading raises EOFError at the end
    of the input. Input that does not come from a terminal is echoed, so that the output reads like a session: the
    line ``a`` gives ``> a\\n`` after the prompt ``> ``, and the end of the input gives ``> \\n``.
    """
    source, target = sys.stdin, output or sys.stdout
    console = _create_console(target)
    if source.isatty() and target.isatty():
        return Terminal(console, _read_edited, is_interactive=True)

    def read(prompt: str) -> str:
        target.write(prompt)
        target.flush()
        line = source.readline()
        if not line:
            target.write("\n")
            raise EOFError
        if not source.isatty():
            # Echo the input, so that the output reads like a session.
            target.write(make_printable(line if line.endswith("\n") else line + "\n"))
        return line.rstrip("\n")

    return Terminal(console, read, is_interactive=False)


def create_error_terminal() -> Terminal:
    """Return a terminal that writes to standard error and is not interactive. Reading raises EOFError."""

    def read(prompt: str) -> str:
        raise EOFError

    return Terminal(_create_console(sys.stderr), read, False)


def _create_console(target: TextIO) -> Console:
    return Console(file=target, markup=False, highlight=False, emoji=False)


FUNCTION_KEYS = (*(f"\\e[{n}~" for n in (*range(11, 16), *range(17, 22), 23, 24)), *(f"\\eO{n}" for n in "PQRS"))
"""Escape sequences of F1 to F12. The readline library would insert their last letters as text."""


def _read_edited(prompt: str) -> str:
    """Read a line from the keyboard, with line editing if the platform has it."""
    with suppress(ImportError):
        # Importing readline turns line editing on.
        bind = import_module("readline").parse_and_bind
        for key in FUNCTION_KEYS:
            bind(f'"{key}": ""')
    return input(prompt)


def _set_completions(words: Sequence[str]) -> None:
    """Set the words that Tab completes. Does nothing without readline."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    matches: list[str] = []

    def complete(query: str, number: int) -> str | None:
        if number == 0:
            start = query.casefold()
            matches[:] = [make_printable(word) for word in dict.fromkeys(words) if word.casefold().startswith(start)]
        return matches[number] if number < len(matches) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")


def _replace_history(lines: Sequence[str]) -> None:
    """Replace the input history by lines, the oldest first. Does nothing without readline."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    readline.clear_history()
    for line in lines:
        # A terminal with a larger character set recorded the line.
        with suppress(UnicodeEncodeError):
            readline.add_history(line)
