"""Test boards of the view: grids of texts over two lists, for screens and playthroughs."""

from __future__ import annotations

from typing import Any

import pytest
from programs import build_program, read_data

from lusory.game import Game
from lusory.view.seat_view import View

DATA = read_data(__file__)

RULES = DATA["rules"]


def draw_boards(boards: str, steps: int = 0, players: int = 2) -> View:
    text = RULES.replace("BOARDS", boards).replace("enums:\n", "enums:\n  Answer: [yes, no_more]\n")
    game = Game(build_program(text), players)
    state = game.start(0)
    for _ in range(steps):
        state = game.apply(state, 0)
    return game.view(state, 0)


@pytest.mark.parametrize("case", DATA["boards"], ids=lambda case: case["test"])
def test_boards_are_drawn(case: dict[str, Any]) -> None:
    for row in case["shown"]:
        table = draw_boards(case["board"], row.get("steps", 0), row.get("players", 2)).table()
        assert table == row["table"]
