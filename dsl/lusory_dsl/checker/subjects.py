"""What stands before a dot.

It is asked whether it is a card, a player, a place, or wrong itself. All the same it is looked at once: else a chain of
calls would take twice as long with each dot.
"""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import PLAYER, ComponentType, NothingType, OptionalType, Type, join
from ..text.records import replace
from .places import read
from .reference import Reference
from .routine import Routine, is_faulty
from .values import fit


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
        found = fit_subject(r, found, found.type.item, node)
    return found if isinstance(found.type, ComponentType) else None


def value_before(r: Routine, node: nodes.Member) -> core.Expr | None:
    """What stands before a dot, where it is a value."""
    found = subject(r, node)
    if isinstance(found, Reference):
        return None if found.is_pool or found.missing else read(r, found)
    return found


def fit_subject(r: Routine, value: core.Expr, expected: Type, node: nodes.Member) -> core.Expr:
    """The value as what stands before a dot. Notes a place that may be `none`."""
    if isinstance(value.type, OptionalType):
        r.notes.optional_subjects.add(value.span)
    return fit(r, value, expected, f"before `.{node.name}`")


def player_before(r: Routine, node: nodes.Member) -> core.Expr:
    """What stands before a dot, as a player."""
    found = subject(r, node)
    value = read(r, found) if isinstance(found, Reference) else found
    return fit_subject(r, _as_player(value), PLAYER, node)


def _as_player(value: core.Expr) -> core.Expr:
    """A value of any type, such as `first([])`, as a player; another as it is."""
    match value:
        case core.CallBuiltin(type=NothingType()):
            return replace(value, type=PLAYER)
        case core.IfExpr(type=NothingType(), then=then, otherwise=otherwise):
            then, otherwise = _as_player(then), _as_player(otherwise)
            return replace(value, type=join(then.type, otherwise.type) or value.type, then=then, otherwise=otherwise)
    return value


def is_faulty_before(r: Routine, node: nodes.Member) -> bool:
    """Whether what stands before a dot is wrong itself, which is reported there."""
    found = subject(r, node)
    return isinstance(found, core.Expr) and is_faulty(found)
