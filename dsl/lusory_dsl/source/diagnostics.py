"""Collect diagnostics, merge duplicates, and suggest corrections of misspelt names.

Every stage adds its findings to a :class:`Diagnostics`. The command line shows them.

A code is ``E`` (error: the ruleset does not run) or ``W`` (warning) and four digits. The first two digits name the
subject:

01 file and YAML · 02 structure (schema) · 03 syntax of effect text · 04 names · 05 types · 06 program shape ·
07 lints · 08 case files · 09 laws of the data

Each code has a page ``docs/reference/diagnostics/<code>.md`` with examples that the tests execute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from .lazy_dataclass import dataclass, replace
from .source import Span


@dataclass(frozen=True)
class Code:
    """A row in the table of codes: stable id, kebab-case name and one-line meaning."""

    id: str
    name: str
    meaning: str

    @property
    def severity(self) -> str:
        return "error" if self.id.startswith("E") else "warning"


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    ``notes`` are pairs of a span and a label that point at related places. ``more`` counts the findings of the same
    severity that the report leaves out after this one. It is ``UNKNOWN`` (-1) if the number is not known.

    ``about`` lists the declarations or names that the finding concerns. Findings that share a subject are merged
    into one. ``follows`` marks a finding that may only be a consequence of another mistake. The report omits it if a
    finding with the same subject is not so marked. It also omits such a warning if an error is at the same place.
    """

    code: Code
    message: str
    span: Span
    hint: str | None = None
    notes: tuple[tuple[Span, str], ...] = ()
    more: int = 0
    about: tuple[str, ...] = ()
    follows: bool = False

    @property
    def severity(self) -> str:
        return self.code.severity


MOST_PLACES = 3
"""A merged finding shows at most this many further places."""
MOST_KEPT = 500
"""A collection keeps at most this many errors and this many warnings. It only counts the rest."""
SEVERITIES = ("error", "warning")
UNKNOWN = -1
MOST_WORDS = 1000
"""A message or hint is cut to this many characters."""


class TooManyErrors(Exception):
    """The collection is full, and its caller asked to stop in that case. See :meth:`Diagnostics.stopping`."""


class Diagnostics:
    """A collection of findings, up to a limit for each severity.

    It keeps the first of several findings with the same code and place. ``ignored`` holds the findings that authors
    have suppressed, each with its reason.
    """

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self.ignored: list[tuple[Diagnostic, str]] = []
        self._seen: set[tuple[str, str, int]] = set()
        self._more = dict.fromkeys(SEVERITIES, 0)
        self._kept = dict.fromkeys(SEVERITIES, 0)
        self._stops = False

    def add(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
        about: tuple[str, ...] = (),
        follows: bool = False,
    ) -> None:
        key = (code.id, span.source.name, span.start)
        if key in self._seen:
            return
        self._seen.add(key)
        where = span.source.told(span.start)
        message = message if message.startswith(where) else where + message
        severity = code.severity
        if self._kept[severity] < MOST_KEPT:
            self._kept[severity] += 1
            hint = None if hint is None else _cut(hint)
            found = Diagnostic(code, _cut(message), span, hint, tuple(notes), about=about, follows=follows)
            self._items.append(found)
            return
        self.leave_out(1, severity)
        if self._stops and severity == "error":
            self._more[severity] = UNKNOWN
            raise TooManyErrors

    def extend(self, items: Iterable[Diagnostic]) -> None:
        for d in items:
            self.leave_out(d.more, d.severity)
            self.add(d.code, d.message.removesuffix(_and_more(d.more)), d.span, d.hint, d.notes, d.about, d.follows)

    def leave_out(self, number: int, severity: str = "error") -> None:
        """Count ``number`` further findings without storing them."""
        unknown = UNKNOWN in (number, self._more[severity])
        self._more[severity] = UNKNOWN if unknown else self._more[severity] + number

    @property
    def is_full(self) -> bool:
        """Return whether further errors would only be counted. Callers then need not compose messages."""
        return self._kept["error"] >= MOST_KEPT

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Return a context manager that ends its body silently as soon as the collection is full of errors."""
        self._stops = True
        try:
            yield
        except TooManyErrors:
            pass
        finally:
            self._stops = False

    def revise(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Replace each finding by the result of ``change``."""
        self._items = [change(d) for d in self._items]

    def silence(self, reason: Callable[[Diagnostic], str | None]) -> None:
        """Move each finding for which ``reason`` returns a text to ``ignored``."""
        found = [(d, reason(d)) for d in self._items]
        self._items = [d for d, why in found if why is None]
        self.ignored += [(d, why) for d, why in found if why is not None]

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def sorted(self) -> list[Diagnostic]:
        """Return the findings by file, position and code, with findings about the same subject merged.

        If findings were left out, the last error and the last warning say how many.
        """
        wrong = {_place(d)[:2] for d in self._items if d.severity == "error"}
        items = [d for d in self._items if d.severity == "error" or not d.follows or _place(d)[:2] not in wrong]
        found = told_once(sorted(items, key=_place))
        for severity, more in self._more.items():
            last = max((i for i, d in enumerate(found) if d.severity == severity), default=None)
            if more and last is not None:
                found[last] = replace(found[last], message=found[last].message + _and_more(more), more=more)
        return found


def about_name(name: str) -> tuple[str, ...]:
    """Return the ``about`` of a finding that concerns a name, wherever the name stands."""
    return (f"name {name}",)


def told_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Merge findings that share a subject in ``about``, directly or through other findings.

    The first finding of each group that does not follow from others remains. Its notes point at some of the others.
    """
    groups: list[tuple[set[str], list[Diagnostic]]] = []
    for d in found:
        same = [group for group in groups if not group[0].isdisjoint(d.about)]
        groups = [group for group in groups if group not in same]
        subjects = set(d.about).union(*(group[0] for group in same))
        groups.append((subjects, [*(each for group in same for each in group[1]), d]))
    return sorted((d for _, group in groups for d in _once(sorted(group, key=_place))), key=_place)


def _once(group: list[Diagnostic]) -> list[Diagnostic]:
    """Reduce a group to its first finding that does not follow from others. If all follow, return them all."""
    leader = min(group, key=lambda d: d.follows)
    return group if leader.follows else [_with_places(leader, group)]


def _with_places(leader: Diagnostic, group: list[Diagnostic]) -> Diagnostic:
    others = [d for d in group if d is not leader]
    if not others:
        return leader
    shown = [(d.span, "here too" if d.message == leader.message else d.message) for d in others[:MOST_PLACES]]
    if len(others) > MOST_PLACES:
        place, label = shown[-1]
        shown[-1] = (place, f"{label}, and in {len(others) - MOST_PLACES:,} more places")
    return replace(leader, notes=(*leader.notes, *shown))


def _place(d: Diagnostic) -> tuple[str, int, str]:
    return d.span.source.name, d.span.start, d.code.id


def _cut(words: str) -> str:
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 1]}…"


def _and_more(number: int) -> str:
    return " … and more" if number == UNKNOWN else f" … and {number:,} more" if number else ""


class RulesetError(Exception):
    """A program was requested from a ruleset that has errors. ``diagnostics`` is sorted."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error"), None)
        super().__init__(f"{first.span}: {first.code.id} {first.message}" if first else "no diagnostics")


MAX_WORD = 100
MOST_CANDIDATES = 200
ALIKE = 0.7
"""Minimum similarity, from 0 to 1, of two words for a suggestion (the ratio of :mod:`difflib`)."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that an author most likely meant by ``word``, or None if none is similar.

    The known word with the smallest edit distance wins. Ties go to a word with the same letters, then the same first
    letter, then to the longest. If no edit distance is small enough, a word with a high :mod:`difflib` ratio is
    returned. Returns None if ``word`` is longer than ``MAX_WORD`` characters.
    """
    if len(word) > MAX_WORD:
        return None
    candidates = _likely(word, known)
    folded = {k.lower(): k for k in reversed(candidates)}
    if word.lower() in folded and folded[word.lower()] != word:
        return folded[word.lower()]
    most = max(1, len(word) // 3)
    letters = sorted(word.lower())
    near = [
        (slips(word.lower(), k.lower(), most), sorted(k.lower()) != letters, k[:1] != word[:1], -len(k), k)
        for k in candidates
        if abs(len(k) - len(word)) <= most
    ]
    if near and len(word) > 1 and min(near)[0] <= most:
        return min(near)[-1]
    # imported late, because most runs need no suggestion
    import difflib

    found = difflib.get_close_matches(word, candidates, n=1, cutoff=ALIKE)
    return found[0] if found else None


def _likely(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words, sorted.

    If there are many, return only those with the same first letter and a similar length.
    """
    candidates = sorted(set(known))
    if len(candidates) > MOST_CANDIDATES:
        alike = [k for k in candidates if k[:1].lower() == word[:1].lower()]
        candidates = sorted(sorted(alike, key=lambda k: abs(len(k) - len(word)))[:MOST_CANDIDATES])
    return candidates


def slips(written: str, meant: str, most: int | None = None) -> int:
    """Return the edit distance of two words (optimal string alignment).

    An insertion, a deletion, a replacement, or a swap of neighbouring letters counts 1. If the distance exceeds
    ``most``, some number above ``most`` is returned.
    """
    while written and meant and written[0] == meant[0]:
        written, meant = written[1:], meant[1:]
    while written and meant and written[-1] == meant[-1]:
        written, meant = written[:-1], meant[:-1]
    before, row = [0] * (len(meant) + 1), list(range(len(meant) + 1))
    for i, letter in enumerate(written, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(meant, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == meant[j - 2] and written[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if most is not None and min(row) > most and min(before) > most:
            return most + 1
    return row[-1]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Return a hint that names the nearest known word, or None if none is similar."""
    best = nearest(word, known)
    return f"did you mean `{best}`?" if best is not None else None
