"""Find what is printed on the cards of a screen: on those on the table, and on those that options are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lusory_dsl import core

from .option_previews import get_printed_text
from .screen import Cell, Grid, Hand, Items, Map, Option, Panel, Piles, Players
from .styled_text import Line, drop_characters, make_line, plain


def name_as_in_hand(options: Sequence[Option], panels: Sequence[Panel]) -> Iterator[Option]:
    """Yield the options. Their texts call a card of the hand as the hand does, for example with its cost and values."""
    held = [line for panel in panels if isinstance(panel, Hand) for card in panel.cards for line in card.cell.lines[:1]]
    called = {run.of: line for line in reversed(held) for run in line if run.of}
    for option in options:
        line = called.get(option.subject, ())
        name = next((run.text for run in line if run.of == option.subject), "")
        is_named = bool(name) and plain(option.text).startswith(f"{name}: ")
        yield replace(option, text=(*line, *drop_characters(option.text, len(name)))) if is_named else option


def list_card_texts(program: core.Program, panels: Sequence[Panel]) -> Iterator[tuple[Line, Line]]:
    """Yield the name and the printed text of each card that a panel other than a hand names, copies once."""
    told: set[str] = set()
    for run in (run for panel in panels for cell in _cells_of(panel) for line in cell.lines for run in line):
        if run.of.partition(":")[0] in program.component_kinds and (text := get_printed_text(program, run.of)):
            label = next(one.label for one in program.entities if f"{one.kind}:{one.name}" == run.of)
            if label not in told:
                told.add(label)
                yield make_line(label, (), run.of), make_line(text)


def _cells_of(panel: Panel) -> Iterator[Cell]:
    """Yield the cells of a panel. Those of hands, and of grids that show their texts, are left out."""
    match panel:
        case Items():
            yield from (item.cell for item in panel.items)
        case Players():
            yield from (cell for column in panel.columns for cell in column.cells if cell is not None)
        case Grid() if not panel.texts:
            yield from (cell for row in panel.rows for cell in row.cells if cell is not None)
        case Map():
            yield from (node.cell for node in panel.nodes)
        case Piles():
            yield from (pile.top for pile in panel.piles if pile.top is not None)
