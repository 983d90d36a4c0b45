"""Measure how soon ``lusory check --watch`` answers a save: ``python -m benchmarks.watching [RULESET…]``.

It uses a copy of each ruleset's folder. First it measures a fresh ``lusory check``. Then one process checks with a
cache: at first, with nothing new, with a new first line of the main file (which moves every place in it), and with a
change in the last file. Finally it measures ``lusory check --watch`` from the save to the text on the screen.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from lusory_dsl.pipeline import check
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.in_memory_check_cache import enable_cache
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import list_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

REPEATS = 7
COLUMNS = ("fresh process", "in-process", "nothing new", "first line", "last file", "watch: shown")


def main() -> None:
    folders = [Path(name) for name in sys.argv[1:]] or list(find_bundled_rulesets().values())
    print(f"{'ruleset':<18}{'lines':>7}" + "".join(f"{title:>16}" for title in COLUMNS))
    for folder in folders:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / folder.name
            shutil.copytree(folder, copy)
            lines = sum(file.read_text(encoding="utf-8").count("\n") for file in list_ruleset_files(copy))
            seconds = (_fresh(copy), *_remembered(copy), _watched(copy))
            print(f"{folder.name:<18}{lines:>7}" + "".join(f"{value:>14.3f} s" for value in seconds), flush=True)


def _fresh(folder: Path) -> float:
    """Return the seconds of a whole ``lusory check`` with the start of Python. An untimed first run compiles the
    modules."""
    command = [sys.executable, "-m", "lusory", "check", str(folder)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def once() -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)

    once()
    return _median(once, REPEATS // 2 + 1)


def _remembered(folder: Path) -> tuple[float, ...]:
    first, last = list_ruleset_files(folder)[-1], list_ruleset_files(folder)[0]
    for file in list_ruleset_files(folder):
        if "\ngame:" in "\n" + file.read_text(encoding="utf-8"):
            first = file
    gc.disable()
    with enable_cache() as memory:

        def checked() -> None:
            check(folder, Diagnostics())

        begun = perf_counter()
        checked()
        cold = perf_counter() - begun

        def after(file: Path | None) -> float:
            times = []
            for number in range(REPEATS):
                memory.start_round()
                gc.collect()
                if file is not None:
                    _longer(file, number)
                times.append(_median(checked, 1))
            return median(times)

        seconds = cold, after(None), after(first), after(last)
    gc.enable()
    return seconds


def _watched(folder: Path) -> float:
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", "check", "--watch", str(folder)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None

    def until(word: str) -> str:
        assert process.stdout is not None
        return next(line for line in process.stdout if word in line)

    until("Watching")
    times = []
    for number in range(REPEATS):
        subprocess.run(["sleep", "0.5"], check=True)  # as a person would; the round is over
        begun = perf_counter()
        _longer(list_ruleset_files(folder)[-1], number)
        shown = until(", after ")
        times.append(perf_counter() - begun)
        if "Watching" not in shown:  # the rules are shown, the cases follow
            until("Watching")
    process.send_signal(signal.SIGINT)
    process.wait()
    return median(times)


def _longer(file: Path, number: int) -> None:
    """Add a comment as the first line, in a new file that replaces the old one."""
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(f"# {number}\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    os.replace(beside, file)


def _median(work: Callable[[], None], times: int) -> float:
    found = []
    for _ in range(times):
        begun = perf_counter()
        work()
        found.append(perf_counter() - begun)
    return median(found)


if __name__ == "__main__":
    main()
