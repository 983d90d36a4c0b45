"""The setup and the phases. A part of the checker."""

from __future__ import annotations

from .. import core
from ..language.types import BOOL
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics
from .call_graph import Owner
from .texts import Texts, block_in, condition_in, template_in


def setup_of(ruleset: model.Ruleset, texts: Texts) -> core.Phase:
    """The phase before the first."""
    routine = texts.routine(Owner("phase", "setup"), setup=True)
    text = ruleset.setup
    more = (stmt for block in ruleset.more_setups for stmt in block_in(routine, block))
    body = (*block_in(routine, text), *more)
    span = ruleset.game.span if text is None else text.whole
    return core.Phase("setup", None, routine.locals.n_slots, None, None, 1, body, (), span)


def phase_of(decl: model.PhaseDecl, texts: Texts) -> core.Phase:
    """A phase with those inside it."""
    routine = texts.routine(Owner("phase", decl.id.text))
    _check_phase(decl, texts.report)
    condition = condition_in(routine, decl.condition)
    repeat = condition_in(routine, decl.repeat)
    if repeat is None and decl.at_most is not None:  # until the game ends
        repeat = core.Const(BOOL, decl.span, True)
    label = template_in(routine, decl.label)
    body = block_in(routine, decl.do)
    return core.Phase(
        decl.id.text,
        label,
        routine.locals.n_slots,
        condition,
        repeat,
        decl.at_most if decl.at_most is not None else 1,
        body,
        tuple(phase_of(child, texts) for child in decl.phases),
        decl.span,
    )


def _check_phase(decl: model.PhaseDecl, report: Diagnostics) -> None:
    name, span = decl.id.text, decl.id.span
    if decl.do is None and not decl.phases:
        hint = "give it `do` or `phases`"
        report.add(codes.BAD_PHASE, f"in the phase `{name}` nothing happens", span, hint)
    elif decl.do is not None and decl.phases:
        hint = "put the block into a phase of its own"
        report.add(codes.BAD_PHASE, f"the phase `{name}` has both `do` and `phases`", span, hint)
    if name == "setup":
        hint = "`setup` is the phase before the first; give this another name"
        report.add(codes.NAME_TAKEN, "a phase can't be called `setup`", span, hint)
