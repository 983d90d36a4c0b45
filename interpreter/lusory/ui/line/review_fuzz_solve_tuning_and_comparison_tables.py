"""Render the results of studies: game reviews, fuzzing, solving, tuning, comparisons and thresholds.

Simulations and tournaments are in :mod:`lusory.ui.line.statistics_tables_and_game_lists`, tests in
:mod:`lusory.ui.line.test_trace_and_installation_tables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.source.source import count_noun, make_one_line, make_printable

from ...explain.styled_text_wrapping_and_values import make_line, to_text
from ...fuzz.campaign_and_finding_file_contents import Campaign, Finding
from ...fuzz.checks_and_goals import GOALS, PROBLEM_KINDS
from ...solve.exact_values_and_equilibria import METHODS, Solver
from ...stats.comparisons_and_thresholds import BROKEN, KEPT, UNCLEAR, Comparison, ThresholdCheck, ThresholdResults
from ...stats.figures_estimates_and_significance_tests import Figure
from ...stats.game_review import GameReview, MoveReview, round_percentage
from ...stats.ruleset_tuning import FigureResult, Point, Tuning, rank_points
from .screen_rendering import make_table

MAX_ROWS_SHOWN = 10


def render_review(review: GameReview, title: str, names: Sequence[str]) -> list[RenderableType]:
    """Return ``[title, sentence, "", table]`` about a game: who led, and its costliest moves.

    Title and sentence are of the class Text. The title is ``nim: 12 decisions looked at by bot``, with ``title``, the
    number of ``review.moves`` and ``review.kind``. If ``review.left_out`` is 2, ``; of 2 more nothing can be said``
    follows. The sentence is ``The lead changed: Bo from decision 7, Ann from decision 9``, which leaves out the first
    leader. It can also be ``The lead never changed: Ann from decision 2``, or ``Nobody ever led.``, the only one of the
    three with a full stop. It is missing if fewer than two seats have reviewed moves. The table has the moves of
    :meth:`GameReview.list_costliest_moves`, at most ``MAX_ROWS_SHOWN``. Its columns are Decision, by, taken, better and
    cost, which is like ``30 % ± 5 %``. Without such moves, the Text ``No move was surely worse than what the bot would
    have taken.`` replaces the table and the empty line.
    """
    remark = f"; of {review.left_out} more nothing can be said" if review.left_out else ""
    heading = f"{title}: {count_noun(len(review.moves), 'decision')} looked at by {review.kind}{remark}"
    parts: list[RenderableType] = [Text(make_one_line(heading), style="bold")]
    if len(review.seats) > 1:
        parts.append(Text(make_one_line(_describe_leads(review, names))))
    costliest_moves = review.list_costliest_moves(MAX_ROWS_SHOWN)
    if not costliest_moves:
        return [*parts, Text("No move was surely worse than what the bot would have taken.")]
    return [*parts, "", _render_moves(costliest_moves, names)]


def _describe_leads(review: GameReview, names: Sequence[str]) -> str:
    """Return a sentence about who led, and from which decision on."""
    if not review.leaders:
        return "Nobody ever led."
    leads = [f"{names[seat]} from decision {move.number}" for move, seat in review.leaders]
    return f"The lead changed: {', '.join(leads[1:])}" if review.lead_changes else f"The lead never changed: {leads[0]}"


def _render_moves(moves: Sequence[MoveReview], names: Sequence[str]) -> Table:
    table = make_table(">Decision", "by", "taken", "better", ">cost", title="The costliest moves")
    for move in moves:
        words = [make_one_line(to_text(make_line(label, names))) for label in (move.taken_option, move.best_option)]
        table.add_row(
            str(move.number),
            names[move.seat],
            *map(Text, words),
            f"{round_percentage(move.cost)} % ± {round_percentage(move.cost_error)} %",
        )
    return table


# Maximum number of listed goals that no game reached.
MAX_UNREACHED = 30
MAX_ENDINGS = 10


def render_campaign(campaign: Campaign, folder: Path) -> list[RenderableType]:
    """Render the results of a fuzz campaign: games, goals, unreached goals, ends, work, and findings.

    The first lines are ``NAME: 3 games, 40 decisions`` and ``seed 7``. A table of the kinds of goals stands between
    empty lines. Only if goals were not reached, ``No game reached:`` follows with at most ``MAX_UNREACHED`` of them and
    their places, ``  and 2 more: --format json lists them all``, and an empty line. Then come ``How games ended: Time
    is up 2, all phases over 1; stopped before the end 1``, with the ``MAX_ENDINGS`` most common ends or ``none
    ended``, and ``Most work in one game: 1,200 of 100,000``. An empty line precedes each finding. Its first line is
    ``fault: the rules raise a fault in play``, from ``PROBLEM_KINDS`` and its ``place``. Indented by two blanks follow
    the message, the ``span``, ``game 3, 40 decisions, shrunk to 5; 2 players`` and the file in ``folder``. A missing
    span or file has no line, and a place that is "" or the span isn't named. Without findings, the last line is
    ``Nothing wrong was found.``
    """
    counts_text = f"{count_noun(campaign.game_count, 'game')}, {count_noun(campaign.decisions, 'decision')}"
    table = make_table("Goals", ">reached", ">of", "")
    for kind, (reached_count, goal_count) in campaign.count_reached_goals().items():
        table.add_row(kind, f"{reached_count:,}", f"{goal_count:,}", GOALS[kind])
    parts: list[RenderableType] = [Text(f"{campaign.program.name}: {counts_text}", "bold")]
    parts += [Text(f"seed {campaign.seed}", style="dim"), "", table, ""]
    goals = campaign.list_unreached_goals()
    if goals:
        parts.append(Text("No game reached:"))
        parts += [
            Text(f"  {make_one_line(goal.description)}  {make_printable(str(goal.span))}")
            for goal in goals[:MAX_UNREACHED]
        ]
        omitted_count = len(goals) - MAX_UNREACHED
        parts += [Text(f"  and {omitted_count:,} more: --format json lists them all")] if omitted_count > 0 else []
        parts.append("")
    counts = campaign.end_counts.most_common(MAX_ENDINGS)
    ends = ", ".join(f"{make_one_line(reason) or 'all phases over'} {count:,}" for reason, count in counts)
    parts.append(Text(f"How games ended: {ends or 'none ended'}; stopped before the end {campaign.unfinished_count:,}"))
    parts.append(Text(f"Most work in one game: {campaign.most_work:,} of {campaign.limits.game:,}"))
    if not campaign.findings:
        return [*parts, Text("Nothing wrong was found.")]
    for finding in campaign.findings:
        parts += ["", *_render_finding(finding, folder)]
    return parts


def _render_finding(finding: Finding, folder: Path) -> list[RenderableType]:
    problem, script = finding.problem, finding.script
    place = f" in {make_one_line(problem.place)}" if problem.place not in ("", str(problem.span)) else ""
    length = f"{count_noun(finding.original_length, 'decision')}, shrunk to {len(script.answers):,}"
    lines: list[RenderableType] = [
        Text(f"{problem.kind}: {PROBLEM_KINDS[problem.kind]}{place}", style="bold red"),
        Text(f"  {make_one_line(problem.message)}"),
    ]
    if problem.span is not None:
        lines.append(Text(f"  {make_printable(str(problem.span))}"))
    lines.append(Text(f"  game {finding.game_number}, {length}; {make_one_line(str(script.variant))}", style="dim"))
    if finding.file is not None:
        lines.append(Text(f"  {make_printable(str(folder / finding.file.name))}"))
    return lines


# Maximum rows of a table.
MAX_STRATEGY_ROWS = 40
# Minimum reach probability of an information set that is shown.
MIN_SHARE = 0.001


def render_solution(solver: Solver) -> list[RenderableType]:
    """Render a solution: name, method, value for each seat, and the first moves, or exploitability and strategy.

    The first three have a line each. The method is its text in ``METHODS``, or ``nothing yet``. The value is
    ``value: P1 +0.5000, P2 -0.5000``; without one, nothing follows the method.

    - With ``first_options``: the line ``120 positions``, an empty line, and the table of the first moves, the best
      first. Its columns are ``P1 begins with`` and for each seat ``P1 gets`` (``+0.500``).
    - Without, as for a game without decisions: the lines ``exploitability: 0.00012, after 500 passes`` and
      ``54 positions, 12 information sets``, an empty line, and the strategy. ``not known (REASON)`` stands for an
      ``exploitability`` of None, with ``unknown`` as the reason. If ``whole`` is None, the positions are left out.

    The strategy has the columns ``Who`` (``P1``), ``was told`` and ``does`` (``raise 75.0%, fold 25.0%``). Its rows are
    the information sets to which the own decisions of their seat lead with a probability of at least ``MIN_SHARE``.
    Options below it are left out. Either table ends after ``MAX_STRATEGY_ROWS`` rows if it is longer, and
    ``and 3 more: --format json lists them`` follows.
    """
    parts: list[RenderableType] = [
        Text(solver.game.program.name, style="bold"),
        Text(METHODS[solver.method] if solver.method else "nothing yet", style="dim"),
    ]
    value = solver.compute_value()
    if value is None:
        return parts
    parts.append(Text("value: " + ", ".join(f"P{seat + 1} {payoff:+.4f}" for seat, payoff in enumerate(value))))
    if solver.first_options:
        parts += [Text(f"{solver.positions:,} positions"), "", _render_first_moves(solver)]
        return [*parts, *_render_omitted(solver.first_options)]
    gap = solver.exploitability
    gap_text = f"not known ({solver.unknown})" if gap is None else f"{gap:.5f}"
    parts.append(Text(f"exploitability: {gap_text}, after {solver.iterations:,} passes"))
    sets = f"{len(solver.sets):,} information sets"
    parts.append(Text(sets if solver.whole is None else f"{solver.whole.tree.positions:,} positions, {sets}"))
    rows = [row for row in solver.list_rows() if row[0] >= MIN_SHARE]
    table = make_table("Who", "was told", "does")
    for _, seat, words, options in rows[:MAX_STRATEGY_ROWS]:
        shares = ", ".join(
            f"{make_one_line(option)} {share:.1%}" for option, share in options.items() if share >= MIN_SHARE
        )
        table.add_row(f"P{seat + 1}", make_one_line(words), shares)
    return [*parts, "", table, *_render_omitted(rows)]


def _render_omitted(rows: Sequence[object]) -> list[Text]:
    """Return a line that says how many rows are omitted, or nothing if all fit."""
    omitted_count = len(rows) - MAX_STRATEGY_ROWS
    return [Text(f"and {omitted_count:,} more: --format json lists them")] if omitted_count > 0 else []


def _render_first_moves(solver: Solver) -> Table:
    payoffs = (f">P{seat + 1} gets" for seat in range(solver.game.players))
    table = make_table(f"P{(solver.seat or 0) + 1} begins with", *payoffs)
    moves = sorted(solver.first_options, key=lambda move: -move.values[solver.seat or 0])
    for move in moves[:MAX_STRATEGY_ROWS]:
        table.add_row(make_one_line(move.option), *(f"{value:+.3f}" for value in move.values))
    return table


def render_tuning(tuning: Tuning, name: str, kinds: Sequence[str]) -> list[RenderableType]:
    """Render the results of a parameter study, as Rich texts and tables. An empty line is "".

    The first texts are ``hex: 3 of 9 points, 100 games each``, for the ``name`` hex, and ``seed 7; random, bot``, with
    the ``kinds`` of players. If ``tuning.base`` is None, only ``Nothing was played.`` follows. With one or two axes, a
    table for each figure is next, then with goals a table of the ``MAX_ROWS_SHOWN`` (10) points nearest to them. If
    ``tuning.rechecked_point`` is set, a text follows that table about ``tuning.best_point``: ``Nearest: size=5, pace=2.
    In games from other seeds: …``. An empty line precedes each table and this text. Last comes a yellow text for each
    point with a ``problem``: ``size=9, pace=2: some games did not end``.
    """
    heading = f"{name}: {len(tuning.points)} of {tuning.size} points, {count_noun(tuning.games, 'game')} each"
    parts: list[RenderableType] = [
        Text(make_one_line(heading), style="bold"),
        Text(make_one_line(f"seed {tuning.seed}; {', '.join(kinds)}"), style="dim"),
    ]
    if tuning.base is None:
        return [*parts, Text("Nothing was played.")]
    if tuning.is_grid:
        for index, figure in enumerate(tuning.figures):
            parts += ["", _render_effects(tuning, index, figure)]
    if tuning.goals:
        parts += ["", *_render_goal_points(tuning)]
    for point in tuning.points:
        if point.problem:
            parts.append(Text(make_printable(f"{_format_point(tuning, point)}: {point.problem}"), style="yellow"))
    return parts


def _render_effects(tuning: Tuning, index: int, figure: Figure) -> Table:
    """Render a figure for each point, with its interval, and the change from the current rules.

    Unknown figures are ``?``. The row of the current rules says ``as it is``, and a change beyond chance ``moved``.
    """
    titles = (*_list_headings(tuning), ">Found", ">95 %", ">Change, 95 %", "")
    table = make_table(*titles, title=make_one_line(figure.description))
    for point in tuning.points:
        result = point.figures[index] if point.figures else None
        value_cells = [Text(make_one_line(str(value))) for value in point.values]
        if result is None:
            table.add_row(*value_cells, "?", "", "", "")
            continue
        is_now = tuning.base is not None and point.values == tuning.base.values
        change = "" if is_now else _format_range(figure, result.change_low, result.change_high, "+")
        table.add_row(
            *value_cells,
            _format_number(result.value, figure.is_share),
            _format_range(figure, result.low, result.high),
            change,
            _format_change(result, is_now),
        )
    return table


def _format_change(result: FigureResult, is_now: bool) -> Text:
    if is_now:
        return Text("as it is", style="bold")
    return Text("moved", style="bold red") if result.has_moved else Text("")


def _render_goal_points(tuning: Tuning) -> Iterator[RenderableType]:
    """Yield a table of the ``MAX_ROWS_SHOWN`` points nearest to the goals, and how the best did in new games."""
    goal_columns = [(goal, tuning.figures.index(goal.figure)) for goal in tuning.goals]
    goal_headings = (f">{make_one_line(goal.text)}" for goal in tuning.goals)
    table = make_table(*_list_headings(tuning), *goal_headings, ">Off", title="nearest to the goals")
    for point in list(rank_points(tuning.points))[:MAX_ROWS_SHOWN]:
        value_cells = [Text(make_one_line(str(value))) for value in point.values]
        figures = (_format_figure(point, goal.figure, index) for goal, index in goal_columns)
        table.add_row(*value_cells, *figures, f"{point.distance:.3f}")
    yield table
    if (nearest := tuning.best_point) is not None and (recheck := tuning.rechecked_point) is not None:
        values = ", ".join(
            f"{goal.figure.description} {_format_figure(recheck, goal.figure, index)}" for goal, index in goal_columns
        )
        yield ""
        yield Text(make_printable(f"Nearest: {_format_point(tuning, nearest)}. In games from other seeds: {values}."))


def _format_figure(point: Point, figure: Figure, index: int) -> str:
    result = point.figures[index]
    if result is None:
        return "?"
    return f"{_format_number(result.value, figure.is_share)} ({_format_range(figure, result.low, result.high)})"


def _format_point(tuning: Tuning, point: Point) -> str:
    return ", ".join(f"{axis.name}={value}" for axis, value in zip(tuning.axes, point.values, strict=True))


def _list_headings(tuning: Tuning) -> list[str]:
    """Return a title for each parameter: the last key of its name if that is unambiguous, or else the whole name."""
    keys = [axis.name.rpartition(".")[2] for axis in tuning.axes]
    names = (axis.name if keys.count(key) > 1 else key for axis, key in zip(tuning.axes, keys, strict=True))
    return [f">{make_one_line(name)}" for name in names]


def _format_range(figure: Figure, low: float, high: float, sign: str = "") -> str:
    lowest = _format_number(low, figure.is_share, sign).removesuffix(" %")
    return f"{lowest} to {_format_number(high, figure.is_share, sign)}"


def _format_number(value: float, is_share: bool, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f} %" if is_share else f"{value:{sign}.2f}"


_STYLES = {KEPT: "dim", UNCLEAR: "yellow", BROKEN: "bold red"}


_VERDICTS = {
    KEPT: "All thresholds are kept.",
    UNCLEAR: "No threshold is broken; whether all are kept takes more games to know.",
    BROKEN: "A threshold is broken.",
}


def render_comparison(comparison: Comparison) -> list[RenderableType]:
    """Return ``["", table, "", remark…, verdict]`` about the differences from an earlier simulation.

    The table has a row for each figure. A share has the cells ``wins of P1``, ``52.0 %`` (before), ``51.2 %`` (now),
    ``-4.3 % to +2.9 %``, ``as before`` (or ``moved``). The interval is that of the change. Means are like ``22.00``,
    and their changes like ``+0.00``. The first remark is ``500 pairs of games from the same seeds.`` with
    ``pair_count`` 500, and begins with ``Not paired:`` with None. ``comparison.remarks`` follow. The verdict is ``The
    balance has moved.`` if any figure has, otherwise ``Nothing has moved beyond chance.`` Remarks and verdict are Rich
    texts.
    """
    table = make_table("Compared", ">Before", ">Now", ">Change, 95 %", "")
    for change in comparison.changes:
        low, high = (_format_number(value, change.is_share, "+") for value in (change.low, change.high))
        table.add_row(
            change.label,
            _format_number(change.earlier, change.is_share),
            _format_number(change.current, change.is_share),
            f"{low} to {high}",
            Text("moved", style="bold red") if change.has_moved else Text("as before", style="dim"),
        )
    verdict = "The balance has moved." if comparison.has_moved else "Nothing has moved beyond chance."
    if comparison.pair_count is not None:
        pairing_remark = f"{count_noun(comparison.pair_count, 'pair')} of games from the same seeds."
    else:
        pairing_remark = "Not paired: the results of single games are missing on one side, so intervals are wider."
    remarks = [Text(make_printable(remark), style="dim") for remark in (pairing_remark, *comparison.remarks)]
    return ["", table, "", *remarks, Text(verdict, style="bold")]


def render_thresholds(thresholds: ThresholdResults) -> list[RenderableType]:
    """Return ``["", table, "", remark…, verdict]`` about thresholds; without checks, only ``["", remark…]``.

    The table has a row for each check: the figure, the value, its 95 % interval, the bounds, and the check's verdict,
    such as ``wins of P2``, ``53.0 %``, ``50.1 % to 55.9 %``, ``45 % to 55 %`` and ``unclear``. With ``is_change``, it
    reads ``change of wins of P2`` and ``+53.0 %``. The ``verdict`` at the end is the sentence in ``_VERDICTS`` for
    ``thresholds.verdict``, the worst of all checks: ``kept`` gives ``All thresholds are kept.`` Remarks and verdict are
    Rich texts.
    """
    if not thresholds.checks:
        return ["", *(Text(make_printable(remark), style="dim") for remark in thresholds.remarks)]
    grid = make_table("Balance", ">Found", ">95 %", ">Should be", "")
    for check in thresholds.checks:
        is_share, sign = check.figure.is_share, "+" if check.is_change else ""
        low, high = (_format_number(value, is_share, sign) for value in (check.low, check.high))
        label = f"change of {check.figure.description}" if check.is_change else check.figure.description
        grid.add_row(
            Text(make_one_line(label)),
            _format_number(check.value, is_share, sign),
            f"{low} to {high}",
            f"{_format_rounded(check, check.minimum, sign)} to {_format_rounded(check, check.maximum, sign)}",
            Text(check.verdict, style=_STYLES[check.verdict]),
        )
    remarks = [Text(make_printable(remark), style="dim") for remark in thresholds.remarks]
    return ["", grid, "", *remarks, Text(_VERDICTS[thresholds.verdict], style="bold")]


def _format_rounded(check: ThresholdCheck, value: float, sign: str) -> str:
    return f"{100 * value:{sign}.0f} %" if check.figure.is_share else f"{value:{sign}.0f}"
