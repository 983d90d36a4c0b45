"""Coverage of random play: the items that coverage of cases counts, and every statement that ends the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lusory_dsl import core

from ...game import Game
from ..adequacy.coverage import Exercised, Recorder, Uses, options_played
from ..adequacy.items import KINDS, Item, items_of, quoted
from ..tree import routines_in_play, walk

ENDINGS = "endings"
GOALS = {**KINDS, ENDINGS: "reached"}
"""The kinds of goals in the order of reports, each with what it means to reach one."""


class Goals:
    """The goals of a program, numbered. Processes share the numbers; nodes are compared by identity."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        nodes = {id(part): part for routine, _ in routines_in_play(program) for part, _ in walk(routine)}
        self.items = [_mark_ending(item, nodes) for item in items_of(program)]
        self._by_probe: dict[Any, list[int]] = {}
        for number, item in enumerate(self.items):
            for probe in item.probes:
                self._by_probe.setdefault(probe, []).append(number)

    def reached(self, exercised: Exercised) -> Iterator[int]:
        """Yield the numbers of the goals that were exercised."""
        for kind in ("ran", "held", "failed"):
            for node in getattr(exercised, kind):
                yield from self._by_probe.get((kind, node), ())
        for fact in exercised.facts:
            yield from self._by_probe.get(fact, ())

    def reached_by_options(self, game: Game) -> set[int]:
        """Return the numbers of the goals that the options of a game reach."""
        return {number for fact in options_played(game.setting) for number in self._by_probe.get(fact, ())}


def _mark_ending(item: Item, nodes: dict[int, Any]) -> Item:
    """Give a statement that ends the game a kind of its own."""
    if any(isinstance(nodes.get(node), core.EndGame) for kind, node in item.probes if kind == "ran"):
        item.kind, item.missing = ENDINGS, f"{quoted(item.span)} never ends a game"
    return item


class Coverage(Recorder):
    """The observer of a game that records which goals each step reaches."""

    def __init__(self, goals: Goals) -> None:
        super().__init__(Uses(goals.program))
        self.goals = goals

    def take(self) -> set[int]:
        """Return the goals that were reached since the last call."""
        reached = set(self.goals.reached(self.trace))
        for record in (self.trace.ran, self.trace.held, self.trace.failed, self.trace.facts):
            record.clear()
        return reached
