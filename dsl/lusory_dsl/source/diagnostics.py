"""Collect diagnostics, merge duplicates, and define their fixes.

Every stage adds its findings to a :class:`Diagnostics`. The command line shows them.

A code is ``E`` (error: the ruleset does not run) or ``W`` (warning) and four digits. The first two digits name the
subject:

01 file and YAML · 02 structure (schema) · 03 syntax of effect text · 04 names · 05 types · 06 program shape ·
07 lints · 08 case files · 09 laws of the data

Each code has a page ``docs/reference/diagnostics/<code>.md`` with examples that the tests execute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

from .dataclass_with_lazy_methods import ValueRecord, replace
from .source import Span, count_noun


class Code(ValueRecord):
    """A row in the table of codes: stable id, kebab-case name and one-line meaning."""

    id: str
    name: str
    meaning: str

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return "error" if self.id.startswith("E") else "warning"


class Edit(ValueRecord):
    """Replace the characters of ``span`` by ``text``. An edit with an empty span inserts ``text``."""

    span: Span
    text: str


def apply_edits(edits: Iterable[Edit]) -> dict[str, str]:
    """Return the edited text of each file that has edits: name of the file -> text. The edits must not overlap.

    Texts inserted at the same place come in the order of the edits, before a text that replaces what is there.
    """
    texts: dict[str, str] = {}
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end))[::-1]:
        span = edit.span
        text = texts.get(span.source.name, span.source.text)
        texts[span.source.name] = text[: span.start] + edit.text + text[span.end :]
    return texts


class Fix(ValueRecord):
    """A change that cures a finding: a title that begins with a verb, and edits that don't overlap."""

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(ValueRecord):
    """One finding.

    ``fixes`` are alternative cures, the most likely first. An editor offers them.

    ``notes`` are pairs of a span and a label that point at related places. ``omitted_count`` counts the findings of the
    same severity that the report leaves out after this one. It is ``UNKNOWN_NUMBER`` (-1) if the number is not known.

    ``subjects`` lists the declarations or names that the finding concerns. Findings that share a subject are merged
    into one. ``is_consequence`` marks a finding that may only be a consequence of another mistake. The report omits it
    if a finding with the same subject is not so marked. It also omits such a warning if an error is at the same place.
    """

    code: Code
    message: str
    span: Span
    hint: str | None = None
    notes: tuple[tuple[Span, str], ...] = ()
    omitted_count: int = 0
    subjects: tuple[str, ...] = ()
    is_consequence: bool = False
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return self.code.severity


MAX_NOTES = 3
"""A merged finding shows at most this many further places."""
MAX_FINDINGS = 500
"""A collection keeps at most this many errors and this many warnings. It only counts the rest."""
SEVERITIES = ("error", "warning")
UNKNOWN_NUMBER = -1
MAX_TEXT = 1000
"""A message or hint is cut to this many characters."""


class TooManyErrors(Exception):
    """The collection is full, and its caller asked to stop in that case. See :meth:`Diagnostics.stop_when_full`."""


class Diagnostics:
    """A collection of findings, up to a limit for each severity.

    It keeps the first of several findings with the same code and place. ``suppressed_findings`` holds those that
    authors have suppressed, each with its reason. ``n_added`` counts all calls of :meth:`add`, also those that added
    nothing.
    """

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self.n_added = 0
        self.suppressed_findings: list[tuple[Diagnostic, str]] = []
        self._known_keys: set[tuple[str, str, int]] = set()
        self._omitted_counts = dict.fromkeys(SEVERITIES, 0)
        self._counts = dict.fromkeys(SEVERITIES, 0)
        self._stops_when_full = False

    def add(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
        subjects: tuple[str, ...] = (),
        is_consequence: bool = False,
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Add a :class:`Diagnostic` with these fields, unless an earlier one has the same code, file name and start.

        Without ``fixes``, a hint “did you mean `NAME`?” gives the fix ``Write `NAME` `` if ``span`` is a name. In a
        sheet, the message gets the prefix ``row 3, column `cost`: `` unless it begins with it. Longer messages and
        hints are cut to ``MAX_TEXT`` characters, the last of which is ``…``. Beyond ``MAX_FINDINGS`` of its severity, a
        finding is only counted. An error also raises TooManyErrors then, inside :meth:`stop_when_full`. ``n_added``
        grows by 1 in every case.
        """
        hint = None if hint is None else _truncate(hint)
        fixes = tuple(fixes) or _fix_spelling(span, hint)
        finding = Diagnostic(code, message, span, hint, tuple(notes), 0, subjects, is_consequence, fixes)
        self._insert(finding)

    def extend(self, items: Iterable[Diagnostic]) -> None:
        """Add diagnostics of another collection, in order, and count the findings that they stand for.

        One with the code, file name and start of an earlier one is left out. Beyond ``MAX_FINDINGS`` of a severity,
        they are only counted. Raises TooManyErrors for such an error if the collection stops when full.
        """
        for finding in items:
            self.count_omitted(finding.omitted_count, finding.severity)
            message = finding.message.removesuffix(_describe_omitted(finding.omitted_count))
            self._insert(replace(finding, message=message, omitted_count=0))

    def _insert(self, finding: Diagnostic) -> None:
        self.n_added += 1
        span, severity = finding.span, finding.severity
        key = (finding.code.id, span.source.name, span.start)
        if key in self._known_keys:
            return
        self._known_keys.add(key)
        place = span.source.describe_place(span.start)
        if self._counts[severity] < MAX_FINDINGS:
            self._counts[severity] += 1
            message = finding.message if finding.message.startswith(place) else place + finding.message
            self._items.append(replace(finding, message=_truncate(message)))
            return
        self.count_omitted(1, severity)
        if self._stops_when_full and severity == "error":
            self._omitted_counts[severity] = UNKNOWN_NUMBER
            raise TooManyErrors

    def count_omitted(self, number: int, severity: str = "error") -> None:
        """Count ``number`` further findings without storing them. ``UNKNOWN_NUMBER`` plus any number stays unknown."""
        is_unknown = UNKNOWN_NUMBER in (number, self._omitted_counts[severity])
        self._omitted_counts[severity] = UNKNOWN_NUMBER if is_unknown else self._omitted_counts[severity] + number

    @property
    def is_full(self) -> bool:
        """True if further errors would only be counted. Callers then need not compose messages."""
        return self._counts["error"] >= MAX_FINDINGS

    @contextmanager
    def stop_when_full(self) -> Iterator[None]:
        """Return a context manager that ends its body silently once the collection is full of errors.

        The body ends when an error beyond the limit is added. The number of further errors is then unknown.
        """
        self._stops_when_full = True
        try:
            yield
        except TooManyErrors:
            pass
        finally:
            self._stops_when_full = False

    def revise(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Replace each finding by the result of ``change``."""
        self._items = [change(finding) for finding in self._items]

    def suppress(self, find_reason: Callable[[Diagnostic], str | None]) -> None:
        """Move each finding for which ``find_reason`` returns a text to ``suppressed_findings``, as (finding, text).

        An empty text counts as well. Findings for which it returns None stay. It isn't called for findings that were
        only counted. Moved findings still count towards ``MAX_FINDINGS``, and :meth:`add` still ignores a finding with
        the code, file name and start of one of them.
        """
        reasons = [(finding, find_reason(finding)) for finding in self._items]
        self._items = [finding for finding, reason in reasons if reason is None]
        self.suppressed_findings += [(finding, reason) for finding, reason in reasons if reason is not None]

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors in the order in which they were found. Errors about the same subject are not merged."""
        return [finding for finding in self._items if finding.severity == "error"]

    @property
    def has_errors(self) -> bool:
        """True if the collection holds any error. Suppressed findings don't count."""
        return any(finding.severity == "error" for finding in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def list_sorted(self) -> list[Diagnostic]:
        """Return the findings as a new list, sorted by file, position and code.

        If findings share a subject, directly or through others, only the first that is no consequence remains. If all
        are consequences, all remain. The first ``MAX_NOTES`` (3) others are added to its notes, with their messages,
        or ``here too`` for the same message. The last note ends with ``, and in 2 more places`` if there are more. A
        warning that is a consequence is left out if an error begins at the same character. If 12 more errors were only
        counted, the message of the last error ends with “ … and 12 more”, and its ``omitted_count`` is 12. If their
        number is unknown, these are “ … and more” and ``UNKNOWN_NUMBER``. The same holds for warnings.
        """
        if not self._items:
            return []
        error_places = {_sort_key(finding)[:2] for finding in self._items if finding.severity == "error"}
        items = [
            finding
            for finding in self._items
            if finding.severity == "error" or not finding.is_consequence or _sort_key(finding)[:2] not in error_places
        ]
        findings = _merge_related_findings(sorted(items, key=_sort_key))
        for severity, count in self._omitted_counts.items():
            last = max((i for i, finding in enumerate(findings) if finding.severity == severity), default=None)
            if count and last is not None:
                findings[last] = replace(
                    findings[last], message=findings[last].message + _describe_omitted(count), omitted_count=count
                )
        return findings


def name_subjects(name: str) -> tuple[str, ...]:
    """Return ``("name NAME",)``, the ``subjects`` of a finding that concerns a name, wherever the name stands."""
    return (f"name {name}",)


def _merge_related_findings(findings: list[Diagnostic]) -> list[Diagnostic]:
    """Merge findings that share a subject in ``subjects``, directly or through other findings.

    The first finding of each group that does not follow from others remains, with notes at the first ``MAX_NOTES``
    others. If all follow from others, all remain. Findings without a subject remain. The result is sorted by file,
    position and code.
    """
    groups: list[tuple[set[str], list[Diagnostic]]] = []
    for finding in findings:
        related_groups = [group for group in groups if not group[0].isdisjoint(finding.subjects)]
        groups = [group for group in groups if group not in related_groups]
        subjects = set(finding.subjects).union(*(group[0] for group in related_groups))
        groups.append((subjects, [*chain.from_iterable(group[1] for group in related_groups), finding]))
    remaining_findings: list[Diagnostic] = []
    for _, group in groups:
        leader, *followers = sorted(group, key=lambda finding: (finding.is_consequence, _sort_key(finding)))
        followers.sort(key=_sort_key)
        if leader.is_consequence or not followers:
            remaining_findings += group
            continue
        notes = [
            (finding.span, "here too" if finding.message == leader.message else finding.message)
            for finding in followers[:MAX_NOTES]
        ]
        if len(followers) > MAX_NOTES:
            place, label = notes[-1]
            notes[-1] = (place, f"{label}, and in {count_noun(len(followers) - MAX_NOTES, 'more place')}")
        remaining_findings.append(replace(leader, notes=(*leader.notes, *notes)))
    return sorted(remaining_findings, key=_sort_key)


def _sort_key(finding: Diagnostic) -> tuple[str, int, str]:
    return finding.span.source.name, finding.span.start, finding.code.id


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _describe_omitted(number: int) -> str:
    return " … and more" if number == UNKNOWN_NUMBER else f" … and {number:,} more" if number else ""


class RulesetError(Exception):
    """A program was requested from a ruleset that has errors. ``diagnostics`` is sorted."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        first = next((finding for finding in diagnostics if finding.severity == "error"), None)
        super().__init__(f"{first.span}: {first.code.id} {first.message}" if first else "no diagnostics")


_SUGGESTION = re.compile(r"did you mean `([\w-]+)`\?")
_NAME = re.compile(r"[\w-]+")


def _fix_spelling(span: Span, hint: str | None) -> tuple[Fix, ...]:
    """Return the fix for a hint ``did you mean `…`?``, if ``span`` holds just the misspelt name."""
    match = _SUGGESTION.match(hint or "")
    if match is None or not _NAME.fullmatch(span.source.text, span.start, span.end):
        return ()
    return (replace_text(span, match[1]),)


def replace_text(span: Span, text: str, *, is_guess: bool = False) -> Fix:
    """Return the fix ``Write `TEXT` ``, which writes ``text`` in place of ``span``. A guess is ``Try `TEXT` ``."""
    return Fix(f"{'Try' if is_guess else 'Write'} `{text}`", (Edit(span, text),))


def remove_item(span: Span) -> Fix:
    """Return the fix ``Remove `ITEM` ``, which removes ``span``, an item of a list, and the comma before it.

    Blanks and line breaks between the two go, too. If no comma stands before the item, the one after it is removed,
    with the blanks and line breaks on both sides of that comma. Without any comma, only the item is removed.
    """
    text = span.source.text
    text_before = text[: span.start].rstrip()
    next_comma = re.compile(r"\s*,\s*").match(text, span.end)
    start, end = span.start, span.end if next_comma is None else next_comma.end()
    if text_before.endswith(","):
        start, end = len(text_before) - 1, span.end
    return Fix(f"Remove `{text[span.start : span.end]}`", (Edit(Span(span.source, start, end), ""),))
