"""Print the intermediate representation as Python source.

Values become expressions, with parentheses only where precedence requires them. Operations become lines.
:func:`listing` returns the lines of a module, each with its place in the ruleset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.types.types import INT_MAX, INT_MIN

from ...state.random_streams import (
    INCREMENT,
    LOW_MASK,
    MASK,
    MIX_MULTIPLIERS,
    MULTIPLIER,
    hash_stream_name as stream_name,
)
from ...state.state import StateLayout
from .. import ir
from .runtime import FORCED, UNTIL, WAITS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_REMARKABLE = re.compile(r"[a-z0-9_-]+", re.ASCII)


def literal(value: object) -> str:
    """Return a value as a Python literal.

    The value is None, a bool, an int or a text, or a tuple or dict of these. Raises TypeError for anything else.
    """
    _check(value)
    return ascii(value)


def identifier(name: str, number: int, prefix: str = "") -> str:
    """Return a Python identifier for a name. The number makes it unique.

    Without ``prefix``, the result is for a local: the plain letters of the name, and the number. With ``prefix``, it is
    for a declared name: the name itself, or the number if the name is not a plain identifier.
    """
    if prefix:
        return f"{prefix}_{name if _PLAIN.fullmatch(name) else number}"
    plain = re.sub("[^a-z0-9_]", "", name.lower()).lstrip("_0123456789")
    return f"{plain or 'v'}_{number}"


def place_names(places: Iterable[str]) -> dict[str, str]:
    """Map the name of each place to the local variable that holds it in a playout."""
    return {name: identifier(name, number, prefix="P") for number, name in enumerate(places)}


def remark(*words: str | int) -> str:
    """Return a comment line of ids, words and numbers."""
    return "# " + " ".join(str(word) if isinstance(word, int) else plain_id(word) for word in words)


def plain_id(name: str) -> str:
    """Return an id if it has only the characters that ids may have, else ``unnamed``."""
    return name if _REMARKABLE.fullmatch(name) else "unnamed"


def _check(value: object) -> None:
    if type(value) is tuple:
        for item in value:
            _check(item)
    elif type(value) is dict:
        for pair in value.items():
            _check(pair)
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

CALLED = {
    "any_below": "int(rnd() * {})",
    "append": "{}.append({})",
    "copied": "{}[:]",
    "extended": "(*{}, {})",
    "front": "{}[0]",
    "greatest": "max({}, default=0)",
    "insert_stop": "{}.insert(0, -1)",
    "items_at": "tuple([{}[i] for i in {}])",
    "larger_of": "max({}, {})",
    "back": "{}[-1]",
    "least": "min({}, default=0)",
    "length": "len({})",
    "lowest_of": "({0} ^ {0} - 1).bit_length() - 1",
    "named_options": "[(x, ()) for x in {}]",
    "no_options": "[]",
    "occurrences": "{}.count({})",
    "ones": "{}.bit_count()",
    "openly_said": "openly_said(c, z, {}, {})",
    "pick_options": "[(0, ({}[x],)) for x in {}]",
    "reversed": "{}[::-1]",
    "seen_by_both": "({}) & ({})",
    "smaller_of": "min({}, {})",
    "absolute": "abs({})",
    "added_up": "sum({})",
    "snapshot": "tuple({})",
    "up_to": "range({})",
    "without_lowest": "{0} & {0} - 1",
    "winners": "tuple([seat for seat, place in enumerate({}) if place == 1])",
}
"""Primitive -> format of its Python expression. All other primitives are calls by name."""

OF_ITEMS = frozenset(
    {"append", "back", "copied", "extended", "front", "insert_stop", "items_at", "lowest_of", "occurrences", "ones"}
    | {"reversed", "without_lowest"}
)
LEVELS = {"lowest_of": SUM, "seen_by_both": BIT_OR, "without_lowest": BIT_AND}
FEW = 8  # a loop with at most this many iterations uses a constant tuple instead of a range
SHORT = 40  # expressions shorter than this may be printed twice


def text(p: Any, v: ir.Value, level: int = CONDITIONAL) -> str:
    """Return a value as an expression. ``p`` is the printer.

    The expression is in parentheses if its precedence is less than ``level``.
    """
    written, own = VALUES[type(v)](p, v)
    return f"({written})" if own < level else written


def commas(p: Any, values: tuple[ir.Value, ...]) -> str:
    return ", ".join(text(p, v) for v in values)


Written = tuple[str, int]
"""An expression and its precedence."""


def _atom(write: Callable[[Any, Any], str]) -> Callable[[Any, Any], Written]:
    return lambda p, v: (write(p, v), ATOM)


# ---------------------------------------------------------------- atoms


def _const(p: Any, v: ir.Const) -> Written:
    written = literal(v.value)
    return written, UNARY if written.startswith("-") else ATOM


def index(p: Any, v: ir.Index, behind: int = 0) -> str:
    """Return an index plus ``behind`` as an expression, with constants folded."""
    constant = v.constant + behind
    if not v.terms:
        return str(constant + v.base)
    terms = [text(p, term, PRODUCT) + (f" * {stride}" if stride != 1 else "") for term, stride in v.terms]
    written = " + ".join(terms)
    if constant:
        written += f" + {constant}" if constant > 0 else f" - {-constant}"
    return f"{written} + {v.base}" if v.base else written


def _index(p: Any, v: ir.Index) -> Written:
    return index(p, v), SUM


def _entry(p: Any, v: ir.Entry) -> str:
    if (
        isinstance(v.container, ir.SpaceMasks)
        and v.container.place in p.storage.apart
        and isinstance(v.index, ir.Const)
    ):
        return str(p.mask(v.container.place, v.index))
    at = text(p, v.index, CONDITIONAL if v.low is None else PRODUCT)
    return f"{text(p, v.container, ATOM)}[{at} - {v.low}]" if v.low else f"{text(p, v.container, ATOM)}[{at}]"


def _frame(p: Any, v: ir.Frame) -> str:
    return "{" + ", ".join(f"{slot}: {text(p, e)}" for slot, e in v.pairs) + "}"


# ---------------------------------------------------------------- compounds


def _let(p: Any, v: ir.Let) -> str:
    name, value, body = text(p, v.target), text(p, v.value), text(p, v.body)
    return f"(lambda {name}: {body})({value})" if v.source else f"({name} := {value}, {body})[1]"


def _unary(p: Any, v: ir.Unary) -> Written:
    if v.op == "not":
        return f"not {text(p, v.operand, NOT)}", NOT
    return f"{v.op}{text(p, v.operand, UNARY)}", UNARY


def _binary(p: Any, v: ir.Binary) -> Written:
    op, own, left, right = OPERATORS[v.op]
    return f"{text(p, v.left, left)} {op} {text(p, v.right, right)}", own


def _choose(p: Any, v: ir.Choose) -> Written:
    return f"{text(p, v.then, OR)} if {text(p, v.test, OR)} else {text(p, v.otherwise)}", CONDITIONAL


def _several(join: str, level: int, part: int, alone: int) -> Callable[[Any, Any], Written]:
    """Return a function that joins the parts of a value by an operator.

    ``level`` is the precedence of the result, ``part`` the least precedence of each part, and ``alone`` the precedence
    if there is only one part.
    """
    return lambda p, v: (join.join(text(p, one, part) for one in v.parts), level if len(v.parts) > 1 else alone)


def _count(p: Any, v: ir.Count) -> Written:
    parts = [text(p, flag, PRODUCT) for flag in v.flags]
    if v.certain_count or len(parts) == 1:
        parts.append(str(v.certain_count))
    return " + ".join(parts), SUM


def _best(p: Any, v: ir.Extreme) -> Written:
    if any(condition is not None for condition, _ in v.terms):
        items = [text(p, e) if c is None else f"*(({text(p, e)},) if {text(p, c)} else ())" for c, e in v.terms]
        return f"{v.kind}(({', '.join(items)},), default=0)", ATOM
    texts = [text(p, e, BIT_OR) for _, e in v.terms]
    if len(texts) == 1:
        return texts[0], CONDITIONAL
    if len(texts) == 2 and all(len(t) < SHORT for t in texts):
        sign = ">" if v.kind == "max" else "<"
        return f"{texts[0]} if {texts[0]} {sign} {texts[1]} else {texts[1]}", CONDITIONAL
    return f"{v.kind}({', '.join(texts)})", ATOM


def _prim(p: Any, v: ir.Primitive) -> Written:
    match v.name:
        case "pick":
            stream, *others = v.args
            return f"pick(c, {p.stream_cell(stream)}, {commas(p, tuple(others))})", ATOM
        case "bits":
            return " | ".join(text(p, part, BIT_OR) for part in v.args), BIT_OR
        case "both":
            return commas(p, v.args), CONDITIONAL
        case "up_to" if isinstance(v.args[0], ir.Const) and isinstance(times := v.args[0].value, int) and times <= FEW:
            return repr(tuple(range(times))), ATOM
        case "no_int":
            return f"not {INT_MIN} <= {text(p, v.args[0], BIT_OR)} <= {INT_MAX}", NOT
        case "and_stop":
            options, stop = (text(p, arg) for arg in v.args)
            return f"[(1, ()), *{options}] if {stop} else {options}", CONDITIONAL
    form = CALLED.get(v.name)
    if form is None:
        return f"{v.name}({commas(p, v.args)})", ATOM
    loose = ATOM if v.name in OF_ITEMS else CONDITIONAL
    first = [text(p, arg, loose) for arg in v.args[:1]]
    level = LEVELS.get(v.name, ATOM)
    return form.format(*first, *(text(p, arg) for arg in v.args[1:])), level


# ---------------------------------------------------------------- lists and texts


def _tuple(p: Any, v: ir.Tuple) -> str:
    return "(" + "".join(text(p, item) + ", " for item in v.items).strip() + ")"


def _record(p: Any, v: ir.Record) -> str:
    return f"({commas(p, v.items)}{',' if len(v.items) == 1 else ''})"


def _spread(p: Any, v: ir.Concatenation) -> str:
    return f"({', '.join(f'*{text(p, part, OR)}' for part in v.parts)})"


def _items(p: Any, v: ir.ConditionalItems) -> str:
    flags = [text(p, flag, ATOM) for flag in v.flags if flag is not None]
    mask = " | ".join(flag if i == 0 else f"{flag} << {i}" for i, flag in enumerate(flags))
    return f"{text(p, v.rows)}[{mask}]"


def _span(p: Any, v: ir.NumberRange) -> str:
    if v.is_checked:
        return f"range_of({text(p, v.low)}, {text(p, v.high)})"
    return f"range({text(p, v.low)}, {text(p, v.high, SUM)} + 1)"


def _lying(p: Any, v: ir.ComponentsIn) -> str:
    zones = f"visiting_all(c, {text(p, v.zones)})" if v.counts_visits else text(p, v.zones)
    return f"{'lying' if v.is_ordered else 'chain.from_iterable'}({zones})"


def _visited(p: Any, v: ir.CountedItems) -> str:
    if v.is_short and isinstance(v.source, ir.NumberRange):
        return f"visiting_range_of({text(p, v.source.low)}, {text(p, v.source.high)}, c)"
    return f"visiting(c, {text(p, v.source, OR)})"


def _clause(p: Any, v: ir.Clause | ir.Pipeline) -> str:
    tests = " and ".join(text(p, test, AND) for test in v.tests)
    return f"for {p.local(v.slot)} in {text(p, v.source, OR)}{' if ' if tests else ''}{tests}"


MEETS = {"any": ("=", "in"), "all": ("!=", "not in")}
"""Sink of a pipeline that compares each item -> the comparison, and the operator of Python that replaces the loop."""


def _looked_for(v: ir.Pipeline) -> tuple[ir.Value, ir.Value] | None:
    """Return the value that a pipeline searches for, and the item that it compares, or None if it does more than that.

    The value must be a constant or a local that the pipeline does not assign. Such a value cannot fail if there are no
    items.
    """
    if v.sink in MEETS and isinstance(v.value, ir.Binary) and v.value.op == MEETS[v.sink][0]:
        given: set[object] = {v.slot, *(clause.slot for clause in v.outer)}
        given.update(_name(node.target) for node in ir.walk(v) if isinstance(node, ir.Bind | ir.Let))
        for sought, item in (v.value.left, v.value.right), (v.value.right, v.value.left):
            if isinstance(sought, ir.Const | ir.BoundLocal | ir.Local | ir.Temporary) and _name(sought) not in given:
                return sought, item
    return None


def _name(v: ir.Value) -> int | str | None:
    """Return the slot or the name of a local."""
    return v.slot if isinstance(v, ir.BoundLocal | ir.Local) else v.name if isinstance(v, ir.Temporary) else None


def _pipeline(p: Any, v: ir.Pipeline) -> str:
    name = p.local(v.slot)
    found = _looked_for(v)
    value = name if v.value is None else text(p, found[1] if found else v.value)
    each = " ".join([value, *(_clause(p, outer) for outer in v.outer), _clause(p, v)])
    if found:
        each = f"({each})" if v.is_lazy else f"[{each}]"
        return f"({text(p, found[0], BIT_OR)} {MEETS[v.sink][1]} {each})"
    if v.is_lazy:
        return f"{v.sink}({each})"
    items = f"sorted([{each}])" if v.is_sorted else f"[{each}]"
    match v.sink:
        case "array":
            return items
        case "list":
            return f"tuple({items})"
        case "joined":
            return f"joined({items})"
        case "max" | "min":
            return f"{v.sink}({items}, default=0)"
    return f"{v.sink}({items})"


def _by_key(p: Any, v: ir.ByKey) -> str:
    name = p.local(v.slot)
    return f"{v.kind}_of({text(p, v.source)}, lambda {name}: {text(p, v.key)})"


def _reached(p: Any, v: ir.GraphSearch) -> str:
    within = "None" if v.max_steps is None else text(p, v.max_steps)
    given = f"{text(p, v.start)}, {within}{'' if v.target is None else f', {text(p, v.target)}'}"
    name = "find_reachable" if v.target is None else "count_steps"
    return f"{name}({given}, lambda {p.local(v.slot)}: {text(p, v.successors)})"


# ---------------------------------------------------------------- checks


def _fits(p: Any, v: ir.IntCheck) -> str:
    if v.name is None:
        return f"check_int({text(p, v.value)})"
    name = v.name.name
    number = f"({name} := {text(p, v.value)})"
    test = f"not {INT_MIN} <= {number} <= {INT_MAX}"
    if not v.can_be_below:
        test = f"{number} > {INT_MAX}"
    elif not v.can_be_above:
        test = f"{number} < {INT_MIN}"
    return f"(too_great() if {test} else {name})"


def _in_range(p: Any, v: ir.IndexCheck) -> str:
    if not v.is_repeatable:
        return f"in_range({text(p, v.value)}, {v.low}, {v.end}, {literal(v.place)})"
    at = text(p, v.value, ATOM)
    return f"({at} if {v.low} <= {at} < {v.end} else out_of_range({literal(v.place)}, {at}))"


VALUES: dict[type[ir.Value], Callable[[Any, Any], Written]] = {
    ir.PendingQuestion: _atom(lambda p, v: f"q{v.number}(c, z)"),
    ir.Extreme: _best,
    ir.Binary: _binary,
    ir.Bind: _atom(lambda p, v: f"({text(p, v.target)} := {text(p, v.value)})"),
    ir.BoundLocal: _atom(lambda p, v: p.local(v.slot)),
    ir.ByKey: _atom(_by_key),
    ir.CallQuery: _atom(lambda p, v: f"value{v.number}({', '.join(['c', 'z', *(text(p, a) for a in v.args)])})"),
    ir.Cell: _atom(lambda p, v: p.cell(v)),
    ir.Choose: _choose,
    ir.Clause: _atom(_clause),
    ir.Const: _const,
    ir.Count: _count,
    ir.Entry: _atom(_entry),
    ir.AllOf: _several(" and ", AND, NOT, CONDITIONAL),
    ir.IntCheck: _atom(_fits),
    ir.Flag: _atom(lambda p, v: text(p, v.test, ATOM)),
    ir.Frame: _atom(_frame),
    ir.IndexCheck: _atom(_in_range),
    ir.Index: _index,
    ir.ConditionalItems: _atom(_items),
    ir.NotNone: _atom(lambda p, v: f"known({text(p, v.value)})"),
    ir.Let: _atom(_let),
    ir.ListLengthCheck: _atom(lambda p, v: f"check_list({text(p, v.value)})"),
    ir.Local: _atom(lambda p, v: p.local(v.slot)),
    ir.SpaceMasks: _atom(lambda p, v: p.marks(v.place)),
    ir.Location: _atom(lambda p, v: p.location(v.component)),
    ir.ComponentsIn: _atom(_lying),
    ir.Option: _atom(lambda p, v: p.option(v.name)),
    ir.IndexFault: _atom(lambda p, v: f"out_of_range({literal(v.place)}, {text(p, v.value)})"),
    ir.Temporary: _atom(lambda p, v: v.name),
    ir.Pipeline: _atom(_pipeline),
    ir.Primitive: _prim,
    ir.GraphSearch: _atom(_reached),
    ir.Record: _atom(_record),
    ir.Register: _atom(lambda p, v: p.register(v)),
    ir.TextLengthCheck: _atom(lambda p, v: f"short(c, {text(p, v.value)})"),
    ir.Label: _atom(lambda p, v: f"show({literal(v.type)}, {text(p, v.value)})"),
    ir.AnyOf: _several(" or ", OR, AND, CONDITIONAL),
    ir.NumberRange: _atom(_span),
    ir.Concatenation: _atom(_spread),
    ir.Stream: _atom(lambda p, v: p.stream(v)),
    ir.Sum: _several(" + ", SUM, PRODUCT, PRODUCT),
    ir.Table: _atom(lambda p, v: f"K{v.number}"),
    ir.Text: _several(" + ", SUM, PRODUCT, ATOM),
    ir.Tuple: _atom(_tuple),
    ir.Unary: _unary,
    ir.CountedItems: _atom(_visited),
    ir.Zone: _atom(lambda p, v: p.zone(v)),
    ir.Zones: _atom(lambda p, v: f"z[{v.begin}:{v.end}]"),
}


@dataclass(frozen=True)
class Storage:
    """Say where the printed code keeps the state.

    Attributes:
        flat: Everything is in the lists ``c`` (cells) and ``z`` (zones). Otherwise local variables hold the state, with
            the exceptions below.
        places: The places that stay in ``c``, because shared routines touch them.
        streams: The random streams that stay in ``c``.
        counters: Whether the engine's own registers stay in ``c``.
        apart: The variables over spaces whose mask of none has a variable of its own.
    """

    flat: bool
    places: frozenset[str] = frozenset()
    streams: frozenset[str] = frozenset()
    counters: bool = True
    apart: frozenset[str] = frozenset()


@dataclass
class Printer:
    """Print the functions of one module into ``lines``."""

    layout: StateLayout
    names: dict[int, str]  # slot -> name of the local
    options: dict[str, str]
    storage: Storage
    lines: list[tuple[str, ir.Provenance]] = field(default_factory=list)
    inside: bool = False  # whether the function is a shared routine; those of playouts see zones only through ``z``

    def __post_init__(self) -> None:
        self.own = place_names(self.layout.places)

    # ------------------------------------------------------------ storage

    def local(self, slot: int) -> str:
        """Return a readable, unique Python name for a local."""
        return identifier(self.names[slot], slot)

    def cell(self, v: ir.Cell) -> str:
        place = self.layout.places[v.place]
        if self.storage.flat or v.place in self.storage.places:
            return f"c[{index(self, v.index, place.offset)}]"
        return f"{self.own[v.place]}[{index(self, v.index)}]" if place.dims else self.own[v.place]

    def marks(self, place: str) -> str:
        return f"M{list(self.own).index(place)}"

    def mask(self, place: str, value: ir.Value) -> str:
        """Return the expression for the bit mask of a value."""
        if place in self.storage.apart and isinstance(value, ir.Const) and value.value is None:
            return f"N{self.marks(place)[1:]}"
        return f"{self.marks(place)}[{text(self, value)}]"

    def zone(self, v: ir.Zone) -> str:
        number = v.number.number
        local = number is not None and not self.storage.flat and not self.inside
        return f"Z{number}" if local else f"z[{index(self, v.number)}]"

    def location(self, component: ir.Value) -> str:
        return f"c[{text(self, component, SUM)} + {self.layout.location}]"

    def register(self, v: ir.Register) -> str:
        layout = self.layout
        cells = {"over": layout.over, "reason": layout.reason, "work": layout.work, "until": layout.size + UNTIL}
        if v.name == "repeats":
            return f"c[{layout.repeats[v.phase]}]"
        if v.name in ("over", "reason") or self.storage.counters:
            return f"c[{cells.get(v.name, layout.size)}]"
        return {"decisions": "d"}.get(v.name, v.name)

    def stream_cell(self, v: Any) -> str:
        return str(self.layout.streams[v.name])

    def stream(self, v: ir.Stream) -> str:
        local = not self.storage.flat and v.name not in self.storage.streams
        return f"S_{v.name}" if local else f"c[{self.stream_cell(v)}]"

    def option(self, name: str) -> str:
        return self.options[name]

    # ------------------------------------------------------------ functions

    def function(self, f: ir.Function, log: bool) -> None:
        """Print a function. With ``log``, it logs events."""
        self.inside = f.role in ("effect", "query")
        self.lines.append(("", ir.NOWHERE))
        self.lines.append((f"def {f.name}({', '.join(self.parameters(f, log))}):", ir.NOWHERE))
        self.block(f.ops, 1)

    def parameters(self, f: ir.Function, log: bool) -> list[str]:
        if f.role == "playout":
            return ["rnd", "seed", "table"]
        given = [self.local(slot) for slot in f.params]
        if not self.storage.flat:
            return ["rnd", "c", "z", *given] if f.role == "effect" else ["c", "z", *given]
        answer = {"options": ["q"], "resume": ["i", "q"]}.get(f.role, [])
        logs = log and f.role in ("block", "effect", "resume")
        return ["c", "z", *answer, *given, *(["log"] if logs else [])]

    def block(self, ops: ir.Ops, level: int) -> None:
        for op in ops:
            OPS[type(op)](self, op, level)
        if not ops:
            self.line(level, "pass", ir.NOWHERE)

    def line(self, level: int, line: str, place: ir.Provenance) -> None:
        self.lines.append(("    " * level + line, place))


# ---------------------------------------------------------------- operations


def simple(p: Printer, op: ir.Op) -> str:
    """Return the line of an operation that takes a single line."""
    match op:
        case ir.Set(target=target, value=value, op=sign, cell=cell):
            kept = "" if cell is None else f"c[{cell}] = "
            return f"{kept}{text(p, target)} {'' if sign == '=' else sign}= {text(p, value)}"
        case ir.Load(slot=slot, cell=cell):
            return f"{p.local(slot)} = c[{cell}]"
        case ir.Unpack(targets=targets, value=value):
            return f"{', '.join('_' if t is None else text(p, t) for t in targets)} = {text(p, value)}"
        case ir.Evaluate(value=value):
            return text(p, value)
        case ir.LogEvent(event=event, entries=entries):
            return f"log.append(new({event}, {text(p, entries)}))"
        case ir.LogAnnouncement(number=number, seats=seats, frame=frame):
            return f"tell_each(c, z, log, {number}, {text(p, seats)}, {text(p, frame)})"
        case ir.Guard(test=test, then=then):
            return f"if {text(p, test)}: {simple(p, then)}"
        case ir.Break():
            return "break"
        case ir.Return(values=values):
            return f"return {commas(p, values)}" if values else "return"
        case ir.Goto(label=label):
            return f"return {label}"
        case ir.CallEffect(number=number, args=args, build=build):
            given = [*([] if p.storage.flat else ["rnd"]), "c", "z", *(text(p, a) for a in args)]
            return f"effect{number}({', '.join([*given, *(['log'] if build == ir.EVENTS else [])])})"
    return _of_components(p, op)


def _of_components(p: Printer, op: ir.Op) -> str:
    match op:
        case ir.CopyZone(zone=zone):
            return f"{p.zone(zone)} = {p.zone(zone)}[:]"
        case ir.MoveCards(cards=cards, zone=number, top=top, build=build):
            mover = "move_cards_anew" if p.storage.flat else "move_cards"
            log = ", log" if build == ir.EVENTS else ""
            return f"{mover}(c, z, {text(p, cards)}, {index(p, number)}, {top}{log})"
        case ir.MoveCard(card=card, zone=number):
            return f"move_card(c, z, {text(p, card)}, {index(p, number)})"
        case ir.TakeEnd(card=card, zone=zone, is_first=first):
            return f"{card.name} = {p.zone(zone)}.pop({'0' if first else ''})"
        case ir.PutComponent(card=card, zone=zone, is_top=top):
            return f"{p.zone(zone)}.{f'insert(0, {card.name})' if top else f'append({card.name})'}"
        case ir.Locate(card=card, zone=number):
            return f"{p.location(card)} = {index(p, number)}"
    raise TypeError(type(op).__name__)


def _simple(p: Printer, op: ir.Op, level: int) -> None:
    p.line(level, simple(p, op), op.place)


def _when(p: Printer, op: ir.If, level: int) -> None:
    word = "if"
    for branch in op.branches:
        p.line(level, "else:" if branch.test is None else f"{word} {text(p, branch.test)}:", branch.place)
        p.block(branch.ops, level + 1)
        word = "elif"


def _loop(p: Printer, op: ir.Loop, level: int) -> None:
    target = "_" if op.target is None else text(p, op.target)
    p.line(
        level,
        f"for {target} in {text(p, op.source, OR if isinstance(op.target, ir.BoundLocal) else CONDITIONAL)}:",
        op.place,
    )
    p.block(op.ops, level + 1)
    if op.exhausted is not None:
        p.line(level, "else:", op.exhausted.place)
        p.block(op.exhausted.ops, level + 1)


def _while(p: Printer, op: ir.While, level: int) -> None:
    p.line(level, f"while {text(p, op.test)}:", op.place)
    p.block(op.ops, level + 1)


def _mark(p: Printer, op: ir.UpdateMasks, level: int) -> None:
    place = op.cell.place
    p.line(level, f"bit = 1 << {text(p, op.space, SUM)}", op.place)
    p.line(level, f"{p.mask(place, op.cell if op.before is None else op.before)} ^= bit", op.place.after_reads())
    p.line(level, f"{p.mask(place, op.value)} ^= bit", op.place.after_reads())


def _wait(p: Printer, op: ir.WaitForAnswer, level: int) -> None:
    p.line(level, f"c[{p.layout.size + WAITS}] = {op.number}", op.place)
    p.line(level, f"return {commas(p, op.question)}", op.place.after_reads())


WORK, UNTIL_LIMIT = ir.Register("work"), ir.Register("until")


def _spend(p: Printer, op: ir.CountWork, level: int) -> None:
    work = p.register(WORK)
    p.line(level, f"{work} += {op.work}", op.place)
    if op.is_checked:
        p.line(level, f"if {work} > {p.register(UNTIL_LIMIT)}: over_limit('decision')", op.place.after_reads())


def _shuffle(p: Printer, op: ir.Shuffle, level: int) -> None:
    zone, stream = p.zone(op.zone), p.stream(op.stream)
    if not op.can_be_forced:
        p.line(level, f"{stream} = shuffle({stream}, {zone})", op.place)
        return
    p.line(level, f"if c[{p.layout.size + FORCED}] is None: {stream} = shuffle_with_cell({stream}, {zone})", op.place)
    p.line(level, f"else: shuffle_zone(c, {p.stream_cell(op.stream)}, {zone})", op.place.after_reads())


def _draw(p: Printer, op: ir.Draw, level: int) -> None:
    """Print a random draw. It does inline what :func:`lusory.state.random_streams.draw` does."""
    stream, product, name = p.stream(op.stream), op.product.name, p.local(op.slot)
    domain = text(p, op.domain, ATOM)
    place, behind = op.place, op.place.after_reads()
    low = f"{product} & {LOW_MASK}"
    if op.size is None:
        assert op.length is not None
        length = op.length.name
        p.line(level, f"{length} = len({domain})", place)
        p.line(level, f"{name} = {domain}[0]", behind)
        p.line(level, f"if {length} > 1:", behind)
        level, place = level + 1, behind
        refused = f"{low} < {length} and {low} < {LOW_MASK + 1} % {length}"
    else:
        length = str(op.size)
        refused = f"{low} < {(LOW_MASK + 1) % op.size}"
    p.line(level, f"{stream} = {stream} * {MULTIPLIER} + {INCREMENT} & {MASK}", place)
    p.line(level, f"{product} = ({stream} >> 32) * {length}", behind)
    if op.size is None or (LOW_MASK + 1) % op.size:
        p.line(level, f"while {refused}:", behind)
        p.line(level + 1, f"{stream} = {stream} * {MULTIPLIER} + {INCREMENT} & {MASK}", behind)
        p.line(level + 1, f"{product} = ({stream} >> 32) * {length}", behind)
    p.line(level, f"{name} = {domain}[{product} >> 32]", behind)


def _begin(p: Printer, op: ir.Initialize, level: int) -> None:
    match op.kind:
        case "decisions":
            lines = ["d = 0"]
        case "work":
            lines = [f"work, until = 0, {op.value}"]
        case "place":
            name, values = p.own[str(op.name)], [literal(value) for value in op.value]
            lines = [
                f"{name} = [{', '.join(values)}]" if p.layout.places[str(op.name)].dims else f"{name} = {values[0]}"
            ]
        case "marks":
            name, masks = str(op.name), dict(op.value)
            lines = [f"{p.mask(name, ir.Const(None))} = {masks.pop(None)}"] if name in p.storage.apart else []
            kept = ", ".join(f"{literal(value)}: {spaces}" for value, spaces in masks.items())
            lines.append(f"{p.marks(name)} = {{{kept}}}")
        case "zone":
            lines = [f"Z{op.name} = [{', '.join(map(str, op.value))}]"]
        case "zones":
            lines = [f"z = [{', '.join(f'Z{n}' for n in range(op.value))}]"]
        case "cells":
            lines = [f"c = [*{text(p, op.value)}]"]
        case "stream cell":
            lines = [f"c[{p.layout.streams[str(op.name)]}] = seeded(seed, {literal(op.name)})"]
        case _:  # a random stream, seeded as in random_streams.seed
            s = f"S_{op.name}"
            lines = [f"{s} = seed * {MULTIPLIER} + {stream_name(str(op.name))} & {MASK}"]
            lines.append(f"{s} = ({s} ^ {s} >> 30) * {MIX_MULTIPLIERS[0]} & {MASK}")
            lines.append(f"{s} = ({s} ^ {s} >> 27) * {MIX_MULTIPLIERS[1]} & {MASK}")
            lines.append(f"{s} ^= {s} >> 31")
    for line in lines:
        p.line(level, line, op.place)


LINES = (
    *(
        ir.CallEffect,
        ir.Evaluate,
        ir.Goto,
        ir.Guard,
        ir.Break,
        ir.Load,
        ir.Locate,
        ir.MoveCard,
        ir.MoveCards,
        ir.CopyZone,
    ),
    *(ir.PutComponent, ir.Return, ir.Set, ir.TakeEnd, ir.LogEvent, ir.LogAnnouncement, ir.Unpack),
)
OPS: dict[type[ir.Op], Callable[[Printer, Any, int], None]] = {
    **dict.fromkeys(LINES, _simple),
    ir.Initialize: _begin,
    ir.Draw: _draw,
    ir.Loop: _loop,
    ir.UpdateMasks: _mark,
    ir.Shuffle: _shuffle,
    ir.CountWork: _spend,
    ir.WaitForAnswer: _wait,
    ir.If: _when,
    ir.While: _while,
}


def table_text(value: object) -> str:
    """Return the literal for a constant of the module."""
    if isinstance(value, frozenset):
        return f"frozenset({literal(tuple(sorted(value)))})"
    return literal(value)


def listing(p: Printer, title: str, module: ir.Module) -> list[tuple[str, ir.Provenance]]:
    """Return the lines of a module, each with its place in the ruleset."""
    head = [title, *(f"K{number} = {table_text(value)}" for number, value in enumerate(module.tables, 1))]
    p.lines = [(line, ir.NOWHERE) for line in head]
    for f in module.functions:
        p.function(f, log=module.kind == "events")
    return p.lines
