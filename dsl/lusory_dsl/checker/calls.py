"""Calls as values: of queries, functions and members of cards."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.builtins import FUNCTIONS
from ..language.types import Type
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Span
from .card_members import card_query
from .functions import function_call
from .meant import chance_meant
from .names import ActionSymbol, BrokenSymbol, EffectSymbol, PlaceSymbol, QuerySymbol, Symbol, TypeSymbol
from .queries import effect_as_value, query_call
from .regions import REGIONS, region
from .routine import Routine, faulty, is_faulty
from .sorts import is_among, next_among
from .spaces import asked, board_of, distance, is_asked_here, space_at
from .subjects import card_before, is_faulty_before, player_before, value_before
from .values import expression


def call(r: Routine, node: nodes.Call, expected: Type | None) -> core.Expr:
    """``name(args)`` or ``p.name(args)`` as a value."""
    callee = node.callee
    if isinstance(callee, nodes.Member):
        return _member_call(r, node, callee, expected)
    if isinstance(callee, nodes.Name):
        symbol = None if r.locals.find(callee.name) else r.names.symbols.get(callee.name)
        if isinstance(symbol, QuerySymbol):
            return query_call(r, symbol, None, node.args, node.span, callee.span)
        if isinstance(symbol, TypeSymbol) and symbol.name in r.names.boards:
            r.use(symbol, callee.span)
            return space_at(r, r.names.boards[symbol.name], node)
        if callee.name == "distance" and r.names.boards and node.args:
            first = expression(r, node.args[0].value)
            if is_faulty(first) or board_of(r, first.type) is not None:
                return faulty(node.span) if is_faulty(first) else distance(r, node, first)
        if symbol is None and callee.name in REGIONS and r.names.boards:
            return region(r, callee.name, node)
        if symbol is None and callee.name in FUNCTIONS:
            return function_call(r, FUNCTIONS[callee.name], node, expected)
        return _not_a_value(r, callee.name, symbol, callee.span, node)
    return r.error(codes.WRONG_ARGUMENTS, "only queries and functions are called", node.span)


def _member_call(r: Routine, node: nodes.Call, callee: nodes.Member, expected: Type | None) -> core.Expr:
    """``p.name(args)`` or ``card.name(args)``"""
    card = card_before(r, callee)
    if card is not None:
        return card_query(r, card, callee, node.args, node.span)
    value = value_before(r, callee) if r.names.boards else None
    if value is not None and is_asked_here(r, value.type, callee.name):
        return asked(r, value, callee, node.args, node.span)
    symbol = r.names.symbols.get(callee.name)
    if isinstance(symbol, QuerySymbol):
        owner = player_before(r, callee)
        return query_call(r, symbol, owner, node.args, node.span, callee.name_span)
    if symbol is None and callee.name in FUNCTIONS and not node.args:
        return expression(r, callee, expected)
    if symbol is None and is_among(callee.name, node.args):
        return next_among(r, node, callee)
    if is_faulty_before(r, callee):
        return faulty(node.span)
    return _not_a_value(r, callee.name, symbol, callee.name_span, node)


def _not_a_value(r: Routine, name: str, symbol: Symbol | None, span: Span, call: nodes.Call) -> core.Expr:
    """Reports a call that yields no value."""
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(name)
        return faulty(span)
    if isinstance(symbol, EffectSymbol | ActionSymbol):
        return effect_as_value(r, symbol, span)
    if isinstance(symbol, PlaceSymbol):
        r.notes.used.add(symbol.name)
        written = call.span.source.text[call.span.start : span.end]
        inside = call.span.source.text[call.args[0].span.start : call.args[-1].span.end] if call.args else ""
        return r.error(
            codes.WRONG_ARGUMENTS,
            f"`{name}` is a {symbol.what} and can't be called",
            call.span,
            f"indices stand in brackets: `{written}[{inside}]`" if call.args else "leave the parentheses out",
            [(symbol.span, "declared here")],
        )
    known = [*r.names.named(QuerySymbol), *FUNCTIONS]
    if symbol is not None or r.locals.find(name):
        return r.error(codes.WRONG_ARGUMENTS, f"`{name}` is not a query or function and can't be called", span)
    hint = chance_meant(name) or did_you_mean(name, known)
    return r.error(codes.UNKNOWN_NAME, f"there is no query or function `{name}`", span, hint, about=about_name(name))
