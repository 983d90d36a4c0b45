"""Load and run the cases of a ruleset, on one or both engines, in one or several processes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import perf_counter

from lusory_dsl import core
from lusory_dsl.checker.code_fields_templates_and_check_cache import find_words
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import (
    find_cached,
    get_cached,
    has_lasting_cache,
    store_cached,
)
from lusory_dsl.source.safe_files_and_bundled_data import CASES, list_files
from lusory_dsl.source.source import Source, Span, count_noun

from ...state.decisions_outcomes_and_faults import RulesetFault
from ...state.setting_value_limits_builtins_and_names import Observer
from ...state.state import CodeStore
from ...support.process_pool import map_in_order
from ..engine_comparison import create_engine_pair, find_difference
from .case_file_parser import CaseFile, describe_rules, parse_case_file, read_cases
from .case_model import NAMELESS, Case, CaseResult, Failure
from .case_position_parser import NamedPosition, SharedPositions
from .single_case_runner import BOTH as BOTH, create_crash_failure, create_difference_failure, play_case

MAX_RANDOM_DECISIONS = 120
"""Maximum decisions of a random game that is played on both engines beside the cases."""


# ---------------------------------------------------------------- random games


@dataclass(frozen=True)
class RandomGame:
    """Game in which the first decisions are random, played on both engines."""

    program: core.Program
    players: int
    seed: int

    def play(self, store: CodeStore | None = None) -> CaseResult:
        """Play the game on both engines and return a result as for a case. If the engines agree, ``failures`` is ().

        The game stops after ``MAX_RANDOM_DECISIONS`` decisions. A crash and a fault of the scoring are failures, but
        not a fault of the rules in play that both engines raise. ``id`` is ``random-2-7`` for 2 players and seed 7.
        ``span`` is that of the first phase, or of the setup if there is none.
        """
        start = perf_counter()
        title = f"A random game of {count_noun(self.players, 'player')}, seed {self.seed}, on both engines"
        span = self.program.setup.span if self.program.phases == () else self.program.phases[0].span
        failures: tuple[Failure, ...] = ()
        try:
            games = create_engine_pair(self.program, self.players, store)
            difference = find_difference(games, self.seed, decision_limit=MAX_RANDOM_DECISIONS)
        except RulesetFault as fault:  # of the scoring
            message, place = f"the rules fail: {fault.message}", fault.span or span
            failures = (Failure(Diagnostic(diagnostic_codes.RULES_FAULT, message, place)),)
        except Exception as error:
            failures = (create_crash_failure(span, error),)
        else:
            if difference is not None:
                decisions = count_noun(difference.decisions, "decision")
                last_clause = difference.last_decision and f", the last {difference.last_decision}"
                failure = create_difference_failure(span, (difference.subject, difference.values), difference.logs)
                failures = (Failure(failure.diagnostic, (f"after {decisions}{last_clause}", *failure.details)),)
        name = f"random-{self.players}-{self.seed}"
        return CaseResult(span.source.name, name, title, (), span, failures, perf_counter() - start)


def list_random_games(program: core.Program) -> list[RandomGame]:
    """Return at least two games, with at least one for each number of players, the fewest first.

    Their seeds are 0, 1, ….
    """
    numbers = range(program.min_players, program.max_players + 1)
    return [RandomGame(program, numbers[i % len(numbers)], i) for i in range(max(2, len(numbers)))]


CASES_ENGINE = "evaluator"
"""Default engine for cases.

It starts at once, while the compiled engine first generates code for each set of options.
"""
SINGLE_PROCESS_SECONDS = 0.5  # seconds of play before other processes are started
CASES_PER_TASK = 8  # number of cases that a process plays in a row


def list_case_files(path: Path) -> list[Path]:
    """Return the ``.yaml`` files in the subfolder ``CASES`` of a folder, sorted, or the given path if it is no folder.

    Empty without this subfolder. Raises FileRefused for too many.
    """
    return list_files(path / CASES, ".yaml") if path.is_dir() else [path]


def run_cases(
    program: core.Program,
    cases: Path | Sequence[Path | Source] | None = None,
    engine: str = CASES_ENGINE,
    only: str | None = None,
) -> list[CaseResult]:
    """Run the cases of a program and return their results, in the order of files and cases.

    ``cases`` is a ruleset's folder, a case file, or a list of files or sources. The default is the program's folder.
    ``engine`` is one of the engines, or :data:`BOTH`. ``only`` is a part of ``FILE:ID TITLE`` of the cases to
    run, in small or capital letters. A file that cannot be read gives a result with failures.
    """
    return list(play_cases(program, load_cases(program, cases, only), engine))


def play_cases(
    program: core.Program,
    cases: Sequence[Case | CaseResult],
    engine: str = CASES_ENGINE,
    jobs: int = 1,
    start_delay: float = 0.0,
) -> Generator[CaseResult, None, None]:
    """Run the cases from :func:`load_cases` and yield their results in order.

    ``engine`` is one of the engines, or :data:`BOTH`. At first this process plays, and yields each result at once. If
    ``jobs`` is at least 2, up to ``jobs`` processes play the rest: after ``start_delay`` seconds, if the remaining
    cases will probably take at least ``start_delay`` more. The results then come in groups of :data:`CASES_PER_TASK`. A
    single group is played by this process. Results among ``cases`` are yielded unchanged. Raises WorkerDied if one of
    the processes dies.
    """
    start = perf_counter()
    player = _Player(program, cases, engine)
    for number in range(len(cases)):
        seconds = perf_counter() - start
        if jobs > 1 and seconds >= start_delay and seconds * (len(cases) - number) >= start_delay * number:
            tasks = [range(start, len(cases))[:CASES_PER_TASK] for start in range(number, len(cases), CASES_PER_TASK)]
            with closing(map_in_order(player.play, tasks, jobs)) as results:
                yield from chain.from_iterable(results)
            return
        yield from player.play([number])


@dataclass(frozen=True)
class _Player:
    """Player of cases by number, here or in another process."""

    program: core.Program
    cases: Sequence[Case | CaseResult]
    engine: str

    def play(self, numbers: Sequence[int]) -> list[CaseResult]:
        """Return the result of each case. A result that stands in place of a case comes back as it is."""
        cases = [self.cases[number] for number in numbers]
        return [case if isinstance(case, CaseResult) else run_case(self.program, case, self.engine) for case in cases]


def load_cases(
    program: core.Program, cases: Path | Sequence[Path | Source] | None = None, only: str | None = None
) -> list[Case | CaseResult]:
    """Return the cases for :func:`play_cases`, in the order of files and cases.

    ``cases`` is the folder of a ruleset, one case file, or a list of files or sources. The case files of a folder are
    those in its subfolder ``cases``, sorted by name. None means the program's folder, or no cases if it has none.
    ``only`` selects the cases with this text, in small or capital letters, in ``FILE:ID TITLE``. FILE is the path, or
    the name of a source. A mistake inside a case is among the ``faults`` of the :class:`Case`, and so is an id that an
    earlier selected case has, also in another file.

    A file that can't be read, is no valid YAML, or has an error outside its cases, gives a failing :class:`CaseResult`
    in place of its cases, whatever ``only`` is. If all such errors are in shared positions, the cases follow that
    result. Raises FileRefused for a folder with too many files.
    """
    if cases is None:
        cases = [] if program.directory is None else Path(program.directory)
    files = list(map(parse_case_file, list_case_files(cases) if isinstance(cases, Path) else cases))
    positions = _collect_shared_positions(program, files)
    first_spans: dict[str, Span] = {}
    results: list[Case | CaseResult] = []
    for file in files:
        file_cases = read_cases(program, file, positions, only)
        shared_faults = [fault for fault in positions.list_faults() if fault.span.source.name == file.name]
        faults = [*file.faults, *shared_faults]
        errors = [Failure(fault) for fault in faults if fault.severity == "error"]
        if errors:
            name = Path(file.name).name
            results.append(CaseResult(file.name, name, "can't be read", (), faults[0].span, tuple(errors)))
        results += [_mark_repeated_id(case, first_spans) for case in file_cases]
    return results


def list_case_faults(program: core.Program, files: Sequence[Path | Source]) -> list[Diagnostic]:
    """Return the faults of case files, and of their positions and cases, without playing the cases.

    The positions are those under the key ``positions`` of a file, even if no case uses them. A case with the id of an
    earlier case is a fault, too, also one in an earlier item of ``files``. So is a file that can't be read. The faults
    are sorted by the name of the file, then by their place in it. Those with a common subject are merged into the
    first, with notes at the others, as :meth:`Diagnostics.list_sorted` does: two cases with the same unknown name give
    one fault. Warnings count as faults.
    """
    faults = Diagnostics()
    case_files = list(map(parse_case_file, files))
    positions = _collect_shared_positions(program, case_files)
    faults.extend(positions.list_faults())
    first_spans: dict[str, Span] = {}
    shared_texts = tuple((file.name, file.text) for file in case_files if file.positions)
    description, variables = describe_rules(program) if has_lasting_cache() else (None, {})
    rules = get_cached(("rules of cases", description), object)
    for file in case_files:
        faults.extend(file.faults)
        for case in _read_again(program, file, positions, (rules, variables, shared_texts)):
            faults.extend(_mark_repeated_id(case, first_spans).faults)
    return faults.list_sorted()


_CaseInputs = tuple[object, Mapping[str, object], tuple[tuple[str, str], ...]]


def _read_again(program: core.Program, file: CaseFile, positions: SharedPositions, inputs: _CaseInputs) -> list[Case]:
    """Return the cases of a file, from an earlier reading without faults if nothing has changed.

    ``inputs`` are what cases see of the rules, the variables, and the files with shared positions, by name and
    text. The cases are not for play: parts that cases don't see may have changed.
    """
    if program.packs:  # such cases can use positions from files of the game, which are not in ``shared_texts``
        return read_cases(program, file, positions)
    rules, variables, shared_texts = inputs
    words = find_words(file.text).union(*(find_words(text) for _, text in shared_texts))
    named_variables = frozenset((name, variables[name]) for name in words & variables.keys())
    key = ("cases read", file.name, file.text, rules, named_variables, shared_texts)
    cases: list[Case] | None = find_cached(key)
    if cases is None:
        cases = read_cases(program, file, positions)
        if not any(case.faults for case in cases):
            store_cached(key, cases)
    return cases


def _collect_shared_positions(program: core.Program, files: Sequence[CaseFile]) -> SharedPositions:
    """Return the shared positions of files and, on demand, of the ruleset's other case files."""

    def iterate_other_positions() -> Iterator[NamedPosition]:
        read_files = {file.name for file in files}
        paths = [] if program.directory is None else list_case_files(Path(program.directory))
        for file in map(parse_case_file, [path for path in paths if str(path) not in read_files]):
            yield from file.positions

    positions = (position for file in files for position in file.positions)
    return SharedPositions(program, positions, iterate_other_positions())


def run_case(
    program: core.Program, case: Case, engine: str = CASES_ENGINE, observer: Observer | None = None
) -> CaseResult:
    """Run one case on one engine or on ``BOTH``, and return its result with the ``seconds`` that this took.

    A case with ``errors`` is not played: the result has one :class:`Failure` for each error. A case that
    ``stops_between_decisions`` is played on both engines instead of the compiled one. An ``observer`` watches the
    evaluator. Raises ValueError for an observer if the compiled engine plays alone.
    """
    start = perf_counter()
    if case.errors:
        failures = tuple(map(Failure, case.errors))
    else:
        failures = play_case(case, program, engine, observer)
    clauses, seconds = tuple(clause.text for clause in case.clauses), perf_counter() - start
    return CaseResult(case.span.source.name, case.id, case.title, clauses, case.span, failures, seconds)


def list_covered_clauses(program: core.Program, packs: Sequence[Path] = ()) -> dict[str, list[str]]:
    """Return clause -> the cases that name it, without playing them, such as ``{"3.2": ["cards:draw Draw two"]}``.

    A case is ``FILE:ID TITLE``, with the file's name without folder and ending, or ``FILE:ID`` without a title.
    Includes the files in the subfolder ``cases`` of the ruleset, then those in the subfolder ``cases`` of each pack. A
    pack that is a file has none. The files of a folder are sorted by name, and clauses and cases are in their order. A
    case that names a clause twice is listed twice. Cases that violate the schema, and files that can't be read, are
    left out, but not cases with other mistakes.
    """
    titles_by_clause: dict[str, list[str]] = {}
    folders = [*([] if program.directory is None else [Path(program.directory)]), *packs]
    files = [parse_case_file(file) for folder in folders if folder.is_dir() for file in list_case_files(folder)]
    positions = _collect_shared_positions(program, files)
    for file in files:
        for case in read_cases(program, file, positions):
            for clause in case.clauses:
                titles_by_clause.setdefault(clause.text, []).append(
                    f"{Path(file.name).stem}:{case.id} {case.title}".strip()
                )
    return titles_by_clause


def _mark_repeated_id(case: Case, first_spans: dict[str, Span]) -> Case:
    """Return the case, with a fault if its id is used twice. Adds its id to ``first_spans``."""
    first_span = first_spans.setdefault(case.id, case.span)
    if first_span is case.span or case.id == NAMELESS:
        return case
    message = f"two cases have the id `{case.id}`"
    fault = Diagnostic(
        diagnostic_codes.DUPLICATE_CASE, message, case.span, "rename one of them", ((first_span, "the other one"),)
    )
    return replace(case, faults=(fault, *case.faults))
