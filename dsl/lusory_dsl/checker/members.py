"""What stands behind a dot."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.builtins import MEMBERS, members_of
from ..language.rows import ENUM, KIND, LIST, ZONE
from ..language.types import (
    PLAYER,
    TEXT,
    ComponentType,
    EnumType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    optional,
)
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Span
from ..text.spelling import article
from .card_members import card_query, dimension_of, known_members, zones_of
from .functions import filled
from .meant import member_meant
from .names import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    PlaceSymbol,
    QuerySymbol,
    Symbol,
    TypeSymbol,
    ZoneSymbol,
)
from .places import place_member, read
from .queries import effect_as_value, query_call
from .reference import Reference
from .routine import Routine, faulty, is_faulty
from .sorts import SORTING, sorts
from .spaces import asked, is_asked_here
from .subjects import fit_subject, subject
from .traits import printed_card, printed_member
from .values import about_list, list_as_one, where_it_lies

MOST_LISTED = 12
"""So many members are named where one is not known."""


def member(r: Routine, node: nodes.Member, expected: Type | None) -> core.Expr | Reference:
    """A value of an enum, what is printed on a card, a part of a place, or something about a value."""
    enum = _enum_named(r, node.subject)
    if enum is not None:
        value = r.names.value_of(enum, node.name)
        if value is not None:
            r.notes.use_value(value)
            return core.Const(enum, node.span, value.ordinal)
        if node.name not in MEMBERS:
            names = r.names.value_names(enum)
            hint = did_you_mean(node.name, names) or f"its values are {', '.join(f'`{n}`' for n in names)}"
            message = f"the enum `{enum}` has no value `{node.name}`"
            return r.error(codes.UNKNOWN_MEMBER, message, node.name_span, hint, about=about_name(node.name))
    card = _card_named(r, node)
    if card is not None:
        return card
    printed = printed_card(r, node.subject)
    if printed is not None:
        return printed_member(r, printed, node.name, node.span, node.name_span)
    found = subject(r, node)
    if node.name in members_of(KIND) and _is_kind(r, node.subject) and not isinstance(found, Reference):
        return sorts(r, found, node.span)
    if isinstance(found, Reference):
        if (
            isinstance(found.symbol, ZoneSymbol)
            and not found.missing
            and (made := SORTING.get(_zone_member(node.name)))
        ):
            return made(r, read(r, found), node.span)
        part = place_member(r, found, node)
        if part is not None:
            return part
        found = read(r, found)
    if is_faulty(found):
        return faulty(node.span)
    if is_asked_here(r, found.type, node.name):
        return asked(r, found, node, (), node.span)
    if isinstance(found.type, OptionalType):
        found = fit_subject(r, found, found.type.item, node)
    return _value_member(r, found, node)


def _is_kind(r: Routine, node: nodes.Expr) -> bool:
    """Whether a component kind is named."""
    symbol = r.names.symbols.get(node.name) if isinstance(node, nodes.Name) else None
    return isinstance(symbol, TypeSymbol) and isinstance(symbol.type, ComponentType)


def _zone_member(name: str) -> str:
    """The class of nodes that a member of zones becomes."""
    return MEMBERS[name].core if name in members_of(ZONE) else ""


def _card_named(r: Routine, node: nodes.Member) -> core.Expr | None:
    """A card that is named through its kind: `Card.gold`."""
    if not isinstance(node.subject, nodes.Name) or node.subject.name not in r.names.kinds or node.name in MEMBERS:
        return None
    card = r.names.constants.get(node.name)
    if card is None or card.type != ComponentType(node.subject.name) or r.locals.find(node.subject.name) is not None:
        return None
    r.notes.used.add(node.subject.name)
    return core.Const(card.type, node.span, card.value)


def _enum_named(r: Routine, node: nodes.Expr) -> EnumType | None:
    if isinstance(node, nodes.Name) and r.locals.find(node.name) is None:
        symbol = r.names.symbols.get(node.name)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, EnumType):
            return symbol.type
        if node.name in r.names.enums:
            return EnumType(node.name)
    return None


def _value_member(r: Routine, subject: core.Expr, node: nodes.Member) -> core.Expr | Reference:
    """A member of a value: by its type."""
    name, span = node.name, node.span
    symbol = r.names.symbols.get(name)
    if isinstance(symbol, BrokenSymbol) and isinstance(subject.type, PlayerType):
        r.notes.used.add(symbol.name)
        return faulty(span)
    match subject.type:
        case NothingType():
            return faulty(span)
        case ComponentType(name=kind) if name in r.names.kinds[kind].fields:
            r.notes.used_fields.add((kind, name))
            return core.Field(r.names.kinds[kind].fields[name], span, subject, name)
        case ComponentType() if name in ("original", "copies"):
            return core.Field(subject.type if name == "original" else ListType(subject.type), span, subject, name)
        case ComponentType() if name == "printed":
            hint = "behind it stands a field, a keyword, or `has` and a keyword: `card.printed has keyword`"
            message = "`printed` alone is no value"
            return r.error(codes.WRONG_TYPE, message, node.name_span, hint)
        case ComponentType(name=kind) if f"{kind}.{name}" in r.names.symbols:
            return card_query(r, subject, node, (), span)
        case ComponentType() as kind if (dimension := dimension_of(r, kind, name)) is not None:
            for zone in zones_of(r, kind):
                r.use(zone, span)
            return core.IndexOfPlace(optional(dimension), span, subject)
        case EnumType(name=enum) if name in members_of(ENUM) and r.names.enums[enum].has_shorts:
            return core.TableRead(TEXT, span, r.names.enums[enum].shorts.name, (subject,))
        case PlayerType() if isinstance(symbol, PlaceSymbol) and symbol.of_player:
            return Reference(symbol, span, [subject])
        case PlayerType() if isinstance(symbol, QuerySymbol):
            return query_call(r, symbol, subject, (), span, node.name_span)
        case PlayerType() if isinstance(symbol, EffectSymbol | ActionSymbol):
            return effect_as_value(r, symbol, node.name_span)
    row = MEMBERS.get(name)
    if row is not None and row.kind == "function":
        param = row.params[0].type
        if isinstance(subject.type, PlayerType) and param == PLAYER:
            assert row.type is not None
            return core.CallBuiltin(row.type, span, name, (subject,))
        if isinstance(subject.type, ListType) and isinstance(param, ListType):
            assert row.type is not None
            return core.CallBuiltin(filled(row.type, subject.type.item), span, name, (subject,))
    return _no_member(r, subject, node, symbol)


def _no_member(r: Routine, subject: core.Expr, node: nodes.Member, symbol: Symbol | None) -> core.Expr:
    type, name = subject.type, node.name
    notes: list[tuple[Span, str]] = []
    known: list[str] = []
    if isinstance(type, PlayerType):
        known = members_of(PLAYER)
        known += [s.name for s in r.names.symbols.values() if getattr(s, "of_player", False)]
    elif isinstance(type, ComponentType):
        known = known_members(r, type.name)
        notes = [(r.names.kinds[type.name].span, "declared here")]
    elif isinstance(type, ListType):
        known = [*members_of(LIST), *(members_of(ZONE) if isinstance(subject, core.ReadZone) else ())]
    if isinstance(type, ListType) and name in members_of(ZONE):
        hint: str | None = f"only a zone has a {name}: write `{'first' if name == 'top' else 'last'}`"
    elif isinstance(type, EnumType):
        hint = _said_of_values(r, type, node)
    elif isinstance(symbol, PlaceSymbol | CallableSymbol) and isinstance(type, PlayerType):
        r.notes.used.add(symbol.name)
        per = "per: [Player]" if isinstance(symbol, PlaceSymbol) else "per: Player"
        hint = f"the {symbol.what} `{name}` is not a player's: write `{name}` alone, or declare it with `{per}`"
        notes = [(symbol.span, "declared here")]
    elif isinstance(type, ListType) and _item_has(r, type.item, name, symbol):
        if symbol is not None:
            r.notes.used.add(symbol.name)
        hint = list_as_one(subject)
    elif isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.of_player:
        r.notes.used.add(symbol.name)
        hint = f"the {symbol.what} `{name}` is a player's: before the dot stands a player"
        notes = [(symbol.span, "declared here")]
    else:
        hint = (
            _said_of_players(type, name)
            or _counters(r, node, type)
            or did_you_mean(name, known)
            or _listed_members(known)
        )
    message = f"{article(f'`{type}`')} has no member `{name}`"
    about = (*about_name(name), f"member {type}.{name}", *about_list(r, subject))
    return r.error(codes.UNKNOWN_MEMBER, message, node.name_span, hint, notes, about)


def _item_has(r: Routine, item: Type, name: str, symbol: Symbol | None) -> bool:
    """Whether an item of a list has a member that the list has not."""
    if isinstance(item, ComponentType):
        return name in known_members(r, item.name)
    return isinstance(item, PlayerType) and isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.of_player


def _said_of_values(r: Routine, type: EnumType, node: nodes.Member) -> str:
    """What there is behind the dot after a value of an enum: its short, where one is declared."""
    if node.name == "label":
        return 'a text says the label of what stands in braces: `"{…}"`'
    if r.names.enums[type.name].has_shorts:
        return "it has `short`"
    if node.name in members_of(ENUM):
        return f"no value of `{type}` is declared with a `short`: `{{label: …, short: …}}`"
    return f"what belongs to each `{type}` is a table: `tables: {{{node.name}: {{per: [{type}], …}}}}`"


def _said_of_players(type: Type, name: str) -> str | None:
    return member_meant("Player", name) if isinstance(type, PlayerType) else None


def _counters(r: Routine, node: nodes.Member, type: Type) -> str | None:
    """Where the counters lie that are asked of a player; None of other names."""
    if not isinstance(type, PlayerType):
        return None
    owner = node.subject.span.source.text[node.subject.span.start : node.subject.span.end]
    lies = (where_it_lies(r, value.enum, value.ordinal, f"{owner}.") for value in r.names.values.get(node.name, ()))
    return next((hint for hint in lies if hint is not None), None)


def _listed_members(known: list[str]) -> str | None:
    """What there is, if it is not too much to read."""
    if not known:
        return None
    if len(known) <= MOST_LISTED:
        return f"it has {', '.join(f'`{k}`' for k in known)}"
    return f"it has {', '.join(f'`{k}`' for k in known[:MOST_LISTED])} and {len(known) - MOST_LISTED:,} more"
