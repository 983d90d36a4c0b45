"""Test boards in views: the layout of each shape, signs, cropped edges, and lists as sheets."""

from __future__ import annotations

import pytest
from programs import build_program, read_data, read_rules

from lusory import Game

DATA = read_data(__file__)

RULES = read_rules("shown")

SHOWN = DATA["shown"]


@pytest.mark.parametrize("view", SHOWN)
def test_board_layouts(view: str) -> None:
    program = build_program(RULES.replace("BOARD", view))
    game = Game(program, 2)
    assert game.view(game.start(seed=1), 0).table() == SHOWN[view]
