"""Text that remembers which values its words stand for, so that a screen can point at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from lusory_dsl.language.types import ComponentType, EnumType, OptionalType, PlayerType, Type

from ..table.setting import HIDDEN, Setting, Value, bounded, name_of
from .sight import Unknown


class Piece(NamedTuple):
    """Some words, and the value that they are the label of; ``type`` None: words only."""

    text: str
    type: Type | None = None
    value: Value = None


class Marked(str):
    """A text and the pieces that it is made of, in order. It is equal to the same text without them."""

    pieces: tuple[Piece, ...]

    def __new__(cls, pieces: Iterable[Piece]) -> Self:
        kept = tuple(piece for piece in pieces if piece.text)
        made = super().__new__(cls, "".join(piece.text for piece in kept))
        made.pieces = kept
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.pieces,)


def pieces_of(text: str) -> tuple[Piece, ...]:
    """The pieces of a text, of which a plain one has one."""
    return text.pieces if isinstance(text, Marked) else (Piece(text),)


def marked_join(texts: Iterable[str], between: str) -> Marked:
    """Join texts, each with its pieces. Raises RulesetFault where the whole is too long, before the rest is built."""
    found: list[Piece] = []
    for number, text in enumerate(bounded(texts, len(between))):
        if number:
            found.append(Piece(between))
        found += pieces_of(text)
    return Marked(found)


def reference(setting: Setting, type: Type | None, value: Value) -> str:
    """What a person can point at, as ``Card:phoenix``, ``Space:a1`` or ``Player:P2``; "" for numbers and the like, and
    for what is not seen."""
    kind = type.item if isinstance(type, OptionalType) else type
    if value is None or isinstance(value, Unknown) or value == HIDDEN:
        return ""
    if isinstance(kind, EnumType | ComponentType | PlayerType):
        return f"{kind}:{name_of(setting, value, kind)}"
    return ""
