"""From a setting to the text of a generated module: lower, emit, put together.

The text is deterministic: the same ruleset, players and options give the same text. Used by ``module``, and by the
compile command, which shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.language.types import Type

from ...reading.positions import initial_position
from ...table.setting import Setting
from ..lower.lowering import Lowerer
from ..lower.reach import reach_of
from ..lower.splitting import split
from ..python.support import has_options
from ..python.writing import remark
from .places import Tables
from .playout import PlayoutEmitter
from .statements import CALLED, NOWHERE, Mapped
from .steps import StepEmitter


@dataclass(frozen=True, eq=False)
class Emission:
    """A generated module as text. ``places``: where each line (from 0) comes from; ``slots``: which local of the
    lowered game a name stands for; ``ways_back``: for each routine that asks, the local that keeps the block to go back
    to, and its cell (-1: none); ``calls``: where the calls before such blocks stand; the rest as in Module."""

    text: str
    places: tuple[Mapped, ...]
    slots: dict[str, int]
    types: dict[str, Type]
    sites: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    starts: tuple[tuple[str, int], ...] = ()
    spills: int = 0
    ways_back: dict[str, tuple[str, int]] = field(default_factory=dict)
    calls: dict[int, Mapped] = field(default_factory=dict)

    def called(self, place: Mapped, names: Mapping[str, Any]) -> Mapped:
        """A place with its whole trail, where it stands in a routine that asks: its calls are found by the blocks that
        it goes back to. ``names``: the local names where something went wrong."""
        while place.trail[:1] == (CALLED,) and place.trail[1] in self.ways_back:
            name, cell = self.ways_back[place.trail[1]]
            place = place.inside(self.calls[names["c"][cell] if cell >= 0 else names[name]])
        return place


def emit(setting: Setting, kind: str) -> Emission:
    """Generate a module: ``silent`` and ``events`` for stepwise play, ``playout`` for whole games."""
    settled = has_options(kind)
    lowerer = Lowerer(setting, reach_of(setting, anywhere=not settled), any_options=not settled)
    tables = Tables()
    title = remark(setting.program.id, setting.players, "players", kind)
    if kind == "playout":
        playout = PlayoutEmitter(lowerer, setting.layout, tables, initial_position(setting))
        text, places = _assemble(title, playout.game(split(lowerer.game(), lowerer, asking=True)), tables)
        return Emission(text, places, playout.slots(), playout.shown_types)
    steps = StepEmitter(lowerer, setting.layout, tables)
    steps.game(split(lowerer.game(), lowerer, asking=False))
    lines, spilled = steps.render(kind)
    text, places = _assemble(title, lines, tables)
    return Emission(
        text,
        places,
        steps.slots(),
        steps.shown_types,
        tuple(a.site for a in steps.asked),
        tuple(a.phase for a in steps.asked),
        tuple(steps.starts.items()),
        len(spilled),
        {name: (steps.name(slot), spilled.get(slot, -1)) for name, (_, slot) in steps.entries.items()},
        steps.returns,
    )


def _assemble(title: str, lines: list[tuple[str, Mapped]], tables: Tables) -> tuple[str, tuple[Mapped, ...]]:
    head = [title, *tables.lines]
    text = "\n".join([*head, *(text for text, _ in lines)]) + "\n"
    return text, tuple([NOWHERE] * len(head) + [mapped for _, mapped in lines])
