"""Infer the types (sorts) of a module, with rules for its primitives, values and operations.

:func:`infer_sorts` traverses the functions until the sorts of their locals no longer change. It returns
:class:`Sorts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS, Builtin
from lusory_dsl.types.integer_intervals import INTERVAL_OPERATIONS, Interval
from lusory_dsl.types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT

from ...state.board_regions import MAX_MASK_SPACES
from ...state.setting_value_limits_builtins_and_names import Setting
from ...state.static_work_charges_and_list_bounds import WORK_CAP
from .. import ir
from ..ir import types
from ..ir.types import ANY, BOOLEAN, LIST, MAP, NEVER, NONE, NUMBER, RECORD, Sort, remove_none
from .type_inference_state import Inference, find_not_none_slots

SHARES = types.list_sort(Sort(types.SHARE), LIST_LIMIT)
SEATS = types.number_sort(0, INT_MAX)  # a bit set of seats
MASK = Sort(NUMBER, 0, (1 << MAX_MASK_SPACES) - 1)  # a bit set of spaces

Args = tuple[ir.Value, ...]


def _infer_item(d: Inference, args: Args) -> Sort:
    """Return the sort of the items of the first argument."""
    items = d.infer_list(args[0])
    for arg in args[1:]:
        d.infer_sort(arg)
    return items.item or NEVER


def _infer_first_list(d: Inference, args: Args) -> Sort:
    """Return the sort of the first argument, a list."""
    items = d.infer_list(args[0])
    for arg in args[1:]:
        d.infer_sort(arg)
    return items


def _make_bound_rule(kind: str) -> Callable[[Inference, Args], Sort]:
    def infer_bound(d: Inference, args: Args) -> Sort:
        ends = [d.infer_number(arg) for arg in args]
        pick = max if kind == "max" else min
        return types.number_sort(pick(e.low for e in ends), pick(e.high for e in ends))

    return infer_bound


def _make_constant_rule(sort: Sort) -> Callable[[Inference, Args], Sort]:
    def infer_arguments(d: Inference, args: Args) -> Sort:
        for arg in args:
            d.infer_sort(arg)
        return sort

    return infer_arguments


def _infer_extended_list(d: Inference, args: Args) -> Sort:
    items = d.infer_list(args[0])
    return types.list_sort(types.join(items.item or NEVER, d.infer_sort(args[1])), items.max_length + 1)


def _infer_union(d: Inference, args: Args) -> Sort:
    left, right = d.infer_list(args[0]), d.infer_list(args[1])
    return types.list_sort(types.join(left.item or NEVER, right.item or NEVER), left.max_length + right.max_length)


def _infer_absolute(d: Inference, args: Args) -> Sort:
    number = d.infer_number(args[0])
    ends = abs(number.low), abs(number.high)
    return types.number_sort(0 if number.low <= 0 <= number.high else min(ends), max(ends))


def _infer_list_sum(d: Inference, args: Args) -> Sort:
    items = d.infer_list(args[0])
    item = types.convert_to_number(items.item or NEVER)
    return types.number_sort(min(item.low * items.max_length, 0), max(item.high * items.max_length, 0))


def _infer_length(d: Inference, args: Args) -> Sort:
    return Sort(NUMBER, 0, d.infer_list(args[0]).max_length)


def _infer_passes(d: Inference, args: Args) -> Sort:
    return types.list_sort(types.number_sort(0, d.infer_number(args[0]).high), LIST_LIMIT)


OPTIONS = types.list_sort(
    types.record_sort((types.number_sort(0, INT_MAX), types.list_sort(types.FROM_OPTION, LIST_LIMIT))), LIST_LIMIT
)
"""The sort of a list of options. Each is the number of an alternative, with the chosen values."""


def _check_appended_option(d: Inference, args: Args) -> Sort:
    """Check that the second argument is an option."""
    option = d.infer_sort(args[1])
    if option.kind != types.RECORD or len(option.parts) != 2:
        d.report("an option", option, "an alternative with its values")
    return NEVER


def _infer_stop_insertion(d: Inference, args: Args) -> Sort:
    """Infer the insertion of -1 before the items of a list."""
    (into,) = args
    if isinstance(into, ir.Temporary):
        items = d.infer_list(into)
        d.temporaries[into.name] = types.list_sort(
            types.join(items.item or NEVER, Sort(NUMBER, -1, -1)), items.max_length + 1
        )
    return NEVER


def _infer_list_with_stop(d: Inference, args: Args) -> Sort:
    d.check_test(args[1])
    return d.infer_list(args[0])


@dataclass(frozen=True)
class _ArgumentSorts:
    """Hold the sorts of the arguments of a function, in the form that its row of the table of builtins expects."""

    seats: int
    args: tuple[Sort, ...]

    @property
    def players(self) -> Interval:
        return self.seats, self.seats

    def number(self, argument: int) -> Interval:
        sort = types.convert_to_number(self.args[argument].item or self.args[argument])
        return (sort.low, sort.high) if sort.kind == NUMBER else (0, 0)

    def size(self, argument: int) -> Interval:
        return 0, self.args[argument].max_length

    def characters(self, argument: int) -> int:
        return (self.args[argument].item or self.args[argument]).max_length


def _infer_function_call(d: Inference, row: Builtin, args: Args) -> Sort:
    """Return the sort of the result of a function of the language, from its row in the table of builtins.

    A function that returns an item or a part of its first argument gives the sort of that; for any other, the row
    bounds the number, the size and the length of its declared type.
    """
    sorts = tuple(d.infer_sort(arg) for arg in args)
    if row.returns_item or row.returns_sublist:
        items = d.infer_list(args[0])
        return items.item or NEVER if row.returns_item else items
    known = _ArgumentSorts(d.players, sorts)
    ends = None if row.bounds is None else row.bounds(known)
    size = LIST_LIMIT if row.size is None else row.size(known)[1]
    assert row.type is not None
    return d.make_type_sort(row.type, ends, size, TEXT_LIMIT if row.characters is None else row.characters(known))


PRIMITIVES: dict[str, Callable[[Inference, Args], Sort]] = {
    "absolute": _infer_absolute,
    "added_up": _infer_list_sum,
    "and_stop": _infer_list_with_stop,
    "any_below": lambda d, args: Sort(NUMBER, 0, max(d.infer_number(args[0]).high - 1, 0)),
    "append": _check_appended_option,
    "back": _infer_item,
    "bits": _make_constant_rule(SEATS),
    "both": _make_constant_rule(NEVER),
    "raise_bound": _make_constant_rule(NEVER),
    "raise_wrong_pool": _make_constant_rule(NEVER),
    "copied": _infer_first_list,
    "extended": _infer_extended_list,
    "lowest_space": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES - 1)),
    "front": _infer_item,
    "greatest": lambda d, args: types.join(_infer_item(d, args), Sort(NUMBER)),
    "find_connected": lambda d, args: _infer_first_list(d, args[1:]),
    "group_among": lambda d, args: _infer_first_list(d, args[1:]),
    "count_groups": _infer_length,
    "insert_stop": _infer_stop_insertion,
    "items_at": _infer_first_list,
    "larger_of": _make_bound_rule("max"),
    "select_leading_spaces": _infer_first_list,
    "least": lambda d, args: types.join(_infer_item(d, args), Sort(NUMBER)),
    "length": _infer_length,
    "lowest_space_of_each": lambda d, args: types.list_sort(
        Sort(NUMBER, 0, MAX_MASK_SPACES - 1), d.infer_list(args[1]).max_length
    ),
    "lowest_of": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES - 1)),
    "mask_of": _make_constant_rule(SEATS),
    "named_options": _make_constant_rule(OPTIONS),
    "no_int": _make_constant_rule(BOOLEAN),
    "no_options": _make_constant_rule(OPTIONS),
    "occurrences": lambda d, args: _infer_length(d, args[:1]),
    "one": lambda d, args: types.list_sort(remove_none(d.infer_sort(args[0])), 1),
    "ones": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES)),
    "public_end_reason": _make_constant_rule(types.ANY_TEXT),
    "raise_limit": _make_constant_rule(NEVER),
    "count_mask_groups": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES)),
    "pick": lambda d, args: _infer_item(d, args[2:]),
    "pick_options": _make_constant_rule(OPTIONS),
    "picks_left": lambda d, args: types.list_sort(
        Sort(NUMBER, 0, max(d.infer_list(args[0]).max_length - 1, 0)), LIST_LIMIT
    ),
    "reversed": _infer_first_list,
    "seen_by_both": _make_constant_rule(SEATS),
    "set_except": _infer_first_list,
    "set_intersect": _infer_first_list,
    "set_union": _infer_union,
    "shared_win_payoffs": _make_constant_rule(SHARES),
    "smaller_of": _make_bound_rule("min"),
    "snapshot": _infer_first_list,
    "select_spaces": _infer_first_list,
    "span_of": lambda d, args: d.infer_sort(ir.NumberRange(args[0], args[1], True)),
    "zero_sum_payoffs": _make_constant_rule(SHARES),
    "raise_overflow": _make_constant_rule(NEVER),
    "up_to": _infer_passes,
    "without_first": _infer_first_list,
    "without_lowest": _make_constant_rule(MASK),
    "winners": _make_constant_rule(types.list_sort(types.number_sort(0, INT_MAX, "Player"), LIST_LIMIT)),
}
"""Name of a primitive -> the rule for its result. Functions of the language are not among them."""


# ---------------------------------------------------------------- atoms


def _infer_table(d: Inference, v: ir.Table, index: Sort = NONE) -> Sort:
    """Return the sort of a constant.

    If the index is a component, only the entries of its kind count.
    """
    key = v.number, index.low, index.high
    if key not in d.constants:
        value = d.module.tables[v.number - 1]
        if isinstance(value, tuple) and index.type_name in d.program.component_kinds:
            value = value[index.low : index.high + 1]
        d.constants[key] = types.get_value_sort(value)
    return d.constants[key]


def _infer_register(d: Inference, v: ir.Register) -> Sort:
    return types.join(types.ANY_TEXT, NONE) if v.name == "reason" else types.number_sort(0, WORK_CAP)


def _infer_cell(d: Inference, v: ir.Cell) -> Sort:
    d.infer_index(v.index, d.layout.places[v.place].size, v.place)
    return d.get_cell_sort(v.place)


def _infer_zones(d: Inference, v: ir.Zones) -> Sort:
    lists = [d.make_zone_list_sort(d.layout.get_zone(number)[0]) for number in range(v.begin, v.end)]
    return types.list_sort(types.join_all(lists), len(lists))


def _infer_location(d: Inference, v: ir.Location) -> Sort:
    d.infer_number(v.component, "a component")
    return types.join(d.zone_numbers, NONE)


def _infer_option(d: Inference, v: ir.Option) -> Sort:
    option = next(option for option in d.program.options if option.name == v.name)
    low = INT_MIN if option.low is None else option.low
    high = INT_MAX if option.high is None else option.high
    return d.make_type_sort(option.type, (low, high), LIST_LIMIT, TEXT_LIMIT)


# ---------------------------------------------------------------- compounds


def _infer_bind(d: Inference, v: ir.Bind) -> Sort:
    sort = d.infer_sort(v.value)
    d.assign(v.target, sort)
    return sort


def _infer_let(d: Inference, v: ir.Let) -> Sort:
    d.assign(v.target, d.infer_sort(v.value))
    return d.infer_sort(v.body)


def _infer_entry(d: Inference, v: ir.Entry) -> Sort:
    """Return the sort of an entry. Report a container that has no entries, and an index below its first one.

    A constant index of a record gives the sort of that field; any other gives the join of all fields.
    """
    container = (
        _infer_table(d, v.container, d.infer_sort(v.index))
        if isinstance(v.container, ir.Table)
        else d.infer_sort(v.container)
    )
    if container.kind == MAP:
        d.infer_sort(v.index)
        return container.item or NEVER
    at = d.infer_number(v.index, "an index")
    if container.kind == RECORD:
        if at.low == at.high and at.low < len(container.parts):
            return container.parts[at.low]
        return types.join_all(container.parts)
    if container.kind != LIST or container.is_optional:
        d.report("what has entries", container, "a list")
        return NEVER
    if at.high < (v.low or 0):
        d.report("an index", at, f"an index of {container}")
    return container.item or NEVER


def _infer_unary(d: Inference, v: ir.Unary) -> Sort:
    if v.op == "not":
        d.check_test(v.operand)
        return BOOLEAN
    operand = d.infer_number(v.operand)
    if v.op == "~":
        return MASK
    return types.number_sort(-operand.high, -operand.low)


def _infer_binary(d: Inference, v: ir.Binary) -> Sort:
    """Return the sort of the result of an operator, and check its operands.

    Arithmetic gives numbers with the bounds of interval arithmetic, bit operations masks, and all others a truth value.
    """
    if v.op in ("and", "or"):
        d.check_tests((v.left, v.right), v.op == "and")
        return BOOLEAN
    if v.op in INTERVAL_OPERATIONS:
        left, right = d.infer_number(v.left), d.infer_number(v.right)
        return types.number_sort(*INTERVAL_OPERATIONS[v.op]((left.low, left.high), (right.low, right.high)))
    if v.op in ("in", "not in"):
        item, among = d.infer_sort(v.left), d.infer_list(v.right)
        _check_comparable(d, item, among.item or NEVER)
        return BOOLEAN
    if v.op in ("&", "|", "^", ">>", "<<"):
        d.infer_number(v.left)
        d.infer_number(v.right)
        return SEATS if v.op == "<<" else MASK
    left, right = d.infer_sort(v.left), d.infer_sort(v.right)
    if v.op in ("<", "<=", ">", ">="):
        left, right = remove_none(left), remove_none(right)
    _check_comparable(d, left, right)
    return BOOLEAN


def _check_comparable(d: Inference, left: Sort, right: Sort) -> None:
    """Record a problem if two values that are compared have sorts that cannot be equal."""
    common = types.join(remove_none(left), remove_none(right))
    differ = common.kind == NUMBER and left.type_name and right.type_name and left.type_name != right.type_name
    if differ or (common.kind == ANY.kind and ANY.kind not in (left.kind, right.kind)):
        d.report("what is compared", left, right)


def _infer_choose(d: Inference, v: ir.Choose) -> Sort:
    d.check_test(v.test)
    with d.assuming(v.test):
        then = d.infer_sort(v.then)
    with d.assuming(v.test, False):
        return types.join(then, d.infer_sort(v.otherwise))


def _infer_flag(d: Inference, v: ir.Flag) -> Sort:
    d.check_test(v.test)
    return BOOLEAN


def _infer_tests(d: Inference, v: ir.AnyOf | ir.AllOf) -> Sort:
    d.check_tests(v.parts, isinstance(v, ir.AllOf))
    return BOOLEAN


def _infer_sum(d: Inference, v: ir.Sum) -> Sort:
    parts = [d.infer_number(part) for part in v.parts]
    return types.number_sort(sum(part.low for part in parts), sum(part.high for part in parts))


def _infer_count(d: Inference, v: ir.Count) -> Sort:
    for flag in v.flags:
        d.check_test(flag)
    return types.number_sort(v.certain_count, v.certain_count + len(v.flags))


def _infer_extreme(d: Inference, v: ir.Extreme) -> Sort:
    best = NEVER
    for condition, value in v.terms:
        if condition is not None:
            d.check_test(condition)
        with d.assuming(condition):
            best = types.join(best, d.infer_number(value))
    nothing = all(condition is not None for condition, _ in v.terms)
    return types.join(best, Sort(NUMBER)) if nothing else best


def _infer_primitive(d: Inference, v: ir.Primitive) -> Sort:
    if v.name in PRIMITIVES:
        return PRIMITIVES[v.name](d, v.args)
    return _infer_function_call(d, RUNTIME_FUNCTIONS[v.name.removeprefix("fn_")], v.args)


def _infer_query_call(d: Inference, v: ir.CallQuery) -> Sort:
    name = f"value{v.number}"
    assign_arguments(d, name, v.args)
    return d.results.get(name, NEVER)


def assign_arguments(d: Inference, name: str, args: tuple[ir.Value, ...]) -> None:
    """Assign the sorts of the arguments, in order, to the parameters of the function with this name.

    Raise StopIteration if the module has no such function.
    """
    params = next(f.params for f in d.module.functions if f.name == name)
    for slot, arg in zip(params, args, strict=True):
        d.assign(ir.Local(slot), d.infer_sort(arg))


# ---------------------------------------------------------------- lists and texts


def _infer_tuple(d: Inference, v: ir.Tuple) -> Sort:
    items = [d.infer_sort(item) for item in v.items]
    item = types.join_all(items)
    return types.record_sort(items) if item.kind == ANY.kind else types.list_sort(item, len(items))


def _infer_frame(d: Inference, v: ir.Frame) -> Sort:
    for _, value in v.pairs:
        d.infer_sort(value)
    return Sort(types.FRAME)


def _infer_concatenation(d: Inference, v: ir.Concatenation) -> Sort:
    parts = [d.infer_list(part) for part in v.parts]
    return types.list_sort(types.join_all(p.item or NEVER for p in parts), sum(p.max_length for p in parts))


def _infer_conditional_items(d: Inference, v: ir.ConditionalItems) -> Sort:
    for flag in v.flags:
        if flag is not None:
            d.check_test(flag)
    return types.list_sort(types.join_all(map(types.get_value_sort, v.items)), len(v.items))


def _infer_number_range(d: Inference, v: ir.NumberRange) -> Sort:
    low, high = d.infer_number(v.low), d.infer_number(v.high)
    return types.list_sort(types.number_sort(low.low, max(low.low, high.high)), max(high.high - low.low + 1, 0))


def _infer_components(d: Inference, v: ir.ComponentsIn) -> Sort:
    item = (d.infer_sort(v.zones).item or NEVER).item or NEVER
    return types.list_sort(item, item.high - item.low + 1)


def _infer_pipeline(d: Inference, v: ir.Pipeline) -> Sort:
    """Assign the sorts of the items to the locals of a pipeline, check its tests, and return the sort of its result."""
    times = 1
    for outer in v.outer:
        outer_source = d.infer_list(outer.source)
        times *= outer_source.max_length
        d.assign(ir.BoundLocal(outer.slot), outer_source.item or NEVER)
        d.check_tests(outer.tests)
    source = d.infer_list(v.source)
    item = source.item or NEVER
    match v.tests[:1]:
        case (ir.Binary(op="is not", left=ir.BoundLocal(slot=slot), right=ir.Const(value=None)),) if slot == v.slot:
            item = remove_none(item)
    d.assign(ir.BoundLocal(v.slot), item)
    d.check_tests(v.tests)
    with d.assuming(ir.AllOf(v.tests)):
        return _infer_sink(d, v, replace(source, max_length=min(source.max_length * times, LIST_LIMIT)), item)


def _infer_sink(d: Inference, v: ir.Pipeline, source: Sort, item: Sort) -> Sort:
    """Return the sort of the result of a pipeline."""
    if v.sink in ("list", "array"):
        return types.list_sort(item if v.value is None else d.infer_sort(v.value), source.max_length)
    if v.sink == "joined":
        lists = item if v.value is None else d.infer_list(v.value)
        return types.list_sort(lists.item or NEVER, min(source.max_length * lists.max_length, LIST_LIMIT))
    if v.sink in ("any", "all"):
        if v.value is not None:
            d.check_test(v.value)
        return BOOLEAN
    value = item if v.value is None else d.infer_number(v.value)
    if v.sink == "sum":
        return types.number_sort(min(value.low * source.max_length, 0), max(value.high * source.max_length, 0))
    return types.join(value, Sort(NUMBER))


def _infer_by_key(d: Inference, v: ir.ByKey) -> Sort:
    source = d.infer_list(v.source)
    d.assign(ir.BoundLocal(v.slot), source.item or NEVER)
    d.infer_sort(v.key)
    return source


def _infer_graph_search(d: Inference, v: ir.GraphSearch) -> Sort:
    """Infer the sort of a search. It finds no more values than its local can have."""
    start = d.infer_list(v.start)
    d.assign(ir.BoundLocal(v.slot), start.item or NEVER)
    d.assign(ir.BoundLocal(v.slot), d.infer_list(v.successors).item or NEVER)
    if v.max_steps is not None:
        d.infer_number(v.max_steps)
    reached = d.locals[v.slot]
    most = min(reached.high - reached.low + 1, LIST_LIMIT)
    if v.target is None:
        return types.list_sort(reached, most)
    _check_comparable(d, d.infer_sort(v.target), reached)
    return types.join(Sort(NUMBER, 0, most), NONE)


def _infer_text(d: Inference, v: ir.Text) -> Sort:
    return types.make_text_sort(sum(d.infer_text(part).max_length for part in v.parts))


def _infer_label(d: Inference, v: ir.Label) -> Sort:
    d.infer_sort(v.value)
    return types.ANY_TEXT


# ---------------------------------------------------------------- checks


def _infer_int_check(d: Inference, v: ir.IntCheck) -> Sort:
    number = d.infer_number(v.value)
    if v.name is not None:
        d.assign(v.name, number)
    return number


def _infer_index_check(d: Inference, v: ir.IndexCheck) -> Sort:
    index = d.infer_number(v.value)
    return Sort(NUMBER, max(index.low, v.low), min(index.high, v.end - 1), index.type_name)


VALUES: dict[type[ir.Value], Callable[[Inference, Any], Sort]] = {
    ir.PendingQuestion: lambda d, v: d.results.get(f"q{v.number}", NEVER),
    ir.Extreme: _infer_extreme,
    ir.Binary: _infer_binary,
    ir.Bind: _infer_bind,
    ir.BoundLocal: lambda d, v: d.get_local_sort(v.slot),
    ir.ByKey: _infer_by_key,
    ir.CallQuery: _infer_query_call,
    ir.Cell: _infer_cell,
    ir.Choose: _infer_choose,
    ir.Clause: lambda d, v: d.infer_sort(v.source),
    ir.Const: lambda d, v: types.get_value_sort(v.value),
    ir.Count: _infer_count,
    ir.Entry: _infer_entry,
    ir.AllOf: _infer_tests,
    ir.IntCheck: _infer_int_check,
    ir.Flag: _infer_flag,
    ir.Frame: _infer_frame,
    ir.IndexCheck: _infer_index_check,
    ir.Index: lambda d, v: d.infer_index(v, d.layout.zone_count, "zones"),
    ir.ConditionalItems: _infer_conditional_items,
    ir.NotNone: lambda d, v: remove_none(d.infer_sort(v.value)),
    ir.Let: _infer_let,
    ir.ListLengthCheck: lambda d, v: d.infer_list(v.value),
    ir.Local: lambda d, v: d.get_local_sort(v.slot),
    ir.Location: _infer_location,
    ir.ComponentsIn: _infer_components,
    ir.SpaceMasks: lambda d, v: Sort(MAP, item=MASK),
    ir.NumberRange: _infer_number_range,
    ir.Option: _infer_option,
    ir.IndexFault: lambda d, v: NEVER,
    ir.Temporary: lambda d, v: d.temporaries.get(v.name, NEVER),
    ir.Pipeline: _infer_pipeline,
    ir.Primitive: _infer_primitive,
    ir.GraphSearch: _infer_graph_search,
    ir.Record: lambda d, v: types.record_sort(d.infer_sort(item) for item in v.items),
    ir.Register: _infer_register,
    ir.TextLengthCheck: lambda d, v: d.infer_text(v.value),
    ir.Label: _infer_label,
    ir.AnyOf: _infer_tests,
    ir.Concatenation: _infer_concatenation,
    ir.Stream: lambda d, v: Sort(types.STREAM),
    ir.Sum: _infer_sum,
    ir.Table: _infer_table,
    ir.Text: _infer_text,
    ir.Tuple: _infer_tuple,
    ir.Unary: _infer_unary,
    ir.CountedItems: lambda d, v: d.infer_sort(v.source),
    ir.Zone: lambda d, v: d.make_zone_list_sort(d.find_zone(v.number)),
    ir.Zones: _infer_zones,
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
        temporaries: Name of a function -> name of a temporary in it -> sort.
        results: Name of a function -> sort of its result.
        cells: Name of a variable or pool -> sort of its cells.
        problems: Descriptions of values that do not fit their places.
    """

    locals: dict[int, Sort]
    temporaries: dict[str, dict[str, Sort]]
    results: dict[str, Sort]
    cells: dict[str, Sort]
    problems: tuple[str, ...]


def infer_sorts(setting: Setting, module: ir.Module) -> Sorts:
    """Infer the sorts of a module as it comes from selection, before any pass.

    Go through all functions, beginning with queries and questions, until no sort of a local changes, at most
    :data:`ROUNDS` times. ``locals`` has a sort for each slot in ``module.names``. ``temporaries`` maps the name of
    every function to the sorts of its temporaries. ``cells`` has a sort for every variable and pool of the state.
    ``results`` has one sort for each function that returns a value. Raises nothing: ``problems`` is a tuple of texts
    that describe the values that do not fit, each once.
    """
    d = Inference(setting, module, VALUES)
    order = {role: number for number, role in enumerate(FIRST)}
    functions = sorted(module.functions, key=lambda f: order.get(f.role, len(FIRST)))
    for _ in range(ROUNDS):
        before = dict(d.locals), dict(d.known_at_choice)
        d.problems.clear()
        for f in functions:
            # its result can become narrower, now that more is known about where the choice is asked
            if f.role in OF_A_CHOICE:
                d.results.pop(f.name, None)
        own = {f.name: _infer_function(d, f) for f in functions}
        if (d.locals, d.known_at_choice) == before:
            break
    cells = {name: d.get_cell_sort(name) for name in d.layout.places}
    return Sorts(d.locals, own, d.results, cells, tuple(dict.fromkeys(d.problems)))


def _infer_function(d: Inference, f: ir.Function) -> dict[str, Sort]:
    """Infer a function until the sorts of its own names no longer change, and return them.

    Problems of earlier iterations are discarded.
    """
    d.known_locals = d.known_at_choice.get(int(f.name[1:]), frozenset()) if f.role in OF_A_CHOICE else frozenset()
    d.temporaries = _get_implicit_sorts(d, f)
    problems = len(d.problems)
    for round in range(ROUNDS):
        before = dict(d.temporaries)
        del d.problems[problems:]
        infer_operations(d, f, f.ops)
        if d.temporaries == before:
            break
        if round:
            d.temporaries = {name: types.widen(before.get(name, NEVER), sort) for name, sort in d.temporaries.items()}
    return d.temporaries


def _get_implicit_sorts(d: Inference, f: ir.Function) -> dict[str, Sort]:
    """Return the sorts of what a function receives besides its parameters.

    These are the number of the answer, and the values of the question.
    """
    if f.role not in ("options", "resume"):
        return {"table": types.BOOLEAN} if f.role == "playout" else {}
    question = d.results.get(f"q{f.name[1:]}", NEVER)
    most = question.parts[1].high if question.kind == RECORD else 0
    return {"q": question, "i": types.number_sort(0, max(most - 1, 0))}


# ---------------------------------------------------------------- operations


def infer_operations(d: Inference, f: ir.Function, ops: ir.Ops) -> None:
    """Infer operations in order, with their inner blocks, for function ``f``: record the sorts of what they assign and
    return.
    """
    for op in ops:
        d.place = op.place
        OPERATIONS.get(type(op), _infer_parts)(d, f, op)


def _infer_parts(d: Inference, f: ir.Function, op: ir.Op) -> None:
    """Infer the values and blocks of an operation, in order."""
    for part in op.__dict__.values():
        _infer_part(d, f, part)


def _infer_part(d: Inference, f: ir.Function, value: Any) -> None:
    if isinstance(value, ir.Value):
        d.infer_sort(value)
    elif isinstance(value, ir.Branch):
        if value.test is not None:
            d.check_test(value.test)
        infer_operations(d, f, value.ops)
    elif isinstance(value, ir.Op):
        infer_operations(d, f, (value,))
    elif isinstance(value, tuple):
        for part in value:
            _infer_part(d, f, part)


def _infer_set(d: Inference, f: ir.Function, op: ir.Set) -> None:
    value = op.value if op.op == "=" else ir.Binary(op.op, op.target, op.value)
    sort = d.infer_sort(value)
    if isinstance(op.target, ir.Register):
        return
    d.assign(op.target, sort)


def _infer_guarded(d: Inference, f: ir.Function, op: ir.Guard | ir.While) -> None:
    d.check_test(op.test)
    with d.assuming(op.test):
        infer_operations(d, f, op.ops if isinstance(op, ir.While) else (op.then,))


def _infer_branches(d: Inference, f: ir.Function, op: ir.If | ir.Branching) -> None:
    before = d.known_locals
    for branch in op.branches:
        if branch.test is not None:
            d.check_test(branch.test)
        with d.assuming(branch.test):
            infer_operations(d, f, branch.ops)
        if branch.test is not None:
            d.known_locals |= find_not_none_slots(branch.test, False)
    d.known_locals = before


def _infer_loop(d: Inference, f: ir.Function, op: ir.Loop) -> None:
    source = d.infer_list(op.source)
    if op.target is not None:
        d.assign(op.target, source.item or NEVER)
    infer_operations(d, f, op.ops)
    if op.exhausted is not None:
        infer_operations(d, f, op.exhausted.ops)


def _infer_unpack(d: Inference, f: ir.Function, op: ir.Unpack) -> None:
    record = d.infer_sort(op.value)
    for position, target in enumerate(op.targets):
        if target is not None and record != NEVER:
            if record.kind != RECORD or position >= len(record.parts):
                d.report("what is taken apart", record, f"{len(op.targets)} values")
                return
            d.assign(target, record.parts[position])


def _infer_return(d: Inference, f: ir.Function, op: ir.Return) -> None:
    results = [d.infer_sort(value) for value in op.values]
    if results:
        result = results[0] if len(results) == 1 else types.record_sort(results)
        d.results[f.name] = types.join(d.results.get(f.name, NEVER), result)


def _infer_draw(d: Inference, f: ir.Function, op: ir.Draw) -> None:
    domain = d.infer_list(op.domain)
    d.assign(ir.Local(op.slot), domain.item or NEVER)
    d.assign(op.product, types.ANY_INT)
    if op.length is not None:
        d.assign(op.length, Sort(NUMBER, 0, domain.max_length))


def _infer_ask(d: Inference, f: ir.Function, op: ir.Ask | ir.AskMany) -> None:
    """Infer a choice. Its functions may assume only what holds wherever it is asked."""
    d.known_at_choice[op.number] = d.known_at_choice.get(op.number, d.known_locals) & d.known_locals
    _infer_parts(d, f, op)


def _infer_move(d: Inference, f: ir.Function, op: ir.MoveCards | ir.MoveCard) -> None:
    """Check that components move to a zone of their kind."""
    zone = d.find_zone(op.zone)
    if isinstance(op, ir.MoveCard):
        component = d.infer_number(op.card, "a component")
    else:
        component = d.infer_list(op.cards, "components").item or NEVER
    d.check_fit(f"what comes into `{zone}`", component, d.make_component_sort(zone))


def _infer_put(d: Inference, f: ir.Function, op: ir.PutComponent) -> None:
    zone = d.find_zone(op.zone.number)
    d.check_fit(f"what comes into `{zone}`", d.infer_sort(op.card), d.make_component_sort(zone))


OPERATIONS: dict[type[ir.Op], Callable[[Inference, ir.Function, Any], None]] = {
    ir.Ask: _infer_ask,
    ir.AskMany: _infer_ask,
    ir.CallEffect: lambda d, f, op: assign_arguments(d, f"effect{op.number}", op.args),
    ir.Draw: _infer_draw,
    ir.Branching: _infer_branches,
    ir.Guard: _infer_guarded,
    ir.Loop: _infer_loop,
    ir.MoveCard: _infer_move,
    ir.MoveCards: _infer_move,
    ir.PutComponent: _infer_put,
    ir.Return: _infer_return,
    ir.Set: _infer_set,
    ir.TakeEnd: lambda d, f, op: d.assign(op.card, d.infer_list(op.zone).item or NEVER),
    ir.Unpack: _infer_unpack,
    ir.If: _infer_branches,
    ir.While: _infer_guarded,
}
"""Class of an operation -> its rule. For all others, :func:`_infer_parts` is enough."""
