"""Exclude spaces of a choice that cannot lead to an option, by bit masks of spaces.

If a choice picks a space and then one beside it, such as the move of a piece, most first spaces have no second one.
Shifting masks finds those that may have one. The result is a superset, and the options themselves are listed as usual.

Example: if ``s + 8`` is the space north of ``s``, moves to an empty space in the north start in ``empty >> 8``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, ListLit, Local
from lusory_dsl.types.types import ListType, NoneType, OptionalType

from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import LetIn, QueryRoutine, Rows, count_uses, match_optional_list
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
        one. Tests that no mask fits are ignored. ``tests`` are pairs of the slot of the item and a condition on it. A
        concatenation over up to MAX_DISTANCES known items unites their lists. If a part is unknown, so is the whole.
        Any other list must be a table read by the space, with up to MAX_DISTANCES distances between a space and its
        items.
        """
        match expr:
            case core.MapList(slot=slot, source=source, body=Local(slot=item), condition=condition) if item == slot:
                return self._find_candidates(source, tests if condition is None else ((slot, condition), *tests))
            case core.Concat(slot=slot, source=source, body=body, condition=None):
                items = self._list_items(source)
                if items is None or len(items) > MAX_DISTANCES or not all(type(item) is int for item in items):
                    return None
                inner = [replace(self, constants={**self.constants, slot: item}) for item in items]
                masks = [candidates._find_candidates(body, tests) for candidates in inner]
                known_masks = [mask for mask in masks if mask is not None]
                return _unite(known_masks) if len(known_masks) == len(masks) else None
        if not isinstance(expr.type, ListType) or bitboards.count_spaces(self.sel.program, expr.type.item) != self.size:
            return None
        single = match_optional_list(expr)
        targets = self._list_targets(expr if single is None else single)
        return None if targets is None else self._find_starts(targets, tests)

    def _depends_on_space(self, expr: Expr) -> bool:
        """Return whether an expression depends on the space."""
        return bool(core.collect_locals(expr) & {self.slot, *self.constants})

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
        match expr:
            case core.TableRead(table=name, indices=(_,)):
                values = self.sel.program.get_table(name).values
                return values if isinstance(values, tuple) else None
        return None

    # ------------------------------------------------------------ targets of a space

    def _list_targets(self, expr: Expr) -> Targets | None:
        """Return the spaces that a table read leads to from each space, in order, or None if that is unknown.

        No target gives ``()``. The indices of the read must be the space, or locals with a known value.
        """
        entry: Any
        indices: tuple[Expr, ...]
        lows: tuple[int, ...]
        match expr:
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
        if not isinstance(expr, Local):
            return None
        return space if expr.slot == self.slot else self.constants.get(expr.slot)

    def _find_starts(self, targets: Targets, tests: tuple[Test, ...]) -> ir.Value | None:
        """Return a mask of the spaces that lead to one that satisfies the tests.

        Tests that no mask fits are left out, so that the mask may contain more spaces. Return None if the targets have
        too many distances, or if no mask fits any test of a target.
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
        starts = None if isinstance(target_mask, ir.Const) else _find_predecessors(target_mask, targets, self.size)
        return None if starts is None else intersect(starts, start_mask, self.size)

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
                neighbour = _match_neighbour_read(self.sel, place)
                targets = None if neighbour is None else self._list_targets(neighbour[1])
                # Where there is no neighbour, the read is none, too.
                can_be_none = isinstance(value.type, OptionalType | NoneType)
                if neighbour is None or targets is None or can_be_none or self._depends_on_space(value):
                    return None
                mask = bitboards.select_value_mask(self.sel, neighbour[0], value)
                return _find_predecessors(mask, targets, self.size)
        return None


def _find_predecessors(targets: ir.Value, steps: Targets, size: int) -> ir.Value | None:
    """Return a mask expression for the spaces from which a step leads into the mask ``targets``.

    ``steps`` holds, for each of the ``size`` spaces, the spaces that it leads to. On a board of three spaces, for
    example, steps ``((1,), (2,), ())`` give ``targets >> 1``. Steps ``((), (0,), (1,))`` give ``targets << 1 & 7``, and
    steps from each space to itself ``targets & 7``. Without any step, the mask is the constant 0. The distance of a
    step is the target minus the start. Return None if the steps have more than MAX_DISTANCES different distances.
    """
    spaces_by_distance: dict[int, int] = {}
    for space, items in enumerate(steps):
        for item in items:
            spaces_by_distance[item - space] = spaces_by_distance.get(item - space, 0) | 1 << space
    if len(spaces_by_distance) > MAX_DISTANCES:
        return None
    return _unite([_shift_mask(targets, distance, spaces, size) for distance, spaces in spaces_by_distance.items()])


def _unite(masks: Sequence[ir.Value]) -> ir.Value:
    """Return the union ``a | b | c`` of masks, or the constant 0 for none."""
    return reduce(partial(ir.Binary, "|"), masks) if masks else ir.Const(0)


def _shift_mask(targets: ir.Value, distance: int, spaces: int, size: int) -> ir.Value:
    """Return a mask expression for the spaces in ``spaces`` for which the space ``distance`` further is in ``targets``.

    ``distance`` may be negative or 0. ``size`` is the number of spaces; the result has no bits beyond them. Often
    ``spaces`` are all spaces that have one ``distance`` further on the board. Then the mask for a positive distance is
    the shift alone: ``targets >> 2``. For any other distance, the shift is intersected with all ``size`` spaces. With 3
    spaces, this gives ``targets << 1 & 7`` for the distance -1, and ``targets & 7`` for 0. Fewer ``spaces`` give the
    intersection with these: ``targets >> 2 & 5``.
    """
    starts = sum(1 << space for space in range(size) if 0 <= space + distance < size)
    if distance > 0:
        shift: ir.Value = ir.Binary(">>", targets, ir.Const(distance))
        return shift if spaces == starts else ir.Binary("&", shift, ir.Const(spaces))
    shift = ir.Binary("<<", targets, ir.Const(-distance)) if distance else targets
    return ir.Binary("&", shift, ir.Const(make_full_mask(size) if spaces == starts else spaces))


def _match_neighbour_read(sel: Selector, expr: Expr) -> tuple[str, Expr] | None:
    """Match the read of a masked variable at a space that may not exist, which is none beyond the edge of the board.

    Return the name of the variable and the expression for the space, or None if ``expr`` has another form. Example:
    ``let x = north[s] in if x != none then owner[x] else none`` gives ``owner`` and ``north[s]``.
    """
    match expr:
        case LetIn(
            slot=slot,
            value=core.TableRead() | Rows() as space,
            body=IfExpr(
                condition=Binary(op="!=", left=Local(slot=tested_slot), right=Const(value=None)),
                then=core.ReadCell(place=name, indices=(Local(slot=index),)),
                otherwise=Const(value=None),
            ),
        ) if tested_slot == slot == index and name in sel.masked_places:
            return name, space
    return None
