"""The parser of command lines: options by their full names, and what may be meant by a word that is wrong."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from lusory_dsl.text.printable import one_line

from ..console import streams

USAGE = 2
"""The exit code of a command line that makes no sense."""


class Version(argparse.Action):
    """``--version``; asks the installed package only when it is wanted."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("lusory")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        streams.put(f"lusory {version}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """Takes options by their full names, and says what may be meant by a word that is wrong. ``closing``: what the help
    ends with, made when it is read."""

    def __init__(self, closing: Callable[[], str], **named: Any) -> None:
        super().__init__(**named, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        self.closing = closing

    def format_help(self) -> str:
        self.epilog = self.closing()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        from lusory_dsl.text.diagnostics import did_you_mean

        word, known = _wrong_word(message)
        options = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", self.format_help())
        hint = did_you_mean(word, known or options) or f"`{self.prog} --help` says what can stand here"
        streams.remark(self.format_usage().rstrip("\n"))
        self.exit(USAGE, f"{self.prog}: {one_line(message)}\n  help: {one_line(hint)}\n")


def _wrong_word(message: str) -> tuple[str, list[str]]:
    """The word that argparse complains of, and the words that could stand there if it says so."""
    if chosen := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
        return chosen[1], re.findall(r"[\w-]+", chosen[2])
    unknown = re.match(r"unrecognized arguments: (-[\w-]+)", message)
    return (unknown[1] if unknown else ""), []
