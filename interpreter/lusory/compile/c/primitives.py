"""Primitives of the form as C, and the functions of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..ir import sorts
from .constants import Table
from .kinds import LIST, MASK, NUMBER, OPTIONS, WIDE, NotNative
from .printer import Printer

Args = tuple[ir.Value, ...]
CALLS: dict[str, tuple[str, str]] = {
    "absolute": ("abs_int()", "N"),
    "any_below": ("random_answer(state)", "N"),
    "added_up": ("list_sum()", "L"),
    "extended": ("list_append(state)", "LO"),
    "first_in": ("first_space(state)", "M"),
    "greatest": ("list_max()", "L"),
    "items_at": ("list_gather(state)", "LL"),
    "larger_of": ("max_int()", "NN"),
    "leading_in": ("leading_spaces(state)", "LM"),
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
    "spaces_in": ("list_from_mask(state)", "LM"),
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
        return "fault(state)"
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
        plain = {"L": "require_known_texts", "O": "require_known_text"}
        texts = [
            f"{plain[one]}(state, {text})" if one in plain else text for one, text in zip(letters, texts, strict=True)
        ]
    return f"{function}({', '.join([*([given] if given else []), *texts])})"


# ---------------------------------------------------------------- lists


def _copied(p: Printer, args: Args) -> str:
    """A zone as a list: all other lists are never changed."""
    return p.items(args[0])


def _end(first: bool) -> Callable[[Printer, Args], str]:
    name = "list_first" if first else "list_last"

    def found(p: Printer, args: Args) -> str:
        match args[0]:
            case ir.Zone(number=number):
                return f"{'zone_first' if first else 'zone_last'}(state, {p.zone(number)})"
            case ir.Prim(name="snapshot", args=(ir.Zone(number=number),)):
                return f"{'zone_first' if first else 'zone_last'}(state, {p.zone(number)})"
        return f"{name}(state, {p.items(args[0])})"

    return found


def _length(p: Printer, args: Args) -> str:
    match args[0]:
        case ir.Zone(number=number):
            return f"(Int)state->zone_size[{p.zone(number)}]"
        case ir.Prim(name="snapshot", args=(ir.Zone(number=number),)):
            return f"(Int)state->zone_size[{p.zone(number)}]"
    if p.kind(args[0]) == OPTIONS:
        return p.many()
    return f"(Int){p.items(args[0])}.length"


def _one(p: Printer, args: Args) -> str:
    """The first item of a list, or none."""
    found = p.fresh(LIST)
    p.say(f"{found} = {p.items(args[0])};")
    return f"({found}.length ? from_item({found}.items[0]) : NONE)"


def _all(wanted: bool) -> Callable[[Printer, Args], str]:
    """Whether all items of a list hold, or any."""
    return lambda p, args: f"({'!' if wanted else ''}list_contains({p.items(args[0])}, {int(not wanted)}))"


def _stop_first(p: Printer, args: Args) -> str:
    """The list has -1 before its items from here on."""
    (into,) = args
    assert isinstance(into, ir.Own)
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
    """An option more, if a test holds: the number of its alternative, and its values."""
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
    "lowest_of_each": _lowest_of_each,
    "no_int": _no_int,
    "parts_of": _parts_of,
    "snapshot": _copied,
}
"""Those that are more than a call."""
