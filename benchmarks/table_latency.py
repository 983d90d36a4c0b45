"""How soon the full screen answers, through a pseudo-terminal: ``python -m benchmarks.table_latency tic-tac-toe``.

Of each kind of key: milliseconds from its write to the first byte of what it changes, and to the last of that burst, as
median and most. The first row is from the start of the process to the first screen; run it twice, for the first run may
have to check and compile the rules.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence

QUIET = 0.15
"""Seconds without a byte after which a burst is over."""
FULL = b"\x1b[?1049h"
"""What opens a full screen."""
ARROWS = [b"\x1b[B", b"\x1b[B", b"\x1b[A", b"\x1b[A"]
LETTERS = [b"a", b"e", b"\x7f", b"\x7f"]


def started(command: Sequence[str], columns: int, rows: int) -> tuple[int, int]:
    """A process at a new terminal: its id, and the terminal's other end."""
    process, end = pty.fork()
    if process == 0:
        os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "XDG_STATE_HOME": tempfile.mkdtemp()}
        os.execv(command[0], list(command))
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return process, end


def burst(end: int, quiet: float = QUIET, limit: float = 8.0) -> tuple[float, float, int]:
    """The first and the last byte of what comes now, in seconds from here, and how many bytes it is."""
    begun = time.perf_counter()
    first = last = 0.0
    many = 0
    while time.perf_counter() - begun < limit:
        ready, _, _ = select.select([end], [], [], quiet if many else limit)
        if not ready:
            break
        try:
            many += len(os.read(end, 65536))
        except OSError:
            break
        last = time.perf_counter() - begun
        first = first or last
    return first, last, many


def opened(end: int, limit: float = 60.0) -> tuple[float, float, int]:
    """As :func:`burst`, from the start of a process to its first whole screen."""
    begun = time.perf_counter()
    seen = b""
    while FULL not in seen and time.perf_counter() - begun < limit:
        if select.select([end], [], [], limit)[0]:
            seen += os.read(end, 65536)
    first = time.perf_counter() - begun
    _, last, many = burst(end, 0.6)
    return first, first + last, many


def row(what: str, times: Sequence[tuple[float, float, int]]) -> str:
    """A line of the table."""
    first = [1000 * time[0] for time in times if time[2]]
    last = [1000 * time[1] for time in times if time[2]]
    if not first:
        return f"{what:<24} nothing changed"
    return (
        f"{what:<24} first {statistics.median(first):4.0f} ({max(first):4.0f}) ms   "
        f"settled {statistics.median(last):4.0f} ({max(last):4.0f}) ms   of {len(first)}"
    )


def measured(game: str, columns: int, rows: int, decisions: int) -> None:
    """Play a game at a terminal of some size, and print how long it took."""
    command = [sys.executable, "-m", "lusory", "play", game, "--seed", "3"]
    process, end = started(command, columns, rows)
    try:
        print(f"{game} at {columns}x{rows}")
        print(row("start", [opened(end)]))
        kinds: dict[str, list[tuple[float, float, int]]] = {"arrow": [], "letter": [], "choice": []}
        for number in range(decisions):
            for kind, keys in (("arrow", ARROWS), ("letter", LETTERS)):
                for key in keys if number % 5 == 0 else ():
                    os.write(end, key)
                    kinds[kind].append(burst(end))
            os.write(end, b"\r")
            kinds["choice"].append(burst(end))
        for kind, times in kinds.items():
            print(row(kind, times))
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+", metavar="GAME")
    parser.add_argument("--size", default="80x24", help="columns x rows")
    parser.add_argument("--decisions", type=int, default=20)
    args = parser.parse_args()
    columns, rows = map(int, args.size.split("x"))
    for game in args.games:
        measured(game, columns, rows, args.decisions)


if __name__ == "__main__":
    main()
