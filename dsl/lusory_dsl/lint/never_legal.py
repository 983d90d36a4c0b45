"""A lint: an action or option can never be chosen."""

from __future__ import annotations

from .. import core
from ..checker.locals import KnownLocals
from ..checker.stages import Checked
from ..text import codes
from ..text.diagnostics import Diagnostics
from .certainty import bounds_at, conditions_of, within
from .constant_condition import constants


def never_legal(checked: Checked, report: Diagnostics) -> None:
    """Warns of options that can never be offered, unless one of their conditions is reported by itself."""
    reported = {id(constant.condition) for constant in constants(checked)}
    for known, made in checked.notes.choices:
        for alternative in made.alternatives if isinstance(made, core.Ask) else ():
            parts = (part for condition in conditions_of(alternative) for part in within(condition))
            if alternative.name is not None and not any(id(part) in reported for part in parts):
                _option(checked, known, alternative, report)


def _option(checked: Checked, known: KnownLocals, alternative: core.Alternative, report: Diagnostics) -> None:
    conditions, bounds = conditions_of(alternative), bounds_at(checked.facts, known)
    empty = next((var for var in alternative.vars if bounds.sizes(var.domain)[1] == 0), None)
    if alternative.original is not None:
        bounds = bounds.of_cards({alternative.vars[0].slot: alternative.original})
    reasons = [c for c in conditions for part in within(c) if bounds.truth(part) is False]
    if empty is None and not reasons and not bounds.never_together(conditions):
        return
    name = alternative.name
    if alternative.original is not None:
        name = f"{name}` of `{checked.program.entities[alternative.original].card}"
    if empty is not None:
        notes = [(empty.domain.span, f"there is never any `{empty.name}` to choose")]
    else:
        notes = [(c.span, "this is never possible") for c in reasons[:1]]
    hint = "mend what it needs, or remove it"
    report.add(codes.NEVER_LEGAL, f"`{name}` can never be chosen", alternative.span, hint, notes)
