"""Choices of stepwise play: what is asked, what the options are, how the game goes on with an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lusory_dsl import core
from lusory_dsl.core import Expr, Stmt
from lusory_dsl.language.types import INT, ListType

from ...table.events import ChoiceMade
from .. import ir
from ..lower.lowered import AskManyWithLocals, AskWithLocals
from .choices import (
    ProductPlan,
    decode,
    length_of,
    limit_options,
    list_options,
    measure,
    named_alternatives,
    plan_of,
    too_many,
)
from .lists import ConditionalList, bound_by, by_conditions
from .selector import Selector

Flowing = Callable[[Selector, tuple[Stmt, ...]], ir.Ops]
ASKED, ANSWER, OPTIONS = ir.Own("q"), ir.Own("i"), ir.Own("o")
ZERO, ONE = ir.Const(0), ir.Const(1)


def entry(of: ir.Value, number: int) -> ir.Entry:
    return ir.Entry(of, ir.Const(number))


def take(sel: Selector, alternative: int) -> None:
    sel.add(ir.Take, alternative)


def ask(sel: Selector, s: AskWithLocals, flowing: Flowing) -> None:
    """A choice, with its functions."""
    number = len(sel.asked)
    sel.asked.append((s.site, sel.phase))
    place = ir.Provenance(s.span, sel.trail)
    with sel.collected() as ops:
        sel.work_out(s.chooser)
        _frame_functions(sel, number, s.frame)
        plan = plan_of(sel, s)
        named = named_alternatives(sel, s)
        if named is not None:
            kind = "named"
            _named(sel, number, s, named)
        elif plan is not None:
            kind = "product"
            _product(sel, number, s, plan)
        else:
            kind = "listed"
            _listed(sel, number, s)
    bodies = tuple([flowing(sel, a.body) for a in s.alternatives])
    otherwise = flowing(sel, s.otherwise) if s.otherwise else None
    sel.ops.append(ir.Ask(place, number, kind, tuple(ops), f"r{number}", bodies, otherwise))


def _frame_functions(sel: Selector, number: int, frame: tuple[tuple[int, Expr], ...]) -> None:
    with sel.function("frame", f"f{number}"):
        values = sel.frame(frame)
        sel.add(ir.Return, (values,))
    if not sel.phase:
        assert sel.phase_slot is not None
        with sel.function("phase", f"p{number}"):
            sel.add(ir.Return, (ir.Local(sel.phase_slot),))


def _told(
    sel: Selector, s: AskWithLocals | AskManyWithLocals, number: ir.Value, values: ir.Value, forced: bool
) -> None:
    answer = {"site": ir.Const(s.site), "alternative": number, "values": values}
    sel.tell(ChoiceMade, seat=sel.value(s.chooser), **answer, is_forced=ir.Const(forced))


# ---------------------------------------------------------------- product


def _product(sel: Selector, number: int, s: AskWithLocals, plan: ProductPlan) -> None:
    chooser = sel.value(s.chooser)
    names, count, fixed = measure(sel, plan)
    measured = [name for name in names if name is not None]
    if fixed is not None and fixed > 1:
        sel.add(ir.Wait, number, (chooser, ir.Const(fixed)))
    else:
        n = sel.temporary()
        sel.set(n, count)
        limit_options(sel, s, n)
        with sel.when(ir.Binary(">", n, ONE)):
            sel.add(ir.Wait, number, (chooser, n, *measured))
        with sel.when(ir.Binary("=", n, ZERO)):
            take(sel, ir.OTHERWISE)
        decode(sel, plan, names, None)
        _told_product(sel, s, plan.alternative, True)
        take(sel, 0)
    with sel.function("question", f"q{number}"):
        names, count, _ = measure(sel, plan)
        measured = [name for name in names if name is not None]
        sel.add(ir.Return, (chooser, count, *measured))
    with sel.function("options", f"o{number}"):
        list_options(sel, s, OPTIONS)
        sel.add(ir.Return, (OPTIONS,))
    with sel.function("resume", f"r{number}"):
        if measured:
            sel.add(ir.Unpack, (None, None, *measured), ASKED)
        decode(sel, plan, names, ANSWER)
        _told_product(sel, s, plan.alternative, False)
        take(sel, 0)


def _told_product(sel: Selector, s: AskWithLocals, alternative: core.Alternative, forced: bool) -> None:
    values = ir.Tuple(tuple(ir.Local(v.slot) for v in alternative.vars))
    _told(sel, s, ZERO, values, forced)


# ---------------------------------------------------------------- named


def _named(sel: Selector, number: int, s: AskWithLocals, named: ConditionalList) -> None:
    chooser = sel.value(s.chooser)
    numbers = by_conditions(sel, named)
    found = sel.temporary()
    asked = chooser, length_of(found), found
    if named.certain:
        sel.add(ir.Wait, number, (chooser, ir.Const(len(named.items)), numbers))
    else:
        sel.set(found, numbers)
        with sel.when(ir.Binary(">", length_of(found), ONE)):
            sel.add(ir.Wait, number, asked)
        if len(named.open) == len(named.items):
            with sel.when(ir.Unary("not", found)):
                take(sel, ir.OTHERWISE)
        _take_named(sel, s, entry(found, 0), named, True)
    with sel.function("question", f"q{number}"):
        sel.set(found, numbers)
        sel.add(ir.Return, asked)
    with sel.function("options", f"o{number}"):
        sel.add(ir.Return, (ir.Prim("named_options", (entry(ASKED, 2),)),))
    with sel.function("resume", f"r{number}"):
        _take_named(sel, s, ir.Entry(entry(ASKED, 2), ANSWER), named, False)


def _take_named(sel: Selector, s: AskWithLocals, number: ir.Value, named: ConditionalList, forced: bool) -> None:
    which = sel.temporary()
    sel.set(which, number)
    _told(sel, s, which, ir.Const(()), forced)
    *others, last = named.items
    for alternative in others:
        with sel.when(ir.Binary("=", which, ir.Const(alternative))):
            take(sel, alternative)
    take(sel, last)


# ---------------------------------------------------------------- listed


def _listed(sel: Selector, number: int, s: AskWithLocals) -> None:
    sel.set(ASKED, ir.Asked(number))
    with sel.when(ir.Binary(">", entry(ASKED, 1), ONE)):
        sel.add(ir.Wait, number, (ASKED,))
    with sel.when(ir.Unary("not", entry(ASKED, 1))):
        take(sel, ir.OTHERWISE)
    _take_listed(sel, s, entry(entry(ASKED, 2), 0), True)
    with sel.function("question", f"q{number}"):
        list_options(sel, s, OPTIONS)
        limit_options(sel, s, length_of(OPTIONS))
        sel.add(ir.Return, (sel.value(s.chooser), length_of(OPTIONS), OPTIONS))
    with sel.function("options", f"o{number}"):
        sel.add(ir.Return, (entry(ASKED, 2),))
    with sel.function("resume", f"r{number}"):
        _take_listed(sel, s, ir.Entry(entry(ASKED, 2), ANSWER), False)


def _take_listed(sel: Selector, s: AskWithLocals, option: ir.Value, forced: bool) -> None:
    """Set the variables of the alternative that an option belongs to, and go to its body."""
    which, values = sel.temporary(), sel.temporary()
    sel.add(ir.Unpack, (which, values), option)
    last = len(s.alternatives) - 1
    for number, a in enumerate(s.alternatives):
        if number == last:
            _take_values(sel, s, a, number, values, forced)
            continue
        with sel.when(ir.Binary("=", which, ir.Const(number))):
            _take_values(sel, s, a, number, values, forced)


def _take_values(
    sel: Selector, s: AskWithLocals, a: core.Alternative, number: int, values: ir.Own, forced: bool
) -> None:
    for position, v in enumerate(a.vars):
        bound_by(sel, v.slot, v.domain)
        sel.let(v.slot, entry(values, position))
    _told(sel, s, ir.Const(number), values, forced)
    take(sel, number)


# ---------------------------------------------------------------- some of a list


@dataclass(frozen=True)
class _Picks:
    """The locals of a choice of some."""

    source: ir.Local
    low: ir.Local
    high: ir.Local
    picked: ir.Local


def ask_many(sel: Selector, s: AskManyWithLocals) -> None:
    """A choice of some items of a list, one after the other."""
    number = len(sel.asked)
    sel.asked.append((s.site, sel.phase))
    place = ir.Provenance(s.span, sel.trail)
    picks = _Picks(
        ir.Local(sel.fresh("source", s.source)),
        _limit(sel, "low", s.low),
        _limit(sel, "high", s.high),
        ir.Local(sel.lowerer.fresh("picked", ListType(INT))),
    )
    with sel.collected() as first:
        _begin(sel, s, picks)
    _frame_functions(sel, number, s.frame)
    chooser = sel.value(s.chooser)
    with sel.collected() as ops:
        with sel.when(ir.Binary(">=", length_of(picks.picked), picks.high)):
            take(sel, ir.BEHIND)
        found, free = sel.temporary(), sel.temporary()
        asked = chooser, ir.Binary("+", length_of(found), free), found, free
        sel.set(found, _candidates(s, picks))
        with sel.when(ir.Unary("not", found)):
            take(sel, ir.BEHIND)
        sel.set(free, _may_stop(picks))
        with sel.when(ir.Binary("or", ir.Binary(">", length_of(found), ONE), free)):
            sel.add(ir.Wait, number, asked)
        _pick(sel, s, picks, entry(found, 0), True)
    with sel.function("question", f"q{number}"):
        sel.set(found, _candidates(s, picks))
        sel.set(free, _may_stop(picks))
        sel.add(ir.Return, asked)
    with sel.function("options", f"o{number}"):
        sel.set(OPTIONS, ir.Prim("pick_options", (picks.source, entry(ASKED, 2))))
        sel.add(ir.Return, (ir.Prim("and_stop", (OPTIONS, entry(ASKED, 3))),))
    with sel.function("resume", f"r{number}"):
        with sel.when(entry(ASKED, 3)):
            with sel.when(ir.Binary("=", ANSWER, ZERO)):
                _told(sel, s, ONE, ir.Const(()), False)
                take(sel, ir.BEHIND)
            sel.set(ANSWER, ONE, "-")
        _pick(sel, s, picks, ir.Entry(entry(ASKED, 2), ANSWER), False)
    sel.ops.append(ir.AskMany(place, number, tuple(first), tuple(ops), f"r{number}"))
    sel.span = s.span
    sel.let(s.slot, ir.Prim("items_at", (picks.source, picks.picked)))


def _limit(sel: Selector, name: str, limit: Expr) -> ir.Local:
    """The local for a number of picks: no more than there are items."""
    slot = sel.fresh(name, limit)
    low, high = sel.bounds.interval(limit)
    sel.lowerer.known.of[slot] = min(low, 0), high
    return ir.Local(slot)


def _begin(sel: Selector, s: AskManyWithLocals, picks: _Picks) -> None:
    sel.work_out(s.chooser)
    source = s.source
    if s.condition is not None:
        source = core.Filter(s.source.type, s.span, s.item_slot, s.source, s.condition)
    sel.set(picks.source, sel.value(source))
    size = length_of(picks.source)
    too_many(sel, size)
    sel.set(picks.low, ir.Prim("smaller_of", (sel.value(s.low), size)))
    sel.set(picks.high, ir.Prim("smaller_of", (sel.value(s.high), size)))
    sel.set(picks.picked, ir.Const(()))


def _candidates(s: AskManyWithLocals, picks: _Picks) -> ir.Value:
    return ir.Prim("picks_left", (picks.source, picks.picked, picks.low, ir.Const(s.ordered)))


def _may_stop(picks: _Picks) -> ir.Value:
    return ir.Binary(">=", length_of(picks.picked), picks.low)


def _pick(sel: Selector, s: AskManyWithLocals, picks: _Picks, item: ir.Value, forced: bool) -> None:
    sel.set(picks.picked, ir.Prim("extended", (picks.picked, item)))
    chosen = ir.Entry(picks.source, ir.Prim("back", (picks.picked,)))
    _told(sel, s, ZERO, ir.Record((chosen,)), forced)
    take(sel, 0)
