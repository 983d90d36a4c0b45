"""Run tasks in several processes of this machine, behind every command with ``--jobs``.

Each process has its own pipe, so that the end of a pipe reveals a crash, even in the middle of a result. All processes
also watch a common pipe, the lifeline. It closes when the parent process ends, and then they end, too.
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
"""Maximum number of tasks submitted to an executor ahead of the first pending result."""


def processors() -> int:
    """Return the number of processors that this process may use, as far as the system reports it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forks() -> bool:
    """Return whether new processes are forks, which inherit all objects, so that nothing must be pickled."""
    from multiprocessing import get_start_method

    return get_start_method() == "fork"


class ProcessGone(Exception):
    """Error: a worker process has died. ``hint`` suggests a remedy."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Workplace(Protocol):
    """Protocol of an executor: this machine or a cluster."""

    @property
    def elsewhere(self) -> bool:
        """Return whether tasks run on other machines, which cannot read the files of this one."""

    def in_order(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R, None, None]:
        """Run tasks as :func:`in_order` does."""


@dataclass(frozen=True)
class Here:
    """Executor on this machine, with ``jobs`` processes."""

    jobs: int = 1

    @property
    def elsewhere(self) -> bool:
        return False

    def in_order(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R, None, None]:
        """Run tasks as :func:`in_order` does."""
        return in_order(work, tasks, self.jobs)


def in_order(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """Yield the result of ``work`` for each task, in the order of the tasks.

    With one job, this process does the work. With several, each worker process takes the next task when it is free.
    ``work`` and ``tasks`` are passed once, when the processes start. Results come back by pickle. To stop early, close
    the generator: the processes then end. Raises what ``work`` raises, and ProcessGone.
    """
    jobs = min(jobs, len(tasks))
    return (work(task) for task in tasks) if jobs < 2 else _elsewhere(work, tasks, jobs)


def taken(submit: Callable[[int], Future[R]], tasks: int) -> Generator[R, None, None]:
    """Yield the results of futures in the order of their numbers, with a bounded number submitted at a time."""
    numbers = iter(range(tasks))
    waiting = deque(submit(number) for number in islice(numbers, AHEAD))
    while waiting:
        found = waiting.popleft().result()
        waiting.extend(submit(number) for number in islice(numbers, 1))
        yield found


def _elsewhere(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    from multiprocessing import get_context  # import only when needed: one process needs none of it
    from multiprocessing.connection import wait

    context = get_context()
    processes: list[BaseProcess] = []
    pipes: list[Connection] = []
    # results that arrived before their turn
    early: dict[int, _Done[R]] = {}
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
    """Result of a task, or the exception that it raised."""

    number: int
    result: R | None
    problem: Exception | None = None

    def value(self) -> R:
        if self.problem is not None:
            raise self.problem
        return cast(R, self.result)


def _hand(pipe: Connection, number: int | None) -> None:
    """Send a process the number of its next task; None means that there is none."""
    if number is not None:
        with _watched():
            pipe.send(number)


def _taken(pipe: Connection) -> _Done[Any]:
    """Receive a result from a process. Raises ProcessGone."""
    with _watched():
        done: _Done[Any] = pipe.recv()
        return done


@contextmanager
def _watched() -> Iterator[None]:
    try:
        yield
    # a pipe that ends in the middle of a result also raises EOFError
    except (EOFError, OSError):
        problem = "a process that was at work has gone; it may have run out of memory"
        raise ProcessGone(problem, "fewer processes need less: --jobs 1") from None


@contextmanager
def _held_back() -> Iterator[None]:
    """Block Ctrl-C during the block. A process that starts in it inherits the blocked signal."""
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
    """Serve tasks in a worker process until the pipe closes. Only the parent handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # This end belongs to the parent. When the parent dies, no process holds it and the lifeline closes.
    held.close()
    Thread(target=_hang_on, args=(lifeline,), daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            number = pipe.recv()
            try:
                done = _Done(number, work(tasks[number]))
            except Exception as problem:
                # the traceback is not pickled, so add it as a note
                problem.add_note(format_exc())
                done = _Done(number, None, problem)
            pipe.send(done)


def _hang_on(lifeline: Connection) -> None:
    """Wait until the lifeline closes, then end this process at once."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes(1)
    os._exit(1)
