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

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt
from lusory_dsl.types.types import INT, LIST_LIMIT, TEXT, ListType

from ...state.events_redaction_and_text import ChoiceMade, GameEnded, PhaseBegan
from ...state.setting_value_limits_builtins_and_names import unwrap_list_type
from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import (
    AskManyWithLocals,
    AskWithLocals,
    EffectRoutine,
    EndGameWithLocals,
    LoweredGame,
    LoweredRoutine,
    can_ask,
)
from ..lower.lowerer_with_constant_folding_and_inlining import Lowerer
from . import bitboards, statements
from .lists import (
    ASSUMED_QUERY_CALLS,
    MAX_TABLE_CONDITIONS,
    ConditionalList,
    bind_item_bounds,
    match_conditional_list,
    select_by_conditions,
    select_loop_source,
    select_sequence,
)
from .operators_calls_and_bindings import select_negation
from .pruning_of_choices_of_spaces import restrict_loop
from .selection_table import EXPRESSIONS, STRUCTURED
from .selector_state_and_ir_emission import Selector, Statements, make_entry, make_filter, make_length, make_limit_fault
from .statements import make_bound_fault, select_heuristic, select_outcome

COMBINATIONS_LIMIT = 16  # the most combinations of values for which the listing of options is unrolled
Names = list[ir.Temporary | None]  # the temporaries of the domains, and None for a domain of fixed length


@dataclass(frozen=True, eq=False)
class ProductPlan:
    """A choice whose options are the Cartesian product of the domains of its variables.

    ``lengths[i]`` is the fixed length of domain ``i``, or None if the game must compute it.
    """

    alternative: core.Alternative
    lengths: tuple[int | None, ...]


def match_named_alternatives(sel: Selector, stmt: core.Ask) -> ConditionalList | None:
    """Return the numbers of a choice's alternatives, from 0, as ``items``, and their tests as ``conditions``.

    Both are tuples. A test is an ``ir.AllOf`` of all conditions of an alternative, or None for an alternative without
    conditions. Alternatives whose first condition is constantly false are left out: ``(0, 2)`` if the second of three
    is.

    Return None if an alternative has variables, if fewer than two remain, or if more than ``MAX_TABLE_CONDITIONS`` have
    conditions.
    """
    if any(alternative.vars for alternative in stmt.alternatives) or len(stmt.alternatives) < 2:
        return None
    numbers: list[int] = []
    conditions: list[ir.Value | None] = []
    for number, alternative in enumerate(stmt.alternatives):
        if _is_never_offered(alternative):
            continue
        numbers.append(number)
        every = tuple([sel.select_value(condition) for condition in alternative.conditions])
        conditions.append(ir.AllOf(every) if every else None)
    if len(numbers) < 2 or len([condition for condition in conditions if condition is not None]) > MAX_TABLE_CONDITIONS:
        return None
    return ConditionalList(tuple(numbers), tuple(conditions))


def _is_never_offered(alternative: core.Alternative) -> bool:
    """Return whether the first condition is the constant False. After a condition that may have a fault, it counts as
    any other.
    """
    return any(isinstance(condition, Const) for condition in alternative.conditions[:1])


def make_product_plan(sel: Selector, stmt: core.Ask) -> ProductPlan | None:
    """Return ``ProductPlan(alternative, lengths)`` for a choice whose options are a product of domains, else None.

    ``lengths`` has the length of the domain of each variable, such as ``(3, None)``. A length is given for a constant
    list of at most ``MAX_UNROLLED_ITEMS`` items, and for an entry of a table whose entries all have the same length. It
    is None for other domains, a domain that may have a fault, and a variable with a condition. Return None instead of a
    plan if there are several alternatives, or if the only one has ``conditions`` or no variables. The same goes if a
    variable's condition, or its domain without a length, reads an earlier variable, such as ``y in [x, 4]``, or if the
    domain or condition of any variable but the first may have a fault.
    """
    if len(stmt.alternatives) != 1:
        return None
    alternative = stmt.alternatives[0]
    if alternative.conditions or not alternative.vars:
        return None
    lengths: list[int | None] = []
    slots: set[int] = set()
    later = [expr for var in alternative.vars[1:] for expr in (var.domain, var.condition) if expr is not None]
    if any(map(sel.can_fail, later)):  # the product would evaluate them even if the first variable has no value
        return None
    for variable in alternative.vars:
        if variable.condition is not None and core.collect_locals(variable.condition) & slots:
            return None
        length = _find_fixed_length(sel, variable.domain) if variable.condition is None else None
        if length is None and core.collect_locals(variable.domain) & slots:
            return None
        lengths.append(length)
        slots.add(variable.slot)
    return ProductPlan(alternative, tuple(lengths))


def _find_fixed_length(sel: Selector, domain: Expr) -> int | None:
    if sel.can_fail(domain):
        return None
    with sel.analysing():
        conditional_list = match_conditional_list(sel, domain)
    if conditional_list is not None:
        return len(conditional_list.items) if conditional_list.is_certain else None
    if isinstance(domain, core.TableRead):
        lengths = {len(row) for row in sel.lowerer.ranges.list_entries(domain.table)}
        return lengths.pop() if len(lengths) == 1 else None
    return None


# ---------------------------------------------------------------- product


def emit_domains(sel: Selector, plan: ProductPlan) -> tuple[Names, ir.Value, int | None]:
    """Assign each domain whose length is None, filtered by its condition, to a new temporary, in order of variables.

    Return the temporaries, the number of options, and that number as an int, or None if it varies. For the lengths
    ``(3, None)``, these are ``[None, t1]``, ``length(t1) * 3`` and None. For ``(3, 2)``, they are ``[None, None]``,
    ``ir.Const(6)`` and 6. If such a constant number exceeds ``sel.limits.options``, a fault is emitted, and the result
    is the same. A constant factor 1 is left out: ``(1, None)`` gives ``length(t1)``.
    """
    names: Names = []
    fixed_count = 1
    for variable, length in zip(plan.alternative.vars, plan.lengths, strict=True):
        if length is not None:
            fixed_count *= length
            names.append(None)
            continue
        name = sel.allocate_temporary()
        sel.set(name, select_sequence(sel, list_variable_values(variable)))
        names.append(name)
    factors: list[ir.Value] = [make_length(name) for name in names if name is not None]
    if not factors:
        if fixed_count > sel.limits.options:
            sel.emit_limit_fault("options")
        return names, ir.Const(fixed_count), fixed_count
    if fixed_count != 1:
        factors.append(ir.Const(fixed_count))
    return names, _make_product(factors), None


def list_variable_values(variable: core.ChoiceVar) -> Expr:
    """Return the list of values that a variable of a choice may take: its domain, filtered by its condition."""
    return make_filter(variable.domain, variable.span, variable.slot, variable.condition)


def _make_product(factors: list[ir.Value]) -> ir.Value:
    return reduce(partial(ir.Binary, "*"), factors)


def emit_decoding(sel: Selector, plan: ProductPlan, names: Names, index: ir.Value | None) -> None:
    """Set the variables of a choice from an option's number: digits of a mixed radix number. None is the only option.

    Example: with domains of lengths 3 and 4, option 6 takes item 1 of the first domain and item 2 of the second.
    Options and items are counted from 0.
    """
    lengths: list[ir.Value] = [
        make_length(name) if name is not None else ir.Const(length)
        for name, length in zip(names, plan.lengths, strict=True)
    ]
    for position, (variable, name) in enumerate(zip(plan.alternative.vars, names, strict=True)):
        bind_item_bounds(sel, variable.slot, variable.domain)
        domain = name if name is not None else sel.select_value(variable.domain)
        place = index if index is not None else ir.Const(0)
        if index is not None and position + 1 < len(lengths):
            place = ir.Binary("div", place, _make_product(lengths[position + 1 :]))
        if index is not None and position:
            place = ir.Binary("mod", place, lengths[position])
        sel.let(variable.slot, ir.Entry(domain, place))


# ---------------------------------------------------------------- list


def emit_option_list(sel: Selector, stmt: core.Ask, options: ir.Temporary) -> None:
    """Emit the assignment of a choice's options that hold, in order, to ``options``: (alternative, values) for each."""
    sel.set(options, ir.Primitive("no_options"))
    for number, alternative in enumerate(stmt.alternatives):
        if _is_never_offered(alternative):
            continue
        tests = [sel.select_value(condition) for condition in alternative.conditions]
        with sel.if_branch(ir.AllOf(tuple(tests))) if tests else nullcontext():
            _emit_combinations(sel, alternative.vars, (), options, number, COMBINATIONS_LIMIT)


def emit_option_limit(sel: Selector, stmt: core.Ask, count: ir.Value) -> None:
    """Emit the check that a choice has no more options than the limit, if it may have more."""
    max_options = sum(
        prod(sel.bound_length(variable.domain) for variable in alternative.vars) for alternative in stmt.alternatives
    )
    if max_options > sel.limits.options:
        _emit_count_limit(sel, count)


def _emit_count_limit(sel: Selector, count: ir.Value) -> None:
    """Emit a fault for a number of options, ``count``, above the limit."""
    sel.guard(ir.Binary(">", count, ir.Const(sel.limits.options)), ir.Evaluate, make_limit_fault("options"))


def _emit_combinations(
    sel: Selector,
    variables: tuple[core.ChoiceVar, ...],
    values: tuple[ir.Value | Const, ...],
    options: ir.Temporary,
    number: int,
    room: int,
) -> None:
    """Emit loops over the values of the variables, unrolled while there is ``room``, and the option inside."""
    if not variables:
        _emit_option(sel, values, options, number)
        return
    variable, *other_variables = variables
    conditional_list = match_conditional_list(sel, variable.domain)
    if conditional_list is not None and len(conditional_list.items) <= room:
        share = room // max(len(conditional_list.items), 1)
        for item, item_condition in zip(conditional_list.items, conditional_list.conditions, strict=True):
            value = Const(unwrap_list_type(variable.domain.type), variable.span, item)
            tests = [] if item_condition is None else [item_condition]
            if variable.condition is not None:
                holds = sel.lowerer.lower(variable.condition, {variable.slot: value})
                if isinstance(holds, Const):
                    if not holds.value:
                        continue
                else:
                    tests.append(sel.select_value(holds))
            later = tuple(_bind_variable(sel, other, variable.slot, value) for other in other_variables)
            with sel.if_branch(ir.AllOf(tuple(tests))) if tests else nullcontext():
                _emit_combinations(sel, later, (*values, value), options, number, share)
        return
    source, ((_, condition),) = select_loop_source(sel, variable.domain, [(variable.slot, variable.condition)])
    if other_variables:
        source = restrict_loop(sel, source, variable, other_variables[0])
    bind_item_bounds(sel, variable.slot, variable.domain)
    name = ir.BoundLocal(variable.slot)
    with (
        sel.binding(variable.slot),
        sel.loop(name, source),
        sel.repeating(sel.bound_length(variable.domain)),
        sel.if_holds(condition),
    ):
        _emit_combinations(sel, tuple(other_variables), (*values, name), options, number, 1)


def _emit_option(sel: Selector, values: tuple[ir.Value | Const, ...], options: ir.Temporary, number: int) -> None:
    """Emit one more option: the number of its alternative and its values."""
    # Lists among the values must be constants of the module in any case.
    items = [sel.add_constant(value.value) if isinstance(value, Const) else value for value in values]
    constants = [value.value for value in values if isinstance(value, Const)]
    option: ir.Value = ir.Record((ir.Const(number), ir.Record(tuple(items))))
    if len(constants) == len(values):
        option = sel.tables.add_constant((number, tuple(constants)))
    sel.evaluate(ir.Primitive("append", (options, option)))


def _bind_variable(sel: Selector, variable: core.ChoiceVar, slot: int, value: Const) -> core.ChoiceVar:
    env: dict[int, Expr] = {slot: value}
    condition = sel.lowerer.lower_optional(variable.condition, env)
    return replace(variable, domain=sel.lowerer.lower(variable.domain, env), condition=condition)


QUESTION, ANSWER, OPTIONS = ir.Temporary("q"), ir.Temporary("i"), ir.Temporary("o")


def _select_choice(sel: Selector, stmt: AskWithLocals) -> None:
    """Select a choice: its functions (``qN``, ``oN``, ``rN``, ``fN``) and its bodies, in which the game can stop."""
    number = len(sel.choices)
    sel.choices.append((stmt.site, sel.phase))
    place = ir.Provenance(stmt.span, sel.trail)
    with sel.collecting() as ops:
        sel.evaluate_unused(stmt.chooser)
        _select_frame_functions(sel, number, stmt.frame)
        if (plan := make_product_plan(sel, stmt)) is not None:
            _select_product(sel, number, stmt, plan)
        elif (alternatives := match_named_alternatives(sel, stmt)) is not None:
            _select_named_alternatives(sel, number, stmt, alternatives)
        else:
            _emit_listed_choice(sel, number, stmt)
    bodies = tuple([_collect_ops(sel, alternative.body) for alternative in stmt.alternatives])
    otherwise = _collect_ops(sel, stmt.otherwise)
    sel.ops.append(ir.Ask(place, number, tuple(ops), bodies, otherwise))


def _collect_ops(sel: Selector, stmts: tuple[Stmt, ...]) -> ir.Ops:
    """Return the operations of a block. They are not added to the current block."""
    with sel.collecting() as ops:
        sel.select_block(stmts)
    return tuple(ops)


def _select_frame_functions(
    sel: Selector, number: int, frame: tuple[tuple[int, Expr], ...], picked_items: ir.Value | None = None
) -> None:
    with sel.add_function("frame", f"f{number}"):
        picks = () if picked_items is None else ((ir.PICKS, picked_items),)
        sel.add(ir.Return, (ir.Frame((*sel.make_frame(frame).pairs, *picks)),))
    if not sel.phase:
        assert sel.phase_slot is not None
        with sel.add_function("phase", f"p{number}"):
            sel.add(ir.Return, (ir.Local(sel.phase_slot),))


def _log_choice(
    sel: Selector, stmt: AskWithLocals | AskManyWithLocals, number: ir.Value, values: ir.Value, is_forced: bool
) -> None:
    answer = {"site": ir.Const(stmt.site), "alternative": number, "values": values}
    sel.log_event(ChoiceMade, seat=sel.select_value(stmt.chooser), **answer, is_forced=ir.Const(is_forced))


# ---------------------------------------------------------------- product


def _select_product(sel: Selector, number: int, stmt: AskWithLocals, plan: ProductPlan) -> None:
    chooser = sel.select_value(stmt.chooser)
    names, count, fixed_count = emit_domains(sel, plan)
    domain_names = [name for name in names if name is not None]
    if fixed_count is not None and fixed_count > 1:
        sel.add(ir.WaitForAnswer, number, (chooser, ir.Const(fixed_count)))
    else:
        option_count = sel.allocate_temporary()
        sel.set(option_count, count)
        emit_option_limit(sel, stmt, option_count)
        with sel.if_branch(ir.Binary(">", option_count, ir.ONE)):
            sel.add(ir.WaitForAnswer, number, (chooser, option_count, *domain_names))
        with sel.if_branch(ir.Binary("=", option_count, ir.ZERO)):
            sel.add(ir.TakeAlternative, ir.OTHERWISE)
        emit_decoding(sel, plan, names, None)
        _log_product_choice(sel, stmt, plan.alternative, True)
        sel.add(ir.TakeAlternative, 0)
    with sel.add_function("question", f"q{number}"):
        names, count, _ = emit_domains(sel, plan)
        domain_names = [name for name in names if name is not None]
        sel.add(ir.Return, (chooser, count, *domain_names))
    with sel.add_function("options", f"o{number}"):
        emit_option_list(sel, stmt, OPTIONS)
        sel.add(ir.Return, (OPTIONS,))
    with sel.add_function("resume", f"r{number}"):
        if domain_names:
            sel.add(ir.Unpack, (None, None, *domain_names), QUESTION)
        emit_decoding(sel, plan, names, ANSWER)
        _log_product_choice(sel, stmt, plan.alternative, False)
        sel.add(ir.TakeAlternative, 0)


def _log_product_choice(sel: Selector, stmt: AskWithLocals, alternative: core.Alternative, is_forced: bool) -> None:
    values = ir.Tuple(tuple(ir.Local(variable.slot) for variable in alternative.vars))
    _log_choice(sel, stmt, ir.ZERO, values, is_forced)


# ---------------------------------------------------------------- named


def _select_named_alternatives(sel: Selector, number: int, stmt: AskWithLocals, alternatives: ConditionalList) -> None:
    chooser = sel.select_value(stmt.chooser)
    numbers = select_by_conditions(sel, alternatives)
    numbers_left = sel.allocate_temporary()
    question = chooser, make_length(numbers_left), numbers_left
    if alternatives.is_certain:
        sel.add(ir.WaitForAnswer, number, (chooser, ir.Const(len(alternatives.items)), numbers))
    else:
        sel.set(numbers_left, numbers)
        with sel.if_branch(ir.Binary(">", make_length(numbers_left), ir.ONE)):
            sel.add(ir.WaitForAnswer, number, question)
        if len(alternatives.open_conditions) == len(alternatives.items):
            with sel.if_branch(ir.Unary("not", numbers_left)):
                sel.add(ir.TakeAlternative, ir.OTHERWISE)
        _emit_named_answer(sel, stmt, make_entry(numbers_left, 0), alternatives, True)
    with sel.add_function("question", f"q{number}"):
        sel.set(numbers_left, numbers)
        sel.add(ir.Return, question)
    with sel.add_function("options", f"o{number}"):
        sel.add(ir.Return, (ir.Primitive("named_options", (make_entry(QUESTION, 2),)),))
    with sel.add_function("resume", f"r{number}"):
        _emit_named_answer(sel, stmt, ir.Entry(make_entry(QUESTION, 2), ANSWER), alternatives, False)


def _emit_named_answer(
    sel: Selector, stmt: AskWithLocals, number: ir.Value, alternatives: ConditionalList, is_forced: bool
) -> None:
    chosen_number = sel.allocate_temporary()
    sel.set(chosen_number, number)
    _log_choice(sel, stmt, chosen_number, ir.Const(()), is_forced)
    *remaining, last = alternatives.items
    for alternative in remaining:
        with sel.if_branch(ir.Binary("=", chosen_number, ir.Const(alternative))):
            sel.add(ir.TakeAlternative, alternative)
    sel.add(ir.TakeAlternative, last)


# ---------------------------------------------------------------- listed


def _emit_listed_choice(sel: Selector, number: int, stmt: AskWithLocals) -> None:
    sel.set(QUESTION, ir.PendingQuestion(number))
    with sel.if_branch(ir.Binary(">", make_entry(QUESTION, 1), ir.ONE)):
        sel.add(ir.WaitForAnswer, number, (QUESTION,))
    with sel.if_branch(ir.Unary("not", make_entry(QUESTION, 1))):
        sel.add(ir.TakeAlternative, ir.OTHERWISE)
    _emit_listed_answer(sel, stmt, make_entry(make_entry(QUESTION, 2), 0), True)
    with sel.add_function("question", f"q{number}"):
        emit_option_list(sel, stmt, OPTIONS)
        emit_option_limit(sel, stmt, make_length(OPTIONS))
        sel.add(ir.Return, (sel.select_value(stmt.chooser), make_length(OPTIONS), OPTIONS))
    with sel.add_function("options", f"o{number}"):
        sel.add(ir.Return, (make_entry(QUESTION, 2),))
    with sel.add_function("resume", f"r{number}"):
        _emit_listed_answer(sel, stmt, ir.Entry(make_entry(QUESTION, 2), ANSWER), False)


def _emit_listed_answer(sel: Selector, stmt: AskWithLocals, option: ir.Value, is_forced: bool) -> None:
    """Set the variables of an option and go on with the body of its alternative."""
    chosen_number, values = sel.allocate_temporary(), sel.allocate_temporary()
    sel.add(ir.Unpack, (chosen_number, values), option)
    last = len(stmt.alternatives) - 1
    for number, alternative in enumerate(stmt.alternatives):
        with sel.if_branch(ir.Binary("=", chosen_number, ir.Const(number))) if number < last else nullcontext():
            bind_values(sel, alternative, values)
            _log_choice(sel, stmt, ir.Const(number), values, is_forced)
            sel.add(ir.TakeAlternative, number)


def bind_values(sel: Selector, alternative: core.Alternative, values: ir.Temporary) -> None:
    """Emit the assignment of the values of an option to the variables of its alternative."""
    for position, variable in enumerate(alternative.vars):
        bind_item_bounds(sel, variable.slot, variable.domain)
        sel.let(variable.slot, make_entry(values, position))


# ---------------------------------------------------------------- choices of several items


PICK, STOP_PICKING = 0, 1  # the alternatives of a choice of several items


@dataclass(frozen=True)
class Picks:
    """The locals or temporaries of a choice of several items."""

    source: ir.Value
    low: ir.Value
    high: ir.Value
    picked_items: ir.Value


def _select_multiple_choice(sel: Selector, stmt: AskManyWithLocals) -> None:
    """Select a choice of items, picked in turn, its functions, and the list of the picked items.

    Option 0 ends the picking once ``low`` items are picked, and the candidates follow; before, they begin at 0. An only
    candidate that must be picked is picked without a question. Picking also ends at ``high``, and without candidates.
    """
    number = len(sel.choices)
    sel.choices.append((stmt.site, sel.phase))
    place = ir.Provenance(stmt.span, sel.trail)
    picks = Picks(
        ir.Local(sel.allocate_slot("source", stmt.source)),
        _make_limit_local(sel, "low", stmt.low),
        _make_limit_local(sel, "high", stmt.high),
        ir.Local(sel.lowerer.make_local("picked", ListType(INT))),
    )
    emit_picks_start(sel, stmt, picks)
    _select_frame_functions(sel, number, stmt.frame, picks.picked_items)
    chooser = sel.select_value(stmt.chooser)
    with sel.collecting() as ops:
        with sel.if_branch(ir.Binary(">=", make_length(picks.picked_items), picks.high)):
            sel.add(ir.TakeAlternative, STOP_PICKING)
        candidates, can_stop = sel.allocate_temporary(), sel.allocate_temporary()
        question = chooser, ir.Binary("+", make_length(candidates), can_stop), candidates, can_stop
        sel.set(candidates, make_candidates(stmt, picks))
        with sel.if_branch(ir.Unary("not", candidates)):
            sel.add(ir.TakeAlternative, STOP_PICKING)
        sel.set(can_stop, make_stop_test(picks))
        with sel.if_branch(ir.Binary("or", ir.Binary(">", make_length(candidates), ir.ONE), can_stop)):
            sel.add(ir.WaitForAnswer, number, question)
        _emit_pick(sel, stmt, picks, make_entry(candidates, 0), True)
    with sel.add_function("question", f"q{number}"):
        sel.set(candidates, make_candidates(stmt, picks))
        sel.set(can_stop, make_stop_test(picks))
        sel.add(ir.Return, question)
    with sel.add_function("options", f"o{number}"):
        sel.set(OPTIONS, ir.Primitive("pick_options", (picks.source, make_entry(QUESTION, 2))))
        sel.add(ir.Return, (ir.Primitive("and_stop", (OPTIONS, make_entry(QUESTION, 3))),))
    with sel.add_function("resume", f"r{number}"):
        with sel.if_branch(make_entry(QUESTION, 3)):
            with sel.if_branch(ir.Binary("=", ANSWER, ir.ZERO)):
                _log_choice(sel, stmt, ir.ONE, ir.Const(()), False)
                sel.add(ir.TakeAlternative, STOP_PICKING)
            sel.set(ANSWER, ir.ONE, "-")
        _emit_pick(sel, stmt, picks, ir.Entry(make_entry(QUESTION, 2), ANSWER), False)
    bodies = (), (ir.Break(place),)
    ask = ir.Ask(place, number, tuple(ops), bodies)
    sel.ops.append(ir.While(place, ir.Const(True), (ask,)))
    sel.let(stmt.slot, ir.Primitive("items_at", (picks.source, picks.picked_items)))


def _make_limit_local(sel: Selector, name: str, limit: Expr) -> ir.Local:
    """Return a local for the limit of a number of picks. It is never more than the number of items."""
    slot = sel.allocate_slot(name, limit)
    low, high = sel.bounds.bound_number(limit)
    sel.lowerer.ranges.number_ranges[slot] = min(low, 0), high
    return ir.Local(slot)


def emit_picks_start(sel: Selector, stmt: AskManyWithLocals, picks: Picks) -> None:
    """Emit the start of a choice of several, which assigns to the locals or temporaries in ``picks``.

    First the chooser is evaluated, if that can have a fault. Then ``source`` gets the items that meet the condition. An
    ``ir.If`` gives a fault if there are more of them than the limit of options. ``low`` and then ``high`` get the
    limits of the number of picks, each at most the number of items. Last, ``picked_items`` gets ``()``.
    """
    sel.evaluate_unused(stmt.chooser)
    sel.set(picks.source, sel.select_value(make_filter(stmt.source, stmt.span, stmt.item_slot, stmt.condition)))
    size = make_length(picks.source)
    _emit_count_limit(sel, size)
    sel.set(picks.low, ir.Primitive("fn_smaller", (sel.select_value(stmt.low), size)))
    sel.set(picks.high, ir.Primitive("fn_smaller", (sel.select_value(stmt.high), size)))
    sel.set(picks.picked_items, ir.Const(()))


def make_candidates(stmt: AskManyWithLocals, picks: Picks) -> ir.Value:
    """Return the numbers of the items that the next pick may take, as the primitive ``list_open_picks``."""
    return ir.Primitive("list_open_picks", (picks.source, picks.picked_items, picks.low, ir.Const(stmt.is_ordered)))


def make_stop_test(picks: Picks) -> ir.Value:
    """Return the test whether enough items are picked to stop."""
    return ir.Binary(">=", make_length(picks.picked_items), picks.low)


def _emit_pick(sel: Selector, stmt: AskManyWithLocals, picks: Picks, item: ir.Value, is_forced: bool) -> None:
    sel.set(picks.picked_items, ir.Primitive("extended", (picks.picked_items, item)))
    chosen_item = ir.Entry(picks.source, ir.Primitive("back", (picks.picked_items,)))
    _log_choice(sel, stmt, ir.ZERO, ir.Record((chosen_item,)), is_forced)
    sel.add(ir.TakeAlternative, PICK)


NOTHING = ir.Const(None)


def make_selector(lowerer: Lowerer, layout: Any, keeps_masks: bool = False) -> Selector:
    """Return a new selector for stepwise play, which has selected nothing yet.

    It suits the builds with and without events: :func:`select_game` selects both together. With ``keeps_masks``, its
    ``masked_places`` are ``bitboards.find_masked_places(selector, ())``, and ``iterates_bits`` is True. This suits a
    backend with masks in its states. Otherwise they are empty and False.
    """
    sel = Selector(lowerer, layout, EXPRESSIONS, STEP_STATEMENTS, is_stepwise=True, counts_work=True)
    if keeps_masks:
        sel.masked_places, sel.iterates_bits = bitboards.find_masked_places(sel, ()), True
    return sel


def select_game(sel: Selector, game: LoweredGame) -> None:
    """Append all functions of a game to ``sel.functions``, each followed by those of its choices.

    They are, in this order, ``game`` (setup and phases), ``outcome``, ``standing`` if there is a heuristic, and
    ``game.routines``. A query there is ``valueN``, with its ``number``, and an effect ``effectN``, or its own name if
    it asks. Choices are numbered by their index in ``sel.choices``, to which they are appended. Choice 0 has ``f0``
    (frame), ``q0`` (question), ``o0`` (options) and ``r0`` (resumption). A choice in one of the routines also has
    ``pN`` (phase) after ``fN``, but one in an effect that is inlined has not.
    """
    if any(lowered_routine.can_ask for lowered_routine in game.routines):
        sel.phase_slot = sel.lowerer.make_local("phase", TEXT)
    with sel.add_function("game", "game"):
        for game_phase in (game.setup, *game.phases):
            select_phase(sel, game_phase)
        sel.set(ir.Register("over"), ir.ONE)
        sel.log_event(GameEnded, reason=NOTHING)
        sel.add(ir.Return, (NOTHING,))
    with sel.add_function("outcome", "outcome"):
        select_outcome(sel, game)
    if game.standing is not None:
        with sel.add_function("standing", "standing"):
            select_heuristic(sel, game.standing)
    sel.phase = ""
    for routine in game.routines:
        select_routine(sel, routine)


def select_routine(sel: Selector, routine: LoweredRoutine) -> None:
    """Append the function of a shared routine to ``sel.functions``. ``sel.routine`` becomes the routine.

    With number 3, a query has the name ``value3`` and the role ``query``, and an effect ``effect3`` and ``effect``.
    With ``sel.is_stepwise``, an effect with ``can_ask`` has the name ``routine.name``, such as ``build``, and the role
    ``routine`` instead, and no parameters. It ends with an ``ir.Return`` of the local with the label to return to,
    whose slot ``sel.return_slots["build"]`` then holds. ``sel.trail`` becomes ``(ir.CALLER_TRAIL, "build")`` for any
    effect with a ``routine.name``. For queries and routines without one, it is ``(ir.CALLER_TRAIL,)``.
    """
    sel.routine = routine
    has_own_name = routine.name and routine.value is None
    sel.trail = (ir.CALLER_TRAIL, routine.name) if has_own_name else (ir.CALLER_TRAIL,)
    if routine.value is not None:
        with sel.add_function("query", f"value{routine.number}", routine.params), sel.repeating(ASSUMED_QUERY_CALLS):
            sel.add(ir.Return, (sel.select_value(routine.value),))
    elif routine.can_ask and sel.is_stepwise:
        return_slot = _get_return_slot(sel, routine)
        with sel.add_function("routine", routine.name):
            sel.select_block(routine.body)
            sel.add(ir.Return, (ir.Local(return_slot),))
    else:
        with sel.add_function("effect", f"effect{routine.number}", routine.params):
            sel.select_block(routine.body)


def _get_return_slot(sel: Selector, routine: LoweredRoutine) -> int:
    """Return the slot of the local that keeps the return label of a routine that asks. The first call makes it."""
    if routine.name not in sel.return_slots:
        sel.return_slots[routine.name] = sel.lowerer.make_local("back", INT)
    return sel.return_slots[routine.name]


# ---------------------------------------------------------------- phases


def select_phase(sel: Selector, game_phase: core.Phase) -> None:
    """Append the code of a phase to ``sel``: its body and then its child phases in order, once or repeatedly.

    If the phase has a condition, all of that is in one ``ir.If``: the condition is tested once, before any repetition.
    Before it come, in this order:

    - an ``ir.StartPhase`` with ``sel.is_stepwise``, so that play can begin at this phase
    - an ``ir.Set`` of the local ``sel.phase_slot`` to the id of the phase, if that slot isn't None
    - an ``ir.CountWork`` with ``sel.counts_work``, if the phase has a condition

    With ``sel.is_stepwise`` only, each pass begins with an ``ir.LogEvent`` of ``PhaseBegan`` if the ruleset declares
    the phase. ``sel.phase`` and ``sel.span`` become those of the last phase selected. ``sel.trail`` is restored.
    """
    trail_before, sel.trail = sel.trail, (*sel.trail, game_phase.id)
    sel.phase = game_phase.id
    sel.span = game_phase.span
    if sel.is_stepwise:
        sel.add(ir.StartPhase, game_phase.id)
    if sel.phase_slot is not None:
        sel.let(sel.phase_slot, ir.Const(game_phase.id))
    if game_phase.condition is not None:
        sel.count_work(sel.lowerer.charges.tests[game_phase.id])
    with sel.if_holds(game_phase.condition):
        if game_phase.repeat is None:
            _select_pass(sel, game_phase)
        else:
            _select_passes(sel, game_phase, game_phase.repeat)
    sel.trail = trail_before


def _select_passes(sel: Selector, game_phase: core.Phase, repeat: Expr) -> None:
    """Select a loop over the passes of a phase, as long as ``repeat`` holds. Too many passes are a fault.

    In stepwise play, a register of the state counts the passes.
    """
    bound = ir.Const(game_phase.bound)
    counter: ir.Value = ir.Register("repeats", game_phase.id)
    if sel.is_stepwise:
        sel.set(counter, ir.ZERO)
        loop = sel.while_loop(ir.Const(True))
    else:
        counter = sel.allocate_temporary()
        loop = sel.loop(counter, ir.Primitive("up_to", (ir.Const(game_phase.bound + 1),)))
    with loop:
        sel.count_work(sel.lowerer.charges.passes[game_phase.id])
        if not (isinstance(repeat, Const) and repeat.value):
            sel.guard(select_negation(sel, repeat), ir.Break)
        sel.guard(ir.Binary(">=", counter, bound), ir.Evaluate, make_bound_fault(f"phase `{game_phase.id}`", bound))
        if sel.is_stepwise:
            sel.set(counter, ir.ONE, "+")
        _select_pass(sel, game_phase)


def _select_pass(sel: Selector, game_phase: core.Phase) -> None:
    if game_phase.origin.is_authored:
        sel.log_event(PhaseBegan, phase=ir.Const(game_phase.id))
    sel.select_block(game_phase.body)
    for child in game_phase.children:
        select_phase(sel, child)


# ---------------------------------------------------------------- loops and calls


def _select_loop(sel: Selector, stmt: core.ForEach) -> None:
    """Select a loop over a list. If its body can ask, it is a ``While`` that counts the position in the list."""
    if not can_ask(stmt.body):
        statements.select_loop(sel, stmt)
        return
    items = ir.Local(sel.allocate_slot("items", stmt.source))
    position = ir.Local(sel.lowerer.make_local("position", INT))
    sel.lowerer.ranges.number_ranges[position.slot] = 0, min(sel.bounds.compute_max_size(stmt.source), LIST_LIMIT)
    sel.set(items, sel.select_value(stmt.source))
    sel.set(position, ir.ZERO)
    with sel.while_loop(ir.Binary("<", position, make_length(items))):
        bind_item_bounds(sel, stmt.slot, stmt.source)
        sel.let(stmt.slot, ir.Entry(items, position))
        sel.set(position, ir.Binary("+", position, ir.ONE))
        with sel.if_holds(stmt.condition):
            sel.select_block(stmt.body)


def _select_effect_call(sel: Selector, stmt: EffectRoutine) -> None:
    if stmt.routine.can_ask:
        for slot, argument in zip(stmt.routine.params, stmt.args, strict=True):
            sel.let(slot, sel.select_value(argument))
        sel.add(ir.CallAsking, stmt.routine.name, _get_return_slot(sel, stmt.routine))
        return
    arguments = tuple([sel.select_value(argument) for argument in stmt.args])
    with sel.evaluating_reads(*stmt.args):
        sel.add(ir.CallEffect, stmt.routine.number, arguments, ir.SILENT)
        sel.add(ir.CallEffect, stmt.routine.number, arguments, ir.EVENTS)
    if stmt.routine.can_end:
        sel.guard(ir.Register("over"), ir.Return, (NOTHING,))


# ---------------------------------------------------------------- other statements


def _select_game_end(sel: Selector, stmt: core.EndGame) -> None:
    reason = ir.Register("reason")
    sel.set(ir.Register("over"), ir.ONE)
    if stmt.reason is not None:
        sel.set(reason, sel.select_value(stmt.reason))
    if isinstance(stmt, EndGameWithLocals):
        sel.set(reason, ir.Primitive("format_end_reason", (ir.Const(stmt.number), sel.make_frame(stmt.frame))))
    sel.log_event(GameEnded, reason=reason)
    sel.add(ir.Return, (NOTHING,))


STEP_STATEMENTS: Statements = {
    **STRUCTURED,
    core.EndGame: _select_game_end,
    core.ForEach: _select_loop,
    AskManyWithLocals: _select_multiple_choice,
    AskWithLocals: _select_choice,
    EffectRoutine: _select_effect_call,
    EndGameWithLocals: _select_game_end,
}
