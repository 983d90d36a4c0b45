"""Test what case files can express, and how each mistake in one is reported."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from contextlib import nullcontext
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from case_files import CHUNKS, RULESET, describe_failure, get_only_failure, load_case_program
from programs import read_data
from test_conformance import Chunk, list_failures, pass_states_through_json

from lusory.support.process_pool import map_in_order
from lusory.testing.cases import suite_runner as cases_module
from lusory.testing.cases.case_model import Case, CaseResult
from lusory.testing.cases.suite_runner import list_case_files, load_cases, play_cases, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)


@pytest.mark.parametrize("uses_json", [False, True], ids=["direct", "json"])
@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("chunk", CHUNKS.values(), ids=["market", "cellar", "village", "draughts"])
def test_passes(chunk: Chunk, engine: str, uses_json: bool) -> None:
    with pass_states_through_json() if uses_json else nullcontext():
        results = run_cases(load_case_program(chunk.ruleset), [chunk.cases], engine)
    assert results
    assert list_failures(results) == []


FAULTY = DATA["faulty"]


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_reported_with_their_place(name: str) -> None:
    body, code, place, message = FAULTY[name]
    failure = get_only_failure(body)
    assert describe_failure(failure) == (code, place)
    assert message in failure.diagnostic.message


FAILING = DATA["failing"]


@pytest.mark.parametrize("name", FAILING)
def test_failures_are_described(name: str) -> None:
    step, code, place, message = FAILING[name]
    step = step if step.startswith("{") else f"{{{step}}}"
    failure = get_only_failure(f"picks: [P1]\nshuffles: [[silk]]\nsteps: [{step}]")
    assert describe_failure(failure) == (code, place)
    assert message in failure.diagnostic.message


def test_option_taken_automatically_before_a_check_is_reported() -> None:
    path = Path(__file__).resolve().parents[2] / "rulesets" / "templates" / "market-day"
    position = "given: {P1: {hand: [baker, thief]}, P2: {hand: {HAND}}}"
    steps = "steps: [{do: {P1: play baker}, expect: bank.coin = 58}]"
    hints = []
    for hand in ("[baker-2, thief-2]", "[baker-2]"):
        case = f"cases: [{{id: a, {position.replace('{HAND}', hand)}, {steps}}}]"
        (result,) = run_cases(load_program(path), [Source("case.yaml", case)], engine="evaluator")
        hints += [failure.diagnostic.hint for failure in result.failures]

    assert hints == [
        "after that, P2 had only one option, `play baker-2`, so lusory took it: give P2 another option in `given`, or "
        "add `stop: now`"
    ]


def test_ruleset_without_cases_has_none(tmp_path: Path) -> None:
    assert list_case_files(tmp_path) == []
    (tmp_path / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    assert run_cases(load_program(tmp_path)) == []


# ---------------------------------------------------------------- by several processes


def list_tasks() -> list[Case | CaseResult]:
    """Return cases of different games, in two files with a faulty one between them. Every third case fails."""
    cases = "".join(
        f"  - {{id: {{name}}-{n}, dice: [1], options: {{bonus: {n % 2}}}, steps: [{{expect: bonus = {n % 3 % 2}}}]}}\n"
        for n in range(12)
    )
    files = {name: "cases:\n" + cases.replace("{name}", name) for name in ("a", "c")}
    files["b"] = "cases:\n  - id: one\n    step: []\n"
    return load_cases(load_case_program(), [Source(f"{name}.yaml", files[name]) for name in sorted(files)])


def list_details(results: Iterable[CaseResult]) -> list[tuple[object, ...]]:
    """Return all that results hold, except their times and the memory addresses of texts."""
    return [
        (
            result.file,
            result.id,
            result.clauses,
            str(result.span),
            [(str(fault.diagnostic.span), fault.diagnostic.message, fault.details) for fault in result.failures],
        )
        for result in results
    ]


@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("start_delay", [0.0, 1e-9])
def test_process_count_changes_no_results(engine: str, start_delay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent process may play alone."""
    monkeypatch.setattr(cases_module, "CASES_PER_TASK", 3)
    expected = list_details(play_cases(load_case_program(), list_tasks(), engine))
    processes: list[int] = []

    def count_and_play(player: Any, tasks: Any, jobs: int) -> Any:
        processes.append(jobs)
        return map_in_order(player, tasks, jobs)

    monkeypatch.setattr(cases_module, "map_in_order", count_and_play)

    results = play_cases(load_case_program(), list_tasks(), engine, jobs=2, start_delay=start_delay)
    assert list_details(results) == expected
    assert processes == [2]
    assert {bool(failures) for *_, failures in expected} == {True, False}


def test_tasks_can_be_pickled() -> None:
    """Processes without a fork receive program and cases through pickle."""
    player = cases_module._Player(load_case_program(), list_tasks(), "evaluator")
    numbers = range(len(player.cases))
    copy = pickle.loads(pickle.dumps(player))

    assert list_details(copy.play(numbers)) == list_details(player.play(numbers))


def test_short_work_starts_no_process() -> None:
    """No work starts none either."""
    results = play_cases(load_case_program(), list_tasks(), jobs=2, start_delay=3600)
    next(results)
    assert not active_children()
    results.close()
    assert list(play_cases(load_case_program(), [], jobs=2)) == []
