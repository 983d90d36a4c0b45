"""Syntax trees and tokens that Lark makes of an effect text. The AST builder starts from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lark

from ..text.source import Embedded, Span

if TYPE_CHECKING:

    class Token(lark.Token):
        """A token of Lark. The lexer always sets the places that Lark declares as optional."""

        start_pos: int
        end_pos: int
else:
    from lark import Token

Items = list[Any]
"""The children of a rule: trees, tokens, and None for an optional part that is missing."""


class Tree(lark.Tree[Token]):
    """A rule of the grammar, called ``data``, with its ``children``.

    It stands at ``start_pos`` up to ``end_pos`` of the text. ``first`` to ``last`` also includes what the tree leaves
    out, such as brackets around an expression; both are None for an empty rule."""

    @property
    def start_pos(self) -> int:
        return getattr(self.meta, "start_pos", 0)

    @property
    def end_pos(self) -> int:
        return getattr(self.meta, "end_pos", 0)

    @property
    def first(self) -> int | None:
        return getattr(self.meta, "container_start_pos", getattr(self.meta, "start_pos", None))

    @property
    def last(self) -> int | None:
        return getattr(self.meta, "container_end_pos", getattr(self.meta, "end_pos", None))


def token(kind: str, text: str, start: int, end: int) -> Token:
    """Return a token of terminal ``kind`` that stands at ``start`` up to ``end``."""
    return Token(kind, text, start, end_pos=end)


def span_of(embedded: Embedded, node: Tree | Token) -> Span:
    """Return the place in the YAML file of a tree or token of an embedded text."""
    return embedded.span(node.start_pos, node.end_pos)
