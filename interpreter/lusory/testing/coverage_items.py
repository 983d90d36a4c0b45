"""List what cases can cover in a program: rules, choices, branches, cards and options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import provenance
from lusory_dsl.core.provenance import Origin
from lusory_dsl.source.source import NOWHERE, Span
from lusory_dsl.types.types import BoolType

from ..evaluator.expressions import excerpt
from .program_tree import inside, place_of, routines_in_play, walk

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


NAMED = (provenance.AUTHOR, provenance.CARDS, provenance.KEYWORDS)
"""Makers of declarations that an author can name, such as the test whether a card has a keyword."""


Probe = tuple[str, Any]
"""Fact that proves that an item was exercised.

It is ``ran``, ``held`` or ``failed`` with the id of a node, or another word with the thing that the fact is about.
"""


LONGEST = 60  # maximum length of a quotation in characters


@dataclass(eq=False)
class Item:
    """Part of a ruleset that cases can exercise.

    ``missing`` says what happens in no case. ``within`` is the item that must be exercised to reach this one. One of
    the ``probes`` suffices.
    """

    kind: str
    name: str
    missing: str
    span: Span
    within: Item | None
    probes: set[Probe] = field(default_factory=set)

    @property
    def words(self) -> str:
        """Return what is missing, including the name of the item, for a reader who does not see the line."""
        return self.missing if self.name in self.missing else f"{self.name}: {self.missing}"


def items_of(program: core.Program) -> list[Item]:
    """Return all items of a program, by kind and place in the source."""
    collector = _Collector(program)
    collector.collect()
    order = list(KINDS)
    items = collector.items.values()
    return sorted(items, key=lambda item: (order.index(item.kind), item.span.source.name, item.span.start))


def asks_what_is_made(program: core.Program, condition: core.Expr) -> bool:
    """Return whether a condition reads a generated variable or query that an author cannot name."""
    for part, _ in walk(condition):
        match part:
            case core.ReadCell(place=name) if name in program.variables:
                declared: core.Variable | core.Query = program.variables[name]
            case core.CallQuery(query=name):
                declared = program.queries[name]
            case _:
                continue
        if declared.origin.generator not in NAMED:
            return True
    return False


def quoted(span: Span) -> str:
    """Return the source text of a span in backquotes, shortened."""
    text = excerpt(span)
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}`"


class _Collector:
    """Visitor that collects the items of a program. ``within`` is the item that leads to the node at hand."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.items: dict[tuple[Any, ...], Item] = {}
        # the rules of each card
        self.of_card: dict[str, list[Item]] = {}

    def add(self, kind: str, name: str, missing: str, span: Span, within: Item | None, *probes: Probe) -> Item:
        key = (kind, missing, place_of(span))
        item = self.items.setdefault(key, Item(kind, name, missing, span, within))
        item.probes.update(probes)
        return item

    # ------------------------------------------------------------ declarations

    def collect(self) -> None:
        program = self.program
        for part, _ in routines_in_play(program):
            match part:
                case core.Effect():
                    self.effect(part)
                case core.Query():
                    self.query(part)
                case core.Phase():
                    self.phase(part, None)
                case _:
                    self.expressions(part, None)
        self.options()
        self.cards()

    def effect(self, effect: core.Effect) -> None:
        calls, span = ("effect", effect.name), effect.body[0].span if effect.body else NOWHERE
        item: Item | None = None
        match effect.origin:
            case Origin(generator=provenance.STATE_CHECKS, declaration=name, part="rule"):
                self.whenever(name, effect.origin.card, effect.body)
            case Origin(generator=provenance.SPANS, declaration=name):
                falls = [("ran", id(part)) for part, _ in walk(effect) if isinstance(part, core.SetCell)]
                self.add("rules", name, f"the span `{name}` never ends", span, None, *falls)
            case Origin(generator=provenance.AUTHOR) | Origin(part=provenance.EFFECT_COPY) if effect.body:
                name = effect.origin.declaration or effect.name
                if effect.is_window:
                    item = self.add("windows", name, f"the window `{name}` never opens", span, None, calls)
                else:
                    item = self.add("effects", name, f"`{name}` is never carried out", span, None, calls)
                self.block(effect.body, item)
        for rule in core.get_rules(effect):
            body, condition = rule.body, rule.condition
            match body:
                # a loop over all copies of a card
                case (core.ForEach(origin=Origin(generator=provenance.RULES)) as each, *_):
                    body, condition = each.body, each.condition
            missing = f"the rule `{rule.id}` never fires"
            fires = self.add("rules", rule.id, missing, rule.span, item, *self.entry(body))
            self.stands_on(rule.origin.card, fires)
            if condition is not None:
                self.condition(condition, item, fires)
            self.block(body, fires)

    def stands_on(self, card: str, rule: Item) -> None:
        """Record that a card has this rule."""
        self.of_card.setdefault(card, []).append(rule)

    def whenever(self, name: str, card: str, body: tuple[core.Stmt, ...]) -> None:
        """Collect the items of a `whenever` rule: a condition and a block, possibly in a loop over cards."""
        (stmt,) = body
        while isinstance(stmt, core.ForEach) and stmt.condition is None:
            (stmt,) = stmt.body
        condition, done = stmt.branches[0] if isinstance(stmt, core.If) else (stmt.condition, stmt.body)  # type: ignore[attr-defined]
        item = self.add("rules", name, f"the rule `{name}` never fires", stmt.span, None, *self.entry(done))
        self.stands_on(card, item)
        self.condition(condition, None, item)
        self.block(done, item)

    def query(self, query: core.Query) -> None:
        item = None
        if query.origin.is_authored and query.name not in self.program.keywords:
            missing = f"the query `{query.name}` is never used"
            item = self.add("queries", query.name, missing, query.value.span, None, ("ran", id(query.value)))
        self.expressions(query.value, item)
        for modifier in query.modifiers:
            if not modifier.origin.is_authored:
                # a temporary modifier, which the statement that creates it covers
                continue
            missing = f"the rule `{modifier.rule}` is never in force"
            rule = self.add("rules", modifier.rule, missing, modifier.span, item, ("ran", id(modifier.value)))
            self.stands_on(modifier.origin.card, rule)
            self.condition(modifier.condition, item, rule)
            self.expressions(modifier.value, rule)

    def phase(self, phase: core.Phase, within: Item | None) -> None:
        item = within
        if phase is not self.program.setup and phase.origin.is_authored:
            entered = ("phase", phase.id)
            item = self.add("phases", phase.id, f"the phase `{phase.id}` is never entered", phase.span, within, entered)
        for condition in (phase.condition, phase.repeat):
            if condition is not None:
                self.condition(condition, within, item)
        self.block(phase.body, item)
        for child in phase.children:
            self.phase(child, item)

    def options(self) -> None:
        for option in self.program.options:
            words: Iterable[tuple[object, str]] = enumerate(option.values)
            if isinstance(option.type, BoolType):
                words = ((False, "false"), (True, "true"))
            elif not option.values:
                words = ((option.default, str(option.default)),)
                missing = f"`{option.name}` is never played with another value than {option.default}"
                self.add("options", option.name, missing, option.span, None, ("other value", option.name))
            for value, word in words:
                missing = f"`{option.name}: {word}` is never played"
                probe = ("option", (option.name, value))
                self.add("options", f"{option.name}={word}", missing, option.span, None, probe)

    def cards(self) -> None:
        """Collect the cards. A card also counts as used when one of its own rules takes effect."""
        for entity in self.program.entities:
            if entity.fields.get("original", entity.number) == entity.number:
                rules = (probe for rule in self.of_card.get(entity.card, ()) for probe in rule.probes)
                probes: tuple[Probe, ...] = (("card", entity.number), *rules)
                self.add("cards", entity.card, f"`{entity.card}` is never used", entity.span, None, *probes)

    # ------------------------------------------------------------ statements

    @staticmethod
    def entry(block: tuple[core.Stmt, ...]) -> list[Probe]:
        """Return the probe for entering a block, or none if it is empty."""
        return [("ran", id(block[0]))] if block else []

    def block(self, block: tuple[core.Stmt, ...], within: Item | None) -> None:
        for stmt in block:
            self.statement(stmt, within)

    def statement(self, stmt: core.Stmt, within: Item | None) -> None:
        if not stmt.origin.declaration:
            self.add("statements", quoted(stmt.span), "this is never carried out", stmt.span, within, ("ran", id(stmt)))
        match stmt:
            case core.If():
                for condition, body in stmt.branches:
                    held, within = self.condition(condition, within)
                    self.block(body, held)
                self.block(stmt.otherwise, within)
            case core.ForEach() | core.Repeat():
                self.loop(stmt, within)
            case core.Ask():
                self.ask(stmt, within)
            case core.AskMany():
                self.choice(stmt, within)
                self.expressions(stmt, within)
            case _:
                self.expressions(stmt, within)
                for block in core.get_blocks(stmt):
                    self.block(block, within)

    def loop(self, stmt: core.ForEach | core.Repeat, within: Item | None) -> None:
        passes = within
        if not stmt.origin.declaration:
            word = stmt.name if isinstance(stmt, core.ForEach) else "repeat"
            passes = self.add("loops", word, "this loop never runs", stmt.span, within, *self.entry(stmt.body))
        for part, _ in inside(stmt):
            if isinstance(part, core.Expr) and part is not stmt.condition:
                self.expressions(part, within)
        if stmt.condition is not None:
            self.condition(stmt.condition, passes if isinstance(stmt, core.ForEach) else within, passes)
        self.block(stmt.body, passes)

    def choice(self, stmt: core.Ask | core.AskMany, within: Item | None) -> Item | None:
        if stmt.origin.declaration:
            return within
        made = ("choice", stmt.site)
        return self.add("choices", quoted(stmt.span), "this choice is never made", stmt.span, within, made)

    def ask(self, stmt: core.Ask, within: Item | None) -> None:
        made = self.choice(stmt, within)
        self.expressions(stmt.chooser, within)
        for number, alternative in enumerate(stmt.alternatives):
            chosen = made
            if alternative.name is not None and place_of(alternative.span) != place_of(stmt.span):
                missing, probe = f"`{alternative.name}` is never chosen", ("answer", (stmt.site, number))
                chosen = self.add("answers", alternative.name, missing, alternative.span, made, probe)
            for condition in alternative.conditions:
                self.condition(condition, within, chosen)
            for variable in alternative.vars:
                self.expressions(variable, within)
            self.block(alternative.body, chosen)
        self.block(stmt.otherwise, within)

    # ------------------------------------------------------------ expressions

    def expressions(self, part: Any, within: Item | None) -> None:
        """Collect the conditions inside an expression, or inside the expressions of a statement."""
        match part:
            case core.Stmt():
                for inner, _ in inside(part):
                    if not isinstance(inner, core.Stmt | core.Alternative):
                        self.own(part, inner, within)
                return
            case core.IfExpr():
                held, failed = self.condition(part.condition, within)
                self.expressions(part.then, held)
                self.expressions(part.otherwise, failed)
                return
            case core.Binary(op="and" | "or"):
                self.operands(part, within, within)
                return
        for inner, _ in inside(part):
            self.own(part, inner, within)

    def own(self, part: Any, inner: Any, within: Item | None) -> None:
        """Collect a direct child of ``part``: one of its conditions, or any other expression."""
        is_body = isinstance(part, core.Fold) and part.is_test and inner is part.body
        if is_body or inner is getattr(part, "condition", None):
            self.condition(inner, within)
        else:
            self.expressions(inner, within)

    def condition(
        self, condition: core.Expr, within: Item | None, needed: Item | None = None
    ) -> tuple[Item | None, Item | None]:
        """Collect both sides of a condition and return the items of its true and its false side.

        ``needed`` is an item that already requires the condition to be true and reports it.
        """
        if isinstance(condition, core.Const) or self.is_unwritten(condition):
            self.expressions(condition, within)
            return within, within
        held = self.side(condition, "held", needed or within)
        failed = self.side(condition, "failed", within)
        if isinstance(condition, core.Binary) and condition.op in ("and", "or"):
            self.operands(condition, within, failed if condition.op == "and" else held)
        else:
            self.expressions(condition, within)
        return held, failed

    def operands(self, part: core.Binary, within: Item | None, decided: Item | None) -> None:
        """Collect for each operand of `and` or `or` the value that decides the result alone.

        ``decided`` is the item for that result. The other value of an operand is implied by the other result of the
        whole.
        """
        for operand in (part.left, part.right):
            if isinstance(operand, core.Binary) and operand.op == part.op:
                self.operands(operand, within, decided)
                continue
            if not isinstance(operand, core.Const) and not self.is_unwritten(operand):
                self.side(operand, "failed" if part.op == "and" else "held", decided)
            self.expressions(operand, within)

    def side(self, condition: core.Expr, side: str, within: Item | None) -> Item:
        kind = "options" if self.is_about_options(condition) else "conditions"
        missing = f"{quoted(condition.span)} is never {'true' if side == 'held' else 'false'}"
        return self.add(kind, quoted(condition.span), missing, condition.span, within, (side, id(condition)))

    def is_unwritten(self, condition: core.Expr) -> bool:
        """Return whether a condition was generated from a declaration, or reads something that no author can name."""
        return bool(condition.origin.declaration) or asks_what_is_made(self.program, condition)

    @staticmethod
    def is_about_options(condition: core.Expr) -> bool:
        """Return whether a condition depends on options only, so that a case with other options would cover it."""
        parts = [part for part, _ in walk(condition)]
        asked = any(isinstance(part, core.OptionValue) for part in parts)
        return asked and all(isinstance(p, core.OptionValue | core.Const | core.Unary | core.Binary) for p in parts)
