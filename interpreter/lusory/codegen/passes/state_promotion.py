"""Promote the parts of the state that a playout touches to local variables.

A playout is one function for a whole game. This pass finds the places, zones, streams and counters that it uses, and
adds ``Begin`` operations that initialize them. State that shared routines touch stays in the lists ``c`` (cells) and
``z`` (zones). The pass also removes updates that nothing reads: of locations, of bit masks, and of variables of which
only the masks are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...state.state import STREAMS, State, StateLayout
from ...state.work_limits import Limits
from .. import ir
from ..ir.operations import PRIMITIVES
from .basic_blocks import for_build, inside

MOVES = (ir.MoveCard, ir.MoveCards)


@dataclass
class Touched:
    """Hold the parts of the state that operations touch.

    ``cells`` and ``zones`` stand for the lists of the state as a whole. ``lists`` has the zones with constant numbers.
    """

    places: set[str] = field(default_factory=set)
    lists: set[int] = field(default_factory=set)
    streams: set[str] = field(default_factory=set)
    registers: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    cells: bool = False
    zones: bool = False
    locations: bool = False


def touched(ops: ir.Ops) -> Touched:
    """Return the parts of the state that operations touch, including the values inside them."""
    found = Touched()
    for node in ir.walk(ops):
        match node:
            case ir.Cell(place=place):
                found.places.add(place)
            case ir.Marks(place=place):
                found.marks.add(place)
            case ir.Zone(number=index):
                if index.number is None:
                    found.zones = True
                else:
                    found.lists.add(index.number)
            case ir.Zones():
                found.zones = True
            case ir.Location() | ir.MoveCard() | ir.MoveCards() | ir.Locate():
                found.cells = True
                found.locations = found.locations or not isinstance(node, ir.Locate)
                found.zones = found.zones or isinstance(node, MOVES)
            case ir.CallQuery() | ir.CallEffect():
                found.cells = found.zones = True
            case ir.Visited() | ir.Lying(counted=True) | ir.Short():
                found.cells = True
            case ir.Stream(name=name):
                found.streams.add(name)
            case ir.Register(name=name):
                found.registers.add(name)
            case ir.Spend():
                found.registers |= {"work", "until"}
            case ir.Prim(name=name):
                needs = PRIMITIVES.get(name, ())
                found.cells = found.cells or "c" in needs
                found.zones = found.zones or "z" in needs
    return found


@dataclass(frozen=True)
class Kept:
    """A playout with its initialization, and what must stay in the lists of the state.

    Attributes:
        places: The places that shared routines touch.
        streams: The random streams that shared routines touch.
        counters: Whether shared routines touch the counters.
        apart: The variables over spaces whose mask of none can be a variable of its own.
    """

    module: ir.Module
    places: frozenset[str]
    streams: frozenset[str]
    counters: bool
    apart: frozenset[str] = frozenset()


Marks = Callable[[str, tuple[object, ...]], Mapping[object, int]]
"""A function from the name of a place and its values to the bit mask of each value."""


def kept(module: ir.Module, layout: StateLayout, initial: State, limits: Limits, first_marks: Marks) -> Kept:
    """Return the module of a playout, with initialization and without useless updates.

    ``first_marks`` computes the bit masks of a place for its initial values.
    """
    looked_for = any(touched(f.ops).locations for f in module.functions)
    builds = (ir.SILENT, ir.LOCATED) if looked_for else (ir.SILENT,)
    functions = [ir.Function(f.role, f.name, f.params, for_build(f.ops, *builds)) for f in module.functions]
    marks = frozenset(touched(functions[0].ops).marks)
    functions = [ir.Function(f.role, f.name, f.params, marking(f.ops, marks)) for f in functions]
    unread = marks - read_places(functions)
    functions = [ir.Function(f.role, f.name, f.params, _reading(f.ops, unread)) for f in functions]
    game, *routines = functions
    shared = [touched(f.ops) for f in routines]
    places = frozenset[str]().union(*(t.places for t in shared))
    streams = frozenset[str]().union(*(t.streams for t in shared))
    counters = any(f.role == "effect" for f in routines)
    start = _Start(layout, initial, limits, first_marks, Kept(module, places, streams, counters), unread)
    tables = list(module.tables)
    begins = start.operations(touched(game.ops), tables)
    functions[0] = ir.Function(game.role, game.name, game.params, (*begins, *game.ops))
    made = replace(module, functions=tuple(functions), tables=tuple(tables))
    return Kept(made, places, streams, counters, _apart(made))


def marking(ops: ir.Ops, marks: frozenset[str]) -> ir.Ops:
    """Remove updates of bit masks that nothing reads."""
    left = (op for op in ops if not isinstance(op, ir.Mark) or op.cell.place in marks)
    return tuple([inside(op, lambda inner: marking(inner, marks)) for op in left])


def read_places(functions: Iterable[ir.Function]) -> frozenset[str]:
    """Return the variables whose cells are read, and not only their bit masks."""
    found: set[str] = set()
    for function in functions:
        nodes = ir.walk(function.ops)
        written = {id(cell) for op in nodes if (cell := _written(op)) is not None}
        found.update(node.place for node in nodes if isinstance(node, ir.Cell) and id(node) not in written)
    return frozenset(found)


def _written(op: Any) -> ir.Cell | None:
    """Return the cell that an operation writes without reading it, or None."""
    if isinstance(op, ir.Mark) and op.before is not None:
        return op.cell
    return op.target if isinstance(op, ir.Set) and op.op == "=" and isinstance(op.target, ir.Cell) else None


def _reading(ops: ir.Ops, unread: frozenset[str]) -> ir.Ops:
    """Remove operations that write to variables that nothing reads."""

    def needed(op: ir.Op) -> bool:
        cell = _written(op)
        return isinstance(op, ir.Mark) or cell is None or cell.place not in unread

    return tuple([inside(op, lambda inner: _reading(inner, unread)) for op in ops if needed(op)])


def _apart(module: ir.Module) -> frozenset[str]:
    """Return the variables over spaces whose mask of none can be a variable of its own.

    This requires that every access to the masks asks for a constant value, or is known not to ask for none.
    """
    seen: set[str] = set()
    mixed: set[str] = set()
    for node in (node for function in module.functions for node in ir.walk(function.ops)):
        match node:
            case ir.Begin(what="marks", name=name, value=masks):
                (seen if None in dict(masks) else mixed).add(str(name))
            case ir.Entry(of=ir.Marks(place=place, present=False), index=index):
                if not isinstance(index, ir.Const):
                    mixed.add(place)
            case ir.Mark(cell=ir.Cell(place=place), value=value, before=before, present=present):
                if before is None or not (present or isinstance(value, ir.Const)):
                    mixed.add(place)
    return frozenset(seen - mixed)


@dataclass(frozen=True)
class _Start:
    """Generate the initialization of a playout. ``kept`` says what stays in the lists of the state."""

    layout: StateLayout
    initial: State
    limits: Limits
    first_marks: Marks
    kept: Kept
    unread: frozenset[str]

    def operations(self, used: Touched, tables: list[object]) -> Iterable[ir.Op]:
        """Yield the initialization of everything in ``used``. May append constants to ``tables``."""
        kept, cells, zones = self.kept, self.initial.cells, self.initial.zones
        first_limit = min(self.limits.decision, self.limits.game)
        own = used.registers - {"over", "reason"}
        shared = (used.places & kept.places, used.streams & kept.streams, used.registers - own, kept.counters and own)
        in_cells = used.cells or any(shared)
        if not kept.counters:
            yield _begin("decisions")
            if own & {"work", "until"}:
                yield _begin("work", value=first_limit)
        for name, place in self.layout.places.items():
            values = tuple(cells[place.offset : place.offset + place.size])
            if name in used.places - kept.places - self.unread:
                yield _begin("place", name, values)
            if name in used.marks - kept.places:
                yield _begin("marks", name, tuple(self.first_marks(name, values).items()))
        for number, zone in enumerate(zones):
            if number in used.lists or used.zones:
                yield _begin("zone", number, tuple(zone))
        if used.zones:
            yield _begin("zones", value=len(zones))
        if in_cells:
            # The four extra cells of the runtime. A playout counts decisions in the cell of the waiting choice.
            behind = 0, None, first_limit, self.limits.visits
            yield _begin("cells", value=_constant((*cells, *behind), tables))
        for stream in sorted(kept.streams):
            yield _begin("stream cell", stream)
        for stream in STREAMS:
            if stream in used.streams - kept.streams:
                yield _begin("stream", stream)


def _begin(what: str, name: str | int = "", value: Any = None) -> ir.Begin:
    return ir.Begin(ir.NOWHERE, what, name, value)


def _constant(value: tuple[object, ...], tables: list[object]) -> ir.Table:
    """Return the table with a value, and append it to ``tables`` if it is new."""
    for number, known in enumerate(tables, 1):
        if repr(known) == repr(value):
            return ir.Table(number)
    tables.append(value)
    return ir.Table(len(tables))
