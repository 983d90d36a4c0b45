"""What a game that was looked at again comes to, as a person reads it: used by the analyse command."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..screen.text import plain
from ..screen.words import said
from ..study.analysing import Analysis, Looked, percent

SHOWN = 10


def analysis(found: Analysis, title: str, names: Sequence[str]) -> list[RenderableType]:
    """Where the lead changed, and the costliest moves."""
    left = f"; of {found.left_out} more nothing can be said" if found.left_out else ""
    parts: list[RenderableType] = [
        Text(one_line(f"{title}: {len(found.moves)} decisions looked at by {found.kind}{left}"), style="bold")
    ]
    if len(found.seats) > 1:
        parts.append(Text(one_line(_leads(found, names))))
    worst = found.costliest(SHOWN)
    if not worst:
        return [*parts, Text("No move was surely worse than what the bot would have taken.")]
    return [*parts, "", _moves(worst, names)]


def _leads(found: Analysis, names: Sequence[str]) -> str:
    """Who led, and from when on."""
    if not found.leaders:
        return "Nobody ever led."
    led = [f"{names[seat]} from decision {move.number}" for move, seat in found.leaders]
    return f"The lead changed: {', '.join(led[1:])}" if found.leads else f"The lead never changed: {led[0]}"


def _moves(moves: Sequence[Looked], names: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, title_justify="left")
    table.title = "The costliest moves"
    for heading in ("Decision", "by", "taken", "better", "cost"):
        table.add_column(heading, justify="right" if heading in ("Decision", "cost") else "left")
    for move in moves:
        words = [one_line(plain(said(label, names))) for label in (move.taken, move.best)]
        table.add_row(
            str(move.number), names[move.seat], *map(Text, words), f"{percent(move.cost)} % ± {percent(move.doubt)} %"
        )
    return table
