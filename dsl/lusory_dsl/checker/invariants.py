"""The section `invariants`: what holds at every decision. A part of the texts."""

from __future__ import annotations

from .. import core
from ..effect.parser import parse_choice_vars
from ..language.types import BOOL
from ..ruleset import model
from .call_graph import Owner
from .choices import choice_vars
from .texts import Texts, template_in, value_in


def invariant_of(decl: model.InvariantDecl, texts: Texts) -> core.Invariant:
    """An invariant as written."""
    routine = texts.routine(Owner("invariant", decl.id.text))
    written = () if decl.each is None else parse_choice_vars(decl.each, texts.report)
    with routine.frame(), routine.narrowing():
        if written is None:
            routine.locals.leave_unread()
        each = choice_vars(routine, written or ())
        condition = value_in(routine, decl.always, BOOL, "as a condition")
        because = template_in(routine, decl.because)
    return core.Invariant(decl.id.text, condition, routine.locals.n_slots, decl.doc, each, because)
