"""What is inside a core node, and where a local is read. Used by lowering and the emitters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt

LOOPS = core.Filter | core.MapList | core.Fold | core.Extreme | core.Distinct
"""What goes through the items of its ``source``, each in turn in its ``slot``."""


def children(node: object) -> list[Any]:
    """Expressions and statements directly inside a node, through tuples and alternatives."""
    found: list[Any] = []
    if isinstance(node, Const):
        return found
    for f in fields(node):  # type: ignore[arg-type]
        _collect(getattr(node, f.name), found)
    return found


def _collect(value: object, found: list[Any]) -> None:
    if isinstance(value, Expr | Stmt | core.Alternative | core.ChoiceVar):
        found.append(value)
    elif isinstance(value, tuple) and not (value and isinstance(value[0], int)):  # numbers are values, no nodes
        for item in value:
            _collect(item, found)


def everything_in(node: object) -> Iterator[Any]:
    """A node, and all expressions and statements inside it."""
    yield node
    for c in children(node):
        yield from everything_in(c)


def count_uses(node: object, slot: int) -> int:
    """How often a local is read inside a node."""
    if isinstance(node, Local):
        return int(node.slot == slot)
    return sum(count_uses(c, slot) for c in children(node))


def locals_in(node: object) -> set[int]:
    """The slots read inside a node."""
    if isinstance(node, Local):
        return {node.slot}
    found: set[int] = set()
    for c in children(node):
        found |= locals_in(c)
    return found


def under_loop(node: Expr, slot: int) -> bool:
    loops = isinstance(node, LOOPS)
    for c in children(node):
        if loops and c is not node.source and count_uses(c, slot):  # type: ignore[attr-defined]
            return True
        if under_loop(c, slot):
            return True
    return False


def binds_first(e: Expr, slot: int) -> bool:
    """Whether the first read of a local, in the order of evaluation, happens whenever any other one does: then the
    value can be named where it is first read."""
    if isinstance(e, Local):
        return True
    inside = [c for c in operands(e) if count_uses(c, slot)]
    if isinstance(e, LOOPS) and inside != [e.source]:
        return False
    if isinstance(e, IfExpr) and inside == [e.then, e.otherwise]:
        return False  # either, never both
    if not inside or not binds_first(inside[0], slot):
        return False
    if len(inside) == 1:
        return True
    reached_when = {"and": True, "or": False}.get(e.op) if isinstance(e, Binary) else None
    return _reads(inside[0], slot, reached_when)


def _reads(e: Expr, slot: int, outcome: bool | None) -> bool:
    """Whether an expression has certainly read a local once it has come out as ``outcome`` (None: as anything)."""
    if isinstance(e, Local):
        return e.slot == slot
    if isinstance(e, core.Unary) and e.op == "not":
        return _reads(e.operand, slot, None if outcome is None else not outcome)
    if isinstance(e, Binary) and e.op in ("and", "or"):
        through = outcome is (e.op == "and")
        return (
            (_reads(e.left, slot, outcome) or _reads(e.right, slot, outcome)) if through else _reads(e.left, slot, None)
        )
    if isinstance(e, IfExpr):
        return _reads(e.condition, slot, None)
    if isinstance(e, LOOPS):
        return _reads(e.source, slot, None)
    return any(_reads(c, slot, None) for c in operands(e))


def operands(e: Expr) -> list[Expr]:
    """The expressions directly inside one, in the order in which they are evaluated."""
    return [c for c in children(e) if isinstance(c, Expr)]


def all_of(condition: Expr) -> list[Expr]:
    """What must hold for a condition to hold, in the order in which it is asked."""
    if isinstance(condition, Binary) and condition.op == "and":
        return [*all_of(condition.left), *all_of(condition.right)]
    return [condition]
