"""Copies of a game in progress: ours, and those of the yardsticks. Used by :mod:`benchmarks.suite`."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from .games import STYLE_TITLES, Subject
from .timing import Contestant, Work


def contestants(subject: Subject) -> list[Contestant]:
    """Each copies the positions of one random game of its own, one after the other."""
    found = [Contestant("lusory, State.copy", "state", _copies(our_positions(subject), lambda state: state.copy()))]
    clean = yardstick_positions(subject, "idiomatic")
    found.append(Contestant(f"{STYLE_TITLES['idiomatic']}, copy.deepcopy", "deepcopy", _copies(clean, copy.deepcopy)))
    for style in subject.styles[1:]:
        positions = yardstick_positions(subject, style)
        found.append(Contestant(f"{STYLE_TITLES[style]}, clone", style, _copies(positions, lambda game: game.clone())))
    return found


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
