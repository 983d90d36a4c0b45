"""From a setting to the text of a generated module: lower, emit, put together.

The text is deterministic: the same ruleset, players and options give the same text. Used by ``module``, and by the
compile command, which shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lusory_dsl.types import Type

from ..positions import initial_position
from ..runtime import Setting
from .expressions import Tables
from .lowering import Lowerer
from .playout import PlayoutEmitter
from .statements import NOWHERE, Mapped
from .steps import StepEmitter


@dataclass(frozen=True, eq=False)
class Emission:
    """A generated module as text. ``places``: where each line (from 0) comes from; ``slots``: which local of the
    lowered game a name stands for; the rest as in Module."""

    text: str
    places: tuple[Mapped, ...]
    slots: dict[str, int]
    types: dict[str, Type]
    sites: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    starts: tuple[tuple[str, int], ...] = ()
    spills: int = 0


def emit(setting: Setting, kind: str) -> Emission:
    """Generate a module: ``silent`` and ``events`` for stepwise play, ``playout`` for whole games."""
    lowerer = Lowerer(setting.program, setting.players, setting.options)
    tables = Tables()
    title = f"# {setting.program.name}, {setting.players} players, {kind}. Generated from a ruleset; not to be edited."
    if kind == "playout":
        playout = PlayoutEmitter(lowerer, setting.layout, tables, initial_position(setting))
        text, places = _assemble(title, playout.game(lowerer.game()), tables)
        return Emission(text, places, playout.slots(), playout.shown_types)
    steps = StepEmitter(lowerer, setting.layout, tables)
    steps.game(lowerer.game())
    lines, spills = steps.render(kind)
    text, places = _assemble(title, lines, tables)
    return Emission(
        text,
        places,
        steps.slots(),
        steps.shown_types,
        tuple(a.site for a in steps.asked),
        tuple(a.phase for a in steps.asked),
        tuple(steps.starts.items()),
        spills,
    )


def _assemble(title: str, lines: list[tuple[str, Mapped]], tables: Tables) -> tuple[str, tuple[Mapped, ...]]:
    head = [title, *tables.lines]
    text = "\n".join([*head, *(text for text, _ in lines)]) + "\n"
    return text, tuple([NOWHERE] * len(head) + [mapped for _, mapped in lines])
