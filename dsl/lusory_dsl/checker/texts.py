"""The fields of a ruleset that hold effect text: what they share while they are checked, and how each is read."""

from __future__ import annotations

import re

from .. import core
from ..core.origin import SAYS, Origin
from ..effect import nodes
from ..effect.fault_context import KIND
from ..effect.parser import parse_block, parse_expression, parse_template
from ..language.types import TEXT, Type
from ..text.codes import MISSING_AMOUNT
from ..text.diagnostics import Diagnostic, Diagnostics
from ..text.records import dataclass, replace
from ..text.source import Embedded
from ..text.spelling import listed
from .call_graph import Owner
from .names import Names, PoolSymbol
from .notes import Notes
from .routine import Forms, Routine, Stmts, faulty
from .templates import text_template
from .values import expect, expression, list_value, written_condition

MOST_KINDS = 5
"""So many kinds of counters are named in a hint."""


@dataclass(frozen=True, eq=False)
class Texts:
    """What the texts of a ruleset share."""

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms

    def routine(self, owner: Owner, setup: bool = False) -> Routine:
        """A fresh routine."""
        return Routine(self.names, self.notes, self.report, self.forms, owner, setup)


def value_in(r: Routine, text: Embedded, type: Type | None = None, role: str = "") -> core.Expr:
    """A field that holds an expression."""
    node = parse_expression(text, r.report)
    if node is None:
        return faulty(text.whole)
    return expression(r, node) if type is None else expect(r, node, type, role)


def list_in(r: Routine, text: Embedded) -> core.Expr:
    """A field that holds a list."""
    node = parse_expression(text, r.report)
    return faulty(text.whole) if node is None else list_value(r, node)


def condition_in(r: Routine, text: Embedded | None) -> core.Expr | None:
    """A field that holds a condition; what follows from it is assumed afterwards."""
    if text is None:
        return None
    node = parse_expression(text, r.report)
    if node is None:
        return faulty(text.whole)
    found = written_condition(r, node)
    r.assume(found, True)
    return found


def template_in(r: Routine, text: Embedded | None) -> core.TextTemplate | None:
    """A field that holds words with values in them."""
    node = None if text is None else parse_template(text, r.report)
    return None if node is None else text_template(r, node)


def words_in(r: Routine, text: Embedded) -> core.TextTemplate:
    """Such a field that must be there; without words after a report."""
    return template_in(r, text) or core.TextTemplate(TEXT, text.whole, ())


def told_in(r: Routine, says: Embedded | None) -> Stmts:
    """What is told of a deed, as the announcement that begins it."""
    text = template_in(r, says)
    return () if text is None else (core.Announce(text.span, text, None, origin=Origin(SAYS)),)


def name_counters(names: Names, report: Diagnostics) -> None:
    """Puts kinds of counters into hints that lack them, since only the grammar had been read."""

    def named(found: Diagnostic) -> Diagnostic:
        pool = re.search(rf"\b{KIND} from (?:\w+\.)*(\w+)", found.hint or "") if found.code is MISSING_AMOUNT else None
        symbol = names.symbols.get(pool[1]) if pool is not None else None
        if not isinstance(symbol, PoolSymbol) or found.hint is None:
            return found
        kinds = [names.value_names(symbol.holds)[kind] for kind in symbol.kinds]
        first, *others = found.hint.partition("; ")[0].replace(KIND, kinds[0]), *kinds[1:MOST_KINDS]
        return replace(found, hint=f"{first}; there are also {listed(others)}" if others else first)

    report.revise(named)


def block_in(r: Routine, text: Embedded | None) -> Stmts:
    """A field that holds statements."""
    block: nodes.Block | None = () if text is None else parse_block(text, r.report)
    return r.block(block or ())
