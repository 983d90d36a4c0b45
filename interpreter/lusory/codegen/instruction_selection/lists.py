"""Select list expressions, and fuse nested comprehensions into single loops.

A list takes one of three forms:

- a mask of spaces (see :mod:`lusory.codegen.instruction_selection.bitboards`);
- a :class:`ConditionalList`, which unrolls a list of few known items;
- a :func:`pipeline`, which loops over a source, tests its items, and passes them on to a sink such as a sum.

Example: the sum of ``f(x)`` over the items of ``xs`` with ``p(x)`` becomes one loop without an intermediate list.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, Fold, Local, flatten_chain
from lusory_dsl.types.types import INT, ComponentType, ListType, Type

from ...state import board_regions
from ...state.setting import FEW
from ...state.work_limits import WORK_CAP
from .. import ir
from ..lower.expression_ranges import too_long
from ..lower.lowered_nodes import Lookup, Without, count_uses, one_or_none
from . import bitboards
from .bitboards import bits, mask
from .selector import Selector
from .state_reads import cell, listed, whole, zone

# The most conditions of a list that is looked up in a table by their bits. The table has at most 64 rows.
MASK_LIMIT = 6
# The most items that nested loops of one expression may visit without counting work.
UNCOUNTED = 2_500
# The assumed number of calls of a shared query in a loop.
SHARED = 50
# The most items over which a fold is unrolled.
UNROLL_LIMIT = 12


@dataclass(frozen=True)
class ConditionalList:
    """A list of known items in a known order.

    Item ``i`` is in the list if ``conditions[i]`` holds, and always if that is None.
    """

    items: tuple[Any, ...]
    conditions: tuple[ir.Value | None, ...]

    @property
    def certain(self) -> bool:
        return all(c is None for c in self.conditions)

    @property
    def open(self) -> tuple[ir.Value, ...]:
        """The conditions of the items that are not always in the list."""
        return tuple(c for c in self.conditions if c is not None)


# ---------------------------------------------------------------- conditional lists


def conditional(sel: Selector, e: Expr) -> ConditionalList | None:
    """Return a list as known items with conditions. None if its possible items are unknown or too many."""
    with sel.within(e):
        return _conditional(sel, e)


def _conditional(sel: Selector, e: Expr) -> ConditionalList | None:
    """Return a list as constant items, each with the condition under which it is there. None if it has no such form.

    Example: the kinds of a pool become its kinds with the conditions ``number > 0``. A condition of None always holds.
    """
    if isinstance(e, Const):
        if isinstance(e.value, tuple) and len(e.value) <= UNROLL_LIMIT:
            return ConditionalList(e.value, (None,) * len(e.value))
        return None
    if isinstance(e, core.ListLit):
        if all(isinstance(i, Const) for i in e.items):
            return ConditionalList(tuple(i.value for i in e.items), (None,) * len(e.items))  # type: ignore[attr-defined]
        return None
    if isinstance(e, core.PoolKinds):
        pool = sel.program.pools[e.zone]
        cells = (cell(sel, e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds)
        some = tuple(ir.Flag(ir.Binary(">", one, ir.Const(0))) for one in cells)
        return ConditionalList(pool.kinds, some)
    if isinstance(e, core.Filter):
        return _conditional_filter(sel, e)
    if isinstance(e, Binary) and e.op in ("union", "except", "intersect"):
        return _conditional_sets(sel, e)
    if isinstance(e, CallBuiltin) and e.name == "reverse":
        inner = conditional(sel, e.args[0])
        return None if inner is None else ConditionalList(inner.items[::-1], inner.conditions[::-1])
    return None


def _conditional_filter(sel: Selector, e: core.Filter) -> ConditionalList | None:
    source = conditional(sel, e.source)
    if source is None or not isinstance(e.source.type, ListType):
        return None
    if not sel.lowerer.may_write_out(len(source.items)):
        return None
    with sel.lowerer.writing_out(len(source.items)):
        return _asked_of_each(sel, e, source, e.source.type.item)


def _asked_of_each(sel: Selector, e: core.Filter, source: ConditionalList, type: Type) -> ConditionalList | None:
    """Apply the condition of a filter to each item of a conditional list. None if the condition can have a fault."""
    items: list[Any] = []
    conditions: list[ir.Value | None] = []
    for item, before in zip(source.items, source.conditions, strict=True):
        own = sel.lowerer.substitute(e.condition, e.slot, item, type)
        if isinstance(own, Const):
            if own.value:
                items.append(item)
                conditions.append(before)
            continue
        if sel.can_fail(own):
            # A fault must occur in order, so all conditions must be evaluated one after the other.
            return None
        items.append(item)
        conditions.append(both(before, sel.value(own)))
    return ConditionalList(tuple(items), tuple(conditions))


def both(before: ir.Value | None, condition: ir.Value) -> ir.Value:
    """Return the conjunction of the condition of an item and a further condition."""
    own = ir.Flag(condition)
    return own if before is None else ir.Flag(ir.AllOf((before, own)))


def _conditional_sets(sel: Selector, e: Binary) -> ConditionalList | None:
    left, right = conditional(sel, e.left), conditional(sel, e.right)
    if left is None or right is None or len(set(left.items)) != len(left.items):
        return None
    if e.op == "union":
        if set(left.items) & set(right.items):
            return None
        return ConditionalList(left.items + right.items, left.conditions + right.conditions)
    if not right.certain:
        return None
    pairs = zip(left.items, left.conditions, strict=True)
    keep = [(i, c) for i, c in pairs if (i in right.items) is (e.op == "intersect")]
    return ConditionalList(tuple(i for i, _ in keep), tuple(c for _, c in keep))


def by_conditions(sel: Selector, known: ConditionalList) -> ir.Value:
    """Return a conditional list as a lookup in a table by the bits of its conditions."""
    if known.certain:
        return sel.constant(known.items)
    rows = []
    for chosen in range(1 << len(known.open)):
        row = []
        position = 0
        for item, condition in zip(known.items, known.conditions, strict=True):
            if condition is None:
                row.append(item)
                continue
            if chosen >> position & 1:
                row.append(item)
            position += 1
        rows.append(tuple(row))
    return ir.ConditionalItems(known.items, known.conditions, sel.tables.constant(tuple(rows)))


def sequence(sel: Selector, e: Expr) -> ir.Value:
    """Select a list for reading its length and its items only. It may be an array or a zone itself."""
    if isinstance(e, core.ReadZone):
        return zone(sel, e.zone, e.indices)
    found = sel.value(e)
    if isinstance(found, ir.Pipeline) and found.sink == "list":
        return as_sink(found, "array")
    return found


def as_it_lies(sel: Selector, e: Expr) -> ir.Value:
    """Select a list for reading only, so that a zone need not be copied."""
    return zone(sel, e.zone, e.indices) if isinstance(e, core.ReadZone) else sel.value(e)


def as_sink(found: ir.Pipeline, sink: str) -> ir.Pipeline:
    return replace(found, sink=sink)


# ---------------------------------------------------------------- comprehensions


def lookup(sel: Selector, e: core.Filter | core.PoolKinds) -> ir.Value:
    """Select a filter, or the kinds in a pool, in the best of the three forms."""
    known = conditional(sel, e)
    if known is not None and len(known.open) <= MASK_LIMIT:
        return by_conditions(sel, known)
    assert isinstance(e, core.Filter)
    return bitboards.rows_of(sel, e) or pipeline(sel, e.slot, e.source, e.condition, None, "list")


def map_list(sel: Selector, e: core.MapList) -> ir.Value:
    """Select a mapped list, and unroll it if the source is known."""
    known = conditional(sel, e.source)
    plain = e.condition is None and isinstance(e.source.type, ListType)
    if known is not None and known.certain and plain and sel.lowerer.may_write_out(len(known.items)):
        assert isinstance(e.source.type, ListType)
        bodies = [sel.lowerer.substitute(e.body, e.slot, i, e.source.type.item) for i in known.items]
        with sel.lowerer.writing_out(len(known.items)):
            return sel.replacement(core.ListLit(e.type, e.span, tuple(bodies)))
    return pipeline(sel, e.slot, e.source, e.condition, e.body, "list")


def pipeline(
    sel: Selector, slot: int, source: Expr, condition: Expr | None, body: Expr | None, sink: str, lazy: bool = False
) -> ir.Pipeline:
    """Fuse a comprehension into a loop: a source, tests and a body, and a sink for the results.

    ``sink`` is ``list``, ``joined``, or the kind of a fold. With ``lazy``, the loop stops as soon as the result is
    known. The order of the items matters only for a list or with ``lazy``.
    """
    tests = [(slot, condition)]
    source = _filtered(sel, source, tests, body)
    if isinstance(source, core.Concat):
        unnested = _unnested(sel, slot, source, tests, body, sink)
        if unnested is not None:
            return unnested
    first, asked = tests[0]
    lying = _those_lying(sel, first, source, asked, sink == "list" or lazy)
    before, sel.is_in_source = sel.is_in_source, True
    over: ir.Value
    if lying is None:
        over, tests = gone_through(sel, source, tests)
    else:
        over, tests[0] = lying[0], (first, lying[1])
    sel.is_in_source = before
    with ExitStack() as names:
        names.enter_context(sel.repeated(sel.max_length(source)))
        for one, _ in tests:
            bound_by(sel, one, source)
            names.enter_context(sel.binding(one, slot))
        value = None if body is None else sel.value(body)
        asked_of = [test for _, test in tests if test is not None]
        wanted = tuple([sel.value(test) for test in asked_of])
    arranged = body is None and bool(wanted) and isinstance(over, ir.ComponentsIn) and over.is_ordered
    if arranged and isinstance(over, ir.ComponentsIn) and not any(map(sel.can_fail, asked_of)):
        # Sorting after the tests sorts fewer components.
        over = ir.ComponentsIn(over.zones, False, over.counts_visits)
    else:
        arranged = False
    return ir.Pipeline(slot, over, wanted, value, sink, lazy, arranged)


def _unnested(
    sel: Selector, slot: int, source: core.Concat, tests: list[tuple[int, Expr | None]], body: Expr | None, sink: str
) -> ir.Pipeline | None:
    """Fuse a loop over concatenated lists without building them. Returns None if any part can have a fault."""
    inside, condition = source.body, source.condition
    asked = [e for e in (*(test for _, test in tests), body, inside, condition, source.source) if e is not None]
    if any(map(sel.can_fail, asked)) or sel.can_fail(source) or sink == "joined":
        return None
    while _renames(inside):
        tests.insert(0, (inside.slot, inside.condition))  # type: ignore[attr-defined]
        inside = inside.source  # type: ignore[attr-defined]
    with sel.repeated(sel.max_length(source.source)), sel.binding(source.slot):
        bound_by(sel, source.slot, source.source)
        before, sel.is_in_source = sel.is_in_source, True
        over = visited(sel, source.source, iterable(sel, source.source))
        picked = () if condition is None else (sel.value(condition),)
        one = one_or_none(inside)
        within = visited(sel, inside, iterable(sel, inside)) if one is None else ir.Tuple((sel.value(one),))
        sel.is_in_source = before
        with ExitStack() as names:
            names.enter_context(sel.repeated(sel.max_length(inside)))
            for name, _ in tests:
                names.enter_context(sel.binding(name, slot))
            there = () if one is None else (ir.Binary("is not", ir.BoundLocal(slot), ir.Const(None)),)
            wanted = (*there, *(sel.value(test) for _, test in tests if test is not None))
            value = None if body is None else sel.value(body)
    clause = ir.Clause(source.slot, over, picked)
    return ir.Pipeline(slot, within, wanted, value, sink, outer=(clause,))


def _renames(e: Expr) -> bool:
    """Return whether a list consists of items of another list, unchanged."""
    return isinstance(e, core.MapList) and isinstance(e.body, Local) and e.body.slot == e.slot


def _plain(e: Expr) -> Expr:
    """Return the innermost source that the list takes its items from, unchanged."""
    return _plain(e.source) if isinstance(e, core.MapList) and _renames(e) else e


def _filtered(sel: Selector, source: Expr, tests: list[tuple[int, Expr | None]], body: Expr | None) -> Expr:
    """Move the filters of a source into ``tests``, and return the source without them.

    A filter stays if a later part can have a fault. Then it must test all items before any of them goes on.
    """
    later = [e for e in (tests[0][1], body) if e is not None]
    if any(sel.can_fail(e) for e in later):
        return source
    while isinstance(source, core.Filter) and conditional(sel, source) is None and not sel.can_fail(source.condition):
        tests.insert(0, (source.slot, source.condition))
        source = source.source
    return source


def _those_lying(
    sel: Selector, slot: int, source: Expr, condition: Expr | None, ordered: bool
) -> tuple[ir.ComponentsIn, Expr | None] | None:
    """Find the components of a kind that are in a zone by reading the zone, instead of testing every component.

    Returns the components and the remaining condition. Returns None if the source is not all components of a kind, or
    if the condition does not require a zone. Tests before that of the zone move after it, so they must not have a
    fault.
    """
    if condition is None or not isinstance(source, Const):
        return None
    asked = flatten_chain(condition, "and")
    lies = [isinstance(c, core.LiesIn) and isinstance(c.component, Local) and c.component.slot == slot for c in asked]
    number = lies.index(True) if any(lies) else len(asked)
    if number == len(asked) or any(sel.can_fail(c) for c in asked[:number]):
        return None
    one = asked[number]
    assert isinstance(one, core.LiesIn)
    place = sel.layout.zones[one.zone]
    holds = sel.program.zones[one.zone].holds
    begin, count = sel.program.component_kinds[holds.name] if isinstance(holds, ComponentType) else (0, 0)
    if source.value != tuple(range(begin, begin + count)):
        return None
    others = asked[:number] + asked[number + 1 :]
    joined = partial(Binary, condition.type, condition.span, "and")
    counted = sel.execution_count * sel.max_length(source) > UNCOUNTED and sel.execution_count > 1
    lying = ir.ComponentsIn(ir.Zones(place.offset, place.offset + place.size), ordered, counted)
    return lying, reduce(joined, others) if others else None


def visited(sel: Selector, source: Expr, value: ir.Value) -> ir.Value:
    """Return the list that a loop goes through.

    Its items count as work if nested loops visit many, or if it is unlimited.
    """
    if not _is_counted(sel, source):
        return value
    few = isinstance(value, ir.NumberRange) and value.is_checked and sel.execution_count * FEW <= UNCOUNTED
    return ir.CountedItems(value, few)


def _is_counted(sel: Selector, source: Expr) -> bool:
    most = sel.max_length(source)
    return most == WORK_CAP or (sel.execution_count > 1 and sel.execution_count * most > UNCOUNTED)


def gone_through(
    sel: Selector, source: Expr, tests: list[tuple[int, Expr | None]]
) -> tuple[ir.Value, list[tuple[int, Expr | None]]]:
    """Return the list that a loop goes through, and the remaining tests. A mask may replace tests of spaces."""
    inside = [e for _, test in tests if test is not None for e in core.walk(test)]
    with sel.repeated(sel.max_length(source)):
        counted = any(isinstance(e.type, ListType) and _is_counted(sel, e) for e in inside)
    counted = counted or any(isinstance(e.type, ListType) and _is_counted(sel, e) for e in core.walk(source))
    if not counted and (found := bitboards.by_bits(sel, source, tests)) is not None:
        return found
    return visited(sel, source, iterable(sel, source)), tests


def iterable(sel: Selector, e: Expr) -> ir.Value:
    """Select a list for a loop. It needs no copy, because expressions change nothing."""
    if isinstance(e, core.ReadZone):
        return zone(sel, e.zone, e.indices)
    if isinstance(e, core.Range):
        return numbers(sel, e)
    return sequence(sel, e) if isinstance(e, core.Filter | core.MapList) else sel.value(e)


def numbers(sel: Selector, e: core.Range) -> ir.Value:
    """Select a range as numbers that a loop produces one by one."""
    with sel.within(e):
        return ir.NumberRange(sel.value(e.low), sel.value(e.high), too_long(e, sel.bounds))


def concat(sel: Selector, e: core.Concat) -> ir.Value:
    """Select concatenated lists, without building them where possible."""
    item = e.type.item if isinstance(e.type, ListType) else None
    if item is not None and (sel.program.boards or one_or_none(_plain(e.body)) is not None):
        slot = sel.lowerer.fresh("it", item)
        found = _unnested(sel, slot, e, [(slot, None)], None, "list")
        if found is not None:
            return listed(sel, e, found)
    return listed(sel, e, pipeline(sel, e.slot, e.source, e.condition, e.body, "joined"))


KINDS = {core.Distinct: "distinct", core.Sorted: "sorted", core.Leading: "leading"}


def by_key(sel: Selector, e: core.Extreme | core.Distinct | core.Sorted | core.Leading) -> ir.Value:
    """Select an extreme, distinct, sorted or leading list."""
    found = None
    if isinstance(e, core.Leading | core.Distinct):
        found = bitboards.leading(sel, e) if isinstance(e, core.Leading) else bitboards.distinct(sel, e)
    if found is not None:
        return found
    kind = e.kind if isinstance(e, core.Extreme) else KINDS[type(e)]
    source = visited(sel, e.source, sel.value(e.source))
    with sel.binding(e.slot), sel.repeated(sel.max_length(e.source)):
        return ir.ByKey(kind, e.slot, source, sel.value(e.condition if isinstance(e, core.Leading) else e.key))


def reach(sel: Selector, e: core.Reach) -> ir.Value:
    """Select the spaces that steps from a start can reach."""
    start = visited(sel, e.start, iterable(sel, e.start))
    within, target = (None if part is None else sel.value(part) for part in (e.within, e.target))
    with sel.binding(e.slot), sel.repeated(sel.max_length(e.source)):
        bound_by(sel, e.slot, e.source)
        return ir.GraphSearch(e.slot, start, within, target, visited(sel, e.body, iterable(sel, e.body)))


# ---------------------------------------------------------------- other lists


def list_literal(sel: Selector, e: core.ListLit) -> ir.Value:
    return ir.Tuple(tuple([sel.value(i) for i in e.items])) if e.items else ir.Const(())


def list_range(sel: Selector, e: core.Range) -> ir.Value:
    return ir.Primitive("span_of", (sel.value(e.low), sel.value(e.high)))


def joined(sel: Selector, e: Binary) -> ir.Value:
    return listed(sel, e, ir.Concatenation(tuple([iterable(sel, part) for part in flatten_chain(e, "join")])))


def without(sel: Selector, e: Without) -> ir.Value:
    return ir.Primitive("without_first", (sel.value(e.source), sel.value(e.item)))


def bound_by(sel: Selector, slot: int, source: Expr) -> None:
    """Record the bounds of a local that takes each item of ``source``."""
    of, bounds = sel.bounds.of, sel.bounds
    if isinstance(source, core.Range):
        low, high = bounds.bound_number(source.low), bounds.bound_number(source.high)
        of[slot] = (low[0], max(low[0], high[1]))
        return
    if isinstance(source, core.Filter):
        bound_by(sel, slot, source.source)
        return
    items: Any = ()
    if isinstance(source, core.TableRead):
        items = list(_leaves(sel.program.get_table(source.table).values))
    elif isinstance(source, Const):
        items = source.value
    elif (known := conditional(sel, source)) is not None:
        items = known.items
    if items and all(type(i) is int for i in items):
        of[slot] = (min(items), max(items))


def _leaves(value: object) -> Iterator[Any]:
    if isinstance(value, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


# Pairs of a condition (None: always) and the expression that counts if it holds.
Terms = list[tuple[ir.Value | None, Expr]]
ZERO = ir.Const(0)


def fold(sel: Selector, e: Fold) -> ir.Value:
    """Select a fold: as a mask operation, unrolled over known items, or as a loop."""
    as_mask = bitboards.fold(sel, e)
    if as_mask is not None:
        return as_mask
    joined = e.body if e.condition is None else Binary(e.body.type, e.span, "and", e.condition, e.body)
    if e.kind == "count" and isinstance(e.source, Const) and (alike := _alike(joined, e.slot)) is not None:
        return ir.Primitive("occurrences", (sel.value(e.source), sel.value(alike)))
    known = conditional(sel, e.source)
    if known is not None and isinstance(e.source.type, ListType) and sel.lowerer.may_write_out(len(known.items)):
        with sel.lowerer.writing_out(len(known.items)):
            return _unrolled(sel, e, known, e.source.type.item)
    if e.kind == "count":
        if isinstance(e.body, Const) and e.body.value is True and e.condition is None:
            return ir.Primitive("length", (sequence(sel, e.source),))
        return pipeline(sel, e.slot, e.source, joined, Const(e.type, e.span, 1), "sum")
    fails = sel.can_fail(e.body) or (e.condition is not None and sel.can_fail(e.condition))
    found = pipeline(sel, e.slot, e.source, e.condition, e.body, e.kind, e.kind in ("any", "all") and fails)
    return whole(sel, e, found) if e.kind == "sum" else found


def _unrolled(sel: Selector, e: Fold, known: ConditionalList, item_type: Type) -> ir.Value:
    """Unroll a fold over the items of a conditional list."""
    terms: Terms = []
    for item, given in zip(known.items, known.conditions, strict=True):
        condition = given
        body = sel.lowerer.substitute(e.body, e.slot, item, item_type)
        if e.condition is not None:
            test = sel.lowerer.substitute(e.condition, e.slot, item, item_type)
            if isinstance(test, Const):
                if not test.value:
                    continue
            else:
                condition = both(condition, sel.value(test))
        terms.append((condition, body))
    if e.kind in ("any", "all"):
        return _unrolled_test(sel, e.kind == "any", terms)
    if e.kind == "count":
        return unrolled_count(sel, terms)
    if e.kind == "sum":
        return _unrolled_sum(sel, e, terms)
    if not terms:
        return ZERO
    return ir.Extreme(e.kind, tuple([(condition, sel.value(body)) for condition, body in terms]))


def _unrolled_sum(sel: Selector, e: Fold, terms: Terms) -> ir.Value:
    parts: list[ir.Value] = []
    for condition, body in terms:
        value = sel.value(body)
        # This selects the body a second time, which only gives new numbers to its temporaries.
        if condition is not None:
            parts.append(ir.Choose(condition, sel.value(body), ZERO))
        elif not (isinstance(value, ir.Const) and value.value == 0):
            parts.append(value)
    return whole(sel, e, ir.Sum(tuple(parts)) if parts else ZERO)


def _unrolled_test(sel: Selector, wanted: bool, terms: Terms) -> ir.Value:
    """Unroll ``any`` (``wanted`` is True) or ``all`` (False).

    One term with the outcome ``wanted`` decides the result.
    """
    parts: list[ir.Value] = []
    for condition, body in terms:
        if isinstance(body, Const):
            if bool(body.value) is not wanted:
                continue
            if condition is None:
                return ir.Const(wanted)
            parts.append(condition if wanted else ir.Unary("not", condition))
        elif condition is None:
            parts.append(sel.value(body))
        elif wanted:
            parts.append(ir.Binary("and", condition, sel.value(body)))
        else:
            parts.append(ir.AnyOf((ir.Unary("not", condition), sel.value(body))))
    if not parts:
        return ir.Const(not wanted)
    return ir.AnyOf(tuple(parts)) if wanted else ir.AllOf(tuple(parts))


def unrolled_count(sel: Selector, terms: Terms) -> ir.Value:
    """Select the number of terms that hold."""
    sure = 0
    parts: list[ir.Value] = []
    for condition, body in terms:
        if not isinstance(body, Const):
            parts.append(both(condition, sel.value(body)))
        elif body.value:
            if condition is None:
                sure += 1
            else:
                parts.append(condition)
    return ir.Count(tuple(parts), sure) if parts else ir.Const(sure)


def _alike(condition: Expr, slot: int) -> Expr | None:
    """Return the value that an item must equal, if the condition requires nothing else. Otherwise None."""
    if isinstance(condition, Binary) and condition.op == "and":
        sides = [c for c in (condition.left, condition.right) if not (isinstance(c, Const) and c.value is True)]
        return _alike(sides[0], slot) if len(sides) == 1 else None
    if not isinstance(condition, Binary) or condition.op != "=":
        return None
    left, right = condition.left, condition.right
    if isinstance(left, Local) and left.slot == slot and not count_uses(right, slot):
        return right
    return None


def count(sel: Selector, e: core.CallBuiltin) -> ir.Value:
    """Select ``count`` of a list.

    It is the number of set bits of a bit mask, a count of conditions if the possible items are known, and otherwise the
    length of the list.
    """
    found = bitboards.mask(sel, e.args[0])
    if found is not None and not isinstance(e.args[0], Const):
        return ir.Primitive("ones", (found,))
    known = conditional(sel, e.args[0])
    if known is not None:
        one = Const(e.type, e.span, True)
        return unrolled_count(sel, [(c, one) for c in known.conditions])
    return ir.Primitive("length", (as_it_lies(sel, e.args[0]),))


def region(sel: Selector, e: core.Region) -> ir.Value:
    """Select the connected region of ``among`` around ``start``. Without a start, select the number of regions."""
    touching: Any = sel.program.get_table(e.touching).values
    if len(touching) > board_regions.MAX_MASK_SPACES:
        lists = sel.tables.constant(board_regions.make_symmetric(touching))
        if e.start is None:
            return ir.Primitive("count_groups", (as_it_lies(sel, e.among), lists))
        start = as_it_lies(sel, e.start)
        return ir.Primitive("find_connected", (start, as_it_lies(sel, e.among), lists))
    masks = sel.tables.constant(board_regions.neighbour_masks(touching))
    if e.start is None:
        return ir.Primitive("count_mask_groups", (_mask(sel, e.among), masks))
    start = _mask(sel, e.start)
    return ir.Primitive("group_among", (start, sel.value(e.among), masks))


def _mask(sel: Selector, e: Expr) -> ir.Value:
    """Select a list of spaces as a mask. If no bit operations give it, the mask is built from the items at run time."""
    found = mask(sel, e)
    if found is not None:
        return found
    if isinstance(e, Const) and isinstance(e.value, tuple):
        return ir.Const(bits(set(e.value)))
    if isinstance(e, core.Filter) and _are_different(e.source) and isinstance(e.type, ListType):
        item = Local(e.type.item, e.span, e.slot, "it")
        board = sel.program.boards[str(e.type.item)]
        each = Lookup(INT, e.span, item, tuple(1 << space for space in range(board.size)))
        return pipeline(sel, e.slot, e.source, e.condition, each, "sum")
    return ir.Primitive("mask_of", (as_it_lies(sel, e),))


def _are_different(e: Expr) -> bool:
    """Return whether a list is a constant without duplicates, or filters one."""
    while isinstance(e, core.Filter):
        e = e.source
    return isinstance(e, Const) and isinstance(e.value, tuple) and len(set(e.value)) == len(e.value)
