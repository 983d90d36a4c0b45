"""Texts of a state that comes from elsewhere, as C has those that it puts together: the words that they are made of.

That is possible where a text is of one form only, and that form can be read in one way only; then C finds it equal to
what it puts together itself. Any other is a number of its own, which C may not compare with those that it made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from lusory_dsl.language.types import IntType, ListType

from ...table.setting import Setting, label_of
from ..python.support import type_named
from .results import TEXT_BASE, Reader
from .texts import is_exact, values_of

INTEGER = "-?[1-9][0-9]{0,17}|0"
MANY = 10_000
"""So many texts that were read are remembered."""


@dataclass(frozen=True)
class Form:
    """Texts of one form. ``site``: its number; ``pattern``: one group for each part that is no plain words; ``reads``:
    the words of each."""

    site: int
    pattern: re.Pattern[str]
    reads: tuple[Callable[[str], list[int]], ...]

    def words(self, text: str) -> list[int] | None:
        """What a text of this form is made of; None: it is of another."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        return [word for read, part in zip(self.reads, found.groups(), strict=True) for word in read(part)]


class Wordings:
    """The texts of a game. ``known``: those that have numbers, which become more."""

    def __init__(self, reader: Reader) -> None:
        self.known = list(reader.texts)
        letters = frozenset("".join(reader.texts))
        exact = [site for site, parts in enumerate(reader.made) if is_exact(reader.setting, parts, letters)]
        self._forms = [_form(reader, site) for site in exact]
        self._numbers = {text: number for number, text in enumerate(reader.texts)}
        self._read: dict[str, tuple[int, ...]] = {}

    def number_of(self, text: str) -> int:
        """The number of a text; one that is not known becomes so."""
        if text not in self._numbers:
            self._numbers[text] = len(self.known)
            self.known.append(text)
        return self._numbers[text]

    def words_of(self, text: str) -> tuple[int, ...]:
        """What C would make of a text, with the number of its form, its length and how many words that takes; nothing
        where it is known, of no form or of several."""
        if text in self._numbers:
            return ()
        if text not in self._read:
            if len(self._read) >= MANY:
                self._read.clear()
            found = [(form.site, words) for form in self._forms if (words := form.words(text)) is not None]
            self._read[text] = (found[0][0], len(text), 3 + len(found[0][1]), *found[0][1]) if len(found) == 1 else ()
        return self._read[text]


@dataclass
class Said:
    """The texts of one state. ``words``: of those that C has as it would have put them together."""

    wordings: Wordings
    words: list[int] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)

    def number_of(self, text: str) -> int:
        """The number that a text has in this state."""
        if text not in self._at:
            words = self.wordings.words_of(text)
            self._at[text] = TEXT_BASE + len(self.words) if words else self.wordings.number_of(text)
            self.words += words
        return self._at[text]


def _form(reader: Reader, site: int) -> Form:
    pattern, reads = "", list[Callable[[str], list[int]]]()
    for part in reader.made[site]:
        if isinstance(part, str):
            pattern += re.escape(part)
        else:
            assert isinstance(part, tuple)
            group, read = _part(reader, part[0])
            pattern += f"({group})"
            reads.append(read)
    return Form(site, re.compile(pattern, re.ASCII), tuple(reads))


def _part(reader: Reader, name: str) -> tuple[str, Callable[[str], list[int]]]:
    """How a value of a type is written, and what words it is."""
    if not name:
        return _one_of({text: number for number, text in enumerate(reader.texts)})
    type = type_named(reader.setting.program, name)
    if isinstance(type, IntType):
        return INTEGER, lambda said: [int(said)]
    if isinstance(type, ListType):
        return f"none|(?:{INTEGER})(?:, (?:{INTEGER}))*", _numbers
    setting: Setting = reader.setting
    return _one_of({label_of(setting, value, type): value for value in values_of(setting, type) or ()})


def _one_of(numbers: dict[str, int]) -> tuple[str, Callable[[str], list[int]]]:
    longest_first = sorted(numbers, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first)), partial(_number, numbers)


def _number(numbers: dict[str, int], said: str) -> list[int]:
    return [numbers[said]]


def _numbers(said: str) -> list[int]:
    found = [] if said == "none" else [int(one) for one in said.split(", ")]
    return [len(found), *found]
