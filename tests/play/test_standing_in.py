"""Test a bot that takes over for a person: how it is requested, when it stops, and what it knows."""

from __future__ import annotations

import re

import pytest
from full_table import create_match
from programs import read_data

from lusory.play.bot_deciding_for_a_person_and_pacing import AutoPlay, parse_auto_play, prepare_decision, require_bot
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.session.match_service_answering_seat_requests import MatchService, RequestDenied
from lusory.ui.session.messages import Auto, Note

DATA = read_data(__file__)


@pytest.mark.parametrize(("text", "fields"), DATA["takeover arguments are parsed"])
def test_takeover_arguments_are_parsed(text: str, fields: list[object]) -> None:
    assert parse_auto_play(text) == AutoPlay(*fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "words"), DATA["wrong takeover arguments are refused"])
def test_wrong_takeover_arguments_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_auto_play(text)


def test_only_fast_bots_take_over_for_guests() -> None:
    require_bot("mcts:1000000")
    require_bot("fair", is_remote=True)
    with pytest.raises(ValueError, match="can't play for you here"):
        require_bot("mcts:1000000", is_remote=True)


def test_takeover_ends_at_its_condition() -> None:
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
def test_takeover_decides_like_a_bot_in_the_seat() -> None:
    """It knows what a bot in this seat would know, so the whole game is the bot's game."""
    match = create_match("love-letter", people=1)
    kinds = [create_bot("mcts:30" if seat == 0 else "random", match.seed, seat) for seat in range(match.game.players)]
    bot_match = Match(match.game, kinds, match.seed)
    bot_match.play()
    while (decision := match.advance()) is not None:
        assert decision.seat == 0
        match.take(*prepare_decision(match, "mcts:30")())
    assert [turn.index for turn in match.turns] == [turn.index for turn in bot_match.turns]


def test_takeover_decides_only_for_the_current_screen() -> None:
    match = create_match("tic-tac-toe", people=2)
    service = MatchService(match, ("Ann", "Bob"), str)
    stamp = service.calculate_stamp(0)
    notes = [service.apply_request(seat, Auto(service.calculate_stamp(seat), "random")) for seat in (1, None)]
    notes += [
        service.apply_request(0, Auto("another", "random")),
        service.apply_request(0, Auto(stamp, "python:os.path")),
    ]
    notes += [service.apply_request(0, Auto(stamp, "mcts:9"), is_remote=True)]
    assert all(isinstance(note, Note) for note in notes)
    assert not match.turns
    assert service.apply_request(0, Auto(stamp, "mcts:9")) is None
    with pytest.raises(RequestDenied, match="meanwhile"):
        service.apply_bot_decision(0, stamp, 0, None)
    assert [turn.seat for turn in match.turns] == [0]
