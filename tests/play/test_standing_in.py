"""A bot that decides for a person for a while: what is typed for it, what it knows, at each table and over a wire."""

from __future__ import annotations

import re

import pytest
from full_table import match_of
from programs import read_data

from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.bot_takeover_and_pacing import AutoPlay, parse_auto_play, prepare_decision, require_bot
from lusory.play.match import Match
from lusory.ui.session.messages import Auto, Note
from lusory.ui.session.seat_requests_and_screens import MatchService

DATA = read_data(__file__)


@pytest.mark.parametrize(("typed", "found"), DATA["what is typed"])
def test_what_is_typed(typed: str, found: list[object]) -> None:
    assert parse_auto_play(typed) == AutoPlay(*found)  # type: ignore[arg-type]


@pytest.mark.parametrize(("typed", "words"), DATA["what cannot be typed"])
def test_what_cannot_be_typed(typed: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_auto_play(typed)


def test_far_away_only_what_takes_a_moment_stands_in() -> None:
    require_bot("mcts:1000000")
    require_bot("fair", is_remote=True)
    with pytest.raises(ValueError, match="can't play for you here"):
        require_bot("mcts:1000000", is_remote=True)


def test_how_long_it_decides() -> None:
    assert AutoPlay("bot", 2).continue_after_decision(has_other_decided=True) == AutoPlay("bot", 1)
    assert AutoPlay("bot", 1).continue_after_decision(has_other_decided=False) is None
    turns = AutoPlay("bot", "turn")
    assert turns.continue_after_decision(has_other_decided=False) is turns
    assert turns.continue_after_decision(has_other_decided=True) is None
    until = AutoPlay("bot", "until", "battle")
    assert until.continue_after_decision(has_other_decided=True) is until
    assert until.continue_after_decision(has_other_decided=False, is_narrated=True) is None
    game = AutoPlay("bot", "game")
    assert game.continue_after_decision(has_other_decided=True) is game


@pytest.mark.slow
def test_it_decides_as_a_bot_would_that_sat_there() -> None:
    """So it knows what that bot would have known, and a game that was left to one is the bot's game."""
    match = match_of("love-letter", people=1)
    kinds = [create_bot("mcts:30" if seat == 0 else "random", match.seed, seat) for seat in range(match.game.players)]
    other = Match(match.game, kinds, match.seed)
    other.play()
    while (decision := match.advance()) is not None:
        assert decision.seat == 0
        match.take(*prepare_decision(match, "mcts:30")())
    assert [turn.index for turn in match.turns] == [turn.index for turn in other.turns]


def test_it_decides_for_who_is_asked_and_on_this_screen_alone() -> None:
    match = match_of("tic-tac-toe", people=2)
    sitting = MatchService(match, ("Ann", "Bob"), str)
    stamp = sitting.calculate_stamp(0)
    notes = [sitting.apply_request(seat, Auto(sitting.calculate_stamp(seat), "random")) for seat in (1, None)]
    notes += [
        sitting.apply_request(0, Auto("another", "random")),
        sitting.apply_request(0, Auto(stamp, "python:os.path")),
    ]
    notes += [sitting.apply_request(0, Auto(stamp, "mcts:9"), alone=True)]
    assert all(isinstance(note, Note) for note in notes)
    assert not match.turns
    assert sitting.apply_request(0, Auto(stamp, "mcts:9")) is None
    assert [turn.seat for turn in match.turns] == [0]
