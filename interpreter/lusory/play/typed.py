"""What was typed at the prompt of a game, for the arrow keys of the next: a line each, in the user's state folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lusory_dsl.text.disk import read_text

from ..folders import is_ours, private, state_folder, write_own

MOST, LONGEST = 500, 200
"""Lines that are kept, the latest, and letters of one."""


def file_of_lines() -> Path:
    """Raises OSError where this user has no folder for such things."""
    return state_folder() / "typed"


def lines() -> list[str]:
    """What was typed, the earliest first; nothing where the file can't be read or is not its user's alone."""
    try:
        path = file_of_lines()
        text = read_text(path) if path.exists() and is_ours(path.stat()) else ""
    except OSError:
        return []
    return [line for line in text.split("\n") if _is_kept(line)][-MOST:]


def keep(typed: Iterable[str]) -> None:
    """Add what was typed; of lines that follow each other and are the same, one. Raises OSError."""
    every = [*lines(), *filter(_is_kept, typed)]
    kept = [line for at, line in enumerate(every) if at + 1 == len(every) or every[at + 1] != line]
    path = file_of_lines()
    private(path.parent)
    write_own(path, "".join(f"{line}\n" for line in kept[-MOST:]))


def _is_kept(line: str) -> bool:
    return bool(line.strip()) and line.isprintable() and len(line) <= LONGEST
