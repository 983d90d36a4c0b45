"""Remarks that ignore warnings, where a pack or an error is about; wrong remarks are under errors/ignores.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

from lusory_dsl import Diagnostics, check

DATA = read_data(__file__)

BASE = DATA["base"]
REMARK = "  # lusory: ignore[W0702] the pack needs it"
USED = "invariants: [{id: i, doc: D., always: later >= 0}]"


def findings(base: str, folder: Path, pack: str | None = None) -> tuple[list[str], list[tuple[str, str]]]:
    """The codes that are found, and those that are ignored with the reasons."""
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    packs = []
    if pack is not None:
        packs = [folder / "pack.yaml"]
        packs[0].write_text(pack, encoding="utf-8")
    diagnostics = Diagnostics()
    check(folder / "base.yaml", diagnostics, packs)
    return [d.code.id for d in diagnostics.list_sorted()], [(d.code.id, reason) for d, reason in diagnostics.suppressed]


def test_what_is_ignored_is_kept_with_its_reason(tmp_path: Path) -> None:
    assert findings(BASE, tmp_path) == ([], [("W0702", "the pack needs it")])


@pytest.mark.parametrize(("base", "codes"), DATA["which remarks are good"])
def test_which_remarks_are_good(base: str, codes: list[str], tmp_path: Path) -> None:
    assert findings(base, tmp_path)[0] == codes


def test_a_pack_may_use_what_was_unused(tmp_path: Path) -> None:
    assert findings(BASE, tmp_path, USED)[0] == ["W0712"]
    assert findings(BASE, tmp_path, f"{USED}{REMARK}\n")[0] == ["W0712", "W0705"]
