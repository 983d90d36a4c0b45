"""Reuse the result of checking a text whose declaration and environment are the same as in an earlier check.

Editors and ``check --watch`` check a ruleset again after each change, which concerns one text as a rule. The check of a
text reads only its own declaration, the declared names, and the types of the queries that it calls:

- The *key* of a result contains the declaration with its positions, and the declared names without theirs. For a member
  of a kind, it also contains the texts of all cards for it.
- The types of the queries are compared before a result is reused. Asking for them checks these queries, in the same
  order as a new check of the text would.

A result is kept only if its text has no findings. So a faulty text is checked each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, cast

from .. import core
from ..source.check_cache import find_cached, get_cached, has_lasting_cache, store_cached
from ..source.dataclass_with_lazy_methods import dataclass, fields
from ..source.source import EmbeddedText, Source, Span
from ..types.types import Type
from .context import Notes
from .symbol_table import Names

DeclarationKey = tuple[object, ...]
"""The owner of a text, and the parts of its declaration that its check reads."""
QueryDemand = tuple[str, int, Type]
"""A query whose type a text asked for, the depth of nesting at that point of the text, and the type."""


@dataclass(frozen=True, eq=False)
class CheckedPart:
    """The result of checking one declaration, with everything that the check recorded and read.

    Attributes:
        start: The counters of the notes before the check.
        demands: The types of queries that the check asked for, in order.
        actions: The identity of the declared actions, menus and endings, if the text contains any of them.
    """

    result: core.Query | core.Effect | core.Invariant
    notes: Notes
    start: tuple[int, int, int]
    demands: tuple[QueryDemand, ...]
    actions: object | None

    @property
    def has_counted(self) -> bool:
        """Return whether the check has changed a counter. Then the result depends on the counters before it."""
        return self.notes.counters != self.start


class Environment:
    """The identity of all declared names. It is unknown until :meth:`close`, and nothing is reused before.

    Attributes:
        names: An object that is the same in two checks with equal names, apart from their positions.
        actions: The same for actions, menus and endings with their texts and positions. Texts that offer them contain
            them.
    """

    def __init__(self) -> None:
        self.names: object | None = None
        self.actions: object | None = None

    def close(self, names: Names, notes: Notes) -> None:
        """Compute the identities ``names`` and ``actions`` of the environment, once all names are declared.

        Without a cache for later checks, nothing happens.
        """
        if not has_lasting_cache():
            return
        windows = tuple((action, window) for action, (window, _) in notes.window_actions.items())
        abilities = tuple(
            (a.name, a.kind, a.is_keyword, tuple(original for original, _ in a.cards), _describe(a.decl, False))
            for a in names.kind_actions.values()
        )
        tables = (names.symbols, names.values, names.enums, names.kinds, names.boards, names.constants, names.copies)
        lists = (names.layers, names.blank_kinds, names.actions.keys(), names.charts.keys(), names.endings.keys())
        described = (windows, abilities, _describe(tables, False), *map(tuple, lists), tuple(names.menus))
        self.names = get_cached(("names", described), object)
        texts = (names.actions, names.kind_actions, names.charts, names.endings, names.menus)
        self.actions = get_cached(("actions", _describe(texts, True)), object)

    def find_actions(self, notes: Notes, start: tuple[int, int, int]) -> object | None:
        """Return the identity of the actions if a text contains any of them, otherwise None.

        ``notes`` are those of the text, and ``start`` their counters before it.
        """
        has_actions = notes.taken_actions or notes.opened_menus or notes.used_endings or notes.used_charts
        return self.actions if has_actions or notes.inlined_nodes != start[2] else None

    def find(self, key: DeclarationKey) -> CheckedPart | None:
        """Return the earlier result for a declaration in the same environment, or None without one.

        A result that depends on actions and endings is only returned if these are the same, too. Before :meth:`close`,
        and without a cache for later checks, the result is None.
        """
        found = None if self.names is None else find_cached(self._describe_key(key))
        is_same = isinstance(found, CheckedPart) and found.actions in (None, self.actions)
        return found if is_same else None

    def store(self, key: DeclarationKey, checked: CheckedPart) -> None:
        """Store a result for later checks, unless it has a position in a file that its declaration has no part in.

        Such a position could be outdated then.
        """
        if self.names is None or not has_lasting_cache():
            return
        described = self._describe_key(key)
        if checked.actions or _collect_sources(checked.result) <= set(_iterate_sources(described)):
            store_cached(described, checked)

    def _describe_key(self, key: DeclarationKey) -> tuple[object, ...]:
        return (self.names, _describe(key, True))


def _collect_sources(result: core.Query | core.Effect | core.Invariant) -> set[Source]:
    """Return the files that the nodes of a checked declaration are in."""
    match result:
        case core.Query(value=value):
            roots: tuple[object, ...] = (value,)
        case core.Effect(body=body):
            roots = body
        case core.Invariant(condition=condition, each=each, because=because):
            roots = (condition, *each, *(() if because is None else because.parts))
    return {node.span.source for root in roots if not isinstance(root, str) for node in core.walk(root)}


def _iterate_sources(described: object) -> Iterator[Source]:
    """Yield the files of the positions in a value that :func:`_describe` has made."""
    if isinstance(described, tuple):
        for item in described:
            yield from _iterate_sources(item)
    elif isinstance(described, Source | Span):
        yield described.source if isinstance(described, Span) else described


def _describe(value: object, with_positions: bool) -> object:
    """Return a hashable value that is equal for equal records, collections and simple values.

    An identity of an :class:`Environment` stands for itself. Positions are left out unless ``with_positions`` is true.
    """
    kind = type(value)
    if kind is str or kind is int or kind is object or value is None:
        return value
    if isinstance(value, tuple | list):
        return tuple([_describe(item, with_positions) for item in value])
    if isinstance(value, Span):
        return value if with_positions else None
    if isinstance(value, EmbeddedText):
        return (value.source, value.offsets[0], value.text) if with_positions else value.text
    if isinstance(value, Type | Enum | bool):
        return value
    if isinstance(value, dict):
        return tuple([(key, _describe(item, with_positions)) for key, item in value.items()])
    if isinstance(value, set):
        return frozenset(value)
    return (
        kind.__name__,
        *[_describe(getattr(value, field.name), with_positions) for field in fields(cast(Any, value))],
    )
