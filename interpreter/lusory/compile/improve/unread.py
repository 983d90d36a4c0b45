"""What a whole game in one function keeps: places, zones, streams and counters that something in it touches; and what
of them lives in the state's lists, because shared routines touch it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...table.cost import Limits
from ...table.state import STREAMS, State, StateLayout
from .. import ir
from ..primitives import PRIMITIVES
from .builds import for_build, inside

COUNTERS = ("decisions", "work", "until")
MOVES = (ir.MoveCard, ir.MoveCards)


@dataclass
class Touched:
    """What operations touch. ``cells``, ``zones``: the state's lists; ``lists``: zones by number."""

    places: set[str] = field(default_factory=set)
    lists: set[int] = field(default_factory=set)
    streams: set[str] = field(default_factory=set)
    registers: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    cells: bool = False
    zones: bool = False
    locations: bool = False


def touched(ops: ir.Ops) -> Touched:
    """What operations and the values in them touch."""
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
            case ir.Visited() | ir.Lying(counted=True):
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
    """A playout with its start. ``places``, ``streams``: what shared routines touch; ``counters``: whether they touch
    those."""

    module: ir.Module
    places: frozenset[str]
    streams: frozenset[str]
    counters: bool


Marks = Callable[[str, tuple[object, ...]], Mapping[object, int]]


def kept(module: ir.Module, layout: StateLayout, initial: State, limits: Limits, first_marks: Marks) -> Kept:
    """The module of a playout in which the game begins with what it needs, and notes no locations in vain.
    ``first_marks``: the masks of a place with some values."""
    looked_for = any(touched(f.ops).locations for f in module.functions)
    builds = (ir.SILENT, ir.LOCATED) if looked_for else (ir.SILENT,)
    functions = [ir.Function(f.role, f.name, f.params, for_build(f.ops, *builds)) for f in module.functions]
    marks = frozenset(touched(functions[0].ops).marks)
    functions = [ir.Function(f.role, f.name, f.params, _marking(f.ops, marks)) for f in functions]
    game, *routines = functions
    shared = [touched(f.ops) for f in routines]
    places = frozenset[str]().union(*(t.places for t in shared))
    streams = frozenset[str]().union(*(t.streams for t in shared))
    counters = any(f.role == "effect" for f in routines)
    start = _Start(layout, initial, limits, first_marks, Kept(module, places, streams, counters))
    tables = list(module.tables)
    begins = start.operations(touched(game.ops), tables)
    functions[0] = ir.Function(game.role, game.name, game.params, (*begins, *game.ops))
    made = replace(module, functions=tuple(functions), tables=tuple(tables))
    return Kept(made, places, streams, counters)


def _marking(ops: ir.Ops, marks: frozenset[str]) -> ir.Ops:
    """The operations without notes in masks that nothing asks for."""
    left = (op for op in ops if not isinstance(op, ir.Mark) or op.cell.place in marks)
    return tuple([inside(op, lambda inner: _marking(inner, marks)) for op in left])


@dataclass(frozen=True)
class _Start:
    layout: StateLayout
    initial: State
    limits: Limits
    first_marks: Marks
    kept: Kept

    def operations(self, used: Touched, tables: list[object]) -> Iterable[ir.Op]:
        """What a game begins with."""
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
            if name in used.places - kept.places:
                yield _begin("place", name, tuple(cells[place.offset : place.offset + place.size]))
                if name in used.marks:
                    first = self.first_marks(name, tuple(cells[place.offset : place.offset + place.size]))
                    yield _begin("marks", name, tuple(first.items()))
        for number, zone in enumerate(zones):
            if number in used.lists or used.zones:
                yield _begin("zone", number, tuple(zone))
        if used.zones:
            yield _begin("zones", value=len(zones))
        if in_cells:
            # as support has them, with the decisions in place of the choice that waits
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
    """A constant of the module, which may be one already."""
    for number, known in enumerate(tables, 1):
        if repr(known) == repr(value):
            return ir.Table(number)
    tables.append(value)
    return ir.Table(len(tables))
