"""Drive ``lusory`` at a pseudo-terminal in tests: press keys, wait for words, and read what was written."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lusory.ui.textual.terminal_and_signal_handling import HASTY


class Terminal:
    """A process at a pseudo-terminal of 80 columns and 24 rows, and what it has written there."""

    def __init__(self, process: int, end: int) -> None:
        self.process, self.end, self.written = process, end, b""

    def until(self, words: bytes, then: bytes = b"", seconds: float = 60) -> None:
        """Wait until something was written, and behind it something else."""
        stop = time.monotonic() + seconds
        while then not in self.written.partition(words)[2] or words not in self.written:
            assert time.monotonic() < stop, self.written[-2000:]
            if not self._read(0.2):  # the process has gone
                assert words in self.written, self.written[-2000:]

    def press(self, keys: bytes) -> None:
        self.written = b""
        if keys.endswith(b"\r"):
            time.sleep(2 * HASTY)
        os.write(self.end, keys)

    def press_until(self, keys: bytes, words: bytes, seconds: float = 60) -> None:
        """Press keys, and again where nothing comes of them: a program may throw away what is typed meanwhile."""
        self.press(keys)
        stop = time.monotonic() + seconds
        while True:
            try:
                return self.until(words, seconds=5)
            except AssertionError:
                assert time.monotonic() < stop, self.written[-2000:]
                os.write(self.end, keys)

    def leave_start_page(self, words: bytes) -> None:
        """Wait for the start page, start the first game, and wait until the table shows ``words``."""
        self.until(b"Your aim")
        os.write(self.end, b"\r")
        self.until(words)

    def code(self, seconds: float = 60) -> int:
        """The exit code, once all that was written is read."""
        stop = time.monotonic() + seconds
        while self._read(0.2):  # what it still writes must be read, or it waits
            assert time.monotonic() < stop, f"it goes on: {self.written[-2000:]!r}"
        while not (done := os.waitpid(self.process, os.WNOHANG))[0]:
            assert time.monotonic() < stop, "it goes on without its terminal"
            time.sleep(0.01)
        return os.waitstatus_to_exitcode(done[1])

    def _read(self, seconds: float) -> bool:
        """Take in what is written; False once nobody is there to write any more."""
        if select.select([self.end], [], [], seconds)[0]:
            try:
                came = os.read(self.end, 65536)
            except OSError:
                return False
            self.written += came
            return bool(came)
        return True


@contextmanager
def at_terminal(
    folder: Path | None, *arguments: str, term: str = "xterm-256color", command: Sequence[str] = ("-m", "lusory")
) -> Iterator[Terminal]:
    """``lusory`` at a terminal, or another command of Python. ``folder`` holds the files of its user."""
    import fcntl
    import pty
    import struct
    import termios

    process, end = pty.fork()
    if process == 0:
        os.environ |= {"TERM": term} | dict.fromkeys(["XDG_STATE_HOME", "XDG_DATA_HOME"] if folder else [], str(folder))
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execve(sys.executable, [sys.executable, *command, *arguments], dict(os.environ))
    try:
        yield Terminal(process, end)
    finally:
        try:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(end)
