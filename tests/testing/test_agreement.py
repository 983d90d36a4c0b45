"""Test that differences between engines are found and described, whatever differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from native import needs_compiler
from programs import BIDS, build_program, read_data

from lusory.cli import main
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeGames, NativeSteps, NativeUsage
from lusory.state.decisions_outcomes_and_faults import Option, RulesetFault
from lusory.state.state import State
from lusory.testing.engine_comparison import (
    create_engine_pair,
    find_difference,
    find_native_difference,
    find_native_step_difference,
)
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)


def compare(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Game, Any], Any]) -> str:
    """Return the difference that is found when a method of the compiled engine returns a changed value."""
    games = create_engine_pair(load_program(BIDS), 2)
    method = getattr(games[1], name)
    monkeypatch.setattr(games[1], name, lambda *args: change(games[1], method(*args)), raising=True)
    difference = find_difference(games, 3)
    assert difference is not None
    return str(difference)


def change_cell(name: str, value: int) -> Callable[[Game, State], State]:
    def change(game: Game, state: State) -> State:
        state.cells[game.layout.places[name].offset] = value
        return state

    return change


def test_engines_agree() -> None:
    games = create_engine_pair(load_program(BIDS), 3)
    assert [find_difference(games, seed, json_interval=1) for seed in range(5)] == [None] * 5


def test_difference_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    text = compare(monkeypatch, "start", change_cell("round", 2))
    assert text.startswith("2 players, seed 3, after 0 decisions:\n  round\n    evaluator: 1\n    compiled:  2\n")
    assert text.endswith("    — Bidding — | — Bidding —")


def test_difference_names_the_last_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    text = compare(monkeypatch, "apply", change_cell("points", 9))
    assert "after 1 decision, the last P1 `" in text
    assert "P1.points\n    evaluator: 0\n    compiled:  9" in text


def test_position_after_the_last_decision_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    games = create_engine_pair(load_program(BIDS), 2)
    assert find_difference(games, 3, decision_limit=1) is None
    apply = games[1].apply
    monkeypatch.setattr(games[1], "apply", lambda *args: change_cell("points", 9)(games[1], apply(*args)))

    difference = find_difference(games, 3, decision_limit=1)

    assert difference is not None and difference.decisions == 1


def test_options_and_prompts_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    option = Option(0, 0, (1,))
    diff = compare(monkeypatch, "decision", lambda _, decision: decision and decision._replace(options=(option,)))
    assert "the options" in diff
    assert "the labels of the options" in compare(monkeypatch, "option_labels", lambda game, labels: labels[::-1])
    assert "the prompt" in compare(monkeypatch, "prompt", lambda game, prompt: prompt + "!")
    assert "whether the game goes on\n    evaluator: asks P1\n    compiled:  the game is over" in compare(
        monkeypatch, "decision", lambda game, decision: None
    )


def test_events_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    games = create_engine_pair(load_program(BIDS), 2)
    start = games[1].start

    def drop_event(seed: int, log: list[Any]) -> State:
        state = start(seed, log)
        log.pop()
        return state

    monkeypatch.setattr(games[1], "start", drop_event)
    text = str(find_difference(games, 3))
    assert "of this step\n" in text
    assert "\n    compiled:  nothing more\n" in text
    assert text.endswith("\n  ≠ — Bidding — |")


def test_outcomes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the outcome" in compare(monkeypatch, "outcome", lambda game, outcome: None)


FAULTY = DATA["faulty"]


def test_ruleset_fault_is_equal_on_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    games = create_engine_pair(build_program(FAULTY))
    assert [find_difference(games, seed) for seed in range(4)] == [None] * 4

    def fail(*args: Any) -> State:
        raise RulesetFault("no")

    monkeypatch.setattr(games[1], "apply", fail)
    assert "a fault of the rules" in str(find_difference(games, 0))


def test_command_compares_each_number_of_players(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    assert main(["test", str(BIDS), "--agree", "25", "--jobs", "2"]) == 0
    streams = capsys.readouterr()
    assert streams.out.splitlines() == [f"Bids: the engines agree in 25 games with {n} players" for n in (2, 3)]
    assert [line[-40:] for line in streams.err.splitlines()] == ["s: without native code: LUSORY_CC is off"] * 2


@needs_compiler
def test_native_code_is_compared_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    command = ["test", str(BIDS), "--agree", "25", "--seed", "3", "--jobs", "1"]
    assert main(command) == 0
    assert capsys.readouterr().err == ""
    games = NativeGames.play_games
    monkeypatch.setattr(
        NativeGames, "play_games", lambda *args: ((game[0] + 1, *game[1:]) for game in games(*args) if game)
    )
    assert main(command) == 1
    output = capsys.readouterr().out
    assert "\n  the game without a stop\n    compiled: PlayoutResult(decisions=4, " in output
    assert "\n    native:   PlayoutResult(decisions=5, " in output
    assert output.endswith(f"To reproduce it: lusory test {BIDS} --agree 25 --seed 3\n")


@needs_compiler
def test_native_code_is_compared_at_every_decision(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Add one to a state, while native code finds no fault."""
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    to_python = NativeSteps.to_python

    def add_one(steps: NativeSteps, state: bytes) -> State:
        new_state = to_python(steps, state)
        new_state.cells[0] += 1
        return new_state

    monkeypatch.setattr(NativeSteps, "to_python", add_one)
    assert main(["test", str(BIDS), "--agree", "25", "--seed", "3", "--jobs", "1"]) == 1
    output = capsys.readouterr().out
    assert "2 players, seed 3, after 0 decisions:\n" in output
    assert "\n    native: " in output
    monkeypatch.undo()
    game = Game(build_program(FAULTY))
    steps = NativeSteps(game)
    monkeypatch.setattr(steps, "apply", lambda state, option: state)
    differences = (find_native_step_difference(game, steps, seed, False, NativeUsage()) for seed in range(4))
    assert "a fault of the rules" in str(next(filter(None, differences)))


@needs_compiler
def test_games_of_an_earlier_comparison_do_not_hide_that_all_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(load_program(BIDS), 2)
    native, usage = NativeGames(game), NativeUsage(played=5)
    monkeypatch.setattr(native, "play_games", lambda seeds: iter([None] * len(seeds)))
    assert "all left to Python" in str(find_native_difference(game, native, range(20), usage))
    assert (usage.played, usage.replayed) == (5, 20)


@needs_compiler
def test_native_code_that_plays_no_game_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Games may be too large for it, and Python replays games with faults."""
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    command = ["test", str(BIDS), "--agree", "25", "--seed", "3", "--jobs", "1"]
    games = NativeGames.play_games
    monkeypatch.setattr(
        NativeGames, "play_games", lambda *args: (game if n % 5 else None for n, game in enumerate(games(*args)))
    )
    assert main(command) == 0
    warnings = [f"{BIDS}, {n} players: 5 of 25 games in native code were played again by Python" for n in (2, 3)]
    assert capsys.readouterr().err.splitlines() == warnings
    monkeypatch.setattr(NativeGames, "play_games", lambda native, seeds: iter([None] * len(seeds)))
    assert main(command) == 1
    output = capsys.readouterr().out
    assert "2 players, seed 3, after 4 decisions:\n  the games without a stop: 20 of 20\n" in output
    assert "\n    compiled: PlayoutResult(decisions=4, " in output
    assert "\n    native:   all left to Python\n" in output
    game = Game(build_program(FAULTY.replace("heap by n", "heap by 1")))
    assert find_native_difference(game, NativeGames(game), range(20), NativeUsage()) is None


def test_command_shows_the_first_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = Game.prompt
    monkeypatch.setattr(Game, "prompt", lambda self, *args: f"{prompt(self, *args)} ({self.engine})")
    assert main(["test", str(BIDS), "--agree", "5", "--seed", "7", "--jobs", "1"]) == 1
    output = capsys.readouterr().out
    assert output.startswith("Bids: the engines disagree.\n2 players, seed 7, after 0 decisions:\n  the prompt\n")
    assert output.endswith(f"To reproduce it: lusory test {BIDS} --agree 1 --seed 7\n")


def test_moved_card_is_found_where_another_move_put_it() -> None:
    """A whole game tracks the locations of components only if something reads them, such as moving one component."""
    program = build_program(DATA["moved card is found where another move put it"])
    for seed in range(3):
        assert find_difference(create_engine_pair(program), seed) is None
