"""A lint: what stands behind a call or a phase that always ends the game."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from .. import core
from ..checker.stages import Checked
from ..text import codes
from ..text.diagnostics import Diagnostics


def unreachable(checked: Checked, report: Diagnostics) -> None:
    """Warns of statements and phases that never come."""
    effects = checked.effects
    ending = {name for name, effect in effects.items() if not effect.instead and _ends(effect.body, ())}
    while more := {n for n, e in effects.items() if n not in ending and not e.instead and _ends(e.body, ending)}:
        ending |= more

    def blocks(block: Sequence[core.Stmt]) -> tuple[core.Stmt, ...]:
        for stmt, after in pairwise(block):
            core.rebuilt(stmt, blocks)
            if isinstance(stmt, core.CallEffect) and stmt.effect in ending and after.span != stmt.span:
                message = f"nothing behind `{stmt.effect}` is ever done: it ends the game"
                report.add(codes.UNREACHABLE, message, after.span, "remove it, or put it before")
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
        report.add(codes.UNREACHABLE, message, phase.span, "remove it, or put it before")
        return before

    for effect in effects.values():
        for block in core.bodies_of(effect):
            blocks(block)
    before: core.Phase | None = None
    for phase in checked.program.phases:
        before = (phase if ends(phase) else None) if before is None else reported(before, phase)


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
