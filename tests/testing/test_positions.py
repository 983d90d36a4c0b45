"""Test positions in case files: shared ones, and short forms for large tables."""

from __future__ import annotations

from pathlib import Path

import case_files
import pytest
from case_files import DRAUGHTS, VILLAGE, describe_failure, load_case_program
from programs import read_data

from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import list_case_faults, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)


def run(*files: str, rules: str = VILLAGE, **options: str) -> list[CaseResult]:
    return case_files.run(*files, rules=rules, **options)


def list_failures(results: list[CaseResult]) -> list[tuple[str, str, str]]:
    """Return the code, place and message of each failure."""
    return [
        (*describe_failure(failure), failure.diagnostic.message) for result in results for failure in result.failures
    ]


def list_faults(position: str, rules: str = VILLAGE) -> list[tuple[str, str, str]]:
    return list_failures(run(f"cases: [{{id: one, given: {position}, steps: [{{decision: P1}}]}}]", rules=rules))


FAULTY = DATA["faulty"]


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_reported_with_their_place(name: str) -> None:
    position, code, place, message = FAULTY[name]
    ((found_code, found_place, text),) = list_faults(position)
    assert (found_code, found_place) == (code, place)
    assert message in text


def test_cases_elsewhere_use_positions_of_the_ruleset(tmp_path: Path) -> None:
    """Cases of a pack or of a single file are elsewhere."""
    (tmp_path / "village.yaml").write_text(VILLAGE)
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "positions.yaml").write_text("positions: {late: {phase: evening}}\n")
    file = "cases: [{id: one, given: {from: late}, steps: [{legal: {P1: [sleep, dance]}}]}]"
    (result,) = run_cases(load_program(tmp_path), [Source("elsewhere.yaml", file)])
    assert result.passed
    assert [result.passed for result in run_cases(load_program(tmp_path))] == []


def test_fault_of_a_position_is_reported_once_with_its_place() -> None:
    cases = ", ".join(f"{{id: c{n}, given: {{from: late}}, steps: [{{decision: P1}}]}}" for n in range(50))
    source = Source("a.yaml", f"positions: {{late: {{ower: {{}}}}}}\ncases: [{cases}]")
    (fault,) = list_case_faults(load_case_program(VILLAGE), [source])
    assert (fault.code.id, fault.span.line) == ("E0802", 1)
    results = run_cases(load_case_program(VILLAGE), [source])
    assert not any(result.passed for result in results)
    assert {failure.diagnostic.span for result in results for failure in result.failures} == {fault.span}


# ---------------------------------------------------------------- boards

ODD_PICTURES = DATA["odd pictures"]


@pytest.mark.parametrize("name", ODD_PICTURES)
def test_odd_pictures_are_reported_with_their_place(name: str) -> None:
    picture, code, message = ODD_PICTURES[name]
    lines = picture.replace("\n", "\n        ")
    ((found_code, _, text),) = list_failures(
        run(
            f"cases:\n  - id: one\n    given:\n      Square: |\n        {lines}\n    steps: [{{decision: P1}}]\n",
            rules=DRAUGHTS,
        )
    )
    assert found_code == code
    assert message in text
