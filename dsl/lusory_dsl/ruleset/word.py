"""Names as they are written: what every record of a ruleset is made with."""

from __future__ import annotations

from ..text.records import dataclass
from ..text.source import Span


@dataclass(frozen=True, eq=False)
class Word:
    """A scalar that names something, with its place."""

    text: str
    span: Span
