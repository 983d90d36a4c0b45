"""``lusory check``: every mistake in some rulesets, in the form that was asked for."""

from __future__ import annotations

import argparse
import json

from lusory_dsl.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.program import check

from ..console import diagnostics as report
from ..console.terminal import terminal
from ..laws import check_laws
from .common import find_packs, find_ruleset


def run(args: argparse.Namespace) -> int:
    paths = [find_ruleset(name) for name in args.paths]
    packs = find_packs(args.packs)
    found: list[Diagnostic] = []
    for path in paths:
        diagnostics = Diagnostics()
        program = check(path, diagnostics, packs)
        if program is not None:
            check_laws(program, diagnostics)
        found.extend(diagnostics.sorted())
    if args.format == "json":
        print(json.dumps(report.to_json(found), indent=2, ensure_ascii=False))
    elif args.format == "github":
        for diagnostic in found:
            print(report.to_github(diagnostic))
    else:
        _print(found, len(paths))
    return 1 if any(d.severity == "error" for d in found) else 0


def _print(found: list[Diagnostic], rulesets: int) -> None:
    screen = terminal()
    screen.diagnostics(found)
    checked = "1 ruleset" if rulesets == 1 else f"{rulesets} rulesets"
    if not found:
        screen.print(f"No problems found in {checked}.")
        return
    codes = sorted({d.code.id for d in found})
    screen.print(f"`lusory explain {codes[0]}` says more about {codes[0]}.")
