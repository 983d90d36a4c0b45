"""What cards have: actions and keywords, printed or given by rules."""

from __future__ import annotations

from .. import core
from ..core.origin import Origin
from ..effect import nodes
from ..language.types import (
    BOOL,
    INT,
    NONE,
    BoolType,
    ComponentType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    Type,
)
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.records import replace
from ..text.source import Span
from ..text.spelling import article, listed
from .call_graph import Owner
from .names import KeywordSymbol, KindAction, QuerySymbol
from .routine import Routine, faulty, is_faulty
from .subjects import card_before
from .values import expect, expression, fit


def has(r: Routine, node: nodes.HasAction, expected: Type | None) -> core.Expr:
    """Whether a card has an action or keyword, or whether `me` can use an action of it now."""
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


def is_copy(r: Routine, node: nodes.IsCopy, expected: Type | None) -> core.Expr:
    """Whether a card is a copy of one that is named; nothing is none of any."""
    card, span = expression(r, node.card), node.span
    certain = card.type.item if isinstance(card.type, OptionalType) else card.type
    other = expect(r, nodes.Name(node.name_span, node.name), certain, "behind `is any`")
    if is_faulty(card) or is_faulty(other):
        return faulty(span)
    if not isinstance(certain, ComponentType):
        return r.error(codes.WRONG_TYPE, f"only cards have copies, this is {article(f'`{certain}`')}", node.card.span)
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
    """The action of a kind of card, or None after a report."""
    if isinstance(type, NothingType):
        return None
    if not isinstance(type, ComponentType):
        message = f"only cards have actions, this is {article(f'`{type}`')}"
        r.error(codes.WRONG_TYPE, message, span)
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
        r.error(codes.UNKNOWN_MEMBER, message, action_span, hint, notes, (f"member {type}.{action}",))
        return None
    if Owner("action", found.name) not in r.laid_in and r.owner != Owner("query", found.can):  # not in its own text
        r.notes.used.add(found.name)
    return found


def keyword_value(r: Routine, symbol: KeywordSymbol, card: core.Expr, span: Span, name_span: Span) -> core.Expr:
    """The value of a keyword of a card."""
    r.use(symbol, span)
    r.notes.graph.call(r.owner, Owner("query", symbol.name), name_span)
    return core.CallQuery(r.names.queries.type_of(symbol.name), span, symbol.name, (card,))


def _find_keyword(r: Routine, kind: str, name: str) -> KeywordSymbol | None:
    """A keyword of a kind; of one that is an effect or action, the query for whether a card has it."""
    for full in (f"{kind}.{name}", f"{kind}.has {name}"):
        symbol = r.names.symbols.get(full)
        if isinstance(symbol, KeywordSymbol):
            r.notes.used.add(f"{kind}.{name}")
            return symbol
    return None


def _keywords_of(r: Routine, kind: str) -> list[str]:
    """The keywords that cards of a kind can have."""
    names = (n.removeprefix(f"{kind}.") for n in r.names.named(KeywordSymbol) if n.startswith(f"{kind}."))
    return [name.removeprefix("has ") for name in names]


def printed_card(r: Routine, node: nodes.Expr) -> core.Expr | None:
    """The card before `.printed`; None where something else is written."""
    return card_before(r, node) if isinstance(node, nodes.Member) and node.name == "printed" else None


def printed_member(r: Routine, card: core.Expr, name: str, span: Span, name_span: Span, has: bool = False) -> core.Expr:
    """A field or keyword as it is printed on a card. ``has``: whether only that it is there is asked."""
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
    return r.error(codes.UNKNOWN_MEMBER, message, name_span, hint)


def is_not_blank(r: Routine, kind: ComponentType, card: core.Expr, span: Span, made: Origin) -> core.Expr | None:
    """That a card is not blank; None where its kind knows no such thing."""
    if kind.name not in r.names.blank_kinds:
        return None
    name = f"{kind}.blank"
    r.notes.graph.call(r.owner, Owner("query", name), span)
    r.names.queries.type_of(name)
    return core.Unary(BOOL, span, "not", core.CallQuery(BOOL, span, name, (card,)), origin=made)


def is_something(value: core.Expr) -> core.Expr:
    """Whether a keyword's value is one: not false, 0, empty or none."""
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
