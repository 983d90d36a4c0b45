"""Measure how soon the full screen answers, at a pseudo-terminal. Used by :mod:`benchmarks.suite`.

For each kind of key it measures the time from the key to the first and to the last byte of the burst that answers it.
It also measures processor time, which depends little on other work of the machine.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

GAMES = ("tic-tac-toe", "empire-engine", "empires-end", "engines-of-war", "nano-empire", "empire-city")
SIZES = ((80, 24), (120, 40))
QUIET = 0.15
"""Seconds without a byte after which a burst is over."""
LONG = 30.0
SOLO, QUICK = ("nano-empire",), "human,random"
"""Solitaire games, and the seats of the others: a random bot takes no time, so that its decisions don't count."""
FULL = b"\x1b[?1049h"
"""The bytes that open a full screen."""
READY = "▏".encode()
"""The mark of the input line, which every first screen shows."""
ARROWS = (b"\x1b[B", b"\x1b[B", b"\x1b[A", b"\x1b[A")
LETTERS = (b"a", b"e", b"\x7f", b"\x7f")
KINDS = ("start", "arrow", "letter", "choice")


@dataclass(frozen=True)
class Burst:
    """The output after a key: seconds to its ``first`` and ``last`` byte, and seconds of processor time as ``work``.
    ``work`` is None if the system can't measure it. ``size`` is 0 without output."""

    first: float
    last: float
    work: float | None
    size: int


@dataclass(frozen=True)
class Answers:
    """The bursts after one kind of key, in a game on a terminal of one size."""

    kind: str
    game: str
    size: tuple[int, int]
    bursts: tuple[Burst, ...]

    @property
    def first(self) -> float:
        return median([burst.first for burst in self.bursts] or [0.0])

    @property
    def last(self) -> float:
        return median([burst.last for burst in self.bursts] or [0.0])

    @property
    def work(self) -> float | None:
        works = [burst.work for burst in self.bursts if burst.work is not None]
        return median(works) if works else None


class Table:
    """A process with a terminal of its own."""

    def __init__(self, process: int, end: int) -> None:
        self.process, self.end = process, end

    def read_burst(self, until: bytes = b"", quiet: float = QUIET) -> Burst:
        """Read the next burst of output, with ``until`` at least up to these bytes."""
        start, work_before = time.perf_counter(), self._read_work()
        first = last = 0.0
        output = b""
        while last < LONG:
            patience = quiet if output and until in output else LONG if until else 1.0
            if not select.select([self.end], [], [], patience)[0]:
                break
            try:
                output += os.read(self.end, 65536)
            except OSError:
                break
            last = time.perf_counter() - start
            first = first or last
        work = self._read_work()
        return Burst(first, last, None if work is None or work_before is None else work - work_before, len(output))

    def press(self, key: bytes) -> Burst:
        """Press a key."""
        os.write(self.end, key)
        return self.read_burst()

    def _read_work(self) -> float | None:
        """Return the seconds of processor time of all threads so far, or None if the system can't measure it."""
        try:
            threads = list(Path(f"/proc/{self.process}/task").iterdir())
            return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
        except OSError:
            return None


@contextmanager
def open_table(game: str, columns: int, rows: int) -> Iterator[Table]:
    """Run ``lusory play`` at a new terminal."""
    with tempfile.TemporaryDirectory() as folder:
        process, end = pty.fork()
        if process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "XDG_STATE_HOME": folder}
            seats = [] if game in SOLO else ["--seats", QUICK]
            os.execv(sys.executable, [sys.executable, "-m", "lusory", "play", game, "--seed", "3", *seats])
        try:
            yield Table(process, end)
        finally:
            os.kill(process, signal.SIGTERM)
            with suppress(OSError):
                while os.read(end, 65536):
                    pass
            os.close(end)
            os.waitpid(process, 0)


def measure_answers(game: str, size: tuple[int, int], decisions: int) -> list[Answers]:
    """Start a game and play it, once for the cache and once to measure."""
    with open_table(game, *size) as table:
        table.read_burst(until=READY)
    bursts_by_kind: dict[str, list[Burst]] = {kind: [] for kind in KINDS}
    with open_table(game, *size) as table:
        bursts_by_kind["start"].append(table.read_burst(until=READY))
        for _ in range(decisions):
            bursts_by_kind["arrow"] += map(table.press, ARROWS)
            bursts_by_kind["letter"] += map(table.press, LETTERS)
            bursts_by_kind["choice"].append(table.press(b"\r"))
    return [
        Answers(kind, game, size, tuple(burst for burst in bursts if burst.size))
        for kind, bursts in bursts_by_kind.items()
    ]


def measure_all(games: Sequence[str], sizes: Sequence[tuple[int, int]], decisions: int) -> Iterator[Answers]:
    """Yield the answers of games on terminals of all sizes."""
    for game in games:
        for size in sizes:
            yield from measure_answers(game, size, decisions)
