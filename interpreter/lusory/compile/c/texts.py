"""Texts that are put together in play: what they are made of, as C has it, and which can be read in one way only.

Two texts of one form with other words may still be the same text (``{a}{b}`` of 1 and 11, of 11 and 1). They are not
where each part ends at a letter that it can't have, and no value of a part is shown as another is.
"""

from __future__ import annotations

from lusory_dsl.language.types import (
    BoolType,
    EnumType,
    IntType,
    ListType,
    PlayerType,
    Type,
)

from ...table.setting import Setting, label_of
from ..python.support import type_named
from .kinds import LINES

Site = tuple[object, ...]
DIGITS = frozenset("-0123456789")
NUMBER, LIST, TEXT, BELOW = 1, 2, 3, 4  # as in `runtime/texts.h`


def kinds(site: Site) -> tuple[int, ...]:
    """What is shown in a text, part by part, as the runtime names it."""
    named = {"": TEXT, LINES: BELOW}
    types = [part[0] for part in site if isinstance(part, tuple)]
    return tuple([named.get(type, LIST if type.startswith("List[") else NUMBER) for type in types])


def is_exact(setting: Setting, site: Site, known: frozenset[str]) -> bool:
    """Whether other words are another text. ``known``: the letters of all texts that are known."""
    for part, behind in zip(site, (*site[1:], None), strict=False):
        if isinstance(part, str):
            continue
        assert isinstance(part, tuple)
        letters = known if part[0] == "" else _letters(setting, part[0])
        if letters is None or (behind is not None and not (isinstance(behind, str) and behind[:1] not in letters)):
            return False
    return True


def _letters(setting: Setting, name: str) -> frozenset[str] | None:
    """The letters in which a value of a type is shown; None: two values may be shown alike."""
    if name == LINES:
        return None
    type = type_named(setting.program, name)
    if isinstance(type, ListType):
        return DIGITS | frozenset(", none") if isinstance(type.item, IntType) else None
    if isinstance(type, IntType):
        return DIGITS
    values = values_of(setting, type)
    if values is None:
        return None
    labels = [label_of(setting, value, type) for value in values]
    return frozenset("".join(labels)) if len(set(labels)) == len(labels) else None


def values_of(setting: Setting, type: Type) -> range | None:
    """The values of a type that has a few, known before play."""
    match type:
        case BoolType():
            return range(2)
        case PlayerType():
            return range(setting.players)
        case EnumType(name=name):
            return range(len(setting.program.enums[name].values))
    return None
