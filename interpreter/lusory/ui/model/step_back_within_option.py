"""Find out whether a question belongs to the option that the same player took just before.

Until such a choice is complete, the player can step back within it.
"""

from __future__ import annotations

from functools import lru_cache

from lusory_dsl import core

from ...play.match import Match
from ...view.seat_view import View


def is_continuation(match: Match, view: View) -> bool:
    """Return whether the pending question of a view stands in the option that its seat took last.

    Returns False without a question, if another seat has decided since, if the last decision was one pick of several,
    or if the question comes from elsewhere in the rules.
    """
    if view.decision is None or not match.turns or match.turns[-1].seat != view.seat:
        return False
    turn = match.turns[-1]
    before = match.game.view(turn.before, turn.seat)
    if before.decision is None or not isinstance(before.ask, core.Ask):
        return False
    taken = before.decision.options[turn.index].alternative
    return view.ask.site in _sites_below(match.game.program, before.ask, taken)


@lru_cache(maxsize=256)
def _sites_below(program: core.Program, ask: core.Ask, alternative: int) -> frozenset[int]:
    """Return the sites of all questions that an option may ask, in its statements and in the effects that it calls."""
    sites: set[int] = set()
    blocks = [ask.alternatives[alternative].body]
    called: set[str] = set()
    while blocks:
        for statement in core.walk_statements(blocks.pop()):
            if isinstance(statement, core.Ask | core.AskMany):
                sites.add(statement.site)
            elif isinstance(statement, core.CallEffect) and statement.effect not in called:
                called.add(statement.effect)
                blocks += core.get_bodies(program.effects[statement.effect])
    return frozenset(sites)
