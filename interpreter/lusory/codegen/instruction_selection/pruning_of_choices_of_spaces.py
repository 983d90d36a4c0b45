"""Exclude spaces of a choice that cannot lead to an option, by bit masks of spaces.

If a choice picks a space and then one beside it, such as the move of a piece, most first spaces have no second one.
Shifting masks finds those that may have one. The result is a superset, and the options themselves are listed as usual.

Example: if ``s + 8`` is the space north of ``s``, moves to an empty space in the north start in ``empty >> 8``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, ListLit, Local
from lusory_dsl.types.types import ListType, NoneType, OptionalType

from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import (
    LetIn,
    Lookup,
    QueryRoutine,
    Rows,
    count_uses,
    match_optional_list,
)
from . import bitboards
from .bitboards import intersect, make_full_mask
from .lists import MAX_UNCOUNTED_ITEMS
from .selector_state_and_ir_emission import Selector

MAX_DISTANCES = 8
"""The most distances between neighbouring spaces, and the most items of a list to examine one by one."""

MAX_MASK_NODES = 400
"""The largest size of a mask expression. A larger one costs more than visiting the spaces."""

Test = tuple[int, Expr]
Targets = tuple[tuple[int, ...], ...]
"""For each space, the spaces that it leads to."""


def _select_candidate_mask(sel: Selector, slot: int, domain: Expr, next_variable: core.ChoiceVar) -> ir.Value | None:
    """Return a mask of the spaces in ``domain`` after which the next variable of a choice may have an option.

    ``slot`` holds the space. The mask may contain spaces that have no option. Return None if no space can be
    excluded: nothing is known, the mask is constant, or the next domain does not depend on the space. Also return None
    if bits are not iterated, if an expression can fail, or if skipped options count as work. The same goes for a mask
    of more than :data:`MAX_MASK_NODES` nodes.
    """
    size = bitboards.count_spaces(sel.program, domain.type.item) if isinstance(domain.type, ListType) else None
    read_expressions = [expr for expr in (next_variable.domain, next_variable.condition) if expr is not None]
    if size is None or not sel.iterates_bits or not count_uses(next_variable.domain, slot):
        return None
    if any(sel.can_fail(expr) or core.collect_locals(expr) & sel.pending_bindings.keys() for expr in read_expressions):
        return None
    if _may_count_work(sel, domain, read_expressions):
        return None
    tests = () if next_variable.condition is None else ((next_variable.slot, next_variable.condition),)
    was_in_source, sel.is_in_source = sel.is_in_source, True
    candidates = _Candidates(sel, slot, size, {})._find_candidates(next_variable.domain, tests)
    sel.is_in_source = was_in_source
    if candidates is None or isinstance(candidates, ir.Const) or sum(1 for _ in ir.walk(candidates)) > MAX_MASK_NODES:
        return None
    return candidates


def restrict_loop(sel: Selector, source: ir.Value, variable: core.ChoiceVar, next_variable: core.ChoiceVar) -> ir.Value:
    """Narrow the loop over the options of a variable to the spaces that may have an option for the next variable.

    ``select_spaces(spaces, bits)`` becomes ``select_spaces(spaces, bits & candidates)``. Any other source, and one in
    which nothing can be skipped, is returned as it is.
    """
    match source:
        case ir.Primitive(name="select_spaces", args=(spaces, space_bits)) if candidates := _select_candidate_mask(
            sel, variable.slot, variable.domain, next_variable
        ):
            return ir.Primitive("select_spaces", (spaces, ir.Binary("&", space_bits, candidates)))
    return source


def _may_count_work(sel: Selector, domain: Expr, expressions: list[Expr]) -> bool:
    """Return whether visiting the options may count work. If so, no option can be skipped."""
    nodes = [node for expr in expressions for node in core.walk(expr)]
    if any(isinstance(node, QueryRoutine | core.LiesIn | core.ReadZone | core.Reach) for node in nodes):
        return True
    sources = [expr for node in nodes if isinstance(expr := getattr(node, "source", None), Expr)]
    visits = sel.execution_count * prod(sel.bound_length(expr) for expr in (domain, *expressions[:1], *sources))
    return visits > MAX_UNCOUNTED_ITEMS


@dataclass(frozen=True)
class _Candidates:
    """Build masks of candidate spaces.

    ``slot`` holds the space, and ``constants`` holds the constant value of other locals.
    """

    sel: Selector
    slot: int
    size: int
    constants: dict[int, int]

    def _find_candidates(self, expr: Expr, tests: tuple[Test, ...]) -> ir.Value | None:
        """Return a mask of the spaces for which the list ``expr`` may have an item that satisfies the tests, or None if
        nothing is known. In ``expr``, the local ``slot`` is the space.

        Example: for the neighbours of the space, and the test that an item is red, the mask has the spaces beside a red
        one. Tests that no mask fits are ignored. ``tests`` are pairs of the slot of the item and a condition on it; a
        filter adds its own. A conditional expression unites its branches, or chooses one if its condition does not
        depend on the space. A concatenation over up to MAX_DISTANCES known items unites their lists. If a part is
        unknown, so is the whole. A list that does not depend on the space gives the mask of all spaces. Any other list
        must be a table lookup by the space, with up to MAX_DISTANCES distances between a space and its items.
        """
        match expr:
            case core.Filter(slot=slot, source=source, condition=condition):
                return self._find_candidates(source, ((slot, condition), *tests))
            case core.MapList(slot=slot, source=source, body=Local(slot=item), condition=condition) if item == slot:
                return self._find_candidates(source, tests if condition is None else ((slot, condition), *tests))
            case core.Concat(slot=slot, source=source, body=body, condition=None):
                items = self._list_items(source)
                if items is None or len(items) > MAX_DISTANCES or not all(type(item) is int for item in items):
                    return None
                inner = [replace(self, constants={**self.constants, slot: item}) for item in items]
                return self._unite_all([candidates._find_candidates(body, tests) for candidates in inner])
            case IfExpr(condition=condition, then=then, otherwise=otherwise):
                then_mask, else_mask = self._find_candidates(then, tests), self._find_candidates(otherwise, tests)
                if then_mask is None or else_mask is None or self._depends_on_space(condition):
                    return self._unite_all([then_mask, else_mask])
                return ir.Choose(self.sel.select_value(condition), then_mask, else_mask)
        if not self._depends_on_space(expr):
            return ir.Const(make_full_mask(self.size))
        if not isinstance(expr.type, ListType) or bitboards.count_spaces(self.sel.program, expr.type.item) != self.size:
            return None
        single = match_optional_list(expr)
        targets = self._list_targets(expr if single is None else single)
        return None if targets is None else self._find_starts(targets, tests)

    def _depends_on_space(self, expr: Expr) -> bool:
        """Return whether an expression depends on the space."""
        return bool(core.collect_locals(expr) & {self.slot, *self.constants})

    @staticmethod
    def _unite_all(masks: list[ir.Value | None]) -> ir.Value | None:
        known_masks = [mask for mask in masks if mask is not None]
        return bitboards.unite(known_masks) if len(known_masks) == len(masks) else None

    def _list_items(self, expr: Expr) -> tuple[Any, ...] | None:
        """Return all items that a list can contain, or None if they are unknown."""
        match expr:
            case Const(value=tuple() as items):
                return items
            case IfExpr(then=then, otherwise=otherwise):
                value_lists = [self._list_items(then), self._list_items(otherwise)]
            case ListLit(items=expressions):
                value_lists = [self._list_values(item) for item in expressions]
            case _:
                return None
        known_lists = [values for values in value_lists if values is not None]
        return tuple(dict.fromkeys(chain.from_iterable(known_lists))) if len(known_lists) == len(value_lists) else None

    def _list_values(self, expr: Expr) -> tuple[Any, ...] | None:
        """Return all values that an expression can have, or None if they are unknown."""
        possible_values: Any = None
        match expr:
            case Const(value=value):
                possible_values = (value,)
            case core.TableRead(table=name, indices=(_,)):
                possible_values = self.sel.program.get_table(name).values
            case Lookup(values=values):
                possible_values = values
        return possible_values if isinstance(possible_values, tuple) else None

    # ------------------------------------------------------------ targets of a space

    def _list_targets(self, expr: Expr) -> Targets | None:
        """Return the spaces that a table lookup leads to from each space, in order, or None if that is unknown.

        No target gives ``()``. The indices of the lookup must be constants, the space, or locals with a known value.
        """
        entry: Any
        indices: tuple[Expr, ...]
        lows: tuple[int, ...]
        match expr:
            case Lookup(key=key, values=entry):
                indices, lows = (key,), (0,)
            case core.TableRead(table=name, indices=indices):
                table = self.sel.program.get_table(name)
                if any(dim.is_open for dim in table.dims):
                    return None
                entry, lows = table.values, tuple(dim.low for dim in table.dims)
            case Rows(values=entry, indices=indices, lows=lows):
                pass
            case _:
                return None
        if not any(isinstance(index, Local) and index.slot == self.slot for index in indices):
            return None
        targets = []
        for space in range(self.size):
            current: Any = entry
            for index, low in zip(indices, lows, strict=True):
                index_value = self._resolve_index(index, space)
                if index_value is None or not isinstance(current, tuple) or not 0 <= index_value - low < len(current):
                    return None
                current = current[index_value - low]
            items = current if isinstance(current, tuple) else () if current is None else (current,)
            if not all(type(item) is int and 0 <= item < self.size for item in items):
                return None
            targets.append(items)
        return tuple(targets)

    def _resolve_index(self, expr: Expr, space: int) -> int | None:
        match expr:
            case Const(value=int() as value):
                return value
            case Local(slot=slot) if slot == self.slot:
                return space
            case Local(slot=slot):
                return self.constants.get(slot)
        return None

    def _find_starts(self, targets: Targets, tests: tuple[Test, ...]) -> ir.Value | None:
        """Return a mask of the spaces that lead to one that satisfies the tests, or None if they have too many
        distances.

        Tests that no mask fits are left out, so that the mask may contain more spaces.
        """
        slots = frozenset(slot for slot, _ in tests)
        conditions = [condition for _, test in tests for condition in core.flatten_chain(test, "and")]
        target_mask: ir.Value = ir.Const(make_full_mask(self.size))
        start_mask: ir.Value = target_mask
        for condition in conditions:
            if (mask := self._test_targets(condition, slots)) is not None:
                target_mask = intersect(target_mask, mask, self.size)
            elif (mask := self._test_neighbours(condition)) is not None:
                start_mask = intersect(start_mask, mask, self.size)
        starts = self._shift_back(target_mask, targets)
        return None if starts is None else intersect(starts, start_mask, self.size)

    def _shift_back(self, target_mask: ir.Value, targets: Targets) -> ir.Value | None:
        """Return the spaces that lead into a mask, by one shift for each distance.

        Returns None if there are too many distances.
        """
        starts = bitboards.find_predecessors(target_mask, targets, self.size, MAX_DISTANCES)
        if starts is None or not isinstance(target_mask, ir.Const):
            return starts
        return ir.Const(bitboards.make_mask(space for space, items in enumerate(targets) if items))

    # ------------------------------------------------------------ tests

    def _test_targets(self, expr: Expr, slots: frozenset[int]) -> ir.Value | None:
        """Return the target spaces that satisfy a test, if the test depends on nothing but the target.

        Returns None otherwise.
        """
        slots_read = core.collect_locals(expr)
        if len(slots_read & slots) != 1 or self.slot in slots_read or slots_read & self.constants.keys():
            return None
        (slot,) = slots_read & slots
        return bitboards.select_condition_mask(self.sel, expr, slot, self.size)

    def _test_neighbours(self, expr: Expr) -> ir.Value | None:
        """Return the spaces for which a test on another neighbouring space may hold, or None."""
        match expr:
            case Binary(op="=", left=LetIn() as place, right=value):
                neighbour = bitboards.match_neighbour_read(self.sel, place)
                targets = None if neighbour is None else self._list_targets(neighbour[1])
                # Where there is no neighbour, the read is none, too.
                can_be_none = isinstance(value.type, OptionalType | NoneType)
                if neighbour is None or targets is None or can_be_none or self._depends_on_space(value):
                    return None
                return self._shift_back(bitboards.select_value_mask(self.sel, neighbour[0], value), targets)
        return None
