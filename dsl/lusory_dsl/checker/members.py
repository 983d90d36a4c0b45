"""Check members (``subject.member``), and tests for keywords and actions of cards."""

from __future__ import annotations

from .. import core
from ..core.provenance import Origin
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.lazy_dataclass import replace
from ..source.source import Span, article, listed
from ..syntax import ast
from ..types.builtins import ENUM, KIND, LIST, MEMBERS, ZONE, members_of
from ..types.types import (
    BOOL,
    INT,
    NONE,
    PLAYER,
    TEXT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    optional,
)
from .assignable_places import place_member, read
from .board_members import asked, is_asked_here
from .calls import (
    SORTING,
    card_query,
    dimension_of,
    effect_as_value,
    filled,
    known_members,
    query_call,
    sorts,
    zones_of,
)
from .coercions import about_list, expect, expression, fit, list_as_one, where_it_lies
from .context import Routine, faulty, is_faulty
from .limits import Owner
from .names import card_before, fit_subject, subject
from .symbols import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    KeywordSymbol,
    KindAction,
    PlaceSymbol,
    QuerySymbol,
    Reference,
    Symbol,
    TypeSymbol,
    ZoneSymbol,
    member_meant,
)


def has(r: Routine, node: ast.HasAction, expected: Type | None) -> core.Expr:
    """Check ``card has x`` (an action or keyword), or ``card can x`` (whether ``me`` can use the action now)."""
    printed = None if node.now else printed_card(r, node.card)
    if printed is not None:
        return is_something(printed_member(r, printed, node.action, node.span, node.action_span, has=True))
    card = expression(r, node.card)
    if isinstance(card.type, OptionalType):
        card = fit(r, card, card.type.item, f"before `{'can' if node.now else 'has'}`")
    keyword = None if node.now else _find_keyword(r, str(card.type), node.action)
    if keyword is not None:
        return is_something(keyword_value(r, keyword, card, node.span, node.action_span))
    ability = kind_action(r, card.type, node.action, node.action_span, node.card.span)
    if ability is None or is_faulty(card):
        return faulty(node.span)
    if node.now:
        symbol = r.names.symbols[ability.can]
        assert isinstance(symbol, QuerySymbol)
        why = f"`can` asks whether a player can use `{node.action}`"
        me = r.actor(node.span, why, "put it inside of `each player:` or `by p:`")
        r.notes.graph.call(r.owner, Owner("query", symbol.name), node.action_span)
        r.names.queries.type_of(symbol.name)
        return core.CallQuery(BOOL, node.span, symbol.name, (me, card))
    having = core.Const(ListType(card.type), node.span, tuple(original for original, _ in ability.cards))
    original = core.Field(card.type, node.span, card, "original")
    return core.Binary(BOOL, node.span, "in", original, having)


def is_copy(r: Routine, node: ast.IsCopy, expected: Type | None) -> core.Expr:
    """Check ``card is any name``: whether a card is a copy of a named card. It is false for ``none``."""
    card, span = expression(r, node.card), node.span
    certain = card.type.item if isinstance(card.type, OptionalType) else card.type
    other = expect(r, ast.Name(node.name_span, node.name), certain, "behind `is any`")
    if is_faulty(card) or is_faulty(other):
        return faulty(span)
    if not isinstance(certain, ComponentType):
        return r.error(
            diagnostic_codes.WRONG_TYPE, f"only cards have copies, this is {article(f'`{certain}`')}", node.card.span
        )
    subject, slot = card, r.locals.slot()
    if isinstance(card.type, OptionalType):
        subject = core.Local(certain, card.span, slot, "it")
    originals = (core.Field(certain, one.span, one, "original") for one in (subject, other))
    found: core.Expr = core.Binary(BOOL, span, "!=" if node.negated else "=", *originals)
    if subject is card:
        return found
    there = core.Binary(
        BOOL, span, "=" if node.negated else "!=", replace(subject, type=card.type), core.Const(NONE, span, None)
    )
    both = core.Binary(BOOL, span, "or" if node.negated else "and", there, found)
    return core.Named(BOOL, span, slot, "it", card, both)


def kind_action(r: Routine, type: Type, action: str, action_span: Span, span: Span) -> KindAction | None:
    """Return an action of a component kind, or None after a report."""
    if isinstance(type, NothingType):
        return None
    if not isinstance(type, ComponentType):
        message = f"only cards have actions, this is {article(f'`{type}`')}"
        r.error(diagnostic_codes.WRONG_TYPE, message, span)
        return None
    found = r.names.kind_actions.get(f"{type}.{action}")
    if found is None:
        kind = r.names.kinds[type.name]
        known = [a.decl.name.text for a in r.names.kind_actions.values() if a.kind == type.name]
        keywords = _keywords_of(r, type.name)
        hint: str | None = f"`{action}` is a keyword: ask `card has {action}`"
        if action not in keywords:
            hint = did_you_mean(action, [*known, *keywords]) or (
                f"it has {listed(known)}" if known else f"declare it under `components.{type}.actions`"
            )
        notes = [(kind.span, "declared here")]
        message = f"{article(f'`{type}`')} has no action `{action}`"
        r.error(diagnostic_codes.UNKNOWN_MEMBER, message, action_span, hint, notes, (f"member {type}.{action}",))
        return None
    # Uses in the action's own text don't count.
    if Owner("action", found.name) not in r.laid_in and r.owner != Owner("query", found.can):
        r.notes.used.add(found.name)
    return found


def keyword_value(r: Routine, symbol: KeywordSymbol, card: core.Expr, span: Span, name_span: Span) -> core.Expr:
    """Return a call of a keyword's query for a card."""
    r.use(symbol, span)
    r.notes.graph.call(r.owner, Owner("query", symbol.name), name_span)
    return core.CallQuery(r.names.queries.type_of(symbol.name), span, symbol.name, (card,))


def _find_keyword(r: Routine, kind: str, name: str) -> KeywordSymbol | None:
    """Return the keyword of a kind. For an effect or action, return the symbol that says whether a card has it."""
    for full in (f"{kind}.{name}", f"{kind}.has {name}"):
        symbol = r.names.symbols.get(full)
        if isinstance(symbol, KeywordSymbol):
            r.notes.used.add(f"{kind}.{name}")
            return symbol
    return None


def _keywords_of(r: Routine, kind: str) -> list[str]:
    """Return the names of the keywords that cards of a kind can have."""
    names = (n.removeprefix(f"{kind}.") for n in r.names.named(KeywordSymbol) if n.startswith(f"{kind}."))
    return [name.removeprefix("has ") for name in names]


def printed_card(r: Routine, node: ast.Expr) -> core.Expr | None:
    """Return the card before ``.printed``. None if the node has another form."""
    return card_before(r, node) if isinstance(node, ast.Member) and node.name == "printed" else None


def printed_member(r: Routine, card: core.Expr, name: str, span: Span, name_span: Span, has: bool = False) -> core.Expr:
    """Return a field or keyword as printed on a card. With ``has``, look up only whether a keyword is printed there."""
    kind = str(card.type)
    fields = r.names.kinds[kind].fields
    symbol = _find_keyword(r, kind, name) if has else r.names.symbols.get(f"{kind}.{name}")
    if isinstance(symbol, KeywordSymbol):
        r.use(symbol, span)
        return core.Field(symbol.type, span, card, name)
    if name in fields:
        return core.Field(fields[name], span, card, name)
    known = [*fields, *_keywords_of(r, kind)]
    hint = did_you_mean(name, known) or (f"printed are {listed(known)}" if known else None)
    message = f"no `{name}` is printed on {article(f'`{kind}`')}"
    return r.error(diagnostic_codes.UNKNOWN_MEMBER, message, name_span, hint)


def is_not_blank(r: Routine, kind: ComponentType, card: core.Expr, span: Span, made: Origin) -> core.Expr | None:
    """Return the condition that a card is not blank. None if cards of its kind can't be blank."""
    if kind.name not in r.names.blank_kinds:
        return None
    name = f"{kind}.blank"
    r.notes.graph.call(r.owner, Owner("query", name), span)
    r.names.queries.type_of(name)
    return core.Unary(BOOL, span, "not", core.CallQuery(BOOL, span, name, (card,)), origin=made)


def is_something(value: core.Expr) -> core.Expr:
    """Return the condition that a keyword's value is not false, 0, empty or ``none``."""
    span = value.span
    match value.type:
        case BoolType():
            return value
        case IntType():
            return core.Binary(BOOL, span, "!=", value, core.Const(INT, span, 0))
        case ListType():
            size = core.CallBuiltin(INT, span, "count", (value,))
            return core.Binary(BOOL, span, "!=", size, core.Const(INT, span, 0))
    return core.Binary(BOOL, span, "!=", value, core.Const(NONE, span, None))


MOST_LISTED = 12
"""Maximum number of known members that a hint lists after an unknown one."""


def member(r: Routine, node: ast.Member, expected: Type | None) -> core.Expr | Reference:
    """Check ``subject.member``: an enum value, a printed field, a part of a place, or a member of a value."""
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
            return r.error(diagnostic_codes.UNKNOWN_MEMBER, message, node.name_span, hint, about=about_name(node.name))
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


def _is_kind(r: Routine, node: ast.Expr) -> bool:
    """Return whether a node names a component kind."""
    symbol = r.names.symbols.get(node.name) if isinstance(node, ast.Name) else None
    return isinstance(symbol, TypeSymbol) and isinstance(symbol.type, ComponentType)


def _zone_member(name: str) -> str:
    """Return the class of core node that a zone's member becomes. Empty if there is no such member."""
    return MEMBERS[name].core if name in members_of(ZONE) else ""


def _card_named(r: Routine, node: ast.Member) -> core.Expr | None:
    """Return a card that is named with its kind, such as ``Card.gold``. None if the node has another form."""
    if not isinstance(node.subject, ast.Name) or node.subject.name not in r.names.kinds or node.name in MEMBERS:
        return None
    card = r.names.constants.get(node.name)
    if card is None or card.type != ComponentType(node.subject.name) or r.locals.find(node.subject.name) is not None:
        return None
    r.notes.used.add(node.subject.name)
    return core.Const(card.type, node.span, card.value)


def _enum_named(r: Routine, node: ast.Expr) -> EnumType | None:
    if isinstance(node, ast.Name) and r.locals.find(node.name) is None:
        symbol = r.names.symbols.get(node.name)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, EnumType):
            return symbol.type
        if node.name in r.names.enums:
            return EnumType(node.name)
    return None


def _value_member(r: Routine, subject: core.Expr, node: ast.Member) -> core.Expr | Reference:
    """Check a member of a value, according to the value's type."""
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
            return r.error(diagnostic_codes.WRONG_TYPE, message, node.name_span, hint)
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


def _no_member(r: Routine, subject: core.Expr, node: ast.Member, symbol: Symbol | None) -> core.Expr:
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
    return r.error(diagnostic_codes.UNKNOWN_MEMBER, message, node.name_span, hint, notes, about)


def _item_has(r: Routine, item: Type, name: str, symbol: Symbol | None) -> bool:
    """Return whether the items of a list have a member, for a hint when the list itself has not."""
    if isinstance(item, ComponentType):
        return name in known_members(r, item.name)
    return isinstance(item, PlayerType) and isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.of_player


def _said_of_values(r: Routine, type: EnumType, node: ast.Member) -> str:
    """Return a hint about the members of an enum value."""
    if node.name == "label":
        return 'a text says the label of what stands in braces: `"{…}"`'
    if r.names.enums[type.name].has_shorts:
        return "it has `short`"
    if node.name in members_of(ENUM):
        return f"no value of `{type}` is declared with a `short`: `{{label: …, short: …}}`"
    return f"what belongs to each `{type}` is a table: `tables: {{{node.name}: {{per: [{type}], …}}}}`"


def _said_of_players(type: Type, name: str) -> str | None:
    return member_meant("Player", name) if isinstance(type, PlayerType) else None


def _counters(r: Routine, node: ast.Member, type: Type) -> str | None:
    """Return a hint that names the pool of a player's counters, if ``node`` asks a player for a kind of counter.

    Otherwise None.
    """
    if not isinstance(type, PlayerType):
        return None
    owner = node.subject.span.source.text[node.subject.span.start : node.subject.span.end]
    lies = (where_it_lies(r, value.enum, value.ordinal, f"{owner}.") for value in r.names.values.get(node.name, ()))
    return next((hint for hint in lies if hint is not None), None)


def _listed_members(known: list[str]) -> str | None:
    """Return a hint that lists the known members, shortened if there are many. None if there are none."""
    if not known:
        return None
    if len(known) <= MOST_LISTED:
        return f"it has {', '.join(f'`{k}`' for k in known)}"
    return f"it has {', '.join(f'`{k}`' for k in known[:MOST_LISTED])} and {len(known) - MOST_LISTED:,} more"
