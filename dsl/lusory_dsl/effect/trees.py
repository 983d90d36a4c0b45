"""What building nodes of trees starts from: children that are already built, and places in the text."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark.tree import Meta

from ..text.source import Embedded, Span

Items = list[Any]
"""Children of a rule; the grammar knows their types."""


def span_of(embedded: Embedded, place: Meta | Token) -> Span:
    """Where a rule or token stands."""
    start, end = getattr(place, "start_pos", 0), getattr(place, "end_pos", 0)
    return embedded.span(start or 0, end or 0)
