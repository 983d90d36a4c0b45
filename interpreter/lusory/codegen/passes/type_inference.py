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

from ...state.connected_spaces_and_reachability import MAX_MASK_SPACES
from ...state.setting_value_limits_builtins_and_names import Setting
from ...state.static_work_charges_and_list_bounds import WORK_CAP
from .. import ir
from ..ir import types
from ..ir.types import ANY, BOOLEAN, LIST, MAP, NEVER, NONE, NUMBER, RECORD, Sort, remove_none
from .type_inference_state import Inference, find_not_none_slots

SEATS = types.make_number_sort(0, INT_MAX)  # a bit set of seats
REASON = types.join(types.ANY_TEXT, NONE)
MASK = Sort(NUMBER, 0, (1 << MAX_MASK_SPACES) - 1)  # a bit set of spaces

Args = tuple[ir.Value, ...]


def _infer_first_list(inference: Inference, args: Args) -> Sort:
    """Return the sort of the first argument, a list."""
    items = inference.infer_list(args[0])
    for arg in args[1:]:
        inference.infer_sort(arg)
    return items


def _infer_item(inference: Inference, args: Args) -> Sort:
    """Return the sort of the items of the first argument."""
    return _infer_first_list(inference, args).item or NEVER


def _make_constant_rule(sort: Sort) -> Callable[[Inference, Args], Sort]:
    def infer_arguments(inference: Inference, args: Args) -> Sort:
        for arg in args:
            inference.infer_sort(arg)
        return sort

    return infer_arguments


def _infer_extended_list(inference: Inference, args: Args) -> Sort:
    items = inference.infer_list(args[0])
    return types.make_list_sort(types.join(items.item or NEVER, inference.infer_sort(args[1])), items.max_length + 1)


def _infer_union(inference: Inference, args: Args) -> Sort:
    left, right = inference.infer_list(args[0]), inference.infer_list(args[1])
    return types.make_list_sort(types.join(left.item or NEVER, right.item or NEVER), left.max_length + right.max_length)


def _infer_length(inference: Inference, args: Args) -> Sort:
    return Sort(NUMBER, 0, inference.infer_list(args[0]).max_length)


def _infer_passes(inference: Inference, args: Args) -> Sort:
    return types.make_list_sort(types.make_number_sort(0, inference.infer_number(args[0]).high), LIST_LIMIT)


OPTION = types.make_record_sort(
    (types.make_number_sort(0, INT_MAX), types.make_list_sort(types.FROM_OPTION, LIST_LIMIT))
)
OPTIONS = types.make_list_sort(OPTION, LIST_LIMIT)
"""The sort of a list of options. Each is the number of an alternative, with the chosen values."""


def _check_appended_option(inference: Inference, args: Args) -> Sort:
    """Check that the second argument is an option."""
    option = inference.infer_sort(args[1])
    if option.kind != types.RECORD or len(option.parts) != 2:
        inference.report("an option", option, "an alternative with its values")
    return NEVER


def _infer_stop_insertion(inference: Inference, args: Args) -> Sort:
    """Infer the insertion of -1 before the items of a list."""
    (options,) = args
    if isinstance(options, ir.Temporary):
        items = inference.infer_list(options)
        inference.temporaries[options.name] = types.make_list_sort(
            types.join(items.item or NEVER, Sort(NUMBER, -1, -1)), items.max_length + 1
        )
    return NEVER


def _infer_list_with_stop(inference: Inference, args: Args) -> Sort:
    inference.check_test(args[1])
    return inference.infer_list(args[0])


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


def _infer_function_call(inference: Inference, row: Builtin, args: Args) -> Sort:
    """Return the sort of the result of a function of the language, from its row in the table of builtins.

    A function that returns an item or a part of its first argument gives the sort of that. For any other, the row
    bounds the number, the size and the length of its declared type.
    """
    sorts = tuple(inference.infer_sort(arg) for arg in args)
    if row.returns_item or row.returns_sublist:
        items = inference.infer_list(args[0])
        return items.item or NEVER if row.returns_item else items
    argument_sorts = _ArgumentSorts(inference.players, sorts)
    ends = None if row.bounds is None else row.bounds(argument_sorts)
    size = LIST_LIMIT if row.size is None else row.size(argument_sorts)[1]
    assert row.type is not None
    length = TEXT_LIMIT if row.characters is None else row.characters(argument_sorts)
    return inference.make_type_sort(row.type, ends, size, length)


PRIMITIVES: dict[str, Callable[[Inference, Args], Sort]] = {
    "and_stop": _infer_list_with_stop,
    # a random number below another
    "any_below": lambda inference, args: Sort(NUMBER, 0, max(inference.infer_number(args[0]).high - 1, 0)),
    "append": _check_appended_option,
    "back": _infer_item,
    "bits": _make_constant_rule(SEATS),  # the bit set of the seats that see something
    "both": _make_constant_rule(NEVER),  # evaluates two values and uses neither
    "raise_bound": _make_constant_rule(NEVER),
    "raise_wrong_pool": _make_constant_rule(NEVER),
    "copied": _infer_first_list,  # a copy for a loop during which the original may change
    "extended": _infer_extended_list,  # a list with one item appended
    # the index of the lowest bit of a mask; an empty mask is a fault
    "find_lowest_space": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES - 1)),
    "front": _infer_item,
    "find_connected": lambda inference, args: _infer_first_list(inference, args[1:]),
    "find_group": lambda inference, args: _infer_first_list(inference, args[1:]),
    "count_groups": _infer_length,
    "insert_stop": _infer_stop_insertion,
    "items_at": _infer_first_list,  # the items of a list at given indices
    "select_leading_spaces": _infer_first_list,  # the items of a list before the first that is not in a mask
    "length": _infer_length,
    "make_mask": _make_constant_rule(SEATS),
    "named_options": _make_constant_rule(OPTIONS),
    "no_options": _make_constant_rule(OPTIONS),
    "occurrences": lambda inference, args: _infer_length(inference, args[:1]),  # how often an item occurs in a list
    # a list of one value, or the empty list for none
    "make_optional_list": lambda inference, args: types.make_list_sort(remove_none(inference.infer_sort(args[0])), 1),
    "ones": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES)),  # the number of bits set in a mask
    "format_end_reason": _make_constant_rule(types.ANY_TEXT),
    "raise_limit": _make_constant_rule(NEVER),
    "count_mask_groups": _make_constant_rule(Sort(NUMBER, 0, MAX_MASK_SPACES)),
    "pick": lambda inference, args: _infer_item(inference, args[2:]),  # from a random stream, or forced by a test case
    "pick_options": _make_constant_rule(OPTIONS),
    "list_open_picks": lambda inference, args: types.make_list_sort(
        Sort(NUMBER, 0, max(inference.infer_list(args[0]).max_length - 1, 0)), LIST_LIMIT
    ),
    "reversed": _infer_first_list,
    "seen_by_both": _make_constant_rule(SEATS),
    "set_except": _infer_first_list,
    "set_intersect": _infer_first_list,
    "set_union": _infer_union,
    "snapshot": _infer_first_list,  # the present components of a zone, as a list
    "select_spaces": _infer_first_list,  # the items of a list that are in a mask, in order and each once
    # the list of all numbers in a range
    "make_number_list": lambda inference, args: inference.infer_sort(ir.NumberRange(args[0], args[1], True)),
    "up_to": _infer_passes,  # a range with a given number of passes
}
"""Name of a primitive -> the rule for its result. Functions of the language are not among them."""


# ---------------------------------------------------------------- atoms


def _infer_table(inference: Inference, table: ir.Table, index: Sort = NONE) -> Sort:
    """Return the sort of a constant.

    If the index is a component, only the entries of its kind count.
    """
    key = table.number, index.low, index.high
    if key not in inference.constants:
        constant = inference.module.tables[table.number - 1]
        if isinstance(constant, tuple) and index.type_name in inference.program.component_kinds:
            constant = constant[index.low : index.high + 1]
        inference.constants[key] = types.get_value_sort(constant)
    return inference.constants[key]


def _infer_cell(inference: Inference, value: ir.Cell) -> Sort:
    inference.infer_index(value.index, inference.layout.places[value.place].size, value.place)
    return inference.get_cell_sort(value.place)


def _infer_location(inference: Inference, value: ir.Location) -> Sort:
    inference.infer_number(value.component, "a component")
    return types.join(inference.zone_numbers, NONE)


def _infer_option(inference: Inference, value: ir.Option) -> Sort:
    option = next(option for option in inference.program.options if option.name == value.name)
    low = INT_MIN if option.low is None else option.low
    high = INT_MAX if option.high is None else option.high
    return inference.make_type_sort(option.type, (low, high), LIST_LIMIT, TEXT_LIMIT)


# ---------------------------------------------------------------- compounds


def _infer_bind(inference: Inference, value: ir.Bind) -> Sort:
    sort = inference.infer_sort(value.value)
    inference.assign(value.target, sort)
    return sort


def _infer_let(inference: Inference, value: ir.Let) -> Sort:
    inference.assign(value.target, inference.infer_sort(value.value))
    return inference.infer_sort(value.body)


def _infer_entry(inference: Inference, value: ir.Entry) -> Sort:
    """Return the sort of an entry. Report a container that has no entries, and an index below its first one.

    A constant index of a record gives the sort of that field; any other gives the join of all fields.
    """
    if isinstance(value.container, ir.Table):
        container = _infer_table(inference, value.container, inference.infer_sort(value.index))
    else:
        container = inference.infer_sort(value.container)
    if container.kind == MAP:
        inference.infer_sort(value.index)
        return container.item or NEVER
    index = inference.infer_number(value.index, "an index")
    if container.kind == RECORD:
        if index.low == index.high and index.low < len(container.parts):
            return container.parts[index.low]
        return types.join_all(container.parts)
    if container.kind != LIST or container.is_optional:
        inference.report("what has entries", container, "a list")
        return NEVER
    if index.high < (value.low or 0):
        inference.report("an index", index, f"an index of {container}")
    return container.item or NEVER


def _infer_unary(inference: Inference, value: ir.Unary) -> Sort:
    if value.op == "not":
        inference.check_test(value.operand)
        return BOOLEAN
    operand = inference.infer_number(value.operand)
    if value.op == "~":
        return MASK
    return types.make_number_sort(-operand.high, -operand.low)


def _infer_binary(inference: Inference, value: ir.Binary) -> Sort:
    """Return the sort of the result of an operator, and check its operands.

    Arithmetic gives numbers with the bounds of interval arithmetic, ``<<`` gives :data:`SEATS`, other bit operations
    :data:`MASK`, and all others a truth value.
    """
    if value.op in ("and", "or"):
        inference.check_tests((value.left, value.right), value.op == "and")
        return BOOLEAN
    if value.op in INTERVAL_OPERATIONS:
        left, right = inference.infer_number(value.left), inference.infer_number(value.right)
        return types.make_number_sort(*INTERVAL_OPERATIONS[value.op]((left.low, left.high), (right.low, right.high)))
    if value.op in ("in", "not in"):
        item, items = inference.infer_sort(value.left), inference.infer_list(value.right)
        _check_comparable(inference, item, items.item or NEVER)
        return BOOLEAN
    if value.op in ("&", "|", "^", ">>", "<<"):
        inference.infer_number(value.left)
        inference.infer_number(value.right)
        return SEATS if value.op == "<<" else MASK
    left, right = inference.infer_sort(value.left), inference.infer_sort(value.right)
    if value.op in ("<", "<=", ">", ">="):
        left, right = remove_none(left), remove_none(right)
    _check_comparable(inference, left, right)
    return BOOLEAN


def _check_comparable(inference: Inference, left: Sort, right: Sort) -> None:
    """Record a problem if two values that are compared have sorts that cannot be equal."""
    common = types.join(remove_none(left), remove_none(right))
    types_differ = common.kind == NUMBER and left.type_name and right.type_name and left.type_name != right.type_name
    if types_differ or (common.kind == ANY.kind and ANY.kind not in (left.kind, right.kind)):
        inference.report("what is compared", left, right)


def _infer_choose(inference: Inference, value: ir.Choose) -> Sort:
    inference.check_test(value.test)
    with inference.assuming(value.test):
        then = inference.infer_sort(value.then)
    with inference.assuming(value.test, False):
        return types.join(then, inference.infer_sort(value.otherwise))


def _infer_tests(inference: Inference, value: ir.AnyOf | ir.AllOf) -> Sort:
    inference.check_tests(value.parts, isinstance(value, ir.AllOf))
    return BOOLEAN


def _infer_sum(inference: Inference, value: ir.Sum) -> Sort:
    parts = [inference.infer_number(part) for part in value.parts]
    return types.make_number_sort(sum(part.low for part in parts), sum(part.high for part in parts))


def _infer_count(inference: Inference, value: ir.Count) -> Sort:
    for flag in value.flags:
        inference.check_test(flag)
    return types.make_number_sort(0, len(value.flags))


def _infer_extreme(inference: Inference, extreme: ir.Extreme) -> Sort:
    return types.join_all([inference.infer_number(value) for value in extreme.terms])


def _infer_primitive(inference: Inference, value: ir.Primitive) -> Sort:
    if value.name in PRIMITIVES:
        return PRIMITIVES[value.name](inference, value.args)
    return _infer_function_call(inference, RUNTIME_FUNCTIONS[value.name.removeprefix("fn_")], value.args)


def _infer_query_call(inference: Inference, value: ir.CallQuery) -> Sort:
    name = f"value{value.number}"
    _assign_arguments(inference, name, value.args)
    return inference.results.get(name, NEVER)


def _assign_arguments(inference: Inference, name: str, args: tuple[ir.Value, ...]) -> None:
    """Assign the sorts of the arguments, in order, to the parameters of the function with this name.

    Raise StopIteration if the module has no such function.
    """
    params = next(function.params for function in inference.module.functions if function.name == name)
    for slot, arg in zip(params, args, strict=True):
        inference.assign(ir.Local(slot), inference.infer_sort(arg))


# ---------------------------------------------------------------- lists and texts


def _infer_tuple(inference: Inference, value: ir.Tuple) -> Sort:
    items = [inference.infer_sort(item) for item in value.items]
    item = types.join_all(items)
    return types.make_record_sort(items) if item.kind == ANY.kind else types.make_list_sort(item, len(items))


def _infer_frame(inference: Inference, frame: ir.Frame) -> Sort:
    for _, value in frame.pairs:
        inference.infer_sort(value)
    return Sort(types.FRAME)


def _infer_concatenation(inference: Inference, value: ir.Concatenation) -> Sort:
    parts = [inference.infer_list(part) for part in value.parts]
    item = types.join_all(part.item or NEVER for part in parts)
    return types.make_list_sort(item, sum(part.max_length for part in parts))


def _infer_conditional_items(inference: Inference, value: ir.ConditionalItems) -> Sort:
    for flag in value.flags:
        if flag is not None:
            inference.check_test(flag)
    return types.make_list_sort(types.join_all(map(types.get_value_sort, value.items)), len(value.items))


def _infer_number_range(inference: Inference, value: ir.NumberRange) -> Sort:
    low, high = inference.infer_number(value.low).low, inference.infer_number(value.high).high
    return types.make_list_sort(types.make_number_sort(low, max(low, high)), max(high - low + 1, 0))


def _infer_components(inference: Inference, value: ir.ComponentsIn) -> Sort:
    zones = {inference.layout.get_zone(number)[0] for number in range(value.begin, value.end)}
    item = types.join_all(map(inference.make_component_sort, sorted(zones)))
    return types.make_list_sort(item, item.high - item.low + 1)


def _infer_pipeline(inference: Inference, pipeline: ir.Pipeline) -> Sort:
    """Assign the sorts of the items to the locals of a pipeline, check its tests, and return the sort of its result."""
    repetitions = 1
    for loop in pipeline.outer:
        loop_source = inference.infer_list(loop.source)
        repetitions *= loop_source.max_length
        inference.assign(ir.BoundLocal(loop.slot), loop_source.item or NEVER)
        inference.check_tests(loop.tests)
    source = inference.infer_list(pipeline.source)
    item = source.item or NEVER
    match pipeline.tests[:1]:
        case (ir.Binary(op="is not", left=ir.BoundLocal(slot), right=ir.Const(None)),) if slot == pipeline.slot:
            item = remove_none(item)
    inference.assign(ir.BoundLocal(pipeline.slot), item)
    inference.check_tests(pipeline.tests)
    with inference.assuming(ir.AllOf(pipeline.tests)):
        max_length = min(source.max_length * repetitions, LIST_LIMIT)
        return _infer_sink(inference, pipeline, replace(source, max_length=max_length), item)


def _infer_sink(inference: Inference, pipeline: ir.Pipeline, source: Sort, item: Sort) -> Sort:
    """Return the sort of the result of a pipeline."""
    if pipeline.sink in ("list", "array"):
        value = item if pipeline.value is None else inference.infer_sort(pipeline.value)
        return types.make_list_sort(value, source.max_length)
    if pipeline.sink == "joined":
        lists = item if pipeline.value is None else inference.infer_list(pipeline.value)
        return types.make_list_sort(lists.item or NEVER, min(source.max_length * lists.max_length, LIST_LIMIT))
    if pipeline.sink in ("any", "all"):
        if pipeline.value is not None:
            inference.check_test(pipeline.value)
        return BOOLEAN
    value = item if pipeline.value is None else inference.infer_number(pipeline.value)
    if pipeline.sink == "sum":
        return types.make_number_sort(min(value.low * source.max_length, 0), max(value.high * source.max_length, 0))
    return types.join(value, Sort(NUMBER))


def _infer_by_key(inference: Inference, value: ir.ByKey) -> Sort:
    source = inference.infer_list(value.source)
    inference.assign(ir.BoundLocal(value.slot), source.item or NEVER)
    inference.infer_sort(value.key)
    return source


def _infer_graph_search(inference: Inference, value: ir.GraphSearch) -> Sort:
    """Infer the sort of a search. It finds no more values than its local can have."""
    start = inference.infer_list(value.start)
    inference.assign(ir.BoundLocal(value.slot), start.item or NEVER)
    inference.assign(ir.BoundLocal(value.slot), inference.infer_list(value.successors).item or NEVER)
    if value.max_steps is not None:
        inference.infer_number(value.max_steps)
    found_item = inference.locals[value.slot]
    max_length = min(found_item.high - found_item.low + 1, LIST_LIMIT)
    if value.target is None:
        return types.make_list_sort(found_item, max_length)
    _check_comparable(inference, inference.infer_sort(value.target), found_item)
    return types.join(Sort(NUMBER, 0, max_length), NONE)


def _infer_label(inference: Inference, value: ir.Label) -> Sort:
    inference.infer_sort(value.value)
    return types.ANY_TEXT


# ---------------------------------------------------------------- checks


def _infer_int_check(inference: Inference, value: ir.IntCheck) -> Sort:
    number = inference.infer_number(value.value)
    if value.name is not None:
        inference.assign(value.name, number)
    return number


def _infer_index_check(inference: Inference, value: ir.IndexCheck) -> Sort:
    index = inference.infer_number(value.value)
    return Sort(NUMBER, max(index.low, value.low), min(index.high, value.end - 1), index.type_name)


VALUES: dict[type[ir.Value], Callable[[Inference, Any], Sort]] = {
    ir.PendingQuestion: lambda inference, value: inference.results.get(f"q{value.number}", NEVER),
    ir.Extreme: _infer_extreme,
    ir.Binary: _infer_binary,
    ir.Bind: _infer_bind,
    ir.BoundLocal: lambda inference, value: inference.get_local_sort(value.slot),
    ir.ByKey: _infer_by_key,
    ir.CallQuery: _infer_query_call,
    ir.Cell: _infer_cell,
    ir.Choose: _infer_choose,
    ir.Clause: lambda inference, value: inference.infer_sort(value.source),
    ir.Const: lambda inference, value: types.get_value_sort(value.value),
    ir.Count: _infer_count,
    ir.Entry: _infer_entry,
    ir.AllOf: _infer_tests,
    ir.IntCheck: _infer_int_check,
    ir.Frame: _infer_frame,
    ir.IndexCheck: _infer_index_check,
    ir.Index: lambda inference, value: inference.infer_index(value, inference.layout.zone_count, "zones"),
    ir.ConditionalItems: _infer_conditional_items,
    ir.NotNone: lambda inference, value: remove_none(inference.infer_sort(value.value)),
    ir.Let: _infer_let,
    ir.ListLengthCheck: lambda inference, value: inference.infer_list(value.value),
    ir.Local: lambda inference, value: inference.get_local_sort(value.slot),
    ir.Location: _infer_location,
    ir.ComponentsIn: _infer_components,
    ir.SpaceMasks: lambda inference, value: Sort(MAP, item=MASK),
    ir.NumberRange: _infer_number_range,
    ir.Option: _infer_option,
    ir.Temporary: lambda inference, value: inference.temporaries.get(value.name, NEVER),
    ir.Pipeline: _infer_pipeline,
    ir.Primitive: _infer_primitive,
    ir.GraphSearch: _infer_graph_search,
    ir.Record: lambda inference, value: types.make_record_sort(inference.infer_sort(item) for item in value.items),
    ir.Register: lambda inference, value: REASON if value.name == "reason" else types.make_number_sort(0, WORK_CAP),
    ir.TextLengthCheck: lambda inference, value: inference.infer_text(value.value),
    ir.Label: _infer_label,
    ir.AnyOf: _infer_tests,
    ir.Concatenation: _infer_concatenation,
    ir.Stream: lambda inference, value: Sort(types.STREAM),
    ir.Sum: _infer_sum,
    ir.Table: _infer_table,
    ir.Text: lambda inference, value: types.make_text_sort(
        sum(inference.infer_text(part).max_length for part in value.parts)
    ),
    ir.Tuple: _infer_tuple,
    ir.Unary: _infer_unary,
    ir.CountedItems: lambda inference, value: inference.infer_sort(value.source),
    ir.Zone: lambda inference, value: inference.make_zone_list_sort(inference.find_zone(value.number)),
}
"""Class of a value -> the rule that infers its sort."""


ROUNDS = 4  # greatest number of iterations over a function, or over a module
FIRST_ROLES = ("query", "question")  # roles of functions whose results others read; they are inferred first
# roles of functions that start where a choice is asked
CHOICE_ROLES = ("frame", "options", "phase", "question", "resume")


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

    Go through all functions, beginning with queries and questions, until nothing known of the locals changes, at most
    :data:`ROUNDS` times. ``locals`` maps each slot in ``module.names`` to the sort of its declared type, within the
    bounds in ``module.facts``. A declaration that says nothing, as for ``none``, gives the sort of the values assigned.
    ``temporaries`` maps the name of every function to the sorts of its temporaries, by name. ``cells`` has a sort for
    the name of every variable and pool of the state. ``results`` has one for the name of each function that returns a
    value. Values that do not fit raise no exception: ``problems`` is a tuple of texts that describe them, each once.
    """
    inference = Inference(setting, module, VALUES)
    order = {role: number for number, role in enumerate(FIRST_ROLES)}
    functions = sorted(module.functions, key=lambda function: order.get(function.role, len(FIRST_ROLES)))
    for _ in range(ROUNDS):
        state_before = dict(inference.locals), dict(inference.known_at_choice)
        inference.problems.clear()
        for function in functions:
            # its result can become narrower, now that more is known about where the choice is asked
            if function.role in CHOICE_ROLES:
                inference.results.pop(function.name, None)
        temporaries = {function.name: _infer_function(inference, function) for function in functions}
        if (inference.locals, inference.known_at_choice) == state_before:
            break
    cells = {name: inference.get_cell_sort(name) for name in inference.layout.places}
    return Sorts(inference.locals, temporaries, inference.results, cells, tuple(dict.fromkeys(inference.problems)))


def _infer_function(inference: Inference, function: ir.Function) -> dict[str, Sort]:
    """Infer a function until the sorts of its own names no longer change, and return them.

    Problems of earlier iterations are discarded.
    """
    inference.known_locals = frozenset()
    if function.role in CHOICE_ROLES:
        inference.known_locals = inference.known_at_choice.get(int(function.name[1:]), frozenset())
    inference.temporaries = _get_implicit_sorts(inference, function)
    problem_count = len(inference.problems)
    for round in range(ROUNDS):
        sorts_before = dict(inference.temporaries)
        del inference.problems[problem_count:]
        _infer_operations(inference, function, function.ops)
        if inference.temporaries == sorts_before:
            break
        if round:
            pairs = inference.temporaries.items()
            inference.temporaries = {name: types.widen(sorts_before.get(name, NEVER), sort) for name, sort in pairs}
    return inference.temporaries


def _get_implicit_sorts(inference: Inference, function: ir.Function) -> dict[str, Sort]:
    """Return the sorts of what a function receives besides its parameters.

    These are the number ``i`` of the answer and the values ``q`` of the question, or ``table`` for a playout.
    """
    if function.role not in ("options", "resume"):
        return {"table": types.BOOLEAN} if function.role == "playout" else {}
    question = inference.results.get(f"q{function.name[1:]}", NEVER)
    option_count = question.parts[1].high if question.kind == RECORD else 0
    return {"q": question, "i": types.make_number_sort(0, max(option_count - 1, 0))}


# ---------------------------------------------------------------- operations


def _infer_operations(inference: Inference, function: ir.Function, ops: ir.Ops) -> None:
    """Infer operations in order, with their inner blocks, of ``function``: record the sorts of what they assign and
    return.
    """
    for op in ops:
        inference.place = op.place
        OPERATIONS.get(type(op), _infer_parts)(inference, function, op)


def _infer_parts(inference: Inference, function: ir.Function, op: ir.Op) -> None:
    """Infer the values and blocks of an operation, in order."""
    for part in op.__dict__.values():
        _infer_part(inference, function, part)


def _infer_part(inference: Inference, function: ir.Function, value: Any) -> None:
    if isinstance(value, ir.Value):
        inference.infer_sort(value)
    elif isinstance(value, ir.Branch):
        if value.test is not None:
            inference.check_test(value.test)
        _infer_operations(inference, function, value.ops)
    elif isinstance(value, ir.Op):
        _infer_operations(inference, function, (value,))
    elif isinstance(value, tuple):
        for part in value:
            _infer_part(inference, function, part)


def _infer_set(inference: Inference, function: ir.Function, op: ir.Set) -> None:
    value = op.value if op.op == "=" else ir.Binary(op.op, op.target, op.value)
    inference.assign(op.target, inference.infer_sort(value))


def _infer_while(inference: Inference, function: ir.Function, op: ir.While) -> None:
    inference.check_test(op.test)
    with inference.assuming(op.test):
        _infer_operations(inference, function, op.ops)


def _infer_branches(inference: Inference, function: ir.Function, op: ir.If) -> None:
    known_before = inference.known_locals
    for branch in op.branches:
        if branch.test is not None:
            inference.check_test(branch.test)
        with inference.assuming(branch.test):
            _infer_operations(inference, function, branch.ops)
        if branch.test is not None:
            inference.known_locals |= find_not_none_slots(branch.test, False)
    inference.known_locals = known_before


def _infer_loop(inference: Inference, function: ir.Function, op: ir.Loop) -> None:
    source = inference.infer_list(op.source)
    if op.target is not None:
        inference.assign(op.target, source.item or NEVER)
    _infer_operations(inference, function, op.ops)


def _infer_unpack(inference: Inference, function: ir.Function, op: ir.Unpack) -> None:
    record = inference.infer_sort(op.value)
    for position, target in enumerate(op.targets):
        if target is not None and record != NEVER:
            if record.kind != RECORD or position >= len(record.parts):
                inference.report("what is taken apart", record, f"{len(op.targets)} values")
                return
            inference.assign(target, record.parts[position])


def _infer_return(inference: Inference, function: ir.Function, op: ir.Return) -> None:
    results = [inference.infer_sort(value) for value in op.values]
    if results:
        result = results[0] if len(results) == 1 else types.make_record_sort(results)
        inference.results[function.name] = types.join(inference.results.get(function.name, NEVER), result)


def _infer_ask(inference: Inference, function: ir.Function, op: ir.Ask) -> None:
    """Infer a choice. Its functions may assume only what holds wherever it is asked."""
    known_locals = inference.known_locals
    inference.known_at_choice[op.number] = inference.known_at_choice.get(op.number, known_locals) & known_locals
    _infer_parts(inference, function, op)


def _infer_move(inference: Inference, function: ir.Function, op: ir.MoveCards) -> None:
    """Check that components move to a zone of their kind."""
    zone = inference.find_zone(op.zone)
    component = inference.infer_list(op.cards, "components").item or NEVER
    inference.check_fit(f"what comes into `{zone}`", component, inference.make_component_sort(zone))


def _infer_put(inference: Inference, function: ir.Function, op: ir.PutComponent) -> None:
    zone = inference.find_zone(op.zone.number)
    inference.check_fit(f"what comes into `{zone}`", inference.infer_sort(op.card), inference.make_component_sort(zone))


OPERATIONS: dict[type[ir.Op], Callable[[Inference, ir.Function, Any], None]] = {
    ir.Ask: _infer_ask,
    ir.CallEffect: lambda inference, function, op: _assign_arguments(inference, f"effect{op.number}", op.args),
    ir.Draw: lambda inference, function, op: inference.assign(
        ir.Local(op.slot), inference.infer_list(op.domain).item or NEVER
    ),
    ir.Loop: _infer_loop,
    ir.MoveCards: _infer_move,
    ir.PutComponent: _infer_put,
    ir.Return: _infer_return,
    ir.Set: _infer_set,
    ir.TakeEnd: lambda inference, function, op: inference.assign(op.card, inference.infer_list(op.zone).item or NEVER),
    ir.Unpack: _infer_unpack,
    ir.If: _infer_branches,
    ir.While: _infer_while,
}
"""Class of an operation -> its rule. For all others, :func:`_infer_parts` is enough."""
