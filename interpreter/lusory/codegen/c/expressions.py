"""Print values as C, with one function for each class of value, and each primitive.

Each function returns a C expression. It may print statements first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl.types.types import INT_MAX, TEXT_LIMIT

from .. import ir
from ..ir import types
from . import lists
from .printer import (
    ENDS,
    ITEM,
    LINES,
    LIST,
    MASK,
    NUMBER,
    OPTIONS,
    VALUES,
    WIDE,
    NotNative,
    Printer,
    Table,
    fits_mask,
    list_name,
    register_field,
)

Args = tuple[ir.Value, ...]
CALLS: dict[str, tuple[str, str]] = {
    "absolute": ("abs_int()", "N"),
    "any_below": ("random_answer(state)", "N"),
    "added_up": ("list_sum()", "L"),
    "extended": ("list_append(state)", "LO"),
    "lowest_space": ("first_space(state)", "M"),
    "greatest": ("list_max()", "L"),
    "items_at": ("list_gather(state)", "LL"),
    "larger_of": ("max_int()", "NN"),
    "select_leading_spaces": ("leading_spaces(state)", "LM"),
    "least": ("list_min()", "L"),
    "lowest_of": ("lowest_space()", "M"),
    "mask_of": ("mask_from_list(state)", "L"),
    "occurrences": ("list_count()", "LO"),
    "one": ("list_of_optional(state)", "O"),
    "ones": ("count_spaces()", "M"),
    "picks_left": ("remaining_picks(state)", "LLNN"),
    "reversed": ("list_reverse(state)", "L"),
    "set_except": ("list_difference(state)", "LL"),
    "set_intersect": ("list_intersection(state)", "LL"),
    "set_union": ("list_union(state)", "LL"),
    "smaller_of": ("min_int()", "NN"),
    "select_spaces": ("list_from_mask(state)", "LM"),
    "without_first": ("list_remove_first(state)", "LO"),
    "without_lowest": ("without_lowest_space()", "M"),
    "span_of": ("list_range(state)", "NN"),
    "fn_abs": ("abs_int()", "N"),
    "fn_at": ("list_get(state)", "LN"),
    "fn_cycle": ("list_get_cyclic(state)", "LN"),
    "fn_drop": ("list_drop()", "LN"),
    "fn_index": ("list_index(state)", "LO"),
    "fn_larger": ("max_int()", "NN"),
    "fn_max": ("list_max()", "L"),
    "fn_min": ("list_min()", "L"),
    "fn_neighbours": ("list_neighbours(state)", "LO"),
    "fn_reverse": ("list_reverse(state)", "L"),
    "fn_smaller": ("min_int()", "NN"),
    "fn_step": ("list_step(state)", "LON"),
    "fn_sum": ("list_sum()", "L"),
    "fn_take": ("list_take()", "LN"),
    "fn_unique": ("list_unique(state)", "L"),
}
"""Primitive -> runtime function and the kinds of its arguments.

The kinds are lists (``L``), numbers (``N``), numbers or none (``O``), and bit masks (``M``).
"""

NOTHING = "0"
"""The expression for a value without a result, whose code consists of statements."""

COMPARING = frozenset(
    {
        *("fn_index", "fn_neighbours", "fn_step", "fn_unique", "occurrences"),
        *("set_except", "set_intersect", "set_union", "without_first"),
    }
)
"""Primitives that compare items. If the items are texts, these must be known texts."""

FAULTS = ("bound_exceeded", "cannot_hold", "over_limit", "too_great")


def primitive(p: Printer, v: ir.Primitive) -> str:
    """Return a call of a primitive. Raises NotNative if C does not have it."""
    if v.name in CALLS:
        return _called(p, v.name, v.args)
    if v.name in FAULTS:
        return "fault(state)"
    if v.name not in SPECIAL:
        raise NotNative(f"the function `{v.name.removeprefix('fn_')}`")
    return SPECIAL[v.name](p, v.args)


def _called(p: Printer, name: str, args: Args) -> str:
    """Return the call of a runtime function for a primitive. :data:`CALLS` says in which form it takes each argument.

    Example: ``set_union(a, b)`` becomes ``list_union(state, t1, t2)``, after lines that store both lists in ``t1`` and
    ``t2``.
    """
    call, letters = CALLS[name]
    readers: dict[str, tuple[str, Callable[[ir.Value], str]]] = {
        "L": (LIST, p.items),
        "N": (NUMBER, p.number),
        "O": (NUMBER, p.value),
        "M": (MASK, p.mask),
    }
    makes = []
    for letter, arg in zip(letters, args, strict=True):
        kind, read = readers[letter]
        makes.append((kind, lambda read=read, arg=arg: read(arg)))
    p.rooms += 1
    function, _, given = call.rstrip(")").partition("(")
    texts = p.several(*makes)
    item = p.sort(args[0]).item
    if name in COMPARING and item is not None and item.kind == types.TEXT:
        plain = {"L": "require_known_texts", "O": "require_known_text"}
        texts = [
            f"{plain[one]}(state, {text})" if one in plain else text for one, text in zip(letters, texts, strict=True)
        ]
    return f"{function}({', '.join([*([given] if given else []), *texts])})"


# ---------------------------------------------------------------- lists


def _copied(p: Printer, args: Args) -> str:
    """Return a zone as a list. Other lists are immutable and need no copy."""
    return p.items(args[0])


def _end(first: bool) -> Callable[[Printer, Args], str]:
    name = "list_first" if first else "list_last"

    def found(p: Printer, args: Args) -> str:
        match args[0]:
            case ir.Zone(number=number):
                return f"{'zone_first' if first else 'zone_last'}(state, {p.zone(number)})"
            case ir.Primitive(name="snapshot", args=(ir.Zone(number=number),)):
                return f"{'zone_first' if first else 'zone_last'}(state, {p.zone(number)})"
        return f"{name}(state, {p.items(args[0])})"

    return found


def _length(p: Printer, args: Args) -> str:
    match args[0]:
        case ir.Zone(number=number):
            return f"(Int)state->zone_size[{p.zone(number)}]"
        case ir.Primitive(name="snapshot", args=(ir.Zone(number=number),)):
            return f"(Int)state->zone_size[{p.zone(number)}]"
    if p.kind(args[0]) == OPTIONS:
        return p.many()
    return f"(Int){p.items(args[0])}.length"


def _one(p: Printer, args: Args) -> str:
    """Return the first item of a list, or none."""
    found = p.fresh(LIST)
    p.say(f"{found} = {p.items(args[0])};")
    return f"({found}.length ? from_item({found}.items[0]) : NONE)"


def _all(wanted: bool) -> Callable[[Printer, Args], str]:
    """Return a printer for the test whether all items of a list hold, or any."""
    return lambda p, args: f"({'!' if wanted else ''}list_contains({p.items(args[0])}, {int(not wanted)}))"


def _stop_first(p: Printer, args: Args) -> str:
    """Print the insertion of -1 before the items of a list."""
    (into,) = args
    assert isinstance(into, ir.Temporary)
    p.rooms += 1
    p.say(f"{into.name} = list_prepend_stop(state, {into.name});")
    return NOTHING


def _cyclic(direction: int) -> Callable[[Printer, Args], str]:
    def found(p: Printer, args: Args) -> str:
        p.rooms += 1
        return f"seats_in_order(state, {p.players}, {p.number(args[0])}, {direction})"

    return found


def _next(by: int) -> Callable[[Printer, Args], str]:
    return lambda p, args: f"floor_mod(state, {p.number(args[0])} + {by}, {p.players})"


def _distance(p: Printer, args: Args) -> str:
    one, other = p.numbers(*args)
    return f"floor_mod(state, {other} - {one}, {p.players})"


def _no_int(p: Printer, args: Args) -> str:
    kept = p.fresh(WIDE)
    p.say(f"{kept} = {p.wide_number(args[0])};")
    return f"({kept} < (WideInt)INT64_MIN || {kept} > (WideInt)INT64_MAX)"


# ---------------------------------------------------------------- options


def _append(p: Printer, args: Args, test: str = "1") -> str:
    """Print the code that appends an option, if ``test`` holds.

    An option has the number of its alternative, and its values.
    """
    number, values = _parts(p, args[1])
    p.options = max(p.options, 1 + len(values))
    texts = p.each(values, [NUMBER] * len(values))
    at = p.fresh()
    p.say(f"{at} = {p.many()};")
    p.say(f"if (UNLIKELY({at} >= OPTION_CAPACITY)) fault(state);")
    p.say(f"state->option_rows[{at}][0] = {number};")
    for position, text in enumerate(texts):
        p.say(f"state->option_rows[{at}][{position + 1}] = {text};")
    p.say(f"{p.many()} = {at} + {test};")
    return NOTHING


def appended(p: Printer, op: ir.Op, test: str) -> bool:
    """Print an operation that conditionally appends an option, if it needs no branch, and return whether it did.

    The option is written in any case; it counts only if ``test`` holds. This requires that its values are names or
    constants, which cannot fail.
    """
    match op:
        case ir.Evaluate(
            value=ir.Primitive(name="append", args=(_, ir.Record(items=(number, ir.Record(items=values)))) as args)
        ):
            if isinstance(number, ir.Const) and all(isinstance(v, ir.Local | ir.BoundLocal | ir.Const) for v in values):
                _append(p, args, test)
                return True
    return False


def _parts(p: Printer, option: ir.Value) -> tuple[int, Args]:
    found: Any
    match option:
        case ir.Record(items=(ir.Const(value=int() as number), ir.Record(items=values))):
            return number, values
        case ir.Table(number=at):
            found = p.module.tables[at - 1]
            return found[0], tuple(ir.Const(value) for value in found[1])
    raise NotNative("options that come from elsewhere")


# ---------------------------------------------------------------- regions


def _masks(p: Printer, v: ir.Value) -> Table:
    assert isinstance(v, ir.Table)
    return p.constants.table(v.number, MASK)


def _parts_of(p: Printer, args: Args) -> str:
    return f"count_regions({p.mask(args[0])}, {_masks(p, args[1]).name})"


def _group_among(p: Printer, args: Args) -> str:
    p.rooms += 1
    start, among = p.each(args[:2], (MASK, LIST))
    return f"connected_group(state, {start}, {among}, {_masks(p, args[2]).name})"


def _lowest_of_each(p: Printer, args: Args) -> str:
    p.rooms += 1
    table = _masks(p, args[1])
    return f"lowest_of_groups(state, {p.mask(args[0])}, {table.name}, {table.dims[0]})"


SPECIAL: dict[str, Callable[[Printer, Args], str]] = {
    "append": _append,
    "back": _end(False),
    "both": lambda p, args: f"({', '.join(p.numbers(*args))})",
    "copied": _copied,
    "fn_all": _all(True),
    "fn_any": _all(False),
    "fn_anticlockwise_from": _cyclic(-1),
    "fn_bottom": _end(False),
    "fn_clockwise_from": _cyclic(1),
    "fn_count": _length,
    "fn_distance": _distance,
    "fn_first": _end(True),
    "fn_last": _end(False),
    "fn_next": _next(1),
    "fn_one": _one,
    "fn_previous": _next(-1),
    "fn_seat": lambda p, args: f"({p.number(args[0])} + 1)",
    "fn_top": _end(True),
    "front": _end(True),
    "group_among": _group_among,
    "insert_stop": _stop_first,
    "length": _length,
    "lowest_space_of_each": _lowest_of_each,
    "no_int": _no_int,
    "count_mask_groups": _parts_of,
    "snapshot": _copied,
}
"""Primitives that need more than a call."""


SIGNS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "is": "==", "is not": "!="}


# ---------------------------------------------------------------- atoms


def _const(p: Printer, v: ir.Const) -> str:
    if v.value == () and isinstance(v.value, tuple):
        return "EMPTY_LIST"
    if isinstance(v.value, int) and not isinstance(v.value, bool) and v.value > INT_MAX:
        return p.constant_mask(v.value)
    found = p.constants.number(v.value)
    if found is None:
        return "NONE"
    return str(found) if abs(found) < 1 << 31 else f"{found}ll"


def _table(p: Printer, v: ir.Table) -> str:
    """Return a constant list. Raises NotNative for any other constant."""
    table = p.constants.table(v.number)
    if len(table.dims) + table.ragged != 1:
        raise NotNative("lists of lists")
    return list_name(table, "")


def _option(p: Printer, v: ir.Option) -> str:
    return _const(p, ir.Const(p.setting.options[v.name]))


def _register(p: Printer, v: ir.Register) -> str:
    return register_field(v)


def _location(p: Printer, v: ir.Location) -> str:
    return f"zone_containing(state, {p.number(v.component)})"


# ---------------------------------------------------------------- entries


def _entry(p: Printer, v: ir.Entry) -> str:
    """Return the element of a constant table, of a zone, of a mask table, or of a list as a C expression.

    Raise NotNative for lists of lists.
    """
    indices: list[tuple[ir.Value, int]] = []
    of: ir.Value = v
    while isinstance(of, ir.Entry):
        indices.insert(0, (of.index, of.low or 0))
        of = of.container
    match of:
        case ir.Table(number=number):
            return _of_table(p, v, number, indices)
        case ir.SpaceMasks(place=place) if len(indices) == 1:
            return f"state->mask_{p.names[place]}[mask_index(state, {p.value(indices[0][0])}, {p.marks[place]})]"
    if len(indices) > 1:
        raise NotNative("lists of lists")
    ((index, low),) = indices
    match of:
        case ir.Temporary(name=name) if p.declared.get(name) == VALUES or p.kind(of) == VALUES:
            return f"{name}[{p.number(index)}]"
        case ir.Zone(number=zone_number):
            if isinstance(index, ir.Const) and index.value == 0:
                return f"zone_first(state, {p.zone(zone_number)})"
            zone, at = p.several((NUMBER, lambda: p.zone(zone_number)), (NUMBER, lambda: p.number(index)))
            return f"zone_get(state, {zone}, {at})"
    found, at = p.several((LIST, lambda: p.items(of)), (NUMBER, lambda: p.number(index)))
    return f"list_get(state, {found}, {at} - {low})" if low else f"list_get(state, {found}, {at})"


def _of_table(p: Printer, v: ir.Entry, number: int, indices: list[tuple[ir.Value, int]]) -> str:
    """Return an entry of a constant, which is a number or a list."""
    if isinstance(p.module.tables[number - 1], dict):
        return _mapped(p, p.constants.table(number), indices[0][0])
    as_mask = p.kind(v) == MASK
    table = p.constants.table(number, MASK if as_mask else "")
    depth = len(table.dims) + table.ragged
    if len(indices) not in (depth, depth - 1):
        raise NotNative("lists of lists")
    texts = p.numbers(*(index for index, _ in indices))
    at = [
        _index(text, index, low, size)
        for text, (index, low), size in zip(texts, indices, (*table.dims, 0), strict=False)
    ]
    flat = len(indices) == depth
    if table.ragged:
        row = _row(at[: depth - 1], table.dims)
        if not flat:
            return list_name(table, row)
        low = indices[-1][1]
        within = f"{texts[-1]} - {low}" if low else texts[-1]
        return f"list_get(state, {list_name(table, row)}, {within})"
    if not flat:
        return list_name(table, _row(at, table.dims))
    entry = f"{table.name}{''.join(f'[{one}]' for one in at)}"
    if table.type == ITEM:
        return f"from_item({entry})" if table.none else f"(Int){entry}"
    return entry


def _index(text: str, index: ir.Value, low: int, size: int) -> str:
    if isinstance(index, ir.Const) and isinstance(index.value, int) and 0 <= index.value - low < size:
        return str(index.value - low)
    return f"checked_index(state, {text} - {low}, {size})" if low else f"checked_index(state, {text}, {size})"


def _row(at: list[str], dims: tuple[int, ...]) -> str:
    """Return the number of a row in a table as an expression."""
    found = ""
    for one, size in zip(at, dims, strict=False):
        found = one if not found else f"({found} * {size} + {one})"
    return found


def _mapped(p: Printer, table: Table, index: ir.Value) -> str:
    """Return the value of a map from numbers or none. None maps to none."""
    if table.type != ITEM:
        raise NotNative("a mapping to large numbers")
    return f"map_get(state, {table.name}, {table.dims[0]}, {p.value(index)})"


# ---------------------------------------------------------------- compounds


def _bind(p: Printer, v: ir.Bind) -> str:
    return _named(p, v.target, v.value)


def _named(p: Printer, target: ir.Value, value: ir.Value) -> str:
    name = p.target(target)
    p.say(f"{name} = {p.as_kind(value, p.declared[name])};")
    return name


def _let(p: Printer, v: ir.Let) -> str:
    _named(p, v.target, v.value)
    return p.as_kind(v.body, p.kind(v))


def _unary(p: Printer, v: ir.Unary) -> str:
    match v.op:
        case "not":
            return f"!{p.test(v.operand)}"
        case "~":
            return f"(~{p.mask(v.operand)})"
    return f"(-{p.number(v.operand)})"


def _binary(p: Printer, v: ir.Binary) -> str:
    match v.op:
        case "and" | "or":
            sign = "&&" if v.op == "and" else "||"
            return p.short([lambda: p.test(v.left), lambda: p.test(v.right)], sign)
        case "in" | "not in":
            found = _member(p, v)
            return f"!{found}" if v.op == "not in" else found
        case "+" | "-" | "*":
            left, right = p.numbers(v.left, v.right)
            return f"({left} {v.op} {right})"
        case "div" | "mod":
            left, right = p.numbers(v.left, v.right)
            return f"floor_{v.op}(state, {left}, {right})"
        case "&" | "|" | "^":
            left, right = p.each((v.left, v.right), (MASK, MASK))
            return f"({left} {v.op} {right})"
        case "<<" | ">>" if isinstance(v.right, ir.Const) and isinstance(v.right.value, int):
            fits_mask(1 << v.right.value)
            return f"({p.mask(v.left)} {v.op} {v.right.value})"
        case "<<":
            fits_mask((1 << p.spaces) - 1)
            return f"space_bit({p.number(v.right)})"
    return _compared(p, v)


def _compared(p: Printer, v: ir.Binary) -> str:
    """Return a comparison as a C expression: of numbers, masks, texts by content, or lists item by item.

    Raise NotNative for options and for lists of texts.
    """
    sign = SIGNS[v.op]
    if isinstance(v.right, ir.Const) and v.right.value in ENDS and v.right.value is not True:
        end = "INT64_MAX" if v.right.value == INT_MAX else "INT64_MIN"
        return f"({p.wide_number(v.left)} {sign} (WideInt){end})"
    kinds = {p.kind(v.left), p.kind(v.right)}
    if LIST in kinds:
        item = p.sort(v.left).item
        if kinds != {LIST}:
            raise NotNative("a list compared with something else")
        if item is not None and item.kind == types.TEXT:
            raise NotNative("lists of texts that are compared")
        left, right = p.each((v.left, v.right), (LIST, LIST))
        return f"(list_equal({left}, {right}) {sign} 1)"
    if kinds & {OPTIONS, VALUES}:
        raise NotNative("options that are compared")
    if v.op in ("<", "<=", ">", ">="):
        left, right = p.numbers(v.left, v.right)
        return f"({left} {sign} {right})"
    if p.sort(v.left).kind == p.sort(v.right).kind == types.TEXT:
        left, right = p.each((v.left, v.right), (NUMBER, NUMBER))
        return f"(text_equal(state, {left}, {right}) {sign} 1)"
    kind = MASK if MASK in kinds else NUMBER
    sides = ((v.left, v.right), (v.right, v.left))
    left, right = p.several(*((kind, lambda one=one, other=other: _side(p, one, other, kind)) for one, other in sides))
    return f"({left} {sign} {right})"


def _side(p: Printer, v: ir.Value, other: ir.Value, kind: str) -> str:
    """Return one side of a test for equality.

    A narrow cell can be compared without decoding if the other side is never none, or is a cell of the same width. Its
    encoding of none, the smallest number, then needs no branch.
    """
    if kind == NUMBER and isinstance(v, ir.Cell) and 0 < p.width(v.place) < 64:
        sort, width = p.sort(other), p.width(v.place)
        same = isinstance(other, ir.Cell) and p.width(other.place) == width and p.may_lack(v) == p.may_lack(other)
        if same or (sort.kind in (types.NUMBER, types.TRUTH) and not sort.is_optional and sort.low > -1 << (width - 1)):
            return f"(Int){p.element(v)}"
    return p.as_kind(v, kind)


def _member(p: Printer, v: ir.Binary) -> str:
    if p.kind(v.left) == LIST:
        raise NotNative("lists of lists")
    match v.right:
        case ir.Zone(number=number):
            value, zone = p.several((NUMBER, lambda: p.value(v.left)), (NUMBER, lambda: p.zone(number)))
            return f"zone_contains(state, {zone}, {value})"
        case ir.Primitive(name="snapshot", args=(ir.Zone(number=number),)):
            value, zone = p.several((NUMBER, lambda: p.value(v.left)), (NUMBER, lambda: p.zone(number)))
            return f"zone_contains(state, {zone}, {value})"
    value, found = p.several((NUMBER, lambda: p.value(v.left)), (LIST, lambda: p.items(v.right)))
    return (
        f"list_contains_text(state, {found}, {value})"
        if p.sort(v.left).kind == types.TEXT
        else f"list_contains({found}, {value})"
    )


def _choose(p: Printer, v: ir.Choose) -> str:
    kind = p.kind(v)
    test = p.test(v.test)
    with p.elsewhere() as then_lines:
        then = p.as_kind(v.then, kind)
    with p.elsewhere() as else_lines:
        otherwise = p.as_kind(v.otherwise, kind)
    if not then_lines and not else_lines:
        return f"({test} ? {then} : {otherwise})"
    found = p.fresh(kind)
    with p.braces(f"if ({test})"):
        p.out += then_lines
        p.say(f"{found} = {then};")
    with p.braces("else"):
        p.out += else_lines
        p.say(f"{found} = {otherwise};")
    return found


def _flag(p: Printer, v: ir.Flag) -> str:
    return p.test(v.test)


def _some(p: Printer, v: ir.AnyOf) -> str:
    return p.short([lambda part=part: p.test(part) for part in v.parts], "||")  # type: ignore[misc]


def _every(p: Printer, v: ir.AllOf) -> str:
    return p.short([lambda part=part: p.test(part) for part in v.parts], "&&")  # type: ignore[misc]


def _sum(p: Printer, v: ir.Sum) -> str:
    return f"({' + '.join(p.numbers(*v.parts))})"


def _count(p: Printer, v: ir.Count) -> str:
    flags = p.several(*((NUMBER, lambda flag=flag: f"(Int){p.test(flag)}") for flag in v.flags))
    return f"({' + '.join([*flags, *([str(v.certain_count)] if v.certain_count else [])])})"


def _best(p: Printer, v: ir.Extreme) -> str:
    found, there, one = p.fresh(), p.fresh(), p.fresh()
    p.say(f"{found} = {there} = 0;")
    sign = ">" if v.kind == "max" else "<"
    for condition, value in v.terms:
        head = "" if condition is None else f"if ({p.test(condition)})"
        with p.braces(head):
            p.say(f"{one} = {p.number(value)};")
            p.say(f"if (!{there} || {one} {sign} {found}) {found} = {one};")
            p.say(f"{there} = 1;")
    return found


def _call(p: Printer, v: ir.CallQuery) -> str:
    called = next(f for f in p.module.functions if f.name == f"value{v.number}")
    kinds = [p.slot_kind(slot) for slot in called.params]
    p.rooms += 1
    return f"value{v.number}({', '.join(['state', *p.each(v.args, kinds)])})"


# ---------------------------------------------------------------- lists and texts


def _items(p: Printer, v: ir.ConditionalItems) -> str:
    flags = [flag for flag in v.flags if flag is not None]
    texts = p.several(*((NUMBER, lambda flag=flag: f"(Int){p.test(flag)}") for flag in flags))
    mask = " | ".join(text if not at else f"{text} << {at}" for at, text in enumerate(texts))
    table = p.constants.table(v.rows.number)
    if len(table.dims) + table.ragged != 2:
        raise NotNative("lists of lists")
    return list_name(table, f"({mask})")


def _text(p: Printer, v: ir.Text | ir.Label) -> str:
    """Print the composition of a text, and return its number.

    C stores only words: the template, and the values that the text shows. It also computes an upper bound of the
    length. Python produces the characters.
    """
    if isinstance(v, ir.Label) and p.sort(v.value).kind == types.TEXT:
        return p.value(v.value)
    site: list[object] = []
    said: list[tuple[str, str]] = []
    length, sure = [], 0
    for part in v.parts if isinstance(v, ir.Text) else (v,):
        if isinstance(part, ir.Const) and isinstance(part.value, str):
            site.append(part.value)
            sure += len(part.value)
            continue
        shown = part.value if isinstance(part, ir.Label) else part
        is_text = p.sort(shown).kind == types.TEXT
        kind = p.kind(shown)
        name = p.fresh(kind)
        p.say(f"{name} = {p.as_kind(shown, kind)};")
        said.append((name, kind))
        if is_text:
            site.append(("",))
            length.append(f"text_max_length(state, {name})")
        elif isinstance(part, ir.Label):
            site.append((part.type,))
            length.append(
                f"({name}.length + !{name}.length) * MAX_LABEL_LENGTH" if kind == LIST else "MAX_LABEL_LENGTH"
            )
        else:
            raise NotNative("texts of something else")
    return _said(p, tuple(site), said, " + ".join([*length, str(sure)]))


def lines(p: Printer, args: tuple[ir.Value, ...]) -> str:
    """Print the composition of a text from several lines."""
    name = p.fresh(LIST)
    p.say(f"{name} = {p.items(args[0])};")
    return _short_one(p, _said(p, ((LINES,),), [(name, LIST)], f"lines_max_length(state, {name})"))


def _said(p: Printer, site: tuple[object, ...], said: list[tuple[str, str]], length: str) -> str:
    if site not in p.texts:
        p.texts.append(site)
    number = p.fresh()
    size = " + ".join([*(f"{name}.length" for name, kind in said if kind == LIST), str(3 + len(said))])
    p.say(f"{number} = begin_text(state, {p.texts.index(site)}, {length}, {size});")
    for name, kind in said:
        p.say(f"{'write_list_words' if kind == LIST else 'write_word'}(state, {name});")
    return number


def _short(p: Printer, v: ir.TextLengthCheck) -> str:
    """Return a text that may be too long.

    If its upper bound exceeds the limit, the game fails, and Python takes over.
    """
    if v.max_length <= TEXT_LIMIT:
        return p.value(v.value)
    number = p.fresh()
    p.say(f"{number} = {p.value(v.value)};")
    return _short_one(p, number)


def _short_one(p: Printer, number: str) -> str:
    p.say(f"if (UNLIKELY(text_max_length(state, {number}) > {TEXT_LIMIT})) fault(state);")
    return number


def _prim(p: Printer, v: ir.Primitive) -> str:
    return lines(p, v.args) if v.name == "fn_lines" else primitive(p, v)


# ---------------------------------------------------------------- checks


def _fits(p: Printer, v: ir.IntCheck) -> str:
    found = f"checked_cast(state, {p.wide_number(v.value)})"
    if v.name is None:
        return found
    return _kept(p, v.name.name, found)


def _kept(p: Printer, name: str, text: str) -> str:
    p.declared[name] = NUMBER
    p.say(f"{name} = {text};")
    return name


def _in_range(p: Printer, v: ir.IndexCheck) -> str:
    return f"require_in_range(state, {p.value(v.value)}, {v.low}, {v.end})"


def _fault(p: Printer, v: ir.IndexFault) -> str:
    p.say("fault(state);")
    return "0"


def _refused(words: str) -> Callable[[Printer, Any], str]:
    def refuse(p: Printer, v: ir.Value) -> str:
        raise NotNative(words)

    return refuse


WRITTEN: dict[type[ir.Value], Callable[[Printer, Any], str]] = {
    ir.PendingQuestion: _refused("a question in a whole game"),
    ir.Extreme: _best,
    ir.Binary: _binary,
    ir.Bind: _bind,
    ir.BoundLocal: lambda p, v: p.local(v.slot),
    ir.ByKey: lists.by_key,
    ir.CallQuery: _call,
    ir.Cell: lambda p, v: p.cell(v),
    ir.Choose: _choose,
    ir.Clause: _refused("a clause by itself"),
    ir.Const: _const,
    ir.Count: _count,
    ir.Entry: _entry,
    ir.AllOf: _every,
    ir.IntCheck: _fits,
    ir.Flag: _flag,
    ir.Frame: _refused("the locals of a routine"),
    ir.IndexCheck: _in_range,
    ir.Index: lambda p, v: p.index(v),
    ir.ConditionalItems: _items,
    ir.NotNone: lambda p, v: f"require(state, {p.value(v.value)})",
    ir.Let: _let,
    ir.ListLengthCheck: lambda p, v: f"require_list_limit(state, {p.items(v.value)})",
    ir.Local: lambda p, v: p.local(v.slot),
    ir.Location: _location,
    ir.ComponentsIn: lists.lying,
    ir.SpaceMasks: _refused("masks of all values"),
    ir.NumberRange: lists.numbers,
    ir.Option: _option,
    ir.IndexFault: _fault,
    ir.Temporary: lambda p, v: v.name,
    ir.Pipeline: lists.pipeline,
    ir.Primitive: _prim,
    ir.GraphSearch: lists.reached,
    ir.Record: lambda p, v: lists.written_out(p, v.items),
    ir.Register: _register,
    ir.TextLengthCheck: _short,
    ir.Label: _text,
    ir.AnyOf: _some,
    ir.Concatenation: lists.spread,
    ir.Stream: _refused("a stream by itself"),
    ir.Sum: _sum,
    ir.Table: _table,
    ir.Text: _text,
    ir.Tuple: lambda p, v: lists.written_out(p, v.items),
    ir.Unary: _unary,
    ir.CountedItems: lists.visited,
    ir.Zone: lists.zone,
    ir.Zones: _refused("zones by themselves"),
}
"""Class of a value -> its printer."""
