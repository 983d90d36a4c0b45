"""Check results to be reported."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.source.diagnostics import Diagnostic, nearest
from lusory_dsl.source.source import NOWHERE, Span

if TYPE_CHECKING:
    from ..testing.cases.model import CaseResult


def several(number: int, word: str) -> str:
    """``1 case``, ``2 cases``"""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def percentage(percent: float) -> str:
    """A percentage that is 100 only where nothing is missing."""
    return "100" if percent == 100 else f"{int(percent * 10) / 10:.1f}"


@dataclass(frozen=True)
class Suite:
    """One ruleset: what is wrong with its files, and, where they were played, how its cases went.

    ``name``: as typed. ``seconds``: how long the check took. ``notes``: what a reader should know besides, such as what
    packs replace. ``ignored``: the warnings that remarks silence, with the reasons given."""

    name: str
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    cases: tuple[CaseResult, ...] | None = None
    notes: tuple[str, ...] = ()
    ignored: tuple[tuple[Diagnostic, str], ...] = ()


@dataclass(frozen=True)
class Finding:
    """A diagnostic, the case that it came up in, and lines that tell more."""

    diagnostic: Diagnostic
    case: CaseResult | None = None
    details: tuple[str, ...] = ()


def findings(suites: Iterable[Suite]) -> Iterator[Finding]:
    """Everything that was found."""
    for suite in suites:
        yield from map(Finding, suite.diagnostics)
        for case in suite.cases or ():
            for failure in case.failures:
                yield Finding(failure.diagnostic, case, failure.details)


def shown_path(name: str) -> str:
    """A file's name relative to the working directory where it lies inside it, as it came otherwise."""
    if not os.path.isabs(name):
        return name
    relative = os.path.relpath(name)
    return name if relative.startswith(os.pardir) else relative


def shown_place(span: Span) -> str:
    """``file:line:column``"""
    return f"{shown_path(span.source.name)}:{span.line}:{span.column}"


@dataclass(frozen=True)
class Location:
    """A span as programs want it. Lines and columns count from 1; ``end_column`` is the first one behind the place.

    ``file``: None for what stands nowhere; separated by ``/`` on every system."""

    file: str | None
    line: int
    column: int
    end_line: int
    end_column: int


def place_of(span: Span) -> Location:
    """Where a span begins and ends."""
    file = None if span.source is NOWHERE.source else Path(shown_path(span.source.name)).as_posix()
    return Location(file, *span.source.position(span.start), *span.source.position(max(span.end, span.start)))


def replacement(diagnostic: Diagnostic) -> str | None:
    """What to write in the very place of a diagnostic so that its hint is followed; None where a person must see to it.

    Only for a word that was misspelt: its span is the word, its hint asks whether another one was meant."""
    meant = re.fullmatch(r"did you mean `([^`\s]+)`\?", diagnostic.hint or "")
    span = diagnostic.span
    written = span.source.text[span.start : span.end]
    if meant is None or re.fullmatch(r"[\w-]+", written) is None:
        return None
    return meant[1] if nearest(written, [meant[1]]) == meant[1] else None
