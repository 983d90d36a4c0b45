"""What a build leaves out: events in silence, notes of where components lie where nothing asks for them."""

from __future__ import annotations

from collections.abc import Callable

from .. import ir

WITH_BLOCKS = frozenset({ir.When, ir.Loop, ir.While})
Change = Callable[[ir.Ops], ir.Ops]


def for_build(ops: ir.Ops, *builds: str) -> ir.Ops:
    """The operations that a build has."""
    return tuple([inside(op, lambda inner: for_build(inner, *builds)) for op in ops if _has(op, builds)])


def _has(op: ir.Op, builds: tuple[str, ...]) -> bool:
    return op.only is None or op.only in builds


def inside(op: ir.Op, change: Change) -> ir.Op:
    """An operation with its blocks changed."""
    if type(op) not in WITH_BLOCKS:
        return op
    match op:
        case ir.When(place=place, branches=branches):
            return ir.When(place, tuple([ir.Branch(b.place, b.test, change(b.ops)) for b in branches]))
        case ir.Loop(place=place, target=target, source=source, ops=ops, exhausted=last):
            last = None if last is None else ir.Branch(last.place, last.test, change(last.ops))
            return ir.Loop(place, target, source, change(ops), last)
        case ir.While(place=place, test=test, ops=ops):
            return ir.While(place, test, change(ops))
    return op
