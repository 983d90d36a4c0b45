"""What every full screen has: it ends in order, whatever ends it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer
from typing import TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter

from ..console import streams
from ..console.app import SIGNALLED, Ended
from ..hosting.signals import told_of_signals

Result = TypeVar("Result")
PATIENCE = 3.0
"""Seconds for which a full screen whose terminal has gone may take to end; what was decided is on the disk by then."""


_TAKEN = ("SIGTSTP", "SIGCONT", "SIGWINCH")
"""What the library hears, and goes on hearing when it has left the terminal."""


@contextmanager
def _hearing_as_before() -> Iterator[None]:
    """Behind this, who is stopped, goes on or gets another size is nobody's business that it was not before."""
    known = [getattr(signal, name) for name in _TAKEN if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class LibraryFailed(Exception):
    """The full screen's library could not go on."""


class WithoutColour(LineFilter):
    """Removes all colours from what is sent to the terminal. Bold, dim and reverse stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style and style.without_color, control) for text, style, control in segments]


class FullApp(App[Result], inherit_bindings=False):
    """No bindings and no palette of the library's own."""

    ENABLE_COMMAND_PALETTE = False
    has_touch = False
    """Whether fingers use the screen: what can be tapped is tall, and a page says less about keys."""

    def __init__(self) -> None:
        super().__init__()
        if self.no_color:  # the library would send greys
            self._filters = [WithoutColour()]

    def get_driver_class(self) -> type[Driver]:
        """What reads keys and writes."""
        found = super().get_driver_class()
        if found.__name__ != "LinuxDriver":
            return found
        from . import driver  # which only such systems can import

        return driver.Driver

    def to_end(self, interrupted: Result | None, ended: Result | None) -> Result | None:
        """Show it until it is left: what it is left with, ``interrupted`` for who interrupts it from outside. Raises
        Ended where the system ends this program, with ``ended`` as its last word; and whatever went wrong inside."""
        why_ended: list[Ended] = []
        backstops: list[Timer] = []

        def end(why: Ended | None) -> None:
            if why is not None:
                why_ended.append(why)
            if why is not None and why.hung_up:  # the library can wait for ever for a terminal that has gone
                backstop = Timer(PATIENCE, os._exit, (SIGNALLED + why.signal,))
                backstop.daemon = True
                backstop.start()
                backstops.append(backstop)
            leave = partial(self.call_later, self.exit, interrupted if why is None else ended)
            if self._loop is None or self._loop.is_closed():
                leave()
            else:
                self._loop.call_soon_threadsafe(leave)  # which wakes a loop that waits for keys

        no_colour = os.environ.get("NO_COLOR")
        with streams.covered(), told_of_signals(end), _hearing_as_before():
            try:
                result = self.run()
            finally:
                if (let_go := getattr(self._driver, "let_go", None)) is not None:
                    let_go()
        for backstop in backstops:
            backstop.cancel()
        if no_colour is not None:
            os.environ["NO_COLOR"] = no_colour  # which the library takes away
        if why_ended:
            raise why_ended[0]
        if self._exception is not None:
            raise self._exception
        return result

    def panic(self, *renderables: RenderableType) -> None:
        """As :meth:`_fatal_error`, of what goes wrong where keys are read."""
        self._exception = self._exception or LibraryFailed("the terminal's keys could not be read")
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        """Something went wrong: the terminal is given back, and :meth:`to_end` raises it. The library would print all
        local variables, and with them what nobody may know."""
        self._close_messages_no_wait()
