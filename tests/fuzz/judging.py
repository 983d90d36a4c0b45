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
SHRINK_ATTEMPTS = 400
"""Number of attempts to shrink an input."""


class Hang(Exception):
    """Raised when an input takes too long."""


@dataclass(frozen=True)
class Failure:
    """An input that fails.

    ``kind`` names the exception and where it was raised, so it is the same for similar failures. ``trace`` is the
    traceback.
    """

    data: bytes
    kind: str
    trace: str


def find_failure(run: Callable[[bytes], None], data: bytes) -> Failure | None:
    """Return the failure that an input causes, or None. Doesn't catch KeyboardInterrupt."""
    try:
        run_with_limit(run, data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Failure(data, _classify(error), traceback.format_exc()[-6000:])
    return None


def run_with_limit(run: Callable[[bytes], None], data: bytes) -> None:
    """Run a target on an input. Raises Hang after ``SECONDS`` of processor time."""
    signal.signal(signal.SIGVTALRM, _raise_hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        run(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _raise_hang(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {SECONDS} seconds")


def bound_memory() -> None:
    """Limit the memory of this process to ``MEMORY`` from now on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _classify(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    folders = [frame.filename.replace("\\", "/").rpartition("/")[0] for frame in frames]
    own_frames = [frame for frame, folder in zip(frames, folders, strict=True) if "lusory" in folder] or frames
    # These can occur anywhere, so their location doesn't matter.
    if isinstance(error, Hang | RecursionError | MemoryError):
        return type(error).__name__
    frame = own_frames[-1]
    return f"{type(error).__name__} in {frame.filename.rpartition('/')[2]}:{frame.name}:{frame.lineno}"


def shrink(run: Callable[[bytes], None], failure: Failure) -> Failure:
    """Return a failure of the same kind with a smaller input.

    Deletes lines, then words, then bytes, in ever shorter runs, with at most ``TRIES`` attempts.
    """
    best, attempts = failure, 0
    for separator in (b"\n", b" ", b""):
        size = max(len(_split(best.data, separator)) // 2, 1)
        while size and attempts < SHRINK_ATTEMPTS:
            smaller_failure = None
            for candidate in _list_deletions(best.data, separator, size):
                attempts += 1
                smaller_failure = find_failure(run, candidate)
                if smaller_failure is not None and smaller_failure.kind == failure.kind:
                    best = smaller_failure
                    break
                smaller_failure = None
                if attempts >= SHRINK_ATTEMPTS:
                    break
            if smaller_failure is None:
                size //= 2
    return best


def _split(data: bytes, separator: bytes) -> list[bytes]:
    return data.split(separator) if separator else [data[i : i + 1] for i in range(len(data))]


def _list_deletions(data: bytes, separator: bytes, size: int) -> Iterator[bytes]:
    """Yield the input without each run of ``size`` parts."""
    parts = _split(data, separator)
    for start in range(0, len(parts), size):
        yield separator.join(parts[:start] + parts[start + size :])
