"""``lusory test``: the cases beside the rules, each passed or failed with the place and the reason.

What the cases exercise, and what they notice, is the work of :mod:`lusory.commands.coverage`."""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import TYPE_CHECKING

from .common import cases_of_packs, load, no_cases
from .errors import UsageError
from .output import TEXT, Output, output_of

if TYPE_CHECKING:
    from ..reports.findings import Suite


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
    if not mutated and (args.seed or args.jobs):
        raise UsageError("--seed and --jobs go with --agree and --mutate", "without them, cases settle all chance")
    if not mutated and (args.limit or args.only):
        raise UsageError("--limit and --only go with --mutate", "-k chooses cases")
    if measured or mutated:
        if args.engine == "compiled":
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
    from lusory_dsl.diagnostics import RulesetError

    from ..cases import run_cases
    from ..game import DEFAULT_ENGINE
    from ..reports.findings import Suite

    output = output_of(args)
    screen = output.screen
    suites: list[Suite] = []
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
        files = cases_of_packs(args.packs)
        results = run_cases(program, files, engine=args.engine or DEFAULT_ENGINE, only=args.cases)
        suites.append(Suite(name, (), seconds, tuple(results)))
        for result in results:
            if screen is not None and not result.passed:
                screen.case_failure(result)
    return _finish(args, output, suites)


def _finish(args: argparse.Namespace, output: Output, suites: list[Suite]) -> int:
    results = [result for suite in suites for result in suite.cases or ()]
    faulty = [diagnostic for suite in suites for diagnostic in suite.diagnostics]
    if output.screen is not None and faulty:
        output.screen.diagnostics(faulty)
    if not results and not faulty:
        raise no_cases(args.cases, args.packs)
    failed = sum(not result.passed for result in results)
    passed = len(results) - failed
    if output.screen is not None:
        output.screen.print(f"{passed} passed, {failed} failed" if failed else f"{passed} passed")
    output.finish(suites)
    return 1 if failed or faulty else 0
