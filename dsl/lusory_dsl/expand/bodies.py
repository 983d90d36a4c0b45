"""The blocks of effects and phases, changed by a function. What the passes that weave have in common."""

from __future__ import annotations

from collections.abc import Callable

from .. import core
from ..core.accesses import Block
from ..text.records import replace

Change = Callable[[Block], Block]


def of_effect(effect: core.Effect, change: Change) -> core.Effect:
    """An effect and the rules that answer to it, with other blocks."""
    instead, when = (tuple(replace(r, body=change(r.body)) for r in rules) for rules in (effect.instead, effect.when))
    return replace(effect, body=change(effect.body), instead=instead, when=when)


def of_program(program: core.Program, of_effects: Change, of_phases: Change | None = None) -> core.Program:
    """A program with other blocks; those of phases in a way of their own, or as those of effects."""
    effects = {name: of_effect(effect, of_effects) for name, effect in program.effects.items()}
    setup, *phases = (of_phase(phase, of_phases or of_effects) for phase in (program.setup, *program.phases))
    return replace(program, effects=effects, setup=setup, phases=tuple(phases))


def of_phase(phase: core.Phase, change: Change) -> core.Phase:
    """A phase and those inside it, with other blocks."""
    inner = tuple(of_phase(child, change) for child in phase.children)
    return replace(phase, body=change(phase.body), children=inner)
