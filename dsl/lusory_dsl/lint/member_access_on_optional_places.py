"""Lint accesses to members of a place that may be `none`, where no earlier condition excludes that.

The checker refuses such an access to a local. A place, such as `model[this]`, can change between the test and the
access. So the checker accepts it, and a `none` there is a fault during play. This lint is a forward data-flow
analysis: it follows conditions and assignments up to each access. It does not warn if it is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import core
from ..checker.check import CheckedRuleset
from ..core.program_reads_and_value_bounds import collect_reads, collect_writes, collect_writes_of_effects, make_key
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics
from ..types.types import NoneType, OptionalType

Facts = Mapping[object, frozenset[str]]
"""Key of a place that is not `none` here -> the variables and zones that would have to change to make it `none`."""
LocalKeys = Mapping[int, object]
"""Slot of a local -> key of its value. For a parameter of a query, that is the key of the argument."""

NO_FACTS: Facts = {}
MAX_QUERY_DEPTH = 5
"""Maximum depth of nested queries that are followed."""
MAX_STEPS = 300_000
"""Maximum number of condition parts that are followed in one program. Beyond it, nothing is reported."""


class UntestedPlaceLint:
    """Follow each routine with the facts that hold at each step: the places that are not ``none``.

    Example: ``if model[this] is not none: set x to model[this].cost`` is fine. Without the test, the access is
    reported. After ``set model[this] to none`` the fact no longer holds.
    """

    def __init__(self, checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
        self.program = checked_ruleset.program
        self.subject_spans = checked_ruleset.notes.optional_subjects
        self.report = report
        self.slot_values: dict[int, core.Expr] = {}  # slot of a local in the current routine -> its value
        self.steps = 0  # number of condition parts followed so far
        self.writes_of_effects = collect_writes_of_effects(self.program)

    def _check_routine(self, conditions: Iterable[core.Expr | None], parts: Sequence[core.Expr | core.Stmt]) -> None:
        """Check ``conditions`` in order, then ``parts``, which run only if all of them hold.

        Expressions of ``parts`` are checked first, then its statements as one block.
        """
        self.slot_values.clear()
        facts = self._check_conditions(conditions, NO_FACTS)
        for part in parts:
            if isinstance(part, core.Expr):
                self._check_expression(part, facts)
        self._check_block([part for part in parts if isinstance(part, core.Stmt)], facts)

    def _check_invariant(self, invariant: core.Invariant) -> None:
        """Check an invariant, whose ``because`` is read only where the condition fails."""
        self.slot_values.clear()
        facts = self._check_variables(invariant.vars, NO_FACTS)
        self._check_expression(invariant.condition, facts)
        if invariant.because is not None:
            self._check_expression(invariant.because, self._assume(invariant.condition, False, facts))

    def _check_phase(self, phase: core.Phase, facts: Facts) -> None:
        """Check a phase and its child phases, with the facts at its start.

        ``condition`` and ``repeat`` add facts for the body and the child phases. Facts about a place that a repeated
        phase writes are dropped before ``repeat``, as ``condition`` is not tested again in later passes. Facts about a
        place that a child phase writes are dropped after it.
        """
        self.slot_values.clear()
        facts = self._check_conditions((phase.condition,), facts)
        if phase.repeat is not None:
            facts = _drop_written(facts, self._find_phase_writes(phase))
        facts = self._check_conditions((phase.repeat,), facts)
        self._check_block(phase.body, facts)
        for child in phase.children:
            self._check_phase(child, facts)
            facts = _drop_written(facts, self._find_phase_writes(child))

    # ------------------------------------------------------------ expressions

    def _check_expression(self, expr: core.Expr, facts: Facts) -> None:
        """Report members that an expression reads of places that may be `none`, where no fact in ``facts`` excludes it.

        The right side of ``and`` and ``or``, and the branches of a conditional, are checked with what their condition
        adds.
        """
        if expr.span in self.subject_spans and isinstance(expr, core.ReadCell | core.TableRead | core.Field):
            self._check_subject(expr, facts)
        match expr:
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                self._check_expression(left, facts)
                self._check_expression(right, self._assume(left, op == "and", facts))
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                self._check_expression(condition, facts)
                self._check_expression(then, self._assume(condition, True, facts))
                self._check_expression(otherwise, self._assume(condition, False, facts))
            case core.Named(slot=slot, value=value, body=body):
                self.slot_values[slot] = value
                self._check_expression(value, facts)
                self._check_expression(body, facts)
            case _:
                facts, parts = self._check_iteration(expr, facts, facts)
                for child in parts:
                    self._check_expression(child, facts)

    def _check_subject(self, expr: core.Expr, facts: Facts) -> None:
        is_known = isinstance(expr.type, OptionalType) or make_key(expr) in facts
        if is_known or self.steps > MAX_STEPS:
            return
        text = expr.span.line_text
        hint = f"test it first, for example `if {text} is not none`"
        self.report.add(codes.UNTESTED_PLACE, f"`{text}` may be `none` here", expr.span, hint)

    def _check_iteration(self, node: core.Expr | core.Stmt, list_facts: Facts, facts: Facts) -> tuple[Facts, list[Any]]:
        """Check the list that a node iterates over, and its condition.

        ``list_facts`` holds where the list is evaluated, and ``facts`` where the items are used. Returns the facts that
        also hold for each item, and the remaining parts of the node. Other nodes are returned with all their parts.
        """
        iteration, children = core.get_iteration(node), core.get_children(node)
        if iteration is None:
            return facts, children
        slot, source, condition = iteration
        self._check_expression(source, list_facts)
        facts = {**facts, **self._derive_item_facts(source, (core.Local, slot), {}, MAX_QUERY_DEPTH)}
        return self._check_conditions((condition,), facts), [
            child for child in children if child is not source and child is not condition
        ]

    def _check_conditions(self, conditions: Iterable[core.Expr | None], facts: Facts) -> Facts:
        """Check conditions in order. Returns the facts if all of them hold."""
        for condition in conditions:
            if condition is not None:
                self._check_expression(condition, facts)
                facts = self._assume(condition, True, facts)
        return facts

    def _check_variables(self, variables: Iterable[core.ChoiceVar], facts: Facts) -> Facts:
        """Check the lists and conditions of variables in order. Returns the facts that also hold for their values."""
        for var in variables:
            self._check_expression(var.domain, facts)
            facts = {**facts, **self._derive_item_facts(var.domain, (core.Local, var.slot), {}, MAX_QUERY_DEPTH)}
            facts = self._check_conditions((var.condition,), facts)
        return facts

    # ------------------------------------------------------------ facts from conditions

    def _assume(self, condition: core.Expr, is_met: bool, facts: Facts) -> Facts:
        return {**facts, **self._derive_facts(condition, is_met, {}, MAX_QUERY_DEPTH)}

    def _derive_facts(self, condition: core.Expr, is_met: bool, keys: LocalKeys, depth: int) -> Facts:
        """Return the facts that follow if ``condition`` has the value ``is_met``: which places are not none.

        ``and`` that holds gives the facts of both sides, ``or`` those that both share. ``depth`` limits the depth of
        queries. After ``MAX_STEPS`` steps, and for any other condition, nothing follows.
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            return NO_FACTS
        match condition:
            case core.Unary(op="not", operand=operand):
                return self._derive_facts(operand, not is_met, keys, depth)
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                sides = self._derive_facts(left, is_met, keys, depth), self._derive_facts(right, is_met, keys, depth)
                if (op == "and") is is_met:
                    return {**sides[0], **sides[1]}
                return {key: sides[0][key] | sides[1][key] for key in sides[0] if key in sides[1]}
            case core.Binary(op="=" | "!=" as op, left=left, right=right):
                is_same = (op == "=") is is_met
                facts = NO_FACTS
                for value, other_value in ((left, right), (right, left)):
                    if _is_never_none(other_value) if is_same else isinstance(other_value.type, NoneType):
                        facts = {**facts, **self._make_fact(value, keys)}
                return facts
            case core.Binary(op="in", left=left) if is_met:
                return self._make_fact(left, keys)
            case core.Local(slot=slot) if slot in self.slot_values:
                return self._derive_facts(self.slot_values[slot], is_met, keys, depth)
            case core.CallQuery(query=name, args=args) if depth and not self.program.queries[name].modifiers:
                query = self.program.queries[name]
                return self._derive_facts(query.value, is_met, _map_arguments(query, args, keys), depth - 1)
        return NO_FACTS

    def _derive_item_facts(self, source: core.Expr, item: object, keys: LocalKeys, depth: int) -> Facts:
        """Return the facts about ``item`` that follow because it is in the filtered list ``source``."""
        self.steps += 1
        match source:
            case core.Filter(slot=slot, source=items, condition=condition):
                facts = self._derive_facts(condition, True, {**keys, slot: item}, depth)
                return {**facts, **self._derive_item_facts(items, item, keys, depth)}
            case core.Sorted(source=items) | core.Extreme(source=items) | core.Distinct(source=items):
                return self._derive_item_facts(items, item, keys, depth)
            case core.Local(slot=slot) if slot in self.slot_values:
                return self._derive_item_facts(self.slot_values[slot], item, keys, depth)
            case core.CallQuery(query=name, args=args) if depth and not self.program.queries[name].modifiers:
                query = self.program.queries[name]
                return self._derive_item_facts(query.value, item, _map_arguments(query, args, keys), depth - 1)
        return NO_FACTS

    def _make_fact(self, expr: core.Expr, keys: LocalKeys) -> Facts:
        """Return the fact that an expression is not `none`, or no fact if it is not a place.

        A local is replaced by its value.
        """
        if isinstance(expr, core.Local) and expr.slot in self.slot_values and expr.slot not in keys:
            expr = self.slot_values[expr.slot]
        if isinstance(expr, core.ReadCell | core.TableRead | core.Field):
            return {make_key(expr, keys): frozenset(collect_reads(expr, self.program.queries, self.program.zones))}
        return NO_FACTS

    # ------------------------------------------------------------ statements

    def _check_block(self, block: Sequence[core.Stmt], facts: Facts) -> Facts | None:
        """Check a block, and return the facts that hold behind it, or None if it stops or ends the game.

        Statements that are not reached are skipped.
        """
        end_facts: Facts | None = facts
        for stmt in block:
            if end_facts is None:
                break
            end_facts = self._check_statement(stmt, end_facts)
        return end_facts

    def _check_statement(self, stmt: core.Stmt, facts: Facts) -> Facts | None:
        """Check a statement, and return the facts that hold behind it. None if what is behind is not reached."""
        match stmt:
            case core.If(branches=branches, otherwise=otherwise):
                exit_facts = []
                for condition, body in branches:
                    self._check_expression(condition, facts)
                    exit_facts.append(self._check_block(body, self._assume(condition, True, facts)))
                    facts = self._assume(condition, False, facts)
                return _intersect_facts([*exit_facts, self._check_block(otherwise, facts)])
            case core.Ask(alternatives=alternatives, otherwise=otherwise):
                for expr in (stmt.chooser, stmt.prompt):
                    self._check_expression(expr, facts)
                exit_facts = [self._check_alternative(alternative, facts) for alternative in alternatives]
                return _intersect_facts([*exit_facts, self._check_block(otherwise, facts)] if otherwise else exit_facts)
            case core.Stop() | core.EndGame():
                for expr in core.get_children(stmt):
                    self._check_expression(expr, facts)
                return None
        return self._check_plain_statement(stmt, facts)

    def _check_alternative(self, alternative: core.Alternative, facts: Facts) -> Facts | None:
        facts = self._check_variables(alternative.vars, self._check_conditions(alternative.conditions, facts))
        if alternative.label is not None:
            self._check_expression(alternative.label, facts)
        return self._check_block(alternative.body, facts)

    def _check_plain_statement(self, stmt: core.Stmt, facts: Facts) -> Facts | None:
        """Check a statement that is not a branch, and return the facts that hold after it, or None if nothing after it
        is reached.

        It has at most one block, or its blocks depend on something else. Facts about places that it writes are dropped.
        """
        written_places = self._find_writes((stmt,))
        is_loop = bool(core.get_traits(type(stmt)).pass_fields)
        inner_facts = _drop_written(facts, written_places) if is_loop else facts
        inner_facts, children = self._check_iteration(stmt, facts, inner_facts)
        if isinstance(stmt, core.Repeat):
            inner_facts = self._check_conditions((stmt.condition,), inner_facts)
        for child in children:
            if isinstance(child, core.Expr):
                self._check_expression(child, inner_facts)
        blocks = core.get_blocks(stmt)
        exit_facts = [self._check_block(block, inner_facts) for block in blocks if block]
        if isinstance(stmt, core.Let):
            self.slot_values[stmt.slot] = stmt.value
        if isinstance(stmt, core.Random):
            return _intersect_facts(exit_facts) if exit_facts else facts
        if not is_loop and blocks and all(blocks):
            return _intersect_facts(exit_facts)
        facts = _drop_written(facts, written_places)
        if (
            isinstance(stmt, core.Repeat)
            and stmt.condition is not None
            and not core.contains_control_flow(stmt.body, core.ControlFlow.STOPS)
        ):
            return self._assume(stmt.condition, False, facts)
        match stmt:
            case core.SetCell(op="set", value=value) if _is_never_none(value) or make_key(value) in facts:
                place = core.ReadCell(value.type, stmt.span, stmt.place, stmt.indices)
                return {**facts, **self._make_fact(place, {})}
        return facts

    # ------------------------------------------------------------ changes

    def _find_writes(self, block: Iterable[core.Stmt]) -> set[str]:
        """Return the places that a block may change, directly or through effects."""
        places: set[str] = set()
        for stmt in core.walk_statements(tuple(block)):
            places |= collect_writes(stmt, self.program.zones)
            if isinstance(stmt, core.CallEffect):
                places |= self.writes_of_effects[stmt.effect]
        return places

    def _find_phase_writes(self, phase: core.Phase) -> set[str]:
        return set().union(*(self._find_writes(child_phase.body) for child_phase in core.walk_phases((phase,))))


def _map_arguments(query: core.Query, args: Sequence[core.Expr], keys: LocalKeys) -> LocalKeys:
    return {param.slot: make_key(arg, keys) for param, arg in zip(query.params, args, strict=True)}


def _is_never_none(expr: core.Expr) -> bool:
    return not isinstance(expr.type, NoneType | OptionalType)


def _drop_written(facts: Facts, written_places: set[str]) -> Facts:
    return {key: places for key, places in facts.items() if not places & written_places}


def _intersect_facts(exit_facts: Iterable[Facts | None]) -> Facts | None:
    """Return the facts behind alternative blocks: those that hold at the end of each.

    None means that the end is not reached.
    """
    reached_facts = [facts for facts in exit_facts if facts is not None]
    if not reached_facts:
        return None
    return {key: places for key, places in reached_facts[0].items() if all(key in facts for facts in reached_facts)}


def report_untested_places(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about members of places that may be ``none``, where no earlier condition or assignment excludes that.

    Example: ``set x to model[this].cost`` gives "`model[this]` may be `none` here", at the span of ``model[this]``. The
    same access further down gives another warning. There is no warning inside ``if model[this] is not none:``, or after
    ``set model[this] to c`` with a card ``c``. Looks into phases, effects and their rules, queries and their modifiers,
    scoring and invariants. After ``MAX_STEPS`` parts of conditions in the whole ruleset, nothing more is reported.
    """
    if not checked_ruleset.notes.optional_subjects:
        return
    program = checked_ruleset.program
    lint = UntestedPlaceLint(checked_ruleset, report)
    for phase in checked_ruleset.phases:
        lint._check_phase(phase, NO_FACTS)
    for effect in program.effects.values():
        lint._check_routine((), effect.body)
        for rule in core.get_rules(effect):
            lint._check_routine((rule.condition,), rule.body)
    for query in program.queries.values():
        lint._check_routine((), (query.value,))
        for modifier in query.modifiers:
            lint._check_routine((modifier.condition,), (modifier.value,))
    scoring = program.scoring
    payoff = () if scoring.payoff is None else (scoring.payoff,)
    lint._check_routine((), (*scoring.rank, *payoff, *(value for _, value in scoring.columns)))
    for invariant in program.invariants:
        lint._check_invariant(invariant)
