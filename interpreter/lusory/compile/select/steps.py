"""Stepwise play: the game from one decision to the next, with every choice as one operation.

A choice k has functions of its own: ``q<k>`` (what is asked), ``o<k>`` (the options), ``r<k>`` (go on with option i)
and ``f<k>`` (locals for labels); there is ``value<k>`` or ``effect<k>`` for each shared routine (one that asks is
blocks), and ``outcome``; where the ruleset tells those who search it how well a seat stands, ``standing``. What is
asked is a tuple ``q``: the seat, the number of options, and lists that the options are made of. Where the game can stop
it is split later, see :mod:`lusory.compile.improve.blocks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt
from lusory_dsl.language.types import INT, LIST_LIMIT, TEXT

from ...table.events import GameEnded, PhaseBegan
from .. import ir
from ..lower.lowered import (
    AskManyWithLocals,
    AskWithLocals,
    EffectRoutine,
    EndGameWithLocals,
    Inlined,
    LoweredGame,
    LoweredRoutine,
    asks,
    stops,
)
from ..lower.lowerer import Lowerer
from . import masks, statements
from .asking import ask, ask_many
from .expressions import EXPRESSIONS
from .lists import SHARED, bound_by
from .operators import negation
from .scoring import outcome, standing
from .selector import Selector, Statements
from .statements import draw, exceeded, possible
from .structured import STRUCTURED

NOTHING = ir.Const(None)
ZERO, ONE = ir.Const(0), ir.Const(1)


def selector(lowerer: Lowerer, layout: Any, marks: bool = False) -> Selector:
    """For both builds of stepwise play, with and without events: they share the places of locals, so that a state made
    by one can be continued by the other. ``marks``: variables of spaces have masks, for a backend whose states keep
    them."""
    statements = MARKING if marks else STEPWISE
    return Selector(lowerer, layout, EXPRESSIONS, statements, events=True, shares=True, spends=True, forgets=False)


def select(sel: Selector, game: LoweredGame) -> None:
    """All functions of the game."""
    if sel.statements is MARKING:
        sel.marked, sel.by_bits = masks.marked_places(sel, game, anywhere=True), True
    if any(r.asks for r in game.routines):
        sel.phase_slot = sel.lowerer.fresh("phase", TEXT)
    with sel.function("game", "game"):
        for one in (game.setup, *game.phases):
            phase(sel, one)
        sel.set(ir.Register("over"), ONE)
        sel.tell(GameEnded, reason=NOTHING)
        sel.add(ir.Return, (NOTHING,))
    with sel.function("outcome", "outcome"):
        outcome(sel, game)
    if game.standing is not None:
        with sel.function("standing", "standing"):
            standing(sel, game.standing)
    sel.phase = ""
    for shared in game.routines:
        routine(sel, shared)


def routine(sel: Selector, shared: LoweredRoutine) -> None:
    """A shared routine: a function, or what is split into blocks that end by going back to where they were called."""
    named = shared.name and shared.value is None
    sel.trail = (ir.CALLED, shared.name) if named else (ir.CALLED,)
    if shared.value is not None:
        with sel.function("query", f"value{shared.number}", shared.params), sel.looping(SHARED):
            sel.add(ir.Return, (sel.value(shared.value),))
    elif shared.asks:
        back = way_back(sel, shared)
        with sel.function("routine", shared.name):
            sel.loops = 0
            flow(sel, shared.body)
            sel.add(ir.Return, (ir.Local(back),))
    else:
        with sel.function("effect", f"effect{shared.number}", shared.params):
            sel.block(shared.body)


def way_back(sel: Selector, shared: LoweredRoutine) -> int:
    """The slot that keeps where a routine that asks goes back to."""
    if shared.name not in sel.backs:
        sel.backs[shared.name] = sel.lowerer.fresh("back", INT)
    return sel.backs[shared.name]


# ---------------------------------------------------------------- phases


def phase(sel: Selector, one: core.Phase) -> None:
    before, sel.trail = sel.trail, (*sel.trail, one.id)
    sel.phase = one.id
    sel.span = one.span
    place = sel.place()
    charges = sel.lowerer.charges
    with sel.collected() as first:
        if sel.phase_slot is not None:
            sel.let(sel.phase_slot, ir.Const(one.id))
        if one.condition is not None:
            sel.spend(charges.tests[one.id])
            _skip_unless(sel, one.condition)
    counter = ir.Register("repeats", one.id)
    with sel.collected() as reset:
        sel.set(counter, ZERO)
    with sel.collected() as head:
        if one.repeat is not None:
            sel.spend(charges.passes[one.id])
            _skip_unless(sel, one.repeat)
            bound = ir.Const(one.bound)
            sel.guard(ir.Binary(">=", counter, bound), ir.Do, exceeded(f"phase `{one.id}`", bound))
            sel.set(counter, ONE, "+")
    with sel.collected() as ops:
        if one.origin.is_written:
            sel.tell(PhaseBegan, phase=ir.Const(one.id))
        flow(sel, one.body)
        for child in one.children:
            phase(sel, child)
    repeated = one.repeat is not None
    ends = repeated or one.condition is not None
    parts = tuple(reset) if repeated else (), tuple(head) if repeated else None, tuple(ops)
    sel.ops.append(ir.Phase(place, one.id, tuple(first), ends, *parts))
    sel.trail = before


def _skip_unless(sel: Selector, condition: Expr) -> None:
    if isinstance(condition, Const):
        if condition.value:
            return
        test: ir.Value = ir.Const(True)
    else:
        test = negation(sel, condition)
    with sel.when(test):
        sel.add(ir.Skip)


# ---------------------------------------------------------------- statements that can ask


def flow(sel: Selector, stmts: tuple[Stmt, ...]) -> None:
    """A block, in which the game can stop."""
    for s in stmts:
        if isinstance(s, Inlined) and asks((s,)):
            before, sel.trail = sel.trail, (*sel.trail, s.name)
            flow(sel, s.body)
            sel.trail = before
        elif asks((s,)) or (sel.loops and isinstance(s, core.Stop | core.If | core.Random) and stops((s,))):
            sel.span = s.span
            FLOWING[type(s)](sel, s)
        else:
            sel.statement(s)


def flowing(sel: Selector, stmts: tuple[Stmt, ...]) -> ir.Ops:
    """The operations of such a block."""
    with sel.collected() as ops:
        flow(sel, stmts)
    return tuple(ops)


def _call_asking(sel: Selector, s: EffectRoutine) -> None:
    with sel.collected() as first:
        for slot, argument in zip(s.routine.params, s.args, strict=True):
            sel.let(slot, sel.value(argument))
    sel.add(ir.CallAsking, s.routine.name, tuple(first), way_back(sel, s.routine))


def _stop(sel: Selector, s: core.Stop) -> None:
    sel.add(ir.Leave)


def _either(sel: Selector, s: core.If) -> None:
    tests = []
    for condition, body in s.branches:
        test = sel.value(condition)
        tests.append((sel.place(), test, body))
    branches = [ir.Branch(place, test, flowing(sel, body)) for place, test, body in tests]
    if s.otherwise:
        branches.append(ir.Branch(sel.place(), None, flowing(sel, s.otherwise)))
    sel.ops.append(ir.Either(branches[0].place, tuple(branches)))


def _for_each(sel: Selector, s: core.ForEach) -> None:
    items, position = ir.Local(sel.fresh("items", s.source)), ir.Local(sel.lowerer.fresh("position", INT))
    sel.lowerer.known.of[position.slot] = 0, min(sel.bounds.size(s.source), LIST_LIMIT)
    with sel.collected() as first:
        sel.set(items, sel.value(s.source))
        sel.set(position, ZERO)
    with sel.collected() as head:
        with sel.when(ir.Binary(">=", position, ir.Prim("length", (items,)))):
            sel.add(ir.Skip)
        bound_by(sel, s.slot, s.source)
        sel.let(s.slot, ir.Entry(items, position))
        sel.set(position, ir.Binary("+", position, ONE))
        if s.condition is not None:
            with sel.when(negation(sel, s.condition)):
                sel.add(ir.Again)
    _cycle(sel, s, first, head)


def _repeat(sel: Selector, s: core.Repeat) -> None:
    limit = s.times if s.times is not None else s.bound
    assert limit is not None
    left = ir.Local(sel.fresh("left", limit))
    least, most = sel.bounds.interval(limit)
    sel.lowerer.known.of[left.slot] = min(least, 0), most
    with sel.collected() as first:
        sel.set(left, sel.value(limit))
        bound: ir.Value
        if isinstance(limit, Const):
            bound = sel.constant(limit.value)
        else:
            bound = ir.Local(sel.fresh("bound", limit))
            sel.set(bound, left)
    none_left = ir.Binary("<=", left, ZERO)
    with sel.collected() as head:
        if s.condition is not None:
            _skip_unless(sel, s.condition)
            sel.guard(none_left, ir.Do, exceeded("the loop", bound))
        else:
            with sel.when(none_left):
                sel.add(ir.Skip)
        sel.set(left, ir.Binary("-", left, ONE))
    _cycle(sel, s, first, head)


def _cycle(sel: Selector, s: core.ForEach | core.Repeat, first: list[ir.Op], head: list[ir.Op]) -> None:
    place = ir.Provenance(s.span, sel.trail)
    sel.loops += 1
    body = flowing(sel, s.body)
    sel.loops -= 1
    sel.ops.append(ir.Cycle(place, tuple(first), tuple(head), body))


def _chance(sel: Selector, s: core.Random) -> None:
    domain = ir.Local(sel.fresh("domain", s.domain))
    place = ir.Provenance(s.span, sel.trail)
    with sel.collected() as first:
        sel.set(domain, possible(sel, s))
    with sel.collected() as ops:
        draw(sel, s, domain)
        flow(sel, s.body)
    none = ir.Unary("not", domain)
    sel.ops.append(ir.Chance(place, tuple(first), none, tuple(ops), flowing(sel, s.otherwise)))


def _ask(sel: Selector, s: AskWithLocals) -> None:
    ask(sel, s, flowing)


FLOWING: dict[type[Stmt], Callable[[Selector, Any], None]] = {
    core.ForEach: _for_each,
    core.If: _either,
    core.Random: _chance,
    core.Repeat: _repeat,
    core.Stop: _stop,
    EffectRoutine: _call_asking,
    AskWithLocals: _ask,
    AskManyWithLocals: ask_many,
}
"""The statements that can ask or leave a loop that asks; what is inlined flows by itself."""


# ---------------------------------------------------------------- statements that cannot


def _random(sel: Selector, s: core.Random) -> None:
    statements.random(sel, s, draw)


def _call(sel: Selector, s: EffectRoutine) -> None:
    arguments = tuple([sel.value(a) for a in s.args])
    with sel.reading(*s.args):
        sel.add(ir.CallEffect, s.routine.number, arguments, ir.SILENT)
        sel.add(ir.CallEffect, s.routine.number, arguments, ir.EVENTS)
    if s.routine.ends:
        sel.guard(ir.Register("over"), ir.Return, (NOTHING,))


def _end(sel: Selector, s: core.EndGame) -> None:
    reason = ir.Register("reason")
    sel.set(ir.Register("over"), ONE)
    if s.reason is not None:
        sel.set(reason, sel.value(s.reason))
    if isinstance(s, EndGameWithLocals):
        sel.set(reason, ir.Prim("openly_said", (ir.Const(s.number), sel.frame(s.frame))))
    sel.tell(GameEnded, reason=reason)
    sel.add(ir.Return, (NOTHING,))


def _set_cell(sel: Selector, s: core.SetCell) -> None:
    statements.set_cell(sel, masks.marking(sel, s, MARK) if s.place in sel.marked else s)


STEPWISE: Statements = {
    **STRUCTURED,
    core.EndGame: _end,
    core.Random: _random,
    EffectRoutine: _call,
    EndGameWithLocals: _end,
}

MARK = "a mark"
"""The name of a local that is there for masks alone: no author's, as it is two words."""

MARKING: Statements = {**STEPWISE, core.SetCell: _set_cell}
