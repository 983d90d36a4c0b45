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
from programs import ROOT, bundled_game, read_data

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
"""Folder of the ruleset → players, seed, and how many decisions there are before the middle."""

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
"""All that are shipped; those that are not pictured are kept as texts alone."""

POINTED = ("classics/hex",)
"""The question is any of 121 spaces, of which the board shows each."""

MOST = 2_000
"""Decisions of a game that may go on for ever."""


@cache
def match_of(game: str) -> tuple[Match, ...]:
    """A game of bots at its start, in the middle and at its end."""
    players, seed, middle = GAMES[game]
    played = bundled_game(Path(game).name, players)
    bots = [create_bot("random", seed, seat) for seat in range(players)]
    whole = Match(played, bots, seed)
    while whole.decision is not None and len(whole.turns) < MOST:
        whole.step()
    picks = [turn.index for turn in whole.turns]
    return Match(played, bots, seed), Match(played, bots, seed, picks[:middle]), whole


def screens(game: str, told: bool = True) -> Iterator[tuple[str, tuple[int, int], list[Line]]]:
    """Moment, size and lines of each screen, as the player sees it who is asked, or the first; ``told``: with what
    happened and the question."""
    players = GAMES[game][0]
    for moment, match in zip(("start", "middle", "end"), match_of(game), strict=True):
        seat = 0 if match.decision is None else match.decision.seat
        screen = build_screen(match, seat, NAMES[:players])
        if not told:
            screen = replace(screen, story=(), question=None)
        for size in SIZES:
            yield moment, size, draw_page(screen, *size)


def text_of(game: str) -> str:
    """All screens of a game as one text."""
    parts = []
    for moment, (columns, rows), lines in screens(game, told=False):
        parts += [f"== {moment}, {columns}x{rows}", *(to_text(line).rstrip() for line in lines), ""]
    return "\n".join(parts)


def kept(game: str) -> Path:
    return TEXTS / f"{game.rpartition('/')[2]}.txt"


def test_all_shipped_games_have_screens() -> None:
    assert {game.rpartition("/")[2] for game in GAMES} == set(find_bundled_rulesets())


@pytest.mark.parametrize("game", GAMES)
def test_screens_are_as_they_were(game: str) -> None:
    assert text_of(game).splitlines() == kept(game).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_nothing_of_a_screen_is_cut_and_all_of_it_fits(game: str) -> None:
    """At both sizes no line is wider than the screen; while the game goes on, table and question are whole, but for
    the spaces of a large board, which are pointed at."""
    for moment, (columns, rows), lines in screens(game, told=game not in POINTED):
        assert len(lines) <= rows, moment
        assert all(len(to_text(line)) <= columns for line in lines), moment
        assert moment == "end" or not [line for line in lines if to_text(line).endswith("more lines")], moment


def write(games: list[str]) -> None:
    """Texts of all screens, and pictures of some."""
    for game in games or GAMES:
        kept(game).parent.mkdir(exist_ok=True)
        kept(game).write_text(text_of(game), encoding="utf-8")
        if game not in PICTURED:
            continue
        PICTURES.mkdir(exist_ok=True)
        title = match_of(game)[0].game.program.name
        for moment, size, lines in screens(game):
            if moment == "middle":
                name = f"{kept(game).stem}-{moment}-{size[0]}.svg"
                (PICTURES / name).write_text(render_svg(lines, size[0], title), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
