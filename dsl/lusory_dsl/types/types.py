"""Define the types of the language, and which type is a subtype of which."""

from __future__ import annotations

import re

from ..source.dataclass_with_lazy_methods import ValueRecord

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1  # range of an Int: signed, 64 bits
TEXT_LIMIT = 10_000  # maximum number of characters of a Text
TOO_LONG_TEXT = f"the text is longer than {TEXT_LIMIT:,} characters"
LIST_LIMIT = 100_000  # maximum number of items of a List
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def is_integer_text(text: str) -> bool:
    """Return whether ``text`` is a whole number of at most 18 digits, perhaps with a minus sign."""
    return _INTEGER.fullmatch(text) is not None


class Type(ValueRecord):
    """The base class of all types. ``str(t)`` is the notation in a ruleset."""

    def __str__(self) -> str:
        return type(self).__name__.removesuffix("Type")


class IntType(Type):
    """The type of whole numbers of 64 bits."""


class BoolType(Type):
    """The type of ``true`` and ``false``."""


class TextType(Type):
    """The type of texts."""


class PlayerType(Type):
    """The type of players. Values are the numbers of seats, from 0."""


class EnumType(Type):
    """A declared enum. The enum of resource kinds is called ``Resource``."""

    name: str

    def __str__(self) -> str:
        return self.name


class ComponentType(Type):
    """A declared component kind, such as cards, pieces or tiles."""

    name: str

    def __str__(self) -> str:
        return self.name


class ListType(Type):
    """An ordered, finite list. Set operations keep the order of the left operand."""

    item: Type

    def __str__(self) -> str:
        return f"List[{self.item}]"


class OptionalType(Type):
    """A value of type ``item``, or ``none``. Optional types are never nested."""

    item: Type

    def __str__(self) -> str:
        return f"{self.item}?"


class NoneType(Type):
    """The type of the literal ``none``. It fits every optional type."""

    def __str__(self) -> str:
        return "none"


class NothingType(Type):
    """The item type of the empty list literal, and the type of a faulty expression. It fits every type."""


INT = IntType()
BOOL = BoolType()
TEXT = TextType()
PLAYER = PlayerType()
NONE = NoneType()
NOTHING = NothingType()


def optional(item: Type) -> Type:
    """Return ``item?``. An optional type and the type Nothing are returned unchanged, so that optionals never nest."""
    if isinstance(item, OptionalType | NothingType):
        return item
    return OptionalType(item)


def strip_optional(type: Type) -> Type:
    """Return the item type of an optional type, or any other type itself: ``Int?`` and ``Int`` both give ``Int``."""
    return type.item if isinstance(type, OptionalType) else type


def get_default_value(type: Type) -> object:
    """Return the default value of a type: 0, False, the empty text, or () for a list.

    Returns None for every other type: an optional type begins with ``none``, and the others have no default.
    """
    return () if isinstance(type, ListType) else {INT: 0, BOOL: False, TEXT: ""}.get(type)


def is_subtype(actual: Type, expected: Type) -> bool:
    """Return whether ``actual`` is a subtype of ``expected``, so that its values are allowed there.

    Nothing, the type of faulty expressions, is a subtype and a supertype of every type. An optional type includes its
    item type and ``none``. Lists and optionals follow their item types: ``List[Card]`` is a subtype of ``List[Card?]``,
    but ``Card?`` is no subtype of ``Card``. Otherwise only equal types match.
    """
    if actual == expected or isinstance(actual, NothingType) or isinstance(expected, NothingType):
        return True
    if isinstance(expected, OptionalType):
        return isinstance(actual, NoneType) or is_subtype(
            actual.item if isinstance(actual, OptionalType) else actual, expected.item
        )
    if isinstance(expected, ListType) and isinstance(actual, ListType):
        return is_subtype(actual.item, expected.item)
    return False


def join(first: Type, second: Type) -> Type | None:
    """Return the smallest common supertype of two types, or None if there is none.

    Nothing yields the other type. ``none`` and T yield ``T?``, ``T`` and ``T?`` yield ``T?``, and lists and optionals
    join their items: a list of Nothing yields the other list. The order of the two doesn't matter.
    """
    if isinstance(first, NothingType) or isinstance(second, NothingType):
        return second if isinstance(first, NothingType) else first
    if first == second:
        return first
    if isinstance(first, NoneType) or isinstance(second, NoneType):
        return optional(second if isinstance(first, NoneType) else first)
    if isinstance(first, OptionalType) or isinstance(second, OptionalType):
        inner = join(strip_optional(first), strip_optional(second))
        return None if inner is None else optional(inner)
    if isinstance(first, ListType) and isinstance(second, ListType):
        inner = join(first.item, second.item)
        return None if inner is None else ListType(inner)
    return None


def is_component(type: Type) -> bool:
    """Return whether values of a type are components, or lists or optional values of components, at any depth."""
    return isinstance(get_innermost_type(type), ComponentType)


def get_innermost_type(type: Type) -> Type:
    """Return the innermost item type of nested lists and optionals, or any other type itself."""
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return type
