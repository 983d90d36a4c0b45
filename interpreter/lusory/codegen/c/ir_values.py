"""Print values as C, with one function for each class of value, and each primitive.

Each function returns a C expression. It may print statements first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import INT, INT_MAX, TEXT_LIMIT, ListType

from .. import ir
from ..ir import types
from . import loops_and_lists
from .function_printer_and_c_types import (
    ITEM,
    LINES,
    LIST,
    MASK,
    NUMBER,
    OPTIONS,
    VALUES,
    NotNative,
    Printer,
    Table,
    make_list_expression,
    require_mask_width,
)
from .runtime_header_loading_and_search_formats import load_header

Args = tuple[ir.Value, ...]
RUNTIME_CALLS: dict[str, tuple[str, str]] = {
    "fn_abs": ("abs_int()", "N"),
    "any_below": ("random_answer(state)", "N"),
    "extended": ("list_append(state)", "LO"),
    "find_lowest_space": ("first_space(state)", "M"),
    "items_at": ("list_gather(state)", "LL"),
    "fn_larger": ("max_int()", "NN"),
    "select_leading_spaces": ("leading_spaces(state)", "LM"),
    "make_mask": ("mask_from_list(state)", "L"),
    "occurrences": ("list_count()", "LO"),
    "make_optional_list": ("list_of_optional(state)", "O"),
    "ones": ("count_spaces()", "M"),
    "list_open_picks": ("remaining_picks(state)", "LLNN"),
    "reversed": ("list_reverse(state)", "L"),
    "set_except": ("list_difference(state)", "LL"),
    "set_intersect": ("list_intersection(state)", "LL"),
    "set_union": ("list_union(state)", "LL"),
    "fn_smaller": ("min_int()", "NN"),
    "select_spaces": ("list_from_mask(state)", "LM"),
    "make_number_list": ("list_range(state)", "NN"),
}
"""Primitive -> runtime function and the kinds of its arguments.

The kinds are lists (``L``), numbers (``N``), numbers or none (``O``), and bit masks (``M``).
"""

NOTHING = "0"
"""The expression for a value without a result, whose code consists of statements."""

COMPARISONS = frozenset(
    {"fn_index", "fn_neighbours", "fn_step", "fn_unique", "occurrences"} | {"set_except", "set_intersect", "set_union"}
)
"""Primitives that compare items. If the items are texts, these must be known texts."""

FAULTS = ("raise_bound", "raise_wrong_pool", "raise_limit")


def _print_primitive(printer: Printer, value: ir.Primitive) -> str:
    """Return a call of a primitive as a C expression. Statements that it needs are printed first.

    A primitive that always fails becomes ``fault(state)``, and one that only has statements becomes ``0``. A function
    of the language that needs nothing special is a function in ``runtime/lists.h``: ``fn_take(xs, n)`` becomes
    ``list_take(xs, n)``. Raise NotNative if C does not have the primitive.
    """
    if value.name in RUNTIME_CALLS:
        return _print_runtime_call(printer, value, *RUNTIME_CALLS[value.name])
    if value.name in FAULTS:
        return "fault(state)"
    if value.name in SPECIAL_PRIMITIVES:
        return SPECIAL_PRIMITIVES[value.name](printer, value.args)
    name = value.name.removeprefix("fn_")
    function = re.search(rf" (list_{name}\()(?:State \*(state), )?List ", load_header("lists"))
    if function is None or name == value.name:
        raise NotNative(f"the function `{name}`")
    parameter_types = [param.type for param in RUNTIME_FUNCTIONS[name].params]
    letters = "".join("L" if isinstance(type, ListType) else "N" if type == INT else "O" for type in parameter_types)
    return _print_runtime_call(printer, value, f"{function[1]}{function[2] or ''})", letters)


def _print_runtime_call(printer: Printer, value: ir.Primitive, call: str, letters: str) -> str:
    """Return the call of a runtime function for a primitive. ``call`` and ``letters`` are as in :data:`RUNTIME_CALLS`.

    Example: ``set_union(a, b)`` becomes ``list_union(state, a, b)``. If the code of ``b`` has statements, these are
    printed first, and ``a`` is stored in a variable before them. Texts that are compared become
    ``require_known_text(state, text)``, and lists of them ``require_known_texts(state, list)``.
    """
    readers: dict[str, tuple[str, Callable[[ir.Value], str]]] = {
        "L": (LIST, printer.make_items),
        "N": (NUMBER, printer.make_number),
        "O": (NUMBER, printer.make_value),
        "M": (MASK, printer.make_mask),
    }
    makes = []
    for letter, arg in zip(letters, value.args, strict=True):
        kind, make = readers[letter]
        makes.append((kind, lambda make=make, arg=arg: make(arg)))
    printer.allocation_count += 1
    function, _, state_argument = call.rstrip(")").partition("(")
    texts = printer.make_in_order(*makes)
    item = printer.get_sort(value.args[0]).item
    if value.name in COMPARISONS and item is not None and item.kind == types.TEXT:
        checks = {"L": "require_known_texts(state, {})", "O": "require_known_text(state, {})"}
        texts = [checks.get(letter, "{}").format(text) for letter, text in zip(letters, texts, strict=True)]
    return f"{function}({', '.join([*([state_argument] if state_argument else []), *texts])})"


# ---------------------------------------------------------------- lists


def _make_end_printer(is_first: bool) -> Callable[[Printer, Args], str]:
    end = "first" if is_first else "last"

    def print_end(printer: Printer, args: Args) -> str:
        number = loops_and_lists.match_zone(args[0])
        if number is not None:
            return f"zone_{end}(state, {printer.make_zone(number)})"
        return f"list_{end}(state, {printer.make_items(args[0])})"

    return print_end


def _print_length(printer: Printer, args: Args) -> str:
    number = loops_and_lists.match_zone(args[0])
    if number is not None:
        return f"(Int)state->zone_size[{printer.make_zone(number)}]"
    if printer.get_c_type(args[0]) == OPTIONS:
        return printer.get_option_count()
    return f"(Int){printer.make_items(args[0])}.length"


def _print_single_item(printer: Printer, args: Args) -> str:
    """Return the first item of a list, or none."""
    list_name = printer.make_variable(LIST)
    printer.print_line(f"{list_name} = {printer.make_items(args[0])};")
    return f"({list_name}.length ? from_item({list_name}.items[0]) : NONE)"


def _make_test_printer(must_all_hold: bool) -> Callable[[Printer, Args], str]:
    """Return a printer for the test whether all items of a list hold, or any."""
    return lambda printer, args: (
        f"({'!' if must_all_hold else ''}list_contains({printer.make_items(args[0])}, {int(not must_all_hold)}))"
    )


def _print_stop_insertion(printer: Printer, args: Args) -> str:
    """Print the insertion of -1 before the items of a list."""
    (items,) = args
    assert isinstance(items, ir.Temporary)
    printer.allocation_count += 1
    printer.print_line(f"{items.name} = list_prepend_stop(state, {items.name});")
    return NOTHING


# ---------------------------------------------------------------- options


def _print_option_append(printer: Printer, args: Args, test: str = "1") -> str:
    """Print the code that appends an option, if ``test`` holds.

    An option has the number of its alternative, and its values.
    """
    number, values = _split_option(printer, args[1])
    printer.option_length = max(printer.option_length, 1 + len(values))
    texts = printer.make_each(values, [NUMBER] * len(values))
    row = printer.make_variable()
    printer.print_line(f"{row} = {printer.get_option_count()};")
    printer.print_line(f"if (UNLIKELY({row} >= OPTION_CAPACITY)) fault(state);")
    printer.print_line(f"state->option_rows[{row}][0] = {number};")
    for position, text in enumerate(texts):
        printer.print_line(f"state->option_rows[{row}][{position + 1}] = {text};")
    printer.print_line(f"{printer.get_option_count()} = {row} + {test};")
    return NOTHING


def print_conditional_append(printer: Printer, op: ir.Op, test: str) -> bool:
    """Print an operation that appends an option if ``test`` holds, without a branch, and return True.

    The option is written in any case; the count of options then grows by ``test``. This requires that the number and
    the values of the option are names or constants, which cannot fail. For any other operation, print nothing and
    return False.
    """
    match op:
        case ir.Evaluate(
            value=ir.Primitive(name="append", args=(_, ir.Record(items=(ir.Const(), ir.Record(items=values)))) as args)
        ) if all(isinstance(value, ir.Local | ir.BoundLocal | ir.Const) for value in values):
            _print_option_append(printer, args, test)
            return True
    return False


def _split_option(printer: Printer, option: ir.Value) -> tuple[int, Args]:
    option_constant: Any
    match option:
        case ir.Record(items=(ir.Const(value=int() as number), ir.Record(items=values))):
            return number, values
        case ir.Table(number=table_number):
            option_constant = printer.module.tables[table_number - 1]
            return option_constant[0], tuple(ir.Const(value) for value in option_constant[1])
    raise NotNative("options that come from elsewhere")


# ---------------------------------------------------------------- regions


def _get_mask_table(printer: Printer, value: ir.Value) -> Table:
    assert isinstance(value, ir.Table)
    return printer.constants.make_table(value.number, MASK)


def _print_connected_group(printer: Printer, args: Args) -> str:
    printer.allocation_count += 1
    start, spaces = printer.make_each(args[:2], (MASK, LIST))
    return f"connected_group(state, {start}, {spaces}, {_get_mask_table(printer, args[2]).name})"


SPECIAL_PRIMITIVES: dict[str, Callable[[Printer, Args], str]] = {
    "append": _print_option_append,
    "back": _make_end_printer(False),
    "both": lambda printer, args: f"({', '.join(printer.make_numbers(*args))})",
    "copied": lambda printer, args: printer.make_items(args[0]),
    "fn_all": _make_test_printer(True),
    "fn_any": _make_test_printer(False),
    "fn_lines": lambda printer, args: _print_composed_text(printer, args),
    "fn_one": _print_single_item,
    "front": _make_end_printer(True),
    "find_group": _print_connected_group,
    "insert_stop": _print_stop_insertion,
    "length": _print_length,
    "count_mask_groups": lambda printer, args: (
        f"count_regions({printer.make_mask(args[0])}, {_get_mask_table(printer, args[1]).name})"
    ),
    "snapshot": lambda printer, args: printer.make_items(args[0]),
}
"""Primitives that need more than a call. Lists are immutable in C, so that a copy is the list itself."""


SIGNS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "is": "==", "is not": "!="}


# ---------------------------------------------------------------- atoms


def _print_constant(printer: Printer, value: ir.Const) -> str:
    if value.value == () and isinstance(value.value, tuple):
        return "EMPTY_LIST"
    if isinstance(value.value, int) and not isinstance(value.value, bool) and value.value > INT_MAX:
        return printer.format_constant_mask(value.value)
    number = printer.constants.make_number(value.value)
    if number is None:
        return "NONE"
    return str(number) if abs(number) < 1 << 31 else f"{number}ll"


def _print_table(printer: Printer, value: ir.Table) -> str:
    """Return a constant list. Raises NotNative for any other constant."""
    table = printer.constants.make_table(value.number)
    if len(table.dims) + table.is_ragged != 1:
        raise NotNative("lists of lists")
    return make_list_expression(table, "")


# ---------------------------------------------------------------- entries


def _print_entry(printer: Printer, value: ir.Entry) -> str:
    """Return the element of a constant table, of a zone, of a mask table, or of a list as a C expression.

    Raise NotNative for lists of lists.
    """
    indices: list[tuple[ir.Value, int]] = []
    container: ir.Value = value
    while isinstance(container, ir.Entry):
        indices.insert(0, (container.index, container.low or 0))
        container = container.container
    match container:
        case ir.Table(number=number):
            return _print_table_entry(printer, value, number, indices)
        case ir.SpaceMasks(place=place) if len(indices) == 1:
            mask_index = f"mask_index(state, {printer.make_value(indices[0][0])}, {printer.mask_counts[place]})"
            return f"state->mask_{printer.names[place]}[{mask_index}]"
    if len(indices) > 1:
        raise NotNative("lists of lists")
    ((index, low),) = indices
    match container:
        case ir.Temporary(name=name) if VALUES in (printer.variable_types.get(name), printer.get_c_type(container)):
            return f"{name}[{printer.make_number(index)}]"
        case ir.Zone(number=zone_number):
            if isinstance(index, ir.Const) and index.value == 0:
                return f"zone_first(state, {printer.make_zone(zone_number)})"
            zone, position = printer.make_in_order(
                (NUMBER, lambda: printer.make_zone(zone_number)), (NUMBER, lambda: printer.make_number(index))
            )
            return f"zone_get(state, {zone}, {position})"
    list_text, position = printer.make_in_order(
        (LIST, lambda: printer.make_items(container)), (NUMBER, lambda: printer.make_number(index))
    )
    return f"list_at(state, {list_text}, {position} - {low})" if low else f"list_at(state, {list_text}, {position})"


def _print_table_entry(printer: Printer, value: ir.Entry, number: int, indices: list[tuple[ir.Value, int]]) -> str:
    """Return the C expression of an entry of a constant, which is a number or a list.

    ``indices`` are pairs of an index and its lowest value, outermost first. Raise NotNative for a list of lists, and
    for a mapping to large numbers.
    """
    if isinstance(printer.module.tables[number - 1], dict):  # a map from numbers or none; none maps to none
        table = printer.constants.make_table(number)
        if table.type != ITEM:
            raise NotNative("a mapping to large numbers")
        return f"map_get(state, {table.name}, {table.dims[0]}, {printer.make_value(indices[0][0])})"
    is_mask = printer.get_c_type(value) == MASK
    table = printer.constants.make_table(number, MASK if is_mask else "")
    depth = len(table.dims) + table.is_ragged
    if len(indices) not in (depth, depth - 1):
        raise NotNative("lists of lists")
    texts = printer.make_numbers(*(index for index, _ in indices))
    index_texts = [
        _print_index(text, index, low, size)
        for text, (index, low), size in zip(texts, indices, (*table.dims, 0), strict=False)
    ]
    is_single_entry = len(indices) == depth
    if table.is_ragged:
        row = _print_row(index_texts[: depth - 1], table.dims)
        if not is_single_entry:
            return make_list_expression(table, row)
        low = indices[-1][1]
        offset = f"{texts[-1]} - {low}" if low else texts[-1]
        return f"list_at(state, {make_list_expression(table, row)}, {offset})"
    if not is_single_entry:
        return make_list_expression(table, _print_row(index_texts, table.dims))
    entry = f"{table.name}{''.join(f'[{index_text}]' for index_text in index_texts)}"
    if table.type == ITEM:
        return f"from_item({entry})" if table.has_none else f"(Int){entry}"
    return entry


def _print_index(text: str, index: ir.Value, low: int, size: int) -> str:
    if isinstance(index, ir.Const) and isinstance(index.value, int) and 0 <= index.value - low < size:
        return str(index.value - low)
    return f"checked_index(state, {text} - {low}, {size})" if low else f"checked_index(state, {text}, {size})"


def _print_row(index_texts: list[str], dims: tuple[int, ...]) -> str:
    """Return the number of a row in a table as an expression."""
    row = ""
    for index_text, size in zip(index_texts, dims, strict=False):
        row = index_text if not row else f"({row} * {size} + {index_text})"
    return row


# ---------------------------------------------------------------- compounds


def _print_binding(printer: Printer, value: ir.Bind | ir.Let) -> str:
    name = printer.declare_target(value.target)
    printer.print_line(f"{name} = {printer.convert_to_kind(value.value, printer.variable_types[name])};")
    return name


def _print_let(printer: Printer, value: ir.Let) -> str:
    _print_binding(printer, value)
    return printer.convert_to_kind(value.body, printer.get_c_type(value))


def _print_unary(printer: Printer, value: ir.Unary) -> str:
    match value.op:
        case "not":
            return f"!{printer.make_test(value.operand)}"
        case "~":
            return f"(~{printer.make_mask(value.operand)})"
    return f"(-{printer.make_number(value.operand)})"


def _print_binary(printer: Printer, value: ir.Binary) -> str:
    """Return an operator as a C expression. Division and modulo round down, and division by zero is a fault.

    Raise NotNative for a shift that needs wider masks than C has.
    """
    match value.op:
        case "and" | "or":
            return printer.make_short_circuit((value.left, value.right), "&&" if value.op == "and" else "||")
        case "in" | "not in":
            membership = _print_membership(printer, value)
            return f"!{membership}" if value.op == "not in" else membership
        case "+" | "-" | "*":
            left, right = printer.make_numbers(value.left, value.right)
            return f"({left} {value.op} {right})"
        case "div" | "mod":
            left, right = printer.make_numbers(value.left, value.right)
            return f"floor_{value.op}(state, {left}, {right})"
        case "&" | "|" | "^":
            left, right = printer.make_each((value.left, value.right), (MASK, MASK))
            return f"({left} {value.op} {right})"
        case "<<" | ">>" if isinstance(value.right, ir.Const) and isinstance(value.right.value, int):
            require_mask_width(1 << value.right.value)
            return f"({printer.make_mask(value.left)} {value.op} {value.right.value})"
    return _print_comparison(printer, value)


def _print_comparison(printer: Printer, value: ir.Binary) -> str:
    """Return a comparison as a C expression: of numbers, masks, texts by content, or lists item by item.

    Raise NotNative for options, for lists of texts, and for a list compared with anything but a list.
    """
    sign = SIGNS[value.op]
    kinds = {printer.get_c_type(value.left), printer.get_c_type(value.right)}
    if LIST in kinds:
        item = printer.get_sort(value.left).item
        if kinds != {LIST}:
            raise NotNative("a list compared with something else")
        if item is not None and item.kind == types.TEXT:
            raise NotNative("lists of texts that are compared")
        left, right = printer.make_each((value.left, value.right), (LIST, LIST))
        return f"(list_equal({left}, {right}) {sign} 1)"
    if kinds & {OPTIONS, VALUES}:
        raise NotNative("options that are compared")
    if value.op in ("<", "<=", ">", ">="):
        left, right = printer.make_numbers(value.left, value.right)
        return f"({left} {sign} {right})"
    if printer.get_sort(value.left).kind == printer.get_sort(value.right).kind == types.TEXT:
        left, right = printer.make_each((value.left, value.right), (NUMBER, NUMBER))
        return f"(text_equal(state, {left}, {right}) {sign} 1)"
    kind = MASK if MASK in kinds else NUMBER
    left, right = printer.make_in_order(
        (kind, lambda: _print_operand(printer, value.left, value.right, kind)),
        (kind, lambda: _print_operand(printer, value.right, value.left, kind)),
    )
    return f"({left} {sign} {right})"


def _print_operand(printer: Printer, value: ir.Value, opposite: ir.Value, kind: str) -> str:
    """Return one side of a test for equality.

    A narrow cell can be compared without decoding if the other side is never none, or is a cell of the same width. Its
    encoding of none, the smallest number, then needs no branch.
    """
    if kind == NUMBER and isinstance(value, ir.Cell) and 0 < printer.get_width(value.place) < 64:
        sort, width = printer.get_sort(opposite), printer.get_width(value.place)
        is_same_width = isinstance(opposite, ir.Cell) and (
            (printer.get_width(opposite.place), printer.can_be_none(opposite)) == (width, printer.can_be_none(value))
        )
        is_present = sort.kind in (types.NUMBER, types.TRUTH) and not sort.is_optional
        if is_same_width or (is_present and sort.low > -1 << (width - 1)):
            return f"(Int){printer.make_element(value)}"
    return printer.convert_to_kind(value, kind)


def _print_membership(printer: Printer, node: ir.Binary) -> str:
    """Return the test whether a list or a zone contains a value. Texts are compared by content. Raise NotNative for
    lists of lists.
    """
    if printer.get_c_type(node.left) == LIST:
        raise NotNative("lists of lists")
    number = loops_and_lists.match_zone(node.right)
    if number is not None:
        value, zone = printer.make_in_order(
            (NUMBER, lambda: printer.make_value(node.left)), (NUMBER, lambda: printer.make_zone(number))
        )
        return f"zone_contains(state, {zone}, {value})"
    value, list_text = printer.make_in_order(
        (NUMBER, lambda: printer.make_value(node.left)), (LIST, lambda: printer.make_items(node.right))
    )
    if printer.get_sort(node.left).kind == types.TEXT:
        return f"list_contains_text(state, {list_text}, {value})"
    return f"list_contains({list_text}, {value})"


def _print_choice(printer: Printer, value: ir.Choose) -> str:
    """Return a conditional as ``(test ? a : b)``. If a branch needs statements, print an ``if`` and return a
    variable.
    """
    kind = printer.get_c_type(value)
    test = printer.make_test(value.test)
    with printer.collecting_lines() as then_lines:
        then = printer.convert_to_kind(value.then, kind)
    with printer.collecting_lines() as else_lines:
        otherwise = printer.convert_to_kind(value.otherwise, kind)
    if not then_lines and not else_lines:
        return f"({test} ? {then} : {otherwise})"
    result = printer.make_variable(kind)
    with printer.printing_block(f"if ({test})"):
        printer.lines += then_lines
        printer.print_line(f"{result} = {then};")
    with printer.printing_block("else"):
        printer.lines += else_lines
        printer.print_line(f"{result} = {otherwise};")
    return result


def _print_count(printer: Printer, value: ir.Count) -> str:
    flags = printer.make_in_order(
        *((NUMBER, lambda flag=flag: f"(Int){printer.make_test(flag)}") for flag in value.flags)
    )
    return f"({' + '.join(flags)})"


def _print_extreme(printer: Printer, node: ir.Extreme) -> str:
    best, term = printer.make_variable(), printer.make_variable()
    sign = ">" if node.kind == "max" else "<"
    for number, value in enumerate(node.terms):
        printer.print_line(f"{term} = {printer.make_number(value)};")
        test = f"if ({term} {sign} {best}) " if number else ""
        printer.print_line(f"{test}{best} = {term};")
    return best


# ---------------------------------------------------------------- lists and texts


def _print_items(printer: Printer, value: ir.ConditionalItems) -> str:
    flags = [flag for flag in value.flags if flag is not None]
    texts = printer.make_in_order(*((NUMBER, lambda flag=flag: f"(Int){printer.make_test(flag)}") for flag in flags))
    mask = " | ".join(text if not i else f"{text} << {i}" for i, text in enumerate(texts))
    table = printer.constants.make_table(value.rows.number)
    if len(table.dims) + table.is_ragged != 2:
        raise NotNative("lists of lists")
    return make_list_expression(table, f"({mask})")


def _print_text(printer: Printer, value: ir.Text | ir.Label) -> str:
    """Print the composition of a text, and return the variable that holds its number.

    C stores only words: the template, and the values that the text shows. It also computes an upper bound of the
    length. Python produces the characters. The label of a text is the text itself.
    """
    if isinstance(value, ir.Label) and printer.get_sort(value.value).kind == types.TEXT:
        return printer.make_value(value.value)
    site: list[object] = []
    shown_values: list[tuple[str, str]] = []
    length, constant_length = [], 0
    for part in value.parts if isinstance(value, ir.Text) else (value,):
        if isinstance(part, ir.Const) and isinstance(part.value, str):
            site.append(part.value)
            constant_length += len(part.value)
            continue
        part_value = part.value if isinstance(part, ir.Label) else part
        is_text = printer.get_sort(part_value).kind == types.TEXT
        kind = printer.get_c_type(part_value)
        name = printer.make_variable(kind)
        printer.print_line(f"{name} = {printer.convert_to_kind(part_value, kind)};")
        shown_values.append((name, kind))
        if is_text:
            site.append(("",))
            length.append(f"text_max_length(state, {name})")
        elif isinstance(part, ir.Label):
            site.append((part.type,))
            length.append(
                f"({name}.length + !{name}.length) * MAX_LABEL_LENGTH" if kind == LIST else "MAX_LABEL_LENGTH"
            )
        else:
            raise NotNative("texts of something else")
    return _print_composition(printer, tuple(site), shown_values, " + ".join([*length, str(constant_length)]))


def _print_composed_text(printer: Printer, args: Args) -> str:
    """Print the composition of a text from a list of lines, and return the variable that holds the text's number.

    ``args`` has that list as its only item. The printed code fails if an upper bound of the text's length exceeds the
    limit.
    """
    name = printer.make_variable(LIST)
    printer.print_line(f"{name} = {printer.make_items(args[0])};")
    number = _print_composition(printer, ((LINES,),), [(name, LIST)], f"lines_max_length(state, {name})")
    return _print_short_label(printer, number)


def _print_composition(
    printer: Printer, site: tuple[object, ...], shown_values: list[tuple[str, str]], length: str
) -> str:
    if site not in printer.texts:
        printer.texts.append(site)
    number = printer.make_variable()
    size = " + ".join([*(f"{name}.length" for name, kind in shown_values if kind == LIST), str(3 + len(shown_values))])
    printer.print_line(f"{number} = begin_text(state, {printer.texts.index(site)}, {length}, {size});")
    for name, kind in shown_values:
        printer.print_line(f"{'write_list_words' if kind == LIST else 'write_word'}(state, {name});")
    return number


def _print_short_text(printer: Printer, value: ir.TextLengthCheck) -> str:
    """Return a text that may be too long.

    If its upper bound exceeds the limit, the game fails, and Python takes over.
    """
    if value.max_length <= TEXT_LIMIT:
        return printer.make_value(value.value)
    number = printer.make_variable()
    printer.print_line(f"{number} = {printer.make_value(value.value)};")
    return _print_short_label(printer, number)


def _print_short_label(printer: Printer, number: str) -> str:
    printer.print_line(f"if (UNLIKELY(text_max_length(state, {number}) > {TEXT_LIMIT})) fault(state);")
    return number


# ---------------------------------------------------------------- checks


def _print_range_check(printer: Printer, value: ir.IntCheck) -> str:
    cast = f"checked_cast(state, {printer.make_wide_number(value.value)})"
    if value.name is None:
        return cast
    printer.variable_types[value.name.name] = NUMBER
    printer.print_line(f"{value.name.name} = {cast};")
    return value.name.name


def _make_refusal(reason: str) -> Callable[[Printer, Any], str]:
    def refuse(printer: Printer, value: ir.Value) -> str:
        raise NotNative(reason)

    return refuse


EXPRESSIONS: dict[type[ir.Value], Callable[[Printer, Any], str]] = {
    ir.PendingQuestion: _make_refusal("a question in a whole game"),
    ir.Extreme: _print_extreme,
    ir.Binary: _print_binary,
    ir.Bind: _print_binding,
    ir.BoundLocal: lambda printer, value: printer.name_local(value.slot),
    ir.ByKey: loops_and_lists.print_by_key,
    ir.CallQuery: lambda printer, value: printer.make_call(f"value{value.number}", value.args),
    ir.Cell: lambda printer, value: printer.make_cell(value),
    ir.Choose: _print_choice,
    ir.Clause: _make_refusal("a clause by itself"),
    ir.Const: _print_constant,
    ir.Count: _print_count,
    ir.Entry: _print_entry,
    ir.AllOf: lambda printer, value: printer.make_short_circuit(value.parts, "&&"),
    ir.IntCheck: _print_range_check,
    ir.Frame: _make_refusal("the locals of a routine"),
    ir.IndexCheck: lambda printer, value: (
        f"require_in_range(state, {printer.make_value(value.value)}, {value.low}, {value.end})"
    ),
    ir.Index: lambda printer, value: printer.make_index(value),
    ir.ConditionalItems: _print_items,
    ir.NotNone: lambda printer, value: f"require(state, {printer.make_value(value.value)})",
    ir.Let: _print_let,
    ir.ListLengthCheck: lambda printer, value: f"require_list_limit(state, {printer.make_items(value.value)})",
    ir.Local: lambda printer, value: printer.name_local(value.slot),
    ir.Location: lambda printer, value: f"zone_containing(state, {printer.make_number(value.component)})",
    ir.ComponentsIn: loops_and_lists.print_components,
    ir.SpaceMasks: _make_refusal("masks of all values"),
    ir.NumberRange: loops_and_lists.print_number_range,
    ir.Option: lambda printer, value: _print_constant(printer, ir.Const(printer.setting.options[value.name])),
    ir.Temporary: lambda printer, value: value.name,
    ir.Pipeline: loops_and_lists.print_pipeline,
    ir.Primitive: _print_primitive,
    ir.GraphSearch: loops_and_lists.print_graph_search,
    ir.Record: lambda printer, value: loops_and_lists.print_list_of_values(printer, value.items),
    ir.Register: lambda printer, value: printer.get_register_field(value),
    ir.TextLengthCheck: _print_short_text,
    ir.Label: _print_text,
    ir.AnyOf: lambda printer, value: printer.make_short_circuit(value.parts, "||"),
    ir.Concatenation: loops_and_lists.print_concatenation,
    ir.Stream: _make_refusal("a stream by itself"),
    ir.Sum: lambda printer, value: f"({' + '.join(printer.make_numbers(*value.parts))})",
    ir.Table: _print_table,
    ir.Text: _print_text,
    ir.Tuple: lambda printer, value: loops_and_lists.print_list_of_values(printer, value.items),
    ir.Unary: _print_unary,
    ir.CountedItems: loops_and_lists.print_counted_items,
    ir.Zone: loops_and_lists.print_zone_list,
}
"""Class of a value -> its printer."""
