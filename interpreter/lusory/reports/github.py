"""Write findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from lusory_dsl.source.source import printable

from .model import Finding, Suite, findings, place_of


def written(suites: Sequence[Suite]) -> str:
    """Return the report as text, with one command on each line."""
    return "".join(f"{command(found)}\n" for found in findings(suites))


def command(found: Finding) -> str:
    """Return the command of one finding."""
    diagnostic, place = found.diagnostic, place_of(found.diagnostic.span)
    properties = {
        "file": place.file,
        "line": place.line,
        "col": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "title": f"{diagnostic.code.id} {diagnostic.code.name}" + (f" in {found.case.id}" if found.case else ""),
    }
    lines = [diagnostic.message, *([diagnostic.hint] if diagnostic.hint else []), *found.details]
    listed = ",".join(
        f"{key}={_escaped_property(str(value))}" for key, value in properties.items() if value is not None
    )
    return f"::{diagnostic.severity} {listed}::{_escaped(chr(10).join(lines))}"


def _escaped(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
