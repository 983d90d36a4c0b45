"""Write the report of a simulation as a single HTML page with plots.

A Jinja template lays out the page. Vega-Lite specifications describe the plots; vl-convert renders them to SVG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
import vl_convert

from lusory_dsl.source.safe_files_and_bundled_data import read_package_text
from lusory_dsl.source.source import count_noun, join_items, make_one_line

from ..stats.figures_estimates_and_significance_tests import Distribution, Estimate, format_interval, format_value
from ..stats.simulation_report_builder import SimulationReport, UsageResult

COLOURS = {"ink": "#1b1b1f", "faint": "#8a8a93", "first": "#0072b2", "second": "#d55e00", "grid": "#e4e4e8"}
"""Colours by use: text, less important text, the first and second series, and grid lines."""

WIDTH = 205
"""Width of the plot area in pixels. With its labels, a plot fits the screen of a phone."""

LABELS = 140
ROW = 19
"""Width of labels and height of rows, in pixels."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""Schema of the plot descriptions. Nothing is fetched from this address."""


@dataclass(frozen=True)
class Point:
    """Row of a plot: a value, with its interval if it has one. ``is_marked`` highlights it."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    is_marked: bool = False


def plot_intervals(
    points: Sequence[Point], axis: str, reference: float | None = None, form: str = ".0%", starts_at_zero: bool = False
) -> str:
    """Return an SVG with a row for each point, in order, and its interval. Without points, the plot has no rows.

    A point without ``low`` or ``high`` has no interval. Marked points are diamonds in another colour. Points with the
    same label stay apart. Values are not written beside the points. ``axis`` is the title of the axis. Its ticks are
    percentages if ``form`` ends with ``%``, and have signs if it begins with ``+``; the digits in ``form`` don't count.
    ``reference`` draws a reference line. With ``starts_at_zero``, the axis includes 0, however far
    the values are from it.
    """
    rows = [
        {"name": name, "value": point.value, "low": point.low, "high": point.high, "marked": point.is_marked}
        for name, point in zip(_make_distinct(points), points, strict=True)
    ]
    y = {"field": "name", "type": "nominal", "sort": None, "title": None}
    scale = {"zero": starts_at_zero, "nice": True}
    x = {"type": "quantitative", "title": axis, "axis": _make_axis(form), "scale": scale}
    colour = {"condition": {"test": "datum.marked", "value": COLOURS["second"]}, "value": COLOURS["first"]}
    shape = {"condition": {"test": "datum.marked", "value": "diamond"}, "value": "circle"}
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"x": {**x, "field": "value"}, "y": y, "color": colour, "shape": shape},
        },
    ]
    if reference is not None:
        layers.insert(0, _draw_line(reference))
    return _render({"data": {"values": rows}, "height": {"step": ROW}, "layer": layers})


def _plot_histogram(distribution: Distribution, axis: str) -> str:
    """Return an SVG with the frequencies of numbers, as shares of all of them."""
    width, bars = distribution.width, distribution.bars
    total = max(sum(times for _, times in bars), 1)
    rows = [{"from": start, "to": start + width, "part": times / total} for start, times in bars]
    x = {"field": "from", "bin": "binned", "title": axis, "axis": {"format": "~s", "tickCount": 6}}
    y = {"field": "part", "type": "quantitative", "title": None, "axis": {"format": ".0%", "tickCount": 4}}
    spec = {
        "data": {"values": rows},
        "mark": {"type": "bar", "binSpacing": 0.5, "opacity": 0.85, "color": COLOURS["first"]},
        "encoding": {"x": {**x, "type": "quantitative"}, "x2": {"field": "to"}, "y": y},
    }
    return _render({"width": WIDTH + LABELS - 40, "height": 150, **spec})


def _plot_course(parts: Sequence[tuple[float, Estimate]], axis: str, reference: float | None, form: str) -> str:
    """Return an SVG with a line and its interval band over the course of a game.

    ``parts`` holds the beginning of each part, from 0 to 1, with its estimate. ``reference`` draws a horizontal line.
    """
    rows = [{"at": start, "value": item.value, "low": item.low, "high": item.high} for start, item in parts]
    x = {"field": "at", "type": "quantitative", "title": "part of the game played", "axis": {"format": ".0%"}}
    y = {"type": "quantitative", "title": axis, "axis": _make_axis(form), "scale": {"zero": False}}
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "area", "opacity": 0.2, "color": COLOURS["first"]},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "point": True, "color": COLOURS["first"], "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "value"}},
        },
    ]
    if reference is not None:
        layers.insert(0, _draw_line(reference, "y"))
    return _render({"width": WIDTH + LABELS - 50, "height": 150, "data": {"values": rows}, "layer": layers})


def _make_axis(form: str) -> dict[str, Any]:
    """Return an axis whose ticks have as many digits as needed to be distinct."""
    form = ("+" if form.startswith("+") else "") + ("~%" if form.endswith("%") else "~g")
    return {"format": form, "tickCount": 5, "labelOverlap": "greedy", "labelSeparation": 10}


def _draw_line(value: float, axis: str = "x") -> dict[str, Any]:
    mark = {"type": "rule", "strokeDash": [4, 3], "color": COLOURS["faint"]}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {axis: {"datum": value, "type": "quantitative"}}}


def _make_distinct(points: Sequence[Point]) -> list[str]:
    """Return labels on one line each. Rows with equal labels would be merged, so a repeated one ends with blanks."""
    labels: list[str] = []
    for point in points:
        label = make_one_line(point.label)
        while label in labels:
            label += " "
        labels.append(label)
    return labels


def _render(spec: dict[str, Any]) -> str:
    """Return the SVG of a plot. ``spec`` is completed with sizes, fonts and colours."""
    text = {"labelFont": "sans-serif", "titleFont": "sans-serif", "labelColor": COLOURS["ink"]}
    axis = {
        **text,
        "titleColor": COLOURS["ink"],
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "gridColor": COLOURS["grid"],
        "domainColor": COLOURS["faint"],
        "tickColor": COLOURS["faint"],
        "labelLimit": LABELS,
    }
    config = {"axis": axis, "legend": {**text, "labelFontSize": 11}, "view": {"stroke": None}, "background": None}
    complete_spec = {"$schema": SCHEMA, "width": WIDTH, "config": config, "background": None, "padding": 2, **spec}
    svg: str = vl_convert.vegalite_to_svg(complete_spec, allowed_base_urls=[])
    return svg


MAX_ROWS = 18
"""Maximum number of rows in a plot. The table beside it has all."""

_PLACE = re.compile(r"\S{1,200}:\d{1,9}")
"""Place in a file, which must not be wrapped."""


@dataclass(frozen=True)
class PlotFigure:
    """Plot with its table. ``description`` describes it.

    ``spoken_values`` are its points in words, for screen readers.
    """

    title: str
    description: str
    plot: str | None
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_wide: bool = False
    spoken_values: str = ""


@dataclass(frozen=True)
class Chapter:
    """Heading, introduction and figures."""

    id: str
    title: str
    introduction: str
    figures: tuple[PlotFigure, ...]


def write_page(report: SimulationReport) -> str:
    """Return the text of the HTML page. Chapters without figures are left out.

    Without finished games, ``No game came to its end.`` replaces the key figures and the verdict. Texts of the ruleset
    are escaped.
    """
    environment = jinja2.Environment(
        autoescape=True, finalize=_clean, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["place"] = _PLACE.fullmatch
    writer = _PageWriter(report)
    chapters = [chapter for chapter in writer._list_chapters() if chapter.figures]
    key_figures = list(writer._list_key_figures()) if report.games else []
    verdict = writer._write_balance() if report.games else ""
    text: str = environment.from_string(read_package_text(__package__, "simulation.html")).render(
        report=report, chapters=chapters, key_figures=key_figures, verdict=verdict, colours=COLOURS
    )
    return text + "\n"


def _clean(value: Any) -> Any:
    """Replace control characters in texts from rulesets."""
    return make_one_line(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


class _PageWriter:
    def __init__(self, report: SimulationReport) -> None:
        self.report = report
        self.even_share = None if report.for_one else 1 / report.players
        self.form = report.form
        self.result = "result" if report.for_one else "share of wins"

    # ------------------------------------------------------------ summary

    def _write_balance(self) -> str:
        """Return a sentence that says whether some seat wins significantly more or less than its share."""
        report = self.report
        if self.even_share is None:
            result = report.seats[0].result
            if result is None:
                return ""
            return f"The mean result is {format_value(result, '.1f')} ({format_interval(result, form='.1f')})."
        shares = [(seat.seat, seat.result) for seat in report.seats]
        shares.append(("The player who begins", report.first))
        uneven = []
        for name, share in shares:
            if share is None or share.low is None or share.high is None or share.low <= self.even_share <= share.high:
                continue
            uneven.append(f"{name} wins {format_value(share)} ({format_interval(share)})")
        if uneven:
            return f"The seats are not balanced: {join_items(uneven)}, where {self.even_share:.0%} would be even."
        return f"The seats look balanced: each one's range contains {self.even_share:.0%}."

    def _list_key_figures(self) -> Iterator[tuple[str, str, str]]:
        """Yield the key figures that are known, as texts: value, name, and interval or further explanation.

        Example: ``("52.0%", "first player wins", "48.9% – 55.1%; even: 50%")``. The first player's wins come first, or
        the mean result of the first seat if they are not known. Then come turns (not for one player), decisions,
        options at a decision, and changes of the lead. The last ones are comebacks, when the lead is settled, and
        shared wins.
        """
        report = self.report
        if report.first is not None:
            explanation = f"{format_interval(report.first)}; even: {self.even_share:.0%}"
            yield format_value(report.first), "first player wins", explanation
        elif report.seats[0].result is not None:
            result = report.seats[0].result
            yield format_value(result, ".1f"), "mean result", format_interval(result, form=".1f")
        if report.turns is not None and report.decisions is not None:
            for text, estimate in (("turns", report.turns), ("decisions", report.decisions)):
                if not (report.for_one and estimate is report.turns):
                    explanation = f"median; {estimate.tenth} to {estimate.nine_tenths} in 8 of 10"
                    yield f"{estimate.median}", f"{text} in a game", explanation
        if report.branching is not None:
            explanation = f"mean; {report.forced:.0%} of choices were forced"
            yield f"{report.branching.mean:.1f}", "options at a decision", explanation
        if report.lead is not None and report.lead.changes is not None:
            yield f"{report.lead.changes.mean:.1f}", "changes of the lead", f"mean; {report.lead.changes.high} at most"
            if report.lead.comebacks is not None:
                yield format_value(report.lead.comebacks), "comebacks", format_interval(report.lead.comebacks)
            if report.lead.settled is not None:
                yield f"{report.lead.settled.median} %", "of a game until the winner leads for good", "median"
        if report.ties is not None:
            yield format_value(report.ties), "shared wins", format_interval(report.ties)

    def _list_chapters(self) -> Iterator[Chapter]:
        """Yield the seven chapters, from ``Players`` to ``What never came up``, also those without figures."""
        report = self.report
        clear = len(report.strategies)
        yield Chapter("players", "Players", "", tuple(self._plot_players()))
        yield Chapter("course", "The course of a game", "", tuple(self._plot_course()))
        yield Chapter("ends", "How it ends", "", tuple(self._plot_endings()))
        introduction = f"None of {report.tested} stands out. "
        if clear:
            introduction = (
                f"{clear} of {report.tested} stand out. About one in twenty of these stands out by chance alone. "
                "What goes with winning need not cause it: a player who is ahead can do more. "
            )
        introduction += "" if report.for_one else "Seats are compared with the others of the same game."
        yield Chapter("strategies", "What goes with winning", introduction, tuple(self._plot_strategies()))
        yield Chapter("decisions", "Decisions", "", tuple(self._plot_decisions()))
        yield Chapter("cards", "Cards and keywords", "", tuple(self._plot_cards()))
        yield Chapter("nothing", "What never came up", "", tuple(self._list_unused()))

    # ------------------------------------------------------------ chapters

    def _plot_players(self) -> Iterator[PlotFigure]:
        """Yield the results by seat, and of bots of different strength if they were compared."""
        report = self.report
        seats = [_make_point(f"{seat.seat} {seat.kind}", seat.result) for seat in report.seats]
        begin_points = [_make_point(f"{seat.seat} begins", seat.began) for seat in report.seats if not report.for_one]
        rows = [
            (
                seat.seat,
                seat.kind,
                *_format_cells(seat.result, self.form),
                *_format_cells(seat.began, self.form),
                str(seat.began.n if seat.began else 0),
            )
            for seat in report.seats
        ]
        columns = ("Seat", "Player", self.result, "95 % between", "when it begins", "95 % between", "games")
        points = [point for point in (*seats, *begin_points) if point]
        yield _build_figure("By seat", "", points, columns, rows, self.result, self.form, self.even_share)
        if report.skill:
            points = [Point(bot.kind, bot.elo, bot.low, bot.high) for bot in report.skill]
            skill = [
                (bot.kind, f"{bot.elo:+.0f}", format_interval(bot.rating, form="+.0f"), format_value(bot.share))
                for bot in report.skill
            ]
            text = "The further apart, the more skill matters. 400 Elo points mean that one scores ten times as much."
            skill_columns = ("Player", "Elo", "95 % between", "points")
            yield _build_figure("Strong against weak", text, points, skill_columns, skill, "Elo", "+.0f", 0)

    def _plot_course(self) -> Iterator[PlotFigure]:
        """Yield the length of games, the number of options over their course, and the course of the lead."""
        report = self.report
        for title, distribution in (("Turns in a game", report.turns), ("Decisions in a game", report.decisions)):
            if distribution is not None and not (title.startswith("Turns") and report.for_one):
                yield _build_histogram(title, "", distribution, title.split(" ")[0].lower())
        if any(report.along):
            yield self._plot_along("Options at a decision, as the game goes on", report.along, "options", None, ".1f")
        lead = report.lead
        if lead is None:
            return
        description = f"Who is ahead is read from {SOURCES[lead.source]}."
        if any(lead.along):
            yield self._plot_along("How often the leader wins", lead.along, "wins", self.even_share, ".0%", description)
        if lead.changes is not None:
            yield _build_histogram("Changes of the lead", "", lead.changes, "changes")
        if lead.settled is not None:
            description = (
                "When the winner took the lead for good. If that is early, the rest of the game changes nothing."
            )
            yield _build_histogram("Decided after", description, lead.settled, "% of the game")

    def _plot_along(
        self, title: str, estimates: Sequence[Estimate | None], axis: str, even: float | None, form: str, text: str = ""
    ) -> PlotFigure:
        """Return a figure of estimates for equal parts of a game, from its beginning to its end."""
        parts = [(i / len(estimates), estimate) for i, estimate in enumerate(estimates) if estimate is not None]
        rows = [
            (f"{start:.0%}", format(estimate.value, form), format_interval(estimate, form=form), str(estimate.n))
            for start, estimate in parts
        ]
        plot = _plot_course(parts, axis, even, form)
        spoken_values = _speak([Point(f"at {start:.0%}", estimate.value) for start, estimate in parts], form)
        columns = ("Of the game", axis, "95 % between", "counted")
        return PlotFigure(title, text, plot, columns, tuple(rows), spoken_values=spoken_values)

    def _plot_endings(self) -> Iterator[PlotFigure]:
        """Yield the endings, and the columns of the final table."""
        report = self.report
        points = [point for end in report.ends[:MAX_ROWS] if (point := _make_point(end.reason, end.share))]
        turns = () if report.for_one else ("turns",)
        rows = [
            (
                ending.reason,
                str(ending.games),
                format_value(ending.share),
                format_interval(ending.share),
                *(format_value(ending.turns, ".1f") for _ in turns),
                *(format_value(value, self.form) for value in ending.seats),
            )
            for ending in report.ends
        ]
        columns = ("Ending", "games", "share", "95 % between", *turns, *(seat.seat for seat in report.seats))
        description = "Next to each: the results of the seats in these games."
        axis = "share of the games"
        yield _build_figure("Endings", description, points, columns, rows, axis, starts_at_zero=True)
        for column in report.columns:
            for name, distribution in (("winners", column.winners), ("others", column.others)):
                if distribution is not None:
                    title = column.title if report.for_one else f"{column.title} of {name}"
                    yield _build_histogram(title, "", distribution, column.title)

    def _plot_strategies(self) -> Iterator[PlotFigure]:
        """Yield what correlates with winning, if anything was tested. The table has all tests, smallest p first."""
        report = self.report
        axis = "result more" if report.for_one else "above the table's average"
        best = report.strategies[:MAX_ROWS]
        tested_usages = sorted(
            (usage for usage in report.usage_results if usage.p is not None), key=lambda usage: usage.p or 0
        )
        rows = [
            (
                f"{usage.what} {usage.name}",
                _format_advantage(usage, self.form),
                str(usage.compared),
                f"{usage.p:.2g}",
                f"{usage.q:.2g}",
                "yes" if usage.clear else "",
                usage.place,
            )
            for usage in tested_usages
        ]
        points = [Point(f"{use.what} {use.name}", use.ahead or 0, is_marked=(use.ahead or 0) < 0) for use in best]
        description = "Seats that did it more often than the others."
        if report.for_one:
            description = "Games with it against games without."
        description += (
            " p: how likely such a difference is by chance; q: the same, corrected for the number of comparisons."
        )
        if rows:
            columns = ("Done", axis, "games", "p", "q", "clear", "place")
            title = "More than chance" if best else "Nothing is clear"
            yield _build_figure(title, description, points, columns, rows, axis, f"+{self.form}", 0, is_wide=True)

    def _plot_decisions(self) -> Iterator[PlotFigure]:
        """Yield the choices, how much they matter, and the actions, answers and first choices."""
        report = self.report
        question_points = [Point(question.title, question.per_game) for question in report.questions[:MAX_ROWS]]
        rows = [
            (
                question.title,
                f"{question.per_game:.1f}",
                format_value(question.options, ".1f"),
                f"{question.forced:.0%}",
                format_value(question.weight, ".3f"),
                question.place,
            )
            for question in report.questions
        ]
        columns = ("Question", "a game", "options", "forced", "weight", "place")
        description = ""
        if any(question.weight for question in report.questions):
            description = (
                "Weight: how much better the best option is than the average one, as the searching bots "
                "estimate it. Few simulations add noise."
            )
        axis = "decisions a game"
        yield _build_figure(
            "Questions", description, question_points, columns, rows, axis, ".1f", starts_at_zero=True, is_wide=True
        )
        for title, usages in (
            ("Actions", report.actions),
            ("Answers", report.answers),
            ("First choices", report.openings),
        ):
            yield from self._plot_usage(title, usages)

    def _plot_usage(self, title: str, usages: Sequence[UsageResult]) -> Iterator[PlotFigure]:
        """Yield a figure with the frequency and result of things that players did, most frequent first.

        The plot has at most MAX_ROWS of them. If none has a result, nothing is yielded.
        """
        ranking = sorted((usage for usage in usages if usage.taken), key=lambda usage: -usage.taken)
        points = [mark for usage in ranking[:MAX_ROWS] if (mark := _make_point(usage.name, usage.result, usage.clear))]
        if points:
            description = f"{self.result.capitalize()} of the seats who did it."
            if any(point.is_marked for point in points):
                description += " Diamonds are clear."
            if any(usage.at_random is not None for usage in ranking):
                description += " At random, among the figures: what chance takes."
            rows = [_format_row(usage, self.form) for usage in ranking]
            yield _build_figure(
                title, description, points, DONE, rows, self.result, self.form, self.even_share, is_wide=True
            )

    def _plot_cards(self) -> Iterator[PlotFigure]:
        """Yield the uses of cards and keywords."""
        report = self.report
        for use in ("drawn", "gained", "played", "picked"):
            usages = [usage for card in report.cards if (usage := getattr(card, use)) is not None]
            yield from self._plot_usage(f"Cards {use}", usages)
        yield from self._plot_usage("Keywords of cards played", report.keywords)

    def _list_unused(self) -> Iterator[PlotFigure]:
        """Yield tables of cards, actions and rules that never came up."""
        report = self.report
        for title, description, column, names in (
            ("Cards", "Nobody drew, gained, picked or played them.", "Card", report.dead),
            ("Cards in hands", "They were drawn, and nobody played them.", "Card", report.unplayed),
            ("Actions and answers", "Nobody took them.", "Never taken", report.untaken),
        ):
            if names:
                yield PlotFigure(title, description, None, (column,), tuple((name,) for name in names))
        if report.unfired:
            games = count_noun(report.replayed, "game")
            description = f"In {games} these parts of the rules were never carried out."
            rows = [(part.place, part.kind, part.missing) for part in report.unfired]
            yield PlotFigure("Rules", description, None, ("Place", "Kind", "Missing"), tuple(rows), True)


SOURCES = {
    "value": "the hints of the ruleset for bots",
    "ranks": "the ranking of the rules, as if the game ended there",
    "playouts": "random games played on from the position",
}

DONE = ("Name", "How", "offered", "taken", "of offers", "at random", "of games", "result", "95 % between", "ahead", "q")


def _format_row(usage: UsageResult, form: str) -> tuple[str, ...]:
    """Return a row of the table of things that players did, in the order of :data:`DONE`."""
    q_text = "" if usage.q is None else f"{usage.q:.2g}{' clear' if usage.clear else ''}"
    random = "" if usage.at_random is None else f"{usage.at_random:.0%}"
    counts = str(usage.offered), str(usage.taken)
    shares = format_value(usage.rate), random, format_value(usage.games)
    result = *_format_cells(usage.result, form), _format_advantage(usage, form)
    return usage.name, usage.what, *counts, *shares, *result, q_text


def _build_figure(
    title: str,
    description: str,
    points: Sequence[Point],
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    axis: str,
    form: str = ".1%",
    reference: float | None = None,
    *,
    starts_at_zero: bool = False,
    is_wide: bool = False,
) -> PlotFigure:
    """Return a figure with a table, and above it the points with their intervals, if there are any."""
    plot = plot_intervals(points, axis, reference, form, starts_at_zero) if points else None
    return PlotFigure(title, description, plot, columns, tuple(rows), is_wide, _speak(points, form))


def _build_histogram(title: str, text: str, distribution: Distribution, axis: str) -> PlotFigure:
    columns = ("mean", "deviation", "least", "one in ten below", "median", "nine in ten below", "most", "counted")
    low, tenth, median = distribution.low, distribution.tenth, distribution.median
    numbers = (low, tenth, median, distribution.nine_tenths, distribution.high, distribution.n)
    row = (f"{distribution.mean:.2f}", f"{distribution.deviation:.2f}", *map(str, numbers))
    spoken_values = f"median {median}, {tenth} to {distribution.nine_tenths} in 8 of 10"
    plot = _plot_histogram(distribution, axis)
    return PlotFigure(title, text, plot, columns, (row,), spoken_values=spoken_values)


def _speak(points: Sequence[Point], form: str) -> str:
    """Return the points of a plot in words."""
    return ", ".join(f"{point.label} {point.value:{form}}" for point in points)


def _make_point(label: str, estimate: Estimate | None, is_marked: bool = False) -> Point | None:
    return None if estimate is None else Point(label, estimate.value, estimate.low, estimate.high, is_marked)


def _format_cells(estimate: Estimate | None, form: str) -> tuple[str, str]:
    return format_value(estimate, form), format_interval(estimate, form=form)


def _format_advantage(usage: UsageResult, form: str) -> str:
    return "" if usage.ahead is None else format(usage.ahead, f"+{form}")
