"""Scenario tests: runs the case files of a ruleset. Behind the command ``test`` and behind pytest; prints nothing.

A ruleset's cases lie in its folder ``cases/``; ``docs/cases.md`` describes the files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from lusory_dsl import core
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.text.disk import CASES, files_in
from lusory_dsl.text.source import Source, Span
from lusory_dsl.yaml.reader import decode_source, read_bytes

from ...processes import in_order
from ...table.observer import Observer
from .engines import play_on_both
from .model import Case, CaseResult, Failure
from .reader import cases_of, read_cases
from .runner import play

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
    "play_cases",
    "read_cases",
    "run_case",
    "run_cases",
]

CASES_ENGINE = "evaluator"
"""The engine that plays a single case: it begins at once, where a compiled one is first made for every set of options.
"""
BOTH = "both"
"""In place of an engine: each of them plays, and what they say otherwise is a failure."""
ALONE = 0.5  # seconds for which one process plays before it is worth while to start others
ROW = 16  # cases of one game that a process plays in a row where the game is compiled first

_Outcome = tuple[tuple[Failure, ...], float]


def case_files(path: Path) -> list[Path]:
    """The case files of a ruleset's folder, by name; a file stands for itself. Raises FileRefused for too many."""
    return files_in(path / CASES, ".yaml") if path.is_dir() else [path]


def run_cases(
    program: core.Program,
    cases: Path | Sequence[Path | Source] | None = None,
    engine: str = CASES_ENGINE,
    only: str | None = None,
    through_json: bool = False,
) -> list[CaseResult]:
    """Play the cases of a program and tell how each went, in the order of files and cases.

    ``engine``: one of the engines, or :data:`BOTH`.
    ``cases``: a ruleset's folder, a case file, or a list of files or sources; the program's own folder when not said.
    ``only``: a part of ``file:id`` or of the title of the cases to play. ``through_json``: at every decision the state
    is written as JSON and read again. A file that can't be read is a result with failures of its own."""
    return list(play_cases(program, load_cases(program, cases, only), engine, through_json))


def play_cases(
    program: core.Program,
    cases: Sequence[Case | CaseResult],
    engine: str = CASES_ENGINE,
    through_json: bool = False,
    jobs: int = 1,
    alone: float = 0.0,
) -> Generator[CaseResult, None, None]:
    """How each of the cases that :func:`load_cases` gives goes, in their order, as soon as it is known.

    ``jobs``: processes at work. They are started when this one has played for ``alone`` seconds, and only if what is
    left then will take longer than that."""
    start = perf_counter()
    player = _Player(program, cases, engine, through_json)
    for played in range(len(cases)):
        spent = perf_counter() - start
        if jobs > 1 and spent >= alone and spent * (len(cases) - played) >= alone * played:
            yield from _divided(player, played, jobs)
            return
        yield player.result(played)


def _divided(player: _Player, first: int, jobs: int) -> Iterator[CaseResult]:
    """How the cases from number ``first`` on go, played by several processes."""
    early: dict[int, CaseResult] = {}  # what was played before its turn
    turn = first
    rows = _rows(player.cases, first, 1 if player.engine == CASES_ENGINE else ROW)
    with closing(in_order(player.play, rows, jobs)) as found:
        for row, outcomes in zip(rows, found, strict=True):
            early.update((number, player.result(number, out)) for number, out in zip(row, outcomes, strict=True))
            while turn in early:
                yield early.pop(turn)
                turn += 1


def _rows(cases: Sequence[Case | CaseResult], first: int, longest: int) -> list[list[int]]:
    """The numbers of cases, from ``first`` on, that a process plays in a row: they share a game, made once for them."""
    rows: list[list[int]] = []
    open_rows: dict[object, list[int]] = {}
    for number in range(first, len(cases)):
        case = cases[number]
        game = (case.players, *case.options.items()) if isinstance(case, Case) else None
        row = open_rows.get(game)
        if row is None or len(row) == longest:
            row = open_rows[game] = []
            rows.append(row)
        row.append(number)
    return rows


@dataclass(frozen=True)
class _Player:
    """Plays cases by their numbers, here or in another process."""

    program: core.Program
    cases: Sequence[Case | CaseResult]
    engine: str
    through_json: bool

    def play(self, numbers: Sequence[int]) -> list[_Outcome]:
        """Why each of some cases does not pass, and how many seconds it took: what differs from what is known of it."""
        return [(result.failures, result.seconds) for result in map(self.result, numbers)]

    def result(self, number: int, outcome: _Outcome | None = None) -> CaseResult:
        """How a case goes; played now, unless its outcome is known."""
        case = self.cases[number]
        if isinstance(case, CaseResult):
            return case
        if outcome is not None:
            return _result(case, outcome)
        if self.engine != BOTH:
            return run_case(self.program, case, self.engine, self.through_json)
        start = perf_counter()
        failures = play_on_both(case, self.program, self.through_json)
        return _result(case, (failures, perf_counter() - start))


def load_cases(
    program: core.Program, cases: Path | Sequence[Path | Source] | None = None, only: str | None = None
) -> list[Case | CaseResult]:
    """The cases that :func:`run_cases` plays, in its order; a file that can't be read is a result already."""
    if cases is None:
        cases = [] if program.directory is None else Path(program.directory)
    loaded: list[Case | CaseResult] = []
    for name, found, read in _read(program, case_files(cases) if isinstance(cases, Path) else cases, only):
        if found.has_errors:
            loaded.append(_unreadable(name, found))
        loaded += read
    return loaded


def case_faults(program: core.Program, files: Sequence[Path | Source]) -> list[Diagnostic]:
    """What is wrong with case files as they are written. Nothing is played."""
    faults = Diagnostics()
    for _, found, read in _read(program, files):
        faults.extend(found.sorted())
        for case in read:
            faults.extend(case.faults)
    return faults.sorted()


def _read(
    program: core.Program, files: Sequence[Path | Source], only: str | None = None
) -> Iterator[tuple[str, Diagnostics, list[Case]]]:
    """The name of each file, what is wrong with it as a whole, and its cases, or those that ``only`` names."""
    first: dict[str, Span] = {}
    for file in files:
        found = Diagnostics()
        source = file if isinstance(file, Source) else _source(file, found)
        read = [] if source is None else read_cases(program, source, found, only)
        name = source.name if source is not None else str(file)
        yield name, found, [_told_apart(case, first) for case in read]


def run_case(
    program: core.Program,
    case: Case,
    engine: str = CASES_ENGINE,
    through_json: bool = False,
    observer: Observer | None = None,
) -> CaseResult:
    """Play one case. ``observer``: looks on; only the evaluator can be looked at."""
    start = perf_counter()
    failures = play(case, program, engine, through_json, observer)
    return _result(case, (failures, perf_counter() - start))


def _result(case: Case, outcome: _Outcome) -> CaseResult:
    clauses = tuple(clause.text for clause in case.clauses)
    return CaseResult(case.span.source.name, case.id, case.title, clauses, case.span, *outcome)


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
    program: core.Program, cases: Path | Sequence[Path | Source], diagnostics: Diagnostics, engine: str = CASES_ENGINE
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
