"""Changes of queries until a duration ends."""

from __future__ import annotations

from .. import core
from ..core.kept import BEGUN, ENDS, kept_name
from ..core.origin import DURATIONS, Origin
from ..core.sugar import TemporaryChange
from ..effect import nodes
from ..language.types import BOOL, INT, PLAYER, OptionalType, Type
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.spelling import article
from .names import DurationSymbol, QuerySymbol, Symbol
from .places import written_place
from .reference import Reference
from .routine import Routine, is_faulty
from .values import expect, fit


def changed_for_a_time(r: Routine, node: nodes.SetTo, until: nodes.Until) -> list[core.Stmt]:
    """A query that says something else until a duration ends."""
    duration = _duration(r, until.duration)
    found = r.operand(node.place)
    query = found if isinstance(found, core.CallQuery) else None
    if query is None and not (isinstance(found, core.Expr) and is_faulty(found)):
        hint = "make a query of it, or set it back where the duration ends"
        r.error(codes.NOT_A_PLACE, "only queries are changed for a time, this is none", node.place.span, hint)
    type = INT if query is None or node.op != "set" else query.type
    type = type.item if isinstance(type, OptionalType) else type
    if query is not None and node.op != "set" and is_faulty(fit(r, query, INT, "to be changed by a number")):
        query = None
    value = expect(r, node.value, type, "to set it to" if node.op == "set" else "after `by`")
    if until.layer is not None and until.layer not in r.names.layers:
        hint = did_you_mean(until.layer, r.names.layers) or "list it under `layers`"
        message = f"there is no layer `{until.layer}`"
        r.error(codes.UNKNOWN_NAME, message, until.layer_span or until.span, hint, about=about_name(until.layer))
    r.notes.used_layers.update([until.layer] if until.layer is not None else [])
    timed = (
        None if duration is None or query is None else _temporary_change(r, query, duration.symbol, node, until, type)
    )
    if timed is None or duration is None or query is None or is_faulty(value):
        return []
    owner, span, made = tuple(duration.indices), node.span, Origin(DURATIONS, timed.duration, BEGUN)
    begun = core.SetCell(
        span, kept_name(timed.duration, BEGUN), owner, "set", core.Const(BOOL, span, True), origin=made
    )
    return [core.SetCell(span, timed.variable, (*owner, *query.args), node.op, value), begun]


def _temporary_change(
    r: Routine, query: core.CallQuery, duration: Symbol, node: nodes.SetTo, until: nodes.Until, type: Type
) -> TemporaryChange | None:
    """The variable that keeps such changes: one number for each value of the query's parameters."""
    symbol = r.names.symbols[query.query]
    assert isinstance(symbol, QuerySymbol) and isinstance(duration, DurationSymbol)
    dims = [*duration.dims, *([core.Dim(PLAYER)] if symbol.per_player else [])]
    for name, of in symbol.params:
        dim = r.names.dimension(of)
        if dim is None:
            message = f"`{symbol.name}` can't be changed for a time: its `{name}` is {article(f'`{of}`')}"
            hint = "that is kept for players, cards and values of enums"
            r.error(codes.BAD_DIMENSION, message, node.place.span, hint, [(symbol.span, "declared here")])
            return None
        dims.append(dim)
    op = "set" if node.op == "set" else "add"
    words = (duration.name, query.query.replace(".", "_"), *([until.layer] if until.layer else []))
    name = kept_name("_".join(words), "Set" if op == "set" else "Added")
    timed = TemporaryChange(
        query.query, duration.name, op, type, until.layer, name, tuple(dims), duration.of_player, node.span
    )
    return r.notes.temporary.setdefault(name, timed)


def _duration(r: Routine, node: nodes.Expr) -> Reference | None:
    place = written_place(r, node, "ended")
    if place is None or isinstance(place.symbol, DurationSymbol):
        if place is not None:
            r.notes.used.add(place.symbol.name)
        return None if place is None or any(map(is_faulty, place.indices)) else place
    r.notes.used.add(place.symbol.name)
    message = f"only durations end; `{place.symbol.name}` is {article(place.symbol.what)}"
    notes = [(place.symbol.span, "declared here")]
    r.error(codes.NOT_A_PLACE, message, node.span, "declare it under `durations`", notes)
    return None


def end_duration(r: Routine, node: nodes.EndDuration) -> list[core.Stmt]:
    """All that was changed until a duration ends is put back."""
    word = node.duration
    if isinstance(word, nodes.Name) and not r.locals.find(word.name) and word.name not in r.names.symbols:
        hint = did_you_mean(word.name, ["game", *r.names.named(DurationSymbol)]) or "declare it under `durations`"
        message = f"there is no duration `{word.name}`"
        r.error(codes.UNKNOWN_NAME, message, word.span, hint, about=about_name(word.name))
        return []
    duration = _duration(r, node.duration)
    if duration is None:
        return []
    ends = kept_name(duration.symbol.name, ENDS)
    return [core.CallEffect(node.span, ends, tuple(duration.indices), origin=Origin(DURATIONS, part=ENDS))]
