"""The table where a game does not wait: right behind the block of a decision, and one block played alone.

Used by the runner of cases. Both are played by the evaluator, whatever the engine of the case.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from lusory_dsl import core

from ...game import Game
from ...oracle.evaluator import Answer as Given, Evaluator, Execution, offer
from ...table import chance
from ...table.choices import RulesetFault
from ...table.events import Log
from ...table.phases import Block
from ...table.setting import Forced, Setting
from ...table.state import State, StateLayout
from .model import Routine

RUN = "run"
"""The only phase of a game that plays one block."""


class _Halt(Exception):
    """The decision is done."""


class _OneDecision(Execution):
    """Plays on from a decision, and stops behind its block; where it has none, behind what follows it in the block in
    which it stands. It never comes to a further choice, not even to a forced one."""

    depth = 0
    ends_at: int | None = None  # the depth of the block behind which it stops

    def go(self, number: int) -> State:
        try:
            return super().go(number)
        except _Halt:
            return State(self.cells, self.zones, [])

    def block(self, statements: Block, slots: list[Any]) -> None:
        self.depth += 1
        try:
            super().block(statements, slots)
        except RulesetFault:
            self.ends_at = None
            raise
        finally:
            self.depth -= 1
            if self.ends_at == self.depth + 1:
                raise _Halt

    def answer(
        self, ask: core.Ask | core.AskMany, slots: list[Any], picked: tuple[int, ...] = (), n: int = 0
    ) -> Given | None:
        if not self.answers and (not picked or len(offer(self, ask, list(slots), picked)) > 1):
            raise _Halt
        found = super().answer(ask, slots, picked, n)
        if not self.answers and self.ends_at is None:
            has_block = isinstance(ask, core.Ask) and found is not None and bool(ask.alternatives[found[0]].body)
            self.ends_at = self.depth + has_block
        return found


@lru_cache(maxsize=16)
def _evaluator(setting: Setting) -> Evaluator:
    return Evaluator(setting, _OneDecision)


def after_decision(game: Game, state: State, option: int, log: Log, forced: Forced) -> State:
    """The position behind the block of a decision, where nobody is asked. ``game``: of the evaluator."""
    return _evaluator(game.setting).apply(state, option, log, forced)


# ---------------------------------------------------------------- one block


@lru_cache(maxsize=64)
def running(program: core.Program, routine: Routine) -> core.Program:
    """A program whose game is one block."""
    phase = core.Phase(RUN, None, routine.n_slots, None, None, 1, routine.body, (), routine.span)
    return replace(program, setup=replace(program.setup, body=(), n_slots=0), phases=(phase,))


def carried_over(state: State, old: StateLayout, onto: State, new: StateLayout) -> State:
    """A position of one game as one of another with the same places: what lies where, and what chance has come to.
    ``onto``: a position of the other game, for what the first one does not have."""
    cells, common = onto.cells[:], min(old.repeats_at, new.repeats_at)
    cells[:common] = state.cells[:common]
    for stream in new.streams.keys() & old.streams.keys():
        cells[new.streams[stream]] = state.cells[old.streams[stream]]
    return State(cells, [zone[:] for zone in state.zones], [])


def untouched(layout: StateLayout, seed: int) -> State:
    """A position with nothing on the table, and chance that was not drawn from."""
    cells: list[Any] = [0] * layout.size
    for stream, cell in layout.streams.items():
        cells[cell] = chance.seed(seed, stream)
    cells[layout.reason] = None
    return State(cells, [[] for _ in range(layout.zone_count)], [])


# ---------------------------------------------------------------- some of a list


def picks_of(game: Game, state: State, words: str) -> list[str]:
    """What an answer picks that names several at once, `estate copper`, in the order in which it is picked, and `done`
    if that is to be said. Nothing: it is no such answer."""
    decision = game.decision(state)
    ids, most = game.candidates(state)
    named = words.split()
    if decision is None or len(named) < 2 or not set(named) <= set(ids) or len(set(named)) < len(named):
        return []
    if game.takes_in_order(decision):
        return [*named, "done"] if len(named) < most else named
    named.sort(key=ids.index)
    return [*named, "done"] if len(named) < most and named[-1] != ids[-1] else named
