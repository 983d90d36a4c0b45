"""Lints about what is certain before anything is played. Called by the checker at the end.

Conditions that never change, choices without a choice, actions that are never legal, cards that nobody can ever pay
for, state checks that never end, phases that never come.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

from .. import core
from ..checker.choices import ALL_OF_THEM
from ..checker.locals import KnownLocals
from ..checker.notes import Notes, WrittenCondition
from ..core.accesses import read_by, written_by
from ..core.bounds import Bounds, Facts
from ..language.types import ComponentType, ListType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Span


class Certainties:
    """The lints of one ruleset without errors."""

    def __init__(self, notes: Notes, facts: Facts, cards: Sequence[model.CardDecl], diagnostics: Diagnostics) -> None:
        self.notes = notes
        self.cards = cards
        self.facts = facts
        self.diagnostics = diagnostics
        self.settled: set[int] = set()  # conditions that are reported, by identity
        self.alike = _alike(facts.entities)
        self.limited = {pool for (pool, _), most in facts.most.items() if most < inf}

    def report(self) -> None:
        """All that look at single conditions and choices."""
        for written in self.notes.conditions:
            self._condition(written)
        paid: dict[int, list[tuple[core.ChoiceVar, bool]]] = {}
        for known, made in self.notes.choices:
            self._choice(known, made)
            for alternative in made.alternatives if isinstance(made, core.Ask) else ():
                self._legal(known, alternative)
                for card, var, enough in self._prices(known, alternative):
                    paid.setdefault(card, []).append((var, enough))
        for card, ways in paid.items():
            if not any(enough for _, enough in ways):
                self._unpayable(self.facts.entities[card], ways[0][0])

    def _bounds(self, known: KnownLocals) -> Bounds:
        self.facts.steps.begin()
        return Bounds(self.facts, known.sources, known.values)

    # ------------------------------------------------------------ conditions

    def _condition(self, written: WrittenCondition) -> None:
        condition = written.condition
        if isinstance(condition, core.Const) and condition.value is True:
            return  # written out: `while true: …`
        bounds = self._bounds(written.known).without_calls()  # a query may be a switch, or replaced by a pack
        found = bounds.truth(condition)
        if found is not None:
            self._constant(condition, found, bounds)
        elif written.before and bounds.never_after(written.before, condition):
            self.settled.add(id(condition))
            message = "this never holds here: what is asked before it covers all of it"
            notes = [(before.span, "asked before") for before in written.before]
            self.diagnostics.add(
                codes.CONSTANT_CONDITION, message, condition.span, "remove the branch, or mend it", notes
            )

    def _constant(self, condition: core.Expr, holds: bool, bounds: Bounds) -> None:
        self.settled.add(id(condition))
        message = "this always holds" if holds else "this never holds"
        hint = "leave the condition out, or mend it" if holds else "remove what depends on it, or mend it"
        sides = (condition.left, condition.right) if isinstance(condition, core.Binary) else ()
        notes = [(side.span, known) for side in sides if (known := bounds.told(side)) is not None]
        self.diagnostics.add(codes.CONSTANT_CONDITION, message, condition.span, hint, notes)

    # ------------------------------------------------------------ choices

    def _choice(self, known: KnownLocals, made: core.Ask | core.AskMany | core.Random) -> None:
        bounds = self._bounds(known)
        match made:
            case core.Random(domain=domain) if bounds.size(domain)[1] <= 1:
                hint = "roll or pick from more, or write what happens without it"
                message = "nothing is left to chance here: there is one outcome at most"
                self.diagnostics.add(codes.ONE_OPTION, message, made.span, hint)
            case core.AskMany(source=source, low=low, high=high, ordered=ordered):
                most, fewest = bounds.size(source)[1], bounds.number(low)[0]
                none = bounds.number(high)[1] <= 0
                if none or most <= (1 if ordered or fewest >= ALL_OF_THEM else fewest):
                    self._one_option(made.span, f"nobody ever chooses `{made.name}`: there is one way at most")
            case core.Ask(alternatives=(only,)) if all(bounds.size(var.domain)[1] <= 1 for var in only.vars):
                what = f"`{only.name}` is the only option" if only.name else "there is one option at most"
                self._one_option(made.span, f"nobody ever chooses anything here: {what}")

    def _one_option(self, span: Span, message: str) -> None:
        hint = "offer something else too, or write what happens without a choice"
        self.diagnostics.add(codes.ONE_OPTION, message, span, hint)

    # ------------------------------------------------------------ actions

    def _legal(self, known: KnownLocals, alternative: core.Alternative) -> None:
        """An option that can never be offered."""
        conditions = _conditions(alternative)
        if alternative.name is None or any(id(part) in self.settled for c in conditions for part in _within(c)):
            return
        bounds = self._bounds(known)
        empty = next((var for var in alternative.vars if bounds.size(var.domain)[1] == 0), None)
        if alternative.original is not None:
            bounds = bounds.of_cards({alternative.vars[0].slot: alternative.original})
        reasons = [c for c in conditions for part in _within(c) if bounds.truth(part) is False]
        if empty is None and not reasons and not bounds.never_together(conditions):
            return
        name = alternative.name
        if alternative.original is not None:
            name = f"{name}` of `{self.facts.entities[alternative.original].card}"
        if empty is not None:
            notes = [(empty.domain.span, f"there is never any `{empty.name}` to choose")]
        else:
            notes = [(c.span, "this is never possible") for c in reasons[:1]]
        hint = "mend what it needs, or remove it"
        self.diagnostics.add(codes.NEVER_LEGAL, f"`{name}` can never be chosen", alternative.span, hint, notes)

    # ------------------------------------------------------------ cards

    def _prices(self, known: KnownLocals, alternative: core.Alternative) -> Iterator[tuple[int, core.ChoiceVar, bool]]:
        """For each card that must be paid for with counters to be chosen: whether there are enough of them."""
        conditions = _conditions(alternative)
        if alternative.original is not None or not any(self._counts(c) for c in conditions):
            return
        bounds = self._bounds(known)
        for var in alternative.vars:
            kind = var.domain.type.item if isinstance(var.domain.type, ListType) else None
            for cards in self.alike.get(str(kind), ()) if isinstance(kind, ComponentType) else ():
                of_card = bounds.of_cards({var.slot: cards[0]})
                enough = not of_card.never_together(conditions)
                if enough or not of_card.without_end().never_together(conditions):
                    yield from ((card, var, enough) for card in cards)

    def _counts(self, condition: core.Expr) -> bool:
        """Whether a condition looks into a pool of which it is known how much it can hold."""
        return bool(self.limited) and not self.limited.isdisjoint(
            read_by(condition, self.facts.queries, self.facts.zones)
        )

    def _unpayable(self, card: core.Entity, var: core.ChoiceVar) -> None:
        span = next((decl.id.span for decl in self.cards if decl.id.text == card.card), None)
        if span is not None:
            message = f"nobody can ever pay for `{card.card}`: there are not enough counters in the whole game"
            notes = [(var.span, f"needed to choose it as `{var.name}`")]
            self.diagnostics.add(codes.NEVER_PAYABLE, message, span, "make it cheaper, or add counters", notes)

    # ------------------------------------------------------------ state checks

    def report_endless(self, checks: Mapping[str, core.Effect], effects: Mapping[str, core.Effect]) -> None:
        """State checks that change nothing of what they look at: once one holds, it holds for ever."""
        for name, check in checks.items():
            condition = self.facts.queries[name].value
            read = read_by(condition, self.facts.queries, self.facts.zones)
            done = list(_done_by(check.body, effects))
            if any(core.does(stmt) & core.Does.ENDS or written_by(stmt, self.facts.zones) & read for stmt in done):
                continue
            message = "this state check never ends: nothing that it does changes what its condition reads"
            hint = "let it change something that the condition reads, or answer to an event with `when`"
            self.diagnostics.add(codes.ENDLESS_CHECK, message, check.body[0].span, hint)


def report_unreachable(
    phases: Sequence[core.Phase], effects: Mapping[str, core.Effect], diagnostics: Diagnostics
) -> None:
    """What stands behind a call or a phase that always ends the game."""
    ending = {name for name, effect in effects.items() if not effect.instead and _ends(effect.body, ())}
    while more := {n for n, e in effects.items() if n not in ending and not e.instead and _ends(e.body, ending)}:
        ending |= more

    def blocks(block: Sequence[core.Stmt]) -> tuple[core.Stmt, ...]:
        for stmt, after in pairwise(block):
            core.rebuilt(stmt, blocks)
            if isinstance(stmt, core.CallEffect) and stmt.effect in ending and after.span != stmt.span:
                message = f"nothing behind `{stmt.effect}` is ever done: it ends the game"
                diagnostics.add(codes.UNREACHABLE, message, after.span, "remove it, or put it before")
        for stmt in block[-1:]:
            core.rebuilt(stmt, blocks)
        return tuple(block)

    def ends(phase: core.Phase) -> bool:
        """Whether the game never goes on behind a phase."""
        blocks(phase.body)
        before: core.Phase | None = None
        for child in phase.children:
            before = (child if ends(child) else None) if before is None else reported(before, child)
        certain = phase.condition is None and phase.repeat is None
        return certain and (before is not None or _ends(phase.body, ending))

    def reported(before: core.Phase, phase: core.Phase) -> core.Phase:
        message = f"the phase `{phase.id}` never comes: `{before.id}` always ends the game"
        diagnostics.add(codes.UNREACHABLE, message, phase.span, "remove it, or put it before")
        return before

    for effect in effects.values():
        for block in (effect.body, *(rule.body for rule in (*effect.instead, *effect.when))):
            blocks(block)
    before: core.Phase | None = None
    for phase in phases:
        before = (phase if ends(phase) else None) if before is None else reported(before, phase)


def _alike(entities: Sequence[core.Entity]) -> dict[str, list[list[int]]]:
    """The cards of each kind, by their first copies; those on which the same numbers are printed together."""
    found: dict[str, dict[object, list[int]]] = {}
    for entity in entities:
        if entity.fields["original"] == entity.number:
            own = tuple((n, v) for n, v in entity.fields.items() if type(v) is int and n != "original")
            found.setdefault(entity.kind, {}).setdefault(own, []).append(entity.number)
    return {kind: list(groups.values()) for kind, groups in found.items()}


def _ends(block: Sequence[core.Stmt], ending: Container[str]) -> bool:
    """Whether a block always ends the game."""
    for stmt in block:
        match stmt:
            case core.EndGame():
                return True
            case core.Stop():
                return False
            case core.CallEffect(effect=effect) if effect in ending:
                return True
            case core.If(branches=branches, otherwise=otherwise):
                if all(_ends(inner, ending) for inner in (*(body for _, body in branches), otherwise)):
                    return True
    return False


def _done_by(block: Sequence[core.Stmt], effects: Mapping[str, core.Effect]) -> Iterator[core.Stmt]:
    """The statements of a block, of the effects that it calls, and of the rules that answer to them."""
    seen: set[str] = set()
    todo: list[Sequence[core.Stmt]] = [block]
    while todo:
        for stmt in core.statements_in(tuple(todo.pop())):
            yield stmt
            if isinstance(stmt, core.CallEffect) and stmt.effect not in seen and stmt.effect in effects:
                seen.add(stmt.effect)
                effect = effects[stmt.effect]
                todo += [effect.body, *(rule.body for rule in (*effect.instead, *effect.when))]


def _conditions(alternative: core.Alternative) -> list[core.Expr]:
    """What must hold for an option to be offered."""
    return [*alternative.conditions, *(var.condition for var in alternative.vars if var.condition is not None)]


def _within(condition: core.Expr) -> Iterator[core.Expr]:
    """A condition and the parts of it that must all hold."""
    yield condition
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _within(condition.left)
        yield from _within(condition.right)
