"""Select operators, calls of functions, and local bindings.

Equality, membership and emptiness tests become masks or unrolled conditions when the lists are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import LIST_LOOPS, Binary, CallBuiltin, Const, Expr, IfExpr, Local, get_children
from lusory_dsl.types.builtins import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import BOOL, BoolType, ComponentType, IntType

from ...state.setting import FUNCTIONS
from .. import ir
from ..lower.lowered_nodes import LetIn, QueryRoutine, binds_first, count_uses
from . import bitboards
from .lists import MASK_LIMIT, as_it_lies, by_conditions, conditional, count, joined
from .selector import PendingBinding, Selector
from .state_reads import listed, operand, whole, zone_number


def call(sel: Selector, e: CallBuiltin) -> ir.Value:
    """Select a call of a built-in function, by a special form where there is one."""
    special = SPECIAL.get(e.name)
    found = None if special is None else special(sel, e)
    return ir.Primitive(f"fn_{e.name}", _arguments(sel, e)) if found is None else found


def _arguments(sel: Selector, e: CallBuiltin) -> tuple[ir.Value, ...]:
    return tuple([sel.value(a) for a in e.args])


def per_seat(sel: Selector, e: CallBuiltin, backwards: bool = False) -> ir.Value:
    """Return the value of a function of one seat as a lookup in a table by seat.

    With ``backwards``, the lists are reversed.
    """
    values = (FUNCTIONS[e.name](sel.players, seat) for seat in range(sel.players))
    rows = tuple(value[::-1] if backwards else value for value in values)
    return ir.Entry(sel.tables.constant(rows), operand(sel, e.args[0]))


def _seat(sel: Selector, e: CallBuiltin) -> ir.Value:
    return ir.Binary("+", sel.value(e.args[0]), ir.Const(1))


def _distance(sel: Selector, e: CallBuiltin) -> ir.Value:
    to = sel.value(e.args[1])
    return ir.Binary("mod", ir.Binary("-", to, sel.value(e.args[0])), ir.Const(sel.players))


def _reverse(sel: Selector, e: CallBuiltin) -> ir.Value:
    inner = e.args[0]
    if isinstance(inner, CallBuiltin) and RUNTIME_FUNCTIONS[inner.name].returns_all_players:
        return per_seat(sel, inner, backwards=True)
    return ir.Primitive("reversed", (sel.value(inner),))


def _of_list(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: ir.Primitive(name, (as_it_lies(sel, e.args[0]),))


def _first(sel: Selector, e: CallBuiltin) -> ir.Value:
    return bitboards.first(sel, e.args[0]) or ir.Primitive("front", (as_it_lies(sel, e.args[0]),))


def _plain(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: ir.Primitive(name, _arguments(sel, e))


def _added_up(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: whole(sel, e, ir.Primitive(name, (sel.value(e.args[0]),)))


def _step(sel: Selector, e: CallBuiltin) -> ir.Value | None:
    """Select ``step``, which goes ``n`` items on in a cyclic list, as two lookups in tables.

    Returns None unless the list is one of a few constant lists.
    """
    rows = _constant_rows(sel, e.args[0])
    # A negative number would index from the end.
    if rows is None or isinstance(e.args[1].type, IntType):
        return None
    lists, picker = rows
    lengths = {len(row) for row in lists}
    if len(lengths) != 1 or any(len(set(row)) != len(row) or not row for row in lists):
        return None
    if not all(isinstance(x, int) and not isinstance(x, bool) and x >= 0 for row in lists for x in row):
        return None
    size = lengths.pop()
    top = max(x for row in lists for x in row) + 1
    places = tuple(tuple(row.index(x) if x in row else None for x in range(top)) for row in lists)
    item, steps = operand(sel, e.args[1]), operand(sel, e.args[2])
    minus, sign = e.args[2], "+"
    if isinstance(minus, core.Unary) and minus.op == "-":
        sign, steps = "-", operand(sel, minus.operand)
    if picker is None:
        where: ir.Value = sel.tables.constant(places[0])
        row = sel.constant(lists[0])
    else:
        where = ir.Entry(sel.tables.constant(places), picker)
        row = ir.Entry(sel.constant(tuple(lists)), picker)
    at = ir.Entry(where, item)
    further = ir.Binary("-", at, steps) if sign == "-" else _plus(at, steps)
    return ir.Entry(row, ir.Binary("mod", further, ir.Const(size)))


def _plus(left: ir.Value, right: ir.Value) -> ir.Value:
    """Return the sum of a number and another sum, added up from the left."""
    if isinstance(right, ir.Binary) and right.op in ("+", "-"):
        return ir.Binary(right.op, _plus(left, right.left), right.right)
    return ir.Binary("+", left, right)


def _constant_rows(sel: Selector, e: Expr) -> tuple[list[tuple[Any, ...]], ir.Value | None] | None:
    """Return the constant lists that ``e`` may be, and the index that picks one of them, or None for a single list.

    Returns None if ``e`` is not one of finitely many constant lists.
    """
    if isinstance(e, Const) and isinstance(e.value, tuple):
        return [e.value], None
    if isinstance(e, core.TableRead) and len(e.indices) == 1 and isinstance(e.indices[0], Local):
        table = sel.program.get_table(e.table)
        dim = table.dims[0]
        if dim.low == 0 and not isinstance(dim.type, IntType):
            return list(table.values), sel.value(e.indices[0])  # type: ignore[call-overload]
    return None


SPECIAL: dict[str, Callable[[Selector, CallBuiltin], ir.Value | None]] = {
    "abs": _added_up("absolute"),
    "anticlockwise_from": per_seat,
    "bottom": _of_list("back"),
    "clockwise_from": per_seat,
    "count": count,
    "distance": _distance,
    "first": _first,
    "larger": _plain("larger_of"),
    "last": _of_list("back"),
    "max": _plain("greatest"),
    "min": _plain("least"),
    "next": per_seat,
    "previous": per_seat,
    "reverse": _reverse,
    "seat": _seat,
    "smaller": _plain("smaller_of"),
    "step": _step,
    "sum": _added_up("added_up"),
    "top": _of_list("front"),
}
"""Name of a function -> its selection, which returns None to fall back to an ordinary call."""


OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
# In component kinds up to this size, a membership test searches the zone. In larger kinds it reads the location.
SEARCH_LIMIT = 32


def unary(sel: Selector, e: core.Unary) -> ir.Value:
    if e.op == "-":
        return whole(sel, e, ir.Unary("-", sel.value(e.operand)))
    return negation(sel, e.operand)


def negation(sel: Selector, e: Expr) -> ir.Value:
    """Return the negation of an expression, by an opposite comparison where possible."""
    if isinstance(e, Binary) and e.op in OPPOSITE:
        return sel.replacement(Binary(e.type, e.span, OPPOSITE[e.op], e.left, e.right))
    if isinstance(e, core.Unary) and e.op == "not":
        return sel.replacement(e.operand)
    return ir.Unary("not", sel.value(e))


def binary(sel: Selector, e: Binary) -> ir.Value:
    """Select an operator, and add checks where the result may be out of range."""
    op = e.op
    if op in ("and", "or"):
        left = sel.value(e.left)
        before = dict(sel.bounds.of)
        if op == "and":
            sel.bounds.learn(e.left)
        right = sel.value(e.right)
        sel.bounds.of = before
        return ir.Binary(op, left, right)
    if op in ("=", "!="):
        return _equality(sel, e)
    if op in ("<", "<=", ">", ">="):
        return ir.Binary(op, operand(sel, e.left), operand(sel, e.right))
    if op in ("+", "-", "*", "div", "mod"):
        return whole(sel, e, ir.Binary(op, operand(sel, e.left), operand(sel, e.right)))
    if op == "in":
        return _membership(sel, e)
    if op == "join":
        return joined(sel, e)
    known = conditional(sel, e)
    if known is not None and len(known.items) <= MASK_LIMIT:
        return by_conditions(sel, known)
    return listed(sel, e, ir.Primitive(f"set_{op}", (sel.value(e.left), sel.value(e.right))))


def _equality(sel: Selector, e: Binary) -> ir.Value:
    """Select ``=`` or ``!=``. Comparisons with none, a truth value, 0 or the empty list have shorter forms.

    Example: ``count(hand) = 0`` becomes ``not hand``.
    """
    same = e.op == "="
    at_space = bitboards.beside(sel, e) if sel.masked_places else None
    if at_space is not None:
        return at_space
    for side, other in ((e.right, e.left), (e.left, e.right)):
        if isinstance(side, Const):
            if side.value == 0 and isinstance(other, CallBuiltin) and other.name == "count":
                return _emptiness(sel, other.args[0], same)
            value = sel.value(other)
            if side.value is None:
                return ir.Binary("is" if same else "is not", value, ir.Const(None))
            if side.value is True or side.value is False:
                if side.value is not same:
                    return ir.Unary("not", sel.value(other))
                if isinstance(other.type, BoolType):
                    return sel.replacement(other)
                return ir.Binary("=", value, ir.Const(True))
            if side.value == ():
                return _emptiness(sel, other, same)
    return ir.Binary(e.op, sel.value(e.left), sel.value(e.right))


def _emptiness(sel: Selector, e: Expr, empty: bool) -> ir.Value:
    """Return a test whether a list is empty, or with ``empty`` False, whether it isn't. It avoids building the list.

    Example: ``(those of the conditional items a, b) = []`` becomes ``not (condition_a or condition_b)``.
    """
    match e:
        case LetIn(
            slot=slot, value=core.Leading() as row, body=IfExpr(then=Local(slot=kept), otherwise=Const(value=()))
        ) if kept == slot and not sel.can_fail(e) and (first := bitboards.first_in(sel, row)) is not None:
            asked = sel.replacement(replace(e, type=BOOL, body=e.body.condition))  # type: ignore[attr-defined]
            both = ir.Binary("and", first, asked)
            return ir.Unary("not", both) if empty else both
    found = bitboards.mask(sel, e)
    if found is not None and not isinstance(e, Const):
        return ir.Binary("=" if empty else "!=", found, bitboards.ZERO)
    known = conditional(sel, e)
    if known is not None:
        if not known.items or len(known.open) < len(known.items):
            return ir.Const(bool(known.items) is not empty)
        some = ir.AnyOf(known.open)
        return ir.Unary("not", some) if empty else some
    value = as_it_lies(sel, e)
    return ir.Unary("not", value) if empty else ir.Unary("not", ir.Unary("not", value))


def _membership(sel: Selector, e: Binary) -> ir.Value:
    """Select ``in``. A test in a zone of many components compares the component's location instead of searching the
    list.

    Example: ``x in (source where test)`` becomes ``x in source and test`` if the test can't fail.
    """
    if isinstance(e.right, core.ReadZone):
        number = zone_number(sel, e.right.zone, e.right.indices)
        kind = e.left.type
        if isinstance(kind, ComponentType) and sel.program.component_kinds[kind.name][1] > SEARCH_LIMIT:
            return ir.Binary("=", ir.Location(sel.value(e.left)), number)
        return ir.Binary("in", sel.value(e.left), ir.Zone(number))
    known = conditional(sel, e.right)
    if known is not None and not known.certain and isinstance(e.left, Const):
        hits = [c for i, c in zip(known.items, known.conditions, strict=True) if i == e.left.value]
        if not hits:
            return ir.Const(False)
        return ir.AnyOf((hits[0],)) if hits[0] is not None else ir.Const(True)
    right = e.right
    if isinstance(right, core.Filter) and not sel.can_fail(right.condition) and isinstance(e.left, Const | Local):
        # ``x in (source where condition)`` is the same as ``x in source and condition`` with ``x`` as the item.
        inside = sel.lowerer.expr(right.condition, {right.slot: e.left})
        source = Binary(e.type, e.span, "in", e.left, right.source)
        return sel.replacement(Binary(e.type, e.span, "and", source, inside))
    return ir.Binary("in", sel.value(e.left), sel.value(right))


def either(sel: Selector, e: IfExpr) -> ir.Value:
    """Select a conditional expression."""
    # The condition comes first, as it does at run time.
    condition = sel.value(e.condition)
    then = sel.value(e.then)
    return ir.Choose(condition, then, sel.value(e.otherwise))


# ---------------------------------------------------------------- local bindings


def let_in(sel: Selector, e: LetIn) -> ir.Value:
    """Select a local binding.

    The value is bound at its first read if that keeps the order of faults, and otherwise before the body. A shared
    value that can have a fault is repeated at each read instead.
    """
    waiting = dict(sel.pending_bindings)
    value = sel.value(e.value)
    # Names bound in this value move with it, so no other expression may read them.
    alone = all(count_uses(e.value, s) == n.reads for s, n in waiting.items() if s not in sel.pending_bindings)
    sel.bounds.let(e.slot, e.value)
    # While a name is pending, the part that binds it must stay. So the body is not simplified.
    body = e.body if sel.pending_bindings else sel.bounds.settled(e.body)
    fails = sel.lowerer.can_fail(e.value)
    early = alone and (e.shared or not fails or sel.lowerer.reads_first(body, e.slot))
    target = ir.BoundLocal(e.slot)
    with sel.binding(e.slot):
        if early and not sel.is_in_source and binds_first(body, e.slot) and not _in_source(body, e.slot):
            sel.pending_bindings[e.slot] = PendingBinding(value, count_uses(body, e.slot))
            found = sel.replacement(body)
            # Otherwise the selected value left out the first read, so that the name is still unbound.
            if _names(found, e.slot):
                return found
            sel.pending_bindings.pop(e.slot, None)
        # A shared value that can have a fault must not be computed before it is read, so the lowered form repeats it.
        if e.shared and fails:
            return sel.replacement(sel.lowerer.expr(e.body, {e.slot: e.value}))
        return ir.Let(target, value, sel.value(body), sel.is_in_source)


def _names(found: ir.Value, slot: int) -> bool:
    """Return whether a value binds the local inside it."""
    return any(
        isinstance(node, ir.Bind | ir.Let) and isinstance(node.target, ir.BoundLocal) and node.target.slot == slot
        for node in ir.walk(found)
    )


def _in_source(e: Expr, slot: int) -> bool:
    """Return whether the first read of a local is in the list that a comprehension iterates over."""
    inside = [c for c in get_children(e) if count_uses(c, slot)]
    if not inside:
        return False
    over = isinstance(e, LIST_LOOPS) and inside[0] is e.source
    return over or _in_source(inside[0], slot)


def query(sel: Selector, e: QueryRoutine) -> ir.Value:
    return ir.CallQuery(e.routine.number, tuple([sel.value(a) for a in e.args]))
