"""The section `invariants`: what holds at every decision, and which of it are laws of the data. A part of the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .. import core
from ..core.accesses import read_by
from ..effect.parser import parse_choice_vars
from ..language.types import BOOL
from ..ruleset import model
from .choices import choice_vars
from .texts import Texts, template_in, value_in


def invariant_of(decl: model.InvariantDecl, texts: Texts) -> core.Invariant:
    """An invariant as written."""
    routine = texts.routine(f"invariant {decl.id.text}")
    written = () if decl.each is None else parse_choice_vars(decl.each, texts.report)
    with routine.frame(), routine.narrowing():
        each = choice_vars(routine, written or ())
        condition = value_in(routine, decl.always, BOOL, "as a condition")
        because = template_in(routine, decl.because)
    return core.Invariant(decl.id.text, condition, routine.locals.n_slots, decl.doc, each, because)


def judged(
    invariant: core.Invariant, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]
) -> core.Invariant:
    """An invariant that is a law where nothing in it reads the state of a game, with all that rules make of queries."""
    each = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    state = (read_by(part, queries, zones) for part in (invariant.condition, *each, *texts))
    return replace(invariant, is_law=not any(state))
