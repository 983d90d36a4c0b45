"""Write findings as SARIF 2.1.0, the format of code scanning.

It contains the page of each diagnostic, and fixes for hints that a program can apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.safe_files import find_data_folder, read_bundled_text
from lusory_dsl.source.source import Span, format_json

from .check_results import Finding, Suite, find_replacement, list_findings, locate

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"


def format_report(suites: Sequence[Suite]) -> str:
    """Return the report as JSON text."""
    return format_json(_to_sarif(suites))


def _to_sarif(suites: Sequence[Suite]) -> dict[str, Any]:
    """Return a SARIF log with one run: a rule for each code that occurs, by id, and a result for each finding.

    Findings are those of :func:`list_findings`, in its order, failures of cases included; a result refers to its rule
    by number. Without findings, both lists are empty.
    """
    findings = list(list_findings(suites))
    codes = sorted({finding.diagnostic.code.id: finding.diagnostic.code for finding in findings}.items())
    numbers = {id: number for number, (id, _) in enumerate(codes)}
    driver = {"name": "lusory", "version": _version(), "rules": [_rule(code) for _, code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which lusory ran."}}},
        "results": [_result(finding, numbers) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _version() -> str:
    try:
        return metadata.version("lusory")
    except metadata.PackageNotFoundError:
        return "0"


def _rule(code: Code) -> dict[str, Any]:
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


def _result(finding: Finding, numbers: dict[str, int]) -> dict[str, Any]:
    """Return the result of a finding. ``numbers`` holds the index of the rule of each code."""
    diagnostic = finding.diagnostic
    lines = [f"{finding.case.id}: {diagnostic.message}" if finding.case else diagnostic.message]
    lines += [f"help: {diagnostic.hint}"] if diagnostic.hint else []
    result: dict[str, Any] = {
        "ruleId": diagnostic.code.id,
        "ruleIndex": numbers[diagnostic.code.id],
        "level": diagnostic.severity,
        "message": {"text": "\n".join([*lines, *finding.details])},
        "locations": [{"physicalLocation": place}] if (place := _location(diagnostic.span)) else [],
    }
    related = [
        {"id": number, "message": {"text": label}, "physicalLocation": place}
        for number, (span, label) in enumerate(diagnostic.notes)
        if (place := _location(span))
    ]
    if related:
        result["relatedLocations"] = related
    if (text := find_replacement(diagnostic)) is not None:
        result["fixes"] = [_fix(diagnostic, text)]
    return result


def _location(span: Span) -> dict[str, Any]:
    """Return a location, without a region if the file has no text, such as a missing file.

    Empty if there is no file.
    """
    file = locate(span).file
    if file is None:
        return {}
    artifact = _artifact(file)
    return (
        {"artifactLocation": artifact, "region": _region(span)} if span.source.text else {"artifactLocation": artifact}
    )


def _artifact(file: str) -> dict[str, str]:
    path = Path(file)
    return {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(file), "uriBaseId": ROOT}


def _region(span: Span) -> dict[str, int]:
    place = locate(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _fix(diagnostic: Diagnostic, text: str) -> dict[str, Any]:
    change = {
        "artifactLocation": _location(diagnostic.span)["artifactLocation"],
        "replacements": [{"deletedRegion": _region(diagnostic.span), "insertedContent": {"text": text}}],
    }
    return {"description": {"text": f"Write `{text}`."}, "artifactChanges": [change]}
