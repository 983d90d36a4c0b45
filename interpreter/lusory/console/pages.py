"""Lines of runs as rich draws them, and a page of them as a picture."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from html import escape

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..screen.palette import hex_of
from ..screen.text import Line, Run

THEME = TerminalTheme((22, 22, 26), (224, 224, 224), [(70, 70, 70)] * 8)
"""Light letters on a dark ground; every other colour is of the palette."""

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
"""Rich's picture of a terminal without the fonts that it loads from the web, and with a NAME for screen readers."""


def style_of(run: Run) -> Style:
    """How a run is drawn; what has changed is underlined."""
    return Style(
        color=hex_of(run.colour) or None,
        bgcolor=hex_of(run.back) or None,
        bold=run.bold or None,
        dim=run.dim or None,
        reverse=run.reverse or None,
        underline=run.fresh or None,
    )


def text_of(line: Iterable[Run], style: str = "") -> Text:
    """A line for rich, in a style where its runs have none: no markup, and nothing that steers a terminal."""
    text = Text(style=style)
    for run in line:
        text.append(one_line(run.text), style_of(run))
    return text


def svg_of(lines: Sequence[Line], columns: int, title: str) -> str:
    """A picture of a page, in Scalable Vector Graphics. The same page gives the same text."""
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
