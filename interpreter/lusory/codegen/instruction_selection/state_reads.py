"""Select reads of the state and of constants: cells, zones, tables, fields of components, texts and labels.

Each read gets a check if it can have a fault. Writes are in :mod:`lusory.codegen.instruction_selection.statements`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local
from lusory_dsl.types.integer_intervals import Interval
from lusory_dsl.types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, EnumType, IntType, PlayerType

from ...evaluator.expressions import find_index
from ...state.setting_value_limits_builtins_and_names import CHARACTERS_PER_VISIT
from .. import ir
from ..lower.expression_ranges import can_read_none
from ..lower.lowered_nodes_and_common_subexpressions import Lookup, Rows
from .selector_state_and_ir_emission import Selector


@lru_cache(maxsize=1024)
def _get_printed_values(program: core.Program, field: str) -> tuple[object, ...]:
    """Return the value of a field for each component. The result is cached, because it may be long."""
    return tuple(entity.fields.get(field) for entity in program.entities)


# ---------------------------------------------------------------- checks


def can_overflow(number: Interval) -> bool:
    """Return whether a number with these bounds can be outside the range of Int."""
    return number[0] < INT_MIN or number[1] > INT_MAX


def check_number(sel: Selector, expr: Expr, value: ir.Value) -> ir.Value:
    """Return ``value``, the number of ``expr``, as it is, or in an ``ir.IntCheck`` if it can be outside the range of
    Int.

    Usually this is ``IntCheck(value, temporary)``, with a new temporary that holds the number during the check. It is
    ``IntCheck(value, None)`` if ``sel.is_in_source`` (in the source of a comprehension), and if ``value`` is an
    ``ir.Pipeline`` or contains ``mod``.
    """
    if not can_overflow(sel.bounds.bound_exactly(expr)):
        return value
    has_modulo = any(isinstance(node, ir.Binary) and node.op == "mod" for node in ir.walk(value))
    is_unnamed = sel.is_in_source or isinstance(value, ir.Pipeline) or has_modulo
    return ir.IntCheck(value, None if is_unnamed else sel.allocate_temporary())


def check_list(sel: Selector, expr: Expr, value: ir.Value) -> ir.Value:
    """Return ``value``, the list of ``expr``, in an ``ir.ListLengthCheck`` if it may be longer than a list may be."""
    return value if sel.bounds.compute_max_size(expr) <= LIST_LIMIT else ir.ListLengthCheck(value)


def _check_not_none(sel: Selector, expr: Any, value: ir.Value) -> ir.Value:
    """Return ``value``, in an ``ir.NotNone`` if ``expr`` may be none although its type does not allow that."""
    return ir.NotNone(value) if can_read_none(expr, sel.program) else value


# ---------------------------------------------------------------- places


def _select_element_index(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Index:
    """Return the position of an element within its place, from 0, with constant indices folded.

    Int indices are checked at run time, unless their bounds are within the place. So a constant outside of it is a
    fault at run time. Indices of other types need no check.
    """
    place = sel.layout.place(name)
    constant = 0
    terms: list[tuple[ir.Value, int]] = []
    for index, dim, size, stride in zip(indices, place.dims, place.sizes, place.strides, strict=True):
        if isinstance(index, Const) and isinstance(index.value, int) and 0 <= index.value - dim.low < size:
            constant += (index.value - dim.low) * stride
            continue
        if isinstance(dim.type, IntType):
            value = _check_index(sel, index, name, dim.low, size)
        else:
            value = select_operand(sel, index)
        constant -= dim.low * stride
        terms.append((value, stride))
    return ir.Index(tuple(terms), constant, 0)


def _check_index(sel: Selector, expr: Expr, name: str, low: int, size: int) -> ir.Value:
    """Return an index as written: ``low`` is not subtracted. ``size`` is the number of indices of the dimension.

    If the index may be below ``low`` or above ``low + size - 1``, the result is an ``ir.IndexCheck``:
    ``IndexCheck(index, low, low + size, name, is_repeatable)``. It fails at run time with a message that names the
    place ``name``. It is repeatable if ``expr`` is a ``core.Local``. In a check, a cell is a bare ``ir.Cell``.
    """
    interval = sel.bounds.bound_number(expr)
    if low <= interval[0] and interval[1] < low + size:
        return sel.select_value(expr)
    return ir.IndexCheck(select_operand(sel, expr), low, low + size, name, isinstance(expr, Local))


def select_operand(sel: Selector, expr: Expr) -> ir.Value:
    """Select a value for arithmetic or as an index. A cell is the bare ``ir.Cell``.

    It needs no check for none there, since any backend rejects none itself.
    """
    if isinstance(expr, core.ReadCell):
        with sel.record_expression(expr):
            return select_cell(sel, expr.place, expr.indices)
    return sel.select_value(expr)


def select_cell(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Cell:
    """Return the cell of a variable or pool, to be read without a check for none, or to be written."""
    return ir.Cell(name, _select_element_index(sel, name, indices))


def select_zone_number(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Index:
    """Return the number of a card zone among all zones of the state, as an index whose ``base`` is the zone's first
    number.
    """
    position = _select_element_index(sel, name, indices)
    return ir.Index(position.terms, position.constant, sel.layout.zones[name].offset)


def select_zone(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Zone:
    """Return a card zone, as a list that other operations may change."""
    return ir.Zone(select_zone_number(sel, name, indices))


# ---------------------------------------------------------------- leaves


def select_constant(sel: Selector, expr: Const) -> ir.Value:
    """Select a constant as :meth:`Selector.add_constant` gives it."""
    return sel.add_constant(expr.value)


def select_local(sel: Selector, expr: Local) -> ir.Value:
    """Select a read of a local: an ``ir.Local``, or an ``ir.BoundLocal`` if its slot is in ``sel.bound_slots``.

    An ``ir.Local`` has the slot of ``expr``, an ``ir.BoundLocal`` the output slot from ``sel.bound_slots``. If the slot
    is in ``sel.pending_bindings``, the read is an ``ir.Bind`` of this ``BoundLocal`` to the pending value. The slot is
    then removed from ``sel.pending_bindings``, so that only the first read binds it.
    """
    pending = sel.pending_bindings.pop(expr.slot, None)
    if pending is not None:
        return ir.Bind(ir.BoundLocal(sel.bound_slots[expr.slot]), pending.value)
    return ir.BoundLocal(sel.bound_slots[expr.slot]) if expr.slot in sel.bound_slots else ir.Local(expr.slot)


def select_cell_read(sel: Selector, expr: core.ReadCell) -> ir.Value:
    """Select a read of a variable or pool: its ``ir.Cell``, in an ``ir.NotNone`` if it may be none against its type."""
    return _check_not_none(sel, expr, select_cell(sel, expr.place, expr.indices))


def select_zone_read(sel: Selector, expr: core.ReadZone) -> ir.Value:
    """Select the components of a card zone as the primitive ``snapshot``, a list that later moves do not change."""
    return ir.Primitive("snapshot", (select_zone(sel, expr.zone, expr.indices),))


def select_zone_test(sel: Selector, expr: core.LiesIn) -> ir.Value:
    """Select the test whether a component is in any list of a zone, by the number of its location.

    Example: ``ir.Binary("in", ir.Location(x), ir.Table(1))``. The constant of the table is a frozenset of the numbers
    of all lists of the zone.
    """
    place = sel.layout.zones[expr.zone]
    numbers = tuple(range(place.offset, place.offset + place.size))
    return ir.Binary("in", ir.Location(sel.select_value(expr.component)), sel.tables.add_constant(frozenset(numbers)))


def select_place_index(sel: Selector, expr: core.IndexOfPlace) -> ir.Value:
    """Select the index of the zone that holds a component, such as the player whose hand it is in.

    Returns an ``ir.Entry`` at the component's ``ir.Location`` of a constant dict from the number of a zone to its first
    index of the type of ``expr``, Player also for ``Player?``. A zone without such an index gets None. A hand for each
    of two players and a deck give ``{None: None, 0: 0, 1: 1, 2: None}``. The key None stands for a component in no
    zone. If the type of ``expr`` is not optional, the entry is in an ``ir.NotNone``.
    """
    index_by_zone: dict[int | None, int | None] = {None: None}
    for number in range(sel.layout.zone_count):
        name, indices = sel.layout.get_zone(number)
        index_by_zone[number] = find_index(sel.program.zones[name], indices, expr.type)
    table = sel.tables.add_constant(index_by_zone)
    return _check_not_none(sel, expr, ir.Entry(table, ir.Location(sel.select_value(expr.component))))


def select_pool_total(sel: Selector, expr: core.PoolTotal) -> ir.Value:
    """Select the sum of the cells of all kinds in a pool: an ``ir.Sum``, or the cell itself if there is a single kind.

    If the sum can be outside the range of Int, it is in an ``ir.IntCheck``.
    """
    pool = sel.program.pools[expr.zone]
    cells = tuple(
        select_cell(sel, expr.zone, (*expr.indices, Const(pool.holds, expr.span, kind))) for kind in pool.kinds
    )
    return check_number(sel, expr, ir.Sum(cells) if len(cells) > 1 else cells[0])


def select_table_read(sel: Selector, expr: core.TableRead) -> ir.Value:
    """Select an entry of a table: nested ``ir.Entry`` nodes, one for each index.

    Example: ``t[2, x]`` with Int dimensions from 1 gives ``Entry(Entry(t, 2, 1), x, 1)``. The third part, ``low``, is
    the lowest index of an Int dimension, even 0. A player or enum index gives None, a component index the number of the
    first component of its kind, but None instead of 0. An Int index that may be outside its dimension is in an
    ``ir.IndexCheck``, unless the dimension is open: lowering has tested such indices. The result is in an
    ``ir.NotNone`` if the table may hold none, but ``expr.type`` is not optional.
    """
    table = sel.program.get_table(expr.table)
    value = sel.add_constant(table.values)
    for index, dim in zip(expr.indices, table.dims, strict=True):
        size = dim.size if dim.size is not None else sel.players
        is_number = isinstance(dim.type, IntType)
        # Lowering has already tested the indices of open dimensions.
        is_checked = is_number and not dim.is_open
        checked_index = (
            _check_index(sel, index, expr.table, dim.low, size) if is_checked else select_operand(sel, index)
        )
        value = ir.Entry(value, checked_index, dim.low if is_number else dim.low or None)
    return _check_not_none(sel, expr, value)


def select_field(sel: Selector, expr: core.Field) -> ir.Value:
    """Select a printed field of a component: an ``ir.Entry`` of a constant table with the field of all components.

    It is in an ``ir.NotNone`` if the field may be none against its type.
    """
    table = sel.tables.add_constant(_get_printed_values(sel.program, expr.field))
    return _check_not_none(sel, expr, ir.Entry(table, select_operand(sel, expr.component)))


def select_option(sel: Selector, expr: core.OptionValue) -> ir.Value:
    """Select an option of the game as an ``ir.Option``, which the code reads at run time."""
    return ir.Option(expr.option)


def select_lookup(sel: Selector, expr: Lookup) -> ir.Value:
    """Select an entry of a lookup table that lowering has made, as an ``ir.Entry``."""
    return ir.Entry(sel.add_constant(expr.values), select_operand(sel, expr.key))


def select_rows(sel: Selector, expr: Rows) -> ir.Value:
    """Select an entry of nested rows as nested ``ir.Entry`` values. The first index selects the outer row.

    The ``low`` of each entry is the lowest value of its index, or None if that is 0. The backend subtracts it from the
    index, which is not checked.
    """
    value = sel.add_constant(expr.values)
    for index, low in zip(expr.indices, expr.lows, strict=True):
        value = ir.Entry(value, select_operand(sel, index), low or None)
    return value


def select_text(sel: Selector, expr: core.TextTemplate) -> ir.Value:
    """Select a text.

    A text whose only variable part is a player becomes an ``ir.Entry``: the seat's entry of a constant such as
    ``("P1 wins", "P2 wins")``. Otherwise, and if one of these exceeds ``TEXT_LIMIT``, it is an ``ir.Text`` of its
    parts, or its single part: ``Score: {n}`` gives ``ir.Text((ir.Const("Score: "), ir.Label("Int", n)))``. An enum
    value or a player among the parts is an ``ir.Entry`` of the labels of its type. The type of any other part is added
    to ``sel.label_types``, such as ``"Int"``. Around such an ``ir.Text`` or single part, but not around the entry of
    the seat, is an ``ir.TextLengthCheck`` if it may have :data:`CHARACTERS_PER_VISIT` characters or more; its
    second value is the most characters that it may have. A text without parts is ``ir.Const("")``.
    """
    values = [part for part in expr.parts if not isinstance(part, str)]
    if len(values) == 1 and isinstance(values[0].type, PlayerType):
        rows = tuple(
            "".join(part if isinstance(part, str) else f"P{seat + 1}" for part in expr.parts)
            for seat in range(sel.players)
        )
        if all(len(row) <= TEXT_LIMIT for row in rows):
            return ir.Entry(sel.add_constant(rows), sel.select_value(values[0]))
    parts = tuple(ir.Const(part) if isinstance(part, str) else _select_label(sel, part) for part in expr.parts)
    if not parts:
        return ir.Const("")
    value = ir.Text(parts) if len(parts) > 1 else parts[0]
    max_length = sel.bounds.bound_text(expr)
    return ir.TextLengthCheck(value, max_length) if max_length >= CHARACTERS_PER_VISIT else value


def _select_label(sel: Selector, expr: Expr) -> ir.Value:
    """Return the label of a value, as a text shows it.

    Enum values and players become a lookup in a table of their labels. Any other type gives an ``ir.Label``, and is
    added to ``sel.label_types``.
    """
    if isinstance(expr.type, EnumType):
        labels = tuple(value.label for value in sel.program.enums[expr.type.name].values)
    elif isinstance(expr.type, PlayerType):
        labels = tuple(f"P{seat + 1}" for seat in range(sel.players))
    else:
        sel.label_types[str(expr.type)] = expr.type
        return ir.Label(str(expr.type), sel.select_value(expr))
    return ir.Entry(sel.add_constant(labels), sel.select_value(expr))
