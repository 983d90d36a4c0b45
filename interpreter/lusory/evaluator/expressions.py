"""Evaluate expressions on a position, compute who sees a move, and set up the initial position."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from operator import and_
from typing import Any, ClassVar, NoReturn

from lusory_dsl import core
from lusory_dsl.source.dataclass_with_lazy_methods import ValueRecord
from lusory_dsl.source.source import Span
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import LIST_LIMIT, NoneType, OptionalType, PlayerType, Type, get_default_value

from ..state import random_streams
from ..state.connected_spaces_and_reachability import (
    count_groups,
    count_steps,
    find_connected,
    find_reachable,
    make_symmetric,
)
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.events_redaction_and_text import ComponentsMoved, ZoneAddress, components_moved
from ..state.setting_value_limits_builtins_and_names import (
    CHARACTERS_PER_VISIT,
    FUNCTIONS,
    Setting,
    Value,
    check_int,
    check_list,
    describe_exceeded_limit,
    describe_trail,
    dump,
    find_handlers,
    format_value_label,
    join_text,
    make_lookup,
)
from ..state.state import State
from ..state.state_layout import Place, StateLayout, describe_bad_index

Slots = list[Any]


class Unevaluated(ValueRecord):
    """Hold the expression of a local whose value nobody has read yet."""

    expr: core.Expr


class Walker:
    """Dispatch on node classes: ``eval_Const`` handles the expression ``Const``, ``exec_Let`` the statement ``Let``.

    Defining a subclass that lacks a method raises TypeError.
    """

    expressions: ClassVar[tuple[type, ...]] = core.EXPRESSIONS
    statements: ClassVar[tuple[type, ...]] = ()
    evals: ClassVar[dict[type, Callable[..., Any]]]
    execs: ClassVar[dict[type, Callable[..., Any]]]

    def __init_subclass__(cls) -> None:
        cls.evals, cls.execs = find_handlers(cls, "eval_", cls.expressions), find_handlers(cls, "exec_", cls.statements)


class Reader(Walker):
    """Evaluate expressions on one position. ``slots`` hold the locals of the routine that contains the expression."""

    none_text = "none"

    def __init__(self, setting: Setting, cells: list[Any], zones: list[list[int]]) -> None:
        self.setting = setting
        self.program = setting.program
        self.layout = setting.layout
        self.cells = cells
        self.zones = zones
        self.trail: list[str] = []
        self.visits = setting.limits.visits  # remaining number of items that expressions may visit
        if setting.observer is not None:
            setting.observer.observe_reader(self)

    def fail(self, message: str, span: Span) -> NoReturn:
        """Raise RulesetFault at ``span``, with the running phases and effects and a listing of the whole position."""
        raise RulesetFault(message, span, describe_trail(self.setting, self.trail), dump(self.setting, self.state))

    @property
    def state(self) -> State:
        """The position that is read, without a frame. It shares the lists of this reader."""
        return State(self.cells, self.zones, [])

    def call_at(self, span: Span, function: Callable[..., Value], *args: Value) -> Value:
        """Return ``function(*args)``. If it raises a RulesetFault without a place, raise that fault at ``span``."""
        try:
            return function(*args)
        except RulesetFault as fault:
            if fault.span is not None:
                raise
            self.fail(fault.message, span)

    # ------------------------------------------------------------ entry points

    def evaluate(self, expr: core.Expr, slots: Slots) -> Value:
        """Return the value of an expression in the language's runtime form (None, int, bool, str, tuple).

        ``slots`` holds the locals by slot number; loops in the expression write to it.
        """
        return self.evals[type(expr)](self, expr, slots)

    def require(self, expr: core.Expr, slots: Slots) -> Value:
        """Return the value of an expression. Raise RulesetFault if the value is None, or if it can't be computed."""
        value = self.evaluate(expr, slots)
        if value is None:
            self.fail_missing(expr)
        return value

    def fail_missing(self, expr: core.Expr) -> NoReturn:
        """Raise the fault for an expression that is ``none``, such as ``top(deck)``: "`top(deck)` is none here"."""
        self.fail(f"`{expr.span.line_text}` is none here", expr.span)

    def holds(self, condition: core.Expr | None, slots: Slots) -> bool:
        """Return whether a condition holds. A missing condition always holds."""
        return condition is None or bool(self.evaluate(condition, slots))

    def fill(self, template: core.TextTemplate, slots: Slots) -> str:
        """Return the text of a template with its values filled in as players read them: ``Guard``, ``P1``, ``yes``.

        A list is like ``Guard, Baron``. An absent value and an empty list give ``none_text``. Each full
        :data:`CHARACTERS_PER_VISIT` (100) characters of the text take 1 off ``visits``, so 250 take 2. Raise
        RulesetFault if a value can't be computed, if the text is longer than ``TEXT_LIMIT``, or if ``visits`` falls
        below 0.
        """
        parts = (part if isinstance(part, str) else self.format_value(part, slots) for part in template.parts)
        text: str = self.call_at(template.span, join_text, parts)
        self.count_characters(len(text), template.span)
        return text

    def count_characters(self, character_count: int, span: Span) -> None:
        """Count every :data:`CHARACTERS_PER_VISIT` characters of a built text as a visit. Raise RulesetFault if there
        are too many.
        """
        self.visit(character_count // CHARACTERS_PER_VISIT, span)

    def format_value(self, expr: core.Expr, slots: Slots) -> str:
        """Return the value of an expression as players read it."""
        return self.label(self.evaluate(expr, slots), expr.type)

    def label(self, value: Value, type: Type) -> str:
        """Return a value as players read it. ``none`` and an empty list are :attr:`none_text`."""
        return format_value_label(self.setting, value, type, self.none_text)

    def filter(self, slot: int, source: core.Expr, condition: core.Expr | None, slots: Slots) -> Iterable[Value]:
        """Yield the items of a list for which the condition holds, in order. ``slots[slot]`` holds the current item.

        Before the first item, the list's whole length is taken off ``visits``, the number of visits left. Raise
        RulesetFault if it falls below 0. A missing condition holds for all items.
        """
        items = self.evaluate(source, slots)
        self.visit(len(items), source.span)
        for item in items:
            slots[slot] = item
            if condition is None or self.evaluate(condition, slots):
                yield item

    def visit(self, visit_count: int, span: Span) -> None:
        """Count ``visit_count`` visited items of a loop, or calls of queries. Raise RulesetFault at ``span`` if the
        limit is exceeded.
        """
        self.visits -= visit_count
        if self.visits < 0:
            self.fail(describe_exceeded_limit(self.setting, "visits", self.state), span)

    # ------------------------------------------------------------ places

    def evaluate_place(
        self, place: Place, indices: Sequence[core.Expr], slots: Slots, span: Span
    ) -> tuple[int, tuple[int, ...]]:
        """Return the number of a cell or zone, and the values of its indices.

        ``indices`` are the expressions of all indices of ``place``. Raise RulesetFault if an index is ``none``, even if
        it is optional, or out of range.
        """
        values = tuple([self.require(index, slots) for index in indices])
        return self.find_number(place, values, span), values

    def evaluate_indices(self, indices: Sequence[core.Expr], slots: Slots) -> tuple[int, ...] | None:
        """Return the values of indices in order, or None if an optional index is ``none``.

        An index is optional if its type is, such as ``Space?``. Later indices are then not evaluated. Raise
        RulesetFault if any other index is ``none``. A value may be out of range.
        """
        values = []
        for index in indices:
            value = self.evaluate(index, slots)
            if value is None:
                if isinstance(index.type, OptionalType):
                    return None
                self.fail_missing(index)
            values.append(value)
        return tuple(values)

    def find_number(self, place: Place, indices: tuple[int, ...], span: Span) -> int:
        """Return the number of the cell of a place at these indices, in ``cells``, or of its zone, in ``zones``.

        Indices begin at the ``low`` of their dimension: for a place per 1..2 with the offset 10, ``(1,)`` gives 10, and
        ``(0,)`` is out of range. The first index varies fastest: cells that differ by 1 in it are neighbours. There
        must be one index for each dimension. Raise RulesetFault at ``span`` if an index is out of range.
        """
        number = place.numbers.get(indices)
        if number is None:
            self.fail(place.describe_bad_index(indices), span)
        return number

    def is_visible_to(
        self, visibility: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[int, ...], viewer: int
    ) -> bool:
        """Return whether a seat (from 0) sees the content of a place with this visibility, dimensions and indices.

        The owner is the first index that is a player, or the viewer if no index is one. A condition is evaluated with
        the viewer in slot 0 and the owner in slot 1. Without one, ``visibility.constant`` is ``all``, ``owner`` or
        ``nobody``.
        """
        if visibility.condition is None:
            return bool(self.find_seeing_seats(visibility, dims, indices) >> viewer & 1)
        owners = (index for index, dim in zip(indices, dims, strict=False) if isinstance(dim.type, PlayerType))
        slots = pad_slots((viewer, next(owners, viewer)), visibility.n_slots)
        return bool(self.evaluate(visibility.condition, slots))

    def find_seeing_seats(
        self, visibility: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[int, ...]
    ) -> int:
        """Return a bit mask of the seats that see the content of a place. Bit 0 is the first seat.

        A condition is evaluated for each seat. Without one, ``visibility.constant`` says who sees it: ``all`` seats,
        ``nobody``, or the ``owner``. The owner is the first index that is a player; if no index is one, all seats see
        it. ``indices`` are those of the place, in the order of ``dims``.
        """
        if visibility.condition is not None:
            return sum(
                1 << seat for seat in range(self.setting.players) if self.is_visible_to(visibility, dims, indices, seat)
            )
        if visibility.is_open(dims):
            return (1 << self.setting.players) - 1
        owner = visibility.find_owner_dim(dims)
        return 0 if owner is None else 1 << indices[owner]

    # ------------------------------------------------------------ leaves

    def eval_Const(self, expr: core.Const, slots: Slots) -> Value:
        return expr.value

    def eval_Local(self, expr: core.Local, slots: Slots) -> Value:
        """Return the value of a local, which is the item of ``slots`` at ``expr.slot``.

        If that item is an Unevaluated, evaluate its expression first, and replace the item with the value.

        Example: local 0 with the slots ``[Unevaluated(2 + 3)]`` gives 5, and the slots are then ``[5]``.
        """
        value = slots[expr.slot]
        if type(value) is Unevaluated:
            value = slots[expr.slot] = self.evaluate(value.expr, slots)
        return value

    def eval_OptionValue(self, expr: core.OptionValue, slots: Slots) -> Value:
        return self.setting.options[expr.option]

    def eval_Players(self, expr: core.Players, slots: Slots) -> Value:
        return tuple(range(self.setting.players))

    def eval_ReadCell(self, expr: core.ReadCell, slots: Slots) -> Value:
        """Return the content of a cell, or the default of ``expr.type`` if an index of an optional type is ``none``.

        The default is 0, False, "", () or, for an optional type, None. Other types, such as an enum, have no default:
        this raises RulesetFault, as does a cell that holds ``none``, unless ``expr.type`` is optional. Indices are
        evaluated in order, up to the first of an optional type that is ``none``. One of another type that is ``none``
        raises RulesetFault, too. An index out of range raises it only if no index is ``none``: ``m[99, none]`` gives
        the default.
        """
        indices = self.evaluate_indices(expr.indices, slots)
        if indices is None:
            return self._check_read(expr, get_default_value(expr.type))
        return self._check_read(expr, self.cells[self.find_number(self.layout.places[expr.place], indices, expr.span)])

    def _check_read(self, expr: core.Expr, value: Value) -> Value:
        """Return a value that was read. Raise RulesetFault if it is ``none`` and the type of ``expr`` forbids that."""
        if value is None and not isinstance(expr.type, OptionalType | NoneType):
            self.fail_missing(expr)
        return value

    def eval_ReadZone(self, expr: core.ReadZone, slots: Slots) -> Value:
        zone, indices = self.layout.zones[expr.zone], self.evaluate_indices(expr.indices, slots)
        return () if indices is None else tuple(self.zones[self.find_number(zone, indices, expr.span)])

    def list_counts(self, pool: str, indices: Sequence[core.Expr], slots: Slots, span: Span) -> list[tuple[int, int]]:
        """Return a pair (kind, number of counters) for each kind that a pool may hold, also if the number is 0.

        A kind is the ordinal of an enum value. The kinds are in the order of the pool's ``kinds``. The list is empty if
        an optional index is ``none``. Raise RulesetFault at the span of another index that is ``none``, or at ``span``
        if an index is out of range.
        """
        values = self.evaluate_indices(indices, slots)
        if values is None:
            return []
        place = self.layout.places[pool]
        kinds = self.program.pools[pool].kinds
        return [(kind, self.cells[self.find_number(place, (*values, kind), span)]) for kind in kinds]

    def eval_PoolKinds(self, expr: core.PoolKinds, slots: Slots) -> Value:
        return tuple(kind for kind, count in self.list_counts(expr.zone, expr.indices, slots, expr.span) if count > 0)

    def eval_PoolTotal(self, expr: core.PoolTotal, slots: Slots) -> Value:
        """Return the sum of all counters in a pool. Raise RulesetFault if it is beyond 64 bits."""
        return self.call_at(
            expr.span, check_int, sum(count for _, count in self.list_counts(expr.zone, expr.indices, slots, expr.span))
        )

    def eval_TableRead(self, expr: core.TableRead, slots: Slots) -> Value:
        """Return an entry of a table, or the default of its type: 0, false, ``""``, or an empty list; ``none`` for any
        other.

        Indices begin at the ``low`` of their dimension: the table ``[3, 4]`` per 1..2 gives 4 for the index 2. An
        optional index that is ``none`` gives the default, even beside one out of range: ``t[9, none]``. Otherwise the
        first index out of range decides: in an open dimension it gives the default, in others a RulesetFault. Raise it
        also for ``none`` as an index that isn't optional, unless an optional one before is ``none``. Also raise it if
        the entry or the default is ``none`` although the type of ``expr`` forbids that.
        """
        table = self.program.get_table(expr.table)
        entry: Any = table.values
        indices = self.evaluate_indices(expr.indices, slots)
        if indices is None:
            return self._check_read(expr, get_default_value(expr.type))
        for index, value, dim in zip(expr.indices, indices, table.dims, strict=True):
            position = value - dim.low
            if not 0 <= position < len(entry):
                if dim.is_open:
                    return self._check_read(expr, get_default_value(expr.type))
                self.fail(describe_bad_index(expr.table, position + dim.low, dim.low, len(entry)), index.span)
            entry = entry[position]
        return self._check_read(expr, entry)

    def eval_Field(self, expr: core.Field, slots: Slots) -> Value:
        return self._check_read(expr, self.program.entities[self.require(expr.component, slots)].fields[expr.field])

    def find_zone(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        """Return the zone that holds a component, with its indices, or None if it is in no zone.

        Raise RulesetFault if the component is ``none``.
        """
        number = self.cells[self.layout.location + self.require(card, slots)]
        return None if number is None else self.layout.get_zone(number)

    def eval_LiesIn(self, expr: core.LiesIn, slots: Slots) -> Value:
        address = self.find_zone(expr.component, slots)
        return address is not None and address[0] == expr.zone

    def eval_IndexOfPlace(self, expr: core.IndexOfPlace, slots: Slots) -> Value:
        """Return the first index of a component's zone that has the type of ``expr``: Player also for ``Player?``.

        It is None if the component is in no zone, or in one without such an index. Raise RulesetFault if the type
        is not optional then, or if the component is ``none``.
        """
        address = self.find_zone(expr.component, slots)
        index = None if address is None else find_index(self.program.zones[address[0]], address[1], expr.type)
        return self._check_read(expr, index)

    # ------------------------------------------------------------ operators

    def eval_Unary(self, expr: core.Unary, slots: Slots) -> Value:
        """Return ``not x`` or ``-x``. Raise RulesetFault if the number is ``none`` or beyond 64 bits."""
        if expr.op == "not":
            return not self.evaluate(expr.operand, slots)
        return self.call_at(expr.span, check_int, -self.require(expr.operand, slots))

    def eval_Binary(self, expr: core.Binary, slots: Slots) -> Value:
        """Return the result of an operator. ``div`` rounds down, and ``mod`` has the sign of the divisor.

        ``and`` and ``or`` give a bool, and evaluate the right side only if the left one does not decide. ``none`` may
        be on either side of ``=`` and ``!=``, and on the left of ``in``. Raise RulesetFault if ``none`` is an operand
        of ``<``, ``<=``, ``>``, ``>=``, of arithmetic, or of ``union``, ``except``, ``intersect`` and ``join``.
        Division by zero, a number beyond 64 bits, and a list longer than ``LIST_LIMIT`` raise it, too.
        """
        op = expr.op
        if op == "and":
            return bool(self.evaluate(expr.left, slots) and self.evaluate(expr.right, slots))
        if op == "or":
            return bool(self.evaluate(expr.left, slots) or self.evaluate(expr.right, slots))
        equality = EQUALITY_OPERATORS.get(op)
        if equality is not None:
            return equality(self.evaluate(expr.left, slots), self.evaluate(expr.right, slots))
        left, right = self.require(expr.left, slots), self.require(expr.right, slots)
        if (comparison := ORDER_OPERATORS.get(op)) is not None:
            return comparison(left, right)
        if op in ("div", "mod") and right == 0:
            self.fail("division by zero", expr.span)
        return self.call_at(expr.span, VALUE_OPERATORS[op], left, right)

    def eval_IfExpr(self, expr: core.IfExpr, slots: Slots) -> Value:
        return self.evaluate(expr.then if self.holds(expr.condition, slots) else expr.otherwise, slots)

    def eval_ByCard(self, expr: core.ByCard, slots: Slots) -> Value:
        return self.evaluate(dict(expr.cases).get(self.find_original(expr.card, slots), expr.otherwise), slots)

    def find_original(self, card: core.Expr, slots: Slots) -> Value:
        """Return the number of the first copy of a card: the field ``original`` of the component. Raise RulesetFault
        for ``none``.
        """
        return self.program.entities[self.require(card, slots)].fields["original"]

    # ------------------------------------------------------------ lists

    def eval_ListLit(self, expr: core.ListLit, slots: Slots) -> Value:
        return tuple(self.evaluate(item, slots) for item in expr.items)

    def eval_Range(self, expr: core.Range, slots: Slots) -> Value:
        """Return a tuple of the numbers from the low to the high end, both included, or ``()`` if the high end is less.

        Raise RulesetFault if there are more than ``LIST_LIMIT`` (100,000), or if an end is ``none``.
        """
        low, high = self.require(expr.low, slots), self.require(expr.high, slots)
        if high - low >= LIST_LIMIT:
            self.fail(f"{low}..{high} is longer than {LIST_LIMIT:,} numbers", expr.span)
        return tuple(range(low, high + 1))

    def eval_Filter(self, expr: core.Filter, slots: Slots) -> Value:
        return tuple(self.filter(expr.slot, expr.source, expr.condition, slots))

    def eval_MapList(self, expr: core.MapList, slots: Slots) -> Value:
        return tuple(
            self.evaluate(expr.body, slots) for _ in self.filter(expr.slot, expr.source, expr.condition, slots)
        )

    def eval_Fold(self, expr: core.Fold, slots: Slots) -> Value:
        """Return the sum, maximum, minimum, ``any`` or ``all`` of the body's values, or how many are true (``count``).

        The body is evaluated for each item for which the condition holds. Without such items, numbers are 0, ``any`` is
        False and ``all`` is True. ``any`` and ``all`` stop at the item that decides. Raise RulesetFault if a value is
        ``none``, or if a sum is beyond 64 bits.
        """
        values = (self.require(expr.body, slots) for _ in self.filter(expr.slot, expr.source, expr.condition, slots))
        total = FOLDS[expr.kind](values)
        return self.call_at(expr.span, check_int, total) if expr.kind == "sum" else total

    def eval_Extreme(self, expr: core.Extreme, slots: Slots) -> Value:
        """Return all items with the greatest key (kind ``"most"``) or smallest key (``"least"``), in their order.

        An empty list gives ``()``. Raise RulesetFault if a key is ``none``.
        """
        keys = [(item, self.require(expr.key, slots)) for item in self.filter(expr.slot, expr.source, None, slots)]
        if not keys:
            return ()
        best = (max if expr.kind == "most" else min)(key for _, key in keys)
        return tuple(item for item, key in keys if key == best)

    def eval_Distinct(self, expr: core.Distinct, slots: Slots) -> Value:
        """Return a tuple of the first item of each key, in the order of the items. ``none`` is a key like any other.

        Example: the items 3, 5 and 4 with the key ``x mod 2`` give ``(3, 4)``.
        """
        first: dict[Value, Value] = {}
        for item in self.filter(expr.slot, expr.source, None, slots):
            first.setdefault(self.evaluate(expr.key, slots), item)
        return tuple(first.values())

    def eval_Reach(self, expr: core.Reach, slots: Slots) -> Value:
        """Return a tuple of the values that steps from the list ``start`` reach, each once, or the steps to a target.

        The order is that of a breadth-first search: the start values come first, then those one step away. With a
        target, the result is the smallest number of steps to it: 0 for a start value, None if it is out of reach. If
        ``max_steps`` is given, only that many steps count; with 0 or less, only the start values do. Example: from
        ``(1,)``, with a step from n to n + 1 up to 4, the result is ``(1, 2, 3, 4)``. With the target 3 it is 2.

        Each value of the start counts as a visit, so does each value whose successors are computed, and so does each
        successor. Raise RulesetFault for too many visits, and if ``max_steps`` or the target is ``none``.
        """
        start: tuple[Value, ...] = self.evaluate(expr.start, slots)
        max_steps = None if expr.max_steps is None else self.require(expr.max_steps, slots)
        target: Value = None if expr.target is None else self.require(expr.target, slots)

        def find_successors(value: Value) -> tuple[Value, ...]:
            slots[expr.slot] = value
            successors: tuple[Value, ...] = self.evaluate(expr.body, slots)
            self.visit(1 + len(successors), expr.body.span)
            return successors

        self.visit(len(start), expr.start.span)
        if target is None:
            return find_reachable(start, max_steps, find_successors)
        return count_steps(start, max_steps, target, find_successors)

    def eval_Region(self, expr: core.Region, slots: Slots) -> Value:
        """Return the spaces of ``area`` that are connected, within it, to one of ``start``, in the order of
        ``area``.

        The result is a tuple, and a space that ``area`` repeats stays repeated. Spaces of ``start`` that are in
        ``area`` are included, and others are ignored. If ``expr.start`` is None, return the number of connected groups;
        an empty start gives (). The table ``expr.touching`` links the spaces, and a one-way link connects both ways.
        """
        area: tuple[int, ...] = self.evaluate(expr.area, slots)
        start = None if expr.start is None else self.evaluate(expr.start, slots)
        self.visit(len(area), expr.span)
        touching: Any = self.program.get_table(expr.touching).values
        if start is None:
            return count_groups(area, make_symmetric(touching))
        return find_connected(start, area, make_symmetric(touching))

    def eval_Sorted(self, expr: core.Sorted, slots: Slots) -> Value:
        keys = [(self.require(expr.key, slots), item) for item in self.filter(expr.slot, expr.source, None, slots)]
        return tuple(item for _, item in sorted(keys, key=lambda pair: pair[0]))

    def eval_Leading(self, expr: core.Leading, slots: Slots) -> Value:
        """Return a tuple of the items before the first one for which the condition does not hold, in their order.

        If it holds for all, these are all items. The condition is not read for later items.
        """
        leading = []
        for item in self.filter(expr.slot, expr.source, None, slots):
            if not self.evaluate(expr.condition, slots):
                break
            leading.append(item)
        return tuple(leading)

    def eval_Concat(self, expr: core.Concat, slots: Slots) -> Value:
        """Return the lists that the body gives for the items, joined in order to one tuple.

        Items for which the condition doesn't hold are left out, but are taken off ``visits``, too. Raise RulesetFault
        if that falls below 0, or if the joined list has more than ``LIST_LIMIT`` items.
        """
        items: list[Value] = []
        for _ in self.filter(expr.slot, expr.source, expr.condition, slots):
            items += self.evaluate(expr.body, slots)
        return self.call_at(expr.span, check_list, tuple(items))

    def eval_Named(self, expr: core.Named, slots: Slots) -> Value:
        """Return the body's value. The named part is evaluated when the body first reads it, so once or not at all.

        The slot of the named part is None afterwards.
        """
        slots[expr.slot] = Unevaluated(expr.value)
        value = self.evaluate(expr.body, slots)
        slots[expr.slot] = None
        return value

    # ------------------------------------------------------------ calls

    def eval_CallQuery(self, expr: core.CallQuery, slots: Slots) -> Value:
        self.visit(1, expr.span)
        return self.evaluate_query(self.program.queries[expr.query], [self.evaluate(arg, slots) for arg in expr.args])

    def evaluate_query(self, query: core.Query, args: list[Value]) -> Value:
        """Return the value of a query after its modifiers, as :meth:`iterate_modifier_stages` applies them.

        The value may be None. ``args`` are values. They fill the first slots of the query and of each modifier.
        """
        if not query.modifiers:
            return self.evaluate(query.value, pad_slots(args, query.n_slots))
        *_, (_, _, value) = self.iterate_modifier_stages(query, args)
        return value

    def iterate_modifier_stages(
        self, query: core.Query, args: list[Value]
    ) -> Iterator[tuple[core.Modifier | None, int | None, Value]]:
        """Yield the unmodified value of a query, then the value after each modifier whose condition holds.

        They apply in the order of ``query.modifiers``: layer by layer, last those without a layer. In each layer, the
        section ``rules`` comes first, then kinds, cards and keywords, then temporary changes. Each step is a tuple of
        the modifier, the card that has the modifier, and the value. Modifier and card are None in the first step; the
        card is None for a rule that no card has. A rule of several cards gives a step for each card of
        ``copies``, in order, for which the condition holds. Each step starts from the value of the step before.
        """
        value = self.evaluate(query.value, pad_slots(args, query.n_slots))
        yield None, None, value
        for modifier in query.modifiers:
            slots = pad_slots(args, modifier.n_slots)
            for card in modifier.copies or (None,):
                slots[modifier.it_slot] = value
                if card is not None:
                    slots[modifier.this_slot] = card
                if self.holds(modifier.condition, slots):
                    value = self.evaluate(modifier.value, slots)
                    yield modifier, card, value

    def eval_CallBuiltin(self, expr: core.CallBuiltin, slots: Slots) -> Value:
        """Return the result of a built-in function. The arguments are evaluated in order.

        Raise RulesetFault if the function fails, such as ``first`` and ``top`` for an empty list, ``index`` for an item
        that is not in the list, or ``sum`` for a result that is too great. But ``min`` and ``max`` of an empty list
        give 0. Raise it, too, if an argument of a function such as ``abs`` or ``sum`` is ``none``. A function with a
        parameter for lists of any items, or for such an item, accepts ``none``: ``first`` and ``index``, which counts
        from 0.
        """
        evaluate = self.evaluate if RUNTIME_FUNCTIONS[expr.name].accepts_none else self.require
        args = [evaluate(arg, slots) for arg in expr.args]
        return self.call_at(expr.span, FUNCTIONS[expr.name], self.setting.players, *args)

    def eval_TextTemplate(self, expr: core.TextTemplate, slots: Slots) -> Value:
        return self.fill(expr, slots)


def find_index(zone: core.CardZone, indices: tuple[int, ...], type: Type) -> int | None:
    """Return the first index of a zone whose dimension has the given type, which may be optional.

    Return None if no dimension has it. ``indices`` has one value for each dimension.
    """
    item = type.item if isinstance(type, OptionalType) else type
    return next((index for index, dim in zip(indices, zone.dims, strict=True) if dim.type == item), None)


def set_union(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the items of ``first``, followed by the items of ``second`` that are not in ``first``.

    The order stays, and so do repetitions within one list. ``(1, 1)`` and ``(2, 1, 2)`` give ``(1, 1, 2, 2)``.
    """
    if not first or not second:
        return first or second
    if len(first) == 1 and first[0] not in second:  # the most frequent case
        return first + second
    if len(second) == 1:
        return first if second[0] in first else first + second
    lookup = make_lookup(first)
    return first + tuple([item for item in second if item not in lookup])


def set_except(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the items of ``first`` that are not in ``second``, in their order and with repetitions."""
    lookup = make_lookup(second)
    return tuple([item for item in first if item not in lookup])


def set_intersect(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the items of ``first`` that are in ``second``, in the order of ``first`` and with its repetitions."""
    lookup = make_lookup(second)
    return tuple([item for item in first if item in lookup])


EQUALITY_OPERATORS: dict[str, Callable[[Value, Value], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "in": lambda item, items: item in items,
}

ORDER_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

VALUE_OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda first, second: check_int(first + second),
    "-": lambda first, second: check_int(first - second),
    "*": lambda first, second: check_int(first * second),
    "div": lambda first, second: check_int(first // second),
    "mod": operator.mod,
    "union": lambda first, second: check_list(set_union(first, second)),
    "except": set_except,
    "intersect": set_intersect,
    "join": lambda first, second: check_list(first + second),
}

FOLDS: dict[str, Callable[[Iterable[Value]], Value]] = {
    "sum": sum,
    "max": lambda values: max(values, default=0),
    "min": lambda values: min(values, default=0),
    "any": any,
    "all": all,
    "count": lambda values: sum(1 for value in values if value),
}


def pad_slots(slots: Sequence[Value], n_slots: int) -> Slots:
    """Return a new list of locals that begins with ``slots`` and is filled up with None to ``n_slots`` entries."""
    return [*slots, *[None] * (n_slots - len(slots))]


ZoneSightMasks = tuple[int, int, int]
"""Bit masks of seats: those that see a whole zone, and those that also see its top or its bottom component."""


@lru_cache(maxsize=64)
def _list_constant_seat_masks(setting: Setting) -> list[ZoneSightMasks | None]:
    """Return the bit masks of each zone, by zone number. The entry is None if a condition decides who sees the zone."""
    reader, zones = Reader(setting, [], []), setting.program.zones
    masks: list[ZoneSightMasks | None] = []
    for number in range(setting.layout.zone_count):
        zone = zones[setting.layout.get_zone(number)[0]]
        is_fixed = all(visible.condition is None for visible in zone.visibilities)
        masks.append(_compute_seat_masks(reader, number) if is_fixed else None)
    return masks


def _compute_seat_masks(reader: Reader, number: int) -> ZoneSightMasks:
    """Return the bit masks of the seats that see a zone, its top and its bottom, in the current position."""
    name, indices = reader.layout.get_zone(number)
    zone = reader.program.zones[name]
    seats, top, bottom = (
        0 if visibility is None else reader.find_seeing_seats(visibility, zone.dims, indices)
        for visibility in (zone.visible, zone.top, zone.bottom)
    )
    return seats, top, bottom


def find_seats_seeing(reader: Reader, cards: Sequence[int]) -> list[int]:
    """Return a bit mask for each component, in order: the seats that see it now. Bit 0 is P1, and 0 means nobody.

    A component in no zone has 0. The seats that only see the top or bottom of a zone count for the component at this
    end.
    """
    constant_masks, zones, location = _list_constant_seat_masks(reader.setting), reader.zones, reader.layout.location
    masks = []
    for card in cards:
        number = reader.cells[location + card]
        if number is None:
            masks.append(0)
            continue
        seats, top_seats, bottom_seats = constant_masks[number] or _compute_seat_masks(reader, number)
        if top_seats and zones[number][0] == card:
            seats |= top_seats
        if bottom_seats and zones[number][-1] == card:
            seats |= bottom_seats
        masks.append(seats)
    return masks


def make_move_events(
    reader: Reader,
    cards: Sequence[int],
    number: int,
    position: str,
    sources: Sequence[ZoneAddress | None],
    seats_before: Sequence[int],
) -> Iterator[ComponentsMoved]:
    """Yield the events of a move of components to a zone, after the move. Nothing is logged.

    There is one event for all components if every seat sees all of them now. Otherwise, there is one for those that
    every seat saw before, and then one for the others. If one of these groups is empty, it has no event. There must be
    a component. The ``seats`` of an event is a bit mask. It has the seats that see all moved components now, and also
    those that saw all components of this event before the move: in the first of two events, all seats.

    Args:
        number: The zone that the components are in now.
        position: ``top`` or ``bottom``, as it stands in the event.
        sources: The zone that each component comes from, or None for none.
        seats_before: A bit mask of the seats that saw each component before the move, as :func:`find_seats_seeing`
            returned them.
    """
    zone, indices = reader.layout.get_zone(number)
    everybody = (1 << reader.setting.players) - 1
    seats_after, *end_seats = _list_constant_seat_masks(reader.setting)[number] or _compute_seat_masks(reader, number)
    if any(end_seats):
        seats_after = reduce(and_, find_seats_seeing(reader, cards), everybody)
    public_indices = [index for index, seats in enumerate(seats_before) if seats == everybody]
    other_indices = [index for index, seats in enumerate(seats_before) if seats != everybody]
    if seats_after == everybody or not public_indices or not other_indices:
        groups = [list(range(len(cards)))]
    else:
        groups = [public_indices, other_indices]
    for group in groups:
        seats = seats_after | reduce(and_, [seats_before[index] for index in group], everybody)
        moved_cards, origins = tuple([cards[index] for index in group]), tuple([sources[index] for index in group])
        yield components_moved(moved_cards, zone, indices, position, origins, seats)


def seed_state(layout: StateLayout, initial: State, seed: random_streams.Seed) -> State:
    """Return a copy of the initial position, with the cell of each random stream set for this seed.

    ``initial`` stays unchanged. A program without chance has no streams, so its copy is equal.
    """
    state = initial.copy()
    for stream, cell in layout.streams.items():
        state.cells[cell] = random_streams.start_stream(seed, stream)
    return state


def find_initial_position(setting: Setting) -> State:
    """Return the position before the setup: start values, components in their start zones, random streams without seed.

    The cells of random streams and of the end reason are None, and so is the location of a component in no zone. Kinds
    of a pool without a declared number start with 0. Raise RulesetFault if the rules fail in a start value, or if a
    component begins in two places. Raise it, too, if a limited pool begins with a negative number.
    """
    layout, program = setting.layout, setting.program
    cells: list[Any] = [None] * layout.size
    zones: list[list[int]] = [[] for _ in range(layout.zone_count)]
    for counter in layout.repeats.values():
        cells[counter] = 0
    cells[layout.over] = cells[layout.work] = 0
    reader = Reader(setting, cells, zones)
    for zone in program.zones.values():
        if zone.start:
            number = layout.zones[zone.name].at(())
            zones[number] = list(zone.start)
            for entity in zone.start:
                cells[layout.location + entity] = number
    _deal(reader)
    for variable in program.variables.values():
        place = layout.places[variable.name]
        if isinstance(variable.start, core.Const):
            value = reader.evaluate(variable.start, [])  # coverage and mutation tests observe this
            cells[place.offset : place.offset + place.size] = [value] * place.size
            continue
        for indices, cell in place.numbers.items():
            cells[cell] = reader.evaluate(variable.start, _index_slots(place, indices, variable.n_slots))
    for pool in program.pools.values():
        place = layout.places[pool.name]
        for indices, cell in place.numbers.items():
            start = pool.start[indices[-1]]
            slots = _index_slots(place, indices[:-1], pool.n_slots)
            count = cells[cell] = 0 if start is None else reader.require(start, slots)
            if start is not None and count < 0 and not pool.is_unlimited:
                kind = program.enums[str(pool.holds)].values[indices[-1]].name
                reader.fail(f"the pool `{pool.name}` can't start with {count} {kind}", start.span)
    return State(cells, zones, [])


def _deal(reader: Reader) -> None:
    """Put components into the zones whose declaration lists them as the start content, and set their locations.

    Raise RulesetFault if a component starts in two zones.
    """
    layout, program = reader.setting.layout, reader.setting.program
    for zone in program.zones.values():
        if zone.part_start is None:
            continue
        place = layout.zones[zone.name]
        for indices, number in place.numbers.items():
            for card in reader.evaluate(zone.part_start, _index_slots(place, indices, zone.n_slots)):
                if reader.cells[layout.location + card] is not None:
                    name = program.entities[card].name
                    reader.fail(f"the card `{name}` starts in two zones", zone.part_start.span)
                reader.cells[layout.location + card] = number
                reader.zones[number].append(card)
            if zone.is_sorted:
                reader.zones[number].sort()


def _index_slots(place: Place, indices: Sequence[int], slot_count: int) -> Slots:
    """Return ``slot_count`` local slots that begin with the values that the indices of a place stand for."""
    index_values = [dim.to_source_value(index) for dim, index in zip(place.dims, indices, strict=False)]
    return pad_slots(index_values, slot_count)
