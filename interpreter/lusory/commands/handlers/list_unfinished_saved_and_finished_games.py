"""Run ``lusory games``: list the user's own games: unfinished, saved and finished ones."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from lusory.commands.handlers.play_and_resume import describe_all_unfinished, describe_save
from lusory_dsl.source.safe_files_and_bundled_data import list_files

from ...explain.styled_text_wrapping_and_values import Line, Run
from ...play import saves_and_journals as saves, stored_results_settings_and_dataclass_json as stored
from ...play.recorded_game_data_and_replay import TranscriptError
from ...support.user_folders_private_files_and_locks import get_data_folder
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.statistics_tables_and_game_lists import list_tally_lines, render_own_games
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ..game_loading_seats_and_output import HUMAN

MAX_GAMES_SHOWN = 12
"""Maximum number of saved games listed."""


def run(args: argparse.Namespace) -> int:
    """Print the user's unfinished and saved games, and statistics of finished ones. Always returns 0.

    Only the latest MAX_GAMES_SHOWN saved games are looked at; damaged ones are left out. If the statistics can't be
    read, standard error gets an error instead. Without games, statistics and errors, it prints ``No games yet: lusory
    play begins one.``
    """
    unfinished_games = describe_all_unfinished()
    files = list_saved_games()[:MAX_GAMES_SHOWN]
    saved_games = [
        (words, shlex.join(["lusory", "play", "--load", str(path)]))
        for path in files
        if (words := describe_saved_game(path))
    ]
    try:
        statistics = summarize_finished_games()
    except OSError as problem:
        plain_output.report_error(f"{problem.filename} can't be read: {problem.strerror}")
        statistics = ()
        if not (unfinished_games or saved_games):
            return 0
    create_terminal().print(*render_own_games(unfinished_games, saved_games, statistics))
    return 0


def summarize_finished_games() -> tuple[Line, ...]:
    """Return the lines of :func:`list_tally_lines` for finished games, then an empty line and where they are stored.

    A line is a tuple of Runs, and ``()`` if empty. The last has the text ``These counts are stored in FILE. Delete this
    file to start again.`` The result is empty if no person has finished a game. Raises OSError.
    """
    lines = list_tally_lines(stored.count_results(stored.read_records(), HUMAN))
    location = f"These counts are stored in {stored.get_records_file()}. Delete this file to start again."
    return (*lines, (), (Run(location, dim=True),)) if lines else ()


def list_saved_games() -> list[Path]:
    """Return the ``.json`` files in the folder of saved games, the latest first, whatever they hold.

    The list is empty if the folder can't be read.
    """
    try:
        files = list_files(get_data_folder() / "saves", ".json")
        return sorted(filter(Path.is_file, files), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []


def describe_saved_game(path: Path) -> str:
    """Return one line about a saved game, see :func:`describe_save`. Returns "" for other files."""
    try:
        return describe_save(saves.read_save(path), path.stat().st_mtime)
    except (TranscriptError, OSError):
        return ""
