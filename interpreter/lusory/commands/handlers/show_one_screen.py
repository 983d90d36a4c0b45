"""Run ``lusory show``: print one screen of a saved game or a game among bots, as a seat sees it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from lusory.commands.handlers.play_and_resume import parse_names
from lusory.commands.handlers.replay_and_rules_of_recorded_games import find_recorded_file, open_saved_game
from lusory_dsl.source.safe_files_and_bundled_data import write_atomically
from lusory_dsl.source.source import count_noun

from ...explain.styled_text_wrapping_and_values import to_text
from ...native import get_usage, make_backend
from ...play.bot_kinds_python_players_and_recordings import create_bot
from ...play.match import Match
from ...support.cache import find_default_cache
from ...ui.line import screen_rendering
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ...ui.model.screen_builder import build_screen
from ...ui.model.screen_layout import draw_page
from .. import game_loading_seats_and_output as common
from ..errors import UsageError

LEAST, MOST = (40, 10), (400, 200)
"""Minimum and maximum size of a screen, in columns and rows."""


def run(args: argparse.Namespace) -> int:
    """Print one screen of a recorded game or of a game among bots. Returns 0.

    It shows the position after ``--at`` decisions. The default is all of a recorded game, and 0 of a game among bots.
    The deciding seat sees it, or P1 once the game is over. ``--seat nobody`` shows what a spectator sees. With
    ``--svg FILE``, the screen is written to the file and not printed. Raises UsageError for an ``--at`` or ``--seat``
    that the game doesn't have, and for a ``--size`` that is not between ``LEAST`` and ``MOST``. With ``--no-color``,
    lines are plain and without blanks at their ends.
    """
    path = find_recorded_file(args)
    match, names = _play_bots(args) if path is None else _open_saved_game(args, path)
    columns, rows = _parse_size(args.size)
    seat = _parse_seat(args.seat, match)
    lines = draw_page(build_screen(match, seat, names), columns, rows)
    if args.svg is not None:
        write_atomically(Path(args.svg), screen_rendering.render_svg(lines, columns, match.game.program.name))
        return 0
    screen = create_terminal()
    for line in lines:
        screen.print_raw(to_text(line).rstrip() if args.no_color else screen_rendering.convert_line(line))
    return 0


# ---------------------------------------------------------------- match and seat


def _open_saved_game(args: argparse.Namespace, path: Path) -> tuple[Match, Sequence[str]]:
    """Return a saved game after ``--at`` decisions, by default after all of them, and the players' names."""
    save, game, picks = open_saved_game(args, path)
    if args.at is not None and args.at > len(picks):
        raise UsageError(f"--at {args.at}: this game has only {count_noun(len(picks), 'decision')}")
    players = [create_bot(common.RANDOM, 0, seat) for seat in range(game.players)]
    names = parse_names(args.names, game.players) if args.names else save.names
    return Match(game, players, save.transcript.seed, picks[: args.at]), names


def _play_bots(args: argparse.Namespace) -> tuple[Match, Sequence[str]]:
    """Return a game among bots after ``--at`` decisions, by default before the first, and the players' names."""
    program = common.load_cached_program(args.game, args.packs)
    kinds = common.assign_seats(args.seats, args.players, program.min_players)
    game = common.create_game(program, len(kinds), args.options, common.choose_engine(kinds, args.engine), args.budgets)
    seed = args.seed or 0
    backend = make_backend(game, find_default_cache(), common.parse_native_mode(args.engine))
    match = Match(game, [create_bot(kind, seed, seat, backend) for seat, kind in enumerate(kinds)], seed)
    for number in range(args.at or 0):
        if match.decision is None:
            raise UsageError(f"--at {args.at}: this game is over after {count_noun(number, 'decision')}")
        match.step()
    common.report_native(get_usage(backend), args.engine)
    return match, parse_names(args.names, game.players)


def _parse_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    if match is None or not all(
        low <= int(n) <= high for n, low, high in zip(match.groups(), LEAST, MOST, strict=True)
    ):
        raise UsageError(
            f"--size {text}: write columns and rows from {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]}, such as 80x24"
        )
    return int(match[1]), int(match[2])


def _parse_seat(text: str | None, match: Match) -> int | None:
    """Return the viewer: the named seat, or None for ``nobody``, a spectator.

    The default is the seat that must decide, or the first after the end. Raises UsageError.
    """
    if text is None:
        return 0 if match.decision is None else match.decision.seat
    if text == "nobody":
        return None
    seat_match = re.fullmatch(r"P?([1-9]\d?)", text)
    if seat_match is None or int(seat_match[1]) > match.game.players:
        raise UsageError(f"--seat {text}: choose P1 to P{match.game.players}, or `nobody` for a spectator")
    return int(seat_match[1]) - 1
