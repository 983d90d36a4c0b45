"""How deep evaluation can become: the nesting of a text and of all that it calls. A part of the checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import core
from ..language.depth import MAX_BLOCKS, MAX_CALL_DEPTH, MAX_CHOSEN, MAX_PHASES
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Span


def report_depth(
    queries: Mapping[str, core.Query],
    effects: Mapping[str, core.Effect],
    phases: Sequence[core.Phase],
    diagnostics: Diagnostics,
) -> None:
    """One report for the first routine that is nested too deeply. There are no rings of calls."""
    bodies = [body for effect in effects.values() for body in core.bodies_of(effect)]
    for block in (*bodies, *(phase.body for phase in core.phases_in(phases))):
        if _report_blocks(block, diagnostics):
            return
    if _report_phases(phases, diagnostics):
        return
    routines: dict[_Name, list[Any]] = {("query", name): _parts_of_query(query) for name, query in queries.items()}
    routines |= {("effect", name): _parts_of_effect(effect) for name, effect in effects.items()}
    routines |= {("phase", phase.id): list(phase.body) for phase in core.phases_in(phases)}
    depths: dict[_Name, int] = {}
    for first in routines:
        ahead: _Name | None = first
        todo: list[tuple[_Name, int, dict[_Name, int], Iterator[_Name]]] = []
        while ahead is not None or todo:
            if ahead is not None:
                most, calls = _nesting(routines[ahead])
                todo.append((ahead, most, calls, iter(calls)))
            name, most, calls, rest = todo[-1]
            ahead = next((callee for callee in rest if callee in routines and callee not in depths), None)
            if ahead is not None:
                continue
            todo.pop()
            depths[name] = max([most, *(depth + depths.get(callee, 0) for callee, depth in calls.items())])
            if depths[name] > MAX_CALL_DEPTH:
                report_too_deep(f"the {name[0]} `{name[1]}`", routines[name][0].span, diagnostics)
                return


def report_too_deep(what: str, span: Span, diagnostics: Diagnostics) -> None:
    """The report that something is nested too deeply together with all that it calls."""
    message = f"{what} is nested more than {MAX_CALL_DEPTH} deep, together with what it calls"
    diagnostics.add(
        codes.TOO_DEEP, message, span, "shorten the chain of calls, or keep a value on the way in a variable"
    )


_Name = tuple[str, str]
"""What kind of routine it is, and its name."""


def _nesting(roots: Sequence[Any]) -> tuple[int, dict[_Name, int]]:
    """How deep some nodes are nested, and the deepest call of each routine in them."""
    calls: dict[_Name, int] = {}
    most = 0
    todo = [(root, 1) for root in roots]
    while todo:
        node, depth = todo.pop()
        most = max(most, depth)
        match node:
            case core.CallQuery(query=name):
                calls["query", name] = max(calls.get(("query", name), 0), depth)
            case core.CallEffect(effect=name):
                calls["effect", name] = max(calls.get(("effect", name), 0), depth)
        todo += [(child, depth + 1) for child in core.children(node)]
    return most, calls


def _parts_of_query(query: core.Query) -> list[Any]:
    return [query.value, *(part for m in query.modifiers for part in (m.condition, m.value))]


def _parts_of_effect(effect: core.Effect) -> list[Any]:
    rules = core.rules_of(effect)
    conditions = [rule.condition for rule in rules if rule.condition is not None]
    return [*effect.body, *conditions, *(stmt for rule in rules for stmt in rule.body)]


def _report_blocks(block: Sequence[core.Stmt], diagnostics: Diagnostics) -> bool:
    """One report where blocks are nested too deeply, or too much is chosen at once."""
    todo = [(stmt, 1) for stmt in reversed(block)]
    while todo:
        stmt, depth = todo.pop()
        if isinstance(stmt, core.Ask):
            for alternative in stmt.alternatives:
                if len(alternative.vars) > MAX_CHOSEN:
                    message = f"more than {MAX_CHOSEN} things are chosen at once"
                    hint = "let one choice follow the other"
                    diagnostics.add(codes.TOO_DEEP, message, alternative.vars[MAX_CHOSEN].span, hint)
                    return True
        inner = [inside for part in core.blocks(stmt) for inside in part]
        if inner and depth > MAX_BLOCKS:
            message = f"blocks are nested more than {MAX_BLOCKS} deep"
            diagnostics.add(codes.TOO_DEEP, message, stmt.span, "make an effect of the inner ones")
            return True
        todo += [(inside, depth + 1) for inside in reversed(inner)]
    return False


def _report_phases(phases: Sequence[core.Phase], diagnostics: Diagnostics) -> bool:
    """One report where phases are nested too deeply."""
    todo = [(phase, 1) for phase in phases]
    while todo:
        phase, depth = todo.pop()
        if depth > MAX_PHASES:
            message = f"phases are nested more than {MAX_PHASES} deep"
            diagnostics.add(codes.TOO_DEEP, message, phase.span, "let some of them follow each other")
            return True
        todo += [(child, depth + 1) for child in phase.children]
    return False
