"""Whether an input does what none may do, and the smallest input that does it too."""

from __future__ import annotations

import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

SECONDS = 5.0
"""An input that takes longer, of the processor's time, hangs. Most take a thousandth of that."""
MEMORY = 4 << 30
"""So many bytes of addresses may the process have: where an input asks for more, that is a MemoryError."""
TRIES = 400
"""How often something smaller is tried."""


class Hang(Exception):
    """An input takes too long."""


@dataclass(frozen=True)
class Find:
    """An input that does what none may do. ``kind``: the exception and where it came from, the same for inputs that
    fail alike; ``trace`` tells the whole way."""

    data: bytes
    kind: str
    trace: str


def judged(run: Callable[[bytes], None], data: bytes) -> Find | None:
    """What is wrong with what an input does, if anything."""
    try:
        with_limit(run, data)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return Find(data, _kind(problem), traceback.format_exc()[-6000:])
    return None


def with_limit(run: Callable[[bytes], None], data: bytes) -> None:
    """Runs a target; raises Hang where it takes longer than ``SECONDS`` of the processor's time."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        run(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {SECONDS} seconds")


def bound_memory() -> None:
    """From here on, this process can't have more than ``MEMORY``."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _kind(problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    own = [f for f in frames if "lusory" in f.filename.replace("\\", "/").rpartition("/")[0]] or list(frames)
    if isinstance(problem, Hang | RecursionError | MemoryError):  # where they strike is a matter of luck
        return type(problem).__name__
    last = own[-1]
    return f"{type(problem).__name__} in {last.filename.rpartition('/')[2]}:{last.name}:{last.lineno}"


def smaller(run: Callable[[bytes], None], find: Find) -> Find:
    """The same kind of find with as little input as a few hundred tries give: lines first, then ever shorter parts."""
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
    """The input without each run of so many parts."""
    parts = _parts(data, separator)
    for start in range(0, len(parts), size):
        yield separator.join(parts[:start] + parts[start + size :])
