"""Parse the value of one argument of the command line: numbers, shares, seeds, ports, numbers of processes.

Each function takes the text as typed and returns the value. All of them raise `argparse.ArgumentTypeError` for other
text; its message names what is allowed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..state import random_streams
from ..state.random_streams import Seed

MAX_NUMBER = 1_000_000_000
"""Upper limit of numbers on the command line."""

MAX_SEATS = MAX_JOBS = 1_000
"""Upper limits of seats in a game and of processes."""


def parse_positive(text: str, maximum: int = MAX_NUMBER) -> int:
    """Parse a whole number from 1 to ``maximum``."""
    digits = text.lstrip("0") if text.isdecimal() else ""
    if not digits:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    if len(digits) > len(str(maximum)) or int(digits) > maximum:
        raise argparse.ArgumentTypeError(f"the maximum is {maximum:,}")
    return int(digits)


def parse_players(text: str) -> int:
    """Parse a number of players. The game checks whether it allows it."""
    return parse_positive(text, MAX_SEATS)


def parse_percentage(text: str) -> float:
    """Parse a number from 0 to 100, with or without a percent sign: ``95%`` gives 95.0."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return value


def parse_amount(text: str) -> float:
    """Parse a finite number of 0 or more: ``0.5`` gives 0.5."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def parse_count(text: str) -> int:
    """Parse a whole number of 0 or more, without an upper limit."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def parse_moment(text: str) -> int | Path:
    """Parse a number of decisions, or the file name of a saved game."""
    if text.endswith(".json"):
        return Path(text)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of decisions nor a saved game such as game.json"
        )
    return int(text)


def parse_port(text: str) -> int:
    """Parse a network port, from 0 to 65535."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: ports go from 0 to 65535")
    return int(text)


def parse_whole(text: str) -> int:
    """Parse a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def parse_seed(text: str) -> Seed:
    """Parse the seed of a game: a whole number, or the text that a game prints at its end."""
    try:
        return random_streams.parse_seed(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def parse_jobs(text: str) -> int:
    """Parse a number of processes. ``all`` means one for each processor."""
    if text == "all":
        from ..support.process_pool import count_processors

        return count_processors()
    return parse_positive(text, MAX_JOBS)
