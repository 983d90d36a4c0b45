"""Constants of the lowered language: what an expression comes to where all its operands are known. Used by lowering."""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr

from .uses import operands


def fold(e: Expr, program: core.Program, players: int) -> Expr:
    """A constant where all operands are constants and nothing can go wrong; else ``e``."""
    parts = operands(e)
    values = [p.value for p in parts if isinstance(p, Const)]
    if len(values) < len(parts):
        return e
    try:
        value = _constant(e, values, program, players)
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return e  # goes wrong at run time, with its place
    return e if value is NotImplemented else Const(e.type, e.span, value)


def _constant(e: Expr, values: list[Any], program: core.Program, players: int) -> Any:
    if isinstance(e, Binary):
        return BINARY[e.op](values[0], values[1]) if e.op in BINARY else NotImplemented
    if isinstance(e, core.Unary):
        return (not values[0]) if e.op == "not" else -values[0]
    if isinstance(e, core.ListLit):
        return tuple(values)
    if isinstance(e, core.Range):
        return tuple(range(values[0], values[1] + 1)) if values[1] - values[0] < 64 else NotImplemented
    if isinstance(e, core.TableRead):
        table = program.tables[e.table]
        entry: Any = table.values
        for dim, value in zip(table.dims, values, strict=True):
            if value - dim.low < 0:
                raise IndexError
            entry = entry[value - dim.low]
        return entry
    if isinstance(e, core.Field):
        return program.entities[values[0]].fields[e.field]
    if isinstance(e, CallBuiltin):
        return _constant_call(e.name, values, players)
    return NotImplemented


BINARY: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "union": lambda a, b: a + tuple(x for x in b if x not in a),
    "except": lambda a, b: tuple(x for x in a if x not in b),
    "intersect": lambda a, b: tuple(x for x in a if x in b),
    "join": lambda a, b: a + b,
}


def _constant_call(name: str, values: list[Any], players: int) -> Any:
    """The value of a builtin function that needs no state, or NotImplemented."""
    if name == "clockwise_from":
        return tuple((values[0] + i) % players for i in range(players))
    if name == "anticlockwise_from":
        return tuple((values[0] - i) % players for i in range(players))
    if name == "next":
        return (values[0] + 1) % players
    if name == "previous":
        return (values[0] - 1) % players
    if name == "seat":
        return values[0] + 1
    if name == "count":
        return len(values[0])
    if name == "reverse":
        return tuple(reversed(values[0]))
    if name == "abs":
        return abs(values[0])
    if name == "smaller":
        return min(values)
    if name == "larger":
        return max(values)
    if name in ("first", "last"):
        return values[0][0 if name == "first" else -1]
    return NotImplemented
