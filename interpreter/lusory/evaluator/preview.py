"""What surely comes of an option, as far as a seat can know it: its statements played on what the seat sees.

Chance, questions and whatever the seat may not see end it: so what is found follows from nothing that is hidden, and
whatever is found is what the log will begin with once the option is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.information_flow import knowledge_of

from ..state.decision import Option, RulesetFault
from ..state.event_log import Event
from ..state.phases import Block, Flow
from ..state.setting import HIDDEN, Value
from ..state.state import State
from ..view.view import SeatReader, padded
from ..view.visibility import UNKNOWN, Hidden, Seen, Unknown
from .evaluator import Answer, Asked, Execution, Over, Stopped
from .expressions import Reader, Slots

MOST_WORK = 20_000
"""Work that is done to look ahead once, and items that are gone through: see :mod:`lusory.state.cost`."""
MOST_TOGETHER = 300_000
"""Work for all options of a choice together: of many options each has a share."""


class Foreseen(NamedTuple):
    """``events``: what surely happens. ``is_all``: whether that is all up to where the routine that asked goes on
    elsewhere; False where chance, a question, a secret or the limit of work ended it."""

    events: tuple[Event, ...]
    is_all: bool


def foreseen(seen: Seen, ask: core.Ask, option: Option, slots: Sequence[Value], among: int) -> Foreseen:
    """What surely comes of an option of a choice; nothing where the seat may not know which choice it is. ``slots``:
    what the seat knows of the locals of the routine that asks. ``among``: how many options there are."""
    if ask.site in knowledge_of(seen.setting.program).unclear:
        return Foreseen((), False)
    log: list[Event] = []
    routine = _routine(seen.setting.program, ask.site)
    known = [UNKNOWN if value is None else value for value in padded(slots, routine.n_slots)]  # engines forget locals
    alternative = ask.alternatives[option.alternative]
    for variable, value in zip(alternative.vars, option.values, strict=True):
        known[variable.slot] = Unknown() if value == HIDDEN else value
    play = _Foresight(seen, log, min(MOST_WORK, MOST_TOGETHER // max(among, 1)))
    is_all = play.plays((alternative.body, *routine.behind), known)
    return Foreseen(tuple(log), is_all)


class _Routine(NamedTuple):
    """``behind``: what a routine does behind a choice, the innermost block first, up to the end of a pass of the loop
    round it. ``loops``: whether there is one."""

    behind: tuple[Block, ...]
    loops: bool
    n_slots: int


@lru_cache(maxsize=256)
def _routine(program: core.Program, site: int) -> _Routine:
    """The routine that asks at a site."""
    bodies = [(phase.body, phase.n_slots) for phase in core.phases_in((program.setup, *program.phases))]
    for effect in program.effects.values():
        bodies.append((effect.body, effect.n_slots))
        bodies += [(rule.body, rule.n_slots) for rule in core.rules_of(effect)]
    for body, n_slots in bodies:
        found = _behind(body, site)
        if found is not None:
            return _Routine(*found, n_slots)
    raise LookupError(f"no routine asks at {site}")


def _behind(block: Block, site: int) -> tuple[tuple[Block, ...], bool] | None:
    """What stands behind a site in a block, and whether a loop goes on from there; None where the site is elsewhere."""
    for number, stmt in enumerate(block):
        if isinstance(stmt, core.Ask) and stmt.site == site:
            return (block[number + 1 :],), False
        for inner in core.blocks(stmt):
            found = _behind(inner, site)
            if found is not None:
                parts, loops = found
                if loops or isinstance(stmt, core.ForEach | core.Repeat):
                    return parts, True
                return (*parts, block[number + 1 :]), False
    return None


class _Foresight(SeatReader, Execution):
    """A stretch of play on what a seat sees. Reading what it does not see raises Hidden."""

    shown = Reader.shown  # words with something hidden in them are not known

    def __init__(self, seen: Seen, log: list[Event], work: int) -> None:
        layout = seen.setting.layout
        # nobody knows how often phases were repeated, and what chance brings
        cells: list[Any] = [*seen.cells, *[UNKNOWN] * (layout.size - len(seen.cells))]
        cells[layout.work] = cells[layout.over] = 0
        self.seen, self.work = seen, work
        position = State(cells, [zone[:] for zone in seen.zones], [])
        Execution.__init__(self, seen.setting, Flow((), {}), position, log, None)

    def decided(self) -> None:
        """Little work is done ahead of a decision."""
        self.until = self.visits = self.work

    def plays(self, blocks: Sequence[Block], slots: Slots) -> bool:
        """Play some blocks, as far as can be told; whether all of them."""
        try:
            for block in blocks:
                self.block(block, slots)
        except (Asked, Hidden, RulesetFault):
            return False
        except (Over, Stopped):
            pass
        return True

    def eval_Local(self, expr: core.Local, slots: Slots) -> Value:
        """A local, unless the engine that plays does not keep it while it waits."""
        value = super().eval_Local(expr, slots)
        if value is UNKNOWN:
            raise Hidden
        return value

    def answer(
        self, ask: core.Ask | core.AskMany, slots: Slots, picked: tuple[int, ...] = (), n: int = 0
    ) -> Answer | None:
        """What alone is possible, if the seat knows what that is."""
        answer = super().answer(ask, slots, picked, n)
        if answer is not None and any(isinstance(value, Unknown) for value in answer[1]):
            raise Hidden
        return answer

    def exec_Announce(self, stmt: core.Announce, slots: Slots) -> None:
        """What says more to some than to others is not known before."""
        if stmt in knowledge_of(self.program).tellers:
            raise Hidden
        super().exec_Announce(stmt, slots)

    def exec_EndGame(self, stmt: core.EndGame, slots: Slots) -> None:
        """As :meth:`exec_Announce`."""
        if stmt in knowledge_of(self.program).tellers:
            raise Hidden
        super().exec_EndGame(stmt, slots)
