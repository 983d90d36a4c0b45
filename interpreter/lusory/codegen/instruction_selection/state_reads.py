"""Select reads of the state and of constants: cells, zones, tables, fields of components, texts and labels.

Each read gets a check if it can have a fault. Writes are in :mod:`lusory.codegen.instruction_selection.statements`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local
from lusory_dsl.types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, EnumType, Interval, IntType, PlayerType

from ...evaluator.expressions import index_of
from ...state.setting import CHARACTERS_PER_VISIT
from .. import ir
from ..lower.expression_ranges import may_be_none
from ..lower.lowered_nodes import Lookup, Rows
from .selector import Selector


@lru_cache(maxsize=1024)
def _printed(program: core.Program, field: str) -> tuple[object, ...]:
    """Return the value of a field for each component. The result is cached, because it may be long."""
    return tuple(entity.fields.get(field) for entity in program.entities)


# ---------------------------------------------------------------- checks


def outside(number: Interval) -> tuple[bool, bool]:
    """Return whether a number can be below the range of Int, and whether it can be above."""
    low, high = number
    return low < INT_MIN, high > INT_MAX


def beyond(number: ir.Value, below: bool, above: bool) -> ir.Value:
    """Return the test whether a number is outside the range of Int."""
    if not below:
        return ir.Binary(">", number, ir.Const(INT_MAX))
    if not above:
        return ir.Binary("<", number, ir.Const(INT_MIN))
    return ir.Primitive("no_int", (number,))


def whole(sel: Selector, e: Expr, value: ir.Value) -> ir.Value:
    """Return a number, with a check if it can be outside the range of Int."""
    below, above = outside(sel.bounds.exact(e))
    if not below and not above:
        return value
    return ir.IntCheck(value, below, above, None if sel.is_in_source or _is_pipeline(value) else sel.new_temporary())


def _is_pipeline(value: ir.Value) -> bool:
    return isinstance(value, ir.Pipeline) or any(isinstance(v, ir.Binary) and v.op == "mod" for v in ir.walk(value))


def listed(sel: Selector, e: Expr, value: ir.Value) -> ir.Value:
    """Return a list, with a check if it may be too long."""
    return value if sel.bounds.size(e) <= LIST_LIMIT else ir.ListLengthCheck(value)


def not_none(sel: Selector, e: Any, value: ir.Value) -> ir.Value:
    """Return a value, with a check if it may be none where the type does not allow that."""
    return ir.NotNone(value) if may_be_none(e, sel.program) else value


# ---------------------------------------------------------------- places


def element(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Index:
    """Return the position of an element within its place, with constant indices folded."""
    place = sel.layout.place(name)
    known = 0
    terms: list[tuple[ir.Value, int]] = []
    for e, dim, size, stride in zip(indices, place.dims, place.sizes, place.strides, strict=True):
        if isinstance(e, Const) and isinstance(e.value, int):
            position = e.value - dim.low
            if not 0 <= position < size:
                terms.append((ir.IndexFault(name, ir.Const(e.value)), 1))
            else:
                known += position * stride
            continue
        value = checked(sel, e, name, dim.low, size) if isinstance(dim.type, IntType) else operand(sel, e)
        known -= dim.low * stride
        terms.append((value, stride))
    return ir.Index(tuple(terms), known, 0)


def checked(sel: Selector, e: Expr, name: str, low: int, size: int) -> ir.Value:
    """Return an index as written: ``low`` is not subtracted.

    If its known bounds are not within ``low`` and ``low + size - 1``, the result is an InRange. It fails at run
    time with a
    message that names the place.
    """
    interval = sel.bounds.bound_number(e)
    if low <= interval[0] and interval[1] < low + size:
        return sel.value(e)
    again = isinstance(e, Local)
    return ir.IndexCheck(sel.value(e) if again else operand(sel, e), low, low + size, name, again)


def operand(sel: Selector, e: Expr) -> ir.Value:
    """Select a value for arithmetic or as an index.

    A cell needs no check for none there, since any backend rejects none itself.
    """
    if isinstance(e, core.ReadCell):
        with sel.within(e):
            return cell(sel, e.place, e.indices)
    return sel.value(e)


def cell(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Cell:
    """Return the cell of a variable or pool, to be read without a check for none, or to be written."""
    return ir.Cell(name, element(sel, name, indices))


def zone_number(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Index:
    """Return the number of a card zone among all zones of the state."""
    found = element(sel, name, indices)
    return ir.Index(found.terms, found.constant, sel.layout.zones[name].offset)


def zone(sel: Selector, name: str, indices: tuple[Expr, ...]) -> ir.Zone:
    """Return a card zone, as a list that other operations may change."""
    return ir.Zone(zone_number(sel, name, indices))


# ---------------------------------------------------------------- leaves


def const(sel: Selector, e: Const) -> ir.Value:
    return sel.constant(e.value)


def local(sel: Selector, e: Local) -> ir.Value:
    """Select a read of a local. A pending value is bound here, at its first read."""
    naming = sel.pending_bindings.pop(e.slot, None)
    if naming is not None:
        return ir.Bind(ir.BoundLocal(sel.bound_slots[e.slot]), naming.value)
    return ir.BoundLocal(sel.bound_slots[e.slot]) if e.slot in sel.bound_slots else ir.Local(e.slot)


def read_cell(sel: Selector, e: core.ReadCell) -> ir.Value:
    """Select a read of a variable or pool, with a check if the cell may be none against its type."""
    return not_none(sel, e, cell(sel, e.place, e.indices))


def read_zone(sel: Selector, e: core.ReadZone) -> ir.Value:
    """Select the present components of a card zone, as a list that later moves do not change."""
    return ir.Primitive("snapshot", (zone(sel, e.zone, e.indices),))


def lies_in(sel: Selector, e: core.LiesIn) -> ir.Value:
    """Select the test whether a component is in a zone, by the number of its location."""
    place = sel.layout.zones[e.zone]
    numbers = tuple(range(place.offset, place.offset + place.size))
    location = ir.Location(sel.value(e.component))
    if len(numbers) == 1:
        return ir.Binary("=", location, ir.Const(numbers[0]))
    return ir.Binary("in", location, sel.tables.constant(frozenset(numbers)))


def index_of_place(sel: Selector, e: core.IndexOfPlace) -> ir.Value:
    """Select the index of the zone that holds a component, by a table of all zones."""
    known: dict[int | None, int | None] = {None: None}
    for number in range(sel.layout.zone_count):
        name, indices = sel.layout.zone_at(number)
        known[number] = index_of(sel.program.zones[name], indices, e.type)
    table = sel.tables.constant(known)
    return not_none(sel, e, ir.Entry(table, ir.Location(sel.value(e.component))))


def pool_total(sel: Selector, e: core.PoolTotal) -> ir.Value:
    """Select the sum of the counters of all kinds in a pool."""
    pool = sel.program.pools[e.zone]
    cells = tuple(cell(sel, e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds)
    return whole(sel, e, ir.Sum(cells) if len(cells) > 1 else cells[0])


def table_read(sel: Selector, e: core.TableRead) -> ir.Value:
    """Select an entry of a table. Constant leading indices are resolved here."""
    table = sel.program.get_table(e.table)
    entry: Any = table.values
    indices = list(zip(e.indices, table.dims, strict=True))
    while indices and isinstance(indices[0][0], Const):
        (index, dim), *indices = indices
        entry = entry[index.value - dim.low]  # type: ignore[attr-defined]
    value = sel.constant(entry)
    for index, dim in indices:
        size = dim.size if dim.size is not None else sel.players
        is_number = isinstance(dim.type, IntType)
        # Lowering has already tested the indices of open dimensions.
        is_checked = is_number and not dim.is_open
        inner = checked(sel, index, e.table, dim.low, size) if is_checked else operand(sel, index)
        value = ir.Entry(value, inner, dim.low if is_number else dim.low or None)
    return not_none(sel, e, value)


def field(sel: Selector, e: core.Field) -> ir.Value:
    """Select a printed field of a component, by a table of all components."""
    table = sel.tables.constant(_printed(sel.program, e.field))
    return not_none(sel, e, ir.Entry(table, operand(sel, e.component)))


def option_value(sel: Selector, e: core.OptionValue) -> ir.Value:
    return ir.Option(e.option)


def lookup(sel: Selector, e: Lookup) -> ir.Value:
    """Select an entry of a lookup table that lowering has made."""
    return ir.Entry(sel.constant(e.values), operand(sel, e.of))


def rows(sel: Selector, e: Rows) -> ir.Value:
    """Select an entry of nested rows, without checks of the indices."""
    value = sel.constant(e.values)
    for index, low in zip(e.indices, e.lows, strict=True):
        value = ir.Entry(value, operand(sel, index), low or None)
    return value


def text(sel: Selector, e: core.TextTemplate) -> ir.Value:
    """Select a text. A text whose only variable part is a player becomes a lookup by seat."""
    moving = [p for p in e.parts if not isinstance(p, str)]
    if len(moving) == 1 and isinstance(moving[0].type, PlayerType):
        rows = tuple("".join(p if isinstance(p, str) else f"P{seat + 1}" for p in e.parts) for seat in _seats(sel))
        if all(len(row) <= TEXT_LIMIT for row in rows):
            return ir.Entry(sel.constant(rows), sel.value(moving[0]))
    parts = tuple(ir.Const(p) if isinstance(p, str) else shown(sel, p) for p in e.parts)
    if not parts:
        return ir.Const("")
    value = ir.Text(parts) if len(parts) > 1 else parts[0]
    most = sel.bounds.bound_text(e)
    return ir.TextLengthCheck(value, most) if most >= CHARACTERS_PER_VISIT else value


def shown(sel: Selector, e: Expr) -> ir.Value:
    """Return the label of a value, as a text shows it."""
    if isinstance(e.type, EnumType):
        labels = tuple(v.label for v in sel.program.enums[e.type.name].values)
        return ir.Entry(sel.constant(labels), sel.value(e))
    if isinstance(e.type, PlayerType):
        return ir.Entry(sel.constant(tuple(f"P{seat + 1}" for seat in _seats(sel))), sel.value(e))
    sel.label_types[str(e.type)] = e.type
    return ir.Label(str(e.type), sel.value(e))


def _seats(sel: Selector) -> range:
    return range(sel.players)
