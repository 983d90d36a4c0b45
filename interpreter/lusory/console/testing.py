"""How well cases test a ruleset, as people read it: coverage, and changes that nobody noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.core import Program
from lusory_dsl.text.printable import one_line, printable
from lusory_dsl.text.source import NOWHERE

from ..author.adequacy.coverage import Coverage
from ..author.adequacy.items import KINDS
from ..author.adequacy.mutation import KILLED, SURVIVED, UNTOUCHED, MutantFate, noticed
from ..findings.numbers import percentage, several
from ..findings.suites import shown_place
from .diagnostics import snippet

T = TypeVar("T")
GOOD, POOR = 100.0, 80.0  # percent: green from here, red below


def counted(items: Iterable[T], show: Callable[[int], None]) -> Iterator[T]:
    """The items, one after the other; shows how many are done."""
    for number, item in enumerate(items):
        show(number)
        yield item


# ---------------------------------------------------------------- coverage


def coverage(found: Coverage) -> list[RenderableType]:
    """Of each kind how much is covered."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    grid.add_column("Covered")
    for title in ("", "Of", "%"):
        grid.add_column(title, justify="right")
    for kind, (covered, total) in found.counts().items():
        grid.add_row(f"{kind} {KINDS[kind]}", *_figures(covered, total))
    grid.add_section()
    grid.add_row("all", *_figures(len(found.covered), len(found.items)))
    failed = sum(not result.passed for result in found.results)
    cases = several(len(found.results), "case") + (f", {failed} failed" if failed else "")
    return [Text(one_line(f"{found.program.name}: {cases}"), style="bold"), "", grid, ""]


def missing(found: Coverage) -> Iterator[Text]:
    """What is not covered, a line each, with its place."""
    for number, (item, more) in enumerate(found.missing()):
        if number == 0:
            yield Text("Not covered:", style="bold")
        behind = f", nor what depends on it ({more} more)" if more else ""
        yield Text.assemble((f"  {one_line(shown_place(item.span))}", "cyan"), f" {printable(item.missing)}{behind}")


def _figures(covered: int, total: int) -> tuple[str, str, Text]:
    percent = 100 * covered / total if total else 100.0
    style = "green" if percent >= GOOD else "red" if percent < POOR else "yellow"
    return f"{covered:,}", f"{total:,}", Text(percentage(percent), style=style)


# ---------------------------------------------------------------- mutation


def survivors(verdicts: Iterable[MutantFate], width: int | None = None) -> Iterator[Text]:
    """The changes that nobody noticed, each with its line."""
    for verdict in verdicts:
        if verdict.outcome != KILLED:
            mutant = verdict.mutant
            title = Text.assemble((verdict.outcome, "bold red"), (f": {one_line(mutant.change)}", "bold"))
            title.append(f" (in {mutant.owner})", "dim")
            note = f"{verdict.tried} cases come here, and all pass" if verdict.tried > 1 else "the one case here passes"
            note = note if verdict.outcome == SURVIVED else "no case comes here"
            yield Text.assemble(snippet(title, "bold red", mutant.span, None, [(NOWHERE, note)], width), "\n")


def mutation(program: Program, verdicts: Sequence[MutantFate], wanted: int) -> list[RenderableType]:
    """How many changes of each kind were noticed."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    grid.add_column("Changed")
    for title in (KILLED, SURVIVED, UNTOUCHED, "%"):
        grid.add_column(title, justify="right")
    for kind in dict.fromkeys(verdict.mutant.kind for verdict in sorted(verdicts, key=lambda v: v.mutant.kind)):
        grid.add_row(kind, *_scores([verdict for verdict in verdicts if verdict.mutant.kind == kind]))
    grid.add_section()
    grid.add_row("all", *_scores(verdicts))
    title = f"{one_line(program.name)}: {several(len(verdicts), 'change')}"
    if len(verdicts) < wanted:
        title += f" of {wanted:,}, then interrupted"
    return [Text(title, style="bold"), "", grid, ""]


def _scores(verdicts: Sequence[MutantFate]) -> tuple[str, ...]:
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    return (*(f"{outcomes[outcome]:,}" for outcome in (KILLED, SURVIVED, UNTOUCHED)), percentage(noticed(verdicts)))
