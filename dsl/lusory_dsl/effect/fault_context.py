"""A syntax fault with what the recognisers of `faults.py` ask about it, and the finding that they make of it."""

from __future__ import annotations

import re

from ..text.diagnostics import Code
from ..text.records import dataclass
from .grammar import Fault
from .layout import OPENING
from .words import SHAPES

Place = tuple[int, int]


@dataclass(frozen=True)
class SyntaxFault:
    """A diagnostic whose places are still offsets of the effect text."""

    code: Code
    message: str
    place: Place
    hint: str | None = None
    notes: tuple[tuple[Place, str], ...] = ()
    certain: bool = False  # it can't be that a word before is misspelt


KIND = "KIND"
"""Stands for a kind of counters in hints: which kinds there are, the grammar does not know."""
LINE_ENDS = frozenset(["_NL", "_INDENT", "_DEDENT", "$END"])


class FaultContext:
    """A fault and the words around it."""

    def __init__(self, text: str, fault: Fault) -> None:
        self.text = text
        self.fault = fault
        self.expected = fault.expected
        self.place: Place = (fault.start, fault.end)
        self.at_line_end = fault.type in LINE_ENDS
        match = re.compile(r"\w+|\S").match(text, fault.start)
        self.found = "" if self.at_line_end or match is None else match.group()
        if self.found:
            self.place = (fault.start, fault.start + len(self.found))
        self.statement = fault.layout.statement
        self.first = str(self.statement[0]) if self.statement else ""
        last = fault.layout.last
        self.last = str(last) if last is not None else ""
        self.last_place: Place = (last.start_pos, last.end_pos) if last is not None else self.place
        self.wants_value = {"LPAR", "INT"} <= self.expected and not self.expected & {"SET", "EQ"}
        self.in_text = bool(self.expected & {"WORDS", "TEMPLATE_WORDS"})

    @property
    def opened(self) -> Place | None:
        """The innermost open bracket."""
        bracket = next((t for t in reversed(self.fault.layout.open) if t.type in OPENING), None)
        return None if bracket is None else (bracket.start_pos, bracket.end_pos)

    @property
    def shape(self) -> str | None:
        """A hint that shows how the statement looks."""
        shape = SHAPES.get(self.first)
        return f"it looks like this: `{shape}`" if shape else None

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset)
