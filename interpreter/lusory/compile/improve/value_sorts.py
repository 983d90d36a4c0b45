"""What each value of the intermediate form can be: its sort, worked out of what stands in it.

A value in which something does not fit where it stands is a problem: it is noted, and what comes of it is taken for
what it was to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lusory_dsl.language.builtins import RUNTIME
from lusory_dsl.language.intervals import COMPUTED
from lusory_dsl.language.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT

from ...table.cost import GREATEST
from .. import ir
from ..ir import sorts
from ..ir.sorts import ANY, LIST, MAP, NEVER, NONE, NUMBER, RECORD, YES_OR_NO, Sort, present
from .deriving import Deriving
from .primitive_sorts import MASK, PRIMITIVES, SEATS, of_function

# ---------------------------------------------------------------- what is there


def _table(d: Deriving, v: ir.Table, index: Sort = NONE) -> Sort:
    """The sort of a constant. ``index``: of what is printed on components only what is on those of a kind is read."""
    key = v.number, index.low, index.high
    if key not in d.constants:
        value = d.module.tables[v.number - 1]
        if isinstance(value, tuple) and index.of in d.program.component_kinds:
            value = value[index.low : index.high + 1]
        d.constants[key] = sorts.of_value(value)
    return d.constants[key]


def _register(d: Deriving, v: ir.Register) -> Sort:
    return sorts.join(sorts.SOME_TEXT, NONE) if v.name == "reason" else sorts.number(0, GREATEST)


def _cell(d: Deriving, v: ir.Cell) -> Sort:
    d.index(v.index, d.layout.places[v.place].size, v.place)
    return d.cell(v.place)


def _zones(d: Deriving, v: ir.Zones) -> Sort:
    held = [d.lying(d.layout.zone_at(number)[0]) for number in range(v.begin, v.end)]
    return sorts.list_of(sorts.joined(held), len(held))


def _location(d: Deriving, v: ir.Location) -> Sort:
    d.number(v.component, "a component")
    return sorts.join(d.zone_numbers, NONE)


def _option(d: Deriving, v: ir.Option) -> Sort:
    option = next(option for option in d.program.options if option.name == v.name)
    low = INT_MIN if option.low is None else option.low
    high = INT_MAX if option.high is None else option.high
    return d.of_type(option.type, (low, high), LIST_LIMIT, TEXT_LIMIT)


# ---------------------------------------------------------------- what is made of others


def _bind(d: Deriving, v: ir.Bind) -> Sort:
    found = d.of(v.value)
    d.name(v.target, found)
    return found


def _let(d: Deriving, v: ir.Let) -> Sort:
    d.name(v.target, d.of(v.value))
    return d.of(v.body)


def _entry(d: Deriving, v: ir.Entry) -> Sort:
    of = _table(d, v.of, d.of(v.index)) if isinstance(v.of, ir.Table) else d.of(v.of)
    if of.kind == MAP:
        d.of(v.index)
        return of.item or NEVER
    at = d.number(v.index, "an index")
    if of.kind == RECORD:
        if at.low == at.high and at.low < len(of.parts):
            return of.parts[at.low]
        return sorts.joined(of.parts)
    if of.kind != LIST or of.absent:
        d.wrong("what has entries", of, "a list")
        return NEVER
    if at.high < (v.low or 0):
        d.wrong("an index", at, f"an index of {of}")
    return of.item or NEVER


def _unary(d: Deriving, v: ir.Unary) -> Sort:
    if v.op == "not":
        d.test(v.operand)
        return YES_OR_NO
    found = d.number(v.operand)
    if v.op == "~":
        return MASK
    return sorts.number(-found.high, -found.low)


def _binary(d: Deriving, v: ir.Binary) -> Sort:
    if v.op in ("and", "or"):
        d.tests((v.left, v.right), v.op == "and")
        return YES_OR_NO
    if v.op in COMPUTED:
        left, right = d.number(v.left), d.number(v.right)
        return sorts.number(*COMPUTED[v.op]((left.low, left.high), (right.low, right.high)))
    if v.op in ("in", "not in"):
        found, among = d.of(v.left), d.list(v.right)
        _alike(d, found, among.item or NEVER)
        return YES_OR_NO
    if v.op in ("&", "|", "^", ">>"):
        d.number(v.left)
        d.number(v.right)
        return MASK
    if v.op == "<<":
        d.number(v.left)
        d.number(v.right)
        return SEATS
    left, right = d.of(v.left), d.of(v.right)
    if v.op in ("<", "<=", ">", ">="):
        left, right = present(left), present(right)
    _alike(d, left, right)
    return YES_OR_NO


def _alike(d: Deriving, left: Sort, right: Sort) -> None:
    """Two values that are compared."""
    found = sorts.join(present(left), present(right))
    differ = found.kind == NUMBER and left.of and right.of and left.of != right.of
    if differ or (found.kind == ANY.kind and ANY.kind not in (left.kind, right.kind)):
        d.wrong("what is compared", left, right)


def _choose(d: Deriving, v: ir.Choose) -> Sort:
    d.test(v.test)
    with d.where(v.test):
        then = d.of(v.then)
    with d.where(v.test, False):
        return sorts.join(then, d.of(v.otherwise))


def _flag(d: Deriving, v: ir.Flag) -> Sort:
    d.test(v.test)
    return YES_OR_NO


def _tests(d: Deriving, v: ir.Some | ir.Every) -> Sort:
    d.tests(v.parts, isinstance(v, ir.Every))
    return YES_OR_NO


def _sum(d: Deriving, v: ir.Sum) -> Sort:
    parts = [d.number(part) for part in v.parts]
    return sorts.number(sum(part.low for part in parts), sum(part.high for part in parts))


def _count(d: Deriving, v: ir.Count) -> Sort:
    for flag in v.flags:
        d.test(flag)
    return sorts.number(v.sure, v.sure + len(v.flags))


def _best(d: Deriving, v: ir.Best) -> Sort:
    found = NEVER
    for condition, value in v.terms:
        if condition is not None:
            d.test(condition)
        with d.where(condition):
            found = sorts.join(found, d.number(value))
    nothing = all(condition is not None for condition, _ in v.terms)
    return sorts.join(found, Sort(NUMBER)) if nothing else found


def _prim(d: Deriving, v: ir.Prim) -> Sort:
    if v.name in PRIMITIVES:
        return PRIMITIVES[v.name](d, v.args)
    return of_function(d, RUNTIME[v.name.removeprefix("fn_")], v.args)


def _call(d: Deriving, v: ir.CallQuery) -> Sort:
    name = f"value{v.number}"
    given(d, name, v.args)
    return d.results.get(name, NEVER)


def given(d: Deriving, name: str, args: tuple[ir.Value, ...]) -> None:
    """The parameters of a function get their values."""
    params = next(f.params for f in d.module.functions if f.name == name)
    for slot, arg in zip(params, args, strict=True):
        d.name(ir.Local(slot), d.of(arg))


# ---------------------------------------------------------------- lists and texts


def _tuple(d: Deriving, v: ir.Tuple) -> Sort:
    items = [d.of(item) for item in v.items]
    item = sorts.joined(items)
    return sorts.record(items) if item.kind == ANY.kind else sorts.list_of(item, len(items))


def _frame(d: Deriving, v: ir.Frame) -> Sort:
    for _, value in v.pairs:
        d.of(value)
    return Sort(sorts.FRAME)


def _spread(d: Deriving, v: ir.Spread) -> Sort:
    parts = [d.list(part) for part in v.parts]
    return sorts.list_of(sorts.joined(p.item or NEVER for p in parts), sum(p.most for p in parts))


def _items(d: Deriving, v: ir.Items) -> Sort:
    for flag in v.flags:
        if flag is not None:
            d.test(flag)
    return sorts.list_of(sorts.joined(map(sorts.of_value, v.items)), len(v.items))


def _numbers(d: Deriving, v: ir.Numbers) -> Sort:
    low, high = d.number(v.low), d.number(v.high)
    return sorts.list_of(sorts.number(low.low, max(low.low, high.high)), max(high.high - low.low + 1, 0))


def _lying(d: Deriving, v: ir.Lying) -> Sort:
    item = (d.of(v.zones).item or NEVER).item or NEVER
    return sorts.list_of(item, item.high - item.low + 1)


def _pipeline(d: Deriving, v: ir.Pipeline) -> Sort:
    times = 1
    for outer in v.outer:
        round_it = d.list(outer.source)
        times *= round_it.most
        d.name(ir.Bound(outer.slot), round_it.item or NEVER)
        d.tests(outer.tests)
    source = d.list(v.source)
    item = source.item or NEVER
    match v.tests[:1]:
        case (ir.Binary(op="is not", left=ir.Bound(slot=slot), right=ir.Const(value=None)),) if slot == v.slot:
            item = present(item)
    d.name(ir.Bound(v.slot), item)
    d.tests(v.tests)
    with d.where(ir.Every(v.tests)):
        return _into(d, v, replace(source, most=min(source.most * times, LIST_LIMIT)), item)


def _into(d: Deriving, v: ir.Pipeline, source: Sort, item: Sort) -> Sort:
    """What comes out of a pipeline."""
    if v.sink in ("list", "array"):
        return sorts.list_of(item if v.value is None else d.of(v.value), source.most)
    if v.sink == "joined":
        lists = item if v.value is None else d.list(v.value)
        return sorts.list_of(lists.item or NEVER, min(source.most * lists.most, LIST_LIMIT))
    if v.sink in ("any", "all"):
        if v.value is not None:
            d.test(v.value)
        return YES_OR_NO
    value = item if v.value is None else d.number(v.value)
    if v.sink == "sum":
        return sorts.number(min(value.low * source.most, 0), max(value.high * source.most, 0))
    return sorts.join(value, Sort(NUMBER))


def _by_key(d: Deriving, v: ir.ByKey) -> Sort:
    source = d.list(v.source)
    d.name(ir.Bound(v.slot), source.item or NEVER)
    d.of(v.key)
    return source


def _reached(d: Deriving, v: ir.Reached) -> Sort:
    """Of values that there are no more of than their local can be."""
    start = d.list(v.start)
    d.name(ir.Bound(v.slot), start.item or NEVER)
    d.name(ir.Bound(v.slot), d.list(v.onward).item or NEVER)
    if v.within is not None:
        d.number(v.within)
    one = d.locals[v.slot]
    most = min(one.high - one.low + 1, LIST_LIMIT)
    if v.target is None:
        return sorts.list_of(one, most)
    _alike(d, d.of(v.target), one)
    return sorts.join(Sort(NUMBER, 0, most), NONE)


def _text(d: Deriving, v: ir.Text) -> Sort:
    return sorts.text(sum(d.text(part).most for part in v.parts))


def _shown(d: Deriving, v: ir.Shown) -> Sort:
    d.of(v.value)
    return sorts.SOME_TEXT


# ---------------------------------------------------------------- checks


def _known(d: Deriving, v: ir.Known) -> Sort:
    return present(d.of(v.value))


def _fits(d: Deriving, v: ir.Fits) -> Sort:
    found = d.number(v.value)
    if v.name is not None:
        d.name(v.name, found)
    return found


def _in_range(d: Deriving, v: ir.InRange) -> Sort:
    found = d.number(v.value)
    return Sort(NUMBER, max(found.low, v.low), min(found.high, v.end - 1), found.of)


def _listed(d: Deriving, v: ir.Listed) -> Sort:
    return d.list(v.value)


def _inner(d: Deriving, v: Any) -> Sort:
    return d.of(v.source)


VALUES: dict[type[ir.Value], Callable[[Deriving, Any], Sort]] = {
    ir.Asked: lambda d, v: d.results.get(f"q{v.number}", NEVER),
    ir.Best: _best,
    ir.Binary: _binary,
    ir.Bind: _bind,
    ir.Bound: lambda d, v: d.local(v.slot),
    ir.ByKey: _by_key,
    ir.CallQuery: _call,
    ir.Cell: _cell,
    ir.Choose: _choose,
    ir.Clause: _inner,
    ir.Const: lambda d, v: sorts.of_value(v.value),
    ir.Count: _count,
    ir.Entry: _entry,
    ir.Every: _tests,
    ir.Fits: _fits,
    ir.Flag: _flag,
    ir.Frame: _frame,
    ir.InRange: _in_range,
    ir.Index: lambda d, v: d.index(v, d.layout.zone_count, "zones"),
    ir.Items: _items,
    ir.Known: _known,
    ir.Let: _let,
    ir.Listed: _listed,
    ir.Local: lambda d, v: d.local(v.slot),
    ir.Location: _location,
    ir.Lying: _lying,
    ir.Marks: lambda d, v: Sort(MAP, item=MASK),
    ir.Numbers: _numbers,
    ir.Option: _option,
    ir.Outside: lambda d, v: NEVER,
    ir.Own: lambda d, v: d.own.get(v.name, NEVER),
    ir.Pipeline: _pipeline,
    ir.Prim: _prim,
    ir.Reached: _reached,
    ir.Record: lambda d, v: sorts.record(d.of(item) for item in v.items),
    ir.Register: _register,
    ir.Short: lambda d, v: d.text(v.value),
    ir.Shown: _shown,
    ir.Some: _tests,
    ir.Spread: _spread,
    ir.Stream: lambda d, v: Sort(sorts.STREAM),
    ir.Sum: _sum,
    ir.Table: _table,
    ir.Text: _text,
    ir.Tuple: _tuple,
    ir.Unary: _unary,
    ir.Visited: _inner,
    ir.Zone: lambda d, v: d.lying(d.zone_at(v.number)),
    ir.Zones: _zones,
}
"""By class: which sort a value has."""
