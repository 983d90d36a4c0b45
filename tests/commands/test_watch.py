"""Test that ``lusory check --watch`` checks saved files, whichever way an editor saves them."""

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

from lusory.commands.handlers.check_and_watch import _compute_fingerprints

CASES = "cases: [{id: x, title: y, steps: [{decision: P1}]}]\n"
PATIENCE = 60  # seconds without output before the test fails


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    (folder / "cases").mkdir(parents=True)
    shutil.copy(BIDS, folder / "ruleset.yaml")
    (folder / "cases" / "all.yaml").write_text(CASES, encoding="utf-8")
    return folder


Screens = Callable[[str], None]


@pytest.fixture
def watch(rules: Path) -> Iterator[tuple[subprocess.Popen[str], Screens]]:
    """Start the command. Return its process, and a function that waits for words on the screen."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", "check", "--watch", str(rules)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # background jobs ignore SIGINT
    )
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()

    def wait_for(words: str) -> None:
        """Read until the words are shown. A save in place may be read half done, so several screens may come."""
        assert process.stdout is not None
        output = ""
        for line in process.stdout:
            output += line
            if words in output and "Watching for changes" in line:
                return
        raise AssertionError(f"it ended, or showed no more for {PATIENCE} seconds: {output}")

    try:
        yield process, wait_for
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def replace_file(file: Path, text: str) -> None:
    """Save as many editors do: write a new file and rename it."""
    temporary = file.with_name(f".{file.name}.swp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, file)


@pytest.mark.slow
def test_each_save_is_checked_until_interrupted(rules: Path, watch: tuple[subprocess.Popen[str], Screens]) -> None:
    process, wait_for = watch
    file = rules / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    wait_for("No problems found in 1 ruleset.")
    replace_file(file, text.replace("increase points by", "increase pionts by"))
    wait_for("did you mean `points`?")
    file.write_text(text, encoding="utf-8")  # overwrite in place
    wait_for("No problems found")
    (rules / "cards").mkdir()
    (rules / "cards" / "more.yaml").write_text("qeries: {}\n", encoding="utf-8")
    wait_for("did you mean `queries`?")
    shutil.rmtree(rules / "cards")
    wait_for("No problems found")
    replace_file(rules / "cases" / "all.yaml", CASES.replace("title", "titel"))
    wait_for("did you mean `title`?")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (out.strip(), err.strip()) == ("", "")


def test_saving_the_same_text_is_no_change(rules: Path) -> None:
    before = _compute_fingerprints([rules], [])
    replace_file(rules / "ruleset.yaml", (rules / "ruleset.yaml").read_text(encoding="utf-8"))
    (rules / "notes.txt").write_text("no part of it", encoding="utf-8")
    assert _compute_fingerprints([rules], []) == before
    (rules / "cases" / "all.yaml").write_text(CASES.replace("y", "z"), encoding="utf-8")
    assert _compute_fingerprints([rules], []) != before


def test_refused_case_folder_is_watched(rules: Path, tmp_path: Path) -> None:
    """A folder may replace the refused link at any moment."""
    shutil.move(rules / "cases", tmp_path / "elsewhere")
    (rules / "cases").symlink_to(tmp_path / "elsewhere")
    fingerprint = _compute_fingerprints([rules], [])
    assert fingerprint == _compute_fingerprints([rules], [])

    (rules / "cases").unlink()
    shutil.move(tmp_path / "elsewhere", rules / "cases")
    assert _compute_fingerprints([rules], []) != fingerprint
