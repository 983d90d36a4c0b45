"""Several expressions of one type."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..effect import nodes
from ..language.types import NOTHING, NoneType, NothingType, Type, join
from ..text import codes
from ..text.spelling import article
from .routine import Routine
from .values import expression


def together(r: Routine, items: Sequence[nodes.Expr], expected: Type | None) -> list[core.Expr]:
    """Expressions that should share a type: those whose type is plain tell it to the others."""
    found: dict[int, core.Expr] = {}
    wanted = expected
    for ambiguous in (False, True):
        for i, item in enumerate(items):
            if is_open(r, item) is not ambiguous:
                continue
            value = found[i] = expression(r, item, wanted)
            if wanted is None and not isinstance(value.type, NothingType | NoneType):
                wanted = value.type
    return [found[i] for i in range(len(items))]


def is_open(r: Routine, node: nodes.Expr) -> bool:
    """Whether what a node means depends on what is expected: it holds a value that several enums share."""
    if isinstance(node, nodes.Name):
        known = r.locals.find(node.name) or r.names.symbols.get(node.name)
        return known is None and len(r.names.values.get(node.name, ())) > 1
    if isinstance(node, nodes.IfExpr):
        return is_open(r, node.then) and is_open(r, node.otherwise)
    return isinstance(node, nodes.ListLit) and bool(node.items) and all(is_open(r, i) for i in node.items)


def joined(r: Routine, values: Sequence[core.Expr], what: str) -> Type | None:
    """The type that all values fit, or None after a report."""
    found: Type = NOTHING
    for value in values:
        both = join(found, value.type)
        if both is None:
            message = f"{article(f'`{found}`')} and {article(f'`{value.type}`')} can't {what}"
            r.error(codes.NEVER_EQUAL, message, value.span)
            return None
        found = both
    return found
