"""Run a target on one input with limits on time and memory, and shrink inputs that fail."""

from __future__ import annotations

import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

SECONDS = 5.0
"""Limit of processor seconds for one input. Most inputs take a thousandth of that."""
MEMORY = 4 << 30
"""Limit of the address space in bytes. An input that needs more causes a MemoryError."""
TRIES = 400
"""Number of attempts to shrink an input."""


class Hang(Exception):
    """Raised when an input takes too long."""


@dataclass(frozen=True)
class Find:
    """An input that fails.

    ``kind`` names the exception and where it was raised, so it is the same for similar failures. ``trace`` is the
    traceback.
    """

    data: bytes
    kind: str
    trace: str


def judged(run: Callable[[bytes], None], data: bytes) -> Find | None:
    """Return the failure that an input causes, or None. Passes on KeyboardInterrupt."""
    try:
        with_limit(run, data)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return Find(data, _kind(problem), traceback.format_exc()[-6000:])
    return None


def with_limit(run: Callable[[bytes], None], data: bytes) -> None:
    """Run a target on an input. Raises Hang after ``SECONDS`` of processor time."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        run(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {SECONDS} seconds")


def bound_memory() -> None:
    """Limit the memory of this process to ``MEMORY`` from now on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _kind(problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    own = [f for f in frames if "lusory" in f.filename.replace("\\", "/").rpartition("/")[0]] or list(frames)
    # These can strike anywhere, so their place says nothing.
    if isinstance(problem, Hang | RecursionError | MemoryError):
        return type(problem).__name__
    last = own[-1]
    return f"{type(problem).__name__} in {last.filename.rpartition('/')[2]}:{last.name}:{last.lineno}"


def smaller(run: Callable[[bytes], None], find: Find) -> Find:
    """Return a failure of the same kind with a smaller input.

    Deletes lines, then words, then bytes, in ever shorter runs, with at most ``TRIES`` attempts.
    """
    best, tries = find, 0
    for separator in (b"\n", b" ", b""):
        size = max(len(_parts(best.data, separator)) // 2, 1)
        while size and tries < TRIES:
            found = None
            for candidate in _without(best.data, separator, size):
                tries += 1
                found = judged(run, candidate)
                if found is not None and found.kind == find.kind:
                    best = found
                    break
                found = None
                if tries >= TRIES:
                    break
            if found is None:
                size //= 2
    return best


def _parts(data: bytes, separator: bytes) -> list[bytes]:
    return data.split(separator) if separator else [data[i : i + 1] for i in range(len(data))]


def _without(data: bytes, separator: bytes, size: int) -> Iterator[bytes]:
    """Yield the input without each run of ``size`` parts."""
    parts = _parts(data, separator)
    for start in range(0, len(parts), size):
        yield separator.join(parts[:start] + parts[start + size :])
