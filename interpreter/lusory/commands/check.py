"""``lusory check``: every mistake in some rulesets and their cases, in the form that was asked for."""

from __future__ import annotations

import argparse

from .checking import show, suite_of
from .common import find_packs, find_ruleset
from .errors import UsageError
from .output import TEXT, output_of


def run(args: argparse.Namespace) -> int:
    paths = {name: find_ruleset(name) for name in args.paths}
    packs = find_packs(args.packs)
    if args.watch:
        if args.format != TEXT or args.output:
            raise UsageError("--watch shows text as it comes: it goes with neither --format nor --output")
        from .watch import watch

        return watch(list(paths.values()), packs)
    output = output_of(args)
    suites = [suite_of(name, path, packs) for name, path in paths.items()]
    found = [d for suite in suites for d in suite.diagnostics]
    if output.screen is not None:
        ignored = [finding for suite in suites for finding in suite.ignored]
        notes = [note for suite in suites for note in suite.notes]
        if args.show_ignored:
            output.screen.ignored(ignored)
        elif ignored:
            number = "1 warning is" if len(ignored) == 1 else f"{len(ignored)} warnings are"
            notes.append(f"{number} ignored by remarks; `--show-ignored` shows them.")
        show(output.screen, found, len(paths), notes)
    output.finish(suites)
    return 1 if any(d.severity == "error" or args.strict for d in found) else 0
