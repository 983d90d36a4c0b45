"""Copy positions of a game and play on, with lusory and with the yardsticks. Used by :mod:`benchmarks.suite`.

Each contestant takes the positions of one random game in order.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from lusory.game import Game

from .games import STYLE_TITLES, Subject
from .timing import Contestant, Work


def list_contestants(subject: Subject) -> list[Contestant]:
    """Return contestants that copy the positions of a random game."""
    work = _copy(list_our_positions(subject), lambda state: state.copy())
    contestants = [Contestant("lusory, State.copy", "state", work)]
    for name, style, copy_one in _list_yardsticks(subject):
        role = "deepcopy" if style == "idiomatic" else style
        contestants.append(Contestant(name, role, _copy(list_positions(subject, style), copy_one)))
    return contestants


def list_rollouts(subject: Subject) -> list[Contestant]:
    """Return contestants that copy positions and play random games to the end, as a search does."""
    work = _play_ours(subject.create_game(), list_our_positions(subject))
    contestants = [Contestant("lusory, through the five verbs", "stepwise", work)]
    for name, style, copy_one in _list_yardsticks(subject):
        contestants.append(Contestant(name, style, _play_theirs(list_positions(subject, style), copy_one)))
    return contestants


def _list_yardsticks(subject: Subject) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Return name, style and copy function of each yardstick."""
    deep: tuple[str, str, Callable[[Any], Any]] = (
        f"{STYLE_TITLES['idiomatic']}, copy.deepcopy",
        "idiomatic",
        copy.deepcopy,
    )
    return [
        deep,
        *((f"{STYLE_TITLES[style]}, clone", style, lambda game: game.clone()) for style in subject.styles[1:]),
    ]


def list_our_positions(subject: Subject) -> list[Any]:
    """Return the state at every decision of a random game."""
    game = subject.create_game()
    rnd = random.Random(1).random
    state = game.start(1)
    positions = []
    while (decision := game.decision(state)) is not None:
        positions.append(state)
        state = game.apply(state, int(rnd() * len(decision.options)))
    return positions


def list_positions(subject: Subject, style: str) -> list[Any]:
    """Return a copy of the game at every decision of a random game."""
    rnd = random.Random(1).random
    game = subject.import_yardstick(style).new_game(random.Random(1), subject.players)
    positions = []
    while not game.is_over():
        positions.append(copy.deepcopy(game))
        legal = game.legal_moves()
        game.apply(legal[int(rnd() * len(legal))])
    return positions


def _copy(positions: list[Any], copy_one: Callable[[Any], Any]) -> Work:
    def work(times: int) -> int:
        for position in islice(cycle(positions), times):
            copy_one(position)
        return times

    return work


def _play_ours(game: Game, positions: list[Any]) -> Work:
    """Play on without a separate copy, because ``apply`` copies the state itself."""

    def work(times: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for position in islice(_alternate(positions), times):
            state = position
            while (decision := game.decision(state)) is not None:
                state = game.apply(state, int(rnd() * len(decision.options)))
                moves += 1
            game.outcome(state)
        return moves

    return work


def _play_theirs(positions: list[Any], copy_one: Callable[[Any], Any]) -> Work:
    def work(times: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for position in islice(_alternate(positions), times):
            game = copy_one(position)
            while not game.is_over():
                legal = game.legal_moves()
                game.apply(legal[int(rnd() * len(legal))])
                moves += 1
            game.returns()
        return moves

    return work


def _alternate(positions: list[Any]) -> cycle[Any]:
    """Cycle through early and late positions in turn, because a time slice has only a few rollouts."""
    half = len(positions) // 2
    return cycle(
        [position for pair in zip(positions[:half], reversed(positions[half:]), strict=False) for position in pair]
    )
