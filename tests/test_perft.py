"""Compare the number of move sequences of a given length (`perft`) with known numbers.

The numbers of Othello and draughts are the usual ones from the literature. Those of Clobber, Lines of Action and Oware
come from short programs that share no code with this project. Those of Hex and Nine Men's Morris follow from the number
of places.
"""

from __future__ import annotations

from typing import Any

import pytest
from programs import create_bundled_game

from lusory.game import Game
from lusory.state.state import State

COUNTS = {
    "clobber": [24, 448, 6380],
    "othello": [4, 12, 56, 244, 1396],
    "lines-of-action": [36, 1244],
    "hex": [121, 121 * 121],  # the second player may take over
    "nine-mens-morris": [24, 24 * 23, 24 * 23 * 22],
    "oware": [6, 36, 190, 1014, 5219],
    "english-draughts": [7, 49, 302, 1469, 7361],
}
MULTIPART_GAMES = ("english-draughts",)
"""Games in which a move may take several decisions. In other games the last move is counted without being played."""

OWARE_POSITIONS = (
    ({"a1": 13, "b1": 1, "c1": 2, "f1": 3, "f2": 1, "e2": 2, "d2": 1, "a2": 12}, (7, 6), [4, 15, 73, 339, 1597]),
    ({"a1": 1, "d1": 2, "e1": 3, "f1": 6, "a2": 1}, (17, 18), [4, 10, 27, 105, 288, 1093]),
    ({"a1": 5, "e1": 2, "f1": 0, "f2": 1}, (20, 20), [2, 2, 7, 11, 37, 61]),
)
"""Positions of Oware that exercise more rules, with the won seeds of both players. They have thirteen seeds in a house,
groups of four, a side that must be fed, a capture of all seeds, and a twenty-fifth seed. The same program counted them.
"""

LIMITS = {"compiled": 10_000, "evaluator": 250}
"""Engine -> the largest number that is counted on it."""


def count_sequences(game: Game, state: State, moves: int, has_parts: bool) -> int:
    """Count the sequences of ``moves`` moves. A move begins with a phase. Forced decisions are made automatically."""
    decision = game.decision(state)
    if moves <= 0 or decision is None:
        return moves <= 0
    if moves == 1 and not has_parts:
        return len(decision.options)
    count = 0
    for option in decision.options:
        log: list[tuple[Any, ...]] = []
        after = game.apply(state, option.index, log)
        count += count_sequences(game, after, moves - sum(event[0] == "phase" for event in log), has_parts)
    return count


@pytest.mark.parametrize("engine", LIMITS)
@pytest.mark.parametrize("name", COUNTS)
def test_counts_from_the_start(name: str, engine: str) -> None:
    game = create_bundled_game(name, engine=engine)
    counts = [number for number in COUNTS[name] if number <= LIMITS[engine]]
    start, has_parts = game.start(0), name in MULTIPART_GAMES

    assert [count_sequences(game, start, moves, has_parts) for moves in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("engine", LIMITS)
@pytest.mark.parametrize(("houses", "captures", "counts"), OWARE_POSITIONS)
def test_counts_from_positions_of_oware(
    houses: dict[str, int], captures: tuple[int, int], counts: list[int], engine: str
) -> None:
    game = create_bundled_game("oware", engine=engine)
    position = game.start(0)
    places, names = game.layout.places, [value.name for value in game.program.enums["Pit"].values]
    for number, name in enumerate(names):
        position.cells[places["house"].at((number, 0))] = houses.get(name, 0)
    for seat, seeds in enumerate(captures):
        position.cells[places["granary"].at((seat, 0))] = seeds
    start = game.start_at("move", position)
    counts = [number for number in counts if number <= LIMITS[engine]]

    assert [count_sequences(game, start, moves, False) for moves in range(1, len(counts) + 1)] == counts
