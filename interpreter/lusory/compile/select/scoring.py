"""Who won, as a function of the module for stepwise play."""

from __future__ import annotations

from lusory_dsl.core import Expr

from .. import ir
from ..lower.lowered import LoweredGame
from ..lower.shapes import named_once, shape
from .lists import MASK_LIMIT, ConditionalList, by_conditions
from .selector import Selector

ONE = ir.Const(1)


def standing(sel: Selector, values: tuple[Expr, ...]) -> None:
    """The body of ``standing``, which gives how well each seat stands, as the ruleset says to those who search it."""
    found = []
    for e in values:
        sel.span = e.span
        found.append(sel.value(named_once(e, sel.lowerer.fresh)))
    sel.add(ir.Return, (ir.Record(tuple(found)),))


def outcome(sel: Selector, game: LoweredGame) -> None:
    """The body of ``outcome``, which gives the fields of an :class:`lusory.table.outcome.Outcome`; a chart is left to
    the game. Every value is found once; places come from comparing every two seats, winners from a table."""
    seats = range(len(game.rank))
    sel.limit_scoring()
    known: dict[object, ir.Own] = {}

    def value(e: Expr) -> ir.Value:
        key = shape(e)
        if key not in known:
            known[key] = ir.Own(f"v{len(known)}")
            sel.span = e.span
            sel.set(known[key], sel.value(named_once(e, sel.lowerer.fresh)))
        return known[key]

    columns = [[value(e) for e in column] for column in zip(*game.rank, strict=True)]
    ranks = [ir.Own(f"r{seat}") for seat in seats]
    for own, rank in zip(ranks, zip(*columns, strict=True), strict=False):
        sel.set(own, ir.Record(rank))
    first: ir.Value = ONE
    if game.selective:
        able = ir.Some(tuple(ir.Entry(rank, ir.Const(0)) for rank in ranks))
        first = ir.Own("first")
        sel.set(first, ir.Choose(able, ONE, ir.Const(2)))
    places = [ir.Own(f"p{seat}") for seat in seats]
    for seat in seats:
        better = [ir.Flag(ir.Binary(">", ranks[other], ranks[seat])) for other in seats if other != seat]
        sel.set(places[seat], ir.Sum((first, *better)))
    all_places = ir.Record(tuple(places))
    winners: ir.Value = ir.Prim("winners", (all_places,))
    if len(seats) <= MASK_LIMIT:
        leads = tuple(ir.Flag(ir.Binary("=", place, ONE)) for place in places)
        winners = by_conditions(sel, ConditionalList(tuple(seats), leads))
    payoffs: ir.Value = ir.Prim("stakes" if game.zero_sum else "shares", (all_places,))
    if game.payoff is not None:
        payoffs = ir.Record(tuple([value(e) for e in game.payoff]))
    shown = [ir.Record((ir.Const(title), ir.Record(tuple([value(e) for e in row])))) for title, row in game.shown]
    found = winners, all_places, payoffs, ir.Record(tuple(shown)), ir.Const(None), ir.Const(())
    sel.add(ir.Return, (ir.Register("reason"), ir.Record(tuple(ranks)), *found))
