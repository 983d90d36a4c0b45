"""Drive ``lusory`` in a pseudo-terminal: press keys, wait for words in the output, and read the exit status."""

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
    """A process in a pseudo-terminal of 80 columns and 24 rows. ``output`` is its output since the last key."""

    def __init__(self, process: int, end: int) -> None:
        self.process, self.end, self.output = process, end, b""

    def wait_for(self, words: bytes, then: bytes = b"", seconds: float = 60) -> None:
        """Wait until the output contains ``words``, and ``then`` after them."""
        deadline = time.monotonic() + seconds
        while then not in self.output.partition(words)[2] or words not in self.output:
            assert time.monotonic() < deadline, self.output[-2000:]
            if not self._read(0.2):  # the process has ended
                assert words in self.output, self.output[-2000:]

    def press(self, keys: bytes) -> None:
        self.output = b""
        if keys.endswith(b"\r"):
            time.sleep(2 * HASTY)
        os.write(self.end, keys)

    def leave_start_page(self, words: bytes) -> None:
        """Wait for the start page, start the first game, and wait until the table shows ``words``."""
        self.wait_for(b"Your aim")
        os.write(self.end, b"\r")
        self.wait_for(words)

    def wait_for_exit(self, seconds: float = 60) -> int:
        """Read the rest of the output, and return the exit status."""
        deadline = time.monotonic() + seconds
        while self._read(0.2):  # the process would wait if nobody read its output
            assert time.monotonic() < deadline, f"it is still writing: {self.output[-2000:]!r}"
        while not (status_pair := os.waitpid(self.process, os.WNOHANG))[0]:
            assert time.monotonic() < deadline, "it is still running"
            time.sleep(0.01)
        return os.waitstatus_to_exitcode(status_pair[1])

    def _read(self, seconds: float) -> bool:
        """Read available output. Return False when the process has closed the terminal."""
        if select.select([self.end], [], [], seconds)[0]:
            try:
                output = os.read(self.end, 65536)
            except OSError:
                return False
            self.output += output
            return bool(output)
        return True


@contextmanager
def open_terminal(
    folder: Path | None, *arguments: str, term: str = "xterm-256color", command: Sequence[str] = ("-m", "lusory")
) -> Iterator[Terminal]:
    """Run ``lusory`` or another Python command in a terminal, and kill it at the end. ``folder`` holds user files."""
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
