"""Loops, and leaving them."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import BOOL, INT, PLAYER, ListType
from ..text import codes
from .at_once import at_once
from .lists import each_item, item_condition
from .routine import Routine, Stmts
from .values import expect, fit, list_value, written_condition


def for_each(r: Routine, node: nodes.ForEach) -> list[core.Stmt]:
    """A block for each item of a list."""
    with each_item(r, node) as (slot, source, condition):
        body = looped(r, node.body)
    return [core.ForEach(node.span, slot, node.name, source, condition, body)]


def each_player(r: Routine, node: nodes.EachPlayer) -> list[core.Stmt]:
    """A block for each player in order of seats, or in the order of a list."""
    players = ListType(PLAYER)
    source: core.Expr = core.Players(players, node.span)
    backwards = node.direction == "anticlockwise"
    if node.source is not None:
        source = _player_list(r, node.source)
    elif node.start is not None:
        start = expect(r, node.start, PLAYER, "after `from`")
        source = core.CallBuiltin(players, node.span, f"{node.direction or 'clockwise'}_from", (start,))
    elif backwards:
        source = core.CallBuiltin(players, node.span, "reverse", (source,))
    if node.at_once:
        return at_once(r, node, source)
    with r.frame(), r.narrowing():
        slot = r.bind_me(node.span)
        condition = item_condition(r, node.condition, slot, PLAYER)
        body = looped(r, node.body)
    return [core.ForEach(node.span, slot, "me", source, condition, body)]


def _player_list(r: Routine, node: nodes.Expr) -> core.Expr:
    source = list_value(r, node, ListType(PLAYER))
    return fit(r, source, ListType(PLAYER), "after `in`")


def repeat(r: Routine, node: nodes.Repeat) -> list[core.Stmt]:
    """A block so many times, or while a condition holds, within a bound."""
    times = None if node.times is None else expect(r, node.times, INT, "as a number of times")
    condition = None if node.condition is None else written_condition(r, node.condition)
    if condition is not None and node.until:
        condition = core.Unary(BOOL, condition.span, "not", condition)
    bound = None if node.bound is None else expect(r, node.bound, INT, "after `at most`")
    with r.narrowing():
        if condition is not None:
            r.assume(condition, True)
        body = looped(r, node.body)
    return [core.Repeat(node.span, times, condition, bound, body)]


def stop(r: Routine, node: nodes.Stop) -> list[core.Stmt]:
    """The innermost loop is left."""
    if not r.loops:
        hint = "`stop` leaves the innermost `for each`, `each player` or `repeat`; the game ends with `end game`"
        r.error(codes.STOP_OUTSIDE_LOOP, "there is no loop to stop here", node.span, hint)
    return [core.Stop(node.span)]


def looped(r: Routine, body: nodes.Block) -> Stmts:
    """The block of a loop, in which `stop` is good."""
    r.loops += 1
    found = r.block(body)
    r.loops -= 1
    return found
