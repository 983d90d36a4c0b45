"""Infer the sorts of a module, with rules for its primitives, values and operations.

:func:`sorts_of` traverses the functions until the sorts of their locals no longer change, and returns :class:`Sorts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl.types.builtins import RUNTIME, Builtin
from lusory_dsl.types.types import COMPUTED, INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, Interval

from ...state.regions import MAX_MASK_SPACES
from ...state.setting import Setting
from ...state.work_limits import WORK_CAP
from .. import ir
from ..ir import types
from ..ir.types import ANY, LIST, MAP, NEVER, NONE, NUMBER, RECORD, YES_OR_NO, Sort, present
from .type_inference import Deriving, not_none

SHARES = types.list_of(Sort(types.SHARE), LIST_LIMIT)
SEATS = types.number(0, INT_MAX)  # a bit set of seats
MASK = Sort(NUMBER, 0, (1 << MAX_MASK_SPACES) - 1)  # a bit set of spaces

Args = tuple[ir.Value, ...]


def _item(d: Deriving, args: Args) -> Sort:
    """Return the sort of the items of the first argument."""
    found = d.list(args[0])
    for arg in args[1:]:
        d.of(arg)
    return found.item or NEVER


def _same(d: Deriving, args: Args) -> Sort:
    """Return the sort of the first argument, a list."""
    found = d.list(args[0])
    for arg in args[1:]:
        d.of(arg)
    return found


def _one_of(d: Deriving, args: Args) -> Sort:
    """Return the join of the sorts of numbers."""
    return types.joined(d.number(arg) for arg in args)


def _bounded(kind: str) -> Callable[[Deriving, Args], Sort]:
    def found(d: Deriving, args: Args) -> Sort:
        ends = [d.number(arg) for arg in args]
        pick = max if kind == "max" else min
        return types.number(pick(e.low for e in ends), pick(e.high for e in ends))

    return found


def _result(sort: Sort) -> Callable[[Deriving, Args], Sort]:
    def found(d: Deriving, args: Args) -> Sort:
        for arg in args:
            d.of(arg)
        return sort

    return found


def _extended(d: Deriving, args: Args) -> Sort:
    found = d.list(args[0])
    return types.list_of(types.join(found.item or NEVER, d.of(args[1])), found.most + 1)


def _united(d: Deriving, args: Args) -> Sort:
    left, right = d.list(args[0]), d.list(args[1])
    return types.list_of(types.join(left.item or NEVER, right.item or NEVER), left.most + right.most)


def _alone(d: Deriving, args: Args) -> Sort:
    return types.list_of(present(d.of(args[0])), 1)


def _absolute(d: Deriving, args: Args) -> Sort:
    found = d.number(args[0])
    ends = abs(found.low), abs(found.high)
    return types.number(0 if found.low <= 0 <= found.high else min(ends), max(ends))


def _added_up(d: Deriving, args: Args) -> Sort:
    found = d.list(args[0])
    item = types.counted(found.item or NEVER)
    return types.number(min(item.low * found.most, 0), max(item.high * found.most, 0))


def _greatest(d: Deriving, args: Args) -> Sort:
    return types.join(_item(d, args), Sort(NUMBER))


def _length(d: Deriving, args: Args) -> Sort:
    return Sort(NUMBER, 0, d.list(args[0]).most)


def _span(d: Deriving, args: Args) -> Sort:
    return d.of(ir.Numbers(args[0], args[1], True))


def _below(d: Deriving, args: Args) -> Sort:
    return Sort(NUMBER, 0, max(d.number(args[0]).high - 1, 0))


def _passes(d: Deriving, args: Args) -> Sort:
    return types.list_of(types.number(0, d.number(args[0]).high), LIST_LIMIT)


def _drawn(d: Deriving, args: Args) -> Sort:
    return _item(d, args[2:])


OPTIONS = types.list_of(types.record((types.number(0, INT_MAX), types.list_of(types.BROUGHT, LIST_LIMIT))), LIST_LIMIT)
"""The sort of a list of options. Each is the number of an alternative, with the chosen values."""


def _append(d: Deriving, args: Args) -> Sort:
    """Check that the second argument is an option."""
    found = d.of(args[1])
    if found.kind != types.RECORD or len(found.parts) != 2:
        d.wrong("an option", found, "an alternative with its values")
    return NEVER


def _stop_first(d: Deriving, args: Args) -> Sort:
    """Infer the insertion of -1 before the items of a list."""
    (into,) = args
    if isinstance(into, ir.Own):
        found = d.list(into)
        d.own[into.name] = types.list_of(types.join(found.item or NEVER, Sort(NUMBER, -1, -1)), found.most + 1)
    return NEVER


def _with_stop(d: Deriving, args: Args) -> Sort:
    d.test(args[1])
    return d.list(args[0])


@dataclass(frozen=True)
class _Given:
    """Hold the sorts of the arguments of a function, in the form that its row of the table of builtins expects."""

    seats: int
    args: tuple[Sort, ...]

    @property
    def players(self) -> Interval:
        return self.seats, self.seats

    def number(self, argument: int) -> Interval:
        found = types.counted(self.args[argument].item or self.args[argument])
        return (found.low, found.high) if found.kind == NUMBER else (0, 0)

    def size(self, argument: int) -> Interval:
        return 0, self.args[argument].most

    def characters(self, argument: int) -> int:
        return (self.args[argument].item or self.args[argument]).most


def of_function(d: Deriving, row: Builtin, args: Args) -> Sort:
    """Return the sort of the result of a function of the language, from its row in the table of builtins."""
    found = tuple(d.of(arg) for arg in args)
    if row.gives_item or row.gives_part:
        items = d.list(args[0])
        return items.item or NEVER if row.gives_item else items
    known = _Given(d.players, found)
    ends = None if row.bounds is None else row.bounds(known)
    size = LIST_LIMIT if row.size is None else row.size(known)[1]
    assert row.type is not None
    return d.of_type(row.type, ends, size, TEXT_LIMIT if row.characters is None else row.characters(known))


PRIMITIVES: dict[str, Callable[[Deriving, Args], Sort]] = {
    "absolute": _absolute,
    "added_up": _added_up,
    "and_stop": _with_stop,
    "any_below": _below,
    "append": _append,
    "back": _item,
    "bits": _result(SEATS),
    "both": _result(NEVER),
    "bound_exceeded": _result(NEVER),
    "cannot_hold": _result(NEVER),
    "copied": _same,
    "extended": _extended,
    "lowest_space": _result(Sort(NUMBER, 0, MAX_MASK_SPACES - 1)),
    "front": _item,
    "greatest": _greatest,
    "find_connected": lambda d, args: _same(d, args[1:]),
    "group_among": lambda d, args: _same(d, args[1:]),
    "count_groups": _length,
    "insert_stop": _stop_first,
    "items_at": _same,
    "larger_of": _bounded("max"),
    "select_leading_spaces": _same,
    "least": _greatest,
    "length": _length,
    "lowest_space_of_each": lambda d, args: types.list_of(Sort(NUMBER, 0, MAX_MASK_SPACES - 1), d.list(args[1]).most),
    "lowest_of": _result(Sort(NUMBER, 0, MAX_MASK_SPACES - 1)),
    "mask_of": _result(SEATS),
    "named_options": _result(OPTIONS),
    "no_int": _result(YES_OR_NO),
    "no_options": _result(OPTIONS),
    "occurrences": lambda d, args: _length(d, args[:1]),
    "one": _alone,
    "ones": _result(Sort(NUMBER, 0, MAX_MASK_SPACES)),
    "openly_said": _result(types.SOME_TEXT),
    "over_limit": _result(NEVER),
    "count_mask_groups": _result(Sort(NUMBER, 0, MAX_MASK_SPACES)),
    "pick": _drawn,
    "pick_options": _result(OPTIONS),
    "picks_left": lambda d, args: types.list_of(Sort(NUMBER, 0, max(d.list(args[0]).most - 1, 0)), LIST_LIMIT),
    "reversed": _same,
    "seen_by_both": _result(SEATS),
    "set_except": _same,
    "set_intersect": _same,
    "set_union": _united,
    "shared_win_payoffs": _result(SHARES),
    "smaller_of": _bounded("min"),
    "snapshot": _same,
    "select_spaces": _same,
    "span_of": _span,
    "zero_sum_payoffs": _result(SHARES),
    "too_great": _result(NEVER),
    "up_to": _passes,
    "without_first": _same,
    "without_lowest": _result(MASK),
    "winners": _result(types.list_of(types.number(0, INT_MAX, "Player"), LIST_LIMIT)),
}
"""Name of a primitive -> the rule for its result. Functions of the language are not among them."""


# ---------------------------------------------------------------- atoms


def _table(d: Deriving, v: ir.Table, index: Sort = NONE) -> Sort:
    """Return the sort of a constant.

    If the index is a component, only the entries of its kind count.
    """
    key = v.number, index.low, index.high
    if key not in d.constants:
        value = d.module.tables[v.number - 1]
        if isinstance(value, tuple) and index.of in d.program.component_kinds:
            value = value[index.low : index.high + 1]
        d.constants[key] = types.of_value(value)
    return d.constants[key]


def _register(d: Deriving, v: ir.Register) -> Sort:
    return types.join(types.SOME_TEXT, NONE) if v.name == "reason" else types.number(0, WORK_CAP)


def _cell(d: Deriving, v: ir.Cell) -> Sort:
    d.index(v.index, d.layout.places[v.place].size, v.place)
    return d.cell(v.place)


def _zones(d: Deriving, v: ir.Zones) -> Sort:
    held = [d.lying(d.layout.zone_at(number)[0]) for number in range(v.begin, v.end)]
    return types.list_of(types.joined(held), len(held))


def _location(d: Deriving, v: ir.Location) -> Sort:
    d.number(v.component, "a component")
    return types.join(d.zone_numbers, NONE)


def _option(d: Deriving, v: ir.Option) -> Sort:
    option = next(option for option in d.program.options if option.name == v.name)
    low = INT_MIN if option.low is None else option.low
    high = INT_MAX if option.high is None else option.high
    return d.of_type(option.type, (low, high), LIST_LIMIT, TEXT_LIMIT)


# ---------------------------------------------------------------- compounds


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
        return types.joined(of.parts)
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
    return types.number(-found.high, -found.low)


def _binary(d: Deriving, v: ir.Binary) -> Sort:
    if v.op in ("and", "or"):
        d.tests((v.left, v.right), v.op == "and")
        return YES_OR_NO
    if v.op in COMPUTED:
        left, right = d.number(v.left), d.number(v.right)
        return types.number(*COMPUTED[v.op]((left.low, left.high), (right.low, right.high)))
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
    """Record a problem if two values that are compared have sorts that cannot be equal."""
    found = types.join(present(left), present(right))
    differ = found.kind == NUMBER and left.of and right.of and left.of != right.of
    if differ or (found.kind == ANY.kind and ANY.kind not in (left.kind, right.kind)):
        d.wrong("what is compared", left, right)


def _choose(d: Deriving, v: ir.Choose) -> Sort:
    d.test(v.test)
    with d.where(v.test):
        then = d.of(v.then)
    with d.where(v.test, False):
        return types.join(then, d.of(v.otherwise))


def _flag(d: Deriving, v: ir.Flag) -> Sort:
    d.test(v.test)
    return YES_OR_NO


def _tests(d: Deriving, v: ir.Some | ir.Every) -> Sort:
    d.tests(v.parts, isinstance(v, ir.Every))
    return YES_OR_NO


def _sum(d: Deriving, v: ir.Sum) -> Sort:
    parts = [d.number(part) for part in v.parts]
    return types.number(sum(part.low for part in parts), sum(part.high for part in parts))


def _count(d: Deriving, v: ir.Count) -> Sort:
    for flag in v.flags:
        d.test(flag)
    return types.number(v.sure, v.sure + len(v.flags))


def _best(d: Deriving, v: ir.Best) -> Sort:
    found = NEVER
    for condition, value in v.terms:
        if condition is not None:
            d.test(condition)
        with d.where(condition):
            found = types.join(found, d.number(value))
    nothing = all(condition is not None for condition, _ in v.terms)
    return types.join(found, Sort(NUMBER)) if nothing else found


def _prim(d: Deriving, v: ir.Prim) -> Sort:
    if v.name in PRIMITIVES:
        return PRIMITIVES[v.name](d, v.args)
    return of_function(d, RUNTIME[v.name.removeprefix("fn_")], v.args)


def _call(d: Deriving, v: ir.CallQuery) -> Sort:
    name = f"value{v.number}"
    given(d, name, v.args)
    return d.results.get(name, NEVER)


def given(d: Deriving, name: str, args: tuple[ir.Value, ...]) -> None:
    """Assign the sorts of the arguments to the parameters of a function."""
    params = next(f.params for f in d.module.functions if f.name == name)
    for slot, arg in zip(params, args, strict=True):
        d.name(ir.Local(slot), d.of(arg))


# ---------------------------------------------------------------- lists and texts


def _tuple(d: Deriving, v: ir.Tuple) -> Sort:
    items = [d.of(item) for item in v.items]
    item = types.joined(items)
    return types.record(items) if item.kind == ANY.kind else types.list_of(item, len(items))


def _frame(d: Deriving, v: ir.Frame) -> Sort:
    for _, value in v.pairs:
        d.of(value)
    return Sort(types.FRAME)


def _spread(d: Deriving, v: ir.Spread) -> Sort:
    parts = [d.list(part) for part in v.parts]
    return types.list_of(types.joined(p.item or NEVER for p in parts), sum(p.most for p in parts))


def _items(d: Deriving, v: ir.Items) -> Sort:
    for flag in v.flags:
        if flag is not None:
            d.test(flag)
    return types.list_of(types.joined(map(types.of_value, v.items)), len(v.items))


def _numbers(d: Deriving, v: ir.Numbers) -> Sort:
    low, high = d.number(v.low), d.number(v.high)
    return types.list_of(types.number(low.low, max(low.low, high.high)), max(high.high - low.low + 1, 0))


def _lying(d: Deriving, v: ir.Lying) -> Sort:
    item = (d.of(v.zones).item or NEVER).item or NEVER
    return types.list_of(item, item.high - item.low + 1)


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
    """Return the sort of the result of a pipeline."""
    if v.sink in ("list", "array"):
        return types.list_of(item if v.value is None else d.of(v.value), source.most)
    if v.sink == "joined":
        lists = item if v.value is None else d.list(v.value)
        return types.list_of(lists.item or NEVER, min(source.most * lists.most, LIST_LIMIT))
    if v.sink in ("any", "all"):
        if v.value is not None:
            d.test(v.value)
        return YES_OR_NO
    value = item if v.value is None else d.number(v.value)
    if v.sink == "sum":
        return types.number(min(value.low * source.most, 0), max(value.high * source.most, 0))
    return types.join(value, Sort(NUMBER))


def _by_key(d: Deriving, v: ir.ByKey) -> Sort:
    source = d.list(v.source)
    d.name(ir.Bound(v.slot), source.item or NEVER)
    d.of(v.key)
    return source


def _reached(d: Deriving, v: ir.Reached) -> Sort:
    """Infer the sort of a search. It finds no more values than its local can have."""
    start = d.list(v.start)
    d.name(ir.Bound(v.slot), start.item or NEVER)
    d.name(ir.Bound(v.slot), d.list(v.onward).item or NEVER)
    if v.within is not None:
        d.number(v.within)
    one = d.locals[v.slot]
    most = min(one.high - one.low + 1, LIST_LIMIT)
    if v.target is None:
        return types.list_of(one, most)
    _alike(d, d.of(v.target), one)
    return types.join(Sort(NUMBER, 0, most), NONE)


def _text(d: Deriving, v: ir.Text) -> Sort:
    return types.text(sum(d.text(part).most for part in v.parts))


def _shown(d: Deriving, v: ir.Shown) -> Sort:
    d.of(v.value)
    return types.SOME_TEXT


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
    ir.Const: lambda d, v: types.of_value(v.value),
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
    ir.Record: lambda d, v: types.record(d.of(item) for item in v.items),
    ir.Register: _register,
    ir.Short: lambda d, v: d.text(v.value),
    ir.Shown: _shown,
    ir.Some: _tests,
    ir.Spread: _spread,
    ir.Stream: lambda d, v: Sort(types.STREAM),
    ir.Sum: _sum,
    ir.Table: _table,
    ir.Text: _text,
    ir.Tuple: _tuple,
    ir.Unary: _unary,
    ir.Visited: _inner,
    ir.Zone: lambda d, v: d.lying(d.zone_at(v.number)),
    ir.Zones: _zones,
}
"""Class of a value -> the rule that infers its sort."""


ROUNDS = 4  # greatest number of iterations over a function, or over a module
FIRST = ("query", "question")  # roles of functions whose results others read; they are inferred first
# roles of functions that start where a choice is asked
OF_A_CHOICE = ("frame", "options", "phase", "question", "resume")


@dataclass(frozen=True, eq=False)
class Sorts:
    """Hold the inferred sorts of a module.

    Attributes:
        locals: Slot -> sort.
        own: Name of a function -> sorts of the compiler's own names in it.
        results: Name of a function -> sort of its result.
        cells: Name of a variable or pool -> sort of its cells.
        problems: Descriptions of values that do not fit their places.
    """

    locals: dict[int, Sort]
    own: dict[str, dict[str, Sort]]
    results: dict[str, Sort]
    cells: dict[str, Sort]
    problems: tuple[str, ...]


def sorts_of(setting: Setting, module: ir.Module) -> Sorts:
    """Infer the sorts of a module as it comes from selection, before any pass."""
    d = Deriving(setting, module, VALUES)
    order = {role: number for number, role in enumerate(FIRST)}
    functions = sorted(module.functions, key=lambda f: order.get(f.role, len(FIRST)))
    for _ in range(ROUNDS):
        before = dict(d.locals), dict(d.asked)
        d.problems.clear()
        for f in functions:
            # its result can become narrower, now that more is known about where the choice is asked
            if f.role in OF_A_CHOICE:
                d.results.pop(f.name, None)
        own = {f.name: _settled(d, f) for f in functions}
        if (d.locals, d.asked) == before:
            break
    cells = {name: d.cell(name) for name in d.layout.places}
    return Sorts(d.locals, own, d.results, cells, tuple(dict.fromkeys(d.problems)))


def _settled(d: Deriving, f: ir.Function) -> dict[str, Sort]:
    """Infer a function until the sorts of its own names no longer change, and return them.

    Problems of earlier iterations are discarded.
    """
    d.there = d.asked.get(int(f.name[1:]), frozenset()) if f.role in OF_A_CHOICE else frozenset()
    d.own = _given(d, f)
    problems = len(d.problems)
    for round in range(ROUNDS):
        before = dict(d.own)
        del d.problems[problems:]
        operations(d, f, f.ops)
        if d.own == before:
            break
        if round:
            d.own = {name: types.widened(before.get(name, NEVER), sort) for name, sort in d.own.items()}
    return d.own


def _given(d: Deriving, f: ir.Function) -> dict[str, Sort]:
    """Return the sorts of what a function receives besides its parameters.

    These are the number of the answer, and the values of the question.
    """
    if f.role not in ("options", "resume"):
        return {"table": types.YES_OR_NO} if f.role == "playout" else {}
    asked = d.results.get(f"q{f.name[1:]}", NEVER)
    most = asked.parts[1].high if asked.kind == RECORD else 0
    return {"q": asked, "i": types.number(0, max(most - 1, 0))}


# ---------------------------------------------------------------- operations


def operations(d: Deriving, f: ir.Function, ops: ir.Ops) -> None:
    """Infer operations in order."""
    for op in ops:
        d.place = op.place
        OPERATIONS.get(type(op), _parts)(d, f, op)


def _parts(d: Deriving, f: ir.Function, op: ir.Op) -> None:
    """Infer the values and blocks of an operation, in order."""
    for held in op.__dict__.values():
        _part(d, f, held)


def _part(d: Deriving, f: ir.Function, held: Any) -> None:
    if isinstance(held, ir.Value):
        d.of(held)
    elif isinstance(held, ir.Branch):
        if held.test is not None:
            d.test(held.test)
        operations(d, f, held.ops)
    elif isinstance(held, ir.Op):
        operations(d, f, (held,))
    elif isinstance(held, tuple):
        for part in held:
            _part(d, f, part)


def _set(d: Deriving, f: ir.Function, op: ir.Set) -> None:
    value = op.value if op.op == "=" else ir.Binary(op.op, op.target, op.value)
    found = d.of(value)
    if isinstance(op.target, ir.Register):
        return
    d.name(op.target, found)


def _tested(d: Deriving, f: ir.Function, op: ir.Guard | ir.While) -> None:
    d.test(op.test)
    with d.where(op.test):
        operations(d, f, op.ops if isinstance(op, ir.While) else (op.then,))


def _branches(d: Deriving, f: ir.Function, op: ir.When | ir.Either) -> None:
    before = d.there
    for branch in op.branches:
        if branch.test is not None:
            d.test(branch.test)
        with d.where(branch.test):
            operations(d, f, branch.ops)
        if branch.test is not None:
            d.there |= not_none(branch.test, False)
    d.there = before


def _loop(d: Deriving, f: ir.Function, op: ir.Loop) -> None:
    source = d.list(op.source)
    if op.target is not None:
        d.name(op.target, source.item or NEVER)
    operations(d, f, op.ops)
    if op.exhausted is not None:
        operations(d, f, op.exhausted.ops)


def _unpack(d: Deriving, f: ir.Function, op: ir.Unpack) -> None:
    found = d.of(op.value)
    for position, target in enumerate(op.targets):
        if target is not None and found != NEVER:
            if found.kind != RECORD or position >= len(found.parts):
                d.wrong("what is taken apart", found, f"{len(op.targets)} values")
                return
            d.name(target, found.parts[position])


def _return(d: Deriving, f: ir.Function, op: ir.Return) -> None:
    found = [d.of(value) for value in op.values]
    if found:
        result = found[0] if len(found) == 1 else types.record(found)
        d.results[f.name] = types.join(d.results.get(f.name, NEVER), result)


def _draw(d: Deriving, f: ir.Function, op: ir.Draw) -> None:
    domain = d.list(op.domain)
    d.name(ir.Local(op.slot), domain.item or NEVER)
    d.name(op.product, types.WHOLE)
    if op.length is not None:
        d.name(op.length, Sort(NUMBER, 0, domain.most))


def _ask(d: Deriving, f: ir.Function, op: ir.Ask | ir.AskMany) -> None:
    """Infer a choice. Its functions may assume only what holds wherever it is asked."""
    d.asked[op.number] = d.asked.get(op.number, d.there) & d.there
    _parts(d, f, op)


def _effect(d: Deriving, f: ir.Function, op: ir.CallEffect) -> None:
    params = next(other.params for other in d.module.functions if other.name == f"effect{op.number}")
    for slot, arg in zip(params, op.args, strict=True):
        d.name(ir.Local(slot), d.of(arg))


def _move(d: Deriving, f: ir.Function, op: ir.MoveCards | ir.MoveCard) -> None:
    """Check that components move to a zone of their kind."""
    zone = d.zone_at(op.zone)
    if isinstance(op, ir.MoveCard):
        found = d.number(op.card, "a component")
    else:
        found = d.list(op.cards, "components").item or NEVER
    d.fit(f"what comes into `{zone}`", found, d.component(zone))


def _take(d: Deriving, f: ir.Function, op: ir.TakeEnd) -> None:
    d.name(op.card, d.list(op.zone).item or NEVER)


def _put(d: Deriving, f: ir.Function, op: ir.Put) -> None:
    zone = d.zone_at(op.zone.number)
    d.fit(f"what comes into `{zone}`", d.of(op.card), d.component(zone))


OPERATIONS: dict[type[ir.Op], Callable[[Deriving, ir.Function, Any], None]] = {
    ir.Ask: _ask,
    ir.AskMany: _ask,
    ir.CallEffect: _effect,
    ir.Draw: _draw,
    ir.Either: _branches,
    ir.Guard: _tested,
    ir.Loop: _loop,
    ir.MoveCard: _move,
    ir.MoveCards: _move,
    ir.Put: _put,
    ir.Return: _return,
    ir.Set: _set,
    ir.TakeEnd: _take,
    ir.Unpack: _unpack,
    ir.When: _branches,
    ir.While: _tested,
}
"""Class of an operation -> its rule. For all others, :func:`_parts` is enough."""
