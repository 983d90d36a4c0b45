"""Tables about numbers of the rules: what each value does to each figure, and which come nearest to the goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..study.figures import Figure
from ..study.tuning import Point, Told, Tuning, ranked

SHOWN = 10
"""So many of the points nearest to the goals."""


def tuning(work: Tuning, name: str, kinds: Sequence[str]) -> list[RenderableType]:
    """All that was played, as a person reads it."""
    parts: list[RenderableType] = [
        Text(one_line(f"{name}: {len(work.points)} of {work.size} points, {work.games:,} games each"), style="bold"),
        Text(one_line(f"seed {work.seed}; {', '.join(kinds)}"), style="dim"),
    ]
    if work.base is None:
        return [*parts, Text("Nothing was played.")]
    if work.is_grid:
        for at, figure in enumerate(work.figures):
            parts += ["", _effects(work, at, figure)]
    if work.goals:
        parts += ["", *_goals(work)]
    for point in work.points:
        if point.problem:
            parts.append(Text(printable(f"{_named(work, point)}: {point.problem}"), style="yellow"))
    return parts


def _effects(work: Tuning, at: int, figure: Figure) -> Table:
    """What a figure comes to for each value, and how far that is from the rules as they are."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, title=one_line(figure.words), title_justify="left")
    for axis in work.axes:
        grid.add_column(Text(_heading(work, axis.name)), justify="right")
    for title in ("Found", "95 %", "Change, 95 %"):
        grid.add_column(title, justify="right")
    grid.add_column("")
    for point in work.points:
        told = point.figures[at] if point.figures else None
        words = [Text(one_line(str(value))) for value in point.values]
        if told is None:
            grid.add_row(*words, "?", "", "", "")
            continue
        is_now = work.base is not None and point.values == work.base.values
        change = "" if is_now else _range(figure, told.change_low, told.change_high, "+")
        grid.add_row(
            *words, _number(figure, told.value), _range(figure, told.low, told.high), change, _mark(told, is_now)
        )
    return grid


def _mark(told: Told, is_now: bool) -> Text:
    if is_now:
        return Text("as it is", style="bold")
    return Text("moved", style="bold red") if told.moved else Text("")


def _goals(work: Tuning) -> Iterator[RenderableType]:
    """The points that come nearest, with the figures that are wanted."""
    wanted = [(goal, work.figures.index(goal.figure)) for goal in work.goals]
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, title="nearest to the goals", title_justify="left")
    for axis in work.axes:
        grid.add_column(Text(_heading(work, axis.name)), justify="right")
    for goal, _ in wanted:
        grid.add_column(Text(one_line(goal.written)), justify="right")
    grid.add_column("Off", justify="right")
    for point in list(ranked(work.points))[:SHOWN]:
        words = [Text(one_line(str(value))) for value in point.values]
        grid.add_row(*words, *(_told(point, goal.figure, at) for goal, at in wanted), f"{point.distance:.3f}")
    yield grid
    if work.best is not None and work.checked is not None:
        told = ", ".join(f"{goal.figure.words} {_told(work.checked, goal.figure, at)}" for goal, at in wanted)
        yield ""
        yield Text(printable(f"Nearest: {_named(work, work.best)}. In games from other seeds: {told}."))


def _told(point: Point, figure: Figure, at: int) -> str:
    told = point.figures[at]
    return "?" if told is None else f"{_number(figure, told.value)} ({_range(figure, told.low, told.high)})"


def _named(work: Tuning, point: Point) -> str:
    return ", ".join(f"{axis.name}={value}" for axis, value in zip(work.axes, point.values, strict=True))


def _heading(work: Tuning, name: str) -> str:
    """The last key of a name, where that says which it is."""
    last = name.rpartition(".")[2]
    return one_line(name if sum(axis.name.rpartition(".")[2] == last for axis in work.axes) > 1 else last)


def _range(figure: Figure, low: float, high: float, sign: str = "") -> str:
    if figure.is_share:
        return f"{100 * low:{sign}.1f} to {100 * high:{sign}.1f} %"
    return f"{low:{sign}.2f} to {high:{sign}.2f}"


def _number(figure: Figure, value: float) -> str:
    return f"{100 * value:.1f} %" if figure.is_share else f"{value:.2f}"
