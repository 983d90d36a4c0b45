"""Adapt Textual: an application base class that handles signals, restores the terminal and forwards failures."""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Timer
from time import monotonic
from typing import Any, Literal, TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.filter import LineFilter

from lusory_dsl import core

from ...explain.styled_text_wrapping_and_values import list_graphemes, measure_text
from ..line import plain_output_and_terminal_checks as plain_output
from ..line.line_session import SIGNALLED, ProgramEnded
from ..session.server import catch_signals

Result = TypeVar("Result")
HASTY = 0.25
"""Seconds within which a second Enter counts as part of the first: the key was held, or pressed twice."""
PATIENCE = 3.0
"""Seconds that the application may take to end after its terminal has closed. All decisions are on the disk by then."""


class LibraryFailed(Exception):
    """Signal that Textual failed."""


NOT_DIM = Style(dim=False)


class WithoutColour(LineFilter):
    """Remove all colours and faint text from the output. Bold, underline and reverse stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with the same text, without colours and never faint."""
        return [Segment(text, style and style.without_color + NOT_DIM, control) for text, style, control in segments]


class AsciiOnly(LineFilter):
    """Replace all signs by ASCII letters of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with their texts in ASCII and the same styles."""
        return [Segment(_convert_to_ascii(text), style, control) for text, style, control in segments]


def _convert_to_ascii(text: str) -> str:
    """Return a text in ASCII that takes as many columns. A wide letter becomes a sign and ``*``."""
    if text.isascii():
        return text
    return "".join(plain_output.make_ascii(sign[:1]).ljust(measure_text(sign), "*") for sign in list_graphemes(text))


def fold_key(key: str) -> str:
    """Return the key of a small letter for that of a capital one, and every other key unchanged."""
    return key.lower() if len(key) == 1 else key


class FullApp(App[Result], inherit_bindings=False):
    """Run a full-screen application without the key bindings and command palette of Textual."""

    ENABLE_COMMAND_PALETTE = False
    has_touch = False
    """Whether the screen is used by touch. Tap targets are then taller, and pages say less about keys."""

    def __init__(self) -> None:
        super().__init__()
        self._enter_time = 0.0
        # Textual would send shades of grey.
        if self.no_color:
            self._filters = [WithoutColour()]
        if plain_output.is_ascii():
            self._filters = [*self._filters, AsciiOnly()]

    def get_driver_class(self) -> type[Driver]:
        """Return the driver class, with :class:`LusoryDriver` in place of Textual's Linux driver."""
        driver_class = super().get_driver_class()
        return LusoryDriver if driver_class.__name__ == "LinuxDriver" else driver_class

    async def on_event(self, event: events.Event) -> None:
        """Let a letter key do the same in both cases. The text that it types stays as it is."""
        if isinstance(event, events.Key):
            event.key = fold_key(event.key)
        await super().on_event(event)

    def is_hasty(self, key: str) -> bool:
        """Return whether a key is an Enter right after another one, not meant for the question that came meanwhile."""
        last_time, self._enter_time = self._enter_time, monotonic() if key == "enter" else 0.0
        return key == "enter" and bool(last_time) and self._enter_time - last_time < HASTY

    def run_to_end(self, interrupt_result: Result | None, end_result: Result | None) -> Result | None:
        """Run the application until it exits, and return its result, or None if it exits without one.

        SIGINT makes it exit with ``interrupt_result``. SIGTERM, SIGHUP and SIGBREAK make it exit with ``end_result``,
        and then ProgramEnded is raised. If it hasn't exited ``PATIENCE`` seconds after a SIGHUP, the process ends by
        ``os._exit``. Raises any exception from inside the application. Signal handlers and ``NO_COLOR`` are restored.
        """
        causes: list[ProgramEnded] = []
        backstops: list[Timer] = []

        def end(cause: ProgramEnded | None) -> None:
            if cause is not None:
                causes.append(cause)
            # Textual can wait forever for a terminal that has closed.
            if cause is not None and cause.has_hung_up:
                backstop = Timer(PATIENCE, os._exit, (SIGNALLED + cause.signal,))
                backstop.daemon = True
                backstop.start()
                backstops.append(backstop)
            leave = partial(self.call_later, self.exit, interrupt_result if cause is None else end_result)
            if self._loop is None or self._loop.is_closed():
                leave()
            else:
                # Wake up an event loop that waits for keys.
                self._loop.call_soon_threadsafe(leave)

        no_colour = os.environ.get("NO_COLOR")
        with plain_output.suppress_status(), catch_signals(end):
            try:
                result = self.run()
            finally:
                if (let_go := getattr(self._driver, "let_go", None)) is not None:
                    let_go()
        for backstop in backstops:
            backstop.cancel()
        if no_colour is not None:
            # Textual removes this variable.
            os.environ["NO_COLOR"] = no_colour
        if causes:
            raise causes[0]
        if self._exception is not None:
            raise self._exception
        return result

    def panic(self, *renderables: RenderableType) -> None:
        """End the application after the thread that reads keys has failed. :meth:`run_to_end` raises LibraryFailed."""
        self._exception = self._exception or LibraryFailed("the terminal's keys could not be read")
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        """Restore the terminal, and let :meth:`run_to_end` raise the exception.

        Textual would print all local variables, which include hidden information.
        """
        self._close_messages_no_wait()


def _make_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """Return a decoder class that shows invalid bytes as replacement characters."""
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# Textual's own decoder ends the program at the first invalid UTF-8 byte from a keyboard or paste.
vars(linux_driver)["getincrementaldecoder"] = _make_decoder


class LusoryDriver(linux_driver.LinuxDriver):
    """Repaint the whole screen after the process was suspended and resumed.

    Textual repaints only changes. It also enters application mode twice if the process was stopped by a signal alone.
    """

    _is_going_on = False

    def _sigcont_application(self, *_: Any) -> None:
        if self._writer_thread is None or self._is_going_on:
            return
        self._is_going_on = True
        try:
            # The process was stopped without Textual's knowledge, and a shell may have changed the terminal since.
            if not self._must_signal_resume:
                self.suspend_application_mode()
            super()._sigcont_application()
        finally:
            self._is_going_on = False
        app = self._app
        asyncio.get_running_loop().call_soon_threadsafe(partial(app.call_later, app.refresh, layout=True))

    def let_go(self) -> None:
        """Stop the threads that read keys and write.

        Textual can leave them running after the terminal has closed, and reading from a closed terminal never blocks.
        """
        self.exit_event.set()
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self._writer_thread.stop()


@dataclass(frozen=True)
class TableResult:
    """Describe how a session ended.

    Attributes:
        how: The reason. "refused" means that the host rejected the connection before anything was shown. "set up" means
            that the player wants the recommended game ``game`` in place of this one.
        is_kept: Whether the game can be continued later.
        words: A message to show, or "".
        answers_setup: Whether the table answers the questions of the set-up.
    """

    how: Literal["over", "left", "plain", "rematch", "again", "set up", "failed", "lost", "refused"]
    is_kept: bool = False
    is_interrupted: bool = False
    words: str = ""
    failure: Exception | None = None
    game: core.RecommendedGame | None = None
    answers_setup: bool = False
