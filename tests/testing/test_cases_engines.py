"""Test cases on both engines: a difference between engines is a failure, and so is a crash of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from programs import build_program, read_data

from lusory.cli import main
from lusory.codegen.build_stages_and_ir_listing import Stepwise
from lusory.codegen.generated_code_runner_and_fault_explanation import CompiledEngine
from lusory.game import Game
from lusory.state.state import State
from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import BOTH, RandomGame, list_random_games, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)

RULES = DATA["rules"]
PASSING = DATA["passing"]
FAILING = "cases: [{id: dry, picks: [1], steps: [{do: [1, 1], expect: water = 0}]}]\n"


def play_cases_of(text: str) -> list[CaseResult]:
    return run_cases(build_program(RULES), [Source("cases.yaml", text)], BOTH)


def apply_and_lose_water(self: CompiledEngine, *args: Any, **keywords: Any) -> State:
    """Apply a decision in the compiled engine, then remove a bucket."""
    state = APPLY(self, *args, **keywords)
    state.cells[self.layout.places["water"].offset] -= 1
    return state


APPLY = CompiledEngine.apply


def test_case_passes_on_both_engines() -> None:
    assert [result.passed for result in play_cases_of(PASSING)] == [True] * 3


def test_failure_on_both_engines_is_reported_once() -> None:
    (result,) = play_cases_of(FAILING)
    assert [failure.diagnostic.code.id for failure in result.failures] == ["E0812"]


def test_difference_is_shown_with_both_stories() -> None:
    with patch.object(CompiledEngine, "apply", apply_and_lose_water):
        first, *_ = play_cases_of(PASSING)
    (failure,) = first.failures
    assert failure.diagnostic.code.id == "E0822"
    assert str(failure.diagnostic.span) == "cases.yaml:4:14"
    assert failure.diagnostic.message == "the engines differ: water"
    assert failure.details[:3] == ("evaluator: 3", "compiled:  2", "what happened on each:")
    assert "P1 draws 1" in failure.details[-1]


@pytest.mark.parametrize("kind", ["events", "emitted"])
def test_crash_of_an_engine_is_a_failure(kind: str) -> None:
    def crash(*args: Any) -> Any:
        raise KeyError("node")

    where = {"events": (CompiledEngine, "apply"), "emitted": (Stepwise, "emit")}[kind]
    with patch.object(*where, crash):
        first, *_ = play_cases_of(PASSING)
    (failure,) = first.failures
    assert failure.diagnostic.message == "the compiled engine fails: KeyError: 'node'"


def test_code_is_compiled_once_for_all_options() -> None:
    kinds: list[tuple[int, str]] = []
    emit = Stepwise.emit

    def emit_and_count(form: Stepwise, kind: str) -> Any:
        kinds.append((form.setting.players, kind))
        return emit(form, kind)

    with patch.object(Stepwise, "emit", emit_and_count):
        play_cases_of(PASSING)
    assert kinds == [(2, "events"), (3, "events")]


def test_some_random_games_are_played_beside_the_cases() -> None:
    program = build_program(RULES)
    assert [(game.players, game.seed) for game in list_random_games(program)] == [(2, 0), (3, 1)]
    assert all(game.play().passed for game in list_random_games(program))


@pytest.mark.parametrize(
    ("method", "message"),
    [("apply", "water"), ("playout", "the game without a stop"), ("get_locals", "the labels of the options")],
)
def test_random_game_finds_a_difference_of_engines(method: str, message: str) -> None:
    owner: Any = Game if method == "playout" else CompiledEngine
    correct = getattr(owner, method)
    mistakes: dict[str, Any] = {
        "apply": apply_and_lose_water,
        "playout": lambda self, *args, **keywords: correct(self, *args, **keywords)._replace(decisions=-1),
        "get_locals": lambda self, *args: [9 if isinstance(value, int) else value for value in correct(self, *args)],
    }
    program = build_program(
        RULES.replace('label "{n} buckets"', 'label "{n} buckets of {lowest}"').replace(
            "each player:\n", "let lowest = water + 1\n      each player:\n"
        )
    )
    with patch.object(owner, method, mistakes[method]):
        result = RandomGame(program, 2, 0).play()
    assert [failure.diagnostic.message for failure in result.failures] == [f"the engines differ: {message}"]


def test_fault_of_the_scoring_is_no_bug_of_an_engine() -> None:
    result = RandomGame(build_program(RULES.replace("then water else 0", "then 1 div 0 else 0")), 2, 0).play()
    assert [failure.diagnostic.message for failure in result.failures] == ["the rules fail: division by zero"]


@pytest.mark.parametrize("engine", ["evaluator", "compiled", BOTH])
def test_case_with_a_fault_of_the_scoring_fails_and_the_others_are_played(engine: str) -> None:
    program = build_program(RULES.replace("then water else 0", "then 1 div (3 - water) else 0"))
    checks = "outcome: {payoffs: {P1: 0}}", "expect: water = 0", "fault: division by zero"
    steps = [*(f"{{do: [1, 1], {check}}}" for check in checks), f"{{do: [1, 2], {checks[0]}}}"]
    cases = [f"  - {{id: case_{number}, picks: [1], steps: [{step}]}}\n" for number, step in enumerate(steps)]
    results = run_cases(program, [Source("cases.yaml", f"cases:\n{''.join(cases)}")], engine)
    messages = [[failure.diagnostic.message for failure in result.failures] for result in results]
    fault = "the rules fail: division by zero"
    assert messages == [[fault], [fault if engine == BOTH else "`water = 0` is false"], [], []]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ruleset.yaml").write_text(RULES)
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "all.yaml").write_text(PASSING)
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_command_plays_on_both_engines(folder: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(folder), "--jobs", jobs]) == 0
    assert capsys.readouterr().out == "3 passed\n"
    with patch.object(CompiledEngine, "apply", apply_and_lose_water):
        assert main(["test", str(folder), "--jobs", jobs]) == 1
        output = capsys.readouterr().out
        assert "FAILED random-2-0 A random game of 2 players, seed 0, on both engines" in output
        assert output.endswith("\n0 passed, 5 failed\n")
        assert main(["test", str(folder), "--jobs", jobs, "--engine", "evaluator"]) == 0
        assert main(["test", str(folder), "--jobs", jobs, "--engine", "compiled"]) == 1
        capsys.readouterr()
        assert main(["test", str(folder), "-k", "deep"]) == 1
        assert "random" not in capsys.readouterr().out


def test_stories_are_side_by_side(folder: Path) -> None:
    with patch.object(CompiledEngine, "apply", apply_and_lose_water):
        (failure,) = RandomGame(load_program(folder), 2, 0).play().failures
    assert failure.details[0].startswith("after 1 decision, the last P1 `")
    head, *lines = failure.details[4:]
    assert head.split() == ["evaluator", "compiled"]
    assert any("|" in line for line in lines)
