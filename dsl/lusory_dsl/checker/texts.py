"""The fields of a ruleset that hold effect text: parses and checks them. Used by the checker's stages."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..effect.parser import parse_block, parse_expression, parse_template
from ..language.types import Type
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded
from .choices import Stmts
from .names import Names
from .notes import Notes
from .routine import faulty
from .statements import Statements


class Texts:
    """Turns effect text into core."""

    def __init__(self, names: Names, notes: Notes, report: Diagnostics) -> None:
        self.names = names
        self.notes = notes
        self.report = report

    def routine(self, owner: str, setup: bool = False) -> Statements:
        """A fresh routine."""
        return Statements(self.names, self.notes, self.report, owner, setup)

    def value(self, routine: Statements, text: Embedded, type: Type | None = None, role: str = "") -> core.Expr:
        """A field that holds an expression."""
        node = parse_expression(text, self.report)
        if node is None:
            return faulty(text.whole)
        return routine.expression(node) if type is None else routine.expect(node, type, role)

    def list_of(self, routine: Statements, text: Embedded) -> core.Expr:
        """A field that holds a list."""
        node = parse_expression(text, self.report)
        return faulty(text.whole) if node is None else routine.list_value(node)

    def condition(self, routine: Statements, text: Embedded | None) -> core.Expr | None:
        """A field that holds a condition; what follows from it is assumed afterwards."""
        if text is None:
            return None
        node = parse_expression(text, self.report)
        if node is None:
            return faulty(text.whole)
        found = routine.condition(node)
        routine.assume(found, True)
        return found

    def template(self, routine: Statements, text: Embedded | None) -> core.TextTemplate | None:
        """A field that holds words with values in them."""
        node = None if text is None else parse_template(text, self.report)
        return None if node is None else routine.template(node)

    def block(self, routine: Statements, text: Embedded | None) -> Stmts:
        """A field that holds statements."""
        block: nodes.Block | None = () if text is None else parse_block(text, self.report)
        return routine.block(block or ())
