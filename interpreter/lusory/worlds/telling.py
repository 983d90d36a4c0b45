"""What would be told of a world if now came the last step that a seat has seen, held against what was told of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from lusory_dsl.core.knowledge import is_component
from lusory_dsl.language.types import Type

from ..table.choices import RulesetFault
from ..table.events import Event, redacted
from ..table.setting import label_of
from ..table.state import State
from .fortune import Fortune, Guide, Lots
from .particles import Taken
from .revising import Reviser

ENDS = 6  # answers of one decision that are tried as the last one
WRONG = 5  # one in so many of what was told counts what would be and was not: it seldom goes away
ASKED = 3  # times that an alternative is tried as the last one, which never is
GRAMS = (1, 2, 3)  # words that follow each other
CLAUSE = 4  # times as much as a word counts what stands between two marks
CLAUSES = re.compile(r"[.,:;!?()]+")
SENTENCES = re.compile(r"[.:;!?()]+")


class Telling:
    """What was told and came to light in the last step of a reviser. ``wanted``: all of it, part by part."""

    def __init__(self, reviser: Reviser) -> None:
        self.reviser, self.follower = reviser, reviser.follower
        self.last = reviser.steps[reviser.last]
        revealed = dict(reviser.revealed.get(reviser.last, ()))
        self.cells = list(revealed)
        self.wanted = self._parts(self.last.events, revealed)
        self._sentences = _sentences(self.last.events)
        self._wrong = max(WRONG, self.wanted.total() // WRONG)
        self._ending: dict[tuple[int, int], int] = {}  # how often each alternative was tried, -1: it can be the last

    def ending(self, state: State, begun: State) -> tuple[Counter[Any], int] | None:
        """What would be missing and how far off it would be if now came the last step; None: it can't come."""
        decision = self.follower.game.decision(state)
        if decision is None:
            return None
        nearest, tried = None, 0
        for option in decision.options:
            key = decision.site, option.alternative
            if tried >= ENDS or self._ending.get(key, 0) >= ASKED:
                continue
            tried += 1
            log = list[Event]()
            guide = Guide(self.last.events, Fortune(0, "draws"), Lots(), self.follower.seat)
            self.reviser.left -= 1
            try:
                after = self.follower.played(state, option[1:], log, guide)
            except RulesetFault:
                continue
            told = redacted(log, self.follower.seat, self.follower.game)
            if after is None or [event[:2] for event in told[:1]] != [event[:2] for event in self.last.events[:1]]:
                if self._ending.get(key, 0) >= 0:
                    self._ending[key] = self._ending.get(key, 0) + 1
                continue
            self._ending[key] = -1
            parts = self._parts(told, after.cells)
            missing = self.wanted - parts
            more = sum(self._is_wrong(part, begun) for part in (parts - self.wanted).elements())
            misses = missing.total() + self._wrong * (more + _astray(_sentences(told), self._sentences))
            if nearest is None or misses < nearest[1]:
                nearest = missing, misses
        return nearest

    def _is_wrong(self, part: Any, begun: State) -> bool:
        """Whether what would be told and was not is more than what was so before; words are held together elsewhere."""
        if part.__class__ is str or part[0] == "clause":
            return False
        return part[0].__class__ is not int or begun.cells[part[0]] != part[1]

    def _parts(self, events: Sequence[Event], cells: Sequence[Any] | Mapping[int, Any]) -> Counter[Any]:
        """What is told and comes to light: of texts the words that follow each other, of the rest each."""
        found = Counter[Any]([(cell, cells[cell]) for cell in self.cells])
        for event in events:
            text = (event[1] or "") if event[0] == "announce" else ""
            words = _words(text)
            found.update(" ".join(words[at : at + n]) for n in GRAMS for at in range(len(words) + 1 - n))
            found.update(("clause", clause.strip()) for clause in CLAUSES.split(text) for _ in range(CLAUSE))
            if event[0] != "announce":
                found[event] += 1
        return found

    def said(
        self,
        missing: Container[Any],
        before: Sequence[str],
        types: Sequence[Type],
        named: Container[int],
        answer: Taken,
    ) -> tuple[int, tuple[str, ...]]:
        """How many more of the values of an answer are named in what is missing than are not, and of the words that
        follow each other with those of the answers before it; and these words. Of what is none nothing need be said."""
        said, words, setting = 0, list(before), self.follower.game.setting
        for value, type in zip(answer[1], types, strict=False):
            if is_component(type) and (named or value in named):
                said += 1 if value in named else -1
            elif value is not None:
                for word in _words(label_of(setting, value, type)):
                    words.append(word)
                    grams = [" ".join(words[-n:]) for n in GRAMS if n <= len(words)]
                    said += sum(1 if gram in missing else -1 for gram in grams)
        return said, tuple(words)

    def named(self, missing: Iterable[Any]) -> set[int]:
        """The components that are named in what is missing."""
        about, found = self.follower.facts.about, set[int]()
        for part in missing:
            if part.__class__ is tuple and part[0] in about:
                found.add(about[part[0]])
            elif part.__class__ is tuple:
                found.update(self.follower.facts.named([part]))
        return found


def _sentences(events: Iterable[Event]) -> list[list[str]]:
    """The words of each sentence that is said."""
    texts = [event[1] or "" for event in events if event[0] == "announce"]
    return [words for text in texts for part in SENTENCES.split(text) if (words := _words(part))]


def _astray(told: Sequence[list[str]], wanted: Sequence[list[str]]) -> int:
    """How many words must go before further words make of each sentence one of those that are wanted."""
    left, astray = list(wanted), 0
    for words in told:
        near = min(((len(words) - _common(words, one), len(one), n) for n, one in enumerate(left)), default=None)
        astray += len(words) if near is None else near[0]
        if near is not None:
            left.pop(near[2])
    return astray


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How long the longest common subsequence is, found for all words of one at once, a bit for each (Hyyrö 2004)."""
    places = dict[str, int]()
    for n, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << n
    row = full = (1 << len(one)) - 1
    for word in other:
        here = row & places.get(word, 0)
        row = (row + here | row - here) & full
    return len(one) - row.bit_count()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
