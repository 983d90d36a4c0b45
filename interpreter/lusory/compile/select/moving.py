"""Counters and components that are moved."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.language.intervals import within
from lusory_dsl.language.types import INT, ListType, OptionalType, optional

from ...table.events import CountersMoved, ZoneShuffled
from .. import ir
from .places import beyond, cell, outside, zone, zone_number
from .selector import Selector, place_at
from .statements import indices_of, seats_of

ZERO = ir.Const(0)


def move_count(sel: Selector, s: core.MoveCount) -> None:
    pool = sel.program.pools[s.source]
    kind = s.kind if s.kind is not None else Const(pool.holds, s.span, pool.kinds[0])
    source = place_at(s, optional(INT), s.source, (*s.source_indices, kind))
    target = place_at(s, optional(INT), s.target, (*s.target_indices, kind))
    with sel.reading(s.kind, s.amount, *s.source_indices, *s.target_indices, source, target):
        if sel.can_fail(source) or sel.can_fail(target):
            both = cell(sel, s.source, source.indices), cell(sel, s.target, target.indices)
            sel.do(ir.Prim("both", both))
        for one in (s.kind,) if s.kind is not None else pool.kinds:
            _move_kind(sel, s, Const(pool.holds, s.span, one) if isinstance(one, int) else one)


def _move_kind(sel: Selector, s: core.MoveCount, kind: Expr) -> None:
    source = cell(sel, s.source, (*s.source_indices, kind))
    target = cell(sel, s.target, (*s.target_indices, kind))
    unlimited = sel.program.pools[s.source].unlimited
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
            guard = amount = sel.temporary()
            sel.set(amount, source)
            most = ir.Const(number)
            sel.guard(ir.Binary(">", amount, most), ir.Set, amount, most)
    else:
        guard = amount = sel.temporary()
        sel.set(amount, source if s.amount is None else sel.value(s.amount))
        if s.amount is not None and not unlimited:
            sel.guard(ir.Binary(">", amount, source), ir.Set, amount, source)
    with sel.when(ir.Binary(">", guard, ZERO)):
        _moved(sel, s, kind, source, target, amount)


def _moved(sel: Selector, s: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value) -> None:
    held = sel.program.pools[s.target].kinds
    if isinstance(kind, Const):
        if kind.value not in held:
            sel.do(ir.Prim("cannot_hold", (ir.Const(s.target), ir.Const(kind.value))))
    elif set(sel.program.pools[s.source].kinds) - set(held):
        tested = sel.value(kind)
        test = ir.Binary("not in", tested, sel.constant(held))
        sel.guard(test, ir.Do, ir.Prim("cannot_hold", (ir.Const(s.target), sel.value(kind))))
    _counters_fit(sel, s, kind, source, target, amount)
    sel.set(source, amount, "-")
    sel.set(target, amount, "+")
    if sel.events:
        give, take = sel.program.pools[s.source], sel.program.pools[s.target]
        seen = seats_of(sel, give.moves, give.dims, s.source_indices)
        also = seats_of(sel, take.moves, take.dims, s.target_indices)
        moved = sel.value(kind)
        sel.tell(
            CountersMoved,
            counter=moved,
            amount=amount,
            source=ir.Const(s.source),
            source_indices=indices_of(sel, s.source_indices),
            target=ir.Const(s.target),
            target_indices=indices_of(sel, s.target_indices),
            seats=ir.Prim("seen_by_both", (seen, also)),
        )


def _counters_fit(
    sel: Selector, s: core.MoveCount, kind: Expr, source: ir.Cell, target: ir.Cell, amount: ir.Value
) -> None:
    """Test that both pools can count what is moved, which is more than nothing."""
    known = sel.lowerer.known
    given, taken = known.held(s.source, (kind,)), known.held(s.target, (kind,))
    most = within(given)[1]
    unlimited = sel.program.pools[s.source].unlimited
    if s.amount is not None:
        asked = sel.bounds.interval(s.amount)[1]
        most = asked if unlimited else min(most, asked)
    least = max(given[0], within(given)[0] - most) if unlimited else 0
    greatest = min(taken[1], within(taken)[1] + most)
    for place, sign, number in ((source, "-", (least, 0)), (target, "+", (0, greatest))):
        below, above = outside(number)
        if below or above:
            sel.guard(beyond(ir.Binary(sign, place, amount), below, above), ir.Do, ir.Prim("too_great"))


# ---------------------------------------------------------------- components


def move_cards(sel: Selector, s: core.MoveCards) -> None:
    target = core.ReadZone(s.cards.type, s.span, s.target, s.target_indices)
    with sel.reading(s.cards, target):
        _move_cards(sel, s, sel.can_fail(target))


def _move_cards(sel: Selector, s: core.MoveCards, anywhere: bool) -> None:
    number = zone_number(sel, s.target, s.target_indices)
    cards = sel.value(s.cards)
    if not isinstance(s.cards.type, ListType):
        cards = ir.Prim("one", (cards,)) if isinstance(s.cards.type, OptionalType) else ir.Record((cards,))
    is_sorted = sel.program.zones[s.target].is_sorted
    top = None if is_sorted else s.position == "top"
    if sel.events:
        sel.add(ir.MoveCards, cards, number, top, ir.EVENTS)
    read = None if anywhere or is_sorted else core.end_read(s.cards)
    if read is not None:
        source, end = read
        _move_end(sel, s, source, end == "top")
        return
    single = not isinstance(s.cards.type, ListType | OptionalType)
    if single and not sel.shares and top is False:
        sel.add(ir.MoveCard, sel.value(s.cards), number)
    else:
        sel.add(ir.MoveCards, cards, number, top, ir.SILENT)


def _move_end(sel: Selector, s: core.MoveCards, source: core.ReadZone, first: bool) -> None:
    """The top or bottom component of a zone: no need to look for it."""
    card = sel.temporary()
    number = zone_number(sel, s.target, s.target_indices)
    give, take = zone(sel, source.zone, source.indices), zone(sel, s.target, s.target_indices)
    if sel.shares:
        sel.add(ir.OwnList, give, ir.SILENT)
    sel.add(ir.TakeEnd, card, give, first)
    if sel.shares:
        sel.add(ir.OwnList, take, ir.SILENT)
    sel.add(ir.Put, card, take, s.position == "top")
    sel.add(ir.Locate, card, number, ir.SILENT if sel.shares else ir.LOCATED)


def shuffle(sel: Selector, s: core.Shuffle) -> None:
    where = zone(sel, s.zone, s.indices)
    if sel.shares:
        sel.add(ir.OwnList, where)
    sel.add(ir.Shuffle, ir.Stream(s.stream), where, sel.shares)
    sel.tell(ZoneShuffled, zone=ir.Const(s.zone), indices=indices_of(sel, s.indices))
