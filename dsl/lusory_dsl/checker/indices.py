"""Indices in brackets, each checked against the dimension of its place."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import INT, IntType, ListType, OptionalType, Type, fits
from ..text import codes
from ..text.source import Span
from ..text.spelling import article
from .call_graph import Owner
from .names import PoolSymbol, QuerySymbol, TableSymbol, VariableSymbol
from .places import check_held, read
from .reach import steps
from .reference import Reference
from .routine import Routine, faulty, is_faulty
from .values import expect, expression, fit


def index(r: Routine, node: nodes.Index, expected: Type | None) -> core.Expr | Reference:
    """A place with further indices."""
    if isinstance(node.subject, nodes.Reach):
        return steps(r, node.subject, node.indices, node.span)
    callee = node.subject.name if isinstance(node.subject, nodes.Name | nodes.Member) else ""
    symbol = r.names.symbols.get(callee)
    if isinstance(symbol, QuerySymbol) and symbol.params:
        r.notes.used.add(symbol.name)
        r.notes.graph.call(r.owner, Owner("query", symbol.name), node.span)
        return r.error(
            codes.WRONG_INDICES,
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
    return r.error(codes.WRONG_INDICES, message, node.span, hint, about=about)


def _add_indices(
    r: Routine, reference: Reference, indices: tuple[nodes.Expr, ...], span: Span
) -> Reference | core.Expr:
    """The place with further indices, each checked against its dimension."""
    missing = reference.missing
    name = reference.symbol.name
    if len(indices) > len(missing):
        owner = (
            " after the player" if reference.symbol.of_player and not isinstance(reference.symbol, TableSymbol) else ""
        )
        takes = ", ".join(f"`{t}`" for t in missing) if missing else "no index"
        return r.error(
            codes.WRONG_INDICES,
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
    """The number of the pile of a card."""
    return card if is_faulty(card) else core.Field(INT, card.span, card, core.PILE)


def _index_value(r: Routine, node: nodes.Expr, type: Type, role: str) -> core.Expr:
    """An index; beside the board lies nothing, so that it may be none, where the place is read."""
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
                codes.OUT_OF_RANGE,
                f"`{symbol.name}` has the indices {dim.low} to {high}, not {value.value}",
                value.span,
                notes=[(symbol.span, "declared here")],
            )
