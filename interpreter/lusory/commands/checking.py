"""A check of rulesets and their cases, and how people are told. Used by ``check``, once and while watching."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from lusory_dsl.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.program import check

from ..console.terminal import Terminal
from ..laws import check_laws
from ..reports.findings import Suite


def suite_of(name: str, path: Path, packs: Sequence[Path]) -> Suite:
    """What is wrong with a ruleset."""
    start = perf_counter()
    *_, stage = stages(path, packs)
    return Suite(name, tuple(stage.found), perf_counter() - start)


class Stage(NamedTuple):
    """What is known to be wrong with a ruleset; ``is_last``: that is all."""

    found: list[Diagnostic]
    is_last: bool


def stages(path: Path, packs: Sequence[Path]) -> Iterator[Stage]:
    """What is wrong with the rules, then, where they have no error, what is wrong with them and their case files."""
    diagnostics = Diagnostics()
    program = check(path, diagnostics, packs)
    if program is not None:
        check_laws(program, diagnostics)
    folders = [folder for folder in packs or [path] if (folder / "cases").is_dir()]
    if program is None or not folders:
        yield Stage(diagnostics.sorted(), True)
        return
    yield Stage(diagnostics.sorted(), False)
    from ..cases import case_faults, case_files  # imported late: slow, and needed where there are cases only

    diagnostics.extend(case_faults(program, [file for folder in folders for file in case_files(folder)]))
    yield Stage(diagnostics.sorted(), True)


def show(screen: Terminal, found: Sequence[Diagnostic], rulesets: int) -> None:
    """What was found in so many rulesets, for people."""
    screen.diagnostics(found)
    checked = "1 ruleset" if rulesets == 1 else f"{rulesets} rulesets"
    if not found:
        screen.print(f"No problems found in {checked}.")
        return
    codes = sorted({d.code.id for d in found})
    screen.print(f"`lusory explain {codes[0]}` says more about {codes[0]}.")
