"""Calls of effects, as statements."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..effect.words import MISTAKEN_WORDS, SHAPES
from ..language.builtins import FUNCTIONS
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Span
from ..text.spelling import article
from .arguments import arguments, discard
from .call_graph import Owner
from .card_members import known_members, member_arguments
from .names import ActionSymbol, BrokenSymbol, EffectSymbol, QuerySymbol, Symbol, WindowSymbol
from .queries import owner_of
from .routine import Routine
from .subjects import card_before, is_faulty_before, player_before
from .values import expression


def do(r: Routine, node: nodes.Do) -> list[core.Stmt]:
    """An effect that is called."""
    return _effect_call(r, node.call)


def _effect_call(r: Routine, call: nodes.Call) -> list[core.Stmt]:
    """``effect(args)`` or ``p.effect(args)`` as a statement."""
    callee = call.callee
    owner: core.Expr | None = None
    if isinstance(callee, nodes.Member):
        name, name_span = callee.name, callee.name_span
        card = card_before(r, callee)
        if card is not None:
            return _card_effect(r, card, callee, call)
    elif isinstance(callee, nodes.Name):
        name, name_span = callee.name, callee.span
    else:
        r.error(codes.VALUE_AS_STATEMENT, "this does nothing: only effects can be called here", call.span)
        return []
    symbol = r.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol) or isinstance(symbol, WindowSymbol):
        discard(r, call.args)
        if isinstance(callee, nodes.Member) and is_faulty_before(r, callee):
            return []
        if symbol is None and (name in SHAPES or name in MISTAKEN_WORDS):
            _report_statement(r, name, callee, name_span)
        else:
            _no_effect(r, name, symbol, name_span)
        return []
    if isinstance(callee, nodes.Member):
        owner = player_before(r, callee)
    found = owner_of(r, symbol, owner, name_span)
    values = arguments(r, symbol, symbol.params, call.args, call.span)
    r.use(symbol, call.span)
    r.notes.graph.call(r.owner, Owner("effect", name), name_span)
    if values is None:
        return []
    return [core.CallEffect(call.span, name, (*found, *values))]


def _card_effect(r: Routine, card: core.Expr, callee: nodes.Member, call: nodes.Call) -> list[core.Stmt]:
    """``card.effect(args)``"""
    name = f"{card.type}.{callee.name}"
    symbol = r.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol):
        discard(r, call.args)
        if symbol is None and callee.name not in known_members(r, str(card.type)):
            expression(r, callee)  # which reports it
        elif isinstance(symbol, ActionSymbol):
            r.notes.used.add(name)
            message = f"`{callee.name}` is an action of the card, which a player takes; it can't be called"
            hint = f"write `use {callee.name} of card`, or `take action {callee.name} of cards`"
            r.error(codes.VALUE_AS_STATEMENT, message, callee.name_span, hint, [(symbol.span, "declared here")])
        elif not isinstance(symbol, BrokenSymbol):
            r.notes.used.add(name)
            what = "query" if isinstance(symbol, QuerySymbol) else "member"
            message = f"`{callee.name}` is a {what} of the card: as a statement it does nothing"
            r.error(codes.VALUE_AS_STATEMENT, message, callee.name_span, "call an effect of the card")
        return []
    values = member_arguments(r, symbol, card, call.args, call.span, callee.name_span)
    r.use(symbol, call.span)
    r.notes.graph.call(r.owner, Owner("effect", name), callee.name_span)
    return [] if values is None else [core.CallEffect(call.span, name, values)]


def _report_statement(r: Routine, word: str, callee: nodes.Expr, span: Span) -> None:
    """Reports a word that begins a statement and is written like the call of an effect."""
    shape = MISTAKEN_WORDS.get(word) or SHAPES[word]
    if word == "shuffle" and isinstance(callee, nodes.Member):
        subject = callee.subject.span
        shape = f"shuffle {subject.source.text[subject.start : subject.end]}"
    message = f"there is no effect `{word}`"
    r.error(codes.UNKNOWN_NAME, message, span, f"it is a statement: write `{shape}`", about=about_name(word))


def _no_effect(r: Routine, name: str, symbol: Symbol | None, span: Span) -> None:
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(name)
    elif isinstance(symbol, ActionSymbol):
        r.notes.used.add(name)
        r.error(
            codes.VALUE_AS_STATEMENT,
            f"`{name}` is an action, which a player takes; it can't be called",
            span,
            f"write `take action {name}`, or make an effect of it",
            [(symbol.span, "declared here")],
        )
    elif isinstance(symbol, WindowSymbol):
        r.notes.used.add(name)
        notes = [(symbol.span, "declared here")]
        message = f"`{name}` is a window, which is opened and not called"
        r.error(codes.VALUE_AS_STATEMENT, message, span, f"write `open {name}(…): …`", notes)
    elif symbol is not None or name in FUNCTIONS:
        what = symbol.what if symbol is not None else "function"
        r.notes.used.add(name)
        notes = [(symbol.span, "declared here")] if symbol is not None else []
        r.error(
            codes.VALUE_AS_STATEMENT,
            f"`{name}` is {article(what)}: as a statement it does nothing",
            span,
            f"keep the value with `let name = {name}…`, or call an effect",
            notes,
        )
    else:
        hint = did_you_mean(name, r.names.named(EffectSymbol)) or "declare it under `effects`"
        r.error(codes.UNKNOWN_NAME, f"there is no effect `{name}`", span, hint, about=about_name(name))
