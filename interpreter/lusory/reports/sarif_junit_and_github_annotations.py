"""Write findings in the formats that build servers and code scanners read.

- Workflow commands, which GitHub shows beside the lines of a pull request.
- SARIF 2.1.0, the format of code scanning. It contains the page of each diagnostic.
- JUnit XML. A ruleset is a suite, a case is a test, and the check of the ruleset is one more test.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder, read_bundled_text
from lusory_dsl.source.source import REPLACEMENT, Span, format_json, make_printable

from ..testing.cases.case_model import CaseResult
from ..ui.line.diagnostic_rendering import render_diagnostic
from .check_suites_findings_and_locations import Finding, Suite, list_findings, locate

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_NOT_XML = re.compile("[\ufffe\uffff]")


# ---------------------------------------------------------------- GitHub workflow commands


def format_annotations(suites: Sequence[Suite]) -> str:
    """Return the report as text, with one command on each line. Without findings it is empty."""
    return "".join(f"{format_annotation(finding)}\n" for finding in list_findings(suites))


def format_annotation(finding: Finding) -> str:
    """Return the command of one finding, without a line break: ``::SEVERITY file=…,line=…,title=…::TEXT``.

    The properties are ``file``, ``line``, ``col``, ``endLine``, ``endColumn`` and ``title`` in this order. Without a
    file, only ``file`` is left out. The title is the code's id and name, followed by ``in draw`` if the case with the
    id ``draw`` failed. The text is the message, the hint if there is one, and the details, joined by escaped line
    feeds. Line feeds (``%0A``) and ``%`` are escaped, and in properties also ``:`` and ``,``. Before that,
    :func:`make_printable` replaces other control characters. SEVERITY is ``error`` or ``warning``. Example:
    ``::error file=a.yaml,line=3,col=5,endLine=3,endColumn=9,title=E0401 unknown-name::no `x` here%0Adid you mean `y`?``
    """
    diagnostic, place = finding.diagnostic, locate(finding.diagnostic.span)
    properties = {
        "file": place.file,
        "line": place.line,
        "col": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "title": f"{diagnostic.code.id} {diagnostic.code.name}" + (f" in {finding.case.id}" if finding.case else ""),
    }
    lines = [diagnostic.message, *([diagnostic.hint] if diagnostic.hint else []), *finding.details]
    pairs = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{diagnostic.severity} {pairs}::{_escape(chr(10).join(lines))}"


def _escape(text: str) -> str:
    return make_printable(text).replace("%", "%25").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------- SARIF


def format_sarif(suites: Sequence[Suite]) -> str:
    """Return the report as the text of a SARIF 2.1.0 file, which is JSON.

    It has one run. Its ``tool.driver.rules`` has a rule for each code that occurs, sorted by id, and its ``results`` a
    result for each finding of :func:`list_findings`, in its order, failures of cases included. Each result has
    ``ruleId`` and ``ruleIndex``, the index of its rule from 0. Without findings, ``rules`` and ``results`` are [].
    """
    findings = list(list_findings(suites))
    codes = sorted({finding.diagnostic.code.id: finding.diagnostic.code for finding in findings}.items())
    numbers = {id: number for number, (id, _) in enumerate(codes)}
    driver = {"name": "lusory", "version": _get_version(), "rules": [_describe_rule(code) for _, code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which lusory ran."}}},
        "results": [_describe_result(finding, numbers) for finding in findings],
    }
    return format_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _get_version() -> str:
    try:
        return metadata.version("lusory")
    except metadata.PackageNotFoundError:
        return "0"


def _describe_rule(code: Code) -> dict[str, Any]:
    page = find_data_folder("diagnostics") / f"{code.id}.md"
    help = {"text": f"{code.meaning} `lusory explain {code.id}` explains it."}
    if page.is_file():
        help["markdown"] = read_bundled_text(page)
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.meaning},
        "help": help,
        "defaultConfiguration": {"level": code.severity},
    }


def _describe_result(finding: Finding, numbers: dict[str, int]) -> dict[str, Any]:
    """Return the result of a finding. ``numbers`` holds the index of the rule of each code."""
    diagnostic = finding.diagnostic
    lines = [f"{finding.case.id}: {diagnostic.message}" if finding.case else diagnostic.message]
    lines += [f"help: {diagnostic.hint}"] if diagnostic.hint else []
    return {
        "ruleId": diagnostic.code.id,
        "ruleIndex": numbers[diagnostic.code.id],
        "level": diagnostic.severity,
        "message": {"text": "\n".join([*lines, *finding.details])},
        "locations": [{"physicalLocation": place}] if (place := _describe_location(diagnostic.span)) else [],
    }


def _describe_location(span: Span) -> dict[str, Any]:
    """Return a location, without a region if the file has no text, such as a missing file.

    Empty if there is no file.
    """
    file = locate(span).file
    if file is None:
        return {}
    path = Path(file)
    artifact = {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(file), "uriBaseId": ROOT}
    location = {"artifactLocation": artifact}
    return {**location, "region": _describe_region(span)} if span.source.text else location


def _describe_region(span: Span) -> dict[str, int]:
    place = locate(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


# ---------------------------------------------------------------- JUnit XML


def format_junit(suites: Sequence[Suite]) -> str:
    """Return a JUnit XML report as text: a ``<testsuite>`` for each ruleset, with a ``<testcase>`` for each case.

    A case is named ``ID: TITLE``, with its ``file`` and ``line``; if it failed, it has one ``<failure>``. A suite with
    diagnostics, or with ``cases`` None, begins with a test case ``check``: all errors make one ``<failure>``, and all
    warnings one ``<system-out>`` after it. The ``time`` of a suite is its ``seconds`` plus those of its cases,
    ``errors`` is always 0, and the root has the sums. ``Suite("rules", (), 0.5)`` alone gives, between the XML
    declaration and the closing tags::

        <testsuites name="lusory" tests="1" failures="0" errors="0" time="0.500">
          <testsuite name="rules" tests="1" failures="0" errors="0" time="0.500">
            <testcase classname="rules" name="check" time="0.500" />
    """
    root = ET.Element("testsuites", name="lusory")
    for suite in suites:
        root.append(_build_suite(suite))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(element.get(key, "0")) for element in root)))
    root.set("time", _format_time(sum(float(element.get("time", "0")) for element in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _build_suite(suite: Suite) -> ET.Element:
    """Return the element of a ruleset, with the test named "check" first, if there is one."""
    tests = [_build_check(suite)] if suite.cases is None or suite.diagnostics else []
    tests += [_build_case(case) for case in suite.cases or ()]
    seconds = suite.seconds + sum(case.seconds for case in suite.cases or ())
    counts = {
        "tests": str(len(tests)),
        "failures": str(sum(test.find("failure") is not None for test in tests)),
        "errors": "0",  # a test that goes wrong counts as failed
        "time": _format_time(seconds),
    }
    element = ET.Element("testsuite", {"name": _remove_invalid(suite.name), **counts})
    element.extend(tests)
    return element


def _build_check(suite: Suite) -> ET.Element:
    """Return the check of a ruleset as a test. Warnings don't make it fail."""
    test = ET.Element("testcase", classname=_remove_invalid(suite.name), name="check", time=_format_time(suite.seconds))
    errors = [diagnostic for diagnostic in suite.diagnostics if diagnostic.severity == "error"]
    warnings = [diagnostic for diagnostic in suite.diagnostics if diagnostic.severity != "error"]
    if errors:
        _add_failure(test, errors[0], "\n\n".join(map(_format_diagnostic, errors)))
    if warnings:
        text = "\n\n".join(map(_format_diagnostic, warnings))
        ET.SubElement(test, "system-out").text = _remove_invalid(text)
    return test


def _build_case(case: CaseResult) -> ET.Element:
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
        texts = [
            "\n".join([_format_diagnostic(failure.diagnostic), *(f"  {line}" for line in failure.details)])
            for failure in case.failures
        ]
        _add_failure(test, case.failures[0].diagnostic, "\n\n".join(texts))
    return test


def _add_failure(test: ET.Element, diagnostic: Diagnostic, text: str) -> None:
    message = _remove_invalid(diagnostic.message)
    ET.SubElement(test, "failure", message=message, type=diagnostic.code.id).text = _remove_invalid(text)


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    return render_diagnostic(diagnostic).plain


def _remove_invalid(text: str) -> str:
    """Replace characters that XML does not allow, and invisible ones."""
    return _NOT_XML.sub(REPLACEMENT, make_printable(text))


def _format_time(seconds: float) -> str:
    return f"{seconds:.3f}"
