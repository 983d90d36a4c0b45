"""Words of a ruleset and lists of options as they stand on screen, for line mode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile

from rich import box
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..screen.palette import COLOURS, seat_colour

SHORT_LIST = 4  # options that are best read one below the other
_SEAT = re.compile(r"\bP([1-9])\b")


def seat_style(seat: int) -> str:
    return f"bold {COLOURS[seat_colour(seat)]}"


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


def heading(title: str, detail: Text | None = None) -> Rule:
    """The line over a turn."""
    text = Text(one_line(title), style="bold")
    if detail:
        text.append_text(Text(" · ", "not bold")).append_text(Text.assemble(detail, style="not bold"))
    return Rule(text, align="left", style="dim", characters="─")


# ---------------------------------------------------------------- what can be chosen


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


def _width_of(grid: Table) -> int:
    return Console(width=10_000, markup=False, highlight=False, emoji=False).measure(grid).maximum


def bare_table() -> Table:
    """A table with a line below its heads and no other."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True)
