"""``lusory test``: the cases beside the rules, each passed or failed with the place and the reason.

What the cases exercise, and what they notice, is the work of :mod:`lusory.commands.coverage`."""

from __future__ import annotations

import argparse
from contextlib import closing
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING

from .common import cases_of_packs, load, no_cases, progress
from .errors import INTERRUPTED, UsageError
from .output import TEXT, Output, output_of

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..author.cases.model import CaseResult
    from ..console.terminal import Terminal
    from ..findings.suites import Suite

FEW = 200  # components of a ruleset of which random games are played by one process


def run(args: argparse.Namespace) -> int:
    measured = args.coverage or args.coverage_json or args.coverage_html
    mutated = args.mutate or args.mutate_json
    in_other_form = args.format != TEXT or args.output
    if args.agree is not None:
        if args.cases or args.engine or measured or mutated:
            message = "--agree plays random games on both engines: it goes with neither -k nor --engine"
            raise UsageError(f"{message}, --coverage or --mutate")
        if in_other_form:
            raise UsageError("--agree shows text: it goes with neither --format nor --output")
        from . import agree

        return agree.run(args)
    if not mutated and args.seed:
        raise UsageError("--seed goes with --agree and --mutate", "without them, cases settle all chance")
    if measured and not mutated and args.jobs:
        raise UsageError("--coverage is measured by one process: it does not go with --jobs")
    if not mutated and (args.limit or args.only):
        raise UsageError("--limit and --only go with --mutate", "-k chooses cases")
    if measured or mutated:
        if args.engine not in (None, "evaluator"):
            raise UsageError("--coverage and --mutate watch the evaluator at work, not the compiled engine")
        if in_other_form:
            hint = "--coverage-json, --coverage-html and --mutate-json write files"
            raise UsageError("--coverage and --mutate show text: they go with neither --format nor --output", hint)
        from . import coverage

        return coverage.run(args, measured=bool(measured), mutated=bool(mutated))
    if args.fail_under is not None:
        raise UsageError("--fail-under goes with --coverage and --mutate")
    return _run_cases(args)


def _run_cases(args: argparse.Namespace) -> int:
    from lusory_dsl.text.diagnostics import RulesetError

    from ..findings.suites import Suite

    output = output_of(args)
    suites: list[Suite] = []
    interrupted = False
    for name in args.paths:
        start = perf_counter()
        try:
            program = load(name, args.packs)
        except RulesetError as problem:
            if output.form == TEXT:
                raise
            suites.append(Suite(name, tuple(problem.diagnostics), perf_counter() - start))
            continue
        seconds = perf_counter() - start
        results, interrupted = _play(args, program, output.screen)
        suites.append(Suite(name, (), seconds, tuple(results)))
        if interrupted:
            break
    return _finish(args, output, suites, interrupted)


def _play(args: argparse.Namespace, program: Program, screen: Terminal | None) -> tuple[list[CaseResult], bool]:
    """How each case went, as far as known when it ended or was interrupted, and whether it was. Failures are shown as
    they come. Where both engines play, and no cases are chosen, so are random games in which they differ."""
    from ..author.cases import ALONE, BOTH, load_cases, play_cases
    from ..author.cases.engines import RandomGame, random_games
    from ..processes import in_order, processors

    cases = load_cases(program, cases_of_packs(args.packs), args.cases)
    engine = args.engine or BOTH
    games = random_games(program) if engine == BOTH and args.cases is None and cases else []
    jobs, alone = (args.jobs, 0.0) if args.jobs else (processors(), ALONE)
    played = play_cases(program, cases, engine, jobs=jobs, alone=alone)
    besides = in_order(RandomGame.play, games, jobs if len(program.entities) > FEW else 1)
    results: list[CaseResult] = []
    with progress("cases", len(cases) + len(games), ALONE) as bar, closing(played), closing(besides):
        try:
            for number, result in enumerate(chain(played, besides), 1):
                bar(number)
                if number > len(cases) and result.passed:
                    continue  # nobody wrote it
                results.append(result)
                if screen is not None and not result.passed:
                    with bar.paused():
                        screen.case_failure(result)
        except KeyboardInterrupt:
            return results, True
    return results, False


def _finish(args: argparse.Namespace, output: Output, suites: list[Suite], interrupted: bool) -> int:
    results = [result for suite in suites for result in suite.cases or ()]
    faulty = [diagnostic for suite in suites for diagnostic in suite.diagnostics]
    if output.screen is not None and faulty:
        output.screen.diagnostics(faulty)
    if not results and not faulty and not interrupted:
        raise no_cases(args.cases, args.packs)
    failed = sum(not result.passed for result in results)
    passed = len(results) - failed
    if output.screen is not None:
        said = f"{passed} passed, {failed} failed" if failed else f"{passed} passed"
        output.screen.print(f"{said}, then interrupted" if interrupted else said)
    if interrupted:  # a report would look like one of all cases
        return INTERRUPTED
    output.finish(suites)
    return 1 if failed or faulty else 0
