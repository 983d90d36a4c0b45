"""Write findings, coverage and mutation results as JSON for other programs, as ``docs/design/ci.md`` describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import NOWHERE, Span, format_json

from ..testing.cases.case_model import CaseResult
from ..testing.coverage import Coverage
from ..testing.mutation import KILLED, SURVIVED, UNTOUCHED, MutantResult, calculate_mutation_score
from .check_suites_findings_and_locations import Suite, list_findings, locate

VERSION = 1


def format_report(suites: Sequence[Suite]) -> str:
    """Return the report as JSON text."""
    return format_json(to_json(suites))


def to_json(suites: Sequence[Suite]) -> dict[str, Any]:
    """Return the report as a JSON value: ``version``, ``errors``, ``warnings``, ``diagnostics`` and ``ignored``.

    ``version`` is VERSION, the number of this format. ``errors`` and ``warnings`` are numbers of findings by severity,
    and each failure of a case counts: a case with two adds 2 to ``errors``. ``diagnostics`` holds only those of the
    rulesets, in the order of ``suites``, and ``ignored`` the uncounted ones that comments turn off, with ``reason``.
    Without findings, they are 0 and ``[]``. A diagnostic has ``code``, ``name``, ``severity``, ``message``, ``hint``,
    ``notes`` and the keys of :func:`span_to_json`. A note has ``message`` and these keys. Unless ``cases`` is None for
    all suites, the numbers of cases ``passed`` and ``failed`` and the list ``cases`` follow. A case has ``id``,
    ``title``, ``clauses``, ``file``, ``line``, ``passed``, ``seconds`` and ``failures``, diagnostics with ``details``.
    """
    severities = [findings.diagnostic.severity for findings in list_findings(suites)]
    report: dict[str, Any] = {
        "version": VERSION,
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "diagnostics": [_convert_diagnostic(diagnostic) for suite in suites for diagnostic in suite.diagnostics],
        "ignored": [
            {**_convert_diagnostic(diagnostic), "reason": reason}
            for suite in suites
            for diagnostic, reason in suite.ignored_findings
        ],
    }
    if any(suite.cases is not None for suite in suites):
        cases = [case for suite in suites for case in suite.cases or ()]
        report["passed"] = sum(case.passed for case in cases)
        report["failed"] = len(cases) - report["passed"]
        report["cases"] = [_convert_case(case) for case in cases]
    return report


def span_to_json(span: Span | None) -> dict[str, Any]:
    """Return the keys of a location: ``file``, ``line``, ``column``, ``end_line`` and ``end_column``.

    ``file`` is null if there is none.
    """
    return asdict(locate(span or NOWHERE))


def _convert_diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code.id,
        "name": diagnostic.code.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **span_to_json(diagnostic.span),
        "hint": diagnostic.hint,
        "notes": [{"message": label, **span_to_json(span)} for span, label in diagnostic.notes],
    }


def _convert_case(case: CaseResult) -> dict[str, Any]:
    place = locate(case.span)
    return {
        "id": case.id,
        "title": case.title,
        "clauses": list(case.clauses),
        "file": place.file,
        "line": place.line,
        "passed": case.passed,
        "seconds": round(case.seconds, 6),
        "failures": [
            {**_convert_diagnostic(failure.diagnostic), "details": list(failure.details)} for failure in case.failures
        ],
    }


def format_coverage(rulesets: Sequence[dict[str, Any]]) -> str:
    """Return a report of coverage or mutation results as JSON text. ``rulesets`` holds the part of each ruleset."""
    return format_json({"version": VERSION, "rulesets": rulesets})


def coverage_to_json(coverage: Coverage) -> dict[str, Any]:
    """Return the coverage of a ruleset as a JSON value.

    The keys are ``id``, ``name``, ``cases`` (how many), ``failed`` (how many of them), ``percent``, ``kinds`` and
    ``items``. ``kinds`` has a dict for each kind: ``{"effects": {"covered": 3, "total": 4}}``. ``items`` is a list with
    a dict for each item, covered or not: ``kind``, ``name``, ``covered`` (a bool), ``missing`` (what no case does, None
    if covered) and the keys of :func:`span_to_json`.
    """
    return {
        "id": coverage.program.id,
        "name": coverage.program.name,
        "cases": len(coverage.results),
        "failed": sum(not result.passed for result in coverage.results),
        "percent": round(coverage.percent, 2),
        "kinds": {
            kind: {"covered": count, "total": total} for kind, (count, total) in coverage.count_by_kind().items()
        },
        "items": [
            {
                "kind": item.kind,
                "name": item.name,
                "covered": item in coverage.covered_items,
                "missing": None if item in coverage.covered_items else item.gap,
                **span_to_json(item.span),
            }
            for item in coverage.items
        ],
    }


def mutation_to_json(program: Program, verdicts: Sequence[MutantResult]) -> dict[str, Any]:
    """Return the results of all mutants as a JSON value.

    The keys are ``id``, ``name``, ``percent`` (the score), each of the three outcomes with its number of mutants, and
    ``changes``. This is a list with a dict for each mutant, in the order of ``verdicts``. Its keys are ``kind``,
    ``where``, ``change``, ``outcome``, ``case``, ``cases_played`` and those of :func:`span_to_json`.
    """
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    return {
        "id": program.id,
        "name": program.name,
        "percent": round(calculate_mutation_score(verdicts), 2),
        **{outcome: outcomes[outcome] for outcome in (KILLED, SURVIVED, UNTOUCHED)},
        "changes": [
            {
                "kind": verdict.mutant.kind,
                "where": str(verdict.mutant.owner),
                "change": verdict.mutant.change,
                "outcome": verdict.outcome,
                "case": verdict.case,
                "cases_played": verdict.case_count,
                **span_to_json(verdict.mutant.span),
            }
            for verdict in verdicts
        ],
    }
