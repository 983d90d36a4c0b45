"""Extend argparse: suggestions for misspelt words, no abbreviations, and help texts with examples."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from lusory_dsl.source.source import one_line

from ..ui.line import streams

USAGE = 2
"""Exit code of an invalid command line."""


OVERVIEW = """\
A GAME is a folder, a single .yaml file, or the name of a bundled game (`lusory list`).

examples:
  lusory play {game:<25} a game against bots, playable at once
  lusory new my-game                    a small game to change into your own
  lusory check my-game/                 find every mistake, with line and column
  lusory test my-game/                  run the cases beside the rules
  lusory fmt my-game/                   put its files into the one style
  lusory explain {game:<22} the rules in words
  lusory explain E0401                  what a diagnostic means and how to mend it

environment:
  LUSORY_CACHE      the folder that keeps checked and compiled rulesets; `off`: none (default: in the user's cache)
  LUSORY_TRACEBACK  if set, a fault of lusory itself shows its traceback
  NO_COLOR          if set, nothing is coloured

"""

EXIT_CODES = "exit codes: 0 fine, 1 something was found or failed, 2 the command line makes no sense, 130 interrupted"


class Version(argparse.Action):
    """Print the version. The package metadata is read only on request."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("lusory")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        streams.put(f"lusory {version}")
        parser.exit()


class _Help(argparse.RawDescriptionHelpFormatter):
    """Format help like the standard formatter, but count the indentation of command names in the column width."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        inner = [] if action.help is argparse.SUPPRESS else list(self._iter_indented_subactions(action))
        longest = max((len(self._format_action_invocation(one)) for one in inner), default=0)
        self._action_max_length = max(self._action_max_length, longest + 2 * self._indent_increment)


class Parser(argparse.ArgumentParser):
    """Parse options by full name only, and suggest corrections. ``closing`` returns the end of the help text."""

    def __init__(self, closing: Callable[[], str], **named: Any) -> None:
        super().__init__(**named, formatter_class=_Help, allow_abbrev=False)
        self.closing = closing

    def format_help(self) -> str:
        self.epilog = self.closing()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        from lusory_dsl.source.diagnostics import did_you_mean

        word, known = _wrong_word(message)
        options = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", self.format_help())
        hint = did_you_mean(word, known or options) or f"`{self.prog} --help` says what can stand here"
        streams.remark(self.format_usage().rstrip("\n"))
        self.exit(USAGE, f"{self.prog}: {one_line(message)}\n  help: {one_line(hint)}\n")


def _wrong_word(message: str) -> tuple[str, list[str]]:
    """Return the word that argparse complains about, and the allowed words if the message lists them."""
    if chosen := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
        return chosen[1], re.findall(r"[\w-]+", chosen[2])
    unknown = re.match(r"unrecognized arguments: (-[\w-]+)", message)
    return (unknown[1] if unknown else ""), []


def overview() -> str:
    """Return the end of the main help text."""
    return f"{OVERVIEW.format(game=_example_game())}\n{EXIT_CODES}"


def with_game(command: str, examples: Sequence[str]) -> str:
    """Return the end of the help text of a command."""
    game = _example_game()
    shown = "\n".join(f"  lusory {command} {example.format(game=game)}".rstrip() for example in examples)
    return f"examples:\n{shown}\n\n{EXIT_CODES}"


def _example_game() -> str:
    """Return the bundled game that examples use: one directly in the folder of rulesets."""
    from lusory_dsl.source.safe_files import bundled_rulesets

    try:
        games = bundled_rulesets()
    except FileNotFoundError:
        games = {}
    return min(games, key=lambda name: (len(games[name].parts), name), default="my-game/")
