"""``lusory test``: the cases beside the rules, each passed or failed with the place and the reason."""

from __future__ import annotations

import argparse

from .common import find_packs, load
from .errors import UsageError


def run(args: argparse.Namespace) -> int:
    if args.agree is not None:
        if args.only or args.engine:
            raise UsageError("--agree plays random games on both engines: it goes with neither -k nor --engine")
        from . import agree

        return agree.run(args)
    if args.seed or args.jobs:
        raise UsageError("--seed and --jobs go with --agree", "without it, cases are run, which settle all chance")
    return _run_cases(args)


def _run_cases(args: argparse.Namespace) -> int:
    from ..cases import CaseResult, case_files, run_cases
    from ..console.terminal import terminal
    from ..game import DEFAULT_ENGINE

    screen = terminal()
    results: list[CaseResult] = []
    for name in args.paths:
        program = load(name, args.packs)
        cases = [file for pack in find_packs(args.packs) for file in case_files(pack)] if args.packs else None
        for result in run_cases(program, cases, engine=args.engine or DEFAULT_ENGINE, only=args.only):
            results.append(result)
            if not result.passed:
                screen.case_failure(result)
    if not results:
        wanted = f" that match `{args.only}`" if args.only else ""
        of_what = "pack" if args.packs else "ruleset"
        raise UsageError(f"no cases found{wanted}", f"cases lie in the folder `cases/` of a {of_what}")
    failed = sum(not result.passed for result in results)
    passed = len(results) - failed
    screen.print(f"{passed} passed, {failed} failed" if failed else f"{passed} passed")
    return 1 if failed else 0
