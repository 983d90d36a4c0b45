"""Reads of places and tables whose index may be nothing, as beside a board: tests in front of plain reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.types import BOOL, INT, NONE, OptionalType, nothing

from .expressions import part_by_part
from .lowered import LetIn
from .lowerer import Env, Lowerer

Read = core.ReadCell | core.ReadZone | core.PoolKinds | core.PoolTotal | core.TableRead


def read(lowerer: Lowerer, e: Read, env: Env) -> Expr:
    """The same with each part lowered; behind tests, where an index may be nothing or outside of an open dimension."""
    found = part_by_part(lowerer, e, env)
    if not isinstance(found, Read):
        return found
    kept: list[tuple[int, Expr]] = []
    tests: list[Expr] = []
    indices: list[Expr] = []
    for index in found.indices:
        open_to = _open_dim(lowerer, found, indices)
        if not isinstance(index.type, OptionalType) and open_to is None:
            indices.append(index)
            continue
        plain = _named(lowerer, index, kept)
        if isinstance(index.type, OptionalType):
            tests.append(Binary(BOOL, index.span, "!=", plain, Const(NONE, index.span, None)))
            plain = replace(plain, type=index.type.item)
        if open_to is not None:
            low, most = open_to
            tests.append(Binary(BOOL, index.span, ">=", plain, Const(INT, index.span, low)))
            tests.append(Binary(BOOL, index.span, "<=", plain, most))
        indices.append(plain)
    if not tests:
        return found
    value: Any = replace(found, indices=tuple(indices))
    otherwise = Const(found.type, found.span, nothing(found.type))
    body: Expr = IfExpr(found.type, found.span, _all(tests), value, otherwise)
    for slot, index in reversed(kept):
        body = LetIn(found.type, found.span, slot, index, body)
    return body


def _named(lowerer: Lowerer, index: Expr, kept: list[tuple[int, Expr]]) -> Expr:
    """An index that can be read more than once."""
    if isinstance(index, Const | Local):
        return index
    slot = lowerer.fresh("at", index.type)
    lowerer.known.let(slot, index)
    kept.append((slot, index))
    return Local(index.type, index.span, slot, "at")


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
