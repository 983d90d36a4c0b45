"""Check the fields of declarations that hold rule text, and statements that contain text templates.

It also checks branches, and blocks with private choices.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar, cast

from .. import core
from ..core.provenance import SAYS, Origin
from ..source.dataclass_with_lazy_methods import dataclass, field, replace
from ..source.diagnostic_codes import MISSING_AMOUNT
from ..source.diagnostics import Diagnostic, Diagnostics
from ..source.source import EmbeddedText, Span, quote_list
from ..syntax import ast
from ..syntax.parser import parse_block, parse_expression, parse_template
from ..syntax.syntax_error_explanations import KIND
from ..types.types import PLAYER, TEXT, ListType, PlayerType, Type
from .call_graph_and_size_limits import Owner
from .coercions import check_condition, check_expected, check_expression, check_list, convert_to
from .context import Forms, Notes, Routine, Stmts, make_faulty
from .reuse_of_checked_texts import CheckedPart, DeclarationKey, Environment
from .symbol_table import Names, PoolSymbol, Reference, ZoneSymbol
from .variable_and_zone_access import read_place

MAX_EARLIER_CONDITIONS = 20
"""Maximum number of earlier conditions that a lint compares with a condition, to see whether they cover it."""


def check_if(routine: Routine, node: ast.If) -> list[core.Stmt]:
    """Check an ``if``, and return one If.

    Each branch knows that its condition is true and that all earlier ones are false. After the ``if``, none of this is
    known. A faulty condition stays in its branch.
    """
    branches: list[tuple[core.Expr, Stmts]] = []
    with routine.restore_narrowing():
        for condition_node, body in node.branches:
            condition = check_condition(
                routine, condition_node, earlier_conditions=[c for c, _ in branches[-MAX_EARLIER_CONDITIONS:]]
            )
            with routine.restore_narrowing():
                routine.narrow(condition, True)
                branches.append((condition, routine.check_block(body)))
            routine.narrow(condition, False)
        otherwise = routine.check_block(node.otherwise)
    return [core.If(node.span, tuple(branches), otherwise)]


def check_privately(routine: Routine, node: ast.Privately) -> list[core.Stmt]:
    """Check a block whose choices are not announced.

    Returns the block's own statements, without one around them. The choice sites in it are recorded as private.
    """
    first_site = routine.notes.site_count
    body = routine.check_block(node.body)
    routine.notes.private_sites.update(range(first_site, routine.notes.site_count))
    return list(body)


def check_template(routine: Routine, node: ast.TextLit) -> core.TextTemplate:
    """Check a text with inserted values.

    Returns its parts in order: strings and expressions of any type. A faulty value, such as a whole pool, is reported
    and stays in the text as a faulty part.
    """
    parts: list[str | core.Expr] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        operand = routine.check_operand(part)
        if isinstance(operand, Reference):
            operand = read_place(routine, operand)
        parts.append(operand)
    return core.TextTemplate(TEXT, node.span, tuple(parts))


def check_text(routine: Routine, node: ast.TextLit, expected: Type | None) -> core.Expr:
    """Check a text.

    Returns a TextTemplate, or a Const with the joined text if it has no inserted values; an empty text gives "".
    """
    template = check_template(routine, node)
    if all(isinstance(part, str) for part in template.parts):
        return core.Const(TEXT, node.span, "".join(str(part) for part in template.parts))
    return template


def check_announce(routine: Routine, node: ast.Announce) -> list[core.Stmt]:
    """Check an announcement: a line in the log of all players, or of some of them.

    ``to`` is a player or a list of players; anything else is reported. Returns one Announce, whose recipients are a
    list, or None for all players. They are faulty after a report.
    """
    text = check_template(routine, node.text)
    if node.to is None:
        return [core.Announce(node.span, text, None)]
    recipients = check_expression(routine, node.to, ListType(PLAYER))
    if isinstance(recipients.type, PlayerType):
        recipients = core.ListLit(ListType(PLAYER), recipients.span, (recipients,))
    return [core.Announce(node.span, text, convert_to(routine, recipients, ListType(PLAYER), "after `to`"))]


def make_plain_template(text: str, span: Span) -> core.TextTemplate:
    """Return a template without inserted values."""
    return core.TextTemplate(TEXT, span, (text,))


MAX_HINT_KINDS = 5
"""Maximum number of kinds of counters that a hint names."""


_T = TypeVar("_T", bound=core.Query | core.Effect | core.Invariant)


@dataclass(frozen=True, eq=False)
class TextChecker:
    """The data that all texts of a ruleset share."""

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms
    environment: Environment = field(default_factory=Environment)

    def make_routine(self, owner: Owner, setup: bool = False) -> Routine:
        """Return a new routine for the text of ``owner``."""
        return Routine(self.names, self.notes, self.report, self.forms, owner, setup)

    def check_declaration(self, owner: Owner, key: DeclarationKey, check: Callable[[TextChecker], _T]) -> _T:
        """Return ``check(texts)``, or its result in an earlier check in which everything that it reads was the same.

        ``check`` may only read ``owner``, the parts of the declaration in ``key``, and what ``texts`` holds. What it
        notes, now or in that earlier check, is added to ``notes``.
        """
        self.notes.graph.add_owner(owner)  # before the queries that the text asks for
        found = self.environment.find((owner, key))
        if found is None or not self._is_valid(found):
            found = self._check_anew((owner, key), check)
        self.notes.add_part(found.notes, found.start, self.names)
        return cast("_T", found.result)

    def _check_anew(self, key: DeclarationKey, check: Callable[[TextChecker], _T]) -> CheckedPart:
        """Check a declaration, and store the result for later checks if there are no findings."""
        queries, notes, n_added = self.names.queries, self.notes.start_part(), self.report.n_added
        start = self.notes.counters
        outer_demands, queries.demands, depth = queries.demands, {}, queries.depth
        result = check(replace(self, notes=notes))
        demands = tuple((name, demand - depth, type) for (name, type), demand in queries.demands.items())
        queries.demands = outer_demands
        checked = CheckedPart(result, notes, start, demands, self.environment.find_actions(notes, start))
        if self.report.n_added == n_added:
            self.environment.store(key, checked)
        return checked

    def _is_valid(self, found: CheckedPart) -> bool:
        """Return whether the counters and the types of queries are those that an earlier check read."""
        if found.has_counted and found.start != self.notes.counters:
            return False
        queries = self.names.queries
        outer_demands, queries.demands, depth = queries.demands, None, queries.depth
        for name, inner_depth, type in found.demands:
            queries.depth = depth + inner_depth
            is_same = queries.find_type(name) == type
            if not is_same:
                break
        else:
            is_same = True
        queries.demands, queries.depth = outer_demands, depth
        return is_same


def check_value_text(routine: Routine, text: EmbeddedText, type: Type | None = None, role: str = "") -> core.Expr:
    """Check a field that holds an expression.

    ``role`` describes the field in messages. Returns a faulty expression after reporting that it can't be parsed, or
    that its value does not have the type ``type``. None accepts any type.
    """
    node = parse_expression(text, routine.report)
    if node is None:
        return make_faulty(text.whole_span)
    return check_expression(routine, node) if type is None else check_expected(routine, node, type, role)


def check_list_text(routine: Routine, text: EmbeddedText) -> core.Expr:
    """Check a field that holds a list. Returns a faulty expression if it can't be parsed or holds no list."""
    node = parse_expression(text, routine.report)
    return make_faulty(text.whole_span) if node is None else check_list(routine, node)


def check_condition_text(routine: Routine, text: EmbeddedText | None) -> core.Expr | None:
    """Check a field that holds a condition. The routine assumes afterwards that the condition is true.

    Returns None if the field is missing, and a faulty expression after reporting that it can't be parsed or is not a
    Bool.
    """
    if text is None:
        return None
    node = parse_expression(text, routine.report)
    if node is None:
        return make_faulty(text.whole_span)
    condition = check_condition(routine, node)
    routine.narrow(condition, True)
    return condition


def check_template_text(routine: Routine, text: EmbeddedText | None) -> core.TextTemplate | None:
    """Check a field that holds a text with inserted values.

    Returns None if the field is missing, or after reporting that it can't be parsed.
    """
    node = None if text is None else parse_template(text, routine.report)
    return None if node is None else check_template(routine, node)


def check_required_template(routine: Routine, text: EmbeddedText) -> core.TextTemplate:
    """Check a required field that holds a text with inserted values. Returns an empty template after a report."""
    return check_template_text(routine, text) or core.TextTemplate(TEXT, text.whole_span, ())


def check_says(routine: Routine, says: EmbeddedText | None) -> Stmts:
    """Return the announcement that a ``says`` field makes, as a block of one statement.

    The block is empty without such a field, or after reporting that it can't be parsed.
    """
    text = check_template_text(routine, says)
    return () if text is None else (core.Announce(text.span, text, None, origin=Origin(SAYS)),)


def name_counters(names: Names, report: Diagnostics) -> None:
    """Replace the placeholder for a kind of counters in hints of the parser by kinds that the pool holds.

    The first kind takes its place, and up to ``MAX_HINT_KINDS`` - 1 further kinds are listed behind it. The parser
    itself does not know them. A hint about an unknown pool stays the same.
    """

    def name_kinds(found: Diagnostic) -> Diagnostic:
        """Return a MISSING_AMOUNT with a hint that fits what is moved.

        For a known pool, the hint names its first kind in place of :data:`KIND`, and up to ``MAX_HINT_KINDS`` in all.
        For a zone of cards, only the advice about cards is left. Other diagnostics stay as they are.
        """
        pool = re.search(rf"\b{KIND} from (?:\w+\.)*(\w+)", found.hint or "") if found.code is MISSING_AMOUNT else None
        symbol = names.symbols.get(pool[1]) if pool is not None else None
        if isinstance(symbol, ZoneSymbol) and found.hint is not None and ". Cards: " in found.hint:
            return replace(found, hint="write " + found.hint.partition(". Cards: ")[2])
        if not isinstance(symbol, PoolSymbol) or found.hint is None:
            return found
        kinds = [names.list_value_names(symbol.holds)[kind] for kind in symbol.kinds]
        first, *other_kinds = found.hint.partition("; ")[0].replace(KIND, kinds[0]), *kinds[1:MAX_HINT_KINDS]
        return replace(found, hint=f"{first}; there are also {quote_list(other_kinds)}" if other_kinds else first)

    report.revise(name_kinds)


def check_block_text(routine: Routine, text: EmbeddedText | None) -> Stmts:
    """Check a field that holds statements.

    Returns () if the field is missing, or after reporting that it can't be parsed.
    """
    block: ast.Block | None = () if text is None else parse_block(text, routine.report)
    return routine.check_block(block or ())
