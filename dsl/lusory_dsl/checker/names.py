"""Check indexing, and the expressions before the dot of a member."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes
from ..source.lazy_dataclass import replace
from ..source.source import Span, article
from ..syntax import ast
from ..types.types import INT, PLAYER, ComponentType, IntType, ListType, NothingType, OptionalType, Type, fits, join
from .assignable_places import check_held, read
from .coercions import expect, expression, fit
from .context import Routine, faulty, is_faulty
from .limits import Owner
from .lists import steps
from .symbols import PoolSymbol, QuerySymbol, Reference, TableSymbol, VariableSymbol


def index(r: Routine, node: ast.Index, expected: Type | None) -> core.Expr | Reference:
    """Check an index, and return the value or the place with one more index.

    ``steps(...)[value]`` has the type ``Int?``: none if the value can't be reached. Reports WRONG_INDICES and returns a
    faulty expression for anything that takes no index, and for too many indices.
    """
    if isinstance(node.subject, ast.Reach):
        return steps(r, node.subject, node.indices, node.span)
    callee = node.subject.name if isinstance(node.subject, ast.Name | ast.Member) else ""
    symbol = r.names.symbols.get(callee)
    if isinstance(symbol, QuerySymbol) and symbol.params:
        r.notes.used.add(symbol.name)
        r.notes.graph.call(r.owner, Owner("query", symbol.name), node.span)
        return r.error(
            diagnostic_codes.WRONG_INDICES,
            f"`{callee}` is a query: its arguments stand in parentheses",
            node.span,
            f"write `{callee}(…)`",
            [(symbol.span, "declared here")],
        )
    subject = r.operand(node.subject)
    if isinstance(subject, Reference):
        if subject.missing:
            return _add_indices(r, subject, node.indices, node.span)
        subject = read(r, subject)
    if is_faulty(subject):
        return faulty(node.span)
    written = node.span.source.text[node.subject.span.start : node.subject.span.end]
    hint = f"write `at({written}, n)` for item n, from 0" if isinstance(subject.type, ListType) else None
    message = f"{article(f'`{subject.type}`')} takes no index"
    about: tuple[str, ...] = ()
    place = r.names.symbols.get(callee)
    if isinstance(place, VariableSymbol | TableSymbol):
        about = (f"indices of {callee}",)
        hint = hint or f"`{callee}` has no `per`: leave the index out, or declare it with `per: […]`"
    return r.error(diagnostic_codes.WRONG_INDICES, message, node.span, hint, about=about)


def _add_indices(r: Routine, reference: Reference, indices: tuple[ast.Expr, ...], span: Span) -> Reference | core.Expr:
    """Check each new index against its dimension, and append it to the place."""
    missing = reference.missing
    name = reference.symbol.name
    if len(indices) > len(missing):
        owner = (
            " after the player" if reference.symbol.of_player and not isinstance(reference.symbol, TableSymbol) else ""
        )
        takes = ", ".join(f"`{t}`" for t in missing) if missing else "no index"
        return r.error(
            diagnostic_codes.WRONG_INDICES,
            f"too many indices: `{name}` takes {takes}{owner}",
            span,
            notes=[(reference.symbol.span, "declared here")],
            about=(f"indices of {name}",) if not missing else (),
        )
    for node, type in zip(indices, missing, strict=False):
        number = len(reference.indices)
        role = f"as an index of `{name}`"
        if number < len(reference.symbol.dims) and reference.symbol.dims[number].kind:
            reference.indices.append(_pile(expect(r, node, type, role)))
            continue
        value = _index_value(r, node, type, role)
        _check_index(r, reference, value)
        reference.indices.append(value)
    reference.span = span
    return reference


def _pile(card: core.Expr) -> core.Expr:
    """Return the number of the pile that a card belongs to. All copies of a card form one pile."""
    return card if is_faulty(card) else core.Field(INT, card.span, card, core.PILE)


def _index_value(r: Routine, node: ast.Expr, type: Type, role: str) -> core.Expr:
    """Check an index. An optional index is accepted, since a read at ``none`` (outside the board) has no value."""
    value = expression(r, node, type)
    may_be_none = isinstance(value.type, OptionalType) and fits(value.type.item, type)
    return value if may_be_none else fit(r, value, type, role)


def _check_index(r: Routine, reference: Reference, value: core.Expr) -> None:
    symbol = reference.symbol
    number = len(reference.indices)
    if not isinstance(value, core.Const) or is_faulty(value):
        return
    if number == len(symbol.dims):
        if isinstance(symbol, PoolSymbol):
            check_held(r, symbol, value)
        return
    dim = symbol.dims[number]
    if isinstance(dim.type, IntType) and isinstance(value.value, int) and dim.size is not None:
        high = dim.low + dim.size - 1
        if not dim.low <= value.value <= high:
            r.error(
                diagnostic_codes.OUT_OF_RANGE,
                f"`{symbol.name}` has the indices {dim.low} to {high}, not {value.value}",
                value.span,
                notes=[(symbol.span, "declared here")],
            )


def subject(r: Routine, node: ast.Member) -> core.Expr | Reference:
    """Check the expression before the dot of a member. The result is cached until the locals in scope change."""
    found = r.subjects.get(node)
    if found is None:
        found = r.operand(node.subject)
        r.subjects[node] = found
    return replace(found, indices=[*found.indices]) if isinstance(found, Reference) else found


def card_before(r: Routine, node: ast.Member) -> core.Expr | None:
    """Return the expression before a dot if it is a card, otherwise None."""
    found = subject(r, node)
    if isinstance(found, Reference):
        if found.is_pool or found.missing:
            return None
        found = read(r, found)
    if isinstance(found.type, OptionalType) and isinstance(found.type.item, ComponentType):
        found = fit_subject(r, found, found.type.item, node)
    return found if isinstance(found.type, ComponentType) else None


def value_before(r: Routine, node: ast.Member) -> core.Expr | None:
    """Return the expression before a dot as a value. None for a whole pool, or a place that lacks indices."""
    found = subject(r, node)
    if isinstance(found, Reference):
        return None if found.is_pool or found.missing else read(r, found)
    return found


def fit_subject(r: Routine, value: core.Expr, expected: Type, node: ast.Member) -> core.Expr:
    """Convert the value before a dot to the expected type. Records a place that may be ``none``."""
    if isinstance(value.type, OptionalType):
        r.notes.optional_subjects.add(value.span)
    return fit(r, value, expected, f"before `.{node.name}`")


def player_before(r: Routine, node: ast.Member) -> core.Expr:
    """Return the expression before a dot as a player."""
    found = subject(r, node)
    value = read(r, found) if isinstance(found, Reference) else found
    return fit_subject(r, _as_player(value), PLAYER, node)


def _as_player(value: core.Expr) -> core.Expr:
    """Give the type ``Player`` to a value of unknown type, such as ``first([])``. Other values stay as they are."""
    match value:
        case core.CallBuiltin(type=NothingType()):
            return replace(value, type=PLAYER)
        case core.IfExpr(type=NothingType(), then=then, otherwise=otherwise):
            then, otherwise = _as_player(then), _as_player(otherwise)
            return replace(value, type=join(then.type, otherwise.type) or value.type, then=then, otherwise=otherwise)
    return value


def is_faulty_before(r: Routine, node: ast.Member) -> bool:
    """Return whether the expression before a dot was already reported as faulty."""
    found = subject(r, node)
    return isinstance(found, core.Expr) and is_faulty(found)
