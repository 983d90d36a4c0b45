"""Select stepwise play: the game stops at each decision and resumes with an answer.

The game becomes one function, with phases, loops and choices as nested operations. A later pass splits it into basic
blocks wherever it can stop. Choice number ``n`` gets these functions:

- ``q<n>``, the question: returns the seat, the number of options, and the data that the other functions need.
- ``o<n>``, the options: returns all options as (number of the alternative, values).
- ``r<n>``, the resumption: sets the variables of the chosen option and goes on.
- ``f<n>``, the frame: returns the locals that the texts of the choice need.
- ``p<n>``, the phase: returns the current phase, for a choice in a routine.

There are three kinds of choice. ``named``: a choice between alternatives without variables. ``product``: one
alternative, whose options are the Cartesian product of domains and need no list. ``listed``: all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt
from lusory_dsl.types.types import INT, LIST_LIMIT, TEXT, ListType

from ...state.event_log import ChoiceMade, GameEnded, PhaseBegan
from .. import ir
from ..lower.lowered_nodes import (
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
from . import bitboards, statements
from .candidate_spaces import narrowed
from .expressions import negation
from .lists import MASK_LIMIT, SHARED, ConditionalList, bound_by, by_conditions, conditional, gone_through, sequence
from .selection_table import EXPRESSIONS, STRUCTURED
from .selector import Selector, Statements, over_limit
from .statements import draw, exceeded, outcome, possible, standing

# The most combinations of values for which the listing of options is unrolled.
COMBINATIONS_LIMIT = 16
# The temporaries of the domains, and None for a domain of fixed length.
Names = list[ir.Temporary | None]


@dataclass(frozen=True, eq=False)
class ProductPlan:
    """A choice whose options are the Cartesian product of the domains of its variables.

    ``lengths[i]`` is the fixed length of domain ``i``, or None if the game must compute it.
    """

    alternative: core.Alternative
    lengths: tuple[int | None, ...]


def named_alternatives(sel: Selector, s: core.Ask) -> ConditionalList | None:
    """Return the numbers of the alternatives of a choice with their conditions.

    Returns None if an alternative has variables, if there are fewer than two, or if they have too many conditions.
    """
    if any(a.vars for a in s.alternatives) or len(s.alternatives) < 2:
        return None
    numbers: list[int] = []
    conditions: list[ir.Value | None] = []
    for number, a in enumerate(s.alternatives):
        if any(isinstance(c, Const) and not c.value for c in a.conditions):
            continue
        numbers.append(number)
        every = tuple([ir.Flag(sel.value(c)) for c in a.conditions])
        conditions.append(ir.Flag(ir.AllOf(every)) if every else None)
    if len(numbers) < 2 or len([c for c in conditions if c is not None]) > MASK_LIMIT:
        return None
    return ConditionalList(tuple(numbers), tuple(conditions))


def plan_of(sel: Selector, s: core.Ask) -> ProductPlan | None:
    """Return the product plan of a choice, or None if its options must be listed."""
    if len(s.alternatives) != 1:
        return None
    alternative = s.alternatives[0]
    if alternative.conditions or not alternative.vars:
        return None
    lengths: list[int | None] = []
    slots: set[int] = set()
    if any(sel.can_fail(e) for e in _later(alternative)):
        # The product would evaluate them even if the first variable has no value.
        return None
    for v in alternative.vars:
        if v.condition is not None and core.collect_locals(v.condition) & slots:
            return None
        length = _fixed_length(sel, v.domain) if v.condition is None else None
        if length is None and core.collect_locals(v.domain) & slots:
            return None
        lengths.append(length)
        slots.add(v.slot)
    return ProductPlan(alternative, tuple(lengths))


def _later(alternative: core.Alternative) -> list[Expr]:
    """Return the expressions that the variables after the first one read."""
    return [e for v in alternative.vars[1:] for e in (v.domain, v.condition) if e is not None]


def _fixed_length(sel: Selector, domain: Expr) -> int | None:
    if sel.can_fail(domain):
        return None
    with sel.analysing():
        known = conditional(sel, domain)
    if known is not None:
        return len(known.items) if known.certain else None
    if isinstance(domain, Const) and isinstance(domain.value, tuple):
        return len(domain.value)
    if isinstance(domain, core.TableRead):
        lengths = {len(row) for row in _lists(sel.program.get_table(domain.table))}
        return lengths.pop() if len(lengths) == 1 else None
    return None


def _lists(table: core.Table) -> list[tuple[Any, ...]]:
    """Return all entries of a table of lists, and nothing for any other table."""
    rows: list[Any] = [table.values]
    for _ in table.dims:
        rows = [entry for row in rows for entry in row]
    return [r for r in rows if isinstance(r, tuple)] if isinstance(table.type, ListType) else []


# ---------------------------------------------------------------- product


def measure(sel: Selector, plan: ProductPlan) -> tuple[Names, ir.Value, int | None]:
    """Emit the domains whose lengths vary.

    Returns (their temporaries, the number of options, the same as a constant or None).
    """
    names: Names = []
    fixed = 1
    for v, length in zip(plan.alternative.vars, plan.lengths, strict=True):
        if length is not None:
            fixed *= length
            names.append(None)
            continue
        name = sel.new_temporary()
        sel.set(name, sequence(sel, values_of(v)))
        names.append(name)
    factors: list[ir.Value] = [length_of(name) for name in names if name is not None]
    if not factors:
        if fixed > sel.limits.options:
            sel.over_limit("options")
        return names, ir.Const(fixed), fixed
    if fixed != 1:
        factors.append(ir.Const(fixed))
    return names, _product(factors), None


def values_of(v: core.ChoiceVar) -> Expr:
    """Return the list of values that a variable of a choice may take."""
    return v.domain if v.condition is None else core.Filter(v.domain.type, v.span, v.slot, v.domain, v.condition)


def length_of(value: ir.Value) -> ir.Value:
    return ir.Primitive("length", (value,))


def _product(factors: list[ir.Value]) -> ir.Value:
    found, *others = factors
    for factor in others:
        found = ir.Binary("*", found, factor)
    return found


def decode(sel: Selector, plan: ProductPlan, names: Names, index: ir.Value | None) -> None:
    """Set the variables of a choice from the number of an option, as digits of a mixed radix number.

    If ``index`` is None, the only option is taken.

    Example: with domains of lengths 3 and 4, option 6 takes item 1 of the first domain and item 2 of the second.
    """
    lengths: list[ir.Value] = [
        length_of(name) if name is not None else ir.Const(length)
        for name, length in zip(names, plan.lengths, strict=True)
    ]
    for position, (v, name) in enumerate(zip(plan.alternative.vars, names, strict=True)):
        bound_by(sel, v.slot, v.domain)
        domain = name if name is not None else sel.value(v.domain)
        place = index if index is not None else ir.Const(0)
        if index is not None and position + 1 < len(lengths):
            place = ir.Binary("div", place, _product(lengths[position + 1 :]))
        if index is not None and position:
            place = ir.Binary("mod", place, lengths[position])
        sel.let(v.slot, ir.Entry(domain, place))


# ---------------------------------------------------------------- list


def list_options(sel: Selector, s: core.Ask, into: ir.Temporary) -> None:
    """Emit the loops that append all options of a choice to the list ``into``."""
    sel.set(into, ir.Primitive("no_options"))
    for number, alternative in enumerate(s.alternatives):
        conditions = alternative.conditions
        if any(isinstance(c, Const) and not c.value for c in conditions):
            continue
        if conditions:
            with sel.if_branch(ir.AllOf(tuple([ir.Flag(sel.value(c)) for c in conditions]))):
                _combine(sel, alternative.vars, (), into, number, COMBINATIONS_LIMIT)
        else:
            _combine(sel, alternative.vars, (), into, number, COMBINATIONS_LIMIT)


def limit_options(sel: Selector, s: core.Ask, count: ir.Value) -> None:
    """Emit the check that a choice has no more options than the limit, if it may have more."""
    most = sum(prod(sel.max_length(v.domain) for v in alternative.vars) for alternative in s.alternatives)
    if most > sel.limits.options:
        too_many(sel, count)


def too_many(sel: Selector, count: ir.Value) -> None:
    """Emit the check that a number of options is within the limit."""
    sel.guard(ir.Binary(">", count, ir.Const(sel.limits.options)), ir.Evaluate, over_limit("options"))


def _combine(
    sel: Selector,
    variables: tuple[core.ChoiceVar, ...],
    values: tuple[ir.Value | Const, ...],
    into: ir.Temporary,
    number: int,
    room: int,
) -> None:
    if not variables:
        _append(sel, values, into, number)
        return
    v, *rest = variables
    known = conditional(sel, v.domain)
    if known is not None and isinstance(v.domain.type, ListType) and len(known.items) <= room:
        share = room // max(len(known.items), 1)
        for item, there in zip(known.items, known.conditions, strict=True):
            value = Const(v.domain.type.item, v.span, item)
            tests = [] if there is None else [there]
            if v.condition is not None:
                holds = sel.lowerer.expr(v.condition, {v.slot: value})
                if isinstance(holds, Const):
                    if not holds.value:
                        continue
                else:
                    tests.append(ir.Flag(sel.value(holds)))
            later = tuple(_with(sel, r, v.slot, value) for r in rest)
            if not tests:
                _combine(sel, later, (*values, value), into, number, share)
                continue
            with sel.if_branch(ir.AllOf(tuple(tests))):
                _combine(sel, later, (*values, value), into, number, share)
        return
    source, ((_, condition),) = gone_through(sel, v.domain, [(v.slot, v.condition)])
    if rest:
        source = narrowed(sel, source, v, rest[0])
    bound_by(sel, v.slot, v.domain)
    name = ir.BoundLocal(v.slot)
    with sel.binding(v.slot), sel.loop(name, source), sel.repeated(sel.max_length(v.domain)):
        if condition is not None:
            with sel.if_branch(sel.value(condition)):
                _combine(sel, tuple(rest), (*values, name), into, number, 1)
        else:
            _combine(sel, tuple(rest), (*values, name), into, number, 1)


def _append(sel: Selector, values: tuple[ir.Value | Const, ...], into: ir.Temporary, number: int) -> None:
    """Emit one more option: the number of its alternative and its values."""
    option: ir.Value
    if all(isinstance(v, Const) for v in values):
        # Lists among the values must also be constants of the module.
        for v in values:
            assert isinstance(v, Const)
            sel.constant(v.value)
        option = sel.tables.constant((number, tuple(v.value for v in values)))  # type: ignore[union-attr]
    else:
        items = [sel.constant(v.value) if isinstance(v, Const) else v for v in values]
        option = ir.Record((ir.Const(number), ir.Record(tuple(items))))
    sel.evaluate(ir.Primitive("append", (into, option)))


def _with(sel: Selector, v: core.ChoiceVar, slot: int, value: Const) -> core.ChoiceVar:
    env: dict[int, Expr] = {slot: value}
    condition = None if v.condition is None else sel.lowerer.expr(v.condition, env)
    return core.ChoiceVar(v.slot, v.name, sel.lowerer.expr(v.domain, env), condition, v.is_secret, v.span)


Flowing = Callable[[Selector, tuple[Stmt, ...]], ir.Ops]
ASKED, ANSWER, OPTIONS = ir.Temporary("q"), ir.Temporary("i"), ir.Temporary("o")
ZERO, ONE = ir.Const(0), ir.Const(1)


def entry(of: ir.Value, number: int) -> ir.Entry:
    return ir.Entry(of, ir.Const(number))


def take(sel: Selector, alternative: int) -> None:
    sel.add(ir.TakeAlternative, alternative)


def ask(sel: Selector, s: AskWithLocals, flowing: Flowing) -> None:
    """Select a choice and its functions. ``flowing`` selects a block in which the game can stop."""
    number = len(sel.choices)
    sel.choices.append((s.site, sel.phase))
    place = ir.Provenance(s.span, sel.trail)
    with sel.collecting() as ops:
        sel.work_out(s.chooser)
        _frame_functions(sel, number, s.frame)
        plan = plan_of(sel, s)
        named = named_alternatives(sel, s)
        if named is not None:
            kind = "named"
            _named(sel, number, s, named)
        elif plan is not None:
            kind = "product"
            _answer_product(sel, number, s, plan)
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
    sel.log_event(ChoiceMade, seat=sel.value(s.chooser), **answer, is_forced=ir.Const(forced))


# ---------------------------------------------------------------- product


def _answer_product(sel: Selector, number: int, s: AskWithLocals, plan: ProductPlan) -> None:
    chooser = sel.value(s.chooser)
    names, count, fixed = measure(sel, plan)
    measured = [name for name in names if name is not None]
    if fixed is not None and fixed > 1:
        sel.add(ir.WaitForAnswer, number, (chooser, ir.Const(fixed)))
    else:
        n = sel.new_temporary()
        sel.set(n, count)
        limit_options(sel, s, n)
        with sel.if_branch(ir.Binary(">", n, ONE)):
            sel.add(ir.WaitForAnswer, number, (chooser, n, *measured))
        with sel.if_branch(ir.Binary("=", n, ZERO)):
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
    found = sel.new_temporary()
    asked = chooser, length_of(found), found
    if named.certain:
        sel.add(ir.WaitForAnswer, number, (chooser, ir.Const(len(named.items)), numbers))
    else:
        sel.set(found, numbers)
        with sel.if_branch(ir.Binary(">", length_of(found), ONE)):
            sel.add(ir.WaitForAnswer, number, asked)
        if len(named.open) == len(named.items):
            with sel.if_branch(ir.Unary("not", found)):
                take(sel, ir.OTHERWISE)
        _take_named(sel, s, entry(found, 0), named, True)
    with sel.function("question", f"q{number}"):
        sel.set(found, numbers)
        sel.add(ir.Return, asked)
    with sel.function("options", f"o{number}"):
        sel.add(ir.Return, (ir.Primitive("named_options", (entry(ASKED, 2),)),))
    with sel.function("resume", f"r{number}"):
        _take_named(sel, s, ir.Entry(entry(ASKED, 2), ANSWER), named, False)


def _take_named(sel: Selector, s: AskWithLocals, number: ir.Value, named: ConditionalList, forced: bool) -> None:
    which = sel.new_temporary()
    sel.set(which, number)
    _told(sel, s, which, ir.Const(()), forced)
    *others, last = named.items
    for alternative in others:
        with sel.if_branch(ir.Binary("=", which, ir.Const(alternative))):
            take(sel, alternative)
    take(sel, last)


# ---------------------------------------------------------------- listed


def _listed(sel: Selector, number: int, s: AskWithLocals) -> None:
    sel.set(ASKED, ir.PendingQuestion(number))
    with sel.if_branch(ir.Binary(">", entry(ASKED, 1), ONE)):
        sel.add(ir.WaitForAnswer, number, (ASKED,))
    with sel.if_branch(ir.Unary("not", entry(ASKED, 1))):
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
    """Set the variables of an option and go on with the body of its alternative."""
    which, values = sel.new_temporary(), sel.new_temporary()
    sel.add(ir.Unpack, (which, values), option)
    last = len(s.alternatives) - 1
    for number, a in enumerate(s.alternatives):
        if number == last:
            _take_values(sel, s, a, number, values, forced)
            continue
        with sel.if_branch(ir.Binary("=", which, ir.Const(number))):
            _take_values(sel, s, a, number, values, forced)


def _take_values(
    sel: Selector, s: AskWithLocals, a: core.Alternative, number: int, values: ir.Temporary, forced: bool
) -> None:
    for position, v in enumerate(a.vars):
        bound_by(sel, v.slot, v.domain)
        sel.let(v.slot, entry(values, position))
    _told(sel, s, ir.Const(number), values, forced)
    take(sel, number)


# ---------------------------------------------------------------- choices of several items


@dataclass(frozen=True)
class _Picks:
    """The locals of a choice of several items."""

    source: ir.Local
    low: ir.Local
    high: ir.Local
    picked: ir.Local


def ask_many(sel: Selector, s: AskManyWithLocals) -> None:
    """Select a choice of several items of a list. The player picks them one after the other."""
    number = len(sel.choices)
    sel.choices.append((s.site, sel.phase))
    place = ir.Provenance(s.span, sel.trail)
    picks = _Picks(
        ir.Local(sel.new_slot("source", s.source)),
        _limit(sel, "low", s.low),
        _limit(sel, "high", s.high),
        ir.Local(sel.lowerer.fresh("picked", ListType(INT))),
    )
    with sel.collecting() as first:
        _begin(sel, s, picks)
    _frame_functions(sel, number, s.frame)
    chooser = sel.value(s.chooser)
    with sel.collecting() as ops:
        with sel.if_branch(ir.Binary(">=", length_of(picks.picked), picks.high)):
            take(sel, ir.BEHIND)
        found, free = sel.new_temporary(), sel.new_temporary()
        asked = chooser, ir.Binary("+", length_of(found), free), found, free
        sel.set(found, _candidates(s, picks))
        with sel.if_branch(ir.Unary("not", found)):
            take(sel, ir.BEHIND)
        sel.set(free, _may_stop(picks))
        with sel.if_branch(ir.Binary("or", ir.Binary(">", length_of(found), ONE), free)):
            sel.add(ir.WaitForAnswer, number, asked)
        _pick(sel, s, picks, entry(found, 0), True)
    with sel.function("question", f"q{number}"):
        sel.set(found, _candidates(s, picks))
        sel.set(free, _may_stop(picks))
        sel.add(ir.Return, asked)
    with sel.function("options", f"o{number}"):
        sel.set(OPTIONS, ir.Primitive("pick_options", (picks.source, entry(ASKED, 2))))
        sel.add(ir.Return, (ir.Primitive("and_stop", (OPTIONS, entry(ASKED, 3))),))
    with sel.function("resume", f"r{number}"):
        with sel.if_branch(entry(ASKED, 3)):
            with sel.if_branch(ir.Binary("=", ANSWER, ZERO)):
                _told(sel, s, ONE, ir.Const(()), False)
                take(sel, ir.BEHIND)
            sel.set(ANSWER, ONE, "-")
        _pick(sel, s, picks, ir.Entry(entry(ASKED, 2), ANSWER), False)
    sel.ops.append(ir.AskMany(place, number, tuple(first), tuple(ops), f"r{number}"))
    sel.span = s.span
    sel.let(s.slot, ir.Primitive("items_at", (picks.source, picks.picked)))


def _limit(sel: Selector, name: str, limit: Expr) -> ir.Local:
    """Return a local for the limit of a number of picks. It is never more than the number of items."""
    slot = sel.new_slot(name, limit)
    low, high = sel.bounds.bound_number(limit)
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
    sel.set(picks.low, ir.Primitive("smaller_of", (sel.value(s.low), size)))
    sel.set(picks.high, ir.Primitive("smaller_of", (sel.value(s.high), size)))
    sel.set(picks.picked, ir.Const(()))


def _candidates(s: AskManyWithLocals, picks: _Picks) -> ir.Value:
    return ir.Primitive("picks_left", (picks.source, picks.picked, picks.low, ir.Const(s.is_ordered)))


def _may_stop(picks: _Picks) -> ir.Value:
    return ir.Binary(">=", length_of(picks.picked), picks.low)


def _pick(sel: Selector, s: AskManyWithLocals, picks: _Picks, item: ir.Value, forced: bool) -> None:
    sel.set(picks.picked, ir.Primitive("extended", (picks.picked, item)))
    chosen = ir.Entry(picks.source, ir.Primitive("back", (picks.picked,)))
    _told(sel, s, ZERO, ir.Record((chosen,)), forced)
    take(sel, 0)


NOTHING = ir.Const(None)
ZERO, ONE = ir.Const(0), ir.Const(1)


def selector(lowerer: Lowerer, layout: Any, marks: bool = False) -> Selector:
    """Return a selector for stepwise play. It selects the builds with and without events together.

    So locals have the same cells in both builds, and one can continue a state of the other. ``marks`` keeps masks for
    variables indexed by spaces, for a backend with masks in its states.
    """
    statements = MARKING if marks else STEPWISE
    return Selector(
        lowerer,
        layout,
        EXPRESSIONS,
        statements,
        events=True,
        has_shared_lists=True,
        counts_work=True,
        drops_bounds=False,
    )


def select(sel: Selector, game: LoweredGame) -> None:
    """Add the functions of a game to ``sel``.

    They are ``game`` (setup and all phases, in order), ``outcome``, ``standing`` if the game has a heuristic, and each
    shared routine.
    """
    if sel.statements is MARKING:
        sel.masked_places, sel.iterates_bits = bitboards.marked_places(sel, game, anywhere=True), True
    if any(r.asks for r in game.routines):
        sel.phase_slot = sel.lowerer.fresh("phase", TEXT)
    with sel.function("game", "game"):
        for one in (game.setup, *game.phases):
            phase(sel, one)
        sel.set(ir.Register("over"), ONE)
        sel.log_event(GameEnded, reason=NOTHING)
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
    """Select a shared routine.

    A query, or an effect that never asks, becomes a function. An effect that asks becomes blocks, and the last one
    returns to the caller.
    """
    named = shared.name and shared.value is None
    sel.trail = (ir.CALLER_TRAIL, shared.name) if named else (ir.CALLER_TRAIL,)
    if shared.value is not None:
        with sel.function("query", f"value{shared.number}", shared.params), sel.repeated(SHARED):
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
    """Return the slot that keeps the return label of a routine that asks."""
    if shared.name not in sel.return_slots:
        sel.return_slots[shared.name] = sel.lowerer.fresh("back", INT)
    return sel.return_slots[shared.name]


# ---------------------------------------------------------------- phases


def phase(sel: Selector, one: core.Phase) -> None:
    """Select a phase, at which the game can be entered, with its child phases."""
    before, sel.trail = sel.trail, (*sel.trail, one.id)
    sel.phase = one.id
    sel.span = one.span
    place = sel.place()
    charges = sel.lowerer.charges
    with sel.collecting() as first:
        if sel.phase_slot is not None:
            sel.let(sel.phase_slot, ir.Const(one.id))
        if one.condition is not None:
            sel.count_work(charges.tests[one.id])
            _skip_unless(sel, one.condition)
    counter = ir.Register("repeats", one.id)
    with sel.collecting() as reset:
        sel.set(counter, ZERO)
    with sel.collecting() as head:
        if one.repeat is not None:
            sel.count_work(charges.passes[one.id])
            _skip_unless(sel, one.repeat)
            bound = ir.Const(one.bound)
            sel.guard(ir.Binary(">=", counter, bound), ir.Evaluate, exceeded(f"phase `{one.id}`", bound))
            sel.set(counter, ONE, "+")
    with sel.collecting() as ops:
        if one.origin.is_authored:
            sel.log_event(PhaseBegan, phase=ir.Const(one.id))
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
    with sel.if_branch(test):
        sel.add(ir.Skip)


# ---------------------------------------------------------------- statements that may ask


def flow(sel: Selector, stmts: tuple[Stmt, ...]) -> None:
    """Select a block in which the game can stop."""
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
    """Return the operations of a block in which the game can stop."""
    with sel.collecting() as ops:
        flow(sel, stmts)
    return tuple(ops)


def _call_asking(sel: Selector, s: EffectRoutine) -> None:
    with sel.collecting() as first:
        for slot, argument in zip(s.routine.params, s.args, strict=True):
            sel.let(slot, sel.value(argument))
    sel.add(ir.CallAsking, s.routine.name, tuple(first), way_back(sel, s.routine))


def _either(sel: Selector, s: core.If) -> None:
    tests = []
    for condition, body in s.branches:
        test = sel.value(condition)
        tests.append((sel.place(), test, body))
    branches = [ir.Branch(place, test, flowing(sel, body)) for place, test, body in tests]
    if s.otherwise:
        branches.append(ir.Branch(sel.place(), None, flowing(sel, s.otherwise)))
    sel.ops.append(ir.Branching(branches[0].place, tuple(branches)))


def _for_each(sel: Selector, s: core.ForEach) -> None:
    items, position = ir.Local(sel.new_slot("items", s.source)), ir.Local(sel.lowerer.fresh("position", INT))
    sel.lowerer.known.of[position.slot] = 0, min(sel.bounds.size(s.source), LIST_LIMIT)
    with sel.collecting() as first:
        sel.set(items, sel.value(s.source))
        sel.set(position, ZERO)
    with sel.collecting() as head:
        with sel.if_branch(ir.Binary(">=", position, ir.Primitive("length", (items,)))):
            sel.add(ir.Skip)
        bound_by(sel, s.slot, s.source)
        sel.let(s.slot, ir.Entry(items, position))
        sel.set(position, ir.Binary("+", position, ONE))
        if s.condition is not None:
            with sel.if_branch(negation(sel, s.condition)):
                sel.add(ir.NextIteration)
    _cycle(sel, s, first, head)


def _repeat(sel: Selector, s: core.Repeat) -> None:
    limit = s.times if s.times is not None else s.bound
    assert limit is not None
    left = ir.Local(sel.new_slot("left", limit))
    least, most = sel.bounds.bound_number(limit)
    sel.lowerer.known.of[left.slot] = min(least, 0), most
    with sel.collecting() as first:
        sel.set(left, sel.value(limit))
        bound: ir.Value
        if isinstance(limit, Const):
            bound = sel.constant(limit.value)
        else:
            bound = ir.Local(sel.new_slot("bound", limit))
            sel.set(bound, left)
    none_left = ir.Binary("<=", left, ZERO)
    with sel.collecting() as head:
        if s.condition is not None:
            _skip_unless(sel, s.condition)
            sel.guard(none_left, ir.Evaluate, exceeded("the loop", bound))
        else:
            with sel.if_branch(none_left):
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
    domain = ir.Local(sel.new_slot("domain", s.domain))
    place = ir.Provenance(s.span, sel.trail)
    with sel.collecting() as first:
        sel.set(domain, possible(sel, s))
    with sel.collecting() as ops:
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
    core.Stop: statements.stop,
    EffectRoutine: _call_asking,
    AskWithLocals: _ask,
    AskManyWithLocals: ask_many,
}
"""Statement that may ask, or leave a loop that asks -> its selection. Inlined effects are handled by :func:`flow`."""


# ---------------------------------------------------------------- statements that never ask


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
        sel.set(reason, ir.Primitive("openly_said", (ir.Const(s.number), sel.frame(s.frame))))
    sel.log_event(GameEnded, reason=reason)
    sel.add(ir.Return, (NOTHING,))


def _set_cell(sel: Selector, s: core.SetCell) -> None:
    statements.set_cell(sel, bitboards.marking(sel, s, MARK) if s.place in sel.masked_places else s)


STEPWISE: Statements = {
    **STRUCTURED,
    core.EndGame: _end,
    core.Random: _random,
    EffectRoutine: _call,
    EndGameWithLocals: _end,
}

MARK = "a mark"
"""Name of locals that only masks need. It differs from every name in a ruleset, because it consists of two words."""

MARKING: Statements = {**STEPWISE, core.SetCell: _set_cell}
