"""Check a sample of slips: most have a single diagnostic, and the first diagnostic is the helpful one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from slips import is_first, try_mutants
from test_conformance import CHUNKS

from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

SMALL = ("connect-four", "kuhn-poker", "leduc-poker", "tic-tac-toe")
"""Shipped rulesets of which a check takes milliseconds. `python tests/quick_fixes.py` tries the others."""


def _list_rulesets(folder: Path, is_shipped: bool) -> Iterator[tuple[str, Path]]:
    """Yield small shipped rulesets, or every tenth ruleset of tests/conformance."""
    if is_shipped:
        yield from ((name, find_bundled_rulesets()[name]) for name in SMALL)
        return
    for name, chunk in [*CHUNKS.items()][::10]:
        path = folder / name
        path.mkdir()
        (path / "ruleset.yaml").write_text(chunk.ruleset.lstrip(), encoding="utf-8")
        yield name, path


@pytest.mark.parametrize("is_shipped", [True, False], ids=["shipped rulesets", "conformance"])
def test_most_slips_have_one_helpful_diagnostic(is_shipped: bool, tmp_path: Path) -> None:
    limit = 3 if is_shipped else 1
    rulesets = _list_rulesets(tmp_path, is_shipped)
    trials = [trial for name, path in rulesets for trial in try_mutants(name, path, tmp_path / "trials", limit)]
    reports = [(mutant, diagnostics) for mutant, diagnostics in trials if diagnostics]
    first_reports = [(mutant, diagnostics[0]) for mutant, diagnostics in reports if not is_first(mutant, diagnostics)]
    misleading = [f"{mutant}: {diagnostic.message}" for mutant, diagnostic in first_reports]

    assert len(trials) > 300
    assert len(reports) >= 0.9 * len(trials)  # many of the others are no mistakes: optional keys
    assert len(misleading) <= 0.03 * len(reports), "\n".join(misleading)
    assert sum(len(diagnostics) - 1 for _, diagnostics in reports) <= 0.05 * len(reports)
