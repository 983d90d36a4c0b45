"""Plain UCT in Python, over the silent build: what :mod:`lusory.compile.c.search_runtime` does in C, from the same
streams, so both find the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from lusory.compile.c.search_runtime import MOST_DEPTH, SIMULATIONS
from lusory.game import Game
from lusory.native_steps import USUAL_C, Found, NativeSteps
from lusory.table import chance
from lusory.table.chance import CHOICES, FACTOR, MASK, STEP
from lusory.table.state import State


class _Node:
    """``value``: of the seat that chose it, added up."""

    __slots__ = ("children", "value", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.value = 0.0
        self.children: list[_Node] = []


@dataclass
class Search:
    """A search of one position."""

    game: Game
    root: State
    c: float = USUAL_C
    low: float = math.inf
    high: float = -math.inf
    tree: _Node = field(default_factory=_Node)

    def __post_init__(self) -> None:
        self._choices = 0
        self._streams = [(chance.name(name), cell) for name, cell in self.game.layout.streams.items()]

    def run(self, simulations: int, seed: int) -> Found:
        name = chance.name(SIMULATIONS)
        for number in range(simulations):
            self.simulate(chance.first(seed + number & MASK, name))
        asked = self.game.decision(self.root)
        assert asked is not None
        children = self.tree.children or [_Node() for _ in asked.options]
        return Found(simulations, tuple(n.visits for n in children), tuple(n.value for n in children))

    def simulate(self, seed: int) -> None:
        """One simulation, in which chance draws anew."""
        game = self.game
        state = State(self.root.cells[:], self.root.zones, [], self.root.asked)
        for name, cell in self._streams:
            state.cells[cell] = chance.first(seed, name)
        self._choices = chance.first(seed, chance.name(CHOICES))
        node, path = self.tree, list[tuple[_Node, int]]()
        asked = game.decision(state)
        while asked is not None and len(path) < MOST_DEPTH:
            options = len(asked.options)
            if not node.children:
                if path and not node.visits:
                    break
                node.children = [_Node() for _ in range(options)]
            option = self._promising(node, min(options, len(node.children)))
            node = node.children[option]
            path.append((node, asked.seat))
            state = game.apply(state, option)
            asked = game.decision(state)
        while asked is not None:
            state = game.apply(state, self._any(len(asked.options)))
            asked = game.decision(state)
        outcome = game.outcome(state)
        assert outcome is not None
        self._back_up(path, outcome.payoffs)

    def _any(self, count: int) -> int:
        self._choices = self._choices * FACTOR + STEP & MASK
        return (self._choices >> 32) * count >> 32

    def _promising(self, node: _Node, options: int) -> int:
        children = node.children[:options]
        fresh = [number for number, child in enumerate(children) if not child.visits]
        if fresh:
            return fresh[self._any(len(fresh))]
        logarithm = math.log(node.visits)
        low, scale = self.low, 1 / (self.high - self.low) if self.high > self.low else 1.0
        best, found = 0.0, 0
        for number, child in enumerate(children):
            visits = child.visits
            bound = (child.value / visits - low) * scale + self.c * math.sqrt(logarithm / visits)
            if not number or bound > best:
                best, found = bound, number
        return found

    def _back_up(self, path: list[tuple[_Node, int]], values: tuple[int | float, ...]) -> None:
        self.low, self.high = min(self.low, *values), max(self.high, *values)
        self.tree.visits += 1
        for node, seat in path:
            node.visits += 1
            node.value += values[seat]


MANY = 256
"""Simulations of one search, at the most: a tree that grows on and on would be measured instead."""


def in_python(game: Game) -> Callable[[int], int]:
    """Searches of the first position, so many simulations in all."""
    root = game.start(1)

    def search(simulations: int) -> int:
        for first in range(0, simulations, MANY):
            Search(game, root).run(min(MANY, simulations - first), first)
        return simulations

    return search


def in_c(steps: NativeSteps) -> Callable[[int], int]:
    """The same in native code."""
    root = steps.start(1)

    def search(simulations: int) -> int:
        return sum(
            steps.search([root], min(MANY, simulations - first), first).simulations
            for first in range(0, simulations, MANY)
        )

    return search


def stepping(game: Game) -> Callable[[int], int]:
    """Random games through the compiled engine, from decision to decision."""

    def play(games: int) -> int:
        moves = 0
        for seed in range(games):
            stream, state = chance.first(seed, chance.name(CHOICES)), game.start(seed)
            while (asked := game.decision(state)) is not None:
                stream, option = chance.draw(stream, len(asked.options))
                state = game.apply(state, option)
                moves += 1
        return moves

    return play


def stepping_in_c(steps: NativeSteps) -> Callable[[int], int]:
    """Random games in native code from decision to decision, without Python in between."""
    return lambda games: steps.decisions(0, games)
