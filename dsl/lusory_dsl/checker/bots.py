"""The section `bots`: what somebody who knows a game tells those who search it. A part of the checker."""

from __future__ import annotations

from .. import core
from ..language.types import INT
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import did_you_mean
from .call_graph import Owner
from .texts import Texts, value_in


def advice_of(ruleset: model.Ruleset, texts: Texts) -> core.Advice:
    """The section, when all texts have been checked in which something can be chosen."""
    decl = ruleset.bots
    if decl is None:
        return core.NO_ADVICE
    routine = texts.routine(Owner("bots"))
    routine.bind_me(decl.span)
    value = None if decl.value is None else value_in(routine, decl.value, INT, "as what a position is worth")
    weights = (*((name.text, weight) for name, weight in decl.likely), *((name.text, 0) for name in decl.never))
    _check_names(decl, texts)
    levels = tuple((level.text, simulations) for level, simulations in decl.levels)
    return core.Advice(value, routine.locals.n_slots, decl.horizon, weights, levels)


def _check_names(decl: model.BotsDecl, texts: Texts) -> None:
    """Reports names that no action and no option has, and those that are named twice."""
    asks = (ask for _, ask in texts.notes.choices if isinstance(ask, core.Ask))
    known = {alternative.name for ask in asks for alternative in ask.alternatives if alternative.name is not None}
    known |= set(texts.names.actions)
    named: dict[str, model.Word] = {}
    for name in (*(name for name, _ in decl.likely), *decl.never):
        if name.text not in known and not texts.report.has_errors:
            hint = did_you_mean(name.text, known) or "actions and options are named here"
            texts.report.add(codes.UNKNOWN_NAME, f"there is no action or option `{name.text}`", name.span, hint)
        elif name.text in named:
            notes = [(named[name.text].span, "here, too")]
            message = f"`{name.text}` is both likely and never taken"
            texts.report.add(codes.DECLARED_TWICE, message, name.span, "keep one of them", notes)
        named.setdefault(name.text, name)
