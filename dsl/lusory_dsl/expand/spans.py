"""Spans: conditions that must hold without a gap. A part of the checker.

A span is a Bool variable. Behind each statement that may change what its condition reads, an effect of its name is
called that lets it fall where the condition does not hold: engines need to know nothing of spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .. import core
from ..checker.names import SpanSymbol
from ..checker.routine import HOLDS, hidden
from ..checker.texts import Texts, value_in
from ..core.accesses import Block, read_by, written_by
from ..core.origin import SPANS, Origin
from ..language.types import BOOL, PLAYER, ListType
from ..ruleset import model
from ..text.source import Span as SourceSpan


@dataclass(frozen=True, eq=False)
class Span:
    """What a declared span becomes."""

    variable: core.Variable
    condition: core.Query
    check: core.Effect


def span_of(decl: model.SpanDecl, texts: Texts) -> Span | None:
    """The parts of a span; None where its name is faulty."""
    name, place = decl.name.text, decl.name.span
    symbol = texts.names.symbols.get(name)
    if not isinstance(symbol, SpanSymbol):
        return None
    routine = texts.routine(f"span {name}")
    params = (core.Param(routine.bind_me(place), "me", PLAYER),) if decl.per_player else ()
    value = value_in(routine, decl.holds, BOOL, "as a condition")
    origin = Origin(SPANS, name, HOLDS)
    query = core.Query(hidden(name, HOLDS), decl.per_player, params, BOOL, routine.locals.n_slots, value, (), origin)
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
    return core.Effect(variable.name, False, (), len(me), (body,), origin=Origin(SPANS, variable.name, "falls"))


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
        return tuple(after for stmt in block for after in (core.rebuilt(stmt, self.block), *self._checks(stmt)))

    def _checks(self, stmt: core.Stmt) -> list[core.Stmt]:
        written = written_by(stmt, self.zones)
        return [core.CallEffect(stmt.span, name, ()) for name, read in self.watched if written & read]
