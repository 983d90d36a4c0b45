"""Select statements that never ask for a decision: assignments, loops, moves, chance and announcements.

Each change emits its operation, and an event if the build logs events. The module also selects the bodies of
``standing`` (the heuristic value of each seat) and ``outcome`` (the result of a finished game).
"""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, compute_structural_key
from lusory_dsl.types.integer_intervals import clip_to_int
from lusory_dsl.types.types import BOOL, INT, PLAYER, ListType, OptionalType, PlayerType, optional

from ...state.events_redaction_and_text import Announced, ChanceDecided, CountersMoved, VariableSet, ZoneShuffled
from ...state.setting_value_limits_builtins_and_names import unwrap_list_type
from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import (
    AnnounceWithLocals,
    Changed,
    Inlined,
    LoweredGame,
    can_ask,
    can_stop,
    eliminate_common_subexpressions,
)
from .bitboards import emit_mask_update
from .lists import bind_item_bounds, match_conditional_list, select_number_range
from .selector_state_and_ir_emission import Selector, make_filter
from .state_reads import can_overflow, select_cell, select_operand, select_zone, select_zone_number

# The most statements that an unrolled loop may grow to.
UNROLL_STATEMENTS = 60
# The most copies of one block in nested unrolled loops.
BLOCK_COPIES = 24


def select_let(sel: Selector, stmt: core.Let) -> None:
    """Select a binding of a local, and record its bounds. The value is assigned to the same slot."""
    sel.bounds.bind_value(stmt.slot, stmt.value)
    sel.let(stmt.slot, sel.select_value(stmt.value))


def select_inlined_effect(sel: Selector, stmt: Inlined) -> None:
    """Select the body of an inlined effect. Inside it, the effect's name stands at the end of ``sel.trail``.

    Afterwards ``sel.trail`` has its former value.
    """
    trail_before = sel.trail
    sel.trail = (*trail_before, stmt.name)
    sel.select_block(stmt.body)
    sel.trail = trail_before


# ---------------------------------------------------------------- visibility


def _make_full_seat_mask(sel: Selector) -> ir.Value:
    """Return the constant bit mask of all seats, ``2 ** players - 1``."""
    return ir.Const((1 << sel.players) - 1)


def _select_seats(
    sel: Selector, visibility: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[Expr, ...]
) -> ir.Value:
    """Return a bit mask of the seats that see a place with this visibility, dimensions and indices.

    It is a constant if everybody or nobody sees it, and ``1 << owner`` if only the owner does. With a condition, it is
    the primitive ``bits``. Its operands are the bit, or 0, of each seat whose condition is not constant. The last
    operand is a constant mask of the seats whose condition is always true. A mask of 0 is left out beside other
    operands.
    """
    if visibility.condition is not None:
        owners = (index for dim, index in zip(dims, indices, strict=False) if isinstance(dim.type, PlayerType))
        return _select_seats_by_condition(sel, visibility.condition, next(owners, None))
    if visibility.is_open(dims):
        return _make_full_seat_mask(sel)
    owner_dim = visibility.find_owner_dim(dims)
    if owner_dim is None:
        return ir.Const(0)
    owner = indices[owner_dim]
    if isinstance(owner, Const):
        return ir.Const(1 << owner.value)  # type: ignore[operator]
    return ir.Binary("<<", ir.Const(1), sel.select_value(owner))


def _select_seats_by_condition(sel: Selector, condition: Expr, owner: Expr | None) -> ir.Value:
    certain_seats = 0
    parts: list[ir.Value] = []
    for seat in range(sel.players):
        viewer = Const(PLAYER, condition.span, seat)
        holds = sel.lowerer.lower(condition, {0: viewer, 1: owner if owner is not None else viewer})
        if isinstance(holds, Const):
            certain_seats |= bool(holds.value) << seat
        else:
            is_hidden = sel.select_value(core.Unary(BOOL, condition.span, "not", holds))
            parts.append(ir.Choose(is_hidden, ir.Const(0), ir.Const(1 << seat)))
    if certain_seats or not parts:
        parts.append(ir.Const(certain_seats))
    return ir.Primitive("bits", tuple(parts))


def _select_indices(sel: Selector, indices: tuple[Expr, ...]) -> ir.Value:
    """Return the values of several indices as a tuple, for an event."""
    return ir.Tuple(tuple([sel.select_value(index) for index in indices]))


# ---------------------------------------------------------------- changes


def select_assignment(sel: Selector, stmt: core.SetCell) -> None:
    """Select a change of a variable as an ``ir.Set`` whose ``op`` is ``=``, ``+`` or ``-``.

    An increase or decrease that may leave the range of Int is instead a ``Set`` with ``=`` of the sum or difference in
    an ``ir.IntCheck``. If ``sel.masked_places`` has the variable, an ``ir.UpdateMasks`` comes before the ``Set``. With
    ``sel.is_stepwise``, an ``ir.LogEvent`` of ``VariableSet`` follows. Its ``value`` is the ``ir.Cell`` of the
    variable, and its ``seats`` an IR value: the bit mask of the seats that see the variable. When the game runs, an
    index that is none, or out of range, is a fault of the rules.
    """
    if stmt.place in sel.masked_places:
        stmt = emit_mask_update(sel, stmt)
    target = select_cell(sel, stmt.place, stmt.indices)
    changed_place = Changed(stmt.value.type, stmt.span, stmt.place, stmt.indices) if stmt.op != "set" else None
    cell_read = core.ReadCell(optional(INT), stmt.span, stmt.place, stmt.indices)  # has a fault when writing has one
    with sel.evaluating_reads(cell_read, stmt.value, changed_place):
        if stmt.op == "set":
            sel.set(target, sel.select_value(stmt.value))
        else:
            _emit_change(sel, stmt, target, "+" if stmt.op == "add" else "-")
    if sel.is_stepwise:
        place = sel.program.get_place(stmt.place)
        seats = _select_seats(sel, place.visible, place.dims, stmt.indices)
        indices = _select_indices(sel, stmt.indices)
        sel.log_event(VariableSet, variable=ir.Const(stmt.place), indices=indices, value=target, seats=seats)


def _emit_change(sel: Selector, stmt: core.SetCell, target: ir.Cell, sign: str) -> None:
    """Emit an increase or decrease, with a check if the new number may be outside the range of Int."""
    value_range = sel.lowerer.ranges.bound_place(stmt.place, stmt.indices)
    low, high = sel.bounds.bound_number(stmt.value)
    if sign == "-":
        low, high = -high, -low
    lowest, highest = clip_to_int(value_range)
    # games reach no other values than those in the range of the place
    bounds_after = max(value_range[0], lowest + low), min(value_range[1], highest + high)
    if not can_overflow(bounds_after):
        sel.set(target, select_operand(sel, stmt.value), sign)
        return
    number = ir.Binary(sign, target, select_operand(sel, stmt.value))
    sel.set(target, ir.IntCheck(number, sel.allocate_temporary()))


# ---------------------------------------------------------------- blocks


def select_if(sel: Selector, stmt: core.If) -> None:
    """Emit one ``ir.If`` for an if statement, with an ``ir.Branch`` for each condition in order.

    If the else part has statements, it is one more branch, whose ``test`` is None.
    """
    is_elif = False
    for condition, body in stmt.branches:
        with sel.if_branch(sel.select_value(condition), is_elif):
            sel.select_block(body)
        is_elif = True
    if stmt.otherwise:
        with sel.else_branch():
            sel.select_block(stmt.otherwise)


def select_loop(sel: Selector, stmt: core.ForEach) -> None:
    """Select a loop over a list as an ``ir.Loop`` with the item in an ``ir.Local``, or unroll it.

    An unrolled loop is the body once for each item, with the item as a constant in place of the local. The items must
    be constants, at most ``MAX_UNROLLED_ITEMS`` in each list that they come from. The body may hold neither a choice
    nor a ``stop`` of this loop. Its statements times all items may be at most :data:`UNROLL_STATEMENTS`, also where a
    condition then leaves out items. Nested unrolled loops may copy the body
    :data:`BLOCK_COPIES` times. An ``If`` around the body tests the condition of the loop, if it has one. But an
    unrolled loop settles constant conditions: ``for each x in [1, 2, 3] where x > 1`` gives two copies without an
    ``If``. A loop that is not unrolled takes a copy of a zone, because the body may change the zone.
    """
    conditional_list = match_conditional_list(sel, stmt.source)
    if conditional_list is not None and conditional_list.is_certain:
        count = len(conditional_list.items)
        is_small = count * sum(1 for _ in core.walk_statements(stmt.body)) <= UNROLL_STATEMENTS
        is_plain = not can_stop(stmt.body) and not can_ask(stmt.body)
        if is_small and is_plain and sel.lowerer.can_unroll(count, BLOCK_COPIES):
            with sel.lowerer.unrolling(count):
                _unroll_loop(sel, stmt, conditional_list.items)
            return
    bind_item_bounds(sel, stmt.slot, stmt.source)
    match stmt.source:
        case core.ReadZone(zone=zone, indices=indices):
            items: ir.Value = ir.Primitive("copied", (select_zone(sel, zone, indices),))
        case core.Range() as number_range:
            items = select_number_range(sel, number_range)
        case source:
            items = sel.select_value(source)
    with sel.loop(ir.Local(stmt.slot), items), sel.if_holds(stmt.condition):
        sel.select_block(stmt.body)


def _unroll_loop(sel: Selector, stmt: core.ForEach, items: tuple[Any, ...]) -> None:
    """Unroll a loop: select its body once for each item, in order. Items whose condition is false at compile time are
    left out.
    """
    for item in items:
        env: dict[int, Expr] = {stmt.slot: Const(unwrap_list_type(stmt.source.type), stmt.span, item)}
        condition = sel.lowerer.lower_optional(stmt.condition, env)
        if isinstance(condition, Const):
            if not condition.value:
                continue
            condition = None
        body = sel.lowerer.lower_block(stmt.body, env)
        with sel.if_holds(condition):
            sel.select_block(body)


def select_repeat(sel: Selector, stmt: core.Repeat) -> None:
    """Select a loop: an ``ir.Loop`` over the primitive ``up_to`` of ``times``, or an ``ir.While`` with a condition.

    The condition is tested before each pass. The loop counts down from its bound: if the condition still holds after
    that many passes, the next one begins with a fault. A loop with ``times`` whose body can ask is a ``While``, too. It
    ends after that many passes, without a fault.
    """
    asks = can_ask(stmt.body)
    if stmt.times is not None and not asks:
        with sel.loop(None, ir.Primitive("up_to", (sel.select_value(stmt.times),))):
            sel.select_block(stmt.body)
        return
    limit = stmt.bound if stmt.times is None else stmt.times
    assert limit is not None
    bound, passes_left = sel.select_value(limit), _make_counter(sel, "left", limit, asks)
    sel.set(passes_left, bound)
    if stmt.times is None and not isinstance(limit, Const):
        bound = _make_counter(sel, "bound", limit, asks)
        sel.set(bound, passes_left)
    test = ir.Binary(">", passes_left, ir.ZERO) if stmt.condition is None else sel.select_value(stmt.condition)
    with sel.while_loop(test):
        if stmt.condition is not None:
            none_left = ir.Binary("<=", passes_left, ir.ZERO)
            sel.guard(none_left, ir.Evaluate, make_bound_fault("the loop", bound))
        sel.set(passes_left, ir.Binary("-", passes_left, ir.ONE))
        sel.select_block(stmt.body)


def _make_counter(sel: Selector, name: str, limit: Expr, asks: bool) -> ir.Value:
    """Return what counts down from a limit: a temporary, or a local if it must survive a choice."""
    if not asks:
        return sel.allocate_temporary()
    slot = sel.allocate_slot(name, limit)
    low, high = sel.bounds.bound_number(limit)
    sel.lowerer.ranges.number_ranges[slot] = min(low, 0), high
    return ir.Local(slot)


def make_bound_fault(subject: str, bound: ir.Value) -> ir.Value:
    """Return the primitive ``raise_bound``: the fault of a loop or phase (``subject``) that exceeds its bound."""
    return ir.Primitive("raise_bound", (ir.Const(subject), bound))


def select_stop(sel: Selector, stmt: core.Stop) -> None:
    """Emit the ``ir.Break`` out of the enclosing loop."""
    sel.add(ir.Break)


# ---------------------------------------------------------------- chance


def select_chance(sel: Selector, stmt: core.Random) -> None:
    """Emit a random draw: store the list of possible values, then emit an ``ir.If`` with this list as its test.

    The list is in an ``ir.Temporary``, or in an ``ir.Local`` of a new slot if the statement can ask. The branch has the
    draw and the body. If ``otherwise`` has statements, an else branch runs them when the list is empty. If there is
    neither body nor ``otherwise``, the draw follows the list without an ``ir.If``. The draw is an ``ir.Draw``. With
    ``sel.is_stepwise``, it is an ``ir.Set`` from the primitive ``pick``, and an ``ir.LogEvent``.
    """
    domain: ir.Value = sel.allocate_temporary()
    if can_ask((stmt,)):  # it must survive until the block of the draw
        domain = ir.Local(sel.allocate_slot("domain", stmt.domain))
    sel.set(domain, sel.select_value(make_filter(stmt.domain, stmt.span, stmt.slot, stmt.condition)))
    if not stmt.otherwise and not stmt.body:
        _emit_draw(sel, stmt, domain)
        return
    with sel.if_branch(domain):
        _emit_draw(sel, stmt, domain)
        sel.select_block(stmt.body)
    if stmt.otherwise:
        with sel.else_branch():
            sel.select_block(stmt.otherwise)


def _emit_draw(sel: Selector, stmt: core.Random, domain: ir.Value) -> None:
    """Emit the draw of one value of ``domain`` into the local of a statement, and a ``ChanceDecided`` if builds log
    events.

    In stepwise play, the primitive ``pick`` gives the value, which a test case may dictate. A secret result is visible
    only to the acting seat, or to nobody if there is no such seat.
    """
    bind_item_bounds(sel, stmt.slot, stmt.domain)
    if not sel.is_stepwise:
        sel.add(ir.Draw, stmt.slot, ir.Stream(stmt.stream), domain)
        return
    draw = ir.Const((stmt.stream, stmt.name, str(unwrap_list_type(stmt.domain.type))))
    sel.let(stmt.slot, ir.Primitive("pick", (ir.Stream(stmt.stream), draw, domain)))
    seats = _make_full_seat_mask(sel)
    if stmt.is_secret:
        seats = ir.Const(0) if stmt.actor is None else ir.Binary("<<", ir.Const(1), sel.select_value(stmt.actor))
    sel.log_event(ChanceDecided, name=ir.Const(stmt.name), value=ir.Local(stmt.slot), seats=seats)


# ---------------------------------------------------------------- announcements


def select_announcement(sel: Selector, stmt: core.Announce) -> None:
    """Append the code of an announcement to ``sel``.

    For whole games, only the evaluation of what can have a fault remains. With ``sel.is_stepwise``, the silent build
    has only that evaluation. The event build logs one ``LogEvent`` of ``Announced``, with the text and a bit mask of
    the recipients. If ``stmt.to`` is None, the mask is the constant for all seats, 3 for two. Otherwise the game
    computes it by ``make_mask``. For an ``AnnounceWithLocals``, whose text may mention hidden information, the event
    build instead evaluates the text. One ``LogAnnouncement`` with ``stmt.number``, the mask and the Frame of
    ``stmt.frame`` follows. When the game runs, that operation gives each seat only what it may know.
    """
    if not sel.is_stepwise:
        sel.evaluate_unused(stmt.text, stmt.to)
        return
    sel.evaluate_unused(stmt.text, stmt.to, build=ir.SILENT)
    seats = _make_full_seat_mask(sel) if stmt.to is None else ir.Primitive("make_mask", (sel.select_value(stmt.to),))
    text = sel.select_value(stmt.text)
    if not isinstance(stmt, AnnounceWithLocals):
        sel.log_event(Announced, text=text, seats=seats)
        return
    sel.evaluate(text, ir.EVENTS)
    sel.add(ir.LogAnnouncement, stmt.number, seats, sel.make_frame(stmt.frame))


def select_counter_move(sel: Selector, stmt: core.MoveCount) -> None:
    """Select a move of counters between pools, for one kind or, if ``stmt.kind`` is None, for each kind in turn.

    In stepwise play, a CountersMoved event follows the move of each kind. Both places are evaluated first if an index
    can be out of range. The amount is cut to what a limited source holds. Without an amount, all counters move. An
    amount of 0 or less moves nothing; if it is constant, no move is emitted. When the game runs, moving at least one
    counter of a kind that the target never holds raises RulesetFault. So does a move that takes a pool out of the range
    of Int.
    """
    pool = sel.program.pools[stmt.source]
    kind = stmt.kind if stmt.kind is not None else Const(pool.holds, stmt.span, pool.kinds[0])
    source = core.ReadCell(optional(INT), stmt.span, stmt.source, (*stmt.source_indices, kind))
    target = core.ReadCell(optional(INT), stmt.span, stmt.target, (*stmt.target_indices, kind))
    with sel.evaluating_reads(stmt.kind, stmt.amount, *stmt.source_indices, *stmt.target_indices, source, target):
        if sel.can_fail(source) or sel.can_fail(target):
            both_cells = select_cell(sel, stmt.source, source.indices), select_cell(sel, stmt.target, target.indices)
            sel.evaluate(ir.Primitive("both", both_cells))
        kinds = [Const(pool.holds, stmt.span, number) for number in pool.kinds] if stmt.kind is None else [stmt.kind]
        for each_kind in kinds:
            _emit_kind_move(sel, stmt, each_kind)


def _emit_kind_move(sel: Selector, stmt: core.MoveCount, kind: Expr) -> None:
    """Emit the move of counters of one kind.

    Without an amount, all of them move.

    The amount is cut to what the source holds, unless that is unlimited, and nothing happens at 0 or less.
    """
    source = select_cell(sel, stmt.source, (*stmt.source_indices, kind))
    target = select_cell(sel, stmt.target, (*stmt.target_indices, kind))
    is_unlimited = sel.program.pools[stmt.source].is_unlimited
    amount: ir.Value
    if isinstance(stmt.amount, Const):
        number = stmt.amount.value
        assert isinstance(number, int)
        if number <= 0:
            return
        amount = ir.Const(number)
        if is_unlimited:
            _emit_counter_move(sel, stmt, kind, source, target, amount)
            return
        guard: ir.Value = source
        if number > 1:
            guard = amount = sel.allocate_temporary()
            sel.set(amount, source)
            limit = ir.Const(number)
            sel.guard(ir.Binary(">", amount, limit), ir.Set, amount, limit)
    else:
        guard = amount = sel.allocate_temporary()
        sel.set(amount, source if stmt.amount is None else sel.select_value(stmt.amount))
        if stmt.amount is not None and not is_unlimited:
            sel.guard(ir.Binary(">", amount, source), ir.Set, amount, source)
    with sel.if_branch(ir.Binary(">", guard, ir.ZERO)):
        _emit_counter_move(sel, stmt, kind, source, target, amount)


def _emit_counter_move(
    sel: Selector, stmt: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value
) -> None:
    """Emit the checks, the change of both pools, and the event of a move of ``amount`` counters, at least 1.

    A kind that the target never holds is a fault.
    """
    pool, target_kinds = sel.program.pools[stmt.source], sel.program.pools[stmt.target].kinds
    if isinstance(kind, Const):
        if kind.value not in target_kinds:
            sel.evaluate(ir.Primitive("raise_wrong_pool", (ir.Const(stmt.target), ir.Const(kind.value))))
    elif pool.is_unlimited or set(pool.kinds) - set(target_kinds):  # an unlimited pool gives any kind
        kind_test = sel.select_value(kind)
        test = ir.Binary("not in", kind_test, sel.add_constant(target_kinds))
        sel.guard(test, ir.Evaluate, ir.Primitive("raise_wrong_pool", (ir.Const(stmt.target), sel.select_value(kind))))
    _emit_counter_checks(sel, stmt, kind, source, target, amount)
    sel.set(source, amount, "-")
    sel.set(target, amount, "+")
    if sel.is_stepwise:
        source_pool, target_pool = sel.program.pools[stmt.source], sel.program.pools[stmt.target]
        source_seats = _select_seats(sel, source_pool.moves, source_pool.dims, stmt.source_indices)
        target_seats = _select_seats(sel, target_pool.moves, target_pool.dims, stmt.target_indices)
        kind_value = sel.select_value(kind)
        sel.log_event(
            CountersMoved,
            counter=kind_value,
            amount=amount,
            source=ir.Const(stmt.source),
            source_indices=_select_indices(sel, stmt.source_indices),
            target=ir.Const(stmt.target),
            target_indices=_select_indices(sel, stmt.target_indices),
            seats=ir.Primitive("seen_by_both", (source_seats, target_seats)),
        )


def _emit_counter_checks(
    sel: Selector, stmt: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value
) -> None:
    """Emit the checks that both pools stay within the range of Int. The amount is positive."""
    bounds = sel.lowerer.ranges
    source_range, target_range = bounds.bound_place(stmt.source, (kind,)), bounds.bound_place(stmt.target, (kind,))
    max_amount = clip_to_int(source_range)[1]
    is_unlimited = sel.program.pools[stmt.source].is_unlimited
    if stmt.amount is not None:
        max_requested = sel.bounds.bound_number(stmt.amount)[1]
        max_amount = max_requested if is_unlimited else min(max_amount, max_requested)
    lowest = max(source_range[0], clip_to_int(source_range)[0] - max_amount) if is_unlimited else 0
    highest = min(target_range[1], clip_to_int(target_range)[1] + max_amount)
    for place, sign, number in ((source, "-", (lowest, 0)), (target, "+", (0, highest))):
        if can_overflow(number):
            sel.evaluate(ir.IntCheck(ir.Binary(sign, place, amount), sel.allocate_temporary()))


# ---------------------------------------------------------------- components


def select_component_move(sel: Selector, stmt: core.MoveCards) -> None:
    """Select a move of components to a zone. If builds log events, both builds get operations of their own.

    A move from the end of a zone becomes ``TakeEnd``, ``PutComponent`` and ``Locate``, unless the target is sorted or
    one of its indices can be out of range. In stepwise play, a ``CopyZone`` comes before each of the first two.
    Everything else, and the build with events, has ``MoveCards``.
    """
    target = core.ReadZone(stmt.cards.type, stmt.span, stmt.target, stmt.target_indices)
    with sel.evaluating_reads(stmt.cards, target):
        _emit_component_move(sel, stmt, sel.can_fail(target))


def _emit_component_move(sel: Selector, stmt: core.MoveCards, is_placed_anywhere: bool) -> None:
    """Emit a move of components to a zone, once for the build with events and once for the silent one.

    ``is_placed_anywhere`` says that the read of the target can fail; otherwise, a component that the move takes from
    the end of a zone is moved without a search.
    """
    number = select_zone_number(sel, stmt.target, stmt.target_indices)
    cards = sel.select_value(stmt.cards)
    if not isinstance(stmt.cards.type, ListType):
        can_be_none = isinstance(stmt.cards.type, OptionalType)
        cards = ir.Primitive("make_optional_list", (cards,)) if can_be_none else ir.Record((cards,))
    is_sorted = sel.program.zones[stmt.target].is_sorted
    to_top = None if is_sorted else stmt.position == "top"
    if sel.is_stepwise:
        sel.add(ir.MoveCards, cards, number, to_top, ir.EVENTS)
    end_read = None if is_placed_anywhere or is_sorted else core.match_end_read(stmt.cards)
    if end_read is not None:
        source, end = end_read
        _emit_end_move(sel, stmt, source, end == "top")
        return
    sel.add(ir.MoveCards, cards, number, to_top, ir.SILENT)


def _emit_end_move(sel: Selector, stmt: core.MoveCards, source: core.ReadZone, is_from_top: bool) -> None:
    """Emit the move of the top or bottom component of a zone, which needs no search."""
    card = sel.allocate_temporary()
    number = select_zone_number(sel, stmt.target, stmt.target_indices)
    source_zone = select_zone(sel, source.zone, source.indices)
    target_zone = select_zone(sel, stmt.target, stmt.target_indices)
    if sel.is_stepwise:
        sel.add(ir.CopyZone, source_zone, ir.SILENT)
    sel.add(ir.TakeEnd, card, source_zone, is_from_top)
    if sel.is_stepwise:
        sel.add(ir.CopyZone, target_zone, ir.SILENT)
    sel.add(ir.PutComponent, card, target_zone, stmt.position == "top")
    sel.add(ir.Locate, card, number, ir.SILENT if sel.is_stepwise else ir.LOCATED)


def select_shuffle(sel: Selector, stmt: core.Shuffle) -> None:
    """Select the shuffle of a zone as an ``ir.Shuffle``.

    Only in stepwise play, it has ``can_be_forced``, and stands between an ``ir.CopyZone``, because states share lists,
    and an ``ir.LogEvent`` of ``ZoneShuffled``.
    """
    zone_value = select_zone(sel, stmt.zone, stmt.indices)
    if sel.is_stepwise:
        sel.add(ir.CopyZone, zone_value)
    sel.add(ir.Shuffle, ir.Stream(stmt.stream), zone_value, sel.is_stepwise)
    sel.log_event(ZoneShuffled, zone=ir.Const(stmt.zone), indices=_select_indices(sel, stmt.indices))


class ScoringValues:
    """Select the values of a scoring, equal expressions only once."""

    def __init__(self, sel: Selector) -> None:
        self.sel = sel
        self.temporaries: dict[object, ir.Temporary] = {}

    def get_value(self, expr: Expr) -> ir.Value:
        """Return the temporary of an expression: ``v0`` for the first one asked for, ``v1`` for the next.

        Constants have one, too, but operands don't: ``v0 = a + b``. The first call for an expression emits the
        assignment. Expressions with equal structure share a temporary.
        """
        key = compute_structural_key(expr)
        if key not in self.temporaries:
            self.temporaries[key] = ir.Temporary(f"v{len(self.temporaries)}")
            self.sel.span = expr.span
            expr = eliminate_common_subexpressions(expr, self.sel.lowerer.make_local)
            self.sel.set(self.temporaries[key], self.sel.select_value(expr))
        return self.temporaries[key]

    def find_value(self, expr: Expr) -> ir.Value:
        """Return the temporary of an expression if it has one already, otherwise its value, and emit nothing."""
        return self.temporaries.get(compute_structural_key(expr)) or self.sel.select_value(expr)

    def select_ranks(self, game: LoweredGame) -> list[tuple[ir.Value, ...]]:
        """Return the rank values of each seat. The most important one is evaluated first for all seats, and so on."""
        columns = [[self.get_value(expr) for expr in column] for column in zip(*game.rank, strict=True)]
        return list(zip(*columns, strict=True)) if columns else [() for _ in game.rank]


def select_heuristic(sel: Selector, values: tuple[Expr, ...]) -> None:
    """Select the body of ``standing``: it returns the heuristic value of each seat, in the order of seats.

    The last operation is an ``ir.Return`` whose only value is an ``ir.Record``. This has the selected values
    themselves, also of constants: ``Return(place, (Record((Const(3), Const(4))),))``.
    """
    seat_values = []
    for expr in values:
        sel.span = expr.span
        seat_values.append(sel.select_value(eliminate_common_subexpressions(expr, sel.lowerer.make_local)))
    sel.add(ir.Return, (ir.Record(tuple(seat_values)),))


def select_outcome(sel: Selector, game: LoweredGame) -> None:
    """Select the body of ``outcome``: append its assignments to temporaries, and an ``ir.Return`` of four values.

    These are the register ``reason``, the ranks, the payoffs and the shown scores. With two seats, the ranks are like
    ``((v0, v2), (v1, v3))``, one record of rank values for each seat. The payoffs are a record of one number for each
    seat, or the constant None if ``game.payoff`` is None, as for ``zero_sum``. Each shown score is like
    ``("Coins", (v4, v5))``. Expressions with equal structure share a temporary. If the scoring costs more
    work than ``sel.limits.decision``, an ``ir.Evaluate`` of the primitive ``raise_limit`` comes before all this.
    """
    sel.limit_scoring()
    values = ScoringValues(sel)
    ranks = ir.Record(tuple(map(ir.Record, values.select_ranks(game))))
    payoffs = ir.Const(None) if game.payoff is None else ir.Record(tuple(map(values.get_value, game.payoff)))
    rows = [(title, tuple(map(values.get_value, row))) for title, row in game.shown_scores]
    scores = [ir.Record((ir.Const(title), ir.Record(row))) for title, row in rows]
    sel.add(ir.Return, (ir.Register("reason"), ranks, payoffs, ir.Record(tuple(scores))))
