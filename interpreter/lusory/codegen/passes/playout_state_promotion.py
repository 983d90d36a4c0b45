"""Promote the parts of the state that a playout uses to local variables.

A playout is one function for a whole game. This pass finds the places, zones, streams and counters that it uses, and
adds ``Initialize`` operations for them. State that shared routines use stays in the lists ``c`` (cells) and ``z``
(zones). The pass also removes updates that nothing reads: of locations, of bit masks, and of variables of which only
the masks are read.

Example: in a playout whose variable ``gold`` no routine reads, ``c[3] = c[3] + 1`` becomes ``P_gold = P_gold + 1``, and
the function begins with ``P_gold = 0``. Compilers call this register promotion (Cooper and Lu, Register Promotion in C
Programs, PLDI 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.source.dataclass_with_lazy_methods import replace

from ...evaluator.expressions import find_initial_position
from ...state.setting_value_limits_builtins_and_names import Setting
from ...state.state_layout import STREAMS
from .. import ir
from .split_at_choices import filter_build, map_blocks


@dataclass
class StateUse:
    """Hold the parts of the state that operations touch.

    Attributes:
        places: The variables and pools whose cells are used.
        lists: The zones with constant numbers.
        streams: The names of the random streams.
        registers: The names of the registers.
        marks: The variables whose bit masks are read.
        uses_cells: Whether the list of all cells is needed as a whole.
        uses_zones: Whether the list of all zones is needed as a whole.
        reads_locations: Whether the locations of components are read.
    """

    places: set[str] = field(default_factory=set)
    lists: set[int] = field(default_factory=set)
    streams: set[str] = field(default_factory=set)
    registers: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    uses_cells: bool = False
    uses_zones: bool = False
    reads_locations: bool = False


def find_state_use(ops: ir.Ops) -> StateUse:
    """Return the parts of the state that operations touch, including the values and blocks inside them.

    ``places`` has the names of variables and pools whose cells are used, and ``marks`` of those whose masks are read.
    ``UpdateMasks`` adds its variable only to ``places``. ``lists`` has the constant numbers of zones; any other zone
    sets ``uses_zones``. ``streams`` and ``registers`` have names, too; a count of work uses the registers ``work`` and
    ``until``. Cells and constant zones set no ``uses_…``. A call sets ``uses_cells`` and ``uses_zones``, because this
    does not look into the called routine. A move of cards sets ``uses_cells``, ``uses_zones`` and ``reads_locations``;
    a read of a location sets the first and last. An update of a location, ``CountedItems`` and ``TextLengthCheck`` set
    only ``uses_cells``. ``ComponentsIn`` sets ``uses_zones``, and with ``counts_visits`` also ``uses_cells``.
    """
    use = StateUse()
    for node in ir.walk(ops):
        match node:
            case ir.Cell(place=place):
                use.places.add(place)
            case ir.SpaceMasks(place=place):
                use.marks.add(place)
            case ir.Zone(number=index):
                if index.number is None:
                    use.uses_zones = True
                else:
                    use.lists.add(index.number)
            case ir.MoveCards():
                use.uses_cells = use.uses_zones = use.reads_locations = True
            case ir.Location():
                use.uses_cells = use.reads_locations = True
            case ir.CallQuery() | ir.CallEffect():
                use.uses_cells = use.uses_zones = True
            case ir.ComponentsIn(counts_visits=counts_visits):
                use.uses_zones = True
                use.uses_cells = use.uses_cells or counts_visits
            case ir.Locate() | ir.CountedItems() | ir.TextLengthCheck():
                use.uses_cells = True
            case ir.Stream(name=name):
                use.streams.add(name)
            case ir.Register(name=name):
                use.registers.add(name)
            case ir.CountWork():
                use.registers |= {"work", "until"}
    return use


@dataclass(frozen=True)
class PromotedPlayout:
    """A playout with its initialization, and what must stay in the lists of the state.

    Attributes:
        places: The places that shared routines touch.
        streams: The random streams that shared routines touch.
        shares_counters: Whether shared routines touch the counters.
        separate_none_masks: The variables over spaces whose mask of none can be a variable of its own.
    """

    module: ir.Module
    places: frozenset[str]
    streams: frozenset[str]
    shares_counters: bool
    separate_none_masks: frozenset[str] = frozenset()


MaskFunction = Callable[[str, tuple[object, ...]], Mapping[object, int]]
"""A function from the name of a place and its values to the bit mask of each value."""


def promote_state(module: ir.Module, setting: Setting, first_marks: MaskFunction) -> PromotedPlayout:
    """Return a new module for a playout that keeps its state in variables, with what its backend must keep in lists.

    The first function of ``module``, which stays unchanged, is the game, and the others are its routines. The fields
    ``places`` and ``streams`` of the result name what routines touch, which stays in lists. So do the counters if
    ``shares_counters``: a routine has the role ``effect``. In the result's ``module``, the game begins with
    ``ir.Initialize`` operations, which may add a constant to ``tables``. Operations of other builds, such as events,
    are removed. So are updates of locations and bit masks that nothing reads, and assignments to a variable of which
    only the masks are read. ``first_marks`` gives value -> bit mask for the name and the initial values of a place. The
    mask of none can be a variable of its own for the places in ``separate_none_masks``.
    """
    reads_locations = any(find_state_use(function.ops).reads_locations for function in module.functions)
    builds = (ir.SILENT, ir.LOCATED) if reads_locations else (ir.SILENT,)
    functions = [replace(function, ops=filter_build(function.ops, *builds)) for function in module.functions]
    masked_places = frozenset(find_state_use(functions[0].ops).marks)
    functions = [replace(function, ops=remove_unread_masks(function.ops, masked_places)) for function in functions]
    unread_places = masked_places - _find_read_places(functions)
    functions = [replace(function, ops=_remove_unread_writes(function.ops, unread_places)) for function in functions]
    game, *routines = functions
    routine_uses = [find_state_use(function.ops) for function in routines]
    places = frozenset[str]().union(*(use.places for use in routine_uses))
    streams = frozenset[str]().union(*(use.streams for use in routine_uses))
    shares_counters = any(function.role == "effect" for function in routines)
    shared = PromotedPlayout(module, places, streams, shares_counters)
    tables = list(module.tables)
    use = find_state_use(game.ops)
    initialization = _iterate_initializations(setting, use, shared, unread_places, first_marks, tables)
    functions[0] = replace(game, ops=(*initialization, *game.ops))
    playout = replace(module, functions=tuple(functions), tables=tuple(tables))
    return PromotedPlayout(playout, places, streams, shares_counters, _find_separate_none_masks(playout))


def remove_unread_masks(ops: ir.Ops, marks: frozenset[str]) -> ir.Ops:
    """Return the operations without updates of the bit masks of places that are not in ``marks``, also in inner
    blocks.
    """
    remaining = (op for op in ops if not isinstance(op, ir.UpdateMasks) or op.cell.place in marks)
    return tuple([map_blocks(op, lambda inner: remove_unread_masks(inner, marks)) for op in remaining])


def _find_read_places(functions: Iterable[ir.Function]) -> frozenset[str]:
    """Return the variables and pools whose cells are read, and not only their bit masks or as the target of an
    assignment.

    An increase or decrease reads its target.
    """
    places: set[str] = set()
    for function in functions:
        nodes = ir.walk(function.ops)
        written_cells = {id(cell) for op in nodes if (cell := _get_written_cell(op)) is not None}
        places.update(node.place for node in nodes if isinstance(node, ir.Cell) and id(node) not in written_cells)
    return frozenset(places)


def _get_written_cell(op: Any) -> ir.Cell | None:
    """Return the cell that an operation writes without reading it, or None."""
    if isinstance(op, ir.UpdateMasks) and op.before is not None:
        return op.cell
    return op.target if isinstance(op, ir.Set) and op.op == "=" and isinstance(op.target, ir.Cell) else None


def _remove_unread_writes(ops: ir.Ops, unread: frozenset[str]) -> ir.Ops:
    """Remove operations that write to variables that nothing reads."""

    def is_needed(op: ir.Op) -> bool:
        cell = _get_written_cell(op)
        return isinstance(op, ir.UpdateMasks) or cell is None or cell.place not in unread

    return tuple([map_blocks(op, lambda inner: _remove_unread_writes(inner, unread)) for op in ops if is_needed(op)])


def _find_separate_none_masks(module: ir.Module) -> frozenset[str]:
    """Return the variables over spaces whose mask of none can be a variable of its own.

    This requires that every access to the masks asks for a constant value, or is known not to ask for none.
    """
    places_with_none: set[str] = set()
    excluded_places: set[str] = set()
    for node in (node for function in module.functions for node in ir.walk(function.ops)):
        match node:
            case ir.Initialize(kind="marks", name=name, value=masks):
                (places_with_none if None in dict(masks) else excluded_places).add(str(name))
            case ir.Entry(container=ir.SpaceMasks(place=place, is_present=False), index=index):
                if not isinstance(index, ir.Const):
                    excluded_places.add(place)
            case ir.UpdateMasks(cell=ir.Cell(place=place), value=value, before=value_before, is_present=present):
                if value_before is None or not (present or isinstance(value, ir.Const)):
                    excluded_places.add(place)
    return frozenset(places_with_none - excluded_places)


def _iterate_initializations(
    setting: Setting,
    use: StateUse,
    playout: PromotedPlayout,
    unread_places: frozenset[str],
    first_marks: MaskFunction,
    tables: list[object],
) -> Iterable[ir.Op]:
    """Yield an ``Initialize`` for everything in ``use``, of these kinds in order: ``decisions``, ``work``, for
    each place ``place`` and ``marks``, ``zone``, ``zones``, ``cells``, ``stream cell`` and ``stream``.

    ``decisions`` comes even if nothing is used, and so does a ``stream cell`` for each stream that routines share.
    ``playout`` says what stays in the lists of the state. A place that nothing reads gets no ``place``. Decisions and
    work are left out if routines share the counters. The state that routines share is initialized as one list of cells;
    its constant is appended to ``tables``.
    """
    initial, limits = find_initial_position(setting), setting.limits
    first_limit = min(limits.decision, limits.game)
    own_registers = use.registers - {"over", "reason"}
    shared_names = (use.places & playout.places) | (use.streams & playout.streams)
    shared_registers = use.registers if playout.shares_counters else use.registers - own_registers
    if not playout.shares_counters:
        yield _make_initialize("decisions")
        if own_registers & {"work", "until"}:
            yield _make_initialize("work", value=first_limit)
    for name, place in setting.layout.places.items():
        values = tuple(initial.cells[place.offset : place.offset + place.size])
        if name in use.places - playout.places - unread_places:
            yield _make_initialize("place", name, values)
        if name in use.marks - playout.places:
            yield _make_initialize("marks", name, tuple(first_marks(name, values).items()))
    for number, zone in enumerate(initial.zones):
        if number in use.lists or use.uses_zones:
            yield _make_initialize("zone", number, tuple(zone))
    if use.uses_zones:
        yield _make_initialize("zones", value=len(initial.zones))
    if use.uses_cells or shared_names or shared_registers:
        # The four extra cells of the runtime. A playout counts decisions in the cell of the waiting choice.
        extra_cells = 0, None, first_limit, limits.visits
        tables.append((*initial.cells, *extra_cells))
        yield _make_initialize("cells", value=ir.Table(len(tables)))
    for stream in sorted(playout.streams):
        yield _make_initialize("stream cell", stream)
    for stream in STREAMS:
        if stream in use.streams - playout.streams:
            yield _make_initialize("stream", stream)


def _make_initialize(kind: str, name: str | int = "", value: Any = None) -> ir.Initialize:
    return ir.Initialize(ir.NOWHERE, kind, name, value)
