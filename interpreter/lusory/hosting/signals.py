"""Being told of the signals that end programs where an event loop runs: an exception out of a signal would be lost in
whichever task it met."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ..console import streams
from ..console.app import Ended

_NAMES = ("SIGTERM", "SIGHUP", "SIGINT", "SIGBREAK")


@contextmanager
def told_of_signals(end: Callable[[Ended | None], None]) -> Iterator[None]:
    """Within this the signals that end programs call ``end``, between two steps of the main thread: with what is to be
    raised later, or None where a person interrupts."""

    def told(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if name == "SIGHUP":
            streams.terminal_is_gone()
        end(None if name == "SIGINT" else Ended(number, name, hung_up=name == "SIGHUP"))

    signals = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, told) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
