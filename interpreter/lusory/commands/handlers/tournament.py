"""Run ``lusory tournament``: let bots play each other on all seats until it is clear which is stronger."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lusory_dsl.source.safe_files_and_bundled_data import FileRefused, read_text, write_atomically
from lusory_dsl.source.source import format_json

from ...native import NativeUsage
from ...stats.tournament import Tournament, TournamentMismatch
from ...support.cache import find_default_cache
from ...ui.line import plain_output_and_terminal_checks as plain_output
from .. import game_loading_seats_and_output as common
from ..errors import UsageError

OTHER = "write the name of a new file, or of the file of the same tournament"


def run(args: argparse.Namespace) -> int:
    """Play the tournament, and print the results as text, or as JSON if ``args.format`` is ``json``.

    Returns 0, or 130 after Ctrl-C. The results so far are then printed, as they are before a WorkerDied is raised. A
    RulesetFault or PlayerFailed of a game is raised without printing them. ``args.file`` gets the results in all these
    cases; if it exists, its tournament is continued. Raises UsageError if ``args.players``, a text such as
    ``strong,random``, has fewer than two kinds of bots, an unknown kind, or a kind twice. Also raises it if the file
    holds another tournament or something else, or if its folder is missing.
    """
    program = common.load_cached_program(args.game, args.packs)
    kinds = tuple(common.parse_kinds(args.players, "--players"))
    if len(set(kinds)) < max(len(kinds), 2):
        raise UsageError(
            "--players: a tournament needs at least two different bots", "for example --players strong,random"
        )
    game = common.create_game(program, args.seats, args.options, args.engine)
    native, store = common.parse_native_mode(args.engine), find_default_cache()
    tournament = Tournament(game, kinds, args.games, args.seed, args.jobs, args.full, store, native=native)
    file = None if args.file is None else Path(args.file)
    if file is not None:
        if not file.absolute().parent.is_dir():
            raise UsageError(
                f"--file {file}: there is no folder `{file.parent}`", "create it, or choose another folder"
            )
        if file.exists():
            _resume_tournament(tournament, file)

    def save() -> None:
        if file is not None:
            write_atomically(file, format_json(tournament.to_json()))

    with common.show_progress("games", tournament.max_games) as show, common.Interruption() as stop:
        tournament.run(show, save)
    save()
    common.report_native(tournament.use, args.engine)
    if args.format == "json":
        native_use = {} if tournament.use == NativeUsage() else {"native": tournament.use.to_json()}
        plain_output.write_lines(format_json(tournament.to_json() | native_use))
    else:
        from ...ui.line.statistics_tables_and_game_lists import render_tournament
        from ...ui.line.terminal_output_and_line_editing import create_terminal

        create_terminal().print(*render_tournament(tournament))
    if stop.problem is not None and file is not None:
        plain_output.write_error_line(f"lusory: interrupted; run the same command to continue from {file}")
    return stop.choose_code(0)


def _resume_tournament(tournament: Tournament, file: Path) -> None:
    """Continue the tournament that is saved in a file. Raises UsageError."""
    try:
        data = json.loads(read_text(file))
        if not isinstance(data, dict):
            raise ValueError
        tournament.continue_from(data)
    except TournamentMismatch as problem:
        raise UsageError(f"--file {file}: this file holds another tournament: {problem}", OTHER) from None
    except (ValueError, RecursionError, FileRefused):
        raise UsageError(f"--file {file}: this file holds no tournament", OTHER) from None
