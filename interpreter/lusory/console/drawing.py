"""A screen line by line: lines of runs for rich, the table, the story, what can be chosen, the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ..screen.choosing import Choosing, to_type
from ..screen.layout import drawn
from ..screen.lines import width_of
from ..screen.model import Column, Deed, Ending, Screen
from ..screen.options import details
from ..screen.text import Line, plain
from ..screen.words import player
from .pages import text_of
from .render import bare_table, choices, heading

ORDER = ("table", "own", "players", "header")
"""Panels from the top to the bottom: what is always wanted stands nearest to the question."""
MARK = "✓"


def lines_of(lines: Iterable[Line]) -> RenderableType:
    """Lines one below the other."""
    return Group(*map(text_of, lines))


def table(screen: Screen, width: int) -> RenderableType:
    """All panels, the scores at the bottom."""
    parts: list[RenderableType] = []
    for panel in sorted(screen.panels, key=lambda panel: ORDER.index(panel.place)):
        if lines := drawn(panel, width - 1):
            parts += ["", Padding(lines_of(lines), (0, 0, 0, 1), expand=False)]
    return Group(*parts[1:])


def title(screen: Screen) -> Rule:
    """The line over a turn: which game, and where in it this is."""
    return heading(screen.title, text_of(screen.phase))


# ---------------------------------------------------------------- the story


def story(deeds: Sequence[Deed], width: int, room: int | None = None, details: bool = False) -> RenderableType:
    """The last ``room`` lines of what happened, and how many are missing before them. ``details``: with all that each
    deed changed, a line each; else as much of it as its line has room for."""
    lines = [line for deed in deeds for line in _deed(deed, width - 1, details)]
    kept = lines if room is None or len(lines) <= room else lines[-max(room - 1, 1) :]
    if len(kept) < len(lines):
        kept.insert(0, Text(f"… {len(lines) - len(kept)} earlier lines: type log", style="dim italic"))
    return Padding(Group(*kept), (0, 0, 0, 1), expand=False)


def _deed(deed: Deed, width: int, details: bool) -> list[Text]:
    if deed.heading:
        return [text_of(deed.line, "dim").join([Text("— ", "dim"), Text(" —", "dim")])]
    line = text_of(deed.line)
    if deed.forced:
        line.append(" (nothing else was possible)", "dim")
    if details:
        return [line, *(Text.assemble("    ", text_of(detail, "dim")) for detail in deed.details)]
    for number, detail in enumerate(deed.details):
        more = len(deed.details) - number
        room = width - line.cell_len - (3 if more == 1 else 8)
        if width_of(detail) + 2 > room:
            return [line.append(f" … {more} more" if number else " …", "dim")] if room > -4 else [line]
        line.append("; " if number else " – ", "dim").append_text(text_of(detail, "dim"))
    return [line]


# ---------------------------------------------------------------- what can be chosen


def entries(choosing: Choosing, width: int) -> RenderableType:
    """What is shown of a choice, with what to type for each."""
    labels = []
    for entry in choosing.entries:
        label = entry.words
        if entry.is_group:
            label += f" … ({len(entry.options)})"
        elif entry.options[0] in choosing.picks:
            place = choosing.picks.index(entry.options[0]) + 1
            label = f"{MARK} {label}" if not choosing.question.in_order else f"{MARK}{place} {label}"
        else:
            label += plain(details(choosing.question.options[entry.options[0]]))
        labels.append(label)
    return choices(to_type(choosing), labels, (), width)


def hints(choosing: Choosing) -> Text | None:
    """What can be done besides choosing one of the entries."""
    said: list[str] = []
    question = choosing.question
    if choosing.is_picking:
        least, most = question.least, question.most
        many = f"{least}" if least == most else f"{least} to {most}"
        said.append(f"pick {many}{' in their order' if question.in_order else ''}, several at once: 1 2")
        if choosing.picks:
            said.append("a number again puts it back")
        if choosing.can_end:
            said.append("Enter ends it" if choosing.picks else "Enter picks none")
    if choosing.typed and choosing.usual is None:
        said.append(f"{len(choosing.entries)} options fit: type a number, or more words")
    if choosing.usual is not None:
        said.append(f"{'Enter' if choosing.typed else 'Enter twice'}: {choosing.usual.words}")
    if choosing.typed or choosing.opened:
        said.append("b goes back")
    return Text(f" {'; '.join(said)}", style="dim italic") if said else None


# ---------------------------------------------------------------- the end


def ending(end: Ending, screen: Screen) -> RenderableType:
    """How it ended: who won, the places and how their points come about, column by column."""
    columns = [*end.steps, *(column for column in end.table if column.title not in {step.title for step in end.steps})]
    grid = _places(end, screen, columns)
    chart = [Text(end.chart, style="dim")] if end.chart else []
    secrets: list[RenderableType] = []
    if end.revealed:
        secrets = [
            Text("What was hidden", style="dim"),
            *(Padding(text_of(line), (0, 0, 0, 1)) for line in end.revealed),
            "",
        ]
    return Group(*secrets, text_of(end.verdict, "bold"), "", *chart, grid)


def _places(end: Ending, screen: Screen, columns: Sequence[Column]) -> Table:
    grid = bare_table()
    grid.add_column("Place", justify="right")
    grid.add_column("Player")
    for column in columns:
        grid.add_column(Text(column.title), justify="right")
    for seat in sorted(range(len(screen.names)), key=lambda s: (end.places[s], s)):
        grid.add_row(
            str(end.places[seat]),
            text_of((player(seat, screen.names),)),
            *(str(column.values[seat]) for column in columns),
            style="bold" if seat in end.winners else "",
        )
    return grid
