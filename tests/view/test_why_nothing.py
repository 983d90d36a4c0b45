"""Test why an option isn't available at the edge of a board: the answer says which neighbouring space is missing."""

from __future__ import annotations

from functools import cache

import pytest
from programs import checked, read_rules

from lusory.game import ENGINES, Game

EDGES = read_rules("edges")

game = cache(checked)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("push a8", "there is nothing north of `a8`"),
        ("push d4", "there is nothing north of `d4`"),
        ("jump g1", "there is nothing 2 steps north east of `g1`"),
        ("jump f1", "there is no stone (h3)"),
        ("follow a8", "there is nothing north of `a8`"),
        ("follow a6", "you can't do this now"),
        ("far h3", "`i3` is not on the board"),
        ("far c5", "`d5` is not on the board"),
        ("guess", "that depends on what you can't see"),
        ("walk c1", "no path leads from a1 to `c1`"),
        ("hop f5", "there is nothing onward from `f5`"),
        ("push b9", "`b9` is not on the board; did you mean “b1”?"),
        ("push d5", "`d5` is not on the board; did you mean “d1”?"),
        ("push north", "“north” can't be chosen here; you can choose: a1, b1, "),
        ("hop f9", "`f9` is not on the board; did you mean “f1”?"),
    ],
)
def test_the_edge_is_named(engine: str, wanted: str, message: str) -> None:
    table = Game(game(EDGES), engine=engine)
    (reason,) = table.explain_impossible(table.start(), wanted)

    assert reason.message.startswith(message) and not reason.facts
