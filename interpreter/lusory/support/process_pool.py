"""Work that is divided among processes of this machine: cases, changed rules, games. Behind every command that has
``--jobs``.

Each process has a pipe of its own, so that one which dies, also while it hands over a result, is known by the end of
that. Along a lifeline all learn that whoever started them is gone.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from threading import Thread
from traceback import format_exc
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 1000
"""Tasks that are handed out elsewhere, at most, beyond the first whose result is waited for."""


def processors() -> int:
    """How many this process may use, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forks() -> bool:
    """Whether a process begins as a copy of this one, with all that it has, and not by what can be written down."""
    from multiprocessing import get_start_method

    return get_start_method() == "fork"


class ProcessGone(Exception):
    """A process that was at work has disappeared. ``hint``: what may help."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


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
    return (work(task) for task in tasks) if jobs < 2 else _elsewhere(work, tasks, jobs)


def taken(submit: Callable[[int], Future[R]], tasks: int) -> Generator[R, None, None]:
    """The results of so many futures in the order of their numbers, a bounded number of them at once."""
    numbers = iter(range(tasks))
    waiting = deque(submit(number) for number in islice(numbers, AHEAD))
    while waiting:
        found = waiting.popleft().result()
        waiting.extend(submit(number) for number in islice(numbers, 1))
        yield found


def _elsewhere(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    from multiprocessing import get_context  # imported late: one process needs none of it
    from multiprocessing.connection import wait

    context = get_context()
    processes: list[BaseProcess] = []
    pipes: list[Connection] = []
    early: dict[int, _Done[R]] = {}  # what was done before its turn
    following = iter(range(len(tasks)))
    lifeline, held = context.Pipe(duplex=False)
    try:
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(work, tasks, theirs, lifeline, held), daemon=True)
            with _held_back():
                process.start()
                processes.append(process)
                pipes.append(ours)
            theirs.close()
            _hand(ours, next(following))
        for number in range(len(tasks)):
            while number not in early:
                speaking = wait(pipes)
                for pipe in pipes:
                    if pipe in speaking:
                        done = _taken(pipe)
                        early[done.number] = done
                        _hand(pipe, next(following, None))
            yield early.pop(number).value()
    finally:
        held.close()
        for at_work in processes:
            at_work.join()
        for pipe in (*pipes, lifeline):
            pipe.close()


@dataclass(frozen=True)
class _Done(Generic[R]):
    """What became of a task: a result, or what was raised."""

    number: int
    result: R | None
    problem: Exception | None = None

    def value(self) -> R:
        if self.problem is not None:
            raise self.problem
        return cast(R, self.result)


def _hand(pipe: Connection, number: int | None) -> None:
    """Give a process its next task, if there is one."""
    if number is not None:
        with _watched():
            pipe.send(number)


def _taken(pipe: Connection) -> _Done[Any]:
    """What a process has done."""
    with _watched():
        done: _Done[Any] = pipe.recv()
        return done


@contextmanager
def _watched() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):  # which is also the end of the pipe in the middle of a result
        problem = "a process that was at work has gone; it may have run out of memory"
        raise ProcessGone(problem, "fewer processes need less: --jobs 1") from None


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


def _serve(
    work: Callable[[T], R], tasks: Sequence[T], pipe: Connection, lifeline: Connection, held: Connection
) -> None:
    """What another process does until nobody listens any more. Being interrupted is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    held.close()  # which is its parent's, and nobody's once that is gone
    Thread(target=_hang_on, args=(lifeline,), daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            number = pipe.recv()
            try:
                done = _Done(number, work(tasks[number]))
            except Exception as problem:
                problem.add_note(format_exc())  # where it happened does not travel
                done = _Done(number, None, problem)
            pipe.send(done)


def _hang_on(lifeline: Connection) -> None:
    """Until it is cut, nothing; then this process ends, whatever it does."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes(1)
    os._exit(1)
