"""Check the fields of declarations that hold rule text, and statements that contain text templates.

It also checks branches, and blocks with private choices.

The result of checking a text is reused if its declaration and environment are the same as in an earlier check. Editors
and ``check --watch`` check a ruleset again after each change, which concerns one text as a rule. The check of a text
reads only its own declaration, the declared names, and the types of the queries that it calls:

- The *key* of a result contains the declaration with its positions, and the declared names without theirs. It leaves
  out variables whose names do not occur in the declaration: a text finds variables only by name. For a member of a
  kind, it also contains the texts of all cards for it. Positions count from the beginning of their
  :class:`~lusory_dsl.source.source.Fragment`, so an edit in another declaration leaves the key as it is.
- The types of the queries are compared before a result is reused. Asking for them checks these queries, in the same
  order as a new check of the text would.

A result is kept only if its text has no findings, and contains no texts of actions, menus or endings. Other texts are
checked each time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

from .. import core
from ..core.generated_part_origins import SAYS, Origin
from ..source.dataclass_with_lazy_methods import Record, field, fields, replace
from ..source.diagnostics import Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import (
    find_cached,
    get_cached,
    has_lasting_cache,
    store_cached,
)
from ..source.source import EmbeddedText, Span
from ..syntax import ast
from ..syntax.parser import parse_block, parse_expression, parse_template
from ..types.types import TEXT, Type
from .call_graph_and_size_limits import Owner
from .coercions import assume_condition, check_condition, check_expected, check_expression, check_list, check_players
from .context import Forms, Notes, Routine, Stmts, make_faulty
from .symbol_table import Names, TypeSymbol, VariableSymbol

DeclarationKey = tuple[object, ...]
"""The owner of a text, and the parts of its declaration that its check reads."""
QueryDemand = tuple[str, int, Type]
"""A query whose type a text asked for, the depth of nesting at that point of the text, and the type."""


class CheckedPart(Record):
    """The result of checking one declaration, with everything that the check recorded and read.

    Attributes:
        start: The counters of the notes before the check.
        demands: The types of queries that the check asked for, in order.
    """

    result: core.Query | core.Effect | core.Invariant
    notes: Notes
    start: tuple[int, int, int]
    demands: tuple[QueryDemand, ...]


class Environment:
    """The identity of all declared names. It is unknown until :meth:`close`, and nothing is reused before.

    Attributes:
        names: An object that is the same in two checks with equal names, apart from variables and from positions.
        variables: The declared variables, each described without its position.
    """

    def __init__(self) -> None:
        self.names: object | None = None
        self.variables: dict[str, object] = {}

    def close(self, names: Names, notes: Notes) -> None:
        """Set ``names`` and ``variables`` of the environment, once all names are declared.

        ``variables`` maps the name of each variable to a hashable description. ``names`` becomes an opaque object,
        which only serves as an identity. It is the same object as in an earlier check if all declared names except
        variables are equal, in the same order. They count with their types, indices and parameters. Enums, abilities
        and the geometry of boards count as a whole, cards by name and number of copies. Menus, charts, endings, and
        actions other than abilities count only by their names. Positions don't count, nor do, for example, the
        ``value`` of a query, the ``do`` of an effect, the ``visible`` of a zone, phases, and invariants. Unless
        ``has_lasting_cache()`` is True, nothing happens.
        """
        if not has_lasting_cache():
            return
        windows = tuple((action, window) for action, (window, _) in notes.window_actions.items())
        abilities = [
            (ability.name, ability.kind, ability.is_keyword, [original for original, _ in ability.cards], ability.decl)
            for ability in names.kind_actions.values()
        ]
        variables = {name: symbol for name, symbol in names.symbols.items() if type(symbol) is VariableSymbol}
        self.variables = {name: describe(symbol, False) for name, symbol in variables.items()}
        # enums and kinds say what their symbols and values are
        excluded_types = (VariableSymbol, TypeSymbol)
        symbols = {name: symbol for name, symbol in names.symbols.items() if type(symbol) not in excluded_types}
        tables = (symbols, names.enums, names.kinds, names.boards, names.constants, names.copies)
        lists = (names.layers, names.blank_kinds, names.actions.keys(), names.charts.keys(), names.endings.keys())
        description = (windows, describe((abilities, tables), False), *map(tuple, lists), tuple(names.menus))
        self.names = get_cached(("names", description), object)

    def _find(self, key: DeclarationKey) -> CheckedPart | None:
        """Return the result stored for an equal declaration in an equal environment, or None without one.

        The declared names of both must be the same, except for variables that the declaration does not name.
        """
        return None if self.names is None else find_cached(self._describe_key(key))

    def _store(self, key: DeclarationKey, part: CheckedPart) -> None:
        """Store a result for later checks, if all names are declared and there is a lasting cache.

        A result that contains texts of actions, menus or endings is not stored: an edit could change these while the
        key stays the same.
        """
        has_actions = part.notes.inlined_nodes != part.start[2]
        if self.names is not None and not (has_actions or part.notes.opened_menus or part.notes.used_endings):
            store_cached(self._describe_key(key), part)

    def _describe_key(self, key: DeclarationKey) -> tuple[object, ...]:
        description = describe(key, True)
        return (self.names, self._list_variables(description), description)

    def _list_variables(self, description: object) -> tuple[tuple[str, object], ...]:
        """Return the variables whose names occur in a described value, each with its description."""
        words, pending = set[str](), [description]
        while pending:
            item = pending.pop()
            if type(item) is tuple:
                pending += item
            elif type(item) is str:
                words |= find_words(item)
        return tuple(sorted((name, self.variables[name]) for name in words & self.variables.keys()))


@lru_cache(maxsize=8192)
def find_words(text: str) -> frozenset[str]:
    """Return the words in a text, names and numbers: ``p.coins + 12`` has ``p``, ``coins`` and ``12``."""
    return frozenset(re.findall(r"\w+", text))


def describe(value: object, keeps_positions: bool) -> object:
    """Return a hashable value that is equal for equal records, lists and simple values.

    A str, int, bool or None comes back itself, and so does a type of the language or a member of an Enum. A list gives
    the same value as an equal tuple, and a dictionary its pairs in their order. Any other record becomes
    ``(CLASS NAME, FIELD, …)``. With ``keeps_positions``, a Span becomes ``(BASE, FIRST, LAST)``, and an EmbeddedText
    ``(BASE, FIRST OFFSET, TEXT)``. Otherwise a Span becomes None, and an EmbeddedText its text alone. Example:
    ``[1, {"a": (2,)}]`` gives ``(1, (("a", (2,)),))``.
    """
    kind = type(value)
    if kind in _SIMPLE_CLASSES or isinstance(value, (Type, Enum)):  # a union takes twice as long
        return value
    if isinstance(value, (tuple, list)):
        return tuple([describe(item, keeps_positions) for item in value])
    if isinstance(value, Span):
        return (value.base, value.first, value.last) if keeps_positions else None
    if isinstance(value, EmbeddedText):
        return (value.base, value.offsets[0], value.text) if keeps_positions else value.text
    if isinstance(value, dict):
        return tuple([(key, describe(item, keeps_positions)) for key, item in value.items()])
    names = _list_field_names(kind)  # type: ignore[arg-type]  # any class is hashable
    return (kind.__name__, *[describe(getattr(value, name), keeps_positions) for name in names])


_SIMPLE_CLASSES = frozenset((str, int, bool, object, type(None)))


@cache
def _list_field_names(record: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def check_if(routine: Routine, node: ast.If) -> list[core.Stmt]:
    """Check an ``if``, and return one If.

    Its ``branches`` are pairs of a condition and a block, and its ``otherwise`` is () without ``else``. Each branch
    narrows the types of locals, because its condition is true and all earlier ones are false. After ``if x is none``,
    for example, ``x`` is not optional in ``else``. The former types return after the statement. A local that a
    statement sets is a variable, and is not narrowed. A faulty condition stays in its branch; an unknown name is there
    as :func:`make_faulty`.
    """
    branches: list[tuple[core.Expr, Stmts]] = []
    with routine.restore_narrowing():
        for condition_node, body in node.branches:
            condition = check_condition(routine, condition_node)
            with routine.restore_narrowing():
                routine.narrow(condition, True)
                branches.append((condition, routine.check_block(body)))
            routine.narrow(condition, False)
        otherwise = routine.check_block(node.otherwise)
    return [core.If(node.span, tuple(branches), otherwise)]


def check_privately(routine: Routine, node: ast.Privately) -> list[core.Stmt]:
    """Check a block whose choices are not announced.

    Returns the block's own statements, without one around them. The numbers of its choice sites are added to
    ``routine.notes.private_sites``, also those in nested blocks, but not those in the effects that it calls. They are
    the numbers from ``routine.notes.site_count`` before the call to the one below ``site_count`` after it.
    """
    first_site = routine.notes.site_count
    body = routine.check_block(node.body)
    routine.notes.private_sites.update(range(first_site, routine.notes.site_count))
    return list(body)


def check_template(routine: Routine, node: ast.TextLit) -> core.TextTemplate:
    """Check a text with inserted values.

    Returns a TextTemplate with its parts in order: strings and expressions of any type. A faulty value, such as a whole
    pool, is reported and stays in the text as a faulty part.
    """
    parts = tuple(part if isinstance(part, str) else check_expression(routine, part) for part in node.parts)
    return core.TextTemplate(TEXT, node.span, parts)


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

    Returns one Announce. If ``node.to`` is None, so is its ``to``, for all players. Otherwise it is a list: one player
    becomes a list of one. Any other value, even a variable of type ``Player?``, is reported, and ``to`` is faulty.
    """
    text = check_template(routine, node.text)
    if node.to is None:
        return [core.Announce(node.span, text, None)]
    return [core.Announce(node.span, text, check_players(routine, node.to, "after `to`"))]


def make_plain_template(text: str, span: Span) -> core.TextTemplate:
    """Return a template without inserted values."""
    return core.TextTemplate(TEXT, span, (text,))


_T = TypeVar("_T", bound=core.Query | core.Effect | core.Invariant)


class TextChecker(Record):
    """The data that all texts of a ruleset share."""

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms
    environment: Environment = field(default_factory=Environment)

    def make_routine(self, owner: Owner, is_setup: bool = False) -> Routine:
        """Return a new routine for the text of ``owner``."""
        return Routine(self.names, self.notes, self.report, self.forms, owner, is_setup)

    def check_declaration(self, owner: Owner, key: DeclarationKey, check: Callable[[TextChecker], _T]) -> _T:
        """Return ``check(texts)``, or the result of an earlier call if everything that it read is still the same.

        The earlier call may belong to an earlier check of the ruleset. ``texts`` is this object with notes of its own.
        These, or those of the earlier call, are added to ``notes``. Without a lasting cache, or before ``environment``
        is closed, every call runs ``check``. It may only read ``owner``, the parts of the declaration in ``key``, and
        what ``texts`` holds. A result is not used again if ``check`` reported something, or used the text of an action,
        a menu or an ending. If it changed the counters of its notes, such as by a choice site, its result is used again
        only if ``notes`` has the same counters as before it.
        """
        self.notes.graph.add_owner(owner)  # before the queries that the text asks for
        part = self.environment._find((owner, key))
        if part is None or not self._is_valid(part):
            part = self._check_anew((owner, key), check)
        self.notes.add_part(part.notes, part.start, self.names)
        return cast("_T", part.result)

    def _check_anew(self, key: DeclarationKey, check: Callable[[TextChecker], _T]) -> CheckedPart:
        """Check a declaration, and store the result for later checks if there are no findings."""
        queries, notes, n_added = self.names.queries, self.notes.start_part(), self.report.n_added
        start = self.notes.counters
        outer_demands, queries.demands, depth = queries.demands, {}, queries.depth
        result = check(replace(self, notes=notes))
        demands = tuple((name, demand - depth, type) for (name, type), demand in queries.demands.items())
        queries.demands = outer_demands
        part = CheckedPart(result, notes, start, demands)
        if self.report.n_added == n_added:
            self.environment._store(key, part)
        return part

    def _is_valid(self, part: CheckedPart) -> bool:
        """Return whether the counters and the types of queries are those that an earlier check read."""
        # A check that changed a counter depends on the counters before it.
        if part.notes.counters != part.start != self.notes.counters:
            return False
        queries = self.names.queries
        outer_demands, queries.demands, depth = queries.demands, None, queries.depth
        is_same = True
        for name, inner_depth, type in part.demands:
            queries.depth = depth + inner_depth
            is_same = is_same and queries.find_type(name) == type
        queries.demands, queries.depth = outer_demands, depth
        return is_same


def check_value_text(routine: Routine, text: EmbeddedText, type: Type | None = None, role: str = "") -> core.Expr:
    """Parse and check the text of a field that holds an expression, and return the core expression.

    A text that can't be parsed is reported, and gives a faulty expression: ``core.Const(NOTHING, span, None)``. If
    ``type`` is None, every type is accepted. Otherwise a value that doesn't fit is reported, and gives a faulty
    expression. A read of a variable, table, card field, ``card.holder`` or ``card.space`` of a type ``T?`` is accepted
    as a ``T``, such as an ``Int?`` as an Int, and gets the type ``T``. Any other value that may be ``none`` fits
    only if ``type`` is None or optional. ``role`` is a part of the message: ``to start `gold` with`` gives "an `Int`
    is needed to start `gold` with, but this is a `Bool`".
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
    """Check a field that holds a condition and return it, and narrow the types of locals for what is checked next.

    Example: after ``x is not none``, ``routine.narrowed_types`` maps the slot of a local ``x`` of type ``Int?`` to Int.
    Variables are not narrowed. Returns None if the field is missing. Errors are reported. A text that can't be parsed,
    or whose whole is no Bool, such as ``3``, gives a faulty expression of type NOTHING. An error in a part can leave a
    Bool: ``not 3`` gives a Unary of type Bool with a faulty operand. A variable, table entry or card field of type
    ``Bool?`` counts as a Bool, but a local of this type is reported.
    """
    if text is None:
        return None
    node = parse_expression(text, routine.report)
    if node is None:
        return make_faulty(text.whole_span)
    return assume_condition(routine, node)


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


def check_block_text(routine: Routine, text: EmbeddedText | None) -> Stmts:
    """Check a field that holds statements.

    Returns () if the field is missing, or after reporting that it can't be parsed.
    """
    block: ast.Block | None = () if text is None else parse_block(text, routine.report)
    return routine.check_block(block or ())
