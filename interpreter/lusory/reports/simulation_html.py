"""Write the report of a simulation as a single HTML page with plots.

A Jinja template lays out the page. Vega-Lite specifications describe the plots; a separate process renders them to SVG.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import jinja2
import vl_convert

from lusory_dsl.source.source import make_one_line

from ..stats.estimates import Distribution, Estimate
from ..stats.report_model import SimulationReport, UsageResult
from .model import count_noun

STYLE = """
:root { color-scheme: light dark; --paper: #fbfbfc; --card: #fff; --ink: #1b1b1f; --faint: #5d5d66; --line: #dcdce2;
  --first: #0072b2; --second: #d55e00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #131316; --card: #1c1c21; --ink: #ececf1; --faint: #a3a3ad; --line: #35353d;
    --first: #56b4e9; --second: #e69f00; }
  svg [fill="{{ colours.ink }}"] { fill: #ececf1; } svg [stroke="{{ colours.ink }}"] { stroke: #ececf1; }
  svg [fill="{{ colours.first }}"] { fill: #56b4e9; } svg [stroke="{{ colours.first }}"] { stroke: #56b4e9; }
  svg [fill="{{ colours.second }}"] { fill: #e69f00; } svg [stroke="{{ colours.second }}"] { stroke: #e69f00; }
  svg [stroke="{{ colours.grid }}"] { stroke: #2f2f37; } svg [stroke="{{ colours.faint }}"] { stroke: #77777f; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0;
  overflow-wrap: anywhere; }
header, main, footer { max-width: 86rem; margin: 0 auto; padding: 1rem; }
header { padding-top: 2rem; } h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: 0 0 .3rem; }
p { max-width: 46rem; margin: .3rem 0 .8rem; } .faint, figcaption p { color: var(--faint); font-size: .9rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .8rem 0 0; }
a { color: var(--first); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--second); outline-offset: 2px; }
.glance { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.glance div, figure { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem; }
.glance dt { font-size: .9rem; } .glance dd { margin: 0; }
.glance .value { font-size: 1.7rem; font-weight: 600; line-height: 1.15; font-variant-numeric: tabular-nums; }
.figures { display: grid; gap: .8rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(21.5rem, 100%), 1fr)); }
figure { margin: 0; min-width: 0; break-inside: avoid; }
/* Labels are laid out for a narrower font than some browsers have. */
figure svg { display: block; box-sizing: border-box; width: 100%; max-width: 26rem; height: auto; margin: .3rem auto;
  padding-left: .8rem; overflow: visible; }
details { margin-top: .4rem; } summary { cursor: pointer; color: var(--faint); font-size: .9rem; }
.table { overflow-x: auto; max-height: 28rem; overflow-y: auto; margin-top: .4rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { position: sticky; top: 0; background: var(--card); font-weight: 600; color: var(--faint); }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; overflow-wrap: anywhere; }
td.place:first-child { white-space: nowrap; overflow-wrap: normal; }
.verdict { font-size: 1.15rem; }
.wide.bare { grid-column: 1 / -1; }
@media print { body { background: #fff; } nav, summary { display: none; }
  .table { max-height: none; overflow: visible; } table { font-size: .65rem; }
  th, td, td:first-child { white-space: normal; overflow-wrap: normal; min-width: 0; padding: .15rem .3rem; }
  .figures { display: block; } figure { margin-bottom: 1rem; break-inside: auto; }
  /* Closed figures are printed, too. */
  details::details-content { content-visibility: visible; block-size: auto; }
  h1, h2, h3, figcaption, section > p { break-after: avoid; }
  figcaption, [role="img"], tr, .glance div { break-inside: avoid; } }
"""

PAGE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{{ found.name }}: what {{ found.games_tell }}</title>
<style>"""
    + STYLE
    + """</style>
</head>
<body>
<header>
<h1>{{ found.name }}: what {{ found.games_tell }}</h1>
<p class="faint">{{ found.id }} {{ found.version }}; seed {{ found.seed }}; players:
{% for seat in found.seats %}{{ seat.seat }} {{ seat.kind }}{{ ", " if not loop.last else "" }}{% endfor %}
{% for name, value in found.options.items() %}{{ "; " if loop.first else ", " }}{{ name }}={{ value }}{% endfor %}.
Ranges are 95 % intervals.</p>
{% if verdict %}
<p class="verdict">{{ verdict }}</p>
{% endif %}
<nav aria-label="Chapters"><ul>
{% for chapter in chapters %}
<li><a href="#{{ chapter.id }}">{{ chapter.title }}</a></li>
{% endfor %}
</ul></nav>
</header>
<main>
{% if not glance %}
<p>No game came to its end.</p>
{% endif %}
<dl class="glance">
{% for value, words, sure in glance %}
<div><dt>{{ words }}</dt><dd class="value">{{ value }}</dd><dd class="faint">{{ sure }}</dd></div>
{% endfor %}
</dl>
{% for chapter in chapters %}
<section aria-labelledby="{{ chapter.id }}">
<h2 id="{{ chapter.id }}">{{ chapter.title }}</h2>
{% if chapter.words %}
<p>{{ chapter.words }}</p>
{% endif %}
<div class="figures">
{% for figure in chapter.figures %}
<figure class="{{ "wide" if figure.wide else "" }} {{ "" if figure.plot else "bare" }}">
<figcaption><h3>{{ figure.title }}</h3>
{% if figure.said %}
<p>{{ figure.said }}</p>
{% endif %}
</figcaption>
{% if figure.plot %}
<div role="img" aria-label="{{ figure.title }}{{ ": " if figure.values else "" }}{{ figure.values }}">
{{ figure.plot|safe }}</div>
{% endif %}
<details{{ "" if figure.plot else " open" }}><summary>Figures</summary>
<div class="table" tabindex="0" role="region" aria-label="{{ figure.title }}: figures"><table>
<thead><tr>{% for title in figure.head %}<th scope="col">{{ title }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in figure.rows %}
<tr>{% for cell in row %}<td{% if cell is place %} class="place"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div></details>
</figure>
{% endfor %}
</div>
</section>
{% endfor %}
</main>
<footer class="faint"><p>Made by lusory simulate.</p></footer>
</body>
</html>"""
)


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
    """Row of a plot: a value, with its interval if it has one. ``marked`` highlights it."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    marked: bool = False


def intervals(
    points: Sequence[Point], axis: str, even: float | None = None, form: str = ".0%", zero: bool = False
) -> str:
    """Return an SVG with a row for each point and its interval.

    ``even`` draws a reference line. ``zero`` starts the axis at 0 instead of the smallest value.
    """
    rows = [
        {"name": name, "value": p.value, "low": p.low, "high": p.high, "marked": p.marked}
        for name, p in zip(_names(points), points, strict=True)
    ]
    y = {"field": "name", "type": "nominal", "sort": None, "title": None}
    x = {"type": "quantitative", "title": axis, "axis": _ticks(form), "scale": {"zero": zero, "nice": True}}
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
    if even is not None:
        layers.insert(0, _line_at(even))
    return _svg({"data": {"values": rows}, "height": {"step": ROW}, "layer": layers})


def ranked(points: Sequence[Point], axis: str, form: str = ".0%") -> str:
    """Return an SVG with a bar for each point."""
    rows = [{"name": name, "value": p.value} for name, p in zip(_names(points), points, strict=True)]
    x = {"field": "value", "type": "quantitative", "title": axis, "axis": _ticks(form)}
    y = {"field": "name", "type": "nominal", "sort": None, "title": None}
    mark = {"type": "bar", "color": COLOURS["first"], "height": {"band": 0.7}}
    return _svg({"data": {"values": rows}, "height": {"step": ROW}, "mark": mark, "encoding": {"x": x, "y": y}})


def histogram(groups: Sequence[tuple[str, int, Sequence[tuple[int, int]]]], axis: str) -> str:
    """Return an SVG with the frequencies of numbers as shares. A second group is drawn as a line.

    A group holds a name, the width of its classes, and the start and frequency of each class.
    """
    layers = []
    for number, (name, width, bars) in enumerate(groups):
        total = max(sum(times for _, times in bars), 1)
        rows = [{"from": start, "to": start + width, "part": times / total, "group": name} for start, times in bars]
        x = {"field": "from", "type": "quantitative", "title": axis, "axis": {"format": "~s", "tickCount": 6}}
        y = {"field": "part", "type": "quantitative", "title": None, "axis": {"format": ".0%", "tickCount": 4}}
        colour: dict[str, Any] = {"value": COLOURS["second" if number else "first"]}
        if len(groups) > 1:
            scale = {"domain": [make_one_line(n) for n, _, _ in groups], "range": [COLOURS["first"], COLOURS["second"]]}
            legend = {"title": None, "orient": "top"}
            colour = {"field": "group", "type": "nominal", "scale": scale, "legend": legend}
            rows = [{**row, "group": make_one_line(name)} for row in rows]
        mark: dict[str, Any] = {"type": "bar", "binSpacing": 0.5, "opacity": 0.85}
        encoding: dict[str, Any] = {"x": {**x, "bin": "binned"}, "x2": {"field": "to"}, "y": y, "color": colour}
        if number:
            mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2}
            encoding = {"x": x, "y": y, "color": colour}
        layers.append({"data": {"values": rows}, "mark": mark, "encoding": encoding})
    return _svg({"width": WIDTH + LABELS - 40, "height": 150, "layer": layers})


def course(points: Sequence[Point], axis: str, even: float | None = None, form: str = ".0%") -> str:
    """Return an SVG with a line and its interval band over the course of a game.

    The ``label`` of a point is the part of the game, from 0 to 1.
    """
    rows = [{"at": float(p.label), "value": p.value, "low": p.low, "high": p.high} for p in points]
    x = {"field": "at", "type": "quantitative", "title": "part of the game played", "axis": {"format": ".0%"}}
    y = {"type": "quantitative", "title": axis, "axis": _ticks(form), "scale": {"zero": False}}
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
    if even is not None:
        layers.insert(0, _line_at(even, "y"))
    return _svg({"width": WIDTH + LABELS - 50, "height": 150, "data": {"values": rows}, "layer": layers})


def _ticks(form: str) -> dict[str, Any]:
    """Return an axis whose ticks have as many digits as needed to be distinct."""
    form = ("+" if form.startswith("+") else "") + ("~%" if form.endswith("%") else "~g")
    return {"format": form, "tickCount": 5, "labelOverlap": "greedy", "labelSeparation": 10}


def _line_at(value: float, axis: str = "x") -> dict[str, Any]:
    mark = {"type": "rule", "strokeDash": [4, 3], "color": COLOURS["faint"]}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {axis: {"datum": value, "type": "quantitative"}}}


def _names(points: Sequence[Point]) -> list[str]:
    """Return distinct labels, because rows with equal labels would be merged."""
    seen: dict[str, int] = {}
    found = []
    for point in points:
        name = make_one_line(point.label)
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _svg(spec: dict[str, Any]) -> str:
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
    whole = {"$schema": SCHEMA, "width": WIDTH, "config": config, "background": None, "padding": 2, **spec}
    return _renderer().svg(whole)


class _Renderer:
    """Process that renders plots. It is separate because the library aborts its process when memory runs out."""

    def __init__(self) -> None:
        # -P prevents imports from the working directory
        command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))}
        self._process = Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, encoding="utf-8", env=environment
        )

    def svg(self, spec: dict[str, Any]) -> str:
        """Render a plot. Raises OSError if the process has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None, "both are pipes"
        try:
            self._process.stdin.write(json.dumps(spec) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer.endswith("\n"):
            words = "the process that draws the plots ended, perhaps because it had too little memory (`ulimit`)"
            raise OSError(errno.ENOMEM, words, "--report")
        drawn: str = json.loads(answer)
        return drawn


@cache
def _renderer() -> _Renderer:
    return _Renderer()


def serve() -> None:
    """Render the plots described on standard input, one on each line, until it ends."""
    with os.fdopen(0, encoding="utf-8") as asked, os.fdopen(1, "w", encoding="utf-8") as drawn:
        for line in asked:
            drawn.write(json.dumps(vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])) + "\n")
            drawn.flush()


MOST = 18
"""Maximum number of rows in a plot. The table beside it has all."""

_PLACE = re.compile(r"\S{1,200}:\d{1,9}")
"""Place in a file, which must not be wrapped."""


@dataclass(frozen=True)
class Figure:
    """Plot with its table. ``said`` describes it. ``values`` are its points in words, for screen readers."""

    title: str
    said: str
    plot: str | None
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: bool = False
    values: str = ""


@dataclass(frozen=True)
class Chapter:
    """Heading, introduction and figures."""

    id: str
    title: str
    words: str
    figures: tuple[Figure, ...]


def write_page(found: SimulationReport) -> str:
    """Return the HTML page."""
    environment = jinja2.Environment(
        autoescape=True, finalize=_shown, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["place"] = _PLACE.fullmatch
    writer = _Writer(found)
    chapters = [chapter for chapter in writer.chapters() if chapter.figures]
    glance = list(writer.glance()) if found.games else []
    verdict = " ".join(writer.verdict()) if found.games else ""
    text: str = environment.from_string(PAGE).render(
        found=found, chapters=chapters, glance=glance, verdict=verdict, colours=COLOURS
    )
    return text + "\n"


def _shown(value: Any) -> Any:
    """Replace control characters in texts from rulesets."""
    return make_one_line(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


class _Writer:
    def __init__(self, found: SimulationReport) -> None:
        self.found = found
        self.even = None if found.for_one else 1 / found.players
        self.form = ".0f" if found.for_one else ".0%"
        self.finer = ".1f" if found.for_one else ".1%"
        self.result = "result" if found.for_one else "share of wins"

    # ------------------------------------------------------------ summary

    def verdict(self) -> Iterator[str]:
        """Yield sentences on balance, length, and what never happened."""
        found = self.found
        yield self._balance()
        if found.turns is not None and found.decisions is not None:
            turns = "" if found.for_one else f"{count_noun(found.turns.median, 'turn')} and "
            yield f"Half of the games end within {turns}{count_noun(found.decisions.median, 'decision')}."
        missing = (
            (found.dead, "card", "{} never came up"),
            (found.unplayed, "drawn card", "nobody played {}"),
            (found.untaken, "option", "nobody chose {}"),
            (found.unfired, "part", "{} of the rules never took effect"),
        )
        words = _and([told.format(count_noun(len(some), word)) for some, word, told in missing if some])
        yield f"{words[0].upper()}{words[1:]}." if words else "Every card, option and rule came up."

    def _balance(self) -> str:
        """Return a sentence that says whether some seat wins significantly more or less than its share."""
        found = self.found
        if self.even is None:
            result = found.seats[0].result
            return "" if result is None else f"The mean result is {_number(result)} ({_between(result, '.1f')})."
        compared = [(seat.seat, seat.result) for seat in found.seats]
        compared.append(("The player who begins", found.first))
        uneven = []
        for name, share in compared:
            if share is None or share.low is None or share.high is None or share.low <= self.even <= share.high:
                continue
            uneven.append(f"{name} wins {_percent(share)} ({_between(share)})")
        if uneven:
            return f"The seats are not balanced: {_and(uneven)}, where {self.even:.0%} would be even."
        return f"The seats look balanced: each one's range contains {self.even:.0%}."

    def glance(self) -> Iterator[tuple[str, str, str]]:
        """Yield the key figures: value, name, and interval."""
        found = self.found
        if found.first is not None:
            yield _percent(found.first), "First player wins", f"{_between(found.first)}; even: {self.even:.0%}"
        elif found.seats[0].result is not None:
            yield _number(found.seats[0].result), "mean result", _between(found.seats[0].result, ".1f")
        if found.turns is not None and found.decisions is not None:
            for words, one in (("turns", found.turns), ("decisions", found.decisions)):
                if not (found.for_one and one is found.turns):
                    yield f"{one.median}", f"{words} in a game", f"median; {one.tenth} to {one.nine_tenths} in 8 of 10"
        if found.branching is not None:
            forced = f"mean; {found.forced:.0%} of choices were forced"
            yield f"{found.branching.mean:.1f}", "options at a decision", forced
        if found.lead is not None and found.lead.changes is not None:
            yield f"{found.lead.changes.mean:.1f}", "changes of the lead", f"mean; {found.lead.changes.high} at most"
            if found.lead.comebacks is not None:
                yield _percent(found.lead.comebacks), "Comebacks", _between(found.lead.comebacks)
            if found.lead.settled is not None:
                yield f"{found.lead.settled.median} %", "of a game until the winner leads for good", "median"
        if found.ties is not None:
            yield _percent(found.ties), "shared wins", _between(found.ties)

    def chapters(self) -> Iterator[Chapter]:
        """Yield the chapters in the order of the page."""
        found = self.found
        clear = len(found.strategies)
        yield Chapter("players", "Players", "", tuple(self._players()))
        yield Chapter("course", "The course of a game", "", tuple(self._course()))
        yield Chapter("ends", "How it ends", "", tuple(self._ends()))
        yield Chapter(
            "strategies",
            "What goes with winning",
            (
                f"{clear} of {found.tested} stand out. About one in twenty of these stands out by chance alone. "
                "What goes with winning need not cause it: a player who is ahead can do more. "
                if clear
                else f"None of {found.tested} stands out. "
            )
            + ("" if found.for_one else "Seats are compared with the others of the same game."),
            tuple(self._strategies()),
        )
        yield Chapter("decisions", "Decisions", "", tuple(self._decisions()))
        yield Chapter("cards", "Cards and keywords", "", tuple(self._cards()))
        yield Chapter("nothing", "What never came up", "", tuple(self._nothing()))

    # ------------------------------------------------------------ chapters

    def _players(self) -> Iterator[Figure]:
        found = self.found
        seats = [_point(f"{seat.seat} {seat.kind}", seat.result) for seat in found.seats]
        began = [_point(f"{s.seat} begins", s.began) for s in found.seats if s.began is not None and not found.for_one]
        rows = [
            (s.seat, s.kind, *_cells(s.result, found), *_cells(s.began, found), str(s.began.n if s.began else 0))
            for s in found.seats
        ]
        head = ("Seat", "Player", self.result, "95 % between", "when it begins", "95 % between", "games")
        yield self._figure("By seat", [p for p in (*seats, *began) if p], self.result, head, rows)
        if found.skill:
            points = [Point(r.kind, r.elo, r.low, r.high) for r in found.skill if r.elo is not None]
            skill = [
                (r.kind, "" if r.elo is None else f"{r.elo:+.0f}", _signs(r.low, r.high), _percent(r.share))
                for r in found.skill
            ]
            said = "The further apart, the more skill matters. 400 Elo points mean that one scores ten times as much."
            plot = intervals(points, "Elo", 0, "+.0f") if points else None
            yield Figure(
                "Strong against weak",
                said,
                plot,
                ("Player", "Elo", "95 % between", "points"),
                tuple(skill),
                values=_values(points, "+.0f"),
            )

    def _course(self) -> Iterator[Figure]:
        found = self.found
        for title, one in (("Turns in a game", found.turns), ("Decisions in a game", found.decisions)):
            if one is not None and not (title.startswith("Turns") and found.for_one):
                yield _histogram(title, "", [("games", one)], title.split(" ")[0].lower())
        if any(found.along):
            yield self._along("Options at a decision, as the game goes on", found.along, "options", None, ".1f")
        lead = found.lead
        if lead is None:
            return
        said = f"Who is ahead is read from {SOURCES[lead.source]}."
        if any(lead.along):
            yield self._along("How often the leader wins", lead.along, "wins", self.even, ".0%", said)
        if lead.changes is not None:
            yield _histogram("Changes of the lead", "", [("games", lead.changes)], "changes")
        if lead.settled is not None:
            said = "When the winner took the lead for good. If that is early, the rest of the game changes nothing."
            yield _histogram("Decided after", said, [("games", lead.settled)], "% of the game")

    def _along(
        self, title: str, each: Sequence[Estimate | None], axis: str, even: float | None, form: str, said: str = ""
    ) -> Figure:
        points = [Point(str(n / len(each)), e.value, e.low, e.high) for n, e in enumerate(each) if e is not None]
        rows = [
            (f"{n / len(each):.0%}", format(e.value, form), _between(e, form), str(e.n))
            for n, e in enumerate(each)
            if e
        ]
        plot = course(points, axis, even, form)
        told = _values([replace(point, label=f"at {float(point.label):.0%}") for point in points], form)
        return Figure(title, said, plot, ("Of the game", axis, "95 % between", "counted"), tuple(rows), values=told)

    def _ends(self) -> Iterator[Figure]:
        found = self.found
        points = [p for end in found.ends[:MOST] if (p := _point(end.reason, end.share))]
        turns = () if found.for_one else ("turns",)
        rows = [
            (
                e.reason,
                str(e.games),
                _percent(e.share),
                _between(e.share),
                *(_number(e.turns) for _ in turns),
                *(_of(one, found) for one in e.seats),
            )
            for e in found.ends
        ]
        head = ("Ending", "games", "share", "95 % between", *turns, *(seat.seat for seat in found.seats))
        plot = intervals(points, "share of the games", zero=True)
        said = "Next to each: the results of the seats in these games."
        yield Figure("Endings", said, plot, head, tuple(rows), values=_values(points, ".1%"))
        for column in found.columns:
            pairs = (("winners", column.winners), ("others", column.others))
            groups = [(name, one) for name, one in pairs if one is not None]
            if groups:
                if found.for_one:
                    groups = [("games", groups[0][1])]
                yield _histogram(column.title, "", groups, column.title)

    def _strategies(self) -> Iterator[Figure]:
        found = self.found
        axis = "result more" if found.for_one else "above the table's average"
        shown = found.strategies
        tested = sorted((one for one in found.done if one.p is not None), key=lambda one: one.p or 0)
        rows = [
            (
                f"{d.what} {d.name}",
                _ahead(d, found),
                str(d.compared),
                f"{d.p:.2g}",
                f"{d.q:.2g}",
                "yes" if d.clear else "",
                d.place,
            )
            for d in tested
        ]
        points = [Point(f"{d.what} {d.name}", d.ahead or 0, marked=(d.ahead or 0) < 0) for d in shown[:MOST]]
        plot = intervals(points, axis, 0, "+.0f" if found.for_one else "+.0%") if points else None
        said = (
            "Games with it against games without." if found.for_one else "Seats that did it more often than the others."
        )
        said += " p: how likely such a difference is by chance; q: the same, corrected for the number of comparisons."
        if rows:
            head = ("Done", axis, "games", "p", "q", "clear", "place")
            title = "More than chance" if shown else "Nothing is clear"
            yield Figure(title, said, plot, head, tuple(rows), True, _values(points, f"+{self.finer}"))

    def _decisions(self) -> Iterator[Figure]:
        found = self.found
        asked = [Point(q.title, q.per_game) for q in found.questions[:MOST]]
        rows = [
            (q.title, f"{q.per_game:.1f}", _number(q.options), f"{q.forced:.0%}", _number(q.weight, ".3f"), q.place)
            for q in found.questions
        ]
        head = ("Question", "a game", "options", "forced", "weight", "place")
        weighed = sorted((q for q in found.questions if q.weight), key=lambda q: -(q.weight.value if q.weight else 0))
        said = (
            "Weight: how much better the best option is than the average one, as the searching bots "
            "estimate it. Few simulations add noise."
        )
        said = said if weighed else ""
        plot = ranked(asked, "decisions a game", ".1f")
        yield Figure("Questions", said, plot, head, tuple(rows), True, _values(asked, ".1f"))
        if weighed:
            points = [p for q in weighed[:MOST] if (p := _point(q.title, q.weight))]
            plot = intervals(points, "weight", None, ".2f")
            again = tuple((q.title, _number(q.weight, ".3f"), _between(q.weight, ".3f")) for q in weighed)
            told = _values(points, ".2f")
            yield Figure(
                "Which decisions matter", said, plot, ("Question", "weight", "95 % between"), again, values=told
            )
        for title, some in (("Actions", found.actions), ("Answers", found.answers), ("First choices", found.openings)):
            yield from self._dones(title, some)

    def _dones(self, title: str, some: Sequence[UsageResult]) -> Iterator[Figure]:
        """Yield a figure with the frequency and result of things that players did."""
        found = self.found
        taken = sorted((one for one in some if one.taken), key=lambda one: -one.taken)
        points = [p for one in taken[:MOST] if (p := _point(one.name, one.result, one.clear))]
        if points:
            said = f"{self.result.capitalize()} of the seats who did it."
            if any(point.marked for point in points):
                said += " Diamonds are clear."
            if any(one.at_random is not None for one in taken):
                said += " At random, among the figures: what chance takes."
            plot = intervals(points, self.result, self.even, self.form)
            rows = tuple(_row(one, found) for one in (taken or some))
            yield Figure(title, said, plot, DONE, rows, True, _values(points, self.finer))

    def _cards(self) -> Iterator[Figure]:
        found = self.found
        for title, way in (("drawn", "drawn"), ("gained", "gained"), ("played", "played"), ("picked", "picked")):
            of = [one for card in found.cards if (one := getattr(card, way)) is not None]
            yield from self._dones(f"Cards {title}", of)
        yield from self._dones("Keywords of cards played", found.keywords)
        zones = sorted({zone for card in found.cards for zone in card.zones})
        if len(zones) > 1:
            rows = [
                (card.name, *(f"{card.zones.get(zone, 0):.2f}" for zone in zones)) for card in found.cards if card.zones
            ]
            yield Figure(
                "Where cards went, out of hands and decks", "Times a game.", None, ("Card", *zones), tuple(rows), True
            )

    def _nothing(self) -> Iterator[Figure]:
        found = self.found
        if found.dead:
            said = "Nobody drew, gained, picked or played them."
            yield Figure("Cards", said, None, ("Card",), tuple((name,) for name in found.dead))
        if found.unplayed:
            said = "They were drawn, and nobody played them."
            yield Figure("Cards in hands", said, None, ("Card",), tuple((name,) for name in found.unplayed))
        if found.untaken:
            yield Figure(
                "Actions and answers", "Nobody took them.", None, ("Never taken",), tuple((n,) for n in found.untaken)
            )
        if found.unfired:
            said = f"In {found.replayed} games these parts of the rules were never carried out."
            rows = [(one.place, one.kind, one.missing, f"{one.behind or ''}") for one in found.unfired]
            yield Figure("Rules", said, None, ("Place", "Kind", "Missing", "behind it"), tuple(rows), True)

    def _figure(
        self, title: str, points: Sequence[Point], axis: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]
    ) -> Figure:
        plot = intervals(points, axis, self.even, self.form) if points else None
        return Figure(title, "", plot, head, tuple(rows), values=_values(points, self.finer))


SOURCES = {
    "value": "the hints of the ruleset for bots",
    "ranks": "the ranking of the rules, as if the game ended there",
    "playouts": "random games played on from the position",
}

DONE = ("Name", "How", "offered", "taken", "of offers", "at random", "of games", "result", "95 % between", "ahead", "q")


def _row(one: UsageResult, found: SimulationReport) -> tuple[str, ...]:
    q = "" if one.q is None else f"{one.q:.2g}{' clear' if one.clear else ''}"
    random = "" if one.at_random is None else f"{one.at_random:.0%}"
    offers, games = _percent(one.rate), _percent(one.games)
    result = _cells(one.result, found)
    return (one.name, one.what, str(one.offered), str(one.taken), offers, random, games, *result, _ahead(one, found), q)


def _histogram(title: str, said: str, groups: Sequence[tuple[str, Distribution]], axis: str) -> Figure:
    plot = histogram([(name, one.width, one.bars) for name, one in groups], axis)
    head = ("", "mean", "deviation", "least", "one in ten below", "median", "nine in ten below", "most", "counted")
    rows = [
        (name, f"{s.mean:.2f}", f"{s.deviation:.2f}", *map(str, (s.low, s.tenth, s.median, s.nine_tenths, s.high, s.n)))
        for name, s in groups
    ]
    told = [f"{name} median {s.median}, {s.tenth} to {s.nine_tenths} in 8 of 10" for name, s in groups]
    return Figure(title, said, plot, head, tuple(rows), values="; ".join(told))


def _values(points: Sequence[Point], form: str) -> str:
    """Return the points of a plot in words."""
    return ", ".join(f"{point.label} {point.value:{form}}" for point in points)


def _and(parts: Sequence[str]) -> str:
    """Join parts to a list in words."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _point(label: str, one: Estimate | None, marked: bool = False) -> Point | None:
    return None if one is None else Point(label, one.value, one.low, one.high, marked)


def _cells(one: Estimate | None, found: SimulationReport) -> tuple[str, str]:
    return _of(one, found), _between(one, ".1f" if found.for_one else ".1%")


def _of(one: Estimate | None, found: SimulationReport) -> str:
    return _number(one) if found.for_one else _percent(one)


def _ahead(one: UsageResult, found: SimulationReport) -> str:
    return "" if one.ahead is None else format(one.ahead, "+.1f" if found.for_one else "+.1%")


def _percent(one: Estimate | None) -> str:
    return "" if one is None else f"{one.value:.1%}"


def _number(one: Estimate | None, form: str = ".1f") -> str:
    return "" if one is None else format(one.value, form)


def _between(one: Estimate | None, form: str = ".1%") -> str:
    return "" if one is None or one.low is None or one.high is None else f"{one.low:{form}} – {one.high:{form}}"


def _signs(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:+.0f} – {high:+.0f}"
