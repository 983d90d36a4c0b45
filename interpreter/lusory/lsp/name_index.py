"""Record what each name in the effect texts of a game stands for, while the game is checked.

An :class:`Index` observes one check. Positions are character offsets into the text of the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from lusory_dsl import core
from lusory_dsl.checker.context import LocalName, Routine
from lusory_dsl.checker.space_direction_and_seat_members import has_board_member
from lusory_dsl.checker.symbol_table import Names, QueryTypes, Reference, Symbol
from lusory_dsl.source.source import NOWHERE, Span
from lusory_dsl.syntax import ast
from lusory_dsl.types.types import ComponentType, EnumType, OptionalType, Type

LANGUAGE_NAMES = frozenset({"it", "me", "this"})
"""Locals that the language defines. Their span is that of the declaration or expression that they stand in."""

Target = Span | tuple[str, ...]
"""The place of a declaration, or its key: a name, or an enum with the name of a value.

A key stays right if the declaration moves, so that uses can be kept for later checks.
"""


Mention = tuple[Span, str, str, Type | None, Target | None]
"""A name in an effect text, as a check observes it: its span, the name, and its kind, type and target.

The span moves with its declaration when a later check uses the mention again. For the others see :class:`Use`.
"""


@dataclass(frozen=True)
class Use:
    """A name in an effect text.

    Attributes:
        start, end: The characters of the name.
        kind: The kind of thing that it stands for, such as ``variable`` or ``local``.
        type: The type of its value. None for names without a value, such as effects.
        definition: Where it is declared. None for names that the language defines.
    """

    start: int
    end: int
    name: str
    kind: str
    type: Type | None
    definition: Span | None


@dataclass
class FileIndex:
    """The uses of names in one file, and the locals in scope at each of its statements, both sorted.

    ``mentions`` are the uses as they were observed, in that order. ``names`` are the declared names. They are None
    during a check.
    """

    scopes: list[tuple[Span, dict[str, LocalName]]] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    names: Names | None = None

    def finish(self, names: Names) -> None:
        """Sort ``scopes`` by the starts of their spans, and set ``names``. The next read of ``uses`` computes it."""
        self.names = names
        self.__dict__.pop("uses", None)
        self.scopes.sort(key=lambda scope: scope[0].start)

    @cached_property
    def uses(self) -> list[Use]:
        """A :class:`Use` for each mention, sorted by ``start``, such as ``Use(4, 8, "gold", "variable", …)``.

        If several mentions have the same span, only the first one observed stays. The list is empty before
        :meth:`finish`.
        """
        names = self.names
        if names is None:
            return []
        first = {mention[0]: mention for mention in reversed(self.mentions)}
        return [
            Use(span.start, span.end, name, kind, type, target if isinstance(target, Span) else _find(names, target))
            for span, name, kind, type, target in sorted(first.values(), key=lambda mention: mention[0].start)
        ]

    def find_locals(self, offset: int) -> dict[str, LocalName]:
        """Return name -> local, for those in scope at the last statement that begins at or before ``offset``.

        Empty before the first statement.
        """
        position = bisect_right(self.scopes, offset, key=lambda scope: scope[0].start) - 1
        return self.scopes[position][1] if position >= 0 else {}

    def find_nearest(self, name: str, offset: int) -> Use | None:
        """Return the use of a name whose start is nearest to ``offset``: of two, the earlier one. None without a use.

        The buffer may have changed since the check, so the offset need not be exact.
        """
        uses = [use for use in self.uses if use.name == name]
        return min(uses, key=lambda use: abs(use.start - offset), default=None)


def is_same(first: Span, second: Span) -> bool:
    """Return whether two spans have the same start, end and file name, perhaps in texts of different checks."""
    return (first.start, first.end, first.source.name) == (second.start, second.end, second.source.name)


Meaning = tuple[str, Type | None, Target | None]


def _find(names: Names, key: tuple[str, ...] | None) -> Span | None:
    """Return the place of the declaration with a key, or None if the language defines it."""
    match key:
        case (name,):
            return names.symbols[name].span
        case (enum, name):
            value = names.find_value(EnumType(enum), name)
            return None if value is None or value.span is NOWHERE else value.span
    return None


NO_NAMES = Names(QueryTypes(dict[str, Type]().__getitem__))
"""The declared names as long as none are known."""


class Outdated(Exception):
    """A file has changed since the check began."""


class Index:
    """Observe a check, and hold what it found by file name.

    ``names`` are all declared names: none if the check ended before the effect texts. The check ends with
    Outdated as soon as ``is_outdated`` returns true.
    """

    def __init__(self, is_outdated: Callable[[], bool] = lambda: False) -> None:
        self._is_outdated = is_outdated
        self.files: dict[str, FileIndex] = {}
        self.names = NO_NAMES
        self.locals: dict[Span, LocalName] = {}

    @property
    def has_names(self) -> bool:
        """True if the check came to the effect texts, so that the declared names are known."""
        return self.names is not NO_NAMES

    def finish(self) -> Index:
        """Sort all files after the check, and return self."""
        for file in self.files.values():
            file.finish(self.names)
        return self

    @cached_property
    def local_names(self) -> frozenset[str]:
        """The names of all locals in the effect texts."""
        return frozenset(local.name for local in self.locals.values())

    def iterate_uses(self, definition: Span) -> Iterator[tuple[str, Use]]:
        """Yield all uses of the name that is declared at ``definition``, each with the name of its file before it."""
        for name, file in self.files.items():
            yield from ((name, use) for use in file.uses if use.definition and is_same(use.definition, definition))

    def is_local(self, definition: Span) -> bool:
        """Return whether a local of an effect text is declared there."""
        return any(is_same(span, definition) for span, local in self.locals.items() if local.name not in LANGUAGE_NAMES)

    # ------------------------------------------------------------ lusory_dsl.checker.context.Observer

    def start_part(self) -> Index:
        """Return a new, empty index for one text, which :meth:`add_part` later adds to this one."""
        return Index(self._is_outdated)

    def add_part(self, part: Index, names: Names) -> None:
        """Add what ``part``, the index of one text, has in ``files`` and ``locals``, and set ``names`` of this index.

        ``mentions`` and ``scopes`` of ``part.files["a.yaml"]`` are appended to those of ``files["a.yaml"]``, which is
        made if it is missing. Call :meth:`finish` of this index afterwards. In ``part``, only ``_is_outdated`` changes:
        it returns False from now on, so that the part never again raises Outdated.
        """
        part._is_outdated = lambda: False  # the part can outlive this check
        self.names = names
        self.locals.update(part.locals)
        for name, file in part.files.items():
            own_file = self.files.setdefault(name, FileIndex())
            own_file.mentions += file.mentions
            own_file.scopes += file.scopes

    def record_statement(self, routine: Routine, node: ast.Stmt) -> None:
        """Append ``(node.span, {name: local})``, with the locals in scope, to ``scopes`` of the statement's file.

        The file is the FileIndex in ``files`` under ``node.span.source.name``; it is made if it is missing. In this
        Index, the locals are added to ``locals``, by the spans of their declarations, and ``names`` becomes
        ``routine.names``. Raises Outdated, with nothing changed, if ``is_outdated`` returns true.
        """
        if self._is_outdated():
            raise Outdated
        self.names = routine.names
        scope = routine.locals.collect()
        self.locals.update((local.span, local) for local in scope.values())
        self._get_file(node.span).scopes.append((node.span, scope))

    def record_expression(self, routine: Routine, node: ast.Expr, operand: core.Expr | Reference) -> None:
        """Append the name in an expression, and what it stands for, to the ``mentions`` of its file.

        An expression without a name appends nothing. Sets ``names`` to the names of ``routine``.
        """
        self.names = routine.names
        match node:
            case ast.Name(name=name):
                self._record(node.span, name, _resolve_name(routine, name, operand))
            case ast.Member(name=name):
                self._record(node.name_span, name, _resolve_member(routine, node, operand))
            case ast.Call(callee=ast.Name(name=name, span=span)):
                symbol = None if routine.locals.find(name) else routine.names.symbols.get(name)
                kind, target = ("function", None) if symbol is None else (symbol.kind, (name,))
                self._record(span, name, (kind, _get_type(operand), target))
            case ast.Call(callee=ast.Member(name=name, name_span=span) as callee):
                self._record(span, name, _resolve_member(routine, callee, operand))
            case _:
                pass

    def _record(self, span: Span, name: str, meaning: Meaning) -> None:
        self._get_file(span).mentions.append((span, name, *meaning))

    def _get_file(self, span: Span) -> FileIndex:
        return self.files.setdefault(span.source.name, FileIndex())


def _resolve_name(routine: Routine, name: str, operand: core.Expr | Reference) -> Meaning:
    local = routine.locals.find(name)
    if local is not None:
        return local.kind, local.type, None if name in LANGUAGE_NAMES else local.span
    symbol = routine.names.symbols.get(name)
    if symbol is not None:
        return symbol.kind, _get_type(operand), (name,)
    type = _get_type(operand)
    if isinstance(type, EnumType) and (value := routine.names.find_value(type, name)) is not None:
        return value.kind, type, (type.name, name)
    return ("card" if name in routine.names.constants else "name"), type, None


def _resolve_member(routine: Routine, node: ast.Member, operand: core.Expr | Reference) -> Meaning:
    if isinstance(operand, Reference) and operand.symbol.name == node.name:
        target = (node.name,) if routine.names.symbols.get(node.name) is operand.symbol else operand.symbol.span
        return operand.symbol.kind, _get_type(operand), target
    subject = routine.subjects.get(node)
    type = None if subject is None else _get_type(subject)
    if type is not None and has_board_member(routine, type, node.name):
        return "member", _get_type(operand), None
    if isinstance(type, OptionalType):
        type = type.item
    keys = [f"{type.name}.{node.name}"] if isinstance(type, ComponentType) else []
    # A printed field may have the name of a variable.
    for key in keys if isinstance(operand, core.Field) else (*keys, node.name):
        symbol = routine.names.symbols.get(key)
        if symbol is not None:
            return symbol.kind, _get_type(operand), (key,)
    return "member", _get_type(operand), None


def _get_type(operand: core.Expr | Reference) -> Type | None:
    return operand.type if isinstance(operand, core.Expr) else get_symbol_type(operand.symbol)


def get_symbol_type(symbol: Symbol | Use | None) -> Type | None:
    """Return the type of the value of a symbol or use, or what a zone or pool holds, or else None."""
    type: Type | None = getattr(symbol, "type", None) or getattr(symbol, "holds", None)
    return type
