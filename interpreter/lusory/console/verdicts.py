"""Recorded games that are other games now, as people read it. Used by the command ``replay``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from lusory_dsl.text.printable import one_line, printable
from lusory_dsl.text.source import NOWHERE, Span

from ..author.verification import RecordDifference
from ..findings.suites import shown_path
from ..play.playthrough import Lines
from .diagnostics import SEVERITY_STYLES, snippet


def verdict_text(file: str, problem: str | None, found: Sequence[RecordDifference]) -> Text:
    """What is different in one file: the gravest thing with its place, the others in a line each."""
    title = Text.assemble(("CHANGED ", SEVERITY_STYLES["error"]), (one_line(shown_path(file)), "bold"))
    if problem is not None:
        return Text("\n").join([title, Text(f"  {printable(problem)}")])
    first, *others = found
    phase = f" (phase {first.phase})" if first.phase else ""
    reasons: list[tuple[Span, str]] = [(reason.span or NOWHERE, reason.message) for reason in first.reasons]
    heading = Text(f"{printable(first.message)}{phase}", "bold")
    parts = [title, snippet(heading, SEVERITY_STYLES["error"], first.span or NOWHERE, None, reasons)]
    parts += [*_lines("recorded", first.recorded, first.now), *_lines("now", first.now, first.recorded)]
    parts += [Text(f"  also: {printable(other.message)}") for other in others]
    return Text("\n").join(parts)


def _lines(word: str, lines: Lines, others: Lines) -> list[Text]:
    """Some lines under a word; nothing for a difference that has no lines."""
    if not lines and not others:
        return []
    indent = " " * 12
    shown = [printable(line.strip()) for line in lines] or ["(nothing)"]
    return [Text(f"  {word:<8}  {shown[0]}"), *(Text(indent + line) for line in shown[1:])]
