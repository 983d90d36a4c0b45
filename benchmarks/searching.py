"""Play games decision by decision, and search a game's first decision, in Python and in native code."""

from __future__ import annotations

from collections.abc import Callable

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.play.searching_bots import complete_hints
from lusory.search.option_evaluation import MCTS, SearchBackend, SearchTask, evaluate_options
from lusory.state import random_streams
from lusory.state.random_streams import CHOICES

MAX_SIMULATIONS = 256
"""Maximum number of simulations in one search. A tree that grows without end would distort the measurement."""


def run_simulations(game: Game, core: SearchBackend) -> Callable[[int], int]:
    """Return a function that makes the given number of simulations in all, as the bot ``mcts`` does."""
    world, hints = game.start(1), complete_hints(game, None)
    decision = game.decision(world)
    assert decision is not None

    def search(count: int) -> int:
        for first in range(0, count, MAX_SIMULATIONS):
            size = min(MAX_SIMULATIONS, count - first)
            is_open = has_perfect_information(game)
            task = SearchTask(game, decision.seat, [world], MCTS, size, first, is_open, hints)
            evaluate_options(task, core)
        return count

    return search


def pass_worlds(game: Game, steps: NativeSteps) -> Callable[[int], int]:
    """Return a function that passes a state to native code a given number of times."""
    world = game.start(1)

    def convert(count: int) -> int:
        for _ in range(count):
            steps.from_python(world)
        return count

    return convert


def play_stepwise(game: Game) -> Callable[[int], int]:
    """Return a function that plays random games decision by decision with the compiled engine."""

    def play(games: int) -> int:
        moves = 0
        for seed in range(games):
            stream, state = (random_streams.seed_stream(seed, CHOICES), game.start(seed))
            while (decision := game.decision(state)) is not None:
                stream, option = random_streams.draw(stream, len(decision.options))
                state = game.apply(state, option)
                moves += 1
        return moves

    return play


def play_natively(steps: NativeSteps) -> Callable[[int], int]:
    """Return a function that plays random games decision by decision in native code, without Python in between."""
    return lambda games: steps.count_decisions(0, games)
