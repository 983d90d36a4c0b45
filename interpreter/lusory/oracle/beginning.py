"""How games begin, kept between runs: a person waits for the first decision, and a setup may be long.

Where chance has no part in it, all games of a setting begin alike, up to the first decision; only their random streams
differ, from which nothing was drawn.
"""

from __future__ import annotations

from typing import Any

from ..table import chance
from ..table.choices import Decision, Option
from ..table.setting import Forced, Setting
from ..table.state import State
from ..table.store import CodeStore
from .evaluator import Evaluator, Log

LONG = 5_000
"""Work from which on a beginning is kept, see :mod:`lusory.table.cost`: a shorter one is as quick as reading it."""


class Beginnings(Evaluator):
    """Plays as any evaluator does, and begins with what was kept in a store."""

    def __init__(self, setting: Setting, store: CodeStore) -> None:
        super().__init__(setting)
        self.store = store
        options = sorted(setting.options.items())
        self.key = f"{setting.program.digest} {setting.players} {options!r} {setting.limits} beginning"
        self._looked = False
        self._kept: tuple[Any, ...] | None = None

    def start(self, seed: chance.Seed, log: Log | None = None, forced: Forced | None = None) -> State:
        if forced is not None:
            return super().start(seed, log, forced)
        if not self._looked:
            self._looked, self._kept = True, self.store.code(self.key)
            if self._kept is None:
                return self._kept_of(seed, log)
        if self._kept is None:
            return super().start(seed, log)
        return self._begun(self._kept, seed, log)

    def _kept_of(self, seed: chance.Seed, log: Log | None) -> State:
        """A game begun, and kept for others, where it is worth it."""
        events: Log = [] if log is None else log
        before = len(events)
        state = super().start(seed, events)
        if state.asked is not None and state.cells[self.layout.work] >= LONG and not self._drawn(state, seed):
            site, seat, options = state.asked
            asked = site, seat, tuple([tuple(option) for option in options])
            self._kept = (
                tuple(state.cells),
                tuple(map(tuple, state.zones)),
                tuple(state.frame),
                asked,
                tuple(events[before:]),
            )
            self.store.keep_code(self.key, self._kept)
        return state

    def _drawn(self, state: State, seed: chance.Seed) -> bool:
        """Whether anything was drawn from a stream."""
        streams = self.layout.streams.items()
        return any(state.cells[cell] != chance.start(seed, stream) for stream, cell in streams)

    def _begun(self, kept: tuple[Any, ...], seed: chance.Seed, log: Log | None) -> State:
        """The beginning with the random streams of a seed."""
        cells, zones, (operation, base, *rest), (site, seat, options), events = kept
        first, now = list(base), list(cells)
        for stream, cell in self.layout.streams.items():
            first[cell] = now[cell] = chance.start(seed, stream)
        if log is not None:
            log += events
        asked = Decision(site, seat, tuple([Option(*option) for option in options]))
        return State(now, [list(zone) for zone in zones], [operation, tuple(first), *rest], asked)
