"""``lusory test``: the cases beside the rules, each passed or failed with the place and the reason."""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import TYPE_CHECKING

from .common import find_packs, load
from .errors import UsageError
from .output import TEXT, Output, output_of

if TYPE_CHECKING:
    from ..reports.findings import Suite


def run(args: argparse.Namespace) -> int:
    if args.agree is not None:
        if args.only or args.engine:
            raise UsageError("--agree plays random games on both engines: it goes with neither -k nor --engine")
        if args.format != TEXT or args.output:
            raise UsageError("--agree shows text: it goes with neither --format nor --output")
        from . import agree

        return agree.run(args)
    if args.seed or args.jobs:
        raise UsageError("--seed and --jobs go with --agree", "without it, cases are run, which settle all chance")
    return _run_cases(args)


def _run_cases(args: argparse.Namespace) -> int:
    from lusory_dsl.diagnostics import RulesetError

    from ..cases import case_files, run_cases
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
        cases = [file for pack in find_packs(args.packs) for file in case_files(pack)] if args.packs else None
        results = run_cases(program, cases, engine=args.engine or DEFAULT_ENGINE, only=args.only)
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
        wanted = f" that match `{args.only}`" if args.only else ""
        of_what = "pack" if args.packs else "ruleset"
        raise UsageError(f"no cases found{wanted}", f"cases lie in the folder `cases/` of a {of_what}")
    failed = sum(not result.passed for result in results)
    passed = len(results) - failed
    if output.screen is not None:
        output.screen.print(f"{passed} passed, {failed} failed" if failed else f"{passed} passed")
    output.finish(suites)
    return 1 if failed or faulty else 0
