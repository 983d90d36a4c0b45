"""Diagnostics: one record, one bag, one table of codes. Made by every stage, shown by the console and the CLI.

A code is ``E`` (error: the ruleset does not run) or ``W`` (warning) and four digits; the first two name the subject:
01 file and YAML · 02 structure (schema) · 03 syntax of effect text · 04 names · 05 types · 06 program shape ·
07 lints · 08 case files · 09 laws of the data. Each code has a page ``docs/diagnostics/<code>.md``, which the tests
execute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from .dataclasses import dataclass, replace
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
    """One finding. ``notes`` are (span, label) pairs that point at related places. ``more``: so many of its severity
    are left out, which its message says; -1: nobody knows how many. ``about``: the declarations or names that it is
    about, so that one slip is told once; ``follows``: it is told only where nothing else is about the same, and as a
    warning where no error stands in its place."""

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
"""So many further places of what is told once are shown."""
MOST_KEPT = 500
"""So many errors are kept, and so many warnings; of others no more is known than their number."""
SEVERITIES = ("error", "warning")
UNKNOWN = -1
MOST_WORDS = 1000
"""So many characters of a message or hint are told."""


class TooManyErrors(Exception):
    """A bag is full, and whoever fills it wanted to stop then."""


class Diagnostics:
    """A bag that collects what a run finds, up to a limit; duplicates of code and place are kept once. ``ignored``:
    what the authors have asked not to be told, with their reasons."""

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
        """Counts further findings without a word about them."""
        unknown = UNKNOWN in (number, self._more[severity])
        self._more[severity] = UNKNOWN if unknown else self._more[severity] + number

    @property
    def is_full(self) -> bool:
        """Whether further errors would only be counted, so that it is no use to find words for them."""
        return self._kept["error"] >= MOST_KEPT

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """What is done inside ends when the bag is full: the mistakes so far will do."""
        self._stops = True
        try:
            yield
        except TooManyErrors:
            pass
        finally:
            self._stops = False

    def revise(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Replaces each finding by what ``change`` makes of it."""
        self._items = [change(d) for d in self._items]

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
        """By file, place, code, each slip once. The last error and the last warning say how many more there are."""
        wrong = {_place(d)[:2] for d in self._items if d.severity == "error"}
        items = [d for d in self._items if d.severity == "error" or not d.follows or _place(d)[:2] not in wrong]
        found = told_once(sorted(items, key=_place))
        for severity, more in self._more.items():
            last = max((i for i, d in enumerate(found) if d.severity == severity), default=None)
            if more and last is not None:
                found[last] = replace(found[last], message=found[last].message + _and_more(more), more=more)
        return found


def about_name(name: str) -> tuple[str, ...]:
    """What a finding about a name is about, wherever the name stands."""
    return (f"name {name}",)


def told_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding of all that are about the same, directly or through another: the first that does not follow from
    others, with the places of some of the rest."""
    groups: list[tuple[set[str], list[Diagnostic]]] = []
    for d in found:
        same = [group for group in groups if not group[0].isdisjoint(d.about)]
        groups = [group for group in groups if group not in same]
        subjects = set(d.about).union(*(group[0] for group in same))
        groups.append((subjects, [*(each for group in same for each in group[1]), d]))
    return sorted((d for _, group in groups for d in _once(sorted(group, key=_place))), key=_place)


def _once(group: list[Diagnostic]) -> list[Diagnostic]:
    """The first finding that does not follow from others stands for all. Where all follow, each stands for itself."""
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
    """A ruleset with errors was asked for as a program. ``diagnostics`` is sorted."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error"), None)
        super().__init__(f"{first.span}: {first.code.id} {first.message}" if first else "no diagnostics")


MAX_WORD = 100
MOST_CANDIDATES = 200
ALIKE = 0.7
"""What part of the letters of two words must be the same, in the same order, so that one may be meant as the other."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, or None where nothing is near: the one with the fewest slips between them, of
    several the longest, of which more is the same; else one that looks alike. Nothing is near a text of more than
    ``MAX_WORD`` characters."""
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
    import difflib  # imported late: most runs guess at nothing

    found = difflib.get_close_matches(word, candidates, n=1, cutoff=ALIKE)
    return found[0] if found else None


def _likely(word: str, known: Iterable[str]) -> list[str]:
    """The words that one may be meant as; of very many those that begin alike."""
    candidates = sorted(set(known))
    if len(candidates) > MOST_CANDIDATES:
        alike = [k for k in candidates if k[:1].lower() == word[:1].lower()]
        candidates = sorted(sorted(alike, key=lambda k: abs(len(k) - len(word)))[:MOST_CANDIDATES])
    return candidates


def slips(written: str, meant: str, most: int | None = None) -> int:
    """How many letters were left out, added, replaced, or swapped with the next one. ``most``: more are not counted."""
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
    """A hint that names the nearest known word, or None."""
    best = nearest(word, known)
    return f"did you mean `{best}`?" if best is not None else None
