"""Test the diagnostics of case files: each case of ``told.yaml`` plays some files, and lists the mistakes and places.

A mistake has its code, its place in the file, its message and hint, notes about other places and, for some, details.
"""

from __future__ import annotations

from typing import Any

import pytest
from case_files import CELLAR, DRAUGHTS, RULESET, VILLAGE, load_case_program
from programs import read_data, read_rules, replace_texts

from lusory.testing.cases.suite_runner import CASES_ENGINE, list_case_faults, run_cases
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Source

DATA = read_data(__file__)
RULESETS = {"market": RULESET, "cellar": CELLAR, "village": VILLAGE, "draughts": DRAUGHTS, "stops": read_rules("stops")}
RULESETS |= DATA["rulesets"]


def describe(diagnostic: Diagnostic, details: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the parts that a mistake has."""
    span = diagnostic.span
    notes = [[span.source.name, span.line, note] for span, note in diagnostic.notes]
    place = span.source.text[span.start : span.end]
    first = {"code": diagnostic.code.id, "place": place, "message": diagnostic.message}
    more = {"hint": diagnostic.hint, "notes": notes, "details": list(details)}
    return first | {key: value for key, value in more.items() if value}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["test"])
def test_mistakes_of_case_files(case: dict[str, Any]) -> None:
    rules = replace_texts(RULESETS[case["rules"]], case.get("change", ()))
    files = [Source(name, text) for name, text in case["files"].items()]
    if "faults" in case:
        assert [describe(fault) for fault in list_case_faults(load_case_program(rules), files)] == case["faults"]
        return
    for engine in case.get("engines", [CASES_ENGINE]):
        results = run_cases(load_case_program(rules), files, engine, case.get("only"))
        assert [result.id for result in results] == [expected["id"] for expected in case["results"]]
        for result, expected in zip(results, case["results"], strict=True):
            failures = expected.get("failures", [])
            for failure, row in zip(result.failures, failures, strict=True):
                assert describe(failure.diagnostic, failure.details if "details" in row else ()) == row
