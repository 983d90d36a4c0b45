"""Test the cost of each decision of a game, and where the lead changed."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from programs import build_program, load_bundled, read_data

from lusory.cli import main
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.stats.game_review import GameReview, MoveReview, review_decision, review_game
from lusory.ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_review

DATA = read_data(__file__)


def create_game(name: str) -> Game:
    return Game(load_bundled(name))


def test_missed_win_is_costly() -> None:
    game = create_game("tic-tac-toe")
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1, [0, 2, 0, 1])
    assert match.decision is not None
    last = len(match.decision.options) - 1
    reviews = [move for move in review_game(game, 1, [0, 2, 0, 1, last], "mcts:200") if move is not None]
    worst = reviews[-1]
    assert (worst.number, worst.seat, worst.best_option, worst.best_value) == (5, 0, "c1", 1.0)
    assert worst.cost > 0.2
    assert worst in GameReview("mcts:200", tuple(reviews), 0).list_costliest_moves(2)
    assert [*review_game(game, 1, [0, 2, 0, 1, last], "mcts:200")] == reviews


def test_decisions_are_judged_by_the_knowledge_of_their_seat() -> None:
    """Two games differ in the other player's card alone, so the first decision has the same value."""
    game = create_game("kuhn-poker")
    deals = [game.start(seed) for seed in range(40)]
    mine, hands = deals[0].zones, game.layout.zones["hand"]
    other_seed = next(
        seed
        for seed, state in enumerate(deals)
        if state.zones[hands.at((0,))] == mine[hands.at((0,))] and state.zones[hands.at((1,))] != mine[hands.at((1,))]
    )
    matches = (Match(game, [create_bot("random", 9, seat) for seat in range(2)], seed) for seed in (0, other_seed))
    first, second = (review_decision(match.make_table(0), 9, 0, 1, 1, "mcts:50") for match in matches)
    assert first is not None
    assert first == second


def test_taken_option_is_searched_as_often_as_the_best() -> None:
    """A short search tries some of 24 options. The last one is taken, and its cost is certain."""
    program = build_program(CLIMB)
    game = Game(program)
    match = Match(game, [create_bot("random", 1, 0)], 1)
    table = match.make_table(0)
    review = review_decision(table, 1, 0, 1, 0, "halving:24")
    assert review is not None, "a search that leaves most options untried says something of the one taken"
    assert review.taken_option == "1"
    assert review.cost > review.cost_error
    near_review = review_decision(table, 1, 0, 1, 22, "halving:600")
    assert near_review is not None
    assert near_review.best_value - near_review.value < 3, "what differs little is not said to differ much"


CLIMB = DATA["climb"]


def judge(number: int, seat: int, worth: float, cost: float = 0.0) -> MoveReview:
    return MoveReview(number, seat, 2, "a", "b", worth, worth + cost, cost)


def test_lead_is_reported_after_all_have_decided() -> None:
    moves = (judge(1, 0, 0.5), judge(2, 1, 0.6), judge(3, 0, 0.4), judge(4, 0, 0.7, 0.2), judge(5, 1, 0.7))
    review = GameReview("bot", moves, 1)
    assert [(move.number, seat) for move, seat in review.lead_changes] == [(4, 0)]
    assert [move.number for move in review.list_costliest_moves(3)] == [4]
    assert review.to_json()["leads"] == [{"number": 4, "seat": "P1"}]


def test_uncertain_costs_are_not_reported() -> None:
    review = GameReview("bot", (replace(judge(1, 0, 0.5, 0.2), cost_error=0.3), judge(2, 0, 0.5, 0.1)), 0)
    assert [move.number for move in review.list_costliest_moves(3)] == [2]
    costs = [("14 % ± 14 %", 0.144, 0.136), ("15 % ± 14 %", 0.146, 0.144), ("0 % ± 0 %", 0.004, 0.0)]
    rows = enumerate(costs)
    moves = tuple(replace(judge(number, 0, 0.5, cost), cost_error=doubt) for number, (_, cost, doubt) in rows)
    assert [move.number for move in GameReview("bot", moves, 0).list_costliest_moves(3)] == [1]


@pytest.mark.parametrize(("worths", "expected"), DATA["leader is reported"])
def test_leader_is_reported(worths: list[tuple[int, float]], expected: str | None) -> None:
    moves = tuple(judge(number, seat, worth) for number, (seat, worth) in enumerate(worths, 1))
    lines = [str(part) for part in render_review(GameReview("bot", moves, 0), "Game", ("Ann", "Bob"))]
    assert [line for line in lines if "led" in line or "lead" in line] == ([expected] if expected else [])


@pytest.fixture
def save_file(tmp_path: Path) -> str:
    game = create_game("tic-tac-toe")
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1)
    match.play()
    file = tmp_path / "game.json"
    saves.write_save(
        saves.Save(saves.create_transcript(match), "tic-tac-toe", ("random", "random"), ("Ann", "Bob")), file
    )
    return str(file)


def test_analyse_command(save_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", save_file, "--by", "mcts:20"]) == 0
    assert "decisions looked at by mcts:20" in capsys.readouterr().out
    assert main(["analyse", save_file, "--by", "mcts:20", "--format", "json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["game"] == "tic-tac-toe"
    assert output["moves"][0]["seat"] == "P1"
    assert output["whole"] is True


def test_analyse_without_a_file_takes_the_last_game(
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


def test_analyse_needs_a_bot_that_searches(save_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", save_file, "--by", "random"]) == 2
    assert "it can't judge moves" in capsys.readouterr().err
    for by in ("python:no.Such", "replay:nofile.json"):
        assert main(["analyse", save_file, "--by", by]) == 2
        assert "it can't judge moves" in capsys.readouterr().err
    assert main(["analyse", save_file, "--by", "human"]) == 2
    assert "--by: this command has no human players" in capsys.readouterr().err
    assert main(["analyse", save_file, "--by", "strng"]) == 2
    assert "unknown player `strng`" in capsys.readouterr().err
