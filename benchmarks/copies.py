"""A game in progress, copied and played on: ours, and the yardsticks. Used by :mod:`benchmarks.suite`.

Everybody takes the positions of one random game, one after the other.
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


def contestants(subject: Subject) -> list[Contestant]:
    """Each copies the positions of one random game of its own."""
    found = [Contestant("lusory, State.copy", "state", _copies(our_positions(subject), lambda state: state.copy()))]
    for name, style, copied in _yardsticks(subject):
        role = "deepcopy" if style == "idiomatic" else style
        found.append(Contestant(name, role, _copies(yardstick_positions(subject, style), copied)))
    return found


def rollouts(subject: Subject) -> list[Contestant]:
    """Each copies a position and plays on from the copy, at random, to the end: what a search does all the time."""
    game = subject.game()
    found = [Contestant("lusory, through the five verbs", "stepwise", _our_rollouts(game, our_positions(subject)))]
    for name, style, copied in _yardsticks(subject):
        found.append(Contestant(name, style, _their_rollouts(yardstick_positions(subject, style), copied)))
    return found


def _yardsticks(subject: Subject) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Name, style and way of copying."""
    deep: tuple[str, str, Callable[[Any], Any]] = (
        f"{STYLE_TITLES['idiomatic']}, copy.deepcopy",
        "idiomatic",
        copy.deepcopy,
    )
    return [
        deep,
        *((f"{STYLE_TITLES[style]}, clone", style, lambda game: game.clone()) for style in subject.styles[1:]),
    ]


def our_positions(subject: Subject) -> list[Any]:
    """The state at every decision of a random game."""
    game = subject.game()
    rnd = random.Random(1).random
    state = game.start(1)
    positions = []
    while (decision := game.decision(state)) is not None:
        positions.append(state)
        state = game.apply(state, int(rnd() * len(decision.options)))
    return positions


def yardstick_positions(subject: Subject, style: str) -> list[Any]:
    """The game at every decision of a random game."""
    rnd = random.Random(1).random
    game = subject.yardstick_module(style).new_game(random.Random(1), subject.players)
    positions = []
    while not game.is_over():
        positions.append(copy.deepcopy(game))
        legal = game.legal_moves()
        game.apply(legal[int(rnd() * len(legal))])
    return positions


def _copies(positions: list[Any], copied: Callable[[Any], Any]) -> Work:
    def work(times: int) -> int:
        for position in islice(cycle(positions), times):
            copied(position)
        return times

    return work


def _our_rollouts(game: Game, positions: list[Any]) -> Work:
    """``apply`` leaves the state it is given as it is: the copy is in it."""

    def work(times: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for position in islice(_spread(positions), times):
            state = position
            while (decision := game.decision(state)) is not None:
                state = game.apply(state, int(rnd() * len(decision.options)))
                moves += 1
            game.outcome(state)
        return moves

    return work


def _their_rollouts(positions: list[Any], copied: Callable[[Any], Any]) -> Work:
    def work(times: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for position in islice(_spread(positions), times):
            game = copied(position)
            while not game.is_over():
                legal = game.legal_moves()
                game.apply(legal[int(rnd() * len(legal))])
                moves += 1
            game.returns()
        return moves

    return work


def _spread(positions: list[Any]) -> cycle[Any]:
    """Early and late positions in turns, so that a few are like all: a slice of time holds but a few rollouts."""
    half = len(positions) // 2
    return cycle(
        [position for pair in zip(positions[:half], reversed(positions[half:]), strict=False) for position in pair]
    )
