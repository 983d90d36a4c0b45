"""Print the functions of a module as C, with its constant tables, and choose C types for values and cells.

Values print as C expressions. An expression that needs statements of its own prints these first, into
:attr:`Printer.lines`. The rules for each class of node are in :mod:`lusory.codegen.c.ir_values`,
:mod:`lusory.codegen.c.loops_and_lists` and :mod:`lusory.codegen.c.ir_operations`.
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

from ...state.setting_value_limits_builtins_and_names import Setting
from ...state.state_layout import Place
from .. import ir
from ..instruction_selection.bitboards import MAX_SPACES
from ..ir import types
from ..ir.types import NEVER, Sort
from ..passes.type_inference import VALUES as SORTS, Sorts
from ..passes.type_inference_state import Inference
from ..python.printer import make_identifier, make_place_names, sanitize_id

NUMBER, MASK, WIDE, LIST = "Int", "SpaceMask", "WideInt", "List"
OPTIONS, VALUES = "options", "const Int *"
"""Kinds without a C variable of their own: the options of a choice in ``option_rows``, and the values of one option."""

LINES = "\n"
"""Stands for the type of the value in a text that consists of several lines."""

WIDTHS = (8, 16, 32)
MAX_MASK_SPACES = 128
"""Greatest number of spaces of a board for which C has bit masks."""


class NotNative(Exception):
    """Signal that a ruleset uses something that the C backend does not support.

    ``reason`` describes it, and ``span`` is its place in the ruleset, if known.
    """

    def __init__(self, reason: str, span: Span | None = None) -> None:
        place = "" if span is None else f" at {span}"
        super().__init__(f"not native: {reason}{place}")
        self.reason = reason
        self.span = span


@contextmanager
def attach_span(span: Span) -> Iterator[None]:
    """If the body of the ``with`` statement raises a NotNative without a span, raise one with ``span`` instead.

    A NotNative that has a span passes unchanged.
    """
    try:
        yield
    except NotNative as error:
        if error.span is None:
            raise NotNative(error.reason, span) from None
        raise


def require_mask_width(number: int) -> None:
    """Raise NotNative if a mask has a bit for which C has no room: bit :data:`MAX_MASK_SPACES` or a higher one."""
    if number >> MAX_MASK_SPACES:
        raise NotNative(f"boards of more than {MAX_MASK_SPACES} spaces")


def get_c_type(sort: Sort) -> str:
    """Return the C type for values of a sort: NUMBER, MASK, LIST, VALUES or OPTIONS.

    A number that may be above Int is a MASK. Any other number, a truth value, a text, none and a value from an option
    are a NUMBER. A record or list of these is a LIST, a list of values from options VALUES, a list of records OPTIONS.
    Raise NotNative for lists of lists or masks, lists that may be none, and values of several kinds.
    """
    match sort.kind:
        case types.NUMBER:
            return MASK if sort.high > INT_MAX else NUMBER
        case types.TRUTH | types.TEXT | types.NOTHING | types.OPTION_VALUE:
            return NUMBER
        case types.LIST:
            return _get_list_c_type(sort)
        case types.RECORD if all(_fits_item(part) for part in sort.parts):
            return LIST
    raise NotNative("values of several kinds in one place")


def _get_list_c_type(sort: Sort) -> str:
    item = sort.item
    if sort.is_optional:
        raise NotNative("lists that may be none")
    if item is None or _fits_item(item):
        return VALUES if item is not None and item.kind == types.OPTION_VALUE else LIST
    if item.kind == types.RECORD:
        return OPTIONS
    if item.kind == types.LIST:
        raise NotNative("lists of lists")
    raise NotNative("lists of values of several kinds")


def _fits_item(sort: Sort) -> bool:
    """Return whether a value can be an item of a list."""
    if sort.kind == types.NUMBER:
        return sort.high <= INT_MAX
    return sort.kind in (types.TRUTH, types.TEXT, types.NOTHING, types.OPTION_VALUE)


MAX_CELL_ITEMS, MAX_PLACE_ITEMS = 1_024, 65_536
"""Greatest number of items in a variable that holds a list, and in all cells of such a variable together."""


def get_list_capacity(cell_count: int) -> int:
    """Return how many items each of ``cell_count`` cells has room for: 65,536 // ``cell_count``, but from 64 to 1,024.

    A longer list is a fault, and Python takes over.
    """
    return max(64, min(MAX_CELL_ITEMS, MAX_PLACE_ITEMS // cell_count))


def get_cell_width(sort: Sort) -> int:
    """Return the bits that a value of a sort takes: 8, 16, 32 or 64, or 0 for a list or record.

    Truth values and ``nothing`` take 8, texts 64. A number takes the smallest width that holds its range, or else 64.
    The least number of a width stands for none: -127..127 takes 8, -128..0 takes 16. Items of a list must be numbers up
    to ``INT_MAX``, truth values, texts or none. Fields of a record may also be values from an option. Raise NotNative
    for any other sort, and for a list that may itself be none.
    """
    if sort.kind in (types.TRUTH, types.NOTHING):
        return 8
    if sort.kind == types.TEXT:
        return 64
    if sort.kind != types.NUMBER:
        if get_c_type(sort) != LIST:
            raise NotNative("a variable of values of several kinds")
        return 0
    for width in WIDTHS:
        end = 1 << (width - 1)
        if -end < sort.low and sort.high < end:
            return width
    return 64


ITEM, ITEM_NONE = "Item", "NO_ITEM"
MAX_ITEM = (1 << 31) - 1
NUMBERS_PER_LINE = 20  # numbers of a table in one line


@dataclass(frozen=True)
class Table:
    """A constant array in C.

    Attributes:
        dims: The length of each dimension.
        is_ragged: Whether there is one more dimension, of lists with different lengths, stored one after another.
        type: The C type of the numbers.
        has_none: Whether some entries are none.
    """

    name: str
    dims: tuple[int, ...]
    is_ragged: bool
    type: str
    has_none: bool


@dataclass
class Constants:
    """The constants of a module. Only those that something uses are printed, into ``lines``."""

    values: tuple[object, ...]
    texts: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    _tables: dict[tuple[int, str], Table] = field(default_factory=dict)

    def make_number(self, value: object) -> int | None:
        """Return the number that represents a constant in C, or None for None. False is 0, and True is 1.

        A text has its position in ``texts``, from 0; a new one gets the next number and is added there. Raise NotNative
        for the least Int, and for anything but a bool, an int, a text or None.
        """
        if value is None or isinstance(value, bool):
            return None if value is None else int(value)
        if isinstance(value, int):
            if value == INT_MIN:
                raise NotNative("the smallest number there is")
            return value
        if isinstance(value, str):
            return self.texts.setdefault(value, len(self.texts))
        raise NotNative("values of several kinds in one table")

    def make_table(self, number: int, kind: str = "") -> Table:
        """Return how to read the constant ``number`` (from 1) of the module as a C array. The first call for it and
        ``kind`` adds the definition of the array to ``lines``.

        ``(3, None)`` as constant 2 gives ``Table("K2", (2,), is_ragged=False, type="Item", has_none=True)``. With
        ``kind`` ``MASK`` it is ``K2m`` and has the type ``SpaceMask``. Otherwise it has the smallest of the types
        ``Item`` (32 bits), ``Int`` (64 bits) and ``SpaceMask``. Texts become numbers, and new ones are added to
        ``texts``. A set is sorted, and a dict becomes the tuple of its values for 0, 1, …. Tuples in a tuple are ragged
        if their lengths differ or all are empty. ``((1, 2), (3,))`` has the dimensions (2,), and ``lines`` also get the
        starts of its rows: ``K2_at[3] = {0, 2, 3}``. None beside tuples counts as (). A single number has the
        dimensions (), and ``()`` has (0,). Raise NotNative for masks that may be none, the least Int, numbers beside
        tuples, and lengths that differ above the innermost tuples, as in ``(((1,), (2,)), ((3,),))``.
        """
        key = number, kind
        if key not in self._tables:
            self._tables[key] = self._make_table(f"K{number}{'m' if kind else ''}", self.values[number - 1], kind)
        return self._tables[key]

    def _make_table(self, name: str, value: object, kind: str) -> Table:
        """Write a constant as a C array, and return how to read it.

        Nested tuples of equal lengths become an array with dimensions. If the lengths differ, the leaves follow each
        other, and a second array ``NAME_at`` says where each row begins. A set is sorted; a dictionary from 0, 1, … and
        None becomes its values in the order of the numbers, without that of None. Raise NotNative for masks that may be
        none.
        """
        if isinstance(value, frozenset):
            value = tuple(sorted(value))
        if isinstance(value, dict):
            value = tuple(value[key] for key in range(len(value) - (None in value)))
        dims, rows = _find_shape(value)
        is_ragged = rows is not None
        items = list(map(self.make_number, types.list_leaves(value if rows is None else tuple(rows))))
        has_none = None in items
        values = [number for number in items if number is not None]
        type = kind or _get_table_type(values)
        if type == MASK and has_none:
            raise NotNative("masks that may be none")
        none_text = ITEM_NONE if type == ITEM else "NONE"
        numbers = [none_text if leaf is None else _format_number(leaf, type) for leaf in items]
        entry_type = "".join(f"[{max(size, 1)}]" for size in dims) if not is_ragged else f"[{max(len(items), 1)}]"
        self.lines += format_array(
            f"static const {type} {name}{entry_type if dims else '[1]'}", _format_nested(numbers, dims, is_ragged)
        )
        if rows is not None:
            ends = [0]
            for row in rows:
                ends.append(ends[-1] + len(row))
            self.lines += format_array(f"static const int {name}_at[{len(ends)}]", break_lines(map(str, ends)))
        return Table(name, dims, is_ragged, type, has_none)


def _find_shape(value: object) -> tuple[tuple[int, ...], list[tuple[Any, ...]] | None]:
    """Return the dimensions of a constant, and the lists at its leaves if their lengths differ, else None.

    ``((1, 2), (3, 4))`` gives ``(2, 2), None``, and ``((1, 2), (3,))`` gives ``(2,), [(1, 2), (3,)]``. Raise NotNative
    for tables of lists and other things, and of lists of lists with different lengths.
    """
    dims: list[int] = []
    level: list[Any] = [value]
    while any(isinstance(row, tuple) for row in level):
        if not all(isinstance(row, tuple) or row is None for row in level):
            raise NotNative("tables of lists and of other things")
        level = [row or () for row in level]  # None is a field of other components, which is never read
        sizes = {len(row) for row in level}
        inner = [item for row in level for item in row]
        if len(sizes) > 1 or sizes == {0}:
            if any(isinstance(item, tuple) for item in inner):
                raise NotNative("tables of lists of lists")
            return (tuple(dims), level) if dims else ((0,), None)
        dims.append(sizes.pop())
        level = inner
    return tuple(dims), None


def _get_table_type(numbers: list[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    if low >= -MAX_ITEM and high <= MAX_ITEM:
        return ITEM
    return NUMBER if high <= INT_MAX else MASK


def _format_number(number: int, type: str) -> str:
    """Return a number as a C literal.

    For the type MASK it is an unsigned hexadecimal literal, ``0x5ull``, of two 64-bit halves if needed; raise NotNative
    for more than :data:`MAX_MASK_SPACES` bits. For other types it is decimal, with the suffix ``ll`` if its absolute
    value is above 2**31 - 1.
    """
    if type != MASK:
        return str(number) if abs(number) <= MAX_ITEM else f"{number}ll"
    require_mask_width(number)
    low, high = number & (1 << 64) - 1, number >> 64
    return f"(SpaceMask){high:#x}ull << 64 | {low:#x}ull" if high else f"{low:#x}ull"


def _format_nested(numbers: list[str], dims: tuple[int, ...], is_ragged: bool) -> list[str]:
    if is_ragged or len(dims) < 2:
        return break_lines(numbers or ["0"])
    rows = numbers
    for size in reversed(dims[1:]):
        rows = ["{" + ", ".join(rows[begin : begin + size]) + "}" for begin in range(0, len(rows), size)]
    return [f"{row}," for row in rows]


def break_lines(numbers: Iterable[str]) -> list[str]:
    """Join numbers into lines of :data:`NUMBERS_PER_LINE` numbers. Each line ends with a comma: ``1, 2, 3,``."""
    texts = list(numbers)
    return [", ".join(texts[i : i + NUMBERS_PER_LINE]) + "," for i in range(0, len(texts), NUMBERS_PER_LINE)]


def format_array(head: str, lines: list[str]) -> list[str]:
    """Return the lines of the definition of an array. A single line of items stays on the line of ``head``.

    ``("int a[2]", ["1, 2,"])`` gives ``["int a[2] = {1, 2};"]``. Several lines, or none, stand indented between the
    lines with the braces.
    """
    if len(lines) == 1:
        return [f"{head} = {{{lines[0].rstrip(',')}}};"]
    return [f"{head} = {{", *(f"    {line}" for line in lines), "};"]


def make_list_expression(table: Table, row: str) -> str:
    """Return a C expression for a list in a table named K1: ``((List){2, K1})``, or for a row ``((List){2, (const Item
    *)K1 + 2 * (row)})``.

    The 2 is the last of ``dims``. ``row`` is the C expression for the number of the row, or "" if the whole table is
    the list. A ragged table needs a row, and its array ``K1_at`` gives the start of each row: ``((List){K1_at[row + 1]
    - K1_at[row], K1 + K1_at[row]})``. There, ``row`` must have its own parentheses, as in ``(a | b)``. Raise NotNative
    if ``table.type`` is not ITEM, as for numbers beyond ``MAX_ITEM`` (2**31 - 1).
    """
    if table.type != ITEM:
        raise NotNative("lists of large numbers")
    if table.is_ragged:
        name, starts = table.name, f"{table.name}_at"
        return f"(({LIST}){{{starts}[{row} + 1] - {starts}[{row}], {name} + {starts}[{row}]}})"
    size = table.dims[-1]
    return f"(({LIST}){{{size}, {f'(const Item *){table.name} + {size} * ({row})' if row else table.name}}})"


Make = Callable[[], str]
_STABLE = re.compile(r"-?[0-9]+|NONE|EMPTY_LIST|u[0-9]+|state->[a-z_]+", re.ASCII)
_ATOM = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
ITEMS, KEYS = "Item *", "Int *"
REGISTER_FIELDS = {"decisions": "decision_count", "over": "is_over", "reason": "end_reason", "until": "work_limit"}
"""Register -> field of the C state, where the names differ."""


INITIAL_VALUES = {NUMBER: "0", MASK: "0", WIDE: "0", LIST: "EMPTY_LIST", VALUES: "0", ITEMS: "0", KEYS: "0"}
"""C type of a variable -> its initial value, in the order of declaration."""


class _Sorts(Inference):
    """Infer the sorts of the values of one function, each only once.

    Knowledge from tests is ignored, because a value node can occur in several places.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cache: dict[int, tuple[ir.Value, Sort]] = {}  # holds the value, too, so that its id stays unique

    def infer_sort(self, value: ir.Value) -> Sort:
        entry = self.cache.get(id(value))
        if entry is None:
            entry = self.cache[id(value)] = value, super().infer_sort(value)
        return entry[1]

    def get_local_sort(self, slot: int) -> Sort:
        return self.locals[slot]


@dataclass
class Printer:
    """Print the functions of one module of whole games. ``sorts`` has the inferred sorts of the module."""

    setting: Setting
    module: ir.Module
    sorts: Sorts
    values: dict[type[ir.Value], Callable[[Printer, Any], str]]
    operations: dict[type[ir.Op], Callable[[Printer, Any], None]]
    print_wide_sum: Callable[[Printer, Any], str]  # prints the sum of a pipeline as a WideInt
    mask_counts: dict[str, int] = field(default_factory=dict)  # variable over spaces -> number of its masks
    # the pieces of each composed text; see Words in marshalling
    texts: list[tuple[object, ...]] = field(default_factory=list)
    option_length: int = 1  # length of an option row
    row_format: Any = None  # format of the result row
    option_count_expression: str = "state->option_row_count"  # expression for the present number of options
    # The fields below belong to the function that is being printed.
    lines: list[str] = field(default_factory=list)
    level: int = 1
    variable_types: dict[str, str] = field(default_factory=dict)  # variable -> its C type
    function: ir.Function = field(default_factory=lambda: ir.Function("", "", (), ()))
    place: ir.Provenance = ir.NOWHERE
    trail: tuple[str, ...] = ()
    exit_labels: list[str] = field(default_factory=list)  # label after each enclosing loop
    variable_count: int = 0
    allocation_count: int = 0  # number of lists allocated so far

    def __post_init__(self) -> None:
        self.layout, self.players = self.setting.layout, self.setting.players
        self.names = make_place_names(self.layout.places)
        self.constants = Constants(self.module.tables)
        boards = (board.size for board in self.setting.program.boards.values())
        # size of the largest board that has masks
        self.max_board_size = max((size for size in boards if size <= MAX_SPACES), default=0)
        self.inference = _Sorts(self.setting, self.module, SORTS)
        self.inference.locals, self.inference.results = self.sorts.locals, self.sorts.results
        self.mention_counts: Counter[object] = Counter()

    # ------------------------------------------------------------ functions

    def make_signature(self, function: ir.Function) -> str:
        """Return the first line of a function, without ``{``: ``static void effect1(State *restrict state, Int a_1)``.

        ``effect1`` is the ``name`` of the function, and :meth:`name_local` names the parameters. Only a function with
        the ``role`` ``query`` has a result other than ``void``. Raise NotNative for a parameter or result without a C
        type.
        """
        result_sort = self.sorts.results.get(function.name, NEVER)
        with self.locating(function.ops[0].place if function.ops else ir.NOWHERE):
            parameters = [f"{get_c_type(self.sorts.locals[slot])} {self.name_local(slot)}" for slot in function.params]
            result = get_c_type(result_sort) if function.role == "query" else "void"
        return f"static {result} {function.name}({', '.join(['State *restrict state', *parameters])})"

    def print_function(self, function: ir.Function) -> list[str]:
        """Return the lines of a function. Raise NotNative if C does not support an operation.

        The first line is the signature with ``{`` at its end, and the last one is ``}``. The declarations of the
        variables, without parameters, follow the first line, indented by four spaces: ``Int u1 = 0, u2 = 0;``.
        Variables of one C type are declared together, at most eight a line. Types and values are those of
        :data:`INITIAL_VALUES`, in its order. Then come the lines of :meth:`print_prologue`, of the statements, and of
        :meth:`print_epilogue`.
        """
        self.function, self.lines, self.level, self.variable_types = function, [], 1, {}
        self.inference.temporaries, self.inference.cache = self.sorts.temporaries[function.name], {}
        self.mention_counts = count_mentions(function.ops)
        self.trail = ()
        self.variable_count = 0
        self.print_prologue(function)
        self.print_block(function.ops)
        self.print_epilogue(function)
        lines = []
        for kind in INITIAL_VALUES:
            pointer = "*" if kind.endswith("*") else ""
            names = [name for name, type in self.variable_types.items() if type == kind]
            declarations = [f"{pointer}{name} = {INITIAL_VALUES[kind]}" for name in names]
            for begin in range(0, len(declarations), 8):
                lines.append(f"    {kind.rstrip(' *')} {', '.join(declarations[begin : begin + 8])};")
        return [self.make_signature(function) + " {", *lines, *self.lines, "}"]

    def print_prologue(self, function: ir.Function) -> None:
        """Print what precedes the operations: for an effect ``Item *mark = state->arena_top;``, else nothing."""
        if function.role == "effect":
            self.print_line("Item *mark = state->arena_top;")

    def print_epilogue(self, function: ir.Function) -> None:
        """Print what follows the operations, and leave parameters out of the declarations.

        For an effect this is ``state->arena_top = mark;``, which frees its lists. For a query it is ``fault(state);``.
        """
        if function.role == "effect":
            self.print_line("state->arena_top = mark;")
        elif function.role == "query":
            self.print_line("fault(state);")
        for slot in function.params:
            self.variable_types.pop(self.name_local(slot), None)

    @contextmanager
    def locating(self, place: ir.Provenance) -> Iterator[None]:
        """Set the attribute ``place`` while the body runs, and restore it afterwards unless the body raises.

        If the body raises a NotNative without a span, raise one with the same ``reason`` and the span of the place
        instead, if it has one.
        """
        place_before, self.place = self.place, place
        with nullcontext() if place.span is None else attach_span(place.span):
            yield
        self.place = place_before

    # ------------------------------------------------------------ lines

    def print_line(self, line: str) -> None:
        """Append a line to ``lines``, indented by four spaces for each level."""
        self.lines.append("    " * self.level + line)

    @contextmanager
    def printing_block(self, head: str) -> Iterator[None]:
        """Print a block in braces around the lines of the body, which are indented by four more spaces.

        The head and the last brace are indented for the present ``level``, which is 1 at first. The head ``if (x)``
        and a body that prints ``y;`` then append three lines: ``    if (x) {``, ``        y;`` and ``    }``. After an
        exception in the body, the last line is missing, and ``level`` stays one higher.
        """
        self.print_line(f"{head} {{")
        self.level += 1
        yield
        self.level -= 1
        self.print_line("}")

    @contextmanager
    def printing_loop(self, head: str, frees_lists: bool = True) -> Iterator[None]:
        """Print a loop around the lines of the body, which are indented. ``head`` is the loop without its brace.

        With ``frees_lists``, a body that raises ``allocation_count`` frees its lists after each iteration. The line
        ``Item *mark1 = state->arena_top;`` is then printed before the loop, and ``state->arena_top = mark1;`` as the
        last line in it. The number is the next one of ``variable_count``, after those of the body.
        """
        allocations_before = self.allocation_count
        with self.collecting_lines() as lines:
            yield
        allocates = self.allocation_count > allocations_before and frees_lists
        if allocates:
            self.variable_count += 1
            self.print_line(f"Item *mark{self.variable_count} = state->arena_top;")
        self.print_line(f"{head} {{")
        self.lines += lines
        if allocates:
            self.print_line(f"    state->arena_top = mark{self.variable_count};")
        self.print_line("}")

    @contextmanager
    def collecting_lines(self, extra_levels: int = 1) -> Iterator[list[str]]:
        """Return a context manager that gives a new list. The body prints its lines there, for the caller to insert.

        In the body, ``lines`` is this list, and ``level`` is greater by ``extra_levels``. Both return to their former
        values afterwards, but not if the body raises an exception.
        """
        lines_before, self.lines = self.lines, []
        self.level += extra_levels
        yield self.lines
        self.level -= extra_levels
        self.lines = lines_before

    def print_block(self, ops: ir.Ops) -> None:
        """Print each operation, after a comment with its trail if that differs from the one before. Raise NotNative
        with the span of the operation.
        """
        for op in ops:
            with self.locating(op.place):
                if op.place.trail != self.trail:
                    self.trail = op.place.trail
                    if comment := " ".join(sanitize_id(word) for word in self.trail if word):
                        self.print_line(f"/* {comment} */")
                self.operations[type(op)](self, op)

    # ------------------------------------------------------------ names

    def name_local(self, slot: int) -> str:
        """Return the variable of a local: its name in the ruleset, in lower case, and its slot, such as ``gold_7``."""
        return make_identifier(self.module.names[slot], slot)

    def make_variable(self, kind: str = NUMBER) -> str:
        """Add a new variable of the C type ``kind`` to ``variable_types``, and return its name: ``u1``, ``u2``, ….

        Numbers begin at 1 in each function. Marks and labels take numbers from the same count: ``u1``, ``mark2``,
        ``left3`` and ``u4``.
        """
        self.variable_count += 1
        name = f"u{self.variable_count}"
        self.variable_types[name] = kind
        return name

    def declare_target(self, value: ir.Value) -> str:
        """Add the variable of a local or temporary to ``variable_types``, with its C type, and return its name.

        The name of a local is that of :meth:`name_local`, such as ``gold_7``. A temporary has its own name. If the C
        type is OPTIONS, only the name is returned. Raise TypeError for any other value, and NotNative if the variable
        has no C type.
        """
        match value:
            case ir.Local(slot=slot) | ir.BoundLocal(slot=slot):
                name, kind = self.name_local(slot), get_c_type(self.sorts.locals[slot])
            case ir.Temporary(name=name):
                kind = self.get_c_type(value)
            case _:
                raise TypeError(type(value).__name__)
        if kind != OPTIONS:
            self.variable_types[name] = kind
        return name

    def get_option_count(self) -> str:
        """Return the expression for the present number of options. If it is a plain name, declare that variable."""
        if _ATOM.fullmatch(self.option_count_expression):
            self.variable_types[self.option_count_expression] = NUMBER
        return self.option_count_expression

    # ------------------------------------------------------------ values

    def get_sort(self, value: ir.Value) -> Sort:
        """Return the inferred sort of a value in the current function. It is cached by the identity of ``value``."""
        return self.inference.infer_sort(value)

    def get_c_type(self, node: ir.Value) -> str:
        """Return the C type of a value: that of its sort, with these exceptions.

        A list of the state or of a table is a LIST, and the result of a bit operation a MASK. Raise NotNative as the
        function :func:`get_c_type` does.
        """
        match node:
            case ir.Binary(op="<<" | ">>" | "&" | "|" | "^") | ir.Unary(op="~") | ir.Entry(container=ir.SpaceMasks()):
                return MASK
            case ir.Primitive(name="make_mask"):
                return MASK
            case ir.Pipeline(sink="sum", value=ir.Value() as value) if self.get_c_type(value) == MASK:
                return MASK
            case ir.Table() | ir.Zone() | ir.ComponentsIn() | ir.NumberRange():
                return LIST
            case ir.Temporary(name=name):
                return get_c_type(self.inference.temporaries.get(name, NEVER))
        return get_c_type(self.get_sort(node))

    def make_text(self, value: ir.Value) -> str:
        """Return a value as a C expression of its own type, which needs no parentheses. Statements that it needs are
        printed first.
        """
        return self.values[type(value)](self, value)

    def convert_to_kind(self, value: ir.Value, kind: str) -> str:
        """Return a value as a C expression of the type ``kind``, converted if it is NUMBER, MASK, LIST or WIDE.

        For any other type it is the value in its own type.
        """
        makers = {NUMBER: self.make_value, MASK: self.make_mask, LIST: self.make_items, WIDE: self.make_wide_number}
        return makers.get(kind, self.make_text)(value)

    def make_value(self, value: ir.Value) -> str:
        """Return a value as a C expression of a number. Truth values, texts and none are numbers in C, too.

        Statements that it needs are printed first. The constants 3, true and none give ``3``, ``1`` and ``NONE``. A
        text gives its index in ``constants.texts``, to which a new one is added. A mask is cast: ``(Int)m``. Raise
        NotNative for anything else, such as a list, and for the constant ``INT_MIN``.
        """
        kind = self.get_c_type(value)
        if kind not in (NUMBER, MASK):
            raise NotNative("a list where a number should stand")
        return self.make_text(value) if kind == NUMBER else f"(Int){self.make_text(value)}"

    def make_number(self, value: ir.Value) -> str:
        """Return a value as a C expression of a number that is not none: ``require(state, u1)`` if it may be none.

        Truth values and texts are numbers in C, too, and a mask is cast: ``(Int)m``. Statements that the value needs
        are printed first. Raise NotNative for anything else, such as a list or a record.
        """
        text = self.make_value(value)
        can_be_none = self.get_sort(value).is_optional and not isinstance(value, ir.NotNone)
        return f"require(state, {text})" if can_be_none else text

    def make_mask(self, value: ir.Value) -> str:
        """Return a value as a C expression of a bit mask: ``((SpaceMask)0x5ull)`` for a constant. A number is cast, so
        that its bits become the mask, and checked not to be none.
        """
        if isinstance(value, ir.Const) and isinstance(value.value, int):
            return self.format_constant_mask(value.value)
        return self.make_text(value) if self.get_c_type(value) == MASK else f"(SpaceMask){self.make_number(value)}"

    @staticmethod
    def format_constant_mask(bits: int) -> str:
        """Return a constant bit mask as an expression: ``((SpaceMask)0x5ull)``. Raise NotNative if it is too wide."""
        return f"((SpaceMask){_format_number(bits, MASK)})"

    def make_items(self, value: ir.Value) -> str:
        """Return a value of the C type LIST as a C expression, and ``EMPTY_LIST`` for the constant ``()``.

        Statements that it needs are printed first. Raise NotNative for any other value, such as a number.
        """
        if isinstance(value, ir.Const) and value.value == ():
            return "EMPTY_LIST"
        if self.get_c_type(value) != LIST:
            raise NotNative("a number where a list should stand")
        return self.make_text(value)

    def make_test(self, value: ir.Value) -> str:
        """Return a value as a C expression that is 0 or 1. Statements that it needs are printed first.

        It is 1 for a number that is neither 0 nor none, for a list with items, and for options if there are any. A
        constant gives ``1`` or ``0``, a truth value ``a_1``, and a number ``(a_1 != 0)``. A number that may be none
        gives ``(u1 != 0 && u1 != NONE)``, a list ``(a_1.length != 0)``, and a zone ``(state->zone_size[2] != 0)``.
        """
        if isinstance(value, ir.Const):
            return "1" if value.value else "0"
        kind = self.get_c_type(value)
        if kind == LIST:
            if isinstance(value, ir.Zone):
                return f"(state->zone_size[{self.make_index(value.number)}] != 0)"
            return f"({self.make_text(value)}.length != 0)"
        if kind == OPTIONS:
            return f"({self.get_option_count()} != 0)"
        sort, text = self.get_sort(value), self.make_text(value)
        if sort.is_optional:
            variable = self.make_variable()
            self.print_line(f"{variable} = {text};")
            return f"({variable} != 0 && {variable} != NONE)"
        return text if sort.kind == types.TRUTH else f"({text} != 0)"

    def make_wide_number(self, value: ir.Value) -> str:
        """Return a number as a WideInt expression, computed without overflow.

        Sums, differences, products, negations and quotients are computed in that type. Any other value is checked not
        to be none, and widened.
        """
        match value:
            case ir.Binary(op="+" | "-" | "*" as op, left=left, right=right):
                left_text, right_text = self.make_in_order(
                    (WIDE, lambda: self.make_wide_number(left)), (WIDE, lambda: self.make_wide_number(right))
                )
                return f"({left_text} {op} {right_text})"
            case ir.Binary(op="div", left=left, right=right):
                left_text, right_text = self.make_numbers(left, right)
                quotient = f"(WideInt)floor_div(state, {left_text}, {right_text})"
                return f"({right_text} == -1 ? -(WideInt){left_text} : {quotient})"
            case ir.Unary(op="-", operand=operand):
                return f"(-{self.make_wide_number(operand)})"
            case ir.Sum(parts=parts):
                makes = [(WIDE, lambda part=part: self.make_wide_number(part)) for part in parts]
                return f"({' + '.join(self.make_in_order(*makes))})"
            case ir.Pipeline(sink="sum"):
                return self.print_wide_sum(self, value)
        return f"(WideInt){self.make_number(value)}"

    def make_in_order(self, *evaluations: tuple[str, Make]) -> list[str]:
        """Return C expressions for values that are evaluated in order, one for each evaluation.

        An evaluation is a pair of the C type of a value, and a function without arguments. The function prints the
        statements that the value needs, and returns its C expression. If a later value needs statements, a line before
        these stores each earlier value in a variable of :meth:`make_variable`, which is made after them. Example:
        ``f(x)`` and ``u1``, which needs ``u1 = g();``, print ``u2 = f(x);`` and then ``u1 = g();``, and give
        ``["u2", "u1"]``. Locals are stored, too. Variables of that method, numbers, none, empty lists and registers
        such as ``state->work`` stay as they are.
        """
        texts: list[str] = []
        for number, (_, make) in enumerate(evaluations):
            line_count = len(self.lines)
            text = make()
            if len(self.lines) > line_count:
                stores = []
                for i in range(number):
                    if not _STABLE.fullmatch(texts[i]):
                        name = self.make_variable(evaluations[i][0])
                        stores.append("    " * self.level + f"{name} = {texts[i]};")
                        texts[i] = name
                self.lines[line_count:line_count] = stores
            texts.append(text)
        return texts

    def make_numbers(self, *values: ir.Value) -> list[str]:
        """Return values as C expressions of numbers that are not none, evaluated in order."""
        return self.make_in_order(*((NUMBER, lambda value=value: self.make_number(value)) for value in values))

    def make_each(self, values: Sequence[ir.Value], kinds: Sequence[str]) -> list[str]:
        """Return values as expressions of the C types ``kinds``, one for each value, evaluated in order."""
        pairs = zip(values, kinds, strict=True)
        return self.make_in_order(
            *((kind, lambda value=value, kind=kind: self.convert_to_kind(value, kind)) for value, kind in pairs)
        )

    def make_call(self, name: str, args: Sequence[ir.Value]) -> str:
        """Return the C call of the function ``name`` of the module. Its arguments are ``state`` and ``args``, in order.

        Each argument is converted to the C type of its parameter. Statements that arguments need first are appended to
        ``lines``. ``allocation_count`` grows by 1, and further if arguments are calls or build lists. Example: for
        ``value4`` with the locals ``cards_486`` and ``giver_483`` and the constant True, the result is
        ``value4(state, cards_486, giver_483, 1)``.
        """
        callee = next(function for function in self.module.functions if function.name == name)
        kinds = [get_c_type(self.sorts.locals[slot]) for slot in callee.params]
        self.allocation_count += 1
        return f"{name}({', '.join(['state', *self.make_each(args, kinds)])})"

    def make_short_circuit(self, tests: Sequence[ir.Value], op: str) -> str:
        """Join tests with ``&&`` or ``||``, in parentheses if there are several. No tests give an empty text.

        If a later test needs statements, a variable such as ``u2`` gets the result so far. The statements, and ``u2 =
        TEST;``, then stand in ``if (u2)``, or in ``if (!u2)`` for ``||``. If that is the last test, return ``(u2)``.
        The variables of the statements have lower numbers than this one.
        """
        condition = ""
        for test in tests:
            if not condition:
                condition = self.make_test(test)
                continue
            with self.collecting_lines() as lines:
                text = self.make_test(test)
            if not lines:
                condition = f"{condition} {op} {text}"
                continue
            name = self.make_variable()
            self.print_line(f"{name} = {condition};")
            with self.printing_block(f"if ({name})" if op == "&&" else f"if (!{name})"):
                self.lines += lines
                self.print_line(f"{name} = {text};")
            condition = name
        return f"({condition})" if len(tests) > 1 else condition

    # ------------------------------------------------------------ places

    def get_register_field(self, register: ir.Register) -> str:
        """Return the field of the C state that holds a register: ``state->work``, or one of ``REGISTER_FIELDS``.

        The counter of a repeated phase is an element of ``state->phase_repeats``.
        """
        if register.name == "repeats":
            return f"state->phase_repeats[{list(self.layout.repeats).index(register.phase)}]"
        return f"state->{REGISTER_FIELDS.get(register.name, register.name)}"

    def make_index(self, value: ir.Index) -> str:
        """Return an index as an expression, in parentheses unless it is one name or number.

        ``(a * 3 + b + 5)`` has two terms, and 5 is ``value.constant + value.base``. If there are terms, a sum of 0 is
        left out. A negative one stands after a plus, too: ``(a + -2)``. An index without terms is a number: ``-2``. The
        range is not checked. Statements that the terms need first are appended to ``lines``.
        """
        constant = value.constant + value.base
        if not value.terms:
            return str(constant)
        texts = self.make_numbers(*(term for term, _ in value.terms))
        strides = [stride for _, stride in value.terms]
        terms = [text if stride == 1 else f"{text} * {stride}" for text, stride in zip(texts, strides, strict=True)]
        if constant:
            terms.append(str(constant))
        return terms[0] if len(terms) == 1 and _ATOM.fullmatch(terms[0]) else f"({' + '.join(terms)})"

    def make_zone(self, value: ir.Index) -> str:
        """Return the number of a zone: ``3`` if it is constant, else ``checked_index(state, a_1, ZONE_COUNT)``."""
        if value.number is not None:
            return str(value.number)
        return f"checked_index(state, {self.make_index(value)}, ZONE_COUNT)"

    def make_element(self, value: ir.Cell) -> str:
        """Return a cell as an lvalue, in its stored representation: ``state->P_gold[2]``, or ``state->P_round`` without
        indices.

        :meth:`make_index` combines the indices into one number of a cell: ``(a_1 * 3 + b_2)``. The code checks this
        number unless it is a constant in range: ``state->P_gold[checked_index(state, a_1, 3)]``, where 3 is the number
        of cells. An index of type Int that may be outside its own dimension has a check of its own in its value.
        """
        place: Place = self.layout.places[value.place]
        if not place.dims:
            return f"state->{self.names[value.place]}"
        number = value.index.number
        if number is not None and 0 <= number < place.size:
            return f"state->{self.names[value.place]}[{number}]"
        return f"state->{self.names[value.place]}[checked_index(state, {self.make_index(value.index)}, {place.size})]"

    def get_width(self, place: str) -> int:
        """Return the width in bits of the cells of a place, or 0 for lists."""
        return get_cell_width(self.sorts.cells[place])

    def make_cell(self, value: ir.Cell) -> str:
        """Return the value of a cell as an expression of an ``Int``: ``decode8(state->P_round)`` if it may be none,
        else ``(Int)state->P_round``. A cell of 64 bits gives ``state->P_round`` in both cases.

        A list or record is copied into the arena, and ``allocation_count`` grows by 1:
        ``list_copy(state, state->P_row.length, state->P_row.items)``.
        """
        element, width = self.make_element(value), self.get_width(value.place)
        if not width:
            self.allocation_count += 1
            return f"list_copy(state, {element}.length, {element}.items)"
        if width == 64:
            return element
        return f"decode{width}({element})" if self.can_be_none(value) else f"(Int){element}"

    def can_be_none(self, value: ir.Cell) -> bool:
        """Return whether a cell may hold none."""
        return self.sorts.cells[value.place].is_optional

    def print_store(self, node: ir.Cell, element: str, value: str) -> None:
        """Print the assignment of the expression ``value`` to the lvalue ``element`` of a cell.

        In a cell of 64 bits, ``value`` is assigned as it is. In a narrower one it is encoded, which checks that it
        fits: ``state->P_round = encode8(state, u1);``, or ``encode_optional8`` if the place may hold none. A list or
        record is copied, where ``E`` stands for ``element``:
        ``list_store(state, &E.length, E.items, sizeof E.items / sizeof(Item), u1);``.
        """
        width = self.get_width(node.place)
        if not width:
            capacity = f"sizeof {element}.items / sizeof(Item)"
            self.print_line(f"list_store(state, &{element}.length, {element}.items, {capacity}, {value});")
            return
        if width < 64:
            encode = "encode_optional" if self.can_be_none(node) else "encode"
            value = f"{encode}{width}(state, {value})"
        self.print_line(f"{element} = {value};")


def count_mentions(ops: ir.Ops) -> Counter[object]:
    """Count the reads and assignments in operations: slot of a local, or name of a temporary -> number.

    Locals that an expression binds itself (``BoundLocal``) are left out. So are the assignments by ``Load``, ``Draw``
    and ``CallAsking``.
    """
    counts: Counter[object] = Counter()
    for node in ir.walk(ops):
        if isinstance(node, ir.Local):
            counts[node.slot] += 1
        elif isinstance(node, ir.Temporary):
            counts[node.name] += 1
    return counts
