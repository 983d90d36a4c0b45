"""Play case files in tests, on the four rulesets of testing/case_files.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from programs import build_program
from test_conformance import read_chunks

from lusory.testing.cases.case_model import CaseResult, Failure
from lusory.testing.cases.suite_runner import run_cases
from lusory_dsl import core
from lusory_dsl.source.source import Source

CHUNKS = read_chunks([Path(__file__).parent / "testing" / "case_files.yaml"])
"""Rulesets with cases that pass: a market, a cellar, a village and a board."""
RULESET, CELLAR, VILLAGE, DRAUGHTS = (chunk.ruleset for chunk in CHUNKS.values())


@cache
def load_case_program(rules: str = RULESET) -> core.Program:
    return build_program(rules, "rules.yaml")


def run(*files: str, rules: str = RULESET, **how: Any) -> list[CaseResult]:
    """Play the cases of some files."""
    sources = [Source(f"cases/{number}.yaml", dedent(file)) for number, file in enumerate(files, 1)]
    return run_cases(load_case_program(rules), sources, **how)


def list_failures(body: str, rules: str = RULESET) -> list[Failure]:
    """Return the failures of a case with this body."""
    (result,) = run("cases:\n  - id: example\n" + indent(dedent(body), "    "), rules=rules)
    return list(result.failures)


def get_only_failure(body: str, rules: str = RULESET) -> Failure:
    (failure,) = list_failures(body, rules)
    return failure


def describe_failure(failure: Failure) -> tuple[str, str]:
    """Return the code of a failure and the text of its location in the case file."""
    span = failure.diagnostic.span
    return failure.diagnostic.code.id, span.source.text[span.start : span.end]
