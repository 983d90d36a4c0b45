"""Work is divided among processes: results come in order, and no process remains."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from lusory.support import process_pool
from lusory.support.process_pool import WorkerDied, map_in_order


def finish_in_reverse(number: int) -> tuple[int, int]:
    """Return a number and the process id. The first of four tasks finishes last."""
    time.sleep((4 - number) / 100 if number < 4 else 0)
    return number, os.getpid()


def wait_forever(folder: Path, number: int) -> int:
    """Create a file named after the process. All tasks but the first then wait forever."""
    (folder / str(os.getpid())).touch()
    if number:
        time.sleep(3600)
    return number


def fail_at_two(number: int) -> int:
    if number == 2:
        raise ValueError(f"there is no {number}")
    return number


def exit_at_two(number: int) -> int:
    if number == 2:
        os._exit(9)
    return number


def interrupt_itself(number: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    results = list(map_in_order(finish_in_reverse, range(5), jobs))
    processes = {process for _, process in results}

    assert [number for number, _ in results] == list(range(5))
    assert processes == {os.getpid()} if jobs == 1 else os.getpid() not in processes
    assert not active_children()


def test_a_single_task_starts_no_process() -> None:
    assert list(map_in_order(finish_in_reverse, [7], 4)) == [(7, os.getpid())]


def test_no_tasks_give_no_results() -> None:
    assert list(map_in_order(finish_in_reverse, [], 4)) == []


def test_stopping_early_leaves_no_process(tmp_path: Path) -> None:
    """This also ends processes that are busy."""
    with closing(map_in_order(partial(wait_forever, tmp_path), range(9), 2)) as results:
        assert next(results) == 0
        assert len(active_children()) == 2
    assert not active_children()
    for file in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.name), 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_are_raised_in_the_order_of_the_tasks(jobs: int) -> None:
    results = map_in_order(fail_at_two, range(5), jobs)

    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="there is no 2") as caught:
        next(results)
    notes = getattr(caught.value, "__notes__", [])
    assert jobs == 1 or "fail_at_two" in notes[0]  # contains the traceback of the worker
    assert not active_children()


def test_workers_ignore_ctrl_c() -> None:
    assert list(map_in_order(interrupt_itself, range(4), 2)) == list(range(4))


def test_a_dead_worker_is_reported() -> None:
    with pytest.raises(WorkerDied, match="has gone"):
        list(map_in_order(exit_at_two, range(5), 2))
    assert not active_children()


LARGE_SIZE = 4_000_000
"""Number of bytes, many times more than a pipe holds."""


def return_much_at_two(number: int) -> bytes:
    return b"x" * (LARGE_SIZE if number == 2 else 1)


def read_next_size(pipe: Any) -> int:
    """Return the size of the next result, which precedes it in the pipe. Waits for it but doesn't consume it."""
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        assert wait_until(lambda: len(end.recv(5, socket.MSG_PEEK)) == 5)
        return int.from_bytes(end.recv(4, socket.MSG_PEEK), "big")


def test_a_worker_that_dies_while_sending_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent doesn't wait for the rest of the result."""
    receive = process_pool._receive_result

    def receive_after_death(pipe: Any) -> Any:
        if read_next_size(pipe) > LARGE_SIZE:  # the worker waits for room in the pipe
            partial_results.append(pipe)
            for process in active_children():
                process.kill()
                process.join()
        return receive(pipe)

    partial_results: list[Any] = []
    monkeypatch.setattr(process_pool, "_receive_result", receive_after_death)
    with pytest.raises(WorkerDied, match="has gone"):
        list(map_in_order(return_much_at_two, range(5), 2))
    assert len(partial_results) == 1
    assert not active_children()


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    script = f"import sys; sys.path[:0] = {sys.path!r}\nfrom lusory.support.process_pool import map_in_order\n" + (
        "import os, time\nfrom pathlib import Path\n\n"
        "def waits(number):\n    Path(sys.argv[1], str(os.getpid())).touch()\n    time.sleep(3600)\n\n"
        "if __name__ == '__main__':\n    list(map_in_order(waits, range(4), 2))\n"
    )
    folder = tmp_path / "at work"
    folder.mkdir()
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    first = subprocess.Popen([sys.executable, str(tmp_path / "script.py"), str(folder)])
    assert wait_until(lambda: len(list(folder.iterdir())) == 2)
    first.kill()
    first.wait()
    assert wait_until(lambda: not any(is_running(int(file.name)) for file in folder.iterdir()))


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and not condition():
        time.sleep(0.05)
    return condition()


def is_running(process: int) -> bool:
    """Return whether a process is running. Zombies don't count."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
