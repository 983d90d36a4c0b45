"""What numbers can be and how long lists can be, as far as an expression tells: one analysis, with facts handed in.

Everything errs on the side of not knowing. Who asks says what is known of places, options, tables, locals, queries and
what is printed: of a whole program before anything is played (:mod:`lusory_dsl.core.constant_analysis`), or of one
game with what it can come to (for the compiler). What functions come to stands in the table of builtins.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..source.dataclasses import dataclass
from ..types.builtins import RUNTIME
from ..types.types import (
    ANY,
    COMPUTED,
    LIST_LIMIT,
    TEXT_LIMIT,
    Interval,
    NoneType,
    OptionalType,
    hull,
    lower,
    of_values,
    upper,
    within,
)
from . import expressions as x
from .expressions import Expr


class Bounds:
    """Looks at expressions. What has no better answer below is answered by who knows more."""

    @property
    def players(self) -> Interval:
        """How many there are."""
        return 1, LIST_LIMIT

    def interval(self, e: Expr) -> Interval:
        """Bounds of an Int expression, or of the numbers in a list, once it did not go wrong."""
        return within(self.exact(e))

    def exact(self, e: Expr) -> Interval:
        """The same before it is looked at whether an Int can be that."""
        return self._exact(e)

    def sizes(self, e: Expr) -> Interval:
        """The least and the greatest number of items of a list, before it is looked at whether that is too many."""
        return self._sizes(e)

    def longest(self, e: Expr) -> int:
        """The most characters of a text, or of a value (of a list: of each in it) that is shown in one."""
        return TEXT_LIMIT

    def truth(self, e: Expr) -> bool | None:
        """Whether a condition always holds (True) or never does (False)."""
        return None

    def truth_of_items(self, slot: int, source: Expr, condition: Expr) -> bool | None:
        """The same of a condition on each item of a list."""
        return None

    # ------------------------------------------------------------ what is known

    def option(self, name: str) -> Interval:
        """What an option can be."""
        return ANY

    def local(self, e: x.Local) -> Interval:
        """What a local can be; of a list, what is in it."""
        return ANY

    def held(self, place: str, indices: tuple[Expr, ...]) -> Interval:
        """What a variable, or a pool of the kind that comes last, can hold."""
        return ANY

    def total(self, pool: str) -> Interval:
        """How many counters a pool can hold."""
        return ANY

    def entries(self, table: str) -> Interval:
        """The numbers in a table."""
        return ANY

    def printed(self, e: x.Field) -> Interval:
        """The numbers that are printed on components."""
        return ANY

    def value_of(self, call: x.CallQuery) -> Interval:
        """What a query can come to."""
        return ANY

    def over_items(self, slot: int, source: Expr) -> Bounds:
        """What is known where a local goes through a list."""
        return self

    def naming(self, slot: int, value: Expr) -> Bounds:
        """What is known where a local has a value."""
        return self

    def local_sizes(self, e: x.Local) -> Interval:
        """How long a list in a local can be."""
        return 0, LIST_LIMIT

    def components(self, zone: str) -> int:
        """How many components a zone can hold."""
        return LIST_LIMIT

    def kinds(self, pool: str) -> int:
        """Of how many kinds a pool can hold counters."""
        return LIST_LIMIT

    def entry_sizes(self, table: str) -> Interval:
        """How long the lists in a table are."""
        return 0, LIST_LIMIT

    def printed_sizes(self, e: x.Field) -> Interval:
        """How long the lists that are printed on components are."""
        return 0, LIST_LIMIT

    def sizes_of_query(self, call: x.CallQuery) -> Interval:
        """How long a list that a query comes to can be."""
        return 0, LIST_LIMIT

    # ------------------------------------------------------------ numbers

    def _exact(self, e: Expr) -> Interval:
        match e:
            case x.Const(value=value):
                return of_values((value,))
            case x.Local():
                return self.local(e)
            case x.OptionValue(option=option):
                return self.option(option)
            case x.ReadCell(place=place, indices=indices):
                return _or_nothing(within(self.held(place, indices)), indices)
            case x.PoolTotal(zone=zone, indices=indices):
                return _or_nothing(self.total(zone), indices)
            case x.TableRead(table=table, indices=indices):
                return _or_nothing(self.entries(table), indices)
            case x.Field():
                return self.printed(e)
            case x.Unary(operand=operand):
                low, high = self.interval(operand)
                return -high, -low
            case x.Binary(op=op, left=left, right=right):
                if op in COMPUTED:
                    return COMPUTED[op](self.interval(left), self.interval(right))
                return self._hull((left, right)) if op in ("join", "union") else self.interval(left)
            case x.Range(low=low_end, high=high_end):
                low, high = self.interval(low_end)[0], self.interval(high_end)[1]
                return low, upper(low, high)
            case x.ListLit(items=items):
                return self._hull(items)
            case x.IfExpr(condition=condition, then=then, otherwise=otherwise):
                chosen = self.truth(condition)
                return self._hull((then, otherwise) if chosen is None else (then if chosen else otherwise,))
            case x.ByCard(cases=cases, otherwise=otherwise):
                return self._hull((*(case for _, case in cases), otherwise))
            case x.Filter() | x.Extreme() | x.Distinct() | x.Sorted() | x.Leading():
                return self.interval(e.source)
            case x.Named(slot=slot, value=value, body=body):
                return self.naming(slot, value).interval(body)
            case x.MapList(slot=slot, source=source, body=body) | x.Concat(slot=slot, source=source, body=body):
                return self.over_items(slot, source).interval(body)
            case x.Fold():
                return self._folded(e)
            case x.Reach(source=source, target=target):
                return self.interval(source) if target is None else (0, self._within_limit(source)[1])
            case x.Region(among=among, start=None):
                return 0, self._within_limit(among)[1]
            case x.CallQuery():
                return self.value_of(e)
            case x.CallBuiltin(name=name, args=args):
                function = RUNTIME[name]
                if function.bounds is not None:
                    return function.bounds(Call(self, args))
                return self.interval(args[0]) if function.gives_item or function.gives_part else ANY
        return ANY

    def _folded(self, e: x.Fold) -> Interval:
        least, most = self.sizes(e.source)
        size = min(most, LIST_LIMIT)
        if e.kind == "count":
            always = e.condition is None and self.truth_of_items(e.slot, e.source, e.body) is True
            return least if always else 0, size
        low, high = self.over_items(e.slot, e.source).interval(e.body)
        times = size if e.kind == "sum" else 1
        return times * lower(low, 0), times * upper(high, 0)

    def _hull(self, parts: Iterable[Expr]) -> Interval:
        return hull(self.interval(part) for part in parts)

    # ------------------------------------------------------------ lists

    def _sizes(self, e: Expr) -> Interval:
        match e:
            case x.Const(value=value):
                return (len(value), len(value)) if isinstance(value, tuple) else (0, LIST_LIMIT)
            case x.Local():
                return self.local_sizes(e)
            case x.Players():
                return self.players
            case x.ReadZone(zone=zone):
                return 0, self.components(zone)
            case x.PoolKinds(zone=zone):
                return 0, self.kinds(zone)
            case x.Field():
                return self.printed_sizes(e)
            case x.TableRead(table=table, indices=indices):
                return _or_nothing(self.entry_sizes(table), indices)
            case x.ListLit(items=items):
                return len(items), len(items)
            case x.Range(low=low, high=high):
                (a, b), (c, d) = self.interval(low), self.interval(high)
                return min(max(c - b + 1, 0), LIST_LIMIT), min(max(d - a + 1, 0), LIST_LIMIT)
            case x.Filter(slot=slot, source=source, condition=condition):
                return self._filtered(slot, source, condition)
            case x.MapList(source=source, condition=picked):
                least, most = self.sizes(source)
                return least if picked is None else 0, most
            case x.Extreme(source=source) | x.Distinct(source=source):
                least, most = self.sizes(source)
                return min(least, 1), most
            case x.Region(among=among):
                return 0, self.sizes(among)[1]
            case x.Reach(source=source, start=start):
                return min(self.sizes(start)[0], 1), self.sizes(source)[1]
            case x.Sorted(source=source):
                return self.sizes(source)
            case x.Leading(source=source):
                return 0, self.sizes(source)[1]
            case x.Concat(slot=slot, source=source, condition=picked, body=body):
                (least, most), each = self.sizes(source), self.over_items(slot, source).sizes(body)
                return least * each[0] if picked is None else 0, most * each[1]
            case x.Named(slot=slot, value=value, body=body):
                return self.naming(slot, value).sizes(body)
            case x.Binary(op=op, left=left, right=right):
                return _combined(op, self._within_limit(left), self._within_limit(right))
            case x.IfExpr(condition=condition, then=then, otherwise=otherwise):
                chosen = self.truth(condition)
                return self._either((then, otherwise) if chosen is None else (then if chosen else otherwise,))
            case x.ByCard(cases=cases, otherwise=otherwise):
                return self._either((*(case for _, case in cases), otherwise))
            case x.CallQuery():
                return self.sizes_of_query(e)
            case x.CallBuiltin(name=name, args=args) if (size := RUNTIME[name].size) is not None:
                return size(Call(self, args))
        return 0, LIST_LIMIT

    def _filtered(self, slot: int, source: Expr, condition: Expr) -> Interval:
        least, most = self.sizes(source)
        holds = self.truth_of_items(slot, source, condition)
        return (least, most) if holds is True else (0, 0 if holds is False else most)

    def _within_limit(self, e: Expr) -> Interval:
        least, most = self.sizes(e)
        return min(least, LIST_LIMIT), min(most, LIST_LIMIT)

    def _either(self, parts: Iterable[Expr]) -> Interval:
        found = [self.sizes(part) for part in parts]
        return min(least for least, _ in found), max(most for _, most in found)


@dataclass(frozen=True, eq=False)
class Call:
    """What is known of a call of a function, as its row asks for it: :class:`lusory_dsl.types.builtins.Given`."""

    known: Bounds
    args: tuple[Expr, ...]

    @property
    def players(self) -> Interval:
        return self.known.players

    def number(self, argument: int) -> Interval:
        return self.known.interval(self.args[argument])

    def size(self, argument: int) -> Interval:
        least, most = self.known.sizes(self.args[argument])
        return min(least, LIST_LIMIT), min(most, LIST_LIMIT)

    def characters(self, argument: int) -> int:
        return min(self.known.longest(self.args[argument]), TEXT_LIMIT)


def _or_nothing(read: Interval, indices: tuple[Expr, ...]) -> Interval:
    """What is read at some indices: 0 too, where one of them may be none."""
    if any(isinstance(index.type, NoneType | OptionalType) for index in indices):
        return lower(read[0], 0), upper(read[1], 0)
    return read


def _combined(op: str, left: Interval, right: Interval) -> Interval:
    """The size of two lists put together."""
    (a, b), (c, d) = left, right
    match op:
        case "union":
            return max(a, min(1, c)), b + d
        case "join":
            return a + c, b + d
        case "except":
            return 0, b
    return 0, min(b, d)
