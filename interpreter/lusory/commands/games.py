"""``lusory games``: the games of one's own: left in the middle, saved, and how those went that ended."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from lusory_dsl.text.disk import files_in

from ..console import streams
from ..console.summary import mine
from ..console.terminal import terminal
from ..folders import data_folder
from ..play import records, saves
from ..play.transcript import TranscriptError
from .common import HUMAN
from .continuing import left_in_the_middle

SHOWN = 12
"""So many saved games are listed."""


def run(args: argparse.Namespace) -> int:
    unfinished = left_in_the_middle()
    saved = [line for path in saved_games()[:SHOWN] if (line := _said(path)) is not None]
    try:
        tallies = records.tallied(records.records(), HUMAN)
    except OSError as problem:
        streams.complain(f"{problem.filename} can't be read: {problem.strerror}")
        tallies = []
    terminal().print(*mine(unfinished, saved, tallies))
    return 0


def saved_games() -> list[Path]:
    """The files of saved games, the latest first; none where the folder can't be read."""
    try:
        found = files_in(data_folder() / "saves", ".json")
    except OSError:
        return []
    return sorted(filter(Path.is_file, found), key=_changed, reverse=True)


def _changed(path: Path) -> float:
    """When a file was written last; long ago where it has gone meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _said(path: Path) -> tuple[str, str] | None:
    """A saved game in words, and what goes on with it; None for another file."""
    try:
        save = saves.read(path)
    except (TranscriptError, OSError):
        return None
    made = len(save.transcript.decisions)
    words = f"{save.transcript.program}, {'1 decision' if made == 1 else f'{made} decisions'}, {', '.join(save.names)}"
    return words, shlex.join(["lusory", "play", "--load", str(path)])
