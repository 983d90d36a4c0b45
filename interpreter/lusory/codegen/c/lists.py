"""Print lists in C: loops over all kinds of sources, and pipelines.

A pipeline becomes nested loops that fill its result directly, without intermediate lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...state.setting import FEW
from .. import ir
from ..ir import types
from ..ir.types import Sort
from .printer import ITEM_MOST, ITEMS, KEYS, LIST, MASK, NUMBER, WIDE, NotNative, Printer

Body = Callable[[str], None]
Prepare = Callable[[str], None]
MOST_JOINED = 4_096
"""Capacity of a list whose length is unknown before it is filled."""


def item_text(p: Printer, sort: Sort | None, at: str) -> str:
    """Return an item of a list as a number."""
    return f"from_item({at})" if sort is None or sort.is_optional else f"(Int){at}"


def as_item(p: Printer, v: ir.Value, text: str) -> str:
    """Return a number as an item of a list."""
    sort = p.sort(v)
    small = not sort.is_optional and sort.low >= -ITEM_MOST and sort.high <= ITEM_MOST
    return f"(Item){text}" if small else f"to_item(state, {text})"


# ---------------------------------------------------------------- loops


def through(
    p: Printer,
    source: ir.Value,
    body: Body,
    prepare: Prepare | None = None,
    releases: bool = True,
    changing: bool = False,
    counted: str = "",
) -> None:
    """Print a loop over a source. ``body`` prints an iteration for the expression of its item.

    ``prepare`` gets the number of items before the first iteration. ``releases``: free the lists of an iteration at its
    end. ``changing``: an iteration may change the source. ``counted``: items count as visits (``all``, or ``few`` to
    leave out a short range).
    """
    match source:
        case ir.CountedItems(source=inner, is_short=few):
            through(p, inner, body, prepare, releases, changing, "few" if few else "all")
        case ir.NumberRange():
            _numbers(p, source, body, prepare, releases, counted)
        case ir.Primitive(name="up_to", args=(times,)):
            end, x = p.fresh(), p.fresh()
            p.say(f"{end} = {p.number(times)};")
            with p.passes(f"for ({x} = 0; {x} < {end}; {x}++)", releases):
                body(x)
        case ir.Primitive(name="select_spaces", args=(_, mask)):
            assert not counted, "a list whose items are visits is gone through whole"
            _spaces(p, mask, body, prepare, releases)
        case ir.Zone(number=number) if not changing:
            _zone(p, number, body, prepare, releases, counted)
        case ir.Primitive(name="snapshot", args=(ir.Zone(number=number),)) if not changing:
            _zone(p, number, body, prepare, releases, counted)
        case ir.ComponentsIn(is_ordered=False):
            _lying(p, source, body, prepare, releases)
        case ir.Tuple(items=(one,)):
            x = p.fresh()
            if counted:
                p.say("count_visits(state, 1);")
            if prepare is not None:
                prepare("1")
            p.say(f"{x} = {p.value(one)};")
            body(x)
        case _:
            _list(p, source, body, prepare, releases, counted)


def _numbers(p: Printer, v: ir.NumberRange, body: Body, prepare: Prepare | None, releases: bool, counted: str) -> None:
    low, high = _ends(p, v)
    x = p.fresh()
    if v.is_checked:
        p.say(f"(void)range_length(state, {low}, {high});")
    if counted == "few":
        _visit_long(p, low, high)
    elif counted:
        p.say(f"count_visits(state, {high} - {low} + 1);")
    if prepare is not None:
        prepare(f"{high} - {low} + 1")
    with p.passes(f"for ({x} = {low}; {x} <= {high}; {x}++)", releases):
        body(x)


def _ends(p: Printer, v: ir.NumberRange) -> tuple[str, str]:
    """Store the bounds of a range in variables, and return their names."""
    low, high = p.fresh(), p.fresh()
    texts = p.numbers(v.low, v.high)
    p.say(f"{low} = {texts[0]};")
    p.say(f"{high} = {texts[1]};")
    return low, high


def _visit_long(p: Printer, low: str, high: str) -> None:
    """Count the numbers of a range as visits, unless it is short."""
    p.say(f"if ((WideInt){high} - {low} >= {FEW}) count_visits(state, range_length(state, {low}, {high}));")


def _zone(p: Printer, number: ir.Index, body: Body, prepare: Prepare | None, releases: bool, counted: str) -> None:
    zone, card = p.fresh(), p.fresh()
    p.say(f"{zone} = {p.zone(number)};")
    if counted:
        p.say(f"count_visits(state, state->zone_size[{zone}]);")
    if prepare is not None:
        prepare(f"state->zone_size[{zone}]")
    with p.passes(
        f"for ({card} = state->zone_head[{zone}]; {card} >= 0; {card} = state->next_in_zone[{card}])", releases
    ):
        body(card)


def _lying(p: Printer, v: ir.ComponentsIn, body: Body, prepare: Prepare | None, releases: bool) -> None:
    zone, card = p.fresh(), p.fresh()
    each = f"for ({zone} = {v.zones.begin}; {zone} < {v.zones.end}; {zone}++)"
    if v.counts_visits or prepare is not None:
        count = p.fresh()
        p.say(f"{count} = 0;")
        p.say(f"{each} {count} += state->zone_size[{zone}];")
        if v.counts_visits:
            p.say(f"count_visits(state, {count});")
        if prepare is not None:
            prepare(count)
    with (
        p.braces(each),
        p.passes(
            f"for ({card} = state->zone_head[{zone}]; {card} >= 0; {card} = state->next_in_zone[{card}])", releases
        ),
    ):
        body(card)


def _spaces(p: Printer, mask: ir.Value, body: Body, prepare: Prepare | None, releases: bool) -> None:
    """Print a loop over the bits of a mask, lowest first."""
    left = p.fresh(MASK)
    p.say(f"{left} = {p.mask(mask)};")
    if prepare is not None:
        prepare(f"count_spaces({left})")
    with p.passes(f"for (; {left}; {left} = without_lowest_space({left}))", releases):
        body(f"lowest_space({left})")


def _list(p: Printer, source: ir.Value, body: Body, prepare: Prepare | None, releases: bool, counted: str) -> None:
    found, at = p.fresh(LIST), p.fresh()
    p.say(f"{found} = {p.items(source)};")
    if counted:
        p.say(f"count_visits(state, {found}.length);")
    if prepare is not None:
        prepare(f"{found}.length")
    with p.passes(f"for ({at} = 0; {at} < {found}.length; {at}++)", releases):
        body(item_text(p, p.sort(source).item, f"{found}.items[{at}]"))


# ---------------------------------------------------------------- pipelines


def _rows(
    p: Printer,
    v: ir.Pipeline,
    inner: Callable[[], None],
    prepare: Prepare | None = None,
    tested: Callable[[str], None] | None = None,
) -> None:
    """Print the loops of a pipeline, with ``inner`` for each item.

    ``tested`` replaces ``inner`` and the branch: it gets the expression of the last test.
    """

    def clause(of: ir.Clause | ir.Pipeline, then: Callable[[], None], first: Prepare | None) -> None:
        name = p.target(ir.BoundLocal(of.slot))

        def body(item: str) -> None:
            p.say(f"{name} = {item};")
            if not of.tests:
                then()
                return
            test = p.short([lambda one=one: p.test(one) for one in of.tests], "&&")  # type: ignore[misc]
            if tested is not None:
                tested(test)
                return
            with p.braces(f"if ({test})"):
                then()

        through(p, of.source, body, first)

    def nested(number: int) -> None:
        if number < len(v.outer):
            clause(v.outer[number], lambda: nested(number + 1), None)
        else:
            clause(v, inner, prepare)

    nested(0)


def _value(p: Printer, v: ir.Pipeline) -> ir.Value:
    return ir.BoundLocal(v.slot) if v.value is None else v.value


def pipeline(p: Printer, v: ir.Pipeline) -> str:
    """Print a pipeline, and return its result."""
    match v.sink:
        case "list" | "array":
            return _gathered(p, v)
        case "joined":
            return _joined(p, v)
        case "any" | "all":
            return _settled(p, v)
        case "sum":
            return total(p, v, p.kind(v))
    return _extreme(p, v)


def _room(p: Printer) -> tuple[str, str, Prepare]:
    """Declare variables for a new list.

    Returns the names of its items and its length, and a function that allocates room.
    """
    p.rooms += 1
    items, count = p.fresh(ITEMS), p.fresh()

    def prepare(size: str) -> None:
        p.say(f"{items} = arena_allocate(state, {size});")
        p.say(f"{count} = 0;")

    return items, count, prepare


def _made(p: Printer, items: str, count: str, arranged: bool = False) -> str:
    """Build the list from its items, and return its name."""
    found = p.fresh(LIST)
    if arranged:
        p.say(f"sort_items({items}, (int){count});")
    p.say(f"{found} = (List){{(int){count}, {items}}};")
    return found


def _gathered(p: Printer, v: ir.Pipeline) -> str:
    """Print a pipeline that collects a list at the top of the arena, and return the list as a C expression.

    Example: the numbers of ``source`` above 3 become ``for (…) { items[count] = x; count += x > 3; }``.
    """
    items, count, prepare = _room(p)
    most = min(p.sort(v).max_length, MOST_JOINED)

    def inner() -> None:
        value = _value(p, v)
        text = p.value(value)
        if v.outer:
            p.say(f"if (UNLIKELY({count} >= {most})) fault(state);")
        p.say(f"{items}[{count}++] = {as_item(p, value, text)};")

    if v.outer:
        prepare(str(most))

    def tested(test: str) -> None:
        """Store each item, and advance only if the test holds.

        This avoids a branch. The list has room for every item of the source.
        """
        p.say(f"{items}[{count}] = {as_item(p, _value(p, v), p.value(_value(p, v)))};")
        p.say(f"{count} += {test};")

    plain = not v.outer and isinstance(_value(p, v), ir.BoundLocal)
    _rows(p, v, inner, None if v.outer else prepare, tested if plain else None)
    p.say(f"state->arena_top = {items} + {count};")
    return _made(p, items, count, v.is_sorted)


def _joined(p: Printer, v: ir.Pipeline) -> str:
    items, count, prepare = _room(p)
    each, at = p.fresh(LIST), p.fresh()
    most = min(p.sort(v).max_length, MOST_JOINED)
    prepare(str(most))

    def inner() -> None:
        p.say(f"{each} = {p.items(_value(p, v))};")
        p.say(f"if (UNLIKELY({count} + {each}.length > {most})) fault(state);")
        p.say(f"for ({at} = 0; {at} < {each}.length; {at}++) {items}[{count}++] = {each}.items[{at}];")

    _rows(p, v, inner)
    p.say(f"state->arena_top = {items} + {count};")
    return _made(p, items, count)


def _settled(p: Printer, v: ir.Pipeline) -> str:
    """Print ``any`` or ``all``. The loop ends early unless the remaining items must be counted as visits."""
    found = p.fresh()
    any_ = v.sink == "any"
    p.say(f"{found} = {int(not any_)};")
    ends = v.is_lazy or not any(
        isinstance(node, ir.CountedItems | ir.CallQuery | ir.ComponentsIn) for node in ir.walk(v)
    )
    label = f"settled{found[1:]}"

    def inner() -> None:
        test = p.test(_value(p, v))
        with p.braces(f"if ({'' if any_ else '!'}{test})"):
            p.say(f"{found} = {int(any_)};")
            if ends:
                p.say(f"goto {label};")

    _rows(p, v, inner)
    if ends:
        p.say(f"{label}:;")
    return found


def total(p: Printer, v: ir.Pipeline, kind: str) -> str:
    """Print the sum of a pipeline, in the C type ``kind``."""
    found = p.fresh(kind)
    p.say(f"{found} = 0;")

    def inner() -> None:
        value = _value(p, v)
        p.say(f"{found} += {p.mask(value) if kind == MASK else p.number(value)};")

    _rows(p, v, inner)
    return found


def _extreme(p: Printer, v: ir.Pipeline) -> str:
    found, one, there = p.fresh(), p.fresh(), p.fresh()
    p.say(f"{found} = {there} = 0;")

    def inner() -> None:
        p.say(f"{one} = {p.number(_value(p, v))};")
        p.say(f"if (!{there} || {one} {'>' if v.sink == 'max' else '<'} {found}) {found} = {one};")
        p.say(f"{there} = 1;")

    _rows(p, v, inner)
    return found


# ---------------------------------------------------------------- by keys


def by_key(p: Printer, v: ir.ByKey) -> str:
    """Print a selection or order by keys, and return the list."""
    p.rooms += 1
    source, at = p.fresh(LIST), p.fresh()
    p.say(f"{source} = {p.items(v.source)};")
    name = p.target(ir.BoundLocal(v.slot))
    item = item_text(p, p.sort(v.source).item, f"{source}.items[{at}]")
    if v.kind == "leading":
        with p.passes(f"for ({at} = 0; {at} < {source}.length; {at}++)"):
            p.say(f"{name} = {item};")
            p.say(f"if (!{p.test(v.key)}) break;")
        return f"((List){{(int){at}, {source}.items}})"
    keys = p.fresh(KEYS)
    p.say(f"{keys} = arena_allocate_ints(state, {source}.length);")
    with p.passes(f"for ({at} = 0; {at} < {source}.length; {at}++)"):
        p.say(f"{name} = {item};")
        key = p.value(v.key) if v.kind == "distinct" else p.number(v.key)
        p.say(f"{keys}[{at}] = {f'require_known_text(state, {key})' if p.sort(v.key).kind == types.TEXT else key};")
    match v.kind:
        case "most" | "least":
            return f"select_best(state, {source}, {keys}, {1 if v.kind == 'most' else -1})"
        case "distinct":
            return f"select_distinct(state, {source}, {keys})"
    return f"sort_by_key(state, {source}, {keys})"


def reached(p: Printer, v: ir.GraphSearch) -> str:
    """Print a breadth-first search. It returns the values found, in order, or the number of steps to the target."""
    p.rooms += 1
    sort = p.found.locals[v.slot]
    if not 0 <= sort.low <= sort.high < MOST_JOINED:
        raise NotNative("reach among numbers without ends")
    size = sort.high + 1
    items, count, end, begin, steps = p.fresh(ITEMS), p.fresh(), p.fresh(), p.fresh(), p.fresh()
    known, within = p.fresh(ITEMS), p.fresh()
    name = p.target(ir.BoundLocal(v.slot))
    p.say(f"{within} = {'INT64_MAX' if v.max_steps is None else p.number(v.max_steps)};")
    target = "-1"
    if v.target is not None:
        target = p.fresh()
        p.say(f"{target} = {p.value(v.target)};")
    p.say(f"{items} = arena_allocate(state, {size});")
    p.say(f"{known} = arena_allocate(state, {size});")
    p.say(f"memset({known}, 0, {size} * sizeof(Item));")
    p.say(f"{count} = {begin} = {steps} = 0;")

    def note(item: str) -> None:
        value = p.fresh()
        p.say(f"{value} = {item};")
        seen = f"{known}[checked_index(state, {value}, {size})]"
        p.say(f"if (!{seen}) {known}[{value}] = 1, {items}[{count}++] = (Item){value};")

    through(p, v.start, note)
    there = f"({target} >= 0 && {target} < {size} && {known}[{target}])"
    goes_on = f"{begin} < {count} && {steps} < {within}"
    with p.passes(f"for (; {goes_on}{f' && !{there}' if v.target is not None else ''}; {steps}++)"):
        p.say(f"{end} = {count};")
        with p.passes(f"for (; {begin} < {end}; {begin}++)"):
            p.say(f"{name} = {items}[{begin}];")
            through(p, v.successors, note)
    if v.target is not None:
        return f"({there} ? {steps} : NONE)"
    return f"((List){{(int){count}, {items}}})"


# ---------------------------------------------------------------- lists as values


def written_out(p: Printer, items: tuple[ir.Value, ...]) -> str:
    """Print a list from its items, and return it."""
    if not items:
        return "EMPTY_LIST"
    p.rooms += 1
    texts = p.each(items, [NUMBER] * len(items))
    place, found = p.fresh(ITEMS), p.fresh(LIST)
    p.say(f"{place} = arena_allocate(state, {len(items)});")
    for number, (v, text) in enumerate(zip(items, texts, strict=True)):
        p.say(f"{place}[{number}] = {as_item(p, v, text)};")
    p.say(f"{found} = (List){{{len(items)}, {place}}};")
    return found


def spread(p: Printer, v: ir.Concatenation) -> str:
    p.rooms += 1
    found, *others = p.each(v.parts, [LIST] * len(v.parts))
    for other in others:
        found = f"list_concat(state, {found}, {other})"
    return found


def numbers(p: Printer, v: ir.NumberRange) -> str:
    p.rooms += 1
    low, high = p.numbers(v.low, v.high)
    return f"list_range(state, {low}, {high})"


def visited(p: Printer, v: ir.CountedItems) -> str:
    if v.is_short and isinstance(v.source, ir.NumberRange):
        low, high = _ends(p, v.source)
        _visit_long(p, low, high)
        p.rooms += 1
        return f"list_range(state, {low}, {high})"
    found = p.fresh(LIST)
    p.say(f"{found} = {p.items(v.source)};")
    p.say(f"count_visits(state, {found}.length);")
    return found


def lying(p: Printer, v: ir.ComponentsIn) -> str:
    """Return the components in some zones as a list."""
    items, count, prepare = _room(p)
    _lying(p, v, lambda item: p.say(f"{items}[{count}++] = (Item){item};"), prepare, True)
    return _made(p, items, count, v.is_ordered)


def zone(p: Printer, v: ir.Zone) -> str:
    p.rooms += 1
    return f"zone_to_list(state, {p.zone(v.number)})"


def wide_total(p: Printer, v: ir.Pipeline) -> str:
    """Print the sum of a pipeline as a WideInt, and return it."""
    return total(p, v, WIDE)


Written = Callable[[Printer, Any], str]
"""A function that prints a value."""
