"""Masks moved as a whole: what lies beside the spaces of a list, and lines all of whose spaces are in one.

A step from each space to another, as to the one north of it, is a shift of all bits at once where the board is a grid;
what would come from beyond an edge is masked out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import ir
from .selector import Selector

WAYS = 2
"""Distances of one step that are written out: a ring has two."""

SMALL = 10
"""Places within which spaces lie that are looked up by their masks."""

SHAPES = 8
"""Shapes of lines that are looked for one after the other."""


def from_which(found: ir.Value, steps: Sequence[int | None], size: int) -> ir.Value | None:
    """The spaces from which a step leads into a mask. ``steps``: where from each space; None: nowhere."""
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
    """Those of some spaces from which it is so far to one in a mask."""
    inside = sum(1 << space for space in range(size) if 0 <= space + distance < size)
    if distance > 0:
        shifted: ir.Value = ir.Binary(">>", found, ir.Const(distance))
        return shifted if spaces == inside else ir.Binary("&", shifted, ir.Const(spaces))
    shifted = ir.Binary("<<", found, ir.Const(-distance)) if distance else found
    return ir.Binary("&", shifted, ir.Const(full(size) if spaces == inside else spaces))


def full(size: int) -> int:
    """All spaces of a board."""
    return (1 << size) - 1


def both(one: ir.Value, other: ir.Value, size: int) -> ir.Value:
    """The spaces that are in two masks. The second may have bits beyond the board, if the first says which count."""
    if isinstance(one, ir.Const) and one.value == full(size):
        return other
    if isinstance(other, ir.Const) and other.value == full(size):
        return one
    return ir.Binary("&", one, _loose(other, size))


def _loose(found: ir.Value, size: int) -> ir.Value:
    """A mask without the tests that keep it within the board."""
    match found:
        case ir.Binary(op="&", left=left, right=ir.Const(value=limit)) if limit == full(size):
            return left
        case ir.Binary(op="^", left=left, right=ir.Const(value=limit)) if limit == full(size):
            return ir.Unary("~", _loose(left, size))
    return found


def _is_loose(found: ir.Value) -> bool:
    """Whether a mask may have bits beyond the board."""
    return isinstance(found, ir.Unary) or (isinstance(found, ir.Binary) and found.op == "<<")


def few(found: ir.Value, size: int) -> tuple[ir.Value, int, int] | None:
    """A mask as a small number: what it is then, the space of its lowest bit, and how many bits it has at most; None
    where spaces lie too far apart."""
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
    if limit != full(size) ^ full(first):  # else no other bits are left
        inside = found
    return ir.Binary(">>", inside, ir.Const(first)) if first else inside, first, last - first + 1


def some_line(sel: Selector, found: ir.Value, lines: Iterable[int], size: int) -> ir.Value | None:
    """Whether any of some lines lies in a mask with all its spaces."""
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
    if len(shapes) > SHAPES or sel.in_source:
        return None
    whole = sel.temporary()
    parts: list[ir.Value] = []
    for shape, begins in shapes.items():
        spaces: ir.Value = ir.Bind(whole, found) if not parts else whole
        parts.append(ir.Binary("!=", _beginning(sel, spaces, whole, shape, begins, size), ir.Const(0)))
    return ir.Some(tuple(parts))


def _beginning(sel: Selector, first: ir.Value, whole: ir.Own, shape: int, begins: int, size: int) -> ir.Value:
    """Where lines of one shape begin that lie in a mask. ``first``: the mask, where it is read first."""
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
                again = sel.temporary()
                found = ir.Bind(again, found)
    else:
        for place in places[1:]:
            found = ir.Binary("&", found, ir.Binary(">>", whole, ir.Const(place)))
    reached = sum(1 << space for space in range(size - places[-1]))
    return found if begins == reached else ir.Binary("&", found, ir.Const(begins))
