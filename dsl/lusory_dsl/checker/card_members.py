"""What stands behind the dot after a card: queries of its kind, and the index of the zone in which it lies."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import ComponentType, IntType, PlayerType, Type
from ..text import codes
from ..text.source import Span
from ..text.spelling import snake_case
from .arguments import arguments, discard
from .call_graph import Owner
from .names import ActionSymbol, BrokenSymbol, CallableSymbol, EffectSymbol, QuerySymbol, ZoneSymbol
from .queries import effect_as_value
from .routine import Routine, faulty, is_faulty
from .values import expression


def card_query(
    r: Routine, card: core.Expr, node: nodes.Member, args: tuple[nodes.Argument, ...], span: Span
) -> core.Expr:
    """A query of the card's kind."""
    symbol = r.names.symbols.get(f"{card.type}.{node.name}")
    if isinstance(symbol, QuerySymbol):
        values = member_arguments(r, symbol, card, args, span, node.name_span)
        r.use(symbol, span)
        r.notes.graph.call(r.owner, Owner("query", symbol.name), node.name_span)
        type = r.names.queries.type_of(symbol.name)
        return faulty(span) if values is None else core.CallQuery(type, span, symbol.name, values)
    discard(r, args)
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(symbol.name)
        return faulty(span)
    if isinstance(symbol, EffectSymbol):
        return effect_as_value(r, symbol, node.name_span)
    if isinstance(symbol, ActionSymbol):
        r.notes.used.add(symbol.name)
        return r.error(
            codes.EFFECT_AS_VALUE,
            f"`{node.name}` is an action of the card: it does something and has no value",
            node.name_span,
            f"ask `card can {node.name}`, or write `use {node.name} of card`",
            [(symbol.span, "declared here")],
        )
    if node.name in known_members(r, str(card.type)):
        message = f"`{node.name}` takes no arguments"
        return r.error(codes.WRONG_ARGUMENTS, message, node.name_span, "leave the parentheses out")
    return expression(r, node)  # which reports it


def member_arguments(
    r: Routine, symbol: CallableSymbol, card: core.Expr, args: tuple[nodes.Argument, ...], span: Span, name_span: Span
) -> tuple[core.Expr, ...] | None:
    """`me` where it is a player's, the card, and the arguments."""
    me: tuple[core.Expr, ...] = ()
    if symbol.per_player:
        why = f"the {symbol.what} `{symbol.name}` is a player's"
        me = (r.actor(name_span, why, "put it inside of `each player:` or `by p:`"),)
    values = arguments(r, symbol, symbol.params[1:], args, span)
    return None if values is None or any(map(is_faulty, (*me, card))) else (*me, card, *values)


def known_members(r: Routine, kind: str) -> list[str]:
    """What can stand behind the dot after a card."""
    own = [name.removeprefix(f"{kind}.") for name in r.names.symbols if name.startswith(f"{kind}.")]
    known = [*r.names.kinds[kind].fields, *(n for n in own if " " not in n), "original", "copies", "printed"]
    of_place = [_index_name(dim.type) for zone in zones_of(r, ComponentType(kind)) for dim in zone.dims]
    return list(dict.fromkeys([*known, *of_place]))


def zones_of(r: Routine, kind: ComponentType) -> list[ZoneSymbol]:
    """The zones that hold a kind of component."""
    return [s for s in r.names.symbols.values() if isinstance(s, ZoneSymbol) and s.holds == kind]


def dimension_of(r: Routine, kind: ComponentType, name: str) -> Type | None:
    """What a member means that names an index of the zone in which a card lies: `holder`, or a type in small
    letters."""
    dims = (dim.type for zone in zones_of(r, kind) for dim in zone.dims)
    return next((type for type in dims if _index_name(type) == name), None)


def _index_name(type: Type) -> str:
    """The name of an index of a place: that of its type, or `holder`."""
    if isinstance(type, IntType):
        return ""
    return "holder" if isinstance(type, PlayerType) else snake_case(str(type))
