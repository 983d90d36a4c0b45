"""Desugar durations, spans and `whenever` rules.

Changes that last for a duration become modifiers that read hidden variables. Spans and `whenever` rules (state checks)
become effects, and calls of these are inserted wherever their conditions may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import core
from ..core.constant_analysis import Block, read_by, written_by
from ..core.provenance import COPY, DURATIONS, EVENTS, SPANS, STATE_CHECKS, Origin
from ..core.sugar import (
    BEGUN,
    ENDS,
    Duration,
    EachCard,
    LastingCondition,
    StateCheck,
    Sugar,
    TemporaryChange,
    kept_name,
    kept_variable,
)
from ..source.lazy_dataclass import replace
from ..source.source import Span
from ..types.types import BOOL, INT, PLAYER, ListType, OptionalType, PlayerType
from . import small_passes


def durations(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program with durations: queries read the temporary changes, and effects end them."""
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
    """Return a query with modifiers for its temporary changes.

    In each layer they come after the other modifiers, first those that set, then those that add.
    """
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
    """Return the variables of a duration: whether anything changed, then each change."""
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
    """Return the effect that ends a duration and resets its changes. A duration of a player resets those of `me`."""
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


def spans(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program in which each span ends as soon as its condition fails."""
    if not sugar.spans:
        return program
    queries, zones = program.queries, program.zones
    watched = [(span.name, read_by(queries[span.holds].value, queries, zones)) for span in sugar.spans]

    def watching(block: Block) -> Block:
        """Insert, after each statement, checks of the spans that it may end."""
        found: list[core.Stmt] = []
        for stmt in block:
            written = written_by(stmt, zones)
            found.append(core.rebuilt(stmt, watching))
            found += [
                core.CallEffect(stmt.span, name, (), origin=Origin(SPANS, name))
                for name, read in watched
                if written & read
            ]
        return tuple(found)

    falling = {span.name: _falling(program.variables[span.name], span) for span in sugar.spans}
    woven = small_passes.of_program(program, watching)
    return replace(woven, effects=woven.effects | falling)


def _falling(variable: core.Variable, span: LastingCondition) -> core.Effect:
    """Return the effect that ends a span if its condition fails."""
    place, made = span.span, Origin(SPANS, span.name, "falls")
    me: tuple[core.Expr, ...] = (core.Local(PLAYER, place, 0, "me"),) if variable.dims else ()
    lasts = core.ReadCell(BOOL, place, span.name, me)
    holds = core.CallQuery(BOOL, place, span.holds, me)
    falls = core.Binary(BOOL, place, "and", lasts, core.Unary(BOOL, place, "not", holds))
    fall = (core.SetCell(place, span.name, me, "set", core.Const(BOOL, place, False), origin=made),)
    body: core.Stmt = core.If(place, ((falls, fall),), (), origin=made)
    if me:
        body = core.ForEach(place, 0, "me", core.Players(ListType(PLAYER), place), falls, fall, origin=made)
    return core.Effect(span.name, False, (), len(me), (body,), origin=made)


ALL = "state checks"
"""Name of the effect that runs all state checks."""
MOST_ROUNDS = 1000
_ROUND = Origin(STATE_CHECKS, part="round")
_CALL = Origin(STATE_CHECKS, ALL, "call")

Loop = tuple[int, str, core.Expr]
"""A loop to generate: slot, name and list."""


def state_checks(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program with the queries and effects of its state checks. Nothing calls them yet."""
    if not sugar.checks:
        return program
    queries, effects = dict(program.queries), dict(program.effects)
    span = sugar.checks[0].span
    names = []
    for check in sugar.checks:
        query, effect = _check(check, program.zones)
        queries[query.name], effects[effect.name] = query, effect
        names += [query.name]
    condition = _any_of([core.CallQuery(BOOL, span, name, ()) for name in names])
    calls = tuple(core.CallEffect(span, name, (), origin=_ROUND) for name in names)
    again = core.Repeat(span, None, condition, core.Const(INT, span, MOST_ROUNDS), calls, origin=_ROUND)
    effects[ALL] = core.Effect(ALL, False, (), 0, (again,), origin=Origin(STATE_CHECKS, part="all"))
    return replace(program, queries=queries, effects=effects)


def called_state_checks(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program that runs the state checks wherever they may apply.

    In effects, rules and choices of phases, this is at the end of a block. In phases, it is after each other statement.
    """
    if not sugar.checks:
        return program
    weaver = _Weaver(program)
    events = {name: effect for name, effect in weaver.effects.items() if _is_event(effect)}
    woven = small_passes.of_program(replace(program, effects=weaver.effects), weaver.checked, weaver.of_phase)
    return replace(woven, effects=woven.effects | events | weaver.inside)


def _is_event(effect: core.Effect) -> bool:
    """Return whether an effect was generated for an event. Such an event ends after all rules that it triggers."""
    return effect.origin.maker == EVENTS and effect.origin.part != COPY


# ---------------------------------------------------------------- what a rule becomes


def _any_of(conditions: Sequence[core.Expr]) -> core.Expr:
    """Return the disjunction of some conditions as a balanced tree, to keep nesting shallow."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    left, right = _any_of(conditions[:half]), _any_of(conditions[half:])
    return core.Binary(BOOL, left.span, "or", left, right)


def _check(check: StateCheck, zones: Mapping[str, core.CardZone]) -> tuple[core.Query, core.Effect]:
    """Return the query for whether a state check applies, and the effect that carries it out."""
    made = Origin(STATE_CHECKS, check.name, "rule", check.card)
    name, span, condition, n_slots = f"whenever {check.name}", check.span, check.condition, check.n_slots
    if check.each is None:
        done: core.Stmt = core.If(span, ((condition, check.body),), (), origin=made)
        due = condition
    else:
        if check.each.active is not None:
            condition = core.Binary(BOOL, span, "and", check.each.active, condition)
        *outer, (slot, word, cards) = _loops(n_slots, check.each, zones)
        n_slots += len(outer)
        done = core.ForEach(span, slot, word, cards, condition, check.body, origin=made)
        due = core.Fold(BOOL, span, "any", slot, cards, None, condition)
        for slot, word, items in reversed(outer):
            done = core.ForEach(span, slot, word, items, None, (done,), origin=made)
            due = core.Fold(BOOL, span, "any", slot, items, None, due)
    asked = Origin(STATE_CHECKS, check.name, "due", check.card)
    query = core.Query(name, False, (), BOOL, n_slots, due, (), asked)
    return query, core.Effect(name, False, (), n_slots, (done,), origin=made)


def _loops(first: int, each: EachCard, zones: Mapping[str, core.CardZone]) -> list[Loop]:
    """Return the loops over the cards of a state check, outermost first. Fresh slots begin with ``first``.

    If the rule is active only in one zone, the loops cover the cards there, in their order. Otherwise, and for rules of
    one card, they cover all copies.
    """
    span = each.span
    zone = None if each.is_one else _zone_of(each)
    if zone is None:
        return [(each.slot, "this", core.Const(ListType(each.kind), span, each.copies))]
    loops: list[Loop] = []
    for slot, dim in enumerate(zones[zone].dims, first):
        of_dim = ListType(dim.type)
        values = tuple(range(dim.low, dim.low + (dim.size or 0)))
        items = core.Players(of_dim, span) if isinstance(dim.type, PlayerType) else core.Const(of_dim, span, values)
        loops.append((slot, "index", items))
    indices = tuple(core.Local(items.type.item, span, slot, word) for slot, word, items in loops)  # type: ignore[attr-defined]
    return [*loops, (each.slot, "this", core.ReadZone(ListType(each.kind), span, zone, indices))]


def _zone_of(each: EachCard) -> str | None:
    """Return the zone that must hold a card for the rule to be active. None: there is no such zone."""
    for part in () if each.active is None else core.chain(each.active, "and"):
        match part:
            case core.LiesIn(component=core.Local(slot=slot), zone=zone) if slot == each.slot:
                return zone
    return None


# ---------------------------------------------------------------- where the rules are looked at


class _Weaver:
    """Insert calls of the state checks.

    Effects can't recurse, so the checks call copies of effects that run no checks. The conditions are tested again
    after these anyway. ``effects`` holds the effects of the game. ``inside`` holds the checks and copies, by name.
    """

    def __init__(self, program: core.Program) -> None:
        self.zones = program.zones
        self.effects = {n: e for n, e in program.effects.items() if e.origin.maker != STATE_CHECKS}
        checks = [query for query in program.queries.values() if query.origin.maker == STATE_CHECKS]
        self.read = {name for query in checks for name in read_by(query.value, program.queries, self.zones)}
        self.inside: dict[str, core.Effect] = {}
        self._by_events: dict[str, set[str]] = {}
        for name in (ALL, *(query.name for query in checks)):
            self.inside[name] = small_passes.of_effect(program.effects[name], self._inside)

    def _inside(self, block: Block) -> Block:
        """Return a block of the checks that calls copies of effects."""
        return tuple(self._calling_copies(stmt) for stmt in block)

    def _calling_copies(self, stmt: core.Stmt) -> core.Stmt:
        if not isinstance(stmt, core.CallEffect):
            return core.rebuilt(stmt, self._inside)
        if stmt.effect not in self.effects:
            return stmt  # a state check itself
        name = f"{stmt.effect} in {ALL}"
        if name not in self.inside:
            copied = self.effects[stmt.effect]
            origin = Origin(STATE_CHECKS, stmt.effect, COPY) if copied.origin.is_written else copied.origin
            self.inside[name] = replace(small_passes.of_effect(copied, self._inside), name=name, origin=origin)
        return replace(stmt, effect=name)

    def of_phase(self, block: Block) -> Block:
        """Return a block of a phase, with calls of the checks after statements that may change their conditions."""
        found: list[core.Stmt] = []
        for stmt in block:
            if isinstance(stmt, core.Ask):
                found.append(core.rebuilt(stmt, self.checked))
            else:
                inside = core.rebuilt(stmt, self.of_phase)
                found += [inside] if inside is not stmt else self.checked((stmt,))
        return tuple(found)

    def checked(self, block: Block) -> Block:
        """Return a block, with a call of the checks at its end if it may change what they read."""
        if any(self._written(stmt) & self.read for stmt in core.statements_in(block)):
            return (*block, core.CallEffect(block[-1].span, ALL, (), origin=_CALL))
        return block

    def _written(self, stmt: core.Stmt) -> set[str]:
        """Return the places that a statement may change, including the rules that trigger on it if it is an event."""
        if not isinstance(stmt, core.CallEffect) or not _is_event(self.effects[stmt.effect]):
            return written_by(stmt, self.zones)
        if stmt.effect not in self._by_events:
            inside = (s for body in core.bodies_of(self.effects[stmt.effect]) for s in core.statements_in(body))
            self._by_events[stmt.effect] = {name for s in inside for name in self._written(s)}
        return self._by_events[stmt.effect]
