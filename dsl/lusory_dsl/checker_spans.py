"""Spans: conditions that must hold without a gap. A part of the checker.

A span is a Bool variable. Behind each statement that may change what its condition reads, an effect of its name is
called that lets it fall where the condition does not hold: engines need to know nothing of spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from . import core, model
from .checker_routine import HOLDS, hidden
from .checker_texts import Texts
from .scope import SpanSymbol
from .source import Span as SourceSpan
from .types import BOOL, PLAYER, ListType

Block = tuple[core.Stmt, ...]


@dataclass(frozen=True, eq=False)
class Span:
    """What a declared span becomes."""

    variable: core.Variable
    condition: core.Query
    check: core.Effect


def span_of(decl: model.SpanDecl, texts: Texts) -> Span | None:
    """The parts of a span; None where its name is faulty."""
    name, place = decl.name.text, decl.name.span
    symbol = texts.context.scope.symbols.get(name)
    if not isinstance(symbol, SpanSymbol):
        return None
    routine = texts.routine(f"span {name}")
    params = (core.Param(routine.bind_me(place), "me", PLAYER),) if decl.per_player else ()
    value = texts.value(routine, decl.holds, BOOL, "as a condition")
    query = core.Query(hidden(name, HOLDS), decl.per_player, params, BOOL, routine.locals.n_slots, value)
    start, visible = core.Const(BOOL, place, False), core.Visibility("all", None)
    variable = core.Variable(name, symbol.dims, BOOL, start, len(symbol.dims), visible, "", decl.doc)
    return Span(variable, query, _check(variable, query, place))


def _check(variable: core.Variable, query: core.Query, place: SourceSpan) -> core.Effect:
    """The effect that lets a span fall."""
    me: tuple[core.Expr, ...] = (core.Local(PLAYER, place, 0, "me"),) if variable.dims else ()
    lasts = core.ReadCell(BOOL, place, variable.name, me)
    holds = core.CallQuery(BOOL, place, query.name, me)
    falls = core.Binary(BOOL, place, "and", lasts, core.Unary(BOOL, place, "not", holds))
    fall = (core.SetCell(place, variable.name, me, "set", core.Const(BOOL, place, False)),)
    body: core.Stmt = core.If(place, ((falls, fall),), ())
    if me:
        body = core.ForEach(place, 0, "me", core.Players(ListType(PLAYER), place), falls, fall)
    return core.Effect(variable.name, False, (), len(me), (body,))


class Weaver:
    """Puts the checks of spans behind the statements that may let them fall."""

    def __init__(
        self, spans: Iterable[Span], queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]
    ) -> None:
        self.zones = zones
        self.watched = [(span.check.name, read_by(span.condition.value, queries, zones)) for span in spans]

    def effect(self, effect: core.Effect) -> core.Effect:
        """An effect with its rules."""
        if not self.watched:
            return effect
        instead, when = (
            tuple(replace(r, body=self.block(r.body)) for r in rules) for rules in (effect.instead, effect.when)
        )
        return replace(effect, body=self.block(effect.body), instead=instead, when=when)

    def phase(self, phase: core.Phase) -> core.Phase:
        """A phase with those inside it."""
        if not self.watched:
            return phase
        return replace(phase, body=self.block(phase.body), children=tuple(map(self.phase, phase.children)))

    def block(self, block: Block) -> Block:
        """The statements of a block, each with its checks."""
        return tuple(after for stmt in block for after in (self._stmt(stmt), *self._checks(stmt)))

    def _checks(self, stmt: core.Stmt) -> list[core.Stmt]:
        written = self._written_by(stmt)
        return [core.CallEffect(stmt.span, name, ()) for name, read in self.watched if written & read]

    def _written_by(self, stmt: core.Stmt) -> set[str]:
        """The places that a statement itself may change. A component leaves a zone that is not named."""
        match stmt:
            case core.SetCell(place=place):
                return {place}
            case core.MoveCount(source=source, target=target):
                return {source, target}
            case core.MoveCards(target=target):
                kind = self.zones[target].holds
                return {zone.name for zone in self.zones.values() if zone.holds == kind}
            case core.Shuffle(zone=zone):
                return {zone}
        return set()

    def _stmt(self, stmt: core.Stmt) -> core.Stmt:
        """A statement with checks in the blocks inside it."""
        match stmt:
            case core.If(branches=branches, otherwise=otherwise):
                woven = tuple((condition, self.block(body)) for condition, body in branches)
                return replace(stmt, branches=woven, otherwise=self.block(otherwise))
            case core.ForEach(body=body) | core.Repeat(body=body):
                return replace(stmt, body=self.block(body))
            case core.DoByCard(cases=cases, otherwise=otherwise):
                each_card = tuple((card, self.block(body)) for card, body in cases)
                return replace(stmt, cases=each_card, otherwise=self.block(otherwise))
            case core.Ask(alternatives=alternatives, otherwise=otherwise):
                each = tuple(replace(a, body=self.block(a.body)) for a in alternatives)
                return replace(stmt, alternatives=each, otherwise=self.block(otherwise))
            case core.Random(body=body, otherwise=otherwise):
                return replace(stmt, body=self.block(body), otherwise=self.block(otherwise))
        return stmt


def read_by(expr: core.Expr, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]) -> set[str]:
    """The variables and zones that an expression may read, directly or through queries and what rules make of them."""
    found: set[str] = set()
    seen: set[str] = set()
    todo: list[object] = [expr]
    while todo:
        here = todo.pop()
        match here:
            case (
                core.ReadCell(place=name)
                | core.ReadZone(zone=name)
                | core.PoolKinds(zone=name)
                | core.PoolTotal(zone=name)
                | core.LiesIn(zone=name)
            ):
                found.add(name)
            case core.IndexOfPlace(component=core.Expr(type=kind)):
                found |= {zone.name for zone in zones.values() if zone.holds == kind}
            case core.CallQuery(query=name) if name not in seen:
                seen.add(name)
                query = queries[name]
                todo += [query.value, *(e for m in query.modifiers for e in (m.condition, m.value))]
        if isinstance(here, tuple):
            todo += here
        elif isinstance(here, core.Expr):
            todo += [getattr(here, f.name) for f in fields(here)]
    return found
