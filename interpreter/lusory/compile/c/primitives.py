"""Primitives of the form as C, and the functions of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..ir import sorts
from .constants import Table
from .kinds import LIST, MASK, NUMBER, OPTIONS, NotNative
from .printer import Printer

Args = tuple[ir.Value, ...]
CALLS: dict[str, tuple[str, str]] = {
    "absolute": ("absolute()", "N"),
    "any_below": ("choice(s)", "N"),
    "added_up": ("sum()", "L"),
    "extended": ("extended(s)", "LO"),
    "first_in": ("first_space(s)", "M"),
    "greatest": ("greatest()", "L"),
    "items_at": ("items_at(s)", "LL"),
    "larger_of": ("larger()", "NN"),
    "leading_in": ("leading_in(s)", "LM"),
    "least": ("least()", "L"),
    "lowest_of": ("lowest()", "M"),
    "mask_of": ("mask_of(s)", "L"),
    "occurrences": ("occurrences()", "LO"),
    "one": ("alone(s)", "O"),
    "ones": ("ones()", "M"),
    "picks_left": ("picks_left(s)", "LLNN"),
    "reversed": ("reversed(s)", "L"),
    "set_except": ("set_except(s)", "LL"),
    "set_intersect": ("set_intersect(s)", "LL"),
    "set_union": ("set_union(s)", "LL"),
    "smaller_of": ("smaller()", "NN"),
    "spaces_in": ("spaces_in(s)", "LM"),
    "without_first": ("without_first(s)", "LO"),
    "without_lowest": ("without_lowest()", "M"),
    "span_of": ("span_of(s)", "NN"),
    "fn_abs": ("absolute()", "N"),
    "fn_at": ("at(s)", "LN"),
    "fn_cycle": ("cycled(s)", "LN"),
    "fn_drop": ("drop()", "LN"),
    "fn_index": ("place_of(s)", "LO"),
    "fn_larger": ("larger()", "NN"),
    "fn_max": ("greatest()", "L"),
    "fn_min": ("least()", "L"),
    "fn_neighbours": ("neighbours(s)", "LO"),
    "fn_reverse": ("reversed(s)", "L"),
    "fn_smaller": ("smaller()", "NN"),
    "fn_step": ("step_in(s)", "LON"),
    "fn_sum": ("sum()", "L"),
    "fn_take": ("take()", "LN"),
    "fn_unique": ("unique(s)", "L"),
}
"""Primitives that are functions of the runtime: how they are called, and what they are given: lists (``L``), numbers
(``N``), numbers or none (``O``), masks (``M``)."""

NOTHING = "0"
"""What stands for the value of what is printed as lines of its own."""

COMPARING = frozenset(
    {
        *("fn_index", "fn_neighbours", "fn_step", "fn_unique", "occurrences"),
        *("set_except", "set_intersect", "set_union", "without_first"),
    }
)
"""Those that compare items: of texts, only known ones."""

FAULTS = ("bound_exceeded", "cannot_hold", "over_limit", "too_great")


def primitive(p: Printer, v: ir.Prim) -> str:
    if v.name in CALLS:
        return _called(p, v.name, v.args)
    if v.name in FAULTS:
        return "fault(s)"
    if v.name not in SPECIAL:
        raise NotNative(f"the function `{v.name.removeprefix('fn_')}`")
    return SPECIAL[v.name](p, v.args)


def _called(p: Printer, name: str, args: Args) -> str:
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
    if name in COMPARING and item is not None and item.kind == sorts.TEXT:
        plain = {"L": "all_plain", "O": "plain"}
        texts = [f"{plain[one]}(s, {text})" if one in plain else text for one, text in zip(letters, texts, strict=True)]
    return f"{function}({', '.join([*([given] if given else []), *texts])})"


# ---------------------------------------------------------------- lists


def _copied(p: Printer, args: Args) -> str:
    """A zone as a list: all other lists are never changed."""
    return p.items(args[0])


def _end(first: bool) -> Callable[[Printer, Args], str]:
    name = "front" if first else "back"

    def found(p: Printer, args: Args) -> str:
        match args[0]:
            case ir.Zone(number=number):
                return f"{'first_in' if first else 'last_in'}(s, {p.zone(number)})"
            case ir.Prim(name="snapshot", args=(ir.Zone(number=number),)):
                return f"{'first_in' if first else 'last_in'}(s, {p.zone(number)})"
        return f"{name}(s, {p.items(args[0])})"

    return found


def _length(p: Printer, args: Args) -> str:
    match args[0]:
        case ir.Zone(number=number):
            return f"(V)s->count[{p.zone(number)}]"
        case ir.Prim(name="snapshot", args=(ir.Zone(number=number),)):
            return f"(V)s->count[{p.zone(number)}]"
    if p.kind(args[0]) == OPTIONS:
        return p.many()
    return f"(V){p.items(args[0])}.n"


def _one(p: Printer, args: Args) -> str:
    """The first item of a list, or none."""
    found = p.fresh(LIST)
    p.say(f"{found} = {p.items(args[0])};")
    return f"({found}.n ? of_item({found}.v[0]) : NONE)"


def _all(wanted: bool) -> Callable[[Printer, Args], str]:
    """Whether all items of a list hold, or any."""
    return lambda p, args: f"({'!' if wanted else ''}has({p.items(args[0])}, {int(not wanted)}))"


def _stop_first(p: Printer, args: Args) -> str:
    """The list has -1 before its items from here on."""
    (into,) = args
    assert isinstance(into, ir.Own)
    p.rooms += 1
    p.say(f"{into.name} = stop_first(s, {into.name});")
    return NOTHING


def _cyclic(direction: int) -> Callable[[Printer, Args], str]:
    def found(p: Printer, args: Args) -> str:
        p.rooms += 1
        return f"cyclic(s, {p.players}, {p.number(args[0])}, {direction})"

    return found


def _next(by: int) -> Callable[[Printer, Args], str]:
    return lambda p, args: f"mod_(s, {p.number(args[0])} + {by}, {p.players})"


def _distance(p: Printer, args: Args) -> str:
    one, other = p.numbers(*args)
    return f"mod_(s, {other} - {one}, {p.players})"


def _no_int(p: Printer, args: Args) -> str:
    kept = p.fresh("W")
    p.say(f"{kept} = {p.wide_number(args[0])};")
    return f"({kept} < (W)INT64_MIN || {kept} > (W)INT64_MAX)"


# ---------------------------------------------------------------- options


def _append(p: Printer, args: Args, test: str = "1") -> str:
    """An option more, if a test holds: the number of its alternative, and its values."""
    number, values = _parts(p, args[1])
    p.options = max(p.options, 1 + len(values))
    texts = p.each(values, [NUMBER] * len(values))
    at = p.fresh()
    p.say(f"{at} = {p.many()};")
    p.say(f"if (RARE({at} >= MOST_OPTIONS)) fault(s);")
    p.say(f"s->option[{at}][0] = {number};")
    for position, text in enumerate(texts):
        p.say(f"s->option[{at}][{position + 1}] = {text};")
    p.say(f"{p.many()} = {at} + {test};")
    return NOTHING


def appended(p: Printer, op: ir.Op, test: str) -> bool:
    """Whether an operation is an option more whose values have names: then it is written down without a branch, and
    counts if the test holds."""
    match op:
        case ir.Do(value=ir.Prim(name="append", args=(_, ir.Record(items=(number, ir.Record(items=values)))) as args)):
            if isinstance(number, ir.Const) and all(isinstance(v, ir.Local | ir.Bound | ir.Const) for v in values):
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
    return f"parts_of({p.mask(args[0])}, {_masks(p, args[1]).name})"


def _group_among(p: Printer, args: Args) -> str:
    p.rooms += 1
    start, among = p.each(args[:2], (MASK, LIST))
    return f"group_among(s, {start}, {among}, {_masks(p, args[2]).name})"


def _lowest_of_each(p: Printer, args: Args) -> str:
    p.rooms += 1
    table = _masks(p, args[1])
    return f"lowest_of_each(s, {p.mask(args[0])}, {table.name}, {table.dims[0]})"


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
    "lowest_of_each": _lowest_of_each,
    "no_int": _no_int,
    "parts_of": _parts_of,
    "snapshot": _copied,
}
"""Those that are more than a call."""
