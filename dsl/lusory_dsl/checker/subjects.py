"""What stands before a dot.

It is asked whether it is a card, a player, a place, or wrong itself. All the same it is looked at once: else a chain of
calls would take twice as long with each dot.
"""

from __future__ import annotations

from dataclasses import replace

from .. import core
from ..effect import nodes
from ..language.types import PLAYER, ComponentType, OptionalType, fits
from .places import read
from .reference import Reference
from .routine import Routine, is_faulty
from .values import expression, fit


def subject(r: Routine, node: nodes.Member) -> core.Expr | Reference:
    """What stands before the dot of a member, kept as long as names mean what they mean here."""
    found = r.subjects.get(node)
    if found is None:
        found = r.operand(node.subject)
        r.subjects[node] = found
    return replace(found, indices=[*found.indices]) if isinstance(found, Reference) else found


def card_before(r: Routine, node: nodes.Member) -> core.Expr | None:
    """What stands before a dot, where it is a card."""
    found = subject(r, node)
    if isinstance(found, Reference):
        if found.is_pool or found.missing:
            return None
        found = read(r, found)
    if isinstance(found.type, OptionalType) and isinstance(found.type.item, ComponentType):
        found = fit(r, found, found.type.item, f"before `.{node.name}`")
    return found if isinstance(found.type, ComponentType) else None


def player_before(r: Routine, node: nodes.Member) -> core.Expr:
    """What stands before a dot, as a player."""
    found = subject(r, node)
    value = read(r, found) if isinstance(found, Reference) else found
    is_open = is_faulty(value) and not isinstance(value, core.Const)  # its type is what is asked for: `first([])`
    if is_open or not fits(value.type, PLAYER):
        value = expression(r, node.subject, PLAYER)
    return fit(r, value, PLAYER, f"before `.{node.name}`")


def is_faulty_before(r: Routine, node: nodes.Member) -> bool:
    """Whether what stands before a dot is wrong itself, which is reported there."""
    found = subject(r, node)
    return isinstance(found, core.Expr) and is_faulty(found)
