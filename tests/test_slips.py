"""A sample of the slips of slips.py: each is told once, and the first diagnostic is the one to mend it by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mutation_corpus import Mutant
from slips import Count, conformance, is_first, tried

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

SMALL = ("connect-four", "kuhn-poker", "leduc-poker", "tic-tac-toe")
"""Shipped rulesets of which a check takes milliseconds. `python tests/quick_fixes.py` tries the others."""


def _slips(folder: Path, is_shipped: bool) -> Iterator[tuple[Mutant, list[Diagnostic]]]:
    """Slips in small shipped rulesets, or in every tenth ruleset of tests/conformance."""
    shipped = [(name, find_bundled_rulesets()[name]) for name in SMALL]
    for name, path in shipped if is_shipped else list(conformance(folder / "chunks").items())[::10]:
        yield from tried(name, path, folder / "trials", 3 if is_shipped else 1)


@pytest.mark.parametrize("is_shipped", [True, False], ids=["shipped rulesets", "conformance"])
def test_a_slip_is_told_once_by_its_cure(is_shipped: bool, tmp_path: Path) -> None:
    whole, elsewhere = Count(), []
    for mutant, found in _slips(tmp_path, is_shipped):
        whole.add(mutant, found)
        if found and not is_first(mutant, found):
            elsewhere.append(f"{mutant}: {found[0].span.line} {found[0].message}")

    assert whole.slips > 300
    assert whole.found >= 0.9 * whole.slips  # of the rest many are none: keys that can be left out
    assert len(elsewhere) <= 0.03 * whole.found, "\n".join(elsewhere)
    assert whole.further <= 0.05 * whole.found
