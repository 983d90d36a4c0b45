"""Durations: changes of queries that last until something ends. A part of the checker.

`increase u.strength by 2 until turn ends` adds to a number of its own, one for each value of the query's parameters; a
rule of the query reads it, and `end turn` is an effect that puts all such numbers back. Engines know nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .. import core
from ..checker.notes import TemporaryChange
from ..checker.routine import BEGUN, ENDS, hidden, hidden_variable
from ..core.origin import DURATIONS, Origin
from ..language.types import BOOL, INT, PLAYER, ListType, OptionalType, PlayerType
from ..ruleset import model
from ..text.source import Span


def timed_query(query: core.Query, changes: Iterable[TemporaryChange], layers: dict[str, int]) -> core.Query:
    """A query with the rules that read what was changed for a time: behind the others of their layer, first what was
    set, then what was added."""
    last = len(layers)
    in_order = sorted(changes, key=lambda timed: timed.op == "add")
    modifiers = [*query.modifiers, *(_modifier(query, timed) for timed in in_order)]
    ordered = sorted(modifiers, key=lambda m: last if m.layer is None else layers.get(m.layer, last))
    return replace(query, modifiers=tuple(ordered))


def _modifier(query: core.Query, timed: TemporaryChange) -> core.Modifier:
    span, it, owner = timed.span, len(query.params), len(query.params) + 1
    indices: tuple[core.Expr, ...] = tuple(core.Local(p.type, span, p.slot, p.name) for p in query.params)
    players = core.Players(ListType(PLAYER), span)
    if timed.of_player:
        indices = (core.Local(PLAYER, span, owner, "p"), *indices)
    so_far = core.Local(query.type, span, it, "it")
    if timed.op == "add":
        added: core.Expr = core.ReadCell(INT, span, timed.variable, indices)
        if timed.of_player:
            added = core.Fold(INT, span, "sum", owner, players, None, added)
        condition: core.Expr = core.Const(BOOL, span, True)
        value: core.Expr = core.Binary(INT, span, "+", so_far, added)
    else:
        maybe = core.ReadCell(OptionalType(timed.type), span, timed.variable, indices)
        condition = core.Binary(BOOL, span, "!=", maybe, core.Const(OptionalType(timed.type), span, None))
        value = core.ReadCell(timed.type, span, timed.variable, indices)
        if timed.of_player:
            found = core.MapList(ListType(timed.type), span, owner, players, condition, value)
            value = core.CallBuiltin(timed.type, span, "first", (found,))
            condition = core.Fold(BOOL, span, "any", owner, players, None, condition)
    name = timed.duration
    origin = Origin(DURATIONS, name, "change")
    return core.Modifier(name, timed.layer, it, condition, value, owner + 1, span, until=name, origin=origin)


def variables_of(decl: model.DurationDecl, changes: Iterable[TemporaryChange]) -> list[core.Variable]:
    """What is kept for a duration: whether anything was changed, and by how much."""
    span, name = decl.name.span, decl.name.text
    found = [hidden_variable(hidden(name, BEGUN), BOOL, False, span, Origin(DURATIONS, name, BEGUN), dims_of(decl))]
    for timed in changes:
        added = timed.op == "add"
        type = INT if added else OptionalType(timed.type)
        origin = Origin(DURATIONS, name, "change")
        found.append(hidden_variable(timed.variable, type, 0 if added else None, span, origin, timed.dims))
    return found


def dims_of(decl: model.DurationDecl) -> tuple[core.Dim, ...]:
    return (core.Dim(PLAYER),) if decl.per_player else ()


def ending(decl: model.DurationDecl, variables: Iterable[core.Variable]) -> core.Effect:
    """The effect that ends a duration, of `me` where it is a player's: all that was changed is put back."""
    span, name = decl.name.span, decl.name.text
    me = (core.Local(PLAYER, span, 0, "me"),) if decl.per_player else ()
    params = (core.Param(0, "me", PLAYER),) if decl.per_player else ()
    begun, *changed = variables
    slots = len(me)
    body: list[core.Stmt] = []
    for variable in changed:
        inner = variable.dims[len(me) :]
        indices: tuple[core.Expr, ...] = me + tuple(
            core.Local(dim.type, span, slots + i, "index") for i, dim in enumerate(inner)
        )
        now = core.ReadCell(variable.type, span, variable.name, indices)
        changed_here = core.Binary(BOOL, span, "!=", now, variable.start)
        back: core.Stmt = core.SetCell(span, variable.name, indices, "set", variable.start)
        stmt: core.Stmt = core.If(span, ((changed_here, (back,)),), ())
        for i, dim in reversed(list(enumerate(inner))):
            stmt = core.ForEach(span, slots + i, "index", _values(dim, span), None, (stmt,))
        body.append(stmt)
    body.append(core.SetCell(span, begun.name, me, "set", core.Const(BOOL, span, False)))
    any_begun = core.ReadCell(BOOL, span, begun.name, me)
    n_slots = slots + max((len(v.dims) for v in changed), default=0)
    end = core.If(span, ((any_begun, tuple(body)),), ())
    origin = Origin(DURATIONS, name, ENDS)
    return core.Effect(hidden(name, ENDS), decl.per_player, params, n_slots, (end,), origin=origin)


def _values(dim: core.Dim, span: Span) -> core.Expr:
    of_dim = ListType(dim.type)
    if isinstance(dim.type, PlayerType):
        return core.Players(of_dim, span)
    return core.Const(of_dim, span, tuple(range(dim.low, dim.low + (dim.size or 0))))
