"""Run the command line: parse it, run the command, and report errors with the right exit code.

:mod:`lusory.commands.command_table` declares the commands, and :mod:`lusory.commands.handlers` has a module for each.

Heavy modules are imported only after the command is known, so that ``lusory --help`` is fast.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import set_parse_table_finder
from lusory_dsl.source.nesting_limits import raise_recursion_limit

from .commands.argument_values_and_shared_arguments import add_arguments
from .commands.command_table import COMMANDS
from .commands.errors import INTERRUPTED, UsageError
from .commands.parser_usage_errors_and_help_layout import (
    USAGE,
    Parser,
    VersionAction,
    write_command_help,
    write_main_help,
)
from .ui.line import plain_output_and_terminal_checks as plain_output

FAILURE = 1
"""Exit code if a command finds problems or fails."""

GC_THRESHOLD = 20_000
"""Number of new objects that triggers a garbage collection.

Python's 700 would cost a tenth of the start of a command.
"""

FIRST_STATUS = {
    **dict.fromkeys(("play", "host", "show"), "Reading the rules …"),
    "replay": "Reading the recorded game …",
    "join": "Connecting to the host …",
}
"""Status line of interactive commands while they start."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. This is the entry point of the console script.

    ``argv`` are the arguments without the program's name, by default those of the process. Without any, on a terminal,
    the menu is shown, or an error if the terminal can't show it. The exit code is that of the command, or 130 for an
    interrupt. A UsageError and a menu that can't be shown give 2. Any other exception gives 1, with a message unless a
    pipe is broken. Raises SystemExit with the code 0 for ``--help`` and ``--version``. Its code is 2 for a command line
    that can't be parsed, and for no arguments elsewhere than on a terminal.
    """
    gc.set_threshold(GC_THRESHOLD)
    plain_output.prepare()
    raise_recursion_limit()
    set_parse_table_finder(_find_parse_table_file)
    if not (sys.argv[1:] if argv is None else argv) and plain_output.is_interactive():
        if reason := plain_output.explain_no_full_screen():
            plain_output.report_error(
                f"the menu needs a full screen: {reason}",
                "`lusory list` lists the games, and `lusory play GAME` starts one",
            )
            return USAGE
        return _run(argparse.Namespace(command="start_menu", then=lambda words: _run(_parse(words))))
    return _run(_parse(argv))


def _find_parse_table_file() -> Path | None:
    # Imported late, because it loads the core of the language.
    from .support.cache import find_default_parse_table_file

    return find_default_parse_table_file()


def _run(args: argparse.Namespace) -> int:
    """Run a parsed command and return its exit code."""
    if getattr(args, "ascii", False):
        plain_output.write_ascii()
    try:
        if words := FIRST_STATUS.get(args.command):
            # Show this before the slow import.
            plain_output.show_status(words)
        module = next((row.module for row in COMMANDS if row.name == args.command), args.command)
        command = import_module(f"lusory.commands.handlers.{module}")
        code: int = command.run(args)
        plain_output.clear_status()
        plain_output.flush()
        return code
    except KeyboardInterrupt:
        plain_output.write_error_line()
        return INTERRUPTED
    except BrokenPipeError:
        plain_output.redirect_output()
        return FAILURE
    except Exception as problem:
        return _report(problem)


def _report(problem: Exception) -> int:
    """Print an error message, and return the exit code. Prints a traceback only if the user wants one."""
    if isinstance(problem, UsageError):
        plain_output.report_error(str(problem), problem.hint, problem.details)
        return USAGE
    from .commands.errors import report_failure

    if report_failure(problem):
        return FAILURE
    if os.environ.get("LUSORY_TRACEBACK"):
        import traceback

        plain_output.write_error_line("".join(traceback.format_exception(problem)).rstrip("\n"))
    hint = "this is a bug in lusory, not in the rules; set LUSORY_TRACEBACK=1 to see where it happened"
    plain_output.report_error(f"internal error: {type(problem).__name__}: {problem}", hint)
    return FAILURE


# ---------------------------------------------------------------- parsing


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line, by default that of the process. Exits with a usage error if it is invalid.

    The result also holds the main parser, as ``parser``.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    parser, commands = _create_parsers(words[0] if words else "")
    if words and words[0] in commands:
        # Names may follow options, which argparse does not allow for subparsers.
        command = commands[words[0]]
        args, unknown_words = command.parse_known_intermixed_args(words[1:], argparse.Namespace(command=words[0]))
    else:
        args, unknown_words = parser.parse_known_args(words)
    args.parser = parser
    if unknown_words:
        commands[args.command].error(f"unrecognized arguments: {' '.join(unknown_words)}")
    return args


def _create_parsers(first: str) -> tuple[Parser, dict[str, Parser]]:
    """Return the main parser, and the parsers of commands by name.

    If the ``first`` word is a command, create only its parser, because creating all is slow. Completion needs all.
    """
    commands = [command for command in COMMANDS if command.name == first != "complete"] or COMMANDS
    rows = [(command.topic, command.name, command.summary) for command in COMMANDS]
    parser = Parser(lambda _: write_main_help(rows), prog="lusory")
    parser.add_argument("--version", action=VersionAction, nargs=0, help="show the version")
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    parsers: dict[str, Parser] = {}
    for command in commands:
        write = partial(write_command_help, examples=command.examples)
        command_parser = subparsers.add_parser(
            command.name,
            write_help=write,
            help=command.summary,
            description=command.about,
            prog=f"lusory {command.name}",
        )
        add_arguments(command_parser, command.arguments)
        parsers[command.name] = command_parser
    return parser, parsers
