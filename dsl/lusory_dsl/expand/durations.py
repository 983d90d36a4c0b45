"""The pass of durations: changes of queries that last until something ends.

`increase u.strength by 2 until turn ends` adds to a number of its own, one for each value of the query's parameters; a
rule of the query reads it, and `end turn` is an effect that puts all such numbers back. Engines know nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import core
from ..core.kept import BEGUN, ENDS, kept_name, kept_variable
from ..core.origin import DURATIONS, Origin
from ..core.sugar import Duration, Sugar, TemporaryChange
from ..language.types import BOOL, INT, PLAYER, ListType, OptionalType, PlayerType
from ..text.records import replace
from ..text.source import Span


def durations(program: core.Program, sugar: Sugar) -> core.Program:
    """A program whose queries read what was changed for a time, with the effects that end it."""
    queries, variables, effects = dict(program.queries), dict(program.variables), dict(program.effects)
    for name in dict.fromkeys(change.query for change in sugar.changes):
        queries[name] = _changed([c for c in sugar.changes if c.query == name], queries[name], sugar.layers)
    for duration in sugar.durations:
        kept = _variables(duration, [c for c in sugar.changes if c.duration == duration.name])
        variables |= {variable.name: variable for variable in kept}
        ending = _ending(duration, kept)
        effects[ending.name] = ending
    return replace(program, queries=queries, variables=variables, effects=effects)


def _changed(changes: Iterable[TemporaryChange], query: core.Query, layers: Sequence[str]) -> core.Query:
    """A query with the rules that read what was changed for a time: behind the others of their layer, first what was
    set, then what was added."""
    order, last = {layer: number for number, layer in enumerate(layers)}, len(layers)
    in_order = sorted(changes, key=lambda timed: timed.op == "add")
    modifiers = [*query.modifiers, *(_modifier(query, timed) for timed in in_order)]
    ordered = sorted(modifiers, key=lambda m: last if m.layer is None else order.get(m.layer, last))
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


def _variables(duration: Duration, changes: Iterable[TemporaryChange]) -> list[core.Variable]:
    """What is kept for a duration: whether anything was changed, and by how much."""
    span, name = duration.span, duration.name
    dims = (core.Dim(PLAYER),) if duration.per_player else ()
    found = [kept_variable(kept_name(name, BEGUN), BOOL, False, span, Origin(DURATIONS, name, BEGUN), dims)]
    for timed in changes:
        added = timed.op == "add"
        type = INT if added else OptionalType(timed.type)
        origin = Origin(DURATIONS, name, "change")
        found.append(kept_variable(timed.variable, type, 0 if added else None, span, origin, timed.dims))
    return found


def _ending(duration: Duration, variables: Iterable[core.Variable]) -> core.Effect:
    """The effect that ends a duration, of `me` where it is a player's: all that was changed is put back."""
    span, name = duration.span, duration.name
    me = (core.Local(PLAYER, span, 0, "me"),) if duration.per_player else ()
    params = (core.Param(0, "me", PLAYER),) if duration.per_player else ()
    begun, *changed = variables
    slots, origin = len(me), Origin(DURATIONS, name, ENDS)
    body: list[core.Stmt] = []
    for variable in changed:
        inner = variable.dims[len(me) :]
        indices: tuple[core.Expr, ...] = me + tuple(
            core.Local(dim.type, span, slots + i, "index") for i, dim in enumerate(inner)
        )
        now = core.ReadCell(variable.type, span, variable.name, indices)
        changed_here = core.Binary(BOOL, span, "!=", now, variable.start)
        back: core.Stmt = core.SetCell(span, variable.name, indices, "set", variable.start, origin=origin)
        stmt: core.Stmt = core.If(span, ((changed_here, (back,)),), (), origin=origin)
        for i, dim in reversed(list(enumerate(inner))):
            stmt = core.ForEach(span, slots + i, "index", _values(dim, span), None, (stmt,), origin=origin)
        body.append(stmt)
    body.append(core.SetCell(span, begun.name, me, "set", core.Const(BOOL, span, False), origin=origin))
    any_begun = core.ReadCell(BOOL, span, begun.name, me)
    n_slots = slots + max((len(v.dims) for v in changed), default=0)
    end = core.If(span, ((any_begun, tuple(body)),), (), origin=origin)
    return core.Effect(kept_name(name, ENDS), duration.per_player, params, n_slots, (end,), origin=origin)


def _values(dim: core.Dim, span: Span) -> core.Expr:
    of_dim = ListType(dim.type)
    if isinstance(dim.type, PlayerType):
        return core.Players(of_dim, span)
    return core.Const(of_dim, span, tuple(range(dim.low, dim.low + (dim.size or 0))))
