"""Bound the values of numbers and the lengths of lists by abstract interpretation over intervals.

Example: with ``a`` in 1 to 3 and ``b`` in 0 to 5, ``a + b`` is in 1 to 8, and ``smaller(a, b)`` in 0 to 3. The bounds
are conservative: no value lies outside, and some inside may be impossible.

Subclasses of :class:`Bounds` supply facts about places, options, tables, locals, queries and printed fields:
:mod:`lusory_dsl.core.program_reads_and_value_bounds` for a whole program, the compiler for one game. The bounds of
functions are in the table of builtins.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..source.dataclass_with_lazy_methods import Record
from ..types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS
from ..types.integer_intervals import INT_RANGE, INTERVAL_OPERATIONS, Interval, bound_values, clip_to_int, compute_hull
from ..types.types import LIST_LIMIT, TEXT_LIMIT, NoneType, OptionalType
from . import expressions as x
from .expressions import Expr


class Bounds:
    """Compute bounds of expressions, from facts that subclasses supply.

    Methods about facts return the widest answer here. Intervals are (least, greatest), both inclusive.
    """

    @property
    def players(self) -> Interval:
        """The least and the greatest number of players, here 1 and ``LIST_LIMIT``."""
        return 1, LIST_LIMIT

    def bound_number(self, expr: Expr) -> Interval:
        """Return bounds of an Int expression, or of the numbers in a list, clipped to the range of Int."""
        return clip_to_int(self.bound_unclipped(expr))

    def bound_text(self, expr: Expr) -> int:
        """Return the maximum number of characters of a text, or of a value or list item that is shown in a text.

        Here it is ``TEXT_LIMIT``.
        """
        return TEXT_LIMIT

    def evaluate_condition(self, expr: Expr) -> bool | None:
        """Return True if a condition always holds, False if it never does, and None if unknown, as always here."""
        return None

    def evaluate_for_items(self, slot: int, source: Expr, condition: Expr) -> bool | None:
        """Return True if a condition on the local ``slot`` holds for every item of a list, and False if for none.

        The local stands for each item of the list ``source``. None means unknown, as always here.
        """
        return None

    # ------------------------------------------------------------ what is known

    def bound_option(self, name: str) -> Interval:
        """Return bounds of an option, here the range of Int."""
        return INT_RANGE

    def bound_local(self, expr: x.Local) -> Interval:
        """Return bounds of a local, or of the items if it is a list: here the range of Int."""
        return INT_RANGE

    def bound_place(self, place: str, indices: tuple[Expr, ...]) -> Interval:
        """Return bounds of a variable, or of a pool's counters of the kind that is the last index.

        Here they are the range of Int.
        """
        return INT_RANGE

    def bound_pool_total(self, pool: str) -> Interval:
        """Return bounds of the number of counters in a pool, here the range of Int."""
        return INT_RANGE

    def bound_table(self, table: str) -> Interval:
        """Return bounds of the numbers in a table, here the range of Int."""
        return INT_RANGE

    def bound_field(self, expr: x.Field) -> Interval:
        """Return bounds of a printed field, here the range of Int."""
        return INT_RANGE

    def bound_query(self, call: x.CallQuery) -> Interval:
        """Return bounds of the value of a query, here the range of Int."""
        return INT_RANGE

    def with_items(self, slot: int, source: Expr) -> Bounds:
        """Return the bounds inside a loop, where the local ``slot`` iterates over a list: here the same object."""
        return self

    def with_value(self, slot: int, value: Expr) -> Bounds:
        """Return the bounds where the local ``slot`` has a value: here the same object."""
        return self

    def bound_local_size(self, expr: x.Local) -> Interval:
        """Return bounds of the length of a list in a local, here (0, ``LIST_LIMIT``)."""
        return 0, LIST_LIMIT

    def bound_components(self, zone: str) -> int:
        """Return the maximum number of components in a zone, here ``LIST_LIMIT``."""
        return LIST_LIMIT

    def bound_kinds(self, pool: str) -> int:
        """Return the maximum number of kinds of counters in a pool, here ``LIST_LIMIT``."""
        return LIST_LIMIT

    def bound_table_sizes(self, table: str) -> Interval:
        """Return bounds of the lengths of the lists in a table, here (0, ``LIST_LIMIT``)."""
        return 0, LIST_LIMIT

    def bound_field_sizes(self, expr: x.Field) -> Interval:
        """Return bounds of the lengths of the lists in a printed field, here (0, ``LIST_LIMIT``)."""
        return 0, LIST_LIMIT

    def bound_query_size(self, call: x.CallQuery) -> Interval:
        """Return bounds of the length of the list that a query returns, here (0, ``LIST_LIMIT``)."""
        return 0, LIST_LIMIT

    # ------------------------------------------------------------ numbers

    def bound_unclipped(self, expr: Expr) -> Interval:
        """Return the bounds of :meth:`bound_number` before they are clipped, so that the ends may lie beyond 64 bits.

        An expression of which nothing is known gives the range of Int.
        """
        match expr:
            case x.Const(value=value):
                return bound_values((value,))
            case x.Local():
                return self.bound_local(expr)
            case x.OptionValue(option=option):
                return self.bound_option(option)
            case x.ReadCell(place=place, indices=indices):
                return _include_missing(clip_to_int(self.bound_place(place, indices)), indices)
            case x.PoolTotal(zone=zone, indices=indices):
                return _include_missing(self.bound_pool_total(zone), indices)
            case x.TableRead(table=table, indices=indices):
                return _include_missing(self.bound_table(table), indices)
            case x.Field():
                return self.bound_field(expr)
            case x.Unary(operand=operand):
                low, high = self.bound_number(operand)
                return -high, -low
            case x.Binary(op=op, left=left, right=right):
                if op in INTERVAL_OPERATIONS:
                    return INTERVAL_OPERATIONS[op](self.bound_number(left), self.bound_number(right))
                return self._join_bounds((left, right)) if op in ("join", "union") else self.bound_number(left)
            case x.Range(low=low_end, high=high_end):
                low, high = self.bound_number(low_end)[0], self.bound_number(high_end)[1]
                return low, max(low, high)
            case x.ListLit(items=items):
                return self._join_bounds(items)
            case x.IfExpr():
                return self._join_bounds(self._list_possible_sides(expr))
            case x.ByCard(cases=cases, otherwise=otherwise):
                return self._join_bounds((*(case for _, case in cases), otherwise))
            case x.Filter() | x.Extreme() | x.Distinct() | x.Sorted() | x.Leading():
                return self.bound_number(expr.source)
            case x.Named(slot=slot, value=value, body=body):
                return self.with_value(slot, value).bound_number(body)
            case x.MapList(slot=slot, source=source, body=body) | x.Concat(slot=slot, source=source, body=body):
                return self.with_items(slot, source).bound_number(body)
            case x.Fold():
                return self._bound_fold(expr)
            case x.Reach(source=source, target=target):
                return self.bound_number(source) if target is None else (0, self._bound_limited_size(source)[1])
            case x.Region(area=area, start=None):
                return 0, self._bound_limited_size(area)[1]
            case x.CallQuery():
                return self.bound_query(expr)
            case x.CallBuiltin(name=name, args=args):
                function = RUNTIME_FUNCTIONS[name]
                if function.bounds is not None:
                    return function.bounds(BuiltinCall(self, args))
                return self.bound_number(args[0]) if function.returns_item or function.returns_sublist else INT_RANGE
        return INT_RANGE

    def _bound_fold(self, expr: x.Fold) -> Interval:
        min_size, max_size = self.bound_size(expr.source)
        size = min(max_size, LIST_LIMIT)
        if expr.kind == "count":
            is_certain = expr.condition is None and self.evaluate_for_items(expr.slot, expr.source, expr.body) is True
            return min_size if is_certain else 0, size
        low, high = self.with_items(expr.slot, expr.source).bound_number(expr.body)
        times = size if expr.kind == "sum" else 1
        return times * min(low, 0), times * max(high, 0)

    def _list_possible_sides(self, expr: x.IfExpr) -> list[Expr]:
        """Return the sides of a conditional that may be its value."""
        truth = self.evaluate_condition(expr.condition)
        return [expr.then, expr.otherwise] if truth is None else [expr.then if truth else expr.otherwise]

    def _join_bounds(self, operands: Iterable[Expr]) -> Interval:
        return compute_hull(self.bound_number(operand) for operand in operands)

    # ------------------------------------------------------------ lists

    def bound_size(self, expr: Expr) -> Interval:
        """Return the minimum and maximum length of a list, before it is clipped to the limit of lists.

        They are 0 and ``LIST_LIMIT`` for a list of which nothing is known.
        """
        match expr:
            case x.Const(value=value):
                return (len(value), len(value)) if isinstance(value, tuple) else (0, LIST_LIMIT)
            case x.Local():
                return self.bound_local_size(expr)
            case x.Players():
                return self.players
            case x.ReadZone(zone=zone):
                return 0, self.bound_components(zone)
            case x.PoolKinds(zone=zone):
                return 0, self.bound_kinds(zone)
            case x.Field():
                return self.bound_field_sizes(expr)
            case x.TableRead(table=table, indices=indices):
                return _include_missing(self.bound_table_sizes(table), indices)
            case x.ListLit(items=items):
                return len(items), len(items)
            case x.Range(low=low, high=high):
                (low_min, low_max), (high_min, high_max) = self.bound_number(low), self.bound_number(high)
                return min(max(high_min - low_max + 1, 0), LIST_LIMIT), min(max(high_max - low_min + 1, 0), LIST_LIMIT)
            case x.Filter(slot=slot, source=source, condition=condition):
                min_size, max_size = self.bound_size(source)
                truth = self.evaluate_for_items(slot, source, condition)
                return (min_size, max_size) if truth is True else (0, 0 if truth is False else max_size)
            case x.MapList(source=source, condition=condition):
                min_size, max_size = self.bound_size(source)
                return min_size if condition is None else 0, max_size
            case x.Extreme(source=source) | x.Distinct(source=source):
                min_size, max_size = self.bound_size(source)
                return min(min_size, 1), max_size
            case x.Reach(source=source, start=start):
                return min(self.bound_size(start)[0], 1), self.bound_size(source)[1]
            case x.Sorted(source=source):
                return self.bound_size(source)
            case x.Region(area=source) | x.Leading(source=source):
                return 0, self.bound_size(source)[1]
            case x.Concat(slot=slot, source=source, condition=condition, body=body):
                min_size, max_size = self.bound_size(source)
                min_inner, max_inner = self.with_items(slot, source).bound_size(body)
                return min_size * min_inner if condition is None else 0, max_size * max_inner
            case x.Named(slot=slot, value=value, body=body):
                return self.with_value(slot, value).bound_size(body)
            case x.Binary(op=op, left=left, right=right):
                return _bound_combined_size(op, self._bound_limited_size(left), self._bound_limited_size(right))
            case x.IfExpr():
                return self._bound_any_size(self._list_possible_sides(expr))
            case x.ByCard(cases=cases, otherwise=otherwise):
                return self._bound_any_size((*(case for _, case in cases), otherwise))
            case x.CallQuery():
                return self.bound_query_size(expr)
            case x.CallBuiltin(name=name, args=args) if (size := RUNTIME_FUNCTIONS[name].size) is not None:
                return size(BuiltinCall(self, args))
        return 0, LIST_LIMIT

    def _bound_limited_size(self, expr: Expr) -> Interval:
        """Return the minimum and maximum length of a list, both at most the limit of lists."""
        min_size, max_size = self.bound_size(expr)
        return min(min_size, LIST_LIMIT), min(max_size, LIST_LIMIT)

    def _bound_any_size(self, operands: Iterable[Expr]) -> Interval:
        sizes = [self.bound_size(operand) for operand in operands]
        return min(min_size for min_size, _ in sizes), max(max_size for _, max_size in sizes)


class BuiltinCall(Record):
    """A call of a function, in the form in which its table entry reads it:

    :class:`lusory_dsl.types.builtin_functions_members_and_statements.CallBounds`.
    """

    bounds: Bounds
    args: tuple[Expr, ...]

    @property
    def players(self) -> Interval:
        """The least and the greatest number of players."""
        return self.bounds.players

    def number(self, argument: int) -> Interval:
        """Return bounds of an argument that is a number or a list of numbers. Arguments count from 0."""
        return self.bounds.bound_number(self.args[argument])

    def size(self, argument: int) -> Interval:
        """Return bounds of the length of an argument that is a list, at most the limit of lists."""
        return self.bounds._bound_limited_size(self.args[argument])

    def characters(self, argument: int) -> int:
        """Return the greatest number of characters of an argument in a text, at most the limit of texts."""
        return min(self.bounds.bound_text(self.args[argument]), TEXT_LIMIT)


def _include_missing(interval: Interval, indices: tuple[Expr, ...]) -> Interval:
    """Widen the bounds of a read to include 0 if one of its indices may be none."""
    if any(isinstance(index.type, NoneType | OptionalType) for index in indices):
        return min(interval[0], 0), max(interval[1], 0)
    return interval


def _bound_combined_size(op: str, left: Interval, right: Interval) -> Interval:
    """Return bounds of the length of two combined lists."""
    (left_min, left_max), (right_min, right_max) = left, right
    match op:
        case "union":
            return max(left_min, min(1, right_min)), left_max + right_max
        case "join":
            return left_min + right_min, left_max + right_max
        case "except":
            return 0, left_max
    return 0, min(left_max, right_max)
