"""Beginnings that are kept between runs: they are those that the evaluator comes to by itself."""

from __future__ import annotations

from typing import Any

import pytest
from programs import checked

from lusory.game import EVALUATOR, Game
from lusory.table.setting import Forced
from lusory.table.state import State

LONG = """
game: {id: long, name: Long, version: "1", language: 2, players: 2..3}
options:
  more: {type: Bool, default: false, doc: Whether there is more.}
boards:
  Square: {grid: 30 x 30}
variables:
  held: {type: Int, per: [Square], start: 0}
  last: {type: "List[Int]", start: "[]"}
  rolled: {type: Int, start: 0}
phases:
  - id: lay
    do: |
      FIRST
      for each s in Square where s.column > 1: set held[s] to s.row * s.column + (if more then 1 else 0)
      announce "laid"
  - id: ask
    do: |
      each player:
        choose n in 1..4:
          set last to last union [n]
          roll x in 1..6: increase rolled by x
scoring: {rank: [rolled]}
"""
"""What chance does to begin with stands in place of ``FIRST``."""


class Store(dict[str, Any]):
    """What is kept, in memory."""

    code = dict.get

    def keep_code(self, key: str, value: Any) -> None:
        self[key] = value


def game_of(store: Store | None, first: str = "", **given: Any) -> Game:
    return Game(checked(LONG.replace("FIRST", first)), engine=EVALUATOR, store=store, **given)


def played(game: Game, seed: int | str) -> list[tuple[State, Any, list[Any]]]:
    """All that is seen of a game."""
    log: list[Any] = ["what was before"]
    state, found = game.start(seed, log), []
    while (decision := game.decision(state)) is not None:
        found.append((state, decision, log))
        log = []
        state = game.apply(state, len(decision.options) - 1, log)
    return [*found, (state, game.outcome(state), log)]


@pytest.mark.parametrize("given", [{}, {"players": 3}, {"options": {"more": "true"}}])
def test_a_game_that_begins_with_what_was_kept_is_the_same(given: dict[str, Any]) -> None:
    store, plain = Store(), game_of(None, **given)
    for other in ({}, {"players": 3}, {"options": {"more": "true"}}):
        game_of(store, **other).start(8)
    assert len(store) == 3
    kept = dict(store)
    for seed in (1, 2, "secure:" + "0" * 32):
        assert played(game_of(store, **given), seed) == played(plain, seed)
    assert store == kept
    game = game_of(store, **given)
    assert [played(game, seed) for seed in (3, 4)] == [played(plain, seed) for seed in (3, 4)]


def test_it_is_not_worked_out_again() -> None:
    store = Store()
    state = game_of(store).start(1)
    ((key, (cells, *rest)),) = store.items()
    where = game_of(store).layout.places["held"].offset
    store[key] = ((*cells[:where], -5, *cells[where + 1 :]), *rest)
    assert (state.cells[where], game_of(store).start(1).cells[where]) == (0, -5)


@pytest.mark.parametrize("first", ["roll x in 1..6: increase rolled by x", "end game"])
def test_what_chance_has_a_part_in_is_not_kept(first: str) -> None:
    """Nor what asks nobody."""
    store, plain = Store(), game_of(None, first)
    assert [played(game_of(store, first), seed) for seed in (1, 2)] == [played(plain, seed) for seed in (1, 2)]
    assert store == {}


def test_a_short_one_is_not_kept() -> None:
    store = Store()
    Game(checked(LONG.replace("FIRST", "").replace("30 x 30", "2 x 2")), engine=EVALUATOR, store=store).start(1)
    assert store == {}


def test_dictated_chance_begins_by_itself() -> None:
    store = Store()
    first = game_of(store).start(1)
    store.clear()
    assert game_of(store).start(1, forced=Forced()) == first
    assert store == {}
