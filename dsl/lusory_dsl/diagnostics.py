"""Diagnostics: one record, one bag, one table of codes. Made by every stage, shown by the console and the CLI.

A code is ``E`` (error: the ruleset does not run) or ``W`` (warning) and four digits; the first two name the subject:
01 file and YAML · 02 structure (schema) · 03 syntax of effect text · 04 names · 05 types · 06 program shape ·
07 lints · 08 case files · 09 laws of the data. Each code has a page ``docs/diagnostics/<code>.md``, which the tests
execute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .source import Span


@dataclass(frozen=True)
class Code:
    """A row of the table of codes: stable id, kebab-case name, one-line meaning."""

    id: str
    name: str
    meaning: str

    @property
    def severity(self) -> str:
        return "error" if self.id.startswith("E") else "warning"


@dataclass(frozen=True)
class Diagnostic:
    """One finding. ``notes`` are (span, label) pairs that point at related places."""

    code: Code
    message: str
    span: Span
    hint: str | None = None
    notes: tuple[tuple[Span, str], ...] = ()

    @property
    def severity(self) -> str:
        return self.code.severity


class Diagnostics:
    """A bag that collects everything a run finds; duplicates of code and place are kept once. ``ignored``: what the
    authors have asked not to be told, with their reasons."""

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self.ignored: list[tuple[Diagnostic, str]] = []
        self._seen: set[tuple[str, str, int]] = set()

    def add(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> None:
        key = (code.id, span.source.name, span.start)
        if key not in self._seen:
            self._seen.add(key)
            self._items.append(Diagnostic(code, message, span, hint, tuple(notes)))

    def extend(self, items: Iterable[Diagnostic]) -> None:
        for d in items:
            self.add(d.code, d.message, d.span, d.hint, d.notes)

    def silence(self, reason: Callable[[Diagnostic], str | None]) -> None:
        """Takes out each finding for which there is a reason to."""
        found = [(d, reason(d)) for d in self._items]
        self._items = [d for d, why in found if why is None]
        self.ignored += [(d, why) for d, why in found if why is not None]

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def sorted(self) -> list[Diagnostic]:
        """By file, place, code."""
        return sorted(self._items, key=lambda d: (d.span.source.name, d.span.start, d.code.id))


class RulesetError(Exception):
    """A ruleset with errors was asked for as a program. ``diagnostics`` is sorted."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error"), None)
        super().__init__(f"{first.span}: {first.code.id} {first.message}" if first else "no diagnostics")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, or None where nothing is near: the one with the fewest slips between them,
    else one that looks alike."""
    candidates = sorted(set(known))
    folded = {k.lower(): k for k in reversed(candidates)}
    if word.lower() in folded and folded[word.lower()] != word:
        return folded[word.lower()]
    most = max(1, len(word) // 3)
    letters = sorted(word.lower())
    near = [
        (slips(word.lower(), k.lower()), sorted(k.lower()) != letters, k[:1] != word[:1], k)
        for k in candidates
        if abs(len(k) - len(word)) <= most
    ]
    if near and len(word) > 1 and min(near)[0] <= most:
        return min(near)[-1]
    import difflib  # imported late: most runs guess at nothing

    found = difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    return found[0] if found else None


def slips(written: str, meant: str) -> int:
    """How many letters were left out, added, replaced, or swapped with the next one."""
    before, row = [0] * (len(meant) + 1), list(range(len(meant) + 1))
    for i, letter in enumerate(written, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(meant, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == meant[j - 2] and written[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known word, or None."""
    best = nearest(word, known)
    return f"did you mean `{best}`?" if best is not None else None
