"""Words with values in them, and what is announced with them."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import PLAYER, TEXT, ListType, PlayerType, Type
from ..text.source import Span
from .places import pool_kinds, read
from .reference import Reference
from .routine import Routine
from .values import expression, fit


def text_template(r: Routine, node: nodes.TextLit) -> core.TextTemplate:
    """Words with values in them; a pool shows the kinds in it."""
    parts: list[str | core.Expr] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        found = r.operand(part)
        if isinstance(found, Reference):
            found = pool_kinds(r, found, part.span) if found.is_pool else read(r, found)
        parts.append(found)
    return core.TextTemplate(TEXT, node.span, tuple(parts))


def text(r: Routine, node: nodes.TextLit, expected: Type | None) -> core.Expr:
    """A text; without values in it, a constant."""
    template = text_template(r, node)
    if all(isinstance(part, str) for part in template.parts):
        return core.Const(TEXT, node.span, "".join(str(part) for part in template.parts))
    return template


def announce(r: Routine, node: nodes.Announce) -> list[core.Stmt]:
    """A line for the log of all, or of some players."""
    text = text_template(r, node.text)
    if node.to is None:
        return [core.Announce(node.span, text, None)]
    to = expression(r, node.to, ListType(PLAYER))
    if isinstance(to.type, PlayerType):
        to = core.ListLit(ListType(PLAYER), to.span, (to,))
    return [core.Announce(node.span, text, fit(r, to, ListType(PLAYER), "after `to`"))]


def words(text: str, span: Span) -> core.TextTemplate:
    """A text without values."""
    return core.TextTemplate(TEXT, span, (text,))
