"""``lusory test --coverage`` and ``--mutate``: what the cases exercise, and which changes of the rules they notice."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from lusory_dsl.core import Program
from lusory_dsl.text.diagnostics import did_you_mean
from lusory_dsl.text.disk import write_whole
from lusory_dsl.text.source import Span

from ..author.adequacy.coverage import Coverage, measure
from ..author.adequacy.mutation import MutantFate, Mutation, noticed
from ..author.cases import load_cases
from ..author.cases.model import Case, CaseResult
from ..console import streams, testing
from ..console.terminal import terminal
from ..processes import processors
from ..reports import coverage_page, testing as reports
from .common import cases_of_packs, find_packs, load, no_cases, progress
from .errors import INTERRUPTED, UsageError


def run(args: argparse.Namespace, measured: bool, mutated: bool) -> int:
    """1: a case failed, or too little is covered or noticed; 130: interrupted, after what is known by then."""
    screen = terminal()
    files, is_meant = cases_of_packs(args.packs), _in(find_packs(args.packs))
    loaded: list[list[Case | CaseResult]] = []
    coverages: list[Coverage] = []
    code = 0
    for name in args.paths:
        program = load(name, args.packs)
        cases = load_cases(program, files, args.cases)
        if not cases:
            raise no_cases(args.cases, args.packs)
        with progress("cases", len(cases)) as show:
            coverage = measure(program, testing.counted(cases, show), is_meant)
        loaded.append(cases)
        coverages.append(coverage)
        for result in coverage.results:
            if not result.passed:
                screen.case_failure(result)
                code = 1
        if measured:
            screen.print(*testing.coverage(coverage))
            for line in testing.missing(coverage):
                screen.pipe(line)
            screen.print("")
            code = max(code, _too_little(args, coverage.percent, "covered"))
    if args.coverage_json:
        _write(args.coverage_json, reports.written([reports.coverage(coverage) for coverage in coverages]))
    if args.coverage_html:
        _write(args.coverage_html, coverage_page.page(coverages))
    if not mutated:
        return code
    mutations: list[tuple[Program, list[MutantFate]]] = []
    for coverage, cases in zip(coverages, loaded, strict=True):
        verdicts, interrupted = _mutate(args, coverage, cases, is_meant)
        mutations.append((coverage.program, verdicts))
        code = INTERRUPTED if interrupted else max(code, _too_little(args, noticed(verdicts), "of the changes noticed"))
        if interrupted:
            break
    if args.mutate_json:
        _write(args.mutate_json, reports.written([reports.mutation(*mutation) for mutation in mutations]))
    return code


def _mutate(
    args: argparse.Namespace, coverage: Coverage, cases: Sequence[Case | CaseResult], is_meant: Callable[[Span], bool]
) -> tuple[list[MutantFate], bool]:
    """What became of each change, as far as known when it ended or was interrupted, and whether it was."""
    if not all(result.passed for result in coverage.results):
        message = f"{coverage.program.name}: rules are changed only when all cases pass"
        raise UsageError(message, "mend the failures first, or choose cases with -k")
    work = Mutation(coverage, [case for case in cases if isinstance(case, Case)])
    mutants = work.choose(args.only, args.limit, args.seed, is_meant)
    if not mutants:
        if args.only:
            message = f"{coverage.program.name} has nothing to change at `{args.only}`"
            names = {word for m in work.mutants for word in (str(m.owner), m.owner.name) if word}
            where = "--only takes the name of an effect, query, phase or rule, FILE, or FILE:LINE"
            raise UsageError(message, did_you_mean(args.only, names) or where)
        raise UsageError(f"{coverage.program.name} has nothing to change")
    verdicts: list[MutantFate] = []
    interrupted = False
    with progress("changes", len(mutants)) as show:
        try:
            for verdict in work.verdicts(mutants, args.jobs or processors()):
                verdicts.append(verdict)
                show(len(verdicts))
        except KeyboardInterrupt:
            interrupted = True
    screen = terminal()
    width = screen.width if screen.console.is_terminal else None
    for part in testing.survivors(verdicts, width):
        screen.pipe(part)
    screen.print(*testing.mutation(coverage.program, verdicts, len(mutants)))
    return verdicts, interrupted


def _too_little(args: argparse.Namespace, percent: float, what: str) -> int:
    if args.fail_under is None or percent >= args.fail_under:
        return 0
    streams.put(f"less than {args.fail_under:g} % {what}")
    return 1


def _in(packs: Sequence[Path]) -> Callable[[Span], bool]:
    """Whether a place is in one of the packs, whose cases are played; without packs, every place is meant."""
    folders = [pack.resolve() for pack in packs]
    return lambda span: not folders or any(Path(span.source.name).resolve().is_relative_to(f) for f in folders)


def _write(file: str, text: str) -> None:
    write_whole(Path(file), text)
