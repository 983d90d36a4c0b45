"""Names for values: `let`, and `by`, which says who is `me`."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import PLAYER
from .routine import Routine
from .values import expect, expression


def let(r: Routine, node: nodes.Let) -> list[core.Stmt]:
    """A name for a value, known in the rest of the block."""
    value = expression(r, node.value)
    slot = r.bind(node.name, value.type, node.name_span)
    r.known.values[slot] = value
    return [core.Let(node.span, slot, node.name, value)]


def by(r: Routine, node: nodes.By) -> list[core.Stmt]:
    """A block in which a player is `me`."""
    player = expect(r, node.player, PLAYER, "after `by`")
    with r.frame(), r.narrowing():
        slot = r.bind_me(node.span)
        body = r.block(node.body)
    return [core.Let(node.span, slot, "me", player), *body]
