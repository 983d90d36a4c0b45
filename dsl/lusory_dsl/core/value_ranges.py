"""Bound the values of numbers and the lengths of lists by abstract interpretation over intervals.

The bounds are conservative. Subclasses of :class:`Bounds` supply facts about places, options, tables, locals, queries
and printed fields: :mod:`lusory_dsl.core.constant_analysis` for a whole program, the compiler for one game. The bounds
of functions are in the table of builtins.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..source.lazy_dataclass import dataclass
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
    """Bounds of expressions.

    Methods that return the widest answer here are overridden by subclasses with more facts.
    """

    @property
    def players(self) -> Interval:
        """The number of players."""
        return 1, LIST_LIMIT

    def interval(self, e: Expr) -> Interval:
        """Return bounds of an Int expression, or of the numbers in a list, clipped to the range of Int."""
        return within(self.exact(e))

    def exact(self, e: Expr) -> Interval:
        """Return the same bounds before they are clipped to the range of Int."""
        return self._exact(e)

    def sizes(self, e: Expr) -> Interval:
        """Return the minimum and maximum length of a list, before it is clipped to the limit of lists."""
        return self._sizes(e)

    def longest(self, e: Expr) -> int:
        """Return the maximum number of characters of a text, or of a value or list item that is shown in a text."""
        return TEXT_LIMIT

    def truth(self, e: Expr) -> bool | None:
        """Return True if a condition always holds, False if it never does, and None if that is unknown."""
        return None

    def truth_of_items(self, slot: int, source: Expr, condition: Expr) -> bool | None:
        """Return the same for a condition on each item of a list."""
        return None

    # ------------------------------------------------------------ what is known

    def option(self, name: str) -> Interval:
        """Return bounds of an option."""
        return ANY

    def local(self, e: x.Local) -> Interval:
        """Return bounds of a local, or of the items if it is a list."""
        return ANY

    def held(self, place: str, indices: tuple[Expr, ...]) -> Interval:
        """Return bounds of a variable, or of a pool's counters of the kind that is the last index."""
        return ANY

    def total(self, pool: str) -> Interval:
        """Return bounds of the number of counters in a pool."""
        return ANY

    def entries(self, table: str) -> Interval:
        """Return bounds of the numbers in a table."""
        return ANY

    def printed(self, e: x.Field) -> Interval:
        """Return bounds of a printed field."""
        return ANY

    def value_of(self, call: x.CallQuery) -> Interval:
        """Return bounds of the value of a query."""
        return ANY

    def over_items(self, slot: int, source: Expr) -> Bounds:
        """Return the bounds inside a loop, where the local ``slot`` iterates over a list."""
        return self

    def naming(self, slot: int, value: Expr) -> Bounds:
        """Return the bounds where the local ``slot`` has a value."""
        return self

    def local_sizes(self, e: x.Local) -> Interval:
        """Return bounds of the length of a list in a local."""
        return 0, LIST_LIMIT

    def components(self, zone: str) -> int:
        """Return the maximum number of components in a zone."""
        return LIST_LIMIT

    def kinds(self, pool: str) -> int:
        """Return the maximum number of kinds of counters in a pool."""
        return LIST_LIMIT

    def entry_sizes(self, table: str) -> Interval:
        """Return bounds of the lengths of the lists in a table."""
        return 0, LIST_LIMIT

    def printed_sizes(self, e: x.Field) -> Interval:
        """Return bounds of the lengths of the lists in a printed field."""
        return 0, LIST_LIMIT

    def sizes_of_query(self, call: x.CallQuery) -> Interval:
        """Return bounds of the length of the list that a query returns."""
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
    """A call of a function, in the form in which its table entry reads it: :class:`lusory_dsl.types.builtins.Given`."""

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
    """Widen the bounds of a read to include 0 if one of its indices may be none."""
    if any(isinstance(index.type, NoneType | OptionalType) for index in indices):
        return lower(read[0], 0), upper(read[1], 0)
    return read


def _combined(op: str, left: Interval, right: Interval) -> Interval:
    """Return bounds of the length of two combined lists."""
    (a, b), (c, d) = left, right
    match op:
        case "union":
            return max(a, min(1, c)), b + d
        case "join":
            return a + c, b + d
        case "except":
            return 0, b
    return 0, min(b, d)
