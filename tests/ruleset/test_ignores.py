"""Test comments that ignore warnings, for packs and errors. Wrong comments are in errors/ignores.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

from lusory_dsl import Diagnostics, check

DATA = read_data(__file__)

BASE = DATA["base"]
REMARK = "  # lusory: ignore[W0702] the pack needs it"
USED = "invariants: [{id: i, doc: D., always: later >= 0}]"


def check_rules(base: str, folder: Path, pack: str | None = None) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the codes that are found, and the ignored ones with their reasons."""
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    packs = []
    if pack is not None:
        packs = [folder / "pack.yaml"]
        packs[0].write_text(pack, encoding="utf-8")
    diagnostics = Diagnostics()
    check(folder / "base.yaml", diagnostics, packs)
    ignored_codes = [(error.code.id, reason) for error, reason in diagnostics.suppressed_findings]
    return [error.code.id for error in diagnostics.list_sorted()], ignored_codes


def test_ignored_warnings_have_their_reason(tmp_path: Path) -> None:
    assert check_rules(BASE, tmp_path) == ([], [("W0702", "the pack needs it")])


@pytest.mark.parametrize(("base", "codes"), DATA["unused comments are reported"])
def test_unused_comments_are_reported(base: str, codes: list[str], tmp_path: Path) -> None:
    assert check_rules(base, tmp_path)[0] == codes


def test_pack_can_use_unused_declarations(tmp_path: Path) -> None:
    assert check_rules(BASE, tmp_path, USED)[0] == ["W0712"]
    assert check_rules(BASE, tmp_path, f"{USED}{REMARK}\n")[0] == ["W0712", "W0705"]
