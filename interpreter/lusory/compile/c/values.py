"""Values of the form as C: a function for each class, which gives an expression that binds as tightly as a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusory_dsl.language.types import INT_MAX, TEXT_LIMIT

from .. import ir
from ..ir import sorts
from . import lists
from .constants import ITEM, Table, list_name
from .kinds import LINES, LIST, MASK, NUMBER, OPTIONS, VALUES, NotNative, fits_mask
from .primitives import primitive
from .printer import ENDS, Printer, register_field

SIGNS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "is": "==", "is not": "!="}


# ---------------------------------------------------------------- what is there


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
    """A constant list."""
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
    indices: list[tuple[ir.Value, int]] = []
    of: ir.Value = v
    while isinstance(of, ir.Entry):
        indices.insert(0, (of.index, of.low or 0))
        of = of.of
    match of:
        case ir.Table(number=number):
            return _of_table(p, v, number, indices)
        case ir.Marks(place=place) if len(indices) == 1:
            return f"state->mask_{p.names[place]}[mask_index(state, {p.value(indices[0][0])}, {p.marks[place]})]"
    if len(indices) > 1:
        raise NotNative("lists of lists")
    ((index, low),) = indices
    match of:
        case ir.Own(name=name) if p.declared.get(name) == VALUES or p.kind(of) == VALUES:
            return f"{name}[{p.number(index)}]"
        case ir.Zone(number=zone_number):
            if isinstance(index, ir.Const) and index.value == 0:
                return f"zone_first(state, {p.zone(zone_number)})"
            zone, at = p.several((NUMBER, lambda: p.zone(zone_number)), (NUMBER, lambda: p.number(index)))
            return f"zone_get(state, {zone}, {at})"
    found, at = p.several((LIST, lambda: p.items(of)), (NUMBER, lambda: p.number(index)))
    return f"list_get(state, {found}, {at} - {low})" if low else f"list_get(state, {found}, {at})"


def _of_table(p: Printer, v: ir.Entry, number: int, indices: list[tuple[ir.Value, int]]) -> str:
    """An entry of a constant: a number, or a list."""
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
    """The number of a list in a table."""
    found = ""
    for one, size in zip(at, dims, strict=False):
        found = one if not found else f"({found} * {size} + {one})"
    return found


def _mapped(p: Printer, table: Table, index: ir.Value) -> str:
    """What a mapping of numbers, and of none, leads to: none leads to none."""
    if table.type != ITEM:
        raise NotNative("a mapping to large numbers")
    return f"map_get(state, {table.name}, {table.dims[0]}, {p.value(index)})"


# ---------------------------------------------------------------- what is made of others


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
    sign = SIGNS[v.op]
    if isinstance(v.right, ir.Const) and v.right.value in ENDS and v.right.value is not True:
        end = "INT64_MAX" if v.right.value == INT_MAX else "INT64_MIN"
        return f"({p.wide_number(v.left)} {sign} (WideInt){end})"
    kinds = {p.kind(v.left), p.kind(v.right)}
    if LIST in kinds:
        item = p.sort(v.left).item
        if kinds != {LIST}:
            raise NotNative("a list compared with something else")
        if item is not None and item.kind == sorts.TEXT:
            raise NotNative("lists of texts that are compared")
        left, right = p.each((v.left, v.right), (LIST, LIST))
        return f"(list_equal({left}, {right}) {sign} 1)"
    if kinds & {OPTIONS, VALUES}:
        raise NotNative("options that are compared")
    if v.op in ("<", "<=", ">", ">="):
        left, right = p.numbers(v.left, v.right)
        return f"({left} {sign} {right})"
    if p.sort(v.left).kind == p.sort(v.right).kind == sorts.TEXT:
        left, right = p.each((v.left, v.right), (NUMBER, NUMBER))
        return f"(text_equal(state, {left}, {right}) {sign} 1)"
    kind = MASK if MASK in kinds else NUMBER
    sides = ((v.left, v.right), (v.right, v.left))
    left, right = p.several(*((kind, lambda one=one, other=other: _side(p, one, other, kind)) for one, other in sides))
    return f"({left} {sign} {right})"


def _side(p: Printer, v: ir.Value, other: ir.Value, kind: str) -> str:
    """One side of a comparison for being the same. Beside what is not none, or lies in a cell of the same width, a cell
    is read as it lies: none, the smallest number of the width, needs no branch."""
    if kind == NUMBER and isinstance(v, ir.Cell) and 0 < p.width(v.place) < 64:
        sort, width = p.sort(other), p.width(v.place)
        same = isinstance(other, ir.Cell) and p.width(other.place) == width and p.may_lack(v) == p.may_lack(other)
        if same or (sort.kind in (sorts.NUMBER, sorts.TRUTH) and not sort.absent and sort.low > -1 << (width - 1)):
            return f"(Int){p.element(v)}"
    return p.as_kind(v, kind)


def _member(p: Printer, v: ir.Binary) -> str:
    if p.kind(v.left) == LIST:
        raise NotNative("lists of lists")
    match v.right:
        case ir.Zone(number=number):
            value, zone = p.several((NUMBER, lambda: p.value(v.left)), (NUMBER, lambda: p.zone(number)))
            return f"zone_contains(state, {zone}, {value})"
        case ir.Prim(name="snapshot", args=(ir.Zone(number=number),)):
            value, zone = p.several((NUMBER, lambda: p.value(v.left)), (NUMBER, lambda: p.zone(number)))
            return f"zone_contains(state, {zone}, {value})"
    value, found = p.several((NUMBER, lambda: p.value(v.left)), (LIST, lambda: p.items(v.right)))
    return (
        f"list_contains_text(state, {found}, {value})"
        if p.sort(v.left).kind == sorts.TEXT
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


def _some(p: Printer, v: ir.Some) -> str:
    return p.short([lambda part=part: p.test(part) for part in v.parts], "||")  # type: ignore[misc]


def _every(p: Printer, v: ir.Every) -> str:
    return p.short([lambda part=part: p.test(part) for part in v.parts], "&&")  # type: ignore[misc]


def _sum(p: Printer, v: ir.Sum) -> str:
    return f"({' + '.join(p.numbers(*v.parts))})"


def _count(p: Printer, v: ir.Count) -> str:
    flags = p.several(*((NUMBER, lambda flag=flag: f"(Int){p.test(flag)}") for flag in v.flags))
    return f"({' + '.join([*flags, *([str(v.sure)] if v.sure else [])])})"


def _best(p: Printer, v: ir.Best) -> str:
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


def _items(p: Printer, v: ir.Items) -> str:
    flags = [flag for flag in v.flags if flag is not None]
    texts = p.several(*((NUMBER, lambda flag=flag: f"(Int){p.test(flag)}") for flag in flags))
    mask = " | ".join(text if not at else f"{text} << {at}" for at, text in enumerate(texts))
    table = p.constants.table(v.rows.number)
    if len(table.dims) + table.ragged != 2:
        raise NotNative("lists of lists")
    return list_name(table, f"({mask})")


def _text(p: Printer, v: ir.Text | ir.Shown) -> str:
    """A text that is put together: its number. Which texts stand in it, and the numbers and lists that are shown, lie
    among the words, which Python reads; and how long it may be at the most."""
    if isinstance(v, ir.Shown) and p.sort(v.value).kind == sorts.TEXT:
        return p.value(v.value)
    site: list[object] = []
    said: list[tuple[str, str]] = []
    length, sure = [], 0
    for part in v.parts if isinstance(v, ir.Text) else (v,):
        if isinstance(part, ir.Const) and isinstance(part.value, str):
            site.append(part.value)
            sure += len(part.value)
            continue
        shown = part.value if isinstance(part, ir.Shown) else part
        is_text = p.sort(shown).kind == sorts.TEXT
        kind = p.kind(shown)
        name = p.fresh(kind)
        p.say(f"{name} = {p.as_kind(shown, kind)};")
        said.append((name, kind))
        if is_text:
            site.append(("",))
            length.append(f"text_max_length(state, {name})")
        elif isinstance(part, ir.Shown):
            site.append((part.type,))
            length.append(
                f"({name}.length + !{name}.length) * MAX_LABEL_LENGTH" if kind == LIST else "MAX_LABEL_LENGTH"
            )
        else:
            raise NotNative("texts of something else")
    return _said(p, tuple(site), said, " + ".join([*length, str(sure)]))


def lines(p: Printer, args: tuple[ir.Value, ...]) -> str:
    """Texts one below the other."""
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


def _short(p: Printer, v: ir.Short) -> str:
    """A text that may be too long: where that can't be excluded by how long its parts are, Python plays."""
    if v.most <= TEXT_LIMIT:
        return p.value(v.value)
    number = p.fresh()
    p.say(f"{number} = {p.value(v.value)};")
    return _short_one(p, number)


def _short_one(p: Printer, number: str) -> str:
    p.say(f"if (UNLIKELY(text_max_length(state, {number}) > {TEXT_LIMIT})) fault(state);")
    return number


def _prim(p: Printer, v: ir.Prim) -> str:
    return lines(p, v.args) if v.name == "fn_lines" else primitive(p, v)


# ---------------------------------------------------------------- checks


def _fits(p: Printer, v: ir.Fits) -> str:
    found = f"checked_cast(state, {p.wide_number(v.value)})"
    if v.name is None:
        return found
    return _kept(p, v.name.name, found)


def _kept(p: Printer, name: str, text: str) -> str:
    p.declared[name] = NUMBER
    p.say(f"{name} = {text};")
    return name


def _in_range(p: Printer, v: ir.InRange) -> str:
    return f"require_in_range(state, {p.value(v.value)}, {v.low}, {v.end})"


def _fault(p: Printer, v: ir.Outside) -> str:
    p.say("fault(state);")
    return "0"


def _refused(words: str) -> Callable[[Printer, Any], str]:
    def refuse(p: Printer, v: ir.Value) -> str:
        raise NotNative(words)

    return refuse


WRITTEN: dict[type[ir.Value], Callable[[Printer, Any], str]] = {
    ir.Asked: _refused("a question in a whole game"),
    ir.Best: _best,
    ir.Binary: _binary,
    ir.Bind: _bind,
    ir.Bound: lambda p, v: p.local(v.slot),
    ir.ByKey: lists.by_key,
    ir.CallQuery: _call,
    ir.Cell: lambda p, v: p.cell(v),
    ir.Choose: _choose,
    ir.Clause: _refused("a clause by itself"),
    ir.Const: _const,
    ir.Count: _count,
    ir.Entry: _entry,
    ir.Every: _every,
    ir.Fits: _fits,
    ir.Flag: _flag,
    ir.Frame: _refused("the locals of a routine"),
    ir.InRange: _in_range,
    ir.Index: lambda p, v: p.index(v),
    ir.Items: _items,
    ir.Known: lambda p, v: f"require(state, {p.value(v.value)})",
    ir.Let: _let,
    ir.Listed: lambda p, v: f"require_list_limit(state, {p.items(v.value)})",
    ir.Local: lambda p, v: p.local(v.slot),
    ir.Location: _location,
    ir.Lying: lists.lying,
    ir.Marks: _refused("masks of all values"),
    ir.Numbers: lists.numbers,
    ir.Option: _option,
    ir.Outside: _fault,
    ir.Own: lambda p, v: v.name,
    ir.Pipeline: lists.pipeline,
    ir.Prim: _prim,
    ir.Reached: lists.reached,
    ir.Record: lambda p, v: lists.written_out(p, v.items),
    ir.Register: _register,
    ir.Short: _short,
    ir.Shown: _text,
    ir.Some: _some,
    ir.Spread: lists.spread,
    ir.Stream: _refused("a stream by itself"),
    ir.Sum: _sum,
    ir.Table: _table,
    ir.Text: _text,
    ir.Tuple: lambda p, v: lists.written_out(p, v.items),
    ir.Unary: _unary,
    ir.Visited: lists.visited,
    ir.Zone: lists.zone,
    ir.Zones: _refused("zones by themselves"),
}
"""By class: how a value is printed."""
