"""Chance: `roll` and `pick`."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import PLAYER
from ..text.source import Span
from .choices import choice_vars, demand_option
from .routine import Routine, Stmts


def random(r: Routine, node: nodes.Random) -> list[core.Stmt]:
    """A roll or a draw: of the stream for setup, dice or picks."""
    stream = "setup" if r.setup else node.stream
    if node.body is None:
        (var,) = choice_vars(r, (node.var,))
        demand_option(r, (var,))
        return [_made(r, node.span, var, stream, (), ())]
    with r.frame(), r.narrowing():
        (var,) = choice_vars(r, (node.var,))
        body = r.block(node.body)
    return [_made(r, node.span, var, stream, body, r.block(node.otherwise))]


def _made(r: Routine, span: Span, var: core.ChoiceVar, stream: str, body: Stmts, otherwise: Stmts) -> core.Random:
    me = r.locals.find("me") if var.secret else None
    actor = None if me is None else core.Local(PLAYER, span, me.slot, "me")
    made = core.Random(span, var.slot, var.name, var.domain, var.condition, stream, body, otherwise, var.secret, actor)
    r.notes.choices.append((r.known, made))
    return made
