"""Render the results of studies: analysis, fuzzing, solving, tuning, comparisons and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.source.source import make_one_line, make_printable

from ...fuzz.campaign import Campaign
from ...fuzz.checks import GOALS, PROBLEM_KINDS
from ...fuzz.reproduce import Finding
from ...solve.solver import METHODS, Solver
from ...stats.estimates import Figure
from ...stats.game_review import GameReview, MoveReview, round_percentage
from ...stats.tuning import FigureResult, Point, Tuning, rank_points
from ..model.styled_text import plain, said

SHOWN = 10


def analysis(found: GameReview, title: str, names: Sequence[str]) -> list[RenderableType]:
    """Render the analysis of a game: changes of the lead and the costliest moves."""
    left = f"; of {found.left_out} more nothing can be said" if found.left_out else ""
    parts: list[RenderableType] = [
        Text(make_one_line(f"{title}: {len(found.moves)} decisions looked at by {found.kind}{left}"), style="bold")
    ]
    if len(found.seats) > 1:
        parts.append(Text(make_one_line(_leads(found, names))))
    worst = found.costliest(SHOWN)
    if not worst:
        return [*parts, Text("No move was surely worse than what the bot would have taken.")]
    return [*parts, "", _moves(worst, names)]


def _leads(found: GameReview, names: Sequence[str]) -> str:
    """Return a sentence about who led, and from which decision on."""
    if not found.leaders:
        return "Nobody ever led."
    led = [f"{names[seat]} from decision {move.number}" for move, seat in found.leaders]
    return f"The lead changed: {', '.join(led[1:])}" if found.leads else f"The lead never changed: {led[0]}"


def _moves(moves: Sequence[MoveReview], names: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, title_justify="left")
    table.title = "The costliest moves"
    for heading in ("Decision", "by", "taken", "better", "cost"):
        table.add_column(heading, justify="right" if heading in ("Decision", "cost") else "left")
    for move in moves:
        words = [make_one_line(plain(said(label, names))) for label in (move.taken, move.best)]
        table.add_row(
            str(move.number),
            names[move.seat],
            *map(Text, words),
            f"{round_percentage(move.cost)} % ± {round_percentage(move.doubt)} %",
        )
    return table


# Maximum number of listed goals that no game reached.
MOST_UNREACHED = 30
MOST_ENDS = 10


def report(campaign: Campaign, folder: Path) -> list[RenderableType]:
    """Render the results of a fuzz campaign. ``folder`` is where the findings are written."""
    program = campaign.program
    parts: list[RenderableType] = [
        Text(f"{program.name}: {_count(campaign.played, 'game')}, {_count(campaign.decisions, 'decision')}", "bold"),
        Text(f"seed {campaign.seed}", style="dim"),
        "",
        _goal_table(campaign),
    ]
    unreached = campaign.unreached()
    if unreached:
        parts.append(Text("No game reached:"))
        parts += [
            Text(f"  {make_one_line(item.words)}  {make_printable(str(item.span))}")
            for item in unreached[:MOST_UNREACHED]
        ]
        more = len(unreached) - MOST_UNREACHED
        parts += [Text(f"  and {more:,} more: --format json lists them all")] if more > 0 else []
        parts.append("")
    counts = campaign.end_counts.most_common(MOST_ENDS)
    ends = ", ".join(f"{make_one_line(reason) or 'all phases over'} {count:,}" for reason, count in counts)
    parts.append(Text(f"How games ended: {ends or 'none ended'}; stopped before the end {campaign.unfinished:,}"))
    parts.append(Text(f"Most work in one game: {campaign.most_work:,} of {campaign.limits.game:,}"))
    if not campaign.findings:
        return [*parts, Text("Nothing wrong was found.")]
    for finding in campaign.findings:
        parts += ["", *_finding(finding, folder)]
    return parts


def _goal_table(campaign: Campaign) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title, justify in (("Goals", "left"), ("reached", "right"), ("of", "right"), ("", "left")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for kind, (reached, total) in campaign.reached().items():
        table.add_row(kind, f"{reached:,}", f"{total:,}", GOALS[kind])
    return table


def _finding(finding: Finding, folder: Path) -> list[RenderableType]:
    problem, script = finding.problem, finding.script
    where = f" in {make_one_line(problem.where)}" if problem.where not in ("", str(problem.span)) else ""
    length = f"{_count(finding.original_length, 'decision')}, shrunk to {len(script.answers):,}"
    lines: list[RenderableType] = [
        Text(f"{problem.kind}: {PROBLEM_KINDS[problem.kind]}{where}", style="bold red"),
        Text(f"  {make_one_line(problem.message)}"),
    ]
    if problem.span is not None:
        lines.append(Text(f"  {make_printable(str(problem.span))}"))
    lines.append(Text(f"  game {finding.game_number}, {length}; {make_one_line(str(script.variant))}", style="dim"))
    if finding.file is not None:
        lines.append(Text(f"  {make_printable(str(folder / finding.file.name))}"))
    return lines


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


# Maximum rows of a table.
MOST = 40
# Minimum reach probability of an information set that is shown.
SELDOM = 0.001


def solution(work: Solver) -> list[RenderableType]:
    """Render a solution: value, exploitability and strategy, or the value of each first move."""
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
    parts.append(Text(f"exploitability: {near}, after {work.iterations:,} passes"))
    sets = f"{len(work.sets):,} information sets"
    parts.append(Text(sets if work.whole is None else f"{work.whole.tree.positions:,} positions, {sets}"))
    rows = [row for row in work.rows() if row[0] >= SELDOM]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Who", "was told", "does"):
        table.add_column(title)
    for _, seat, words, options in rows[:MOST]:
        done = ", ".join(f"{make_one_line(option)} {share:.1%}" for option, share in options.items() if share >= SELDOM)
        table.add_row(f"P{seat + 1}", make_one_line(words), done)
    parts += ["", table]
    more = len(rows) - MOST
    return [*parts, Text(f"and {more:,} more: --format json lists them")] if more > 0 else parts


def _first(work: Solver) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column(f"P{(work.seat or 0) + 1} begins with")
    for seat in range(work.game.players):
        table.add_column(f"P{seat + 1} gets", justify="right")
    ranked = sorted(work.first, key=lambda one: -one.values[work.seat or 0])
    for best in ranked[:MOST]:
        table.add_row(make_one_line(best.option), *(f"{value:+.3f}" for value in best.values))
    return table


def tuning(work: Tuning, name: str, kinds: Sequence[str]) -> list[RenderableType]:
    """Render the results of a parameter study."""
    parts: list[RenderableType] = [
        Text(
            make_one_line(f"{name}: {len(work.points)} of {work.size} points, {work.games:,} games each"), style="bold"
        ),
        Text(make_one_line(f"seed {work.seed}; {', '.join(kinds)}"), style="dim"),
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
            parts.append(Text(make_printable(f"{_named(work, point)}: {point.problem}"), style="yellow"))
    return parts


def _effects(work: Tuning, at: int, figure: Figure) -> Table:
    """Render a metric for each value, and its difference from the current rules."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, title=make_one_line(figure.words), title_justify="left")
    for axis in work.axes:
        grid.add_column(Text(_heading(work, axis.name)), justify="right")
    for title in ("Found", "95 %", "Change, 95 %"):
        grid.add_column(title, justify="right")
    grid.add_column("")
    for point in work.points:
        told = point.figures[at] if point.figures else None
        words = [Text(make_one_line(str(value))) for value in point.values]
        if told is None:
            grid.add_row(*words, "?", "", "", "")
            continue
        is_now = work.base is not None and point.values == work.base.values
        change = "" if is_now else _range(figure, told.change_low, told.change_high, "+")
        grid.add_row(
            *words, _number(figure, told.value), _range(figure, told.low, told.high), change, _mark(told, is_now)
        )
    return grid


def _mark(told: FigureResult, is_now: bool) -> Text:
    if is_now:
        return Text("as it is", style="bold")
    return Text("moved", style="bold red") if told.moved else Text("")


def _goals(work: Tuning) -> Iterator[RenderableType]:
    """Render the points that are nearest to the goals."""
    wanted = [(goal, work.figures.index(goal.figure)) for goal in work.goals]
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, title="nearest to the goals", title_justify="left")
    for axis in work.axes:
        grid.add_column(Text(_heading(work, axis.name)), justify="right")
    for goal, _ in wanted:
        grid.add_column(Text(make_one_line(goal.written)), justify="right")
    grid.add_column("Off", justify="right")
    for point in list(rank_points(work.points))[:SHOWN]:
        words = [Text(make_one_line(str(value))) for value in point.values]
        grid.add_row(*words, *(_told(point, goal.figure, at) for goal, at in wanted), f"{point.distance:.3f}")
    yield grid
    if work.best is not None and work.checked is not None:
        told = ", ".join(f"{goal.figure.words} {_told(work.checked, goal.figure, at)}" for goal, at in wanted)
        yield ""
        yield Text(make_printable(f"Nearest: {_named(work, work.best)}. In games from other seeds: {told}."))


def _told(point: Point, figure: Figure, at: int) -> str:
    told = point.figures[at]
    return "?" if told is None else f"{_number(figure, told.value)} ({_range(figure, told.low, told.high)})"


def _named(work: Tuning, point: Point) -> str:
    return ", ".join(f"{axis.name}={value}" for axis, value in zip(work.axes, point.values, strict=True))


def _heading(work: Tuning, name: str) -> str:
    """Return the last key of a parameter name if that is unambiguous, or else the whole name."""
    last = name.rpartition(".")[2]
    return make_one_line(name if sum(axis.name.rpartition(".")[2] == last for axis in work.axes) > 1 else last)


def _range(figure: Figure, low: float, high: float, sign: str = "") -> str:
    if figure.is_share:
        return f"{100 * low:{sign}.1f} to {100 * high:{sign}.1f} %"
    return f"{low:{sign}.2f} to {high:{sign}.2f}"


def _number(figure: Figure, value: float) -> str:
    return f"{100 * value:.1f} %" if figure.is_share else f"{value:.2f}"
