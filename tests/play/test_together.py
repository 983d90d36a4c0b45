"""Choices at the same time as one node: the same as one after the other, whoever is asked first."""

from __future__ import annotations

from random import Random

import pytest
from programs import bundled, checked

from lusory.game import ENGINES, Game
from lusory.play.together import Together, together
from lusory.table.choices import IllegalChoice, RulesetFault
from lusory.table.state import State

BIDS = """\
game: {id: bids, name: Bids, version: "1", language: 2, players: 3}
variables:
  gold: {type: Int, per: [Player], start: me.seat + 1}
  bid: {type: Int, per: [Player], start: 0}
phases:
  - id: auction
    at_most: 3
    while: bid[players.first] < 9
    do: |
      each player at once:
        choose n in 0..3, prompt "What do you bid?"
        choose secret m in 1..3 where m != n:
          set bid to n * m + 6 div (n + m - 1)
      by players.first:
        choose k in 1..bid: increase gold by k
scoring: {rank: [bid, gold]}
""".replace("bid[players.first]", "players.first.bid")


@pytest.mark.parametrize("engine", ENGINES)
def test_all_choose_at_one_node(engine: str) -> None:
    game = Game(checked(BIDS), engine=engine)
    start = game.start(1)
    node = together(game, start)

    assert node is not None
    assert {seat: game.option_ids(*asked) for seat, asked in node.asked.items()} == {
        seat: ["0", "1", "2", "3"] for seat in range(3)
    }
    second = node.after({0: 2, 1: 0, 2: 1})
    assert isinstance(second, Together)
    assert [game.option_ids(*asked) for asked in second.asked.values()] == [["1", "3"], ["1", "2", "3"], ["2", "3"]]
    behind = second.after({2: 1, 0: 1, 1: 1})

    state = start
    for option in (2, 1, 0, 1, 1, 1):
        state = game.apply(state, option)
    assert behind == state
    assert together(game, state) is None
    assert start == game.start(1)
    with pytest.raises(RulesetFault):
        second.after({0: 1, 1: 0, 2: 1})


def test_what_is_not_asked_is_refused() -> None:
    game = Game(checked(BIDS))
    node = together(game, game.start(1))

    assert node is not None
    with pytest.raises(ValueError, match="each of the seats"):
        node.after({0: 1, 1: 1})
    with pytest.raises(IllegalChoice):
        node.after({0: 1, 1: 1, 2: 9})


def test_whole_games_of_joint_moves() -> None:
    """Hearts: three cards each are passed at the same time, each seat picking from its own hand."""
    game = Game(bundled("hearts"), engine="evaluator")
    chance, node = Random(3), together(game, start := game.start(5))
    assert node is not None
    sequence: dict[int, list[int]] = {}
    found: Together | State = node
    while isinstance(found, Together):
        assert [*found.asked] == sorted(found.asked)  # who has one card left to choose from is not asked
        options = {seat: chance.randrange(len(decision.options)) for seat, (_, decision) in found.asked.items()}
        for seat, option in options.items():
            sequence.setdefault(seat, []).append(option)
        found = found.after(options)
    state = start
    for option in (option for seat in range(4) for option in sequence[seat]):
        state = game.apply(state, option)
    assert found == state
