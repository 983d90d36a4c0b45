"""What the options of a decision are called. Used by the game, and by views.

A card that the one who chooses cannot see is called ``?`` and nothing else: its value is then the text ``?``.
"""

from __future__ import annotations

from collections.abc import Sequence

from lusory_dsl import core
from lusory_dsl.language.types import BoolType, ComponentType, EnumType, OptionalType, PlayerType, Type

from ..reading.reader import Reader
from ..table.choices import Option
from ..table.setting import HIDDEN, Setting, Value, item_type, name_of
from .sight import UNKNOWN


def option_ids(setting: Setting, ask: core.Ask | core.AskMany, options: Sequence[Option]) -> list[str]:
    """What an author types for each option; unique within the decision."""
    return unique([option_id(setting, ask, option) for option in options])


def option_labels(
    reader: Reader, ask: core.Ask | core.AskMany, options: Sequence[Option], slots: Sequence[Value]
) -> list[str]:
    """What a person reads for each option."""
    return [option_label(reader, ask, option, slots) for option in options]


def option_id(setting: Setting, ask: core.Ask | core.AskMany, option: Option) -> str:
    """What an author types: the alternative's name and the names of the values; of some, the item or ``done``."""
    if isinstance(ask, core.AskMany):
        return _name(setting, option.values[0], item_type(ask.source.type)) if option.alternative == 0 else "done"
    alternative = ask.alternatives[option.alternative]
    names = [alternative.name] if alternative.name is not None else []
    for variable, value in zip(alternative.vars, option.values, strict=True):
        names.append(_name(setting, value, item_type(variable.domain.type)))
    return " ".join(names)


def _name(setting: Setting, value: Value, type: Type) -> str:
    return HIDDEN if value == HIDDEN else name_of(setting, value, type)


def _seen(value: Value) -> Value:
    """A value for a local: of what is hidden nothing can be read."""
    return UNKNOWN if value == HIDDEN else value


def unique(ids: Sequence[str]) -> list[str]:
    """The ids, further ones of the same words told apart by ``#2``, ``#3``, …"""
    seen: dict[str, int] = {}
    found = []
    for id in ids:
        seen[id] = seen.get(id, 0) + 1
        found.append(id if seen[id] == 1 else f"{id}#{seen[id]}")
    return found


def option_label(reader: Reader, ask: core.Ask | core.AskMany, option: Option, slots: Sequence[Value]) -> str:
    """What a person reads: the alternative's label with the values filled in, else its name and the values' labels."""
    if isinstance(ask, core.AskMany):
        if option.alternative == 1:
            return "done"
        if ask.label is None:
            return reader.label(_seen(option.values[0]), item_type(ask.source.type))
        filled = list(slots)
        filled[ask.item_slot] = _seen(option.values[0])
        return reader.text(ask.label, filled)
    alternative = ask.alternatives[option.alternative]
    filled = list(slots)
    for variable, value in zip(alternative.vars, option.values, strict=True):
        filled[variable.slot] = _seen(value)
    if alternative.label is not None:
        return reader.text(alternative.label, filled)
    words = [alternative.name.replace("_", " ")] if alternative.name is not None else []
    for variable, value in zip(alternative.vars, option.values, strict=True):
        words.append(reader.label(_seen(value), item_type(variable.domain.type)))
    return " ".join(words)


def all_values(setting: Setting, type: Type) -> list[Value]:
    """Every value of a type that has finitely many; of others none."""
    if isinstance(type, OptionalType):
        return [None, *all_values(setting, type.item)]
    if isinstance(type, BoolType):
        return [False, True]
    if isinstance(type, PlayerType):
        return list(range(setting.players))
    if isinstance(type, EnumType):
        return list(range(len(setting.program.enums[type.name].values)))
    if isinstance(type, ComponentType):
        first, n = setting.program.component_kinds[type.name]
        return list(range(first, first + n))
    return []
