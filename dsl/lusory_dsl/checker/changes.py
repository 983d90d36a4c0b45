"""Changes of places: `set`, `increase`, `decrease`, `begin`."""

from __future__ import annotations

from .. import core
from ..core.kept import HOLDS, kept_name
from ..effect import nodes
from ..language.types import BOOL, INT
from ..text import codes
from ..text.spelling import article
from .call_graph import Owner
from .names import Names, PoolSymbol, SpanSymbol, TableSymbol, ZoneSymbol
from .places import read, written_place
from .reference import Reference
from .routine import Routine, is_faulty
from .temporary import changed_for_a_time
from .values import expect, fit


def set_to(r: Routine, node: nodes.SetTo) -> list[core.Stmt]:
    """A variable, set or changed by a number; a query, where it says until when."""
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
            "counters only move: `move … from … to …`",
            [(symbol.span, "declared here")],
        )
        return []
    if isinstance(symbol, PoolSymbol):
        return _counters(r, node, place, verb)
    r.notes.written.add(symbol.name)
    target = read(r, place, reads=False)
    expected = INT if node.op != "set" else getattr(symbol, "type", INT)
    if node.op != "set" and not is_faulty(target):
        fit(r, target, INT, f"to be {verb}")
    value = expect(r, node.value, expected, "to set it to" if node.op == "set" else "after `by`")
    if is_faulty(target):
        return []
    return [core.SetCell(node.span, symbol.name, tuple(place.indices), node.op, value)]


def _counters(r: Routine, node: nodes.SetTo, place: Reference, verb: str) -> list[core.Stmt]:
    """Report a change of one count of a pool, and show the move that does the same."""
    pool = place.symbol
    assert isinstance(pool, PoolSymbol)
    r.notes.used.add(pool.name)
    r.operand(node.value)
    kind, whole = _kind_and_pool(node.place)
    found = _supply_for(pool, place.indices[-1], r.names)
    other = "common_supply" if found is None else found
    amount = _written(node.value)
    gives, takes = f"move {amount} {kind} from {other} to {whole}", f"move {amount} {kind} from {whole} to {other}"
    clear = f"move all {kind} from {whole} to {other}"
    empties = isinstance(node.value, nodes.IntLit) and node.value.value == 0
    hint = {
        "add": f"write `{gives}`",
        "sub": f"write `{takes}`",
        "set": f"write `{clear}`" if empties else f"write `{clear}`, and then `{gives}`",
    }[node.op]
    if found is None:
        hint += f"; declare `{other}` under `zones`: `{other}: {{holds: {pool.holds}, unlimited: true}}`"
    message = f"`{_written(node.place)}` counts counters of a pool, and can't be {verb}: counters only move"
    r.error(codes.COUNTERS_MOVE, message, node.place.span, hint, [(pool.span, "this pool")])
    return []


def _kind_and_pool(place: nodes.Expr) -> tuple[str, str]:
    """One kind of a pool, as written: `p.purse.chip` and `p.purse[chip]` are `chip` of `p.purse`."""
    match place:
        case nodes.Member(subject=of, name=name):
            return name, _written(of)
        case nodes.Index(subject=of, indices=(*others, kind)):
            behind = f"[{', '.join(map(_written, others))}]" if others else ""
            return _written(kind), f"{_written(of)}{behind}"
    return "counters", _written(place)


def _written(node: nodes.Expr) -> str:
    """An expression as the author wrote it, on one line."""
    span = node.span
    return " ".join(span.source.text[span.start : span.end].split())


def _supply_for(pool: PoolSymbol, kind: core.Expr, names: Names) -> str | None:
    """Where counters of a pool can come from: an unlimited pool if there is one, else one that all share."""
    needed = {kind.value} if isinstance(kind, core.Const) else set(pool.kinds)
    others = [s for s in names.symbols.values() if isinstance(s, PoolSymbol) and s is not pool and not s.dims]
    fitting = [other for other in others if other.holds == pool.holds and needed <= set(other.kinds)]
    return min(fitting, key=lambda other: not other.unlimited).name if fitting else None


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
