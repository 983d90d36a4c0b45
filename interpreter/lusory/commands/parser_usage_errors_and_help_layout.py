"""Print `--help` and usage errors: the parser class that the main command and every subcommand use.

The arguments themselves are in :mod:`lusory.commands.command_table`.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from lusory_dsl.source.source import make_one_line

from ..ui.line import plain_output_and_terminal_checks as plain_output

USAGE = 2
"""Exit code of an invalid command line."""

WIDTH = 79
"""Maximum length of a line of help, in columns."""

LABEL_WIDTH = 17
"""Columns for the name of an argument. Longer names push their description to the right."""

MAIN_OPTIONS = """\
Options
  -h, --help         show this help
  --version          show the version

Environment
  LUSORY_CACHE       where compiled rules are kept; `off` keeps none
                     (default: your cache folder)
  LUSORY_TRACEBACK   if set, an internal error shows its traceback
  NO_COLOR           if set, output has no colour
"""

EXIT_CODES = "Exit codes: 0 success, 1 problems found, 2 wrong usage, 130 interrupted\n"


class VersionAction(argparse.Action):
    """Print the version and exit. The package metadata is read only on request."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("lusory")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        plain_output.write_line(f"lusory {version}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """Parse options by their full name only, and suggest corrections of misspelt words.

    ``write_help`` receives the parser and returns the text of ``--help``.
    """

    def __init__(self, write_help: Callable[[Parser], str], **keywords: Any) -> None:
        super().__init__(**keywords, allow_abbrev=False, add_help=False)
        self.add_argument("-h", "--help", action="help", help="show this help")
        self._write_help = write_help

    def format_help(self) -> str:
        return self._write_help(self)

    def format_usage(self) -> str:
        """Return the usage line with a line break, such as ``usage: lusory compile [options] GAME``.

        ``[options]`` comes first. Required options follow, with all names (``-k, --cases TEXT``), and then
        positional arguments, as ``GAME``, ``[GAME]``, ``GAME...`` or ``[GAME...]``. For the main command it is ``usage:
        lusory COMMAND [options]``.
        """
        if self.usage is not None:  # argparse keeps it here while it hides the positional arguments
            return f"usage: {self.usage}"
        options = [action for action in self._actions if action.option_strings and action.required]
        positionals = [action for action in self._actions if not action.option_strings]
        patterns = {"?": "[{}]", "*": "[{}...]", "+": "{}..."}
        words = ["[options]", *map(format_label, options)]
        words += [patterns.get(str(action.nargs), "{}").format(format_label(action)) for action in positionals]
        if self._subparsers is not None:
            # The main command has nothing but `--help` and `--version` besides the name of a command.
            words = ["COMMAND", "[options]"]
        return f"usage: {self.prog} {' '.join(words)}\n"

    def error(self, message: str) -> NoReturn:
        """Print three lines to standard error, and exit with code 2.

        They are the usage line, argparse's ``message`` in plain words, and how to correct it. ``unrecognized arguments:
        --sede`` becomes ``lusory play: unknown option: --sede``. The third line is ``  help: did you mean `--seed`?``
        if a choice or option is similar, or else ``  help: `lusory play --help` lists what you can write``.
        """
        from lusory_dsl.source.spelling_suggestions import suggest_name

        text, word, choices = _reword(message)
        options = [option for option in self._option_string_actions if option.startswith("--")]
        hint = suggest_name(word, choices or options) or f"`{self.prog} --help` lists what you can write"
        plain_output.write_error_line(self.format_usage().rstrip("\n"))
        self.exit(USAGE, f"{self.prog}: {make_one_line(text)}\n  help: {make_one_line(hint)}\n")


def _reword(message: str) -> tuple[str, str, list[str]]:
    """Return a message of argparse in plain words, the word that is wrong or "", and the words allowed in its place.

    For example ``argument --format: invalid choice: 'jsno' (choose from 'text', 'json')`` becomes
    ``("--format: `jsno` is not one of text, json", "jsno", ["text", "json"])``.
    """
    message = message.removeprefix("argument ")
    if choice_match := re.search(r"^(.*?): invalid choice: '(.*?)' \(choose from (.*)\)", message, re.DOTALL):
        choices = re.findall(r"[\w-]+", choice_match[3])
        if choice_match[1] == "COMMAND":
            return f"unknown command `{choice_match[2]}`", choice_match[2], choices
        return f"{choice_match[1]}: `{choice_match[2]}` is not one of {', '.join(choices)}", choice_match[2], choices
    if word_match := re.match(r"unrecognized arguments: (\S+)(.*)", message, re.DOTALL):
        is_option = word_match[1].startswith("-")
        return f"unknown {'option' if is_option else 'argument'}: {word_match[1]}{word_match[2]}", word_match[1], []
    if missing_match := re.match(r"the following arguments are required: (.*)", message):
        return f"{missing_match[1]} is missing", "", []
    return message, "", []


# ---------------------------------------------------------------- help texts


def write_main_help(commands: Iterable[tuple[str, str, str]]) -> str:
    """Return the text of ``lusory --help``. ``commands`` holds the topic, name and summary of each command.

    After the usage and a line about lusory, topics come in the order in which they first occur, and commands within
    them in their order. A topic is a line of its own, without a colon. A command has two spaces, its name in ten
    columns, two spaces and its summary: ``  join        Join a hosted game``. Two lines on GAME and COMMAND, examples,
    options, environment variables and exit codes follow. An empty line stands between the parts, and the text ends with
    a line break.
    """
    topics: dict[str, list[str]] = {}
    for topic, name, summary in commands:
        topics.setdefault(topic, []).append(f"  {name:<10}  {summary}\n")
    game = _find_example_game()
    examples = (
        (f"lusory play {game}", "play a game against bots"),
        ("lusory new my-game", "start a game of your own"),
        ("lusory check my-game", "find mistakes, with line and column"),
        ("lusory explain E0401", "explain a diagnostic"),
    )
    parts = [
        "usage: lusory COMMAND [options]\n",
        "Write, test and play tabletop games.\n",
        *(f"{topic}\n{''.join(rows)}" for topic, rows in topics.items()),
        "A GAME is a folder, a .yaml file, or the name of a bundled game.\n"
        "`lusory COMMAND --help` describes a command. `lusory` alone opens the menu.\n",
        "Examples\n" + "".join(f"  {command:<28}  {purpose}\n" for command, purpose in examples),
        MAIN_OPTIONS,
        EXIT_CODES,
    ]
    return "\n".join(parts)


def write_command_help(parser: Parser, examples: Sequence[str]) -> str:
    """Return the text of ``lusory COMMAND --help``: usage, description, arguments, options, examples and exit codes.

    The usage is such as ``usage: lusory play [options] [GAME]``. Arguments have no title. Options and examples have the
    titles ``Options`` and ``Examples``, and other groups their own, all without a colon. ``Examples`` stands there even
    without an example. Groups without arguments, and ``--help`` itself, are left out. A blank line stands between the
    parts, of which the last is :data:`EXIT_CODES`. Each of ``examples`` is a command line without ``lusory COMMAND``:
    ``{game} --seed 7`` becomes ``  lusory play my-game --seed 7`` if no game is bundled. Otherwise it names the bundled
    game in the fewest folders, of several the first by name.
    """
    game = _find_example_game()
    commands = "".join(f"  {parser.prog} {example.format(game=game)}".rstrip() + "\n" for example in examples)
    parts = [parser.format_usage(), textwrap.fill(parser.description or "", WIDTH) + "\n"]
    indent = " " * (LABEL_WIDTH + 4)
    for group in parser._action_groups:
        rows = ""
        for action in group._group_actions:
            if "--help" not in action.option_strings:
                label, text = f"  {format_label(action):<{LABEL_WIDTH}}  ", (action.help or "") % ()
                rows += textwrap.fill(
                    text, WIDTH, initial_indent=label, subsequent_indent=indent, break_on_hyphens=False
                )
                rows += "\n"
        if rows:
            titles = {parser._positionals: "", parser._optionals: "Options\n"}
            parts.append(titles.get(group, f"{group.title}\n") + rows)
    return "\n".join([*parts, f"Examples\n{commands}", EXIT_CODES])


def format_label(action: argparse.Action) -> str:
    """Return an argument as in a list of options: ``--games N`` or ``GAME``.

    All names of an option come first, with commas between them: ``-k, --cases TEXT``. A flag has no value. Without
    a ``metavar``, or with a tuple of them, the value is ``dest`` in capitals: ``--max-rows MAX_ROWS``. ``choices`` and
    ``nargs`` such as ``"?"`` add nothing.
    """
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return metavar
    name = ", ".join(action.option_strings)
    if action.nargs == 0:
        return name
    return f"{name} {metavar}"


def _find_example_game() -> str:
    """Return the bundled game that examples use, or ``my-game`` without any.

    It is the one in the fewest folders. Of several, it is the first by name.
    """
    from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

    try:
        games = find_bundled_rulesets()
    except FileNotFoundError:
        games = {}
    return min(games, key=lambda name: (len(games[name].parts), name), default="my-game")
