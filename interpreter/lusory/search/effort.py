"""What a game asks of those who think: found out in a few games at random, the same ones on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..game import Game
from ..table.chance import mix
from .advice import guidance_of
from .guidance import NONE
from .positions import Walker
from .worth import Worth

GAMES = 3
STRIDE = 10
"""So many decisions from one look at a random game to the next."""
MOST = 1_000
"""Decisions after which a random game is long enough."""

MOMENT = 200_000
"""What a decision may take, in millionths of a second of a common machine, by the figures below."""
A_DECISION, WORK = 10.0, 0.025
"""What a decision takes in a search, and what the work does that the rules make there (see :mod:`lusory.table.cost`):
measured in the bundled games, within a factor of three of each."""

FEWEST, MANY = 30, 3_000
LONG, NEAR = 100, 30
"""A game of more decisions than ``LONG`` is played on for ``NEAR``, where its ranks tell before the end who leads."""


@dataclass(frozen=True)
class Effort:
    """``simulations``: so many take about a fifth of a second of Python's. ``horizon``: decisions after which a
    position is valued, as the ruleset says or as suits the game; None: played to the end. ``decisions``: of a game at
    random, on average."""

    simulations: int
    horizon: int | None
    decisions: float


@lru_cache(maxsize=32)
def measured(game: Game) -> Effort:
    """What is right for a game, whatever the machine."""
    walker, worth = Walker(game, NONE), Worth(game, NONE)
    looks = told = 0
    decisions = work = 0.0
    for number in range(GAMES):
        start = game.start(number)
        position, cell = walker.at(start, mix(number + 1))
        made = 0
        while not position.over and made < MOST:
            try:
                cell = position.play_on(cell, STRIDE)
            except Exception:  # of generated code: a game in which the rules go wrong ends there
                break
            made += STRIDE
            if not position.over:
                looks += 1
                try:
                    told += len(set(worth.standing(position))) > 1
                except Exception:  # of generated code: nothing can be told before the end
                    continue
        decisions += made / GAMES
        work += (position.state().cells[game.layout.work] - start.cells[game.layout.work]) / GAMES
    horizon = guidance_of(game).horizon
    if horizon is None and decisions > LONG and game.players > 1 and 2 * told > looks:
        horizon = NEAR
    part = 1.0 if horizon is None else min(horizon / max(decisions, 1.0), 1.0)
    simulations = MOMENT / max(part * (decisions * A_DECISION + work * WORK), 1.0)
    return Effort(_rounded(min(max(simulations, FEWEST), MANY)), horizon, decisions)


def _rounded(number: float) -> int:
    """To two digits."""
    whole = int(number)
    step: int = 10 ** max(len(str(whole)) - 2, 0)
    return whole // step * step
