"""What each decision of a game cost, and where somebody else came to lead."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from programs import bundled, checked, read_data

from lusory.cli import main
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.stats.game_review import GameReview, MoveReview, review_decision, review_game
from lusory.ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_review

DATA = read_data(__file__)


def game_of(name: str) -> Game:
    return Game(bundled(name))


def test_a_win_that_was_not_taken_costs_much() -> None:
    game = game_of("tic-tac-toe")
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1, [0, 2, 0, 1])
    assert match.decision is not None
    last = len(match.decision.options) - 1
    found = [move for move in review_game(game, 1, [0, 2, 0, 1, last], "mcts:200") if move is not None]
    worst = found[-1]
    assert (worst.number, worst.seat, worst.best_option, worst.best_value) == (5, 0, "c1", 1.0)
    assert worst.cost > 0.2
    assert worst in GameReview("mcts:200", tuple(found), 0).list_costliest_moves(2)
    assert [*review_game(game, 1, [0, 2, 0, 1, last], "mcts:200")] == found


def test_where_something_is_hidden_a_decision_is_judged_by_what_its_seat_knew() -> None:
    """Of two games that differ in the other's card alone, the first decision is worth the same to who made it."""
    game = game_of("kuhn-poker")
    deals = [game.start(seed) for seed in range(40)]
    mine, hands = deals[0].zones, game.layout.zones["hand"]
    other = next(
        seed
        for seed, state in enumerate(deals)
        if state.zones[hands.at((0,))] == mine[hands.at((0,))] and state.zones[hands.at((1,))] != mine[hands.at((1,))]
    )
    matches = (Match(game, [create_bot("random", 9, seat) for seat in range(2)], seed) for seed in (0, other))
    one, two = (review_decision(match.make_table(0), 9, 0, 1, 1, "mcts:50") for match in matches)
    assert one is not None
    assert one == two


def test_a_move_that_a_search_hardly_tries_is_tried_as_often_as_the_best() -> None:
    """Of 24 options of which a short search tries some, the last is taken; it stays behind, and that is sure."""
    program = checked(CLIMB)
    game = Game(program)
    match = Match(game, [create_bot("random", 1, 0)], 1)
    table = match.make_table(0)
    found = review_decision(table, 1, 0, 1, 0, "halving:24")
    assert found is not None, "a search that leaves most options untried says something of the one taken"
    assert found.taken_option == "1"
    assert found.cost > found.cost_error
    near = review_decision(table, 1, 0, 1, 22, "halving:600")
    assert near is not None
    assert near.best_value - near.value < 3, "what differs little is not said to differ much"


CLIMB = DATA["climb"]


def looked(number: int, seat: int, worth: float, cost: float = 0.0) -> MoveReview:
    return MoveReview(number, seat, 2, "a", "b", worth, worth + cost, cost)


def test_who_leads_is_told_once_all_have_decided() -> None:
    moves = (looked(1, 0, 0.5), looked(2, 1, 0.6), looked(3, 0, 0.4), looked(4, 0, 0.7, 0.2), looked(5, 1, 0.7))
    found = GameReview("bot", moves, 1)
    assert [(move.number, seat) for move, seat in found.lead_changes] == [(4, 0)]
    assert [move.number for move in found.list_costliest_moves(3)] == [4]
    assert found.to_json()["leads"] == [{"number": 4, "seat": "P1"}]


def test_what_may_cost_nothing_is_not_told() -> None:
    found = GameReview("bot", (replace(looked(1, 0, 0.5, 0.2), cost_error=0.3), looked(2, 0, 0.5, 0.1)), 0)
    assert [move.number for move in found.list_costliest_moves(3)] == [2]
    told = [("14 % ± 14 %", 0.144, 0.136), ("15 % ± 14 %", 0.146, 0.144), ("0 % ± 0 %", 0.004, 0.0)]
    moves = tuple(
        replace(looked(number, 0, 0.5, cost), cost_error=doubt) for number, (_, cost, doubt) in enumerate(told)
    )
    assert [move.number for move in GameReview("bot", moves, 0).list_costliest_moves(3)] == [1]


@pytest.mark.parametrize(("worths", "told"), DATA["it is told who led"])
def test_it_is_told_who_led(worths: list[tuple[int, float]], told: str | None) -> None:
    moves = tuple(looked(number, seat, worth) for number, (seat, worth) in enumerate(worths, 1))
    lines = [str(part) for part in render_review(GameReview("bot", moves, 0), "Game", ("Ann", "Bob"))]
    assert [line for line in lines if "led" in line or "lead" in line] == ([told] if told else [])


@pytest.fixture
def saved(tmp_path: Path) -> str:
    game = game_of("tic-tac-toe")
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1)
    match.play()
    file = tmp_path / "game.json"
    saves.write_save(
        saves.Save(saves.create_transcript(match), "tic-tac-toe", ("random", "random"), ("Ann", "Bob")), file
    )
    return str(file)


def test_the_command_tells_it(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", saved, "--by", "mcts:20"]) == 0
    assert "decisions looked at by mcts:20" in capsys.readouterr().out
    assert main(["analyse", saved, "--by", "mcts:20", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["game"] == "tic-tac-toe"
    assert found["moves"][0]["seat"] == "P1"
    assert found["whole"] is True


def test_without_a_file_it_is_the_game_that_ended_last(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["analyse", "--by", "mcts:20"]) == 2
    assert "you haven't finished a game yet" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 9))
    assert main(["play", "tic-tac-toe", "--seats", "human,random", "--names", "Ann", "--seed", "1"]) == 0
    assert "Ann" in capsys.readouterr().out
    assert main(["analyse", "--by", "mcts:20"]) == 0
    assert "Tic-tac-toe: " in capsys.readouterr().out


def test_who_does_not_think_can_look_at_nothing(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", saved, "--by", "random"]) == 2
    assert "it can't judge moves" in capsys.readouterr().err
    for by in ("python:no.Such", "replay:nofile.json"):
        assert main(["analyse", saved, "--by", by]) == 2
        assert "it can't judge moves" in capsys.readouterr().err
    assert main(["analyse", saved, "--by", "human"]) == 2
    assert "--by: this command has no human players" in capsys.readouterr().err
    assert main(["analyse", saved, "--by", "strng"]) == 2
    assert "unknown player `strng`" in capsys.readouterr().err
