"""Print the operations of whole games as C, with one function for each class of operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..ir import types
from .function_printer_and_c_types import LIST, NUMBER, OPTIONS, VALUES, NotNative, Printer, count_mentions, get_c_type
from .ir_values import NOTHING, print_conditional_append
from .loops_and_lists import print_loop
from .marshalling import print_result


def _print_assignment(printer: Printer, op: ir.Set) -> None:
    """Print an assignment to a cell, a register or a local, or an increase or decrease of one (``op`` is ``+`` or
    ``-``).
    """
    if isinstance(op.target, ir.Cell):
        _print_cell_assignment(printer, op.target, op)
        return
    if isinstance(op.target, ir.Register):
        sign = "" if op.op == "=" else op.op
        printer.print_line(f"{printer.get_register_field(op.target)} {sign}= {printer.make_value(op.value)};")
        return
    name = printer.declare_target(op.target)
    kind = printer.variable_types.get(name, OPTIONS)
    if op.op != "=":
        printer.print_line(f"{name} {op.op}= {printer.convert_to_kind(op.value, kind)};")
    elif kind == OPTIONS:
        printer.print_line(f"{printer.get_option_count()} = 0;")
        if not (isinstance(op.value, ir.Primitive) and op.value.name == "no_options"):
            raise NotNative("options that come from elsewhere")
    else:
        printer.print_line(f"{name} = {printer.convert_to_kind(op.value, kind)};")


def _print_cell_assignment(printer: Printer, target: ir.Cell, op: ir.Set) -> None:
    """Print an assignment to a cell, or an increase or decrease. The new value is computed before the index of the
    cell.
    """
    if op.op == "=":
        kind = NUMBER if printer.get_width(target.place) else LIST
        value = printer.convert_to_kind(op.value, kind)
        with printer.collecting_lines(0) as lines:
            element = printer.make_element(target)
        if lines:
            value_name = printer.make_variable(kind)
            printer.print_line(f"{value_name} = {value};")
            printer.lines += lines
            value = value_name
    else:
        (amount,) = printer.make_numbers(op.value)
        element = printer.make_element(target)
        value = f"{printer.make_cell(target)} {op.op} {amount}"
        if printer.sorts.cells[target.place].is_optional:
            value = f"require(state, {printer.make_cell(target)}) {op.op} {amount}"
    printer.print_store(target, element, value)


def _print_unused_evaluation(printer: Printer, value: ir.Value) -> None:
    """Print the code that evaluates a value only for its possible fault.

    The parts of a text are evaluated one by one, so that it is never composed. If any other value is a text, the words
    of the texts that it composes are freed. Nothing is printed for a constant.
    """
    match value:
        case ir.Text(parts=parts) | ir.Primitive(name="both", args=parts):
            for part in parts:
                _print_unused_evaluation(printer, part)
        case ir.Label(value=labelled_value):
            _print_unused_evaluation(printer, labelled_value)
        case ir.Const():
            pass
        case _:
            composes_text = any(isinstance(node, ir.Text | ir.Label | ir.CallQuery) for node in ir.walk(value))
            is_text = printer.get_sort(value).kind == types.TEXT
            with printer.collecting_lines(0) as lines:
                text = printer.make_text(value)
                if text != NOTHING:
                    printer.print_line(f"{text};" if text.startswith("fault(") else f"(void){text};")
            if not (composes_text and is_text):
                printer.lines += lines
                return
            saved_count = printer.make_variable()
            printer.print_line(f"{saved_count} = state->word_count;")
            printer.lines += lines
            printer.print_line(f"state->word_count = {saved_count};")


def _print_if(printer: Printer, op: ir.If, begin: int = 0) -> None:
    """Print the branches of an ``If`` from number ``begin`` on, each inside the ``else`` of the one before."""
    branch, *other_branches = op.branches[begin:]
    if branch.test is None:
        printer.print_block(branch.ops)
        return
    with printer.locating(branch.place):
        test = printer.make_test(branch.test)
    if len(op.branches) == len(branch.ops) == 1 and print_conditional_append(printer, branch.ops[0], test):
        return
    with printer.printing_block(f"if ({_strip_parentheses(test)})"):
        printer.print_block(branch.ops)
    if other_branches:
        with printer.collecting_lines() as lines:
            _print_if(printer, op, begin + 1)
        with printer.printing_block("else"):
            printer.lines += lines


def _strip_parentheses(test: str) -> str:
    """Return a test without parentheses around the whole."""
    if not (test.startswith("(") and test.endswith(")")):
        return test
    depth = 0
    for index, letter in enumerate(test):
        depth += (letter == "(") - (letter == ")")
        if not depth and index < len(test) - 1:
            return test
    return test[1:-1]


def _print_loop(printer: Printer, op: ir.Loop) -> None:
    exit_label = _make_label(printer)
    name = None if op.target is None else printer.declare_target(op.target)

    def print_body(item: str) -> None:
        if name is not None:
            printer.print_line(f"{name} = {item};")
        printer.print_block(op.ops)

    printer.exit_labels.append(exit_label)
    print_loop(printer, op.source, print_body, frees_lists=_can_free_lists(printer, op.ops), can_change_source=True)
    printer.exit_labels.pop()
    _print_exit_label(printer, exit_label)


def _print_while(printer: Printer, op: ir.While) -> None:
    exit_label = _make_label(printer)
    frees_lists = _can_free_lists(printer, op.ops)
    printer.exit_labels.append(exit_label)
    with printer.printing_loop("for (;;)", frees_lists):
        printer.print_line(f"if (!{printer.make_test(op.test)}) break;")
        printer.print_block(op.ops)
    printer.exit_labels.pop()
    _print_exit_label(printer, exit_label)


def _make_label(printer: Printer) -> str:
    printer.variable_count += 1
    return f"left{printer.variable_count}"


def _print_exit_label(printer: Printer, label: str) -> None:
    if any(line.endswith(f"goto {label};") for line in printer.lines):
        printer.print_line(f"{label}:;")


def _can_free_lists(printer: Printer, ops: ir.Ops) -> bool:
    """Return whether the lists of an iteration can be freed at its end: none is read outside the loop."""
    list_names = _find_assigned_lists(printer, ops)
    if not list_names:
        return True
    mention_counts = count_mentions(ops)
    return all(printer.mention_counts[name] == mention_counts[name] for name in list_names)


def _find_assigned_lists(printer: Printer, ops: ir.Ops) -> set[object]:
    """Return the names of the lists that operations assign."""
    names: set[object] = set()
    for node in ir.walk(ops):
        match node:
            case ir.Set(target=ir.Local(slot=slot)) if get_c_type(printer.sorts.locals[slot]) in (LIST, VALUES):
                names.add(slot)
            case ir.Set(target=ir.Temporary(name=name) as temporary) if printer.get_c_type(temporary) in (LIST, VALUES):
                names.add(name)
            case ir.Evaluate(value=ir.Primitive(name="insert_stop", args=(ir.Temporary(name=name),))):
                names.add(name)
    return names


def _print_return(printer: Printer, op: ir.Return) -> None:
    if printer.function.role == "playout":
        decisions, ranks, payoffs, reason, table = op.values
        print_result(printer, decisions, ranks, payoffs, reason, table.then if isinstance(table, ir.Choose) else table)
        printer.print_line("return;")
    elif printer.function.role == "query":
        kind = get_c_type(printer.sorts.results[printer.function.name])
        printer.print_line(f"return {printer.convert_to_kind(op.values[0], kind)};")
    else:
        printer.print_line("state->arena_top = mark;")
        printer.print_line("return;")


def _print_work(printer: Printer, op: ir.CountWork) -> None:
    printer.print_line(f"state->work += {op.work};")
    if op.is_checked:
        printer.print_line("if (UNLIKELY(state->work > state->work_limit)) fault(state);")


# ---------------------------------------------------------------- components


def _print_moves(printer: Printer, op: ir.MoveCards) -> None:
    cards = op.cards
    if isinstance(cards, ir.Record) and op.to_top is False:  # a single component
        (card,) = cards.items
        text, zone = printer.make_in_order(
            (NUMBER, lambda: printer.make_number(card)), (NUMBER, lambda: printer.make_zone(op.zone))
        )
        printer.print_line(f"move_component(state, {text}, {zone});")
        return
    text, zone = printer.make_in_order(
        (LIST, lambda: printer.make_items(cards)), (NUMBER, lambda: printer.make_zone(op.zone))
    )
    printer.allocation_count += 1
    place = {None: "ZONE_SORTED", True: "ZONE_TOP", False: "ZONE_BOTTOM"}[op.to_top]
    printer.print_line(f"move_components(state, {text}, {zone}, {place});")


def _print_take_end(printer: Printer, op: ir.TakeEnd) -> None:
    printer.print_line(
        f"{printer.declare_target(op.card)} = "
        f"zone_take_end(state, {printer.make_zone(op.zone.number)}, {int(op.is_first)});"
    )


def _print_insertion(printer: Printer, op: ir.PutComponent) -> None:
    printer.print_line(f"zone_insert(state, {printer.make_zone(op.zone.number)}, {op.card.name}, {int(op.is_top)});")


def _print_shuffle(printer: Printer, op: ir.Shuffle) -> None:
    printer.allocation_count += 1
    printer.print_line(f"zone_shuffle(state, &state->stream_{op.stream.name}, {printer.make_zone(op.zone.number)});")


def make_random_item(printer: Printer, stream: str, domain: ir.Value) -> str:
    """Return the C expression of a random item of a list, and print the assignment of the list to a new variable.

    For the stream ``dice``, prints ``u1 = ITEMS;`` and returns ``list_at(state, u1, random_below(&state->stream_dice,
    u1.length))``. The type of ``u1`` is only in ``printer.variable_types``. Raises NotNative if ``domain`` is no list.
    """
    items = printer.make_variable(LIST)
    printer.print_line(f"{items} = {printer.make_items(domain)};")
    return f"list_at(state, {items}, random_below(&state->stream_{stream}, {items}.length))"


def _print_draw(printer: Printer, op: ir.Draw) -> None:
    item = make_random_item(printer, op.stream.name, op.domain)
    printer.print_line(f"{printer.declare_target(ir.Local(op.slot))} = {item};")


def _print_unpacking(printer: Printer, op: ir.Unpack) -> None:
    """Print the unpacking of an option."""
    match op.value:
        case ir.Entry(container=ir.Temporary() as options, index=index) if printer.get_c_type(options) == OPTIONS:
            number, count = printer.make_number(index), printer.get_option_count()
            row = f"checked_index(state, {number}, (uint64_t){count})"
            print_option_unpacking(printer, f"state->option_rows[{row}]", op)
        case _:
            raise NotNative("values of several kinds in one place")


def print_option_unpacking(printer: Printer, row: str, op: ir.Unpack) -> None:
    """Print the unpacking of an option from its row, a C expression.

    The targets of ``op`` are two variables, for the number of the alternative and for its values. With the targets
    ``t1`` and ``t2`` and the row ``r``, these are three lines: ``u1 = r;``, ``t1 = u1[0];`` and ``t2 = u1 + 1;``. The
    assignment of a target that is None is left out. The first assignment, to a new variable, is always printed. All
    variables are added to ``printer.variable_types``, ``u1`` and ``t2`` with the type VALUES.
    """
    alternative, values = op.targets
    option_row = printer.make_variable(VALUES)
    printer.print_line(f"{option_row} = {row};")
    if alternative is not None:
        printer.print_line(f"{printer.declare_target(alternative)} = {option_row}[0];")
    if values is not None:
        name = printer.declare_target(values)
        printer.variable_types[name] = VALUES
        printer.print_line(f"{name} = {option_row} + 1;")


def _print_mask_update(printer: Printer, op: ir.UpdateMasks) -> None:
    value_count = printer.mask_counts[op.cell.place]
    name = f"state->mask_{printer.names[op.cell.place]}"
    space, value = printer.make_in_order(
        (NUMBER, lambda: printer.make_number(op.space)), (NUMBER, lambda: printer.make_value(op.value))
    )
    old_value = printer.make_cell(op.cell) if op.before is None else printer.make_value(op.before)
    printer.print_line(f"{name}[mask_index(state, {old_value}, {value_count})] ^= space_bit({space});")
    printer.print_line(f"{name}[mask_index(state, {value}, {value_count})] ^= space_bit({space});")


def _print_nothing(printer: Printer, op: ir.Op) -> None:
    """Print nothing, for what only Python stores. In C the chains of the zones hold all locations."""


OPERATIONS: dict[type[ir.Op], Callable[[Printer, Any], None]] = {
    ir.Initialize: _print_nothing,
    ir.CallEffect: lambda printer, op: printer.print_line(f"{printer.make_call(f'effect{op.number}', op.args)};"),
    ir.Evaluate: lambda printer, op: _print_unused_evaluation(printer, op.value),
    ir.Draw: _print_draw,
    ir.Break: lambda printer, op: printer.print_line(f"goto {printer.exit_labels[-1]};"),
    ir.Locate: _print_nothing,
    ir.Loop: _print_loop,
    ir.UpdateMasks: _print_mask_update,
    ir.MoveCards: _print_moves,
    ir.PutComponent: _print_insertion,
    ir.Return: _print_return,
    ir.Set: _print_assignment,
    ir.Shuffle: _print_shuffle,
    ir.CountWork: _print_work,
    ir.TakeEnd: _print_take_end,
    ir.Unpack: _print_unpacking,
    ir.If: _print_if,
    ir.While: _print_while,
}
"""Class of an operation -> its printer. Operations that stop for a choice do not occur in whole games."""
