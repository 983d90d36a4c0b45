"""Parse argument values, and declare the arguments that several commands share.

Each ``parse_…`` function takes the text as typed and returns the value. It raises `argparse.ArgumentTypeError` for any
other text; the message names what is allowed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..state import random_streams
from ..state.random_streams import Seed

MAX_NUMBER = 1_000_000_000
"""Upper limit of numbers on the command line."""

MAX_SEATS = MAX_JOBS = 1_000
"""Upper limits of seats in a game and of processes."""


def parse_positive(text: str, maximum: int = MAX_NUMBER) -> int:
    """Parse a whole number from 1 to ``maximum``: digits of any script only, leading zeros allowed.

    Raises ``ArgumentTypeError`` otherwise: ``'0' is not a whole number of 1 or more``, or ``the maximum is 1,000``.
    """
    digits = "".join(str(int(digit)) for digit in text).lstrip("0") if text.isdecimal() else ""
    if not digits:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    if len(digits) > len(str(maximum)) or int(digits) > maximum:
        raise argparse.ArgumentTypeError(f"the maximum is {maximum:,}")
    return int(digits)


def parse_percentage(text: str) -> float:
    """Parse a number from 0 to 100, with or without a percent sign: ``95``, ``95%`` and ``95 %`` give 95.0.

    Raises ``ArgumentTypeError`` for anything else.
    """
    value = _parse_float(text.removesuffix("%"))
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return value


def parse_amount(text: str) -> float:
    """Parse a finite number of 0 or more, in any form that ``float`` takes: ``0.5`` and `` 5e-1`` give 0.5.

    Raises ``ArgumentTypeError`` for any other text, also for ``nan`` and ``inf``.
    """
    value = _parse_float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def _parse_float(text: str) -> float:
    """Return a number, or -1.0 for other text."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def parse_count(text: str) -> int:
    """Parse a whole number of 0 or more, of at most 4,300 digits.

    Raises ``ArgumentTypeError`` for anything but digits, also for a sign.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return parse_whole(text)


def _parse_moment(text: str) -> int | Path:
    """Parse a number of decisions, or the file name of a saved game.

    Any text that ends in ``.json`` gives a path, whether or not the file exists. Other text must be decimal digits, or
    ``ArgumentTypeError`` is raised.
    """
    if text.endswith(".json"):
        return Path(text)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of decisions nor a saved game such as game.json"
        )
    return parse_whole(text)


def parse_port(text: str) -> int:
    """Parse a network port: at most 5 decimal digits, from 0 to 65535. Raises ``ArgumentTypeError`` otherwise."""
    if not text.isdecimal() or len(text) > 5 or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: ports go from 0 to 65535")
    return int(text)


def parse_whole(text: str) -> int:
    """Parse a whole number, which may be negative. Raises ``ArgumentTypeError`` for anything else."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def parse_seed(text: str) -> Seed:
    """Parse the seed of a game: a whole number, or the text that a game prints at its end.

    Raises ``ArgumentTypeError`` for anything else.
    """
    try:
        return random_streams.parse_seed(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def parse_jobs(text: str) -> int:
    """Parse a number of processes, from 1 to MAX_JOBS. ``all`` means one for each processor.

    Raises ``ArgumentTypeError`` for anything else.
    """
    if text == "all":
        from ..support.process_pool import count_processors

        return count_processors()
    return parse_positive(text, MAX_JOBS)


class Argument:
    """Argument of a command as ``usage`` shows it, with its help.

    ``--plain`` is a flag, ``--load FILE`` takes a value, ``game GAME`` is positional. The text after the first blank is
    the ``metavar`` of argparse. ``keywords`` are further keywords of ``add_argument``.
    """

    def __init__(self, usage: str, help: str, **keywords: Any) -> None:
        self.usage, self.help, self.keywords = usage, help, keywords


class Group:
    """Arguments that help lists under a title."""

    def __init__(self, title: str, *arguments: Argument | str) -> None:
        self.title, self.arguments = title, arguments


def add_arguments(parser: argparse._ActionsContainer, arguments: Iterable[Argument | Group | str]) -> None:
    """Add arguments to a parser, in this order.

    A string among them holds names of :data:`SHARED`, with blanks between them. Raises KeyError for any other name.
    """
    for argument in arguments:
        if isinstance(argument, Group):
            add_arguments(parser.add_argument_group(argument.title), argument.arguments)
        elif isinstance(argument, str):
            add_arguments(parser, [SHARED[name] for name in argument.split()])
        else:
            name, _, metavar = argument.usage.partition(" ")
            defaults = {"metavar": metavar} if metavar else {"action": "store_true"}
            parser.add_argument(name, help=argument.help, **defaults | argument.keywords)


BOTS = (
    "random, easy, fair, strong, greedy, flat:N, halving:N, mcts:N (N simulations, or seconds as 0.5s), replay:FILE, "
    "python:module.Class"
)
"""The kinds of bots, as help texts list them."""

_ENGINES = ["native", "compiled", "evaluator"]

SHARED: Mapping[str, Argument] = {
    "game": Argument("game GAME", "a folder, a .yaml file, or a bundled game"),
    "players": Argument(
        "--players N",
        "number of players (default: the fewest that the game allows)",
        type=partial(parse_positive, maximum=MAX_SEATS),
    ),
    "option": Argument(
        "--option NAME=VALUE", "set an option of the game; can be repeated", action="append", default=[], dest="options"
    ),
    "packs": Argument(
        "--with PACK",
        "add a pack to the game: a folder, a .yaml file, or a bundled pack; can be repeated",
        action="append",
        default=[],
        dest="packs",
    ),
    "budgets": Argument(
        "--budget NAME=N",
        "limit the work of the rules: decision, game, visits or options; can be repeated",
        action="append",
        default=[],
        dest="budgets",
    ),
    "bots": Argument("--seats BOT,...", f"the bots, in order of seats: {BOTS} (default: random at every seat)"),
    "swap": Argument("--swap", "play each deal again until every bot had every seat"),
    "seed": Argument(
        "--seed S", "play other games; the same seed gives the same games (default: 0)", type=parse_whole, default=0
    ),
    "jobs": Argument(
        "--jobs N",
        "number of processes, or `all` for one per processor; the result is the same (default: 1)",
        type=parse_jobs,
        default=1,
    ),
    "resume": Argument("--resume", "continue an interrupted run of the same command"),
    "trust": Argument("--trust", "from now on, allow the folders with rules that this saved game uses"),
    "format": Argument("--format FORMAT", "text or json (default: text)", choices=["text", "json"], default="text"),
    "engine": Argument(
        "--engine ENGINE",
        "native, compiled or evaluator (default: compiled, or native for long runs if you have a C compiler)",
        choices=_ENGINES,
    ),
    "table_engine": Argument(
        "--engine ENGINE", "native, compiled or evaluator (default: chosen for you)", choices=_ENGINES
    ),
}
"""Arguments of several commands, by the name that tables of commands give them.

``engine`` is for commands that play many games, and ``table_engine`` for those with a table.
"""


REPORT_FORMAT = (
    Argument(
        "--format FORMAT",
        "text, json, github (notes on a pull request), sarif (code scanning) or junit (default: text)",
        choices=["text", "json", "github", "sarif", "junit"],
        default="text",
    ),
    Argument("--output FILE", "write to FILE; formats other than text also print text on the screen"),
)
"""``--format FORMAT``, by default ``text``, and ``--output FILE``, by default None."""


def list_moment_arguments(help_text: str) -> tuple[Argument | Group | str, ...]:
    """Return the arguments that select a moment of a game. ``help_text`` is the help of ``--at``.

    They are ``game``, an optional ``ruleset``, ``--at`` and ``--trust``, and a group for a game that bots play:
    ``--seed``, ``--players``, ``--seats`` (the bots), ``--option``, ``--with`` (packs) and ``--budget``. ``--at`` gives
    an int, or a Path for a name that ends in ``.json``. ``options``, ``packs`` and ``budgets`` of the parsed arguments
    are lists, and ``trust`` is a bool. The others, also ``seed``, are None by default.
    """
    seed = Argument("--seed S", "the seed of the game (default: 0)", type=parse_seed)
    return (
        Argument("game FILE|GAME", "a saved game, or a game for bots to play"),
        Argument("ruleset GAME", "use the rules of this game for the saved game", nargs="?"),
        Argument("--at N|FILE", help_text, type=_parse_moment),
        "trust",
        Group("A game that bots play", seed, "players bots option packs budgets"),
    )
