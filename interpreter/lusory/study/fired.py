"""Which parts of the rules were carried out: a game that was played is played once more by the evaluator, which can be
observed as in coverage tests (:mod:`lusory.author.adequacy.coverage`). Used by :mod:`lusory.study.gather`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lusory_dsl import core

from ..author.adequacy.coverage import ENGINE, Recorder, Uses
from ..author.adequacy.items import Item, items_of
from ..game import Game
from ..table.chance import Seed

KINDS = ("phases", "effects", "queries", "rules", "windows", "choices", "answers", "loops", "statements")
"""Kinds of items that a game carries out; cards and options have their own figures."""


def parts_of(program: core.Program) -> list[Item]:
    """What can be carried out, in an order that follows from the program."""
    return [item for item in items_of(program) if item.kind in KINDS]


class Replayer:
    """Plays games once more, and tells what of :func:`parts_of` they carry out, by number. ``options``: those of the
    game, as authors write them."""

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        self.parts = parts_of(game.program)
        self._recorder = Recorder(Uses(game.program))
        limits = game.setting.limits
        self._game = Game(game.program, game.players, options, ENGINE, observer=self._recorder, limits=limits)

    def fired(self, seed: Seed, picks: Sequence[int]) -> list[int]:
        """Those of the game with a seed and decisions."""
        trace = self._recorder.trace
        for seen in (trace.ran, trace.held, trace.failed, trace.facts):
            seen.clear()
        state = self._game.start(seed)
        for pick in picks:
            state = self._game.apply(state, pick)
        self._game.outcome(state)
        return [n for n, item in enumerate(self.parts) if any(trace.has(*probe) for probe in item.probes)]
