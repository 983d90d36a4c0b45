"""Work that is divided among processes of this machine: cases, changed rules, games. Behind every command that has
``--jobs``. The pool is that of the standard library; what it lacks is a lifeline, along which processes learn that they
are no longer wanted, or that whoever started them is gone.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 1000
"""Tasks that are handed out, at most, beyond the first whose result is waited for."""


def processors() -> int:
    """How many this process may use, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessGone(Exception):
    """A process that was at work has disappeared."""


class Workplace(Protocol):
    """Where tasks can be done."""

    @property
    def elsewhere(self) -> bool:
        """Whether on other machines, where files of this one are not found."""

    def in_order(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R, None, None]:
        """As :func:`in_order`."""


@dataclass(frozen=True)
class Here:
    """This machine, with so many processes."""

    jobs: int = 1

    @property
    def elsewhere(self) -> bool:
        return False

    def in_order(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R, None, None]:
        """As :func:`in_order`."""
        return in_order(work, tasks, self.jobs)


def in_order(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """What ``work`` makes of each task, in the order of the tasks, whatever the number of processes (``jobs``): one job
    is done here, several elsewhere, where each process takes the next task when it has done one.

    ``work`` and ``tasks`` are handed over once, when the processes start; results come back by pickle. Who stops early
    closes this, and the processes end, as they do when this process dies. Raises what ``work`` raises, and ProcessGone.
    """
    jobs = min(jobs, len(tasks))
    return (work(task) for task in tasks) if jobs < 2 else _pooled(work, tasks, jobs)


def taken(submit: Callable[[int], Future[R]], tasks: int) -> Generator[R, None, None]:
    """The results of so many futures in the order of their numbers, a bounded number of them at once."""
    numbers = iter(range(tasks))
    waiting = deque(submit(number) for number in islice(numbers, AHEAD))
    while waiting:
        found = waiting.popleft().result()
        waiting.extend(submit(number) for number in islice(numbers, 1))
        yield found


def _pooled(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    from concurrent.futures import ProcessPoolExecutor  # imported late: one process needs none of it
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context()
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, _begin, (work, tasks, theirs, ours))

    def submit(number: int) -> Future[R]:
        with _held_back():  # with it processes may start
            return pool.submit(_do, number)

    try:
        yield from taken(submit, len(tasks))
    except BrokenProcessPool:
        raise ProcessGone("a process that was at work has gone; it may have run out of memory") from None
    finally:
        ours.close()
        theirs.close()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C comes after this; a process that starts within it never hears of one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---------------------------------------------------------------- in another process

_task: Callable[[int], Any] = int
"""What this process does of a number."""


def _begin(work: Callable[[T], R], tasks: Sequence[T], lifeline: Connection, other_end: Connection) -> None:
    """What a process does first. Being interrupted is its parent's business."""
    from threading import Thread

    global _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()  # which is its parent's, and nobody's once that is gone
    Thread(target=_hang_on, args=(lifeline,), daemon=True).start()
    _task = partial(_at, work, tasks)


def _hang_on(lifeline: Connection) -> None:
    """Until it is cut, nothing; then this process ends, whatever it does."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes(1)
    os._exit(1)


def _at(work: Callable[[T], R], tasks: Sequence[T], number: int) -> R:
    return work(tasks[number])


def _do(number: int) -> Any:
    return _task(number)
