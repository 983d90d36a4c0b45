"""Case files: what they can say, and how each mistake in one is told."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from case_files import CHUNKS, RULESET, only_failure, program, seen
from programs import read_data
from test_conformance import Chunk, list_failures

from lusory.support.process_pool import map_in_order
from lusory.testing.cases import suite_runner as cases_module
from lusory.testing.cases.case_model import Case, CaseResult
from lusory.testing.cases.suite_runner import list_case_files, load_cases, play_cases, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)


@pytest.mark.parametrize("through_json", [False, True], ids=["direct", "json"])
@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("chunk", CHUNKS.values(), ids=["market", "cellar", "village", "draughts"])
def test_passes(chunk: Chunk, engine: str, through_json: bool) -> None:
    results = run_cases(program(chunk.ruleset), [chunk.cases], engine, through_json=through_json)
    assert results
    assert list_failures(results) == []


FAULTY = DATA["faulty"]


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_found_where_they_stand(name: str) -> None:
    body, code, place, message = FAULTY[name]
    failure = only_failure(body)
    assert seen(failure) == (code, place)
    assert message in failure.diagnostic.message


FAILING = DATA["failing"]


@pytest.mark.parametrize("name", FAILING)
def test_differences_are_told(name: str) -> None:
    step, code, place, message = FAILING[name]
    step = step if step.startswith("{") else f"{{{step}}}"
    failure = only_failure(f"picks: [P1]\nshuffles: [[silk]]\nsteps: [{step}]")
    assert seen(failure) == (code, place)
    assert message in failure.diagnostic.message


def test_an_option_that_lusory_took_before_a_check_is_told() -> None:
    path = Path(__file__).resolve().parents[2] / "rulesets" / "templates" / "market-day"
    given = "given: {P1: {hand: [baker, thief]}, P2: {hand: {HAND}}}"
    steps = "steps: [{do: {P1: play baker}, expect: bank.coin = 58}]"
    hints = []
    for hand in ("[baker-2, thief-2]", "[baker-2]"):
        case = f"cases: [{{id: a, {given.replace('{HAND}', hand)}, {steps}}}]"
        (result,) = run_cases(load_program(path), [Source("case.yaml", case)], engine="evaluator")
        hints += [failure.diagnostic.hint for failure in result.failures]

    assert hints == [
        "after that, P2 had only one option, `play baker-2`, so lusory took it: give P2 another option in `given`, or "
        "add `stop: now`"
    ]


def test_a_ruleset_without_cases_has_none(tmp_path: Path) -> None:
    assert list_case_files(tmp_path) == []
    (tmp_path / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    assert run_cases(load_program(tmp_path)) == []


# ---------------------------------------------------------------- by several processes


def several() -> list[Case | CaseResult]:
    """Cases of different games, in two files with a faulty one between them; every third case fails."""
    cases = "".join(
        f"  - {{id: {{name}}-{n}, dice: [1], options: {{bonus: {n % 2}}}, steps: [{{expect: bonus = {n % 3 % 2}}}]}}\n"
        for n in range(12)
    )
    texts = {name: "cases:\n" + cases.replace("{name}", name) for name in ("a", "c")}
    texts["b"] = "cases:\n  - id: one\n    step: []\n"
    return load_cases(program(), [Source(f"{name}.yaml", texts[name]) for name in sorted(texts)])


def details(results: Iterable[CaseResult]) -> list[tuple[object, ...]]:
    """All that is told of results, but how long they took and where texts lie in memory."""
    return [
        (
            r.file,
            r.id,
            r.clauses,
            str(r.span),
            [(str(f.diagnostic.span), f.diagnostic.message, f.details) for f in r.failures],
        )
        for r in results
    ]


@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("alone", [0.0, 1e-9])
def test_the_number_of_processes_changes_nothing(engine: str, alone: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where this one begins alone, and where those of a game are played in rows."""
    monkeypatch.setattr(cases_module, "MAX_CASES_PER_TASK", 3)
    here = details(play_cases(program(), several(), engine))
    processes: list[int] = []

    def counted(work: Any, tasks: Any, jobs: int) -> Any:
        processes.append(jobs)
        return map_in_order(work, tasks, jobs)

    monkeypatch.setattr(cases_module, "map_in_order", counted)

    assert details(play_cases(program(), several(), engine, jobs=2, alone=alone)) == here
    assert processes == [2]
    assert {bool(failures) for *_, failures in here} == {True, False}


def test_what_another_process_is_given_travels() -> None:
    """Where processes begin with nothing, program and cases come by pickle."""
    player = cases_module._Player(program(), several(), "evaluator", False)
    numbers = range(len(player.cases))
    travelled = pickle.loads(pickle.dumps(player))

    assert details(map(travelled.get_result, numbers)) == details(map(player.get_result, numbers))


def test_no_process_is_started_for_what_is_short() -> None:
    """Nor when there is nothing to play."""
    played = play_cases(program(), several(), jobs=2, alone=3600)
    next(played)
    assert not active_children()
    played.close()
    assert list(play_cases(program(), [], jobs=2)) == []
