"""Lines of case files that findings have in common."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...play.transcript import Made
from .variants import Variant

WIDTH = 110  # of a line of decisions


def setting(variant: Variant) -> list[str]:
    """The lines of a case about its players and options."""
    options = ", ".join(f"{name}: {json.dumps(value)}" for name, value in variant.options)
    return [f"    players: {variant.players}", *([f"    options: {{{options}}}"] if options else [])]


def steps(decisions: Sequence[Made], onwards: bool) -> list[str]:
    """The lines of a case's steps: all decisions in one, and what comes behind it."""
    lines, line = [], ""
    for one in decisions:
        said = f"{{P{one.seat + 1}: {json.dumps(one.option)}}}"
        if line and len(line) + len(said) > WIDTH:
            lines.append(f"          {line}")
            line = ""
        line += f"{said}, "
    lines += [f"          {line}"] if line else []
    done = [part.rstrip() for part in lines]
    found = ["    steps:"]
    if done:
        found += ["      - do:", "          [", *(f"  {part}" for part in done), "          ]"]
    if onwards or not done:
        found.append("      - play_until: end")
    return found
