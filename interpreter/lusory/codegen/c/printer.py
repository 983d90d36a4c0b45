"""Hold the output and the tables of a C printer, and choose C types for values, cells and constants.

Values print as C expressions. An expression that needs statements of its own prints these first, into
:attr:`Printer.out`. The rules for each class of node are in :mod:`lusory.codegen.c.expressions`,
:mod:`lusory.codegen.c.lists` and :mod:`lusory.codegen.c.statements`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.source.source import Span
from lusory_dsl.types.types import INT_MAX, INT_MIN

from ...state.setting import Setting
from ...state.state import Place
from .. import ir
from ..instruction_selection.bitboards import MOST
from ..ir import types
from ..ir.types import NEVER, Sort
from ..passes.type_inference import Inference
from ..passes.type_rules import VALUES as SORTS, Sorts
from ..python.printer import identifier, place_names, plain_id

NUMBER, MASK, WIDE, LIST = "Int", "SpaceMask", "WideInt", "List"
OPTIONS, VALUES = "options", "const Int *"
"""Kinds without a C variable of their own: the options of a choice in ``option_rows``, and the values of one option."""

LINES = "\n"
"""Stands for the type of the value in a text that consists of several lines."""

WIDTHS = (8, 16, 32)
MOST_SPACES = 128
"""Greatest number of spaces of a board for which C has bit masks."""


class NotNative(Exception):
    """Signal that a ruleset uses something that the C backend does not support.

    ``what`` describes it, and ``span`` is its place in the ruleset, if known.
    """

    def __init__(self, what: str, span: Span | None = None) -> None:
        where = "" if span is None else f" at {span}"
        super().__init__(f"not native: {what}{where}")
        self.what = what
        self.span = span


@contextmanager
def standing(at: Span) -> Iterator[None]:
    """Add the span ``at`` to each NotNative without a span that the body of the ``with`` statement raises."""
    try:
        yield
    except NotNative as refused:
        if refused.span is None:
            raise NotNative(refused.what, at) from None
        raise


def fits_mask(n: int) -> None:
    """Check that C has room for a bit mask. Raises NotNative."""
    if n >> MOST_SPACES:
        raise NotNative(f"boards of more than {MOST_SPACES} spaces")


def kind_of(sort: Sort) -> str:
    """Return the C type for values of a sort. Raises NotNative."""
    match sort.kind:
        case types.NUMBER:
            return MASK if sort.high > INT_MAX else NUMBER
        case types.TRUTH | types.TEXT | types.NOTHING | types.OPTION_VALUE:
            return NUMBER
        case types.LIST:
            return _kind_of_list(sort)
        case types.SHARE:
            raise NotNative("parts of a number")
        case types.RECORD if all(_is_item(part) for part in sort.parts):
            return LIST
    raise NotNative("values of several kinds in one place")


def _kind_of_list(sort: Sort) -> str:
    item = sort.item
    if sort.is_optional:
        raise NotNative("lists that may be none")
    if item is None or _is_item(item):
        return VALUES if item is not None and item.kind == types.OPTION_VALUE else LIST
    if item.kind == types.RECORD:
        return OPTIONS
    if item.kind == types.LIST:
        raise NotNative("lists of lists")
    raise NotNative("lists of values of several kinds")


def _is_item(sort: Sort) -> bool:
    """Return whether a value can be an item of a list."""
    return sort.kind in (types.TRUTH, types.TEXT, types.NOTHING, types.OPTION_VALUE) or (
        sort.kind == types.NUMBER and sort.high <= INT_MAX
    )


MOST_KEPT, MOST_TOGETHER = 1_024, 65_536
"""Greatest number of items in a variable that holds a list, and in all cells of such a variable together."""


def capacity_of(cells: int) -> int:
    """Return the number of items for which each of ``cells`` cells has room.

    A longer list is a fault, and Python takes over.
    """
    return max(64, min(MOST_KEPT, MOST_TOGETHER // cells))


def width_of(sort: Sort) -> int:
    """Return the bits that a sort takes: 8, 16, 32 or 64, and 0 for lists.

    Truth values and ``nothing`` take 8, texts 64. A number takes the smallest width that holds its range and none.
    Raises
    NotNative for a sort of several kinds.
    """
    if sort.kind in (types.TRUTH, types.NOTHING):
        return 8
    if sort.kind == types.TEXT:
        return 64
    if sort.kind != types.NUMBER:
        if kind_of(sort) != LIST:
            raise NotNative("a variable of values of several kinds")
        return 0
    for width in WIDTHS:
        end = 1 << (width - 1)
        if -end < sort.low and sort.high < end:
            return width
    return 64


ITEM, ITEM_NONE = "Item", "NO_ITEM"
ITEM_MOST = (1 << 31) - 1
LINE = 20  # numbers of a table in one line


@dataclass(frozen=True)
class Table:
    """A constant array in C.

    Attributes:
        dims: The length of each dimension.
        ragged: Whether there is one more dimension, of lists with different lengths. They are stored one after another.
        type: The C type of the numbers.
        none: Whether some entries are none.
    """

    name: str
    dims: tuple[int, ...]
    ragged: bool
    type: str
    none: bool


@dataclass
class Constants:
    """The constants of a module. Only those that something uses are printed, into ``lines``."""

    values: tuple[object, ...]
    texts: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    _tables: dict[tuple[int, str], Table] = field(default_factory=dict)

    def number(self, value: object) -> int | None:
        """Return the number that represents a constant in C, or None for none. Raises NotNative."""
        if value is None or isinstance(value, bool):
            return None if value is None else int(value)
        if isinstance(value, int):
            if value == INT_MIN:
                raise NotNative("the smallest number there is")
            return value
        if isinstance(value, str):
            return self.texts.setdefault(value, len(self.texts))
        raise NotNative("values of several kinds in one table")

    def table(self, number: int, kind: str = "") -> Table:
        """Return the C array of a constant. ``kind`` is ``MASK`` if its numbers must be bit masks. Raises NotNative."""
        key = number, kind
        if key not in self._tables:
            self._tables[key] = self._made(f"K{number}{'m' if kind else ''}", self.values[number - 1], kind)
        return self._tables[key]

    def _made(self, name: str, value: object, kind: str) -> Table:
        """Write a constant as a C array, and return how to read it.

        Nested tuples of equal lengths become an array with dimensions. If the lengths differ, the leaves follow each
        other, and a second array ``NAME_at`` says where each row begins. Raise NotNative for masks that may be none.
        """
        if isinstance(value, frozenset):
            value = tuple(sorted(value))
        if isinstance(value, dict):
            value = tuple(value[key] for key in range(len(value) - (None in value)))
        dims, rows = _shape(value)
        ragged = rows is not None
        flat = [self.number(item) for row in ([value] if rows is None else rows) for item in _leaves(row)]
        none = None in flat
        known = [number for number in flat if number is not None]
        type = kind or _type_of(known)
        if type == MASK and none:
            raise NotNative("masks that may be none")
        nothing = ITEM_NONE if type == ITEM else "NONE"
        written = [nothing if n is None else written_number(n, type) for n in flat]
        inner = "".join(f"[{max(size, 1)}]" for size in dims) if not ragged else f"[{max(len(flat), 1)}]"
        self.lines += listing(f"static const {type} {name}{inner if dims else '[1]'}", _nested(written, dims, ragged))
        if rows is not None:
            ends = [0]
            for row in rows:
                ends.append(ends[-1] + len(row))
            self.lines += listing(f"static const int {name}_at[{len(ends)}]", in_lines(map(str, ends)))
        return Table(name, dims, ragged, type, none)


def _shape(value: object) -> tuple[tuple[int, ...], list[tuple[Any, ...]] | None]:
    """Return the dimensions of a constant, and the lists at its leaves if their lengths differ, else None."""
    dims: list[int] = []
    level: list[Any] = [value]
    while any(isinstance(one, tuple) for one in level):
        if not all(isinstance(one, tuple) or one is None for one in level):
            raise NotNative("tables of lists and of other things")
        level = [() if one is None else one for one in level]  # an attribute of other components, which is never read
        sizes = {len(one) for one in level}
        inner = [item for one in level for item in one]
        if len(sizes) > 1 or sizes == {0}:
            if any(isinstance(item, tuple) for item in inner):
                raise NotNative("tables of lists of lists")
            return (tuple(dims), level) if dims else ((0,), None)
        dims.append(sizes.pop())
        level = inner
    return tuple(dims), None


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _type_of(known: list[int]) -> str:
    low, high = min(known, default=0), max(known, default=0)
    if low >= -ITEM_MOST and high <= ITEM_MOST:
        return ITEM
    return NUMBER if high <= INT_MAX else MASK


def written_number(n: int, type: str) -> str:
    """Return a number as a C literal.

    For the type MASK it is an unsigned hexadecimal literal, of two 64-bit halves if needed. For other types it is
    decimal,
    with the suffix ``ll`` if its absolute value is above 2**31 - 1.
    """
    if type != MASK:
        return str(n) if abs(n) <= ITEM_MOST else f"{n}ll"
    fits_mask(n)
    low, high = n & (1 << 64) - 1, n >> 64
    return f"(SpaceMask){high:#x}ull << 64 | {low:#x}ull" if high else f"{low:#x}ull"


def _nested(written: list[str], dims: tuple[int, ...], ragged: bool) -> list[str]:
    if ragged or len(dims) < 2:
        return in_lines(written or ["0"])
    rows = written
    for size in reversed(dims[1:]):
        rows = ["{" + ", ".join(rows[at : at + size]) + "}" for at in range(0, len(rows), size)]
    return [f"{row}," for row in rows]


def in_lines(written: Iterable[str]) -> list[str]:
    """Join numbers into lines of ``LINE`` numbers."""
    texts = list(written)
    return [", ".join(texts[at : at + LINE]) + "," for at in range(0, len(texts), LINE)]


def listing(head: str, lines: list[str]) -> list[str]:
    """Return the lines of the definition of an array."""
    if len(lines) == 1:
        return [f"{head} = {{{lines[0].rstrip(',')}}};"]
    return [f"{head} = {{", *(f"    {line}" for line in lines), "};"]


def list_name(table: Table, at: str) -> str:
    """Return a C expression for a list in a table.

    ``at`` is the expression for its row. It is empty if the whole table is the list.
    """
    if table.type != ITEM:
        raise NotNative("lists of large numbers")
    if table.ragged:
        return f"(({LIST}){{{table.name}_at[{at} + 1] - {table.name}_at[{at}], {table.name} + {table.name}_at[{at}]}})"
    size = table.dims[-1]
    return f"(({LIST}){{{size}, {f'(const Item *){table.name} + {size} * ({at})' if at else table.name}}})"


Make = Callable[[], str]
_STABLE = re.compile(r"-?[0-9]+|NONE|EMPTY_LIST|u[0-9]+|state->[a-z_]+", re.ASCII)
_ATOM = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
ENDS = (INT_MIN, INT_MAX)
ITEMS, KEYS = "Item *", "Int *"
REGISTER_FIELDS = {"decisions": "decision_count", "over": "is_over", "reason": "end_reason", "until": "work_limit"}
"""Register -> field of the C state, where the names differ."""


def register_field(register: ir.Register) -> str:
    """Return the field of the C state that holds a register."""
    return f"state->{REGISTER_FIELDS.get(register.name, register.name)}"


FIRST = {NUMBER: "0", MASK: "0", WIDE: "0", LIST: "EMPTY_LIST", VALUES: "0", ITEMS: "0", KEYS: "0"}
"""C type of a variable -> its initial value, in the order of declaration."""


class _Sorts(Inference):
    """Infer the sorts of the values of one function, each only once.

    Knowledge from tests is ignored, because a value node can occur in several places.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.derived: dict[int, tuple[ir.Value, Sort]] = {}  # holds the value, too, so that its id stays unique

    def sort_of(self, v: ir.Value) -> Sort:
        found = self.derived.get(id(v))
        if found is None:
            found = self.derived[id(v)] = v, super().sort_of(v)
        return found[1]

    def local(self, slot: int) -> Sort:
        return self.locals[slot]


@dataclass
class Printer:
    """Print the functions of one module of whole games. ``found`` has the inferred sorts of the module."""

    setting: Setting
    module: ir.Module
    found: Sorts
    values: dict[type[ir.Value], Callable[[Printer, Any], str]]
    operations: dict[type[ir.Op], Callable[[Printer, Any], None]]
    total: Callable[[Printer, Any], str]  # prints the sum of a pipeline as a WideInt
    marks: dict[str, int] = field(default_factory=dict)  # variable over spaces -> number of its masks
    # the pieces of each composed text; see Words in marshalling
    texts: list[tuple[object, ...]] = field(default_factory=list)
    options: int = 1  # length of an option row
    row: Any = None  # format of the result row
    listed: str = "state->option_row_count"  # expression for the present number of options
    # The fields below belong to the function that is being printed.
    out: list[str] = field(default_factory=list)
    level: int = 1
    declared: dict[str, str] = field(default_factory=dict)
    function: ir.Function = field(default_factory=lambda: ir.Function("", "", (), ()))
    wide: frozenset[str] = frozenset()
    place: ir.Provenance = ir.NOWHERE
    trail: tuple[str, ...] = ()
    leaving: list[str] = field(default_factory=list)  # label after each enclosing loop
    counter: int = 0
    rooms: int = 0  # number of lists allocated so far

    def __post_init__(self) -> None:
        self.layout, self.players = self.setting.layout, self.setting.players
        self.names = place_names(self.layout.places)
        self.constants = Constants(self.module.tables)
        boards = (board.size for board in self.setting.program.boards.values())
        # size of the largest board that has masks
        self.spaces = max((size for size in boards if size <= MOST), default=0)
        self.d = _Sorts(self.setting, self.module, SORTS)
        self.d.locals, self.d.results = self.found.locals, self.found.results
        self.mentions: Counter[object] = Counter()

    # ------------------------------------------------------------ functions

    def head(self, f: ir.Function) -> str:
        """Return the first line of a function, without the opening brace."""
        gives = self.found.results.get(f.name, NEVER)
        with self.at(f.ops[0].place if f.ops else ir.NOWHERE):
            given = [f"{kind_of(self.found.locals[slot])} {self.local(slot)}" for slot in f.params]
            result = kind_of(gives) if f.role == "query" else "void"
        return f"static {result} {f.name}({', '.join(['State *restrict state', *given])})"

    def printed(self, f: ir.Function) -> list[str]:
        """Return the lines of a function."""
        self.function, self.out, self.level, self.declared = f, [], 1, {}
        self.d.temporaries, self.d.derived = self.found.temporaries[f.name], {}
        self.mentions = mentions(f.ops)
        self.wide, self.trail = _wide(f.ops), ()
        self.counter = 0
        self.enters(f)
        self.block(f.ops)
        self.leaves(f)
        lines = []
        for kind in FIRST:
            star = "*" if kind.endswith("*") else ""
            own = [f"{star}{name} = {FIRST[kind]}" for name, its in self.declared.items() if its == kind]
            for at in range(0, len(own), 8):
                lines.append(f"    {kind.rstrip(' *')} {', '.join(own[at : at + 8])};")
        return [self.head(f) + " {", *lines, *self.out, "}"]

    def enters(self, f: ir.Function) -> None:
        """Print what precedes the operations of a function."""
        if f.role == "effect":
            self.say("Item *mark = state->arena_top;")

    def leaves(self, f: ir.Function) -> None:
        """Print what follows the operations of a function."""
        if f.role == "effect":
            self.say("state->arena_top = mark;")
        elif f.role == "query":
            self.say("fault(state);")
        for slot in f.params:
            self.declared.pop(self.local(slot), None)

    @contextmanager
    def at(self, place: ir.Provenance) -> Iterator[None]:
        """Set the current place. A NotNative that the body raises gets its span."""
        before, self.place = self.place, place
        with nullcontext() if place.span is None else standing(place.span):
            yield
        self.place = before

    # ------------------------------------------------------------ lines

    def say(self, line: str) -> None:
        """Print a line at the current indentation."""
        self.out.append("    " * self.level + line)

    @contextmanager
    def braces(self, head: str, tail: str = "}") -> Iterator[None]:
        self.say(f"{head} {{" if head else "{")
        self.level += 1
        yield
        self.level -= 1
        self.say(tail)

    @contextmanager
    def passes(self, head: str, releases: bool = True) -> Iterator[None]:
        """Print a loop around the lines of the body. ``releases``: free the lists of an iteration at its end."""
        before = self.rooms
        with self.elsewhere() as lines:
            yield
        grown = self.rooms > before and releases
        if grown:
            self.counter += 1
            self.say(f"Item *mark{self.counter} = state->arena_top;")
        self.say(f"{head} {{")
        self.out += lines
        if grown:
            self.say(f"    state->arena_top = mark{self.counter};")
        self.say("}")

    @contextmanager
    def elsewhere(self, deeper: int = 1) -> Iterator[list[str]]:
        """Collect the lines that the body prints in a separate list, for the caller to insert."""
        before, self.out = self.out, []
        self.level += deeper
        yield self.out
        self.level -= deeper
        self.out = before

    def remark(self, place: ir.Provenance) -> None:
        """Print the trail of a place as a comment, if it has changed."""
        if place.trail != self.trail:
            self.trail = place.trail
            words = " ".join(plain_id(word) for word in place.trail if word)
            if words:
                self.say(f"/* {words} */")

    def block(self, ops: ir.Ops) -> None:
        for op in ops:
            with self.at(op.place):
                self.remark(op.place)
                self.operations[type(op)](self, op)

    # ------------------------------------------------------------ names

    def local(self, slot: int) -> str:
        return identifier(self.module.names[slot], slot)

    def fresh(self, kind: str = NUMBER) -> str:
        """Declare a new variable for an intermediate value, and return its name."""
        self.counter += 1
        name = f"u{self.counter}"
        self.declared[name] = kind
        return name

    def slot_kind(self, slot: int) -> str:
        """Return the C type of a local."""
        return kind_of(self.found.locals[slot])

    def target(self, v: ir.Value) -> str:
        """Declare the variable of a local, and return its name."""
        match v:
            case ir.Local(slot=slot) | ir.BoundLocal(slot=slot):
                name, kind = self.local(slot), kind_of(self.found.locals[slot])
            case ir.Temporary(name=name):
                kind = self.kind(v)
            case _:
                raise TypeError(type(v).__name__)
        if kind != OPTIONS:
            self.declared[name] = kind
        return name

    def many(self) -> str:
        """Return the expression for the present number of options."""
        if _ATOM.fullmatch(self.listed):
            self.declared[self.listed] = NUMBER
        return self.listed

    # ------------------------------------------------------------ values

    def sort(self, v: ir.Value) -> Sort:
        """Return the sort of a value."""
        return self.d.sort_of(v)

    def kind(self, v: ir.Value) -> str:
        """Return the C type of a value."""
        match v:
            case ir.Temporary(name=name) if name in self.wide:
                return WIDE
            case ir.Binary(op="<<" | ">>") | ir.Primitive(name="mask_of" | "without_lowest") | ir.Unary(op="~"):
                return MASK
            case ir.Binary(op="&" | "|" | "^"):
                return MASK
            case ir.Pipeline(sink="sum", value=ir.Value() as value) if self.kind(value) == MASK:
                return MASK
            case ir.Entry(container=ir.SpaceMasks()):
                return MASK
            case ir.Table() | ir.Zone() | ir.ComponentsIn() | ir.NumberRange():
                return LIST
            case ir.Temporary(name=name):
                return kind_of(self.d.temporaries.get(name, NEVER))
        return kind_of(self.sort(v))

    def text(self, v: ir.Value) -> str:
        """Return a value as an expression of its own type, which needs no parentheses."""
        return self.values[type(v)](self, v)

    def as_kind(self, v: ir.Value, kind: str) -> str:
        """Return a value as an expression of a C type."""
        return {NUMBER: self.value, MASK: self.mask, LIST: self.items, WIDE: self.wide_number}.get(kind, self.text)(v)

    def value(self, v: ir.Value) -> str:
        """Return a value as a number in C, possibly none."""
        kind = self.kind(v)
        if kind not in (NUMBER, MASK, WIDE):
            raise NotNative("a list where a number stands")
        return self.text(v) if kind == NUMBER else f"(Int){self.text(v)}"

    def number(self, v: ir.Value) -> str:
        """Return a value as a number in C that is not none. The code checks this if necessary."""
        text = self.value(v)
        return f"require(state, {text})" if self.sort(v).is_optional and not isinstance(v, ir.NotNone) else text

    def mask(self, v: ir.Value) -> str:
        """Return a value as a bit mask."""
        if isinstance(v, ir.Const) and isinstance(v.value, int):
            return self.constant_mask(v.value)
        return self.text(v) if self.kind(v) == MASK else f"(SpaceMask){self.number(v)}"

    @staticmethod
    def constant_mask(n: int) -> str:
        return f"((SpaceMask){written_number(n, MASK)})"

    def items(self, v: ir.Value) -> str:
        """Return a value as a list. Raises NotNative for a number."""
        if isinstance(v, ir.Const) and v.value == ():
            return "EMPTY_LIST"
        if self.kind(v) != LIST:
            raise NotNative("a number where a list stands")
        return self.text(v)

    def test(self, v: ir.Value) -> str:
        """Return a value as a C expression that is 0 or 1."""
        if isinstance(v, ir.Const):
            return "1" if v.value else "0"
        kind = self.kind(v)
        if kind == LIST:
            if isinstance(v, ir.Zone):
                return f"(state->zone_size[{self.index(v.number)}] != 0)"
            return f"({self.text(v)}.length != 0)"
        if kind == OPTIONS:
            return f"({self.many()} != 0)"
        sort, text = self.sort(v), self.text(v)
        if sort.is_optional:
            kept = self.fresh()
            self.say(f"{kept} = {text};")
            return f"({kept} != 0 && {kept} != NONE)"
        return text if sort.kind == types.TRUTH else f"({text} != 0)"

    def wide_number(self, v: ir.Value) -> str:
        """Return a number as a WideInt, computed without overflow."""
        match v:
            case ir.Binary(op="+" | "-" | "*" as op, left=left, right=right):
                one, other = self.several(
                    (WIDE, lambda: self.wide_number(left)), (WIDE, lambda: self.wide_number(right))
                )
                return f"({one} {op} {other})"
            case ir.Binary(op="div", left=left, right=right):
                one, other = self.numbers(left, right)
                return f"({other} == -1 ? -(WideInt){one} : (WideInt)floor_div(state, {one}, {other}))"
            case ir.Unary(op="-", operand=operand):
                return f"(-{self.wide_number(operand)})"
            case ir.Sum(parts=parts):
                makes = [(WIDE, lambda part=part: self.wide_number(part)) for part in parts]
                return f"({' + '.join(self.several(*makes))})"
            case ir.Temporary(name=name) if name in self.wide:
                return name
            case ir.Pipeline(sink="sum"):
                return self.total(self, v)
        return f"(WideInt){self.number(v)}"

    def several(self, *makes: tuple[str, Make]) -> list[str]:
        """Return expressions for values that are evaluated in order.

        If a later value needs statements of its own, earlier values are first stored in variables.
        """
        texts: list[str] = []
        for number, (_, make) in enumerate(makes):
            before = len(self.out)
            text = make()
            if len(self.out) > before:
                kept = []
                for at in range(number):
                    if not _STABLE.fullmatch(texts[at]):
                        name = self.fresh(makes[at][0])
                        kept.append("    " * self.level + f"{name} = {texts[at]};")
                        texts[at] = name
                self.out[before:before] = kept
            texts.append(text)
        return texts

    def numbers(self, *values: ir.Value) -> list[str]:
        """Return values as numbers that are not none, evaluated in order."""
        return self.several(*((NUMBER, lambda v=v: self.number(v)) for v in values))

    def each(self, values: Sequence[ir.Value], kinds: Sequence[str]) -> list[str]:
        """Return values as expressions of the given types."""
        pairs = zip(values, kinds, strict=True)
        return self.several(*((kind, lambda v=v, kind=kind: self.as_kind(v, kind)) for v, kind in pairs))

    def short(self, makes: Sequence[Make], op: str) -> str:
        """Join tests with ``&&`` or ``||``.

        The evaluation is short-circuit even if a test needs statements of its own.
        """
        found = ""
        for make in makes:
            if not found:
                found = make()
                continue
            with self.elsewhere() as lines:
                text = make()
            if not lines:
                found = f"{found} {op} {text}"
                continue
            name = self.fresh()
            self.say(f"{name} = {found};")
            with self.braces(f"if ({name})" if op == "&&" else f"if (!{name})"):
                self.out += lines
                self.say(f"{name} = {text};")
            found = name
        return f"({found})" if len(makes) > 1 else found

    # ------------------------------------------------------------ places

    def index(self, v: ir.Index, behind: int = 0) -> str:
        """Return an index plus ``behind`` as an expression."""
        constant = v.constant + v.base + behind
        if not v.terms:
            return str(constant)
        terms = [
            text if stride == 1 else f"{text} * {stride}"
            for text, (_, stride) in zip(self.numbers(*(term for term, _ in v.terms)), v.terms, strict=True)
        ]
        if constant:
            terms.append(str(constant))
        return terms[0] if len(terms) == 1 and _ATOM.fullmatch(terms[0]) else f"({' + '.join(terms)})"

    def zone(self, v: ir.Index) -> str:
        """Return the number of a zone as an expression, with a range check."""
        return str(v.number) if v.number is not None else f"checked_index(state, {self.index(v)}, ZONE_COUNT)"

    def element(self, v: ir.Cell) -> str:
        """Return a cell as an lvalue, in its stored representation."""
        place: Place = self.layout.places[v.place]
        if not place.dims:
            return f"state->{self.names[v.place]}"
        number = v.index.number
        if number is not None and 0 <= number < place.size:
            return f"state->{self.names[v.place]}[{number}]"
        return f"state->{self.names[v.place]}[checked_index(state, {self.index(v.index)}, {place.size})]"

    def width(self, place: str) -> int:
        """Return the width in bits of the cells of a place, or 0 for lists."""
        return width_of(self.found.cells[place])

    def cell(self, v: ir.Cell) -> str:
        """Return the value of a cell."""
        element, width = self.element(v), self.width(v.place)
        if not width:
            self.rooms += 1
            return f"list_copy(state, {element}.length, {element}.items)"
        optional = self.may_lack(v) and width < 64
        return f"decode{width}({element})" if optional else f"(Int){element}" if width < 64 else element

    def may_lack(self, v: ir.Cell) -> bool:
        """Return whether a cell may hold none."""
        return self.found.cells[v.place].is_optional

    def store(self, v: ir.Cell, element: str, value: str) -> None:
        """Print the assignment of ``value`` to a cell."""
        width = self.width(v.place)
        if not width:
            capacity = f"sizeof {element}.items / sizeof(Item)"
            self.say(f"list_store(state, &{element}.length, {element}.items, {capacity}, {value});")
            return
        if width < 64:
            value = f"{'encode_optional' if self.found.cells[v.place].is_optional else 'encode'}{width}(state, {value})"
        self.say(f"{element} = {value};")


def mentions(ops: ir.Ops) -> Counter[object]:
    """Count how often operations mention each local, by its slot or by its name."""
    found: Counter[object] = Counter()
    for node in ir.walk(ops):
        if isinstance(node, ir.Local):
            found[node.slot] += 1
        elif isinstance(node, ir.Temporary):
            found[node.name] += 1
    return found


def _wide(ops: ir.Ops) -> frozenset[str]:
    """Return the names of numbers that are tested for overflow before anything else reads them."""
    found = set()
    for node in ir.walk(ops):
        match node:
            case ir.Binary(op="<" | ">", left=ir.Temporary(name=name), right=ir.Const(value=end)) if end in ENDS:
                found.add(name)
            case ir.Primitive(name="no_int", args=(ir.Temporary(name=name),)):
                found.add(name)
    return frozenset(found)
