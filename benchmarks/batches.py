"""Step many states at once with :mod:`lusory.batch`. Numpy draws the actions."""

from __future__ import annotations

from collections.abc import Callable

from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.state import random_streams

STATES = 4_096
"""Number of states in a batch."""


def step_batches(game: Game, observes: bool) -> Callable[[int], int]:
    """Return a function that steps a batch and returns the number of decisions. Raise ImportError without numpy, and
    NoNative without a C compiler."""
    import numpy

    from lusory.batch import Batch

    batch = Batch(game, STATES, restart=True, native=True)
    random, observation = numpy.random.default_rng(1), batch.observe()

    def step(times: int) -> int:
        for _ in range(times):
            if observes:
                batch.observe(into=observation)
            batch.step((random.random(STATES, numpy.float32) * batch.options).astype(numpy.int64))
        return times * STATES

    return step


def step_states(steps: NativeSteps) -> Callable[[int], int]:
    """Return a function that plays random games with one call for each decision and a Python object for each state."""

    def play(games: int) -> int:
        moves = 0
        for seed in range(games):
            stream, state = (random_streams.seed_stream(seed, random_streams.CHOICES), steps.start(seed))
            while (decision := steps.decision(state)) is not None:
                stream, option = random_streams.draw(stream, decision.options)
                state = steps.apply(state, option)
                moves += 1
        return moves

    return play
