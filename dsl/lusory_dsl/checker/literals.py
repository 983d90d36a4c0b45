"""Literals: numbers, truth, nothing, lists."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import BOOL, INT, NONE, ListType, Type
from .routine import Routine, faulty, is_faulty
from .unify import joined, together


def number(r: Routine, node: nodes.IntLit, expected: Type | None) -> core.Expr:
    """A whole number."""
    return core.Const(INT, node.span, node.value)


def truth(r: Routine, node: nodes.BoolLit, expected: Type | None) -> core.Expr:
    """`true` or `false`."""
    return core.Const(BOOL, node.span, node.value)


def nothing(r: Routine, node: nodes.NoneLit, expected: Type | None) -> core.Expr:
    """`none`."""
    return core.Const(NONE, node.span, None)


def list_literal(r: Routine, node: nodes.ListLit, expected: Type | None) -> core.Expr:
    """A list of written items, which share a type."""
    wanted = expected.item if isinstance(expected, ListType) else None
    items = together(r, node.items, wanted)
    type = joined(r, items, "stand in one list")
    if type is None or any(map(is_faulty, items)):
        return faulty(node.span)
    return core.ListLit(ListType(type), node.span, tuple(items))
