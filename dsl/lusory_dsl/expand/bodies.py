"""The blocks of effects and phases, changed by a function. What the passes that weave have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import core
from ..core.accesses import Block

Change = Callable[[Block], Block]


def of_effect(effect: core.Effect, change: Change) -> core.Effect:
    """An effect and the rules that answer to it, with other blocks."""
    instead, when = (tuple(replace(r, body=change(r.body)) for r in rules) for rules in (effect.instead, effect.when))
    return replace(effect, body=change(effect.body), instead=instead, when=when)


def of_phase(phase: core.Phase, change: Change) -> core.Phase:
    """A phase and those inside it, with other blocks."""
    inner = tuple(of_phase(child, change) for child in phase.children)
    return replace(phase, body=change(phase.body), children=inner)
