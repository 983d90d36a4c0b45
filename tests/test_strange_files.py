"""Whatever lies where a file is wanted, each command says so with a code and the place, and none waits, reads it all,
or shows what lies elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import BIDS, read_data

from lusory.cli import main
from lusory_dsl.source import safe_files_and_bundled_data

DATA = read_data(__file__)

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")

SECRET = "hunter2: [password"
"""Text that lies outside; as YAML it would be quoted in a message."""


def a_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(before)


def a_hole(path: Path) -> None:
    path.touch()
    os.truncate(path, 10**12)


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "E0114"),
    "socket": (a_socket, "E0114"),
    "folder": (Path.mkdir, "E0114"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "E0113"),
    "link to a file outside": (lambda path: path.symlink_to(path.parents[2] / "secret"), "E0113"),
    "link to nowhere": (lambda path: path.symlink_to("gone"), "E0112"),
    "link to itself": (lambda path: path.symlink_to(path.name), "E0112"),
    "large file": (a_hole, "E0111"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command runs: a game and a pack for it in a folder, with a secret beside that."""
    monkeypatch.chdir(tmp_path)
    for inner in ("games/bids/cards", "games/bids/cases", "games/bids/playthroughs", "games/pack/cards"):
        (tmp_path / inner).mkdir(parents=True)
    shutil.copy(BIDS, tmp_path / "games/bids/ruleset.yaml")
    (tmp_path / "games/bids/cases/a.yaml").write_text("cases: [{id: a, steps: [{expect: count(players) = 2}]}]\n")
    (tmp_path / "games/pack/pack.yaml").write_text("pack: {name: P, for: bids}\n")
    (tmp_path / "games/secret").write_text(SECRET)
    (tmp_path / "secret").write_text(SECRET)
    return tmp_path


CHECKED = [["check", "games/bids"], ["test", "games/bids"], ["fmt", "games/bids", "--check"]]
PLAYED = [["simulate", "games/bids", "--games", "1"], ["explain", "games/bids"], ["compile", "games/bids"]]
MEASURED = [["test", "games/bids", "--coverage"], ["test", "games/bids", "--mutate"]]
PACKED = [[*words, "--with", "games/pack"] for words in (["check", "games/bids"], *PLAYED)]
PLACES = DATA["places"]
"""Where something strange lies, and the commands that come across it."""

CASES = [(place, words) for place, commands in PLACES.items() for words in commands]


def ran(words: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(words)
    shown = "".join(capfd.readouterr())
    assert "internal error" not in shown
    assert "hunter2" not in shown
    return code, shown


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("place, words", CASES, ids=lambda part: part if isinstance(part, str) else " ".join(part))
def test_what_lies_in_a_rulesets_folder(
    place: str, words: list[str], what: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, expected = STRANGE[what]
    make(here / place)

    code, shown = ran(words, capfd)
    assert code in (1, 2)
    if "playthroughs" not in place:
        assert f"[{expected}]" in shown
    assert place in shown


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("words", DATA["what is named"], ids=" ".join)
def test_what_is_named(words: list[str], what: str, here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make, _ = STRANGE[what]
    make(here / "games/bids/x.yaml")
    if words[-1] == "games/bids/x.yaml" and "--with" in words:
        shutil.move(here / "games/bids/ruleset.yaml", here / "games/bids.yaml")
        words = ["check", "games/bids.yaml", "--with", "games/bids/x.yaml"]

    code, shown = ran(words, capfd)
    assert code in (1, 2)
    assert "games/bids/x.yaml" in shown or what == "folder"


@pytest.mark.parametrize("inner", ["cards", "cases", "playthroughs"])
def test_a_folder_that_is_a_link_to_outside(inner: str, here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "other").mkdir()
    for name in ("secret.yaml", "secret.txt"):
        (here / "other" / name).write_text(SECRET)
    shutil.rmtree(here / "games/bids" / inner)
    (here / "games/bids" / inner).symlink_to(here / "other")

    for words in [["replay", "games/bids"]] if inner == "playthroughs" else [*CHECKED]:
        code, shown = ran(words, capfd)
        assert code == 1
        assert "E0113" in shown
        assert "secret" not in shown


@pytest.mark.parametrize("inner", ["", "cards", "cases", "playthroughs"])
def test_too_many_files(
    inner: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(safe_files_and_bundled_data, "MAX_FILES", 20)
    for number in range(25):
        (here / "games/bids" / inner / f"{number}.yaml").write_text("")
        (here / "games/bids" / inner / f"{number}.txt").write_text("")

    commands = {"playthroughs": [["replay", "games/bids"]], "cases": CHECKED + MEASURED}
    for words in commands.get(inner, [["check", "games/bids"], *PLAYED]):
        code, shown = ran(words, capfd)
        assert code == 1
        assert "E0111" in shown
        assert "more than 20 files" in shown


def test_too_much_altogether(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(5):
        (here / "games/bids" / f"{number}.yaml").write_text("#" * 1000)
    assert ran(["check", "games/bids"], capfd)[0] == 0

    monkeypatch.setattr("lusory_dsl.source.ruleset_files_fingerprints_and_text_lock.MAX_BYTES", 5000)
    for words in (["check", "games/bids"], *PLAYED):
        code, shown = ran(words, capfd)
        assert code == 1
        assert "E0111" in shown
        assert "more than 5,000 bytes together" in shown


def test_a_report_for_programs_has_what_was_refused(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "games/bids/cases/x.yaml")
    shutil.rmtree(here / "games/bids/cards")
    (here / "games/bids/cards").symlink_to(here)

    code, shown = ran(["check", "games/bids", "--format", "json"], capfd)
    assert code == 1
    assert {(d["code"], d["file"]) for d in json.loads(shown)["diagnostics"]} == {("E0113", "games/bids/cards")}
    (here / "games/bids/cards").unlink()
    code, shown = ran(["check", "games/bids", "--format", "json"], capfd)
    assert {(d["code"], d["file"]) for d in json.loads(shown)["diagnostics"]} == {("E0114", "games/bids/cases/x.yaml")}


def test_files_that_are_written_are_whole_or_not_there(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a full disk there is no empty file, and what was there before stays."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    (here / "old").write_text("before")
    for words in DATA["files that are written are whole or not there"]:
        for name in ("new", "old"):
            code, shown = ran([*words, name], capfd)
            assert code == 1
            assert re.search(rf"lusory: {name}: no space left", shown, re.IGNORECASE)
    assert sorted(path.name for path in here.iterdir()) == ["games", "old", "secret"]
    assert (here / "old").read_text() == "before"
