"""What lints about certain things share: bounds where a text is read, and the conditions of an option."""

from __future__ import annotations

from collections.abc import Iterator

from .. import core
from ..checker.locals import KnownLocals
from ..core.before_play import Facts, ProgramBounds


def bounds_at(facts: Facts, known: KnownLocals) -> ProgramBounds:
    """What is known of values where some locals are."""
    facts.steps.begin()
    return ProgramBounds(facts, known.sources, known.values)


def conditions_of(alternative: core.Alternative) -> list[core.Expr]:
    """What must hold for an option to be offered."""
    return [*alternative.conditions, *(var.condition for var in alternative.vars if var.condition is not None)]


def within(condition: core.Expr) -> Iterator[core.Expr]:
    """A condition and the parts of it that must all hold."""
    yield condition
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from within(condition.left)
        yield from within(condition.right)
