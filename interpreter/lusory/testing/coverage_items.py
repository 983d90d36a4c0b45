"""List what cases can cover in a program: rules, choices, branches, cards and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import generated_part_origins
from lusory_dsl.core.generated_part_origins import Origin
from lusory_dsl.source.source import NOWHERE, Span
from lusory_dsl.types.types import BoolType

from .program_traversal_and_node_replacement import list_children, list_used_routines, make_span_key, walk

KINDS = {
    "phases": "entered",
    "effects": "carried out",
    "queries": "asked",
    "rules": "fired or in force",
    "windows": "opened",
    "choices": "made",
    "answers": "chosen",
    "loops": "with a pass",
    "statements": "carried out",
    "conditions": "sides seen",
    "cards": "used",
    "options": "values played",
}
"""Kinds of items in the order of reports, each with what it means for one to be covered."""


NAMED = (generated_part_origins.AUTHOR, generated_part_origins.CARDS, generated_part_origins.KEYWORDS)
"""Makers of declarations that an author can name, such as the test whether a card has a keyword."""


Probe = tuple[str, Any]
"""Fact that proves that an item was exercised.

It is ``ran``, ``held`` or ``failed`` with the id of a node, or another word with the thing that the fact is about.
"""


MAX_QUOTE_LENGTH = 60  # maximum length of a quotation in characters


@dataclass(eq=False)
class Item:
    """Part of a ruleset that cases can exercise.

    ``gap`` says what happens in no case. ``parent`` is the item that must be exercised to reach this one. One of
    the ``probes`` suffices.
    """

    kind: str
    name: str
    gap: str
    span: Span
    parent: Item | None
    probes: set[Probe] = field(default_factory=set)

    @property
    def description(self) -> str:
        """The gap, after the name of the item and a colon if the gap does not contain this name."""
        return self.gap if self.name in self.gap else f"{self.name}: {self.gap}"


def list_items(program: core.Program) -> list[Item]:
    """Return the items of a program, in the order of :data:`KINDS`, then by the name of the source and the place in it.

    Effects and queries that :func:`list_used_routines` leaves out, since nothing in play calls them, have none. Parts
    of the same kind from the same place in the source with the same gap are one item, with the probes of all.
    """
    collector = _Collector(program)
    collector._collect_all()
    kinds = list(KINDS)
    items = collector.items.values()
    return sorted(items, key=lambda item: (kinds.index(item.kind), item.span.source.name, item.span.start))


def reads_generated_code(program: core.Program, condition: core.Expr) -> bool:
    """Return whether a condition reads a generated variable or query that an author cannot name.

    Generated variables and queries of cards and keywords have names.
    """
    for node, _ in walk(condition):
        match node:
            case core.ReadCell(place=name) if name in program.variables:
                declaration: core.Variable | core.Query = program.variables[name]
            case core.CallQuery(query=name):
                declaration = program.queries[name]
            case _:
                continue
        if declaration.origin.generator not in NAMED:
            return True
    return False


def quote_span(span: Span) -> str:
    """Return the source text of a span on one line in backquotes, cut to MAX_QUOTE_LENGTH characters with ``…``."""
    text = span.line_text
    return f"`{text if len(text) <= MAX_QUOTE_LENGTH else text[: MAX_QUOTE_LENGTH - 1] + '…'}`"


class _Collector:
    """Visitor that collects the items of a program. ``parent`` is the item that leads to the node at hand."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.items: dict[tuple[Any, ...], Item] = {}
        # the rules of each card
        self.rules_by_card: dict[str, list[Item]] = defaultdict(list)

    def _add(self, kind: str, name: str, gap: str, span: Span, parent: Item | None, *probes: Probe) -> Item:
        """Return the item with this kind, gap and place in the source, and add the probes to it. A new one is kept in
        ``items``.

        An item that exists keeps its name, span and parent.
        """
        key = (kind, gap, make_span_key(span))
        item = self.items.setdefault(key, Item(kind, name, gap, span, parent))
        item.probes.update(probes)
        return item

    # ------------------------------------------------------------ declarations

    def _collect_all(self) -> None:
        """Add all items of the program to ``items``: those of routines in use, then those of options and of cards."""
        program = self.program
        for routine, _ in list_used_routines(program):
            match routine:
                case core.Effect():
                    self._collect_effect(routine)
                case core.Query():
                    self._collect_query(routine)
                case core.Phase():
                    self._collect_phase(routine, None)
                case _:
                    self._collect_expressions(routine, None)
        self._collect_options()
        for entity in program.entities:
            if entity.fields.get("original", entity.number) == entity.number:
                # a card also counts as used when one of its own rules takes effect
                rules = (probe for rule in self.rules_by_card[entity.card] for probe in rule.probes)
                probes: tuple[Probe, ...] = (("card", entity.number), *rules)
                self._add("cards", entity.card, f"`{entity.card}` is never used", entity.span, None, *probes)

    def _collect_effect(self, effect: core.Effect) -> None:
        """Collect the items of an effect: its call, the rules that react to it, and its body.

        A check of states gives the items of its `whenever` rule, and a span gives an item for its end. Other generated
        effects have no item for the call.
        """
        calls, span = ("effect", effect.name), effect.body[0].span if effect.body else NOWHERE
        item: Item | None = None
        match effect.origin:
            case Origin(generator=generated_part_origins.STATE_CHECKS, declaration=name, part="rule"):
                self._collect_whenever(name, effect.origin.card, effect.body)
            case Origin(generator=generated_part_origins.SPANS, declaration=name):
                endings = [("ran", id(node)) for node, _ in walk(effect) if isinstance(node, core.SetCell)]
                self._add("rules", name, f"the span `{name}` never ends", span, None, *endings)
            case Origin(generator=generated_part_origins.AUTHOR) | Origin(part=generated_part_origins.EFFECT_COPY) if (
                effect.body
            ):
                name = effect.origin.declaration or effect.name
                if effect.is_window:
                    item = self._add("windows", name, f"the window `{name}` never opens", span, None, calls)
                else:
                    item = self._add("effects", name, f"`{name}` is never carried out", span, None, calls)
                self._collect_block(effect.body, item)
        for rule in core.get_rules(effect):
            body, condition = rule.body, rule.condition
            match body:
                # a loop over all copies of a card
                case (core.ForEach(origin=Origin(generator=generated_part_origins.RULES)) as loop, *_):
                    body, (_, condition) = loop.body, core.split_rule_loop(loop)
            gap = f"the rule `{rule.id}` never fires"
            fires = self._add("rules", rule.id, gap, rule.span, item, *self._probe_entry(body))
            self.rules_by_card[rule.origin.card].append(fires)
            if condition is not None:
                self._collect_condition(condition, item, fires)
            self._collect_block(body, fires)

    def _collect_whenever(self, name: str, card: str, body: tuple[core.Stmt, ...]) -> None:
        """Collect the items of a `whenever` rule: a condition and a block, possibly in a loop over cards."""
        (stmt,) = body
        while isinstance(stmt, core.ForEach) and stmt.condition is None:
            (stmt,) = stmt.body
        condition, rule_body = stmt.branches[0] if isinstance(stmt, core.If) else (stmt.condition, stmt.body)  # type: ignore[attr-defined]
        item = self._add(
            "rules", name, f"the rule `{name}` never fires", stmt.span, None, *self._probe_entry(rule_body)
        )
        self.rules_by_card[card].append(item)
        self._collect_condition(condition, None, item)
        self._collect_block(rule_body, item)

    def _collect_query(self, query: core.Query) -> None:
        """Collect the items of a query and of the rules that modify it.

        Generated queries and keywords have no item of their own.
        """
        item = None
        if query.origin.is_authored and query.name not in self.program.keywords:
            gap = f"the query `{query.name}` is never used"
            item = self._add("queries", query.name, gap, query.value.span, None, ("ran", id(query.value)))
        self._collect_expressions(query.value, item)
        for modifier in query.modifiers:
            if not modifier.origin.is_authored:
                # a temporary modifier, which the statement that creates it covers
                continue
            gap = f"the rule `{modifier.rule}` is never in force"
            rule = self._add("rules", modifier.rule, gap, modifier.span, item, ("ran", id(modifier.value)))
            self.rules_by_card[modifier.origin.card].append(rule)
            self._collect_condition(modifier.condition, item, rule)
            self._collect_expressions(modifier.value, rule)

    def _collect_phase(self, phase: core.Phase, parent: Item | None) -> None:
        """Collect the items of a phase and, after them, those of the phases inside it, whose parent is its item.

        The setup and generated phases have no item of their own; ``parent`` stands for it.
        """
        item = parent
        if phase is not self.program.setup and phase.origin.is_authored:
            entry_probe = ("phase", phase.id)
            item = self._add(
                "phases", phase.id, f"the phase `{phase.id}` is never entered", phase.span, parent, entry_probe
            )
        for condition in (phase.condition, phase.repeat):
            if condition is not None:
                self._collect_condition(condition, parent, item)
        self._collect_block(phase.body, item)
        for child in phase.children:
            self._collect_phase(child, item)

    def _collect_options(self) -> None:
        """Collect an item for each value of each option. A number has items for its default and for any other value."""
        for option in self.program.options:
            values: Iterable[tuple[object, str]] = enumerate(option.values)
            if isinstance(option.type, BoolType):
                values = ((False, "false"), (True, "true"))
            elif not option.values:
                values = ((option.default, str(option.default)),)
                gap = f"`{option.name}` is never played with another value than {option.default}"
                self._add("options", option.name, gap, option.span, None, ("other value", option.name))
            for value, text in values:
                gap = f"`{option.name}: {text}` is never played"
                probe = ("option", (option.name, value))
                self._add("options", f"{option.name}={text}", gap, option.span, None, probe)

    # ------------------------------------------------------------ statements

    @staticmethod
    def _probe_entry(block: tuple[core.Stmt, ...]) -> list[Probe]:
        """Return the probe for entering a block, or none if it is empty."""
        return [("ran", id(block[0]))] if block else []

    def _collect_block(self, block: tuple[core.Stmt, ...], parent: Item | None) -> None:
        for stmt in block:
            self._collect_statement(stmt, parent)

    def _collect_statement(self, stmt: core.Stmt, parent: Item | None) -> None:
        """Collect the items of a statement. Items inside it have ``parent``, or an item that leads to them.

        After a branch whose condition was false, the items of further branches have that side as their parent.
        """
        if not stmt.origin.declaration:
            self._add(
                "statements", quote_span(stmt.span), "this is never carried out", stmt.span, parent, ("ran", id(stmt))
            )
        match stmt:
            case core.If():
                for condition, body in stmt.branches:
                    true_side, parent = self._collect_condition(condition, parent)
                    self._collect_block(body, true_side)
                self._collect_block(stmt.otherwise, parent)
            case core.ForEach() | core.Repeat():
                self._collect_loop(stmt, parent)
            case core.Ask():
                self._collect_ask(stmt, parent)
            case core.AskMany():
                self._collect_choice(stmt, parent)
                self._collect_expressions(stmt, parent)
            case _:
                self._collect_expressions(stmt, parent)
                for block in core.get_blocks(stmt):
                    self._collect_block(block, parent)

    def _collect_loop(self, stmt: core.ForEach | core.Repeat, parent: Item | None) -> None:
        """Collect an item for a pass of a loop, and those of its expressions and body.

        A loop that was made from a declaration has no item of its own.
        """
        passes = parent
        if not stmt.origin.declaration:
            name = stmt.name if isinstance(stmt, core.ForEach) else "repeat"
            passes = self._add("loops", name, "this loop never runs", stmt.span, parent, *self._probe_entry(stmt.body))
        for child, _ in list_children(stmt):
            if isinstance(child, core.Expr) and child is not stmt.condition:
                self._collect_expressions(child, parent)
        if stmt.condition is not None:
            self._collect_condition(stmt.condition, passes if isinstance(stmt, core.ForEach) else parent, passes)
        self._collect_block(stmt.body, passes)

    def _collect_choice(self, stmt: core.Ask | core.AskMany, parent: Item | None) -> Item | None:
        """Return the item for making a choice, or ``parent`` for a generated one."""
        if stmt.origin.declaration:
            return parent
        probe = ("choice", stmt.site)
        return self._add("choices", quote_span(stmt.span), "this choice is never made", stmt.span, parent, probe)

    def _collect_ask(self, stmt: core.Ask, parent: Item | None) -> None:
        """Collect the items of a choice: itself, its alternatives in order, and the block without options.

        An alternative with a name has an item ``answers``, whose parent is the choice; then follow its conditions,
        variables and block.
        """
        choice_item = self._collect_choice(stmt, parent)
        self._collect_expressions(stmt.chooser, parent)
        for number, alternative in enumerate(stmt.alternatives):
            answer_item = choice_item
            if alternative.name is not None and make_span_key(alternative.span) != make_span_key(stmt.span):
                gap, probe = f"`{alternative.name}` is never chosen", ("answer", (stmt.site, number))
                answer_item = self._add("answers", alternative.name, gap, alternative.span, choice_item, probe)
            for condition in alternative.conditions:
                self._collect_condition(condition, parent, answer_item)
            for variable in alternative.vars:
                self._collect_expressions(variable, parent)
            self._collect_block(alternative.body, answer_item)
        self._collect_block(stmt.otherwise, parent)

    # ------------------------------------------------------------ expressions

    def _collect_expressions(self, node: Any, parent: Item | None) -> None:
        """Collect the conditions inside an expression, or inside the expressions of a statement."""
        match node:
            case core.IfExpr():
                true_side, false_side = self._collect_condition(node.condition, parent)
                self._collect_expressions(node.then, true_side)
                self._collect_expressions(node.otherwise, false_side)
                return
            case core.Binary(op="and" | "or"):
                self._collect_operands(node, parent, parent)
                return
        for child, _ in list_children(node):
            is_body = isinstance(node, core.Fold) and node.is_test and child is node.body
            if is_body or child is getattr(node, "condition", None):
                self._collect_condition(child, parent)
            elif not isinstance(child, core.Stmt | core.Alternative):
                self._collect_expressions(child, parent)

    def _collect_condition(
        self, condition: core.Expr, parent: Item | None, reporting_item: Item | None = None
    ) -> tuple[Item | None, Item | None]:
        """Collect both sides of a condition and return the items of its true and its false side.

        ``reporting_item`` is an item that already requires the condition to be true and reports it. A constant or
        generated condition has no sides: then both are ``parent``.
        """
        if isinstance(condition, core.Const) or self._is_generated(condition):
            self._collect_expressions(condition, parent)
            return parent, parent
        true_side = self._add_side(condition, "held", reporting_item or parent)
        false_side = self._add_side(condition, "failed", parent)
        if isinstance(condition, core.Binary) and condition.op in ("and", "or"):
            self._collect_operands(condition, parent, false_side if condition.op == "and" else true_side)
        else:
            self._collect_expressions(condition, parent)
        return true_side, false_side

    def _collect_operands(self, expr: core.Binary, parent: Item | None, result_item: Item | None) -> None:
        """Collect for each operand of `and` or `or` the value that decides the result alone.

        ``result_item`` is the item for that result. The other value of an operand is implied by the other result of the
        whole. Chains of the same operator are flattened.

        Example: for ``a and b``, the items are that ``a`` is false and that ``b`` is false.
        """
        for operand in (expr.left, expr.right):
            if isinstance(operand, core.Binary) and operand.op == expr.op:
                self._collect_operands(operand, parent, result_item)
                continue
            if not isinstance(operand, core.Const) and not self._is_generated(operand):
                self._add_side(operand, "failed" if expr.op == "and" else "held", result_item)
            self._collect_expressions(operand, parent)

    def _add_side(self, condition: core.Expr, side: str, parent: Item | None) -> Item:
        """Return the item for one side of a condition, ``held`` or ``failed``.

        It is of the kind ``options`` if the condition reads options and otherwise only constants: a case with other
        options would cover its other side. Else it is of the kind ``conditions``.
        """
        nodes = [node for node, _ in walk(condition)]
        is_about_options = any(isinstance(node, core.OptionValue) for node in nodes) and all(
            isinstance(node, core.OptionValue | core.Const | core.Unary | core.Binary) for node in nodes
        )
        kind = "options" if is_about_options else "conditions"
        gap = f"{quote_span(condition.span)} is never {'true' if side == 'held' else 'false'}"
        return self._add(kind, quote_span(condition.span), gap, condition.span, parent, (side, id(condition)))

    def _is_generated(self, condition: core.Expr) -> bool:
        """Return whether a condition was generated from a declaration, or reads something that no author can name."""
        return bool(condition.origin.declaration) or reads_generated_code(self.program, condition)
