"""The types of the effect language and which fits into which.

Made by the loader (from declarations) and the checker (by inference); read by every later stage.
A type is a frozen value: two types are the same type when they are equal.

Run-time values, the same on every engine:

===============  =====================================================================
type             value
===============  =====================================================================
Int              ``int``, from :data:`INT_MIN` to :data:`INT_MAX`
Bool             ``bool``
Text             ``str`` of at most :data:`TEXT_LIMIT` characters
enum E           ordinal of the value within E, ``int`` from 0
Player           seat, ``int`` from 0, clockwise
component K      entity number, ``int``, unique over all kinds
T?               a value of T, or ``None``
List[T]          ``tuple`` of at most :data:`LIST_LIMIT` values of T, in order
===============  =====================================================================

What goes beyond that while a game is played is a fault of the ruleset, on every engine.
"""

from __future__ import annotations

import re

from ..text.records import dataclass

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1  # what an Int can be: 64 bits with a sign
TEXT_LIMIT = 10_000  # characters of a Text
LIST_LIMIT = 100_000  # items of a List
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def is_whole(text: str) -> bool:
    """Whether a text that somebody wrote is a whole number of the language: of at most 18 digits."""
    return _WHOLE.fullmatch(text) is not None


@dataclass(frozen=True)
class Type:
    """Base of all types. ``str(t)`` is how authors write it."""


@dataclass(frozen=True)
class IntType(Type):
    def __str__(self) -> str:
        return "Int"


@dataclass(frozen=True)
class BoolType(Type):
    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True)
class TextType(Type):
    def __str__(self) -> str:
        return "Text"


@dataclass(frozen=True)
class PlayerType(Type):
    def __str__(self) -> str:
        return "Player"


@dataclass(frozen=True)
class EnumType(Type):
    """A declared enum (or the resource kinds, whose enum is called ``Resource``)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ComponentType(Type):
    """A declared component kind: cards, pieces, tiles."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ListType(Type):
    """An ordered finite collection. Set operations keep the order of the left operand."""

    item: Type

    def __str__(self) -> str:
        return f"List[{self.item}]"


@dataclass(frozen=True)
class OptionalType(Type):
    """A value of ``item`` or ``none``. Never nested."""

    item: Type

    def __str__(self) -> str:
        return f"{self.item}?"


@dataclass(frozen=True)
class NoneType(Type):
    """The type of the literal ``none`` alone; fits every optional type."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class NothingType(Type):
    """The item type of the empty list literal, and the type of a faulty expression; fits everything."""

    def __str__(self) -> str:
        return "Nothing"


INT = IntType()
BOOL = BoolType()
TEXT = TextType()
PLAYER = PlayerType()
NONE = NoneType()
NOTHING = NothingType()


def optional(item: Type) -> Type:
    """``item?``, without nesting."""
    if isinstance(item, OptionalType | NothingType):
        return item
    return OptionalType(item)


def nothing(type: Type) -> object:
    """What is read where there is nothing to read: 0, false, the empty text or list; ``None`` of all other types."""
    match type:
        case IntType():
            return 0
        case BoolType():
            return False
        case TextType():
            return ""
        case ListType():
            return ()
    return None


def fits(actual: Type, expected: Type) -> bool:
    """Whether a value of ``actual`` may stand where ``expected`` is asked for."""
    if actual == expected or isinstance(actual, NothingType) or isinstance(expected, NothingType):
        return True
    if isinstance(expected, OptionalType):
        return isinstance(actual, NoneType) or fits(
            actual.item if isinstance(actual, OptionalType) else actual, expected.item
        )
    if isinstance(expected, ListType) and isinstance(actual, ListType):
        return fits(actual.item, expected.item)
    return False


def _is_open(type: Type) -> bool:
    """Whether a type is that of nothing, or of an empty list: whatever it is beside says more."""
    if isinstance(type, ListType | OptionalType):
        return _is_open(type.item)
    return isinstance(type, NothingType)


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that both fit into, or None where there is none."""
    if fits(a, b) and not (_is_open(b) and fits(b, a)):
        return b
    if fits(b, a):
        return a
    if isinstance(a, NoneType):
        return optional(b)
    if isinstance(b, NoneType):
        return optional(a)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        inner = join(a.item if isinstance(a, OptionalType) else a, b.item if isinstance(b, OptionalType) else b)
        return None if inner is None else optional(inner)
    if isinstance(a, ListType) and isinstance(b, ListType):
        inner = join(a.item, b.item)
        return None if inner is None else ListType(inner)
    return None
