"""Lower expressions and fold constants.

Each function takes an expression and its environment, and returns the lowered expression. It lowers the parts first,
and simplifies the result if a part is constant. Locals that an expression binds get fresh slots.

Example: ``if true then a + 0 else b`` becomes ``a``.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, compute_structural_key
from lusory_dsl.types.types import BOOL, INT, INT_MIN, NONE, ListType, default_value

from .expression_ranges import is_optional
from .lowered_nodes import LetIn, Lookup, Rows, Without
from .lowerer import Env, Lowerer, Scope


def part_by_part(lowerer: Lowerer, e: Expr, env: Env) -> Expr:
    """Lower the parts of an expression and fold the result. It fits all nodes that need no other treatment."""
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
    """Replace an option by its value, unless the build reads options at run time."""
    return Const(e.type, e.span, lowerer.options[e.option]) if lowerer.options else e


def players(lowerer: Lowerer, e: core.Players, env: Env) -> Expr:
    """Replace the list of all players by a constant."""
    return Const(e.type, e.span, tuple(range(lowerer.players)))


def text(lowerer: Lowerer, e: core.TextTemplate, env: Env) -> Expr:
    return lowerer.text(e, env)


def binary(lowerer: Lowerer, e: Binary, env: Env) -> Expr:
    """Lower an operator, and simplify logic with a constant side, ``x + 0`` and the subtraction of negative numbers."""
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
    """Lower a conditional expression to one branch if its condition is constant."""
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
    """Bind a named part. If the pattern removes one item from a list, the result is a single :class:`Without`."""
    removed = _removed(e)
    if removed is not None:
        item, source = (lowerer.expr(part, env) for part in removed)
        # Nothing is removed from an empty list, and ``item`` is then not needed. So it must not have a fault.
        if not lowerer.can_fail(item):
            return Without(e.type, e.span, source, item)
    return _naming(lowerer, LetIn(e.type, e.span, e.slot, e.value, e.body, shared=True), e.name, env)


def _removed(e: core.Named) -> tuple[Expr, Expr] | None:
    """Match an expression that removes the first item equal to ``item`` from a list.

    Returns the item and the list, or None for any other expression.

    The pattern joins the items before the first match with the items after it.
    """
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
            alike = compute_structural_key(source) == compute_structural_key(before) == compute_structural_key(behind)
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
    """Lower a fold. On a board, its source and condition may become a constant list or a lookup table."""
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    # On a board, the filter may be constant: the spaces beside another one, for example.
    if condition is not None and lowerer.program.boards:
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
    """Start a loop over a list.

    Returns the fresh slot of its item, the lowered list, and the environment inside the loop.
    """
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    new = lowerer.bind(slot, "it", item, source.span, inner)
    lowered = lowerer.expr(source, env)
    lowerer.known.over(new, lowered)
    return new, lowered, inner


# The largest range of one index for which the rows of an open table are padded.
BEYOND = 64

Step = tuple[tuple[int, Expr] | None, Expr | None]
"""A step before a read: the slot and value of an index to bind, and a test. Either may be None.

Steps run in the order of the indices in the ruleset.
"""

Read = core.ReadCell | core.ReadZone | core.PoolKinds | core.PoolTotal | core.TableRead


def read(lowerer: Lowerer, e: Read, env: Env) -> Expr:
    """Lower a read of a place or table.

    If an index may be none, or beyond an open dimension, tests guard the read. Then the read evaluates to nothing.
    """
    found = part_by_part(lowerer, e, env)
    if not isinstance(found, Read):
        return found
    padded = _padded(lowerer, found)
    if padded is not None:
        return padded
    tested = [is_optional(index.type) for index in found.indices]
    careful = (any(tested) or _is_open(lowerer, found)) and any(map(lowerer.can_fail, found.indices))
    otherwise = Const(found.type, found.span, default_value(found.type))
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
    """Wrap a read in its steps: each binds an index or tests it, and a failed test gives ``otherwise``."""
    for kept, test in reversed(steps):
        if test is not None:
            value = IfExpr(otherwise.type, otherwise.span, test, value, otherwise)
        if kept is not None:
            value = LetIn(otherwise.type, otherwise.span, kept[0], kept[1], value)
    return value


def _padded(lowerer: Lowerer, e: Read) -> Rows | None:
    """Pad a table with open dimensions, so that a read near its edges needs no test. The padding reads as nothing.

    Returns None if the table is not open, if an index may be none, or if its range exceeds ``BEYOND``.
    """
    if not _is_open(lowerer, e) or any(is_optional(index.type) for index in e.indices):
        return None
    assert isinstance(e, core.TableRead)
    table = lowerer.program.get_table(e.table)
    ends: list[tuple[int, int]] = []
    for index, dim in zip(e.indices, table.dims, strict=True):
        low, high = dim.low, dim.low + (dim.size if dim.size is not None else lowerer.players) - 1
        if dim.is_open:
            found = lowerer.known.bound_number(index)
            low, high = min(low, found[0]), max(high, found[1])
            if high - low >= BEYOND:
                return None
        ends.append((low, high))
    indices = list(e.indices)
    while len(indices) > 1 and isinstance(last := indices[-1], Const) and isinstance(last.value, int):
        # A constant last index selects a single entry of each row.
        ends[len(indices) - 1] = last.value, last.value
        indices.pop()
    key = table.name, tuple(ends), len(indices)
    if key not in lowerer.padded:
        beyond = default_value(table.type)
        rows = _rows(table.values, [dim.low for dim in table.dims], ends, beyond)
        lowerer.padded[key] = _entries(rows, len(indices), len(ends) - len(indices))
    return Rows(e.type, e.span, lowerer.padded[key], tuple(indices), tuple(low for low, _ in ends[: len(indices)]))


def _entries(rows: Any, depth: int, within: int) -> object:
    """Replace the innermost ``within`` levels of rows, which hold one entry each, by that entry."""
    if depth:
        return tuple(_entries(row, depth - 1, within) for row in rows)
    return _entries(rows[0], 0, within - 1) if within else rows


def _is_open(lowerer: Lowerer, e: Read) -> bool:
    return isinstance(e, core.TableRead) and any(dim.is_open for dim in lowerer.program.get_table(e.table).dims)


def _rows(values: Any, begins: list[int], ends: list[tuple[int, int]], beyond: object) -> object:
    """Return the rows for the ranges ``ends`` of the indices. Entries outside the table hold ``beyond``.

    ``begins`` holds the first number of each dimension of the table.
    """
    if not begins:
        return values
    (begin, *begins), ((low, high), *ends) = begins, ends
    inside = range(begin, begin + len(values)) if isinstance(values, tuple) else range(0)
    return tuple(
        _rows(values[n - begin] if n in inside else (() if begins else beyond), begins, ends, beyond)
        for n in range(low, high + 1)
    )


def _named(lowerer: Lowerer, index: Expr) -> tuple[tuple[int, Expr] | None, Any]:
    """Return a binding for an index, or None if it needs none, and an expression that can be read repeatedly."""
    if isinstance(index, Const | Local):
        return None, index
    slot = lowerer.fresh("at", index.type)
    lowerer.known.let(slot, index)
    return (slot, index), Local(index.type, index.span, slot, "at")


def _none(index: Expr) -> Const:
    return Const(NONE, index.span, None)


def _open_dim(lowerer: Lowerer, e: Read, before: list[Expr]) -> tuple[int, Expr] | None:
    """Return the lowest and highest index of the dimension that follows ``before``, or None if it is not open.

    The highest depends on the row if the rows of the table differ in length.
    """
    if not isinstance(e, core.TableRead):
        return None
    table = lowerer.program.get_table(e.table)
    dim = table.dims[len(before)]
    if not dim.is_open:
        return None
    if table.rows is None:
        return dim.low, Const(INT, e.span, dim.low + (dim.size or 0) - 1)
    rows = lowerer.program.get_table(table.rows)
    row = core.TableRead(rows.type, e.span, rows.name, tuple(before))
    return dim.low, core.CallBuiltin(INT, e.span, "count", (row,))


def _all(tests: list[Expr]) -> Expr:
    first, *others = tests
    for test in others:
        first = Binary(BOOL, test.span, "and", first, test)
    return first
