"""What the primitives of the intermediate form give: their sorts, worked out of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lusory_dsl.language.intervals import Interval
from lusory_dsl.language.rows import Builtin
from lusory_dsl.language.types import INT_MAX, LIST_LIMIT, TEXT_LIMIT

from ...table.regions import MOST_IN_MASKS
from .. import ir
from ..ir import sorts
from ..ir.sorts import NEVER, NUMBER, YES_OR_NO, Sort, present
from .deriving import Deriving

SHARES = sorts.list_of(Sort(sorts.SHARE), LIST_LIMIT)
SEATS = sorts.number(0, INT_MAX)  # bits of seats
MASK = Sort(NUMBER, 0, (1 << MOST_IN_MASKS) - 1)  # bits of spaces

Args = tuple[ir.Value, ...]


def _item(d: Deriving, args: Args) -> Sort:
    """An item of the list that comes first."""
    found = d.list(args[0])
    for arg in args[1:]:
        d.of(arg)
    return found.item or NEVER


def _same(d: Deriving, args: Args) -> Sort:
    """A list like the first one."""
    found = d.list(args[0])
    for arg in args[1:]:
        d.of(arg)
    return found


def _one_of(d: Deriving, args: Args) -> Sort:
    """One of two numbers."""
    return sorts.joined(d.number(arg) for arg in args)


def _bounded(kind: str) -> Callable[[Deriving, Args], Sort]:
    def found(d: Deriving, args: Args) -> Sort:
        ends = [d.number(arg) for arg in args]
        pick = max if kind == "max" else min
        return sorts.number(pick(e.low for e in ends), pick(e.high for e in ends))

    return found


def _result(sort: Sort) -> Callable[[Deriving, Args], Sort]:
    def found(d: Deriving, args: Args) -> Sort:
        for arg in args:
            d.of(arg)
        return sort

    return found


def _extended(d: Deriving, args: Args) -> Sort:
    found = d.list(args[0])
    return sorts.list_of(sorts.join(found.item or NEVER, d.of(args[1])), found.most + 1)


def _united(d: Deriving, args: Args) -> Sort:
    left, right = d.list(args[0]), d.list(args[1])
    return sorts.list_of(sorts.join(left.item or NEVER, right.item or NEVER), left.most + right.most)


def _alone(d: Deriving, args: Args) -> Sort:
    return sorts.list_of(present(d.of(args[0])), 1)


def _absolute(d: Deriving, args: Args) -> Sort:
    found = d.number(args[0])
    ends = abs(found.low), abs(found.high)
    return sorts.number(0 if found.low <= 0 <= found.high else min(ends), max(ends))


def _added_up(d: Deriving, args: Args) -> Sort:
    found = d.list(args[0])
    item = sorts.counted(found.item or NEVER)
    return sorts.number(min(item.low * found.most, 0), max(item.high * found.most, 0))


def _greatest(d: Deriving, args: Args) -> Sort:
    return sorts.join(_item(d, args), Sort(NUMBER))


def _length(d: Deriving, args: Args) -> Sort:
    return Sort(NUMBER, 0, d.list(args[0]).most)


def _span(d: Deriving, args: Args) -> Sort:
    return d.of(ir.Numbers(args[0], args[1], True))


def _below(d: Deriving, args: Args) -> Sort:
    return Sort(NUMBER, 0, max(d.number(args[0]).high - 1, 0))


def _passes(d: Deriving, args: Args) -> Sort:
    return sorts.list_of(sorts.number(0, d.number(args[0]).high), LIST_LIMIT)


def _drawn(d: Deriving, args: Args) -> Sort:
    return _item(d, args[2:])


OPTIONS = sorts.list_of(sorts.record((sorts.number(0, INT_MAX), sorts.list_of(sorts.BROUGHT, LIST_LIMIT))), LIST_LIMIT)
"""Options: the number of the alternative, with values of their own each."""


def _append(d: Deriving, args: Args) -> Sort:
    """An option more."""
    found = d.of(args[1])
    if found.kind != sorts.RECORD or len(found.parts) != 2:
        d.wrong("an option", found, "an alternative with its values")
    return NEVER


def _stop_first(d: Deriving, args: Args) -> Sort:
    """-1 before the items of a list."""
    (into,) = args
    if isinstance(into, ir.Own):
        found = d.list(into)
        d.own[into.name] = sorts.list_of(sorts.join(found.item or NEVER, Sort(NUMBER, -1, -1)), found.most + 1)
    return NEVER


def _with_stop(d: Deriving, args: Args) -> Sort:
    d.test(args[1])
    return d.list(args[0])


@dataclass(frozen=True)
class _Given:
    """What is known of the arguments of a function, as its row asks for it."""

    seats: int
    args: tuple[Sort, ...]

    @property
    def players(self) -> Interval:
        return self.seats, self.seats

    def number(self, argument: int) -> Interval:
        found = sorts.counted(self.args[argument].item or self.args[argument])
        return (found.low, found.high) if found.kind == NUMBER else (0, 0)

    def size(self, argument: int) -> Interval:
        return 0, self.args[argument].most

    def characters(self, argument: int) -> int:
        return (self.args[argument].item or self.args[argument]).most


def of_function(d: Deriving, row: Builtin, args: Args) -> Sort:
    """What a function of the language gives, by its row."""
    found = tuple(d.of(arg) for arg in args)
    if row.gives_item or row.gives_part:
        items = d.list(args[0])
        return items.item or NEVER if row.gives_item else items
    known = _Given(d.players, found)
    ends = None if row.bounds is None else row.bounds(known)
    size = LIST_LIMIT if row.size is None else row.size(known)[1]
    assert row.type is not None
    return d.of_type(row.type, ends, size, TEXT_LIMIT if row.characters is None else row.characters(known))


PRIMITIVES: dict[str, Callable[[Deriving, Args], Sort]] = {
    "absolute": _absolute,
    "added_up": _added_up,
    "and_stop": _with_stop,
    "any_below": _below,
    "append": _append,
    "back": _item,
    "bits": _result(SEATS),
    "both": _result(NEVER),
    "bound_exceeded": _result(NEVER),
    "cannot_hold": _result(NEVER),
    "copied": _same,
    "extended": _extended,
    "first_in": _result(Sort(NUMBER, 0, MOST_IN_MASKS - 1)),
    "front": _item,
    "greatest": _greatest,
    "group": lambda d, args: _same(d, args[1:]),
    "group_among": lambda d, args: _same(d, args[1:]),
    "groups": _length,
    "insert_stop": _stop_first,
    "items_at": _same,
    "larger_of": _bounded("max"),
    "leading_in": _same,
    "least": _greatest,
    "length": _length,
    "lowest_of_each": lambda d, args: sorts.list_of(Sort(NUMBER, 0, MOST_IN_MASKS - 1), d.list(args[1]).most),
    "lowest_of": _result(Sort(NUMBER, 0, MOST_IN_MASKS - 1)),
    "mask_of": _result(SEATS),
    "named_options": _result(OPTIONS),
    "no_int": _result(YES_OR_NO),
    "no_options": _result(OPTIONS),
    "occurrences": lambda d, args: _length(d, args[:1]),
    "one": _alone,
    "ones": _result(Sort(NUMBER, 0, MOST_IN_MASKS)),
    "openly_said": _result(sorts.SOME_TEXT),
    "over_limit": _result(NEVER),
    "parts_of": _result(Sort(NUMBER, 0, MOST_IN_MASKS)),
    "pick": _drawn,
    "pick_options": _result(OPTIONS),
    "picks_left": lambda d, args: sorts.list_of(Sort(NUMBER, 0, max(d.list(args[0]).most - 1, 0)), LIST_LIMIT),
    "reversed": _same,
    "seen_by_both": _result(SEATS),
    "set_except": _same,
    "set_intersect": _same,
    "set_union": _united,
    "shares": _result(SHARES),
    "smaller_of": _bounded("min"),
    "snapshot": _same,
    "spaces_in": _same,
    "span_of": _span,
    "stakes": _result(SHARES),
    "too_great": _result(NEVER),
    "up_to": _passes,
    "without_first": _same,
    "without_lowest": _result(MASK),
    "winners": _result(sorts.list_of(sorts.number(0, INT_MAX, "Player"), LIST_LIMIT)),
}
"""By name: which sort a primitive gives that is no function of the language."""
