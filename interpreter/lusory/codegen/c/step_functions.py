"""Print stepwise play as C: the functions of the blocks, the state, its serialization, and the interface for searches.

A library of stepwise play works on a *context*. Its first part is the state of a game, which can be saved and loaded as
bytes. The rest is scratch memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...state.random_streams import hash_stream_name as stream_name
from ...state.setting import Setting
from .. import ir
from ..instruction_selection.bitboards import first_marks
from ..ir import types
from ..ir.types import Sort
from ..passes.state_promotion import find_state_use, remove_unread_masks
from ..passes.type_rules import Sorts, infer_sorts
from .expressions import WRITTEN
from .lists import wide_total
from .marshalling import Held, Reader, Row, StateForm, joined, write
from .printer import LIST, NUMBER, OPTIONS, NotNative, Printer, kind_of, register_field, standing, width_of
from .runtime_headers import ALTERNATIVE, CHOICE, LN2, LONGEST_FLOAT, PLAN, REPORT, header
from .statements import OPERATIONS, take_option
from .whole_games import Unit

ASKED = "q"
"""The name of the question in the intermediate representation."""

BEHIND = 2
"""Number of values of a question before the ones from which options are made: the seat, and the number of options."""

FLOWING = ("block", "resume")
"""Roles of functions that return the next block."""

PRINTED = (*FLOWING, "effect", "query", "question", "options", "outcome", "standing")
"""Roles of functions that are printed in C. Labels are left to Python."""


@dataclass
class Stepper(Printer):
    """Print the functions of stepwise play.

    Attributes:
        slots: Name of a place, or slot of a local -> the first of its list slots.
        asking: The function of the question whose answer is read.
        behind: The number of values of a question for which the context has room.
        narrow: The places whose unbounded numbers get 32 bits.
        ranked: Name of a record -> the rank values of a seat.
    """

    slots: dict[str | int, int] = field(default_factory=dict)
    asking: str = ""
    behind: int = 1
    narrow: frozenset[str] = frozenset()
    ranked: dict[str, ir.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self.found.temporaries.values()
        self.temporaries = {name: sort for own in names for name, sort in own.items() if name not in (ASKED, "i")}

    # ------------------------------------------------------------ functions

    def head(self, f: ir.Function) -> str:
        if f.role not in FLOWING:
            return super().head(f)
        return (
            f"static int {f.name}({', '.join(['State *restrict state', *(['Int i'] if f.role == 'resume' else [])])})"
        )

    def printed(self, f: ir.Function) -> list[str]:
        own = self.found.temporaries
        own[f.name] = {**self.temporaries, **own.get(f.name, {})}
        self.asks(ASKED + f.name[1:] if f.role in ("resume", "options") else "")
        return super().printed(f)

    def enters(self, f: ir.Function) -> None:
        if f.role == "block":
            self.say("state->arena_top = state->arena;")
        super().enters(f)

    def leaves(self, f: ir.Function) -> None:
        if f.role in FLOWING:
            self.say("fault(state);")
        if f.role == "resume":
            self.declared.pop("i", None)
        super().leaves(f)

    def asks(self, question: str) -> None:
        """Set the question that ``q`` stands for from here on."""
        self.asking = question
        if question:
            self.d.temporaries = {**self.d.temporaries, ASKED: self.found.results[question]}

    # ------------------------------------------------------------ questions

    def kind(self, v: ir.Value) -> str:
        match v:
            case ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as at)):
                return kind_of(self.found.results[self.asking].parts[at])
            case ir.PendingQuestion():
                return OPTIONS
        return super().kind(v)

    def asked(self, at: int) -> str:
        """Return the field of the context that holds a value of the question."""
        match at:
            case 0:
                return "(Int)state->seat"
            case 1:
                return "(Int)state->option_count"
        kind = kind_of(self.found.results[self.asking].parts[at])
        return self.beside(at, kind)

    def beside(self, at: int, kind: str) -> str:
        """Return the field for the value number ``at`` of a question. It is empty for options. Raises NotNative."""
        self.behind = max(self.behind, at - BEHIND + 1)
        if kind not in (LIST, NUMBER, OPTIONS):
            raise NotNative("values of several kinds in one place")
        return "" if kind == OPTIONS else f"state->{'asked_lists' if kind == LIST else 'asked_numbers'}[{at - BEHIND}]"

    def put_asked(self, values: tuple[ir.Value, ...]) -> None:
        """Print the code that stores the values of a question until the game goes on."""
        for at, value in enumerate(values):
            kind = self.kind(value)
            match at:
                case 0:
                    self.say(f"state->seat = (int16_t){self.number(value)};")
                case 1:
                    self.say(f"state->option_count = encode32(state, {self.number(value)});")
                case _ if kind != OPTIONS:
                    self.say(f"{self.beside(at, kind)} = {self.as_kind(value, kind)};")

    # ------------------------------------------------------------ stored values

    def width(self, place: str) -> int:
        """Return the width of a cell. Unbounded numbers get 32 bits in places with many cells."""
        width = super().width(place)
        return 32 if width == 64 and place in self.narrow else width

    def list_slot(self, v: ir.Cell) -> str:
        """Return the address of the list slot of a cell."""
        place = self.layout.places[v.place]
        base = self.slots[v.place]
        if not place.dims:
            return f"&state->list_slots[{base}]"
        number = v.index.number
        if number is not None and 0 <= number < place.size:
            return f"&state->list_slots[{base + number}]"
        return f"&state->list_slots[{base} + checked_index(state, {self.index(v.index)}, {place.size})]"

    def element(self, v: ir.Cell) -> str:
        return super().element(v) if self.width(v.place) else self.list_slot(v)

    def cell(self, v: ir.Cell) -> str:
        if self.width(v.place):
            return super().cell(v)
        self.rooms += 1
        return f"load_list(state, {self.element(v)})"

    def store(self, v: ir.Cell, element: str, value: str) -> None:
        if self.width(v.place):
            super().store(v, element, value)
        else:
            self.say(f"store_list(state, {element}, {value});")

    def keep(self, slot: int) -> None:
        """Print the code that saves a local in the state, for use after the choice."""
        name, sort = self.local(slot), self.found.locals[slot]
        if kind_of(sort) == LIST:
            self.say(f"store_list(state, &state->list_slots[{self.slots[slot]}], {name});")
            return
        width = width_of(sort)
        self.say(f"state->local_{name} = {name if width == 64 else f'encode_optional{width}(state, {name})'};")

    def load(self, slot: int) -> None:
        """Print the code that loads a local from the state."""
        sort = self.found.locals[slot]
        name = self.target(ir.Local(slot))
        if kind_of(sort) == LIST:
            self.rooms += 1
            self.say(f"{name} = load_list(state, &state->list_slots[{self.slots[slot]}]);")
            return
        width = width_of(sort)
        self.say(f"{name} = {f'state->local_{name}' if width == 64 else f'decode{width}(state->local_{name})'};")


# ---------------------------------------------------------------- values


def _entry(p: Stepper, v: ir.Entry) -> str:
    match v:
        case ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as at)):
            return p.asked(at)
        case ir.Entry(
            container=ir.Entry(container=ir.Temporary(name="q"), index=ir.Const(value=int() as at)), index=index
        ):
            return f"list_get(state, {p.asked(at)}, {p.number(index)})"
    return WRITTEN[ir.Entry](p, v)


def _prim(p: Stepper, v: ir.Primitive) -> str:
    match v:
        case ir.Primitive(name="pick", args=(ir.Stream(name=stream), _, domain)):
            found, item = p.fresh(LIST), p.fresh()
            p.say(f"{found} = {p.items(domain)};")
            p.say(f"{item} = list_get(state, {found}, random_below(&state->stream_{stream}, {found}.length));")
            return item
        case ir.Primitive(name="openly_said"):
            raise NotNative("the reason of an ending is not for all to know")
    return WRITTEN[ir.Primitive](p, v)


def _register(p: Stepper, v: ir.Register) -> str:
    if v.name == "repeats":
        return f"state->phase_repeats[{list(p.layout.repeats).index(v.phase)}]"
    return register_field(v)


STEP_VALUES: dict[type[ir.Value], Any] = {**WRITTEN, ir.Entry: _entry, ir.Primitive: _prim, ir.Register: _register}


# ---------------------------------------------------------------- operations


def _set(p: Stepper, op: ir.Set) -> None:
    match op:
        case ir.Set(target=ir.Temporary(name="q"), value=ir.PendingQuestion(number=number)):
            p.rooms += 1
            p.say(f"q{number}(state);")
            p.asks(f"q{number}")
            return
        case ir.Set(target=ir.Temporary(), value=ir.Primitive(name="pick_options", args=(source, picked))):
            p.options = max(p.options, 2)
            some, places = p.several((LIST, lambda: p.items(source)), (LIST, lambda: p.items(picked)))
            p.say(f"list_pick_options(state, {some}, {places});")
            return
        case ir.Set(target=ir.Register() as register):
            p.say(f"{_register(p, register)} {'' if op.op == '=' else op.op}= {p.value(op.value)};")
            return
    OPERATIONS[ir.Set](p, op)
    if op.cell is not None:
        assert isinstance(op.target, ir.Local)
        p.keep(op.target.slot)


def _when(p: Stepper, op: ir.If) -> None:
    before, own = p.asking, p.d.temporaries
    OPERATIONS[ir.If](p, op)
    p.asking, p.d.temporaries = before, own


def _unpack(p: Stepper, op: ir.Unpack) -> None:
    match op.value:
        case ir.Temporary(name="q"):
            for at, target in enumerate(op.targets):
                if target is not None:
                    p.say(f"{p.target(target)} = {p.asked(at)};")
        case ir.Entry(container=ir.Entry(container=ir.Temporary(name="q")), index=index):
            take_option(
                p, f"state->option_rows[checked_index(state, {p.number(index)}, (uint64_t)state->option_row_count)]", op
            )
        case _:
            OPERATIONS[ir.Unpack](p, op)


def _wait(p: Stepper, op: ir.WaitForAnswer) -> None:
    match op.question:
        case (ir.Temporary(name="q"),):
            pass
        case values:
            p.put_asked(values)
    p.say(f"state->pending_choice = {op.number};")
    p.say("state->is_prepared = 1;")
    p.say("return WAIT_FOR_ANSWER;")


def _goto(p: Stepper, op: ir.Goto) -> None:
    p.say(f"return {op.label};")


def _return(p: Stepper, op: ir.Return) -> None:
    """Print a return. What it does depends on the role of the function: a question stores its data, a block returns a
    label.
    """
    match p.function.role:
        case "question":
            p.put_asked(op.values)
            p.say("return;")
        case "options":
            _listed(p, op.values[0])
        case "block" | "resume":
            (value,) = op.values
            text = (
                "WAIT_FOR_ANSWER" if isinstance(value, ir.Const) and value.value is None else f"(int){p.value(value)}"
            )
            p.say(f"return {text};")
        case "outcome":
            _outcome(p, op)
        case "standing":
            for at, value in enumerate(_items(op.values[0])):
                p.say(f"state->result_row[{at}] = {p.number(value)};")
            p.say("return;")
        case _:
            OPERATIONS[ir.Return](p, op)


def _listed(p: Stepper, options: ir.Value) -> None:
    """Print the code that writes options into their rows, if they are not there yet."""
    match options:
        case ir.Primitive(name="named_options", args=(numbers,)):
            p.say(f"list_numbered_options(state, {p.items(numbers)});")
        case ir.Primitive(name="and_stop", args=(_, free)):
            p.say(f"if ({p.test(free)}) insert_stop_option(state);")


UNRANKED = ir.Record(())
"""Stands for the rank values of a seat if computing them would exceed the work limit."""


def _outcome(p: Stepper, op: ir.Return) -> None:
    """Print the code that writes the end of a game into its row.

    It has the format of :func:`lusory.codegen.c.marshalling.finish`.
    """
    reason, ranks, _, _, payoffs, shown, *_ = op.values
    seats = [_items(p.ranked.get(own.name, UNRANKED)) for own in _items(ranks) if isinstance(own, ir.Temporary)]
    payments = payoffs.items if isinstance(payoffs, ir.Record) else ()
    columns = [_items(_items(column)[1]) for column in _items(shown)]
    row: Row = write(p, ir.Register("decisions"), reason, seats, payments, columns)
    p.row = row if p.row is None else joined(p.row, row)


def _items(v: ir.Value) -> tuple[ir.Value, ...]:
    assert isinstance(v, ir.Record)
    return v.items


def _load(p: Stepper, op: ir.Load) -> None:
    p.load(op.slot)


def _nothing(p: Stepper, op: ir.Op) -> None:
    """Print nothing, for operations that only Python needs."""


STEP_OPERATIONS: dict[type[ir.Op], Any] = {
    **OPERATIONS,
    ir.Goto: _goto,
    ir.Load: _load,
    ir.CopyZone: _nothing,
    ir.Return: _return,
    ir.Set: _set,
    ir.Unpack: _unpack,
    ir.WaitForAnswer: _wait,
    ir.If: _when,
}


def scored(p: Stepper, ops: ir.Ops) -> ir.Ops:
    """Remove the operations of an outcome that C does not need, since places and winners follow from the ranks."""
    last = ops[-1]
    assert isinstance(last, ir.Return)
    _, ranks, _, _, payoffs, shown, *_ = last.values
    of_seats = _named(ranks)
    needed = of_seats | _named(shown) | (_named(payoffs) if isinstance(payoffs, ir.Record) else set())
    found: list[ir.Op] = []
    for op in reversed(ops[:-1]):
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Temporary):
            name = op.target.name
            if name not in needed:
                continue
            needed |= _named(op.value)
            if name in of_seats:
                p.ranked[name] = op.value
                continue
        found.append(op)
    return (*reversed(found), last)


def _named(v: ir.Value) -> set[str]:
    return {own.name for own in ir.walk(v) if isinstance(own, ir.Temporary)}


HEAP = 3_072
"""Greatest number of items in all lists of a state. More are a fault, and Python takes over."""

SAID, STAYING, MANY_STAYING = 256, 128, 1 << 16
"""Numbers of words in a state: for the texts of one step, for each cell that stores a text, and for each list of texts.

The last is also the limit.
"""

MANY_CELLS = 16
"""Places with at least this many cells get 32 bits for each unbounded number. Larger numbers are a fault."""

SMALL_ITEM = (1 << 15) - 1


@dataclass(frozen=True)
class StepText:
    """The C of stepwise play.

    Attributes:
        reader: Reads result rows.
        form: The format of a serialized state.
        parts: The number of parts of the file.
    """

    text: str
    reader: Reader
    form: StateForm
    parts: int


def emit_steps(setting: Setting, selected: ir.Module, built: ir.Module, kept: Mapping[int, int]) -> StepText:
    """Return the C of stepwise play. Raises NotNative.

    ``selected`` is the module before any pass, and ``built`` the silent build in blocks. ``kept`` lists the slots that
    are kept across choices, in order. It maps each to its index among the locals that Python keeps, or to -1.
    """
    with standing(setting.program.setup.span):
        return _emitted(setting, selected, built, kept)


def _emitted(setting: Setting, selected: ir.Module, built: ir.Module, kept: Mapping[int, int]) -> StepText:
    found = infer_sorts(setting, selected)
    functions = [f for f in built.functions if f.role in PRINTED]
    marks = frozenset[str]().union(*(find_state_use(f.ops).marks for f in functions))
    module = replace(built, functions=tuple([replace(f, ops=remove_unread_masks(f.ops, marks)) for f in functions]))
    printer = Stepper(setting, module, found, STEP_VALUES, STEP_OPERATIONS, wide_total)
    told = _only_constants(selected) & kept.keys()
    return StepUnit(setting, module, printer, dict(kept), told).emitted_steps()


def _only_constants(module: ir.Module) -> frozenset[int]:
    """Return the locals that are only assigned constants, or never assigned."""
    others = {slot for f in module.functions for slot in f.params}
    for f in module.functions:
        for node in ir.walk(f.ops):
            match node:
                case ir.Set(target=ir.Local(slot=slot), value=value) if not isinstance(value, ir.Const):
                    others.add(slot)
    return frozenset(module.names) - others


@dataclass
class StepUnit(Unit):
    """Print one C file of stepwise play.

    ``kept`` maps the slots of the locals that are kept across choices, as in :func:`emit_steps`. ``told`` has those of
    them that are only assigned constants.
    """

    printer: Stepper
    kept: dict[int, int]
    told: frozenset[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.places = list(self.layout.places)
        self.streams = list(self.layout.streams)
        cells, program, players = self.initial.cells, self.setting.program, self.setting.players
        for name in sorted(frozenset[str]().union(*(find_state_use(f.ops).marks for f in self.module.functions))):
            place = self.layout.places[name]
            held = tuple(cells[place.offset : place.offset + place.size])
            self.marks[name] = dict(first_marks(program, players, name, held))
        self.printer.marks = {name: len(found) for name, found in self.marks.items()}
        many = [name for name in self.places if self.layout.places[name].size >= MANY_CELLS]
        self.printer.narrow = frozenset(name for name in many if self.found.cells[name].kind == types.NUMBER)
        self.lists: list[Sort] = []
        for name in self.places:
            if not self.printer.width(name):
                self._slots(name, self.found.cells[name], self.layout.places[name].size)
        for slot in self.kept:
            if kind_of(self.found.locals[slot]) == LIST:
                self._slots(slot, self.found.locals[slot], 1)

    @property
    def found(self) -> Sorts:
        return self.printer.found

    def _slots(self, of: str | int, sort: Sort, size: int) -> None:
        self.printer.slots[of] = len(self.lists)
        self.lists += [sort] * size

    def emitted_steps(self) -> StepText:
        """Return the C of stepwise play. Raises NotNative."""
        p, module = self.printer, self.module
        order = [self._scored(f) for f in module.functions]
        printed = [p.printed(f) for f in order]
        row: Row | None = p.row
        if row is None:
            raise NotNative("a game without an end")
        driver = [
            *self._start(),
            "",
            *self._switches(),
            *self._stepping(),
            *(header(name) for name in ("playouts", "stepping_api", "serialization")),
            *self._walks(),
            header("comparison"),
            *self._search(),
            header("batch_cells"),
            *self._shown_cells(),
            header("batch"),
        ]
        more = [*([header("stored_lists")] if self.lists else []), header("option_rows")]
        text, parts = self._text("stepwise play", self._step_struct(row), more, printed, "\n".join(driver))
        return StepText(text, self._reader(row), self._form(), parts)

    def _scored(self, f: ir.Function) -> ir.Function:
        return replace(f, ops=scored(self.printer, f.ops)) if f.role == "outcome" else f

    # ------------------------------------------------------------ contents of a state

    @cached_property
    def _roots(self) -> list[tuple[str, int]]:
        """The places in the state where composed texts can be stored.

        Each has the C statement that moves its text to another position among the words, and the number of words to
        reserve.
        """
        p, found = self.printer, list[tuple[str, int]]()
        if not p.texts:
            return found
        for name in self.places:
            size, sort = self.layout.places[name].size, self.found.cells[name]
            many = size if self.layout.places[name].dims else 0
            found += self._root(sort, f"state->{p.names[name]}", many, p.slots.get(name, 0), size)
        for slot in self.kept:
            if slot not in self.told:
                found += self._root(
                    self.found.locals[slot], f"state->local_{p.local(slot)}", 0, p.slots.get(slot, 0), 1
                )
        return found

    @staticmethod
    def _root(sort: Sort, field: str, many: int, base: int, size: int) -> list[tuple[str, int]]:
        if sort.kind == types.TEXT:
            each = f"for (int i = 0; i < {many}; i++) " if many else ""
            element = f"{field}[i]" if many else field
            return [(f"{each}{element} = move_text(state, {element}, target, length);", STAYING * size)]
        if sort.item is None or sort.item.kind != types.TEXT:
            return []
        each = f"for (Slot *slot = state->list_slots + {base}; slot < state->list_slots + {base + size}; slot++)"
        item = "state->heap[slot->offset + i]"
        inner = f"for (int i = 0; i < slot->length; i++) {item} = (StoredItem)move_text(state, {item}, target, length);"
        return [(f"{each} {inner}", MANY_STAYING)]

    def _made(self) -> int:
        """Return the number of words for the texts of a state."""
        if not self.printer.texts:
            return 1
        return min(SAID + sum(words for _, words in self._roots), MANY_STAYING)

    def _item(self) -> str:
        """Return the C type of the items of stored lists."""
        items = [sort.item for sort in self.lists if sort.item is not None]
        small = all(i.kind != types.TEXT and i.low >= -SMALL_ITEM and i.high <= SMALL_ITEM for i in items)
        return "int16_t" if small else "int32_t"

    def _types(self) -> list[str]:
        item = self._item()
        mine = [
            f"typedef {item} StoredItem; /* an item of a list in the state */",
            f"#define NO_STORED_ITEM {item[:-2].upper()}_MIN",
        ]
        return [*super()._types(), *mine]

    def _constants(self, row: Row, made: int) -> dict[str, object]:
        limits, scoring = self.setting.limits, self.setting.program.scoring
        cells = sum(self.layout.places[name].size for name in self.setting.numeric_places)
        return {
            **super()._constants(row, made),
            "WAIT_FOR_ANSWER": "(-1)",
            "SLOT_COUNT": len(self.lists),
            "HEAP_CAPACITY": self._heap(),
            "SEAT_COUNT": self.setting.players,
            "RANK_COUNT": row.ranks,
            "HAS_PAYOFFS": int(row.payoffs),
            "IS_SELECTIVE": int(scoring.is_selective),
            "IS_ZERO_SUM": int(scoring.is_zero_sum),
            "MAX_WORK_PER_DECISION": f"{limits.decision}ll",
            "MAX_WORK_PER_GAME": f"{limits.game}ll",
            "MAX_VISITS": f"{limits.visits}ll",
            "CELL_COUNT": cells,
            "CHOICE_COUNT": len(self.module.choices),
            "CHOICE_LENGTH": len(CHOICE),
            "ALTERNATIVE_LENGTH": len(ALTERNATIVE),
            "PLAN_LENGTH": len(PLAN),
            "REPORT_HEADER_LENGTH": REPORT,
            "LN2": repr(LN2),
            "MAX_EXACT_DOUBLE": f"{LONGEST_FLOAT}ll",
            "HAS_COMPOSED_TEXTS": int(bool(self.printer.texts)),
            "HAS_STORED_TEXTS": int(bool(self._roots)),
            "FOR_EACH_STREAM(X)": " ".join(f"X(stream_{name}, {stream_name(name)}ull)" for name in self.streams),
        }

    def _step_struct(self, row: Row) -> list[str]:
        """Print the struct of the context. The state comes first."""
        p = self.printer
        repeats = len(self.layout.repeats)
        lines = [
            *self._head(row, self._made()),
            "typedef struct { int offset; int length; } Slot; /* a list in the heap; length < 0: no list */",
            "typedef struct {",
            "    /* the state */",
            *(f"    uint64_t stream_{name};" for name in self.streams),
            "    Int work, end_reason, word_count;",
            "    int32_t option_count, heap_length;",
            "    int16_t seat, pending_choice, is_over;",
            *([f"    int32_t phase_repeats[{repeats}];"] if repeats else []),
        ]
        for name in self.places:
            place, width = self.layout.places[name], p.width(name)
            if width:
                lines.append(f"    int{width}_t {p.names[name]}{f'[{place.size}]' if place.dims else ''};")
        for slot in self.kept:
            sort = self.found.locals[slot]
            if kind_of(sort) != LIST:
                lines.append(f"    int{width_of(sort)}_t local_{p.local(slot)};")
        lines += [
            *self._lying(),
            *(["    Slot list_slots[SLOT_COUNT];"] if self.lists else []),
            f"    StoredItem heap[{max(self._heap(), 1)}];",
            "    Int words[WORD_CAPACITY];",
            "    /* the context */",
            "    jmp_buf fault_target;",
            "    Item *arena_top;",
            "    Int *row;",
            "    uint64_t answer_rng;",
            "    Int decision_count, work_limit, visits_left, option_row_count;",
            "    Int row_word_count, is_prepared, compaction_limit;",
            f"    List asked_lists[{p.behind}];",
            f"    Int asked_numbers[{p.behind}];",
            "    Int result_row[ROW_LENGTH];",
            "    Int option_rows[OPTION_CAPACITY][OPTION_LENGTH];",
            "    Item arena[ARENA_CAPACITY];",
            "    void *search;",
            "} State;",
        ]
        return lines

    def _heap(self) -> int:
        return min(sum(sort.max_length for sort in self.lists), HEAP)

    def _start(self) -> list[str]:
        """Print the function that sets the state before the setup. Lists are absent, and locals are none."""
        lines = super()._start()
        own = [
            "    state->is_prepared = 0;",
            "    state->heap_length = state->option_count = state->seat = state->pending_choice = 0;",
        ]
        if self.lists:
            own.append("    for (int i = 0; i < SLOT_COUNT; i++) state->list_slots[i] = (Slot){0, -1};")
        if self.layout.repeats:
            own.append("    memset(state->phase_repeats, 0, sizeof state->phase_repeats);")
        for name, width in self._numbers():
            own.append(f"    state->local_{name} = {'NONE' if width == 64 else f'INT{width}_MIN'};")
        at = next(at for at, line in enumerate(lines) if line.startswith("static void start_game("))
        return [*lines[: at + 1], *own, *lines[at + 1 :]]

    def _numbers(self) -> list[tuple[str, int]]:
        """Return the names and widths of the kept locals that are no lists."""
        found = [(slot, self.found.locals[slot]) for slot in self.kept]
        return [(self.printer.local(slot), width_of(sort)) for slot, sort in found if kind_of(sort) != LIST]

    def _begin_lists(self, lines: list[str], name: str, cells: list[Any], many: bool) -> None:
        base = self.printer.slots[next(place for place, own in self.printer.names.items() if own == name)]
        for at, cell in enumerate(cells):
            numbers = [self.printer.constants.number(item) for item in cell]
            items = ", ".join("NO_ITEM" if n is None else str(n) for n in numbers)
            made = f"(List){{{len(cell)}, (const Item[]){{{items}}}}}" if cell else "EMPTY_LIST"
            lines.append(f"    store_list(state, &state->list_slots[{base + at}], {made});")

    def _stepping(self) -> list[str]:
        """Print the runtime that plays from one decision to the next."""
        if not self._roots:
            return [header("stepping")]
        return [
            header("stored_texts"),
            "static void move_stored_texts(State *state, Int *target, int *length) {",
            *(f"    {line}" for line, _ in self._roots),
            "    if (state->end_reason != NONE)",
            "        state->end_reason = move_text(state, state->end_reason, target, length);",
            "}",
            header("stepping"),
        ]

    # ------------------------------------------------------------ dispatch

    def _switches(self) -> list[str]:
        """Print the functions that dispatch on the number of a block or choice."""
        functions = self.module.functions
        blocks = [f.name for f in functions if f.role == "block"]
        asked = [f.name[1:] for f in functions if f.role == "question"]
        listed = [f.name[1:] for f in functions if f.role == "options"]
        return [
            "static int run_block(State *state, int at) {",
            "    switch (at) {",
            *(f"        case {name[1:]}: return {name}(state);" for name in blocks),
            "    }",
            "    fault(state);",
            "}",
            "static void prepare_choice(State *state) {",
            "    switch (state->pending_choice) {",
            *(f"        case {number}: q{number}(state); return;" for number in asked),
            "    }",
            "    fault(state);",
            "}",
            "static void list_options(State *state) {",
            "    switch (state->pending_choice) {",
            *(f"        case {number}: o{number}(state); return;" for number in listed),
            "    }",
            "    fault(state);",
            "}",
            "static int resume_after_choice(State *state, Int option) {",
            "    switch (state->pending_choice) {",
            *(f"        case {number}: return r{number}(state, option);" for number in asked),
            "    }",
            "    fault(state);",
            "}",
        ]

    def _search(self) -> list[str]:
        """Print the runtime of searches."""
        evaluates = any(f.role == "standing" for f in self.module.functions)
        standing = [] if evaluates else ["static void standing(State *state) { fault(state); }"]
        return [*standing, *(header(name) for name in ("search", "search_tree", "search_api"))]

    # ------------------------------------------------------------ serialization

    def _walks(self) -> list[str]:
        """Print the functions that serialize a state, in three sections, and the one that deserializes it."""
        table, way, chance = self._table(), self._way(), self._chance()
        lines = []
        for name, cells in (("write_table", table), ("write_progress", way), ("write_random_state", chance)):
            lines.append(f"static void {name}(State *state, Int *to, int64_t *n) {{")
            lines += [f"    {cell.out}" for cell in cells]
            lines.append("}")
        lines.append("static void read_state(State *state, const Int *from, const Int *end) {")
        lines.append("    int absent;")
        lines += ["    state->option_row_count = state->row_word_count = 0;"]
        lines += ["    state->heap_length = state->is_prepared = 0;", "    state->arena_top = state->arena;"]
        lines += [f"    {cell.read}" for cell in (*table, *way, *chance)]
        for name, found in self.marks.items():
            own, size = self.printer.names[name], self.layout.places[name].size
            value = f"decode{self.printer.width(name)}(state->{own}[i])"
            bits = f"mask_{own}[mask_index(state, {value}, {len(found)})] |= space_bit(i)"
            lines.append(f"    memset(state->mask_{own}, 0, sizeof state->mask_{own});")
            lines.append(f"    for (int i = 0; i < {size}; i++) state->{bits};")
        lines += ["    (void)absent;", "    if (from != end) fault(state);", "}"]
        return lines

    def _table(self) -> list[_Cell]:
        p = self.printer
        found = [_number("state->is_over", "int16_t"), _number("state->pending_choice", "int16_t")]
        for name in self.places:
            place, width = self.layout.places[name], p.width(name)
            if not width:
                found.append(_lists(p.slots[name], place.size))
            else:
                found.append(_cells(f"state->{p.names[name]}", width, place.size if place.dims else 0))
        if self.components:
            found.append(_Cell(_TELL_ZONES, _READ_ZONES))
        return found

    def _way(self) -> list[_Cell]:
        p = self.printer
        found = [_cells("state->phase_repeats", 32, len(self.layout.repeats))] if self.layout.repeats else []
        for slot in self.kept:
            sort = self.found.locals[slot]
            if kind_of(sort) == LIST:
                found.append(_lists(p.slots[slot], 1))
            else:
                found.append(_cells(f"state->local_{p.local(slot)}", width_of(sort), 0))
        return found

    def _chance(self) -> list[_Cell]:
        found = [_number("state->seat", "int16_t"), _number("state->option_count", "int32_t")]
        found += [_number(f"state->stream_{name}", "uint64_t") for name in self.streams]
        found += [
            _number("state->work", "Int"),
            _number("state->end_reason", "Int"),
            _number("state->word_count", "Int"),
        ]
        words = "for (int i = 0; i < state->word_count; i++)"
        begins = "if ((uint64_t)state->word_count > WORD_CAPACITY || end - from < state->word_count) fault(state);"
        found.append(
            _Cell(
                f"{words} write_number(to, n, state->words[i]);",
                f"{begins}\n    {words} state->words[i] = read_number(state, &from, end);",
            )
        )
        return found

    def _shown_cells(self) -> list[str]:
        """Print the function that copies the visible cells of number-valued places into an observation."""
        lines, at = list[str](), 0
        for name in self.setting.numeric_places:
            place, width = self.layout.places[name], self.printer.width(name)
            element = f"state->{self.printer.names[name]}{'[i]' if place.dims else ''}"
            value = element if width == 64 else f"decode{width}({element})"
            to = f"to[{at} + i] = shown[{at} + i] ? clamp_to_int32({value}) : HIDDEN;"
            lines.append(f"for (int i = 0; i < {place.size}; i++) {to}")
            at += place.size
        return [
            "static void observe_cells(const State *state, int32_t *restrict to, const uint8_t *restrict shown) {",
            *(f"    {line}" for line in lines),
            "    (void)state, (void)to, (void)shown;",
            "}",
        ]

    def _form(self) -> StateForm:
        places = [(name, self.layout.places[name].size, _held(self.found.cells[name])) for name in self.places]
        kept = [(_held(self.found.locals[slot]), at) for slot, at in self.kept.items()]
        room = max((at for _, at in kept), default=-1) + 1
        sites = tuple(site for site, _ in self.module.choices)
        return StateForm(tuple(places), tuple(kept), room, tuple(self.streams), sites, self._most_options())

    def _most_options(self) -> tuple[int, ...]:
        """Return the greatest number of options of each choice."""
        asked = [self.found.results[f"q{number}"].parts[1] for number in range(len(self.module.choices))]
        return tuple(min(sort.high, self.setting.limits.options) for sort in asked)


@dataclass(frozen=True)
class _Cell:
    """The C statements that write a part of the state as numbers, and read it back."""

    out: str
    read: str


_TELL_ZONES = """for (int z = 0; z < ZONE_COUNT; z++) {
        write_number(to, n, state->zone_size[z]);
        for (int c = state->zone_head[z]; c >= 0; c = state->next_in_zone[c]) write_number(to, n, c);
    }"""
_READ_ZONES = """for (int c = 0; c < COMPONENT_COUNT; c++) state->zone_of[c] = -1;
    for (int z = 0; z < ZONE_COUNT; z++) state->zone_size[z] = 0, state->zone_head[z] = state->zone_tail[z] = -1;
    for (int z = 0; z < ZONE_COUNT; z++)
        for (Int many = read_number(state, &from, end); many > 0; many--) {
            Int c = read_number(state, &from, end);
            if (state->zone_of[checked_index(state, c, COMPONENT_COUNT)] >= 0) fault(state);
            zone_insert(state, z, c, 0);
        }"""


def _number(field: str, type: str) -> _Cell:
    return _Cell(f"write_number(to, n, (Int){field});", f"{field} = ({type})read_number(state, &from, end);")


def _cells(field: str, width: int, size: int) -> _Cell:
    """Return the statements for ``size`` cells of a width, or for a single cell if ``size`` is 0."""
    each = f"for (int i = 0; i < {size}; i++) " if size else ""
    element = f"{field}[i]" if size else field
    told, read = (
        (element, "read_number(state, &from, end)")
        if width == 64
        else (f"decode{width}({element})", f"encode_optional{width}(state, read_number(state, &from, end))")
    )
    return _Cell(f"{each}write_number(to, n, {told});", f"{each}{element} = {read};")


def _lists(base: int, size: int) -> _Cell:
    each = f"for (int i = {base}; i < {base + size}; i++)"
    return _Cell(
        f"{each} write_list(state, state->list_slots + i, to, n);",
        f"{each} read_list(state, state->list_slots + i, &from, end);",
    )


def _held(sort: Sort) -> Held:
    many = sort.kind == types.LIST
    kind = (sort.item.kind if sort.item is not None else types.NUMBER) if many else sort.kind
    return Held(kind if kind in (types.TRUTH, types.TEXT) else types.NUMBER, many)
