"""Data model of check results for all report formats: suites, findings and locations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import NOWHERE, Span

if TYPE_CHECKING:
    from ..testing.cases.case_model import CaseResult


def format_percentage(percent: float) -> str:
    """Return a percentage as text without a sign, rounded down to one decimal: 99.97 becomes ``99.9``.

    Only a complete 100 has no decimal: it is ``100``.
    """
    return "100" if percent == 100 else f"{int(percent * 10) / 10:.1f}"


@dataclass(frozen=True)
class Suite:
    """Check result of one ruleset: its diagnostics, and the results of its cases if they were played.

    ``name`` is as the user typed it. ``seconds`` is the duration of the check. ``notes`` give further information, such
    as what packs replace. ``ignored_findings`` are silenced warnings with their reasons.
    """

    name: str
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    cases: tuple[CaseResult, ...] | None = None
    notes: tuple[str, ...] = ()
    ignored_findings: tuple[tuple[Diagnostic, str], ...] = ()


@dataclass(frozen=True)
class Finding:
    """Diagnostic, with its case if it has one, and further lines."""

    diagnostic: Diagnostic
    case: CaseResult | None = None
    details: tuple[str, ...] = ()


def list_findings(suites: Iterable[Suite]) -> Iterator[Finding]:
    """Yield a Finding for each diagnostic of a suite, then for each failure of its cases, suite by suite."""
    for suite in suites:
        yield from map(Finding, suite.diagnostics)
        for case in suite.cases or ():
            for failure in case.failures:
                yield Finding(failure.diagnostic, case, failure.details)


def format_path(name: str) -> str:
    """Return an absolute path inside the working directory as a relative one: ``/work/a.yaml`` gives ``a.yaml``.

    The working directory itself gives ``.``. A path outside it, or one that is already relative, comes back unchanged.
    """
    if not os.path.isabs(name):
        return name
    relative = os.path.relpath(name)
    return name if relative.split(os.sep)[0] == os.pardir else relative


def format_place(span: Span) -> str:
    """Return ``file:line:column``, both from 1, with the file as :func:`format_path` gives it."""
    return f"{format_path(span.source.name)}:{span.line}:{span.column}"


@dataclass(frozen=True)
class Location:
    """Span in the form that other programs expect. Lines and columns count from 1; the end is exclusive.

    ``file`` uses ``/`` on every system. It is None if there is no file.
    """

    file: str | None
    line: int
    column: int
    end_line: int
    end_column: int


def locate(span: Span) -> Location:
    """Return the location of a span: the file as :func:`format_path` gives it, and lines and columns from 1.

    The end is exclusive, and a span that ends before its start is empty. ``file`` is None for NOWHERE.
    """
    file = None if span.source is NOWHERE.source else Path(format_path(span.source.name)).as_posix()
    return Location(file, *span.source.locate(span.start), *span.source.locate(max(span.end, span.start)))
