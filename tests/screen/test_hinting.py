"""A hint names what is best, what it comes to and what follows, and tells nobody more than they know."""

from __future__ import annotations

from pathlib import Path

from lusory.game import Game
from lusory.hosting.messages import Ask, Note, Told
from lusory.hosting.sitting import Sitting
from lusory.play.match import Match
from lusory.play.players import bot
from lusory.screen.hinting import hinted, worth_of
from lusory.screen.text import plain
from lusory.search.analysis import Line
from lusory_dsl.pipeline import load_program

ROOT = Path(__file__).parents[2]
NAMES = ("Ann", "Bob")


def match_of(name: str, *picks: int) -> Match:
    game = Game(load_program(ROOT / "rulesets" / "classics" / name))
    return Match(game, [bot("random", 1, seat) for seat in range(2)], 1, picks)


def test_a_win_is_hinted_at_with_what_it_leads_to() -> None:
    match = match_of("tic-tac-toe", 0, 2, 0, 3)  # P1 on 0 and 1, P2 on 3 and 6: 2 wins
    before = match.state.copy()
    lines = [plain(line) for line in hinted(match, 0, NAMES)]
    assert lines[0] == "c1: it pays +1.0, on average"
    assert lines[1] == "   and so Ann has three in a row"
    assert any(line.startswith("   then Bob: ") for line in lines)
    assert [plain(line) for line in hinted(match, 0, NAMES)] == lines
    assert match.state == before


def test_who_is_not_asked_gets_none() -> None:
    match = match_of("tic-tac-toe")
    assert [plain(line) for line in hinted(match, 1, NAMES)] == ["It is not your turn."]


def test_where_something_is_hidden_nothing_is_told_of_what_follows() -> None:
    lines = [plain(line) for line in hinted(match_of("kuhn-poker"), 0, NAMES)]
    assert len(lines) == 2
    assert all("it pays" in line for line in lines)


def test_hints_are_given_at_one_keyboard() -> None:
    sitting = Sitting(match_of("tic-tac-toe"), NAMES, str, lambda name: None)
    here, over_a_wire = (sitting.do(0, Ask(1, "hint", ""), alone) for alone in (False, True))
    assert isinstance(here, Told)
    assert isinstance(over_a_wire, Note)


def test_values_are_told_by_what_the_game_is_about() -> None:
    line = Line(0, 0.5, 0.9, 0.3)
    games = {name: match_of(name).game for name in ("othello", "love-letter", "kuhn-poker")}
    assert worth_of(games["othello"], line) == "75% of the games are won from here"
    assert worth_of(games["love-letter"], line) == "50% of the games are won from here"
    assert worth_of(games["kuhn-poker"], line) == "it pays +0.5, on average"
