"""Test how pools of processes deal with failures: ``python -m benchmarks.pools [POOL…]``. Includes the pools of
``.[bench-pools]`` that are installed.

Each trial of each pool is a process of its own, which is stopped if it hangs. With names, only these pools run.
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
"""Seconds of work before a signal, and the most seconds after it until the remaining processes are counted."""

LARGE, CUT = 5_000_000, 1_000
"""Bytes of a result, and the number of them that a worker writes before it is killed."""

Work = Callable[[int], Any]


# ---------------------------------------------------------------- what workers do


def do_nothing(number: int) -> int:
    """Return the number. The first two take longest."""
    time.sleep(0.05 if number < 2 else 0)
    return number


def do_work(number: int) -> int:
    """Work for about a fifteenth of a second."""
    return sum(range(4_000_000)) + number


def work_for_ever(number: int) -> int:
    """Work without end."""
    while True:
        do_work(number)


def kill_worker(number: int) -> int:
    """Return the number, but kill the worker at the third task."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def cut_off_result(number: int) -> bytes:
    """Return a large result. The fourth one is cut off, because its worker is killed while it sends."""

    def send_part(pipe: Any, content: Any, write: Callable[..., int] = os.write) -> None:
        write(pipe._handle, bytes(content[:CUT]))
        if len(content) > CUT:
            os.kill(os.getpid(), signal.SIGKILL)

    if number == 2:
        time.sleep(1)
    if number == 3:
        Connection._send = send_part  # type: ignore[attr-defined]
    return b"x" * LARGE


# ---------------------------------------------------------------- pools


@contextmanager
def _open_pebble(jobs: int) -> Iterator[Any]:
    """Open a pool of Pebble. Stop it after an error, or else it would wait for running tasks."""
    with import_module("pebble").ProcessPool(jobs) as pool:
        try:
            yield pool
        except BaseException:
            pool.stop()
            raise


def _map_with_pebble(work: Work, tasks: int, jobs: int) -> list[Any]:
    with _open_pebble(jobs) as pool:
        return list(pool.map(work, range(tasks)).result())


def _schedule_each(work: Work, tasks: int, jobs: int) -> list[Any]:
    """Schedule each task separately, so that one lost task leaves the other results."""
    expired_error = import_module("pebble").ProcessExpired
    with _open_pebble(jobs) as pool:
        futures = [pool.schedule(work, args=(number,)) for number in range(tasks)]
        n_lost = sum(isinstance(task.exception(), expired_error) for task in futures)
        if n_lost:
            raise RuntimeError(f"{tasks - n_lost} of {tasks} results")
        return [task.result() for task in futures]


def _run_cluster(work: Work, tasks: int, jobs: int) -> list[Any]:
    cluster = import_module("distributed").LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    client = cluster.get_client()
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
    "pebble, map": ("pebble", _map_with_pebble),
    "pebble, each task": ("pebble", _schedule_each),
    "LocalCluster": ("distributed", _run_cluster),
    "lusory": ("lusory", lambda work, tasks, jobs: list(map_in_order(work, range(tasks), jobs))),
}
"""Name -> the module that the pool needs, and a function from work, tasks and jobs to results."""


# ---------------------------------------------------------------- trials


def time_empty_tasks(pool: str) -> str:
    """Return the time for a thousand empty tasks, and whether their results are in order."""
    start = time.monotonic()
    results = POOLS[pool][1](do_nothing, 1000, 2)
    return f"{time.monotonic() - start:.2f} s" + ("" if results == list(range(1000)) else ", in disorder")


def compare_workers(pool: str) -> str:
    """Return how many times faster two workers are than one, as the best of three runs each."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for jobs, times in seconds.items():
            start = time.monotonic()
            POOLS[pool][1](do_work, 10, jobs)
            times.append(time.monotonic() - start)
    return f"{min(seconds[1]) / min(seconds[2]):.2f}"


def report_end(work: Work, pool: str) -> str:
    """Return how eight tasks end, and after how long."""
    start = time.monotonic()
    try:
        POOLS[pool][1](work, 8, 2)
        result = "all results"
    except Exception as error:
        result = str(error) if type(error) is RuntimeError else type(error).__name__
    return f"{result} after {time.monotonic() - start:.1f} s"


def run_endlessly(pool: str) -> str:
    """Work until the process is stopped."""
    POOLS[pool][1](work_for_ever, 8, 2)
    return ""


TRIALS: dict[str, Callable[[str], str]] = {
    "1,000 tasks": time_empty_tasks,
    "two workers": compare_workers,
    "killed at work": partial(report_end, kill_worker),
    "killed handing over": partial(report_end, cut_off_result),
    "Ctrl-C": run_endlessly,
    "first killed": run_endlessly,
}


def list_processes(number: int) -> Iterator[int]:
    """Yield the live processes of a session, from /proc."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            _, _, fields = (entry / "stat").read_text().rpartition(")")
            state, _, _, session = fields.split()[:4]
            if int(session) == number and state not in "ZX":
                yield int(entry.name)


def run_trial(pool: str, trial: str) -> str:
    """Run a trial in its own process, and return its result."""
    code = f"from benchmarks.pools import *; print(TRIALS[{trial!r}]({pool!r}), flush=True); os._exit(0)"
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=pipe, stderr=quiet, text=True, start_new_session=True
    ) as process:
        try:
            if TRIALS[trial] is not run_endlessly:
                process.wait(PATIENCE)  # workers hold the pipe open, so don't wait for its end
                assert process.stdout is not None, "it is a pipe"
                return process.stdout.readline().strip() or "it ended itself"
            time.sleep(BEFORE)
            if trial == "Ctrl-C":
                os.killpg(process.pid, signal.SIGINT)
            else:
                process.kill()
            deadline = time.monotonic() + AFTERWARDS
            while (n_left := len(list(list_processes(process.pid)))) and time.monotonic() < deadline:
                process.poll()
                time.sleep(0.1)
            return f"{n_left} left" if process.poll() is not None else f"hangs, {n_left} at work"
        except subprocess.TimeoutExpired:
            return f"hangs: nothing within {PATIENCE} s"
        finally:
            for number in list_processes(process.pid):
                os.kill(number, signal.SIGKILL)


def main() -> None:
    """Print the table."""
    print(f"| | {' | '.join(TRIALS)} |\n|---{'|---' * len(TRIALS)}|", flush=True)
    for name, (module, _) in POOLS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        if find_spec(module) is None:
            print(f"| {name} | not installed: pip install -e '.[bench-pools]' |", flush=True)
            continue
        print(f"| {name} |", *(f"{run_trial(name, trial)} |" for trial in TRIALS), flush=True)


if __name__ == "__main__":
    main()
