"""Rules that begin with `whenever`: what must hold and what is then done. A part of the checker."""

from __future__ import annotations

from ..core.sugar import EachCard, StateCheck
from ..effect import nodes
from .call_graph import Owner
from .rules import Rules, RuleSource
from .values import written_condition


def state_check(rules: Rules, source: RuleSource, rule: nodes.WheneverRule) -> StateCheck:
    """A `whenever` rule as written."""
    routine = rules.texts.routine(Owner("rule", source.name))
    with routine.frame(), routine.narrowing():
        this = rules.this(routine, source)
        condition = written_condition(routine, rule.condition)
        routine.assume(condition, True)
        body = routine.block(rule.body)
    each = None
    if this is not None:
        assert source.of is not None
        is_one = source.of.original is not None
        each = EachCard(this.slot, this.kind, this.copies or (), this.condition, is_one, source.span)
    return StateCheck(source.name, source.card, condition, body, routine.locals.n_slots, rule.span, each)
