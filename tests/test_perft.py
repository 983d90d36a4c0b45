"""How many games of so many moves there are (`perft`), against what is known or was counted by other means.

Those of Othello and draughts are the ones that everybody who programs these games compares; those of Clobber, Lines of
Action and Oware were counted by programs of a dozen lines that share nothing with this project; those of Hex and Nine
Men's Morris follow from the number of places.
"""

from __future__ import annotations

from typing import Any

import pytest

from lusory.game import Game
from lusory.table.state import State
from lusory_dsl.pipeline import load_program
from lusory_dsl.text.resources import bundled_rulesets

KNOWN = {
    "clobber": [24, 448, 6380],
    "othello": [4, 12, 56, 244, 1396, 8200],
    "lines-of-action": [36, 1244, 44952],
    "con-tac-tix": [121, 121 * 121],  # the second player may take over
    "nine-mens-morris": [24, 24 * 23, 24 * 23 * 22],
    "abapa": [6, 36, 190, 1014, 5219, 27332],
    "english-draughts": [7, 49, 302, 1469, 7361],
}
IN_PARTS = ("english-draughts",)
"""Where a move may take several decisions. In the other games each of the last ones is counted without being made."""

MOST = {"compiled": 100_000, "evaluator": 400}
"""So many games are counted on an engine."""


def perft(game: Game, state: State, moves: int, in_parts: bool) -> int:
    """The number of games of so many moves. A move begins with a phase; what is forced is made by itself."""
    decision = game.decision(state)
    if moves <= 0 or decision is None:
        return moves <= 0
    if moves == 1 and not in_parts:
        return len(decision.options)
    found = 0
    for option in decision.options:
        log: list[tuple[Any, ...]] = []
        after = game.apply(state, option.index, log)
        found += perft(game, after, moves - sum(event[0] == "phase" for event in log), in_parts)
    return found


@pytest.mark.parametrize("engine", MOST)
@pytest.mark.parametrize("name", KNOWN)
def test_as_many_games_as_are_known(name: str, engine: str) -> None:
    game = Game(load_program(bundled_rulesets()[name]), engine=engine)
    known = [number for number in KNOWN[name] if number <= MOST[engine]]
    start, in_parts = game.start(0), name in IN_PARTS

    assert [perft(game, start, moves, in_parts) for moves in range(1, len(known) + 1)] == known
