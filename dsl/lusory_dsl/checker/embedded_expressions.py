"""Check texts that are written about a compiled program, such as the expressions and pictures in case files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from string import ascii_lowercase

from .. import core
from ..core.provenance import STATE_CHECKS
from ..core.sugar import Split
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, did_you_mean
from ..source.lazy_dataclass import replace
from ..source.source import NOWHERE, Embedded
from ..types.types import (
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
from .boards import read_picture
from .context import Notes
from .dispatch import FORMS
from .limits import Owner
from .symbols import Names, names_of
from .texts import Texts, block_in, value_in

_SEAT = re.compile(r"P([1-9][0-9]{0,17})")
_COPY = re.compile(r'"[^"\n]*"|(?<![\w.-])([A-Za-z_]\w*)-([1-9][0-9]*)(?![\w-])', re.ASCII)
"""A quoted text, or a copy of a card such as ``baker-2``."""
_WORD = re.compile(r"\w+")


def case_expression(
    program: core.Program, text: Embedded, diagnostics: Diagnostics, expected: Type | None = None
) -> tuple[core.Expr, int] | None:
    """Check an expression about a program.

    Players are named ``P1``, ``P2``, … in it, and it has no ``me``. Returns the expression and its number of slots, or
    None after a report.
    """
    found = Diagnostics()
    text, names = _with_copies(program, text, found)
    routine = Texts(names, Notes(), found, FORMS).routine(Owner("case"))
    expr = None if found.has_errors else value_in(routine, text, expected)
    diagnostics.extend(found.sorted())
    return None if expr is None or found.has_errors else (expr, routine.locals.n_slots)


def case_block(program: core.Program, text: Embedded, diagnostics: Diagnostics) -> tuple[tuple[core.Stmt, ...], int]:
    """Check statements about a program.

    The result ends with the program's state checks. The choices get site numbers that the program does not use. Returns
    the statements and their number of slots, or ``((), 0)`` after a report.
    """
    found = Diagnostics()
    text, names = _with_copies(program, text, found)
    notes = Notes(sites=_sites(program))
    routine = Texts(names, notes, found, FORMS).routine(Owner("case"))
    body = () if found.has_errors else block_in(routine, text)
    if notes.temporary or notes.kept or any(isinstance(stmt, Split) for stmt in core.statements_in(body)):
        message = "what this remembers has to be declared in the ruleset"
        found.add(
            diagnostic_codes.NOT_RUN_HERE, message, text.whole, "put it into an effect of the ruleset, and run that"
        )
    diagnostics.extend(found.sorted())
    if found.has_errors:
        return (), 0
    checks = (effect for effect in program.effects.values() if _checks_state(effect))
    calls = (core.CallEffect(text.whole, effect.name, (), origin=effect.origin) for effect in checks)
    return (*body, *calls), routine.locals.n_slots


def _checks_state(effect: core.Effect) -> bool:
    """Return whether an effect runs all state checks (``whenever`` rules) of the program."""
    return effect.origin.maker == STATE_CHECKS and effect.origin.part == "all"


@lru_cache(maxsize=4)
def _sites(program: core.Program) -> int:
    """Return a number above the site numbers of all choices in a program."""
    asks = (stmt for stmt in _statements(program) if isinstance(stmt, core.Ask | core.AskMany))
    return max((ask.site + 1 for ask in asks), default=0)


def _statements(program: core.Program) -> Iterator[core.Stmt]:
    for phase in core.phases_in((program.setup, *program.phases)):
        yield from core.statements_in(phase.body)
    for effect in program.effects.values():
        for body in core.bodies_of(effect):
            yield from core.statements_in(body)


def _with_copies(program: core.Program, text: Embedded, report: Diagnostics) -> tuple[Embedded, Names]:
    """Replace copies of cards, such as ``baker-2``, by ordinary names.

    Returns the new text, and the names with these added.
    """
    names = _case_names(program)
    copies: dict[str, core.Const] = {}
    written = text.text
    for found in _COPY.finditer(text.text):
        copy = names.constants.get(found[0])
        if found[1] is None or found[1] not in names.constants:
            continue
        span = text.span(*found.span())
        if found[1] in names.symbols or found[1] in names.values:
            if copy is None:
                continue
            message = f"`{found[0]}` is a card here, though `{found[1]}` is something else, too"
            hint = f"write `{found[1]} - {found[2]}` with blanks if a difference is meant"
            report.add(diagnostic_codes.COPY_OR_DIFFERENCE, message, span, hint)
        if copy is None:
            message = f"there is no copy `{found[0]}` of this card"
            report.add(diagnostic_codes.UNKNOWN_NAME, message, span, copy_hint(program, found[0]))
            continue
        name = next((alias for alias, const in copies.items() if const is copy), None)
        if name is None:
            name = _alias(
                found[0], found[1], {*_WORD.findall(written), *names.constants, *names.symbols, *names.values}
            )
        copies[name] = copy
        written = written[: found.start()] + name + written[found.end() :]
    if not copies:
        return text, names
    return Embedded(text.source, written, text.offsets), replace(names, constants={**names.constants, **copies})


def copy_hint(program: core.Program, name: str) -> str | None:
    """Return a hint for a copy of a card that does not exist.

    Copies are numbered from 2 on. None if the name is no copy.
    """
    card, _, number = name.rpartition("-")
    copies = sum(1 for entity in program.entities if entity.card == card)
    if not copies or not is_whole(number):
        return None
    return f"the first is `{card}`, and there are {copies}" if copies > 1 else f"there is one `{card}`"


def _alias(copy: str, card: str, taken: Collection[str]) -> str:
    """Return an unused name with the same length as the name of a copy."""
    others = (card + letter * (len(copy) - len(card)) for letter in ascii_lowercase)
    return next(name for name in (copy.replace("-", "_"), *others) if name not in taken)


def case_picture(
    program: core.Program, board: str, text: Embedded, diagnostics: Diagnostics
) -> dict[str, dict[int, object]] | None:
    """Read a picture of a board: the values of each variable that it shows, by space number.

    A space is left out if its sign gives no value. Returns None after a report.
    """
    found = Diagnostics()
    said = read_picture(text, program.boards[board], program.pictures[board], found)
    diagnostics.extend(found.sorted())
    return None if found.has_errors else said


def parse_value(program: core.Program, type: Type, text: str) -> object:
    """Parse a text as a run-time value of ``type``.

    The text is a number, ``true``, ``P1``, ``none``, an enum value, a card, or an expression of constants. Raises
    ValueError with a message for the author.
    """
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
    """Return the value of a single word or number, or ``_NOT_PLAIN`` if it is none."""
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
    """Return the value of a constant expression. Raises ValueError if it is computed."""
    match expr:
        case core.Const(value=value):
            return value
        case core.ListLit(items=items):
            return tuple(_constant(item, type, text) for item in items)
    raise ValueError(f"`{text}` is computed; a plain value is needed here")


def _not_a(program: core.Program, type: Type, text: str) -> str:
    """Return a message that says why a text is no value of a type."""
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
    hint = (
        copy_hint(program, text)
        or did_you_mean(text, known)
        or (f"it can be {', '.join(known)}" if 0 < len(known) <= 12 else None)
    )
    message = f"`{text}` is not {_an(certain)}"
    return message if hint is None else f"{message}; {hint}"


def _an(type: Type) -> str:
    written = str(type)
    return f"{'an' if written[0] in 'AEIOU' else 'a'} {written}"


@lru_cache(maxsize=4)
def _case_names(program: core.Program) -> Names:
    """Return the names that texts about a program can use. Cached, since a ruleset may have hundreds of such texts."""
    names = names_of(program)
    for seat in range(program.max_players):
        names.constants[f"P{seat + 1}"] = core.Const(PLAYER, NOWHERE, seat)
    return names
