"""Calls of queries, and effects where a query should stand."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..text import codes
from ..text.source import Span
from ..text.spelling import article
from .arguments import arguments
from .call_graph import Owner
from .names import CallableSymbol, EffectSymbol, QuerySymbol, Symbol
from .routine import Routine, about_player, faulty, is_faulty


def query_call(
    r: Routine,
    symbol: QuerySymbol,
    owner: core.Expr | None,
    args: tuple[nodes.Argument, ...],
    span: Span,
    name_span: Span,
) -> core.Expr:
    """The value of a query; ``owner`` is what stands before the dot."""
    found = owner_of(r, symbol, owner, name_span)
    values = arguments(r, symbol, symbol.params, args, span)
    r.use(symbol, span)
    r.notes.graph.call(r.owner, Owner("query", symbol.name), name_span)
    type = r.names.queries.type_of(symbol.name)
    if values is None or any(is_faulty(v) for v in found):
        return faulty(span)
    return core.CallQuery(type, span, symbol.name, (*found, *values))


def owner_of(r: Routine, symbol: CallableSymbol, owner: core.Expr | None, span: Span) -> tuple[core.Expr, ...]:
    """The first argument of something ``per: Player``: what stands before the dot, or `me`."""
    if symbol.per_player and owner is None:
        call = f"p.{symbol.name}" + ("(…)" if symbol.params or isinstance(symbol, EffectSymbol) else "")
        owner = r.actor(
            span,
            f"the {symbol.what} `{symbol.name}` is a player's",
            f"say whose: `{call}`",
        )
    if symbol.per_player:
        assert owner is not None
        return (owner,)
    if owner is not None and not is_faulty(owner):
        r.error(
            codes.UNKNOWN_MEMBER,
            f"the {symbol.what} `{symbol.name}` is not a player's",
            span,
            f"write `{symbol.name}` alone, or declare it with `per: Player`",
            [(symbol.span, "declared here")],
            about_player(symbol.name),
            follows=True,
        )
    return ()


def effect_as_value(r: Routine, symbol: Symbol, span: Span) -> core.Expr:
    """Reports an effect or action in the place of a value."""
    r.notes.used.add(symbol.name)
    return r.error(
        codes.EFFECT_AS_VALUE,
        f"`{symbol.name}` is {article(symbol.what)}: it does something and has no value",
        span,
        "call it as a statement" if isinstance(symbol, EffectSymbol) else f"write `take action {symbol.name}`",
        [(symbol.span, "declared here")],
    )
