"""Print stepwise play as C: the functions of the blocks, the state, its serialization, and the interface for searches.

A library of stepwise play works on a *context*. Its first part is the state of a game, which can be saved and loaded as
bytes. The rest is scratch memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...state.random_streams import hash_stream_name as stream_name
from ...state.setting_value_limits_builtins_and_names import Setting
from .. import ir
from ..instruction_selection.bitboards import make_initial_masks
from ..ir import types
from ..ir.types import Sort
from ..passes.playout_state_promotion import find_state_use, remove_unread_masks
from ..passes.type_inference import Sorts, infer_sorts
from .function_printer_and_c_types import (
    LIST,
    NUMBER,
    OPTIONS,
    NotNative,
    Printer,
    attach_span,
    get_c_type,
    get_cell_width,
)
from .ir_operations import OPERATIONS, make_random_item, print_option_unpacking
from .ir_values import EXPRESSIONS
from .loops_and_lists import print_wide_sum
from .marshalling import GeneratedC, Row, StateForm, get_cell_content, list_items, print_result
from .runtime_header_loading_and_search_formats import (
    ALTERNATIVE,
    CHOICE,
    LN2,
    MAX_EXACT_FLOAT,
    PLAN,
    REPORT,
    load_header,
)
from .whole_games import Unit

QUESTION = "q"
"""The name of the question in the intermediate representation."""

QUESTION_HEADER = 2
"""Number of values of a question before the ones from which options are made: the seat, and the number of options."""

FLOW_ROLES = ("block", "resume")
"""Roles of functions that return the next block."""

PRINTED_ROLES = (*FLOW_ROLES, "effect", "query", "question", "options", "outcome", "standing")
"""Roles of functions that are printed in C. Labels are left to Python."""


@dataclass
class Stepper(Printer):
    """Print the functions of stepwise play.

    Attributes:
        slots: Name of a place, or slot of a local -> the first of its list slots.
        question: The function of the question whose answer is read.
        value_capacity: The number of values of a question for which the context has room.
        narrow_places: The places whose unbounded numbers get 32 bits.
    """

    slots: dict[str | int, int] = field(default_factory=dict)
    question: str = ""
    value_capacity: int = 1
    narrow_places: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        super().__post_init__()
        pairs = (pair for sorts in self.sorts.temporaries.values() for pair in sorts.items())
        self.temporaries = {name: sort for name, sort in pairs if name not in (QUESTION, "i")}

    # ------------------------------------------------------------ functions

    def make_signature(self, function: ir.Function) -> str:
        if function.role not in FLOW_ROLES:
            return super().make_signature(function)
        return f"static int {function.name}(State *restrict state{', Int i' if function.role == 'resume' else ''})"

    def print_function(self, function: ir.Function) -> list[str]:
        temporaries = self.sorts.temporaries
        temporaries[function.name] = {**self.temporaries, **temporaries.get(function.name, {})}
        self._select_question(QUESTION + function.name[1:] if function.role in ("resume", "options") else "")
        return super().print_function(function)

    def print_prologue(self, function: ir.Function) -> None:
        if function.role == "block":
            self.print_line("state->arena_top = state->arena;")
        super().print_prologue(function)

    def print_epilogue(self, function: ir.Function) -> None:
        if function.role in FLOW_ROLES:
            self.print_line("fault(state);")
        if function.role == "resume":
            self.variable_types.pop("i", None)
        super().print_epilogue(function)

    def _select_question(self, question: str) -> None:
        """Set the question function that ``q`` stands for from here on. An empty name sets none."""
        self.question = question
        if question:
            self.inference.temporaries = {**self.inference.temporaries, QUESTION: self.sorts.results[question]}

    # ------------------------------------------------------------ questions

    def get_c_type(self, value: ir.Value) -> str:
        match value:
            case ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as position)):
                return get_c_type(self.sorts.results[self.question].parts[position])
            case ir.PendingQuestion():
                return OPTIONS
        return super().get_c_type(value)

    def _get_question_value(self, position: int) -> str:
        """Return value ``position`` of the question in C: the seat (0), the number of options (1), or the field in
        which a later value is saved. For 4, this is ``state->asked_numbers[2]`` or ``state->asked_lists[2]``, whatever
        the values 2 and 3 are. Options are not saved and give an empty text.

        Raise NotNative for a saved value that is neither a number nor a list.
        """
        if position < QUESTION_HEADER:
            return ("(Int)state->seat", "(Int)state->option_count")[position]
        return self._get_saved_value(position, get_c_type(self.sorts.results[self.question].parts[position]))

    def _get_saved_value(self, position: int, kind: str) -> str:
        """Return the field for value ``position`` (from 2) of a question, or an empty text for options: none is saved.

        The context gets room for the value. Raise NotNative for a ``kind`` other than NUMBER, LIST and OPTIONS.
        """
        self.value_capacity = max(self.value_capacity, position - QUESTION_HEADER + 1)
        if kind not in (LIST, NUMBER, OPTIONS):
            raise NotNative("values of several kinds in one place")
        field = {LIST: "asked_lists", NUMBER: "asked_numbers"}.get(kind)
        return "" if field is None else f"state->{field}[{position - QUESTION_HEADER}]"

    def _print_question_values(self, values: tuple[ir.Value, ...]) -> None:
        """Print ``state->seat = (int16_t)…;``, ``state->option_count = encode32(state, …);`` and more, no options."""
        for position, value in enumerate(values):
            kind = self.get_c_type(value)
            match position:
                case 0:
                    self.print_line(f"state->seat = (int16_t){self.make_number(value)};")
                case 1:
                    self.print_line(f"state->option_count = encode32(state, {self.make_number(value)});")
                case _ if kind != OPTIONS:
                    self.print_line(f"{self._get_saved_value(position, kind)} = {self.convert_to_kind(value, kind)};")

    # ------------------------------------------------------------ stored values

    def get_width(self, place: str) -> int:
        """Return the width of a cell in bits. Unbounded numbers get 32 bits in places with many cells."""
        width = super().get_width(place)
        return 32 if width == 64 and place in self.narrow_places else width

    def _get_list_slot(self, value: ir.Cell) -> str:
        """Return the address of the list slot of a cell, ``&state->list_slots[3]``. A variable index is checked."""
        place = self.layout.places[value.place]
        base = self.slots[value.place]
        if not place.dims:
            return f"&state->list_slots[{base}]"
        number = value.index.number
        if number is not None and 0 <= number < place.size:
            return f"&state->list_slots[{base + number}]"
        return f"&state->list_slots[{base} + checked_index(state, {self.make_index(value.index)}, {place.size})]"

    def make_element(self, value: ir.Cell) -> str:
        return super().make_element(value) if self.get_width(value.place) else self._get_list_slot(value)

    def make_cell(self, value: ir.Cell) -> str:
        if self.get_width(value.place):
            return super().make_cell(value)
        self.allocation_count += 1
        return f"load_list(state, {self.make_element(value)})"

    def print_store(self, node: ir.Cell, element: str, value: str) -> None:
        if self.get_width(node.place):
            super().print_store(node, element, value)
        else:
            self.print_line(f"store_list(state, {element}, {value});")

    def _print_local_save(self, slot: int) -> None:
        """Print the C statement that saves a local before a question.

        It is ``state->local_x_7 = x_7;`` for 64 bits, ``state->local_x_7 = encode_optional8(state, x_7);`` for 8 (16
        and 32 likewise), and ``store_list(state, &state->list_slots[3], x_7);`` for a list whose list slot is 3.
        """
        name, sort = self.name_local(slot), self.sorts.locals[slot]
        if get_c_type(sort) == LIST:
            self.print_line(f"store_list(state, &state->list_slots[{self.slots[slot]}], {name});")
            return
        width = get_cell_width(sort)
        self.print_line(f"state->local_{name} = {name if width == 64 else f'encode_optional{width}(state, {name})'};")

    def _print_local_load(self, slot: int) -> None:
        """Declare ``x_7``. Print ``x_7 = state->local_x_7;`` (8 bits: ``decode8(…)``, a list: ``load_list(…)``)."""
        sort = self.sorts.locals[slot]
        name = self.declare_target(ir.Local(slot))
        if get_c_type(sort) == LIST:
            self.allocation_count += 1
            self.print_line(f"{name} = load_list(state, &state->list_slots[{self.slots[slot]}]);")
            return
        width = get_cell_width(sort)
        self.print_line(f"{name} = {f'state->local_{name}' if width == 64 else f'decode{width}(state->local_{name})'};")


# ---------------------------------------------------------------- values


def _print_entry(printer: Stepper, value: ir.Entry) -> str:
    match value:
        case ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as position)):
            return printer._get_question_value(position)
        case ir.Entry(
            container=ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as position)), index=index
        ):
            return f"list_at(state, {printer._get_question_value(position)}, {printer.make_number(index)})"
    return EXPRESSIONS[ir.Entry](printer, value)


def _print_primitive_value(printer: Stepper, value: ir.Primitive) -> str:
    match value:
        case ir.Primitive(name="pick", args=(ir.Stream(name=stream), _, domain)):
            text, item = make_random_item(printer, stream, domain), printer.make_variable()
            printer.print_line(f"{item} = {text};")
            return item
        case ir.Primitive(name="format_end_reason"):
            raise NotNative("the reason of an ending is not for all to know")
    return EXPRESSIONS[ir.Primitive](printer, value)


STEP_VALUES: dict[type[ir.Value], Any] = {**EXPRESSIONS, ir.Entry: _print_entry, ir.Primitive: _print_primitive_value}


# ---------------------------------------------------------------- operations


def _print_assignment(printer: Stepper, op: ir.Set) -> None:
    match op:
        case ir.Set(target=ir.Temporary(name="q"), value=ir.PendingQuestion(number=number)):
            printer.allocation_count += 1
            printer.print_line(f"q{number}(state);")
            printer._select_question(f"q{number}")
            return
        case ir.Set(target=ir.Temporary(), value=ir.Primitive(name="pick_options", args=(source, positions))):
            printer.option_length = max(printer.option_length, 2)
            options, places = printer.make_in_order(
                (LIST, lambda: printer.make_items(source)), (LIST, lambda: printer.make_items(positions))
            )
            printer.print_line(f"list_pick_options(state, {options}, {places});")
            return
    OPERATIONS[ir.Set](printer, op)
    if op.cell is not None:
        assert isinstance(op.target, ir.Local)
        printer._print_local_save(op.target.slot)


def _print_if(printer: Stepper, op: ir.If) -> None:
    question, temporaries = printer.question, printer.inference.temporaries
    OPERATIONS[ir.If](printer, op)
    printer.question, printer.inference.temporaries = question, temporaries


def _print_unpacking(printer: Stepper, op: ir.Unpack) -> None:
    match op.value:
        case ir.Temporary(name="q"):
            for position, target in enumerate(op.targets):
                if target is not None:
                    printer.print_line(f"{printer.declare_target(target)} = {printer._get_question_value(position)};")
        case ir.Entry(container=ir.Entry(container=ir.Temporary(name="q")), index=index):
            row = f"checked_index(state, {printer.make_number(index)}, (uint64_t)state->option_row_count)"
            print_option_unpacking(printer, f"state->option_rows[{row}]", op)
        case _:
            OPERATIONS[ir.Unpack](printer, op)


def _print_wait(printer: Stepper, op: ir.WaitForAnswer) -> None:
    if len(op.question) > 1:  # a single value is the question that is already stored
        printer._print_question_values(op.question)
    printer.print_line(f"state->pending_choice = {op.number};")
    printer.print_line("state->is_prepared = 1;")
    printer.print_line("return WAIT_FOR_ANSWER;")


def _print_return(printer: Stepper, op: ir.Return) -> None:
    """Print a return, by the role of the function: a question stores its data, a block returns a label."""
    match printer.function.role:
        case "question":
            printer._print_question_values(op.values)
            printer.print_line("return;")
        case "options":
            match op.values[0]:  # other options are in their rows already
                case ir.Primitive(name="named_options", args=(numbers,)):
                    printer.print_line(f"list_numbered_options(state, {printer.make_items(numbers)});")
                case ir.Primitive(name="and_stop", args=(_, can_stop)):
                    printer.print_line(f"if ({printer.make_test(can_stop)}) insert_stop_option(state);")
        case "block" | "resume":
            (value,) = op.values
            is_end = isinstance(value, ir.Const) and value.value is None
            printer.print_line(f"return {'WAIT_FOR_ANSWER' if is_end else f'(int){printer.make_value(value)}'};")
        case "outcome":
            _print_outcome(printer, op)
        case "standing":
            for index, value in enumerate(list_items(op.values[0])):
                printer.print_line(f"state->result_row[{index}] = {printer.make_number(value)};")
            printer.print_line("return;")
        case _:
            OPERATIONS[ir.Return](printer, op)


def _print_outcome(printer: Stepper, op: ir.Return) -> None:
    """Print the code that writes the end of a game into its row, in the format of ``marshalling.print_result``."""
    reason, ranks, payoffs, scores = op.values
    columns = ir.Record(tuple(list_items(column)[1] for column in list_items(scores)))
    print_result(printer, ir.Register("decisions"), ranks, payoffs, reason, columns)


STEP_OPERATIONS: dict[type[ir.Op], Any] = {
    **OPERATIONS,
    ir.Goto: lambda printer, op: printer.print_line(f"return {op.label};"),
    ir.Load: lambda printer, op: printer._print_local_load(op.slot),
    ir.CopyZone: OPERATIONS[ir.Locate],  # only Python needs it
    ir.Return: _print_return,
    ir.Set: _print_assignment,
    ir.Unpack: _print_unpacking,
    ir.WaitForAnswer: _print_wait,
    ir.If: _print_if,
}


HEAP = 3_072
"""Greatest number of items in all lists of a state. More are a fault, and Python takes over."""

STEP_WORDS, CELL_WORDS, MAX_TEXT_WORDS = 256, 128, 1 << 16
"""Numbers of words in a state: for the texts of one step, for each cell that stores a text, and for each list of texts.

The last is also the limit.
"""

MANY_CELLS = 16
"""Places with at least this many cells get 32 bits for each unbounded number. Larger numbers are a fault."""

SMALL_ITEM = (1 << 15) - 1


def emit_steps(setting: Setting, module: ir.Module, build: ir.Module, kept_slots: dict[int, int]) -> GeneratedC:
    """Return the C file of stepwise play with all fields of GeneratedC: ``text``, ``reader``, ``parts`` and ``form``.

    Raise NotNative if C does not support the game, or if the game has no end. ``module`` is the module before any pass,
    and ``build`` the silent build in blocks. ``kept_slots`` maps the slot of each local that is kept across choices, in
    ascending order, to its index among the locals that Python keeps, or to -1 if Python does not keep it.
    """
    functions = [function for function in build.functions if function.role in PRINTED_ROLES]
    marks = frozenset[str]().union(*(find_state_use(function.ops).marks for function in functions))
    functions = [replace(function, ops=remove_unread_masks(function.ops, marks)) for function in functions]
    pruned_build = replace(build, functions=tuple(functions))
    constant_slots = _find_constant_locals(module) & kept_slots.keys()
    with attach_span(setting.program.setup.span):
        sorts = infer_sorts(setting, module)
        printer = Stepper(setting, pruned_build, sorts, STEP_VALUES, STEP_OPERATIONS, print_wide_sum)
        return StepUnit(setting, pruned_build, printer, kept_slots, constant_slots)._print_steps()


def _find_constant_locals(module: ir.Module) -> frozenset[int]:
    """Return the locals that are only assigned constants, or never assigned."""
    changed_slots: set[int] = set()
    for function in module.functions:
        changed_slots.update(function.params)
        for node in ir.walk(function.ops):
            match node:
                case ir.Set(target=ir.Local(slot=slot), value=value) if not isinstance(value, ir.Const):
                    changed_slots.add(slot)
    return frozenset(module.names) - changed_slots


@dataclass
class StepUnit(Unit):
    """Print one C file of stepwise play.

    ``kept_slots`` maps the kept slots as in :func:`emit_steps`. ``constant_slots`` are only assigned constants.
    """

    printer: Stepper
    kept_slots: dict[int, int]
    constant_slots: frozenset[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.places = list(self.layout.places)
        self.streams = list(self.layout.streams)
        cells, program, players = self.initial_position.cells, self.setting.program, self.setting.players
        uses = [find_state_use(function.ops) for function in self.module.functions]
        for name in sorted(frozenset[str]().union(*(use.marks for use in uses))):
            place = self.layout.places[name]
            values = tuple(cells[place.offset : place.offset + place.size])
            self.masks[name] = dict(make_initial_masks(program, players, name, values))
        self.printer.mask_counts = {name: len(masks) for name, masks in self.masks.items()}
        names = [name for name in self.places if self.layout.places[name].size >= MANY_CELLS]
        self.printer.narrow_places = frozenset(name for name in names if self.sorts.cells[name].kind == types.NUMBER)
        self.lists: list[Sort] = []
        for name in self.places:
            if not self.printer.get_width(name):
                self._add_list_slots(name, self.sorts.cells[name], self.layout.places[name].size)
        for slot in self.kept_slots:
            if get_c_type(self.sorts.locals[slot]) == LIST:
                self._add_list_slots(slot, self.sorts.locals[slot], 1)

    @property
    def sorts(self) -> Sorts:
        return self.printer.sorts

    def _add_list_slots(self, owner: str | int, sort: Sort, size: int) -> None:
        self.printer.slots[owner] = len(self.lists)
        self.lists += [sort] * size

    def _print_steps(self) -> GeneratedC:
        """Return the C of stepwise play. Raise NotNative if C does not support the game, or if it has no ending."""
        printer, module = self.printer, self.module
        functions = list(map(printer.print_function, module.functions))
        row: Row | None = printer.row_format
        if row is None:
            raise NotNative("a game without an end")
        has_standing = any(function.role == "standing" for function in module.functions)
        driver = [
            *self._print_start(),
            "",
            *self._print_dispatch(),
            *self._print_stepping(),
            *(load_header(name) for name in ("playouts", "stepping_api", "serialization")),
            *self._print_serialization(),
            load_header("state_serialization"),
            *([] if has_standing else ["static void standing(State *state) { fault(state); }"]),
            *(load_header(name) for name in ("search", "search_tree", "search_api")),
            load_header("batch_cells"),
            *self._print_cell_observation(),
            load_header("batch"),
        ]
        extra_lines = [*([load_header("stored_lists")] if self.lists else []), load_header("option_rows")]
        struct = self._print_step_struct(row)
        text, parts = self._print_file("stepwise play", struct, extra_lines, functions, "\n".join(driver))
        return GeneratedC(text, self._make_reader(row), parts, self._make_form())

    # ------------------------------------------------------------ contents of a state

    @cached_property
    def _text_roots(self) -> list[tuple[str, int]]:
        """The places in the state where texts can be stored, each with the C that moves its text, and the words to
        reserve.
        """
        printer, roots = self.printer, list[tuple[str, int]]()
        if not printer.texts:
            return roots
        for name in self.places:
            size, sort = self.layout.places[name].size, self.sorts.cells[name]
            count = size if self.layout.places[name].dims else 0
            roots += self._list_roots(sort, f"state->{printer.names[name]}", count, printer.slots.get(name, 0), size)
        for slot in self.kept_slots:
            if slot not in self.constant_slots:
                field = f"state->local_{printer.name_local(slot)}"
                roots += self._list_roots(self.sorts.locals[slot], field, 0, printer.slots.get(slot, 0), 1)
        return roots

    @staticmethod
    def _list_roots(sort: Sort, field: str, array_size: int, base: int, size: int) -> list[tuple[str, int]]:
        if sort.kind == types.TEXT:
            loop = f"for (int i = 0; i < {array_size}; i++) " if array_size else ""
            element = f"{field}[i]" if array_size else field
            return [(f"{loop}{element} = move_text(state, {element}, target, length);", CELL_WORDS * size)]
        if sort.item is None or sort.item.kind != types.TEXT:
            return []
        loop = f"for (Slot *slot = state->list_slots + {base}; slot < state->list_slots + {base + size}; slot++)"
        item = "state->heap[slot->offset + i]"
        move = f"{item} = (StoredItem)move_text(state, {item}, target, length);"
        return [(f"{loop} for (int i = 0; i < slot->length; i++) {move}", MAX_TEXT_WORDS)]

    def _print_types(self) -> list[str]:
        items = [sort.item for sort in self.lists if sort.item is not None]
        is_wide = any(item.kind == types.TEXT or item.low < -SMALL_ITEM or item.high > SMALL_ITEM for item in items)
        bits = 32 if is_wide else 16
        return [
            *super()._print_types(),
            f"typedef int{bits}_t StoredItem; /* an item of a list in the state */",
            f"#define NO_STORED_ITEM INT{bits}_MIN",
        ]

    def _make_constants(self, row: Row, word_count: int) -> dict[str, object]:
        limits, scoring = self.setting.limits, self.setting.program.scoring
        cell_count = sum(self.layout.places[name].size for name in self.setting.numeric_places)
        return {
            **super()._make_constants(row, word_count),
            "WAIT_FOR_ANSWER": "(-1)",
            "SLOT_COUNT": len(self.lists),
            "HEAP_CAPACITY": self._bound_heap(),
            "SEAT_COUNT": self.setting.players,
            "RANK_COUNT": row.rank_count,
            "HAS_PAYOFFS": int(row.has_payoffs),
            "IS_SELECTIVE": int(scoring.is_selective),
            "IS_ZERO_SUM": int(scoring.is_zero_sum),
            "MAX_WORK_PER_DECISION": f"{limits.decision}ll",
            "MAX_WORK_PER_GAME": f"{limits.game}ll",
            "MAX_VISITS": f"{limits.visits}ll",
            "CELL_COUNT": cell_count,
            "CHOICE_COUNT": len(self.module.choices),
            "CHOICE_LENGTH": len(CHOICE),
            "ALTERNATIVE_LENGTH": len(ALTERNATIVE),
            "PLAN_LENGTH": len(PLAN),
            "REPORT_HEADER_LENGTH": REPORT,
            "LN2": repr(LN2),
            "MAX_EXACT_DOUBLE": f"{MAX_EXACT_FLOAT}ll",
            "HAS_COMPOSED_TEXTS": int(bool(self.printer.texts)),
            "HAS_STORED_TEXTS": int(bool(self._text_roots)),
            "FOR_EACH_STREAM(X)": " ".join(f"X(stream_{name}, {stream_name(name)}ull)" for name in self.streams),
        }

    def _print_step_struct(self, row: Row) -> list[str]:
        """Return the lines up to the end of the struct of the context. The state comes first."""
        printer = self.printer
        repeat_count = len(self.layout.repeats)
        text_words = min(STEP_WORDS + sum(words for _, words in self._text_roots), MAX_TEXT_WORDS)
        lines = [
            *self._print_head(row, text_words if printer.texts else 1),
            "typedef struct { int offset; int length; } Slot; /* a list in the heap; length < 0: no list */",
            "typedef struct {",
            "    /* the state */",
            *(f"    uint64_t stream_{name};" for name in self.streams),
            "    Int work, end_reason, word_count;",
            "    int32_t option_count, heap_length;",
            "    int16_t seat, pending_choice, is_over;",
            *([f"    int32_t phase_repeats[{repeat_count}];"] if repeat_count else []),
        ]
        for name in self.places:
            place, width = self.layout.places[name], printer.get_width(name)
            if width:
                lines.append(f"    int{width}_t {printer.names[name]}{f'[{place.size}]' if place.dims else ''};")
        lines += [f"    int{width}_t local_{name};" for name, width in self._list_number_locals()]
        lines += [
            *self._print_component_fields(),
            *(["    Slot list_slots[SLOT_COUNT];"] if self.lists else []),
            f"    StoredItem heap[{max(self._bound_heap(), 1)}];",
            "    Int words[WORD_CAPACITY];",
            "    /* the context */",
            "    jmp_buf fault_target;",
            "    Item *arena_top;",
            "    Int *row;",
            "    uint64_t answer_rng;",
            "    Int decision_count, work_limit, visits_left, option_row_count;",
            "    Int row_word_count, is_prepared, compaction_limit;",
            f"    List asked_lists[{printer.value_capacity}];",
            f"    Int asked_numbers[{printer.value_capacity}];",
            "    Int result_row[ROW_LENGTH];",
            "    Int option_rows[OPTION_CAPACITY][OPTION_LENGTH];",
            "    Item arena[ARENA_CAPACITY];",
            "    void *search;",
            "} State;",
        ]
        return lines

    def _bound_heap(self) -> int:
        return min(sum(sort.max_length for sort in self.lists), HEAP)

    def _print_start(self) -> list[str]:
        """Print the function that sets the state before the setup. Locals are none, or absent lists."""
        lines = super()._print_start()
        statements = [
            "    state->is_prepared = 0;",
            "    state->heap_length = state->option_count = state->seat = state->pending_choice = 0;",
        ]
        if self.lists:
            statements.append("    for (int i = 0; i < SLOT_COUNT; i++) state->list_slots[i] = (Slot){0, -1};")
        if self.layout.repeats:
            statements.append("    memset(state->phase_repeats, 0, sizeof state->phase_repeats);")
        for name, width in self._list_number_locals():
            statements.append(f"    state->local_{name} = {'NONE' if width == 64 else f'INT{width}_MIN'};")
        begin = next(begin for begin, line in enumerate(lines) if line.startswith("static void start_game("))
        return [*lines[: begin + 1], *statements, *lines[begin + 1 :]]

    def _list_number_locals(self) -> list[tuple[str, int]]:
        """Return the names and widths of the kept locals that are no lists."""
        sorts = [(slot, self.sorts.locals[slot]) for slot in self.kept_slots]
        return [
            (self.printer.name_local(slot), get_cell_width(sort)) for slot, sort in sorts if get_c_type(sort) != LIST
        ]

    def _print_list_initialization(self, lines: list[str], name: str, cells: list[Any], is_array: bool) -> None:
        base = self.printer.slots[next(place for place, place_name in self.printer.names.items() if place_name == name)]
        for index, cell in enumerate(cells):
            numbers = [self.printer.constants.make_number(item) for item in cell]
            items = ", ".join("NO_ITEM" if number is None else str(number) for number in numbers)
            list_text = f"(List){{{len(cell)}, (const Item[]){{{items}}}}}" if cell else "EMPTY_LIST"
            lines.append(f"    store_list(state, &state->list_slots[{base + index}], {list_text});")

    def _print_stepping(self) -> list[str]:
        """Print the runtime that plays from one decision to the next."""
        if not self._text_roots:
            return [load_header("stepping")]
        return [
            load_header("stored_texts"),
            "static void move_stored_texts(State *state, Int *target, int *length) {",
            *(f"    {line}" for line, _ in self._text_roots),
            "    if (state->end_reason != NONE)",
            "        state->end_reason = move_text(state, state->end_reason, target, length);",
            "}",
            load_header("stepping"),
        ]

    # ------------------------------------------------------------ dispatch

    def _print_dispatch(self) -> list[str]:
        """Return the C functions that dispatch on the number of a block or choice. An unknown number is a fault."""
        functions, waiting = self.module.functions, "state->pending_choice"
        blocks = [function.name for function in functions if function.role == "block"]
        choices = [function.name[1:] for function in functions if function.role == "question"]
        listed = [function.name[1:] for function in functions if function.role == "options"]
        block_cases = [f"{name[1:]}: return {name}(state);" for name in blocks]
        question_cases = [f"{number}: q{number}(state); return;" for number in choices]
        option_cases = [f"{number}: o{number}(state); return;" for number in listed]
        answer_cases = [f"{number}: return r{number}(state, option);" for number in choices]
        dispatchers = (
            ("int run_block(State *state, int at)", "at", block_cases),
            ("void prepare_choice(State *state)", waiting, question_cases),
            ("void list_options(State *state)", waiting, option_cases),
            ("int resume_after_choice(State *state, Int option)", waiting, answer_cases),
        )
        lines = []
        for head, number, cases in dispatchers:
            lines += [f"static {head} {{", f"    switch ({number}) {{", *(f"        case {case}" for case in cases)]
            lines += ["    }", "    fault(state);", "}"]
        return lines

    # ------------------------------------------------------------ serialization

    def _print_serialization(self) -> list[str]:
        """Print the functions that serialize a state, in three sections, and the one that deserializes it."""
        table, progress, chance = self._list_table_cells(), self._list_progress_cells(), self._list_random_state_cells()
        lines = []
        for name, cells in (("write_table", table), ("write_progress", progress), ("write_random_state", chance)):
            lines.append(f"static void {name}(State *state, Int *target, int64_t *n) {{")
            lines += [f"    {cell.write}" for cell in cells]
            lines.append("}")
        lines.append("static void read_state(State *state, const Int *source, const Int *end) {")
        lines.append("    int absent;")
        lines.append("    state->option_row_count = state->row_word_count = 0;")
        lines += ["    state->heap_length = state->is_prepared = 0;", "    state->arena_top = state->arena;"]
        lines += [f"    {cell.read}" for cell in (*table, *progress, *chance)]
        for name, masks in self.masks.items():
            place_name, size = self.printer.names[name], self.layout.places[name].size
            value = f"decode{self.printer.get_width(name)}(state->{place_name}[i])"
            bits = f"mask_{place_name}[mask_index(state, {value}, {len(masks)})] |= space_bit(i)"
            lines.append(f"    memset(state->mask_{place_name}, 0, sizeof state->mask_{place_name});")
            lines.append(f"    for (int i = 0; i < {size}; i++) state->{bits};")
        lines += ["    (void)absent;", "    if (source != end) fault(state);", "}"]
        return lines

    def _list_table_cells(self) -> list[_Cell]:
        printer = self.printer
        parts = [_make_number_cell("state->is_over", "int16_t"), _make_number_cell("state->pending_choice", "int16_t")]
        for name in self.places:
            place, width = self.layout.places[name], printer.get_width(name)
            if not width:
                parts.append(_make_list_cells(printer.slots[name], place.size))
            else:
                parts.append(_make_array_cells(f"state->{printer.names[name]}", width, place.size if place.dims else 0))
        if self.component_count:
            parts.append(_Cell(_WRITE_ZONES, _READ_ZONES))
        return parts

    def _list_progress_cells(self) -> list[_Cell]:
        printer = self.printer
        parts = [_make_array_cells("state->phase_repeats", 32, len(self.layout.repeats))] if self.layout.repeats else []
        for slot in self.kept_slots:
            sort = self.sorts.locals[slot]
            if get_c_type(sort) == LIST:
                parts.append(_make_list_cells(printer.slots[slot], 1))
            else:
                parts.append(_make_array_cells(f"state->local_{printer.name_local(slot)}", get_cell_width(sort), 0))
        return parts

    def _list_random_state_cells(self) -> list[_Cell]:
        fields = {"seat": "int16_t", "option_count": "int32_t"}
        fields |= {f"stream_{name}": "uint64_t" for name in self.streams}
        fields |= dict.fromkeys(("work", "end_reason", "word_count"), "Int")
        parts = [_make_number_cell(f"state->{name}", type) for name, type in fields.items()]
        word_loop = "for (int i = 0; i < state->word_count; i++)"
        check = "if ((uint64_t)state->word_count > WORD_CAPACITY || end - source < state->word_count) fault(state);"
        parts.append(
            _Cell(
                f"{word_loop} write_number(target, n, state->words[i]);",
                f"{check}\n    {word_loop} state->words[i] = read_number(state, &source, end);",
            )
        )
        return parts

    def _print_cell_observation(self) -> list[str]:
        """Print the function that copies the visible cells of number-valued places into an observation."""
        lines, base = list[str](), 0
        for name in self.setting.numeric_places:
            place, width = self.layout.places[name], self.printer.get_width(name)
            element = f"state->{self.printer.names[name]}{'[i]' if place.dims else ''}"
            value = element if width == 64 else f"decode{width}({element})"
            statement = f"target[{base} + i] = visible[{base} + i] ? clamp_to_int32({value}) : HIDDEN;"
            lines.append(f"for (int i = 0; i < {place.size}; i++) {statement}")
            base += place.size
        return [
            "static void observe_cells(const State *state, int32_t *restrict target,",
            "                          const uint8_t *restrict visible) {",
            *(f"    {line}" for line in lines),
            "    (void)state, (void)target, (void)visible;",
            "}",
        ]

    def _make_form(self) -> StateForm:
        places = self.layout.places.items()
        contents = tuple((name, place.size, get_cell_content(self.sorts.cells[name])) for name, place in places)
        kept_locals = [(get_cell_content(self.sorts.locals[slot]), index) for slot, index in self.kept_slots.items()]
        count = max((index for _, index in kept_locals), default=-1) + 1
        sites = tuple(site for site, _ in self.module.choices)
        count_sorts = [self.sorts.results[f"q{number}"].parts[1] for number in range(len(sites))]
        option_limits = tuple(min(sort.high, self.setting.limits.options) for sort in count_sorts)
        return StateForm(contents, tuple(kept_locals), count, tuple(self.streams), sites, option_limits)


@dataclass(frozen=True)
class _Cell:
    """The C statements that write a part of the state as numbers, and read it back."""

    write: str
    read: str


_WRITE_ZONES = """for (int zone = 0; zone < ZONE_COUNT; zone++) {
        write_number(target, n, state->zone_size[zone]);
        for (int card = state->zone_head[zone]; card >= 0; card = state->next_in_zone[card])
            write_number(target, n, card);
    }"""
_READ_ZONES = """for (int card = 0; card < COMPONENT_COUNT; card++) state->zone_of[card] = -1;
    for (int zone = 0; zone < ZONE_COUNT; zone++)
        state->zone_size[zone] = 0, state->zone_head[zone] = state->zone_tail[zone] = -1;
    for (int zone = 0; zone < ZONE_COUNT; zone++)
        for (Int count = read_number(state, &source, end); count > 0; count--) {
            Int card = read_number(state, &source, end);
            if (state->zone_of[checked_index(state, card, COMPONENT_COUNT)] >= 0) fault(state);
            zone_insert(state, zone, card, 0);
        }"""


def _make_number_cell(field: str, type: str) -> _Cell:
    return _Cell(f"write_number(target, n, (Int){field});", f"{field} = ({type})read_number(state, &source, end);")


def _make_array_cells(field: str, width: int, size: int) -> _Cell:
    """Return the statements for ``size`` cells of a width, or for a single cell if ``size`` is 0."""
    loop = f"for (int i = 0; i < {size}; i++) " if size else ""
    element = f"{field}[i]" if size else field
    value, reader = element, "read_number(state, &source, end)"
    if width < 64:
        value, reader = f"decode{width}({element})", f"encode_optional{width}(state, {reader})"
    return _Cell(f"{loop}write_number(target, n, {value});", f"{loop}{element} = {reader};")


def _make_list_cells(base: int, size: int) -> _Cell:
    loop = f"for (int i = {base}; i < {base + size}; i++)"
    return _Cell(
        f"{loop} write_list(state, state->list_slots + i, target, n);",
        f"{loop} read_list(state, state->list_slots + i, &source, end);",
    )
