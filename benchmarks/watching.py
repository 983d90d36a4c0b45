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
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
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
            seconds = (_time_fresh_check(copy), *_time_cached_checks(copy), _time_watch(copy))
            print(f"{folder.name:<18}{lines:>7}" + "".join(f"{value:>14.3f} s" for value in seconds), flush=True)


def _time_fresh_check(folder: Path) -> float:
    """Return the seconds of a whole ``lusory check`` with the start of Python. An untimed first run compiles the
    modules."""
    command = [sys.executable, "-m", "lusory", "check", str(folder)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def check_once() -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)

    check_once()
    return _measure_median(check_once, REPEATS // 2 + 1)


def _time_cached_checks(folder: Path) -> tuple[float, ...]:
    first, last = list_ruleset_files(folder)[-1], list_ruleset_files(folder)[0]
    for file in list_ruleset_files(folder):
        if "\ngame:" in "\n" + file.read_text(encoding="utf-8"):
            first = file
    gc.disable()
    with enable_cache() as memory:

        def check_again() -> None:
            check(folder, Diagnostics())

        start = perf_counter()
        check_again()
        cold = perf_counter() - start

        def measure_after(file: Path | None) -> float:
            times = []
            for number in range(REPEATS):
                memory.start_round()
                gc.collect()
                if file is not None:
                    _prepend_comment(file, number)
                times.append(_measure_median(check_again, 1))
            return median(times)

        seconds = cold, measure_after(None), measure_after(first), measure_after(last)
    gc.enable()
    return seconds


def _time_watch(folder: Path) -> float:
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", "check", "--watch", str(folder)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None

    def wait_for(word: str) -> str:
        assert process.stdout is not None
        return next(line for line in process.stdout if word in line)

    wait_for("Watching")
    times = []
    for number in range(REPEATS):
        subprocess.run(["sleep", "0.5"], check=True)  # as a person would; the round is over
        start = perf_counter()
        _prepend_comment(list_ruleset_files(folder)[-1], number)
        answer = wait_for(", after ")
        times.append(perf_counter() - start)
        if "Watching" not in answer:  # the rules are shown, the cases follow
            wait_for("Watching")
    process.send_signal(signal.SIGINT)
    process.wait()
    return median(times)


def _prepend_comment(file: Path, number: int) -> None:
    """Add a comment as the first line, in a new file that replaces the old one."""
    new_file = file.with_name(f"{file.name}.new")
    new_file.write_text(f"# {number}\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    os.replace(new_file, file)


def _measure_median(work: Callable[[], None], times: int) -> float:
    seconds = []
    for _ in range(times):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return median(seconds)


if __name__ == "__main__":
    main()
