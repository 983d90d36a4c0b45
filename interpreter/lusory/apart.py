"""Native code in a process of its own, where it can take nothing along that is not its own.

This file is both ends of it: imported it is the side that asks, run by its path it is the process, which needs nothing
but the standard library. Seeds and results lie in memory that both have; pipes carry what is to be done, and how it
went. The process leaves with who started it, and hears no Ctrl-C.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any

TASK, ANSWER = struct.Struct("=qQ"), struct.Struct("=q")
"""How many games, and from which seed on they are only counted; what came of it."""

LISTED = (1 << 64) - 1
"""In place of a first seed: seeds lie in the memory, and results will."""

NUMBER = 8  # bytes of a number
GONE = "it does not come up"


class Gone(Exception):
    """The process is no more. The message says why."""


class Apart:
    """A library in its process. ``block``: games at a time; ``width``: numbers of the result of each. Raises Gone."""

    def __init__(self, path: str, block: int, width: int) -> None:
        size = NUMBER * block * (1 + width)
        file = _memory()
        try:
            os.ftruncate(file, size)
            self._memory = mmap.mmap(file, size)
            command = [sys.executable, "-I", "-S", __file__, path, str(file), str(block), str(width)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, pass_fds=[file], start_new_session=True, bufsize=0
            )
        except OSError as error:
            raise Gone(f"{GONE}: {error.strerror}") from None
        finally:
            os.close(file)
        self._seeds = (ctypes.c_uint64 * block).from_buffer(self._memory)
        self.rows = (ctypes.c_int64 * (block * width)).from_buffer(self._memory, NUMBER * block)
        self.close = weakref.finalize(self, _ended, self._process)
        if self._answer() < 0:
            self.close()
            raise Gone("what the C compiler made can't be loaded")

    def games(self, seeds: Sequence[int]) -> None:
        """The games of these seeds are played; ``rows`` has their results. Raises Gone."""
        self._seeds[: len(seeds)] = list(seeds)
        self._ask(len(seeds), LISTED)

    def decisions(self, first: int, games: int) -> int:
        """How many decisions so many games have, from the seed ``first`` on. Raises Gone."""
        return self._ask(games, first)

    def _ask(self, count: int, first: int) -> int:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(TASK.pack(count, first))
        except BrokenPipeError:
            raise self._gone() from None
        return self._answer()

    def _answer(self) -> int:
        assert self._process.stdout is not None
        said = self._process.stdout.read(ANSWER.size)
        if not said:
            raise self._gone()
        return int(ANSWER.unpack(said)[0])

    def _gone(self) -> Gone:
        code = self._process.wait()
        self.close()
        return Gone(signal.strsignal(-code) or GONE if code < 0 else f"{GONE}: exit code {code}")


def _memory() -> int:
    """A file without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("games")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _ended(process: subprocess.Popen[bytes]) -> None:
    """The process goes, whatever it does."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


# ---------------------------------------------------------------- the process


def _loaded(path: str) -> Any:
    library = ctypes.CDLL(path)
    library.context_size.restype = library.decisions.restype = ctypes.c_int64
    library.games.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    library.games.restype = None
    library.decisions.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p]
    return library


def _serve(path: str, file: int, block: int, width: int) -> None:
    """Play what is asked for, until nobody asks any more."""
    import resource
    from io import FileIO

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tasks, answers = FileIO(0), FileIO(1, "w")
    memory = mmap.mmap(file, NUMBER * block * (1 + width))
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    try:
        library = _loaded(path)
    except OSError:
        answers.write(ANSWER.pack(-1))
        return
    context = ctypes.create_string_buffer(library.context_size())
    answers.write(ANSWER.pack(0))
    while len(task := tasks.read(TASK.size)) == TASK.size:
        count, first = TASK.unpack(task)
        if first == LISTED:
            library.games(context, start, count, start + NUMBER * block)
            answers.write(ANSWER.pack(0))
        else:
            answers.write(ANSWER.pack(library.decisions(context, first, count, start + NUMBER * block)))


if __name__ == "__main__":
    _serve(sys.argv[1], *map(int, sys.argv[2:]))
