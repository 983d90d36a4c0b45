"""Expressions and values of texts that are written about a finished program, such as case files."""

from __future__ import annotations

import re
from functools import lru_cache

from . import core
from .checker.call_graph import Owner
from .checker.forms import FORMS
from .checker.names import Names, names_of
from .checker.notes import Notes
from .checker.texts import Texts, value_in
from .language.types import (
    PLAYER,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    OptionalType,
    PlayerType,
    TextType,
    Type,
    is_whole,
)
from .text.diagnostics import Diagnostics, did_you_mean
from .text.source import NOWHERE, Embedded

_SEAT = re.compile(r"P([1-9][0-9]{0,17})")


def case_expression(
    program: core.Program, text: Embedded, diagnostics: Diagnostics, expected: Type | None = None
) -> tuple[core.Expr, int] | None:
    """An expression about a program, and the number of slots it needs; None after a report.

    Players are named `P1`, `P2`, …; nobody is `me`."""
    found = Diagnostics()
    texts = Texts(_case_names(program), Notes(), found, FORMS)
    routine = texts.routine(Owner("case"))
    expr = value_in(routine, text, expected)
    diagnostics.extend(found.sorted())
    return None if found.has_errors else (expr, routine.locals.n_slots)


def parse_value(program: core.Program, type: Type, text: str) -> object:
    """The run-time value that a text means as a value of a type: a number, `true`, `P1`, `none`, the name of an enum
    value or card, a list or any other expression of constants. Raises ValueError with a message for the author."""
    written = text.strip()
    plain = _plain_value(program, type, written)
    if plain is not _NOT_PLAIN:
        return plain
    diagnostics = Diagnostics()
    embedded = Embedded(NOWHERE.source, written, tuple(0 for _ in range(len(written) + 1)))
    found = case_expression(program, embedded, diagnostics, type)
    if found is None:
        raise ValueError(_not_a(program, type, written))
    return _constant(found[0], type, written)


_NOT_PLAIN = object()


def _plain_value(program: core.Program, type: Type, text: str) -> object:
    """The value that a bare word or number means, or a mark that it means none."""
    match type:
        case OptionalType() if text == "none":
            return None
        case OptionalType(item=item):
            return _plain_value(program, item, text)
        case IntType() if is_whole(text):
            return int(text)
        case BoolType() if text in ("true", "false"):
            return text == "true"
        case TextType() if not text.startswith('"'):
            return text
        case PlayerType() if matched := _SEAT.fullmatch(text):
            if int(matched[1]) > program.max_players:
                raise ValueError(f"there is no player `{text}`: {program.name} has at most {program.max_players}")
            return int(matched[1]) - 1
        case EnumType(name=enum):
            for ordinal, value in enumerate(program.enums[enum].values):
                if text.removeprefix(f"{enum}.") in (value.name, value.plural):
                    return ordinal
        case ComponentType(name=kind):
            for entity in program.entities:
                if entity.kind == kind and entity.name == text:
                    return entity.number
    return _NOT_PLAIN


def _constant(expr: core.Expr, type: Type, text: str) -> object:
    """The value of an expression of constants."""
    match expr:
        case core.Const(value=value):
            return value
        case core.ListLit(items=items):
            return tuple(_constant(item, type, text) for item in items)
    raise ValueError(f"`{text}` is computed; a plain value is needed here")


def _not_a(program: core.Program, type: Type, text: str) -> str:
    """Why a text is no value of a type."""
    certain = type.item if isinstance(type, OptionalType) else type
    known: list[str] = []
    match certain:
        case EnumType(name=enum):
            known = [value.name for value in program.enums[enum].values]
        case ComponentType(name=kind):
            known = [entity.name for entity in program.entities if entity.kind == kind]
        case PlayerType():
            known = [f"P{n + 1}" for n in range(program.max_players)]
        case BoolType():
            known = ["true", "false"]
    if isinstance(type, OptionalType):
        known.append("none")
    hint = did_you_mean(text, known) or (f"it can be {', '.join(known)}" if 0 < len(known) <= 12 else None)
    message = f"`{text}` is not {_an(certain)}"
    return message if hint is None else f"{message}; {hint}"


def _an(type: Type) -> str:
    written = str(type)
    return f"{'an' if written[0] in 'AEIOU' else 'a'} {written}"


@lru_cache(maxsize=4)
def _case_names(program: core.Program) -> Names:
    """What texts about a program can name. Made once: a ruleset with hundreds of cards has hundreds of texts."""
    names = names_of(program)
    for seat in range(program.max_players):
        names.constants[f"P{seat + 1}"] = core.Const(PLAYER, NOWHERE, seat)
    return names
