"""Bound the values of expressions, and decide whether an expression can have a fault.

- :class:`GameRanges` holds bounds for a whole game, from :mod:`lusory.codegen.lower.whole_game_ranges`.
- :class:`Ranges` computes the bounds of an expression from them. :class:`Knowledge` adds the test for faults.
- :class:`NarrowedBounds` also uses the comparisons that hold at the current place of instruction selection.

Example: with ``x`` in 0..9, ``x + 1`` is in 1..10. It can't overflow, so that compiled code needs no check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, get_children
from lusory_dsl.core.expression_bounds import Bounds, BuiltinCall
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS, Fault
from lusory_dsl.types.integer_intervals import (
    DOUBLE_INT_RANGE,
    INT_RANGE,
    INTERVAL_OPERATIONS,
    Interval,
    bound_values,
    clip_to_int,
    compute_hull,
    compute_max_list_length,
    compute_max_text_length,
)
from lusory_dsl.types.types import (
    INT_MAX,
    INT_MIN,
    LIST_LIMIT,
    TEXT_LIMIT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NoneType,
    OptionalType,
    PlayerType,
    Type,
    get_innermost_type,
)

from ...state.setting_value_limits_builtins_and_names import Setting
from .lowered_nodes_and_common_subexpressions import LetIn, Lookup, QueryRoutine

T = TypeVar("T")


@dataclass
class GameRanges:
    """Bounds that hold in a whole game.

    Attributes:
        places: Bounds of each variable and of each kind in a pool: (name, kind or None) -> interval. They may exceed
            the range of Int. If so, an overflow of the place is possible.
        queries: Bounds of the numbers that a query returns, by name of the query.
        sizes: The largest number of items of a list that a query returns.
        lengths: The largest number of characters of a text that a query returns.
        params: (``effect`` or ``query``, name, slot) -> interval, size and length of the argument.
        covers_all_options: Whether the bounds hold for all values of the options.
    """

    places: dict[tuple[str, int | None], Interval] = field(default_factory=dict)
    queries: dict[str, Interval] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    params: dict[tuple[str, str, int], tuple[Interval, int, int]] = field(default_factory=dict)
    covers_all_options: bool = False


class Ranges(Bounds):
    """Compute the bounds of expressions.

    Attributes:
        number_ranges: Slot of a local -> the bounds of its number, or of the numbers in its list.
        list_sizes: Slot of a local -> the largest number of items of its list.
        text_lengths: Slot of a local -> the largest number of characters of its text, or of each text in its list.
    """

    def __init__(self, setting: Setting, game_ranges: GameRanges) -> None:
        self.setting = setting
        self.program = setting.program
        self.game_ranges = game_ranges
        self.number_ranges: dict[int, Interval] = {}
        self.list_sizes: dict[int, int] = {}
        self.text_lengths: dict[int, int] = {}
        self._expression_cache: dict[tuple[str, int], tuple[Expr, Any]] = {}
        self._data_cache: dict[object, Any] = {}

    def _cache_result(self, analysis: str, expr: Expr, compute: Callable[[Expr], Any]) -> Any:
        """Return ``compute(expr)``, cached by ``analysis``, the name of the analysis, and the identity of ``expr``.

        The bounds of its locals must not change later.
        """
        expr_and_result = self._expression_cache.get((analysis, id(expr)))
        if expr_and_result is None:
            expr_and_result = self._expression_cache[analysis, id(expr)] = expr, compute(expr)
        return expr_and_result[1]

    # ------------------------------------------------------------ locals

    def bind_value(self, slot: int, value: Expr) -> None:
        """Record the bounds of local ``slot``, which holds the value of an expression.

        If ``value`` is a local, of any type, the slot gets all three bounds of that local. Unknown ones are the range
        of Int, ``LIST_LIMIT`` and ``TEXT_LIMIT``. For any other ``value``, ``number_ranges`` gets the interval of its
        number, or of the numbers in its list, or else ``text_lengths`` the largest number of characters of its text or
        texts. A truth value, player, enum value or component gives neither, and ``none`` counts as 0. ``list_sizes``
        gets the largest length of a list, and loses the slot for a value that is no list. Lengths are cut to
        ``TEXT_LIMIT`` and ``LIST_LIMIT``. Other earlier bounds of the slot stay.
        """
        if isinstance(value, Local):
            self.number_ranges[slot] = self.number_ranges.get(value.slot, INT_RANGE)
            self.list_sizes[slot] = self.list_sizes.get(value.slot, LIST_LIMIT)
            self.text_lengths[slot] = self.text_lengths.get(value.slot, TEXT_LIMIT)
            return
        self.bind_items(slot, value)
        if isinstance(value.type, ListType):
            self.list_sizes[slot] = min(self.compute_max_size(value), LIST_LIMIT)

    def with_value(self, slot: int, value: Expr) -> Ranges:
        """Record the bounds of local ``slot`` from those of the value that it holds, and return this object itself, not
        a copy.
        """
        self.bind_value(slot, value)
        return self

    def bind_items(self, slot: int, source: Expr) -> None:
        """Record the bounds of local ``slot``, which takes each item of a list in turn.

        ``number_ranges`` gets the interval of its number, or else ``text_lengths`` the largest number of characters of
        its text. Items that are lists count as the numbers or texts in them: ``[[1, 2], [9]]`` gives (1, 9). A
        constant list without any gives (0, 0), or else 0. Truth values, players, enum values and components give
        neither. ``list_sizes`` always loses the slot. Other earlier bounds of the slot stay.
        """
        # The items of a list of lists have an unknown size.
        self.list_sizes.pop(slot, None)
        item = get_innermost_type(source.type)
        if isinstance(item, IntType):
            self.number_ranges[slot] = self.bound_number(source)
        elif not isinstance(item, BoolType | PlayerType | EnumType | ComponentType):
            self.text_lengths[slot] = min(self.bound_text(source), TEXT_LIMIT)

    def bind_parameter(self, slot: int, param: tuple[str, str, int]) -> None:
        """Record the bounds of a local that holds a parameter of a routine. Nothing changes if the analysis knows none.

        ``param`` is (``effect`` or ``query``, name of the routine, slot of the parameter in the core program).
        """
        if param in self.game_ranges.params:
            self.number_ranges[slot], self.list_sizes[slot], self.text_lengths[slot] = self.game_ranges.params[param]

    # ------------------------------------------------------------ numbers

    def bound_unclipped(self, expr: Expr) -> Interval:
        """Return the bounds of a number, which may exceed the range of Int."""
        bounds: Interval = self._cache_result("number", expr, self._bound_unclipped)
        return bounds

    def fits(self, expr: Expr) -> bool:
        """Return whether the outermost operation of an Int expression can't overflow: its uncut bounds fit into Int."""
        low, high = self.bound_unclipped(expr)
        return low >= INT_MIN and high <= INT_MAX

    def _bound_unclipped(self, expr: Expr) -> Interval:
        match expr:
            case Lookup(values=values):
                return bound_values(values)
            case QueryRoutine(routine=routine) if routine.value is not None:
                return self.bound_number(routine.value)
            case LetIn(slot=slot, value=value, body=body):
                self.bind_value(slot, value)
                return self.bound_number(body)
        return super().bound_unclipped(expr)

    def bound_local(self, expr: Local) -> Interval:
        """Return the bounds of a local, or the range of Int if they are unknown."""
        return self.number_ranges.get(expr.slot, INT_RANGE)

    def with_items(self, slot: int, source: Expr) -> Ranges:
        """Record the bounds of a loop variable from those of the items of ``source``, and return this object itself,
        not a copy.
        """
        self.bind_items(slot, source)
        return self

    def bound_option(self, name: str) -> Interval:
        """Return the value of an option as an interval of one number: ``(3, 3)``. False counts as 0, True as 1, and a
        named value as its position among the values of the option, from 0.

        If ``game_ranges.covers_all_options`` is set, return the declared range of an Int option instead. An end that is
        not declared is that of Int. Any other option then has the range of Int.
        """
        if not self.game_ranges.covers_all_options:
            return bound_values((self.setting.options[name],))
        option = next(option for option in self.program.options if option.name == name)
        if not isinstance(option.type, IntType):
            return INT_RANGE
        return INT_MIN if option.low is None else option.low, INT_MAX if option.high is None else option.high

    def bound_place(self, place: str, indices: tuple[Expr, ...]) -> Interval:
        """Return the bounds of a variable, or of the counters of a pool whose kind is the last index.

        They exceed the range of Int if an overflow is possible, and are :data:`DOUBLE_INT_RANGE` if nothing is known. A
        kind that is not constant gives the hull over all kinds of the pool.
        """
        if place not in self.program.pools:
            return self.game_ranges.places.get((place, None), DOUBLE_INT_RANGE)
        return compute_hull(
            self.game_ranges.places.get((place, kind), DOUBLE_INT_RANGE)
            for kind in self.list_possible_kinds(place, indices[-1])
        )

    def list_possible_kinds(self, pool: str, kind: Expr) -> tuple[int, ...]:
        """Return the ordinals of the kinds that the expression ``kind`` may denote in a pool.

        If it is not constant, these are all kinds of the pool. For the constant none, there are none.
        """
        if not isinstance(kind, Const):
            return self.program.pools[pool].kinds
        return () if kind.value is None else (int(str(kind.value)),)

    def bound_pool_total(self, pool: str) -> Interval:
        """Return the bounds of the sum of the counters of all kinds in one cell of a pool.

        The bounds of each kind are clipped to the range of Int; those of the sum can exceed it. Example: kinds with the
        bounds ``(0, 5)`` and ``(0, 3)`` give ``(0, 8)``. A kind without known bounds counts with the range of Int.
        """
        ranges, kinds = self.game_ranges.places, self.program.pools[pool].kinds
        cells = [clip_to_int(ranges.get((pool, kind), INT_RANGE)) for kind in kinds]
        return sum(low for low, _ in cells), sum(high for _, high in cells)

    def bound_table(self, table: str) -> Interval:
        """Return the bounds of the numbers in a table. They are cached."""
        return self._cache_data("table", table, lambda: bound_values(self.program.get_table(table).values))

    def bound_field(self, expr: core.Field) -> Interval:
        """Return the bounds of a printed field over all components of all kinds. They are cached."""
        return self._cache_data("field", expr.field, lambda: bound_values(self._list_fields(expr.field)))

    def bound_query(self, call: core.CallQuery) -> Interval:
        """Return the bounds of the result of a query, or the range of Int if they are unknown."""
        return self.game_ranges.queries.get(call.query, INT_RANGE)

    def _cache_data(self, category: str, name: str, compute: Callable[[], T]) -> T:
        """Return ``compute()``, cached by category and name, because bounds of tables and component fields never
        change.
        """
        if (category, name) not in self._data_cache:
            self._data_cache[category, name] = compute()
        data: T = self._data_cache[category, name]
        return data

    def _list_fields(self, name: str) -> tuple[object, ...]:
        return tuple(entity.fields.get(name) for entity in self.program.entities)

    # ------------------------------------------------------------ lists

    @property
    def players(self) -> Interval:
        """The number of players, as an interval of one number."""
        return self.setting.players, self.setting.players

    def compute_max_size(self, expr: Expr) -> int:
        """Return the largest number of items that a list can have. It may exceed the limit for lists."""
        result: int = self._cache_result("size", expr, self._compute_max_size)
        return result

    def bound_size(self, expr: Expr) -> Interval:
        """Return bounds for the number of items. The lower bound is always 0."""
        return 0, self.compute_max_size(expr)

    def _compute_max_size(self, expr: Expr) -> int:
        match expr:
            case Lookup(values=values):
                return compute_max_list_length(values)
            case QueryRoutine(routine=routine) if routine.value is not None:
                return self.compute_max_size(routine.value)
            case LetIn(body=body):
                return self.compute_max_size(body)
        return super().bound_size(expr)[1]

    def bound_local_size(self, expr: Local) -> Interval:
        """Return bounds for the length of the list in a local: 0 and the longest, or ``LIST_LIMIT`` if unknown."""
        return 0, self.list_sizes.get(expr.slot, LIST_LIMIT)

    def bound_components(self, zone: str) -> int:
        """Return the number of components of the kind that a zone holds."""
        return self.program.component_kinds[str(self.program.zones[zone].holds)][1]

    def bound_kinds(self, pool: str) -> int:
        """Return the number of kinds of counters in a pool."""
        return len(self.program.pools[pool].kinds)

    def bound_field_sizes(self, expr: core.Field) -> Interval:
        """Return bounds for the length of a printed list over all components: 0 and the longest."""
        return 0, self._cache_data(
            "printed lists", expr.field, lambda: compute_max_list_length(self._list_fields(expr.field))
        )

    def bound_table_sizes(self, table: str) -> Interval:
        """Return bounds for the length of the lists in a table: 0 and the longest."""
        return 0, self._cache_data("lists", table, lambda: compute_max_list_length(self.list_entries(table)))

    def bound_query_size(self, call: core.CallQuery) -> Interval:
        """Return bounds for the length of the list that a query returns: 0, and ``LIST_LIMIT`` if nothing is known."""
        return 0, self.game_ranges.sizes.get(call.query, LIST_LIMIT)

    def list_entries(self, table: str) -> list[Any]:
        """Return all entries of a table as a flat list: the last index varies fastest.

        A list in it stays whole, as a tuple: ``[(1, 2), ()]``. Raises KeyError for an unknown table.
        """
        rows: list[Any] = [self.program.get_table(table).values]
        for _ in self.program.get_table(table).dims:
            rows = [entry for row in rows for entry in row]
        return rows

    # ------------------------------------------------------------ texts

    def bound_text(self, expr: Expr) -> int:
        """Return the largest number of characters of a text, or of another value when a text shows it: at least 4 then,
        since it may be ``none``.

        For a list, it is the largest number for each item. It may exceed the limit for texts.
        """
        result: int = self._cache_result("text", expr, self._bound_characters)
        return result

    def _bound_characters(self, expr: Expr) -> int:
        """Return the largest number of characters of a value, or of an item of a list, as a text.

        Any value may be ``none_length``. Values whose text is unknown give ``TEXT_LIMIT``.
        """
        item = get_innermost_type(expr.type)
        none_length = len("none")
        if isinstance(item, IntType):
            return max(none_length, *(len(str(end)) for end in self.bound_number(expr)))
        if isinstance(item, BoolType):
            return none_length
        if isinstance(item, PlayerType):
            return max(none_length, len(f"P{self.setting.players}"))
        if isinstance(item, EnumType):
            enum_labels = (value.label for value in self.program.enums[item.name].values)
            return max(none_length, self._cache_data("enum", item.name, lambda: compute_max_text_length(enum_labels)))
        if isinstance(item, ComponentType):
            labels = (entity.label for entity in self.program.entities if entity.kind == item.name)
            return max(none_length, self._cache_data("cards", item.name, lambda: compute_max_text_length(labels)))
        match expr:
            case Const(value=value):
                return compute_max_text_length(value)
            case Local(slot=slot):
                return self.text_lengths.get(slot, TEXT_LIMIT)
            case core.TextTemplate(parts=parts):
                return sum(len(part) if isinstance(part, str) else self._bound_shown_text(part) for part in parts)
            case core.TableRead(table=table):
                return self._cache_data(
                    "words", table, lambda: compute_max_text_length(self.program.get_table(table).values)
                )
            case core.Field(field=name):
                return self._cache_data("printed words", name, lambda: compute_max_text_length(self._list_fields(name)))
            case core.ListLit(items=items):
                return max(map(self.bound_text, items), default=0)
            case core.MapList(slot=slot, source=source, body=body) | core.Concat(slot=slot, source=source, body=body):
                self.bind_items(slot, source)
                return self.bound_text(body)
            case IfExpr(then=then, otherwise=otherwise) | Binary(left=then, right=otherwise):
                return max(self.bound_text(then), self.bound_text(otherwise))
            case core.CallQuery(query=name):
                return self.game_ranges.lengths.get(name, TEXT_LIMIT)
            case LetIn(body=body):
                return self.bound_text(body)
            case core.CallBuiltin(name=name, args=args) if (
                characters := RUNTIME_FUNCTIONS[name].characters
            ) is not None:
                return characters(BuiltinCall(self, args))
        return TEXT_LIMIT

    def _bound_shown_text(self, expr: Expr) -> int:
        """Return the largest number of characters that a value takes up in a text.

        The items of a list are separated by ``, ``, and an empty list is ``none``. A list of lists gives ``TEXT_LIMIT *
        LIST_LIMIT``.
        """
        item_length = min(self.bound_text(expr), TEXT_LIMIT)
        if not isinstance(expr.type, ListType):
            return item_length
        if isinstance(expr.type.item, ListType):
            return TEXT_LIMIT * LIST_LIMIT
        return max(len("none"), min(self.compute_max_size(expr), LIST_LIMIT) * (item_length + len(", ")))


class Knowledge(Ranges):
    """Bounds of expressions, and the test whether an expression can have a fault."""

    def can_fail(self, expr: Expr) -> bool:
        """Return whether evaluating an expression, with all its parts, may have a fault. In doubt, return True.

        The result is cached by the identity of ``expr``.
        """

        def compute(expr: Expr) -> bool:
            return can_operation_fail(expr, self) or any(map(self.can_fail, get_children(expr)))

        return bool(self._cache_result("fails", expr, compute))


def can_operation_fail(expr: Any, bounds: Ranges | NarrowedBounds) -> bool:
    """Return whether the outermost operation of an expression may have a fault. Faults of its parts don't count.

    - A read may fail if it may find ``none`` where its type forbids it, or if an Int index can be out of range. Indices
      of other types, and those of an open dimension, never count as out of range.
    - Arithmetic and ``sum`` may fail if the result can be outside Int, or if a divisor can be 0. A PoolTotal may fail
      for such a result, and as a read for its indices.
    - ``join``, ``union``, a Concat, a range or a text may fail if the result can be too long.
    - A CallBuiltin may fail if its row in RUNTIME_FUNCTIONS has a ``fault``. For TOO_GREAT and TOO_LONG, the bounds of
      the result decide. A QueryRoutine has ``routine.can_fail``, and a CallQuery gives True.

    Locals, constants, comparisons, logic and anything that is no expression give False. In doubt, the result is True.
    Example: ``gold div n`` gives True if ``n`` can be 0 to 3. It gives False if ``n`` can be 1 to 3, even if ``gold``
    is a read that may fail.
    """
    if not isinstance(expr, Expr) or not core.get_traits(type(expr)).can_fail:
        return False
    program = bounds.program
    match expr:
        case core.ReadCell(place=place, indices=indices):
            return can_read_none(expr, program) or _can_be_outside(indices, program.get_place(place).dims, bounds)
        case core.PoolTotal(zone=zone, indices=indices):
            return _can_be_outside(indices, program.get_place(zone).dims, bounds) or not bounds.fits(expr)
        case core.ReadZone(zone=zone, indices=indices) | core.PoolKinds(zone=zone, indices=indices):
            return _can_be_outside(indices, program.get_place(zone).dims, bounds)
        case core.TableRead(table=table, indices=indices):
            return can_read_none(expr, program) or _can_be_outside(indices, program.get_table(table).dims, bounds)
        case core.Field() | core.IndexOfPlace():
            return can_read_none(expr, program)
        case core.Range():
            return can_exceed_list_limit(expr, bounds)
        case core.Unary(op="-") | core.Binary(op="+" | "-" | "*") | core.Fold(kind="sum"):
            return not bounds.fits(expr)
        case core.Binary(op="div" | "mod", right=right):
            low, high = bounds.bound_number(right)
            return low <= 0 <= high or not bounds.fits(expr)
        case core.Binary(op="join" | "union") | core.Concat():
            return bounds.compute_max_size(expr) > LIST_LIMIT
        case core.CallBuiltin(name=name):
            match RUNTIME_FUNCTIONS[name].fault:
                case Fault.TOO_GREAT:
                    return not bounds.fits(expr)
                case Fault.TOO_LONG:
                    return bounds.bound_text(expr) > TEXT_LIMIT
                case fault:
                    return fault is not None
        case core.TextTemplate():
            return bounds.bound_text(expr) > TEXT_LIMIT
        case QueryRoutine(routine=routine):
            return routine.can_fail
        case core.Unary() | core.Binary() | core.Fold():
            return False
    return True


def can_exceed_list_limit(expr: core.Range, bounds: Ranges | NarrowedBounds) -> bool:
    """Return whether a range may have more numbers than the limit for lists."""
    return bounds.bound_number(expr.high)[1] - bounds.bound_number(expr.low)[0] >= LIST_LIMIT


def can_read_none(expr: core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace, program: core.Program) -> bool:
    """Return whether an expression may read ``none`` although its type does not allow that.

    This holds if the variable, the table, or the field of any component kind is optional. A pool, and an expression
    whose own type is optional, give False. The index of a place gives True unless its type is optional.
    """
    if is_optional(expr.type):
        return False
    if isinstance(expr, core.ReadCell):
        variable = program.variables.get(expr.place)
        return variable is not None and is_optional(variable.type)
    if isinstance(expr, core.TableRead):
        return is_optional(program.get_table(expr.table).type)
    if isinstance(expr, core.IndexOfPlace):
        return True
    types = [fields[expr.field] for fields in program.component_fields.values() if expr.field in fields]
    return any(is_optional(type) for type in types)


def is_optional(type: Type) -> bool:
    """Return whether ``none`` is a value of the type."""
    return isinstance(type, OptionalType | NoneType)


def _can_be_outside(indices: tuple[Expr, ...], dims: tuple[core.Dim, ...], bounds: Ranges | NarrowedBounds) -> bool:
    """Return whether an index may be outside its dimension. The kind of a pool, which comes last, never is."""
    for index, dim in zip(indices, dims, strict=False):
        if isinstance(dim.type, IntType) and not dim.is_open:
            low, high = bounds.bound_number(index)
            if low < dim.low or high >= dim.low + (dim.size or 0):
                return True
    return False


class NarrowedBounds:
    """Bounds at the current place of instruction selection.

    ``number_ranges`` holds bounds of locals (slot -> interval) that are narrower than in ``ranges``.
    """

    def __init__(self, ranges: Knowledge) -> None:
        self.program = ranges.program
        self.ranges = ranges
        self.number_ranges: dict[int, Interval] = {}

    def bound_number(self, expr: Expr) -> Interval:
        """Return the bounds of an Int expression, within the range of Int."""
        return clip_to_int(self.bound_exactly(expr))

    def bound_exactly(self, expr: Expr) -> Interval:
        """Return the bounds of an Int expression, which exceed Int if the outermost operation can overflow.

        The bounds of operands and branches are cut to the range of Int before they are used. The bounds are those of
        ``ranges``. What ``number_ranges`` says narrows a local, both operands of ``+``, ``-``, ``*``, ``div`` and
        ``mod``, and both results of an IfExpr. Others, such as ``-x``, keep the bounds of ``ranges``. In
        code that never runs, the narrowed bounds may have no number in common with those of ``ranges``. The narrowed
        ones then count.
        """
        bounds = self.ranges.bound_unclipped(expr)
        if not self.number_ranges:
            return bounds
        match expr:
            case Local(slot=slot) if slot in self.number_ranges:
                return _intersect(bounds, self.number_ranges[slot])
            case Binary(op=op, left=left, right=right) if op in INTERVAL_OPERATIONS:
                return _intersect(bounds, INTERVAL_OPERATIONS[op](self.bound_number(left), self.bound_number(right)))
            case IfExpr(then=then, otherwise=otherwise) if isinstance(expr.type, IntType):
                return _intersect(bounds, compute_hull((self.bound_number(then), self.bound_number(otherwise))))
        return bounds

    def fits(self, expr: Expr) -> bool:
        """Return whether the outermost operation of an Int expression can't overflow."""
        low, high = self.bound_exactly(expr)
        return low >= INT_MIN and high <= INT_MAX

    def compute_max_size(self, expr: Expr) -> int:
        """Return the largest number of items that a list can have. It may exceed the limit for lists."""
        return self.ranges.compute_max_size(expr)

    def bound_text(self, expr: Expr) -> int:
        """Return the largest number of characters of a text. It may exceed the limit for texts."""
        return self.ranges.bound_text(expr)

    def bind_value(self, slot: int, value: Expr) -> None:
        """Record the bounds of a local that holds the value of an expression, in ``ranges`` and, for an Int, in
        ``number_ranges``.
        """
        self.ranges.bind_value(slot, value)
        if isinstance(value.type, IntType):
            self.number_ranges[slot] = self.bound_number(value)

    def learn(self, condition: Expr) -> None:
        """Narrow the bounds of locals in ``number_ranges`` (slot -> interval) by a condition that holds.

        The condition is a comparison (``<``, ``<=``, ``>`` or ``>=``) of an Int local, on the left, with a constant, or
        several of them joined by ``and``. Any other condition, such as ``x = 5``, and any other part of an ``and``
        narrows nothing. A local without bounds so far has those of ``INT_RANGE``. With ``x < 5``, the bounds (0, 9)
        become (0, 4), and (7, 9) become (7, 4), which have no numbers.
        """
        if not isinstance(condition, Binary):
            return
        left, right, op = condition.left, condition.right, condition.op
        if op == "and":
            self.learn(left)
            self.learn(right)
        elif isinstance(left, Local) and isinstance(left.type, IntType) and isinstance(right, Const):
            low, high = self.number_ranges.get(left.slot, INT_RANGE)
            limit: Any = right.value
            if op in (">", ">="):
                self.number_ranges[left.slot] = max(low, limit + (op == ">")), high
            elif op in ("<", "<="):
                self.number_ranges[left.slot] = low, min(high, limit - (op == "<"))

    def can_fail(self, expr: Expr) -> bool:
        """Return whether evaluating an expression may have a fault with the narrowed bounds. In doubt, return True."""
        return self.ranges.can_fail(expr) and any(can_operation_fail(part, self) for part in core.walk(expr))


def _intersect(first: Interval, second: Interval) -> Interval:
    """Return the intersection of two intervals, or ``second`` if it is empty."""
    low, high = max(first[0], second[0]), min(first[1], second[1])
    return (low, high) if low <= high else second
