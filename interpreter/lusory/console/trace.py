"""A trace as people and programs read it. Used by the trace command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..author.trace import PlaceChange, TraceStep
from ..findings.suites import shown_path
from .diagnostics import FRAME_STYLE
from .terminal import Terminal

JSON_VERSION = 1
INDENT = "  "
STYLES = {"within": "dim", "phase": "bold", "choice": "bold cyan", "chance": "bold magenta", "rule": "bold yellow"}
STYLES |= {"said": "italic", "pass": "dim", "check": "dim", "end": "bold"}


def show(screen: Terminal, title: str, steps: Sequence[TraceStep], end: str, one_by_one: bool) -> None:
    """All steps with a title and how it ends; ``one_by_one``: each when the reader wants it, until he quits."""
    width = margin(steps)
    screen.pipe(Text(one_line(title), style="bold"))
    for step in steps:
        screen.pipe(rendered(step, width))
        if one_by_one:
            try:
                if screen.read("Enter: next, q: quit ").strip().lower().startswith("q"):
                    return
            except EOFError:
                return
    screen.pipe(Text(printable(end), style="bold"))


def margin(steps: Iterable[TraceStep]) -> int:
    """How wide the column of places is."""
    return max((len(_place(step)) for step in steps), default=0)


def rendered(step: TraceStep, width: int) -> Text:
    """A step: its place and the ruleset's words, what came of it, and a line for each change."""
    lead = INDENT * step.depth
    result = Text(f"   {printable(step.result)}" if step.result else "", style="dim")
    lines = [
        Text.assemble(_frame(_place(step), width), lead, (printable(step.words), STYLES.get(step.kind, "")), result)
    ]
    for change in step.changes:
        hidden = f"   (hidden from {', '.join(change.hidden_from)})" if change.hidden_from else ""
        moved = f"{printable(change.before)} → {printable(change.after)}"
        if change.before == change.after:
            moved = f"{printable(change.after)}, as before"
        words = Text.assemble(f"{printable(change.place)}: ", (moved, "green"), (hidden, "dim"))
        lines.append(Text.assemble(_frame("", width), f"{lead}{INDENT * 2}", words))
    return Text("\n").join(lines)


def _frame(place: str, width: int) -> Text:
    return Text(f"{place:>{width}} | ", FRAME_STYLE)


def _place(step: TraceStep) -> str:
    """The file, without its folder, and the line."""
    return "" if step.span is None else f"{PurePath(step.span.source.name).name}:{step.span.line}"


def to_json(steps: Sequence[TraceStep]) -> list[dict[str, Any]]:
    """The steps as JSON values, places counted from 1."""
    return [
        {
            "depth": step.depth,
            "kind": step.kind,
            "words": step.words,
            "result": step.result,
            "file": None if step.span is None else shown_path(step.span.source.name),
            "line": None if step.span is None else step.span.line,
            "column": None if step.span is None else step.span.column,
            "changes": [_change(change) for change in step.changes],
        }
        for step in steps
    ]


def _change(change: PlaceChange) -> dict[str, Any]:
    return {
        "place": change.place,
        "before": change.before,
        "after": change.after,
        "hidden_from": list(change.hidden_from),
    }
