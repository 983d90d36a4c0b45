"""Test why an option isn't available at the edge of a board: the answer says which neighbouring space is missing."""

from __future__ import annotations

from functools import cache

import pytest
from programs import checked

from lusory.game import ENGINES, Game

EDGES = """
game: {id: edges, name: Edges, version: "1", language: 2, players: 2}
boards:
  Square: {grid: 8 x 8, only: "not (column = 4 and row = 5)"}
  Field: {track: 5, name: f}
variables:
  stone: {type: "Player?", per: [Square], start: none}
  marked: {type: Bool, per: [Square], start: "square.row = 8"}
  secret: {type: "Square?", start: Square.a8, visible: nobody}
queries:
  ahead: {params: {s: Square}, value: "if stone[s] is none then s.north else s.south"}
  own: {per: Player, params: {s: Square}, value: "s.beside where stone[it] is me"}
actions:
  push: {choose: s in Square where s.north is not none, do: "set stone[s] to me"}
  jump: {choose: "s in Square where stone[s.away(north_east, 2)] is me", do: "set stone[s] to me"}
  follow: {choose: "s in Square where marked[ahead(s)]", do: "set stone[s] to me"}
  far: {choose: "s in Square where Square(s.column + 1, s.row) != none and s.row > 0", do: "set stone[s] to me"}
  guess: {if: secret.north is not none, do: "set stone[a1] to me"}
  hop: {choose: "f in Field where f.onward != none", do: "set stone[a1] to me"}
  walk: {choose: "s in Square where steps(own(t) for t from [a1])[s] is not none", do: "set stone[s] to me"}
  rest: {do: "set stone[a1] to none"}
phases:
  - id: ask
    do: |
      by players.first:
        take action push, jump, follow, far, guess, hop, walk, rest
scoring: {rank: [me.seat]}
"""

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
