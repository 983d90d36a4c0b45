"""Plots as SVG, by Vega-Lite: the only door to it. A picture has no script, loads nothing, and says its text as text.

Colours are those of Okabe and Ito, which people tell apart however they see colours; where they say something, shapes
say it, too. The page that shows pictures may give other colours in the dark, by the values of :data:`COLOURS`.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import vl_convert

from lusory_dsl.text.printable import one_line

COLOURS = {"ink": "#1b1b1f", "faint": "#8a8a93", "first": "#0072b2", "second": "#d55e00", "grid": "#e4e4e8"}
"""By what they are for: words, what is less, the first and second of two things, lines behind."""

WIDTH = 205
"""Of the part of a picture with points in it: with the labels beside it a picture fits a telephone."""

LABELS = 140
ROW = 19
"""Pixels that labels and rows take."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the language that a picture is described in; nothing is fetched from there."""


@dataclass(frozen=True)
class Point:
    """A row: a value with the ends of its interval, where there are some. ``marked``: it stands out."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    marked: bool = False


def intervals(
    points: Sequence[Point], axis: str, even: float | None = None, form: str = ".0%", zero: bool = False
) -> str:
    """A row for each point, with its interval; a line where all would be ``even``. ``zero``: the axis begins there,
    and not where the least point lies."""
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
    """A bar for each point."""
    rows = [{"name": name, "value": p.value} for name, p in zip(_names(points), points, strict=True)]
    x = {"field": "value", "type": "quantitative", "title": axis, "axis": _ticks(form)}
    y = {"field": "name", "type": "nominal", "sort": None, "title": None}
    mark = {"type": "bar", "color": COLOURS["first"], "height": {"band": 0.7}}
    return _svg({"data": {"values": rows}, "height": {"step": ROW}, "mark": mark, "encoding": {"x": x, "y": y}})


def histogram(groups: Sequence[tuple[str, int, Sequence[tuple[int, int]]]], axis: str) -> str:
    """How often numbers came, as parts of all: of one group bars, of two the second as a line. A group is a name, the
    width of its classes, and beginnings of classes with how often they came."""
    layers = []
    for number, (name, width, bars) in enumerate(groups):
        total = max(sum(times for _, times in bars), 1)
        rows = [{"from": start, "to": start + width, "part": times / total, "group": name} for start, times in bars]
        x = {"field": "from", "type": "quantitative", "title": axis, "axis": {"format": "~s", "tickCount": 6}}
        y = {"field": "part", "type": "quantitative", "title": None, "axis": {"format": ".0%", "tickCount": 4}}
        colour: dict[str, Any] = {"value": COLOURS["second" if number else "first"]}
        if len(groups) > 1:
            scale = {"domain": [one_line(n) for n, _, _ in groups], "range": [COLOURS["first"], COLOURS["second"]]}
            legend = {"title": None, "orient": "top"}
            colour = {"field": "group", "type": "nominal", "scale": scale, "legend": legend}
            rows = [{**row, "group": one_line(name)} for row in rows]
        mark: dict[str, Any] = {"type": "bar", "binSpacing": 0.5, "opacity": 0.85}
        encoding: dict[str, Any] = {"x": {**x, "bin": "binned"}, "x2": {"field": "to"}, "y": y, "color": colour}
        if number:
            mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2}
            encoding = {"x": x, "y": y, "color": colour}
        layers.append({"data": {"values": rows}, "mark": mark, "encoding": encoding})
    return _svg({"width": WIDTH + LABELS - 40, "height": 150, "layer": layers})


def course(points: Sequence[Point], axis: str, even: float | None = None, form: str = ".0%") -> str:
    """A line with the band of its intervals over a game from its beginning to its end. ``label`` of a point: which part
    of the game, from 0 to 1."""
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
    """An axis whose ticks have as many digits as they need: no two of them read alike."""
    form = ("+" if form.startswith("+") else "") + ("~%" if form.endswith("%") else "~g")
    return {"format": form, "tickCount": 5, "labelOverlap": "greedy", "labelSeparation": 10}


def _line_at(value: float, axis: str = "x") -> dict[str, Any]:
    mark = {"type": "rule", "strokeDash": [4, 3], "color": COLOURS["faint"]}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {axis: {"datum": value, "type": "quantitative"}}}


def _names(points: Sequence[Point]) -> list[str]:
    """Labels that are told apart: rows of one name would be one row."""
    seen: dict[str, int] = {}
    found = []
    for point in points:
        name = one_line(point.label)
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
    """Draws plots in a process of its own. The library ends the whole process where it gets too little memory."""

    def __init__(self) -> None:
        # -P: nothing is imported from the folder in which lusory runs
        command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))}
        self._process = Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, encoding="utf-8", env=environment
        )

    def svg(self, spec: dict[str, Any]) -> str:
        """Draw a plot. Raises OSError where the process ended."""
        assert self._process.stdin is not None and self._process.stdout is not None, "both are pipes"
        try:
            self._process.stdin.write(json.dumps(spec) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer.endswith("\n"):
            words = "the process that draws the plots ended, perhaps for want of memory (`ulimit`)"
            raise OSError(errno.ENOMEM, words, "--report")
        drawn: str = json.loads(answer)
        return drawn


@cache
def _renderer() -> _Renderer:
    return _Renderer()


def serve() -> None:
    """Draw the plots that standard input describes, one a line, until it ends."""
    with os.fdopen(0, encoding="utf-8") as asked, os.fdopen(1, "w", encoding="utf-8") as drawn:
        for line in asked:
            drawn.write(json.dumps(vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])) + "\n")
            drawn.flush()
