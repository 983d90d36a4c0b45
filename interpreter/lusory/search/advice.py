"""What a ruleset tells those who search it (its section `bots`), as a search asks for it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache

from lusory_dsl import core

from ..game import Game
from .guidance import Guidance


@lru_cache(maxsize=32)
def guidance_of(game: Game) -> Guidance:
    """What the ruleset of a game says."""
    advice = game.program.advice
    return Guidance(advice.value is not None, advice.horizon, _weights(game, dict(advice.weights)))


def advised(game: Game, advice: core.Advice) -> Game:
    """The same rules, which say something else to those who search: positions of both are the same."""
    words = hashlib.sha256(repr(advice).encode()).hexdigest()
    program = replace(game.program, advice=advice, digest=f"{game.program.digest} advised {words}")
    return game.of(program)


def _weights(game: Game, named: dict[str, int]) -> dict[int, tuple[int, ...]]:
    """Of each choice whose alternatives differ, their weights."""
    found = {
        number: tuple(named.get(one.name or "", core.ORDINARY) for one in ask.alternatives)
        for number, ask in game.setting.sites.items()
        if isinstance(ask, core.Ask)
    }
    return {number: weights for number, weights in found.items() if len(set(weights)) > 1}
