"""Print lists in C: loops over all kinds of sources, and pipelines.

A pipeline becomes nested loops that fill its result directly, without intermediate lists.
"""

from __future__ import annotations

from collections.abc import Callable

from ...state.setting_value_limits_builtins_and_names import SHORT_LIST
from .. import ir
from ..ir import types
from ..ir.types import Sort
from .function_printer_and_c_types import ITEMS, KEYS, LIST, MASK, MAX_ITEM, NUMBER, WIDE, NotNative, Printer

Body = Callable[[str], None]
Prepare = Callable[[str], None]
MAX_JOINED_ITEMS = 4_096
"""Capacity of a list whose length is unknown before it is filled."""


def _make_item_expression(sort: Sort | None, item: str) -> str:
    """Return the C expression ``item``, an item of a list, as an ``Int`` expression.

    An item that may be none is decoded with ``from_item``, any other cast. ``sort`` None counts as one that may be
    none.
    """
    return f"from_item({item})" if sort is None or sort.is_optional else f"(Int){item}"


def _convert_to_item(printer: Printer, value: ir.Value, text: str) -> str:
    """Return ``text``, the C expression of ``value``, as an expression of an item of a list.

    It is a cast if ``value`` is sure to fit into 32 bits and never none, and otherwise ``to_item``, which checks.
    """
    sort = printer.get_sort(value)
    is_small = not sort.is_optional and sort.low >= -MAX_ITEM and sort.high <= MAX_ITEM
    return f"(Item){text}" if is_small else f"to_item(state, {text})"


# ---------------------------------------------------------------- loops


def match_zone(value: ir.Value) -> ir.Index | None:
    """Return the number of the zone if ``value`` is a zone, or a list of its present components, else None."""
    match value:
        case ir.Zone(number=number) | ir.Primitive(name="snapshot", args=(ir.Zone(number=number),)):
            return number
    return None


def print_loop(
    printer: Printer,
    source: ir.Value,
    body: Body,
    prepare: Prepare | None = None,
    frees_lists: bool = True,
    can_change_source: bool = False,
    visits: str = "",
) -> None:
    """Print a loop over a source, in the source's order. ``body`` prints an iteration for the C expression of its item.

    ``prepare`` gets the C expression of the number of items, once, before the first iteration. ``frees_lists``: free
    the lists of an iteration at its end. ``can_change_source``: an iteration may change the source, so that a zone is
    copied first. ``visits``: which items count as visits. It is ``all``, ``long`` for only those of a range that is not
    short, or an empty text for none.
    """
    match source:
        case ir.CountedItems(source=inner, counts_only_long=counts_only_long):
            visits = "long" if counts_only_long else "all"
            print_loop(printer, inner, body, prepare, frees_lists, can_change_source, visits)
        case ir.NumberRange():
            _print_number_loop(printer, source, body, prepare, frees_lists, visits)
        case ir.Primitive(name="up_to", args=(limit,)):
            end, item = printer.make_variable(), printer.make_variable()
            printer.print_line(f"{end} = {printer.make_number(limit)};")
            with printer.printing_loop(f"for ({item} = 0; {item} < {end}; {item}++)", frees_lists):
                body(item)
        case ir.Primitive(name="select_spaces", args=(_, mask)):
            assert not visits, "a list whose items are visits is gone through whole"
            _print_space_loop(printer, mask, body, prepare, frees_lists)
        case _ if not can_change_source and (number := match_zone(source)) is not None:
            _print_zone_loop(printer, number, body, prepare, frees_lists, visits)
        case ir.ComponentsIn(is_ordered=False):
            _print_component_loop(printer, source, body, prepare, frees_lists)
        case ir.Tuple(items=(single_item,)):
            item = printer.make_variable()
            if visits:
                printer.print_line("count_visits(state, 1);")
            if prepare is not None:
                prepare("1")
            printer.print_line(f"{item} = {printer.make_value(single_item)};")
            body(item)
        case _:
            _print_list_loop(printer, source, body, prepare, frees_lists, visits)


def _print_number_loop(
    printer: Printer, value: ir.NumberRange, body: Body, prepare: Prepare | None, frees_lists: bool, visits: str
) -> None:
    low, high = _store_bounds(printer, value)
    number = printer.make_variable()
    if value.is_checked:
        printer.print_line(f"(void)range_length(state, {low}, {high});")
    if visits == "long":
        _print_long_range_visit(printer, low, high)
    elif visits:
        printer.print_line(f"count_visits(state, {high} - {low} + 1);")
    if prepare is not None:
        prepare(f"{high} - {low} + 1")
    with printer.printing_loop(f"for ({number} = {low}; {number} <= {high}; {number}++)", frees_lists):
        body(number)


def _store_bounds(printer: Printer, value: ir.NumberRange) -> tuple[str, str]:
    """Store the bounds of a range in variables, and return their names."""
    low, high = printer.make_variable(), printer.make_variable()
    texts = printer.make_numbers(value.low, value.high)
    printer.print_line(f"{low} = {texts[0]};")
    printer.print_line(f"{high} = {texts[1]};")
    return low, high


def _print_long_range_visit(printer: Printer, low: str, high: str) -> None:
    """Count the numbers of a range as visits, unless it is short."""
    printer.print_line(
        f"if ((WideInt){high} - {low} >= {SHORT_LIST}) count_visits(state, range_length(state, {low}, {high}));"
    )


def _print_zone_loop(
    printer: Printer, number: ir.Index, body: Body, prepare: Prepare | None, frees_lists: bool, visits: str
) -> None:
    zone, card = printer.make_variable(), printer.make_variable()
    printer.print_line(f"{zone} = {printer.make_zone(number)};")
    if visits:
        printer.print_line(f"count_visits(state, state->zone_size[{zone}]);")
    if prepare is not None:
        prepare(f"state->zone_size[{zone}]")
    _print_card_loop(printer, zone, card, body, frees_lists)


def _print_card_loop(printer: Printer, zone: str, card: str, body: Body, frees_lists: bool) -> None:
    """Print a loop over the components of one zone, from its top. ``zone`` and ``card`` are variables."""
    head = f"for ({card} = state->zone_head[{zone}]; {card} >= 0; {card} = state->next_in_zone[{card}])"
    with printer.printing_loop(head, frees_lists):
        body(card)


def _print_component_loop(
    printer: Printer, value: ir.ComponentsIn, body: Body, prepare: Prepare | None, frees_lists: bool
) -> None:
    """Print a loop over the components of some zones, zone by zone from the top. They count as visits if the node says
    so.
    """
    zone, card = printer.make_variable(), printer.make_variable()
    zone_loop = f"for ({zone} = {value.begin}; {zone} < {value.end}; {zone}++)"
    if value.counts_visits or prepare is not None:
        count = printer.make_variable()
        printer.print_line(f"{count} = 0;")
        printer.print_line(f"{zone_loop} {count} += state->zone_size[{zone}];")
        if value.counts_visits:
            printer.print_line(f"count_visits(state, {count});")
        if prepare is not None:
            prepare(count)
    with printer.printing_block(zone_loop):
        _print_card_loop(printer, zone, card, body, frees_lists)


def _print_space_loop(printer: Printer, mask: ir.Value, body: Body, prepare: Prepare | None, frees_lists: bool) -> None:
    """Print a loop over the bits of a mask, lowest first."""
    remaining = printer.make_variable(MASK)
    printer.print_line(f"{remaining} = {printer.make_mask(mask)};")
    if prepare is not None:
        prepare(f"count_spaces({remaining})")
    with printer.printing_loop(f"for (; {remaining}; {remaining} = without_lowest_space({remaining}))", frees_lists):
        body(f"lowest_space({remaining})")


def _print_list_loop(
    printer: Printer, source: ir.Value, body: Body, prepare: Prepare | None, frees_lists: bool, visits: str
) -> None:
    list_name, index = printer.make_variable(LIST), printer.make_variable()
    printer.print_line(f"{list_name} = {printer.make_items(source)};")
    if visits:
        printer.print_line(f"count_visits(state, {list_name}.length);")
    if prepare is not None:
        prepare(f"{list_name}.length")
    with printer.printing_loop(f"for ({index} = 0; {index} < {list_name}.length; {index}++)", frees_lists):
        body(_make_item_expression(printer.get_sort(source).item, f"{list_name}.items[{index}]"))


# ---------------------------------------------------------------- pipelines


def _print_pipeline_loops(
    printer: Printer,
    value: ir.Pipeline,
    print_item: Callable[[], None],
    prepare: Prepare | None = None,
    store_if: Callable[[str], None] | None = None,
) -> None:
    """Print the loops of a pipeline, the outer ones first, with ``print_item`` for each item that passes the tests.

    ``prepare`` gets the number of items of the innermost source before its loop. ``store_if`` replaces the
    branch on the tests and ``print_item``: it gets the expression of the tests, and must print code for every item.
    """

    def print_clause(clause: ir.Clause | ir.Pipeline, print_body: Callable[[], None], prepare: Prepare | None) -> None:
        name = printer.declare_target(ir.BoundLocal(clause.slot))

        def print_pass(item: str) -> None:
            printer.print_line(f"{name} = {item};")
            if not clause.tests:
                print_body()
                return
            test = printer.make_short_circuit(clause.tests, "&&")
            if store_if is not None:
                store_if(test)
                return
            with printer.printing_block(f"if ({test})"):
                print_body()

        print_loop(printer, clause.source, print_pass, prepare)

    def print_clauses_from(number: int) -> None:
        if number < len(value.outer):
            print_clause(value.outer[number], lambda: print_clauses_from(number + 1), None)
        else:
            print_clause(value, print_item, prepare)

    print_clauses_from(0)


def _get_item_value(printer: Printer, value: ir.Pipeline) -> ir.Value:
    return ir.BoundLocal(value.slot) if value.value is None else value.value


def print_pipeline(printer: Printer, value: ir.Pipeline) -> str:
    """Print a pipeline, and return its result as a C expression.

    It is a list for the sinks ``list``, ``array`` and ``joined``, 0 or 1 for ``any`` and ``all``, and otherwise a
    number or mask. Without items, a maximum or minimum is 0.
    """
    match value.sink:
        case "list" | "array":
            return _print_list_result(printer, value)
        case "joined":
            return _print_joined_lists(printer, value)
        case "any" | "all":
            return _print_test_result(printer, value)
        case "sum":
            return _print_sum(printer, value, printer.get_c_type(value))
    return _print_extreme(printer, value)


def _declare_list(printer: Printer) -> tuple[str, str, Prepare]:
    """Declare variables for a new list.

    Returns the names of its items and its length, and a function that allocates room.
    """
    printer.allocation_count += 1
    items, count = printer.make_variable(ITEMS), printer.make_variable()

    def prepare(size: str) -> None:
        printer.print_line(f"{items} = arena_allocate(state, {size});")
        printer.print_line(f"{count} = 0;")

    return items, count, prepare


def _finish_list(printer: Printer, items: str, count: str, is_sorted: bool = False) -> str:
    """Build the list from its items, and return its name."""
    list_name = printer.make_variable(LIST)
    if is_sorted:
        printer.print_line(f"sort_items({items}, (int){count});")
    printer.print_line(f"{list_name} = (List){{(int){count}, {items}}};")
    return list_name


def _print_list_result(printer: Printer, node: ir.Pipeline) -> str:
    """Print a pipeline that collects a list at the top of the arena, and return the list as a C expression.

    A pipeline of several loops has room for as many items as type inference allows, at most :data:`MAX_JOINED_ITEMS`;
    more are a fault. Example: numbers of ``source`` above 3 become the loop ``for (…) { x = …; items[count] = (Item)x;
    count += (x > 3); }``.
    """
    items, count, prepare = _declare_list(printer)
    max_length = min(printer.get_sort(node).max_length, MAX_JOINED_ITEMS)

    def print_item() -> None:
        value = _get_item_value(printer, node)
        text = printer.make_value(value)
        if node.outer:
            printer.print_line(f"if (UNLIKELY({count} >= {max_length})) fault(state);")
        printer.print_line(f"{items}[{count}++] = {_convert_to_item(printer, value, text)};")

    if node.outer:
        prepare(str(max_length))

    def store_if(test: str) -> None:
        """Print two lines in the loop, such as ``items[count] = (Item)x;`` and ``count += test;``.

        They store the item and count it if the test is 1, without a branch. The list has room for every item of the
        source. Instead of ``(Item)x`` stands ``to_item(state, x)``, which checks, for an item that may be none or may
        not fit into 32 bits.
        """
        item = _get_item_value(printer, node)
        printer.print_line(f"{items}[{count}] = {_convert_to_item(printer, item, printer.make_value(item))};")
        printer.print_line(f"{count} += {test};")

    is_plain = not node.outer and isinstance(_get_item_value(printer, node), ir.BoundLocal)
    _print_pipeline_loops(printer, node, print_item, None if node.outer else prepare, store_if if is_plain else None)
    printer.print_line(f"state->arena_top = {items} + {count};")
    return _finish_list(printer, items, count, node.is_sorted)


def _print_joined_lists(printer: Printer, value: ir.Pipeline) -> str:
    """Print a pipeline that joins the lists of all items, and return the joined list as a C expression.

    There is room for as many items as type inference allows, at most :data:`MAX_JOINED_ITEMS`; more are a fault.
    """
    items, count, prepare = _declare_list(printer)
    part, index = printer.make_variable(LIST), printer.make_variable()
    max_length = min(printer.get_sort(value).max_length, MAX_JOINED_ITEMS)
    prepare(str(max_length))

    def print_item() -> None:
        printer.print_line(f"{part} = {printer.make_items(_get_item_value(printer, value))};")
        printer.print_line(f"if (UNLIKELY({count} + {part}.length > {max_length})) fault(state);")
        loop = f"for ({index} = 0; {index} < {part}.length; {index}++)"
        printer.print_line(f"{loop} {items}[{count}++] = {part}.items[{index}];")

    _print_pipeline_loops(printer, value, print_item)
    printer.print_line(f"state->arena_top = {items} + {count};")
    return _finish_list(printer, items, count)


def _print_test_result(printer: Printer, value: ir.Pipeline) -> str:
    """Print ``any`` or ``all``. The loop ends early unless the remaining items must be counted as visits."""
    result = printer.make_variable()
    is_any = value.sink == "any"
    printer.print_line(f"{result} = {int(not is_any)};")
    ends_early = value.is_lazy or not any(
        isinstance(node, ir.CountedItems | ir.CallQuery | ir.ComponentsIn) for node in ir.walk(value)
    )
    label = f"settled{result[1:]}"

    def print_item() -> None:
        test = printer.make_test(_get_item_value(printer, value))
        with printer.printing_block(f"if ({'' if is_any else '!'}{test})"):
            printer.print_line(f"{result} = {int(is_any)};")
            if ends_early:
                printer.print_line(f"goto {label};")

    _print_pipeline_loops(printer, value, print_item)
    if ends_early:
        printer.print_line(f"{label}:;")
    return result


def _print_sum(printer: Printer, node: ir.Pipeline, kind: str) -> str:
    """Print the sum of a pipeline, and return the variable that holds it, 0 without items.

    ``kind`` is its C type. For ``MASK`` the items are masks, otherwise numbers that are not none.
    """
    total = printer.make_variable(kind)
    printer.print_line(f"{total} = 0;")

    def print_item() -> None:
        value = _get_item_value(printer, node)
        printer.print_line(f"{total} += {printer.make_mask(value) if kind == MASK else printer.make_number(value)};")

    _print_pipeline_loops(printer, node, print_item)
    return total


def _print_extreme(printer: Printer, value: ir.Pipeline) -> str:
    """Print the maximum or minimum of a pipeline, and return the variable that holds it, 0 without items."""
    best, term, has_items = printer.make_variable(), printer.make_variable(), printer.make_variable()
    printer.print_line(f"{best} = {has_items} = 0;")

    def print_item() -> None:
        printer.print_line(f"{term} = {printer.make_number(_get_item_value(printer, value))};")
        printer.print_line(f"if (!{has_items} || {term} {'>' if value.sink == 'max' else '<'} {best}) {best} = {term};")
        printer.print_line(f"{has_items} = 1;")

    _print_pipeline_loops(printer, value, print_item)
    return best


# ---------------------------------------------------------------- by keys


def print_by_key(printer: Printer, value: ir.ByKey) -> str:
    """Print a selection or order by keys (most, least, distinct, leading or sorted), and return the list as a C
    expression.

    The keys of all items are computed first, in order; for ``leading`` only up to the first item whose key is false. A
    text as a key must be a known text; a composed text is a fault in the game. ``most`` gives ``select_best(state, u1,
    u3, 1)``; ``least`` has -1. ``u1`` is the source, ``u2`` an index and ``u3`` the array of keys. Their numbers are
    higher if the function or the source has other variables. ``distinct`` gives
    ``select_distinct(state, u1, u3)``, ``sorted`` ``sort_by_key(state, u1, u3)``, and ``leading`` ``((List){(int)u2,
    u1.items})``. ``allocation_count`` of the printer grows by one, apart from what the source and keys add.
    """
    printer.allocation_count += 1
    source, index = printer.make_variable(LIST), printer.make_variable()
    printer.print_line(f"{source} = {printer.make_items(value.source)};")
    name = printer.declare_target(ir.BoundLocal(value.slot))
    item = _make_item_expression(printer.get_sort(value.source).item, f"{source}.items[{index}]")
    if value.kind == "leading":
        with printer.printing_loop(f"for ({index} = 0; {index} < {source}.length; {index}++)"):
            printer.print_line(f"{name} = {item};")
            printer.print_line(f"if (!{printer.make_test(value.key)}) break;")
        return f"((List){{(int){index}, {source}.items}})"
    keys = printer.make_variable(KEYS)
    printer.print_line(f"{keys} = arena_allocate_ints(state, {source}.length);")
    with printer.printing_loop(f"for ({index} = 0; {index} < {source}.length; {index}++)"):
        printer.print_line(f"{name} = {item};")
        key = printer.make_value(value.key) if value.kind == "distinct" else printer.make_number(value.key)
        if printer.get_sort(value.key).kind == types.TEXT:
            key = f"require_known_text(state, {key})"
        printer.print_line(f"{keys}[{index}] = {key};")
    match value.kind:
        case "most" | "least":
            return f"select_best(state, {source}, {keys}, {1 if value.kind == 'most' else -1})"
        case "distinct":
            return f"select_distinct(state, {source}, {keys})"
    return f"sort_by_key(state, {source}, {keys})"


def print_graph_search(printer: Printer, node: ir.GraphSearch) -> str:
    """Print a breadth-first search, and return a C expression: the list of the values reached, or the number of steps.

    A list is like ``((List){(int)u2, u1})``. The values of the start come first, then those of each further step, each
    once. The search stops after ``max_steps`` steps, if given. With a target, the result is the number of steps to it,
    like ``((u8 >= 0 && u8 < 9 && u6[u8]) ? u5 : NONE)``: 0 for a value of the start, and NONE if the target is not
    reached. Adds 1 to ``allocation_count``, and more if parts of ``node`` contain calls or build lists. Raise NotNative
    unless the values are known to be at least 0 and below :data:`MAX_JOINED_ITEMS`.
    """
    printer.allocation_count += 1
    sort = printer.sorts.locals[node.slot]
    if not 0 <= sort.low <= sort.high < MAX_JOINED_ITEMS:
        raise NotNative("reach among numbers without ends")
    size = sort.high + 1
    items = printer.make_variable(ITEMS)
    count, end, begin, steps = (printer.make_variable() for _ in range(4))
    visited_flags, limit = printer.make_variable(ITEMS), printer.make_variable()
    name = printer.declare_target(ir.BoundLocal(node.slot))
    printer.print_line(f"{limit} = {'INT64_MAX' if node.max_steps is None else printer.make_number(node.max_steps)};")
    target = "-1"
    if node.target is not None:
        target = printer.make_variable()
        printer.print_line(f"{target} = {printer.make_value(node.target)};")
    printer.print_line(f"{items} = arena_allocate(state, {size});")
    printer.print_line(f"{visited_flags} = arena_allocate(state, {size});")
    printer.print_line(f"memset({visited_flags}, 0, {size} * sizeof(Item));")
    printer.print_line(f"{count} = {begin} = {steps} = 0;")

    def add_value(item: str) -> None:
        value = printer.make_variable()
        printer.print_line(f"{value} = {item};")
        is_visited = f"{visited_flags}[checked_index(state, {value}, {size})]"
        printer.print_line(f"if (!{is_visited}) {visited_flags}[{value}] = 1, {items}[{count}++] = (Item){value};")

    print_loop(printer, node.start, add_value)
    is_reached = f"({target} >= 0 && {target} < {size} && {visited_flags}[{target}])"
    continues = f"{begin} < {count} && {steps} < {limit}"
    if node.target is not None:
        continues += f" && !{is_reached}"
    with printer.printing_loop(f"for (; {continues}; {steps}++)"):
        printer.print_line(f"{end} = {count};")
        with printer.printing_loop(f"for (; {begin} < {end}; {begin}++)"):
            printer.print_line(f"{name} = {items}[{begin}];")
            print_loop(printer, node.successors, add_value)
    if node.target is not None:
        return f"({is_reached} ? {steps} : NONE)"
    return f"((List){{(int){count}, {items}}})"


# ---------------------------------------------------------------- lists as values


def print_list_of_values(printer: Printer, items: tuple[ir.Value, ...]) -> str:
    """Print assignments that build a list from the values of its items, and return the name of its new variable.

    As the first value of a function, a constant and a local give ``u2`` after ``u1 = arena_allocate(state, 2);``,
    ``u1[0] = (Item)7;``, ``u1[1] = to_item(state, a_3);`` and ``u2 = (List){2, u1};``. An item that is sure to be
    from ``-MAX_ITEM`` to ``MAX_ITEM``, and never none, is cast, and ``to_item`` checks any other. The printer's
    ``allocation_count`` grows by one, and further if items contain calls or build lists. Without items, it stays,
    nothing is printed, and the result is ``EMPTY_LIST``.
    """
    if not items:
        return "EMPTY_LIST"
    printer.allocation_count += 1
    texts = printer.make_each(items, [NUMBER] * len(items))
    place, list_name = printer.make_variable(ITEMS), printer.make_variable(LIST)
    printer.print_line(f"{place} = arena_allocate(state, {len(items)});")
    for number, (value, text) in enumerate(zip(items, texts, strict=True)):
        printer.print_line(f"{place}[{number}] = {_convert_to_item(printer, value, text)};")
    printer.print_line(f"{list_name} = (List){{{len(items)}, {place}}};")
    return list_name


def print_concatenation(printer: Printer, value: ir.Concatenation) -> str:
    """Return a C expression that joins the lists of a concatenation in order. Statements that they need come first.

    For three lists it is ``list_concat(state, list_concat(state, a, b), c)``. For one list it is that list.
    ``allocation_count`` of the printer grows by one even then, apart from what the lists themselves add.
    """
    printer.allocation_count += 1
    result, *parts = printer.make_each(value.parts, [LIST] * len(value.parts))
    for part in parts:
        result = f"list_concat(state, {result}, {part})"
    return result


def print_number_range(printer: Printer, value: ir.NumberRange) -> str:
    """Return a range of numbers as the C expression of a new list, ``list_range(state, low, high)``.

    Both bounds are in the list. It is empty if ``high`` is below ``low``. More than ``LIST_LIMIT`` numbers are a fault
    in the game. ``allocation_count`` of the printer grows by one, apart from what the bounds themselves add.
    """
    printer.allocation_count += 1
    low, high = printer.make_numbers(value.low, value.high)
    return f"list_range(state, {low}, {high})"


def print_counted_items(printer: Printer, value: ir.CountedItems) -> str:
    """Print C code that makes the list ``value.source`` and counts its items as visits. Return its C expression.

    The expression is the name of a new variable. A constant list of 60 items returns ``u5``, and prints::

        u5 = ((List){60, K10});
        count_visits(state, u5.length);

    Only a NumberRange with ``value.counts_only_long`` returns ``list_range(state, u1, u2)`` instead. It prints
    ``u1 = …;`` and ``u2 = …;`` with the bounds, and the line ``if ((WideInt)u2 - u1 >= 16) count_visits(state,
    range_length(state, u1, u2));``, and then adds 1 to ``allocation_count``.
    """
    if value.counts_only_long and isinstance(value.source, ir.NumberRange):
        low, high = _store_bounds(printer, value.source)
        _print_long_range_visit(printer, low, high)
        printer.allocation_count += 1
        return f"list_range(state, {low}, {high})"
    list_name = printer.make_variable(LIST)
    printer.print_line(f"{list_name} = {printer.make_items(value.source)};")
    printer.print_line(f"count_visits(state, {list_name}.length);")
    return list_name


def print_components(printer: Printer, value: ir.ComponentsIn) -> str:
    """Print a list of the components in some zones, and return the name of the variable of the list, such as ``u6``.

    The zones have the numbers from ``value.begin`` to below ``value.end``, in this order, each from its top. If
    ``value.is_ordered``, the list is sorted by the number of the component instead. The code also counts the components
    as visits if ``value.counts_visits``.
    """
    items, count, prepare = _declare_list(printer)
    _print_component_loop(
        printer, value, lambda item: printer.print_line(f"{items}[{count}++] = (Item){item};"), prepare, True
    )
    return _finish_list(printer, items, count, value.is_ordered)


def print_zone_list(printer: Printer, value: ir.Zone) -> str:
    """Return the components of a zone, from its top, as the C expression of a new list: ``zone_to_list(state, 3)``."""
    printer.allocation_count += 1
    return f"zone_to_list(state, {printer.make_zone(value.number)})"


def print_wide_sum(printer: Printer, value: ir.Pipeline) -> str:
    """Print the sum of a pipeline, and return the variable that holds it, a WideInt."""
    return _print_sum(printer, value, WIDE)
