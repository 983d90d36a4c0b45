"""Render test results, traces, replay differences, and checks of the installation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any, TypeVar

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.core import Program
from lusory_dsl.source.source import NOWHERE, Span, count_noun, make_one_line, make_printable

from ...play.playthrough_writer_and_parser import Lines
from ...reports.check_suites_findings_and_locations import format_path, format_percentage, format_place
from ...testing.coverage import Coverage
from ...testing.coverage_items import KINDS
from ...testing.mutation import KILLED, SURVIVED, UNTOUCHED, MutantResult, calculate_mutation_score
from ...testing.recording_comparison import RecordDifference
from ...testing.statement_trace_of_one_decision import TraceStep
from .diagnostic_rendering import FRAME_STYLE, SEVERITY_STYLES, render_snippet
from .screen_rendering import make_table
from .terminal_output_and_line_editing import Terminal

T = TypeVar("T")
# Percentages: green from the first on, red below the second.
GOOD, POOR = 100.0, 80.0


def report_progress(items: Iterable[T], show: Callable[[int], None]) -> Iterator[T]:
    """Yield the items, and pass the number of finished ones to ``show`` before each, from 0."""
    for number, item in enumerate(items):
        show(number)
        yield item


# ---------------------------------------------------------------- coverage


def render_coverage(coverage: Coverage) -> list[RenderableType]:
    """Return ``[title, "", table, ""]`` for the coverage of a ruleset.

    The title is bold: ``Nim: 1 case``, or ``Nim: 3 cases, 1 failed``. In the table, each kind of item that occurs has a
    row ``cards used  3  4  75.0``: the number of covered items, that of all, and the percentage. The latter is green if
    complete, red below 80, and yellow between. It is rounded down, and a complete one is ``100``. The last row is
    ``all``, with ``100`` if there are no items.
    """
    grid = make_table("Covered", ">", ">Of", ">%")
    for kind, (covered_count, total) in coverage.count_by_kind().items():
        grid.add_row(f"{kind} {KINDS[kind]}", *_format_coverage(covered_count, total))
    grid.add_section()
    grid.add_row("all", *_format_coverage(len(coverage.covered_items), len(coverage.items)))
    failure_count = sum(not result.passed for result in coverage.results)
    cases = count_noun(len(coverage.results), "case") + (f", {failure_count} failed" if failure_count else "")
    return [Text(make_one_line(f"{coverage.program.name}: {cases}"), style="bold"), "", grid, ""]


def list_gaps(coverage: Coverage) -> Iterator[Text]:
    """Yield the line ``Not covered:`` and a line with the location of each uncovered item.

    Items that depend on an uncovered one are left out. Nothing if all are covered.
    """
    for number, item in enumerate(coverage.list_uncovered()):
        if number == 0:
            yield Text("Not covered:", style="bold")
        yield Text.assemble((f"  {make_one_line(format_place(item.span))}", "cyan"), f" {make_printable(item.gap)}")


def _format_coverage(covered_count: int, total: int) -> tuple[str, str, Text]:
    percent = 100 * covered_count / total if total else 100.0
    style = "green" if percent >= GOOD else "red" if percent < POOR else "yellow"
    return f"{covered_count:,}", f"{total:,}", Text(format_percentage(percent), style=style)


# ---------------------------------------------------------------- mutation


def list_survivors(verdicts: Iterable[MutantResult], width: int | None = None) -> Iterator[Text]:
    """Yield the mutants that no test case killed, in order, each with its source line and whether a case comes there.

    Source lines longer than ``width`` are cut.
    """
    for verdict in verdicts:
        if verdict.outcome != KILLED:
            mutant = verdict.mutant
            title = Text.assemble((verdict.outcome, "bold red"), (f": {make_one_line(mutant.change)}", "bold"))
            title.append(f" (in {mutant.owner})", "dim")
            count = verdict.case_count
            note = f"{count} cases come here, and all pass" if count > 1 else "the one case here passes"
            note = note if verdict.outcome == SURVIVED else "no case comes here"
            yield Text.assemble(render_snippet(title, "bold red", mutant.span, None, [(NOWHERE, note)], width), "\n")


def render_mutation(program: Program, verdicts: Sequence[MutantResult], mutant_count: int) -> list[RenderableType]:
    """Return ``[title, "", table, ""]`` for the verdicts. The whole title is bold, such as ``Nim: 12 changes``.

    For one verdict it is ``Nim: 1 change``. For 1,200 verdicts of 2,000 it is ``Nim: 1,200 changes of 2,000, then
    interrupted``. The table has a row for each kind of mutant that occurs, sorted by name, and a last row ``all``. The
    headings are ``Changed``, ``killed``, ``survived``, ``untouched`` and ``%``: the kind, three numbers of mutants, and
    the percentage of the row's mutants that is killed. This is ``66.6`` for 2 of 3, ``50.0`` for 1 of 2, and ``100``
    for all or without mutants.
    """
    grid = make_table("Changed", f">{KILLED}", f">{SURVIVED}", f">{UNTOUCHED}", ">%")
    for kind in sorted({verdict.mutant.kind for verdict in verdicts}):
        grid.add_row(kind, *_format_scores([verdict for verdict in verdicts if verdict.mutant.kind == kind]))
    grid.add_section()
    grid.add_row("all", *_format_scores(verdicts))
    title = f"{make_one_line(program.name)}: {count_noun(len(verdicts), 'change')}"
    if len(verdicts) < mutant_count:
        title += f" of {mutant_count:,}, then interrupted"
    return [Text(title, style="bold"), "", grid, ""]


def _format_scores(verdicts: Sequence[MutantResult]) -> tuple[str, ...]:
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    return (
        *(f"{outcomes[outcome]:,}" for outcome in (KILLED, SURVIVED, UNTOUCHED)),
        format_percentage(calculate_mutation_score(verdicts)),
    )


JSON_VERSION = 1
INDENT = "  "
STYLES = {"within": "dim", "phase": "bold", "choice": "bold cyan", "chance": "bold magenta", "rule": "bold yellow"}
STYLES |= {"said": "italic", "pass": "dim", "check": "dim", "end": "bold"}


def print_trace(screen: Terminal, title: str, steps: Sequence[TraceStep], end: str, has_pauses: bool) -> None:
    """Print a trace: the title, each step as :func:`render_step` gives it, and the line ``end``.

    With ``has_pauses``, wait for a line after each step, also the last. One that begins with ``q`` or ``Q``, also after
    blanks, or the end of the input stops the trace without the line ``end``.
    """
    width = calculate_margin(steps)
    screen.print_raw(Text(make_one_line(title), style="bold"))
    for step in steps:
        screen.print_raw(render_step(step, width))
        if has_pauses:
            try:
                if screen.read("Enter: next, q: quit ").strip().lower().startswith("q"):
                    return
            except EOFError:
                return
    screen.print_raw(Text(make_printable(end), style="bold"))


def calculate_margin(steps: Iterable[TraceStep]) -> int:
    """Return the width of the location column: of the longest ``FILE:LINE`` of the steps, or 0."""
    return max((len(_find_place(step)) for step in steps), default=0)


def render_step(step: TraceStep, width: int) -> Text:
    """Render a step like ``game.yaml:7 | text   result``, with one line below for each change.

    The location, a file without its folders and a line, is aligned at the right of a column of ``width``. The column is
    empty in the lines of changes and for a step without a location. The text is indented by INDENT for each level of
    depth. A change stands two levels deeper::

        game.yaml:2 | gold += 2   done
                    |     gold: 1 → 3   (hidden from P1, P2)

    A change to an equal value reads ``gold: 3, as before``. The remark is there if some seats don't see the change.
    """
    indent = INDENT * step.depth
    result = Text(f"   {make_printable(step.result)}" if step.result else "", style="dim")
    place, style = _format_place(_find_place(step), width), STYLES.get(step.kind, "")
    lines = [Text.assemble(place, indent, (make_printable(step.text), style), result)]
    for change in step.changes:
        hidden_text = f"   (hidden from {', '.join(change.hidden_from)})" if change.hidden_from else ""
        value_text = f"{make_printable(change.before)} → {make_printable(change.after)}"
        if change.before == change.after:
            value_text = f"{make_printable(change.after)}, as before"
        words = Text.assemble(f"{make_printable(change.place)}: ", (value_text, "green"), (hidden_text, "dim"))
        lines.append(Text.assemble(_format_place("", width), f"{indent}{INDENT * 2}", words))
    return Text("\n").join(lines)


def _format_place(place: str, width: int) -> Text:
    return Text(f"{place:>{width}} | ", FRAME_STYLE)


def _find_place(step: TraceStep) -> str:
    """Return the file name and line of a step."""
    return "" if step.span is None else f"{PurePath(step.span.source.name).name}:{step.span.line}"


def to_json(steps: Sequence[TraceStep]) -> list[dict[str, Any]]:
    """Convert steps to JSON data, one object for each, in order.

    The keys are ``depth``, ``kind``, ``words`` (the text), ``result``, ``file``, ``line``, ``column`` and ``changes``.
    Lines and columns count from 1; unknown ones are null.
    """
    return [
        {
            "depth": step.depth,
            "kind": step.kind,
            "words": step.text,
            "result": step.result,
            "file": None if step.span is None else format_path(step.span.source.name),
            "line": None if step.span is None else step.span.line,
            "column": None if step.span is None else step.span.column,
            "changes": [asdict(change) for change in step.changes],
        }
        for step in steps
    ]


def render_differences(file: str, problem: str | None, differences: Sequence[RecordDifference]) -> Text:
    """Render the differences of a replay below the line ``CHANGED FILE``.

    With a ``problem``, only ``  PROBLEM`` stands below it; further lines of the problem are not indented. Otherwise,
    the first difference is the title of a :func:`render_snippet` with its location and reasons:
    ``MESSAGE (phase PHASE)``, not indented, or ``MESSAGE`` without a phase. Below the snippet stand the lines of
    ``recorded``, then those of ``current``, without outer blanks: ``  recorded  LINE`` and ``  now       LINE``, with
    further lines of each indented by 12 blanks. One side without lines reads ``(nothing)``; if both have none, they are
    left out. Each other difference has the line ``  also: MESSAGE``. There is no line end behind the last line. Without
    a ``problem``, there must be a difference.
    """
    title = Text.assemble(("CHANGED ", SEVERITY_STYLES["error"]), (make_one_line(format_path(file)), "bold"))
    if problem is not None:
        return Text("\n").join([title, Text(f"  {make_printable(problem)}")])
    first, *other_differences = differences
    phase = f" (phase {first.phase})" if first.phase else ""
    reasons: list[tuple[Span, str]] = [(reason.span or NOWHERE, reason.message) for reason in first.reasons]
    heading = Text(f"{make_printable(first.message)}{phase}", "bold")
    parts = [title, render_snippet(heading, SEVERITY_STYLES["error"], first.span or NOWHERE, None, reasons)]
    parts += [
        *_format_lines("recorded", first.recorded, first.current),
        *_format_lines("now", first.current, first.recorded),
    ]
    parts += [Text(f"  also: {make_printable(difference.message)}") for difference in other_differences]
    return Text("\n").join(parts)


def _format_lines(word: str, lines: Lines, other_lines: Lines) -> list[Text]:
    """Return lines under a heading, or nothing if both sides are empty."""
    if not lines and not other_lines:
        return []
    indent = " " * 12
    texts = [make_printable(line.strip()) for line in lines] or ["(nothing)"]
    return [Text(f"  {word:<8}  {texts[0]}"), *(Text(indent + line) for line in texts[1:])]


FINE, WITHOUT, WRONG = "fine", "without", "wrong"
"""States of a check: present, absent but optional, and present but faulty."""


@dataclass(frozen=True)
class HealthCheck:
    """Hold the result of one check of the installation.

    Attributes:
        state: ``FINE``, ``WITHOUT`` or ``WRONG``.
        words: What was found.
        hint: How to fix it, or "".
    """

    name: str
    state: str
    words: str
    hint: str = ""


_HEALTH_SIGNS = {FINE: ("ok", "green"), WITHOUT: ("–", "dim"), WRONG: ("wrong", "bold red")}


def render_health(checks: Sequence[HealthCheck]) -> Table:
    """Render checks of the installation, one row for each, in order: the sign of ``state``, ``name`` and ``words``.

    The sign is ``ok`` for ``FINE``, ``–`` for ``WITHOUT``, and ``wrong`` for ``WRONG``. A ``hint`` stands in a second
    line below ``words``, unless it is "" or the ``state`` is ``FINE``.
    """
    table = Table(box=None, show_header=False, pad_edge=False)
    for check in checks:
        words, style = _HEALTH_SIGNS[check.state]
        lines = [check.words] if check.state == FINE or not check.hint else [check.words, check.hint]
        text = "\n".join(map(make_one_line, lines))
        table.add_row(Text(words, style=style), make_one_line(check.name), Text(make_printable(text), overflow="fold"))
    return table
