"""Load and run the cases of a ruleset, on one or both engines, in one or several processes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from weakref import WeakKeyDictionary

from lusory_dsl import core
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.safe_files import CASES, list_files
from lusory_dsl.source.source import Source, Span
from lusory_dsl.yaml.reader import decode_source, read_bytes

from ...game import ENGINES
from ...state.setting import Observer
from ...state.state import CodeStore
from ...support.process_pool import map_in_order
from ..differential import Found, compare, difference, pair, side_by_side, told
from .model import NAMELESS, Case, CaseResult, Failure
from .positions import Named, SharedPositions
from .reader import CaseFile, case_file, read_cases
from .runner import CaseRun, Moment, play

ORACLE, OTHER = ENGINES
HINT = "this is a bug in lusory, not in your rules: please report it with the rules"
MOST_DECISIONS = 120
"""Maximum decisions of a random game that is played on both engines beside the cases."""


def play_on_both(case: Case, program: core.Program, through_json: bool = False) -> tuple[Failure, ...]:
    """Return the failures of a case on the evaluator, and the first difference of the other engine."""
    if case.errors:
        return tuple(map(Failure, case.errors))
    oracle = CaseRun(case, program, ORACLE, through_json)
    failures = oracle.play()
    if not oracle.moments:
        # the case failed before the game started
        return failures
    other = CaseRun(case, program, OTHER, through_json, first=oracle)
    try:
        others = other.play()
    except Exception as error:
        return (*failures, _broken(other.span, error))
    for run in (oracle, other) if oracle.waiting is not None and other.waiting is not None else ():
        run.end_quietly()
    parted = _first_difference(oracle.moments, other.moments)
    if parted is not None:
        return (*failures, parted)
    expected = [
        _told(failure) for failure in failures if failure.diagnostic.code is not diagnostic_codes.INVARIANT_BROKEN
    ]
    if expected == [_told(failure) for failure in others]:
        return failures
    said = [f"{len(found)} failures" for found in (failures, others)]
    return (*failures, _differs(case.span, ("what the case reports", (said[0], said[1]))), *others)


def _told(failure: Failure) -> tuple[str, str]:
    return failure.diagnostic.code.id, str(failure.diagnostic.span)


def _first_difference(one: Sequence[Moment], other: Sequence[Moment]) -> Failure | None:
    for left, right in zip(one, other, strict=False):
        found = compare(left, right, words=False)
        if found is not None:
            return _differs(left.span, found, (told(left), told(right)))
    if len(one) == len(other):
        return None
    said = [f"{len(moments)} times" for moments in (one, other)]
    return _differs((one or other)[-1].span, ("how often the game stops", (said[0], said[1])))


def _differs(span: Span, found: Found, logs: tuple[Sequence[str], Sequence[str]] = ((), ())) -> Failure:
    what, said = found
    width = max(map(len, ENGINES)) + 1
    details = [f"{f'{engine}:':<{width}} {words}" for engine, words in zip(ENGINES, said, strict=True)]
    details += ["what happened on each:", *side_by_side(*logs)] if any(logs) else []
    return Failure(
        Diagnostic(diagnostic_codes.ENGINES_DIFFER, f"the engines differ: {what}", span, HINT), tuple(details)
    )


def _broken(span: Span, error: Exception) -> Failure:
    message = f"the {OTHER} engine fails: {type(error).__name__}: {error}"
    return Failure(Diagnostic(diagnostic_codes.ENGINES_DIFFER, message, span, HINT))


# ---------------------------------------------------------------- random games


@dataclass(frozen=True)
class RandomGame:
    """Game in which the first decisions are random, played on both engines."""

    program: core.Program
    players: int
    seed: int

    def play(self, store: CodeStore | None = None) -> CaseResult:
        """Play the game and return a result as for a case. It passes if the engines agree."""
        start = perf_counter()
        title = f"A random game of {self.players} players, seed {self.seed}, on both engines"
        span = self.program.setup.span if self.program.phases == () else self.program.phases[0].span
        failures: tuple[Failure, ...] = ()
        try:
            found = difference(pair(self.program, self.players, store=store), self.seed, most=MOST_DECISIONS)
        except Exception as error:
            failures = (_broken(span, error),)
        else:
            if found is not None:
                where = (f"after {found.decisions} decisions", *((f"the last {found.last}",) if found.last else ()))
                differs = _differs(span, (found.what, found.said), found.logs)
                failures = (Failure(differs.diagnostic, (", ".join(where), *differs.details)),)
        name = f"random-{self.players}-{self.seed}"
        return CaseResult(span.source.name, name, title, (), span, failures, perf_counter() - start)


def random_games(program: core.Program) -> list[RandomGame]:
    """Return at least two games, with at least one for each number of players."""
    numbers = range(program.min_players, program.max_players + 1)
    return [RandomGame(program, numbers[i % len(numbers)], i) for i in range(max(2, len(numbers)))]


CASES_ENGINE = "evaluator"
"""Default engine for cases.

It starts at once, while the compiled engine first generates code for each set of options.
"""
BOTH = "both"
"""Value for an engine: play on both engines and report differences as failures."""
ALONE = 0.5  # seconds of play before other processes are started
ROW = 16  # number of cases of one game in one task, if the game is compiled

_Outcome = tuple[tuple[Failure, ...], float]


def case_files(path: Path) -> list[Path]:
    """Return the case files in a ruleset's folder, sorted by name, or the given file.

    Raises FileRefused for too many.
    """
    return list_files(path / CASES, ".yaml") if path.is_dir() else [path]


def run_cases(
    program: core.Program,
    cases: Path | Sequence[Path | Source] | None = None,
    engine: str = CASES_ENGINE,
    only: str | None = None,
    through_json: bool = False,
) -> list[CaseResult]:
    """Run the cases of a program and return their results, in the order of files and cases.

    - ``cases``: a ruleset's folder, a case file, or a list of files or sources. The default is the program's folder.
    - ``engine``: one of the engines, or :data:`BOTH`.
    - ``only``: a part of ``file:id`` or of the title of the cases to run.
    - ``through_json``: write the state to JSON and read it back at every decision.

    A file that cannot be read gives a result with failures.
    """
    return list(play_cases(program, load_cases(program, cases, only), engine, through_json))


def play_cases(
    program: core.Program,
    cases: Sequence[Case | CaseResult],
    engine: str = CASES_ENGINE,
    through_json: bool = False,
    jobs: int = 1,
    alone: float = 0.0,
) -> Generator[CaseResult, None, None]:
    """Run the cases from :func:`load_cases` and yield their results in order, as soon as they are known.

    ``jobs`` is the number of processes. They start after ``alone`` seconds, and only if the remaining cases will
    probably take longer than that.
    """
    start = perf_counter()
    player = _Player(program, cases, engine, through_json)
    for played in range(len(cases)):
        spent = perf_counter() - start
        if jobs > 1 and spent >= alone and spent * (len(cases) - played) >= alone * played:
            yield from _divided(player, played, jobs)
            return
        yield player.result(played)


def _divided(player: _Player, first: int, jobs: int) -> Iterator[CaseResult]:
    """Yield the results of the cases from number ``first`` on, played by several processes."""
    # results that arrived before their turn
    early: dict[int, CaseResult] = {}
    turn = first
    rows = _rows(player.cases, first, 1 if player.engine == CASES_ENGINE else ROW)
    with closing(map_in_order(player.play, rows, jobs)) as found:
        for row, outcomes in zip(rows, found, strict=True):
            early.update((number, player.result(number, out)) for number, out in zip(row, outcomes, strict=True))
            while turn in early:
                yield early.pop(turn)
                turn += 1


def _rows(cases: Sequence[Case | CaseResult], first: int, longest: int) -> list[list[int]]:
    """Group the cases from ``first`` on for processes.

    The cases of a group share a game, so that it is created once.
    """
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
    """Player of cases by number, here or in another process."""

    program: core.Program
    cases: Sequence[Case | CaseResult]
    engine: str
    through_json: bool

    def play(self, numbers: Sequence[int]) -> list[_Outcome]:
        """Return the failures and the seconds of each case. The rest of a result is known to the caller."""
        return [(result.failures, result.seconds) for result in map(self.result, numbers)]

    def result(self, number: int, outcome: _Outcome | None = None) -> CaseResult:
        """Return the result of a case. Plays it unless its outcome is given."""
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
    """Return the cases for :func:`run_cases` in order, with a result in place of each file that cannot be read."""
    if cases is None:
        cases = [] if program.directory is None else Path(program.directory)
    files = _read(program, case_files(cases) if isinstance(cases, Path) else cases)
    positions = _shared(program, files)
    first: dict[str, Span] = {}
    loaded: list[Case | CaseResult] = []
    for file in files:
        read = [] if file.cases is None else read_cases(program, file.cases, positions, only)
        if only is None:
            found = [*file.faults, *(fault for fault in positions.faults() if _is_in(file, fault))]
        else:
            found = [] if not read and not file.may_hold(only) else file.faults
        if _errors(found):
            loaded.append(_unreadable(file, found))
        loaded += [_told_apart(case, first) for case in read]
    return loaded


def case_faults(program: core.Program, files: Sequence[Path | Source]) -> list[Diagnostic]:
    """Return the diagnostics of case files without playing them."""
    faults = Diagnostics()
    read = _read(program, files)
    positions = _shared(program, read)
    faults.extend(positions.faults())
    first: dict[str, Span] = {}
    shared = tuple((file.name, file.text) for file in read if file.cases is not None and file.cases.positions)
    for file in read:
        faults.extend(file.faults)
        for case in _read_again(program, file, positions, shared):
            faults.extend(_told_apart(case, first).faults)
    return faults.sorted()


_last_readings: WeakKeyDictionary[core.Program, dict[str, tuple[object, list[Case]]]] = WeakKeyDictionary()
"""The cases of each file as they were last read, with everything that the reading depended on, by file name."""


def _read_again(program: core.Program, file: _File, positions: SharedPositions, shared: object) -> list[Case]:
    """Return the cases of a file, from its last reading with the same program if nothing has changed.

    ``shared`` are the files with shared positions.
    """
    if file.cases is None:
        return []
    if program.packs:  # such cases can use positions from files of the game, which are not in ``shared``
        return read_cases(program, file.cases, positions)
    readings = _last_readings.setdefault(program, {})
    if file.name not in readings or readings[file.name][0] != (file.text, shared):
        readings[file.name] = (file.text, shared), read_cases(program, file.cases, positions)
    return readings[file.name][1]


@dataclass(frozen=True, eq=False)
class _File:
    """Case file: its readable part, and the faults of the file as a whole."""

    name: str
    text: str
    cases: CaseFile | None
    faults: list[Diagnostic]

    def may_hold(self, only: str) -> bool:
        """Return whether the unreadable file may contain a requested case."""
        return (self.cases is None or not self.cases.cases) and only.lower() in f"{self.name}:{self.text}".lower()


def _read(program: core.Program, files: Sequence[Path | Source]) -> list[_File]:
    found = []
    for file in files:
        faults = Diagnostics()
        source = file if isinstance(file, Source) else _source(file, faults)
        cases = None if source is None else case_file(source, faults)
        if cases is not None:
            faults.extend(cases.of_file())
        name, text = (str(file), "") if source is None else (source.name, source.text)
        found.append(_File(name, text, cases, faults.sorted()))
    return found


def _shared(program: core.Program, files: Sequence[_File]) -> SharedPositions:
    """Return the shared positions of files and, on demand, of the ruleset's other case files."""

    def others() -> Iterator[Named]:
        known = {file.name for file in files}
        own = [] if program.directory is None else case_files(Path(program.directory))
        for file in _read(program, [path for path in own if str(path) not in known]):
            yield from () if file.cases is None else file.cases.positions

    named = (named for file in files if file.cases is not None for named in file.cases.positions)
    return SharedPositions(program, named, others)


def _is_in(file: _File, fault: Diagnostic) -> bool:
    return fault.span.source.name == file.name


def run_case(
    program: core.Program,
    case: Case,
    engine: str = CASES_ENGINE,
    through_json: bool = False,
    observer: Observer | None = None,
) -> CaseResult:
    """Run one case. An ``observer`` requires the evaluator."""
    start = perf_counter()
    failures = play(case, program, engine, through_json, observer)
    return _result(case, (failures, perf_counter() - start))


def _result(case: Case, outcome: _Outcome) -> CaseResult:
    clauses = tuple(clause.text for clause in case.clauses)
    return CaseResult(case.span.source.name, case.id, case.title, clauses, case.span, *outcome)


def covered_clauses(program: core.Program, packs: Sequence[Path] = ()) -> dict[str, list[str]]:
    """Return for each clause the cases that name it, as `file:id title`, without playing them.

    Includes the cases of the ruleset and of packs that are folders.
    """
    found: dict[str, list[str]] = {}
    folders = [*([] if program.directory is None else [Path(program.directory)]), *packs]
    files = _read(program, [file for folder in folders if folder.is_dir() for file in case_files(folder)])
    positions = _shared(program, files)
    for file in files:
        for case in [] if file.cases is None else read_cases(program, file.cases, positions):
            for clause in case.clauses:
                found.setdefault(clause.text, []).append(f"{Path(file.name).stem}:{case.id} {case.title}".strip())
    return found


def check_cases(
    program: core.Program, cases: Path | Sequence[Path | Source], diagnostics: Diagnostics, engine: str = CASES_ENGINE
) -> None:
    """Run cases and add their failures to ``diagnostics``."""
    for result in run_cases(program, cases, engine):
        diagnostics.extend(failure.diagnostic for failure in result.failures)


def _source(path: Path, diagnostics: Diagnostics) -> Source | None:
    data = read_bytes(path, str(path), diagnostics)
    return None if data is None else decode_source(str(path), data, diagnostics)


def _told_apart(case: Case, first: dict[str, Span]) -> Case:
    """Return the case, with a fault if its id is used twice. Adds its id to ``first``."""
    earlier = first.setdefault(case.id, case.span)
    if earlier is case.span or case.id == NAMELESS:
        return case
    message = f"two cases have the id `{case.id}`"
    fault = Diagnostic(
        diagnostic_codes.DUPLICATE_CASE, message, case.span, "rename one of them", ((earlier, "the other one"),)
    )
    return replace(case, faults=(fault, *case.faults))


def _unreadable(file: _File, problems: Sequence[Diagnostic]) -> CaseResult:
    """Return a result for a file that is not fully readable."""
    failures = tuple(map(Failure, _errors(problems)))
    return CaseResult(file.name, Path(file.name).name, "can't be read", (), problems[0].span, failures)


def _errors(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [problem for problem in problems if problem.severity == "error"]
