"""Write findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from lusory_dsl.source.source import make_printable

from .check_results import Finding, Suite, list_findings, locate


def format_report(suites: Sequence[Suite]) -> str:
    """Return the report as text, with one command on each line. Without findings it is empty."""
    return "".join(f"{format_finding(finding)}\n" for finding in list_findings(suites))


def format_finding(finding: Finding) -> str:
    """Return the command of one finding, without a line break: ``::SEVERITY file=…,line=…,title=…::TEXT``.

    The properties are ``file``, ``line``, ``col``, ``endLine``, ``endColumn`` and ``title`` in this order; those that
    are not known are left out. The title is the code's id and name, and ``in CASE`` for a failed case. The text is the
    message, the hint and the details, joined by escaped line breaks.
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
    listed = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{diagnostic.severity} {listed}::{_escape(chr(10).join(lines))}"


def _escape(text: str) -> str:
    return make_printable(text).replace("%", "%25").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
