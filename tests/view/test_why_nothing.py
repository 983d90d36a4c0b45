"""Test why an option isn't available at the edge of a board, and what a space beyond it is called."""

from __future__ import annotations

from functools import cache

import pytest
from programs import build_program, read_data, read_rules

from lusory.game import ENGINES, Game

DATA = read_data(__file__)

EDGES = read_rules("edges")

game = cache(build_program)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("query", "message"), DATA["edge is named"])
def test_edge_is_named(engine: str, query: str, message: str) -> None:
    table = Game(game(EDGES), engine=engine)
    (reason,) = table.explain_impossible(table.start(), query)

    assert reason.message.startswith(message) and not reason.facts
