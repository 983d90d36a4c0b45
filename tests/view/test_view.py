"""Test what a seat sees of the state and of events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from programs import build_program, format_information_state, read_data, read_rules

from lusory.game import ENGINES, Game
from lusory.state import events_redaction_and_text
from lusory.state.events_redaction_and_text import counters_moved, describe, redact, redact_log
from lusory.state.state import State
from lusory.view.redacted_state import HiddenValue

DATA = read_data(__file__)

RULES = read_rules("salon")


@pytest.fixture(scope="module", params=ENGINES)
def game(request: pytest.FixtureRequest) -> Game:
    return Game(build_program(RULES), 2, engine=request.param)


@pytest.fixture()
def log() -> list[Any]:
    return []


@pytest.fixture()
def auction(game: Game, log: list[Any]) -> State:
    """Return a state in which P1 has bid 2 and P2 must bid."""
    return game.apply(game.start(1, log), "2", log)


def test_table_shows_question_marks_for_hidden_values(game: Game, auction: State) -> None:
    assert game.view(auction, 0).table() == DATA["table"]


def test_spectator_sees_what_all_see(game: Game, auction: State) -> None:
    lines = game.view(auction, None).table()
    assert lines[1] == "P1: Bid ? | Hand ? (1) | Purse ? and 1"
    assert not any(line.startswith("My hand") for line in lines)


def test_conditions_on_hidden_values_are_left_out(game: Game, auction: State) -> None:
    assert "Rich" not in game.view(auction, 0).table()[2]


def test_visible_condition_is_seen_by_all(game: Game, auction: State) -> None:
    state = game.apply(auction, "3")
    assert game.view(state, None).table()[0].startswith("Late 3 |")
    assert game.view(state, None).table()[-1] == "Table Ace"


def test_view_is_plain_data_with_names_of_the_author(game: Game, auction: State) -> None:
    data = game.view(auction, 1).to_json()
    assert json.loads(json.dumps(data)) == data
    assert (data["seat"], data["phase"], data["waiting_for"]) == ("P2", "auction", "P2")
    assert data["variables"]["bid"] == {"P1": {"hidden": True}, "P2": None}
    assert data["variables"]["purse"] == {"P1": {"hidden": True}, "P2": {"coin": 2, "gem": 0}}
    assert data["variables"]["bank"] == {"coin": 5, "gem": 1}
    assert data["variables"]["nobodys"] == {"hidden": True}
    assert data["zones"]["hand"] == {"P1": {"hidden": True, "count": 1}, "P2": ["king"]}
    assert data["zones"]["deck"] == {"hidden": True, "count": 1}
    assert data["decision"]["options"] == ["1", "2", "3"]
    assert game.view(auction, 0).to_json()["decision"] is None


def test_prompt_and_labels_tell_the_chooser_no_more_than_it_sees(game: Game, auction: State) -> None:
    decision = game.decision(auction)
    assert decision is not None and game.prompt(auction, decision) == "Bid against ?"
    assert game.option_labels(auction, decision)[0] == "bid 1, of 2"


def test_current_phases_have_visible_labels(game: Game, auction: State) -> None:
    assert game.view(auction, 0).phase_label == "Auction of 1"


def test_hidden_value_cannot_be_read(game: Game, auction: State) -> None:
    rank = game.program.scoring.rank[0]
    assert game.view(auction, 0).value(rank, [0, None]) == 2
    with pytest.raises(HiddenValue):
        game.view(auction, 0).value(rank, [1, None])


def test_zone_of_an_unknown_card_is_hidden() -> None:
    rules = RULES.replace("  nobodys:", "  wish: {type: Card, start: ace, visible: nobody}\n  nobodys:")
    rules = rules.replace('title: Late, text: "{late}"', 'title: Wish, text: "{wish in any table}"')
    game = Game(build_program(rules), 2)
    state = game.apply(game.apply(game.start(1), "2"), "3")
    assert "Table Ace" in game.view(state, 0).table()
    assert game.view(state, 0).table()[0].startswith("Wish ? |")


def test_pool_of_an_unknown_player_is_hidden() -> None:
    rules = RULES.replace("  nobodys:", "  spy: {type: Player, start: players.first, visible: nobody}\n  nobodys:")
    rules = rules.replace('title: Late, text: "{late}"', "title: Spy, pool: spy.purse")
    game = Game(build_program(rules), 2)
    state = game.apply(game.apply(game.start(1), "2"), "3")
    assert game.view(state, 0).table()[0].startswith("Spy Coin ?, Gem ? |")


def test_events_are_redacted_for_each_seat(game: Game, auction: State, log: list[Any]) -> None:
    game.apply(auction, "3", log)
    assert [line for line in (describe(event, game, 1) for event in log) if line is not None] == DATA["events"]


def test_events_without_a_seat_are_complete(game: Game, auction: State, log: list[Any]) -> None:
    lines = [describe(event, game) for event in log]
    assert "2 Coins: Bank → P1's purse" in lines
    assert "Ace: Deck → P1's hand" in lines
    assert "P1: 2" in lines


@pytest.mark.parametrize(("kind", "values", "line"), DATA["lines of the log"])
def test_lines_of_the_log(game: Game, kind: str, values: list[Any], line: str | None) -> None:
    event = getattr(events_redaction_and_text, kind)(*values)
    assert describe(event, game, 1) == line


def test_redacted_event_has_no_hidden_value(game: Game, auction: State, log: list[Any]) -> None:
    game.apply(auction, "3", log)
    events = redact_log(log, 1, game)
    assert ("move", None, None, "bank", (), "purse", (0,), 0b01) in events
    assert ("cards", (None,), "hand", (0,), "bottom", (("deck", ()),), 0b01) in events
    assert not [event for event in events if event[0] == "set" and event[1:3] == ("bid", (0,))]
    assert [event[4:] for event in events if event[0] == "choice"] == [(("?",), None), ((3,), False)]
    assert not [event for event in events if event[0] == "announce"]
    assert ("announce", "psst", 0b01) in redact_log(log, 0, game)
    assert all(redact(redact(event, 1, game), 1, game) == redact(event, 1, game) for event in log)


def test_hidden_moves_of_several_kinds_are_merged(game: Game) -> None:
    moves = [counters_moved(kind, 1, "bank", (), "purse", (0,), 0b01) for kind in (0, 1)]
    assert len(redact_log(moves, 1, game)) == 1
    assert len(redact_log(moves, 0, game)) == 2


def test_information_state_ignores_secrets_of_others(game: Game) -> None:
    states = []
    for bid in ("1", "3"):
        log: list[Any] = []
        state = game.apply(game.start(1, log), bid, log)
        states.append([format_information_state(game, game.view(state, seat), log) for seat in (0, 1)])
    assert states[0][1] == states[1][1]
    assert states[0][0] != states[1][0]
