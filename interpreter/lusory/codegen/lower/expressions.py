"""Lower expressions; constant folding."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.types.types import BOOL, INT, INT_MIN, NONE, ListType, nothing

from .lowered_nodes import LetIn, Lookup, Rows, Without, shape
from .lowerer import Env, Lowerer, Scope
from .range_analysis import is_optional


def part_by_part(lowerer: Lowerer, e: Expr, env: Env) -> Expr:
    """The same with each part lowered: what it means depends on nothing that is settled here."""
    changes: dict[str, Any] = {}
    for f in fields(e):
        value = getattr(e, f.name)
        if isinstance(value, Expr):
            changes[f.name] = lowerer.expr(value, env)
        elif f.name in ("indices", "args", "items"):
            changes[f.name] = lowerer.exprs(value, env)
    return lowerer.folded(replace(e, **changes))


def const(lowerer: Lowerer, e: Const, env: Env) -> Expr:
    return e


def local(lowerer: Lowerer, e: Local, env: Env) -> Expr:
    return env.get(e.slot, e)


def option_value(lowerer: Lowerer, e: core.OptionValue, env: Env) -> Expr:
    return Const(e.type, e.span, lowerer.options[e.option]) if lowerer.options else e


def players(lowerer: Lowerer, e: core.Players, env: Env) -> Expr:
    return Const(e.type, e.span, tuple(range(lowerer.players)))


def text(lowerer: Lowerer, e: core.TextTemplate, env: Env) -> Expr:
    return lowerer.text(e, env)


def binary(lowerer: Lowerer, e: Binary, env: Env) -> Expr:
    left = lowerer.expr(e.left, env)
    if e.op in ("and", "or") and isinstance(left, Const):
        decided = bool(left.value) is (e.op == "or")
        return left if decided else lowerer.expr(e.right, env)
    right = lowerer.expr(e.right, env)
    if e.op in ("and", "or") and isinstance(right, Const) and bool(right.value) is (e.op == "and"):
        return left
    if e.op in ("+", "-") and isinstance(right, Const) and isinstance(right.value, int):
        if right.value == 0 and not isinstance(left, Const):
            return left
        if INT_MIN < right.value < 0:
            opposite = Const(right.type, right.span, -right.value)
            return lowerer.folded(Binary(e.type, e.span, "-" if e.op == "+" else "+", left, opposite))
    return lowerer.folded(Binary(e.type, e.span, e.op, left, right))


def either(lowerer: Lowerer, e: IfExpr, env: Env) -> Expr:
    condition = lowerer.expr(e.condition, env)
    if isinstance(condition, Const):
        return lowerer.expr(e.then if condition.value else e.otherwise, env)
    return IfExpr(e.type, e.span, condition, lowerer.expr(e.then, env), lowerer.expr(e.otherwise, env))


def let_in(lowerer: Lowerer, e: LetIn, env: Env) -> Expr:
    return _naming(lowerer, e, lowerer.names[e.slot], env)


def _naming(lowerer: Lowerer, e: LetIn, name: str, env: Env) -> Expr:
    value = lowerer.expr(e.value, env)
    if isinstance(value, Const | Local):
        return lowerer.expr(e.body, {**env, e.slot: value})
    inner = dict(env)
    slot = lowerer.bind(e.slot, name, e.value.type, e.span, inner)
    lowerer.known.let(slot, value)
    return LetIn(e.type, e.span, slot, value, lowerer.expr(e.body, inner), e.shared)


def named(lowerer: Lowerer, e: core.Named, env: Env) -> Expr:
    """The value is named where it is first read."""
    removed = _removed(e)
    if removed is not None:
        item, source = (lowerer.expr(part, env) for part in removed)
        if not lowerer.can_fail(item):  # from an empty list nothing is taken, whatever it is
            return Without(e.type, e.span, source, item)
    return _naming(lowerer, LetIn(e.type, e.span, e.slot, e.value, e.body, shared=True), e.name, env)


def _removed(e: core.Named) -> tuple[Expr, Expr] | None:
    """What is taken out of a list, and the list, where what is before the first of its kind is put before the rest."""
    match e:
        case core.Named(
            slot=gone,
            value=item,
            body=core.Named(
                slot=number,
                value=core.CallBuiltin(
                    name="count",
                    args=(
                        core.Leading(
                            slot=slot,
                            source=source,
                            condition=Binary(op="!=", left=Local(slot=asked), right=Local(slot=other)),
                        ),
                    ),
                ),
                body=Binary(
                    op="join",
                    left=core.CallBuiltin(name="take", args=(before, Local(slot=first))),
                    right=core.CallBuiltin(
                        name="drop",
                        args=(behind, Binary(op="+", left=Local(slot=last), right=Const(value=1))),
                    ),
                ),
            ),
        ) if (slot, gone, number, number) == (asked, other, first, last):
            alike = shape(source) == shape(before) == shape(behind)
            return (item, source) if alike else None
    return None


def filter_list(lowerer: Lowerer, e: core.Filter, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Filter(e.type, e.span, slot, source, lowerer.expr(e.condition, inner)))


def map_list(lowerer: Lowerer, e: core.MapList, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    return lowerer.folded(core.MapList(e.type, e.span, slot, source, condition, lowerer.expr(e.body, inner)))


def fold(lowerer: Lowerer, e: core.Fold, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    if condition is not None and lowerer.program.boards:  # the items may be known without a position
        items = lowerer.folded(core.Filter(source.type, e.span, slot, source, condition))
        if isinstance(items, Const | Lookup):
            source, condition = items, None
    return lowerer.folded(core.Fold(e.type, e.span, e.kind, slot, source, condition, lowerer.expr(e.body, inner)))


def extreme(lowerer: Lowerer, e: core.Extreme, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Extreme(e.type, e.span, e.kind, slot, source, lowerer.expr(e.key, inner)))


def distinct(lowerer: Lowerer, e: core.Distinct, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Distinct(e.type, e.span, slot, source, lowerer.expr(e.key, inner)))


def reach(lowerer: Lowerer, e: core.Reach, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    start, within, target = lowerer.expr(e.start, env), lowerer.maybe(e.within, env), lowerer.maybe(e.target, env)
    return lowerer.folded(core.Reach(e.type, e.span, slot, source, start, within, target, lowerer.expr(e.body, inner)))


def region(lowerer: Lowerer, e: core.Region, env: Env) -> Expr:
    return lowerer.folded(
        core.Region(e.type, e.span, e.touching, lowerer.expr(e.among, env), lowerer.maybe(e.start, env))
    )


def in_order(lowerer: Lowerer, e: core.Sorted, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Sorted(e.type, e.span, slot, source, lowerer.expr(e.key, inner)))


def leading(lowerer: Lowerer, e: core.Leading, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Leading(e.type, e.span, slot, source, lowerer.expr(e.condition, inner)))


def concat(lowerer: Lowerer, e: core.Concat, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    return lowerer.folded(core.Concat(e.type, e.span, slot, source, condition, lowerer.expr(e.body, inner)))


def _over(lowerer: Lowerer, slot: int, source: Expr, env: Env) -> tuple[int, Expr, Scope]:
    """What goes through a list: the local for its items, the list, and what stands for the locals inside."""
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    new = lowerer.bind(slot, "it", item, source.span, inner)
    lowered = lowerer.expr(source, env)
    lowerer.known.over(new, lowered)
    return new, lowered, inner


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
