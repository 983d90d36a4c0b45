"""Print the intermediate representation as Python source.

Values become expressions, with parentheses only where precedence requires them. Operations become lines.
:func:`print_module` returns the lines of a module, each with its place in the ruleset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.types.types import INT_MAX, INT_MIN

from ...state.random_streams import MASK, MIX_MULTIPLIERS, MULTIPLIER, hash_stream_name as stream_name
from ...state.state_layout import StateLayout
from .. import ir
from .runtime import FORCED, UNTIL, WAITS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_REMARKABLE = re.compile(r"[a-z0-9_-]+", re.ASCII)


def format_literal(value: object) -> str:
    """Return a value as a Python literal in ASCII.

    The value is None, a bool, an int or a text, or a tuple or dict of these. Raise TypeError for anything else.
    """
    _require_literal(value)
    return ascii(value)


def make_identifier(name: str, number: int) -> str:
    """Return the Python identifier of a local: its name in lower case, ``_``, and the number, which makes it unique.

    The name loses everything but ASCII letters, digits and underscores, and also digits and underscores at its start.
    If nothing remains, ``v`` replaces it. Example: ``make_identifier("Gold 2", 7)`` is ``gold2_7``.
    """
    letters = re.sub("[^a-z0-9_]", "", name.lower()).lstrip("_0123456789")
    return f"{letters or 'v'}_{number}"


def make_place_names(places: Iterable[str]) -> dict[str, str]:
    """Map the name of each place to the local variable that holds it in a playout.

    This is ``P_`` and the name, such as ``P_Gold``. A name that is no plain ASCII identifier is replaced by its
    position among ``places``, from 0: ``P_7``.
    """
    return {name: f"P_{name if _PLAIN.fullmatch(name) else number}" for number, name in enumerate(places)}


def format_comment(*parts: str | int) -> str:
    """Return a comment line of ids, words and numbers, separated by spaces: ``# chess 2 players``.

    A word with other characters than ids have is replaced by ``unnamed``.
    """
    return "# " + " ".join(str(part) if isinstance(part, int) else sanitize_id(part) for part in parts)


def sanitize_id(name: str) -> str:
    """Return an id if it has only small letters, digits, ``_`` and ``-``, and at least one. Else return ``unnamed``."""
    return name if _REMARKABLE.fullmatch(name) else "unnamed"


def _require_literal(value: object) -> None:
    if type(value) is tuple:
        for item in value:
            _require_literal(item)
    elif type(value) is dict:
        for pair in value.items():
            _require_literal(pair)
    elif value is not None and type(value) not in (bool, int, str):
        raise TypeError(f"{type(value).__name__} has no literal")


# Python's operator precedences, loosest first
CONDITIONAL, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(13)

OPERATORS = {  # operator in Python, its precedence, and the least precedence of its left and right operands
    "or": ("or", OR, OR, OR),
    "and": ("and", AND, AND, AND),
    "=": ("==", COMPARE, BIT_OR, BIT_OR),
    "!=": ("!=", COMPARE, BIT_OR, BIT_OR),
    **{op: (op, COMPARE, BIT_OR, BIT_OR) for op in ("<", "<=", ">", ">=", "in", "not in", "is", "is not")},
    "|": ("|", BIT_OR, BIT_OR, BIT_XOR),
    "^": ("^", BIT_XOR, BIT_XOR, BIT_AND),
    "&": ("&", BIT_AND, BIT_AND, SHIFT),
    "<<": ("<<", SHIFT, SHIFT, SUM),
    ">>": (">>", SHIFT, SHIFT, SUM),
    "+": ("+", SUM, SUM, PRODUCT),
    "-": ("-", SUM, SUM, PRODUCT),
    "*": ("*", PRODUCT, PRODUCT, UNARY),
    "div": ("//", PRODUCT, PRODUCT, UNARY),
    "mod": ("%", PRODUCT, PRODUCT, UNARY),
}

PRIMITIVE_FORMATS = {
    "any_below": "int(rnd() * {})",
    "append": "{}.append({})",
    "copied": "{}[:]",
    "extended": "(*{}, {})",
    "front": "{}[0]",
    "fn_max": "max({}, default=0)",
    "insert_stop": "{}.insert(0, -1)",
    "items_at": "tuple([{}[i] for i in {}])",
    "fn_larger": "max({}, {})",
    "back": "{}[-1]",
    "fn_min": "min({}, default=0)",
    "length": "len({})",
    "named_options": "[(x, ()) for x in {}]",
    "no_options": "[]",
    "occurrences": "{}.count({})",
    "ones": "{}.bit_count()",
    "format_end_reason": "format_end_reason(c, z, {}, {})",
    "pick_options": "[(0, ({}[x],)) for x in {}]",
    "reversed": "{}[::-1]",
    "seen_by_both": "({}) & ({})",
    "fn_smaller": "min({}, {})",
    "fn_abs": "abs({})",
    "fn_sum": "sum({})",
    "snapshot": "tuple({})",
    "up_to": "range({})",
}
"""Primitive -> format of its Python expression. All other primitives are calls by name."""

ATOM_PRIMITIVES = frozenset(
    {"append", "back", "copied", "extended", "front", "insert_stop", "items_at", "occurrences", "ones", "reversed"}
)
LEVELS = {"seen_by_both": BIT_OR}
FEW_ITEMS = 8  # a loop with at most this many iterations uses a constant tuple instead of a range
SHORT_TEXT = 40  # expressions shorter than this may be printed twice


def _format_value(printer: Any, value: ir.Value, level: int = CONDITIONAL) -> str:
    """Return a value as an expression, in parentheses if its precedence is less than ``level``."""
    result = VALUES[type(value)](printer, value)
    text, precedence = (result, ATOM) if isinstance(result, str) else result
    return f"({text})" if precedence < level else text


def _format_values(printer: Any, values: tuple[ir.Value, ...]) -> str:
    """Return the expressions of values with ``, `` between them, without brackets. No values give an empty text."""
    return ", ".join(_format_value(printer, value) for value in values)


ValueText = tuple[str, int]
"""An expression and its precedence. An expression alone stands for one that never needs parentheses."""


# ---------------------------------------------------------------- atoms


def _format_constant(printer: Any, value: ir.Const) -> ValueText:
    literal_text = format_literal(value.value)
    return literal_text, UNARY if literal_text.startswith("-") else ATOM


def _format_index(printer: Any, value: ir.Index, addend: int = 0) -> str:
    """Return an index plus ``addend`` as an expression: ``a * 3 + b + 5 + 12`` has two terms, the constant 5 with
    ``addend`` in it, and ``base`` 12.

    Without terms it is one number. A constant below 0 is subtracted; a constant or ``base`` of 0 is left out. The
    result is not in parentheses.
    """
    constant = value.constant + addend
    if not value.terms:
        return str(constant + value.base)
    terms = [
        _format_value(printer, term, PRODUCT) + (f" * {stride}" if stride != 1 else "") for term, stride in value.terms
    ]
    index_text = " + ".join(terms)
    if constant:
        index_text += f" + {constant}" if constant > 0 else f" - {-constant}"
    return f"{index_text} + {value.base}" if value.base else index_text


def _format_entry(printer: Any, value: ir.Entry) -> str:
    match value:
        case ir.Entry(container=ir.SpaceMasks(place=place), index=ir.Const() as constant):
            return str(printer._format_mask(place, constant))
    index_text = _format_value(printer, value.index, CONDITIONAL if value.low is None else PRODUCT)
    offset = f" - {value.low}" if value.low else ""
    return f"{_format_value(printer, value.container, ATOM)}[{index_text}{offset}]"


def _format_frame(printer: Any, value: ir.Frame) -> str:
    return "{" + ", ".join(f"{slot}: {_format_value(printer, expr)}" for slot, expr in value.pairs) + "}"


# ---------------------------------------------------------------- compounds


def _format_let(printer: Any, node: ir.Let) -> str:
    name, value = _format_value(printer, node.target), _format_value(printer, node.value)
    body = _format_value(printer, node.body)
    return f"(lambda {name}: {body})({value})" if node.is_in_source else f"({name} := {value}, {body})[1]"


def _format_unary(printer: Any, value: ir.Unary) -> ValueText:
    if value.op == "not":
        return f"not {_format_value(printer, value.operand, NOT)}", NOT
    return f"{value.op}{_format_value(printer, value.operand, UNARY)}", UNARY


def _format_binary(printer: Any, value: ir.Binary) -> ValueText:
    op, precedence, left, right = OPERATORS[value.op]
    return f"{_format_value(printer, value.left, left)} {op} {_format_value(printer, value.right, right)}", precedence


def _format_conditional(printer: Any, value: ir.Choose) -> ValueText:
    then, test = _format_value(printer, value.then, OR), _format_value(printer, value.test, OR)
    return f"{then} if {test} else {_format_value(printer, value.otherwise)}", CONDITIONAL


def _make_chain_formatter(join: str, level: int, part_level: int, single_level: int) -> Callable[[Any, Any], ValueText]:
    """Return a function that joins the parts of a value by an operator.

    ``level`` is the precedence of the result, ``part_level`` the least precedence of each part, and ``single_level``
    the precedence if there is only one part.
    """
    return lambda printer, value: (
        join.join(_format_value(printer, part, part_level) for part in value.parts),
        level if len(value.parts) > 1 else single_level,
    )


def _format_count(printer: Any, value: ir.Count) -> ValueText:
    parts = [_format_value(printer, flag, PRODUCT) for flag in value.flags]
    if len(parts) == 1:
        parts.append("0")
    return " + ".join(parts), SUM


def _format_extreme(printer: Any, value: ir.Extreme) -> ValueText:
    texts = [_format_value(printer, term, BIT_OR) for term in value.terms]
    if len(texts) == 1:
        return texts[0], CONDITIONAL
    if len(texts) == 2 and all(len(text) < SHORT_TEXT for text in texts):
        sign = ">" if value.kind == "max" else "<"
        return f"{texts[0]} if {texts[0]} {sign} {texts[1]} else {texts[1]}", CONDITIONAL
    return f"{value.kind}({', '.join(texts)})", ATOM


def _format_primitive(printer: Any, value: ir.Primitive) -> ValueText:
    match value.name:
        case "pick":
            stream, *other_arguments = value.args
            return f"pick(c, {printer._find_stream(stream)}, {_format_values(printer, tuple(other_arguments))})", ATOM
        case "bits":
            return " | ".join(_format_value(printer, arg, BIT_OR) for arg in value.args), BIT_OR
        case "both":
            return _format_values(printer, value.args), CONDITIONAL
        case "up_to" if (
            isinstance(value.args[0], ir.Const) and isinstance(count := value.args[0].value, int) and count <= FEW_ITEMS
        ):
            return repr(tuple(range(count))), ATOM
        case "and_stop":
            options, stop = (_format_value(printer, arg, OR) for arg in value.args)
            return f"[(1, ()), *{options}] if {stop} else {options}", CONDITIONAL
    form = PRIMITIVE_FORMATS.get(value.name)
    if form is None:
        return f"{value.name}({_format_values(printer, value.args)})", ATOM
    first_level = ATOM if value.name in ATOM_PRIMITIVES else CONDITIONAL
    first = [_format_value(printer, arg, first_level) for arg in value.args[:1]]
    level = LEVELS.get(value.name, ATOM)
    return form.format(*first, *(_format_value(printer, arg) for arg in value.args[1:])), level


# ---------------------------------------------------------------- lists and texts


def _format_tuple(printer: Any, value: ir.Tuple) -> str:
    return "(" + "".join(_format_value(printer, item) + ", " for item in value.items).strip() + ")"


def _format_record(printer: Any, value: ir.Record) -> str:
    return f"({_format_values(printer, value.items)}{',' if len(value.items) == 1 else ''})"


def _format_items(printer: Any, value: ir.ConditionalItems) -> str:
    flags = [_format_value(printer, flag, ATOM) for flag in value.flags if flag is not None]
    mask = " | ".join(flag if i == 0 else f"{flag} << {i}" for i, flag in enumerate(flags))
    return f"{_format_value(printer, value.rows)}[{mask}]"


def _format_range(printer: Any, value: ir.NumberRange) -> str:
    if value.is_checked:
        return f"make_range({_format_value(printer, value.low)}, {_format_value(printer, value.high)})"
    return f"range({_format_value(printer, value.low)}, {_format_value(printer, value.high, SUM)} + 1)"


def _format_components(printer: Any, value: ir.ComponentsIn) -> str:
    zones = f"z[{value.begin}:{value.end}]"
    if value.counts_visits:
        zones = f"count_component_visits(c, {zones})"
    return f"{'sort_components' if value.is_ordered else 'chain.from_iterable'}({zones})"


def _format_counted_items(printer: Any, value: ir.CountedItems) -> str:
    if value.counts_only_long and isinstance(value.source, ir.NumberRange):
        ends = _format_values(printer, (value.source.low, value.source.high))
        return f"count_range_visits({ends}, c)"
    return f"count_visits(c, {_format_value(printer, value.source, OR)})"


def _format_clause(printer: Any, value: ir.Clause | ir.Pipeline) -> str:
    tests = " and ".join(_format_value(printer, test, AND) for test in value.tests)
    loop = f"for {printer.name_local(value.slot)} in {_format_value(printer, value.source, OR)}"
    return f"{loop}{' if ' if tests else ''}{tests}"


def _format_pipeline(printer: Any, node: ir.Pipeline) -> str:
    name = printer.name_local(node.slot)
    value = name if node.value is None else _format_value(printer, node.value)
    comprehension = " ".join(
        [value, *(_format_clause(printer, clause) for clause in node.outer), _format_clause(printer, node)]
    )
    if node.is_lazy:
        return f"{node.sink}({comprehension})"
    items = f"sorted([{comprehension}])" if node.is_sorted else f"[{comprehension}]"
    match node.sink:
        case "array":
            return items
        case "list":
            return f"tuple({items})"
        case "joined":
            return f"join_lists({items})"
        case "max" | "min":
            return f"{node.sink}({items}, default=0)"
    return f"{node.sink}({items})"


def _format_by_key(printer: Any, node: ir.ByKey) -> str:
    name = printer.name_local(node.slot)
    key = f"lambda {name}: {_format_value(printer, node.key)}"
    return f"select_{node.kind}({_format_value(printer, node.source)}, {key})"


def _format_graph_search(printer: Any, value: ir.GraphSearch) -> str:
    max_steps = "None" if value.max_steps is None else _format_value(printer, value.max_steps)
    target = "" if value.target is None else f", {_format_value(printer, value.target)}"
    arguments = f"{_format_value(printer, value.start)}, {max_steps}{target}"
    name = "find_reachable" if value.target is None else "count_steps"
    return f"{name}({arguments}, lambda {printer.name_local(value.slot)}: {_format_value(printer, value.successors)})"


# ---------------------------------------------------------------- checks


def _format_range_check(printer: Any, value: ir.IntCheck) -> str:
    if value.name is None:
        return f"check_int({_format_value(printer, value.value)})"
    name = value.name.name
    number = f"({name} := {_format_value(printer, value.value)})"
    return f"({name} if {INT_MIN} <= {number} <= {INT_MAX} else raise_overflow())"


def _format_index_check(printer: Any, value: ir.IndexCheck) -> str:
    if not value.is_repeatable:
        index = _format_value(printer, value.value)
        return f"check_range({index}, {value.low}, {value.end}, {format_literal(value.place)})"
    index = _format_value(printer, value.value, ATOM)
    fault = f"raise_bad_index({format_literal(value.place)}, {index})"
    return f"({index} if {value.low} <= {index} < {value.end} else {fault})"


VALUES: dict[type[ir.Value], Callable[[Any, Any], ValueText | str]] = {
    ir.PendingQuestion: lambda printer, value: f"q{value.number}(c, z)",
    ir.Extreme: _format_extreme,
    ir.Binary: _format_binary,
    ir.Bind: lambda printer, value: (
        f"({_format_value(printer, value.target)} := {_format_value(printer, value.value)})"
    ),
    ir.BoundLocal: lambda printer, value: printer.name_local(value.slot),
    ir.ByKey: _format_by_key,
    ir.CallQuery: lambda printer, value: (
        f"value{value.number}({', '.join(['c', 'z', *(_format_value(printer, arg) for arg in value.args)])})"
    ),
    ir.Cell: lambda printer, value: printer._format_cell(value),
    ir.Choose: _format_conditional,
    ir.Clause: _format_clause,
    ir.Const: _format_constant,
    ir.Count: _format_count,
    ir.Entry: _format_entry,
    ir.AllOf: _make_chain_formatter(" and ", AND, NOT, CONDITIONAL),
    ir.IntCheck: _format_range_check,
    ir.Frame: _format_frame,
    ir.IndexCheck: _format_index_check,
    ir.Index: lambda printer, value: (_format_index(printer, value), SUM),
    ir.ConditionalItems: _format_items,
    ir.NotNone: lambda printer, value: f"require({_format_value(printer, value.value)})",
    ir.Let: _format_let,
    ir.ListLengthCheck: lambda printer, value: f"check_list({_format_value(printer, value.value)})",
    ir.Local: lambda printer, value: printer.name_local(value.slot),
    ir.SpaceMasks: lambda printer, value: printer._format_marks(value.place),
    ir.Location: lambda printer, value: printer._format_location(value.component),
    ir.ComponentsIn: _format_components,
    ir.Option: lambda printer, value: printer.options[value.name],
    ir.Temporary: lambda printer, value: value.name,
    ir.Pipeline: _format_pipeline,
    ir.Primitive: _format_primitive,
    ir.GraphSearch: _format_graph_search,
    ir.Record: _format_record,
    ir.Register: lambda printer, value: printer._format_register(value),
    ir.TextLengthCheck: lambda printer, value: f"check_text_length(c, {_format_value(printer, value.value)})",
    ir.Label: lambda printer, value: f"show({format_literal(value.type)}, {_format_value(printer, value.value)})",
    ir.AnyOf: _make_chain_formatter(" or ", OR, AND, CONDITIONAL),
    ir.NumberRange: _format_range,
    ir.Concatenation: lambda printer, value: (
        f"({', '.join(f'*{_format_value(printer, part, OR)}' for part in value.parts)})"
    ),
    ir.Stream: lambda printer, value: printer._format_stream(value),
    ir.Sum: _make_chain_formatter(" + ", SUM, PRODUCT, PRODUCT),
    ir.Table: lambda printer, value: f"K{value.number}",
    ir.Text: _make_chain_formatter(" + ", SUM, PRODUCT, ATOM),
    ir.Tuple: _format_tuple,
    ir.Unary: _format_unary,
    ir.CountedItems: _format_counted_items,
    ir.Zone: lambda printer, value: printer._format_zone(value),
}


@dataclass(frozen=True)
class Storage:
    """Say where the printed code keeps the state.

    Attributes:
        is_flat: Everything is in the lists ``c`` (cells) and ``z`` (zones). Otherwise local variables hold the state,
            with the exceptions below.
        places: The places that stay in ``c``, because shared routines touch them.
        streams: The random streams that stay in ``c``.
        keeps_counters: Whether the engine's own registers stay in ``c``.
        separate_none_masks: The variables over spaces whose mask of none has a variable of its own.
    """

    is_flat: bool
    places: frozenset[str] = frozenset()
    streams: frozenset[str] = frozenset()
    keeps_counters: bool = True
    separate_none_masks: frozenset[str] = frozenset()


@dataclass
class Printer:
    """Print the functions of one module into ``lines``."""

    layout: StateLayout
    names: dict[int, str]  # slot -> name of the local
    options: dict[str, str]  # option of the game -> its name in generated code, such as ``option0``
    storage: Storage
    lines: list[tuple[str, ir.Provenance]] = field(default_factory=list)
    is_routine: bool = False  # whether the function is a shared routine; those of playouts see zones only through ``z``

    def __post_init__(self) -> None:
        self.place_names = make_place_names(self.layout.places)

    # ------------------------------------------------------------ storage

    def name_local(self, slot: int) -> str:
        """Return a readable, unique Python name for the local with this slot, such as ``gold_7``."""
        return make_identifier(self.names[slot], slot)

    def _format_cell(self, value: ir.Cell) -> str:
        """Return the expression of a cell: ``c[7]`` if ``storage`` is flat or ``storage.places`` has the place of the
        cell.

        Otherwise it is a local variable of a playout: ``P_round``, or ``P_gold[2]`` for a place with dimensions. The
        index of ``value`` counts from the first cell of the place. In ``c``, the place's offset is added to it.
        """
        place = self.layout.places[value.place]
        if self.storage.is_flat or value.place in self.storage.places:
            return f"c[{_format_index(self, value.index, place.offset)}]"
        name = self.place_names[value.place]
        return f"{name}[{_format_index(self, value.index)}]" if place.dims else name

    def _format_marks(self, place: str) -> str:
        """Return the name of the variable that holds the masks of a place: ``M`` and its position among the places."""
        return f"M{list(self.place_names).index(place)}"

    def _format_mask(self, place: str, value: ir.Value) -> str:
        """Return the expression for the bit mask of the spaces at which a place has the value ``value``: an entry of
        its masks, ``M0[…]``.

        The constant none has a variable of its own, such as ``N0``, in places that keep it apart.
        """
        if place in self.storage.separate_none_masks and isinstance(value, ir.Const) and value.value is None:
            return f"N{self._format_marks(place)[1:]}"
        return f"{self._format_marks(place)}[{_format_value(self, value)}]"

    def _format_zone(self, zone: ir.Zone) -> str:
        """Return the expression of the list of a zone.

        It is ``Z3`` in the main function of a playout, if the number is constant; else an item of ``z``: ``z[3]`` or
        ``z[seat_4 + 5]``.
        """
        number = zone.number.number
        has_local_name = number is not None and not self.storage.is_flat and not self.is_routine
        return f"Z{number}" if has_local_name else f"z[{_format_index(self, zone.number)}]"

    def _format_location(self, component: ir.Value) -> str:
        """Return the expression of the zone number of a component, an item of ``c``: ``c[card_3 + 40]``."""
        return f"c[{_format_value(self, component, SUM)} + {self.layout.location}]"

    def _format_register(self, value: ir.Register) -> str:
        """Return the expression of a register of the engine: ``c[N]`` for a cell of the state, or a local variable.

        ``repeats``, ``over`` and ``reason`` are always cells. ``work``, ``until`` and ``decisions`` are variables in a
        playout that does not keep its counters in cells. The variable has the name of the register, but ``decisions``
        is ``d``. As a cell, ``decisions`` is the first one after those of the layout.
        """
        layout = self.layout
        cells = {"over": layout.over, "reason": layout.reason, "work": layout.work, "until": layout.size + UNTIL}
        if value.name == "repeats":
            return f"c[{layout.repeats[value.phase]}]"
        if value.name in ("over", "reason") or self.storage.keeps_counters:
            return f"c[{cells.get(value.name, layout.size)}]"
        return {"decisions": "d"}.get(value.name, value.name)

    def _find_stream(self, value: Any) -> str:
        """Return the number of the cell of a random stream, as text."""
        return str(self.layout.streams[value.name])

    def _format_stream(self, value: ir.Stream) -> str:
        """Return the expression of a random stream: a local variable of a playout, ``S_dice``, or an item of ``c``."""
        is_variable = not self.storage.is_flat and value.name not in self.storage.streams
        return f"S_{value.name}" if is_variable else f"c[{self._find_stream(value)}]"

    # ------------------------------------------------------------ functions

    def print_function(self, function: ir.Function, logs_events: bool) -> None:
        """Append an empty line, a line such as ``def b3(c, z, log):``, and the block of a function to ``lines``.

        Each is a pair with its provenance. For a block ``b3`` without operations, the pairs are ``("", ir.NOWHERE)``,
        ``("def b3(c, z):", ir.NOWHERE)`` and ``("    pass", ir.NOWHERE)``. The first two are ``ir.NOWHERE`` also with
        operations. :meth:`_list_parameters` gives the parameters. ``is_routine`` becomes true for the roles ``effect``
        and ``query``, else false.
        """
        self.is_routine = function.role in ("effect", "query")
        self.lines.append(("", ir.NOWHERE))
        parameters = ", ".join(self._list_parameters(function, logs_events))
        self.lines.append((f"def {function.name}({parameters}):", ir.NOWHERE))
        self.print_block(function.ops, 1)

    def _list_parameters(self, function: ir.Function, logs_events: bool) -> list[str]:
        """Return the names of all parameters of a printed function, in order.

        They are ``c`` (the cells), ``z`` (the zones) and those in ``function.params``. If ``storage.is_flat``, ``q``
        stands before the latter in the role ``options``, and ``i, q`` in ``resume``. With ``logs_events``, ``log`` then
        comes last in the roles ``block``, ``effect`` and ``resume``. If ``storage.is_flat`` is false, only the role
        ``effect`` has one more: ``rnd``, first. The role ``playout`` has ``rnd``, ``seed`` and ``table`` only.
        """
        if function.role == "playout":
            return ["rnd", "seed", "table"]
        names = [self.name_local(slot) for slot in function.params]
        if not self.storage.is_flat:
            return ["rnd", "c", "z", *names] if function.role == "effect" else ["c", "z", *names]
        answer = {"options": ["q"], "resume": ["i", "q"]}.get(function.role, [])
        has_log = logs_events and function.role in ("block", "effect", "resume")
        return ["c", "z", *answer, *names, *(["log"] if has_log else [])]

    def print_block(self, ops: ir.Ops, level: int) -> None:
        """Print operations at a level of indentation, or ``pass`` if there are none."""
        for op in ops:
            OPS.get(type(op), _print_simple_line)(self, op, level)
        if not ops:
            self.print_line(level, "pass", ir.NOWHERE)

    def print_line(self, level: int, line: str, place: ir.Provenance) -> None:
        """Print one line at a level of indentation (four spaces each), and record the place that it comes from."""
        self.lines.append(("    " * level + line, place))


# ---------------------------------------------------------------- operations


def _format_simple_operation(printer: Printer, op: ir.Op) -> str:
    """Return the line of an operation that takes a single line, without indentation: ``x_3 += 1`` or ``return 7``.

    Raise TypeError for any other.
    """
    match op:
        case ir.Set(target=target, value=value, op=sign, cell=cell):
            name_before = "" if cell is None else f"c[{cell}] = "
            target_text, sign_text = _format_value(printer, target), "" if sign == "=" else sign
            return f"{name_before}{target_text} {sign_text}= {_format_value(printer, value)}"
        case ir.Load(slot=slot, cell=cell):
            return f"{printer.name_local(slot)} = c[{cell}]"
        case ir.Unpack(targets=targets, value=value):
            names = ", ".join("_" if target is None else _format_value(printer, target) for target in targets)
            return f"{names} = {_format_value(printer, value)}"
        case ir.Draw(slot=slot, stream=stream, domain=domain):
            state = printer._format_stream(stream)
            return f"{state}, {printer.name_local(slot)} = draw_item({state}, {_format_value(printer, domain)})"
        case ir.Evaluate(value=value):
            return _format_value(printer, value)
        case ir.LogEvent(event=event, entries=entries):
            return f"log.append(new({event}, {_format_value(printer, entries)}))"
        case ir.LogAnnouncement(number=number, seats=seats, frame=frame):
            return f"announce(c, z, log, {number}, {_format_value(printer, seats)}, {_format_value(printer, frame)})"
        case ir.Break():
            return "break"
        case ir.Return(values=values):
            return f"return {_format_values(printer, values)}" if values else "return"
        case ir.Goto(label=label):
            return f"return {label}"
        case ir.CallEffect(number=number, args=args, build=build):
            arguments = ["c", "z"] if printer.storage.is_flat else ["rnd", "c", "z"]
            arguments += [_format_value(printer, arg) for arg in args]
            return f"effect{number}({', '.join(arguments + (['log'] if build == ir.EVENTS else []))})"
    return _format_component_operation(printer, op)


def _format_component_operation(printer: Printer, op: ir.Op) -> str:
    match op:
        case ir.CopyZone(zone=zone):
            return f"{printer._format_zone(zone)} = {printer._format_zone(zone)}[:]"
        case ir.MoveCards(cards=ir.Record(items=(card,)), zone=number, to_top=False) if not printer.storage.is_flat:
            return f"move_card(c, z, {_format_value(printer, card)}, {_format_index(printer, number)})"
        case ir.MoveCards(cards=cards, zone=number, to_top=is_top, build=build):
            mover = "move_cards_in_new_lists" if printer.storage.is_flat else "move_cards"
            log = ", log" if build == ir.EVENTS else ""
            return f"{mover}(c, z, {_format_value(printer, cards)}, {_format_index(printer, number)}, {is_top}{log})"
        case ir.TakeEnd(card=card, zone=zone, is_first=is_first):
            return f"{card.name} = {printer._format_zone(zone)}.pop({'0' if is_first else ''})"
        case ir.PutComponent(card=card, zone=zone, is_top=is_top):
            return f"{printer._format_zone(zone)}.{f'insert(0, {card.name})' if is_top else f'append({card.name})'}"
        case ir.Locate(card=card, zone=number):
            return f"{printer._format_location(card)} = {_format_index(printer, number)}"
    raise TypeError(type(op).__name__)


def _print_simple_line(printer: Printer, op: ir.Op, level: int) -> None:
    printer.print_line(level, _format_simple_operation(printer, op), op.place)


def _print_if(printer: Printer, op: ir.If, level: int) -> None:
    keyword = "if"
    for branch in op.branches:
        line = "else:" if branch.test is None else f"{keyword} {_format_value(printer, branch.test)}:"
        printer.print_line(level, line, branch.place)
        printer.print_block(branch.ops, level + 1)
        keyword = "elif"


def _print_loop(printer: Printer, op: ir.Loop, level: int) -> None:
    target = "_" if op.target is None else _format_value(printer, op.target)
    source = _format_value(printer, op.source, OR if isinstance(op.target, ir.BoundLocal) else CONDITIONAL)
    printer.print_line(level, f"for {target} in {source}:", op.place)
    printer.print_block(op.ops, level + 1)


def _print_while(printer: Printer, op: ir.While, level: int) -> None:
    printer.print_line(level, f"while {_format_value(printer, op.test)}:", op.place)
    printer.print_block(op.ops, level + 1)


def _print_mask_update(printer: Printer, op: ir.UpdateMasks, level: int) -> None:
    place = op.cell.place
    printer.print_line(level, f"bit = 1 << {_format_value(printer, op.space, SUM)}", op.place)
    value_before = op.cell if op.before is None else op.before
    printer.print_line(level, f"{printer._format_mask(place, value_before)} ^= bit", op.place.drop_reads())
    printer.print_line(level, f"{printer._format_mask(place, op.value)} ^= bit", op.place.drop_reads())


def _print_wait(printer: Printer, op: ir.WaitForAnswer, level: int) -> None:
    printer.print_line(level, f"c[{printer.layout.size + WAITS}] = {op.number}", op.place)
    printer.print_line(level, f"return {_format_values(printer, op.question)}", op.place.drop_reads())


WORK, UNTIL_LIMIT = ir.Register("work"), ir.Register("until")


def _print_work(printer: Printer, op: ir.CountWork, level: int) -> None:
    work = printer._format_register(WORK)
    printer.print_line(level, f"{work} += {op.work}", op.place)
    if op.is_checked:
        limit_test = f"if {work} > {printer._format_register(UNTIL_LIMIT)}: raise_limit('decision')"
        printer.print_line(level, limit_test, op.place.drop_reads())


def _print_shuffle(printer: Printer, op: ir.Shuffle, level: int) -> None:
    zone, stream = printer._format_zone(op.zone), printer._format_stream(op.stream)
    if not op.can_be_forced:
        printer.print_line(level, f"{stream} = shuffle({stream}, {zone})", op.place)
        return
    is_free = f"c[{printer.layout.size + FORCED}] is None"
    printer.print_line(level, f"if {is_free}: {stream} = shuffle_with_cell({stream}, {zone})", op.place)
    printer.print_line(
        level, f"else: shuffle_zone(c, {printer._find_stream(op.stream)}, {zone})", op.place.drop_reads()
    )


def _print_initialization(printer: Printer, op: ir.Initialize, level: int) -> None:
    """Print the assignments that initialize one thing at the start of a playout; the kind of ``op`` says what."""
    match op.kind:
        case "decisions":
            lines = ["d = 0"]
        case "work":
            lines = [f"work, until = 0, {op.value}"]
        case "place":
            name, values = printer.place_names[str(op.name)], [format_literal(value) for value in op.value]
            has_indices = printer.layout.places[str(op.name)].dims
            lines = [f"{name} = [{', '.join(values)}]" if has_indices else f"{name} = {values[0]}"]
        case "marks":
            name, masks, lines = str(op.name), dict(op.value), []
            if name in printer.storage.separate_none_masks:
                lines.append(f"{printer._format_mask(name, ir.Const(None))} = {masks.pop(None)}")
            entries = ", ".join(f"{format_literal(value)}: {spaces}" for value, spaces in masks.items())
            lines.append(f"{printer._format_marks(name)} = {{{entries}}}")
        case "zone":
            lines = [f"Z{op.name} = [{', '.join(map(str, op.value))}]"]
        case "zones":
            lines = [f"z = [{', '.join(f'Z{number}' for number in range(op.value))}]"]
        case "cells":
            lines = [f"c = [*{_format_value(printer, op.value)}]"]
        case "stream cell":
            lines = [f"c[{printer.layout.streams[str(op.name)]}] = seeded(seed, {format_literal(op.name)})"]
        case _:  # a random stream, seeded as in random_streams.seed
            stream = f"S_{op.name}"
            lines = [f"{stream} = seed * {MULTIPLIER} + {stream_name(str(op.name))} & {MASK}"]
            lines.append(f"{stream} = ({stream} ^ {stream} >> 30) * {MIX_MULTIPLIERS[0]} & {MASK}")
            lines.append(f"{stream} = ({stream} ^ {stream} >> 27) * {MIX_MULTIPLIERS[1]} & {MASK}")
            lines.append(f"{stream} ^= {stream} >> 31")
    for line in lines:
        printer.print_line(level, line, op.place)


OPS: dict[type[ir.Op], Callable[[Printer, Any, int], None]] = {
    ir.Initialize: _print_initialization,
    ir.Loop: _print_loop,
    ir.UpdateMasks: _print_mask_update,
    ir.Shuffle: _print_shuffle,
    ir.CountWork: _print_work,
    ir.WaitForAnswer: _print_wait,
    ir.If: _print_if,
    ir.While: _print_while,
}
"""Class of an operation -> its printer. Any other operation takes a single line."""


def _format_table(value: object) -> str:
    """Return the literal for a constant of the module. The numbers of a set are in ascending order."""
    if isinstance(value, frozenset):
        return f"frozenset({format_literal(tuple(sorted(value)))})"
    return format_literal(value)


def print_module(printer: Printer, title: str, module: ir.Module) -> list[tuple[str, ir.Provenance]]:
    """Return the lines of a module, each with its place in the ruleset: title, constants and functions.

    ``title`` is the first line. The constants follow, as ``K1 = (3, 5)``, ``K2``, …. Title, constants, the empty line
    before each function, ``def`` lines and the ``pass`` of an empty block have the place ``ir.NOWHERE``.
    :meth:`Printer.print_function` prints each function, with all its parameters: ``def f0(c, z):``. The result is also
    the new value of ``printer.lines``.
    """
    head = [title, *(f"K{number} = {_format_table(value)}" for number, value in enumerate(module.tables, 1))]
    printer.lines = [(line, ir.NOWHERE) for line in head]
    for function in module.functions:
        printer.print_function(function, logs_events=module.kind == "events")
    return printer.lines
