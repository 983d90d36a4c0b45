"""The section `spans`: the variable that each is, and the query for its condition. A part of the checker."""

from __future__ import annotations

from .. import core
from ..core.kept import HOLDS, kept_name
from ..core.origin import SPANS, Origin
from ..core.sugar import LastingCondition
from ..language.types import BOOL, PLAYER
from ..ruleset import model
from .call_graph import Owner
from .names import SpanSymbol
from .texts import Texts, value_in


def span_of(decl: model.SpanDecl, texts: Texts) -> tuple[core.Variable, core.Query, LastingCondition] | None:
    """What a span is made of; None where its name is faulty."""
    name, place = decl.name.text, decl.name.span
    symbol = texts.names.symbols.get(name)
    if not isinstance(symbol, SpanSymbol):
        return None
    routine = texts.routine(Owner("span", name))
    params = (core.Param(routine.bind_me(place), "me", PLAYER),) if decl.per_player else ()
    value = value_in(routine, decl.holds, BOOL, "as a condition")
    origin = Origin(SPANS, name, HOLDS)
    query = core.Query(kept_name(name, HOLDS), decl.per_player, params, BOOL, routine.locals.n_slots, value, (), origin)
    start, visible = core.Const(BOOL, place, False), core.Visibility("all", None)
    variable = core.Variable(name, symbol.dims, BOOL, start, len(symbol.dims), visible, "", decl.doc)
    return variable, query, LastingCondition(name, query.name, place)
