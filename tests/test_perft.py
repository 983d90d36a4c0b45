"""How many games of so many moves there are (`perft`), against what is known or was counted by other means.

Those of Othello and draughts are the ones that everybody who programs these games compares; those of Clobber, Lines of
Action and Oware were counted by programs of a dozen lines that share nothing with this project; those of Hex and Nine
Men's Morris follow from the number of places.
"""

from __future__ import annotations

from typing import Any

import pytest
from programs import bundled_game

from lusory.game import Game
from lusory.state.state import State

KNOWN = {
    "clobber": [24, 448, 6380],
    "othello": [4, 12, 56, 244, 1396],
    "lines-of-action": [36, 1244],
    "hex": [121, 121 * 121],  # the second player may take over
    "nine-mens-morris": [24, 24 * 23, 24 * 23 * 22],
    "oware": [6, 36, 190, 1014, 5219],
    "english-draughts": [7, 49, 302, 1469, 7361],
}
IN_PARTS = ("english-draughts",)
"""Where a move may take several decisions. In the other games each of the last ones is counted without being made."""

FROM = (
    ({"a1": 13, "b1": 1, "c1": 2, "f1": 3, "f2": 1, "e2": 2, "d2": 1, "a2": 12}, (7, 6), [4, 15, 73, 339, 1597]),
    ({"a1": 1, "d1": 2, "e1": 3, "f1": 6, "a2": 1}, (17, 18), [4, 10, 27, 105, 288, 1093]),
    ({"a1": 5, "e1": 2, "f1": 0, "f2": 1}, (20, 20), [2, 2, 7, 11, 37, 61]),
)
"""Positions of Oware, with what both have won, from which more of its rules show: thirteen seeds in a house, fours that
stay, a side that must be fed, a capture of all, and the twenty-fifth seed. Counted by the same program as its start."""

MOST = {"compiled": 10_000, "evaluator": 250}
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
    game = bundled_game(name, engine=engine)
    known = [number for number in KNOWN[name] if number <= MOST[engine]]
    start, in_parts = game.start(0), name in IN_PARTS

    assert [perft(game, start, moves, in_parts) for moves in range(1, len(known) + 1)] == known


@pytest.mark.parametrize("engine", MOST)
@pytest.mark.parametrize(("houses", "won", "known"), FROM)
def test_as_many_games_of_oware_from_elsewhere(
    houses: dict[str, int], won: tuple[int, int], known: list[int], engine: str
) -> None:
    game = bundled_game("oware", engine=engine)
    position = game.start(0)
    places, names = game.layout.places, [value.name for value in game.program.enums["Pit"].values]
    for number, name in enumerate(names):
        position.cells[places["house"].at((number, 0))] = houses.get(name, 0)
    for seat, seeds in enumerate(won):
        position.cells[places["granary"].at((seat, 0))] = seeds
    start = game.start_at("move", position)
    known = [number for number in known if number <= MOST[engine]]

    assert [perft(game, start, moves, False) for moves in range(1, len(known) + 1)] == known
