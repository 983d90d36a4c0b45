"""What the automaton makes of a text: tokens, and trees of them. What building nodes of trees starts from."""

from __future__ import annotations

from typing import Any

from ..text.source import Embedded, Span

Items = list[Any]
"""Children of a rule; the grammar knows their types."""


class Token(str):
    """A word or sign of a text, from ``start_pos`` to before ``end_pos``. ``type``: what the grammar calls it."""

    __slots__ = ("end_pos", "start_pos", "type")

    type: str
    start_pos: int
    end_pos: int


def token(kind: str, text: str, start: int, end: int) -> Token:
    """A token. Not its constructor, which costs twice as much with arguments of its own."""
    made = Token(text)
    made.type = kind
    made.start_pos = start
    made.end_pos = end
    return made


class Tree:
    """A rule that was found, called ``data``, with ``children``: trees, tokens, and None for what is left out.

    It stands from ``start_pos`` to before ``end_pos``, and with what was left out of it on the way, such as brackets
    around it, from ``first`` to before ``last``: None where it is empty."""

    __slots__ = ("children", "data", "end_pos", "first", "last", "start_pos")

    def __init__(self, data: str, children: Items) -> None:
        self.data = data
        self.children = children
        self.start_pos = self.end_pos = 0
        self.first: int | None = None
        self.last: int | None = None


def span_of(embedded: Embedded, place: Tree | Token) -> Span:
    """Where a rule or token stands."""
    return embedded.span(place.start_pos, place.end_pos)
