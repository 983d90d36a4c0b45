"""What expressions read and statements write: where checks are woven in. Used by the stages that weave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from .. import core

Block = tuple[core.Stmt, ...]
Routine = tuple[core.Expr | core.Stmt, ...]
"""Expressions and statements that share their locals."""


def read_by(expr: core.Expr, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]) -> set[str]:
    """The variables and zones that an expression may read, directly or through queries and what rules make of them."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = [expr]
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
        todo += core.children(here)
    return found


def written_by(stmt: core.Stmt, zones: Mapping[str, core.CardZone]) -> set[str]:
    """The places that a statement itself may change. A component leaves a zone that is not named."""
    match stmt:
        case core.SetCell(place=place):
            return {place}
        case core.MoveCount(source=source, target=target):
            return {source, target}
        case core.MoveCards(target=target):
            kind = zones[target].holds
            return {zone.name for zone in zones.values() if zone.holds == kind}
        case core.Shuffle(zone=zone):
            return {zone}
    return set()


def with_blocks(stmt: core.Stmt, change: Callable[[Block], Block]) -> core.Stmt:
    """A statement whose blocks are changed."""
    match stmt:
        case core.If(branches=branches, otherwise=otherwise):
            woven = tuple((condition, change(body)) for condition, body in branches)
            return replace(stmt, branches=woven, otherwise=change(otherwise))
        case core.ForEach(body=body) | core.Repeat(body=body):
            return replace(stmt, body=change(body))
        case core.DoByCard(cases=cases, otherwise=otherwise):
            each_card = tuple((card, change(body)) for card, body in cases)
            return replace(stmt, cases=each_card, otherwise=change(otherwise))
        case core.Ask(alternatives=alternatives, otherwise=otherwise):
            each = tuple(replace(a, body=change(a.body)) for a in alternatives)
            return replace(stmt, alternatives=each, otherwise=change(otherwise))
        case core.Random(body=body, otherwise=otherwise):
            return replace(stmt, body=change(body), otherwise=change(otherwise))
    return stmt


def routines_of(
    phases: Iterable[core.Phase], effects: Mapping[str, core.Effect], queries: Mapping[str, core.Query]
) -> Iterator[Routine]:
    """Everything that happens or is asked, with the rules that answer to it and change it."""
    for phase in phases:
        yield (*(c for c in (phase.condition, phase.repeat) if c is not None), *phase.body)
        yield from routines_of(phase.children, {}, {})
    for effect in effects.values():
        yield effect.body
        for rule in (*effect.instead, *effect.when):
            yield (*(() if rule.condition is None else (rule.condition,)), *rule.body)
    for query in queries.values():
        yield (query.value,)
        for modifier in query.modifiers:
            yield (modifier.condition, modifier.value)
