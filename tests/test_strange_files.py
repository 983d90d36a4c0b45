"""Commands report unusual files with a code and a path. They never wait, read everything or reveal other files."""

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
"""Content of a file outside the ruleset. A diagnostic of invalid YAML would quote it."""


def create_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # paths of sockets must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(before)


def create_sparse_file(path: Path) -> None:
    path.touch()
    os.truncate(path, 10**12)


UNUSUAL_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "E0114"),
    "socket": (create_socket, "E0114"),
    "folder": (Path.mkdir, "E0114"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "E0113"),
    "link to a file outside": (lambda path: path.symlink_to(path.parents[2] / "secret"), "E0113"),
    "link to nowhere": (lambda path: path.symlink_to("gone"), "E0112"),
    "link to itself": (lambda path: path.symlink_to(path.name), "E0112"),
    "large file": (create_sparse_file, "E0111"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create the working folder: a folder with a game and a pack, and a secret file beside it."""
    monkeypatch.chdir(tmp_path)
    for inner in ("games/bids/cards", "games/bids/cases", "games/bids/playthroughs", "games/pack/cards"):
        (tmp_path / inner).mkdir(parents=True)
    shutil.copy(BIDS, tmp_path / "games/bids/ruleset.yaml")
    (tmp_path / "games/bids/cases/a.yaml").write_text("cases: [{id: a, steps: [{expect: count(players) = 2}]}]\n")
    (tmp_path / "games/pack/pack.yaml").write_text("pack: {name: P, for: bids}\n")
    (tmp_path / "games/secret").write_text(SECRET)
    (tmp_path / "secret").write_text(SECRET)
    return tmp_path


CHECK_COMMANDS = [["check", "games/bids"], ["test", "games/bids"], ["fmt", "games/bids", "--check"]]
PLAY_COMMANDS = [["simulate", "games/bids", "--games", "1"], ["explain", "games/bids"], ["compile", "games/bids"]]
MEASURE_COMMANDS = [["test", "games/bids", "--coverage"], ["test", "games/bids", "--mutate"]]
PLACES = DATA["places"]
"""Path of the unusual file -> commands that find it."""

CASES = [(place, words) for place, commands in PLACES.items() for words in commands]


def run(words: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(words)
    output = "".join(capfd.readouterr())
    assert "internal error" not in output
    assert "hunter2" not in output
    return code, output


@pytest.mark.parametrize("kind", UNUSUAL_FILES)
@pytest.mark.parametrize("place, words", CASES, ids=lambda part: part if isinstance(part, str) else " ".join(part))
def test_unusual_files_in_a_ruleset_are_reported(
    place: str, words: list[str], kind: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, expected = UNUSUAL_FILES[kind]
    make(here / place)

    code, output = run(words, capfd)
    assert code in (1, 2)
    if "playthroughs" not in place:
        assert f"[{expected}]" in output
    assert place in output


@pytest.mark.parametrize("kind", UNUSUAL_FILES)
@pytest.mark.parametrize("words", DATA["commands with a path"], ids=" ".join)
def test_unusual_arguments_are_reported(
    words: list[str], kind: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, _ = UNUSUAL_FILES[kind]
    make(here / "games/bids/x.yaml")
    if words[-1] == "games/bids/x.yaml" and "--with" in words:
        shutil.move(here / "games/bids/ruleset.yaml", here / "games/bids.yaml")
        words = ["check", "games/bids.yaml", "--with", "games/bids/x.yaml"]

    code, output = run(words, capfd)
    assert code in (1, 2)
    assert "games/bids/x.yaml" in output or kind == "folder"


@pytest.mark.parametrize("inner", ["cards", "cases", "playthroughs"])
def test_a_folder_that_links_outside_is_refused(inner: str, here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "other").mkdir()
    for name in ("secret.yaml", "secret.txt"):
        (here / "other" / name).write_text(SECRET)
    shutil.rmtree(here / "games/bids" / inner)
    (here / "games/bids" / inner).symlink_to(here / "other")

    for words in [["replay", "games/bids"]] if inner == "playthroughs" else [*CHECK_COMMANDS]:
        code, output = run(words, capfd)
        assert code == 1
        assert "E0113" in output
        assert "secret" not in output


@pytest.mark.parametrize("inner", ["", "cards", "cases", "playthroughs"])
def test_too_many_files_are_refused(
    inner: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(safe_files_and_bundled_data, "MAX_FILES", 20)
    for number in range(25):
        (here / "games/bids" / inner / f"{number}.yaml").write_text("")
        (here / "games/bids" / inner / f"{number}.txt").write_text("")

    commands = {"playthroughs": [["replay", "games/bids"]], "cases": CHECK_COMMANDS + MEASURE_COMMANDS}
    for words in commands.get(inner, [["check", "games/bids"], *PLAY_COMMANDS]):
        code, output = run(words, capfd)
        assert code == 1
        assert "E0111" in output
        assert "more than 20 files" in output


def test_too_much_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(5):
        (here / "games/bids" / f"{number}.yaml").write_text("#" * 1000)
    assert run(["check", "games/bids"], capfd)[0] == 0

    monkeypatch.setattr("lusory_dsl.source.ruleset_files_fingerprints_and_text_lock.MAX_BYTES", 5000)
    for words in (["check", "games/bids"], *PLAY_COMMANDS):
        code, output = run(words, capfd)
        assert code == 1
        assert "E0111" in output
        assert "more than 5,000 bytes together" in output


def test_json_reports_contain_refused_files(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "games/bids/cases/x.yaml")
    shutil.rmtree(here / "games/bids/cards")
    (here / "games/bids/cards").symlink_to(here)

    code, output = run(["check", "games/bids", "--format", "json"], capfd)
    assert code == 1
    assert {(row["code"], row["file"]) for row in json.loads(output)["diagnostics"]} == {("E0113", "games/bids/cards")}
    (here / "games/bids/cards").unlink()
    code, output = run(["check", "games/bids", "--format", "json"], capfd)
    rows = json.loads(output)["diagnostics"]
    assert {(row["code"], row["file"]) for row in rows} == {("E0114", "games/bids/cases/x.yaml")}


def test_written_files_are_complete_or_absent(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a full disk no empty file is created, and an old file keeps its content."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    (here / "old").write_text("before")
    for words in DATA["commands that write"]:
        for name in ("new", "old"):
            code, output = run([*words, name], capfd)
            assert code == 1
            assert re.search(rf"lusory: {name}: no space left", output, re.IGNORECASE)
    assert sorted(path.name for path in here.iterdir()) == ["games", "old", "secret"]
    assert (here / "old").read_text() == "before"
