"""Run ``lusory test``: run the cases of a ruleset, and measure coverage or mutation scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from time import perf_counter

from lusory_dsl.core import Program
from lusory_dsl.source.diagnostics import RulesetError
from lusory_dsl.source.safe_files_and_bundled_data import write_atomically
from lusory_dsl.source.source import Span
from lusory_dsl.source.spelling_suggestions import suggest_name

from ...reports import coverage_html
from ...reports.check_coverage_and_mutation_json import coverage_to_json, format_coverage, mutation_to_json
from ...reports.check_suites_findings_and_locations import Suite
from ...support.process_pool import count_processors, map_in_order
from ...testing.cases.case_model import Case, CaseResult
from ...testing.cases.suite_runner import (
    BOTH,
    SINGLE_PROCESS_SECONDS,
    RandomGame,
    list_case_files,
    list_random_games,
    load_cases,
    play_cases,
)
from ...testing.coverage import Coverage, measure_coverage
from ...testing.mutation import MutantResult, MutationTest, calculate_mutation_score
from ...ui.line import (
    plain_output_and_terminal_checks as plain_output,
    test_trace_and_installation_tables as test_tables,
)
from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from .. import game_loading_seats_and_output as common
from ..errors import INTERRUPTED, UsageError


def _list_pack_cases(names: Sequence[str]) -> list[Path] | None:
    """Return the case files of the packs, pack by pack.

    Returns None without packs: the ruleset's own cases are meant.
    """
    return [file for pack in common.find_packs(names) for file in list_case_files(pack)] if names else None


def _create_no_cases_error(name_filter: str | None, packs: Sequence[str]) -> UsageError:
    """Return, but don't raise, the error that no cases were found.

    Its message is ``no cases found``, with `` that match `FILTER` `` if there is a filter. Its hint says what a
    filter matches. Without a filter it says where case files belong: in the pack if there are ``packs``, otherwise in
    the game.
    """
    if name_filter:
        return UsageError(
            f"no cases found that match `{name_filter}`", "`-k` finds text in the file, id or title of a case"
        )
    return UsageError("no cases found", f"put case files into the folder `cases/` of the {'pack' if packs else 'game'}")


def _run_coverage(args: argparse.Namespace, wants_coverage: bool, wants_mutation: bool) -> int:
    """Run the cases of each ruleset with coverage, and run mutation tests.

    ``wants_coverage`` prints the coverage, and ``wants_mutation`` runs the mutation tests. Also writes the requested
    files. Returns 1 if a case failed or a score is below ``--fail-under``, otherwise 0. Returns 130 after an
    interruption of the mutation tests; their partial results are then printed. Raises UsageError for a ruleset without
    cases.
    """
    screen = create_terminal()
    files, folders = _list_pack_cases(args.packs), [pack.resolve() for pack in common.find_packs(args.packs)]

    def is_meant(span: Span) -> bool:
        """Return whether a location is in one of the packs. Without packs, every location is meant."""
        path = Path(span.source.name)
        return not folders or any(path.resolve().is_relative_to(folder) for folder in folders)

    case_lists: list[list[Case | CaseResult]] = []
    coverages: list[Coverage] = []
    code = 0
    for name in args.paths:
        program = common.load_cached_program(name, args.packs)
        cases = load_cases(program, files, args.cases)
        if not cases:
            raise _create_no_cases_error(args.cases, args.packs)
        with common.show_progress("cases", len(cases)) as show:
            coverage = measure_coverage(program, test_tables.report_progress(cases, show), is_meant)
        case_lists.append(cases)
        coverages.append(coverage)
        for result in coverage.results:
            if not result.passed:
                screen.print_case_failure(result)
                code = 1
        if wants_coverage:
            screen.print(*test_tables.render_coverage(coverage))
            for line in test_tables.list_gaps(coverage):
                screen.print_raw(line)
            screen.print("")
            code = max(code, _check_minimum(args, coverage.percent, "of the rules are covered"))
    if args.coverage_json:
        write_atomically(
            Path(args.coverage_json), format_coverage([coverage_to_json(coverage) for coverage in coverages])
        )
    if args.coverage_html:
        write_atomically(Path(args.coverage_html), coverage_html.write_page(coverages))
    if not wants_mutation:
        return code
    mutations: list[tuple[Program, list[MutantResult]]] = []
    for coverage, cases in zip(coverages, case_lists, strict=True):
        verdicts, stop = _mutate(args, coverage, cases, is_meant)
        mutations.append((coverage.program, verdicts))
        if stop.problem is not None:
            code = stop.choose_code(code)
            break
        code = max(code, _check_minimum(args, calculate_mutation_score(verdicts), "of the changes are noticed"))
    if args.mutate_json:
        write_atomically(
            Path(args.mutate_json), format_coverage([mutation_to_json(*mutation) for mutation in mutations])
        )
    return code


def _mutate(
    args: argparse.Namespace, coverage: Coverage, cases: Sequence[Case | CaseResult], is_meant: Callable[[Span], bool]
) -> tuple[list[MutantResult], common.Interruption]:
    """Run mutation tests. Returns the fate of each mutant so far, and what interrupted the tests, if anything."""
    if not all(result.passed for result in coverage.results):
        message = f"{coverage.program.name}: --mutate needs cases that all pass"
        raise UsageError(message, "correct the failures first, or choose cases with -k")
    test = MutationTest(coverage, [case for case in cases if isinstance(case, Case)])
    mutants = test.choose(args.only, args.limit, args.seed, is_meant)
    if not mutants:
        if args.only:
            message = f"{coverage.program.name} has no rule to change at `{args.only}`"
            owners = {mutant.owner for mutant in test.mutants}
            names = {word for owner in owners for word in (str(owner), owner.name, owner.card) if word}
            hint = "write the name of an effect, query, phase, rule or card, FILE, or FILE:LINE"
            raise UsageError(message, suggest_name(args.only, names) or hint)
        raise UsageError(f"{coverage.program.name} has no rule to change")
    verdicts: list[MutantResult] = []
    with common.show_progress("changes", len(mutants)) as show, common.Interruption() as stop:
        for verdict in test.run_mutants(mutants, args.jobs or count_processors()):
            verdicts.append(verdict)
            show(len(verdicts))
    screen = create_terminal()
    width = screen.width if screen.console.is_terminal else None
    for line in test_tables.list_survivors(verdicts, width):
        screen.print_raw(line)
    screen.print(*test_tables.render_mutation(coverage.program, verdicts, len(mutants)))
    return verdicts, stop


def _check_minimum(args: argparse.Namespace, percent: float, measure: str) -> int:
    if args.fail_under is None or percent >= args.fail_under:
        return 0
    plain_output.write_line(f"less than {args.fail_under:g} % {measure}")
    return 1


def run(args: argparse.Namespace) -> int:
    """Run what the arguments ask for: cases, coverage, mutation tests or ``--agree``.

    Returns 1 if a case fails, a score is below ``--fail-under``, the engines disagree, or rules in a machine-readable
    report have errors. Returns 130 if Ctrl-C ends mutation tests, or cases without coverage, even if one failed before.
    Otherwise returns 0. Raises RulesetError if rules have errors and there is no such report. Raises UsageError for
    arguments that can't be combined, or if no ruleset has cases and none has errors in such a report. For coverage and
    mutation tests, one ruleset without cases is enough. For mutation tests, also raises it if a case fails or there is
    nothing to change.
    """
    wants_coverage = args.coverage or args.coverage_json or args.coverage_html
    wants_mutation = args.mutate or args.mutate_json
    in_other_form = args.format != common.TEXT or args.output
    if args.agree is not None:
        if args.cases or args.engine or wants_coverage or wants_mutation:
            message = "--agree runs no cases, so it can't be combined with -k, --engine"
            raise UsageError(f"{message}, --coverage or --mutate")
        if in_other_form:
            raise UsageError("--agree prints text, so it can't be combined with --format or --output")
        from ..engine_agreement import run_agreement

        return run_agreement(args)
    if not wants_mutation and args.seed:
        raise UsageError("--seed needs --agree or --mutate", "cases state their own chance")
    if wants_coverage and not wants_mutation and args.jobs:
        raise UsageError("--coverage runs in one process, so it can't be combined with --jobs")
    if not wants_mutation and (args.limit or args.only):
        raise UsageError("--limit and --only need --mutate", "to choose cases, use -k")
    if wants_coverage or wants_mutation:
        if args.engine not in (None, "evaluator"):
            raise UsageError("--coverage and --mutate work with the evaluator only")
        if in_other_form:
            hint = "--coverage-json, --coverage-html and --mutate-json write files"
            raise UsageError(
                "--coverage and --mutate print text, so they can't be combined with --format or --output", hint
            )

        return _run_coverage(args, wants_coverage=bool(wants_coverage), wants_mutation=bool(wants_mutation))
    if args.fail_under is not None:
        raise UsageError("--fail-under needs --coverage or --mutate")
    return _run_cases(args)


def _run_cases(args: argparse.Namespace) -> int:
    """Run the cases of each ruleset, and report them. Returns the exit code.

    Rules with errors are part of a machine-readable report. In text form, RulesetError is raised.
    """
    output = common.Output(args)
    suites: list[Suite] = []
    is_interrupted = False
    for name in args.paths:
        start = perf_counter()
        try:
            program = common.load_cached_program(name, args.packs)
        except RulesetError as problem:
            if output.form == common.TEXT:
                raise
            suites.append(Suite(name, tuple(problem.diagnostics), perf_counter() - start))
            continue
        seconds = perf_counter() - start
        results, is_interrupted = _play_cases(args, program, output.screen)
        suites.append(Suite(name, (), seconds, tuple(results)))
        if is_interrupted:
            break
    return _report_results(args, output, suites, is_interrupted)


def _play_cases(args: argparse.Namespace, program: Program, screen: Terminal | None) -> tuple[list[CaseResult], bool]:
    """Run the cases. Returns the results so far, and whether they were interrupted.

    Failures are printed at once. If both engines run all cases, they also play random games, and differences are
    failures. Random games without a difference are left out of the results.
    """
    cases = load_cases(program, _list_pack_cases(args.packs), args.cases)
    engine = args.engine or BOTH
    games = list_random_games(program) if engine == BOTH and args.cases is None and cases else []
    jobs, start_delay = (args.jobs, 0.0) if args.jobs else (count_processors(), SINGLE_PROCESS_SECONDS)
    case_results = play_cases(program, cases, engine, jobs=jobs, start_delay=start_delay)
    game_results = map_in_order(RandomGame.play, games, jobs)
    results: list[CaseResult] = []
    with (
        common.show_progress("cases", len(cases) + len(games), SINGLE_PROCESS_SECONDS) as bar,
        closing(case_results),
        closing(game_results),
    ):
        try:
            for number, result in enumerate(chain(case_results, game_results), 1):
                bar(number)
                if number > len(cases) and result.passed:
                    # A random game that passes is not a case, so it is not counted.
                    continue
                results.append(result)
                if screen is not None and not result.passed:
                    with bar.pause():
                        screen.print_case_failure(result)
        except KeyboardInterrupt:
            return results, True
    if screen is not None:
        # A file with several cases, none of which fits, is often left over from the game that `lusory new` made.
        faulty_cases: dict[str, list[bool]] = {}
        for case in cases:
            if isinstance(case, Case):
                faulty_cases.setdefault(case.span.source.name, []).append(bool(case.errors))
        for file, are_faulty in faulty_cases.items():
            if len(are_faulty) > 1 and all(are_faulty):
                screen.print_raw(f"No case of {file} fits the rules. If it tests an older game, rewrite or delete it.")
    return results, False


def _report_results(args: argparse.Namespace, output: common.Output, suites: list[Suite], is_interrupted: bool) -> int:
    """Print the number of passed and failed cases, and write the report. Returns the exit code.

    Nothing is written after an interruption. Raises UsageError if there were no cases.
    """
    results = [result for suite in suites for result in suite.cases or ()]
    diagnostics = [diagnostic for suite in suites for diagnostic in suite.diagnostics]
    if output.screen is not None and diagnostics:
        output.screen.print_diagnostics(diagnostics)
    if not results and not diagnostics and not is_interrupted:
        raise _create_no_cases_error(args.cases, args.packs)
    failed_count = sum(not result.passed for result in results)
    passed_count = len(results) - failed_count
    if output.screen is not None:
        summary = f"{passed_count} passed, {failed_count} failed" if failed_count else f"{passed_count} passed"
        output.screen.print(f"{summary}, then interrupted" if is_interrupted else summary)
    # A report would look complete.
    if is_interrupted:
        return INTERRUPTED
    output.finish(suites)
    return 1 if failed_count or diagnostics else 0
