"""Worlds where chance has decided something of which a seat is not told."""

from __future__ import annotations

from programs import checked
from worlds.laws import Found, tried

from lusory.game import Game
from lusory.table.events import Event, redacted
from lusory.worlds.knowledge import Knowledge

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


DICE = """
game: {id: dice, name: Dice, version: "1", language: 2, players: 2}
variables:
  kept: {type: Int, per: [Player], start: 0, visible: owner}
  shown: {type: Int, per: [Player], start: 0}
phases:
  - id: throw
    while: max(p.shown for p in players) < 200
    at_most: 40
    do: |
      each player:
        may "Throw?":
          roll secret eyes in 1..50: set kept to eyes
          roll more in 1..50: increase shown by more
        else: increase shown by 60
scoring: {rank: [shown, kept]}
"""
"""What is thrown in secret is thrown before what all see."""


def test_what_is_drawn_in_secret_is_told_from_what_is_drawn_before_all() -> None:
    game = Game(checked(DICE))
    log = list[Event]()
    state, knowledge = game.start(1, log), Knowledge(game, 1)
    knowledge.learn(game.view(state, 1), redacted(log, 1, game))
    log.clear()
    state = game.apply(state, 0, log)
    knowledge.learn(game.view(state, 1), redacted(log, 1, game))
    worlds = [world.state.cells for world in knowledge.worlds(40, 1) if world.exact]
    kept, shown = (game.in_code.layout.places[name].at((0,)) for name in ("kept", "shown"))
    assert len(worlds) == 40
    assert len({cells[kept] for cells in worlds} - {state.cells[shown]}) > 3


def test_where_the_game_is_over_no_world_is_looked_for() -> None:
    """What comes to light at the end tells nobody anything who still thinks."""
    game, log = Game(checked(NUMBER)), list[Event]()
    state, knowledge = game.start(1, log), Knowledge(game, 0)
    while game.decision(state) is not None:
        knowledge.learn(game.view(state, 0), redacted(log, 0, game))
        log.clear()
        state = game.apply(state, 0, log)
    looked: list[int] = []
    knowledge._went_on = lambda *_: []  # type: ignore[method-assign]
    knowledge._found_again = lambda now, *_: looked.append(now) or []  # type: ignore[method-assign, func-returns-value]
    knowledge.learn(game.view(state, 0), redacted(log, 0, game))
    assert not looked
    assert not knowledge.particles[0].exact
