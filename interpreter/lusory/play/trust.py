"""Which folders with rules a saved game may lead to: those that a person has allowed, or has saved a game of.

A list of whole paths in the user's own state folder, one a line, to be read and edited by hand. A saved game's text
alone never makes lusory look into a folder or file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from lusory_dsl.text.disk import read_text

from ..folders import is_ours, private, state_folder, write_own

FILE = "allowed"
MOST = 2_000
"""So many paths are remembered; the oldest are forgotten."""


def is_allowed(path: str) -> bool:
    """Whether a whole path is on the list. Nothing of it is looked at."""
    return _whole(path) in _listed()


def allow(paths: Iterable[str]) -> None:
    """Put whole paths on the list. Raises OSError where it can't be written."""
    listed = _listed()
    new = [whole for path in paths if (whole := _whole(path)) not in listed and "\n" not in whole]
    if new:
        lines = [*listed, *new][-MOST:]
        private(state_folder())
        write_own(_file(), "".join(f"{line}\n" for line in lines))


def _listed() -> list[str]:
    try:
        file = _file()
        return [line for line in read_text(file).split("\n") if line] if is_ours(file.stat()) else []
    except OSError:
        return []


def _file() -> Path:
    return state_folder() / FILE


def _whole(path: str) -> str:
    """A whole path without detours, found out without a look at the disk."""
    return os.path.normpath(path)
