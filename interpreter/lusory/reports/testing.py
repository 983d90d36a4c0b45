"""How well cases test a ruleset, as JSON, for programs. Described in ``docs/testing.md``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.text.printable import json_text

from ..author.adequacy.coverage import Coverage
from ..author.adequacy.mutation import KILLED, SURVIVED, UNTOUCHED, MutantFate, noticed
from .plain import place_to_json

VERSION = 1


def written(rulesets: Sequence[dict[str, Any]]) -> str:
    """The text of a report."""
    return json_text({"version": VERSION, "rulesets": rulesets})


def coverage(found: Coverage) -> dict[str, Any]:
    """A JSON value of what is covered. Lines and columns count from 1."""
    return {
        "id": found.program.id,
        "name": found.program.name,
        "cases": len(found.results),
        "failed": sum(not result.passed for result in found.results),
        "percent": round(found.percent, 2),
        "kinds": {kind: {"covered": covered, "total": total} for kind, (covered, total) in found.counts().items()},
        "items": [
            {
                "kind": item.kind,
                "name": item.name,
                "covered": item in found.covered,
                "missing": None if item in found.covered else item.missing,
                **place_to_json(item.span),
            }
            for item in found.items
        ],
    }


def mutation(program: Program, verdicts: Sequence[MutantFate]) -> dict[str, Any]:
    """A JSON value of what became of each change."""
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    return {
        "id": program.id,
        "name": program.name,
        "percent": round(noticed(verdicts), 2),
        **{outcome: outcomes[outcome] for outcome in (KILLED, SURVIVED, UNTOUCHED)},
        "changes": [
            {
                "kind": verdict.mutant.kind,
                "where": str(verdict.mutant.owner),
                "change": verdict.mutant.change,
                "outcome": verdict.outcome,
                "case": verdict.case,
                "cases_played": verdict.tried,
                **place_to_json(verdict.mutant.span),
            }
            for verdict in verdicts
        ],
    }
