"""What can be read where something is written, and how choices are made. The ground floor of the makers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
Makers = list[Callable[[], str]]

NAMES = ("é", "ß", "Ωmega", "名", "class", "lambda_", "c", "z", "log", "K", "value", "_", "None", "t", "option", "P")
"""How names may begin that mean something elsewhere: to generated code, to Python, or in another alphabet."""

DEEDS = ("dying", "enter", "wake")
"""What cards do when it is called: effects of a keyword, of the kind, and of the kind and a player."""


@dataclass
class Scope:
    """What can be read: names in the block by type, whether somebody acts, and what may be called."""

    names: dict[str, list[str]] = field(default_factory=dict)
    me: bool = False
    item: str | None = None  # type of `it`
    unnamed: bool = False  # whether this lies in a condition of an `it`, which may be another one's
    queries: int = 0
    effects: int = 0
    deeds: int = len(DEEDS)  # so many of them may be called
    looping: bool = False
    members: bool = True  # whether members of cards may be asked
    opens: bool = False  # whether windows may be opened and actions taken
    answering: bool = False  # whether this is an answer to a window


class Base:
    """``faulty``: how likely what can go wrong is written, in percent. ``rewrite``: what becomes of the text of each
    block. ``rings``: how likely what a card does calls what may call it, in percent."""

    def __init__(
        self, pick: Callable[[int], int], faulty: int = 4, rewrite: Callable[[str], str] = str, rings: int = 4
    ) -> None:
        self.pick = pick
        self.rewrite = rewrite
        self.faulty = faulty
        self.rings = rings
        self.sorted = "false"  # whether hands are
        self.deals = False  # whether the game begins with cards that move
        self.count = 0
        self.queries: list[tuple[bool, tuple[str, ...], str]] = []  # per player?, types of parameters, type
        self.effects: list[tuple[bool, tuple[str, ...]]] = []  # per player?, types of parameters
        self.scope = Scope()

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.pick(len(items))]

    def chance(self, percent: int) -> bool:
        return self.pick(100) >= 100 - percent

    def fresh(self) -> str:
        self.count += 1
        begin = self.one_of(NAMES) if self.chance(12) else "x"
        return f"{begin}{self.count}"

    @contextmanager
    def inside(self, me: bool | None = None, item: str | None = None) -> Iterator[Scope]:
        outer = self.scope
        names = {type: list(names) for type, names in outer.names.items()}
        acts = outer.me if me is None else me
        self.scope = Scope(
            names,
            acts,
            item,
            outer.unnamed or item is not None,
            outer.queries,
            outer.effects,
            outer.deeds,
            outer.looping,
            outer.members,
            outer.opens,
            outer.answering,
        )
        yield self.scope
        self.scope = outer

    @contextmanager
    def safely(self) -> Iterator[None]:
        """Write nothing that can go wrong."""
        before, self.faulty = self.faulty, 0
        yield
        self.faulty = before

    def bind(self, type: str) -> str:
        name = self.fresh()
        self.scope.names.setdefault(type, []).append(name)
        return name

    def known(self, type: str) -> list[str]:
        return self.scope.names.get(type, [])

    def value(self, type: str, depth: int = 2) -> str:
        raise NotImplementedError

    def where(self, percent: int) -> str:
        """Now and then a condition of what is gone through, of which an `it` would be one."""
        if not self.chance(percent):
            return ""
        with self.inside() as scope:
            scope.unnamed = True
            return f" where {self.value('Bool', 1)}"

    def written(self, lines: list[str], indent: int) -> str:
        """A block as it stands in the file."""
        return indented(self.rewrite("\n".join(lines)).splitlines(), indent)


def indented(lines: list[str], n: int) -> str:
    return "".join(f"{' ' * n}{line}\n" for line in lines)
