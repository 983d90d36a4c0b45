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


def machine() -> dict[str, Any]:
    """Return the facts about the machine that the figures depend on."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "date": date.today().isoformat(),
    }


def heading(run: Run) -> str:
    """Return one line about the run."""
    m = machine()
    return (
        f"{m['python']}, {m['system']}, {m['processors']} processors, {m['date']}; medians of {run.effort.repeats} "
        f"repeats of {run.effort.seconds} s, contestants in turns; spread: half of the repeats lie within"
    )


def section_text(section: Section) -> str:
    """Return the title, the table and the remarks of a section."""
    return "\n".join([section.title, *_table(section.columns, section.rows), *(f"  {r}" for r in section.remarks)])


def verdicts_text(verdicts: Sequence[Verdict]) -> str:
    """Return a table of all figures and their targets."""
    rows = [(v.what, _figure(v.value, v.unit), _target(v, v.least), _target(v, v.aim)) for v in verdicts]
    return "\n".join(["Targets", *_table(("", "measured", "at least", "aim"), rows)])


def to_json(run: Run, sections: Sequence[Section]) -> str:
    """Return everything as JSON, unrounded."""
    return json.dumps(
        {
            "version": JSON_VERSION,
            "machine": machine(),
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


def _target(verdict: Verdict, target: float | None) -> str:
    if target is None:
        return ""
    return f"{_figure(target, verdict.unit)} {'met' if verdict.meets(target) else 'missed'}"


def _figure(value: float, unit: str) -> str:
    """Return a value with its unit. Ratios are cut off, not rounded, because 2.999 has not reached 3."""
    if unit == "×":
        places = 100 if value < 10 else 10
        return f"{floor(value * places) / places:g}×"
    return f"{value:.{3 if unit == 's' else 1}f}".rstrip("0").rstrip(".") + f" {unit}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table. The first column is aligned left, the others right."""
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return [
        "  "
        + "  ".join(
            text.rjust(w) if i else text.ljust(w) for i, (text, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (columns, *rows)
    ]
