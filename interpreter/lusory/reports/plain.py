"""Findings as JSON, for programs of one's own. Described in ``docs/ci.md``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lusory_dsl.text.diagnostics import Diagnostic
from lusory_dsl.text.printable import json_text
from lusory_dsl.text.source import NOWHERE, Span

from ..author.cases.model import CaseResult
from ..findings.suites import Suite, findings, place_of, replacement

VERSION = 1


def written(suites: Sequence[Suite]) -> str:
    """The text of a report."""
    return json_text(to_json(suites))


def to_json(suites: Sequence[Suite]) -> dict[str, Any]:
    """A JSON value. ``cases`` is there where cases were played."""
    severities = [found.diagnostic.severity for found in findings(suites)]
    report: dict[str, Any] = {
        "version": VERSION,
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "diagnostics": [_diagnostic(d) for suite in suites for d in suite.diagnostics],
        "ignored": [{**_diagnostic(d), "reason": reason} for suite in suites for d, reason in suite.ignored],
    }
    if any(suite.cases is not None for suite in suites):
        cases = [case for suite in suites for case in suite.cases or ()]
        report["passed"] = sum(case.passed for case in cases)
        report["failed"] = len(cases) - report["passed"]
        report["cases"] = [_case(case) for case in cases]
    return report


def place_to_json(span: Span | None) -> dict[str, Any]:
    """The keys that say where something is; ``file`` null: nowhere."""
    return asdict(place_of(span or NOWHERE))


def _diagnostic(d: Diagnostic) -> dict[str, Any]:
    return {
        "code": d.code.id,
        "name": d.code.name,
        "severity": d.severity,
        "message": d.message,
        **place_to_json(d.span),
        "hint": d.hint,
        "replacement": replacement(d),
        "notes": [{"message": label, **place_to_json(span)} for span, label in d.notes],
    }


def _case(case: CaseResult) -> dict[str, Any]:
    place = place_of(case.span)
    return {
        "id": case.id,
        "title": case.title,
        "clauses": list(case.clauses),
        "file": place.file,
        "line": place.line,
        "passed": case.passed,
        "seconds": round(case.seconds, 6),
        "failures": [{**_diagnostic(f.diagnostic), "details": list(f.details)} for f in case.failures],
    }
