"""Masks: lists of spaces as numbers with a bit for each, where they are only counted, compared or asked for what is in
them.

In a whole game each variable of the spaces of a board has, beside its values, the masks of the spaces that hold each
value (:class:`lusory.compile.ir.Marks`); a statement that changes the variable moves a bit from one to the other. So a
condition on all spaces of a list is an operation on a few numbers, however long the list is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.types import BoolType, EnumType, ListType, NoneType, OptionalType, PlayerType, Type

from .. import ir
from ..lower.lowered import LetIn, Lookup, LoweredGame, Rows
from ..lower.shapes import shape
from ..lower.uses import count_uses
from .places import operand, rows
from .selector import Selector

MOST = 256
"""How many spaces a board may have whose lists are masks."""

SMALL = 10
"""How many spaces a board may have whose lists are looked up by their masks."""

ZERO = ir.Const(0)


def marked_places(sel: Selector, game: LoweredGame) -> frozenset[str]:
    """The variables of spaces that only the main function of a whole game touches."""
    program = sel.program
    shared: set[str] = set()
    for routine in game.routines:
        for root in (*routine.body, *(() if routine.value is None else (routine.value,))):
            for part in core.walk(root):
                shared.update(core.writes(part) if isinstance(part, core.Stmt) else ())
                shared.update(core.reads(part) if isinstance(part, Expr) else ())
    found = (name for name, v in program.variables.items() if _values(program, sel.players, v) is not None)
    return frozenset(name for name in found if name not in shared)


def _values(program: core.Program, players: int, variable: core.Variable) -> tuple[object, ...] | None:
    """The values that a variable of spaces can have; None where it has no masks."""
    if len(variable.dims) != 1 or spaces_of(program, variable.dims[0].type) is None:
        return None
    type = variable.type.item if isinstance(variable.type, OptionalType) else variable.type
    match type:
        case PlayerType():
            found: tuple[object, ...] = tuple(range(players))
        case BoolType():
            found = (False, True)
        case EnumType(name=name) if len(program.enums[name].values) <= MOST:
            found = tuple(range(len(program.enums[name].values)))
        case _:
            return None
    return (*found, None) if isinstance(variable.type, OptionalType) else found


def first_marks(program: core.Program, players: int, name: str, cells: tuple[object, ...]) -> dict[object, int]:
    """The masks of a variable with some values."""
    values = _values(program, players, program.variables[name]) or ()
    return {value: bits(space for space, held in enumerate(cells) if held == value) for value in values}


def spaces_of(program: core.Program, type: Type) -> int | None:
    """How many spaces the board has that a type is, if they are few enough."""
    board = program.boards.get(type.name) if isinstance(type, EnumType) else None
    return board.size if board is not None and board.size <= MOST else None


def bits(spaces: Iterable[Any]) -> int:
    return sum(1 << space for space in spaces)


# ---------------------------------------------------------------- lists


def mask(sel: Selector, e: Expr) -> ir.Value | None:
    """A list of different spaces as a mask, where it is one without going through it."""
    size = spaces_of(sel.program, e.type.item) if sel.marked and isinstance(e.type, ListType) else None
    if size is None:
        return None
    match e:
        case Const(value=tuple() as spaces):
            return ir.Const(bits(set(spaces))) if len(set(spaces)) == len(spaces) else None
        case core.TableRead() | Lookup() | Rows():
            return _of_table(sel, e)
        case core.Filter(slot=slot, source=source, condition=condition):
            before = mask(sel, source)
            holds = None if before is None else condition_mask(sel, condition, slot, size)
            return None if before is None or holds is None else _both(before, holds, size)
        case Binary(op="intersect" | "except" as op, left=left, right=right):
            one, other = mask(sel, left), mask(sel, right)
            if one is None or other is None:
                return None
            return _both(one, other if op == "intersect" else ir.Unary("~", other), size)
    return None


def _of_table(
    sel: Selector, e: core.TableRead | Lookup | Rows, masks: Callable[[Any, int], Any] | None = None
) -> ir.Value | None:
    """The masks of lists in a table; or of something else of them."""
    masks = masks or masked
    if isinstance(e, Lookup):
        found = masks(e.values, 1)
        return None if found is None else ir.Entry(sel.constant(found), operand(sel, e.of))
    if isinstance(e, Rows):
        found = masks(e.values, len(e.indices))
        return None if found is None else rows(sel, replace(e, values=found))
    table = sel.program.table(e.table)
    entry: Any = table.values
    if sel.can_fail(e) or any(dim.is_open for dim in table.dims):
        return None
    indices = list(zip(e.indices, table.dims, strict=True))
    while indices and isinstance(indices[0][0], Const):
        (index, dim), *indices = indices
        entry = entry[index.value - dim.low]  # type: ignore[attr-defined]
    found = masks(entry, len(indices))
    if found is None:
        return None
    value: ir.Value = sel.constant(found)
    for index, dim in indices:
        value = ir.Entry(value, operand(sel, index), dim.low or None)
    return value


@lru_cache(maxsize=256)
def masked(entry: Any, depth: int = 1) -> Any:
    """A table of lists, or of spaces and nothing, as one of masks; None where a list has a space twice."""
    if depth:
        rows = tuple(masked(row, depth - 1) for row in entry)
        return None if None in rows else rows
    if not isinstance(entry, tuple):
        return 0 if entry is None else 1 << entry
    return bits(entry) if len(set(entry)) == len(entry) else None


@lru_cache(maxsize=64)
def firsts(entry: Any, depth: int) -> Any:
    """A table of lists as one of the bits of their first items."""
    if depth:
        return tuple(firsts(row, depth - 1) for row in entry)
    return 1 << entry[0] if entry else 0


def _both(one: ir.Value, other: ir.Value, size: int) -> ir.Value:
    full = (1 << size) - 1
    if isinstance(one, ir.Const) and one.value == full and not isinstance(other, ir.Unary):
        return other
    if isinstance(other, ir.Const) and other.value == full:
        return one
    return ir.Binary("&", one, other)


# ---------------------------------------------------------------- conditions


def condition_mask(sel: Selector, e: Expr, slot: int, size: int) -> ir.Value | None:
    """The spaces for which a condition on the one in ``slot`` holds."""
    return None if sel.can_fail(e) else _holding(sel, e, slot, size)


def _holding(sel: Selector, e: Expr, slot: int, size: int) -> ir.Value | None:
    match e:
        case Const(value=bool() as holds):
            return ir.Const((1 << size) - 1 if holds else 0)
        case core.Unary(op="not", operand=operand_):
            inner = _holding(sel, operand_, slot, size)
            return None if inner is None else _without(sel, inner, size)
        case Binary(op="and" | "or" as op, left=left, right=right):
            one = _holding(sel, left, slot, size)
            other = None if one is None else _holding(sel, right, slot, size)
            if one is None or other is None:
                return None
            return _both(one, other, size) if op == "and" else ir.Binary("|", one, other)
        case Binary(op="=" | "!=" as op, left=left, right=right):
            found = _alike(sel, left, right, slot) or _alike(sel, right, left, slot)
            return found if found is None or op == "=" else _without(sel, found, size)
        case Binary(op="in", left=Local(slot=item), right=right) if item == slot and not count_uses(right, slot):
            return mask(sel, right)
        case core.ReadCell(place=place, indices=(Local(slot=item),)) if item == slot and place in sel.marked:
            return ir.Entry(ir.Marks(place), ir.Const(True))
        case Lookup(of=Local(slot=item), values=values) if item == slot:
            return ir.Const(bits(space for space, holds in enumerate(values) if holds))
    return None


def _without(sel: Selector, found: ir.Value, size: int) -> ir.Value:
    others = ir.Binary("^", found, ir.Const((1 << size) - 1))
    return sel.once(("not", found.name), others) if isinstance(found, ir.Own) else others


def _others(found: ir.Value, size: int) -> ir.Value:
    """The spaces that are not in a mask; other bits than those of spaces may be set."""
    if isinstance(found, ir.Binary) and found.op == "^" and isinstance(found.right, ir.Const):
        return found.left
    return ir.Unary("~", found)


def _alike(sel: Selector, place: Expr, value: Expr, slot: int) -> ir.Value | None:
    """The spaces at which a variable has a value."""
    match place:
        case core.ReadCell(place=name, indices=(Local(slot=item),)) if item == slot and name in sel.marked:
            if count_uses(value, slot) or not _may_be(sel, name, value):
                return None
            return held(sel, name, value)
        case Local(slot=item) if item == slot and isinstance(value, Local) and isinstance(value.type, EnumType):
            return ir.Binary("<<", ir.Const(1), sel.value(value))
    return None


def held(sel: Selector, name: str, value: Expr) -> ir.Value:
    """The spaces at which a variable has a value."""
    found = ir.Entry(ir.Marks(name), operand(sel, value))
    if any(slot in sel.bound or slot in sel.namings for slot in core.locals_in(value)) or sel.can_fail(value):
        return found
    return sel.once((name, shape(value)), found)


def _may_be(sel: Selector, name: str, value: Expr) -> bool:
    """Whether a value is one that a variable can have."""
    type = sel.program.variables[name].type
    return isinstance(type, OptionalType) or not isinstance(value.type, OptionalType | NoneType)


# ---------------------------------------------------------------- questions


def some(found: ir.Value) -> ir.Value:
    """Whether there is any in a mask."""
    return ir.Binary("!=", found, ZERO)


def fold(sel: Selector, e: core.Fold) -> ir.Value | None:
    """How many, whether any or all: of a mask, where it is one."""
    if e.kind not in ("count", "any", "all") or not sel.marked:
        return None
    size = spaces_of(sel.program, e.source.type.item) if isinstance(e.source.type, ListType) else None
    source = mask(sel, e.source) if size is not None else None
    if size is None or source is None:
        return None
    if e.condition is not None:
        condition = condition_mask(sel, e.condition, e.slot, size)
        if condition is None:
            return None
        source = _both(source, condition, size)
    body = condition_mask(sel, e.body, e.slot, size)
    if body is None:
        return None
    if e.kind == "all":
        return ir.Binary("=", ir.Binary("&", source, _others(body, size)), ZERO)
    found = _both(source, body, size)
    return ir.Prim("ones", (found,)) if e.kind == "count" else some(found)


def first_in(sel: Selector, e: core.Leading) -> ir.Value | None:
    """Whether the list before what does not hold has any item: the first of a list in a table holds."""
    size = spaces_of(sel.program, e.type.item) if sel.marked and isinstance(e.type, ListType) else None
    if size is None or not isinstance(e.source, core.TableRead):
        return None
    holds = condition_mask(sel, e.condition, e.slot, size)
    first = None if holds is None else _of_table(sel, e.source, firsts)
    return None if holds is None or first is None else some(ir.Binary("&", first, holds))


def distinct(sel: Selector, e: core.Distinct) -> ir.Value | None:
    """The first space of each of some groups that are known: the lowest bit of each."""
    size = spaces_of(sel.program, e.type.item) if sel.marked and isinstance(e.type, ListType) else None
    if size is None or not isinstance(e.source, core.Filter) or not isinstance(e.source.source, Const):
        return None
    assert isinstance(e.type, ListType)
    spaces: Any = e.source.source.value
    found = mask(sel, e.source) if list(spaces) == sorted(spaces) else None
    keys = [sel.lowerer.substitute(e.key, e.slot, space, e.type.item) for space in spaces]
    if found is None or not all(isinstance(key, Const) for key in keys):
        return None
    groups: dict[object, int] = {}
    for space, key in zip(spaces, keys, strict=True):
        groups[key.value] = groups.get(key.value, 0) | 1 << space  # type: ignore[attr-defined]
    return ir.Prim("lowest_of_each", (found, sel.constant(tuple(groups.values()))))


def rows_of(sel: Selector, e: core.Filter) -> ir.Value | None:
    """The spaces of a small board under a condition, looked up by their mask."""
    size = spaces_of(sel.program, e.type.item) if sel.marked and isinstance(e.type, ListType) else None
    if size is None or size > SMALL or not isinstance(e.source, Const):
        return None
    spaces: Any = e.source.value
    found = mask(sel, e) if len(set(spaces)) == len(spaces) == size else None
    if found is None:
        return None
    lists = tuple(tuple(space for space in spaces if row >> space & 1) for row in range(1 << size))
    return ir.Entry(sel.constant(lists), found)


def leading(sel: Selector, e: core.Leading) -> ir.Value | None:
    """The items before the first that is not in a mask."""
    size = spaces_of(sel.program, e.type.item) if sel.marked and isinstance(e.type, ListType) else None
    if size is None or sel.longest(e.source) > size:
        return None
    holds = condition_mask(sel, e.condition, e.slot, size)
    return None if holds is None else ir.Prim("leading_in", (sel.value(e.source), holds))


def beside(sel: Selector, e: Binary) -> ir.Value | None:
    """Whether a variable has a value at a space that there may not be: the entry of a table."""
    for read, value in ((e.left, e.right), (e.right, e.left)):
        match read:
            case LetIn(
                slot=slot,
                value=core.TableRead() | Lookup() | Rows() as at,
                body=IfExpr(
                    condition=Binary(op="!=", left=Local(slot=asked), right=Const(value=None)),
                    then=core.ReadCell(place=name, indices=(Local(slot=index),)),
                    otherwise=Const(value=None),
                ),
            ) if asked == slot == index and name in sel.marked:
                pass
            case _:
                continue
        bit = _of_table(sel, at)
        size = spaces_of(sel.program, sel.program.variables[name].dims[0].type)
        if bit is None or size is None or isinstance(value.type, OptionalType):
            return None
        is_none = isinstance(value, Const) and value.value is None
        spaces = held(sel, name, value)
        if is_none:
            spaces = _without(sel, spaces, size)
        elif isinstance(value.type, NoneType):
            return None
        there = ir.Binary("&", spaces, bit)
        return ir.Binary("!=" if (e.op == "=") is not is_none else "=", there, ZERO)
    return None
