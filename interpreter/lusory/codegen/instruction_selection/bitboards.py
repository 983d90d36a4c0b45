"""Select queries of a board as operations on bitboards.

A bitboard, or mask, is an integer in which bit ``s`` stands for space ``s``. Each variable that is indexed by the
spaces of a board has one mask for each of its values. So a list of spaces under a condition becomes a few bit
operations.

Example: the number of spaces ``s`` with ``owner[s] = me`` becomes the number of ones in the mask of ``me``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, compute_structural_key
from lusory_dsl.types.types import BoolType, EnumType, ListType, NoneType, OptionalType, PlayerType, Type

from .. import ir
from ..lower.lowered_nodes import LetIn, Lookup, LoweredGame, Rows, count_uses
from .selector import Selector
from .state_reads import cell, operand, rows

WAYS = 2
"""The most distances of one step for which shifts are emitted. A step around a ring has two."""

SMALL = 10
"""The most consecutive spaces for which a table indexed by the mask replaces the work on the mask."""

SHAPES = 8
"""The most shapes of lines to search for one after the other."""


def from_which(found: ir.Value, steps: Sequence[int | None], size: int) -> ir.Value | None:
    """Return the spaces from which a step leads into a mask.

    ``steps`` holds the target of each space, or None. Returns None if the steps have too many different distances.
    """
    ways: dict[int, int] = {}
    for space, to in enumerate(steps):
        if to is not None:
            ways[to - space] = ways.get(to - space, 0) | 1 << space
    if len(ways) > WAYS:
        return None
    parts = [moved(found, distance, spaces, size) for distance, spaces in ways.items()]
    if not parts:
        return ir.Const(0)
    return parts[0] if len(parts) == 1 else ir.Binary("|", *parts)


def moved(found: ir.Value, distance: int, spaces: int, size: int) -> ir.Value:
    """Return the spaces in the mask ``spaces`` for which the space ``distance`` further is in ``found``."""
    inside = sum(1 << space for space in range(size) if 0 <= space + distance < size)
    if distance > 0:
        shifted: ir.Value = ir.Binary(">>", found, ir.Const(distance))
        return shifted if spaces == inside else ir.Binary("&", shifted, ir.Const(spaces))
    shifted = ir.Binary("<<", found, ir.Const(-distance)) if distance else found
    return ir.Binary("&", shifted, ir.Const(full(size) if spaces == inside else spaces))


def full(size: int) -> int:
    """Return the mask of all spaces of a board."""
    return (1 << size) - 1


def both(one: ir.Value, other: ir.Value, size: int) -> ir.Value:
    """Return the intersection of two masks. ``other`` may have bits beyond the board, because ``one`` removes them."""
    if isinstance(one, ir.Const) and one.value == full(size):
        return other
    if isinstance(other, ir.Const) and other.value == full(size):
        return one
    return ir.Binary("&", one, _loose(other, size))


def _loose(found: ir.Value, size: int) -> ir.Value:
    """Drop the operations that keep a mask within the board."""
    match found:
        case ir.Binary(op="&", left=left, right=ir.Const(value=limit)) if limit == full(size):
            return left
        case ir.Binary(op="^", left=left, right=ir.Const(value=limit)) if limit == full(size):
            return ir.Unary("~", _loose(left, size))
    return found


def _is_loose(found: ir.Value) -> bool:
    """Return whether a mask may have bits beyond the board."""
    return isinstance(found, ir.Unary) or (isinstance(found, ir.Binary) and found.op == "<<")


def few(found: ir.Value, size: int) -> tuple[ir.Value, int, int] | None:
    """Return a mask as a small number, which can index a table.

    The result is (number, space of its lowest bit, number of bits), or None if the spaces are too far apart.
    """
    limit, inside = full(size), found
    if isinstance(found, ir.Binary) and found.op == "&":
        for one, other in ((found.left, found.right), (found.right, found.left)):
            if isinstance(one, ir.Const) and isinstance(one.value, int) and not _is_loose(other):
                limit, inside = one.value, other
    if not limit:
        return None
    first, last = (limit & -limit).bit_length() - 1, limit.bit_length() - 1
    if last - first >= SMALL:
        return None
    # Otherwise the shift alone drops all bits outside ``limit``.
    if limit != full(size) ^ full(first):
        inside = found
    return ir.Binary(">>", inside, ir.Const(first)) if first else inside, first, last - first + 1


def some_line(sel: Selector, found: ir.Value, lines: Iterable[int], size: int) -> ir.Value | None:
    """Return the test whether any of the lines, which are masks, is entirely inside a mask.

    A small board uses a table of all masks. Otherwise the lines are grouped by shape. Returns None if there are too
    many shapes, or if no temporary can be bound here.
    """
    wanted = tuple(dict.fromkeys(lines))
    if size <= SMALL:
        rows = tuple(any(line & ~mask == 0 for line in wanted) for mask in range(1 << size))
        return ir.Entry(sel.tables.constant(rows), found)
    shapes: dict[int, int] = {}
    for line in wanted:
        if not line:
            return ir.Const(True)
        lowest = line & -line
        shapes[line // lowest] = shapes.get(line // lowest, 0) | lowest
    if len(shapes) > SHAPES or sel.is_in_source:
        return None
    whole = sel.new_temporary()
    parts: list[ir.Value] = []
    for line_shape, begins in shapes.items():
        spaces: ir.Value = ir.Bind(whole, found) if not parts else whole
        parts.append(ir.Binary("!=", _beginning(sel, spaces, whole, line_shape, begins, size), ir.Const(0)))
    return ir.AnyOf(tuple(parts))


def _beginning(sel: Selector, first: ir.Value, whole: ir.Temporary, shape: int, begins: int, size: int) -> ir.Value:
    """Return the spaces at which a line of one shape inside a mask begins.

    ``first`` is the mask at its first read, and ``whole`` holds it from then on. Evenly spaced lines take a logarithmic
    number of shifts: ``m & m >> d`` finds pairs, and so on.
    """
    places = [place for place in range(shape.bit_length()) if shape >> place & 1]
    count, found = len(places), first
    stride = places[1] if count > 1 else 0
    if places == list(range(0, stride * count, stride or 1)):
        have, again = 1, whole
        while have < count:
            more = min(have, count - have)
            found = ir.Binary("&", found, ir.Binary(">>", again, ir.Const(more * stride)))
            have += more
            if have < count:
                again = sel.new_temporary()
                found = ir.Bind(again, found)
    else:
        for place in places[1:]:
            found = ir.Binary("&", found, ir.Binary(">>", whole, ir.Const(place)))
    reached = sum(1 << space for space in range(size - places[-1]))
    return found if begins == reached else ir.Binary("&", found, ir.Const(begins))


MOST = 256
"""The most spaces of a board for which masks are used."""

ZERO = ir.Const(0)


def marked_places(sel: Selector, game: LoweredGame, anywhere: bool = False) -> frozenset[str]:
    """Return the variables indexed by spaces for which masks are kept.

    These are the ones that only the main function of a whole game touches. With ``anywhere``, routines may touch them,
    too.
    """
    program = sel.program
    shared: set[str] = set()
    for routine in () if anywhere else game.routines:
        for root in (*routine.body, *(() if routine.value is None else (routine.value,))):
            for part in core.walk(root):
                shared.update(core.get_writes(part) if isinstance(part, core.Stmt) else ())
                shared.update(core.get_reads(part) if isinstance(part, Expr) else ())
    found = (name for name, v in program.variables.items() if _values(program, sel.players, v) is not None)
    return frozenset(name for name in found if name not in shared)


def _values(program: core.Program, players: int, variable: core.Variable) -> tuple[object, ...] | None:
    """Return the values of a variable indexed by spaces. None if masks do not fit it."""
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
    """Return the initial masks of a variable: value -> the spaces that hold it."""
    values = _values(program, players, program.variables[name]) or ()
    return {value: bits(space for space, held in enumerate(cells) if held == value) for value in values}


def spaces_of(program: core.Program, type: Type) -> int | None:
    """Return the number of spaces if the type is the spaces of a board with at most ``MOST`` of them.

    Returns None otherwise.
    """
    board = program.boards.get(type.name) if isinstance(type, EnumType) else None
    return board.size if board is not None and board.size <= MOST else None


def bits(spaces: Iterable[Any]) -> int:
    return sum(1 << space for space in spaces)


# ---------------------------------------------------------------- lists


def mask(sel: Selector, e: Expr) -> ir.Value | None:
    """Return a list of distinct spaces as a mask. None if that requires a loop."""
    size = spaces_of(sel.program, e.type.item) if sel.masked_places and isinstance(e.type, ListType) else None
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
            return None if before is None or holds is None else both(before, holds, size)
        case Binary(op="intersect" | "except" as op, left=left, right=right):
            one, other = mask(sel, left), mask(sel, right)
            if one is None or other is None:
                return None
            return both(one, other if op == "intersect" else ir.Binary("^", other, ir.Const(full(size))), size)
    return None


def _of_table(
    sel: Selector, e: core.TableRead | Lookup | Rows, masks: Callable[[Any, int], Any] | None = None
) -> ir.Value | None:
    """Return the lookup of a list in a table as a lookup of its mask.

    ``masks`` converts the table, by default to masks.
    """
    masks = masks or masked
    if isinstance(e, Lookup):
        found = masks(e.values, 1)
        return None if found is None else ir.Entry(sel.constant(found), operand(sel, e.of))
    if isinstance(e, Rows):
        found = masks(e.values, len(e.indices))
        return None if found is None else rows(sel, replace(e, values=found))
    table = sel.program.get_table(e.table)
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
    """Convert a table of lists of spaces, or of optional spaces, to masks. ``depth`` is the number of dimensions.

    Returns None if a list contains a space twice.
    """
    if depth:
        rows = tuple(masked(row, depth - 1) for row in entry)
        return None if None in rows else rows
    if not isinstance(entry, tuple):
        return 0 if entry is None else 1 << entry
    return bits(entry) if len(set(entry)) == len(entry) else None


@lru_cache(maxsize=64)
def firsts(entry: Any, depth: int) -> Any:
    """Convert a table of lists of spaces to the bits of their first items. An empty list gives 0."""
    if depth:
        return tuple(firsts(row, depth - 1) for row in entry)
    return 1 << entry[0] if entry else 0


# ---------------------------------------------------------------- conditions


def condition_mask(sel: Selector, e: Expr, slot: int, size: int) -> ir.Value | None:
    """Return the spaces that satisfy a condition on the space in ``slot``.

    Returns None if it can have a fault or no mask fits it.
    """
    return None if sel.can_fail(e) else _holding(sel, e, slot, size)


def _holding(sel: Selector, e: Expr, slot: int, size: int) -> ir.Value | None:
    """Return the mask of the spaces for which a condition on local ``slot`` holds, out of ``size``. None if it has no
    mask form.

    Example: with masks for ``owner``, ``owner[s] = me and s in free`` becomes ``owner_masks[me] & free_mask``.
    """
    match e:
        case Const(value=bool() as holds):
            return ir.Const(full(size) if holds else 0)
        case core.Unary(op="not", operand=operand_):
            inner = _holding(sel, operand_, slot, size)
            return None if inner is None else _without(sel, inner, size)
        case Binary(op="and" | "or" as op, left=left, right=right):
            one = _holding(sel, left, slot, size)
            other = None if one is None else _holding(sel, right, slot, size)
            if one is None or other is None:
                return None
            return both(one, other, size) if op == "and" else ir.Binary("|", one, other)
        case Binary(op="=" | "!=" as op, left=left, right=right):
            found = _alike(sel, left, right, slot) or _alike(sel, right, left, slot)
            return found if found is None or op == "=" else _without(sel, found, size)
        case Binary(op="in", left=Local(slot=item), right=right) if item == slot and not count_uses(right, slot):
            return mask(sel, right)
        case Binary(op="in", left=at, right=right) if (steps := steps_of(sel, at, slot)) is not None:
            inside = None if count_uses(right, slot) else mask(sel, right)
            return None if inside is None else from_which(inside, steps, size)
        case core.ReadCell(place=place, indices=(Local(slot=item),)) if item == slot and place in sel.masked_places:
            return ir.Entry(ir.SpaceMasks(place, True), ir.Const(True))
        case Lookup(of=Local(slot=item), values=values) if item == slot:
            return ir.Const(bits(space for space, holds in enumerate(values) if holds))
    return None


def _without(sel: Selector, found: ir.Value, size: int) -> ir.Value:
    others = ir.Binary("^", found, ir.Const(full(size)))
    return sel.once(("not", found.name), others) if isinstance(found, ir.Temporary) else others


def _others(found: ir.Value, size: int) -> ir.Value:
    """Return the complement of a mask. It may have bits beyond the board."""
    if isinstance(found, ir.Binary) and found.op == "^" and isinstance(found.right, ir.Const):
        return found.left
    return ir.Unary("~", found)


def _alike(sel: Selector, place: Expr, value: Expr, slot: int) -> ir.Value | None:
    """Return the spaces for which ``place``, which depends on the space in ``slot``, equals ``value``.

    Returns None if unknown.
    """
    match place:
        case core.ReadCell(place=name, indices=(Local(slot=item),)) if item == slot and name in sel.masked_places:
            if count_uses(value, slot) or not _may_be(sel, name, value):
                return None
            return held(sel, name, value)
        case LetIn() if (beside := read_beside(sel, place)) is not None:
            name, at = beside
            steps = steps_of(sel, at, slot)
            if steps is None or count_uses(value, slot) or not _may_be(sel, name, value):
                return None
            if not isinstance(value, Const) and isinstance(value.type, OptionalType):
                # Beyond the edge the read is none, which the value may be as well.
                return None
            size = len(steps)
            found = from_which(held(sel, name, value), steps, size)
            edge = bits(space for space, to in enumerate(steps) if to is None)
            is_none = isinstance(value, Const) and value.value is None
            return ir.Binary("|", found, ir.Const(edge)) if found is not None and is_none and edge else found
        case Local(slot=item) if item == slot and isinstance(value, Local) and isinstance(value.type, EnumType):
            return ir.Binary("<<", ir.Const(1), sel.value(value))
    return None


def steps_of(sel: Selector, e: Expr, slot: int) -> tuple[int | None, ...] | None:
    """Return the neighbour (or None) that a table gives for each space of a board.

    Returns None if ``e`` is anything but such a table read at the space in ``slot``.
    """
    match e:
        case Lookup(of=Local(slot=item) as space, values=values) if item == slot:
            found: Any = values
        case core.TableRead(table=name, indices=(Local(slot=item) as space,)) if item == slot:
            table = sel.program.get_table(name)
            found = None if table.dims[0].is_open or table.dims[0].low else table.values
        case _:
            return None
    item_type = e.type.item if isinstance(e.type, OptionalType) else e.type
    size = spaces_of(sel.program, item_type)
    if size is None or item_type != space.type or not isinstance(found, tuple) or len(found) != size:
        return None
    return found


def read_beside(sel: Selector, e: Expr) -> tuple[str, Expr] | None:
    """Match the read of a variable at a space that may not exist, which is none beyond the edge of the board.

    Returns the variable and the expression for the space, or None if ``e`` has another form.
    """
    match e:
        case LetIn(
            slot=slot,
            value=core.TableRead() | Lookup() | Rows() as at,
            body=IfExpr(
                condition=Binary(op="!=", left=Local(slot=asked), right=Const(value=None)),
                then=core.ReadCell(place=name, indices=(Local(slot=index),)),
                otherwise=Const(value=None),
            ),
        ) if asked == slot == index and name in sel.masked_places:
            return name, at
    return None


def held(sel: Selector, name: str, value: Expr) -> ir.Value:
    """Return the mask of the spaces at which a variable has a value."""
    found = ir.Entry(ir.SpaceMasks(name, not isinstance(value.type, OptionalType | NoneType)), operand(sel, value))
    if any(
        slot in sel.bound_slots or slot in sel.pending_bindings for slot in core.collect_locals(value)
    ) or sel.can_fail(value):
        return found
    return sel.once((name, compute_structural_key(value)), found)


def _may_be(sel: Selector, name: str, value: Expr) -> bool:
    """Return whether the type of a variable includes a value."""
    type = sel.program.variables[name].type
    return isinstance(type, OptionalType) or not isinstance(value.type, OptionalType | NoneType)


# ---------------------------------------------------------------- queries on masks


def some(found: ir.Value) -> ir.Value:
    """Return the test whether a mask has any space."""
    return ir.Binary("!=", found, ZERO)


def fold(sel: Selector, e: core.Fold) -> ir.Value | None:
    """Select a count, ``any`` or ``all`` over spaces as a mask operation. None if no mask fits it."""
    if e.kind not in ("count", "any", "all") or not sel.masked_places:
        return None
    if (found := line(sel, e)) is not None:
        return found
    size = spaces_of(sel.program, e.source.type.item) if isinstance(e.source.type, ListType) else None
    source = mask(sel, e.source) if size is not None else None
    if size is None or source is None:
        return None
    if e.condition is not None:
        condition = condition_mask(sel, e.condition, e.slot, size)
        if condition is None:
            return None
        source = both(source, condition, size)
    body = condition_mask(sel, e.body, e.slot, size)
    if body is None:
        return None
    if e.kind == "all":
        return ir.Binary("=", ir.Binary("&", source, _others(body, size)), ZERO)
    found = both(source, body, size)
    return ir.Primitive("ones", (found,)) if e.kind == "count" else some(found)


def line(sel: Selector, e: core.Fold) -> ir.Value | None:
    """Select the test whether all spaces of any constant line satisfy a condition. None if no mask fits it.

    Lines are lists of spaces, such as the rows of three in noughts and crosses.
    """
    inner = e.body
    if (
        e.kind != "any"
        or e.condition is not None
        or not isinstance(e.source, Const)
        or not isinstance(inner, core.Fold)
    ):
        return None
    if inner.kind != "all" or inner.condition is not None or count_uses(inner.body, e.slot):
        return None
    size = spaces_of(sel.program, inner.source.type.item) if isinstance(inner.source.type, ListType) else None
    items: Any = e.source.value
    if size is None or not isinstance(e.source.type, ListType):
        return None
    lists = [sel.lowerer.substitute(inner.source, e.slot, item, e.source.type.item) for item in items]
    found = condition_mask(sel, inner.body, inner.slot, size)
    if found is None or not all(isinstance(spaces, Const) for spaces in lists):
        return None
    lines = [bits(set(spaces.value)) for spaces in lists]  # type: ignore[attr-defined]
    return some_line(sel, found, lines, size)


Test = tuple[int, Expr | None]
"""The slot of an item, and the condition on it, or None without a condition."""


def by_bits(sel: Selector, source: Expr, tests: Sequence[Test]) -> tuple[ir.Value, list[Test]] | None:
    """Restrict a loop over spaces to a mask.

    Returns the spaces to loop over and the tests that remain for each of them. Returns None if no mask fits, or if a
    condition can have a fault.
    """
    size = spaces_of(sel.program, source.type.item) if sel.iterates_bits and isinstance(source.type, ListType) else None
    asked = [e for e in (source, *(test for _, test in tests)) if e is not None]
    if size is None or not in_order(source) or any(core.collect_locals(e) & sel.pending_bindings.keys() for e in asked):
        return None
    found, left = mask(sel, source), list[Test]()
    if found is None or any(map(sel.can_fail, asked)):
        return None
    for slot, test in tests:
        holds = None if test is None else condition_mask(sel, test, slot, size)
        if holds is None:
            left.append((slot, test))
        else:
            found = both(found, holds, size)
            left.append((slot, None))
    return None if isinstance(found, ir.Const) else (_spaces_in(sel, source, found), left)


def _spaces_in(sel: Selector, source: Expr, found: ir.Value) -> ir.Value:
    while not isinstance(source, Const):
        source = source.left if isinstance(source, Binary) else source.source  # type: ignore[attr-defined]
    return ir.Primitive("select_spaces", (sel.constant(source.value), found))


def in_order(e: Expr) -> bool:
    """Return whether a list certainly holds its spaces in the order of the board."""
    match e:
        case core.Filter(source=source) | Binary(op="except" | "intersect", left=source):
            return in_order(source)
        case Const(value=tuple() as spaces):
            return list(spaces) == sorted(spaces)
    return False


def options(sel: Selector, domain: Expr) -> ir.Value | None:
    """Return the options of a choice of a space as a mask.

    Returns None if they are out of order, or few enough for a table of lists.
    """
    size = spaces_of(sel.program, domain.type.item) if sel.masked_places and isinstance(domain.type, ListType) else None
    found = mask(sel, domain) if size is not None and in_order(domain) else None
    return None if found is None or size is None or few(found, size) is not None else found


def first(sel: Selector, e: Expr) -> ir.Value | None:
    """Select the first space of a list that is a mask. None if no mask fits it."""
    found = None if isinstance(e, Const | core.TableRead | Lookup | Rows) or not in_order(e) else mask(sel, e)
    return None if found is None else ir.Primitive("lowest_space", (found,))


def notice(sel: Selector, slot: int, domain: Expr) -> None:
    """Record the values of variables at the space in ``slot``, which comes from ``domain``.

    Its filters imply these values.
    """
    match domain:
        case core.Filter(slot=item, source=source, condition=condition):
            for part in core.flatten_chain(condition, "and"):
                match part:
                    case Binary(
                        op="=", left=core.ReadCell(place=name, indices=(Local(slot=asked),)), right=Const() as held
                    ):
                        if asked == item and name in sel.masked_places:
                            sel.known_values[name, slot] = ir.Const(held.value)
            notice(sel, slot, source)
        case Binary(op="except" | "intersect", left=source):
            notice(sel, slot, source)


def forget(sel: Selector, place: str) -> None:
    """Forget the recorded values of a variable, because it changes."""
    for key in [key for key in sel.known_values if key[0] == place]:
        del sel.known_values[key]


def marking(sel: Selector, s: core.SetCell, name: str = "at") -> core.SetCell:
    """Emit the update of the masks before a variable changes, and return the changed statement.

    Both need the index and the value, so these are bound to locals with the given name.
    """
    parts = []
    for e in (*s.indices, s.value):
        if not isinstance(e, Local | Const):
            slot = sel.lowerer.fresh(name, e.type)
            sel.let(slot, sel.value(e))
            e = Local(e.type, e.span, slot, name)
        parts.append(e)
    index, value = parts
    before = sel.known_values.get((s.place, index.slot)) if isinstance(index, Local) else None
    forget(sel, s.place)
    present = not isinstance(value.type, OptionalType | NoneType)
    sel.add(ir.UpdateMasks, cell(sel, s.place, (index,)), sel.value(index), sel.value(value), before, present)
    return replace(s, indices=(index,), value=value)


def first_in(sel: Selector, e: core.Leading) -> ir.Value | None:
    """Select the test whether ``leading`` gives any item: whether the first item satisfies the condition.

    Returns None if no mask fits it.
    """
    size = spaces_of(sel.program, e.type.item) if sel.masked_places and isinstance(e.type, ListType) else None
    if size is None or not isinstance(e.source, core.TableRead):
        return None
    holds = condition_mask(sel, e.condition, e.slot, size)
    first = None if holds is None else _of_table(sel, e.source, firsts)
    return None if holds is None or first is None else some(ir.Binary("&", first, holds))


def distinct(sel: Selector, e: core.Distinct) -> ir.Value | None:
    """Select the first space of each group, for constant groups: the lowest bit of each group in a mask.

    Returns None if no mask fits.
    """
    size = spaces_of(sel.program, e.type.item) if sel.masked_places and isinstance(e.type, ListType) else None
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
    return ir.Primitive("lowest_space_of_each", (found, sel.constant(tuple(groups.values()))))


def rows_of(sel: Selector, e: core.Filter) -> ir.Value | None:
    """Select the spaces that satisfy a condition as a lookup by their mask, for a small board or a small part of one.

    Returns None if no mask fits, or if it has too many bits.
    """
    size = spaces_of(sel.program, e.type.item) if sel.masked_places and isinstance(e.type, ListType) else None
    if size is None or not in_order(e):
        return None
    found = mask(sel, e)
    close = None if found is None else few(found, size)
    if close is None:
        return None
    found, first, count = close
    lists = tuple(tuple(first + space for space in range(count) if row >> space & 1) for row in range(1 << count))
    return ir.Entry(sel.constant(lists), found)


def leading(sel: Selector, e: core.Leading) -> ir.Value | None:
    """Select the items of a list before the first one outside a mask. None if no mask fits the condition."""
    size = spaces_of(sel.program, e.type.item) if sel.masked_places and isinstance(e.type, ListType) else None
    if size is None or sel.max_length(e.source) > size:
        return None
    holds = condition_mask(sel, e.condition, e.slot, size)
    return None if holds is None else ir.Primitive("select_leading_spaces", (sel.value(e.source), holds))


def beside(sel: Selector, e: Binary) -> ir.Value | None:
    """Select the comparison of a variable at a neighbouring space, which may not exist, as a test of one bit.

    Returns None otherwise.
    """
    for read, value in ((e.left, e.right), (e.right, e.left)):
        found = read_beside(sel, read)
        if found is None:
            continue
        name, at = found
        bit = _of_table(sel, at)  # type: ignore[arg-type]
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
