"""From a setting to the C of stepwise play: the blocks of Python's silent build, printed.

Blocks, locals that are kept over a choice, and numbers of choices are those of the Python that is generated
(:class:`lusory.compile.emission.Stepwise`), so a state of one engine is a state of the other at any decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...table.chance import FACTOR, name as stream_name
from ...table.setting import Setting
from .. import ir
from ..improve.operation_sorts import Sorts, sorts_of
from ..improve.unread import marking, touched
from ..ir import sorts
from ..ir.sorts import Sort
from ..select.masks import first_marks
from .batch_runtime import BATCH, BATCH_CELLS, LYING
from .emission import Unit
from .kinds import LIST, NotNative, kind_of, standing, width_of
from .lists import wide_total
from .results import Reader, Row
from .runtime import DRIVER, ROOM
from .search_runtime import FACE as SEARCH_FACE, SEARCH
from .search_tree import NAMES, TREE
from .states import Held, StateForm
from .step_runtime import ALIKE, FACE, LISTS, NUMBERS, ROWS, STEPS, TEXTS_STAY
from .stepping import PRINTED, STEP_OPERATIONS, STEP_VALUES, Stepper, scored

HEAP = 3_072
"""Items that the lists of a state can have in all. More are a fault, after which Python plays."""

SAID, STAYING, MANY_STAYING = 256, 128, 1 << 16
"""Words of the texts of one step; more for each place in which a text stays, and for each in which many do."""

MANY_CELLS = 16
"""From so many cells on a variable whose numbers have no ends gets 32 bits for each. Larger ones are a fault."""

SMALL_ITEM = (1 << 15) - 1


@dataclass(frozen=True)
class StepText:
    """Stepwise play as C. ``reader``: reads endings; ``form``: how a state is written out; ``parts``: in
    how many it can be compiled."""

    text: str
    reader: Reader
    form: StateForm
    parts: int


def emit_steps(setting: Setting, selected: ir.Module, built: ir.Module, kept: Mapping[int, int]) -> StepText:
    """The C of stepwise play. ``selected``: the form before any pass; ``built``: the silent build, in blocks; ``kept``:
    the locals that are kept over a choice, in their order, with the place of each among those that Python keeps (-1: it
    does not). Raises NotNative."""
    with standing(setting.program.setup.span):
        return _emitted(setting, selected, built, kept)


def _emitted(setting: Setting, selected: ir.Module, built: ir.Module, kept: Mapping[int, int]) -> StepText:
    found = sorts_of(setting, selected)
    functions = [f for f in built.functions if f.role in PRINTED]
    marks = frozenset[str]().union(*(touched(f.ops).marks for f in functions))
    module = replace(built, functions=tuple([replace(f, ops=marking(f.ops, marks)) for f in functions]))
    printer = Stepper(setting, module, found, STEP_VALUES, STEP_OPERATIONS, wide_total)
    told = _only_constants(selected) & kept.keys()
    return StepUnit(setting, module, printer, dict(kept), told).emitted_steps()


def _only_constants(module: ir.Module) -> frozenset[int]:
    """The locals that are only ever one of some constants, or are never set."""
    others = {slot for f in module.functions for slot in f.params}
    for f in module.functions:
        for node in ir.walk(f.ops):
            match node:
                case ir.Set(target=ir.Local(slot=slot), value=value) if not isinstance(value, ir.Const):
                    others.add(slot)
    return frozenset(module.names) - others


@dataclass
class StepUnit(Unit):
    """One file of C. ``kept``: the slots of the locals that are kept over a choice; ``told``: those of them that are
    only ever constants."""

    printer: Stepper
    kept: dict[int, int]
    told: frozenset[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.places = list(self.layout.places)
        self.streams = list(self.layout.streams)
        cells, program, players = self.initial.cells, self.setting.program, self.setting.players
        for name in sorted(frozenset[str]().union(*(touched(f.ops).marks for f in self.module.functions))):
            place = self.layout.places[name]
            held = tuple(cells[place.offset : place.offset + place.size])
            self.marks[name] = dict(first_marks(program, players, name, held))
        self.printer.marks = {name: len(found) for name, found in self.marks.items()}
        many = [name for name in self.places if self.layout.places[name].size >= MANY_CELLS]
        self.printer.narrow = frozenset(name for name in many if self.found.cells[name].kind == sorts.NUMBER)
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
            DRIVER,
            FACE.replace("RECHANCE", "\n    ".join(self._rechance())),
            NUMBERS,
            *self._walks(),
            ALIKE.replace("FACTOR", f"{FACTOR}ull").replace("SETTLE", "gather(s);" if self._roots else ""),
            *self._search(),
            *self._shown_cells(),
            BATCH.replace("LYING", LYING if self.components else ""),
        ]
        more = [*([LISTS] if self.lists else []), ROWS]
        text, parts = self._text("stepwise play", self._step_struct(row), more, printed, "\n".join(driver))
        return StepText(text, self._reader(row), self._form(), parts)

    def _scored(self, f: ir.Function) -> ir.Function:
        return replace(f, ops=scored(self.printer, f.ops)) if f.role == "outcome" else f

    # ------------------------------------------------------------ what a state has

    @cached_property
    def _roots(self) -> list[tuple[str, int]]:
        """Where texts may stay that were put together in play: what brings them along to another place among the words,
        and how many words they may have."""
        p, found = self.printer, list[tuple[str, int]]()
        if not p.texts:
            return found
        for name in self.places:
            size, sort = self.layout.places[name].size, self.found.cells[name]
            many = size if self.layout.places[name].dims else 0
            found += self._root(sort, f"s->{p.names[name]}", many, p.slots.get(name, 0), size)
        for slot in self.kept:
            if slot not in self.told:
                found += self._root(self.found.locals[slot], f"s->L_{p.local(slot)}", 0, p.slots.get(slot, 0), 1)
        return found

    @staticmethod
    def _root(sort: Sort, field: str, many: int, base: int, size: int) -> list[tuple[str, int]]:
        if sort.kind == sorts.TEXT:
            each = f"for (int i = 0; i < {many}; i++) " if many else ""
            element = f"{field}[i]" if many else field
            return [(f"{each}{element} = moved(s, {element}, to, &n);", STAYING * size)]
        if sort.item is None or sort.item.kind != sorts.TEXT:
            return []
        each = f"for (Slot *k = s->slots + {base}; k < s->slots + {base + size}; k++)"
        item = "s->heap[k->at + i]"
        inner = f"for (int i = 0; i < k->n; i++) {item} = (H)moved(s, {item}, to, &n);"
        return [(f"{each} {inner}", MANY_STAYING)]

    def _made(self) -> int:
        """Words that the texts of a state may have."""
        if not self.printer.texts:
            return 1
        return min(SAID + sum(words for _, words in self._roots), MANY_STAYING)

    def _item(self) -> str:
        """The type of the items of the lists that stay."""
        items = [sort.item for sort in self.lists if sort.item is not None]
        small = all(i.kind != sorts.TEXT and i.low >= -SMALL_ITEM and i.high <= SMALL_ITEM for i in items)
        return "int16_t" if small else "int32_t"

    def _types(self) -> list[str]:
        item = self._item()
        mine = [f"typedef {item} H; /* an item of a list that stays */", f"#define NO_H {item[:-2].upper()}_MIN"]
        return [*super()._types(), *mine]

    def _numbers_of(self, row: Row, made: int) -> list[str]:
        limits, scoring = self.setting.limits, self.setting.program.scoring
        slots, repeats = len(self.lists), len(self.layout.repeats)
        return [
            *super()._numbers_of(row, made),
            f"enum {{ WAITS = -1, SLOTS = {slots}, HEAP = {self._heap()}, REPEATS = {repeats} }};",
            f"enum {{ SEATS = {self.setting.players}, RANKS = {row.ranks}, PAYS = {int(row.payoffs)} }};",
            f"enum {{ SELECTIVE = {int(scoring.selective)}, ZERO_SUM = {int(scoring.zero_sum)} }};",
            f"#define MOST_DECISION {limits.decision}ll",
            f"#define MOST_GAME {limits.game}ll",
            f"#define MOST_VISITS {limits.visits}ll",
        ]

    def _step_struct(self, row: Row) -> list[str]:
        """A context: what of it is a state, and what is not."""
        p = self.printer
        repeats = len(self.layout.repeats)
        lines = [
            *self._head(row, self._made()),
            "typedef struct { int at; int n; } Slot; /* where a list lies among the items of the heap; n < 0: none */",
            "typedef struct {",
            "    /* the state */",
            *(f"    uint64_t S_{name};" for name in self.streams),
            "    V work, reason, made;",
            "    int32_t offers, used;",
            "    int16_t seat, waits, over;",
            *([f"    int32_t repeats[{repeats}];"] if repeats else []),
        ]
        for name in self.places:
            place, width = self.layout.places[name], p.width(name)
            if width:
                lines.append(f"    int{width}_t {p.names[name]}{f'[{place.size}]' if place.dims else ''};")
        for slot in self.kept:
            sort = self.found.locals[slot]
            if kind_of(sort) != LIST:
                lines.append(f"    int{width_of(sort)}_t L_{p.local(slot)};")
        lines += [
            *self._lying(),
            *(["    Slot slots[SLOTS];"] if self.lists else []),
            f"    H heap[{max(self._heap(), 1)}];",
            "    V words[WORDS];",
            "    /* the context */",
            "    jmp_buf back;",
            "    I *top;",
            "    V *row;",
            "    uint64_t choices;",
            "    V decisions, until, visits, options, told, fresh, many_words;",
            f"    L lists[{p.behind}];",
            f"    V numbers[{p.behind}];",
            "    V ending[WIDTH];",
            "    V option[MOST_OPTIONS][OPTION];",
            f"    I items[{ROOM}];",
            "    void *search;",
            "} S;",
        ]
        return lines

    def _heap(self) -> int:
        return min(sum(sort.most for sort in self.lists), HEAP)

    def _start(self) -> list[str]:
        """The start of a game: what there is before the setup. No list is anywhere, no local has a value."""
        lines = super()._start()
        own = ["    s->used = s->offers = s->seat = s->waits = s->fresh = 0;"]
        if self.lists:
            own.append("    for (int i = 0; i < SLOTS; i++) s->slots[i] = (Slot){0, -1};")
        if self.layout.repeats:
            own.append("    memset(s->repeats, 0, sizeof s->repeats);")
        for name, width in self._numbers():
            own.append(f"    s->L_{name} = {'NONE' if width == 64 else f'INT{width}_MIN'};")
        at = next(at for at, line in enumerate(lines) if line.startswith("static void start("))
        return [*lines[: at + 1], *own, *lines[at + 1 :]]

    def _numbers(self) -> list[tuple[str, int]]:
        """The locals that are kept and are no lists, with their bits."""
        found = [(slot, self.found.locals[slot]) for slot in self.kept]
        return [(self.printer.local(slot), width_of(sort)) for slot, sort in found if kind_of(sort) != LIST]

    def _begin_lists(self, lines: list[str], name: str, cells: list[Any], many: bool) -> None:
        base = self.printer.slots[next(place for place, own in self.printer.names.items() if own == name)]
        for at, cell in enumerate(cells):
            numbers = [self.printer.constants.number(item) for item in cell]
            items = ", ".join("NO_ITEM" if n is None else str(n) for n in numbers)
            made = f"(L){{{len(cell)}, (const I[]){{{items}}}}}" if cell else "NIL"
            lines.append(f"    hold(s, &s->slots[{base + at}], {made});")

    def _stepping(self) -> list[str]:
        """What goes on from one decision to the next; behind it what nobody needs is given back."""
        p = self.printer
        after = ["trim(s);"] if self.lists else []
        if self._roots:
            roots = [
                *(line for line, _ in self._roots),
                "if (s->reason != NONE) s->reason = moved(s, s->reason, to, &n);",
            ]
            after.append("if (s->made > s->many_words) gather(s);")
            return [TEXTS_STAY.replace("ROOTS", "\n    ".join(roots)), STEPS.replace("AFTER", "\n    ".join(after))]
        if p.texts:
            after.append("if (s->made && !s->over) s->made = s->fresh = 0; /* what is asked may be texts */")
        return [STEPS.replace("AFTER", "\n    ".join(after))]

    # ------------------------------------------------------------ functions by number

    def _switches(self) -> list[str]:
        """Which function a number stands for."""
        functions = self.module.functions
        blocks = [f.name for f in functions if f.role == "block"]
        asked = [f.name[1:] for f in functions if f.role == "question"]
        listed = [f.name[1:] for f in functions if f.role == "options"]
        return [
            "static int block(S *s, int at) {",
            "    switch (at) {",
            *(f"        case {name[1:]}: return {name}(s);" for name in blocks),
            "    }",
            "    fault(s);",
            "}",
            "static void ask(S *s) {",
            "    switch (s->waits) {",
            *(f"        case {number}: q{number}(s); return;" for number in asked),
            "    }",
            "    fault(s);",
            "}",
            "static void list(S *s) {",
            "    switch (s->waits) {",
            *(f"        case {number}: o{number}(s); return;" for number in listed),
            "    }",
            "    fault(s);",
            "}",
            "static int resume(S *s, V option) {",
            "    switch (s->waits) {",
            *(f"        case {number}: return r{number}(s, option);" for number in asked),
            "    }",
            "    fault(s);",
            "}",
        ]

    def _rechance(self) -> list[str]:
        return [f"s->S_{name} = stream(seed, {stream_name(name)}ull);" for name in self.streams] or [
            "(void)s, (void)seed;"
        ]

    def _search(self) -> list[str]:
        """What searches, behind what it calls."""
        chance = "\n    ".join(f"s->S_{name} = mix(onward(t));" for name in self.streams) or "(void)onward;"
        many = f"enum {{ MANY_CHOICES = {len(self.module.asked)} }};"
        told = any(f.role == "standing" for f in self.module.functions)
        standing = "" if told else "static void standing(S *s) { fault(s); }"
        return [many, standing, SEARCH.replace("NEW_CHANCE", chance), NAMES, TREE, SEARCH_FACE]

    # ------------------------------------------------------------ a state as numbers

    def _walks(self) -> list[str]:
        """A state written out, part by part, and read in."""
        table, way, chance = self._table(), self._way(), self._chance()
        lines = []
        for name, cells in (("on_table", table), ("under_way", way), ("with_chance", chance)):
            lines.append(f"static void {name}(S *s, V *to, int64_t *n) {{")
            lines += [f"    {cell.out}" for cell in cells]
            lines.append("}")
        lines.append("static void read(S *s, const V *from, const V *end) {")
        lines.append("    int absent;")
        lines += ["    s->used = s->fresh = s->options = s->told = 0;", "    s->top = s->items;"]
        lines += [f"    {cell.read}" for cell in (*table, *way, *chance)]
        for name, found in self.marks.items():
            own, size = self.printer.names[name], self.layout.places[name].size
            bits = f"M_{own}[mark_at(s, of{self.printer.width(name)}(s->{own}[i]), {len(found)})] |= bit(i)"
            lines.append(f"    memset(s->M_{own}, 0, sizeof s->M_{own});")
            lines.append(f"    for (int i = 0; i < {size}; i++) s->{bits};")
        lines += ["    (void)absent;", "    if (from != end) fault(s);", "}"]
        return lines

    def _table(self) -> list[_Cell]:
        p = self.printer
        found = [_number("s->over", "int16_t"), _number("s->waits", "int16_t")]
        for name in self.places:
            place, width = self.layout.places[name], p.width(name)
            if not width:
                found.append(_lists(p.slots[name], place.size))
            else:
                found.append(_cells(f"s->{p.names[name]}", width, place.size if place.dims else 0))
        if self.components:
            found.append(_Cell(_TELL_ZONES, _READ_ZONES))
        return found

    def _way(self) -> list[_Cell]:
        p = self.printer
        found = [_cells("s->repeats", 32, len(self.layout.repeats))] if self.layout.repeats else []
        for slot in self.kept:
            sort = self.found.locals[slot]
            if kind_of(sort) == LIST:
                found.append(_lists(p.slots[slot], 1))
            else:
                found.append(_cells(f"s->L_{p.local(slot)}", width_of(sort), 0))
        return found

    def _chance(self) -> list[_Cell]:
        found = [_number("s->seat", "int16_t"), _number("s->offers", "int32_t")]
        found += [_number(f"s->S_{name}", "uint64_t") for name in self.streams]
        found += [_number("s->work", "V"), _number("s->reason", "V"), _number("s->made", "V")]
        words = "for (int i = 0; i < s->made; i++)"
        begins = "if ((uint64_t)s->made > WORDS || end - from < s->made) fault(s);"
        found.append(
            _Cell(f"{words} tell(to, n, s->words[i]);", f"{begins} {words} s->words[i] = next(s, &from, end);")
        )
        return found

    def _shown_cells(self) -> list[str]:
        """The cells of all places that hold a number each, one after the other, as far as they are shown."""
        lines, at = list[str](), 0
        for name in self.setting.numbers:
            place, width = self.layout.places[name], self.printer.width(name)
            element = f"s->{self.printer.names[name]}{'[i]' if place.dims else ''}"
            value = element if width == 64 else f"of{width}({element})"
            to = f"to[{at} + i] = shown[{at} + i] ? batch_small({value}) : HIDDEN;"
            lines.append(f"for (int i = 0; i < {place.size}; i++) {to}")
            at += place.size
        return [f"enum {{ CELLS = {at} }};", BATCH_CELLS.replace("CELL_BY_CELL", "\n    ".join(lines))]

    def _form(self) -> StateForm:
        places = [(name, self.layout.places[name].size, _held(self.found.cells[name])) for name in self.places]
        kept = [(_held(self.found.locals[slot]), at) for slot, at in self.kept.items()]
        room = max((at for _, at in kept), default=-1) + 1
        sites = tuple(site for site, _ in self.module.asked)
        return StateForm(tuple(places), tuple(kept), room, tuple(self.streams), sites, self._most_options())

    def _most_options(self) -> tuple[int, ...]:
        """Of each choice, how many options there can be at the most."""
        asked = [self.found.results[f"q{number}"].parts[1] for number in range(len(self.module.asked))]
        return tuple(min(sort.high, self.setting.limits.options) for sort in asked)


@dataclass(frozen=True)
class _Cell:
    """How something in the state is written out as numbers, and read in."""

    out: str
    read: str


_TELL_ZONES = """for (int z = 0; z < ZONES; z++) {
        tell(to, n, s->count[z]);
        for (int c = s->head[z]; c >= 0; c = s->next[c]) tell(to, n, c);
    }"""
_READ_ZONES = """for (int c = 0; c < COMPONENTS; c++) s->lies[c] = -1;
    for (int z = 0; z < ZONES; z++) s->count[z] = 0, s->head[z] = s->tail[z] = -1;
    for (int z = 0; z < ZONES; z++)
        for (V many = next(s, &from, end); many > 0; many--) {
            V c = next(s, &from, end);
            if (s->lies[ix(s, c, COMPONENTS)] >= 0) fault(s);
            put(s, z, c, 0);
        }"""


def _number(field: str, type: str) -> _Cell:
    return _Cell(f"tell(to, n, (V){field});", f"{field} = ({type})next(s, &from, end);")


def _cells(field: str, width: int, size: int) -> _Cell:
    """Cells of a width: ``size`` of them, or a single one (0)."""
    each = f"for (int i = 0; i < {size}; i++) " if size else ""
    element = f"{field}[i]" if size else field
    told, read = (
        (element, "next(s, &from, end)")
        if width == 64
        else (f"of{width}({element})", f"any{width}(s, next(s, &from, end))")
    )
    return _Cell(f"{each}tell(to, n, {told});", f"{each}{element} = {read};")


def _lists(base: int, size: int) -> _Cell:
    each = f"for (int i = {base}; i < {base + size}; i++)"
    return _Cell(f"{each} tell_list(s, s->slots + i, to, n);", f"{each} read_list(s, s->slots + i, &from, end);")


def _held(sort: Sort) -> Held:
    many = sort.kind == sorts.LIST
    kind = (sort.item.kind if sort.item is not None else sorts.NUMBER) if many else sort.kind
    return Held(kind if kind in (sorts.TRUTH, sorts.TEXT) else sorts.NUMBER, many)


def _width(most: int) -> str:
    return "int16_t" if most < 1 << 15 else "int32_t"
