"""What a row of the table of builtins says: :mod:`lusory_dsl.language.builtins` has the rows."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import cached_property
from typing import Literal, Protocol

from ..text.records import dataclass
from .intervals import Interval
from .types import PLAYER, ListType, Type


@dataclass(frozen=True)
class AnyType(Type):
    """The type variable of a row: any one type, the same wherever it stands in the row."""

    def __str__(self) -> str:
        return "T"


@dataclass(frozen=True)
class PlaceType(Type):
    """What a row demands of a place: ``place`` (a variable), ``pool`` or ``zone``; or ``card``, a component
    of any kind, or ``kind``, a component kind by its name. Not the type of a value."""

    what: str

    def __str__(self) -> str:
        return self.what


T = AnyType()
LIST = ListType(T)
PLAYERS = ListType(PLAYER)
PLACE = PlaceType("place")
POOL = PlaceType("pool")
CARD = PlaceType("card")
ZONE = PlaceType("zone")
KIND = PlaceType("kind")
ENUM = PlaceType("enum")


@dataclass(frozen=True)
class Parameter:
    """One argument of a row. ``optional``: may be left out (verbs only)."""

    name: str
    type: Type
    optional: bool = False


class Fault(Enum):
    """How a function can go wrong where none of its arguments does."""

    NOT_THERE = auto()
    """What it asks for may not be there."""
    TOO_GREAT = auto()
    """Its value may be beyond what an Int can be."""
    TOO_LONG = auto()
    """Its value may have more characters than a Text can."""


class Given(Protocol):
    """What is known of a call: of its arguments, by their numbers, and of the game."""

    @property
    def players(self) -> Interval:
        """How many there are."""

    def number(self, argument: int) -> Interval:
        """What an argument can be; of a list, what is in it."""

    def size(self, argument: int) -> Interval:
        """How many items a list can have."""

    def characters(self, argument: int) -> int:
        """The most characters of a text; of a list, of each that is in it."""


Bounds = Callable[[Given], Interval]


@dataclass(frozen=True)
class Builtin:
    """A row of the table.

    ``kind`` says how it is written: ``function`` is ``name(args)``, ``member`` is ``subject.name``, ``verb`` is a
    statement. A function with ``member`` may be written either way. ``core`` is the node it becomes, in
    :mod:`lusory_dsl.core`. ``text`` is how rules text says it, with the parameters in braces. ``example`` speaks about
    the ruleset of docs/language/tour.md; ``shows`` is an expression of the same value. Both are executed by the tests.

    Of what engines implement: ``fault`` says how it can go wrong; ``bounds`` what it can come to, if it is a number;
    ``size`` how many items it can have, if it is a list; ``characters`` how many, if it is a text; ``opposite`` is
    another one of the same signature that does it the other way round.
    """

    name: str
    kind: Literal["function", "member", "verb"]
    params: tuple[Parameter, ...]
    type: Type | None
    doc: str
    text: str
    example: str
    shows: str = ""
    member: bool = False
    core: str = "CallBuiltin"
    fault: Fault | None = None
    bounds: Bounds | None = None
    size: Bounds | None = None
    characters: Callable[[Given], int] | None = None
    opposite: str | None = None

    @cached_property
    def takes_none(self) -> bool:
        """Whether it only hands on what it is given, so that ``none`` is as good as any value."""
        return any(_is_any(param.type) for param in self.params)

    @property
    def gives_item(self) -> bool:
        """Whether its value is an item of its first argument."""
        return self.type == T and self.params[0].type in (LIST, ZONE)

    @property
    def gives_part(self) -> bool:
        """Whether its value is items of its first argument."""
        return self.type == LIST and self.params[0].type == LIST

    @property
    def gives_seats(self) -> bool:
        """Whether its value is all players."""
        return self.type == PLAYERS and not self.gives_part

    @property
    def keeps_some(self) -> bool:
        """Whether its value has items wherever its first argument has: it is all that it is given."""
        return self.gives_part and len(self.params) == 1

    @property
    def goes_round(self) -> bool:
        """Whether it goes round the table, where two players sit opposite each other whichever way one goes."""
        return self.type in (PLAYER, PLAYERS) and [param.type for param in self.params] == [PLAYER]

    @property
    def signature(self) -> str:
        """How a function or member is written, with types: ``step(xs: List[T], item: T, n: Int) -> T``."""
        shown = ", ".join(f"{p.name}: {p.type}" for p in self.params)
        if self.kind == "member":
            return f"{self.params[0].type}.{self.name} -> {self.type}"
        return f"{self.name}({shown}) -> {self.type}"


def _is_any(type: Type) -> bool:
    return type == T or (isinstance(type, ListType) and _is_any(type.item))
