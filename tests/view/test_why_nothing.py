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
    ("wanted", "facts"),
    [
        ("push a8", ("there is nothing north of `a8`",)),
        ("push d4", ("there is nothing north of `d4`",)),
        (
            "jump g1",
            ("`stone[s.away(north_east, 2)]` is none, needs P1 (`me`)", "there is nothing 2 steps north east of `g1`"),
        ),
        ("jump f1", ("`stone[s.away(north_east, 2)]` is none, needs P1 (`me`)",)),
        ("follow a8", ("`marked[ahead(s)]` is no, needs to be yes", "there is nothing north of `a8`")),
        ("follow a6", ("`marked[ahead(s)]` is no, needs to be yes",)),
        ("far h3", ("`i3` is not on the board",)),
        ("far c5", ("`d5` is not on the board",)),
        ("guess", ()),
        ("walk c1", ("no path leads from a1 to `c1`",)),
        ("hop f5", ("there is nothing onward from `f5`",)),
    ],
)
def test_the_edge_is_named(engine: str, wanted: str, facts: tuple[str, ...]) -> None:
    table = Game(game(EDGES), engine=engine)
    (reason,) = table.explain_impossible(table.start(), wanted)

    assert reason.facts == facts


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("push b9", "`b9` is not on the board: did you mean"),
        ("push d5", "`d5` is not on the board: did you mean"),
        ("push north", "`north` is no s: "),
        ("hop f9", "`f9` is not on the board: "),
    ],
)
def test_a_wish_beside_the_board(wanted: str, message: str) -> None:
    table = Game(game(EDGES))
    (reason,) = table.explain_impossible(table.start(), wanted)

    assert reason.message.startswith(message)
