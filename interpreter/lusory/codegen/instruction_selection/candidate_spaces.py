"""Exclude spaces of a choice that cannot lead to an option, by bit masks of spaces.

If a choice picks a space and then one beside it, such as the move of a piece, most first spaces have no second one.
Shifting masks finds those that may have one. The result is a superset, and the options themselves are listed as usual.

Example: if ``s + 8`` is the space north of ``s``, moves to an empty space in the north start in ``empty >> 8``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, ListLit, Local
from lusory_dsl.types.types import ListType, NoneType, OptionalType

from .. import ir
from ..lower.lowered_nodes import LetIn, Lookup, QueryRoutine, Rows, count_uses, one_or_none
from . import bitboards
from .bitboards import both, full, moved
from .lists import UNCOUNTED
from .selector import Selector

WAYS = 8
"""The most distances between neighbouring spaces, and the most items of a list to examine one by one."""

LARGE = 400
"""The largest size of a mask expression. A larger one costs more than visiting the spaces."""

Test = tuple[int, Expr]
Targets = tuple[tuple[int, ...], ...]
"""For each space, the spaces that it leads to."""


def possible(sel: Selector, slot: int, domain: Expr, then: core.ChoiceVar) -> ir.Value | None:
    """Return a mask of the spaces in ``domain`` after which the next variable may have an option.

    ``slot`` holds the space, and ``then`` is the next variable of the choice. Returns None if nothing is known.
    """
    size = bitboards.spaces_of(sel.program, domain.type.item) if isinstance(domain.type, ListType) else None
    read = [e for e in (then.domain, then.condition) if e is not None]
    if size is None or not sel.iterates_bits or not count_uses(then.domain, slot) or any(map(sel.can_fail, read)):
        return None
    if any(core.collect_locals(e) & sel.pending_bindings.keys() for e in read) or _counts(sel, domain, read):
        return None
    tests = () if then.condition is None else ((then.slot, then.condition),)
    before, sel.is_in_source = sel.is_in_source, True
    found = _Candidates(sel, slot, size, {}).behind(then.domain, tests)
    sel.is_in_source = before
    if found is None or isinstance(found, ir.Const) or sum(1 for _ in ir.walk(found)) > LARGE:
        return None
    return found


def narrowed(sel: Selector, source: ir.Value, v: core.ChoiceVar, then: core.ChoiceVar) -> ir.Value:
    """Narrow the loop over the options of a variable to the spaces that may have an option for the next variable.

    Returns the source as it is if nothing can be skipped.
    """
    match source:
        case ir.Primitive(name="select_spaces", args=(spaces, found)) if some := possible(sel, v.slot, v.domain, then):
            return ir.Primitive("select_spaces", (spaces, ir.Binary("&", found, some)))
    return source


def _counts(sel: Selector, domain: Expr, read: list[Expr]) -> bool:
    """Return whether visiting the options may count work. If so, no option can be skipped."""
    nodes = [node for e in read for node in core.walk(e)]
    if any(isinstance(node, QueryRoutine | core.LiesIn | core.ReadZone | core.Reach) for node in nodes):
        return True
    sources = [e for node in nodes if isinstance(e := getattr(node, "source", None), Expr)]
    return sel.execution_count * prod(sel.max_length(e) for e in (domain, *read[:1], *sources)) > UNCOUNTED


@dataclass(frozen=True)
class _Candidates:
    """Build masks of candidate spaces.

    ``slot`` holds the space, and ``known`` holds the constant value of other locals.
    """

    sel: Selector
    slot: int
    size: int
    known: dict[int, int]

    def behind(self, e: Expr, tests: tuple[Test, ...]) -> ir.Value | None:
        """Return the spaces for which a list may have an item that satisfies the tests. None if nothing is known."""
        match e:
            case core.Filter(slot=slot, source=source, condition=condition):
                return self.behind(source, ((slot, condition), *tests))
            case core.MapList(slot=slot, source=source, body=Local(slot=item), condition=condition) if item == slot:
                return self.behind(source, tests if condition is None else ((slot, condition), *tests))
            case core.Concat(slot=slot, source=source, body=body, condition=None):
                items = self._items(source)
                if items is None or len(items) > WAYS or not all(type(item) is int for item in items):
                    return None
                return self._any([self._with({slot: item}).behind(body, tests) for item in items])
            case IfExpr(condition=condition, then=then, otherwise=otherwise):
                one, other = self.behind(then, tests), self.behind(otherwise, tests)
                if one is None or other is None or self._varies(condition):
                    return self._any([one, other])
                return ir.Choose(self.sel.value(condition), one, other)
        if not self._varies(e):
            return ir.Const(full(self.size))
        if not isinstance(e.type, ListType) or bitboards.spaces_of(self.sel.program, e.type.item) != self.size:
            return None
        alone = one_or_none(e)
        targets = self._targets(e if alone is None else alone)
        return None if targets is None else self._led(targets, tests)

    def _varies(self, e: Expr) -> bool:
        """Return whether an expression depends on the space."""
        return bool(core.collect_locals(e) & {self.slot, *self.known})

    def _with(self, known: dict[int, int]) -> _Candidates:
        return _Candidates(self.sel, self.slot, self.size, {**self.known, **known})

    @staticmethod
    def _any(parts: list[ir.Value | None]) -> ir.Value | None:
        found = [part for part in parts if part is not None]
        return _joined(found) if len(found) == len(parts) else None

    def _items(self, e: Expr) -> tuple[Any, ...] | None:
        """Return all items that a list can contain, or None if they are unknown."""
        match e:
            case Const(value=tuple() as items):
                return items
            case IfExpr(then=then, otherwise=otherwise):
                one, other = self._items(then), self._items(otherwise)
                return None if one is None or other is None else tuple(dict.fromkeys((*one, *other)))
            case ListLit(items=parts):
                found = [self._values(part) for part in parts]
                return None if None in found else tuple(dict.fromkeys(v for values in found for v in values or ()))
        return None

    def _values(self, e: Expr) -> tuple[Any, ...] | None:
        """Return all values that an expression can have, or None if they are unknown."""
        found: Any = None
        match e:
            case Const(value=value):
                found = (value,)
            case core.TableRead(table=name, indices=(_,)):
                found = self.sel.program.get_table(name).values
            case Lookup(values=values):
                found = values
        return found if isinstance(found, tuple) else None

    # ------------------------------------------------------------ targets of a space

    def _targets(self, e: Expr) -> Targets | None:
        """Return the spaces that an expression leads to from each space, or None if that is unknown."""
        entry: Any
        indices: tuple[Expr, ...]
        lows: tuple[int, ...]
        match e:
            case Lookup(of=of, values=entry):
                indices, lows = (of,), (0,)
            case core.TableRead(table=name, indices=indices) if not self._is_open(name):
                table = self.sel.program.get_table(name)
                entry, lows = table.values, tuple(dim.low for dim in table.dims)
            case Rows(values=entry, indices=indices, lows=lows):
                pass
            case _:
                return None
        if not any(isinstance(index, Local) and index.slot == self.slot for index in indices):
            return None
        found = []
        for space in range(self.size):
            one: Any = entry
            for index, low in zip(indices, lows, strict=True):
                at = self._index(index, space)
                if at is None or not isinstance(one, tuple) or not 0 <= at - low < len(one):
                    return None
                one = one[at - low]
            items = one if isinstance(one, tuple) else () if one is None else (one,)
            if not all(type(item) is int and 0 <= item < self.size for item in items):
                return None
            found.append(items)
        return tuple(found)

    def _is_open(self, table: str) -> bool:
        return any(dim.is_open for dim in self.sel.program.get_table(table).dims)

    def _index(self, e: Expr, space: int) -> int | None:
        match e:
            case Const(value=int() as value):
                return value
            case Local(slot=slot) if slot == self.slot:
                return space
            case Local(slot=slot):
                return self.known.get(slot)
        return None

    def _led(self, targets: Targets, tests: tuple[Test, ...]) -> ir.Value | None:
        """Return the spaces that lead to one that satisfies the tests."""
        slots = frozenset(slot for slot, _ in tests)
        parts = [part for _, test in tests for part in core.flatten_chain(test, "and")]
        there: ir.Value = ir.Const(full(self.size))
        here: ir.Value = there
        for part in parts:
            if (at := self._there(part, slots)) is not None:
                there = both(there, at, self.size)
            elif (at := self._here(part)) is not None:
                here = both(here, at, self.size)
        led = self._from(there, targets)
        return None if led is None else both(led, here, self.size)

    def _from(self, found: ir.Value, targets: Targets) -> ir.Value | None:
        """Return the spaces that lead into a mask, by one shift for each distance.

        Returns None if there are too many distances.
        """
        ways: dict[int, int] = {}
        for space, items in enumerate(targets):
            for item in items:
                ways[item - space] = ways.get(item - space, 0) | 1 << space
        if len(ways) > WAYS:
            return None
        if isinstance(found, ir.Const):
            return ir.Const(bitboards.bits(space for space, items in enumerate(targets) if items))
        return _joined([moved(found, distance, spaces, self.size) for distance, spaces in ways.items()])

    # ------------------------------------------------------------ tests

    def _there(self, e: Expr, slots: frozenset[int]) -> ir.Value | None:
        """Return the target spaces that satisfy a test, if the test depends on nothing but the target.

        Returns None otherwise.
        """
        read = core.collect_locals(e)
        if len(read & slots) != 1 or self.slot in read or read & self.known.keys():
            return None
        (slot,) = read & slots
        return bitboards.condition_mask(self.sel, e, slot, self.size)

    def _here(self, e: Expr) -> ir.Value | None:
        """Return the spaces for which a test on another neighbouring space may hold, or None."""
        match e:
            case Binary(op="=", left=LetIn() as place, right=value):
                beside = bitboards.read_beside(self.sel, place)
                targets = None if beside is None else self._targets(beside[1])
                # Where there is no neighbour, the read is none, too.
                lacks = isinstance(value.type, OptionalType | NoneType)
                if beside is None or targets is None or lacks or self._varies(value):
                    return None
                return self._from(bitboards.held(self.sel, beside[0], value), targets)
        return None


def _joined(parts: list[ir.Value]) -> ir.Value:
    return reduce(lambda one, other: ir.Binary("|", one, other), parts) if parts else ir.Const(0)
