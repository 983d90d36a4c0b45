"""``python -m benchmarks.pools``: what pools of processes make of what can happen to them, also those of
``.[bench-pools]`` that are installed.

Each trial of each pool is a process of its own, which is ended where it hangs. With names, only these pools.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from lusory.support.process_pool import map_in_order

PATIENCE = 30
"""Seconds after which a pool counts as hanging."""

BEFORE, AFTERWARDS = 5, 10
"""Seconds of work before a signal; and after it, at most, until what is left is counted."""

LARGE, CUT = 5_000_000, 1_000
"""Bytes of a result, and how many of them are written before a worker is killed."""

Work = Callable[[int], Any]


# ---------------------------------------------------------------- what workers do


def nothing(number: int) -> int:
    """Hands the number back, the first ones last."""
    time.sleep(0.05 if number < 2 else 0)
    return number


def some_work(number: int) -> int:
    """About a fifteenth of a second of a processor."""
    return sum(range(4_000_000)) + number


def for_ever(number: int) -> int:
    """Does not end."""
    while True:
        some_work(number)


def dies(number: int) -> int:
    """The third task is never done: the worker is killed while it works."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def breaks_off(number: int) -> bytes:
    """The fourth result is cut off: its worker is killed while it hands over, another one is at work on the third."""

    def some(pipe: Any, content: Any, write: Callable[..., int] = os.write) -> None:
        write(pipe._handle, bytes(content[:CUT]))
        if len(content) > CUT:
            os.kill(os.getpid(), signal.SIGKILL)

    if number == 2:
        time.sleep(1)
    if number == 3:
        Connection._send_screens = some  # type: ignore[attr-defined]
    return b"x" * LARGE


# ---------------------------------------------------------------- pools


@contextmanager
def _pebbles(jobs: int) -> Iterator[Any]:
    """Its pool, which is stopped where something goes wrong: it waits for what is at work else."""
    with import_module("pebble").ProcessPool(jobs) as pool:
        try:
            yield pool
        except BaseException:
            pool.stop()
            raise


def _pebble(work: Work, tasks: int, jobs: int) -> list[Any]:
    with _pebbles(jobs) as pool:
        return list(pool.map(work, range(tasks)).result())


def _pebble_alone(work: Work, tasks: int, jobs: int) -> list[Any]:
    """Each task for itself, as the others are done where one is lost."""
    gone = import_module("pebble").ProcessExpired
    with _pebbles(jobs) as pool:
        waiting = [pool.schedule(work, args=(number,)) for number in range(tasks)]
        lost = sum(isinstance(one.exception(), gone) for one in waiting)
        if lost:
            raise RuntimeError(f"{tasks - lost} of {tasks} results")
        return [one.result() for one in waiting]


def _cluster(work: Work, tasks: int, jobs: int) -> list[Any]:
    there = import_module("distributed").LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    client = there.get_client()
    return list(client.gather(client.map(work, range(tasks))))


POOLS: dict[str, tuple[str, Callable[[Work, int, int], list[Any]]]] = {
    "concurrent.futures": (
        "concurrent.futures",
        lambda work, tasks, jobs: list(ProcessPoolExecutor(jobs).map(work, range(tasks))),
    ),
    "loky": (
        "loky",
        lambda work, tasks, jobs: list(import_module("loky").ProcessPoolExecutor(jobs).map(work, range(tasks))),
    ),
    "pebble, map": ("pebble", _pebble),
    "pebble, each task": ("pebble", _pebble_alone),
    "LocalCluster": ("distributed", _cluster),
    "lusory": ("lusory", lambda work, tasks, jobs: list(map_in_order(work, range(tasks), jobs))),
}
"""By what it is called: the module that it needs, and the results of so many tasks by so many workers."""


# ---------------------------------------------------------------- trials


def in_turn(pool: str) -> str:
    """A thousand tasks of nothing, whose results come in order though the first ones take longest."""
    began = time.monotonic()
    found = POOLS[pool][1](nothing, 1000, 2)
    return f"{time.monotonic() - began:.2f} s" + ("" if found == list(range(1000)) else ", in disorder")


def twice(pool: str) -> str:
    """How many times as fast two workers are as one, by the clock; the best of three each, taking turns."""
    took: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for jobs, found in took.items():
            began = time.monotonic()
            POOLS[pool][1](some_work, 10, jobs)
            found.append(time.monotonic() - began)
    return f"{min(took[1]) / min(took[2]):.2f}"


def comes_to(work: Work, pool: str) -> str:
    """What becomes of eight tasks."""
    began = time.monotonic()
    try:
        POOLS[pool][1](work, 8, 2)
        said = "all results"
    except Exception as problem:
        said = str(problem) if type(problem) is RuntimeError else type(problem).__name__
    return f"{said} after {time.monotonic() - began:.1f} s"


def endless(pool: str) -> str:
    """Works until it is stopped."""
    POOLS[pool][1](for_ever, 8, 2)
    return ""


TRIALS: dict[str, Callable[[str], str]] = {
    "1,000 tasks": in_turn,
    "two workers": twice,
    "killed at work": partial(comes_to, dies),
    "killed handing over": partial(comes_to, breaks_off),
    "Ctrl-C": endless,
    "first killed": endless,
}


def of_session(number: int) -> Iterator[int]:
    """The processes of a session that work, by /proc."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            _, _, told = (entry / "stat").read_text().rpartition(")")
            state, _, _, session = told.split()[:4]
            if int(session) == number and state not in "ZX":
                yield int(entry.name)


def tried(pool: str, trial: str) -> str:
    """What came of it, in a process of its own."""
    code = f"from benchmarks.pools import *; print(TRIALS[{trial!r}]({pool!r}), flush=True); os._exit(0)"
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=pipe, stderr=quiet, text=True, start_new_session=True
    ) as process:
        try:
            if TRIALS[trial] is not endless:
                process.wait(PATIENCE)  # not for the end of the pipe, which workers hold, too
                assert process.stdout is not None, "it is a pipe"
                return process.stdout.readline().strip() or "it ended itself"
            time.sleep(BEFORE)
            if trial == "Ctrl-C":
                os.killpg(process.pid, signal.SIGINT)
            else:
                process.kill()
            until = time.monotonic() + AFTERWARDS
            while (left := len(list(of_session(process.pid)))) and time.monotonic() < until:
                process.poll()
                time.sleep(0.1)
            return f"{left} left" if process.poll() is not None else f"hangs, {left} at work"
        except subprocess.TimeoutExpired:
            return f"hangs: nothing within {PATIENCE} s"
        finally:
            for one in of_session(process.pid):
                os.kill(one, signal.SIGKILL)


def main() -> None:
    """The table."""
    print(f"| | {' | '.join(TRIALS)} |\n|---{'|---' * len(TRIALS)}|", flush=True)
    for name, (module, _) in POOLS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        if find_spec(module) is None:
            print(f"| {name} | not installed: pip install -e '.[bench-pools]' |", flush=True)
            continue
        print(f"| {name} |", *(f"{tried(name, trial)} |" for trial in TRIALS), flush=True)


if __name__ == "__main__":
    main()
