"""Render screens for line mode with Rich, and as SVG pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby, takewhile

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from lusory_dsl.source.source import one_line, printable

from ..model.layout import drawn
from ..model.option_tree import Choosing, details, to_type
from ..model.screen import Deed, Ending, ResultColumn, Screen
from ..model.text import COLOURS, Line, Run, hex_of, plain, player, seat_colour, width_of

THEME = TerminalTheme((22, 22, 26), (224, 224, 224), [(70, 70, 70)] * 8)
"""Dark theme of the pictures. All other colours come from the palette."""

SVG = """\
<svg class="rich-terminal" role="img" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <title>NAME</title>
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}

    .{unique_id}-title {{ font: bold 18px sans-serif; }}

    {styles}
    </style>

    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>

    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""
"""Rich's SVG template without web fonts, and with a title for screen readers."""


def style_of(run: Run) -> Style:
    """Return the Rich style of a run. Changes are underlined."""
    return Style(
        color=hex_of(run.colour) or None,
        bgcolor=hex_of(run.back) or None,
        bold=run.bold or None,
        dim=run.dim or None,
        reverse=run.reverse or None,
        underline=run.fresh or None,
    )


def text_of(line: Iterable[Run], style: str = "") -> Text:
    """Convert a line to Rich text. ``style`` applies to runs without a style. Control characters are removed."""
    text = Text(style=style)
    for run in line:
        text.append(one_line(run.text), style_of(run))
    return text


def svg_of(lines: Sequence[Line], columns: int, title: str) -> str:
    """Return an SVG picture of a page. The same page gives the same text."""
    console = Console(
        file=io.StringIO(),
        record=True,
        width=columns,
        color_system="truecolor",
        force_terminal=True,
        legacy_windows=False,
    )
    for line in lines:
        console.print(text_of(line), soft_wrap=True)
    name = escape(one_line(title)).replace("{", "{{").replace("}", "}}")
    form = SVG.replace("NAME", name)
    return console.export_svg(title=one_line(title), theme=THEME, code_format=form, unique_id="page")


# Shorter lists have a single column.
SHORT_LIST = 4
_SEAT = re.compile(r"\bP([1-9])\b")


def seat_style(seat: int) -> str:
    return f"bold {COLOURS[seat_colour(seat)]}"


def words(text: str, names: Sequence[str], style: str = "") -> Text:
    """Convert text of a ruleset to Rich text, with players by name and in the colour of their seats."""
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
    """Return the line above a turn."""
    text = Text(one_line(title), style="bold")
    if detail:
        text.append_text(Text(" · ", "not bold")).append_text(Text.assemble(detail, style="not bold"))
    return Rule(text, align="left", style="dim", characters="─")


# ---------------------------------------------------------------- option lists


def choices(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], width: int) -> RenderableType:
    """Lay out options with their keys: in columns, or in rows grouped by common beginnings if that is shorter."""
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
    """Lay out options in as many columns as fit, filled from top to bottom."""
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
    # Long entries wrap under their text and not under their key.
    if height == len(entries):
        grid = _bare_grid(2, 2)
        for key, label in zip(keys, labels, strict=True):
            grid.add_row(Text(f" {key:>{key_width}}", "bold"), *(() if label == key else (words(label, names),)))
        return grid
    grid = _bare_grid(-(-len(entries) // height), gap)
    for line in range(height):
        grid.add_row(*entries[line::height])
    return grid


def _wide(lengths: Sequence[int], height: int) -> int:
    """Return the total width of entries in columns of ``height`` entries."""
    return sum(max(lengths[top : top + height]) for top in range(0, len(lengths), height))


def _in_rows(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], tail: int) -> Table | None:
    """Lay out a row for each run of labels that differ only in their last ``tail`` words.

    Returns None if a label stands alone or ends with a number.
    """
    split = [label.split(" ") for label in labels]
    runs = [
        (head, list(run))
        for head, run in groupby(zip(keys, split, strict=True), key=lambda entry: " ".join(entry[1][:-tail]))
    ]
    if any(not head or len(run) < 2 for head, run in runs) or any(label[-1].isdecimal() for label in split):
        # A number at the end of a label would look like a key.
        return None
    grid = _bare_grid(1 + max(len(run) for _, run in runs), 3)
    for head, run in runs:
        ends = (Text.assemble((key, "bold"), " ", words(" ".join(label[-tail:]), names)) for key, label in run)
        grid.add_row(Text(" ").append_text(words(head, names)), *ends)
    return grid


def _in_runs(keys: Sequence[str], labels: Sequence[str], names: Sequence[str], width: int) -> list[Text] | None:
    """Lay out lines for runs of labels that start with at least two common words.

    Labels that stand alone get lines of their own. A run ends where the common beginning would become much shorter.
    Returns None if there is no room.
    """
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
    """Return the common prefix of two word lists."""
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))]


def _bare_grid(columns: int, gap: int) -> Table:
    grid = Table.grid(padding=(0, gap, 0, 0))
    for _ in range(columns):
        grid.add_column()
    return grid


def _width_of(grid: Table) -> int:
    return Console(width=10_000, markup=False, highlight=False, emoji=False).measure(grid).maximum


def bare_table() -> Table:
    """Return a table with a single line, below its headings."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True)


ORDER = ("table", "own", "players", "header")
"""Order of panels from top to bottom. The most important ones are nearest to the question."""
MARK = "✓"


def lines_of(lines: Iterable[Line]) -> RenderableType:
    """Return lines one below the other."""
    return Group(*map(text_of, lines))


def table(screen: Screen, width: int) -> RenderableType:
    """Render all panels, in the order of :data:`ORDER`."""
    parts: list[RenderableType] = []
    for panel in sorted(screen.panels, key=lambda panel: ORDER.index(panel.place)):
        if lines := drawn(panel, width - 1):
            parts += ["", Padding(lines_of(lines), (0, 0, 0, 1), expand=False)]
    return Group(*parts[1:])


def title(screen: Screen) -> Rule:
    """Return the line above a turn: the game and its phase."""
    return heading(screen.title, text_of(screen.phase))


# ---------------------------------------------------------------- the story


def story(deeds: Sequence[Deed], width: int, room: int | None = None, details: bool = False) -> RenderableType:
    """Render the last ``room`` lines of the story, with a note about omitted ones.

    ``details`` lists every effect on a line of its own. Otherwise a deed shows the effects that fit on its line.
    """
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


# ---------------------------------------------------------------- the question


def entries(choosing: Choosing, width: int) -> RenderableType:
    """Render the entries of a choice with their keys."""
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
    """Return a line about further input: picking, confirming and going back.

    Returns None if there is nothing to say.
    """
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
    """Render the result: hidden information, the winners, and the final table."""
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


def _places(end: Ending, screen: Screen, columns: Sequence[ResultColumn]) -> Table:
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
