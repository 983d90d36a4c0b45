"""Test steps in case files: automatic steps, checks of the table between steps, a single block, and partial checks."""

from __future__ import annotations

import pytest
from case_files import CELLAR, describe_failure, list_failures
from programs import build_program, read_data

from lusory.testing.cases.suite_runner import run_cases
from lusory_dsl.source.source import Source

DATA = read_data(__file__)

FAILING = DATA["failing"]


@pytest.mark.parametrize("name", FAILING)
def test_failures_are_described(name: str) -> None:
    body, code, place = FAILING[name]
    failure = describe_failure(list_failures(body, CELLAR)[0])
    assert failure == (code, place or failure[1])


LARGE = CELLAR.replace("variables:\n", "variables:\n  square: {type: Int, per: [0..20000], start: 1}\n")


def test_fault_shows_a_part_of_a_large_table() -> None:
    text = "cases: [{id: one, steps: [{do: {P1: break}}]}]"
    ((failure,),) = [result.failures for result in run_cases(build_program(LARGE), [Source("a.yaml", text)])]
    assert "the rules fail" in failure.diagnostic.message
    assert len(failure.details) < 60
    assert max(map(len, failure.details)) < 200
    assert any(line.startswith("  … 19,9") for line in failure.details)
