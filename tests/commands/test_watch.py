"""``lusory check --watch`` from outside: what is saved is checked, however an editor saves it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from programs import BIDS

from lusory.commands.handlers.check_and_watch import _fingerprint_files, _list_watched_folders

CASES = "cases: [{id: x, title: y, steps: [{decision: P1}]}]\n"
PATIENCE = 60  # seconds before a process that says nothing is taken for dead


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    (folder / "cases").mkdir(parents=True)
    shutil.copy(BIDS, folder / "ruleset.yaml")
    (folder / "cases" / "all.yaml").write_text(CASES, encoding="utf-8")
    return folder


Screens = Callable[[str], None]


@pytest.fixture
def watched(rules: Path) -> Iterator[tuple[subprocess.Popen[str], Screens]]:
    """The command at work, and a wait until it shows something."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", "check", "--watch", str(rules)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # tests that run behind others may be deaf
    )
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()

    def until(words: str) -> None:
        """A save in place may be seen half done: then more than one screen comes."""
        assert process.stdout is not None
        seen = ""
        for line in process.stdout:
            seen += line
            if words in seen and "Watching for changes" in line:
                return
        raise AssertionError(f"it ended, or showed no more for {PATIENCE} seconds: {seen}")

    try:
        yield process, until
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def replaced(file: Path, text: str) -> None:
    """Saved as many editors do: a new file takes the place of the old one."""
    beside = file.with_name(f".{file.name}.swp")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, file)


@pytest.mark.slow
def test_what_is_saved_is_checked_until_it_is_interrupted(
    rules: Path, watched: tuple[subprocess.Popen[str], Screens]
) -> None:
    process, until = watched
    file = rules / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    until("No problems found in 1 ruleset.")
    replaced(file, text.replace("increase points by", "increase pionts by"))
    until("did you mean `points`?")
    file.write_text(text, encoding="utf-8")  # in place
    until("No problems found")
    (rules / "cards").mkdir()
    (rules / "cards" / "more.yaml").write_text("qeries: {}\n", encoding="utf-8")
    until("did you mean `queries`?")
    shutil.rmtree(rules / "cards")
    until("No problems found")
    replaced(rules / "cases" / "all.yaml", CASES.replace("title", "titel"))
    until("did you mean `title`?")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (out.strip(), err.strip()) == ("", "")


def test_folders_are_watched_and_never_files(rules: Path, tmp_path: Path) -> None:
    assert _list_watched_folders([rules], []) == [rules, rules / "cases"]
    assert _list_watched_folders([rules / "ruleset.yaml"], [rules]) == [rules, rules / "cases"]
    assert _list_watched_folders([tmp_path / "gone"], []) == [tmp_path]


def test_a_file_that_is_saved_as_it_was_is_no_change(rules: Path) -> None:
    before = _fingerprint_files([rules], [])
    replaced(rules / "ruleset.yaml", (rules / "ruleset.yaml").read_text(encoding="utf-8"))
    (rules / "notes.txt").write_text("no part of it", encoding="utf-8")
    assert _fingerprint_files([rules], []) == before
    (rules / "cases" / "all.yaml").write_text(CASES.replace("y", "z"), encoding="utf-8")
    assert _fingerprint_files([rules], []) != before


def test_folders_of_cases_that_are_refused_are_looked_at_again(rules: Path, tmp_path: Path) -> None:
    """A link to elsewhere, in place of which there may be a folder a moment later."""
    shutil.move(rules / "cases", tmp_path / "elsewhere")
    (rules / "cases").symlink_to(tmp_path / "elsewhere")
    refused = _fingerprint_files([rules], [])
    assert refused == _fingerprint_files([rules], [])

    (rules / "cases").unlink()
    shutil.move(tmp_path / "elsewhere", rules / "cases")
    assert _fingerprint_files([rules], []) != refused
