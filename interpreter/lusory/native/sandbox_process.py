"""Run a native library in a process of its own, so that a crash cannot take down the caller.

The file has both ends. Imported, it is the client: :class:`Apart` looks like a library of ctypes, but sends each call
through a pipe and reads the result from another. Run as a script, it is the server, which needs only the standard
library.

The server ends with the process that started it, and does not receive Ctrl-C. After a crash, the next call starts a new
server.
"""

from __future__ import annotations

import ctypes
import marshal
import signal
import struct
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any, NamedTuple

SIZE, ANSWER = struct.Struct("=I"), struct.Struct("=Q")
"""The formats of the length of a message, in bytes, and of the 64-bit result of a function."""

LOADED, NOT_LOADED = 1, 0
GONE = "it does not come up"

LONG, TEXT, POINTER = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
TYPES: dict[str, Any] = {
    kind._type_: kind for kind in (LONG, ctypes.c_uint64, ctypes.c_int, ctypes.c_double, TEXT, POINTER)
}
"""The types of parameters and results, by the letters that ctypes gives them."""

Face = Mapping[str, tuple[Any, ...]]
"""Name of a function of a library -> the type of its result, followed by the types of its parameters."""


class Gone(Exception):
    """Signal that the server process has ended. The message says why."""


class Room(NamedTuple):
    """A block of memory in the server process, zero at first. Each number has one block of ``size`` bytes."""

    number: int
    size: int


def bound(library: Any, face: Face) -> None:
    """Declare the functions of a library, which may be of ctypes or an :class:`Apart`."""
    for name, (gives, *takes) in face.items():
        function = getattr(library, name)
        function.restype, function.argtypes = gives, takes


class Apart:
    """A library in a server process. Its functions are called by name, once :func:`bound` has declared them.

    ``bytes`` and lists of ``bytes`` are sent to the function. A :class:`Room` is memory that stays in the server. Any
    other array of ctypes is an output: it is zero when the function starts, and its contents come back.

    If the process has ended, calls raise ``lost(reason)``. The next call starts a new process, with empty rooms. Raises
    Gone if the process does not start at all.
    """

    def __init__(self, path: str, lost: Callable[[str], Exception] = Gone) -> None:
        self._path, self._lost = path, lost
        self._functions: dict[str, _Function] = {}
        self._begin()

    def __getattr__(self, name: str) -> _Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._functions.setdefault(name, _Function(self, name))

    def _begin(self) -> None:
        command = [sys.executable, "-I", "-S", __file__, self._path]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True, bufsize=0)
        except OSError as error:
            raise Gone(f"{GONE}: {error.strerror}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._down, self._up = self._process.stdin, self._process.stdout
        self._close = weakref.finalize(self, _ended, self._process)
        said = _read(self._up, ANSWER.size)
        if not said:
            raise Gone(self._why())
        if ANSWER.unpack(said)[0] != LOADED:
            self.close()
            raise Gone("what the C compiler made can't be loaded")

    def ask(self, task: bytes, answer: int) -> bytes:
        """Send a message, and return the answer of ``answer`` bytes."""
        try:
            if not self._close.alive:
                self._begin()
            _write(self._down, task)
            said = _read(self._up, answer)
        except (BrokenPipeError, Gone) as gone:
            raise self._lost(self._why() if self._close.alive else str(gone)) from None
        except BaseException:  # after Ctrl-C, the answer would confuse the next call
            self.close()
            raise
        if not said:
            raise self._lost(self._why())
        return said

    def _why(self) -> str:
        code = self._process.wait()
        self.close()
        return signal.strsignal(-code) or GONE if code < 0 else f"{GONE}: exit code {code}"

    def close(self) -> None:
        """End the process."""
        self._close()


class _Function:
    """A function of the library, with the attributes that functions of ctypes have."""

    def __init__(self, apart: Apart, name: str) -> None:
        self.apart, self.name = weakref.proxy(apart), name
        self.restype: Any = None
        self.argtypes: Any = ()

    def __call__(self, *given: Any) -> Any:
        back = [one for one in given if _comes_back(one)]
        kinds = [kind._type_ for kind in self.argtypes]
        gives = "" if self.restype is None else self.restype._type_
        message = marshal.dumps((self.name, gives, kinds, [_told(one) for one in given]))
        sizes = [ctypes.sizeof(one) for one in back]
        said = memoryview(self.apart.ask(SIZE.pack(len(message)) + message, ANSWER.size + sum(sizes)))
        at = ANSWER.size
        for one, size in zip(back, sizes, strict=True):
            memoryview(one).cast("B")[:] = said[at : at + size]
            at += size
        return None if self.restype is None else self.restype(ANSWER.unpack(said[: ANSWER.size])[0]).value


def _comes_back(given: Any) -> bool:
    return isinstance(given, ctypes.Array)


def _told(given: Any) -> Any:
    """Encode an argument for the message: a room as a tuple, and an output array as a set of its size."""
    if isinstance(given, Room):
        return tuple(given)
    return {ctypes.sizeof(given)} if _comes_back(given) else given


def _write(file: IO[bytes], data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _read(file: IO[bytes], size: int) -> bytes:
    """Read ``size`` bytes. Returns no bytes if the other end has closed."""
    found = file.read(size)
    while found and len(found) < size:
        more = file.read(size - len(found))
        found = found + more if more else b""
    return found


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and close its pipes."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


# ---------------------------------------------------------------- server


def _serve(path: str) -> None:
    """Execute calls until the client closes its end."""
    import resource
    from io import FileIO

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tasks, answers = FileIO(0), FileIO(1, "w")
    try:
        library = ctypes.CDLL(path)
    except OSError:
        _write(answers, ANSWER.pack(NOT_LOADED))
        return
    _write(answers, ANSWER.pack(LOADED))
    rooms: dict[int, Any] = {}
    while (size := _read(tasks, SIZE.size)) and (task := _read(tasks, *SIZE.unpack(size))):
        name, gives, kinds, told = marshal.loads(task)
        function = getattr(library, name)
        function.restype, function.argtypes = TYPES.get(gives), [TYPES[kind] for kind in kinds]
        given = [_given(one, rooms) for one in told]
        found = function(*given) or 0
        back = [bytes(there) for there, one in zip(given, told, strict=True) if isinstance(one, set)]
        _write(answers, b"".join((ANSWER.pack(found & (1 << 64) - 1), *back)))


def _given(told: Any, rooms: dict[int, Any]) -> Any:
    """Decode an argument for the library."""
    if isinstance(told, tuple):
        number, size = told
        if number not in rooms or len(rooms[number]) != size:
            rooms[number] = ctypes.create_string_buffer(size)
        return rooms[number]
    if isinstance(told, list):
        return (TEXT * len(told))(*told)
    if isinstance(told, set):
        return ctypes.create_string_buffer(*told)
    return told


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the client has gone
        _serve(sys.argv[1])
