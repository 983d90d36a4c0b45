"""What a seat has learned, and the worlds that agree with it."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from random import Random

import pytest

from lusory.game import ENGINES, Game
from lusory.table.events import Event, redacted
from lusory.table.state import State
from lusory.worlds.knowledge import Knowledge
from lusory.worlds.observed import observed
from lusory_dsl import load_program
from lusory_dsl.core import Program

ROOT = Path(__file__).resolve().parents[2] / "rulesets"


@cache
def program(name: str) -> Program:
    return load_program(ROOT / name)


def after(game: Game, decisions: int, seed: int = 1) -> tuple[State, list[Knowledge]]:
    """A game of random play, and what each seat has learned."""
    rnd, log = Random(seed), list[Event]()
    state, known = game.start(seed, log), [Knowledge(game, seat) for seat in range(game.players)]
    for made in range(decisions + 1):
        for seat, knowledge in enumerate(known):
            knowledge.learn(game.view(state, seat), redacted(log, seat, game))
        decision = game.decision(state)
        if decision is None or made == decisions:
            break
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    return state, known


@pytest.mark.parametrize("engine", ENGINES)
def test_where_nothing_is_hidden_a_world_is_the_position_with_fresh_chance(engine: str) -> None:
    game = Game(program("classics/tic-tac-toe"), engine=engine)
    state, known = after(game, 4)
    for seat, knowledge in enumerate(known):
        (world,) = knowledge.worlds(1, 7)
        assert world.exact
        assert world.state.cells[: game.layout.repeats_at] == state.cells[: game.layout.repeats_at]
        assert observed(game.view(state, seat), ()) == observed(knowledge.game.view(world.state, seat), ())


def test_the_same_stream_gives_the_same_worlds_and_others_others() -> None:
    game = Game(program("templates/market-day"))
    _, known = after(game, 4)
    assert known[0].worlds(3, 1) == known[0].worlds(3, 1)
    assert known[0].worlds(3, 1) != known[0].worlds(3, 2)


def test_knowledge_can_be_kept_and_copied() -> None:
    game = Game(program("templates/market-day"))
    _, (knowledge, _) = after(game, 4)
    again = pickle.loads(pickle.dumps(knowledge)).at(game)
    assert again.worlds(2, 1) == knowledge.worlds(2, 1) == knowledge.copy().worlds(2, 1)


def test_what_another_seat_sees_is_refused() -> None:
    game = Game(program("templates/market-day"))
    with pytest.raises(ValueError, match="another seat"):
        Knowledge(game, 0).learn(game.view(game.start(1), 1), [])
