"""Bare names: locals, declared names, values of enums."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..effect import nodes
from ..language.builtins import FUNCTIONS
from ..language.types import PLAYER, EnumType, ListType, OptionalType, Type
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean, slips
from ..text.source import Span
from ..text.spelling import listed, snake_case
from .locals import LocalName
from .meant import name_meant
from .names import (
    BrokenSymbol,
    CallableSymbol,
    EnumValueSymbol,
    OptionSymbol,
    PlaceSymbol,
    QuerySymbol,
    Symbol,
    TypeSymbol,
)
from .places import bare_place
from .queries import effect_as_value, query_call
from .reference import Reference
from .routine import Routine, about_block, faulty
from .spaces import named_list

_PLAIN_VALUES = ("players", "me", "none", "true", "false", "empty")
"""Words of the language that stand where a name could."""


MOST_VALUES = 12
"""Of an enum with more values none is named in a hint."""


def identifier(r: Routine, node: nodes.Name, expected: Type | None) -> core.Expr | Reference:
    """What a bare name stands for: a local before a declared name, a declared name before a value."""
    name, span = node.name, node.span
    local = r.locals.find(name)
    if local is not None:
        local.used = True
        if local.hides is not None:
            _report_nested(r, local, local.hides, span)
        if local.place is not None:
            return Reference(local.place, span)
        return core.Local(r.local_type(local), span, local.slot, name)
    if name == "me":
        return r.actor(span, "`me` is the player who acts", "name a player")
    if name == "it":
        hint = "`it` is the item in `xs where …` and `xs with most …`, and the value so far in a `while` rule"
        return r.error(codes.NOBODY_ACTS, "`it` stands for nothing here", span, hint)
    if name == "this":
        hint = "`this` is the card in what a card or its kind says: its `queries`, `effects` and `actions`"
        return r.error(codes.NOBODY_ACTS, "`this` stands for nothing here", span, hint)
    if name in ("players", "Player"):
        return core.Players(ListType(PLAYER), span)
    symbol = r.names.symbols.get(name)
    if symbol is not None:
        return _symbol(r, symbol, node)
    values = r.names.values.get(name, [])
    constant = r.names.constants.get(name)
    if constant is not None and (not values or constant.type == _certain(expected)):
        return core.Const(constant.type, span, constant.value)
    if constant is not None and all(v.enum != _certain(expected) for v in values):
        return _ambiguous(r, constant, values, span)
    if values:
        return _enum_value(r, values, expected, span)
    return named_list(r, name, span) or _unknown(r, name, span, _certain(expected))


def _report_nested(r: Routine, inner: LocalName, outer: LocalName, span: Span) -> None:
    """Report an `it` in a condition that stands in another condition."""
    lists = [r.known.sources.get(local.slot) for local in (inner, outer)]
    first, second = ("another list" if source is None else f"`{_words(source.span)}`" for source in lists)
    message = f"`it` could be the item of {first} or of {second}"
    hint = f"name one: {first.rstrip('`')} as x where …`" if lists[0] is not None else "name one: `xs as x where …`"
    r.error(codes.AMBIGUOUS_IT, message, span, hint)


def _words(span: Span) -> str:
    """The author's words at a place, on one line; not too many."""
    words = " ".join(span.source.text[span.start : span.end].split())
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"


def _symbol(r: Routine, symbol: Symbol, node: nodes.Name) -> core.Expr | Reference:
    match symbol:
        case BrokenSymbol():
            r.notes.used.add(symbol.name)
            return faulty(node.span)
        case PlaceSymbol():
            return bare_place(r, symbol, node.span)
        case OptionSymbol(type=type):
            r.use(symbol, node.span)
            return core.OptionValue(type, node.span, symbol.name)
        case TypeSymbol(type=type, values=values):
            r.use(symbol, node.span)
            return core.Const(ListType(type), node.span, values)
        case QuerySymbol():
            return query_call(r, symbol, None, (), node.span, node.span)
    return effect_as_value(r, symbol, node.span)


def _enum_value(r: Routine, values: Sequence[EnumValueSymbol], expected: Type | None, span: Span) -> core.Expr:
    """A bare value; what is expected decides between enums."""
    chosen = next((v for v in values if v.enum == _certain(expected)), values[0] if len(values) == 1 else None)
    if chosen is None:
        choices = " or ".join(f"`{v.qualified}`" for v in values)
        return r.error(
            codes.AMBIGUOUS_VALUE,
            f"`{values[0].name}` is a value of {' and of '.join(f'`{v.enum}`' for v in values)}",
            span,
            f"write {choices}",
            [(v.span, f"in `{v.enum}`") for v in values],
        )
    r.notes.use_value(chosen)
    return core.Const(chosen.enum, span, chosen.ordinal)


def _ambiguous(r: Routine, card: core.Const, values: Sequence[EnumValueSymbol], span: Span) -> core.Expr:
    """A bare name of a card and of a value, where nothing that is expected decides between them."""
    name = values[0].name
    of_values = " and ".join(f"a value of `{v.enum}`" for v in values)
    hint = f"write `{card.type}.{name}` or {' or '.join(f'`{v.qualified}`' for v in values)}"
    notes = [(v.span, f"in `{v.enum}`") for v in values]
    return r.error(codes.AMBIGUOUS_NAME, f"`{name}` is a card and {of_values}", span, hint, notes)


def _unknown(r: Routine, name: str, span: Span, expected: Type | None) -> core.Expr:
    """Reports a name that nothing declares; silent where what was to declare it could not be read."""
    if r.locals.unread:
        return faulty(span)
    left, beside = r.locals.left.get(name), [local for local in r.locals.names() if slips(name, local) == 1]
    if left is not None and not beside:
        message, notes = f"unknown name `{name}`: it is known in the block above only", [(left.span, "named here")]
        inside = "if this belongs to the block, indent it"
        return r.error(codes.UNKNOWN_NAME, message, span, inside, notes, about=about_block(r))
    about = about_name(name)
    bare = (known for known in r.names.symbols if "." not in known and not _is_type_of(known, name))
    known = [*r.locals.names(), *bare, *r.names.values, *r.names.constants, *_PLAIN_VALUES]
    if name in FUNCTIONS:
        hint: str | None = f"`{FUNCTIONS[name].signature}` is a function: call it"
    else:
        hint = name_meant(name) or did_you_mean(name, beside or known)
    symbol = r.names.symbols.get(r.owner.name)
    if isinstance(symbol, CallableSymbol) and r.owner.section in ("query", "effect"):
        about = about if symbol.params else (*about, f"parameters of {symbol.name}")
        hint = hint or _values_of(r, expected) or f"what it is called with stands under `params` of `{symbol.name}`"
    hint = hint or _values_of(r, expected)
    return r.error(codes.UNKNOWN_NAME, f"unknown name `{name}`", span, hint, about=about)


def _values_of(r: Routine, type: Type | None) -> str | None:
    """The values of the enum that is expected, if they are not too many to read."""
    names = r.names.value_names(type) if isinstance(type, EnumType) else ()
    if not 0 < len(names) <= MOST_VALUES:
        return None
    return f"the values of `{type}` are {listed(names)}" if len(names) > 1 else f"`{type}` has only `{names[0]}`"


def _is_type_of(known: str, name: str) -> bool:
    """Whether a type is what a value of it could be called: `Card` for `card`. It is no way to spell that name."""
    return known[:1].isupper() and name in (snake_case(known), f"{snake_case(known)}s")


def _certain(type: Type | None) -> Type | None:
    """The type without its `?`."""
    return type.item if isinstance(type, OptionalType) else type
