"""What is typed behind an argument, as values; each raises ArgumentTypeError for anything else."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..table.chance import Seed, seed_in

MOST = 1_000_000_000
"""Of anything: games, trials, seconds."""

MOST_SEATS = MOST_JOBS = 1_000
"""At one table; processes at work."""


def positive(text: str, most: int = MOST) -> int:
    """A whole number from 1 to ``most``."""
    digits = text.lstrip("0") if text.isdecimal() else ""
    if not digits:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    if len(digits) > len(str(most)) or int(digits) > most:
        raise argparse.ArgumentTypeError(f"that is more than {most:,}")
    return int(digits)


def players(text: str) -> int:
    """How many sit at a table; a game says how many it takes."""
    return positive(text, MOST_SEATS)


def percentage(text: str) -> float:
    """A number from 0 to 100, with or without a sign."""
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return found


def amount(text: str) -> float:
    """A number from 0."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return found


def count(text: str) -> int:
    """A whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def moment(text: str) -> int | Path:
    """A number of decisions, or the file of a saved game."""
    if text.endswith(".json"):
        return Path(text)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a whole number from 0 nor a saved game, as game.json")
    return int(text)


def port(text: str) -> int:
    """A port of the net."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: they go from 0 to 65535")
    return int(text)


def number(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def seed(text: str) -> Seed:
    """Of one game: a whole number, or what a game without a seed of its own says at its end."""
    try:
        return seed_in(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def jobs(text: str) -> int:
    """How many processes: a number, or `all` for one on each processor."""
    if text == "all":
        from ..processes import processors

        return processors()
    return positive(text, MOST_JOBS)
