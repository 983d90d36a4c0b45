"""Render screens for line mode with Rich, and as SVG pictures.

The lines of panels and options come from :mod:`lusory.ui.model`; this module converts them and orders them on the page.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from lusory_dsl.source.source import make_one_line

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import (
    COLOURS,
    Line,
    Run,
    get_hex,
    get_seat_colour,
    make_line,
    measure,
    wrap_lines,
)
from ..model.game_result_and_score_history import lay_out_ending, list_hidden_information
from ..model.option_rows import list_entries
from ..model.option_tree_and_choice_in_progress import Choosing
from ..model.panel_lines import lay_out_panel, select_panels
from ..model.screen import Ending, Screen

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


def _convert_style(run: Run) -> Style:
    """Return the Rich style of a run. Fresh text is underlined."""
    return Style(
        color=get_hex(run.colour) or None,
        bgcolor=get_hex(run.back) or None,
        bold=run.bold or None,
        dim=run.dim or None,
        reverse=run.reverse or None,
        underline=run.fresh or None,
    )


def convert_line(line: Iterable[Run], style: str = "") -> Text:
    """Convert a line to Rich text, with ``style`` as its base style and a span for each run that has a style.

    ``style`` applies to the attributes that a run leaves open. A tab becomes four blanks. Each other control or
    invisible character becomes U+FFFD, also in a line break: ``\\r\\n`` becomes two.
    ``(Run("a", bold=True), Run("b"))`` gives the text ``ab`` with the one span ``Span(0, 1, Style(bold=True))``.
    """
    text = Text(style=style)
    for run in line:
        text.append(make_one_line(run.text), _convert_style(run))
    return text


def render_svg(lines: Sequence[Line], columns: int, title: str) -> str:
    """Return lines of a page as the text of an SVG picture in the dark :data:`THEME`. Equal arguments give equal texts.

    Each line is one row of the picture. It does not wrap: characters beyond ``columns`` are cut off. Without lines the
    picture has one empty row. ``title`` stands above the page, and is the ``<title>`` for screen readers. Line breaks
    in it become U+FFFD.

    Example: ``render_svg([(Run("Coins: 3"),)], 40, "Market & Co")`` begins with
    ``<svg class="rich-terminal" role="img"``. It contains ``<title>Market &amp; Co</title>`` and ``Coins:&#160;3``.
    """
    console = Console(
        file=io.StringIO(),
        record=True,
        width=columns,
        color_system="truecolor",
        force_terminal=True,
        legacy_windows=False,
    )
    for line in lines:
        console.print(convert_line(line), soft_wrap=True)
    name = escape(make_one_line(title)).replace("{", "{{").replace("}", "}}")
    form = SVG.replace("NAME", name)
    return console.export_svg(title=make_one_line(title), theme=THEME, code_format=form, unique_id="page")


def make_table(*titles: str, **form: Any) -> Table:
    """Return an empty table with a line below its titles. ``form`` holds further arguments of Rich's table.

    A title that begins with ``>`` is that of a column of numbers, which stand at the right. The sign is not shown. The
    header of a column is a ``Text``, so that a title contains no markup.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, title_justify="left", **form)
    for title in titles:
        table.add_column(Text(title.removeprefix(">")), justify="right" if title.startswith(">") else "left")
    return table


def get_seat_style(seat: int) -> str:
    """Return the Rich style of a seat, from 0: ``bold #rrggbb`` with its colour."""
    return f"bold {COLOURS[get_seat_colour(seat)]}"


def render_text(text: str, names: Sequence[str]) -> Text:
    """Convert text of a ruleset to Rich text, with line breaks, and with players by name in the colour of their seats.

    Only the words P1, P2 and so on are replaced, if ``names`` has an entry for that seat, even an empty one. Example:
    ``P2 wins`` becomes ``Bo wins``.
    """
    return Text("\n").join(convert_line(make_line(line, names)) for line in text.split("\n"))


def render_heading(title: str, detail: Text | None = None) -> Rule:
    """Return the line above a turn: ``Title · detail ─────``. The title is bold, and ``─────`` is dim.

    The detail is not bold, except where its own style is. Without a detail, or with an empty one, the line is
    ``Title ─────``.
    """
    text = Text(make_one_line(title), style="bold")
    if detail:
        text.append_text(Text(" · ", "not bold")).append_text(Text.assemble(detail, style="not bold"))
    return Rule(text, align="left", style="dim", characters="─")


ORDER = ("table", "own", "players", "header")
"""Order of panels from top to bottom. The most important ones are nearest to the question."""


def render_lines(lines: Iterable[Line]) -> RenderableType:
    """Return lines one below the other."""
    return Group(*map(convert_line, lines))


def render_table(screen: Screen, width: int) -> RenderableType:
    """Return a Rich group of all panels, one below the other, with an empty line between two of them.

    They are sorted by place, ``table``, ``own``, ``players`` and ``header``, and otherwise keep their order. Each line
    of a panel begins with a blank. :func:`select_panels` leaves out panels and values that need a wider terminal than
    ``width``. Panels with nothing, or nothing but a title, are left out, too. If no panel remains, the group is empty
    and prints nothing.
    """
    parts: list[RenderableType] = []
    for panel in sorted(select_panels(screen.panels, width), key=lambda panel: ORDER.index(panel.place)):
        if lines := lay_out_panel(panel, width - 1):
            parts += ["", Padding(render_lines(lines), (0, 0, 0, 1), expand=False)]
    return Group(*parts[1:])


def render_title(screen: Screen) -> Rule:
    """Return the line above a turn: the title of the game in bold and, if there is one, its phase behind `` · ``."""
    return render_heading(screen.title, convert_line(screen.phase))


# ---------------------------------------------------------------- the story


def render_story(deeds: Sequence[Deed], width: int, is_long: bool = False) -> RenderableType:
    """Render the story, one line for each deed.

    ``is_long`` lists every effect on a line of its own. Otherwise a deed shows on its line the effects that fit into
    ``width``: ``Ann builds Mill – +1 gold; +2 wood … 3 more``. If none fits, `` …`` stands for them, unless it
    doesn't fit either. A longer line wraps when printed. Headings read ``— Round 1 —``. The result is always a Padding,
    which puts a blank before each line.
    """
    lines = [line for deed in deeds for line in _render_deed(deed, width - 1, is_long)]
    return Padding(Group(*lines), (0, 0, 0, 1), expand=False)


def _render_deed(deed: Deed, width: int, is_long: bool) -> list[Text]:
    if deed.heading:
        return [convert_line(deed.line, "dim").join([Text("— ", "dim"), Text(" —", "dim")])]
    line = convert_line(deed.line)
    if is_long:
        return [line, *(Text.assemble("    ", convert_line(detail, "dim")) for detail in deed.details)]
    for index, detail in enumerate(deed.details):
        omitted_count = len(deed.details) - index
        separator, rest = "; " if index else " – ", f" … {omitted_count - 1} more" if omitted_count > 1 else ""
        if line.cell_len + measure(detail) + len(separator + rest) > width:
            note = f" … {omitted_count} more" if index else " …"
            return [line.append(note, "dim") if line.cell_len + len(note) <= width else line]
        line.append(separator, "dim").append_text(convert_line(detail, "dim"))
    return [line]


# ---------------------------------------------------------------- the question


def render_entries(choosing: Choosing, width: int) -> RenderableType:
    """Render the entries of a choice with their keys, in as few lines as possible. Each begins with a blank."""
    return render_lines((Run(" "), *line) for line in list_entries(choosing, None, width - 1, 1))


def render_hints(choosing: Choosing) -> Text | None:
    """Return a dim italic line about further input, or None if there is nothing to say.

    With ``is_picking``, it is `` Pick 1 to 3, several at once: 1 2``, and for exactly two picks `` Pick 2, several …``.
    If their order counts, it is `` Pick 2 in their order, several …``. After a pick, ``; a number again puts it back``
    follows, and with ``can_end`` ``; done confirms``. Otherwise, with ``typed_words``, it is
    `` 4 options have these words: type a number, or more words``, for four ``entries``. Without them, it is
    `` 1? says what 1 would do`` if any of ``useful_options`` has a preview. With ``typed_words`` or ``open_groups``,
    ``; b goes back`` comes last, or `` b goes back`` alone.
    """
    parts: list[str] = []
    question = choosing.question
    if choosing.is_picking:
        min_picks, max_picks = question.least, question.most
        range_text = f"{min_picks}" if min_picks == max_picks else f"{min_picks} to {max_picks}"
        parts.append(f"Pick {range_text}{' in their order' if question.is_ordered else ''}, several at once: 1 2")
        if choosing.picks:
            parts.append("a number again puts it back")
        if choosing.can_end:
            parts.append("done confirms")
    elif choosing.typed_words:
        parts.append(f"{len(choosing.entries)} options have these words: type a number, or more words")
    elif any(question.options[number].preview for number in choosing.useful_options):
        parts.append("1? says what 1 would do")
    if choosing.typed_words or choosing.open_groups:
        parts.append("b goes back")
    return Text(f" {'; '.join(parts)}", style="dim italic") if parts else None


# ---------------------------------------------------------------- the end


def render_ending(end: Ending, screen: Screen, width: int) -> RenderableType:
    """Render the result as :func:`lay_out_ending` gives it, for a terminal of ``width``.

    If anything was hidden, it stands above the result, with an empty line between them.
    """
    hidden_lines = wrap_lines(list_hidden_information(end), width, 1)
    return render_lines([*hidden_lines, *([()] if hidden_lines else []), *lay_out_ending(end, screen.names, width)])
