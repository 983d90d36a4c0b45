"""Belief states in a draft: hands are passed on, and the picks come to light much later."""

from __future__ import annotations

import pytest
from belief.laws import Results, check_laws
from programs import checked

from lusory.game import Game

DISHES = """
game: {id: dishes, name: Dishes, version: "1", language: 2, players: 3}
components:
  Dish: {fields: {worth: Int}}
cards:
  soup: {kind: Dish, copies: 7, fields: {worth: 1}}
  rice: {kind: Dish, copies: 6, fields: {worth: 2}}
  tea: {kind: Dish, copies: 4, fields: {worth: 3}}
  cake: {kind: Dish, copies: 3, fields: {worth: 4}}
zones:
  deck: {holds: Dish, start: all Dish, visible: nobody}
  hand: {per: [Player], holds: Dish, visible: owner}
  kept: {per: [Player], holds: Dish, visible: owner}
  going: {per: [Player], holds: Dish, visible: nobody}
  table: {per: [Player], holds: Dish}
setup: |
  shuffle deck
  each player: move take(deck, 5) to hand
phases:
  - id: pick
    while: any(p.hand is not empty for p in players)
    at_most: 5
    do: |
      each player:
        choose secret dish in hand, prompt "Which dish do you take?": move dish to kept
      each player: move hand to going
      each player: move going to me.next.hand
  - id: show
    do: |
      each player:
        choose 1..2 secret dishes in kept, prompt "Which ones do you hide?"
        move (kept where it not in dishes) to table
scoring:
  rank: [sum(dish.worth for dish in table)]
"""
"""The dishes are shown in the order in which they were picked."""


@pytest.mark.parametrize("seed", [0, 1])
def test_draft_picks_are_changed_when_they_come_to_light(seed: int) -> None:
    """A dish that one seat did not pick may have been picked by the next, or passed on."""
    game, results = Game(checked(DISHES)), Results()
    check_laws(game, seed, results, max_decisions=18, every=1, each=1)
    assert not results.violations
    assert results.replayed == results.exact == results.samples > 0
