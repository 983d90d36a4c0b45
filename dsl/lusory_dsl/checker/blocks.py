"""Branches, and blocks that only some see."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from .routine import Routine, Stmts
from .values import written_condition

MOST_BEFORE = 20
"""So many conditions before one are looked at to find out whether they cover it."""


def branch(r: Routine, node: nodes.If) -> list[core.Stmt]:
    """Branches, each checked with what follows from its condition and from the failing of those before."""
    branches: list[tuple[core.Expr, Stmts]] = []
    with r.narrowing():
        for written, body in node.branches:
            condition = written_condition(r, written, before=[c for c, _ in branches[-MOST_BEFORE:]])
            with r.narrowing():
                r.assume(condition, True)
                branches.append((condition, r.block(body)))
            r.assume(condition, False)
        otherwise = r.block(node.otherwise)
    return [core.If(node.span, tuple(branches), otherwise)]


def privately(r: Routine, node: nodes.Privately) -> list[core.Stmt]:
    """A block whose choices are told to nobody; it leaves no statement of its own, only the numbers of its choices."""
    first = r.notes.sites
    body = r.block(node.body)
    r.notes.private_sites.update(range(first, r.notes.sites))
    return list(body)
