"""The table, the choices, the log and the result as they stand on screen. Pure: position in, renderables out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from lusory_dsl.core import BoardView, Phase, ViewItem
from lusory_dsl.text.printable import one_line, printable

from ..game import Game
from ..seat.boards import Grid
from ..seat.view import View
from ..table.outcome import Outcome

SEAT_STYLES = ("cyan", "yellow", "green", "magenta", "bright_blue", "bright_red")
MISSING = "–"
SHORT_LIST = 4  # options that are best read one below the other
_SEAT = re.compile(r"\bP([1-9])\b")


def seat_style(seat: int) -> str:
    return f"bold {SEAT_STYLES[seat % len(SEAT_STYLES)]}"


def words(text: str, names: Sequence[str], style: str = "") -> Text:
    """Text from a ruleset: never markup, without control codes; P1, P2, … by name and in the colour of their seat."""
    shown = Text(style=style)
    end = 0
    for match in _SEAT.finditer(text):
        seat = int(match[1]) - 1
        if seat < len(names):
            shown.append(printable(text[end : match.start()]))
            shown.append(one_line(names[seat]), seat_style(seat))
            end = match.end()
    return shown.append(printable(text[end:]))


def heading(title: str, detail: str = "", names: Sequence[str] = ()) -> Rule:
    """The line over a turn."""
    text = Text(one_line(title), style="bold")
    if detail:
        text.append_text(words(f" · {detail}", names, "not bold"))
    return Rule(text, align="left", style="dim", characters="─")


def phase_line(game: Game, view: View) -> str:
    """Where in the game this is: the labels of the phase under way and of those round it."""

    def path_to(phases: Sequence[Phase]) -> list[Phase]:
        for phase in phases:
            if phase.id == view.phase:
                return [phase]
            if inner := path_to(phase.children):
                return [phase, *inner]
        return []

    path = path_to(game.program.phases)
    return " · ".join(view.text(p.label, [None] * p.n_slots) for p in path if p.label is not None)


# ---------------------------------------------------------------- the table


def table(game: Game, view: View, names: Sequence[str], width: int) -> RenderableType:
    """Status, players, shared things, boards and what is the own, as the seat of ``view`` sees them."""
    layout = game.program.layout
    parts: list[RenderableType] = []
    if status := _items(view, layout.status):
        parts.append(_line_of(status, names))
    if layout.player:
        parts.append(_players(layout.player, view, names, width))
    if shared := _items(view, layout.shared):
        parts.append(_list_of(shared, names))
    parts.extend(_board(board, grid, names) for board in layout.boards if (grid := view.grid(board)) is not None)
    if view.seat is not None and (own := _items(view, layout.own, (view.seat,))):
        parts.append(_list_of(own, names))
    spaced = [part for p in parts for part in ("", p)]
    return Group(*spaced[1:])


def _items(view: View, items: Iterable[ViewItem], slots: Sequence[int] = ()) -> list[tuple[str, str]]:
    """Titles and texts of the items that have something to show."""
    return [(item.title, view.text(item.text, slots)) for item in items if view.holds(item.condition, slots)]


def _line_of(items: Sequence[tuple[str, str]], names: Sequence[str]) -> Text:
    line = Text()
    for title, text in items:
        line.append(f"{'   ' if line else ' '}{one_line(title)} ", style="dim")
        line.append_text(words(text, names, "bold"))
    return line


def _list_of(items: Sequence[tuple[str, str]], names: Sequence[str]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim")
    grid.add_column()
    for title, text in items:
        grid.add_row(Text(f" {one_line(title)}"), words(text, names))
    return grid


def _players(items: Sequence[ViewItem], view: View, names: Sequence[str], width: int) -> Table:
    """One row a player; where that is too wide, one column a player. Items that no player has now are left out."""
    heads = [_seat_heading(seat, name, view.seat) for seat, name in enumerate(names)]
    titles: list[Text] = []
    columns: list[list[Text]] = []
    for item in items:
        shown = [view.holds(item.condition, (seat,)) for seat in range(len(names))]
        if any(shown):
            titles.append(Text(one_line(item.title), style="dim"))
            columns.append(
                [
                    words(view.text(item.text, (seat,)), names) if shown[seat] else Text(MISSING, "dim")
                    for seat in range(len(names))
                ]
            )
    lying = _grid(
        [Text(), *titles], [[head, *cells] for head, cells in zip(heads, zip(*columns, strict=True), strict=True)]
    )
    if _width_of(lying) <= width:
        return lying
    return _grid([Text(), *heads], [[title, *cells] for title, cells in zip(titles, columns, strict=True)])


def _seat_heading(seat: int, name: str, viewer: int | None) -> Text:
    return Text(f"{one_line(name)}{' (you)' if seat == viewer else ''}", style=seat_style(seat))


def _grid(heads: Iterable[Text], rows: Iterable[Sequence[Text]]) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True, header_style="")
    for head in heads:
        grid.add_column(head)
    for row in rows:
        grid.add_row(*row)
    return grid


def _width_of(grid: Table) -> int:
    return Console(width=10_000, markup=False, highlight=False, emoji=False).measure(grid).maximum


def _board(board: BoardView, grid: Grid, names: Sequence[str]) -> RenderableType:
    table = Table(box=None, show_header=board.headings, pad_edge=True)
    if board.headings:
        table.add_column("", style="dim", justify="right")
    for label in grid.columns:
        table.add_column(words(label, names, "dim"), justify="center")
    for label, cells in grid.rows:
        heading = [words(label, names)] if board.headings else []
        table.add_row(*heading, *(words(cell, names) for cell in cells))
    return Group(Text(f" {one_line(board.title)}", style="dim"), table) if board.title else table


# ---------------------------------------------------------------- choices, log, result


def choices(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], width: int) -> RenderableType:
    """The options with what to type for each: in columns, or in rows of those that begin alike if that is shorter."""
    columns = _in_columns(keys, labels, names, width)
    if columns.row_count <= SHORT_LIST:
        return columns
    for tail in range(1, 4):
        rows = _in_rows(keys, labels, names, tail)
        if rows is not None and rows.row_count < columns.row_count and _width_of(rows) <= width:
            return rows
    runs = _in_runs(keys, labels, names, width)
    return Group(*runs) if runs is not None and len(runs) < columns.row_count else columns


def _in_columns(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], width: int) -> Table:
    """As many columns as there is room for, downwards first."""
    key_width = max(map(len, keys))
    entries = [
        Text.assemble((f" {key:>{key_width}}", "bold"), *(() if label == key else ("  ", words(label, names))))
        for key, label in zip(keys, labels, strict=True)
    ]
    gap = 3
    lengths = [entry.cell_len + gap for entry in entries]
    most = len(entries) if list(keys) == list(labels) else -(-len(entries) // SHORT_LIST)
    height = next(
        (h for h in range(-(-len(entries) // most), len(entries)) if _wide(lengths, h) <= width + gap), len(entries)
    )
    if height == len(entries):  # what does not fit in a line goes on under its words, not under its key
        grid = _bare_grid(2, 2)
        for key, label in zip(keys, labels, strict=True):
            grid.add_row(Text(f" {key:>{key_width}}", "bold"), *(() if label == key else (words(label, names),)))
        return grid
    grid = _bare_grid(-(-len(entries) // height), gap)
    for line in range(height):
        grid.add_row(*entries[line::height])
    return grid


def _wide(lengths: Sequence[int], height: int) -> int:
    """How wide entries of these lengths are in columns of a height."""
    return sum(max(lengths[top : top + height]) for top in range(0, len(lengths), height))


def _in_rows(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], tail: int) -> Table | None:
    """A row for each run of labels that differ only in their last ``tail`` words; None where some stand alone."""
    split = [label.split(" ") for label in labels]
    runs = [
        (head, list(run))
        for head, run in groupby(zip(keys, split, strict=True), key=lambda entry: " ".join(entry[1][:-tail]))
    ]
    if any(not head or len(run) < 2 for head, run in runs) or any(label[-1].isdecimal() for label in split):
        return None  # a number at the end of a label would be taken for what to type
    grid = _bare_grid(1 + max(len(run) for _, run in runs), 3)
    for head, run in runs:
        ends = (Text.assemble((key, "bold"), " ", words(" ".join(label[-tail:]), names)) for key, label in run)
        grid.add_row(Text(" ").append_text(words(head, names)), *ends)
    return grid


def _in_runs(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], width: int) -> list[Text] | None:
    """Lines for runs of labels that begin with the same two words or more, what follows one after the other; labels
    that stand alone have a line of their own. What begins with much less of what a run has in common begins another.
    None where there is no room for that."""
    if any(label[-1:].isdecimal() for label in labels):
        return None
    runs: list[tuple[list[str], list[int]]] = []
    for number, label in enumerate(labels):
        start = label.split(" ")[:-1]
        shared = _shared(runs[-1][0], start) if runs else []
        goes_on = len(shared) > 1 and (len(runs[-1][1]) == 1 or len(shared) >= len(runs[-1][0]) - 1)
        if goes_on and label not in [labels[i] for i in runs[-1][1]]:
            runs[-1] = shared, [*runs[-1][1], number]
        else:
            runs.append((start, [number]))
    heads = [words(" ".join(start), names) for start, numbers in runs if len(numbers) > 1]
    indent = max((head.cell_len for head in heads), default=width) + 4
    if indent > width // 2:
        return None
    lines: list[Text] = []
    for start, numbers in runs:
        if len(numbers) == 1:
            lines.append(Text.assemble((f" {keys[numbers[0]]}", "bold"), "  ", words(labels[numbers[0]], names)))
            continue
        line = Text(" ").append_text(words(" ".join(start), names))
        for number in numbers:
            ending = words(" ".join(labels[number].split(" ")[len(start) :]), names)
            entry = Text.assemble((keys[number], "bold"), " ", ending)
            if max(line.cell_len, indent) + entry.cell_len > width:
                lines.append(line)
                line = Text()
            line.append(" " * (max(indent - line.cell_len, 0))).append_text(entry).append("   ")
        lines.append(line)
    return lines


def _shared(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The words with which both begin."""
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))]


def _bare_grid(columns: int, gap: int) -> Table:
    grid = Table.grid(padding=(0, gap, 0, 0))
    for _ in range(columns):
        grid.add_column()
    return grid


def log(lines: Sequence[str], names: Sequence[str], room: int | None = None) -> RenderableType:
    """The last ``room`` lines of the log, and how many are missing before them."""
    kept = lines if room is None or len(lines) <= room else lines[-max(room - 1, 1) :]
    shown = [words(line, names, "dim") for line in kept]
    if len(kept) < len(lines):
        shown.insert(0, Text(f"… {len(lines) - len(kept)} earlier lines: type log", style="dim italic"))
    return Padding(Group(*shown), (0, 0, 0, 1), expand=False)


def result(outcome: Outcome, names: Sequence[str]) -> RenderableType:
    """How it ended: who won, and the final table of places and scores."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True)
    grid.add_column("Place", justify="right")
    grid.add_column("Player")
    for title, _ in outcome.table:
        grid.add_column(Text(one_line(title)), justify="right")
    for seat in sorted(range(len(names)), key=lambda s: (outcome.places[s], s)):
        grid.add_row(
            str(outcome.places[seat]),
            Text(one_line(names[seat]), style=seat_style(seat)),
            *(str(values[seat]) for _, values in outcome.table),
            style="bold" if seat in outcome.winners else "",
        )
    chart = [Text(printable(outcome.chart), style="dim")] if outcome.chart is not None else []
    return Group(Text(printable(verdict(outcome, names)), style="bold"), "", *chart, grid)


def verdict(outcome: Outcome, names: Sequence[str]) -> str:
    """Why the game ended and who won, in a sentence; of a game for one, why it ended."""
    if len(names) == 1:
        return f"{words(outcome.reason, names).plain}." if outcome.reason else "The game is over."
    winners = [names[seat] for seat in outcome.winners]
    if not winners:
        won = "Nobody wins."
    elif len(winners) == len(names) > 1:
        won = "A draw."
    elif len(winners) == 1:
        won = f"{winners[0]} wins."
    else:
        won = f"{', '.join(winners[:-1])} and {winners[-1]} share the win."
    return f"{words(outcome.reason, names).plain}. {won}" if outcome.reason else won
