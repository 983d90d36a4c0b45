"""What expressions read and statements write: where checks are woven in. Used by the stages that weave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .. import core

Block = tuple[core.Stmt, ...]
RoutineNodes = tuple[core.Expr | core.Stmt, ...]
"""Expressions and statements that share their locals."""


def read_by(expr: core.Expr, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]) -> set[str]:
    """The variables and zones that an expression may read, directly or through queries and what rules make of them."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = [expr]
    while todo:
        here = todo.pop()
        found |= set(core.reads(here))
        inside = core.children(here)
        if core.row(type(here)).anywhere:
            kinds = {part.type for part in inside}
            found |= {zone.name for zone in zones.values() if zone.holds in kinds}
        if isinstance(here, core.CallQuery) and here.query not in seen:
            seen.add(here.query)
            query = queries[here.query]
            todo += [query.value, *(e for m in query.modifiers for e in (m.condition, m.value))]
        todo += inside
    return found


def written_by(stmt: core.Stmt, zones: Mapping[str, core.CardZone]) -> set[str]:
    """The places that a statement itself may change. A component leaves a zone that is not named."""
    written = set(core.writes(stmt))
    for move in core.moves(stmt):
        written |= move.zones_of_kind(zones)
    return written


def routines_of(
    phases: Iterable[core.Phase], effects: Mapping[str, core.Effect], queries: Mapping[str, core.Query]
) -> Iterator[RoutineNodes]:
    """Everything that happens or is asked, with the rules that answer to it and change it."""
    for phase in core.phases_in(phases):
        yield (*(c for c in (phase.condition, phase.repeat) if c is not None), *phase.body)
    for effect in effects.values():
        yield effect.body
        for rule in core.rules_of(effect):
            yield (*(() if rule.condition is None else (rule.condition,)), *rule.body)
    for query in queries.values():
        yield (query.value,)
        for modifier in query.modifiers:
            yield (modifier.condition, modifier.value)
