"""From a setting to the text of a generated module: lower, select, improve, print.

The text is deterministic: the same ruleset, players and options give the same text. Used by ``module``, and by the
compile command, which shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lusory_dsl.core.knowledge import is_component
from lusory_dsl.language.types import INT, Type

from ..reading.positions import initial_position
from ..table.setting import Setting
from . import ir
from .improve.blocks import Blocks, split
from .improve.liveness import Liveness, Reads, with_cells
from .improve.placement import arranged
from .improve.unread import kept
from .improve.waiting import awaited
from .ir import sorts
from .lower import lowering, splitting
from .lower.lowerer import Lowerer
from .lower.reach import reach_of
from .python.printer import Printer, Storage, listing
from .python.support import EXTRA_CELLS, has_options, option_name
from .python.writing import identifier, remark
from .select import playout, steps
from .select.masks import first_marks
from .select.selector import Selector

STEPWISE = ("events", "silent")  # builds that share the places of locals


@dataclass(frozen=True, eq=False)
class Emission:
    """A generated module as text. ``places``: where each line (from 0) comes from; ``slots``: which local of the
    lowered game a name stands for; ``ways_back``: for each routine that asks, the local that keeps the block to go back
    to, and its cell (-1: none); ``calls``: where the calls before such blocks stand; ``awaited``: for each choice the
    cells of locals that matter while it waits; ``naming``: the cells of locals that hold components; the rest as in
    Module."""

    text: str
    places: tuple[ir.Provenance, ...]
    slots: dict[str, int]
    types: dict[str, Type]
    sites: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    starts: tuple[tuple[str, int], ...] = ()
    spills: int = 0
    ways_back: dict[str, tuple[str, int]] = field(default_factory=dict)
    calls: dict[int, ir.Provenance] = field(default_factory=dict)
    awaited: tuple[tuple[int, ...], ...] = ()
    naming: tuple[int, ...] = ()

    def called(self, place: ir.Provenance, names: Mapping[str, Any]) -> ir.Provenance:
        """A place with its whole trail, where it stands in a routine that asks: its calls are found by the blocks that
        it goes back to. ``names``: the local names where something went wrong."""
        while place.trail[:1] == (ir.CALLED,) and place.trail[1] in self.ways_back:
            name, cell = self.ways_back[place.trail[1]]
            place = place.inside(self.calls[names["c"][cell] if cell >= 0 else names[name]])
        return place


def selected(setting: Setting, kind: str, marks: bool = False) -> ir.Module:
    """The form of a build, before any pass: choices are whole, nothing is left out. ``marks``: for a
    backend that is quick with masks: variables of spaces have them in stepwise play, too, and loops go through bits."""
    settled = has_options(kind)
    lowerer = lowering.lowerer_for(setting, reach_of(setting, anywhere=not settled), any_options=not settled)
    game = splitting.split(lowering.game(lowerer, searched=not settled), lowerer, asking=kind == "playout")
    sel: Selector
    if kind == "playout":
        sel = playout.selector(lowerer, setting.layout)
        sel.by_bits = marks
        playout.select(sel, game)
    else:
        sel = steps.selector(lowerer, setting.layout, marks)
        steps.select(sel, game)
    return ir.Module(
        kind,
        tuple(sel.functions),
        tuple(sel.tables.values),
        lowerer.names,
        sel.shown,
        tuple(sel.asked),
        sel.backs,
        facts_of(lowerer),
    )


def facts_of(lowerer: Lowerer) -> sorts.Known:
    """What lowering and selection know of locals and places."""
    known, reach = lowerer.known, lowerer.reach
    return sorts.Known(lowerer.types, known.of, known.sizes_of, known.lengths, reach.places, reach.any_options)


def emit(setting: Setting, kind: str) -> Emission:
    """Generate a module: ``silent`` and ``events`` for stepwise play, ``playout`` for whole games."""
    if kind == "playout":
        return _whole_games(setting, selected(setting, kind))
    return Stepwise(setting).emission(kind)


def _whole_games(setting: Setting, module: ir.Module) -> Emission:
    marks = partial(first_marks, setting.program, setting.players)
    found = kept(module, setting.layout, initial_position(setting), setting.limits, marks)
    storage = Storage(False, found.places, found.streams, found.counters, found.apart)
    text, places = _printed(setting, found.module, storage)
    return Emission(text, places, _slots(module), module.shown)


class Stepwise:
    """Stepwise play, up to what its builds do each for itself: they come from one form, and share the places of
    locals. ``marks``: as in :func:`selected`."""

    def __init__(self, setting: Setting, marks: bool = False) -> None:
        self.setting = setting
        self.module = module = selected(setting, STEPWISE[0], marks)
        self.blocks = split(module.functions)
        reads = Reads()
        self.lives = {build: [(f, Liveness(f, reads)) for f in arranged(self.blocks, build)] for build in STEPWISE}
        self.cells = _cells(setting, module, [live for found in self.lives.values() for _, live in found])

    def built(self, kind: str) -> ir.Module:
        """The form of a build, in blocks, as it is printed."""
        functions = [
            ir.Function(f.role, f.name, f.params, with_cells(live, self.cells)) for f, live in self.lives[kind]
        ]
        return replace(self.module, kind=kind, functions=tuple(functions))

    def emission(self, kind: str) -> Emission:
        """The text of a build."""
        module, cells, blocks = self.module, self.cells, self.blocks
        made = self.built(kind)
        text, places = _printed(self.setting, made, Storage(True))
        return Emission(
            text,
            places,
            _slots(module),
            module.shown,
            tuple(site for site, _ in module.asked),
            tuple(phase for _, phase in module.asked),
            tuple(blocks.starts.items()),
            len(cells),
            _ways_back(module, blocks, cells),
            blocks.returns,
            tuple(tuple(sorted(cells[slot] for slot in found)) for found in self._awaited()),
            tuple(cell for slot, cell in cells.items() if is_component(module.known.types.get(slot, INT))),
        )

    def _awaited(self) -> list[set[int]]:
        """For each choice the locals that matter while it waits, in either build: their states are the same."""
        found = [awaited(lives, len(self.module.asked), self.blocks.returns) for lives in self.lives.values()]
        return [set[int]().union(*both) for both in zip(*found, strict=True)]


def with_marks(setting: Setting) -> tuple[Stepwise, tuple[int, ...]]:
    """Stepwise play with masks, where the setting has boards and locals can be told apart; and for each local that it
    keeps over a choice, the place of the same among those that are kept without masks (-1: it is not)."""
    plain = Stepwise(setting)
    if setting.program.boards:
        marked = Stepwise(setting, marks=True)
        same = _same_locals(marked.module.names, plain.module.names)
        kept = [same.get(slot, -1) for slot in marked.cells]
        alike = marked.module.asked == plain.module.asked and len(marked.blocks.blocks) == len(plain.blocks.blocks)
        names = [[form.module.names[slot] for slot in form.cells] for form in (marked, plain)]
        if alike and names[0] == names[1]:
            return marked, tuple(range(len(plain.cells)))
        if alike and set(plain.cells) <= set(kept):
            order = {slot: number for number, slot in enumerate(plain.cells)}
            return marked, tuple([order.get(slot, -1) for slot in kept])
    return plain, tuple(range(len(plain.cells)))


def _same_locals(marked: dict[int, str], plain: dict[int, str]) -> dict[int, int]:
    """The locals of a form without masks by those of one with them, which has some more; nothing, where they don't
    agree."""
    rest = [slot for slot in sorted(marked) if marked[slot] != steps.MARK]
    if [marked[slot] for slot in rest] != [plain[slot] for slot in sorted(plain)]:
        return {}
    return dict(zip(rest, sorted(plain), strict=True))


def _cells(setting: Setting, module: ir.Module, lives: list[Liveness]) -> dict[int, int]:
    """The cells of the locals that need one, in either build."""
    exposed = set[int]().union(*(live.exposed for live in lives))
    exposed |= set(module.backs.values())  # a fault asks for it where no line does
    return {slot: setting.layout.size + EXTRA_CELLS + i for i, slot in enumerate(sorted(exposed))}


def _ways_back(module: ir.Module, blocks: Blocks, cells: dict[int, int]) -> dict[str, tuple[str, int]]:
    return {name: (identifier(module.names[slot], slot), cells.get(slot, -1)) for name, slot in module.backs.items()}


def _slots(module: ir.Module) -> dict[str, int]:
    """Which local each name in the generated text stands for."""
    return {identifier(name, slot): slot for slot, name in module.names.items()}


def _printed(setting: Setting, module: ir.Module, storage: Storage) -> tuple[str, tuple[ir.Provenance, ...]]:
    options = {name: option_name(setting.program, name) for name in setting.options}
    printer = Printer(setting.layout, module.names, options, storage)
    title = remark(setting.program.id, setting.players, "players", module.kind)
    lines = listing(printer, title, module)
    return "\n".join(line for line, _ in lines) + "\n", tuple(place for _, place in lines)
