"""A lint for members of a place that may be `none`, where no earlier condition excludes that.

The checker refuses such an access to a local. A place, such as `model[this]`, can change between the test and the
access. So the checker accepts it, and a `none` there is a fault during play. This lint is a forward data-flow
analysis: it follows conditions and assignments up to each access. It does not warn if it is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import core
from ..checker.check import CheckedRuleset
from ..core.constant_analysis import collect_reads, collect_writes
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.lazy_dataclass import fields
from ..source.source import Span
from ..types.types import NoneType, OptionalType

Key = tuple[object, ...]
"""Identifies a place by its name and its indices."""
Facts = Mapping[Key, frozenset[str]]
"""Place that is not `none` here -> the variables and zones that would have to change to make it `none`."""
Names = Mapping[int, Key]
"""Slot of a local -> key of its value. For a parameter of a query, that is the key of the argument."""

NO_FACTS: Facts = {}
MOST_CALLS = 5
"""Maximum depth of nested queries that are followed."""
MOST_STEPS = 300_000
"""Maximum number of condition parts that are followed in one program. Beyond it, nothing is reported."""


class UntestedPlaces:
    """Walks through routines with the facts that hold at each step."""

    def __init__(self, checked: CheckedRuleset, report: Diagnostics) -> None:
        self.program = checked.program
        self.subjects = checked.notes.optional_subjects
        self.report = report
        self.reported: set[Span] = set()
        self.values: dict[int, core.Expr] = {}  # slot of a local in the current routine -> its value
        self.steps = 0  # number of condition parts followed so far
        self.writes: dict[str, set[str]] = {}  # effect -> places that it may change

    def routine(self, conditions: Iterable[core.Expr | None], rest: Sequence[core.Expr | core.Stmt]) -> None:
        """Check ``conditions`` in order, and then ``rest``, which runs only if all of them hold."""
        self.values.clear()
        facts = self._conditions(conditions, NO_FACTS)
        for part in rest:
            if isinstance(part, core.Expr):
                self.expression(part, facts)
        self.block([part for part in rest if isinstance(part, core.Stmt)], facts)

    def phase(self, phase: core.Phase, facts: Facts) -> None:
        """Check a phase and its child phases. ``facts`` holds at its start."""
        self.values.clear()
        if phase.repeat is not None:
            facts = _without(facts, self._written_in_phase(phase))
        facts = self._conditions((phase.condition, phase.repeat), facts)
        self.block(phase.body, facts)
        for child in phase.children:
            self.phase(child, facts)
            facts = _without(facts, self._written_in_phase(child))

    # ------------------------------------------------------------ expressions

    def expression(self, expr: core.Expr, facts: Facts) -> None:
        """Report the accesses in an expression to places that may be `none`."""
        if expr.span in self.subjects and isinstance(expr, core.ReadCell | core.TableRead | core.Field):
            self._subject(expr, facts)
        match expr:
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                self.expression(left, facts)
                self.expression(right, self._assume(left, op == "and", facts))
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                self.expression(condition, facts)
                self.expression(then, self._assume(condition, True, facts))
                self.expression(otherwise, self._assume(condition, False, facts))
            case core.Named(slot=slot, value=value, body=body):
                self.values[slot] = value
                self.expression(value, facts)
                self.expression(body, facts)
            case _:
                facts, rest = self._each(expr, facts, facts)
                for child in rest:
                    self.expression(child, facts)

    def _subject(self, expr: core.Expr, facts: Facts) -> None:
        is_known = isinstance(expr.type, OptionalType) or _key(expr, {}) in facts
        if is_known or expr.span in self.reported or self.steps > MOST_STEPS:
            return
        self.reported.add(expr.span)
        text = " ".join(expr.span.source.text[expr.span.start : expr.span.end].split())
        hint = f"test it first, for example `if {text} is not none`"
        self.report.add(diagnostic_codes.UNTESTED_PLACE, f"`{text}` may be `none` here", expr.span, hint)

    def _each(self, node: core.Expr | core.Stmt, before: Facts, facts: Facts) -> tuple[Facts, list[Any]]:
        """Check the list that a node iterates over, and its condition.

        ``before`` holds where the list is evaluated, and ``facts`` where the items are used. Returns the facts that
        also hold for each item, and the remaining parts of the node. Other nodes are returned with all their parts.
        """
        each, parts = core.get_traits(type(node)).iteration, core.get_children(node)
        if each is None:
            return facts, parts
        source = getattr(node, each.source)
        condition = None if each.condition is None else getattr(node, each.condition)
        self.expression(source, before)
        facts = {**facts, **self._items(source, (core.Local, getattr(node, each.slot)), {}, MOST_CALLS)}
        return self._conditions((condition,), facts), [p for p in parts if p is not source and p is not condition]

    def _conditions(self, conditions: Iterable[core.Expr | None], facts: Facts) -> Facts:
        """Check conditions in order. Returns the facts if all of them hold."""
        for condition in conditions:
            if condition is not None:
                self.expression(condition, facts)
                facts = self._assume(condition, True, facts)
        return facts

    # ------------------------------------------------------------ facts from conditions

    def _assume(self, condition: core.Expr, holds: bool, facts: Facts) -> Facts:
        return {**facts, **self._said(condition, holds, {}, MOST_CALLS)}

    def _said(self, condition: core.Expr, holds: bool, names: Names, calls: int) -> Facts:
        """Return the facts that follow if ``condition`` has the value ``holds``.

        ``calls`` limits the depth of queries.
        """
        self.steps += 1
        if self.steps > MOST_STEPS:
            return NO_FACTS
        match condition:
            case core.Unary(op="not", operand=operand):
                return self._said(operand, not holds, names, calls)
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                sides = self._said(left, holds, names, calls), self._said(right, holds, names, calls)
                if (op == "and") is holds:
                    return {**sides[0], **sides[1]}
                return {key: sides[0][key] | sides[1][key] for key in sides[0] if key in sides[1]}
            case core.Binary(op="=" | "!=" as op, left=left, right=right):
                is_same = (op == "=") is holds
                found = NO_FACTS
                for value, other in ((left, right), (right, left)):
                    if _is_never_none(other) if is_same else isinstance(other.type, NoneType):
                        found = {**found, **self._fact(value, names)}
                return found
            case core.Binary(op="in", left=left) if holds:
                return self._fact(left, names)
            case core.Local(slot=slot) if slot in self.values:
                return self._said(self.values[slot], holds, names, calls)
            case core.CallQuery(query=name, args=args) if calls and not self.program.queries[name].modifiers:
                query = self.program.queries[name]
                return self._said(query.value, holds, _arguments(query, args, names), calls - 1)
        return NO_FACTS

    def _items(self, source: core.Expr, item: Key, names: Names, calls: int) -> Facts:
        """Return the facts about ``item`` that follow because it is in the filtered list ``source``."""
        self.steps += 1
        found: Facts = NO_FACTS
        match source:
            case core.Filter(slot=slot, source=inner, condition=condition):
                found = self._said(condition, True, {**names, slot: item}, calls)
                return {**found, **self._items(inner, item, names, calls)}
            case core.Sorted(source=inner) | core.Extreme(source=inner) | core.Distinct(source=inner):
                return self._items(inner, item, names, calls)
            case core.Local(slot=slot) if slot in self.values:
                return self._items(self.values[slot], item, names, calls)
            case core.CallQuery(query=name, args=args) if calls and not self.program.queries[name].modifiers:
                query = self.program.queries[name]
                return self._items(query.value, item, _arguments(query, args, names), calls - 1)
        return found

    def _fact(self, expr: core.Expr, names: Names) -> Facts:
        """Return the fact that an expression is not `none`, or no fact if it is not a place.

        A local is replaced by its value.
        """
        if isinstance(expr, core.Local) and expr.slot in self.values and expr.slot not in names:
            expr = self.values[expr.slot]
        if isinstance(expr, core.ReadCell | core.TableRead | core.Field):
            return {_key(expr, names): frozenset(collect_reads(expr, self.program.queries, self.program.zones))}
        return NO_FACTS

    # ------------------------------------------------------------ statements

    def block(self, block: Sequence[core.Stmt], facts: Facts) -> Facts | None:
        """Check a block. Returns the facts behind it, or None if nothing behind it is reached."""
        after: Facts | None = facts
        for stmt in block:
            if after is None:
                break
            after = self._statement(stmt, after)
        return after

    def _statement(self, stmt: core.Stmt, facts: Facts) -> Facts | None:
        match stmt:
            case core.If(branches=branches, otherwise=otherwise):
                ends = []
                for condition, body in branches:
                    self.expression(condition, facts)
                    ends.append(self.block(body, self._assume(condition, True, facts)))
                    facts = self._assume(condition, False, facts)
                return _joined([*ends, self.block(otherwise, facts)])
            case core.Ask(alternatives=alternatives, otherwise=otherwise):
                for part in (stmt.chooser, stmt.prompt):
                    self.expression(part, facts)
                ends = [self._alternative(alternative, facts) for alternative in alternatives]
                return _joined([*ends, self.block(otherwise, facts)] if otherwise else ends)
            case core.Stop() | core.EndGame():
                for part in core.get_children(stmt):
                    self.expression(part, facts)
                return None
        return self._other_statement(stmt, facts)

    def _alternative(self, alternative: core.Alternative, facts: Facts) -> Facts | None:
        facts = self._conditions(alternative.conditions, facts)
        for var in alternative.vars:
            self.expression(var.domain, facts)
            facts = {**facts, **self._items(var.domain, (core.Local, var.slot), {}, MOST_CALLS)}
            facts = self._conditions((var.condition,), facts)
        if alternative.label is not None:
            self.expression(alternative.label, facts)
        return self.block(alternative.body, facts)

    def _other_statement(self, stmt: core.Stmt, facts: Facts) -> Facts | None:
        """Check a statement that is not a branch: it has at most one block, or its blocks depend on something else."""
        written = self._written_in((stmt,))
        is_loop = bool(core.get_traits(type(stmt)).pass_fields)
        inside = _without(facts, written) if is_loop else facts
        inside, parts = self._each(stmt, facts, inside)
        if isinstance(stmt, core.Repeat):
            inside = self._conditions((stmt.condition,), inside)
        for part in parts:
            if isinstance(part, core.Expr):
                self.expression(part, inside)
        blocks = core.get_blocks(stmt)
        ends = [self.block(block, inside) for block in blocks if block]
        if isinstance(stmt, core.Let):
            self.values[stmt.slot] = stmt.value
        if isinstance(stmt, core.Random):
            return _joined(ends) if ends else facts
        if not is_loop and blocks and all(blocks):
            return _joined(ends)
        facts = _without(facts, written)
        if (
            isinstance(stmt, core.Repeat)
            and stmt.condition is not None
            and not core.contains_control_flow(stmt.body, core.ControlFlow.STOPS)
        ):
            return self._assume(stmt.condition, False, facts)
        if isinstance(stmt, core.SetCell) and stmt.op == "set" and self._is_value(stmt.value, facts):
            place = core.ReadCell(stmt.value.type, stmt.span, stmt.place, stmt.indices)
            return {**facts, **self._fact(place, {})}
        return facts

    def _is_value(self, expr: core.Expr, facts: Facts) -> bool:
        """Return whether the value of an expression is known not to be `none`."""
        return _is_never_none(expr) or _key(expr, {}) in facts

    # ------------------------------------------------------------ changes

    def _written_in(self, block: Iterable[core.Stmt]) -> set[str]:
        """Return the places that a block may change, directly or through effects."""
        found: set[str] = set()
        for stmt in core.walk_statements(tuple(block)):
            found |= collect_writes(stmt, self.program.zones)
            if isinstance(stmt, core.CallEffect):
                found |= self._written_by(stmt.effect)
        return found

    def _written_in_phase(self, phase: core.Phase) -> set[str]:
        return set().union(*(self._written_in(inner.body) for inner in core.walk_phases((phase,))))

    def _written_by(self, name: str) -> set[str]:
        """Return the places that an effect may change, including the rules that react to it."""
        if name not in self.writes:
            self.writes[name] = set()
            for block in core.get_bodies(self.program.effects[name]):
                self.writes[name] |= self._written_in(block)
        return self.writes[name]


def _key(node: Any, names: Names) -> Any:
    """Return a key of an expression, which is equal for equal places however they are written."""
    if isinstance(node, core.Local):
        return names.get(node.slot, (core.Local, node.slot))
    if isinstance(node, core.Expr):
        parts = (field.name for field in fields(type(node)) if field.name not in ("type", "span", "origin"))
        return (type(node), *(_key(getattr(node, part), names) for part in parts))
    return tuple(_key(item, names) for item in node) if isinstance(node, tuple) else node


def _arguments(query: core.Query, args: Sequence[core.Expr], names: Names) -> Names:
    return {param.slot: _key(arg, names) for param, arg in zip(query.params, args, strict=True)}


def _is_never_none(expr: core.Expr) -> bool:
    return not isinstance(expr.type, NoneType | OptionalType)


def _without(facts: Facts, written: set[str]) -> Facts:
    return {key: places for key, places in facts.items() if not places & written}


def _joined(ends: Iterable[Facts | None]) -> Facts | None:
    """Return the facts behind alternative blocks: those that hold at the end of each.

    None means that the end is not reached.
    """
    known = [facts for facts in ends if facts is not None]
    if not known:
        return None
    return {key: places for key, places in known[0].items() if all(key in facts for facts in known)}


def untested_places(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about members of places that may be `none`."""
    if not checked.notes.optional_subjects:
        return
    program = checked.program
    walk = UntestedPlaces(checked, report)
    for phase in checked.phases:
        walk.phase(phase, NO_FACTS)
    for effect in program.effects.values():
        walk.routine((), effect.body)
        for rule in core.get_rules(effect):
            walk.routine((rule.condition,), rule.body)
    for query in program.queries.values():
        walk.routine((), (query.value,))
        for modifier in query.modifiers:
            walk.routine((modifier.condition,), (modifier.value,))
    scoring = program.scoring
    payoff = () if scoring.payoff is None else (scoring.payoff,)
    walk.routine((), (*scoring.rank, *payoff, *(value for _, value in scoring.shown)))
    for invariant in program.invariants:
        walk.routine((*(var.condition for var in invariant.each), invariant.condition), ())
