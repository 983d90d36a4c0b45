"""Lowering: a checked program, for one number of players and one set of options (or any), without calls.

Made for selection, from :mod:`lusory_dsl.core` to itself: effects and queries are inlined (nothing recurses) or,
where that would make the text long, become routines (see :mod:`lusory.compile.lower.sharing`);
rules are woven in as conditions round the effects they answer to, options and the players are constants, constants
are folded and branches that can't be taken are gone. Every local of the result has a slot of its own, unique in the
whole game, so that locals can be given fixed places.
"""

from __future__ import annotations

from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.language.types import PLAYER

from ...table.setting import Setting
from .forms import FORMS
from .lowered import LoweredGame
from .lowerer import Lowerer
from .ranges import Reach


def lowerer_for(setting: Setting, reach: Reach, any_options: bool = False) -> Lowerer:
    """What lowers for one build. ``any_options``: options are not constant."""
    return Lowerer(setting, reach, FORMS, any_options)


def game(lowerer: Lowerer, searched: bool) -> LoweredGame:
    """A game, from its phases down to the statements. ``searched``: with what is told to those who search it."""
    scoring = lowerer.program.scoring
    if lowerer.charges.scoring > lowerer.limits.decision:
        scoring = replace(scoring, rank=(), payoff=None, shown=())  # it is never worked out
    columns = [_column(lowerer, e) for e in scoring.rank]
    rank = tuple(tuple(column[seat] for column in columns) for seat in range(lowerer.players))
    payoff = None if scoring.payoff is None else _column(lowerer, scoring.payoff)
    shown = tuple((title, _column(lowerer, e)) for title, e in scoring.shown)
    advice = lowerer.program.advice.value if searched else None
    standing = None if advice is None else _column(lowerer, advice)
    setup = _phase(lowerer, lowerer.program.setup)
    phases = tuple(_phase(lowerer, p) for p in lowerer.program.phases)
    routines = tuple(lowerer.routines.values())
    names, kinds = lowerer.names, (scoring.selective, scoring.zero_sum)
    return LoweredGame(setup, phases, rank, payoff, shown, names, routines, *kinds, standing)


def _column(lowerer: Lowerer, e: Expr) -> tuple[Expr, ...]:
    """An expression of the scoring for each seat."""
    return tuple(lowerer.expr(e, {0: Const(PLAYER, e.span, seat)}) for seat in range(lowerer.players))


def _phase(lowerer: Lowerer, phase: core.Phase) -> core.Phase:
    env: dict[int, Expr] = {}
    return replace(
        phase,
        condition=lowerer.maybe(phase.condition, env),
        repeat=lowerer.maybe(phase.repeat, env),
        body=lowerer.block(phase.body, env),
        children=tuple(_phase(lowerer, p) for p in phase.children),
    )
