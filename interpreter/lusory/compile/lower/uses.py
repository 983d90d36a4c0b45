"""Where a local is read in a lowered expression. Used by lowering and selection."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, Expr, IfExpr, Local, children


def count_uses(node: object, slot: int) -> int:
    """How often a local is read inside a node."""
    if isinstance(node, Local):
        return int(node.slot == slot)
    return sum(count_uses(c, slot) for c in children(node))


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
    inside = [c for c in children(e) if count_uses(c, slot)]
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
    return any(_reads(c, slot, None) for c in children(e))
