"""The report of a fuzzing campaign. Used by ``lusory fuzz``."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..author.fuzz.campaign import Campaign
from ..author.fuzz.case_file import Finding
from ..author.fuzz.checks import KINDS
from ..author.fuzz.coverage import GOALS

MOST_UNREACHED = 30  # goals in the list of those that no game reached
MOST_ENDS = 10


def report(campaign: Campaign, folder: Path) -> list[RenderableType]:
    """Return the report. ``folder``: where the files of findings are written."""
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
        parts += [Text(f"  {one_line(item.words)}  {printable(str(item.span))}") for item in unreached[:MOST_UNREACHED]]
        more = len(unreached) - MOST_UNREACHED
        parts += [Text(f"  and {more:,} more: --format json lists them all")] if more > 0 else []
        parts.append("")
    counts = campaign.end_counts.most_common(MOST_ENDS)
    ends = ", ".join(f"{one_line(reason) or 'all phases over'} {count:,}" for reason, count in counts)
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
    where = f" in {one_line(problem.where)}" if problem.where not in ("", str(problem.span)) else ""
    length = f"{_count(finding.original_length, 'decision')}, shrunk to {len(script.answers):,}"
    lines: list[RenderableType] = [
        Text(f"{problem.kind}: {KINDS[problem.kind]}{where}", style="bold red"),
        Text(f"  {one_line(problem.message)}"),
    ]
    if problem.span is not None:
        lines.append(Text(f"  {printable(str(problem.span))}"))
    lines.append(Text(f"  game {finding.game_number}, {length}; {one_line(str(script.variant))}", style="dim"))
    if finding.file is not None:
        lines.append(Text(f"  {printable(str(folder / finding.file.name))}"))
    return lines


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
