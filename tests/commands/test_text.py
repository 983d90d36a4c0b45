"""Test that changed rules mark printed texts as outdated, and that the lock file accepts them."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

from lusory.cli import main
from lusory_dsl.lint.missing_wrong_and_outdated_card_texts import list_printed_texts
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load
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
    return [warning.message.split("`")[1] for warning in diagnostics.list_sorted() if warning.code.id == "W0737"]


def change(folder: Path, before: str, after: str) -> None:
    file = folder / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_accepted_texts_are_sorted_and_stable(camp: Path) -> None:
    assert main(["text", ".", "--accept"]) == 0
    first = (camp / "texts.lock").read_bytes()
    assert list(parse_text_lock(first)) == ["card feast", "card raid", "card rest", "card sleep", "keyword tough"]
    (camp / "texts.lock").write_bytes(b"<<<<<<< HEAD\ncard raid x y\n" + first)
    assert main(["text", ".", "--accept"]) == 0
    assert (camp / "texts.lock").read_bytes() in (first, b"<<<<<<< HEAD\ncard raid x y\n" + first)


@pytest.mark.parametrize(("before", "after", "names"), DATA["check warns of changed rules"])
def test_check_warns_of_changed_rules(camp: Path, before: str, after: str, names: list[str]) -> None:
    assert main(["text", ".", "--accept"]) == 0
    assert not list_warnings(camp)
    change(camp, before, after)
    assert list_warnings(camp) == names
    assert main(["text", "."]) == bool(names)
    assert main(["text", ".", "--accept"]) == 0
    assert not list_warnings(camp)
    assert main(["text", "."]) == 0


def test_check_warns_of_nothing_without_a_lock_file(camp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not list_warnings(camp)
    assert main(["text", "."]) == 0
    assert "5 texts are not accepted yet" in capsys.readouterr().err


def test_a_single_file_has_a_lock_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").rename(tmp_path / "camp.yaml")
    assert main(["text", "camp.yaml", "--accept"]) == 0
    assert (tmp_path / "camp.texts.lock").is_file()
    assert not (tmp_path / "texts.lock").exists()


def test_lock_file_that_is_a_link_is_refused(camp: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    target = tmp_path_factory.mktemp("other") / "target"
    target.write_text("", encoding="utf-8")
    (camp / "texts.lock").symlink_to(target)
    assert main(["text", ".", "--accept"]) == 1
    assert target.read_text(encoding="utf-8") == ""


GAMES_AND_PACKS = [(game, None) for game in find_bundled_rulesets()]
GAMES_AND_PACKS += [("empire-city", "city-festival"), ("engines-of-war", "the-tide")]


@pytest.mark.parametrize(("game", "pack"), GAMES_AND_PACKS)
def test_texts_of_bundled_games_are_accepted(game: str, pack: str | None) -> None:
    """If this fails, read the texts again and run ``lusory text GAME --accept``."""
    packs = [] if pack is None else [find_bundled_packs()[pack]]
    ruleset = load(find_bundled_rulesets()[game], Diagnostics(), packs)
    assert ruleset is not None
    for lock in ruleset.text_locks:
        assert {text.name: text.digests for text in list_printed_texts(ruleset, lock)} == lock.accepted_digests
