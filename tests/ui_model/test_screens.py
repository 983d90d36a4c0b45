"""Tables of whole games at their start, in the middle and at the end, in two sizes, letter for letter. docs/play/
shows some as pictures, with the story and the question.

``PYTHONPATH=tests python tests/ui_model/test_screens.py`` writes texts and pictures anew: look at them before you keep
them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from programs import ROOT, create_bundled_game, read_data

from lusory.explain.styled_text_wrapping_and_values import Line, to_text
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.line.screen_rendering import render_svg
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import draw_page
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

TEXTS = Path(__file__).parent / "screens"
PICTURES = ROOT / "docs" / "screens"
NAMES = ("Anna", "Bob", "Cora", "Dan")
SIZES = ((80, 24), (120, 40))

PICTURED = DATA["pictured"]
"""Folder of the ruleset -> players, seed, and the number of decisions before the middle."""

GAMES = PICTURED | {
    "classics/oware": (2, 2, 40),
    "classics/clobber": (2, 2, 4),
    "classics/hex": (2, 2, 40),
    "classics/connect-four": (2, 2, 15),
    "classics/demesne": (2, 2, 60),
    "classics/english-draughts": (2, 2, 20),
    "classics/hearts": (4, 2, 25),
    "classics/kuhn-poker": (2, 2, 1),
    "classics/leduc-poker": (2, 2, 3),
    "classics/lines-of-action": (2, 2, 40),
    "classics/tic-tac-toe": (2, 2, 4),
}
"""All bundled games. Those without a picture only have a text."""

GAMES_WITH_LARGE_BOARDS = ("classics/hex",)
"""Games whose question is any of 121 spaces, all shown on the board."""

DECISION_LIMIT = 2_000
"""Limit for a game that may never end."""


@cache
def play_matches(game: str) -> tuple[Match, ...]:
    """Return a game of bots at its start, in the middle and at its end."""
    players, seed, middle = GAMES[game]
    played_game = create_bundled_game(Path(game).name, players)
    bots = [create_bot("random", seed, seat) for seat in range(players)]
    match = Match(played_game, bots, seed)
    while match.decision is not None and len(match.turns) < DECISION_LIMIT:
        match.step()
    picks = [turn.index for turn in match.turns]
    return Match(played_game, bots, seed), Match(played_game, bots, seed, picks[:middle]), match


def draw_screens(game: str, shows_story: bool = True) -> Iterator[tuple[str, tuple[int, int], list[Line]]]:
    """Yield the moment, size and lines of each screen of the deciding or first seat. ``shows_story`` adds story and
    question."""
    players = GAMES[game][0]
    for moment, match in zip(("start", "middle", "end"), play_matches(game), strict=True):
        seat = 0 if match.decision is None else match.decision.seat
        screen = build_screen(match, seat, NAMES[:players])
        if not shows_story:
            screen = replace(screen, story=(), question=None)
        for size in SIZES:
            yield moment, size, draw_page(screen, *size)


def write_text(game: str) -> str:
    """Return all screens of a game as one text."""
    parts = []
    for moment, (columns, rows), lines in draw_screens(game, shows_story=False):
        parts += [f"== {moment}, {columns}x{rows}", *(to_text(line).rstrip() for line in lines), ""]
    return "\n".join(parts)


def find_text_file(game: str) -> Path:
    return TEXTS / f"{game.rpartition('/')[2]}.txt"


def test_all_bundled_games_have_screens() -> None:
    assert {game.rpartition("/")[2] for game in GAMES} == set(find_bundled_rulesets())


@pytest.mark.parametrize("game", GAMES)
def test_screens_are_unchanged(game: str) -> None:
    assert write_text(game).splitlines() == find_text_file(game).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_screens_fit_and_cut_nothing(game: str) -> None:
    """No line is wider than the screen. Table and question are whole, except the spaces of a large board, which are
    pointed at."""
    for moment, (columns, rows), lines in draw_screens(game, shows_story=game not in GAMES_WITH_LARGE_BOARDS):
        assert len(lines) <= rows, moment
        assert all(len(to_text(line)) <= columns for line in lines), moment
        assert moment == "end" or not [line for line in lines if to_text(line).endswith("more lines")], moment


def write(games: list[str]) -> None:
    """Write the texts of all screens, and pictures of some."""
    for game in games or GAMES:
        find_text_file(game).parent.mkdir(exist_ok=True)
        find_text_file(game).write_text(write_text(game), encoding="utf-8")
        if game not in PICTURED:
            continue
        PICTURES.mkdir(exist_ok=True)
        title = play_matches(game)[0].game.program.name
        for moment, size, lines in draw_screens(game):
            if moment == "middle":
                name = f"{find_text_file(game).stem}-{moment}-{size[0]}.svg"
                (PICTURES / name).write_text(render_svg(lines, size[0], title), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
