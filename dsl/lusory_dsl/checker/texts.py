"""Check the fields of declarations that hold rule text, and statements that contain text templates.

It also checks branches, and blocks with private choices.
"""

from __future__ import annotations

import re

from .. import core
from ..core.provenance import SAYS, Origin
from ..source.diagnostic_codes import MISSING_AMOUNT
from ..source.diagnostics import Diagnostic, Diagnostics
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Embedded, Span, listed
from ..syntax import ast
from ..syntax.parser import parse_block, parse_expression, parse_template
from ..syntax.syntax_errors import KIND
from ..types.types import PLAYER, TEXT, ListType, PlayerType, Type
from .assignable_places import pool_kinds, read
from .coercions import expect, expression, fit, list_value, written_condition
from .context import Forms, Notes, Routine, Stmts, faulty
from .limits import Owner
from .symbols import Names, PoolSymbol, Reference

MOST_BEFORE = 20
"""Maximum number of earlier conditions that a lint compares with a condition, to see whether they cover it."""


def branch(r: Routine, node: ast.If) -> list[core.Stmt]:
    """Check an ``if``. Each branch knows that its condition is true and that all earlier ones are false."""
    branches: list[tuple[core.Expr, Stmts]] = []
    with r.narrowing():
        for written, body in node.branches:
            condition = written_condition(r, written, before=[c for c, _ in branches[-MOST_BEFORE:]])
            with r.narrowing():
                r.assume(condition, True)
                branches.append((condition, r.block(body)))
            r.assume(condition, False)
        otherwise = r.block(node.otherwise)
    return [core.If(node.span, tuple(branches), otherwise)]


def privately(r: Routine, node: ast.Privately) -> list[core.Stmt]:
    """Check a block whose choices are not announced.

    It records their choice sites, and returns the block's statements.
    """
    first = r.notes.sites
    body = r.block(node.body)
    r.notes.private_sites.update(range(first, r.notes.sites))
    return list(body)


def text_template(r: Routine, node: ast.TextLit) -> core.TextTemplate:
    """Check a text with inserted values. A whole pool is inserted as the list of kinds in it."""
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


def text(r: Routine, node: ast.TextLit, expected: Type | None) -> core.Expr:
    """Check a text. A text without inserted values becomes a constant."""
    template = text_template(r, node)
    if all(isinstance(part, str) for part in template.parts):
        return core.Const(TEXT, node.span, "".join(str(part) for part in template.parts))
    return template


def announce(r: Routine, node: ast.Announce) -> list[core.Stmt]:
    """Check an announcement: a line in the log of all players, or of some of them."""
    text = text_template(r, node.text)
    if node.to is None:
        return [core.Announce(node.span, text, None)]
    to = expression(r, node.to, ListType(PLAYER))
    if isinstance(to.type, PlayerType):
        to = core.ListLit(ListType(PLAYER), to.span, (to,))
    return [core.Announce(node.span, text, fit(r, to, ListType(PLAYER), "after `to`"))]


def words(text: str, span: Span) -> core.TextTemplate:
    """Return a template without inserted values."""
    return core.TextTemplate(TEXT, span, (text,))


MOST_KINDS = 5
"""Maximum number of kinds of counters that a hint names."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The data that all texts of a ruleset share."""

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms

    def routine(self, owner: Owner, setup: bool = False) -> Routine:
        """Return a new routine for the text of ``owner``."""
        return Routine(self.names, self.notes, self.report, self.forms, owner, setup)


def value_in(r: Routine, text: Embedded, type: Type | None = None, role: str = "") -> core.Expr:
    """Check a field that holds an expression. ``role`` describes the field in messages."""
    node = parse_expression(text, r.report)
    if node is None:
        return faulty(text.whole)
    return expression(r, node) if type is None else expect(r, node, type, role)


def list_in(r: Routine, text: Embedded) -> core.Expr:
    """Check a field that holds a list."""
    node = parse_expression(text, r.report)
    return faulty(text.whole) if node is None else list_value(r, node)


def condition_in(r: Routine, text: Embedded | None) -> core.Expr | None:
    """Check a field that holds a condition. The routine assumes afterwards that the condition is true."""
    if text is None:
        return None
    node = parse_expression(text, r.report)
    if node is None:
        return faulty(text.whole)
    found = written_condition(r, node)
    r.assume(found, True)
    return found


def template_in(r: Routine, text: Embedded | None) -> core.TextTemplate | None:
    """Check a field that holds a text with inserted values. None if the field is empty or can't be parsed."""
    node = None if text is None else parse_template(text, r.report)
    return None if node is None else text_template(r, node)


def words_in(r: Routine, text: Embedded) -> core.TextTemplate:
    """Check a required field that holds a text with inserted values. Returns an empty template after a report."""
    return template_in(r, text) or core.TextTemplate(TEXT, text.whole, ())


def told_in(r: Routine, says: Embedded | None) -> Stmts:
    """Return the announcement that a ``says`` field makes, as a block. The block is empty without such a field."""
    text = template_in(r, says)
    return () if text is None else (core.Announce(text.span, text, None, origin=Origin(SAYS)),)


def name_counters(names: Names, report: Diagnostics) -> None:
    """Name kinds of counters in the hints of the parser. The parser itself does not know which kinds a pool holds."""

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
    """Check a field that holds statements."""
    block: ast.Block | None = () if text is None else parse_block(text, r.report)
    return r.block(block or ())
