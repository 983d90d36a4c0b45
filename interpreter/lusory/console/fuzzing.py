"""What a search for faults of rules came to: used by the fuzz command."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..author.fuzz.campaign import Campaign
from ..author.fuzz.case_file import Found
from ..author.fuzz.goals import ENDINGS, GOALS
from ..author.fuzz.wrong import WRONG

MOST_NEVER = 30  # goals that are listed which nobody came to


def campaign(work: Campaign, folder: Path) -> list[RenderableType]:
    """All of it, as a person reads it. ``folder``: where the files of findings are."""
    program = work.program
    parts: list[RenderableType] = [
        Text(f"{program.name}: {_many(work.played, 'game')}, {_many(work.decisions, 'decision')}", style="bold"),
        Text(f"seed {work.seed}", style="dim"),
        "",
        _goals(work),
    ]
    never = work.never()
    if never:
        parts.append(Text("Never:"))
        nearest = work.nearest()
        for item in sorted(never, key=lambda item: item.kind != ENDINGS)[:MOST_NEVER]:
            parts.append(Text(f"  {one_line(item.words)}  {printable(str(item.span))}"))
            if item in nearest:
                made, lacking = nearest[item]
                said = "; ".join(lacking) or "all that it takes, but it is not looked at there"
                parts.append(Text(f"    nearest after {_many(made, 'decision')}: {one_line(said)}", style="dim"))
        more = len(never) - MOST_NEVER
        parts += [Text(f"  and {more:,} more: --format json lists them")] if more > 0 else []
        parts.append("")
    ends = ", ".join(f"{one_line(reason) or 'played out'} {n}" for reason, n in work.ends.most_common(10))
    parts.append(Text(f"ends: {ends or 'none'}; left before the end {work.left}"))
    most = work.limits.game
    parts.append(Text(f"the most work of a game: {work.most_work:,} of {most:,}"))
    if not work.found:
        return [*parts, Text("Nothing wrong was found.")]
    for found in work.found:
        parts += ["", *_finding(found, folder)]
    return parts


def _goals(work: Campaign) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title, justify in (("Goals", "left"), ("reached", "right"), ("of", "right"), ("", "left")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for kind, (reached, total) in work.reached().items():
        table.add_row(kind, f"{reached:,}", f"{total:,}", GOALS[kind])
    return table


def _finding(found: Found, folder: Path) -> list[RenderableType]:
    wrong = found.wrong
    where = f" in {one_line(wrong.where)}" if wrong.where else ""
    shrunk = f"{_many(found.before, 'decision')}, shrunk to {len(found.script.answers):,}; {found.script.variant}"
    lines: list[RenderableType] = [
        Text(f"{wrong.kind}: {WRONG[wrong.kind]}{where}", style="bold red"),
        Text(f"  {one_line(wrong.message)}"),
    ]
    if wrong.span is not None:
        lines.append(Text(f"  {printable(str(wrong.span))}"))
    lines.append(Text(f"  game {found.number}, {one_line(shrunk)}", style="dim"))
    if found.file is not None:
        lines.append(Text(f"  {printable(str(folder / found.file.name))}"))
    return lines


def _many(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
