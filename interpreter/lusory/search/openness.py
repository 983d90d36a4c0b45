"""Whether a game hides anything from anybody: then one tree serves all seats, and one world is all there is."""

from __future__ import annotations

from functools import lru_cache

from lusory_dsl import core
from lusory_dsl.core.knowledge import knowledge_of

from ..game import Game


@lru_cache(maxsize=32)
def is_open(game: Game) -> bool:
    """Whether every place is seen by all at all times, and every answer is heard by all. Chance may still lie ahead."""
    program = game.program
    rules = [
        *(variable.visible for variable in program.variables.values()),
        *(visible for pool in program.pools.values() for visible in (pool.visible, pool.moves)),
        *(visible for zone in program.zones.values() for visible in zone.visibilities),
    ]
    if program.private_sites or any(rule.constant != "all" for rule in rules):
        return False
    return not any(_is_secret(ask) for ask in game.setting.sites.values()) and not any(
        knowledge_of(program).unseen.values()
    )


def _is_secret(ask: core.Ask | core.AskMany) -> bool:
    if isinstance(ask, core.AskMany):
        return ask.secret
    return any(variable.secret for alternative in ask.alternatives for variable in alternative.vars)
