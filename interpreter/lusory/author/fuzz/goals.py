"""What games can come to: the goals of a search, and an observer that says which of them a step came to.

Goals are what coverage of cases counts (:mod:`lusory.author.adequacy.items`), and every way to end. *Traits* are what
else tells one game from another: how near a comparison came to its other side, how much lies in a place, which named
things came together. They lead to goals that lie far away, as value profiles do in coverage-guided fuzzing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from lusory_dsl import core
from lusory_dsl.language.types import IntType

from ...game import Game
from ...table.state import State
from ..adequacy.coverage import Exercised, Recorder, Uses, options_played
from ..adequacy.items import KINDS, Item, items_of, quoted
from ..tree import routines_in_play, walk

ENDINGS = "endings"
GOALS = {**KINDS, ENDINGS: "come to"}
"""Kinds of goals, in the order of reports, and what it means that one is reached."""

PAIRED = ("effects", "rules", "answers", "cards")
"""Kinds of which it matters which of them come together …"""
MOST_PAIRED = 64  # … where there are at most so many

Trait = tuple[Any, ...]
"""A goal, as ``("goal", number)``, or what else tells a game from others."""


class Goals:
    """Those of a program. Nodes are known by their identity, so each process makes its own; numbers are the same."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.nodes = {id(part): part for routine, _ in routines_in_play(program) for part, _ in walk(routine)}
        nodes = self.nodes
        self.items = [_as_ending(item, nodes) for item in items_of(program)]
        self.number = {id(item): number for number, item in enumerate(self.items)}
        self._of: dict[Any, list[int]] = {}
        self.compared: dict[int, list[int]] = {}  # comparisons of numbers -> the goals that are one side of them
        for number, item in enumerate(self.items):
            for probe in item.probes:
                self._of.setdefault(probe, []).append(number)
                node = nodes.get(probe[1]) if probe[0] in ("held", "failed") else None
                if isinstance(node, core.Binary) and isinstance(node.left.type, IntType):
                    self.compared.setdefault(id(node), []).append(number)
        self.named = {number for number, item in enumerate(self.items) if item.kind in PAIRED}

    def of(self, kind: str, what: Any) -> list[int]:
        """The numbers of the goals that one thing comes to: see :data:`~lusory.author.adequacy.items.Probe`."""
        return self._of.get((kind, what), [])

    def reached(self, exercised: Exercised) -> Iterator[int]:
        """The numbers of the goals that something which happened comes to."""
        for kind in ("ran", "held", "failed"):
            for node in getattr(exercised, kind):
                yield from self._of.get((kind, node), ())
        for fact in exercised.facts:
            yield from self._of.get(fact, ())

    def settled(self, game: Game) -> set[int]:
        """The goals that the options of a game come to by themselves."""
        return {number for fact in options_played(game.setting) for number in self._of.get(fact, ())}

    def pairs(self, numbers: Iterable[int]) -> Iterator[Trait]:
        """What came together in one game."""
        if len(self.named) <= MOST_PAIRED:
            yield from (("pair", *two) for two in combinations(sorted(self.named.intersection(numbers)), 2))


def _as_ending(item: Item, nodes: dict[int, Any]) -> Item:
    """A statement that ends the game is a goal of a kind of its own."""
    if any(isinstance(nodes.get(what), core.EndGame) for kind, what in item.probes if kind == "ran"):
        item.kind, item.missing = ENDINGS, f"{quoted(item.span)} never ends a game"
    return item


class Watch(Recorder):
    """The observer of a game that says, step by step, what it came to."""

    def __init__(self, goals: Goals) -> None:
        super().__init__(Uses(goals.program))
        self.goals = goals
        self.near: dict[int, int] = {}

    def reads(self, reader: Any) -> None:
        super().reads(reader)
        read, compared, near = reader.value, self.goals.compared, self.near

        def value(expr: core.Expr, slots: list[Any]) -> Any:
            if id(expr) in compared and isinstance(expr, core.Binary):
                sides = read(expr.left, slots), read(expr.right, slots)
                if type(sides[0]) is int and type(sides[1]) is int:
                    distance = abs(sides[0] - sides[1]).bit_length()
                    for number in compared[id(expr)]:
                        near[number] = min(near.get(number, distance), distance)
            return read(expr, slots)

        reader.value = value

    def taken(self) -> set[Trait]:
        """What happened since the last call."""
        found: set[Trait] = {("goal", number) for number in self.goals.reached(self.trace)}
        found.update(("near", number, distance) for number, distance in self.near.items())
        for one in (self.trace.ran, self.trace.held, self.trace.failed, self.trace.facts):
            one.clear()
        self.near.clear()
        return found


class Contents:
    """How much lies where: of each place the magnitude that was never there before."""

    def __init__(self, game: Game) -> None:
        layout = game.layout
        self._names = {cell: name for name in game.setting.numbers for cell in layout.places[name].numbers.values()}
        self._zones = {n: name for name, place in layout.zones.items() for n in place.numbers.values()}
        self.forget()

    def forget(self) -> None:
        """A game begins."""
        self._before: tuple[list[Any], list[Any]] = ([], [])

    def changed(self, state: State) -> set[Trait]:
        """Of the places that are not as they were at the last call."""
        cells, zones = self._before
        found: set[Trait] = set()
        for cell, name in self._names.items():
            value = state.cells[cell]
            if not cells or cells[cell] != value:
                found.add(("held", name, _magnitude(value)))
        for number, name in self._zones.items():
            if not zones or zones[number] != state.zones[number]:
                found.add(("lies", name, len(state.zones[number]).bit_length()))
        self._before = state.cells, state.zones
        return found


def _magnitude(value: Any) -> Any:
    """The power of two of a number, with its sign; of what is none, none."""
    if value is None:
        return None
    return value.bit_length() if value >= 0 else -value.bit_length()
