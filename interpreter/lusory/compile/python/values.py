"""Values of the intermediate form as Python text, with the parentheses that they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl.language.types import INT_MAX, INT_MIN

from .. import ir
from .writing import literal

# Python's operator precedences, loosest first
CONDITIONAL, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(13)

OPERATORS = {  # in Python, how tightly it binds, and what stands left and right of it
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
"""How primitives are written that are not called by their name."""

OF_ITEMS = frozenset(
    {"append", "back", "copied", "extended", "front", "insert_stop", "items_at", "lowest_of", "occurrences", "ones"}
    | {"reversed", "without_lowest"}
)
LEVELS = {"lowest_of": SUM, "seen_by_both": BIT_OR, "without_lowest": BIT_AND}
FEW = 8  # so often a loop goes through a constant: no range is made
SHORT = 40  # letters of a number that may be written out twice


def text(p: Any, v: ir.Value, level: int = CONDITIONAL) -> str:
    """A value as text, in parentheses where the surroundings bind tighter than ``level``. ``p`` is the printer."""
    written, own = VALUES[type(v)](p, v)
    return f"({written})" if own < level else written


def commas(p: Any, values: tuple[ir.Value, ...]) -> str:
    return ", ".join(text(p, v) for v in values)


Written = tuple[str, int]  # a text, and how tightly it binds


def _atom(write: Callable[[Any, Any], str]) -> Callable[[Any, Any], Written]:
    return lambda p, v: (write(p, v), ATOM)


# ---------------------------------------------------------------- what is there


def _const(p: Any, v: ir.Const) -> Written:
    written = literal(v.value)
    return written, UNARY if written.startswith("-") else ATOM


def index(p: Any, v: ir.Index, behind: int = 0) -> str:
    """The number of an element, ``behind`` so many others; folded as far as it is known."""
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
    if isinstance(v.of, ir.Marks) and v.of.place in p.storage.apart and isinstance(v.index, ir.Const):
        return str(p.mask(v.of.place, v.index))
    at = text(p, v.index, CONDITIONAL if v.low is None else PRODUCT)
    return f"{text(p, v.of, ATOM)}[{at} - {v.low}]" if v.low else f"{text(p, v.of, ATOM)}[{at}]"


def _frame(p: Any, v: ir.Frame) -> str:
    return "{" + ", ".join(f"{slot}: {text(p, e)}" for slot, e in v.pairs) + "}"


# ---------------------------------------------------------------- what is made of others


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
    """Parts with an operator between; ``part``: how tightly they bind, ``alone``: how tightly one is taken to bind."""
    return lambda p, v: (join.join(text(p, one, part) for one in v.parts), level if len(v.parts) > 1 else alone)


def _count(p: Any, v: ir.Count) -> Written:
    parts = [text(p, flag, PRODUCT) for flag in v.flags]
    if v.sure or len(parts) == 1:
        parts.append(str(v.sure))
    return " + ".join(parts), SUM


def _best(p: Any, v: ir.Best) -> Written:
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


def _prim(p: Any, v: ir.Prim) -> Written:
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


def _spread(p: Any, v: ir.Spread) -> str:
    return f"({', '.join(f'*{text(p, part, OR)}' for part in v.parts)})"


def _items(p: Any, v: ir.Items) -> str:
    flags = [text(p, flag, ATOM) for flag in v.flags if flag is not None]
    mask = " | ".join(flag if i == 0 else f"{flag} << {i}" for i, flag in enumerate(flags))
    return f"{text(p, v.rows)}[{mask}]"


def _span(p: Any, v: ir.Numbers) -> str:
    if v.checked:
        return f"range_of({text(p, v.low)}, {text(p, v.high)})"
    return f"range({text(p, v.low)}, {text(p, v.high, SUM)} + 1)"


def _lying(p: Any, v: ir.Lying) -> str:
    zones = f"visiting_all(c, {text(p, v.zones)})" if v.counted else text(p, v.zones)
    return f"{'lying' if v.ordered else 'chain.from_iterable'}({zones})"


def _visited(p: Any, v: ir.Visited) -> str:
    if v.few and isinstance(v.source, ir.Numbers):
        return f"visiting_range_of({text(p, v.source.low)}, {text(p, v.source.high)}, c)"
    return f"visiting(c, {text(p, v.source, OR)})"


def _clause(p: Any, v: ir.Clause | ir.Pipeline) -> str:
    tests = " and ".join(text(p, test, AND) for test in v.tests)
    return f"for {p.local(v.slot)} in {text(p, v.source, OR)}{' if ' if tests else ''}{tests}"


MEETS = {"any": ("=", "in"), "all": ("!=", "not in")}
"""Whether an item is equal to what is looked for, or none is: by the operator of Python, which calls nothing."""


def _looked_for(v: ir.Pipeline) -> tuple[ir.Value, ir.Value] | None:
    """What is looked for among the items, and the item, where that is all that is asked of them: a constant or a
    local, which can't fail where there are no items, and which no item gives its value."""
    if v.sink in MEETS and isinstance(v.value, ir.Binary) and v.value.op == MEETS[v.sink][0]:
        given: set[object] = {v.slot, *(clause.slot for clause in v.outer)}
        given.update(_name(node.target) for node in ir.walk(v) if isinstance(node, ir.Bind | ir.Let))
        for sought, item in (v.value.left, v.value.right), (v.value.right, v.value.left):
            if isinstance(sought, ir.Const | ir.Bound | ir.Local | ir.Own) and _name(sought) not in given:
                return sought, item
    return None


def _name(v: ir.Value) -> int | str | None:
    """The slot or the name of a local."""
    return v.slot if isinstance(v, ir.Bound | ir.Local) else v.name if isinstance(v, ir.Own) else None


def _pipeline(p: Any, v: ir.Pipeline) -> str:
    name = p.local(v.slot)
    found = _looked_for(v)
    value = name if v.value is None else text(p, found[1] if found else v.value)
    each = " ".join([value, *(_clause(p, outer) for outer in v.outer), _clause(p, v)])
    if found:
        each = f"({each})" if v.lazy else f"[{each}]"
        return f"({text(p, found[0], BIT_OR)} {MEETS[v.sink][1]} {each})"
    if v.lazy:
        return f"{v.sink}({each})"
    items = f"sorted([{each}])" if v.arranged else f"[{each}]"
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


def _reached(p: Any, v: ir.Reached) -> str:
    within = "None" if v.within is None else text(p, v.within)
    given = f"{text(p, v.start)}, {within}{'' if v.target is None else f', {text(p, v.target)}'}"
    return f"{'reached' if v.target is None else 'steps_to'}({given}, lambda {p.local(v.slot)}: {text(p, v.onward)})"


# ---------------------------------------------------------------- checks


def _fits(p: Any, v: ir.Fits) -> str:
    if v.name is None:
        return f"whole({text(p, v.value)})"
    name = v.name.name
    number = f"({name} := {text(p, v.value)})"
    test = f"not {INT_MIN} <= {number} <= {INT_MAX}"
    if not v.below:
        test = f"{number} > {INT_MAX}"
    elif not v.above:
        test = f"{number} < {INT_MIN}"
    return f"(too_great() if {test} else {name})"


def _in_range(p: Any, v: ir.InRange) -> str:
    if not v.again:
        return f"in_range({text(p, v.value)}, {v.low}, {v.end}, {literal(v.place)})"
    at = text(p, v.value, ATOM)
    return f"({at} if {v.low} <= {at} < {v.end} else out_of_range({literal(v.place)}, {at}))"


VALUES: dict[type[ir.Value], Callable[[Any, Any], Written]] = {
    ir.Asked: _atom(lambda p, v: f"q{v.number}(c, z)"),
    ir.Best: _best,
    ir.Binary: _binary,
    ir.Bind: _atom(lambda p, v: f"({text(p, v.target)} := {text(p, v.value)})"),
    ir.Bound: _atom(lambda p, v: p.local(v.slot)),
    ir.ByKey: _atom(_by_key),
    ir.CallQuery: _atom(lambda p, v: f"value{v.number}({', '.join(['c', 'z', *(text(p, a) for a in v.args)])})"),
    ir.Cell: _atom(lambda p, v: p.cell(v)),
    ir.Choose: _choose,
    ir.Clause: _atom(_clause),
    ir.Const: _const,
    ir.Count: _count,
    ir.Entry: _atom(_entry),
    ir.Every: _several(" and ", AND, NOT, CONDITIONAL),
    ir.Fits: _atom(_fits),
    ir.Flag: _atom(lambda p, v: text(p, v.test, ATOM)),
    ir.Frame: _atom(_frame),
    ir.InRange: _atom(_in_range),
    ir.Index: _index,
    ir.Items: _atom(_items),
    ir.Known: _atom(lambda p, v: f"known({text(p, v.value)})"),
    ir.Let: _atom(_let),
    ir.Listed: _atom(lambda p, v: f"listed({text(p, v.value)})"),
    ir.Local: _atom(lambda p, v: p.local(v.slot)),
    ir.Marks: _atom(lambda p, v: p.marks(v.place)),
    ir.Location: _atom(lambda p, v: p.location(v.component)),
    ir.Lying: _atom(_lying),
    ir.Option: _atom(lambda p, v: p.option(v.name)),
    ir.Outside: _atom(lambda p, v: f"out_of_range({literal(v.place)}, {text(p, v.value)})"),
    ir.Own: _atom(lambda p, v: v.name),
    ir.Pipeline: _atom(_pipeline),
    ir.Prim: _prim,
    ir.Reached: _atom(_reached),
    ir.Record: _atom(_record),
    ir.Register: _atom(lambda p, v: p.register(v)),
    ir.Short: _atom(lambda p, v: f"short(c, {text(p, v.value)})"),
    ir.Shown: _atom(lambda p, v: f"show({literal(v.type)}, {text(p, v.value)})"),
    ir.Some: _several(" or ", OR, AND, CONDITIONAL),
    ir.Numbers: _atom(_span),
    ir.Spread: _atom(_spread),
    ir.Stream: _atom(lambda p, v: p.stream(v)),
    ir.Sum: _several(" + ", SUM, PRODUCT, PRODUCT),
    ir.Table: _atom(lambda p, v: f"K{v.number}"),
    ir.Text: _several(" + ", SUM, PRODUCT, ATOM),
    ir.Tuple: _atom(_tuple),
    ir.Unary: _unary,
    ir.Visited: _atom(_visited),
    ir.Zone: _atom(lambda p, v: p.zone(v)),
    ir.Zones: _atom(lambda p, v: f"z[{v.begin}:{v.end}]"),
}
