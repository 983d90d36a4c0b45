"""What reads the keys of a terminal and writes to it, where that is of the library's makers for Linux and macOS."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.drivers import linux_driver


def _forgiving(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """A decoder that shows what is no text as such."""
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# The library ends everything at the first byte from a keyboard or paste that is no UTF-8.
vars(linux_driver)["getincrementaldecoder"] = _forgiving


class Driver(linux_driver.LinuxDriver):
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
