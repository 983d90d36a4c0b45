"""Reads of places and tables whose index may be nothing, as beside a board: tests in front of plain reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.types import BOOL, INT, NONE, nothing

from .expressions import part_by_part
from .failing import is_optional
from .lowered import LetIn, Rows
from .lowerer import Env, Lowerer

BEYOND = 64  # entries of a row with what lies beyond its ends

Step = tuple[tuple[int, Expr] | None, Expr | None]
"""An index that has a slot, and a test: in the order in which an author's indices are looked at."""

Read = core.ReadCell | core.ReadZone | core.PoolKinds | core.PoolTotal | core.TableRead


def read(lowerer: Lowerer, e: Read, env: Env) -> Expr:
    """The same with each part lowered; behind tests, where an index may be nothing or outside of an open dimension."""
    found = part_by_part(lowerer, e, env)
    if not isinstance(found, Read):
        return found
    padded = _padded(lowerer, found)
    if padded is not None:
        return padded
    tested = [is_optional(index.type) for index in found.indices]
    careful = (any(tested) or _is_open(lowerer, found)) and any(map(lowerer.can_fail, found.indices))
    otherwise = Const(found.type, found.span, nothing(found.type))
    steps: list[Step] = []
    inside: list[Expr] = []
    indices: list[Expr] = []
    for index, may_be_none in zip(found.indices, tested, strict=True):
        if may_be_none and isinstance(index, Const) and index.value is None:
            return _behind(steps, otherwise, otherwise) if careful else otherwise
        open_to = _open_dim(lowerer, found, indices)
        if not (may_be_none or careful or open_to):
            indices.append(index)
            continue
        kept, plain = _named(lowerer, index)
        test = None
        if may_be_none:
            test = None if isinstance(index, Const) else Binary(BOOL, index.span, "!=", plain, _none(index))
            plain = replace(plain, type=plain.type.item)
        steps.append((kept, test))
        if open_to is not None:
            low, most = open_to
            inside.append(Binary(BOOL, index.span, ">=", plain, Const(INT, index.span, low)))
            inside.append(Binary(BOOL, index.span, "<=", plain, most))
        indices.append(plain)
    if not steps:
        return found
    if not careful:
        inside = [test for _, test in steps if test is not None] + inside
        steps = [(kept, None) for kept, _ in steps]
    if inside:
        steps.append((None, _all(inside)))
    value: Any = replace(found, indices=tuple(indices))
    return _behind(steps, value, otherwise)


def _behind(steps: list[Step], value: Expr, otherwise: Expr) -> Expr:
    """A read behind what is named and tested before it, one after the other."""
    for kept, test in reversed(steps):
        if test is not None:
            value = IfExpr(otherwise.type, otherwise.span, test, value, otherwise)
        if kept is not None:
            value = LetIn(otherwise.type, otherwise.span, kept[0], kept[1], value)
    return value


def _padded(lowerer: Lowerer, e: Read) -> Rows | None:
    """A read of a table that is open to some sides, where its indices do not go far beyond: what lies there is nothing,
    and needs no test."""
    if not _is_open(lowerer, e) or any(is_optional(index.type) for index in e.indices):
        return None
    assert isinstance(e, core.TableRead)
    table = lowerer.program.table(e.table)
    ends: list[tuple[int, int]] = []
    for index, dim in zip(e.indices, table.dims, strict=True):
        low, high = dim.low, dim.low + (dim.size if dim.size is not None else lowerer.players) - 1
        if dim.is_open:
            found = lowerer.known.interval(index)
            low, high = min(low, found[0]), max(high, found[1])
            if high - low >= BEYOND:
                return None
        ends.append((low, high))
    indices = list(e.indices)
    while len(indices) > 1 and isinstance(last := indices[-1], Const) and isinstance(last.value, int):
        ends[len(indices) - 1] = last.value, last.value  # one entry alone is read of each row
        indices.pop()
    key = table.name, tuple(ends), len(indices)
    if key not in lowerer.padded:
        beyond = nothing(table.type)
        rows = _rows(table.values, [dim.low for dim in table.dims], ends, beyond)
        lowerer.padded[key] = _entries(rows, len(indices), len(ends) - len(indices))
    return Rows(e.type, e.span, lowerer.padded[key], tuple(indices), tuple(low for low, _ in ends[: len(indices)]))


def _entries(rows: Any, depth: int, within: int) -> object:
    """Rows whose last indices are known, with the only entry in place of the rows ``within``."""
    if depth:
        return tuple(_entries(row, depth - 1, within) for row in rows)
    return _entries(rows[0], 0, within - 1) if within else rows


def _is_open(lowerer: Lowerer, e: Read) -> bool:
    return isinstance(e, core.TableRead) and any(dim.is_open for dim in lowerer.program.table(e.table).dims)


def _rows(values: Any, begins: list[int], ends: list[tuple[int, int]], beyond: object) -> object:
    """Rows from one number to another, whatever lies between them in a table."""
    if not begins:
        return values
    (begin, *begins), ((low, high), *ends) = begins, ends
    inside = range(begin, begin + len(values)) if isinstance(values, tuple) else range(0)
    return tuple(
        _rows(values[n - begin] if n in inside else (() if begins else beyond), begins, ends, beyond)
        for n in range(low, high + 1)
    )


def _named(lowerer: Lowerer, index: Expr) -> tuple[tuple[int, Expr] | None, Any]:
    """An index that can be read more than once, and the slot that it needs for that."""
    if isinstance(index, Const | Local):
        return None, index
    slot = lowerer.fresh("at", index.type)
    lowerer.known.let(slot, index)
    return (slot, index), Local(index.type, index.span, slot, "at")


def _none(index: Expr) -> Const:
    return Const(NONE, index.span, None)


def _open_dim(lowerer: Lowerer, e: Read, before: list[Expr]) -> tuple[int, Expr] | None:
    """Where the dimension behind some indices is open: the least that is inside, and the most."""
    if not isinstance(e, core.TableRead):
        return None
    table = lowerer.program.table(e.table)
    dim = table.dims[len(before)]
    if not dim.is_open:
        return None
    if table.rows is None:
        return dim.low, Const(INT, e.span, dim.low + (dim.size or 0) - 1)
    rows = lowerer.program.table(table.rows)
    row = core.TableRead(rows.type, e.span, rows.name, tuple(before))
    return dim.low, core.CallBuiltin(INT, e.span, "count", (row,))


def _all(tests: list[Expr]) -> Expr:
    first, *others = tests
    for test in others:
        first = Binary(BOOL, test.span, "and", first, test)
    return first
