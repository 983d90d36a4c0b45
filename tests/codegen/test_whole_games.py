"""What only whole games in one go are made of: both engines come to the same end, whatever is chosen."""

from __future__ import annotations

from random import Random

import pytest
from programs import checked

from lusory.game import ENGINES, Game

HEAD = """\
game: {id: whole, name: Whole, version: "1", language: 2, players: 2}
variables:
  n: {type: Int, per: [Player], start: 0}
  total: {type: Int, start: 0}
scoring: {rank: [n], show: [{title: Total, value: total}]}
"""
CARDS = """\
components:
  Card: {fields: {rank: Int}}
cards:
  one: {kind: Card, copies: 3, fields: {rank: 1}}
  two: {kind: Card, copies: 3, fields: {rank: 2}}
  six: {kind: Card, copies: 3, fields: {rank: 6}}
zones:
  deck: {holds: Card, start: all Card}
  hand: {per: [Player], holds: Card, sorted: true}
"""
GAMES = {
    "a list of several lists to choose from": """\
phases:
  - id: p
    do: |
      each player:
        choose x in list(b for a in 1..3 where a != total, b in 1..4) where x != n, y in 1..2 where y != total:
          set n to x * y
          increase total by x mod 3
""",
    "one to choose from at once": """\
phases:
  - id: p
    do: |
      each player at once:
        choose x in list(b for a in 1..4 where a != total, b in 2..5) where x > n, y in 1..3 where y != total:
          set n to x + y
          increase total by x mod 4
""",
    "what comes first or last of another zone into a sorted one": f"""\
{CARDS}setup: shuffle deck
phases:
  - id: p
    do: |
      each player: move take(deck, 2) to hand
      each player:
        move deck.top to hand
        move deck.bottom to hand
        move me.next.hand.top to hand
        move hand.bottom to me.next.hand
      each player: set n to sum(c.rank * index(hand, c) for c in hand)
      each player where hand.top.rank < hand.bottom.rank: increase total by hand.top.rank * 7 + n
""",
}


@pytest.mark.parametrize("name", GAMES)
def test_both_engines_come_to_the_same_end(name: str) -> None:
    program = checked(HEAD + GAMES[name])
    ends = [
        [Game(program, engine=engine).playout(Random(seed).random, seed, table=True) for seed in range(30)]
        for engine in ENGINES
    ]
    assert ends[0] == ends[1]
    assert len({(end.ranks, end.table) for end in ends[0]}) > 2
