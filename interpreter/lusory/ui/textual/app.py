"""Textual application."""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Timer
from typing import Any, Literal, TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.filter import LineFilter

from ..line import streams
from ..line.app import SIGNALLED, Ended
from ..session.server import told_of_signals

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

        return LusoryDriver

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


def _forgiving(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """A decoder that shows what is no text as such."""
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# The library ends everything at the first byte from a keyboard or paste that is no UTF-8.
vars(linux_driver)["getincrementaldecoder"] = _forgiving


class LusoryDriver(linux_driver.LinuxDriver):
    """Who goes on after a stop finds the whole screen again. The library paints it only where it has changed meanwhile,
    and takes a terminal twice from who was stopped without being asked."""

    _is_going_on = False

    def _sigcont_application(self, *_: Any) -> None:
        if self._writer_thread is None or self._is_going_on:
            return
        self._is_going_on = True
        try:
            if not self._must_signal_resume:  # stopped as a terminal never does it; a shell may have changed it since
                self.suspend_application_mode()
            super()._sigcont_application()
        finally:
            self._is_going_on = False
        app = self._app
        asyncio.get_running_loop().call_soon_threadsafe(partial(app.call_later, app.refresh, layout=True))

    def let_go(self) -> None:
        """The threads end that read keys and write: where its terminal went away the library can leave them behind,
        and who reads from one that is gone never waits."""
        self.exit_event.set()
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self._writer_thread.stop()


How = Literal["over", "left", "plain", "rematch", "again", "failed", "lost", "refused"]


@dataclass(frozen=True)
class Went:
    """``keep``: the game is to be gone on with. ``words``: what to say about it.
    ``refused``: before anything was shown."""

    how: How
    keep: bool = False
    interrupted: bool = False
    words: str = ""
    failure: Exception | None = None
