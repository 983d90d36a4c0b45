"""Run ``lusory analyse``: find the turning points and the worst moves of a recorded game."""

from __future__ import annotations

import argparse
from pathlib import Path

from lusory.commands.handlers.replay_and_rules_of_recorded_games import add_file_name, read_record, require_file
from lusory_dsl.source.source import format_json

from ...native import get_usage, make_backend
from ...play import saves_and_journals as saves
from ...play.bot_kinds_python_players_and_recordings import UnknownKind, is_searching, require_kind
from ...play.recorded_game_data_and_replay import TranscriptError, create_recorded_game, find_picks
from ...stats.game_review import GameReview, MoveReview, review_game
from ...support.cache import find_default_cache
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.terminal_output_and_line_editing import create_terminal
from .. import game_loading_seats_and_output as common
from ..errors import UsageError


def _find_latest_game() -> Path:
    """Return the file of the last finished game. Raises UsageError if there is none, and OSError without a home."""
    path = saves.find_latest_game_path()
    if not path.exists():
        raise UsageError(
            "you haven't finished a game yet", "finish one with `lusory play`, or write the name of a recorded game"
        )
    return path


def run(args: argparse.Namespace) -> int:
    """Review the game ``args.file``, or the user's latest finished one if it is None, and print the report.

    The bot ``args.by`` judges the moves. The report is JSON if ``args.format`` is ``json``, otherwise text. Returns 0,
    or 130 if it was interrupted; the moves so far are then reported. Raises UsageError if there is no such game, or if
    the file can't be used, names rules that are missing or not trusted, or doesn't fit them. Raises it, too, if the bot
    is unknown or doesn't search. Raises RulesetError if the rules have errors. Without a file, sets ``args.trust`` to
    True, and raises OSError if the user has no home folder. Also reads ``args.engine``, and ``args.game`` and
    ``args.packs`` as :func:`read_record` does.
    """
    file = _find_latest_game() if args.file is None else Path(args.file)
    args.trust = args.trust or args.file is None
    require_file(file)
    try:
        require_kind(args.by)
        if not is_searching(args.by):
            raise UsageError(
                f"--by {args.by}: this bot does not search, so it can't judge moves",
                "write --by strong or --by mcts:500",
            )
        record = read_record(args, file)
        program = common.load_cached_program(record.ruleset, record.packs)
        game = create_recorded_game(program, record.transcript, common.choose_engine((args.by,), args.engine))
        picks = find_picks(game, record.transcript)
    except UnknownKind as problem:
        raise UsageError(f"--by: {problem}", problem.hint) from None
    except TranscriptError as problem:
        raise add_file_name(file, problem) from None
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror or problem}") from None
    backend = make_backend(game, find_default_cache(), common.parse_native_mode(args.engine))
    moves, left_out = list[MoveReview](), 0
    with common.show_progress("decisions", len(picks)) as show, common.Interruption() as stop:
        for move_review in review_game(game, record.transcript.seed, picks, args.by, backend):
            if move_review is None:
                left_out += 1
            else:
                moves.append(move_review)
                show(move_review.number)
    common.report_native(get_usage(backend), args.engine)
    review = GameReview(args.by, tuple(moves), left_out)
    if args.format == "json":
        data = {"game": game.program.id, **review.to_json(), "whole": stop.problem is None}
        plain_output.write_lines(format_json(data))
    else:
        from ...ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_review

        names = [name or f"P{seat}" for seat, name in enumerate([*record.names, *[""] * game.players], 1)]
        create_terminal().print(*render_review(review, game.program.name, names[: game.players]))
    return stop.choose_code(0)
