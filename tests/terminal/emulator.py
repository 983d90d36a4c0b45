"""Run a process in a pseudo-terminal with a terminal emulator, read its screen and detect faults.

Faults are collected, not raised, so that a game goes on after a fault.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyte
from wcwidth import wcwidth

MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
SEQUENCE = re.compile(rb"\x1b(\[[0-9;<=>?$]*[@-~]|[^\[])")
KEYBOARD = re.compile(rb"\x1b\[[<=>][0-9;]*[a-zA-Z]")
"""Sequences of keyboard protocols that the emulator doesn't know and would partly draw."""
ALTERNATE, CURSOR = 1049, 25
RESTORED_MODES = {1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2048, ALTERNATE}
"""Modes that a program must switch off before it ends: mouse, focus, paste, resize events and the alternate screen."""
QUIET_SECONDS = 0.04
"""Seconds without output after which a screen counts as complete, if the process is idle."""


class Screen(pyte.Screen):
    """Emulated screen that records text beyond its edges."""

    def __init__(self, columns: int, rows: int) -> None:
        self.beyond: list[str] = []
        super().__init__(columns, rows)

    def set_mode(self, *modes: int, **more: bool) -> None:
        """Set modes. Entering the alternate screen clears it."""
        super().set_mode(*modes, **more)
        if more.get("private") and ALTERNATE in modes:
            self.erase_in_display(2)

    def draw(self, data: str) -> None:
        """Draw text at the cursor, and record text that is wider than the screen."""
        if self.cursor.x + sum(max(wcwidth(letter), 0) for letter in data) > self.columns:
            self.beyond.append(f"wider than {self.columns}: {data.strip()[-60:]!r}")
        super().draw(data)

    def index(self) -> None:
        """Move the cursor down by a line, and record when that scrolls the screen."""
        if self.cursor.y == self.lines - 1:
            self.beyond.append(f"taller than {self.lines}: {self.display[0].strip()[:60]!r} is lost")
        super().index()


class Emulated:
    """A process in a pseudo-terminal: ``lusory`` by default, or another Python command.

    ``in_lines`` is set in the line mode, in which screens may scroll. ``faults`` holds the faults found so far.
    """

    def __init__(
        self, arguments: list[str], folder: Path, size: tuple[int, int], command: Sequence[str] = ("-m", "lusory")
    ) -> None:
        self.size, self.in_lines = size, "--plain" in arguments
        self.faults: list[str] = []
        self.code: int | None = None
        self.screen = Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.raw, self.modes, self._incomplete = bytearray(), {CURSOR: True}, b""
        self._is_resized = False
        self.process, self.end = pty.fork()
        if self.process == 0:
            variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LUSORY_TRACEBACK": "1"}
            variables |= dict.fromkeys(("XDG_STATE_HOME", "XDG_DATA_HOME"), str(folder))
            environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            # The person saves files here.
            os.chdir(folder)
            # The tests may ignore SIGINT, but a process in a terminal doesn't.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # Pass the environment explicitly: a loaded `readline` writes its own size into the inherited environment.
            os.execve(sys.executable, [sys.executable, *command, *arguments], environment | variables)
        self._flags = termios.tcgetattr(self.end)[3]

    # ------------------------------------------------------------ state

    @property
    def rows(self) -> list[str]:
        """Return the lines on the screen."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def is_full(self) -> bool:
        """Return whether the alternate screen is on."""
        return self.modes.get(ALTERNATE, False)

    def list_underlined(self) -> list[tuple[int, int]]:
        """Return the column and row of each underlined character. Those can be clicked."""
        return [
            (x, y) for y, row in self.screen.buffer.items() for x, cell in row.items()
            if cell.underscore and cell.data.strip() and x < self.size[0] and y < self.size[1]
        ]  # fmt: skip

    # ------------------------------------------------------------ input and waiting

    def send(self, keys: bytes | str) -> None:
        """Send keys or mouse sequences and wait until the screen is complete."""
        if self.code is not None:
            return
        before = self._measure_work()
        # The process may have ended meanwhile.
        with suppress(OSError):
            os.write(self.end, keys.encode() if isinstance(keys, str) else keys)
        self.settle(before)

    def resize(self, columns: int, rows: int) -> None:
        """Resize the terminal and wait until the screen is complete."""
        before = self._measure_work()
        self._is_resized = True
        self.size = (columns, rows)
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.settle(before)
        self._is_resized = False

    def settle(self, since: int | None = None, seconds: float = 60) -> None:
        """Wait until the screen is complete: there is no output and the process is idle.

        ``since`` is the processor time that the process had used before it got input. If it hasn't used any since then,
        the wait is longer.
        """
        deadline, quiet_since, last_work = time.monotonic() + seconds, time.monotonic(), -1
        while self.code is None:
            if self._read(QUIET_SECONDS / 2):
                quiet_since = time.monotonic()
                continue
            work, is_running = self._measure_work(), self._is_running()
            if is_running or work != last_work:
                last_work = work
                quiet_since = max(quiet_since, time.monotonic() - QUIET_SECONDS / 2)
            pause = 0.5 if since is not None and work == since else QUIET_SECONDS
            if time.monotonic() - quiet_since >= pause and not is_running:
                break
            if time.monotonic() > deadline:
                self.faults.append(f"is not idle after {seconds} s")
                break
        self._check_screen()

    def finish(self, seconds: float = 30) -> int | None:
        """Wait for the process to end. Returns its exit status, or None if it is still running."""
        deadline = time.monotonic() + seconds
        while self.code is None and time.monotonic() < deadline:
            self._read(0.05)
        return self.code

    def close(self) -> None:
        """Kill the process if it is still running, and record what it has left behind."""
        if self.code is None:
            self.faults.append("is still running when it should have ended")
            os.kill(self.process, signal.SIGKILL)
            self.finish(5)
        remaining = [process for process in self._list_session() if process != self.process]
        if remaining:
            self.faults.append(f"leaves {len(remaining)} processes")
            for process in remaining:
                os.kill(process, signal.SIGKILL)
        self.faults += self.list_unrestored_settings()
        os.close(self.end)

    def list_unrestored_settings(self) -> list[str]:
        """Return faults for each setting of the terminal that wasn't restored."""
        faults = []
        active_modes = sorted(mode for mode in RESTORED_MODES if self.modes.get(mode))
        if active_modes:
            faults.append(f"leaves the terminal in the modes {active_modes}")
        if not self.modes[CURSOR]:
            faults.append("leaves the cursor hidden")
        if self.raw.count(b"\x1b[>1u") > self.raw.count(b"\x1b[<u"):
            faults.append("leaves the keyboard in another mode")
        flags = termios.ICANON | termios.ECHO | termios.ISIG
        if termios.tcgetattr(self.end)[3] & flags != self._flags & flags:
            faults.append("leaves the terminal without echo, lines or signals")
        return faults

    # ------------------------------------------------------------ internals

    def _read(self, seconds: float) -> bool:
        """Read output and feed it to the emulator. Returns whether there was any."""
        if not select.select([self.end], [], [], seconds)[0]:
            ended_process, status = os.waitpid(self.process, os.WNOHANG)
            if ended_process:
                self.code = os.waitstatus_to_exitcode(status)
            return False
        try:
            output = os.read(self.end, 65536)
        # The process has ended.
        except OSError:
            _, status = os.waitpid(self.process, 0)
            self.code = os.waitstatus_to_exitcode(status)
            return False
        self.raw += output
        for numbers, switch in MODE.findall(output):
            for number in numbers.split(b";"):
                self.modes[int(number)] = switch == b"h"
        start = output.rfind(b"\x1b")
        complete = self._incomplete + output
        self._incomplete = b""
        if start >= 0 and len(output) - start < 12 and not SEQUENCE.match(output, start):
            self._incomplete = complete[len(complete) - (len(output) - start) :]
            complete = complete[: len(complete) - len(self._incomplete)]
        self.stream.feed(KEYBOARD.sub(b"", complete))
        return True

    def _check_screen(self) -> None:
        """Record faults of the current screen."""
        if self.is_full and not self.in_lines and not self._is_resized:
            self.faults += self.screen.beyond
            if self.code is None and sum(map(bool, self.rows)) < 3:
                self.faults.append(f"a screen of {self.size} stays empty: {self.text.strip()!r}")
        self.screen.beyond.clear()
        if b"Traceback" in self.raw:
            at = self.raw.index(b"Traceback")
            self.faults.append("a traceback: " + self.raw[at:][:4000].decode(errors="replace"))
            self.raw.clear()

    def _list_threads(self, process: int) -> list[Path]:
        """Return the threads of a process and of its descendants."""
        try:
            tasks = list(Path(f"/proc/{process}/task").iterdir())
            children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            return []
        return tasks + [task for child in children for task in self._list_threads(child)]

    def _list_session(self) -> list[int]:
        """Return the ids of all live processes in the session, including the process itself."""
        processes = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    parts = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(parts[3]) == self.process and parts[0] != "Z":
                    processes.append(int(entry.name))
        return processes

    def _measure_work(self) -> int:
        """Return the processor time in nanoseconds that the process and its descendants have used."""
        total = 0
        for task in self._list_threads(self.process):
            with suppress(OSError, IndexError):
                total += int((task / "schedstat").read_text().split()[0])
        return total

    def _is_running(self) -> bool:
        """Return whether a thread of the process or of its descendants is running."""
        for task in self._list_threads(self.process):
            try:
                if (task / "stat").read_text().rpartition(")")[2].split()[0] in "RD":
                    return True
            except OSError:
                pass
        return False
