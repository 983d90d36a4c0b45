"""Scenario tests: runs the case files of a ruleset. Behind the command ``test`` and behind pytest; prints nothing.

A ruleset's cases lie in its folder ``cases/``; ``docs/cases.md`` describes the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from lusory_dsl import codes, core
from lusory_dsl.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source import Source, Span
from lusory_dsl.yaml_reader import decode_source, read_bytes

from .cases_model import Case, CaseResult, Failure
from .cases_reader import cases_of, read_cases
from .cases_runner import play
from .game import DEFAULT_ENGINE
from .observer import Observer

__all__ = [
    "Case",
    "CaseResult",
    "Failure",
    "case_faults",
    "case_files",
    "cases_of",
    "check_cases",
    "covered_clauses",
    "load_cases",
    "read_cases",
    "run_case",
    "run_cases",
]


def case_files(path: Path) -> list[Path]:
    """The case files of a ruleset's folder, by name; a file stands for itself."""
    if path.is_file():
        return [path]
    return sorted((path / "cases").glob("*.yaml"))


def run_cases(
    program: core.Program,
    cases: Path | Sequence[Path | Source] | None = None,
    engine: str = DEFAULT_ENGINE,
    only: str | None = None,
    through_json: bool = False,
) -> list[CaseResult]:
    """Play the cases of a program and tell how each went, in the order of files and cases.

    ``cases``: a ruleset's folder, a case file, or a list of files or sources; the program's own folder when not said.
    ``only``: a part of ``file:id`` or of the title of the cases to play. ``through_json``: at every decision the state
    is written as JSON and read again. A file that can't be read is a result with failures of its own."""
    return [
        case if isinstance(case, CaseResult) else run_case(program, case, engine, through_json)
        for case in load_cases(program, cases, only)
    ]


def load_cases(
    program: core.Program, cases: Path | Sequence[Path | Source] | None = None, only: str | None = None
) -> list[Case | CaseResult]:
    """The cases that :func:`run_cases` plays, in its order; a file that can't be read is a result already."""
    if cases is None:
        cases = [] if program.directory is None else Path(program.directory)
    loaded: list[Case | CaseResult] = []
    for name, found, read in _read(program, case_files(cases) if isinstance(cases, Path) else cases):
        if found.has_errors:
            loaded.append(_unreadable(name, found))
        loaded += [case for case in read if only is None or only.lower() in f"{name}:{case.id} {case.title}".lower()]
    return loaded


def case_faults(program: core.Program, files: Sequence[Path | Source]) -> list[Diagnostic]:
    """What is wrong with case files as they are written. Nothing is played."""
    faults = Diagnostics()
    for _, found, read in _read(program, files):
        faults.extend(found.sorted())
        for case in read:
            faults.extend(case.faults)
    return faults.sorted()


def _read(program: core.Program, files: Sequence[Path | Source]) -> Iterator[tuple[str, Diagnostics, list[Case]]]:
    """The name of each file, what is wrong with it as a whole, and its cases."""
    first: dict[str, Span] = {}
    for file in files:
        found = Diagnostics()
        source = file if isinstance(file, Source) else _source(file, found)
        read = [] if source is None else read_cases(program, source, found)
        name = source.name if source is not None else str(file)
        yield name, found, [_told_apart(case, first) for case in read]


def run_case(
    program: core.Program,
    case: Case,
    engine: str = DEFAULT_ENGINE,
    through_json: bool = False,
    observer: Observer | None = None,
) -> CaseResult:
    """Play one case. ``observer``: looks on; only the evaluator can be looked at."""
    clauses = tuple(clause.text for clause in case.clauses)
    start = perf_counter()
    failures = play(case, program, engine, through_json, observer)
    seconds = perf_counter() - start
    return CaseResult(case.span.source.name, case.id, case.title, clauses, case.span, failures, seconds)


def covered_clauses(program: core.Program, packs: Sequence[Path] = ()) -> dict[str, list[str]]:
    """The cases that name each clause, as `file:id title`, without playing them: those of the ruleset, and of packs
    that are folders."""
    found: dict[str, list[str]] = {}
    folders = [*([] if program.directory is None else [Path(program.directory)]), *packs]
    for file in (file for folder in folders if folder.is_dir() for file in case_files(folder)):
        source = _source(file, Diagnostics())
        for case in [] if source is None else read_cases(program, source, Diagnostics()):
            for clause in case.clauses:
                found.setdefault(clause.text, []).append(f"{file.stem}:{case.id} {case.title}".strip())
    return found


def check_cases(
    program: core.Program, cases: Path | Sequence[Path | Source], diagnostics: Diagnostics, engine: str = DEFAULT_ENGINE
) -> None:
    """Play cases and add why they do not pass to ``diagnostics``."""
    for result in run_cases(program, cases, engine):
        diagnostics.extend(failure.diagnostic for failure in result.failures)


def _source(path: Path, diagnostics: Diagnostics) -> Source | None:
    data = read_bytes(path, str(path), diagnostics)
    return None if data is None else decode_source(str(path), data, diagnostics)


def _told_apart(case: Case, first: dict[str, Span]) -> Case:
    """A case whose id was used before is faulty. ``first``: where each id stands; is added to."""
    earlier = first.setdefault(case.id, case.span)
    if earlier is case.span:
        return case
    message = f"there is another case `{case.id}`"
    fault = Diagnostic(codes.DUPLICATE_CASE, message, case.span, "rename one of them", ((earlier, "the other one"),))
    return replace(case, faults=(fault, *case.faults))


def _unreadable(name: str, found: Diagnostics) -> CaseResult:
    """What stands for a file whose cases can't be read."""
    problems = found.sorted()
    failures = tuple(Failure(problem) for problem in _errors(problems))
    return CaseResult(name, Path(name).name, "can't be read", (), problems[0].span, failures)


def _errors(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [problem for problem in problems if problem.severity == "error"]
