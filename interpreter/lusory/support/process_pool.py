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
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

MAX_PENDING = 1000
"""Maximum number of tasks submitted to a cluster ahead of the first pending result."""


def count_processors() -> int:
    """Return the number of processors that this process may use, at least 1.

    If the system does not tell this, it is the number of all processors.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDied(Exception):
    """Raised if a worker process has died. ``hint`` suggests a remedy."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def map_in_order(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """Yield the result of ``work`` for each task, in the order of the tasks.

    With one job, this process does the work. With several, each worker process takes the next task when it is free.
    ``work`` and ``tasks`` are passed once, when the processes start. Results come back by pickle. To stop early, close
    the generator: the processes then end. Raise what ``work`` raises, and WorkerDied if a process ends before its
    result.
    """
    jobs = min(jobs, len(tasks))
    return (work(task) for task in tasks) if jobs < 2 else _map_in_processes(work, tasks, jobs)


def collect_in_order(submit: Callable[[int], Future[R]], tasks: int) -> Generator[R, None, None]:
    """Yield the results of ``submit(0)`` to ``submit(tasks - 1)`` in this order; none if ``tasks`` is 0.

    At most :data:`MAX_PENDING` futures are pending at a time. When the first pending result has arrived, the next
    number is submitted, and only then the result is yielded. Raise what a future raises; nothing is submitted
    afterwards. Pending futures are not cancelled then, nor if the generator is closed.
    """
    numbers = iter(range(tasks))
    pending = deque(submit(number) for number in islice(numbers, MAX_PENDING))
    while pending:
        result = pending.popleft().result()
        pending.extend(submit(number) for number in islice(numbers, 1))
        yield result


def _map_in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """Do what :func:`map_in_order` does, in ``jobs`` worker processes, which end with the generator."""
    from multiprocessing import get_context  # import only when needed: one process needs none of it
    from multiprocessing.connection import wait

    context = get_context()
    processes: list[BaseProcess] = []
    pipes: list[Connection] = []
    # results that arrived before their turn
    results_by_number: dict[int, _TaskResult[R]] = {}
    numbers = iter(range(len(tasks)))
    lifeline, lifeline_writer = context.Pipe(duplex=False)
    try:
        for _ in range(jobs):
            parent_pipe, worker_pipe = context.Pipe()
            process = context.Process(
                target=_run_worker, args=(work, tasks, worker_pipe, lifeline, lifeline_writer), daemon=True
            )
            with _block_interrupts():
                process.start()
                processes.append(process)
                pipes.append(parent_pipe)
            worker_pipe.close()
            _send_task(parent_pipe, next(numbers))
        for number in range(len(tasks)):
            while number not in results_by_number:
                readable = wait(pipes)
                for pipe in pipes:
                    if pipe in readable:
                        result = _receive_result(pipe)
                        results_by_number[result.number] = result
                        _send_task(pipe, next(numbers, None))
            yield results_by_number.pop(number).unwrap()
    finally:
        lifeline_writer.close()
        for worker in processes:
            worker.join()
        for pipe in (*pipes, lifeline):
            pipe.close()


@dataclass(frozen=True)
class _TaskResult(Generic[R]):
    """Result of a task, or the exception that it raised."""

    number: int
    result: R | None
    error: Exception | None = None

    def unwrap(self) -> R:
        """Return the result, or raise the exception that the task has raised."""
        if self.error is not None:
            raise self.error
        return cast(R, self.result)


def _send_task(pipe: Connection, number: int | None) -> None:
    """Send a process the number of its next task; None means that there is none."""
    if number is not None:
        with _convert_pipe_errors():
            pipe.send(number)


def _receive_result(pipe: Connection) -> _TaskResult[Any]:
    """Receive a result from a process. Raises WorkerDied."""
    with _convert_pipe_errors():
        result: _TaskResult[Any] = pipe.recv()
        return result


@contextmanager
def _convert_pipe_errors() -> Iterator[None]:
    """Raise WorkerDied for the errors of a pipe whose other end has closed."""
    try:
        yield
    # a pipe that ends in the middle of a result also raises EOFError
    except (EOFError, OSError):
        message = "a process that was at work has gone; it may have run out of memory"
        raise WorkerDied(message, "fewer processes need less: --jobs 1") from None


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C during the block. A process that starts in it inherits the blocked signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def _run_worker(
    work: Callable[[T], R], tasks: Sequence[T], pipe: Connection, lifeline: Connection, lifeline_writer: Connection
) -> None:
    """Serve tasks in a worker process until the pipe closes. Only the parent handles Ctrl-C.

    It receives numbers of tasks and sends a :class:`_TaskResult` for each, also for a task that raises an exception.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # This end belongs to the parent. When the parent dies, no process holds it and the lifeline closes.
    lifeline_writer.close()
    Thread(target=_watch_lifeline, args=(lifeline,), daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            number = pipe.recv()
            try:
                result = _TaskResult(number, work(tasks[number]))
            except Exception as error:
                # the traceback is not pickled, so add it as a note
                error.add_note(format_exc())
                result = _TaskResult(number, None, error)
            pipe.send(result)


def _watch_lifeline(lifeline: Connection) -> None:
    """Wait until the lifeline closes, then end this process at once."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes(1)
    os._exit(1)
