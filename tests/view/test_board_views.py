"""Test boards in views: the layout of each shape, signs, cropped edges, and lists as sheets."""

from __future__ import annotations

import pytest
from programs import checked, read_rules

from lusory import Game

RULES = read_rules("shown")

SHOWN = {
    "{title: B, board: Square}": ["B", "   a  b  c  d", "4     o     o", "3  ·     ·", "2     ·     x", "1  x     ·"],
    "{title: B, board: Square, short: '{space}'}": [
        "B", "   a  b  c  d", "4     o     o", "3  ·     ·", "2     ·     x", "1  x     ·",
    ],
    "{title: B, board: Square, headings: false, text: '{worth[space]}'}": [
        "B", "   4     4", "3     3", "   2     1", "1     1",
    ],
    "{title: B, board: Wide, text: '{space}'}": [
        "B", "   a   b   c   d", "1  a1  b1  c1  d1", "2  a2  b2  c2  d2", "3  a3  b3  c3  d3", "4  a4  b4  c4  d4",
    ],
    """{title: B, board: Wide, crop: true, text: '{if space.row = 3 and space.column > 1 then "1" else ""}'}""": [
        "B", "   b  c  d", "3  1  1  1",
    ],
    r"""{title: B, board: Wide, crop: true, text: "{if space.row = 2 then \"{space}\" else \"\"}\n "}""": [
        "B", "   a   b   c   d", "2  a2  b2  c2  d2", "",
    ],
    "{title: B, board: Cell, headings: false, text: '{space}'}": [
        "B", "    a3      b3", "a2      b2      c2", "    b1      c1",
    ],
    "{title: B, board: Pit, text: '{hoard[space]}'}": ["B", "   k  l", "2  ?  ?", "1  ?  ?"],
    "{title: B, board: Point, text: 'o'}": ["B", "   a  b  c", "9  o  o  o", "8  o     o", "7  o     o"],
    "{title: B, board: Field, text: 'o'}": ["B", "  f1  f2  f3", "  o   o   o"],
    "{title: B, board: Space, text: '{space}', headings: false}": [
        "B", "The Hydra    north street  chimera", "west street",
    ],
    "{title: B, cells: 1..5, columns: 3, text: '{cell * 2}'}": ["B", "2  4   6", "8  10"],
}  # fmt: skip


@pytest.mark.parametrize("view", SHOWN)
def test_boards_as_they_lie(view: str) -> None:
    program = checked(RULES.replace("BOARD", view))
    game = Game(program, 2)
    assert game.view(game.start(seed=1), 0).table() == SHOWN[view]
