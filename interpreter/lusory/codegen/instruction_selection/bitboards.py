"""Select queries of a board as operations on bitboards.

A bitboard, or mask, is an integer in which bit ``s`` stands for space ``s``. Each variable that is indexed by the
spaces of a board has one mask for each of its values. So a list of spaces under a condition becomes a few bit
operations.

Example: the number of spaces ``s`` with ``owner[s] = me`` becomes the number of ones in the mask of ``me``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, Local, compute_structural_key
from lusory_dsl.types.types import BoolType, EnumType, ListType, NoneType, OptionalType, PlayerType, Type

from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import Lookup, LoweredRoutine, count_uses
from .selector_state_and_ir_emission import Selector
from .state_reads import select_cell, select_operand

MAX_TABLE_BITS = 10
"""The most consecutive spaces for which a table indexed by the mask replaces the work on the mask."""

MAX_LINE_SHAPES = 8
"""The most shapes of lines to search for one after the other."""


def make_full_mask(size: int) -> int:
    """Return the mask of all spaces of a board with ``size`` spaces, ``2 ** size - 1``."""
    return (1 << size) - 1


def intersect(first: ir.Value, second: ir.Value, size: int) -> ir.Value:
    """Return the intersection ``first & second`` of two masks of a board with ``size`` spaces.

    If one is the constant mask of all spaces, return the other one as it is. Otherwise ``second`` may have bits beyond
    the board, because ``first`` removes them. So a complement is shorter: with three spaces, ``m ^ 7`` as ``second``
    becomes ``~m``. Other constants are not folded.
    """
    if isinstance(first, ir.Const) and first.value == make_full_mask(size):
        return second
    if isinstance(second, ir.Const) and second.value == make_full_mask(size):
        return first
    match second:
        case ir.Binary(op="^", left=left, right=ir.Const(value=limit)) if limit == make_full_mask(size):
            second = ir.Unary("~", left)
    return ir.Binary("&", first, second)


def _shrink_mask(mask_value: ir.Value, size: int) -> tuple[ir.Value, int, int] | None:
    """Return a mask as a small number, which can index a table.

    The result is (number, space of its lowest bit, number of bits). The range of bits comes from a constant that the
    mask is intersected with, or else is the whole board. Return None if it has more than :data:`MAX_TABLE_BITS` bits,
    or if the mask is sure to be empty. Example: on a board of nine spaces, ``m & 0b11000`` gives ``(m & 0b11000) >> 3,
    3, 2``.
    """
    limit, mask_operand = make_full_mask(size), mask_value
    if isinstance(mask_value, ir.Binary) and mask_value.op == "&":
        for constant, variable in ((mask_value.left, mask_value.right), (mask_value.right, mask_value.left)):
            is_complement = isinstance(variable, ir.Unary)  # it has bits beyond the board
            if isinstance(constant, ir.Const) and isinstance(constant.value, int) and not is_complement:
                limit, mask_operand = constant.value, variable
    if not limit:
        return None
    first, last = (limit & -limit).bit_length() - 1, limit.bit_length() - 1
    if last - first >= MAX_TABLE_BITS:
        return None
    # Otherwise the shift alone drops all bits outside ``limit``.
    if limit != make_full_mask(size) ^ make_full_mask(first):
        mask_operand = mask_value
    return ir.Binary(">>", mask_operand, ir.Const(first)) if first else mask_operand, first, last - first + 1


def _select_line_test(sel: Selector, mask_value: ir.Value, lines: Iterable[int], size: int) -> ir.Value | None:
    """Return the test whether any of the lines, which are masks, is entirely inside a mask.

    Without lines it is false.

    A board of at most :data:`MAX_TABLE_BITS` spaces uses a table of all masks. Otherwise the lines are grouped by
    shape, and the test is true if any group has a match. A line without spaces is inside every mask. Return None if
    there are more than :data:`MAX_LINE_SHAPES` shapes, or if no temporary can be bound here.
    """
    distinct_lines = tuple(dict.fromkeys(lines))
    if size <= MAX_TABLE_BITS:
        rows = tuple(any(line & ~mask == 0 for line in distinct_lines) for mask in range(1 << size))
        return ir.Entry(sel.tables.add_constant(rows), mask_value)
    shapes: dict[int, int] = {}
    for line in distinct_lines:
        if not line:
            return ir.Const(True)
        lowest = line & -line
        shapes[line // lowest] = shapes.get(line // lowest, 0) | lowest
    if len(shapes) > MAX_LINE_SHAPES or sel.is_in_source:
        return None
    mask_copy = sel.allocate_temporary()
    parts: list[ir.Value] = []
    for line_shape, starts in shapes.items():
        spaces: ir.Value = ir.Bind(mask_copy, mask_value) if not parts else mask_copy
        parts.append(ir.Binary("!=", _find_line_starts(sel, spaces, mask_copy, line_shape, starts, size), ir.Const(0)))
    return ir.AnyOf(tuple(parts))


def _find_line_starts(
    sel: Selector, first: ir.Value, mask_copy: ir.Temporary, shape: int, starts: int, size: int
) -> ir.Value:
    """Return the spaces at which a line of one shape inside a mask begins.

    ``first`` is the mask at its first read, and ``mask_copy`` holds it from then on. Evenly spaced lines take a
    logarithmic number of shifts: ``m & m >> d`` finds pairs, and so on.
    """
    offsets = [offset for offset in range(shape.bit_length()) if shape >> offset & 1]
    count, mask_value = len(offsets), first
    stride = offsets[1] if count > 1 else 0
    if offsets == list(range(0, stride * count, stride or 1)):
        line_length, shift_source = 1, mask_copy
        while line_length < count:
            step = min(line_length, count - line_length)
            mask_value = ir.Binary("&", mask_value, ir.Binary(">>", shift_source, ir.Const(step * stride)))
            line_length += step
            if line_length < count:
                shift_source = sel.allocate_temporary()
                mask_value = ir.Bind(shift_source, mask_value)
    else:
        for offset in offsets[1:]:
            mask_value = ir.Binary("&", mask_value, ir.Binary(">>", mask_copy, ir.Const(offset)))
    possible_starts = sum(1 << space for space in range(size - offsets[-1]))
    return mask_value if starts == possible_starts else ir.Binary("&", mask_value, ir.Const(starts))


MAX_SPACES = 256
"""The most spaces of a board for which masks are used."""


def find_masked_places(sel: Selector, routines: Iterable[LoweredRoutine]) -> frozenset[str]:
    """Return the names of the variables for which masks are kept.

    Such a variable has one index, a space of a board with at most :data:`MAX_SPACES` (256) spaces. Its values are
    players, truth values or those of an enum with at most :data:`MAX_SPACES` values. They may be optional. Variables
    that the body or value of one of ``routines`` itself reads or writes are left out; what it calls doesn't count.
    """
    program = sel.program
    routine_places: set[str] = set()
    for routine in routines:
        for root in (*routine.body, *(() if routine.value is None else (routine.value,))):
            for node in core.walk(root):
                routine_places.update(core.get_writes(node) if isinstance(node, core.Stmt) else ())
                routine_places.update(core.get_reads(node) if isinstance(node, Expr) else ())
    names = program.variables.keys() - routine_places
    return frozenset(
        name for name in names if _list_variable_values(program, sel.players, program.variables[name]) is not None
    )


def _list_variable_values(program: core.Program, players: int, variable: core.Variable) -> tuple[object, ...] | None:
    """Return the values of a variable indexed by spaces. None if masks do not fit it."""
    if len(variable.dims) != 1 or count_spaces(program, variable.dims[0].type) is None:
        return None
    type = variable.type.item if isinstance(variable.type, OptionalType) else variable.type
    match type:
        case PlayerType():
            values: tuple[object, ...] = tuple(range(players))
        case BoolType():
            values = (False, True)
        case EnumType(name=name) if len(program.enums[name].values) <= MAX_SPACES:
            values = tuple(range(len(program.enums[name].values)))
        case _:
            return None
    return (*values, None) if isinstance(variable.type, OptionalType) else values


def make_initial_masks(program: core.Program, players: int, name: str, cells: tuple[object, ...]) -> dict[object, int]:
    """Return the masks of a variable for its ``cells``: value -> mask of the spaces that hold it, 0 if none does.

    The values come in ascending order, with None last if the variable is optional. The result is empty for a variable
    that masks do not fit.
    """
    values = _list_variable_values(program, players, program.variables[name]) or ()
    return {value: make_mask(space for space, content in enumerate(cells) if content == value) for value in values}


def count_spaces(program: core.Program, type: Type) -> int | None:
    """Return the number of spaces if ``type`` is the spaces of a board with at most :data:`MAX_SPACES` of them, else
    None.
    """
    board = program.boards.get(type.name) if isinstance(type, EnumType) else None
    return board.size if board is not None and board.size <= MAX_SPACES else None


def _count_listed_spaces(sel: Selector, expr: Expr) -> int | None:
    """Return the number of spaces of the board whose spaces a list holds. None for other lists, and without masks."""
    return count_spaces(sel.program, expr.type.item) if sel.masked_places and isinstance(expr.type, ListType) else None


def make_mask(spaces: Iterable[Any]) -> int:
    """Return the bit mask of some spaces, each given once: bit ``s`` is set for each space ``s``. It is 0 without
    spaces.
    """
    return sum(1 << space for space in spaces)


# ---------------------------------------------------------------- lists


def select_mask(sel: Selector, expr: Expr) -> ir.Value | None:
    """Return a list of distinct spaces as a mask, or None if that requires a loop. The list (0, 2) is ``ir.Const(5)``.

    Constants and table reads have masks. A filter has one if its source and condition have, and ``intersect`` and
    ``except`` if both operands have. None also stands for a list of anything but spaces, for spaces of a board with
    more than MAX_SPACES (256), and for a read or condition that can fail. The same goes for a constant or table in
    which a list has a space twice, and for a table with an ``is_open`` dimension. If ``sel.masked_places`` is empty,
    the result is None, too.
    """
    size = _count_listed_spaces(sel, expr)
    if size is None:
        return None
    match expr:
        case Const(value=tuple() as spaces):
            return ir.Const(make_mask(set(spaces))) if len(set(spaces)) == len(spaces) else None
        case core.TableRead():
            return _select_table_masks(sel, expr)
        case core.Filter(slot=slot, source=source, condition=condition):
            source_mask = select_mask(sel, source)
            holds = None if source_mask is None else select_condition_mask(sel, condition, slot, size)
            return None if source_mask is None or holds is None else intersect(source_mask, holds, size)
        case Binary(op="intersect" | "except" as op, left=left, right=right):
            first, second = select_mask(sel, left), select_mask(sel, right)
            if first is None or second is None:
                return None
            return intersect(
                first, second if op == "intersect" else ir.Binary("^", second, ir.Const(make_full_mask(size))), size
            )
    return None


def _select_table_masks(
    sel: Selector, expr: core.TableRead, masks: Callable[[Any, int], Any] | None = None
) -> ir.Value | None:
    """Return the read of a list in a table as a read of its mask, or None if it can fail or has no mask.

    ``masks(entries, depth)`` converts the table, by default :func:`_convert_lists_to_masks`.
    """
    table = sel.program.get_table(expr.table)
    if sel.can_fail(expr) or any(dim.is_open for dim in table.dims):
        return None
    mask_table = (masks or _convert_lists_to_masks)(table.values, len(table.dims))
    if mask_table is None:
        return None
    value: ir.Value = sel.add_constant(mask_table)
    for index, dim in zip(expr.indices, table.dims, strict=True):
        value = ir.Entry(value, select_operand(sel, index), dim.low or None)
    return value


@lru_cache(maxsize=256)
def _convert_lists_to_masks(entry: Any, depth: int = 1) -> Any:
    """Convert a table of lists of spaces to masks in the same nested tuples.

    ``depth`` is the number of dimensions; with 0, ``entry`` is one list. Return None if any list contains a space
    twice. Example: ``((0, 2), ())`` with depth 1 gives ``(5, 0)``.
    """
    if depth:
        rows = tuple(_convert_lists_to_masks(row, depth - 1) for row in entry)
        return None if None in rows else rows
    return make_mask(entry) if len(set(entry)) == len(entry) else None


@lru_cache(maxsize=64)
def _convert_lists_to_first_bits(entry: Any, depth: int) -> Any:
    """Convert a table of lists of spaces to the bits of their first items, in the same nested tuples of ``depth``
    dimensions.

    An empty list gives 0. Example: ``((2, 0), ())`` with depth 1 gives ``(4, 0)``.
    """
    if depth:
        return tuple(_convert_lists_to_first_bits(row, depth - 1) for row in entry)
    return 1 << entry[0] if entry else 0


# ---------------------------------------------------------------- conditions


def select_condition_mask(sel: Selector, expr: Expr, slot: int, size: int) -> ir.Value | None:
    """Return a mask of the spaces that satisfy a condition on the space in local ``slot``, of a board with ``size``
    spaces.

    Return None if the condition can have a fault or no mask fits it.
    """
    return None if sel.can_fail(expr) else _select_condition(sel, expr, slot, size)


def _select_condition(sel: Selector, expr: Expr, slot: int, size: int) -> ir.Value | None:
    """Return the mask of the spaces for which a condition on local ``slot`` holds, out of ``size``, or None if it has
    no mask form.

    Example: with masks for ``owner``, ``owner[s] = me and s in free`` becomes ``owner_masks[me] & free_mask``.
    """
    match expr:
        case core.Unary(op="not", operand=operand_):
            operand_mask = _select_condition(sel, operand_, slot, size)
            return None if operand_mask is None else _select_complement(sel, operand_mask, size)
        case Binary(op="and" | "or" as op, left=left, right=right):
            first = _select_condition(sel, left, slot, size)
            second = None if first is None else _select_condition(sel, right, slot, size)
            if first is None or second is None:
                return None
            return intersect(first, second, size) if op == "and" else ir.Binary("|", first, second)
        case Binary(op="=" | "!=" as op, left=left, right=right):
            equal = _select_equality(sel, left, right, slot) or _select_equality(sel, right, left, slot)
            return equal if equal is None or op == "=" else _select_complement(sel, equal, size)
        case Binary(op="in", left=Local(slot=item), right=right) if item == slot and not count_uses(right, slot):
            return select_mask(sel, right)
        case core.ReadCell(place=place, indices=(Local(slot=item),)) if item == slot and place in sel.masked_places:
            return ir.Entry(ir.SpaceMasks(place, True), ir.Const(True))
        case Lookup(key=Local(slot=item), values=values) if item == slot:
            return ir.Const(make_mask(space for space, holds in enumerate(values) if holds))
    return None


def _select_complement(sel: Selector, mask_value: ir.Value, size: int) -> ir.Value:
    complement = ir.Binary("^", mask_value, ir.Const(make_full_mask(size)))
    return sel.share_value(("not", mask_value.name), complement) if isinstance(mask_value, ir.Temporary) else complement


def _make_complement(mask_value: ir.Value) -> ir.Value:
    """Return the complement of a mask. It may have bits beyond the board."""
    if isinstance(mask_value, ir.Binary) and mask_value.op == "^" and isinstance(mask_value.right, ir.Const):
        return mask_value.left
    return ir.Unary("~", mask_value)


def _select_equality(sel: Selector, place: Expr, value: Expr, slot: int) -> ir.Value | None:
    """Return a mask of the spaces for which ``place``, a masked variable at the space in ``slot``, equals ``value``.

    Return None for any other ``place``, and for a ``value`` that depends on the space.
    """
    match place:
        case core.ReadCell(place=name, indices=(Local(slot=item),)) if item == slot and name in sel.masked_places:
            if not count_uses(value, slot) and _can_hold(sel, name, value):
                return select_value_mask(sel, name, value)
    return None


def select_value_mask(sel: Selector, name: str, value: Expr) -> ir.Value:
    """Return an expression for the mask of the spaces at which the variable ``name`` has the value of ``value``.

    It is ``ir.Entry(ir.SpaceMasks(name, is_present), index)`` with the selected ``value`` as the index. ``is_present``
    is False if the type of ``value`` includes none. While ``sel.shared_temporaries`` is not None, as for the options of
    a choice, it is instead a temporary that holds this entry. Calls with the same ``name`` and an equal expression
    share it, see :meth:`Selector.share_value`. A value that can fail, or reads a local in ``sel.bound_slots`` or
    ``sel.pending_bindings``, always gives the entry.
    """
    masks = ir.SpaceMasks(name, not isinstance(value.type, OptionalType | NoneType))
    value_mask = ir.Entry(masks, select_operand(sel, value))
    if core.collect_locals(value) & (sel.bound_slots.keys() | sel.pending_bindings.keys()) or sel.can_fail(value):
        return value_mask
    return sel.share_value((name, compute_structural_key(value)), value_mask)


def _can_hold(sel: Selector, name: str, value: Expr) -> bool:
    """Return whether the type of a variable includes a value."""
    type = sel.program.variables[name].type
    return isinstance(type, OptionalType) or not isinstance(value.type, OptionalType | NoneType)


# ---------------------------------------------------------------- queries on masks


def select_fold(sel: Selector, expr: core.Fold) -> ir.Value | None:
    """Select a count, ``any`` or ``all`` over spaces as a mask operation.

    A count becomes ``ir.Primitive("ones", (mask,))``, with the mask of the spaces in the source that satisfy the body.
    ``any`` becomes ``ir.Binary("!=", mask, ir.ZERO)``. ``all`` becomes an ``ir.Binary("=", …, ir.ZERO)`` for
    ``source & ~body = 0``. ``any l in lines: all s in l: …`` over constant lines tests whether all spaces of a line
    are in the mask of the inner body. Return None for any other fold, and if ``expr.condition`` isn't None. Also return
    None if ``sel.masked_places`` is empty, or if the source or the body has no mask. For lines on a board of more
    than ``MAX_TABLE_BITS`` spaces, return None if they have more than ``MAX_LINE_SHAPES`` shapes, or if
    ``sel.is_in_source``.
    """
    if expr.kind not in ("count", "any", "all") or expr.condition is not None or not sel.masked_places:
        return None
    if (result := _select_lines(sel, expr)) is not None:
        return result
    size = _count_listed_spaces(sel, expr.source)
    source = select_mask(sel, expr.source) if size is not None else None
    if size is None or source is None:
        return None
    body = select_condition_mask(sel, expr.body, expr.slot, size)
    if body is None:
        return None
    if expr.kind == "all":
        return ir.Binary("=", ir.Binary("&", source, _make_complement(body)), ir.ZERO)
    result = intersect(source, body, size)
    return ir.Primitive("ones", (result,)) if expr.kind == "count" else ir.Binary("!=", result, ir.ZERO)


def _select_lines(sel: Selector, expr: core.Fold) -> ir.Value | None:
    """Select the test whether all spaces of any constant line satisfy a condition, or return None if no mask fits it.

    Lines are lists of spaces, such as the rows of three in noughts and crosses: ``any l in lines: all s in l: owner[s]
    = me``. The condition must not depend on the line.
    """
    match expr:
        case core.Fold(
            kind="any", source=Const(value=tuple() as items), body=core.Fold(kind="all", condition=None) as each_line
        ) if not count_uses(each_line.body, expr.slot):
            size = _count_listed_spaces(sel, each_line.source)
        case _:
            return None
    if size is None or not isinstance(expr.source.type, ListType):
        return None
    lists = [sel.lowerer.substitute(each_line.source, expr.slot, item, expr.source.type.item) for item in items]
    condition = select_condition_mask(sel, each_line.body, each_line.slot, size)
    if condition is None or not all(isinstance(spaces, Const) for spaces in lists):
        return None
    lines = [make_mask(set(spaces.value)) for spaces in lists]  # type: ignore[attr-defined]
    return _select_line_test(sel, condition, lines, size)


Test = tuple[int, Expr | None]
"""The slot of an item, and the condition on it, or None without a condition."""


def restrict_to_mask(sel: Selector, source: Expr, tests: Sequence[Test]) -> tuple[ir.Value, list[Test]] | None:
    """Restrict a loop over spaces to a mask.

    Return the list of the spaces to loop over, and a new list of ``tests`` in their order. The former is the primitive
    ``select_spaces`` of a constant list in board order and the mask. A test that the mask covers has the condition
    None. The source must be a constant in board order, a filter of such a source, or ``except`` or ``intersect`` with
    such a source on the left. Else return None. Also return None if ``sel.iterates_bits`` is False, or the source has
    no mask. The same goes if the mask of source and tests is a constant, as for a constant source if no test has a
    mask, and if the source or any condition can have a fault or reads a local in ``sel.pending_bindings``.
    """
    size = _count_listed_spaces(sel, source) if sel.iterates_bits else None
    expressions = [expr for expr in (source, *(test for _, test in tests)) if expr is not None]
    if size is None or not _is_in_board_order(source) or any(map(sel.can_fail, expressions)):
        return None
    if any(core.collect_locals(expr) & sel.pending_bindings.keys() for expr in expressions):
        return None
    spaces, remaining = select_mask(sel, source), list[Test]()
    if spaces is None:
        return None
    for slot, test in tests:
        holds = None if test is None else select_condition_mask(sel, test, slot, size)
        if holds is None:
            remaining.append((slot, test))
        else:
            spaces = intersect(spaces, holds, size)
            remaining.append((slot, None))
    if isinstance(spaces, ir.Const):
        return None
    while not isinstance(source, Const):
        source = source.left if isinstance(source, Binary) else source.source  # type: ignore[attr-defined]
    return ir.Primitive("select_spaces", (sel.add_constant(source.value), spaces)), remaining


def _is_in_board_order(expr: Expr) -> bool:
    """Return whether a list certainly holds its spaces in the order of the board, by ascending number.

    This holds for ascending constants, and for filters, ``except`` and ``intersect`` of them. Anything else gives
    False.
    """
    match expr:
        case core.Filter(source=source) | Binary(op="except" | "intersect", left=source):
            return _is_in_board_order(source)
        case Const(value=tuple() as spaces):
            return list(spaces) == sorted(spaces)
    return False


def select_first(sel: Selector, expr: Expr) -> ir.Value | None:
    """Select the first space of a list: ``ir.Primitive("find_lowest_space", (mask,))``.

    This primitive fails in play if the list is empty. The list must be a filter, ``except`` or ``intersect`` of
    constant spaces in board order for which :func:`select_mask` has a mask. Return None for any other list, such as a
    constant or a table lookup.
    """
    if isinstance(expr, Const) or not _is_in_board_order(expr):
        return None
    spaces = select_mask(sel, expr)
    return None if spaces is None else ir.Primitive("find_lowest_space", (spaces,))


def record_implied_values(sel: Selector, slot: int, domain: Expr) -> None:
    """Record the values of variables at the space in ``slot``, which comes from ``domain``, as ``known_values[name,
    slot]``.

    The filters of ``domain`` imply them: a space in ``spaces where owner[s] = none`` has the owner none. Only masked
    variables that equal a constant count.
    """
    match domain:
        case core.Filter(slot=item, source=source, condition=condition):
            for test in core.flatten_chain(condition, "and"):
                match test:
                    case Binary(
                        op="=",
                        left=core.ReadCell(place=name, indices=(Local(slot=index_slot),)),
                        right=Const() as constant,
                    ):
                        if index_slot == item and name in sel.masked_places:
                            sel.known_values[name, slot] = ir.Const(constant.value)
            record_implied_values(sel, slot, source)
        case Binary(op="except" | "intersect", left=source):
            record_implied_values(sel, slot, source)


MASK_LOCAL_NAME = "a mark"
"""Name of locals that only masks need. It differs from every name in a ruleset, because it consists of two words."""


def emit_mask_update(sel: Selector, stmt: core.SetCell) -> core.SetCell:
    """Emit an ``ir.UpdateMasks`` before a masked variable changes, and return the statement to select next.

    ``stmt`` must have one index, the space. The result is a copy of ``stmt``. An index or value that is no local or
    constant is first bound to a new local, which stands in the copy. The ``before`` of the ``UpdateMasks`` is
    ``sel.known_values[stmt.place, slot]`` if the index is the local ``slot`` and this entry exists, else None. Without
    changing that dict, ``sel.known_values`` becomes a new one that lacks all entries of ``stmt.place``.
    """
    parts = []
    for expr in (*stmt.indices, stmt.value):
        if not isinstance(expr, Local | Const):
            slot = sel.lowerer.make_local(MASK_LOCAL_NAME, expr.type)
            sel.let(slot, sel.select_value(expr))
            expr = Local(expr.type, expr.span, slot, MASK_LOCAL_NAME)
        parts.append(expr)
    index, value = parts
    old_value = sel.known_values.get((stmt.place, index.slot)) if isinstance(index, Local) else None
    sel.known_values = {key: known for key, known in sel.known_values.items() if key[0] != stmt.place}
    is_present = not isinstance(value.type, OptionalType | NoneType)
    operands = select_cell(sel, stmt.place, (index,)), sel.select_value(index), sel.select_value(value)
    sel.add(ir.UpdateMasks, *operands, old_value, is_present)
    return replace(stmt, indices=(index,), value=value)


def select_first_test(sel: Selector, expr: core.Leading) -> ir.Value | None:
    """Select the test whether ``expr``, ``source while condition``, has any item: ``first & mask != 0``.

    ``first`` is the bit of the first item of ``source``, 0 if that is empty. It comes from a table of bits in the shape
    of the table of lists. ``mask`` has the spaces that satisfy the condition. Return None if ``sel.masked_places`` is
    empty, or if ``source`` is no ``core.TableRead`` of spaces of a board with at most ``MAX_SPACES`` (256). Also return
    None if a dimension of the table ``is_open``, if the read may fail, or if the condition may fail or has no mask.
    """
    size = _count_listed_spaces(sel, expr)
    if size is None or not isinstance(expr.source, core.TableRead):
        return None
    holds = select_condition_mask(sel, expr.condition, expr.slot, size)
    first = None if holds is None else _select_table_masks(sel, expr.source, _convert_lists_to_first_bits)
    return None if holds is None or first is None else ir.Binary("!=", ir.Binary("&", first, holds), ir.ZERO)


def select_filter_rows(sel: Selector, expr: core.Filter) -> ir.Value | None:
    """Select the spaces that satisfy a condition as an ``ir.Entry`` of a constant table, indexed by their mask.

    The row of each mask holds its spaces in ascending order. If the mask is ``c & m`` with a constant ``c``, the table
    covers the spaces from the lowest to the highest bit of ``c``. The mask is shifted by the lowest one: if that is 3,
    row ``0b101`` is ``(3, 5)``. With ``c`` 0, return None. For any other mask, such as ``c & ~m`` of a condition with
    ``!=``, or ``(c & m) & n`` of two filters, the table covers the whole board. Return None if it would cover more than
    :data:`MAX_TABLE_BITS` spaces, if the source is not in board order, or if :func:`select_mask` gives None for
    ``expr``.
    """
    size = _count_listed_spaces(sel, expr)
    if size is None or not _is_in_board_order(expr):
        return None
    spaces = select_mask(sel, expr)
    small_mask = None if spaces is None else _shrink_mask(spaces, size)
    if small_mask is None:
        return None
    spaces, first, count = small_mask
    lists = tuple(tuple(first + space for space in range(count) if row >> space & 1) for row in range(1 << count))
    return ir.Entry(sel.add_constant(lists), spaces)


def select_leading(sel: Selector, expr: core.Leading) -> ir.Value | None:
    """Select the items of a list before the first one that is outside the mask of the condition.

    The result is ``ir.Primitive("select_leading_spaces", (list, mask))``. Return None if ``masked_places`` of ``sel``
    is empty, or if the items are no spaces of a board with at most MAX_SPACES. Return None, too, if no mask fits the
    condition or it can have a fault, or if ``expr.source`` may be longer than the board has spaces.
    """
    size = _count_listed_spaces(sel, expr)
    if size is None or sel.bound_length(expr.source) > size:
        return None
    holds = select_condition_mask(sel, expr.condition, expr.slot, size)
    return None if holds is None else ir.Primitive("select_leading_spaces", (sel.select_value(expr.source), holds))
