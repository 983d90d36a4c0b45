"""Parts that are nested too deeply for one function become routines of their own.

Python nests at most twenty loops and a hundred levels of indentation; other targets have limits, too. What is left in
one function stays well below, whatever is written out in it: how deep the blocks of a text and phases may be is settled
by the checker (:mod:`lusory_dsl.language.depth`). Made of a lowered game, before selection; few games have any
such part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lusory_dsl import core
from lusory_dsl.core import Expr, Local, Stmt, walk

from .lowered import EffectRoutine, Inlined, LoweredGame, LoweredRoutine, asks, ends, stops
from .lowerer import Lowerer

LOOPS = 10  # in one another in one function, with the phases round them; a choice may need eight more
LEVELS = 18  # of indentation in one function, behind which whatever can leaves it


def split(game: LoweredGame, lowerer: Lowerer, asking: bool) -> LoweredGame:
    """The game with what is too deep in routines. ``asking``: parts that ask are nested like any other."""
    return _Splitter(lowerer, asking).game(game)


@dataclass(frozen=True)
class _Depth:
    """How deep a place is in its function."""

    loops: int = 0
    levels: int = 0

    def inside(self, s: Stmt) -> _Depth:
        """The depth of the blocks of a statement."""
        is_loop = bool(core.row(type(s)).passes)
        asks_or_filters = isinstance(s, core.Ask) or (isinstance(s, core.ForEach) and s.condition is not None)
        return _Depth(self.loops + is_loop, self.levels + (not isinstance(s, Inlined)) + asks_or_filters)


class _Splitter:
    def __init__(self, lowerer: Lowerer, asking: bool) -> None:
        self.lowerer = lowerer
        self.asking = asking
        self.routines: list[LoweredRoutine] = []
        self.number = len(lowerer.routines)

    def game(self, game: LoweredGame) -> LoweredGame:
        for routine in game.routines:
            self.routines.append(replace(routine, body=self.block(routine.body, _Depth())))
        # who calls a routine knows the one before: the same but for its body
        setup = self.phase(game.setup, _Depth())
        phases = tuple(self.phase(phase, _Depth()) for phase in game.phases)
        return replace(game, setup=setup, phases=phases, routines=tuple(self.routines))

    def phase(self, phase: core.Phase, at: _Depth) -> core.Phase:
        if self.asking:  # else each phase is blocks of its own
            repeated = phase.repeat is not None
            at = _Depth(at.loops + repeated, at.levels + repeated + (phase.condition is not None))
        children = tuple(self.phase(child, at) for child in phase.children)
        return replace(phase, body=self.block(phase.body, at), children=children)

    def block(self, stmts: tuple[Stmt, ...], at: _Depth) -> tuple[Stmt, ...]:
        return tuple(self.stmt(s, at) for s in stmts)

    def stmt(self, s: Stmt, at: _Depth) -> Stmt:
        if not core.blocks(s):
            return s
        if not self.asking and asks((s,)):
            return self.inside(s, _Depth())  # blocks that go to each other
        inside = at.inside(s)
        if (inside.loops > max(at.loops, LOOPS) or inside.levels > LEVELS) and _stands_alone(s):
            return self.apart(self.inside(s, _Depth().inside(s)))
        return self.inside(s, inside)

    def inside(self, s: Stmt, at: _Depth) -> Stmt:
        """A statement with the blocks in it split."""
        return core.rebuilt(s, lambda block: self.block(block, at))

    def apart(self, s: Stmt) -> Stmt:
        """A statement as a routine: what it reads is passed to it."""
        bound = {slot for node in walk(s) for slot in _bound(node)}
        read = {node.slot: node for node in walk(s) if isinstance(node, Local) and node.slot not in bound}
        given: dict[int, Expr] = {
            slot: Local(local.type, local.span, self.lowerer.fresh(local.name, local.type), local.name)
            for slot, local in read.items()
        }
        for slot, passed in given.items():
            if isinstance(passed, Local):
                self.lowerer.known.let(passed.slot, read[slot])
        body = self.lowerer.block((s,), given)
        params = tuple(local.slot for local in given.values() if isinstance(local, Local))
        routine = LoweredRoutine(self.number, "", params, body, None, asks(body), ends(body))
        self.number += 1
        self.routines.append(routine)
        return EffectRoutine(s.span, routine, tuple(read.values()))


def _bound(node: object) -> set[int]:
    """The slots that a node gives values to, or a variable of a choice."""
    if isinstance(node, core.ChoiceVar):
        return {node.slot}
    return core.binds(node) if isinstance(node, Expr | Stmt) else set()


def _stands_alone(s: Stmt) -> bool:
    """Whether a statement leaves no loop round it and no names behind."""
    if isinstance(s, Inlined) or stops((s,)):
        return False
    if isinstance(s, core.Random):
        return bool(s.body)
    if isinstance(s, core.Ask):
        return len(s.alternatives) > 1 or all(a.body for a in s.alternatives)
    return True
