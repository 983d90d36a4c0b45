"""Many states stepped at once from Python: :mod:`lusory.batch` with a player that draws its actions with numpy."""

from __future__ import annotations

from collections.abc import Callable

from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.state import random_streams

STATES = 4_096
"""Of a batch."""


def batches(game: Game, observes: bool) -> Callable[[int], int]:
    """So many steps of a whole batch, with legal masks and returns; how many decisions that were. Raises ImportError
    without numpy, NoNative without a C compiler."""
    import numpy

    from lusory.batch import Batch

    batch = Batch(game, STATES, restart=True, native=True)
    random, seen = numpy.random.default_rng(1), batch.observe()

    def step(times: int) -> int:
        for _ in range(times):
            if observes:
                batch.observe(into=seen)
            batch.step((random.random(STATES, numpy.float32) * batch.options).astype(numpy.int64))
        return times * STATES

    return step


def one_by_one(steps: NativeSteps) -> Callable[[int], int]:
    """Random games by one call a decision, each state an object of Python."""

    def play(games: int) -> int:
        moves = 0
        for seed in range(games):
            stream, state = (random_streams.seed_stream(seed, random_streams.CHOICES), steps.start(seed))
            while (asked := steps.decision(state)) is not None:
                stream, option = random_streams.draw(stream, asked.options)
                state = steps.apply(state, option)
                moves += 1
        return moves

    return play
