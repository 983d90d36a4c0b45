"""Lower expressions and fold constants.

Each function takes an expression and its environment, and returns the lowered expression. It lowers the parts first,
and simplifies the result if a part is constant. Locals that an expression binds get fresh slots.

Example: ``if true then a + 0 else b`` becomes ``a``.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt
from lusory_dsl.types.types import BOOL, INT, NONE, ListType, get_default_value

from .expression_ranges import is_optional
from .lowered_nodes_and_common_subexpressions import LetIn, Lookup, Rows
from .lowerer_with_constant_folding_and_inlining import Env, Lowerer, Scope

Node = TypeVar("Node", bound=Expr | Stmt)


def lower_children(lowerer: Lowerer, expr: Expr, env: Env) -> Expr:
    """Lower the parts of an expression, and return a new node with these parts, or the Const or Lookup that folding
    gives.

    Parts are those of :func:`lower_fields`. It fits all nodes that bind no locals and need no other treatment.
    """
    return lowerer.fold(lower_fields(lowerer, expr, env))


def lower_fields(lowerer: Lowerer, node: Node, env: Env) -> Node:
    """Return a copy of an expression or statement with its parts lowered, in the order of its fields.

    Parts are its fields that hold an expression, a tuple of expressions, or a block. Other fields stay, also those with
    expressions further inside, such as the ``branches`` of an If. The locals that a block binds are not added to
    ``env``. A new node comes back even if no part changes.
    """
    changes: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Expr):
            changes[field.name] = lowerer.lower(value, env)
        elif isinstance(value, tuple) and value and isinstance(value[0], Expr):
            changes[field.name] = lowerer.lower_all(value, env)
        elif isinstance(value, tuple) and value and isinstance(value[0], Stmt):
            changes[field.name] = lowerer.lower_block(value, env)
    return replace(node, **changes)


def lower_constant(lowerer: Lowerer, expr: Const, env: Env) -> Expr:
    """Return the constant itself."""
    return expr


def lower_local(lowerer: Lowerer, expr: Local, env: Env) -> Expr:
    """Return the expression of a local in ``env``. A local that ``env`` does not hold is already lowered, and is
    returned as it is.
    """
    return env.get(expr.slot, expr)


def lower_option(lowerer: Lowerer, expr: core.OptionValue, env: Env) -> Expr:
    """Return the value of an option as a constant, or the option itself if the build reads options at run time."""
    return Const(expr.type, expr.span, lowerer.options[expr.option]) if lowerer.options else expr


def lower_players(lowerer: Lowerer, expr: core.Players, env: Env) -> Expr:
    """Return the list of all players as a constant: ``(0, 1, 2)`` for three."""
    return Const(expr.type, expr.span, tuple(range(lowerer.players)))


def lower_binary(lowerer: Lowerer, expr: Binary, env: Env) -> Expr:
    """Lower an operator, and simplify logic with a constant side, and sums whose right side is 0.

    ``x + 0`` and ``x - 0`` become ``x``, but ``0 + x`` stays. If the left side of ``and`` or ``or`` is constant, the
    result is that side or the lowered right one. ``x and true`` and ``x or false`` become ``x``. ``x and false`` and
    ``x or true`` stay, because ``x`` may have a fault. Otherwise return what :meth:`Lowerer.fold` makes of the
    operator, such as a Const for two constant sides.
    """
    left = lowerer.lower(expr.left, env)
    if expr.op in ("and", "or") and isinstance(left, Const):
        is_decisive = bool(left.value) is (expr.op == "or")
        return left if is_decisive else lowerer.lower(expr.right, env)
    right = lowerer.lower(expr.right, env)
    if expr.op in ("and", "or") and isinstance(right, Const) and bool(right.value) is (expr.op == "and"):
        return left
    if expr.op in ("+", "-") and isinstance(right, Const) and right.value == 0 and not isinstance(left, Const):
        return left
    return lowerer.fold(Binary(expr.type, expr.span, expr.op, left, right))


def lower_conditional(lowerer: Lowerer, expr: IfExpr, env: Env) -> Expr:
    """Lower a conditional expression to an ``IfExpr`` of lowered parts.

    If the lowered condition is a ``Const``, lower only the branch that it selects, and return that.
    """
    condition = lowerer.lower(expr.condition, env)
    if isinstance(condition, Const):
        return lowerer.lower(expr.then if condition.value else expr.otherwise, env)
    return IfExpr(expr.type, expr.span, condition, lowerer.lower(expr.then, env), lowerer.lower(expr.otherwise, env))


def lower_let(lowerer: Lowerer, expr: LetIn, env: Env, name: str | None = None) -> Expr:
    """Lower a binding inside an expression to a ``LetIn`` with a fresh slot.

    If the lowered value is a constant or a local, it replaces the bound local: the result is then the lowered body.
    Otherwise, for the fresh slot, ``lowerer.names[slot]`` becomes ``name``, or without one
    ``lowerer.names[expr.slot]``. ``lowerer.types[slot]`` becomes the type of ``expr.value``, and
    ``lowerer.ranges.bind_value`` records the bounds of the lowered value. ``env`` doesn't change.
    """
    value = lowerer.lower(expr.value, env)
    if isinstance(value, Const | Local):
        return lowerer.lower(expr.body, {**env, expr.slot: value})
    scope = dict(env)
    name = lowerer.names[expr.slot] if name is None else name
    slot = lowerer.bind(expr.slot, name, expr.value.type, expr.span, scope)
    lowerer.ranges.bind_value(slot, value)
    return LetIn(expr.type, expr.span, slot, value, lowerer.lower(expr.body, scope), expr.is_shared)


def lower_named(lowerer: Lowerer, expr: core.Named, env: Env) -> Expr:
    """Lower a named part to a :class:`LetIn` with ``is_shared``: a fault of its value occurs at its first read.

    A value that is a constant or local takes the place of the name, without a :class:`LetIn`.
    """
    binding = LetIn(expr.type, expr.span, expr.slot, expr.value, expr.body, is_shared=True)
    return lower_let(lowerer, binding, env, expr.name)


Loop = core.Filter | core.MapList | core.Extreme | core.Distinct | core.Reach | core.Sorted | core.Leading | core.Concat


def lower_loop(lowerer: Lowerer, expr: Loop, env: Env) -> Expr:
    """Lower a filter, a mapped, concatenated, sorted or distinct list, the extreme or leading items, or a search.

    The item gets a fresh slot, which the condition, the key and the body read. Return a Const if the lowered loop reads
    no outer local, and a Lookup if it reads one, of an enum or component type, with at least ``MIN_TABLE_EFFORT`` (4)
    steps for each of its values. Any other loop keeps its class, with lowered parts. So does each loop that reads the
    game's state, contains a LetIn or QueryRoutine, or has a fault for any value. The same goes for one that costs more
    than :meth:`Lowerer.fold` allows: ``MAX_EFFORT`` steps in all, and ranges of ``MAX_FOLDED_RANGE`` numbers.
    """
    slot, source, inner = _enter_loop(lowerer, expr.slot, expr.source, env)
    changes: dict[str, Any] = {"slot": slot, "source": source}
    for field in fields(expr):
        part = getattr(expr, field.name)
        if isinstance(part, Expr) and field.name != "source":
            changes[field.name] = lowerer.lower(part, inner)
    return lowerer.fold(replace(expr, **changes))


def lower_fold(lowerer: Lowerer, expr: core.Fold, env: Env) -> Expr:
    """Lower a fold, with its item in a fresh slot. ``env`` stays unchanged.

    Return a Const if the fold reads neither outer locals nor the game's state: 9 for ``sum(x + 1 for x in [1, 2, 3])``.
    Return a Lookup if it reads only one outer local, of an enum or component type. Otherwise return a Fold, and also
    for a fault, or outside the limits on steps that :func:`lower_loop` names. In a ruleset with boards, the source with
    its condition becomes a constant list or a lookup table by the same rules. The Fold then has no condition.
    """
    slot, source, inner = _enter_loop(lowerer, expr.slot, expr.source, env)
    condition = lowerer.lower_optional(expr.condition, inner)
    # On a board, the filter may be constant: the spaces beside another one, for example.
    if condition is not None and lowerer.program.boards:
        items = lowerer.fold(core.Filter(source.type, expr.span, slot, source, condition))
        if isinstance(items, Const | Lookup):
            source, condition = items, None
    return lowerer.fold(
        core.Fold(expr.type, expr.span, slot, source, expr.kind, condition, lowerer.lower(expr.body, inner))
    )


def _enter_loop(lowerer: Lowerer, slot: int, source: Expr, env: Env) -> tuple[int, Expr, Scope]:
    """Start a loop over a list.

    Returns the fresh slot of its item, the lowered list, and the environment inside the loop.
    """
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    new_slot = lowerer.bind(slot, "it", item, source.span, inner)
    lowered_source = lowerer.lower(source, env)
    lowerer.ranges.bind_items(new_slot, lowered_source)
    return new_slot, lowered_source, inner


# The largest range of one index for which the rows of an open table are padded.
MAX_PADDED_RANGE = 64

Step = tuple[tuple[int, Expr] | None, Expr | None]
"""A step before a read: the slot and value of an index to bind, and a test. Either may be None.

Steps run in the order of the indices in the ruleset.
"""

Read = core.ReadCell | core.ReadZone | core.PoolKinds | core.PoolTotal | core.TableRead


def lower_read(lowerer: Lowerer, expr: Read, env: Env) -> Expr:
    """Lower a read of a place or table.

    A table at constant indices becomes a Const, unless the read is a fault. It becomes a Lookup only if all indices
    depend on one local and a lookup saves enough work; ``cost[card]`` stays a read.

    If an index may be none or the table has an open dimension, tests guard the read. If they fail, the value is the
    default of the type: ``gold[p]`` becomes ``if p != none then gold[p] else 0``. Faults of the indices are kept, in
    order, up to the first index that is none. If that index is constantly none, only the faults before it and the
    default remain. An open table instead becomes :class:`Rows` with padding, which need no tests. For that, no index
    may be none. Each open dimension, together with the values outside it that its index can have, may cover at most
    :data:`MAX_PADDED_RANGE` numbers.
    """
    lowered_read = lower_children(lowerer, expr, env)
    if not isinstance(lowered_read, Read):
        return lowered_read
    rows = _pad_table(lowerer, lowered_read)
    if rows is not None:
        return rows
    are_optional = [is_optional(index.type) for index in lowered_read.indices]
    must_keep_faults = (any(are_optional) or _has_open_dimension(lowerer, lowered_read)) and any(
        map(lowerer.can_fail, lowered_read.indices)
    )
    otherwise = Const(lowered_read.type, lowered_read.span, get_default_value(lowered_read.type))
    steps: list[Step] = []
    range_tests: list[Expr] = []
    indices: list[Expr] = []
    for index, may_be_none in zip(lowered_read.indices, are_optional, strict=True):
        if may_be_none and isinstance(index, Const) and index.value is None:
            return _guard_read(steps, otherwise, otherwise) if must_keep_faults else otherwise
        open_range = _get_open_range(lowerer, lowered_read, indices)
        if not (may_be_none or must_keep_faults or open_range):
            indices.append(index)
            continue
        binding, repeatable = _bind_index(lowerer, index)
        test = None
        if may_be_none:
            none = Const(NONE, index.span, None)
            test = None if isinstance(index, Const) else Binary(BOOL, index.span, "!=", repeatable, none)
            repeatable = replace(repeatable, type=repeatable.type.item)
        steps.append((binding, test))
        if open_range is not None:
            low, highest = open_range
            range_tests.append(Binary(BOOL, index.span, ">=", repeatable, Const(INT, index.span, low)))
            range_tests.append(Binary(BOOL, index.span, "<=", repeatable, highest))
        indices.append(repeatable)
    if not steps:
        return lowered_read
    if not must_keep_faults:
        range_tests = [test for _, test in steps if test is not None] + range_tests
        steps = [(binding, None) for binding, _ in steps]
    if range_tests:
        conjunction = reduce(lambda first, test: Binary(BOOL, test.span, "and", first, test), range_tests)
        steps.append((None, conjunction))
    value: Any = replace(lowered_read, indices=tuple(indices))
    return _guard_read(steps, value, otherwise)


def _guard_read(steps: list[Step], value: Expr, otherwise: Expr) -> Expr:
    """Wrap a read in its steps: each binds an index or tests it, and a failed test gives ``otherwise``."""
    for binding, test in reversed(steps):
        if test is not None:
            value = IfExpr(otherwise.type, otherwise.span, test, value, otherwise)
        if binding is not None:
            value = LetIn(otherwise.type, otherwise.span, binding[0], binding[1], value)
    return value


def _pad_table(lowerer: Lowerer, expr: Read) -> Rows | None:
    """Pad a table with open dimensions, so that a read near its edges needs no test. The padding reads as the type's
    default.

    Return None if the table is not open, if an index may be none, or if an open dimension and the values of its index
    together span more than :data:`MAX_PADDED_RANGE` numbers.
    """
    if not _has_open_dimension(lowerer, expr) or any(is_optional(index.type) for index in expr.indices):
        return None
    assert isinstance(expr, core.TableRead)
    table = lowerer.program.get_table(expr.table)
    ends: list[tuple[int, int]] = []
    for index, dim in zip(expr.indices, table.dims, strict=True):
        low, high = dim.low, dim.low + (dim.size if dim.size is not None else lowerer.players) - 1
        if dim.is_open:
            bounds = lowerer.ranges.bound_number(index)
            low, high = min(low, bounds[0]), max(high, bounds[1])
            if high - low >= MAX_PADDED_RANGE:
                return None
        ends.append((low, high))
    indices = list(expr.indices)
    while len(indices) > 1 and isinstance(last := indices[-1], Const) and isinstance(last.value, int):
        # A constant last index selects a single entry of each row.
        ends[len(indices) - 1] = last.value, last.value
        indices.pop()
    key = table.name, tuple(ends), len(indices)
    if key not in lowerer.padded_rows:
        beyond = get_default_value(table.type)
        rows = _make_rows(table.values, [dim.low for dim in table.dims], ends, beyond)
        lowerer.padded_rows[key] = _drop_inner_levels(rows, len(indices), len(ends) - len(indices))
    return Rows(
        expr.type, expr.span, lowerer.padded_rows[key], tuple(indices), tuple(low for low, _ in ends[: len(indices)])
    )


def _drop_inner_levels(rows: Any, depth: int, level_count: int) -> object:
    """Replace the innermost ``level_count`` levels of rows, which hold one entry each, by that entry."""
    if depth:
        return tuple(_drop_inner_levels(row, depth - 1, level_count) for row in rows)
    return _drop_inner_levels(rows[0], 0, level_count - 1) if level_count else rows


def _has_open_dimension(lowerer: Lowerer, expr: Read) -> bool:
    return isinstance(expr, core.TableRead) and any(dim.is_open for dim in lowerer.program.get_table(expr.table).dims)


def _make_rows(values: Any, begins: list[int], ends: list[tuple[int, int]], beyond: object) -> object:
    """Return the rows for the ranges ``ends`` of the indices. Entries outside the table hold ``beyond``.

    ``begins`` holds the first number of each dimension of the table.
    """
    if not begins:
        return values
    (begin, *begins), ((low, high), *ends) = begins, ends
    own_range = range(begin, begin + len(values)) if isinstance(values, tuple) else range(0)
    return tuple(
        _make_rows(values[index - begin] if index in own_range else (() if begins else beyond), begins, ends, beyond)
        for index in range(low, high + 1)
    )


def _bind_index(lowerer: Lowerer, index: Expr) -> tuple[tuple[int, Expr] | None, Any]:
    """Return a binding for an index, or None if it needs none, and an expression that can be read repeatedly."""
    if isinstance(index, Const | Local):
        return None, index
    slot = lowerer.make_local("at", index.type)
    lowerer.ranges.bind_value(slot, index)
    return (slot, index), Local(index.type, index.span, slot, "at")


def _get_open_range(lowerer: Lowerer, expr: Read, leading_indices: list[Expr]) -> tuple[int, Expr] | None:
    """Return the lowest and highest index of the dimension that follows ``leading_indices``, or None if it is not open.

    The highest depends on the row if the rows of the table differ in length.
    """
    if not isinstance(expr, core.TableRead):
        return None
    table = lowerer.program.get_table(expr.table)
    dim = table.dims[len(leading_indices)]
    if not dim.is_open:
        return None
    if table.rows is None:
        return dim.low, Const(INT, expr.span, dim.low + (dim.size or 0) - 1)
    rows = lowerer.program.get_table(table.rows)
    row = core.TableRead(rows.type, expr.span, rows.name, tuple(leading_indices))
    return dim.low, core.CallBuiltin(INT, expr.span, "count", (row,))
