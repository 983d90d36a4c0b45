"""Work that is divided among processes: in order, whatever their number, and nothing is left of it."""

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


def backwards(number: int) -> tuple[int, int]:
    """The first of four is done last. With the process that does it."""
    time.sleep((4 - number) / 100 if number < 4 else 0)
    return number, os.getpid()


def waits_for_ever(folder: Path, number: int) -> int:
    """All but the first, which says so in a file when it begins."""
    (folder / str(os.getpid())).touch()
    if number:
        time.sleep(3600)
    return number


def fails_at_two(number: int) -> int:
    if number == 2:
        raise ValueError(f"there is no {number}")
    return number


def dies_at_two(number: int) -> int:
    if number == 2:
        os._exit(9)
    return number


def is_interrupted(number: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    results = list(map_in_order(backwards, range(5), jobs))
    at_work = {process for _, process in results}

    assert [number for number, _ in results] == list(range(5))
    assert at_work == {os.getpid()} if jobs == 1 else os.getpid() not in at_work
    assert not active_children()


def test_a_single_task_starts_no_process() -> None:
    assert list(map_in_order(backwards, [7], 4)) == [(7, os.getpid())]


def test_no_tasks_no_results() -> None:
    assert list(map_in_order(backwards, [], 4)) == []


def test_who_stops_early_leaves_nothing_behind(tmp_path: Path) -> None:
    """Also where a process is in the middle of something."""
    with closing(map_in_order(partial(waits_for_ever, tmp_path), range(9), 2)) as results:
        assert next(results) == 0
        assert len(active_children()) == 2
    assert not active_children()
    for file in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.name), 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_is_raised_in_its_turn(jobs: int) -> None:
    results = map_in_order(fails_at_two, range(5), jobs)

    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="there is no 2") as found:
        next(results)
    notes = getattr(found.value, "__notes__", [])
    assert jobs == 1 or "fails_at_two" in notes[0]  # where it happened
    assert not active_children()


def test_ctrl_c_is_answered_by_the_first_process_alone() -> None:
    assert list(map_in_order(is_interrupted, range(4), 2)) == list(range(4))


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(WorkerDied, match="has gone"):
        list(map_in_order(dies_at_two, range(5), 2))
    assert not active_children()


LONG = 4_000_000
"""Bytes: many times what a pipe holds."""


def is_long_at_two(number: int) -> bytes:
    return b"x" * (LONG if number == 2 else 1)


def length_of_what_comes(pipe: Any) -> int:
    """Bytes of the next result, when the first is there, without taking it: they stand before it."""
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        assert within_seconds(lambda: len(end.recv(5, socket.MSG_PEEK)) == 5)
        return int.from_bytes(end.recv(4, socket.MSG_PEEK), "big")


def test_a_process_that_dies_while_it_hands_over_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what will never come."""
    take = process_pool._receive_result

    def after_death(pipe: Any) -> Any:
        if length_of_what_comes(pipe) > LONG:  # who hands it over waits for room in the pipe
            halves.append(pipe)
            for process in active_children():
                process.kill()
                process.join()
        return take(pipe)

    halves: list[Any] = []
    monkeypatch.setattr(process_pool, "_receive_result", after_death)
    with pytest.raises(WorkerDied, match="has gone"):
        list(map_in_order(is_long_at_two, range(5), 2))
    assert len(halves) == 1
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
    assert within_seconds(lambda: len(list(folder.iterdir())) == 2)
    first.kill()
    first.wait()
    assert within_seconds(lambda: not any(is_at_work(int(file.name)) for file in folder.iterdir()))


def within_seconds(comes_true: Callable[[], bool], seconds: float = 20.0) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and not comes_true():
        time.sleep(0.05)
    return comes_true()


def is_at_work(process: int) -> bool:
    """It is there, and more than what nobody has asked after."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
