"""``python -m benchmarks.pools``: what pools make of a worker that dies in the middle of handing over a result.

A worker is killed after 1,000 bytes of five megabytes, as for want of memory; on a cluster, whose workers have other
pipes, while it works. What is not installed is left out. See docs/decisions/0052.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from lusory.processes import in_order

BEGAN = time.monotonic()

PATIENCE = 60
"""Seconds after which a pool counts as hanging."""


def breaks_off(number: int) -> bytes:
    """The third result is cut off."""

    def some(pipe: Any, content: Any, write: Callable[..., int] = os.write) -> None:
        write(pipe._handle, bytes(content[:1000]))
        if len(content) > 1000:
            os.kill(os.getpid(), signal.SIGKILL)

    if number == 2:
        Connection._send = some  # type: ignore[attr-defined]
    return b"x" * 5_000_000


def dies(number: int) -> int:
    """The third task is never done."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _cluster() -> list[object]:
    there = import_module("distributed").LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(f"came up after {time.monotonic() - BEGAN:.1f} s", end="; ", flush=True)
    client = there.get_client()
    return list(client.gather(client.map(dies, range(8))))


POOLS: dict[str, Callable[[], object]] = {
    "concurrent.futures": lambda: list(ProcessPoolExecutor(2).map(breaks_off, range(8))),
    "loky": lambda: list(import_module("loky").ProcessPoolExecutor(2).map(breaks_off, range(8))),
    "pebble": lambda: list(import_module("pebble").ProcessPool(2).map(breaks_off, range(8)).result()),
    "LocalCluster": _cluster,
    "lusory": lambda: list(in_order(breaks_off, range(8), 2)),
}


def main() -> None:
    """Each in a process of its own, which is ended where it hangs; of one, what it raises is printed."""
    if sys.argv[1:]:
        began = time.monotonic()
        try:
            POOLS[sys.argv[1]]()
            said = "all results"
        except Exception as problem:
            said = type(problem).__name__
        print(f"{said} after {time.monotonic() - began:.1f} s", flush=True)
        os._exit(0)  # pools may wait for ever for what is left of them
    for name in POOLS:
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        command = [sys.executable, "-m", "benchmarks.pools", name]
        with subprocess.Popen(command, stdout=pipe, stderr=quiet, text=True, start_new_session=True) as process:
            try:
                said = process.communicate(timeout=PATIENCE)[0].strip() or "it ended itself"
            except subprocess.TimeoutExpired:
                said = f"hangs: nothing within {PATIENCE} s"
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        print(f"{name:20} {said}", flush=True)


if __name__ == "__main__":
    main()
