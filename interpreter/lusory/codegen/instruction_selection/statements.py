"""Select statements that never ask for a decision: assignments, loops, moves, chance and announcements.

Each change emits its operation, and an event if the build logs events. The module also selects the bodies of
``standing`` (the heuristic value of each seat) and ``outcome`` (the result of a finished game).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt, compute_structural_key
from lusory_dsl.types.types import (
    BOOL,
    INT,
    PLAYER,
    Interval,
    ListType,
    OptionalType,
    PlayerType,
    clip_to_int,
    optional,
)

from ...state.event_log import Announced, ChanceDecided, CountersMoved, VariableSet, ZoneShuffled
from ...state.setting import item_type
from .. import ir
from ..lower.lowered_nodes import AnnounceWithLocals, Changed, Inlined, LoweredGame, Spend, asks, named_once, stops
from .lists import MASK_LIMIT, ConditionalList, bound_by, by_conditions, conditional, numbers
from .selector import Selector, place_at
from .state_reads import beyond, cell, operand, outside, zone, zone_number

# The most statements that an unrolled loop may grow to.
UNROLL_STATEMENTS = 60
# The most copies of one block in nested unrolled loops.
BLOCK_COPIES = 24


def spend(sel: Selector, s: Spend) -> None:
    sel.count_work(s)


def let(sel: Selector, s: core.Let) -> None:
    sel.bounds.let(s.slot, s.value)
    sel.let(s.slot, sel.value(s.value))


def inlined(sel: Selector, s: Inlined) -> None:
    before = sel.trail
    sel.trail = (*before, s.name)
    sel.block(s.body)
    sel.trail = before


# ---------------------------------------------------------------- visibility


def everyone(sel: Selector) -> ir.Value:
    """Return the bit mask of all seats."""
    return ir.Const((1 << sel.players) - 1)


def seats_of(
    sel: Selector, visibility: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[Expr, ...]
) -> ir.Value:
    """Return a bit mask of the seats that see a place."""
    if visibility.condition is not None:
        owners = (index for dim, index in zip(dims, indices, strict=False) if isinstance(dim.type, PlayerType))
        return _seats_by_condition(sel, visibility.condition, next(owners, None))
    if visibility.is_open(dims):
        return everyone(sel)
    owner = visibility.find_owner_dim(dims)
    return ir.Const(0) if owner is None else bit_of(sel, indices[owner])


def bit_of(sel: Selector, seat: Expr) -> ir.Value:
    """Return the bit mask of one seat."""
    if isinstance(seat, Const):
        return ir.Const(1 << seat.value)  # type: ignore[operator]
    return ir.Binary("<<", ir.Const(1), sel.value(seat))


def _seats_by_condition(sel: Selector, condition: Expr, owner: Expr | None) -> ir.Value:
    sure = 0
    parts: list[ir.Value] = []
    for seat in range(sel.players):
        viewer = Const(PLAYER, condition.span, seat)
        holds = sel.lowerer.expr(condition, {0: viewer, 1: owner if owner is not None else viewer})
        if isinstance(holds, Const):
            sure |= bool(holds.value) << seat
        else:
            hidden = sel.value(core.Unary(BOOL, condition.span, "not", holds))
            parts.append(ir.Choose(ir.Flag(hidden), ir.Const(0), ir.Const(1 << seat)))
    if sure or not parts:
        parts.append(ir.Const(sure))
    return ir.Primitive("bits", tuple(parts))


def indices_of(sel: Selector, indices: tuple[Expr, ...]) -> ir.Value:
    return ir.Tuple(tuple([sel.value(i) for i in indices]))


# ---------------------------------------------------------------- changes


def set_cell(sel: Selector, s: core.SetCell) -> None:
    """Select a change of a variable, with a check if the result may be out of range."""
    target = cell(sel, s.place, s.indices)
    held = Changed(s.value.type, s.span, s.place, s.indices) if s.op != "set" else None
    with sel.reading(place_at(s, optional(INT), s.place, s.indices), s.value, held):
        if s.op == "set":
            sel.set(target, sel.value(s.value))
        else:
            _change(sel, s, target, "+" if s.op == "add" else "-")
    if sel.events:
        declared = sel.program.get_place(s.place)
        seats = seats_of(sel, declared.visible, declared.dims, s.indices)
        indices = indices_of(sel, s.indices)
        sel.log_event(VariableSet, variable=ir.Const(s.place), indices=indices, value=target, seats=seats)


def _change(sel: Selector, s: core.SetCell, target: ir.Cell, sign: str) -> None:
    below, above = outside(_after(sel, s))
    if not below and not above:
        sel.set(target, operand(sel, s.value), sign)
        return
    number = sel.new_temporary()
    sel.set(number, ir.Binary(sign, target, operand(sel, s.value)))
    sel.guard(beyond(number, below, above), ir.Evaluate, ir.Primitive("too_great"))
    sel.set(target, number)


def _after(sel: Selector, s: core.SetCell) -> Interval:
    """Return the bounds of a number in a place after a change, limited to the values that games can reach."""
    held, (low, high) = sel.lowerer.known.bound_place(s.place, s.indices), sel.bounds.bound_number(s.value)
    if s.op == "sub":
        low, high = -high, -low
    least, most = clip_to_int(held)
    return max(held[0], least + low), min(held[1], most + high)


# ---------------------------------------------------------------- blocks


def when(sel: Selector, s: core.If) -> None:
    again = False
    for condition, body in s.branches:
        with sel.if_branch(sel.value(condition), again):
            sel.block(body)
        again = True
    if s.otherwise:
        with sel.else_branch():
            sel.block(s.otherwise)


def for_each(sel: Selector, s: core.ForEach) -> None:
    """Select a loop over a list, and unroll it if the list is short and known."""
    known = conditional(sel, s.source)
    if (
        known is not None
        and known.certain
        and isinstance(s.source.type, ListType)
        and not stops(s.body)
        and not asks(s.body)
        and len(known.items) * sum(1 for _ in core.walk_statements(s.body)) <= UNROLL_STATEMENTS
        and sel.lowerer.may_write_out(len(known.items), BLOCK_COPIES)
    ):
        with sel.lowerer.writing_out(len(known.items)):
            _write_out(sel, s, known.items, s.source.type.item)
        return
    bound_by(sel, s.slot, s.source)
    with sel.loop(ir.Local(s.slot), _snapshot(sel, s.source)):
        if s.condition is not None:
            with sel.if_branch(sel.value(s.condition)):
                sel.block(s.body)
        else:
            sel.block(s.body)


def _snapshot(sel: Selector, source: Expr) -> ir.Value:
    """Select the list of a loop. A zone is copied, because the body may change it."""
    if isinstance(source, core.ReadZone):
        return ir.Primitive("copied", (zone(sel, source.zone, source.indices),))
    return numbers(sel, source) if isinstance(source, core.Range) else sel.value(source)


def _write_out(sel: Selector, s: core.ForEach, items: tuple[Any, ...], type_: Any) -> None:
    """Unroll a loop: select its body once for each item."""
    for item in items:
        condition, body = _specialised(sel, s, item, type_)
        if isinstance(condition, Const):
            if condition.value:
                sel.block(body)
        elif condition is None:
            sel.block(body)
        else:
            with sel.if_branch(sel.value(condition)):
                sel.block(body)


def _specialised(sel: Selector, s: core.ForEach, item: object, type_: Any) -> tuple[Expr | None, tuple[Stmt, ...]]:
    env: dict[int, Expr] = {s.slot: Const(type_, s.span, item)}
    condition = None if s.condition is None else sel.lowerer.expr(s.condition, env)
    if isinstance(condition, Const) and not condition.value:
        return condition, ()
    return condition, sel.lowerer.block(s.body, env)


def repeat(sel: Selector, s: core.Repeat) -> None:
    """Select a loop with a number of passes, or with a condition and a bound."""
    if s.times is not None:
        with sel.loop(None, ir.Primitive("up_to", (sel.value(s.times),))):
            sel.block(s.body)
        return
    assert s.condition is not None
    assert s.bound is not None
    bound, left = sel.value(s.bound), sel.new_temporary()
    if not isinstance(s.bound, Const):
        bound = sel.new_temporary()
        sel.set(bound, sel.value(s.bound))
    sel.set(left, bound)
    with sel.while_loop(sel.value(s.condition)):
        none_left = ir.Binary("<=", left, ir.Const(0))
        sel.guard(none_left, ir.Evaluate, exceeded("the loop", bound))
        sel.set(left, ir.Const(1), "-")
        sel.block(s.body)


def exceeded(what: str, bound: ir.Value) -> ir.Value:
    """Return the fault for a loop or phase that exceeds its bound."""
    return ir.Primitive("bound_exceeded", (ir.Const(what), bound))


def stop(sel: Selector, s: core.Stop) -> None:
    sel.add(ir.Break)


# ---------------------------------------------------------------- chance


Draw = Callable[[Selector, core.Random, ir.Value], None]


def random(sel: Selector, s: core.Random, draw: Draw) -> None:
    """Select a random draw. ``draw`` emits the draw of one of the possible values."""
    domain = sel.new_temporary()
    sel.set(domain, possible(sel, s))
    if not s.otherwise and not s.body:
        draw(sel, s, domain)
        return
    with sel.if_branch(domain):
        draw(sel, s, domain)
        sel.block(s.body)
    if s.otherwise:
        with sel.else_branch():
            sel.block(s.otherwise)


def possible(sel: Selector, s: core.Random) -> ir.Value:
    """Select the list of the values that chance may take."""
    if s.condition is None:
        return sel.value(s.domain)
    return sel.value(core.Filter(s.domain.type, s.span, s.slot, s.domain, s.condition))


def draw(sel: Selector, s: core.Random, domain: ir.Value) -> None:
    """Emit the draw of one value, which a replay may dictate, and its event."""
    bound_by(sel, s.slot, s.domain)
    drawn = ir.Const((s.stream, s.name, str(item_type(s.domain.type))))
    sel.let(s.slot, ir.Primitive("pick", (ir.Stream(s.stream), drawn, domain)))
    seats = everyone(sel)
    if s.is_secret:
        seats = ir.Const(0) if s.actor is None else ir.Binary("<<", ir.Const(1), sel.value(s.actor))
    sel.log_event(ChanceDecided, name=ir.Const(s.name), value=ir.Local(s.slot), seats=seats)


# ---------------------------------------------------------------- announcements


def announce(sel: Selector, s: core.Announce) -> None:
    """Select an announcement whose text every recipient may know.

    Builds without events only evaluate what may have a fault.
    """
    if not sel.events:
        sel.work_out(s.text, s.to)
        return
    sel.work_out(s.text, s.to, build=ir.SILENT)
    seats = _told(sel, s)
    sel.log_event(Announced, text=sel.value(s.text), seats=seats)


def _told(sel: Selector, s: core.Announce) -> ir.Value:
    return everyone(sel) if s.to is None else ir.Primitive("mask_of", (sel.value(s.to),))


def announce_each(sel: Selector, s: AnnounceWithLocals) -> None:
    """Select an announcement whose text may mention hidden information.

    Emits one ``LogAnnouncement`` with a bit mask of the seats and the locals of the routine. When the game runs, that
    operation gives each seat only what it may know. Builds without events only evaluate what may have a fault.
    """
    if not sel.events:
        sel.work_out(s.text, s.to)
        return
    sel.work_out(s.text, s.to, build=ir.SILENT)
    seats = _told(sel, s)
    sel.evaluate(sel.value(s.text), ir.EVENTS)
    sel.add(ir.LogAnnouncement, s.number, seats, sel.frame(s.frame))


ZERO = ir.Const(0)


def move_count(sel: Selector, s: core.MoveCount) -> None:
    """Select a move of counters between pools, for one kind or for all."""
    pool = sel.program.pools[s.source]
    kind = s.kind if s.kind is not None else Const(pool.holds, s.span, pool.kinds[0])
    source = place_at(s, optional(INT), s.source, (*s.source_indices, kind))
    target = place_at(s, optional(INT), s.target, (*s.target_indices, kind))
    with sel.reading(s.kind, s.amount, *s.source_indices, *s.target_indices, source, target):
        if sel.can_fail(source) or sel.can_fail(target):
            both = cell(sel, s.source, source.indices), cell(sel, s.target, target.indices)
            sel.evaluate(ir.Primitive("both", both))
        for one in (s.kind,) if s.kind is not None else pool.kinds:
            _move_kind(sel, s, Const(pool.holds, s.span, one) if isinstance(one, int) else one)


def _move_kind(sel: Selector, s: core.MoveCount, kind: Expr) -> None:
    """Emit the move of counters of one kind. The amount is cut to what the source holds, and nothing happens at 0 or
    less.
    """
    source = cell(sel, s.source, (*s.source_indices, kind))
    target = cell(sel, s.target, (*s.target_indices, kind))
    unlimited = sel.program.pools[s.source].is_unlimited
    amount: ir.Value
    if isinstance(s.amount, Const):
        number = s.amount.value
        assert isinstance(number, int)
        if number <= 0:
            return
        amount = ir.Const(number)
        if unlimited:
            _moved(sel, s, kind, source, target, amount)
            return
        guard: ir.Value = source
        if number > 1:
            guard = amount = sel.new_temporary()
            sel.set(amount, source)
            most = ir.Const(number)
            sel.guard(ir.Binary(">", amount, most), ir.Set, amount, most)
    else:
        guard = amount = sel.new_temporary()
        sel.set(amount, source if s.amount is None else sel.value(s.amount))
        if s.amount is not None and not unlimited:
            sel.guard(ir.Binary(">", amount, source), ir.Set, amount, source)
    with sel.if_branch(ir.Binary(">", guard, ZERO)):
        _moved(sel, s, kind, source, target, amount)


def _moved(sel: Selector, s: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value) -> None:
    """Emit the checks, the change of both pools, and the event for a move of ``amount`` counters, which is at
    least 1.
    """
    held = sel.program.pools[s.target].kinds
    if isinstance(kind, Const):
        if kind.value not in held:
            sel.evaluate(ir.Primitive("cannot_hold", (ir.Const(s.target), ir.Const(kind.value))))
    elif set(sel.program.pools[s.source].kinds) - set(held):
        tested = sel.value(kind)
        test = ir.Binary("not in", tested, sel.constant(held))
        sel.guard(test, ir.Evaluate, ir.Primitive("cannot_hold", (ir.Const(s.target), sel.value(kind))))
    _counters_fit(sel, s, kind, source, target, amount)
    sel.set(source, amount, "-")
    sel.set(target, amount, "+")
    if sel.events:
        give, take = sel.program.pools[s.source], sel.program.pools[s.target]
        seen = seats_of(sel, give.moves, give.dims, s.source_indices)
        also = seats_of(sel, take.moves, take.dims, s.target_indices)
        moved = sel.value(kind)
        sel.log_event(
            CountersMoved,
            counter=moved,
            amount=amount,
            source=ir.Const(s.source),
            source_indices=indices_of(sel, s.source_indices),
            target=ir.Const(s.target),
            target_indices=indices_of(sel, s.target_indices),
            seats=ir.Primitive("seen_by_both", (seen, also)),
        )


def _counters_fit(
    sel: Selector, s: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value
) -> None:
    """Emit the checks that both pools stay within the range of Int. The amount is positive."""
    known = sel.lowerer.known
    given, taken = known.bound_place(s.source, (kind,)), known.bound_place(s.target, (kind,))
    most = clip_to_int(given)[1]
    unlimited = sel.program.pools[s.source].is_unlimited
    if s.amount is not None:
        asked = sel.bounds.bound_number(s.amount)[1]
        most = asked if unlimited else min(most, asked)
    least = max(given[0], clip_to_int(given)[0] - most) if unlimited else 0
    greatest = min(taken[1], clip_to_int(taken)[1] + most)
    for place, sign, number in ((source, "-", (least, 0)), (target, "+", (0, greatest))):
        below, above = outside(number)
        if below or above:
            sel.guard(beyond(ir.Binary(sign, place, amount), below, above), ir.Evaluate, ir.Primitive("too_great"))


# ---------------------------------------------------------------- components


def move_cards(sel: Selector, s: core.MoveCards) -> None:
    """Select a move of components to a zone."""
    target = core.ReadZone(s.cards.type, s.span, s.target, s.target_indices)
    with sel.reading(s.cards, target):
        _move_cards(sel, s, sel.can_fail(target))


def _move_cards(sel: Selector, s: core.MoveCards, anywhere: bool) -> None:
    """Emit a move of components to a zone.

    ``anywhere`` says that the components may be in any zone; otherwise a single component at the end of one is moved
    directly.
    """
    number = zone_number(sel, s.target, s.target_indices)
    cards = sel.value(s.cards)
    if not isinstance(s.cards.type, ListType):
        cards = ir.Primitive("one", (cards,)) if isinstance(s.cards.type, OptionalType) else ir.Record((cards,))
    is_sorted = sel.program.zones[s.target].is_sorted
    top = None if is_sorted else s.position == "top"
    if sel.events:
        sel.add(ir.MoveCards, cards, number, top, ir.EVENTS)
    read = None if anywhere or is_sorted else core.match_end_read(s.cards)
    if read is not None:
        source, end = read
        _move_end(sel, s, source, end == "top")
        return
    single = not isinstance(s.cards.type, ListType | OptionalType)
    if single and not sel.has_shared_lists and top is False:
        sel.add(ir.MoveCard, sel.value(s.cards), number)
    else:
        sel.add(ir.MoveCards, cards, number, top, ir.SILENT)


def _move_end(sel: Selector, s: core.MoveCards, source: core.ReadZone, first: bool) -> None:
    """Emit the move of the top or bottom component of a zone, which needs no search."""
    card = sel.new_temporary()
    number = zone_number(sel, s.target, s.target_indices)
    give, take = zone(sel, source.zone, source.indices), zone(sel, s.target, s.target_indices)
    if sel.has_shared_lists:
        sel.add(ir.CopyZone, give, ir.SILENT)
    sel.add(ir.TakeEnd, card, give, first)
    if sel.has_shared_lists:
        sel.add(ir.CopyZone, take, ir.SILENT)
    sel.add(ir.PutComponent, card, take, s.position == "top")
    sel.add(ir.Locate, card, number, ir.SILENT if sel.has_shared_lists else ir.LOCATED)


def shuffle(sel: Selector, s: core.Shuffle) -> None:
    """Select the shuffle of a zone."""
    where = zone(sel, s.zone, s.indices)
    if sel.has_shared_lists:
        sel.add(ir.CopyZone, where)
    sel.add(ir.Shuffle, ir.Stream(s.stream), where, sel.has_shared_lists)
    sel.log_event(ZoneShuffled, zone=ir.Const(s.zone), indices=indices_of(sel, s.indices))


ONE = ir.Const(1)


def standing(sel: Selector, values: tuple[Expr, ...]) -> None:
    """Select the body of ``standing``: it returns the heuristic value of each seat."""
    found = []
    for e in values:
        sel.span = e.span
        found.append(sel.value(named_once(e, sel.lowerer.fresh)))
    sel.add(ir.Return, (ir.Record(tuple(found)),))


def outcome(sel: Selector, game: LoweredGame) -> None:
    """Select the body of ``outcome``, which returns the result of a finished game.

    It returns the fields of :class:`lusory.state.decision.Outcome`, except for its chart. Equal values are computed
    once. A comparison of every two seats gives the places, and a lookup by the leading seats gives the winners.
    """
    seats = range(len(game.rank))
    sel.limit_scoring()
    known: dict[object, ir.Temporary] = {}

    def value(e: Expr) -> ir.Value:
        key = compute_structural_key(e)
        if key not in known:
            known[key] = ir.Temporary(f"v{len(known)}")
            sel.span = e.span
            sel.set(known[key], sel.value(named_once(e, sel.lowerer.fresh)))
        return known[key]

    columns = [[value(e) for e in column] for column in zip(*game.rank, strict=True)]
    ranks = [ir.Temporary(f"r{seat}") for seat in seats]
    for own, rank in zip(ranks, zip(*columns, strict=True), strict=False):
        sel.set(own, ir.Record(rank))
    first: ir.Value = ONE
    if game.selective:
        able = ir.AnyOf(tuple(ir.Entry(rank, ir.Const(0)) for rank in ranks))
        first = ir.Temporary("first")
        sel.set(first, ir.Choose(able, ONE, ir.Const(2)))
    places = [ir.Temporary(f"p{seat}") for seat in seats]
    for seat in seats:
        better = [ir.Flag(ir.Binary(">", ranks[other], ranks[seat])) for other in seats if other != seat]
        sel.set(places[seat], ir.Sum((first, *better)))
    all_places = ir.Record(tuple(places))
    winners: ir.Value = ir.Primitive("winners", (all_places,))
    if len(seats) <= MASK_LIMIT:
        leads = tuple(ir.Flag(ir.Binary("=", place, ONE)) for place in places)
        winners = by_conditions(sel, ConditionalList(tuple(seats), leads))
    payoffs: ir.Value = ir.Primitive("zero_sum_payoffs" if game.zero_sum else "shared_win_payoffs", (all_places,))
    if game.payoff is not None:
        payoffs = ir.Record(tuple([value(e) for e in game.payoff]))
    shown = [ir.Record((ir.Const(title), ir.Record(tuple([value(e) for e in row])))) for title, row in game.shown]
    found = winners, all_places, payoffs, ir.Record(tuple(shown)), ir.Const(None), ir.Const(())
    sel.add(ir.Return, (ir.Register("reason"), ir.Record(tuple(ranks)), *found))
