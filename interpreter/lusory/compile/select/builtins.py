"""Functions of the language, where there is something better than to call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import CallBuiltin, Const, Expr, Local
from lusory_dsl.language.builtins import RUNTIME
from lusory_dsl.language.types import IntType

from ...table.functions import FUNCTIONS
from .. import ir
from . import masks
from .folds import count
from .lists import as_it_lies
from .places import operand, whole
from .selector import Selector


def call(sel: Selector, e: CallBuiltin) -> ir.Value:
    special = SPECIAL.get(e.name)
    found = None if special is None else special(sel, e)
    return ir.Prim(f"fn_{e.name}", _arguments(sel, e)) if found is None else found


def _arguments(sel: Selector, e: CallBuiltin) -> tuple[ir.Value, ...]:
    return tuple([sel.value(a) for a in e.args])


def per_seat(sel: Selector, e: CallBuiltin, backwards: bool = False) -> ir.Value:
    """What a function of one player comes to for each of them, in a table. ``backwards``: of a list."""
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
    if isinstance(inner, CallBuiltin) and RUNTIME[inner.name].gives_seats:
        return per_seat(sel, inner, backwards=True)
    return ir.Prim("reversed", (sel.value(inner),))


def _of_list(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: ir.Prim(name, (as_it_lies(sel, e.args[0]),))


def _first(sel: Selector, e: CallBuiltin) -> ir.Value:
    return masks.first(sel, e.args[0]) or ir.Prim("front", (as_it_lies(sel, e.args[0]),))


def _plain(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: ir.Prim(name, _arguments(sel, e))


def _added_up(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, e: whole(sel, e, ir.Prim(name, (sel.value(e.args[0]),)))


def _step(sel: Selector, e: CallBuiltin) -> ir.Value | None:
    """``xs[(position of the item + n) mod length]`` through tables, where the lists are constants."""
    rows = _constant_rows(sel, e.args[0])
    if rows is None or isinstance(e.args[1].type, IntType):  # a number below 0 would be an index from the end
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
    """A number and a sum, added up from the left."""
    if isinstance(right, ir.Binary) and right.op in ("+", "-"):
        return ir.Binary(right.op, _plus(left, right.left), right.right)
    return ir.Binary("+", left, right)


def _constant_rows(sel: Selector, e: Expr) -> tuple[list[tuple[Any, ...]], ir.Value | None] | None:
    """The lists that an expression can be, and the number that picks one."""
    if isinstance(e, Const) and isinstance(e.value, tuple):
        return [e.value], None
    if isinstance(e, core.TableRead) and len(e.indices) == 1 and isinstance(e.indices[0], Local):
        table = sel.program.table(e.table)
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
"""By the name of the function; None: it is called after all."""
