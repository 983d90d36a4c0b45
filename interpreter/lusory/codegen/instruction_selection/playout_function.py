"""Select a whole game as one function that plays random games to the end.

``playout(rnd, seed, table)`` plays one game and answers its decisions at random. It returns ``(decisions, rank of each
seat, payoff of each seat or None, end reason, columns of the final table)``. The columns are empty without ``table``.

``rnd`` returns floats from 0 to below 1. From ``n`` options, the game takes option ``int(rnd() * n)``. Options have the
same numbers as in stepwise play.

Example: ``choose n in 1..smaller(3, heap): decrease heap by n`` is printed as this Python. A single option is taken
without a random number, and doesn't count as a decision::

    t1 = make_number_list(1, min(3, P_heap))
    t2 = len(t1)
    if t2 > 1:
        d += 1
        t3 = int(rnd() * t2)
        n_2 = t1[t3]
    elif t2:
        n_2 = t1[0]
    if t2:
        P_heap -= n_2
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Local
from lusory_dsl.types.types import IntType

from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import (
    AskManyWithLocals,
    AskWithLocals,
    EffectRoutine,
    EndGameWithLocals,
    LoweredGame,
)
from ..lower.lowerer_with_constant_folding_and_inlining import Lowerer
from . import bitboards, statements
from .lists import ConditionalList, select_by_conditions
from .selection_table import EXPRESSIONS, STRUCTURED
from .selector_state_and_ir_emission import Selector, Statements, make_length
from .stepwise_play import (
    Picks,
    ProductPlan,
    bind_values,
    emit_decoding,
    emit_domains,
    emit_option_limit,
    emit_option_list,
    emit_picks_start,
    list_variable_values,
    make_candidates,
    make_product_plan,
    make_stop_test,
    match_named_alternatives,
    select_phase,
    select_routine,
)

DECISIONS, WORK, UNTIL = ir.Register("decisions"), ir.Register("work"), ir.Register("until")


def make_selector(lowerer: Lowerer, layout: Any) -> Selector:
    """Return a new selector for whole games, with ``is_stepwise`` false.

    Its ``masked_places`` are empty until :func:`select_game`. ``layout`` is the layout of the game's states.
    ``counts_work`` is True if the bound for a whole game, ``lowerer.charges.maximum_work``, exceeds the smaller of
    ``lowerer.limits.decision`` and ``lowerer.limits.game``.
    """
    limits = lowerer.limits
    counts_work = lowerer.charges.maximum_work > min(limits.decision, limits.game)
    return Selector(lowerer, layout, EXPRESSIONS, PLAYOUT_STATEMENTS, is_stepwise=False, counts_work=counts_work)


def select_game(sel: Selector, game: LoweredGame) -> None:
    """Append all functions of a game to ``sel.functions``: first the game, then ``game.routines`` in their order.

    The game has the name and the role ``playout``. A routine with a value and the number 3 has the role ``query`` and
    the name ``value3``. Any other has ``effect`` and ``effect3``. First sets ``sel.masked_places`` to the result of
    :func:`bitboards.find_masked_places`, and ``sel.finish`` to the emitter of the end of this game. ``sel.phase``
    becomes the id of the last phase. If there are routines, ``sel.routine`` and ``sel.trail`` become what
    :func:`select_routine` makes them for the last one.
    """
    sel.masked_places = bitboards.find_masked_places(sel, game.routines)
    sel.finish = partial(_finish_game, sel, game)
    with sel.add_function("playout", "playout"):
        for game_phase in (game.setup, *game.phases):
            select_phase(sel, game_phase)
        sel.finish(ir.Const(None))
    for routine in game.routines:
        select_routine(sel, routine)


# ---------------------------------------------------------------- the end


def _finish_game(sel: Selector, game: LoweredGame, reason: ir.Value) -> None:
    """Emit the scoring and an ``ir.Return``, for an ending with this reason.

    The values returned are the number of decisions, the ranks, the payoffs or None, the reason and the final table. The
    table is empty unless the argument ``table`` of the playout is true.
    """
    # No phase or effect encloses the scoring.
    trail_before, span_before, sel.trail = sel.trail, sel.span, ()
    sel.limit_scoring()
    values = statements.ScoringValues(sel)
    ranks = ir.Tuple(tuple(map(ir.Tuple, values.select_ranks(game))))
    payoff = ir.Const(None) if game.payoff is None else ir.Tuple(tuple(map(values.get_value, game.payoff)))
    rows = [ir.Tuple(tuple(map(values.find_value, column))) for _, column in game.shown_scores]
    table: ir.Value = ir.Const(())
    if rows:
        table = ir.Choose(ir.Temporary("table"), ir.Tuple(tuple(rows)), table)
    sel.add(ir.Return, (DECISIONS, ranks, payoff, reason, table))
    sel.trail, sel.span = trail_before, span_before


def _select_game_end(sel: Selector, stmt: core.EndGame) -> None:
    reason: ir.Value = ir.Const(None)
    if stmt.reason is not None:
        reason = sel.allocate_temporary()
        sel.set(reason, sel.select_value(stmt.reason))
    if sel.routine is None:
        sel.finish(reason)
        return
    sel.set(ir.Register("over"), ir.ONE)
    sel.set(ir.Register("reason"), reason)
    sel.add(ir.Return)


# ---------------------------------------------------------------- statements


def _select_let(sel: Selector, stmt: core.Let) -> None:
    statements.select_let(sel, stmt)
    if isinstance(stmt.value, core.CallBuiltin) and stmt.value.name == "first":
        bitboards.record_implied_values(sel, stmt.slot, stmt.value.args[0])


def _select_assignment(sel: Selector, stmt: core.SetCell) -> None:
    """Select an assignment. After it, the indices are known to be within their dimensions for the rest of the block."""
    statements.select_assignment(sel, stmt)
    bounds = sel.bounds.number_ranges
    for index, dim in zip(stmt.indices, sel.layout.places[stmt.place].dims, strict=True):
        if isinstance(index, Local) and isinstance(dim.type, IntType) and dim.size is not None:
            low, high = bounds.get(index.slot, (dim.low, dim.low + dim.size - 1))
            bounds[index.slot] = max(low, dim.low), min(high, dim.low + dim.size - 1)


def _select_effect_call(sel: Selector, stmt: EffectRoutine) -> None:
    sel.add(ir.CallEffect, stmt.routine.number, tuple([sel.select_value(argument) for argument in stmt.args]))
    if stmt.routine.can_end:
        with sel.if_branch(ir.Register("over")):
            if sel.routine is not None:
                sel.add(ir.Return)
            else:
                sel.finish(ir.Register("reason"))


# ---------------------------------------------------------------- choices


def _count_decision(sel: Selector) -> None:
    """Emit the count of a decision, and set the limit for the work until the next one."""
    limits = sel.limits
    sel.set(DECISIONS, ir.ONE, "+")
    if sel.counts_work:
        sel.set(UNTIL, ir.Binary("+", WORK, ir.Const(limits.decision)))
        is_late = ir.Binary(">", WORK, ir.Const(limits.game - limits.decision))
        sel.guard(is_late, ir.Set, UNTIL, ir.Const(limits.game))


def _draw_below(count: ir.Value) -> ir.Value:
    """Return a random number from 0 to below ``count``."""
    return ir.Primitive("any_below", (count,))


def _select_choice(sel: Selector, stmt: AskWithLocals) -> None:
    sel.evaluate_unused(stmt.chooser)
    if (alternatives := match_named_alternatives(sel, stmt)) is not None:
        _emit_named_alternatives(sel, stmt, alternatives)
    elif (plan := make_product_plan(sel, stmt)) is not None:
        _emit_product(sel, stmt, plan)
    else:
        _emit_listed_options(sel, stmt)


def _emit_product(sel: Selector, stmt: AskWithLocals, plan: ProductPlan) -> None:
    """Emit a choice whose options are a product of domains: draw one number below the number of options, and decode it.

    A single option is taken without a draw, and without counting a decision.
    """
    with sel.sharing_values():
        names, count, fixed_count = emit_domains(sel, plan)
    emit_variables = partial(emit_decoding, sel, plan, names)
    body = plan.alternative.body
    if fixed_count is not None and fixed_count > 1:
        _count_decision(sel)
        index = sel.allocate_temporary()
        sel.set(index, _draw_below(ir.Const(fixed_count)))
        emit_variables(index)
        sel.select_block(body)
        return
    option_count, index = sel.allocate_temporary(), sel.allocate_temporary()
    sel.set(option_count, count)
    emit_option_limit(sel, stmt, option_count)
    with sel.if_branch(ir.Binary(">", option_count, ir.ONE)):
        _count_decision(sel)
        sel.set(index, _draw_below(option_count))
        emit_variables(index)
    with sel.if_branch(option_count, is_elif=True) if stmt.otherwise or body else sel.else_branch():
        emit_variables(None)
    if stmt.otherwise or body:
        with sel.if_branch(option_count):
            for variable in plan.alternative.vars:
                bitboards.record_implied_values(sel, variable.slot, list_variable_values(variable))
            sel.select_block(body)
        _emit_otherwise(sel, stmt)


def _emit_otherwise(sel: Selector, stmt: AskWithLocals) -> None:
    if stmt.otherwise:
        with sel.else_branch():
            sel.select_block(stmt.otherwise)


def _emit_named_alternatives(sel: Selector, stmt: AskWithLocals, alternatives: ConditionalList) -> None:
    alternative = sel.allocate_temporary()
    if alternatives.is_certain:
        _count_decision(sel)
        sel.set(alternative, _draw_below(ir.Const(len(alternatives.items))))
    else:
        _draw_named_alternative(sel, stmt, alternatives, alternative)
    for position, number in enumerate(alternatives.items):
        is_last = position == len(alternatives.items) - 1 and alternatives.is_certain
        test = ir.Binary("=", alternative, ir.Const(position if alternatives.is_certain else number))
        with sel.else_branch() if is_last else sel.if_branch(test, is_elif=position > 0):
            sel.select_block(stmt.alternatives[number].body)


def _draw_named_alternative(
    sel: Selector, stmt: AskWithLocals, alternatives: ConditionalList, alternative: ir.Temporary
) -> None:
    numbers = sel.allocate_temporary()
    sel.set(numbers, select_by_conditions(sel, alternatives))
    can_be_empty = len(alternatives.open_conditions) == len(alternatives.items)
    with sel.if_branch(ir.Binary(">", make_length(numbers), ir.ONE)):
        _count_decision(sel)
        sel.set(alternative, ir.Entry(numbers, _draw_below(make_length(numbers))))
    with sel.else_branch():
        only_number: ir.Value = ir.Entry(numbers, ir.ZERO)
        sel.set(alternative, ir.Choose(numbers, only_number, ir.Const(-1)) if can_be_empty else only_number)
    if can_be_empty and stmt.otherwise:
        with sel.if_branch(ir.Binary("<", alternative, ir.ZERO)):
            sel.select_block(stmt.otherwise)


def _emit_listed_options(sel: Selector, stmt: AskWithLocals) -> None:
    """Emit a choice whose options must be listed: build the list, and draw one of its entries.

    A single option is taken without a draw, and without counting a decision. Without options, ``otherwise`` runs.
    """
    options, values = sel.allocate_temporary(), sel.allocate_temporary()
    with sel.sharing_values():
        emit_option_list(sel, stmt, options)
    emit_option_limit(sel, stmt, make_length(options))
    with sel.if_branch(options):
        chosen_number = sel.allocate_temporary()
        with sel.if_branch(ir.Binary(">", make_length(options), ir.ONE)):
            _count_decision(sel)
            sel.add(ir.Unpack, (chosen_number, values), ir.Entry(options, _draw_below(make_length(options))))
        with sel.else_branch():
            sel.add(ir.Unpack, (chosen_number, values), ir.Entry(options, ir.ZERO))
        for number, alternative in enumerate(stmt.alternatives):
            is_chosen = ir.Binary("=", chosen_number, ir.Const(number))
            is_only = len(stmt.alternatives) == 1
            with nullcontext() if is_only else sel.if_branch(is_chosen, is_elif=number > 0):
                bind_values(sel, alternative, values)
                sel.select_block(alternative.body)
    _emit_otherwise(sel, stmt)


def _select_multiple_choice(sel: Selector, stmt: AskManyWithLocals) -> None:
    """Emit a choice of several items: draw one candidate after another until "done" is drawn or enough are picked.

    A candidate that is the only one is picked without a draw, and without counting a decision.
    """
    source, low, high, picked_items, candidates = (sel.allocate_temporary() for _ in range(5))
    picks = Picks(source, low, high, picked_items)
    emit_picks_start(sel, stmt, picks)
    with sel.while_loop(ir.Binary("<", make_length(picked_items), high)):
        sel.set(candidates, make_candidates(stmt, picks))
        sel.guard(ir.Unary("not", candidates), ir.Break)
        sel.guard(make_stop_test(picks), ir.Evaluate, ir.Primitive("insert_stop", (candidates,)))
        index = sel.allocate_temporary()
        sel.set(index, ir.ZERO)
        with sel.if_branch(ir.Binary(">", make_length(candidates), ir.ONE)):
            _count_decision(sel)
            sel.set(index, _draw_below(make_length(candidates)))
        sel.guard(ir.Binary("<", ir.Entry(candidates, index), ir.ZERO), ir.Break)
        sel.set(picked_items, ir.Primitive("extended", (picked_items, ir.Entry(candidates, index))))
    sel.let(stmt.slot, ir.Primitive("items_at", (source, picked_items)))


PLAYOUT_STATEMENTS: Statements = {
    **STRUCTURED,
    core.EndGame: _select_game_end,
    core.Let: _select_let,
    core.SetCell: _select_assignment,
    EffectRoutine: _select_effect_call,
    AskWithLocals: _select_choice,
    AskManyWithLocals: _select_multiple_choice,
    EndGameWithLocals: _select_game_end,
}
