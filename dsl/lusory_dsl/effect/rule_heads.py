"""Heads of rules as people write them in English → how the language writes them: what their diagnostics say."""

from __future__ import annotations

import re

HEADS = re.compile(r"(when|instead of)[ \t]+([^:\n]*?)[ \t]*(?:\bif\b[^:\n]*)?:")
"""The head of a rule about an event: its first word, and the event up to its condition or colon."""

FORMS = (
    "an event is `effect(…)`, `card enters zone`, `card leaves zone`, `phase begins`, `phase ends` or `value changes`"
)
_ARTICLES = frozenset(("a", "an", "the", "each", "every", "some", "one"))
_MEANT = {
    "arrives": "enters", "comes": "enters", "enter": "enters", "entered": "enters", "goes": "enters",
    "moves": "enters", "joins": "enters", "leave": "leaves", "left": "leaves", "exits": "leaves", "start": "begins",
    "starts": "begins", "begin": "begins", "began": "begins", "started": "begins", "finishes": "ends",
    "ended": "ends", "stops": "ends", "change": "changes", "changed": "changes", "becomes": "changes",
}  # fmt: skip
_FIRST = {"after": "when", "on": "when", "upon": "when", "once": "when", "before": "instead of",
          "at": "when", "always": "while"}  # fmt: skip


def cure_of_event(head: str) -> str | None:
    """What to write in place of an event that is none: None where nothing is recognised. ``head``: the words between
    `when` and the condition or colon."""
    words = head.split()
    plain = [word for word in words if word not in _ARTICLES]
    verb = next((at for at, word in enumerate(plain) if at and (word in _MEANT or word in _MEANT.values())), None)
    if verb is None:
        return None
    meant = _MEANT.get(plain[verb], plain[verb])
    if meant in ("enters", "leaves"):
        return _zone_event(plain[:verb], meant, plain[verb + 1 :])
    if not all(map(_is_name, plain[:verb])):
        return None
    if meant == "changes":
        behind = plain[verb + 1 :]
        place = " ".join(plain[:verb])
        return f"`when {place} changes if {place} is {behind[-1]}`" if behind else f"`when {place} changes`"
    phase = [word for word in plain[:verb] if word not in ("phase", "of")]
    return f"`when {'-'.join(phase) or 'phase'} {meant}`"


def _zone_event(before: list[str], verb: str, behind: list[str]) -> str | None:
    zones = [word for word in behind if word not in ("in", "into", "to", "from", "of", "zone", "play")]
    if not all(map(_is_name, [*before[:1], *zones[:1]])):
        return None
    shown = f"`when {before[0]} {verb} {zones[0] if zones else 'zone'}`"
    return f"{shown}; `{before[0]}` is a name for whatever card it is, and a condition says which ones"


def _is_name(word: str) -> bool:
    return re.fullmatch(r"\w+(\[\w+\])?", word) is not None


def cure_of_first(word: str) -> str | None:
    """The word that a rule begins with, where one of English stands."""
    ours = _FIRST.get(word)
    return None if ours is None else f"write `{ours} …: …`"
