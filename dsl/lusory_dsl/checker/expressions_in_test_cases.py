"""Check texts that are written about a compiled program, such as the expressions and pictures in case files."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase

from .. import core
from ..core.generated_part_origins import STATE_CHECKS
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import Diagnostics
from ..source.source import NOWHERE, EmbeddedText, prepend_article
from ..source.spelling_suggestions import suggest_name
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
    is_integer_text,
    strip_optional,
)
from .call_graph_and_size_limits import Owner
from .code_fields_templates_and_check_cache import TextChecker, check_block_text, check_value_text, describe
from .context import Notes
from .dispatch import FORMS
from .symbol_table import Names, TypeSymbol, VariableSymbol, collect_names

_SEAT = re.compile(r"P([1-9][0-9]{0,17})")
_COPY = re.compile(r'"[^"\n]*"|(?<![\w.-])([A-Za-z_]\w*)-([1-9][0-9]*)(?![\w-])', re.ASCII)
"""A quoted text, or a copy of a card such as ``baker-2``."""
_WORD = re.compile(r"\w+")


def check_case_expression(
    program: core.Program, text: EmbeddedText, diagnostics: Diagnostics, expected: Type | None = None
) -> tuple[core.Expr, int] | None:
    """Check an expression that a case file contains about a program, and return it with its number of slots.

    In it, players are named ``P1``, ``P2``, … and copies ``card-2``, ``card-3``, …; it has no ``me``. Returns None
    after reporting any error, such as a value that is not of the type ``expected``. Where an Int is needed, a read of
    an ``Int?`` variable or field is accepted, and gets the type Int; other types ``T?`` alike. Without ``expected``,
    any type is accepted. The findings are sorted before they are added to ``diagnostics``.
    """
    findings = Diagnostics()
    text, names = _replace_copies(program, text, findings)
    routine = TextChecker(names, Notes(), findings, FORMS).make_routine(Owner("case"))
    expr = None if findings.has_errors else check_value_text(routine, text, expected)
    diagnostics.extend(findings.list_sorted())
    return None if expr is None or findings.has_errors else (expr, routine.locals.n_slots)


def check_case_block(
    program: core.Program, text: EmbeddedText, diagnostics: Diagnostics
) -> tuple[tuple[core.Stmt, ...], int]:
    """Check statements about a program, which may name players ``P1`` and copies ``card-2``.

    Returns the statements, followed by a call of the effect that runs all state checks, if there is one, and the number
    of their slots. Without state checks, ``set day to 3`` gives ``((SetCell,), 0)``, and ``let x = 1`` gives ``((Let,),
    1)``. Choices get site numbers that the program does not use. Returns ``((), 0)`` after reporting an error; a text
    without statements is one. Statements that need a declaration of their own, such as a temporary change, a split or a
    change of a name from ``let``, are errors, too.
    """
    findings = Diagnostics()
    text, names = _replace_copies(program, text, findings)
    notes = Notes(site_count=_count_sites(program))
    routine = TextChecker(names, notes, findings, FORMS).make_routine(Owner("case", "run"))
    body = () if findings.has_errors else check_block_text(routine, text)
    if notes.temporary_changes or notes.hidden_variables:
        message = "a case can't run this statement, because it needs a declaration in the ruleset"
        hint = "put it into an effect of the ruleset, and run that effect"
        findings.add(codes.NOT_RUN_HERE, message, text.whole_span, hint)
    diagnostics.extend(findings.list_sorted())
    if findings.has_errors:
        return (), 0
    origins = {name: effect.origin for name, effect in program.effects.items()}
    checks = (name for name, origin in origins.items() if (origin.generator, origin.part) == (STATE_CHECKS, "all"))
    calls = (core.CallEffect(text.whole_span, name, (), origin=origins[name]) for name in checks)
    return (*body, *calls), routine.locals.n_slots


@lru_cache(maxsize=4)
def _count_sites(program: core.Program) -> int:
    """Return a number above the site numbers of all choices in a program."""
    bodies = core.iterate_bodies((program.setup, *program.phases), program.effects.values())
    statements = (stmt for body in bodies for stmt in core.walk_statements(body))
    return max((stmt.site + 1 for stmt in statements if isinstance(stmt, core.Ask | core.AskMany)), default=0)


def _replace_copies(program: core.Program, text: EmbeddedText, report: Diagnostics) -> tuple[EmbeddedText, Names]:
    """Replace copies of cards, such as ``baker-2``, by ordinary names of the same length.

    Returns the new text, and the names with these added. Reports copies that don't exist. Quoted texts stay.
    """
    names = _collect_case_names(program)
    copies: dict[str, core.Const] = {}
    source_text = text.text
    for match in _COPY.finditer(text.text):
        copy = names.constants.get(match[0])
        if match[1] is None or match[1] not in names.constants:
            continue
        if copy is None:
            if match[1] not in names.symbols and match[1] not in names.values:  # else it is a subtraction
                message, span = f"there is no copy `{match[0]}` of this card", text.make_span(*match.span())
                report.add(codes.UNKNOWN_NAME, message, span, suggest_copy(program, match[0]))
            continue
        name = next((alias for alias, const in copies.items() if const is copy), None)
        if name is None:
            card, n_added = match[1], len(match[0]) - len(match[1])
            candidates = (match[0].replace("-", "_"), *(card + letter * n_added for letter in ascii_lowercase))
            used_names = {*_WORD.findall(source_text), *names.constants, *names.symbols, *names.values}
            name = next(alias for alias in candidates if alias not in used_names)
        copies[name] = copy
        source_text = source_text[: match.start()] + name + source_text[match.end() :]
    if not copies:
        return text, names
    return EmbeddedText(text.base, source_text, text.offsets), replace(names, constants={**names.constants, **copies})


def suggest_copy(program: core.Program, name: str) -> str | None:
    """Return a hint for the name of a missing copy of a card.

    Example: ``imp-9`` gives “the first is `imp`, and there are 3”, or, if there is only one copy, “there is one `imp`”.
    Doesn't examine whether the copy exists. Returns None unless ``name`` is the id of a card, a hyphen and a number.
    """
    card, _, number = name.rpartition("-")
    n_copies = sum(1 for entity in program.entities if entity.card == card)
    if not n_copies or not is_integer_text(number):
        return None
    return f"the first is `{card}`, and there are {n_copies}" if n_copies > 1 else f"there is one `{card}`"


def parse_value(program: core.Program, type: Type, text: str) -> object:
    """Parse a text as a run-time value of ``type``: an int, a bool, a text, None, or a tuple of these.

    The text is a number of at most 18 digits, ``true``, ``P1``, ``none``, an enum value, a card or copy (``imp-2``), or
    a list of such values (``[1, 2]``). For Text it is a text literal, or any text that begins without a quote: ``"x"``
    and ``{x}`` are texts, but ``"{x}"`` is computed. Texts in a list need quotes. Players, enum values and cards become
    numbers from 0: ``P1`` gives 0. Each copy of a card has a number, and those of all kinds are counted together. After
    60 copies of ``copper``, ``silver`` gives 60 and ``silver-2`` gives 61, even if they begin another kind. Blanks
    around the text are ignored. Raises ValueError with a message for the author for a value of another type, and for an
    unknown name or seat. Anything computed, such as ``1 + 2``, raises it, too.
    """
    text_stripped = text.strip()
    plain_value = _parse_plain_value(program, type, text_stripped)
    if plain_value is not _NOT_PLAIN:
        return plain_value
    diagnostics = Diagnostics()
    embedded = EmbeddedText(NOWHERE.source, text_stripped, tuple(0 for _ in range(len(text_stripped) + 1)))
    result = check_case_expression(program, embedded, diagnostics, type)
    if result is None:
        raise ValueError(_describe_mismatch(program, type, text_stripped))
    return _evaluate_constant(result[0], type, text_stripped)


_NOT_PLAIN = object()


def _parse_plain_value(program: core.Program, type: Type, text: str) -> object:
    """Return the value of a single word or number of a type, or ``_NOT_PLAIN`` if the text has another form.

    Raises ValueError for a seat that the game doesn't have.
    """
    match type:
        case OptionalType() if text == "none":
            return None
        case OptionalType(item=item):
            return _parse_plain_value(program, item, text)
        case IntType() if is_integer_text(text):
            return int(text)
        case BoolType() if text in ("true", "false"):
            return text == "true"
        case TextType() if not text.startswith('"'):
            return text
        case PlayerType() if match := _SEAT.fullmatch(text):
            if int(match[1]) > program.max_players:
                raise ValueError(f"there is no player `{text}`: {program.name} has at most {program.max_players}")
            return int(match[1]) - 1
        case EnumType(name=enum):
            return _get_word_numbers(program).get((enum, text.removeprefix(f"{enum}.")), _NOT_PLAIN)
        case ComponentType(name=kind):
            return _get_word_numbers(program).get((kind, text), _NOT_PLAIN)
    return _NOT_PLAIN


@lru_cache(maxsize=2)
def _get_word_numbers(program: core.Program) -> dict[tuple[str, str | None], int]:
    """Return the numbers of enum values and components, by their type and name. Enum values also have plurals."""
    numbers: dict[tuple[str, str | None], int] = {}
    for enum in program.enums.values():
        for ordinal, value in enumerate(enum.values):
            numbers.setdefault((enum.name, value.name), ordinal)
            numbers.setdefault((enum.name, value.plural), ordinal)
    for entity in program.entities:
        numbers.setdefault((entity.kind, entity.name), entity.number)
    return numbers


def _evaluate_constant(expr: core.Expr, type: Type, text: str) -> object:
    """Return the value of a constant expression. Raises ValueError if it is computed."""
    match expr:
        case core.Const(value=value):
            return value
        case core.ListLit(items=items):
            return tuple(_evaluate_constant(item, type, text) for item in items)
    raise ValueError(f"`{text}` is computed; a plain value is needed here")


def _describe_mismatch(program: core.Program, type: Type, text: str) -> str:
    """Return a message that says why a text is no value of a type, with a suggestion if there is one."""
    inner_type = strip_optional(type)
    known_names: list[str] = []
    match inner_type:
        case EnumType(name=enum):
            known_names = [value.name for value in program.enums[enum].values]
        case ComponentType(name=kind):
            known_names = [entity.name for entity in program.entities if entity.kind == kind]
        case PlayerType():
            known_names = [f"P{n + 1}" for n in range(program.max_players)]
        case BoolType():
            known_names = ["true", "false"]
    if isinstance(type, OptionalType):
        known_names.append("none")
    hint = (
        suggest_copy(program, text)
        or suggest_name(text, known_names)
        or (f"it can be {', '.join(known_names)}" if 0 < len(known_names) <= 12 else None)
    )
    message = f"`{text}` is not {prepend_article(inner_type)}"
    return message if hint is None else f"{message}; {hint}"


@lru_cache(maxsize=4)
def _collect_case_names(program: core.Program) -> Names:
    """Return the names that texts about a program can use. Cached, since a ruleset may have hundreds of such texts."""
    names = collect_names(program)
    for seat in range(program.max_players):
        names.constants[f"P{seat + 1}"] = core.Const(PLAYER, NOWHERE, seat)
    return names


def describe_case_names(program: core.Program) -> tuple[object, dict[str, object]]:
    """Return a hashable value for all names of a program but its variables, and a dict of such values for these.

    The keys of the dict are the names of variables. With equal values, the checks of this module give equal results, so
    that they can be reused. A check depends on a variable of the dict only if the text that it checks names the
    variable. Variables that a picture of a board shows are not in the dict but in the first value.
    """
    names = _collect_case_names(program)
    shown_names = {name for picture in program.pictures.values() for name in picture.variables}
    symbols = {name: symbol for name, symbol in names.symbols.items() if type(symbol) is not TypeSymbol}
    variables = {name: symbols.pop(name) for name, symbol in names.symbols.items() if type(symbol) is VariableSymbol}
    types = {name: query.type for name, query in program.queries.items()}
    tables = (symbols, names.enums, program.component_fields, names.boards, program.pictures, types)
    shown_variables = [variables.pop(name, None) for name in sorted(shown_names)]
    description = describe((program.name, program.max_players, tables, shown_variables), False)
    entities = tuple([(entity.kind, entity.card, entity.name) for entity in program.entities])
    return (description, entities), {name: describe(symbol, False) for name, symbol in variables.items()}
