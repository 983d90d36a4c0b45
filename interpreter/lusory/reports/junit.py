"""Write findings as JUnit XML, which build servers show.

A ruleset is a suite, a case is a test, and the check of the ruleset is one more test.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import REPLACEMENT, make_printable

from ..testing.cases.case_model import CaseResult
from ..ui.line.diagnostic_rendering import render_diagnostic
from .check_results import Suite, locate

_NOT_XML = re.compile("[\ufffe\uffff]")


def format_report(suites: Sequence[Suite]) -> str:
    """Return a JUnit XML report as text: a suite for each ruleset, and a test case for each case.

    A ruleset with diagnostics, or whose cases were not played, has one more test case, named "check". The root has the
    sums of ``tests``, ``failures``, ``errors`` and ``time`` (seconds).
    """
    root = ET.Element("testsuites", name="lusory")
    for suite in suites:
        root.append(_suite_element(suite))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(part.get(key, "0")) for part in root)))
    root.set("time", _format_time(sum(float(part.get("time", "0")) for part in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite_element(suite: Suite) -> ET.Element:
    """Return the element of a ruleset, with the test named "check" first, if there is one."""
    tests = [_check_element(suite)] if suite.cases is None or suite.diagnostics else []
    tests += [_case_element(case) for case in suite.cases or ()]
    seconds = suite.seconds + sum(case.seconds for case in suite.cases or ())
    counts = {
        "tests": str(len(tests)),
        "failures": str(sum(test.find("failure") is not None for test in tests)),
        "errors": str(sum(test.find("error") is not None for test in tests)),
        "time": _format_time(seconds),
    }
    element = ET.Element("testsuite", {"name": _remove_invalid(suite.name), **counts})
    element.extend(tests)
    return element


def _check_element(suite: Suite) -> ET.Element:
    """Return the check of a ruleset as a test. Warnings don't make it fail."""
    test = ET.Element("testcase", classname=_remove_invalid(suite.name), name="check", time=_format_time(suite.seconds))
    errors = [diagnostic for diagnostic in suite.diagnostics if diagnostic.severity == "error"]
    warnings = [diagnostic for diagnostic in suite.diagnostics if diagnostic.severity != "error"]
    if errors:
        _problem_element(test, "failure", errors[0], "\n\n".join(_format_finding(diagnostic) for diagnostic in errors))
    if warnings:
        ET.SubElement(test, "system-out").text = _remove_invalid(
            "\n\n".join(_format_finding(diagnostic) for diagnostic in warnings)
        )
    return test


def _case_element(case: CaseResult) -> ET.Element:
    """Return a case as a test. Its only failure holds all that the case reports."""
    place = locate(case.span)
    file = place.file or case.file
    test = ET.Element(
        "testcase",
        classname=_remove_invalid(".".join(PurePosixPath(file).with_suffix("").parts)),
        name=_remove_invalid(f"{case.id}: {case.title}"),
        file=_remove_invalid(file),
        line=str(place.line),
        time=_format_time(case.seconds),
    )
    if case.failures:
        parts = [
            "\n".join([_format_finding(failure.diagnostic), *(f"  {line}" for line in failure.details)])
            for failure in case.failures
        ]
        _problem_element(test, "failure", case.failures[0].diagnostic, "\n\n".join(parts))
    return test


def _problem_element(test: ET.Element, kind: str, diagnostic: Diagnostic, text: str) -> None:
    ET.SubElement(
        test, kind, message=_remove_invalid(diagnostic.message), type=diagnostic.code.id
    ).text = _remove_invalid(text)


def _format_finding(diagnostic: Diagnostic) -> str:
    return render_diagnostic(diagnostic).plain


def _remove_invalid(text: str) -> str:
    """Replace characters that XML does not allow, and invisible ones."""
    return _NOT_XML.sub(REPLACEMENT, make_printable(text))


def _format_time(seconds: float) -> str:
    return f"{seconds:.3f}"
