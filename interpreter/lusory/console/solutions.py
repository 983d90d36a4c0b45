"""What best play comes to: used by the solve command."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..solve.solution import METHODS, Solving

MOST = 40  # rows of a table
SELDOM = 0.001  # how likely a seat must come to where it decides, for that to be shown


def solution(work: Solving) -> list[RenderableType]:
    """All of it, as a person reads it."""
    parts: list[RenderableType] = [
        Text(work.game.program.name, style="bold"),
        Text(METHODS[work.method] if work.method else "nothing yet", style="dim"),
    ]
    value = work.value()
    if value is None:
        return parts
    parts.append(Text("value: " + ", ".join(f"P{seat + 1} {one:+.4f}" for seat, one in enumerate(value))))
    if work.first:
        return [*parts, Text(f"{work.positions:,} positions"), "", _first(work)]
    gap = work.exploitability
    near = f"not known ({work.unknown})" if gap is None else f"{gap:.5f}"
    parts.append(Text(f"exploitability: {near}, after {work.made:,} passes"))
    sets = f"{len(work.sets):,} information sets"
    parts.append(Text(sets if work.whole is None else f"{work.whole.tree.positions:,} positions, {sets}"))
    rows = [row for row in work.rows() if row[0] >= SELDOM]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Who", "was told", "does"):
        table.add_column(title)
    for _, seat, words, options in rows[:MOST]:
        done = ", ".join(f"{one_line(option)} {share:.1%}" for option, share in options.items() if share >= SELDOM)
        table.add_row(f"P{seat + 1}", one_line(words), done)
    parts += ["", table]
    more = len(rows) - MOST
    return [*parts, Text(f"and {more:,} more: --format json lists them")] if more > 0 else parts


def _first(work: Solving) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column(f"P{(work.seat or 0) + 1} begins with")
    for seat in range(work.game.players):
        table.add_column(f"P{seat + 1} gets", justify="right")
    ranked = sorted(work.first, key=lambda one: -one.values[work.seat or 0])
    for best in ranked[:MOST]:
        table.add_row(one_line(best.option), *(f"{value:+.3f}" for value in best.values))
    return table
