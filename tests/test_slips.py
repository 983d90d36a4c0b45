"""A sample of the slips of slips.py: each is told once, and the first diagnostic is the one to mend it by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from slips import is_first, tried
from test_conformance import CHUNKS

from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

SMALL = ("connect-four", "kuhn-poker", "leduc-poker", "tic-tac-toe")
"""Shipped rulesets of which a check takes milliseconds. `python tests/quick_fixes.py` tries the others."""


def _rulesets(folder: Path, is_shipped: bool) -> Iterator[tuple[str, Path]]:
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
def test_a_slip_is_told_once_by_its_cure(is_shipped: bool, tmp_path: Path) -> None:
    most = 3 if is_shipped else 1
    rulesets = _rulesets(tmp_path, is_shipped)
    every = [one for name, path in rulesets for one in tried(name, path, tmp_path / "trials", most)]
    told = [(mutant, found) for mutant, found in every if found]
    elsewhere = [f"{mutant}: {found[0].message}" for mutant, found in told if not is_first(mutant, found)]

    assert len(every) > 300
    assert len(told) >= 0.9 * len(every)  # of the rest many are none: keys that can be left out
    assert len(elsewhere) <= 0.03 * len(told), "\n".join(elsewhere)
    assert sum(len(found) - 1 for _, found in told) <= 0.05 * len(told)
