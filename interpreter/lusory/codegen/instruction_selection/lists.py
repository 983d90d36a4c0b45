"""Select list expressions, and fuse nested comprehensions into single loops.

A list takes one of three forms:

- a mask of spaces (see :mod:`lusory.codegen.instruction_selection.bitboards`);
- a :class:`ConditionalList`, which unrolls a list of few known items;
- a :func:`_select_pipeline`, which loops over a source, tests its items, and passes them on to a sink such as a sum.

Example: the sum of ``f(x)`` over the items of ``xs`` with ``p(x)`` becomes one loop without an intermediate list.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, Fold, Local, flatten_chain
from lusory_dsl.types.types import INT, ComponentType, ListType, Type

from ...state import connected_spaces_and_reachability
from ...state.setting_value_limits_builtins_and_names import SHORT_LIST, unwrap_list_type
from ...state.static_work_charges_and_list_bounds import WORK_CAP
from .. import ir
from ..ir.types import list_leaves
from ..lower.expression_ranges import can_exceed_list_limit
from ..lower.lowered_nodes_and_common_subexpressions import Lookup, count_uses, match_optional_list
from . import bitboards
from .bitboards import select_mask
from .selector_state_and_ir_emission import Selector
from .state_reads import check_list, check_number, select_cell, select_zone

# The most conditions of a list that is looked up in a table by their bits. The table has at most 64 rows.
MAX_TABLE_CONDITIONS = 6
# The most items that nested loops of one expression may visit without counting work.
MAX_UNCOUNTED_ITEMS = 2_500
# The assumed number of calls of a shared query in a loop.
ASSUMED_QUERY_CALLS = 50
# The most items over which a fold is unrolled.
MAX_UNROLLED_ITEMS = 12


@dataclass(frozen=True)
class ConditionalList:
    """A list of known items in a known order.

    Item ``i`` is in the list if ``conditions[i]`` holds, and always if that is None.
    """

    items: tuple[Any, ...]
    conditions: tuple[ir.Value | None, ...]

    @property
    def is_certain(self) -> bool:
        """True if no item has a condition."""
        return all(condition is None for condition in self.conditions)

    @property
    def open_conditions(self) -> tuple[ir.Value, ...]:
        """The conditions of the items that are not always in the list, in the order of the items."""
        return tuple(condition for condition in self.conditions if condition is not None)


# ---------------------------------------------------------------- conditional lists


def match_conditional_list(sel: Selector, expr: Expr) -> ConditionalList | None:
    """Return a list as known items with conditions, in order. None if its possible items are unknown or too many, or if
    a condition can have a fault.

    Constants, pools, filters, unions and reversed lists of these have this form. The kinds of a pool have the
    conditions ``number > 0``.
    """
    with sel.record_expression(expr):
        match expr:
            case Const(value=tuple() as values) if len(values) <= MAX_UNROLLED_ITEMS:
                return ConditionalList(values, (None,) * len(values))
            case core.PoolKinds():
                return None if sel.can_fail(expr) else _list_pool_kinds(sel, expr)
            case core.Filter():
                return _match_filter(sel, expr)
            case Binary(op="union"):
                return _match_union(sel, expr)
            case CallBuiltin(name="reverse", args=(argument,)):
                operand = match_conditional_list(sel, argument)
                return None if operand is None else ConditionalList(operand.items[::-1], operand.conditions[::-1])
    return None


def _list_pool_kinds(sel: Selector, expr: core.PoolKinds) -> ConditionalList:
    """Return all kinds that a pool can hold, each with the condition ``number > 0``."""
    pool = sel.program.pools[expr.zone]
    kinds = [Const(pool.holds, expr.span, kind) for kind in pool.kinds]
    cells = [select_cell(sel, expr.zone, (*expr.indices, kind)) for kind in kinds]
    return ConditionalList(pool.kinds, tuple([ir.Binary(">", cell, ir.ZERO) for cell in cells]))


def _match_filter(sel: Selector, expr: core.Filter) -> ConditionalList | None:
    source = match_conditional_list(sel, expr.source)
    if source is None or not sel.lowerer.can_unroll(len(source.items)):
        return None
    items: list[Any] = []
    conditions: list[ir.Value | None] = []
    with sel.lowerer.unrolling(len(source.items)):
        for item, condition in zip(source.items, source.conditions, strict=True):
            test = sel.lowerer.substitute(expr.condition, expr.slot, item, unwrap_list_type(expr.source.type))
            if isinstance(test, Const) and not test.value:
                continue
            if sel.can_fail(test):  # a fault must occur in order, so the tests must be evaluated one after the other
                return None
            items.append(item)
            is_certain = isinstance(test, Const)
            conditions.append(condition if is_certain else _join_conditions(condition, sel.select_value(test)))
    return ConditionalList(tuple(items), tuple(conditions))


def _join_conditions(first: ir.Value | None, second: ir.Value) -> ir.Value:
    """Return the conjunction of an item's condition and a further one. ``first`` None always holds."""
    return second if first is None else ir.AllOf((first, second))


def _match_union(sel: Selector, expr: Binary) -> ConditionalList | None:
    left, right = match_conditional_list(sel, expr.left), match_conditional_list(sel, expr.right)
    if left is None or right is None or len(set(left.items)) != len(left.items) or set(left.items) & set(right.items):
        return None
    return ConditionalList(left.items + right.items, left.conditions + right.conditions)


def select_by_conditions(sel: Selector, conditional_list: ConditionalList) -> ir.Value:
    """Return a list as ``ir.ConditionalItems(items, flags, rows)``. ``flags`` holds all conditions, also None.

    ``rows`` is an ``ir.Table``, which names a constant of the module. It is indexed by the bits of the conditions that
    are not None; the first one is bit 0. It has ``2 ** n`` rows for n such conditions. Example: an item 3 with the
    condition ``a``, and 5 without a condition, give the constant ``((5,), (3, 5))``. If no item has a condition, the
    result is the ``ir.Table`` of the items, or ``ir.Const(())`` without items.
    """
    if conditional_list.is_certain:
        return sel.add_constant(conditional_list.items)
    items, conditions = conditional_list.items, conditional_list.conditions
    rows: list[tuple[Any, ...]] = [()]
    for item, condition in zip(items, conditions, strict=True):
        with_item = [(*row, item) for row in rows]
        rows = with_item if condition is None else rows + with_item
    return ir.ConditionalItems(items, conditions, sel.tables.add_constant(tuple(rows)))


def select_sequence(sel: Selector, expr: Expr) -> ir.Value:
    """Select a list for reading its length and its items only.

    A zone is a ``Zone``, without a copy. A pipeline with the sink ``list`` gets the sink ``array``. Any other list is
    selected as usual.
    """
    if isinstance(expr, core.ReadZone):
        return select_zone(sel, expr.zone, expr.indices)
    value = sel.select_value(expr)
    if isinstance(value, ir.Pipeline) and value.sink == "list":
        return replace(value, sink="array")
    return value


def select_uncopied(sel: Selector, expr: Expr) -> ir.Value:
    """Select a list for reading only: a zone is a ``Zone`` without a copy, any other list is selected as usual."""
    return select_zone(sel, expr.zone, expr.indices) if isinstance(expr, core.ReadZone) else sel.select_value(expr)


# ---------------------------------------------------------------- comprehensions


def select_filter(sel: Selector, expr: core.Filter) -> ir.Value:
    """Select a filter, as the first of these forms that is possible.

    A short list of known items (:func:`match_conditional_list`) becomes an ``ir.ConditionalItems``. If no item has a
    condition, it becomes an ``ir.Table``, or ``ir.Const(())`` without items. At most :data:`MAX_TABLE_CONDITIONS` items
    may have a condition, and no condition may have a fault. A constant source may have at most
    :data:`MAX_UNROLLED_ITEMS` items, and fewer if ``Lowerer.can_unroll`` refuses so many. Spaces of a small part of a
    board become an ``ir.Entry`` of a table that is indexed by a mask (:func:`bitboards.select_filter_rows`). Any other
    filter becomes a pipeline with the sink ``list``.
    """
    conditional_list = match_conditional_list(sel, expr)
    if conditional_list is not None and len(conditional_list.open_conditions) <= MAX_TABLE_CONDITIONS:
        return select_by_conditions(sel, conditional_list)
    rows = bitboards.select_filter_rows(sel, expr)
    return rows or _select_pipeline(sel, expr.slot, expr.source, expr.condition, None, "list")


def select_pool_kinds(sel: Selector, expr: core.PoolKinds) -> ir.Value:
    """Select the kinds in a pool as an ``ir.ConditionalItems``: the kinds, and for each the flag that its number is
    above 0.

    For a pool of more than :data:`MAX_TABLE_CONDITIONS` kinds, it is an ``ir.Concatenation`` of several, because each
    has a table with ``2 ** n`` rows. Each has that many kinds, and the last one the rest: 8 kinds give parts of 6 and
    2.
    """
    kinds = _list_pool_kinds(sel, expr)
    begins = range(0, len(kinds.items), MAX_TABLE_CONDITIONS)
    ranges = [slice(begin, begin + MAX_TABLE_CONDITIONS) for begin in begins]
    cut = [ConditionalList(kinds.items[part], kinds.conditions[part]) for part in ranges]
    parts = [select_by_conditions(sel, part) for part in cut]
    return parts[0] if len(parts) == 1 else ir.Concatenation(tuple(parts))


def select_map(sel: Selector, expr: core.MapList) -> ir.Value:
    """Select a mapped list: as an ``ir.Tuple`` if the items of its source are known at compile time, else as a
    pipeline.

    The items of a constant with at most :data:`MAX_UNROLLED_ITEMS` items are known. Filters, set operations and
    ``reverse`` of constants count as the constant that they give. ``expr.condition`` always gives a pipeline, unless it
    is None. So does a condition in the source, unless the compiler can decide it for each item, and a source with more
    items than ``Lowerer.can_unroll`` allows. Without these, a source that is sure to be empty gives the constant
    ``()``.
    """
    conditional_list = match_conditional_list(sel, expr.source)
    if conditional_list is not None and conditional_list.is_certain and expr.condition is None:
        items, type = conditional_list.items, unwrap_list_type(expr.source.type)
        if sel.lowerer.can_unroll(len(items)):
            bodies = [sel.lowerer.substitute(expr.body, expr.slot, item, type) for item in items]
            with sel.lowerer.unrolling(len(items)):
                return sel.select_replacement(core.ListLit(expr.type, expr.span, tuple(bodies)))
    return _select_pipeline(sel, expr.slot, expr.source, expr.condition, expr.body, "list")


def _select_pipeline(
    sel: Selector, slot: int, source: Expr, condition: Expr | None, body: Expr | None, sink: str, is_lazy: bool = False
) -> ir.Pipeline:
    """Fuse a comprehension into a loop: a source, tests and a body, and a sink for the results.

    ``slot`` holds the item. ``condition`` None means no test, and ``body`` None the item itself. ``sink`` is ``list``,
    ``joined``, or the kind of a fold. With ``is_lazy``, the loop stops as soon as the result is known. The order of the
    items matters only for a list or with ``is_lazy``. Filters of the source become tests, unless that changes the order
    of faults.
    """
    tests = [(slot, condition)]
    source = _take_filters(sel, source, tests, body)
    first_slot, first_condition = tests[0]
    components = _match_components_in_zone(sel, first_slot, source, first_condition, sink == "list" or is_lazy)
    was_in_source, sel.is_in_source = sel.is_in_source, True
    loop_source: ir.Value
    if components is None:
        loop_source, tests = select_loop_source(sel, source, tests)
    else:
        loop_source, tests[0] = components[0], (first_slot, components[1])
    sel.is_in_source = was_in_source
    with ExitStack() as stack:
        stack.enter_context(sel.repeating(sel.bound_length(source)))
        for test_slot, _ in tests:
            bind_item_bounds(sel, test_slot, source)
            stack.enter_context(sel.binding(test_slot, slot))
        value = None if body is None else sel.select_value(body)
        conditions = [test for _, test in tests if test is not None]
        test_values = tuple([sel.select_value(test) for test in conditions])
    sorts_last = False
    match loop_source:
        case ir.ComponentsIn(is_ordered=True) if body is None and conditions and not any(map(sel.can_fail, conditions)):
            # Sorting after the tests sorts fewer components.
            loop_source, sorts_last = replace(loop_source, is_ordered=False), True
    return ir.Pipeline(slot, loop_source, test_values, value, sink, is_lazy, sorts_last)


def _fuse_nested_lists(sel: Selector, slot: int, source: core.Concat) -> ir.Pipeline | None:
    """Select concatenated lists as one list without building them, with the outer loop as a clause.

    ``slot`` holds the item. Return None if any part can have a fault.
    """
    inner_list, condition = source.body, source.condition
    if sel.can_fail(source):
        return None
    tests: list[tuple[int, Expr | None]] = []
    while isinstance(inner_list, core.MapList) and _is_item_copy(inner_list):
        tests.insert(0, (inner_list.slot, inner_list.condition))
        inner_list = inner_list.source
    with sel.repeating(sel.bound_length(source.source)), sel.binding(source.slot):
        bind_item_bounds(sel, source.slot, source.source)
        was_in_source, sel.is_in_source = sel.is_in_source, True
        outer_source = count_visits(sel, source.source, _select_iterable(sel, source.source))
        outer_tests = () if condition is None else (sel.select_value(condition),)
        single_item = match_optional_list(inner_list)
        if single_item is None:
            inner_source = count_visits(sel, inner_list, _select_iterable(sel, inner_list))
        else:
            inner_source = ir.Tuple((sel.select_value(single_item),))
        sel.is_in_source = was_in_source
        with ExitStack() as stack:
            stack.enter_context(sel.repeating(sel.bound_length(inner_list)))
            for name, _ in tests:
                stack.enter_context(sel.binding(name, slot))
            presence = () if single_item is None else (ir.Binary("is not", ir.BoundLocal(slot), ir.Const(None)),)
            test_values = (*presence, *(sel.select_value(test) for _, test in tests if test is not None))
    clause = ir.Clause(source.slot, outer_source, outer_tests)
    return ir.Pipeline(slot, inner_source, test_values, None, "list", outer=(clause,))


def _is_item_copy(expr: core.MapList) -> bool:
    """Return whether a list consists of items of another list, unchanged."""
    return isinstance(expr.body, Local) and expr.body.slot == expr.slot


def _take_filters(sel: Selector, source: Expr, tests: list[tuple[int, Expr | None]], body: Expr | None) -> Expr:
    """Move the filters of a source into ``tests``, and return the source without them.

    A filter stays if a later part can have a fault. Then it must test all items before any of them goes on.
    """
    later_parts = [expr for expr in (tests[0][1], body) if expr is not None]
    if any(sel.can_fail(expr) for expr in later_parts):
        return source
    while isinstance(source, core.Filter) and match_conditional_list(sel, source) is None:
        if sel.can_fail(source.condition):
            break
        tests.insert(0, (source.slot, source.condition))
        source = source.source
    return source


def _match_components_in_zone(
    sel: Selector, slot: int, source: Expr, condition: Expr | None, is_ordered: bool
) -> tuple[ir.ComponentsIn, Expr | None] | None:
    """Find the components of a kind that are in a zone by reading the zone, instead of testing every component.

    Return the components and the remaining condition, or None for none. Return None if the source is not all components
    of a kind, or if the condition does not require a zone. Tests before that of the zone move after it, so they must
    not have a fault. Example: ``all c of cards where c in hand and f(c)`` becomes the components in ``hand`` with
    ``f(c)``.
    """
    if condition is None or not isinstance(source, Const):
        return None
    conditions = flatten_chain(condition, "and")
    zone_tests = [
        isinstance(test, core.LiesIn) and isinstance(test.component, Local) and test.component.slot == slot
        for test in conditions
    ]
    number = zone_tests.index(True) if any(zone_tests) else len(conditions)
    if number == len(conditions) or any(map(sel.can_fail, conditions[:number])):
        return None
    zone_test = conditions[number]
    assert isinstance(zone_test, core.LiesIn)
    place = sel.layout.zones[zone_test.zone]
    holds = sel.program.zones[zone_test.zone].holds
    begin, count = sel.program.component_kinds[holds.name] if isinstance(holds, ComponentType) else (0, 0)
    if source.value != tuple(range(begin, begin + count)):
        return None
    remaining = conditions[:number] + conditions[number + 1 :]
    conjunction = partial(Binary, condition.type, condition.span, "and")
    counts_visits = sel.execution_count * sel.bound_length(source) > MAX_UNCOUNTED_ITEMS and sel.execution_count > 1
    components = ir.ComponentsIn(place.offset, place.offset + place.size, is_ordered, counts_visits)
    return components, reduce(conjunction, remaining) if remaining else None


def count_visits(sel: Selector, source: Expr, value: ir.Value) -> ir.Value:
    """Return ``value``, the selected list ``source`` that a loop goes through, in an ``ir.CountedItems`` if its items
    count as visits.

    They count if the length is unlimited: ``sel.bound_length(source)`` is ``WORK_CAP``. They also count if
    ``sel.execution_count`` is above 1, and its product with that bound exceeds :data:`MAX_UNCOUNTED_ITEMS`. It can be
    above 1 in other loops, and begins as :data:`ASSUMED_QUERY_CALLS` (50) in a shared query. A zone counts like any
    other list. The CountedItems of an ``ir.NumberRange`` with ``is_checked`` has ``counts_only_long`` if
    ``sel.execution_count`` times :data:`SHORT_LIST` is at most MAX_UNCOUNTED_ITEMS. The items then count only if there
    are more than SHORT_LIST.
    """
    if not _counts_as_work(sel, source):
        return value
    can_skip_short = sel.execution_count * SHORT_LIST <= MAX_UNCOUNTED_ITEMS
    counts_only_long = isinstance(value, ir.NumberRange) and value.is_checked and can_skip_short
    return ir.CountedItems(value, counts_only_long)


def _counts_as_work(sel: Selector, source: Expr) -> bool:
    """Return whether going through a list counts as work. False for anything but a list."""
    if not isinstance(source.type, ListType):
        return False
    length = sel.bound_length(source)
    return length == WORK_CAP or (sel.execution_count > 1 and sel.execution_count * length > MAX_UNCOUNTED_ITEMS)


def select_loop_source(
    sel: Selector, source: Expr, tests: list[tuple[int, Expr | None]]
) -> tuple[ir.Value, list[tuple[int, Expr | None]]]:
    """Return the list that a loop goes through, and its tests in order.

    Each test is the slot of an item and the condition on it, or None without a condition. If :func:`count_visits`
    counts no list in the source or in a condition, ``bitboards.restrict_to_mask`` may give the list of the spaces in a
    mask. In a new list of tests, the condition of a test that this mask covers is None. Else return the selected
    source, as :func:`count_visits` returns it, and ``tests`` itself.
    """
    test_parts = [expr for _, test in tests if test is not None for expr in core.walk(test)]
    with sel.repeating(sel.bound_length(source)):
        tests_count = any(_counts_as_work(sel, expr) for expr in test_parts)
    counts_work = tests_count or any(_counts_as_work(sel, expr) for expr in core.walk(source))
    if not counts_work and (masked_source := bitboards.restrict_to_mask(sel, source, tests)) is not None:
        return masked_source
    return count_visits(sel, source, _select_iterable(sel, source)), tests


def _select_iterable(sel: Selector, expr: Expr) -> ir.Value:
    """Select a list for a loop. It needs no copy, because expressions change nothing.

    A zone is itself, a range becomes numbers that are produced one by one, and a filtered or mapped list may be an
    array.
    """
    if isinstance(expr, core.ReadZone):
        return select_zone(sel, expr.zone, expr.indices)
    if isinstance(expr, core.Range):
        return select_number_range(sel, expr)
    return select_sequence(sel, expr) if isinstance(expr, core.Filter | core.MapList) else sel.select_value(expr)


def select_number_range(sel: Selector, expr: core.Range) -> ir.Value:
    """Select a range as an ``ir.NumberRange``, whose numbers a loop produces one by one.

    It is checked if the range may be longer than a list may be.
    """
    with sel.record_expression(expr):
        return ir.NumberRange(
            sel.select_value(expr.low), sel.select_value(expr.high), can_exceed_list_limit(expr, sel.bounds)
        )


def select_concat(sel: Selector, expr: core.Concat) -> ir.Value:
    """Select the lists for each item of a source that meets the condition, concatenated, as an ``ir.Pipeline``.

    Usually it has one loop over the source, with the sink ``joined``. A list that may be longer than ``LIST_LIMIT``
    always has this form, in an ``ir.ListLengthCheck``. So has a list of which a part can have a fault. Any other list
    has nested loops in a program with boards, or if :func:`match_optional_list` matches the list for each item. Then
    the sink is ``list``, and ``outer`` has an ``ir.Clause`` for the source.
    """
    innermost = expr.body
    while isinstance(innermost, core.MapList) and _is_item_copy(innermost):
        innermost = innermost.source
    if isinstance(expr.type, ListType) and (sel.program.boards or match_optional_list(innermost) is not None):
        slot = sel.lowerer.make_local("it", expr.type.item)
        pipeline = _fuse_nested_lists(sel, slot, expr)
        if pipeline is not None:
            return check_list(sel, expr, pipeline)
    return check_list(sel, expr, _select_pipeline(sel, expr.slot, expr.source, expr.condition, expr.body, "joined"))


KINDS = {core.Distinct: "distinct", core.Sorted: "sorted", core.Leading: "leading"}


def select_by_key(sel: Selector, expr: core.Extreme | core.Distinct | core.Sorted | core.Leading) -> ir.Value:
    """Select an extreme, distinct, sorted or leading list as an ``ir.ByKey``.

    A leading list for which :func:`bitboards.select_leading` returns a value gives that value, the primitive
    ``select_leading_spaces``.

    The kind of the ``ByKey`` is ``most``, ``least``, ``distinct``, ``sorted`` or ``leading``. Its key is the condition
    of a leading list. Its source is in an ``ir.CountedItems`` if :func:`count_visits` gives that: for an unlimited
    length, and for more than :data:`MAX_UNCOUNTED_ITEMS` visits in loops or in a shared query.
    """
    if isinstance(expr, core.Leading) and (mask := bitboards.select_leading(sel, expr)) is not None:
        return mask
    kind = expr.kind if isinstance(expr, core.Extreme) else KINDS[type(expr)]
    source = count_visits(sel, expr.source, sel.select_value(expr.source))
    key = expr.condition if isinstance(expr, core.Leading) else expr.key
    with sel.binding(expr.slot), sel.repeating(sel.bound_length(expr.source)):
        return ir.ByKey(kind, expr.slot, source, sel.select_value(key))


def select_reach(sel: Selector, expr: core.Reach) -> ir.Value:
    """Select an ``ir.GraphSearch`` for the values that steps from a start can reach.

    With a ``target``, the search gives the number of steps to it instead, or none if it doesn't find it.
    ``max_steps`` and ``target`` are None if ``expr`` has none. :func:`count_visits` puts the list of the start, and
    that of a step (``successors``), in an ``ir.CountedItems`` if their items count as visits. For ``successors``,
    ``sel.execution_count`` is multiplied by ``sel.bound_length(expr.source)``.
    """
    start = count_visits(sel, expr.start, _select_iterable(sel, expr.start))
    max_steps, target = (None if part is None else sel.select_value(part) for part in (expr.max_steps, expr.target))
    with sel.binding(expr.slot), sel.repeating(sel.bound_length(expr.source)):
        bind_item_bounds(sel, expr.slot, expr.source)
        step = count_visits(sel, expr.body, _select_iterable(sel, expr.body))
        return ir.GraphSearch(expr.slot, start, max_steps, target, step)


# ---------------------------------------------------------------- other lists


def select_list_literal(sel: Selector, expr: core.ListLit) -> ir.Value:
    """Select a list of separate values as an ``ir.Tuple``. An empty one is the constant ``()``."""
    return ir.Tuple(tuple([sel.select_value(item) for item in expr.items])) if expr.items else ir.Const(())


def select_range(sel: Selector, expr: core.Range) -> ir.Value:
    """Select a range as a list of numbers with both ends, by the primitive ``make_number_list``."""
    return ir.Primitive("make_number_list", (sel.select_value(expr.low), sel.select_value(expr.high)))


def select_join(sel: Selector, expr: Binary) -> ir.Value:
    """Select a chain of joined lists as one ``ir.Concatenation``, in order. ``a join b join c`` has three parts.

    It is in an ``ir.ListLengthCheck`` if the list may be too long.
    """
    operands = tuple([_select_iterable(sel, operand) for operand in flatten_chain(expr, "join")])
    return check_list(sel, expr, ir.Concatenation(operands))


def bind_item_bounds(sel: Selector, slot: int, source: Expr) -> None:
    """Record in ``sel.bounds.number_ranges`` the bounds of local ``slot``, which takes each item of ``source``.

    Both bounds are inclusive. A range always has them: ``1..n`` has 1 and 5 if ``n`` is from 0 to 5, and if nothing is
    known about ``n``, 1 and ``INT_MAX``. An empty range such as ``3..2`` has 3 and 3. Bounds are also known for
    non-empty constants whose values are all ints at run time (also players and spaces), and for reads of a table of
    such values: any entry of ``[[1, 2], [7, 8]]`` has 1 and 8. A :class:`ConditionalList` of them, such as
    the kinds of a pool, counts as all its items, whether their conditions hold or not. A filter has the bounds of its
    source. Otherwise nothing changes.
    """
    intervals, bounds = sel.bounds.number_ranges, sel.bounds
    if isinstance(source, core.Range):
        low, high = bounds.bound_number(source.low), bounds.bound_number(source.high)
        intervals[slot] = (low[0], max(low[0], high[1]))
        return
    if isinstance(source, core.Filter):
        bind_item_bounds(sel, slot, source.source)
        return
    items: Any = ()
    if isinstance(source, core.TableRead):
        items = list(list_leaves(sel.program.get_table(source.table).values))
    elif isinstance(source, Const):
        items = source.value
    elif (conditional_list := match_conditional_list(sel, source)) is not None:
        items = conditional_list.items
    if items and all(type(item) is int for item in items):
        intervals[slot] = (min(items), max(items))


# Pairs of a condition (None: always) and the expression that counts if it holds. In ``any``, ``all`` and counts, only
# the expression may have a fault.
Terms = list[tuple[ir.Value | None, Expr]]


def select_fold(sel: Selector, expr: Fold) -> ir.Value:
    """Select a fold as a mask operation, unrolled over known items, or as a pipeline: the first form that is possible.

    Unrolled, it is an ``ir.AnyOf``, ``AllOf``, ``Count``, ``Sum`` or ``Extreme``. Constants are not added up: the sum
    of ``x`` over ``[0, 1, 2]`` is ``ir.Sum`` of 1 and 2, without the 0. Unrolled without items, ``any`` is
    ``ir.Const(False)``, ``all`` ``ir.Const(True)``, and any other fold ``ir.Const(0)``, like a sum of zeros. A sum in
    any form is in an ``ir.IntCheck`` if it may be outside Int.

    Known items are constants, perhaps with conditions, such as the kinds of a pool. A list ``[gold, 2]`` with a
    variable gives a pipeline. So do these: a constant with more than :data:`MAX_UNROLLED_ITEMS` items, more items than
    ``Lowerer.can_unroll`` allows, an ``expr.condition`` that can have a fault (``expr.body`` may), and a maximum or
    minimum with conditions. A count over a constant list, even an empty one, with the one condition ``x = n`` on the
    item ``x`` is the primitive ``occurrences``. A count with ``n = x`` isn't.
    """
    as_mask = bitboards.select_fold(sel, expr)
    if as_mask is not None:
        return as_mask
    condition = expr.body
    if expr.condition is not None:
        condition = Binary(expr.body.type, expr.span, "and", expr.condition, expr.body)
    if expr.kind == "count" and isinstance(expr.source, Const):
        equal_value = _match_equal_value(condition, expr.slot)
        if equal_value is not None:
            return ir.Primitive("occurrences", (sel.select_value(expr.source), sel.select_value(equal_value)))
    conditional_list = match_conditional_list(sel, expr.source)
    if conditional_list is not None and _can_unroll(sel, expr, conditional_list):
        with sel.lowerer.unrolling(len(conditional_list.items)):
            return _unroll_fold(sel, expr, conditional_list, unwrap_list_type(expr.source.type))
    if expr.kind == "count":
        return _select_pipeline(sel, expr.slot, expr.source, condition, Const(expr.type, expr.span, 1), "sum")
    is_lazy = expr.kind in ("any", "all") and sel.can_fail(condition)
    loop = _select_pipeline(sel, expr.slot, expr.source, expr.condition, expr.body, expr.kind, is_lazy)
    return check_number(sel, expr, loop) if expr.kind == "sum" else loop


def _can_unroll(sel: Selector, expr: Fold, conditional_list: ConditionalList) -> bool:
    if expr.kind in ("max", "min") and not (conditional_list.is_certain and expr.condition is None):
        return False
    condition_can_fail = expr.condition is not None and sel.can_fail(expr.condition)
    return sel.lowerer.can_unroll(len(conditional_list.items)) and not condition_can_fail


def _unroll_fold(sel: Selector, expr: Fold, conditional_list: ConditionalList, item_type: Type) -> ir.Value:
    """Unroll a fold over the items of a conditional list, in their order. A maximum or minimum without items is 0."""
    terms: Terms = []
    for item, item_condition in zip(conditional_list.items, conditional_list.conditions, strict=True):
        condition = item_condition
        body = sel.lowerer.substitute(expr.body, expr.slot, item, item_type)
        if expr.condition is not None:
            test = sel.lowerer.substitute(expr.condition, expr.slot, item, item_type)
            condition = _join_conditions(condition, sel.select_value(test))
        terms.append((condition, body))
    if expr.kind in ("any", "all"):
        return _unroll_test(sel, expr.kind == "any", terms)
    if expr.kind == "count":
        return _select_condition_count(sel, terms)
    if expr.kind == "sum":
        return _unroll_sum(sel, expr, terms)
    if not terms:
        return ir.ZERO
    return ir.Extreme(expr.kind, tuple([sel.select_value(body) for _, body in terms]))


def _unroll_sum(sel: Selector, expr: Fold, terms: Terms) -> ir.Value:
    parts: list[ir.Value] = []
    for condition, body in terms:
        value = sel.select_value(body)
        # This selects the body a second time, which only gives new numbers to its temporaries.
        if condition is not None:
            parts.append(ir.Choose(condition, sel.select_value(body), ir.ZERO))
        elif not (isinstance(value, ir.Const) and value.value == 0):
            parts.append(value)
    return check_number(sel, expr, ir.Sum(tuple(parts)) if parts else ir.ZERO)


def _unroll_test(sel: Selector, decisive_value: bool, terms: Terms) -> ir.Value:
    """Unroll ``any`` (``decisive_value`` is True) or ``all`` (False).

    One term with the outcome ``decisive_value`` decides the result. Without terms it is ``not decisive_value``.
    """
    parts: list[ir.Value] = []
    for condition, body in terms:
        if condition is None:
            parts.append(sel.select_value(body))
        elif decisive_value:
            parts.append(ir.Binary("and", condition, sel.select_value(body)))
        else:
            parts.append(ir.AnyOf((ir.Unary("not", condition), sel.select_value(body))))
    if not parts:
        return ir.Const(not decisive_value)
    return ir.AnyOf(tuple(parts)) if decisive_value else ir.AllOf(tuple(parts))


def _select_condition_count(sel: Selector, terms: Terms) -> ir.Value:
    """Select the number of terms whose condition holds and whose expression is true. It is 0 without terms."""
    parts: list[ir.Value] = []
    for condition, body in terms:
        if condition is None or not isinstance(body, Const):
            parts.append(_join_conditions(condition, sel.select_value(body)))
        elif body.value:
            parts.append(condition)
    return ir.Count(tuple(parts)) if parts else ir.ZERO


def _match_equal_value(condition: Expr, slot: int) -> Expr | None:
    """Return the value that an item must equal, if the condition requires nothing else. Otherwise None."""
    if isinstance(condition, Binary) and condition.op == "and":
        operands = condition.left, condition.right
        sides = [side for side in operands if not (isinstance(side, Const) and side.value is True)]
        return _match_equal_value(sides[0], slot) if len(sides) == 1 else None
    if not isinstance(condition, Binary) or condition.op != "=":
        return None
    left, right = condition.left, condition.right
    if isinstance(left, Local) and left.slot == slot and not count_uses(right, slot):
        return right
    return None


def select_count(sel: Selector, expr: core.CallBuiltin) -> ir.Value:
    """Select ``count`` of a list.

    The first case that applies gives the result:

    - a list with a mask, unless it is constant: the primitive ``ones`` of the mask;
    - a list that :func:`match_conditional_list` knows, such as the kinds of a pool: an ``ir.Count`` of the conditions
      of its items, with ``ir.Const(True)`` for an item that has none, or ``ir.ZERO`` without items;
    - any other list: the primitive ``length`` of the list, without a copy of a zone.
    """
    spaces = bitboards.select_mask(sel, expr.args[0])
    if spaces is not None and not isinstance(expr.args[0], Const):
        return ir.Primitive("ones", (spaces,))
    conditional_list = match_conditional_list(sel, expr.args[0])
    if conditional_list is not None:
        true = Const(expr.type, expr.span, True)
        return _select_condition_count(sel, [(condition, true) for condition in conditional_list.conditions])
    return ir.Primitive("length", (select_uncopied(sel, expr.args[0]),))


def select_region(sel: Selector, expr: core.Region) -> ir.Value:
    """Select the spaces of ``area`` that are connected, within it, with a space of ``start``, or the number of regions.

    ``area`` and ``start`` are fields of ``expr``. The spaces are a list in the order of ``area``, with its duplicates.
    If ``start`` is None, the number of connected regions of ``area`` is selected instead. Spaces of ``start`` outside
    ``area`` are ignored. A step between two spaces counts in both directions. The primitives are
    ``find_group(start, area, neighbours)``, with a mask of the start and a list of the area, and
    ``count_mask_groups(area, neighbours)``, with a mask. ``neighbours`` is a constant: a mask for each space. On boards
    of more than :data:`~lusory.state.connected_spaces_and_reachability.MAX_MASK_SPACES` spaces, the primitives
    ``find_connected(start, area, neighbours)`` and ``count_groups(area, neighbours)`` take lists only, with the same
    results.
    """
    touching: Any = sel.program.get_table(expr.touching).values
    if len(touching) > connected_spaces_and_reachability.MAX_MASK_SPACES:
        lists = sel.tables.add_constant(connected_spaces_and_reachability.make_symmetric(touching))
        if expr.start is None:
            return ir.Primitive("count_groups", (select_uncopied(sel, expr.area), lists))
        start = select_uncopied(sel, expr.start)
        return ir.Primitive("find_connected", (start, select_uncopied(sel, expr.area), lists))
    masks = sel.tables.add_constant(connected_spaces_and_reachability.make_neighbour_masks(touching))
    if expr.start is None:
        return ir.Primitive("count_mask_groups", (_select_mask(sel, expr.area), masks))
    start = _select_mask(sel, expr.start)
    return ir.Primitive("find_group", (start, sel.select_value(expr.area), masks))


def _select_mask(sel: Selector, expr: Expr) -> ir.Value:
    """Select a list of spaces as a mask. If no bit operations give it, the mask is built from the items at run time."""
    spaces = select_mask(sel, expr)
    if spaces is not None:
        return spaces
    if isinstance(expr, core.Filter) and _has_distinct_items(expr.source) and isinstance(expr.type, ListType):
        item = Local(expr.type.item, expr.span, expr.slot, "it")
        board = sel.program.boards[str(expr.type.item)]
        space_bit = Lookup(INT, expr.span, item, tuple(1 << space for space in range(board.size)))
        return _select_pipeline(sel, expr.slot, expr.source, expr.condition, space_bit, "sum")
    return ir.Primitive("make_mask", (select_uncopied(sel, expr),))


def _has_distinct_items(expr: Expr) -> bool:
    """Return whether a list is a constant without duplicates."""
    return isinstance(expr, Const) and isinstance(expr.value, tuple) and len(set(expr.value)) == len(expr.value)
