"""Worlds where chance has decided something of which a seat is not told."""

from __future__ import annotations

from programs import checked
from worlds.laws import Found, tried

from lusory.game import Game

NUMBER = """
game: {id: number, name: Number, version: "1", language: 2, players: 2}
variables:
  number: {type: Int, start: 0, visible: nobody}
  past: {type: Int, start: 0}
setup: |
  pick secret n in 1..100 at random
  set number to n
phases:
  - id: guess
    while: past < 6
    at_most: 6
    do: |
      increase past by 1
      each player:
        choose g in 1..100, prompt "Which number?":
          if g < number: announce "higher"
          else: announce "not higher"
scoring: {rank: [me.seat]}
"""
"""All that is hidden is drawn before the first decision, and comes to light bit by bit."""


def found_in(text: str, seeds: int = 2, most: int = 20) -> Found:
    """The laws of worlds in some games of random play."""
    game, found = Game(checked(text)), Found()
    for seed in range(seeds):
        tried(game, seed, found, most, every=2)
    assert not found.broken
    return found


def test_what_was_drawn_before_the_first_decision_is_drawn_anew() -> None:
    found = found_in(NUMBER)
    assert found.retold == found.exact == found.worlds > 0
