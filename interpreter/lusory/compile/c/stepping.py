"""The printer of stepwise play: blocks that go on until the game waits, as C.

A block is a function that gives the number of the next one, or ``WAIT_FOR_ANSWER``. What is asked lies in the context
until the game goes on: the seat and the number of options in the state, the lists that options are made of beside it. A
state that was put there from elsewhere is asked once more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import ir
from .kinds import LIST, NUMBER, OPTIONS, NotNative, kind_of, width_of
from .operations import OPERATIONS, take_option
from .printer import Printer, register_field
from .results import Row, joined, write
from .values import WRITTEN

ASKED = "q"
"""How what is asked is called in the form."""

BEHIND = 2
"""Values of what is asked before those that options are made of: the seat, and how many options there are."""

FLOWING = ("block", "resume")
"""Roles of functions that give the next block."""

PRINTED = (*FLOWING, "effect", "query", "question", "options", "outcome", "standing")
"""Roles of functions that are printed; labels are asked of Python."""


@dataclass
class Stepper(Printer):
    """Prints the functions of stepwise play. ``slots``: the list that a place begins with, and that of a local, by name
    and by slot; ``asking``: the function of the question whose answer is read; ``behind``: values of what is asked
    that the context has room for."""

    slots: dict[str | int, int] = field(default_factory=dict)
    asking: str = ""
    behind: int = 1
    narrow: frozenset[str] = frozenset()
    ranked: dict[str, ir.Value] = field(default_factory=dict)  # the ranks of each seat, by the name of the record

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self.found.own.values()
        self.temporaries = {name: sort for own in names for name, sort in own.items() if name not in (ASKED, "i")}

    # ------------------------------------------------------------ functions

    def head(self, f: ir.Function) -> str:
        if f.role not in FLOWING:
            return super().head(f)
        return (
            f"static int {f.name}({', '.join(['State *restrict state', *(['Int i'] if f.role == 'resume' else [])])})"
        )

    def printed(self, f: ir.Function) -> list[str]:
        own = self.found.own
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
        """From here on what is asked is that of this question."""
        self.asking = question
        if question:
            self.d.own = {**self.d.own, ASKED: self.found.results[question]}

    # ------------------------------------------------------------ what is asked

    def kind(self, v: ir.Value) -> str:
        match v:
            case ir.Entry(of=ir.Own(name="q"), index=ir.Const(value=int() as at)):
                return kind_of(self.found.results[self.asking].parts[at])
            case ir.Asked():
                return OPTIONS
        return super().kind(v)

    def asked(self, at: int) -> str:
        """What lies in the context of what is asked."""
        match at:
            case 0:
                return "(Int)state->seat"
            case 1:
                return "(Int)state->option_count"
        kind = kind_of(self.found.results[self.asking].parts[at])
        return self.beside(at, kind)

    def beside(self, at: int, kind: str) -> str:
        self.behind = max(self.behind, at - BEHIND + 1)
        if kind not in (LIST, NUMBER, OPTIONS):
            raise NotNative("values of several kinds in one place")
        return "" if kind == OPTIONS else f"state->{'asked_lists' if kind == LIST else 'asked_numbers'}[{at - BEHIND}]"

    def put_asked(self, values: tuple[ir.Value, ...]) -> None:
        """What is asked is put where it lies until the game goes on."""
        for at, value in enumerate(values):
            kind = self.kind(value)
            match at:
                case 0:
                    self.say(f"state->seat = (int16_t){self.number(value)};")
                case 1:
                    self.say(f"state->option_count = encode32(state, {self.number(value)});")
                case _ if kind != OPTIONS:
                    self.say(f"{self.beside(at, kind)} = {self.as_kind(value, kind)};")

    # ------------------------------------------------------------ what stays

    def width(self, place: str) -> int:
        """Bits of a cell. Numbers without ends get 32 where there are many."""
        width = super().width(place)
        return 32 if width == 64 and place in self.narrow else width

    def list_slot(self, v: ir.Cell) -> str:
        """Where a list lies that a cell holds."""
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
        """A local is kept for what comes behind the choice."""
        name, sort = self.local(slot), self.found.locals[slot]
        if kind_of(sort) == LIST:
            self.say(f"store_list(state, &state->list_slots[{self.slots[slot]}], {name});")
            return
        width = width_of(sort)
        self.say(f"state->local_{name} = {name if width == 64 else f'encode_optional{width}(state, {name})'};")

    def load(self, slot: int) -> None:
        """A local as it was kept."""
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
        case ir.Entry(of=ir.Own(name="q"), index=ir.Const(value=int() as at)):
            return p.asked(at)
        case ir.Entry(of=ir.Entry(of=ir.Own(name="q"), index=ir.Const(value=int() as at)), index=index):
            return f"list_get(state, {p.asked(at)}, {p.number(index)})"
    return WRITTEN[ir.Entry](p, v)


def _prim(p: Stepper, v: ir.Prim) -> str:
    match v:
        case ir.Prim(name="pick", args=(ir.Stream(name=stream), _, domain)):
            found, item = p.fresh(LIST), p.fresh()
            p.say(f"{found} = {p.items(domain)};")
            p.say(f"{item} = list_get(state, {found}, random_below(&state->stream_{stream}, {found}.length));")
            return item
        case ir.Prim(name="openly_said"):
            raise NotNative("the reason of an ending is not for all to know")
    return WRITTEN[ir.Prim](p, v)


def _register(p: Stepper, v: ir.Register) -> str:
    if v.name == "repeats":
        return f"state->phase_repeats[{list(p.layout.repeats).index(v.phase)}]"
    return register_field(v)


STEP_VALUES: dict[type[ir.Value], Any] = {**WRITTEN, ir.Entry: _entry, ir.Prim: _prim, ir.Register: _register}


# ---------------------------------------------------------------- operations


def _set(p: Stepper, op: ir.Set) -> None:
    match op:
        case ir.Set(target=ir.Own(name="q"), value=ir.Asked(number=number)):
            p.rooms += 1
            p.say(f"q{number}(state);")
            p.asks(f"q{number}")
            return
        case ir.Set(target=ir.Own(), value=ir.Prim(name="pick_options", args=(source, picked))):
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


def _when(p: Stepper, op: ir.When) -> None:
    before, own = p.asking, p.d.own
    OPERATIONS[ir.When](p, op)
    p.asking, p.d.own = before, own


def _unpack(p: Stepper, op: ir.Unpack) -> None:
    match op.value:
        case ir.Own(name="q"):
            for at, target in enumerate(op.targets):
                if target is not None:
                    p.say(f"{p.target(target)} = {p.asked(at)};")
        case ir.Entry(of=ir.Entry(of=ir.Own(name="q")), index=index):
            take_option(
                p, f"state->option_rows[checked_index(state, {p.number(index)}, (uint64_t)state->option_row_count)]", op
            )
        case _:
            OPERATIONS[ir.Unpack](p, op)


def _wait(p: Stepper, op: ir.Wait) -> None:
    match op.asked:
        case (ir.Own(name="q"),):
            pass
        case values:
            p.put_asked(values)
    p.say(f"state->pending_choice = {op.number};")
    p.say("state->is_prepared = 1;")
    p.say("return WAIT_FOR_ANSWER;")


def _goto(p: Stepper, op: ir.Goto) -> None:
    p.say(f"return {op.label};")


def _return(p: Stepper, op: ir.Return) -> None:
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
    """The options lie in their rows from here on."""
    match options:
        case ir.Prim(name="named_options", args=(numbers,)):
            p.say(f"list_numbered_options(state, {p.items(numbers)});")
        case ir.Prim(name="and_stop", args=(_, free)):
            p.say(f"if ({p.test(free)}) insert_stop_option(state);")


UNRANKED = ir.Record(())
"""What is known of a seat's rank where finding it out costs more than is allowed."""


def _outcome(p: Stepper, op: ir.Return) -> None:
    """The end of a game, as :func:`lusory.compile.c.results.finish` writes it."""
    reason, ranks, _, _, payoffs, shown, *_ = op.values
    seats = [_items(p.ranked.get(own.name, UNRANKED)) for own in _items(ranks) if isinstance(own, ir.Own)]
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
    """What only Python needs."""


STEP_OPERATIONS: dict[type[ir.Op], Any] = {
    **OPERATIONS,
    ir.Goto: _goto,
    ir.Load: _load,
    ir.OwnList: _nothing,
    ir.Return: _return,
    ir.Set: _set,
    ir.Unpack: _unpack,
    ir.Wait: _wait,
    ir.When: _when,
}


def scored(p: Stepper, ops: ir.Ops) -> ir.Ops:
    """What the values of an outcome need: places and winners follow from the ranks."""
    last = ops[-1]
    assert isinstance(last, ir.Return)
    _, ranks, _, _, payoffs, shown, *_ = last.values
    of_seats = _named(ranks)
    needed = of_seats | _named(shown) | (_named(payoffs) if isinstance(payoffs, ir.Record) else set())
    found: list[ir.Op] = []
    for op in reversed(ops[:-1]):
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Own):
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
    return {own.name for own in ir.walk(v) if isinstance(own, ir.Own)}
