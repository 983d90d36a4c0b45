"""Whole games in native code: printed as C, compiled by the C compiler of the machine, kept, and called.

The compiler runs as a child with limits of time and memory, reads the text from a pipe and writes into a folder of its
own, which goes with it. What it made is kept by what it was made of (:mod:`lusory.cache`). ``LUSORY_CC`` names another
compiler, or switches native code off (``LUSORY_CC=off``). Used by the shells; never by the core.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic

from .cache import Cache
from .compile.c.kinds import NotNative
from .compile.c.results import Played as Played, Reader, Row
from .compile.module import key_of
from .game import Game

FLAGS = ("-shared", "-fPIC", "-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing")
LARGE = 200_000
"""Characters of C from which on it is compiled with less care, so that nobody waits for long."""

SECONDS, KILOBYTES = 300, 4_000_000
"""What the compiler may use: seconds of the processor, and memory."""

LEAVING = 5.0
"""Seconds for which one waits for a compiler to go."""

BLOCK, PATIENCE = 256, 0.2
"""Games of one call, at the most; and how long it may take, about, in seconds: Ctrl-C is heard between two calls."""

NARROW, MANY_ENDS = 48, 4_096
"""Results of so few numbers are read once each, up to so many: short games end alike again and again."""


class NoNative(Exception):
    """There is no native code for a game. The message says why."""


class NotBuilt(NoNative):
    """There may be, but it is not built."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler: where it lies, and what it says of itself."""

    path: str
    version: str


def compiler() -> Compiler:
    """The C compiler of this machine. Raises NoNative."""
    return _compiler(os.environ.get("LUSORY_CC", "cc"))


@lru_cache(maxsize=4)
def _compiler(named: str) -> Compiler:
    path = None if named == "off" else shutil.which(named)
    if path is None:
        raise NoNative("LUSORY_CC is off" if named == "off" else f"no C compiler: `{named}` is not on the path")
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise NoNative(f"`{named}` does not say its version") from None
    return Compiler(path, said.stdout.decode(errors="replace").partition("\n")[0])


Child = subprocess.Popen[bytes]


def compiled(text: str, flags: Sequence[str] = (), began: Callable[[Child], None] | None = None) -> bytes:
    """A shared library of a text. ``began`` gets the compiler when it is at work. Raises NoNative."""
    with tempfile.TemporaryDirectory(prefix="lusory-") as folder:
        made = Path(folder) / "game.so"
        level = "-O1" if len(text) > LARGE else "-O2"
        limited = f'ulimit -t {SECONDS}; ulimit -v {KILOBYTES}; exec "$@"'
        command = [
            "/bin/sh",
            "-c",
            limited,
            "sh",
            compiler().path,
            *FLAGS,
            level,
            *flags,
            "-x",
            "c",
            "-o",
            str(made),
            "-",
        ]
        own = {"PATH": os.environ.get("PATH", ""), "TMPDIR": folder, "LC_ALL": "C"}
        pipe = subprocess.PIPE
        try:
            child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=own, start_new_session=True)
        except OSError as error:  # a system without a shell
            raise NoNative(f"the C compiler can't be started: {error.strerror}") from None
        try:
            if began is not None:
                began(child)
            _, said = child.communicate(text.encode("ascii"), timeout=2 * SECONDS)
        except BaseException as error:  # Ctrl-C, or too long
            ended(child)
            child.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise NoNative("the C compiler takes too long") from None
            raise
        if child.returncode:
            lines = said.decode(errors="replace").splitlines()
            first = next((line for line in lines if "error" in line), f"exit code {child.returncode}")
            raise NoNative(f"the C compiler gives up: {first}")
        return made.read_bytes()


def ended(child: Child) -> None:
    """The compiler goes, and what it started; once it was waited for its number may be that of something else."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


class Native:
    """The whole games of one setting in native code, for one thread. ``build``: it is built where it is not kept.
    Raises NoNative where there is none."""

    def __init__(
        self,
        game: Game,
        cache: Cache | None = None,
        flags: Sequence[str] = (),
        build: bool = True,
        began: Callable[[Child], None] | None = None,
    ) -> None:
        if game.hides_reasons:
            raise NoNative("not native: the reason of an ending is not for all to know")
        tool = compiler()
        key = f"{key_of(game.setting, 'playout')} {platform.machine()} {tool} {FLAGS} {tuple(flags)}"
        kept = None if cache is None else cache.code(f"{key} reader")
        path = None if cache is None or kept is None else cache.library(key)
        if path is not None and kept is not None:
            row, texts, made, width = kept
            self.reader = Reader(game.setting, Row(*row), texts, made, width)
            self._load(path)
        elif build:
            self._make(game, cache, key, flags, began)
        else:
            raise NotBuilt("it is not built")

    def _make(
        self,
        game: Game,
        cache: Cache | None,
        key: str,
        flags: Sequence[str],
        began: Callable[[Child], None] | None,
    ) -> None:
        from .compile.c.emission import emit_c  # imported late: most runs find what was kept
        from .compile.emission import selected

        try:
            printed = emit_c(game.setting, selected(game.setting, "playout"))
        except NotNative as refused:
            raise NoNative(str(refused)) from None
        content = compiled(printed.text, flags, began)
        self.reader = one = printed.reader
        if cache is not None:
            row = one.row.seats, one.row.ranks, one.row.payoffs, one.row.shown, one.row.kinds
            cache.keep_code(f"{key} reader", (row, one.texts, one.made, one.width))
            cache.keep_library(key, content)
        with tempfile.TemporaryDirectory(prefix="lusory-") as folder:
            path = Path(folder) / "game.so"
            path.write_bytes(content)
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            library = ctypes.CDLL(os.path.abspath(path))  # a name without a folder is looked for elsewhere
        except OSError as error:
            raise NoNative(f"what the C compiler made can't be loaded: {error}") from None
        library.context_size.restype = ctypes.c_int64
        self._games = library.games
        self._games.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
        self._games.restype = None
        self._context = ctypes.create_string_buffer(library.context_size())
        self._decisions = library.decisions
        self._decisions.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p]
        self._decisions.restype = ctypes.c_int64
        self._block = 1
        self._known: dict[bytes, Played | None] = {}
        self._rows = (ctypes.c_int64 * (BLOCK * self.reader.width))()

    def games(self, seeds: Sequence[int]) -> Iterator[Played | None]:
        """The random game of each seed; None: something is wrong with it, or C was short of room. Answers come from
        :func:`lusory.table.chance.answers`."""
        width, rows, known = self.reader.width, self._rows, self._known
        alike = width <= NARROW
        first = 0
        while first < len(seeds):
            some = seeds[first : first + self._block]
            began = monotonic()
            numbers = array("Q", [seed & (1 << 64) - 1 for seed in some])
            self._games(self._context, numbers.buffer_info()[0], len(some), rows)
            taken = max(monotonic() - began, 1e-6)
            self._block = max(1, min(BLOCK, int(PATIENCE * len(some) / taken)))
            first += len(some)
            row = width * ctypes.sizeof(ctypes.c_int64)
            data = memoryview(rows).cast("B")[: len(some) * row].tobytes() if alike else b""
            for at in range(len(some)):
                key = data[at * row : (at + 1) * row]
                if key and key in known:
                    yield known[key]
                    continue
                found = self.reader.result(rows, at * width)  # type: ignore[arg-type]
                if key and len(known) < MANY_ENDS:
                    known[key] = found
                yield found

    def decisions(self, first: int, games: int) -> int:
        """How many decisions so many games have, from the seed ``first`` on. Nothing else of them is read."""
        return int(self._decisions(self._context, first, games, self._rows))


class Building:
    """Native code that is built beside what goes on. ``reason``: why there is none, once that is known."""

    def __init__(self, game: Game, cache: Cache | None) -> None:
        self.reason = ""
        self._native: Native | None = None
        self._child: Child | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._build, args=(game, cache), daemon=True)
        self._thread.start()

    def _build(self, game: Game, cache: Cache | None) -> None:
        try:
            self._native = Native(game, cache, began=self._began)
        except NoNative as none:
            self.reason = str(none)

    def _began(self, child: Child) -> None:
        self._child = child
        if self._stopped:
            ended(child)

    def take(self) -> Native | None:
        """What was built; None: it isn't yet, or there is none."""
        return None if self._thread.is_alive() else self._native

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._stopped = True
        if self._child is not None and self._thread.is_alive():
            ended(self._child)
        self._thread.join(LEAVING)
