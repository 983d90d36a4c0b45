"""Define the scope in which the makers write, and random choices. All makers build on this module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import yaml

T = TypeVar("T")

GRAMMAR = yaml.safe_load(Path(__file__).with_name("grammar.yaml").read_text(encoding="utf-8"))
"""Rule -> its templates. See :meth:`Base.rule`."""

NAMES = ("é", "ß", "Ωmega", "名", "class", "lambda_", "c", "z", "log", "K", "value", "_", "None", "t", "option", "P")
"""Beginnings of names that could collide with generated code or Python, or that use other alphabets."""

CARD_EFFECTS = ("dying", "enter", "wake")
"""Effects of cards: of a keyword, of the kind, and of the kind for one player."""


@dataclass
class Scope:
    """Names that can be read at a place, whether a player acts there, and the declarations that may be called.

    ``queries``, ``effects`` and ``card_effects`` count the declarations that may be called, from the first one on.
    """

    names: dict[str, list[str]] = field(default_factory=dict)
    has_me: bool = False
    item: str | None = None  # type of `it`
    must_name: bool = False  # whether values here must name their items, because `it` means something else
    queries: int = 0
    effects: int = 0
    card_effects: int = len(CARD_EFFECTS)
    is_in_loop: bool = False
    reads_members: bool = True  # whether values may read members of cards
    opens_windows: bool = False  # whether statements may open windows and take actions
    is_response: bool = False  # whether this is a response in a window


class Base:
    """Base of all makers: choices, fresh names and scopes.

    A method that is named after a construct of the language, such as ``value`` or ``phase``, writes that construct.

    ``faulty`` is the percentage of values that can cause a fault. ``rewrite`` changes the text of each block. ``rings``
    is the percentage of calls between effects of cards that may be recursive.
    """

    def __init__(
        self, pick: Callable[[int], int], faulty: int = 4, rewrite: Callable[[str], str] = str, rings: int = 4
    ) -> None:
        self.pick = pick
        self.rewrite = rewrite
        self.faulty = faulty
        self.rings = rings
        self.sorts_hands = "false"  # whether hands are sorted
        self.moves_cards = False  # whether the first phase begins by moving cards
        self.count = 0
        self.queries: list[tuple[bool, tuple[str, ...], str]] = []  # per player?, parameter types, result type
        self.effects: list[tuple[bool, tuple[str, ...]]] = []  # per player?, parameter types
        self.scope = Scope()

    def select(self, items: Sequence[T]) -> T:
        return items[self.pick(len(items))]

    def toss(self, percent: int) -> bool:
        return self.pick(100) >= 100 - percent

    def create_name(self) -> str:
        self.count += 1
        begin = self.select(NAMES) if self.toss(12) else "x"
        return f"{begin}{self.count}"

    @contextmanager
    def open_scope(self, has_me: bool | None = None, item: str | None = None) -> Iterator[Scope]:
        outer = self.scope
        names = {type: list(names) for type, names in outer.names.items()}
        has_actor = outer.has_me if has_me is None else has_me
        self.scope = Scope(
            names,
            has_actor,
            item,
            outer.must_name or item is not None,
            outer.queries,
            outer.effects,
            outer.card_effects,
            outer.is_in_loop,
            outer.reads_members,
            outer.opens_windows,
            outer.is_response,
        )
        yield self.scope
        self.scope = outer

    @contextmanager
    def avoid_faults(self) -> Iterator[None]:
        """Write no values that can cause a fault within this context."""
        percent, self.faulty = self.faulty, 0
        yield
        self.faulty = percent

    def bind(self, type: str) -> str:
        name = self.create_name()
        self.scope.names.setdefault(type, []).append(name)
        return name

    def list_names(self, type: str) -> list[str]:
        return self.scope.names.get(type, [])

    def value(self, type: str, depth: int = 2) -> str:
        raise NotImplementedError

    def expand(self, name: str, depth: int = 0) -> str:
        """Expand a nonterminal: a method of the maker or a rule of the grammar.

        A rule is a list of templates, of which one is chosen. The ``deep`` ones can be chosen if ``depth`` is above 0.
        With ``every``, all templates are filled in before one is chosen.
        """
        if hasattr(self, name):
            text: str = getattr(self, name)()
            return text
        match GRAMMAR[name]:
            case {"every": parts}:
                return self.select([self.fill(part, depth) for part in parts])
            case {"flat": flat, "deep": deep}:
                return self.fill(self.select([*flat, *deep] if depth > 0 else flat), depth)
            case parts:
                return self.fill(self.select(parts), depth)

    def fill(self, template: str, depth: int) -> str:
        return re.sub(r"\{([^{}]*)\}", lambda match: self.fill_part(match[1], depth), template)

    def fill_part(self, text: str, depth: int) -> str:
        """Fill one placeholder of a template.

        ``0..3`` is a number, ``a|b`` one of several words, ``Int 1`` a value of a type with its depth (``-``: one less
        than here), ``cell`` a method or a rule, and ``nested_comprehension any|all`` a method with its argument.
        """
        word, _, argument = text.partition(" ")
        if argument and hasattr(self, word):
            result: str = getattr(self, word)(self.select(argument.split("|")) if "|" in argument else argument, depth)
            return result
        if "|" in text:
            return self.select(text.split("|"))
        if ".." in text:
            low, high = map(int, text.split(".."))
            return str(low + self.pick(high - low + 1))
        if argument:
            return self.value(word, depth - 1 if argument == "-" else int(argument))
        return self.expand(word)

    def where(self, percent: int) -> str:
        """Write a `where` clause for a loop variable, or nothing. The clause doesn't use `it`."""
        if not self.toss(percent):
            return ""
        with self.open_scope() as scope:
            scope.must_name = True
            return f" where {self.value('Bool', 1)}"

    def write(self, lines: list[str], indent: int) -> str:
        """Return a block as indented text, after ``rewrite``."""
        return indent_lines(self.rewrite("\n".join(lines)).splitlines(), indent)


def indent_lines(lines: list[str], n: int) -> str:
    return "".join(f"{' ' * n}{line}\n" for line in lines)
