"""What lusory finds on a machine, shown; and what its terminal can do. For ``lusory doctor``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..findings.machine import FINE, WITHOUT, WRONG, Found
from . import streams
from .terminal import Terminal

SIGNS = {FINE: ("ok", "green"), WITHOUT: ("–", "dim"), WRONG: ("wrong", "bold red")}


def health(found: Sequence[Found]) -> Table:
    """What was found, with what helps where something is missing."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for one in found:
        words, style = SIGNS[one.state]
        lines = [one.words] if one.state == FINE or not one.hint else [one.words, one.hint]
        told = "\n".join(map(one_line, lines))
        table.add_row(Text(words, style=style), one_line(one.name), Text(printable(told), overflow="fold"))
    return table


def abilities(terminal: Terminal) -> Iterator[Found]:
    """What a terminal can do."""
    console = terminal.console
    if console.is_terminal:
        colours = console.color_system or "no colours"
        yield Found("terminal", FINE, f"{console.width}×{console.height}, {colours}, {console.encoding}")
    else:
        yield Found("terminal", WITHOUT, f"this is none ({console.encoding}): shown line by line, without colours")
    why = streams.why_no_full_screen()
    yield Found("full screen", WITHOUT if why else FINE, why or "yes")
