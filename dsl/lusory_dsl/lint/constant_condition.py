"""A lint: a condition always holds, or never does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .. import core
from ..checker.stages import Checked
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Span
from .certainty import bounds_at


class Constant(NamedTuple):
    """A condition that never changes, and how people are told."""

    condition: core.Expr
    message: str
    hint: str
    notes: list[tuple[Span, str]]


def constant_condition(checked: Checked, report: Diagnostics) -> None:
    """Warns of conditions that authors wrote and that never change."""
    for found in constants(checked):
        report.add(codes.CONSTANT_CONDITION, found.message, found.condition.span, found.hint, found.notes)


@lru_cache(maxsize=1)
def constants(checked: Checked) -> tuple[Constant, ...]:
    """The conditions that never change."""
    return tuple(_constants(checked))


def _constants(checked: Checked) -> Iterator[Constant]:
    for written in checked.notes.conditions:
        condition = written.condition
        if isinstance(condition, core.Const) and condition.value is True:
            continue  # written out: `while true: …`
        # a query may be a switch, or replaced by a pack
        bounds = bounds_at(checked.facts, written.known).without_calls()
        holds = bounds.truth(condition)
        if holds is not None:
            message = "this always holds" if holds else "this never holds"
            hint = "leave the condition out, or mend it" if holds else "remove what depends on it, or mend it"
            sides = (condition.left, condition.right) if isinstance(condition, core.Binary) else ()
            notes = [(side.span, known) for side in sides if (known := bounds.told(side)) is not None]
            yield Constant(condition, message, hint, notes)
        elif written.before and bounds.never_after(written.before, condition):
            message = "this never holds here: what is asked before it covers all of it"
            notes = [(before.span, "asked before") for before in written.before]
            yield Constant(condition, message, "remove the branch, or mend it", notes)
