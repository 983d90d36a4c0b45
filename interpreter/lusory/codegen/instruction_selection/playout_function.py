"""Select a whole game as one function that plays random games to the end.

``playout(rnd, seed, table)`` plays one game and answers its decisions at random. It returns ``(decisions, rank of each
seat, payoff of each seat or None, end reason, columns of the final table)``. The columns are empty without ``table``.

``rnd`` returns floats from 0 to below 1. From ``n`` options, the game takes option ``int(rnd() * n)``. Options have the
same numbers as in stepwise play.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Expr, Local, compute_structural_key
from lusory_dsl.types.types import IntType

from .. import ir
from ..lower.lowered_nodes import (
    AskManyWithLocals,
    AskWithLocals,
    EffectRoutine,
    EndGameWithLocals,
    LoweredGame,
    named_once,
)
from ..lower.lowerer import Lowerer
from . import bitboards, statements
from .expressions import negation
from .lists import SHARED, ConditionalList, bound_by, by_conditions, conditional
from .selection_table import EXPRESSIONS, STRUCTURED
from .selector import Selector, Statements
from .statements import exceeded
from .step_functions import (
    ProductPlan,
    decode,
    length_of,
    limit_options,
    list_options,
    measure,
    named_alternatives,
    plan_of,
    too_many,
    values_of,
)

ZERO, ONE = ir.Const(0), ir.Const(1)
DECISIONS, WORK, UNTIL = ir.Register("decisions"), ir.Register("work"), ir.Register("until")


def selector(lowerer: Lowerer, layout: Any) -> Selector:
    """Return a selector for whole games. Work is counted only if a game can reach a limit."""
    limits = lowerer.limits
    limited = lowerer.charges.maximum_work > min(limits.decision, limits.game)
    return Selector(
        lowerer,
        layout,
        EXPRESSIONS,
        PLAYED,
        events=False,
        has_shared_lists=False,
        counts_work=limited,
        drops_bounds=True,
    )


def select(sel: Selector, game: LoweredGame) -> None:
    """Select all functions of a game: the playout, then the shared routines."""
    sel.masked_places = bitboards.marked_places(sel, game)
    finish = _results(sel, game)
    sel.finish = finish
    with sel.function("playout", "playout"):
        for one in (game.setup, *game.phases):
            phase(sel, one)
        finish(ir.Const(None))
    for shared in game.routines:
        sel.routine = shared
        if shared.value is not None:
            sel.trail = (ir.CALLER_TRAIL,)
            with sel.function("query", f"value{shared.number}", shared.params), sel.repeated(SHARED):
                sel.add(ir.Return, (sel.value(shared.value),))
            continue
        sel.trail = (ir.CALLER_TRAIL, shared.name) if shared.name else (ir.CALLER_TRAIL,)
        with sel.function("effect", f"effect{shared.number}", shared.params):
            sel.block(shared.body)


# ---------------------------------------------------------------- the end


def _results(sel: Selector, game: LoweredGame) -> Any:
    """Return a function that emits the end of the game: it takes the reason.

    Equal expressions in the ranking, payoffs and shown scores are computed once.
    """
    numbers: dict[object, int] = {}
    results: list[Expr] = []

    def named(e: Expr) -> ir.Value:
        key = compute_structural_key(e)
        if key not in numbers:
            numbers[key] = len(results)
            results.append(named_once(e, sel.lowerer.fresh))
        return ir.Temporary(f"R{numbers[key]}")

    columns = [[named(e) for e in column] for column in zip(*game.rank, strict=True)]
    ranks = ir.Tuple(tuple(ir.Tuple(seat) for seat in zip(*columns, strict=True)))
    payoff: ir.Value = ir.Const(None)
    if game.payoff is not None:
        payoff = ir.Tuple(tuple([named(e) for e in game.payoff]))
    shown = [
        [
            ir.Temporary(f"R{numbers[compute_structural_key(e)]}") if compute_structural_key(e) in numbers else e
            for e in column
        ]
        for _, column in game.shown
    ]

    def finish(reason: ir.Value) -> None:
        # No phase or effect encloses the scoring.
        before, sel.trail = sel.trail, ()
        sel.limit_scoring()
        for number, e in enumerate(results):
            sel.set(ir.Temporary(f"R{number}"), sel.value(e))
        rows = [ir.Tuple(tuple([e if isinstance(e, ir.Value) else sel.value(e) for e in row])) for row in shown]
        table: ir.Value = ir.Const(())
        if rows:
            table = ir.Choose(ir.Temporary("table"), ir.Tuple(tuple(rows)), table)
        sel.add(ir.Return, (DECISIONS, ranks, payoff, reason, table))
        sel.trail = before

    return finish


def _end(sel: Selector, s: core.EndGame) -> None:
    reason: ir.Value = ir.Const(None)
    if s.reason is not None:
        reason = sel.new_temporary()
        sel.set(reason, sel.value(s.reason))
    if sel.routine is None:
        _finish(sel, reason)
        return
    sel.set(ir.Register("over"), ONE)
    sel.set(ir.Register("reason"), reason)
    sel.add(ir.Return)


def _finish(sel: Selector, reason: ir.Value) -> None:
    assert sel.finish is not None
    sel.finish(reason)


# ---------------------------------------------------------------- statements


def _let(sel: Selector, s: core.Let) -> None:
    statements.let(sel, s)
    if isinstance(s.value, core.CallBuiltin) and s.value.name == "first":
        bitboards.notice(sel, s.slot, s.value.args[0])


def _set_cell(sel: Selector, s: core.SetCell) -> None:
    """Select an assignment. After it, the indices are known to be within their dimensions for the rest of the block."""
    if s.place in sel.masked_places:
        s = bitboards.marking(sel, s)
    statements.set_cell(sel, s)
    of = sel.bounds.of
    for index, dim in zip(s.indices, sel.layout.places[s.place].dims, strict=True):
        if isinstance(index, Local) and isinstance(dim.type, IntType) and dim.size is not None:
            low, high = of.get(index.slot, (dim.low, dim.low + dim.size - 1))
            of[index.slot] = max(low, dim.low), min(high, dim.low + dim.size - 1)


def _call(sel: Selector, s: EffectRoutine) -> None:
    sel.add(ir.CallEffect, s.routine.number, tuple([sel.value(a) for a in s.args]))
    if s.routine.ends:
        with sel.if_branch(ir.Register("over")):
            if sel.routine is not None:
                sel.add(ir.Return)
            else:
                _finish(sel, ir.Register("reason"))


def _random(sel: Selector, s: core.Random) -> None:
    statements.random(sel, s, _draw)


def _draw(sel: Selector, s: core.Random, domain: ir.Value) -> None:
    bound_by(sel, s.slot, s.domain)
    stream, product = ir.Stream(s.stream), sel.new_temporary()
    known = None if s.condition is not None else conditional(sel, s.domain)
    size = len(known.items) if known is not None and known.certain else None
    if size in (0, 1):
        sel.let(s.slot, ir.Entry(domain, ZERO))
        return
    length = sel.new_temporary() if size is None else None
    sel.add(ir.Draw, s.slot, stream, domain, size, length, product)


# ---------------------------------------------------------------- phases


def phase(sel: Selector, one: core.Phase) -> None:
    """Select a phase with its condition, its repetition and its child phases."""
    before, sel.trail = sel.trail, (*sel.trail, one.id)
    sel.span = one.span
    if one.condition is not None:
        sel.count_work(sel.lowerer.charges.tests[one.id])
        with sel.if_branch(sel.value(one.condition)):
            _passes(sel, one)
    else:
        _passes(sel, one)
    sel.trail = before


def _passes(sel: Selector, one: core.Phase) -> None:
    """Emit the passes of a phase: a loop with as many passes as its bound allows, which reports a fault when they are
    used up.
    """
    if one.repeat is None:
        _pass(sel, one)
        return
    charge = sel.lowerer.charges.passes[one.id]
    always = isinstance(one.repeat, core.Const) and bool(one.repeat.value)
    place = sel.place()
    bound = ir.Const(one.bound)
    with sel.collecting() as ops:
        sel.count_work(charge)
        if not always:
            sel.guard(negation(sel, one.repeat), ir.Break)
        _pass(sel, one)
    sel.span = one.span
    after = sel.place()
    with sel.collecting() as exhausted:
        sel.count_work(charge)
        if always:
            sel.evaluate(exceeded(f"phase `{one.id}`", bound))
        else:
            with sel.if_branch(sel.value(one.repeat)):
                sel.evaluate(exceeded(f"phase `{one.id}`", bound))
    beyond = ir.Branch(after, None, tuple(exhausted))
    sel.ops.append(ir.Loop(place, None, ir.Primitive("up_to", (bound,)), tuple(ops), beyond))


def _pass(sel: Selector, one: core.Phase) -> None:
    sel.block(one.body)
    for child in one.children:
        phase(sel, child)


# ---------------------------------------------------------------- choices


def _count_decision(sel: Selector) -> None:
    """Emit the count of a decision, and set the limit for the work until the next one."""
    limits = sel.limits
    sel.set(DECISIONS, ONE, "+")
    if sel.counts_work:
        sel.set(UNTIL, ir.Binary("+", WORK, ir.Const(limits.decision)))
        late = ir.Binary(">", WORK, ir.Const(limits.game - limits.decision))
        sel.guard(late, ir.Set, UNTIL, ir.Const(limits.game))


def _any_of(count: ir.Value) -> ir.Value:
    """Return a random number from 0 to below ``count``."""
    return ir.Primitive("any_below", (count,))


def _ask(sel: Selector, s: AskWithLocals) -> None:
    sel.work_out(s.chooser)
    named = named_alternatives(sel, s)
    if named is not None:
        _named(sel, s, named)
        return
    plan = plan_of(sel, s)
    if plan is None:
        _listed(sel, s)
    else:
        _product(sel, s, plan)


def _product(sel: Selector, s: AskWithLocals, plan: ProductPlan) -> None:
    """Emit a choice whose options are a product of domains: draw one number below the number of options, and decode it.

    A single option is taken without a draw, and without counting a decision.
    """
    take, count, fixed = _measured(sel, plan)
    body = plan.alternative.body
    if fixed is not None and fixed > 1:
        _count_decision(sel)
        i = sel.new_temporary()
        sel.set(i, _any_of(ir.Const(fixed)))
        take(i)
        sel.block(body)
        return
    n, i = sel.new_temporary(), sel.new_temporary()
    sel.set(n, count)
    limit_options(sel, s, n)
    with sel.if_branch(ir.Binary(">", n, ONE)):
        _count_decision(sel)
        sel.set(i, _any_of(n))
        take(i)
    with sel.if_branch(n, again=True) if s.otherwise or body else sel.else_branch():
        take(None)
    if s.otherwise or body:
        with sel.if_branch(n):
            for v in plan.alternative.vars:
                bitboards.notice(sel, v.slot, values_of(v))
            sel.block(body)
        _otherwise(sel, s)


def _measured(sel: Selector, plan: ProductPlan) -> tuple[Callable[[ir.Temporary | None], None], ir.Value, int | None]:
    """Emit the options of a product plan.

    Returns (a function that sets the variables from the number of an option, the number of options, the same as a
    constant or None). The number None stands for the only option. Spaces that are a mask are not turned into a list.
    """
    first, *others = plan.alternative.vars
    with sel.sharing_values():
        spaces = None
        if not others and plan.lengths[0] is None:
            spaces = bitboards.options(sel, values_of(first))
        if spaces is None:
            names, count, fixed = measure(sel, plan)
            return partial(decode, sel, plan, names), count, fixed
        found = sel.new_temporary()
        sel.set(found, spaces)

    def take(index: ir.Temporary | None) -> None:
        if index is not None:
            # Remove the spaces before the chosen one.
            with sel.while_loop(index):
                sel.set(found, ir.Primitive("without_lowest", (found,)))
                sel.set(index, ONE, "-")
        sel.let(first.slot, ir.Primitive("lowest_of", (found,)))

    return take, ir.Primitive("ones", (found,)), None


def _otherwise(sel: Selector, s: AskWithLocals) -> None:
    if s.otherwise:
        with sel.else_branch():
            sel.block(s.otherwise)


def _named(sel: Selector, s: AskWithLocals, named: ConditionalList) -> None:
    which = sel.new_temporary()
    if named.certain:
        _count_decision(sel)
        sel.set(which, _any_of(ir.Const(len(named.items))))
    else:
        _choose_named(sel, s, named, which)
    for position, number in enumerate(named.items):
        last = position == len(named.items) - 1 and named.certain
        test = ir.Binary("=", which, ir.Const(position if named.certain else number))
        with sel.else_branch() if last else sel.if_branch(test, again=position > 0):
            sel.block(s.alternatives[number].body)


def _choose_named(sel: Selector, s: AskWithLocals, named: ConditionalList, which: ir.Temporary) -> None:
    numbers = sel.new_temporary()
    sel.set(numbers, by_conditions(sel, named))
    empty = len(named.open) == len(named.items)
    with sel.if_branch(ir.Binary(">", length_of(numbers), ONE)):
        _count_decision(sel)
        sel.set(which, ir.Entry(numbers, _any_of(length_of(numbers))))
    with sel.else_branch():
        only: ir.Value = ir.Entry(numbers, ZERO)
        sel.set(which, ir.Choose(numbers, only, ir.Const(-1)) if empty else only)
    if empty and s.otherwise:
        with sel.if_branch(ir.Binary("<", which, ZERO)):
            sel.block(s.otherwise)


def _listed(sel: Selector, s: AskWithLocals) -> None:
    """Emit a choice whose options must be listed: build the list, and draw one of its entries."""
    options, values = sel.new_temporary(), sel.new_temporary()
    with sel.sharing_values():
        list_options(sel, s, options)
    limit_options(sel, s, length_of(options))
    with sel.if_branch(options):
        which = sel.new_temporary()
        with sel.if_branch(ir.Binary(">", length_of(options), ONE)):
            _count_decision(sel)
            sel.add(ir.Unpack, (which, values), ir.Entry(options, _any_of(length_of(options))))
        with sel.else_branch():
            sel.add(ir.Unpack, (which, values), ir.Entry(options, ZERO))
        for number, a in enumerate(s.alternatives):
            if len(s.alternatives) == 1:
                _take(sel, a, values)
                continue
            with sel.if_branch(ir.Binary("=", which, ir.Const(number)), again=number > 0):
                _take(sel, a, values)
    _otherwise(sel, s)


def _take(sel: Selector, a: core.Alternative, values: ir.Temporary) -> None:
    for position, v in enumerate(a.vars):
        bound_by(sel, v.slot, v.domain)
        sel.let(v.slot, ir.Entry(values, ir.Const(position)))
    sel.block(a.body)


def _ask_many(sel: Selector, s: AskManyWithLocals) -> None:
    """Emit a choice of several items: draw one candidate after another until "done" is drawn or enough are picked."""
    sel.work_out(s.chooser)
    source, low, high, picked, found = (sel.new_temporary() for _ in range(5))
    items = s.source
    if s.condition is not None:
        items = core.Filter(s.source.type, s.span, s.item_slot, s.source, s.condition)
    sel.set(source, sel.value(items))
    size = length_of(source)
    too_many(sel, size)
    sel.set(low, ir.Primitive("smaller_of", (sel.value(s.low), size)))
    sel.set(high, ir.Primitive("smaller_of", (sel.value(s.high), size)))
    sel.set(picked, ir.Const(()))
    with sel.while_loop(ir.Binary("<", length_of(picked), high)):
        sel.set(found, ir.Primitive("picks_left", (source, picked, low, ir.Const(s.is_ordered))))
        sel.guard(ir.Unary("not", found), ir.Break)
        sel.guard(ir.Binary(">=", length_of(picked), low), ir.Evaluate, ir.Primitive("insert_stop", (found,)))
        i = sel.new_temporary()
        sel.set(i, ZERO)
        with sel.if_branch(ir.Binary(">", length_of(found), ONE)):
            _count_decision(sel)
            sel.set(i, _any_of(length_of(found)))
        sel.guard(ir.Binary("<", ir.Entry(found, i), ZERO), ir.Break)
        sel.set(picked, ir.Primitive("extended", (picked, ir.Entry(found, i))))
    sel.let(s.slot, ir.Primitive("items_at", (source, picked)))


PLAYED: Statements = {
    **STRUCTURED,
    core.EndGame: _end,
    core.Random: _random,
    core.Let: _let,
    core.SetCell: _set_cell,
    EffectRoutine: _call,
    AskWithLocals: _ask,
    AskManyWithLocals: _ask_many,
    EndGameWithLocals: _end,
}
