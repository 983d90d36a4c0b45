"""Names for values: `let`, and `by`, which says who is `me`."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import PLAYER, Type
from .growing import is_written, written_let
from .routine import Routine, faulty, is_faulty
from .values import expect, expression


def let(r: Routine, node: nodes.Let) -> list[core.Stmt]:
    """A name for a value, known in the rest of the block."""
    if is_written(r, node):
        return written_let(r, node)
    value = expression(r, node.value)
    slot = r.bind(node.name, value.type, node.name_span)
    r.known.values[slot] = value
    return [core.Let(node.span, slot, node.name, value)]


def let_expr(r: Routine, node: nodes.LetExpr, expected: Type | None) -> core.Expr:
    """A name for a part of an expression, known behind the semicolon."""
    value = expression(r, node.value)
    with r.frame():
        slot = r.bind(node.name, value.type, node.name_span)
        r.known.values[slot] = value
        body = expression(r, node.body, expected)
    return (
        faulty(node.span)
        if is_faulty(value) or is_faulty(body)
        else core.Named(body.type, node.span, slot, node.name, value, body)
    )


def by(r: Routine, node: nodes.By) -> list[core.Stmt]:
    """A block in which a player is `me`."""
    player = expect(r, node.player, PLAYER, "after `by`")
    with r.frame(), r.narrowing():
        slot = r.bind_me(node.span)
        body = r.block(node.body)
    return [core.Let(node.span, slot, "me", player), *body]
