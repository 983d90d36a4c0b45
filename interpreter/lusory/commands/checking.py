"""A check of rulesets and their cases, and how people are told. Used by ``check``, once and while watching."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from lusory_dsl.core import Program
from lusory_dsl.ruleset.ignores import MARK
from lusory_dsl.text.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.text.disk import FileRefused
from lusory_dsl.text.files import RulesetFiles
from lusory_dsl.yaml.reader import report_refusal

from ..console.terminal import Terminal
from ..findings.suites import Suite
from .common import CachedProgram, checked


def suite_of(name: str, path: Path, packs: Sequence[Path]) -> Suite:
    """What is wrong with a ruleset. Files that were found to be in order are not checked again, unless remarks in them
    may ignore something; their cases are."""
    start = perf_counter()
    kept = CachedProgram(path, packs)
    known = kept.program()
    ignored: list[tuple[Diagnostic, str]] = []
    if known is not None and known[1] == 0 and not _have_remarks(kept.files):
        program: Program | None = known[0]
        found = case_mistakes(known[0], path, packs)
    else:
        diagnostics = Diagnostics()
        program = checked(kept.files, diagnostics)
        if program is not None:
            kept.keep(program, len(diagnostics))
            diagnostics.extend(case_mistakes(program, path, packs))
        found, ignored = diagnostics.sorted(), diagnostics.ignored
    notes = () if program is None else replacements(program)
    return Suite(name, tuple(found), perf_counter() - start, notes=notes, ignored=tuple(ignored))


def _have_remarks(places: Iterable[RulesetFiles]) -> bool:
    contents = (content for place in places for _, content in place.files)
    return any(isinstance(content, bytes) and MARK.encode() in content for content in contents)


def replacements(program: Program) -> tuple[str, ...]:
    """What packs declare anew, a line for each pack."""
    return tuple(
        f"{pack.name} replaces {', '.join(f'`{name}`' for name in pack.replaces)}."
        for pack in program.packs
        if pack.replaces
    )


def case_mistakes(program: Program, path: Path, packs: Sequence[Path]) -> list[Diagnostic]:
    """What is wrong with the case files of a ruleset, or of the packs that are laid over it."""
    folders = [folder for folder in packs or [path] if (folder / "cases").is_dir()]
    if not folders:
        return []
    from ..author.cases import case_faults, case_files  # imported late: slow, and needed where there are cases only

    try:
        return case_faults(program, [file for folder in folders for file in case_files(folder)])
    except FileRefused as refusal:
        found = Diagnostics()
        report_refusal(refusal, found)
        return found.sorted()


def show(screen: Terminal, found: Sequence[Diagnostic], rulesets: int, notes: Iterable[str] = ()) -> None:
    """What was found in so many rulesets, for people, and what they should know besides."""
    screen.diagnostics(found)
    checked = "1 ruleset" if rulesets == 1 else f"{rulesets} rulesets"
    if not found:
        screen.print(f"No problems found in {checked}.")
    else:
        codes = sorted({d.code.id for d in found})
        screen.print(f"`lusory explain {codes[0]}` says more about {codes[0]}.")
    screen.print(*notes)
