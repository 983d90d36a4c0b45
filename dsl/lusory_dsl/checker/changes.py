"""Changes of places: `set`, `increase`, `decrease`, `begin`."""

from __future__ import annotations

from .. import core
from ..core.kept import HOLDS, kept_name
from ..effect import nodes
from ..language.types import BOOL, INT
from ..text import codes
from ..text.spelling import article
from .call_graph import Owner
from .names import SpanSymbol, TableSymbol, ZoneSymbol
from .places import read, written_place
from .routine import Routine, is_faulty
from .temporary import changed_for_a_time
from .values import expect, fit


def set_to(r: Routine, node: nodes.SetTo) -> list[core.Stmt]:
    """A variable or one count of a pool, set or changed by a number; a query, where it says until when."""
    if node.until is not None:
        return changed_for_a_time(r, node, node.until)
    verb = {"set": "set", "add": "increased", "sub": "decreased"}[node.op]
    place = written_place(r, node.place, verb)
    if place is None:
        r.operand(node.value)
        return []
    symbol = place.symbol
    if isinstance(symbol, SpanSymbol):
        r.notes.used.add(symbol.name)
        message = f"the span `{symbol.name}` can't be {verb}: it falls by itself when its condition fails"
        hint = f"write `begin {symbol.name}` where it starts"
        r.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    if isinstance(symbol, TableSymbol | ZoneSymbol):
        r.notes.used.add(symbol.name)
        hint = "declare it under `variables`" if isinstance(symbol, TableSymbol) else "use `move` and `shuffle`"
        what = "a table, which never changes" if isinstance(symbol, TableSymbol) else "a zone of components"
        message = f"`{symbol.name}` can't be {verb}: it is {what}"
        r.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    if place.is_pool:
        r.notes.used.add(symbol.name)
        r.error(
            codes.NOT_A_PLACE,
            f"the pool `{symbol.name}` can't be {verb} as a whole",
            node.place.span,
            f"use `move`, or one kind: `{symbol.name}[kind]`",
            [(symbol.span, "declared here")],
        )
        return []
    r.notes.written.add(symbol.name)
    target = read(r, place, reads=False)
    expected = INT if node.op != "set" else getattr(symbol, "type", INT)
    if node.op != "set" and not is_faulty(target):
        fit(r, target, INT, f"to be {verb}")
    value = expect(r, node.value, expected, "to set it to" if node.op == "set" else "after `by`")
    if is_faulty(target):
        return []
    return [core.SetCell(node.span, symbol.name, tuple(place.indices), node.op, value)]


def begin(r: Routine, node: nodes.Begin) -> list[core.Stmt]:
    """A span starts, if its condition holds."""
    place = written_place(r, node.place, "begun")
    if place is None:
        return []
    symbol, span = place.symbol, node.span
    if not isinstance(symbol, SpanSymbol):
        r.notes.used.add(symbol.name)
        message = f"only spans are begun; `{symbol.name}` is {article(symbol.what)}"
        hint = "declare it under `spans`"
        r.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    target = read(r, place, reads=False)
    r.notes.begun.add(symbol.name)
    r.notes.graph.call(r.owner, Owner("span", symbol.name), span)
    if is_faulty(target):
        return []
    indices = tuple(place.indices)
    holds = core.CallQuery(BOOL, span, kept_name(symbol.name, HOLDS), indices)
    return [core.SetCell(span, symbol.name, indices, "set", holds)]
