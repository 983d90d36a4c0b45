"""Format sections and verdicts as text for people, or as JSON for programs. Used by the command line."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import date
from math import floor
from typing import Any

from .suite import Run, Section
from .targets import Verdict

JSON_VERSION = 1


def describe_machine() -> dict[str, Any]:
    """Return the facts about the machine that the figures depend on."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "date": date.today().isoformat(),
    }


def format_heading(run: Run) -> str:
    """Return one line about the run."""
    facts = describe_machine()
    return (
        f"{facts['python']}, {facts['system']}, {facts['processors']} processors, {facts['date']}; medians of "
        f"{run.effort.repeats} repeats of {run.effort.seconds} s, contestants in turns; spread: half of the repeats "
        "lie within"
    )


def format_section(section: Section) -> str:
    """Return the title, the table and the remarks of a section."""
    remarks = (f"  {remark}" for remark in section.remarks)
    return "\n".join([section.title, *_format_table(section.columns, section.rows), *remarks])


def format_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Return a table of all figures and their targets."""
    rows = []
    for verdict in verdicts:
        targets = _format_target(verdict, verdict.least), _format_target(verdict, verdict.aim)
        rows.append((verdict.title, _format_figure(verdict.value, verdict.unit), *targets))
    return "\n".join(["Targets", *_format_table(("", "measured", "at least", "aim"), rows)])


def format_json(run: Run, sections: Sequence[Section]) -> str:
    """Return everything as JSON, unrounded."""
    return json.dumps(
        {
            "version": JSON_VERSION,
            "machine": describe_machine(),
            "repeats": run.effort.repeats,
            "seconds": run.effort.seconds,
            "sections": [
                {
                    "title": section.title,
                    **section.data,
                    "remarks": section.remarks,
                    "targets": [verdict.to_json() for verdict in section.verdicts],
                }
                for section in sections
            ],
        },
        indent=2,
    )


def _format_target(verdict: Verdict, target: float | None) -> str:
    if target is None:
        return ""
    return f"{_format_figure(target, verdict.unit)} {'met' if verdict.meets(target) else 'missed'}"


def _format_figure(value: float, unit: str) -> str:
    """Return a value with its unit. Ratios are cut off, not rounded, because 2.999 has not reached 3."""
    if unit == "×":
        places = 100 if value < 10 else 10
        return f"{floor(value * places) / places:g}×"
    return f"{value:.{3 if unit == 's' else 1}f}".rstrip("0").rstrip(".") + f" {unit}"


def _format_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table. The first column is aligned left, the others right."""
    sizes = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return [
        "  "
        + "  ".join(
            text.rjust(size) if i else text.ljust(size) for i, (text, size) in enumerate(zip(row, sizes, strict=True))
        ).rstrip()
        for row in (columns, *rows)
    ]
