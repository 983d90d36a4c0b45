"""Render tables of the differences between two simulations, and of figures checked against thresholds."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.source.source import make_one_line, make_printable

from ...stats.balance import BROKEN, KEPT, UNCLEAR, Comparison, FigureChange, ThresholdCheck, Thresholds

_STYLES = {KEPT: "dim", UNCLEAR: "yellow", BROKEN: "bold red"}


_VERDICTS = {
    KEPT: "All thresholds are kept.",
    UNCLEAR: "No threshold is broken; whether all are kept takes more games to know.",
    BROKEN: "A threshold is broken.",
}


def compared(comparison: Comparison) -> list[RenderableType]:
    """Render the differences from an earlier simulation."""
    grid = _grid("Compared", "Before", "Now", "Change, 95 %")
    for change in comparison.changes:
        grid.add_row(
            change.what,
            _figure(change, change.before),
            _figure(change, change.after),
            f"{_figure(change, change.low, '+')} to {_figure(change, change.high, '+')}",
            Text("moved", style="bold red") if change.moved else Text("as before", style="dim"),
        )
    verdict = "The balance has moved." if comparison.moved else "Nothing has moved beyond chance."
    if comparison.paired is not None:
        how = f"{comparison.paired:,} pairs of games from the same seeds."
    else:
        how = "Not paired: of one side single games are not known, so that intervals are wider."
    remarks = [Text(make_printable(r), style="dim") for r in (how, *comparison.remarks)]
    return ["", grid, "", *remarks, Text(verdict, style="bold")]


def held(thresholds: Thresholds) -> list[RenderableType]:
    """Render the results of a check against thresholds."""
    if not thresholds.held:
        return ["", *(Text(make_printable(r), style="dim") for r in thresholds.remarks)]
    grid = _grid("Balance", "Found", "95 %", "Should be")
    for one in thresholds.held:
        sign = "+" if one.change else ""
        grid.add_row(
            Text(make_one_line(f"change of {one.figure.words}" if one.change else one.figure.words)),
            _weight_number(one, one.value, sign),
            f"{_weight_number(one, one.low, sign)} to {_weight_number(one, one.high, sign)}",
            f"{_whole(one, one.least, sign)} to {_whole(one, one.most, sign)}",
            Text(one.verdict, style=_STYLES[one.verdict]),
        )
    remarks = [Text(make_printable(r), style="dim") for r in thresholds.remarks]
    return ["", grid, "", *remarks, Text(_VERDICTS[thresholds.verdict], style="bold")]


def _grid(first: str, *numbers: str) -> Table:
    """Return an empty table: a title, columns of numbers and a verdict."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    grid.add_column(first)
    for title in numbers:
        grid.add_column(title, justify="right")
    grid.add_column("")
    return grid


def _weight_number(one: ThresholdCheck, value: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f} %" if one.figure.is_share else f"{value:{sign}.2f}"


def _whole(one: ThresholdCheck, value: float, sign: str) -> str:
    return f"{100 * value:{sign}.0f} %" if one.figure.is_share else f"{value:{sign}.0f}"


def _figure(change: FigureChange, value: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f} %" if change.rate else f"{value:{sign}.2f}"
