"""Test that changed rules mark printed texts as outdated, and that the lock file accepts them."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

from lusory.cli import main
from lusory_dsl.lint.missing_wrong_and_outdated_card_texts import list_printed_texts
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset.loader_and_file_merging import load
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import parse_text_lock
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_packs, find_bundled_rulesets

DATA = read_data(__file__)

GAME = DATA["game"]


@pytest.fixture(autouse=True)
def camp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return tmp_path


def list_warnings(folder: Path) -> list[str]:
    diagnostics = Diagnostics()
    assert check(folder, diagnostics) is not None
    return [row.message.split("`")[1] for row in diagnostics.list_sorted() if row.code.id == "W0737"]


def change(folder: Path, before: str, after: str) -> None:
    file = folder / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_accepted_texts_are_sorted_and_stable(camp: Path) -> None:
    assert main(["text", ".", "--accept"]) == 0
    first = (camp / "texts.lock").read_bytes()
    assert list(parse_text_lock(first)) == ["card feast", "card raid", "card rest", "card sleep", "keyword tough"]
    (camp / "texts.lock").write_bytes(b"        assert {text.name: text.digests for text in list_printed_texts(ruleset, lock)} == lock.accepted_digests
