"""Run ``lusory complete``: print the shell code that completes commands, options and games."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

from ...ui.line import plain_output_and_terminal_checks as plain_output

NAMES, FILES = ("GAME",), ("FILE", "FOLDER", "PATH", "PACK")
"""Metavars of arguments that are games, and of those that are files."""


def run(args: argparse.Namespace) -> int:
    """Print the completion code for the shell ``args.shell``, with all commands of ``args.parser``. Returns 0.

    It completes options. It also completes arguments by their ``metavar``: one of ``NAMES`` with the names of bundled
    games or files, and one of ``FILES`` with files. Sets ``complete`` of these arguments.
    """
    # Only this command needs the package.
    import shtab

    games = _complete_games()
    for action in _walk_arguments(args.parser):
        words = {action.metavar} if isinstance(action.metavar, str) else set()
        if words & {*NAMES}:
            action.complete = games  # type: ignore[attr-defined]
        elif words & {*FILES}:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    plain_output.write_lines(shtab.complete(args.parser, args.shell))
    return 0


def _walk_arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _walk_arguments(inner)


def _complete_games() -> dict[str, object]:
    """Return the completion of games for each shell: names of bundled games, or files."""
    names = " ".join(sorted(find_bundled_rulesets()))
    bash = f'_lusory_games() {{\n  compgen -W "{names}" -- $1\n  compgen -f -- $1\n}}'
    zsh = f"_lusory_games() {{\n  _alternative 'games:game:({names})' 'files:file:_files'\n}}"
    return {
        "bash": "_lusory_games",
        "zsh": "_lusory_games",
        "fish": f"{names} (__fish_complete_path (commandline -ct))",
        "preamble": {"bash": bash, "zsh": zsh},
    }
