"""Run a native library in a process of its own, so that a crash cannot take down the caller.

The file has both ends. Imported, it is the client: :class:`SandboxedLibrary` looks like a library of ctypes, but sends
each call through a pipe and reads the result from another. Run as a script, it is the server, which needs only the
standard library.

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
NOT_STARTED = "it does not start"

LONG, TEXT, POINTER = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
TYPES: dict[str, Any] = {
    kind._type_: kind for kind in (LONG, ctypes.c_uint64, ctypes.c_int, ctypes.c_double, TEXT, POINTER)
}
"""The types of parameters and results, by the letters that ctypes gives them."""

LibraryInterface = Mapping[str, tuple[Any, ...]]
"""Name of a function of a library -> the type of its result, followed by the types of its parameters."""


class ProcessEnded(Exception):
    """Signal that the server process has ended. The message says why."""


class MemoryBlock(NamedTuple):
    """A block of memory in the server process, zero at first. Each number has one block of ``size`` bytes."""

    number: int
    size: int


def declare_functions(library: Any, interface: LibraryInterface) -> None:
    """Set ``restype`` and ``argtypes`` of each function in ``interface``.

    ``library`` is a library of ctypes or a :class:`SandboxedLibrary`. Raise AttributeError for a function that a
    library of ctypes lacks.
    """
    for name, (result_type, *parameter_types) in interface.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result_type, parameter_types


class SandboxedLibrary:
    """A library in a server process. Its functions are called by name, once :func:`declare_functions` has declared
    them.

    ``bytes`` and lists of ``bytes`` are sent to the function. A :class:`MemoryBlock` is memory that stays in the
    server. Any other array of ctypes is an output: it is zero when the function starts, and its contents come back.

    If the process has ended, calls raise ``make_error(reason)``. The next call starts a new process, with empty memory
    blocks. Raise ProcessEnded if the process does not start at all, or can't load the library.
    """

    def __init__(self, path: str, make_error: Callable[[str], Exception] = ProcessEnded) -> None:
        self._path, self._make_error = path, make_error
        self._functions: dict[str, _Function] = {}
        self._begin()

    def __getattr__(self, name: str) -> _Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._functions.setdefault(name, _Function(self, name))

    def _begin(self) -> None:
        """Start the server process, and wait until it has loaded the library. Raise ProcessEnded if that fails."""
        command = [sys.executable, "-I", "-S", __file__, self._path]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True, bufsize=0)
        except OSError as error:
            raise ProcessEnded(f"{NOT_STARTED}: {error.strerror}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._down, self._up = self._process.stdin, self._process.stdout
        self._close = weakref.finalize(self, _kill_server, self._process)
        reply = _read(self._up, ANSWER.size)
        if not reply:
            raise ProcessEnded(self._describe_end())
        if ANSWER.unpack(reply)[0] != LOADED:
            self.close()
            raise ProcessEnded("what the C compiler made can't be loaded")

    def ask(self, task: bytes, answer_size: int) -> bytes:
        """Send ``task`` as it is, and return the answer, exactly ``answer_size`` bytes.

        ``task`` is ``SIZE.pack(len(message)) + message``, and ``answer_size`` is at least 1. Start a server process if
        the last one was closed. One that has died since the last call is not replaced: this call raises. Raise the
        exception that ``make_error`` makes of a reason if the server can't start or load the library, or has died
        before it answers. After this and any other exception, such as Ctrl-C, the server is closed, so that the next
        call starts a new one.
        """
        try:
            if not self._close.alive:
                self._begin()
            _write_all(self._down, task)
            reply = _read(self._up, answer_size)
        except (BrokenPipeError, ProcessEnded) as error:
            raise self._make_error(self._describe_end() if self._close.alive else str(error)) from None
        except BaseException:  # after Ctrl-C, the answer would confuse the next call
            self.close()
            raise
        if not reply:
            raise self._make_error(self._describe_end())
        return reply

    def _describe_end(self) -> str:
        code = self._process.wait()
        self.close()
        return signal.strsignal(-code) or NOT_STARTED if code < 0 else f"{NOT_STARTED}: exit code {code}"

    def close(self) -> None:
        """Kill the process and close its pipes. The next call starts a new one."""
        self._close()


class _Function:
    """A function of the library, with the attributes that functions of ctypes have."""

    def __init__(self, library: SandboxedLibrary, name: str) -> None:
        self.library, self.name = weakref.proxy(library), name
        self.restype: Any = None
        self.argtypes: Any = ()

    def __call__(self, *arguments: Any) -> Any:
        outputs = [argument for argument in arguments if _is_output(argument)]
        kinds = [kind._type_ for kind in self.argtypes]
        result_type = "" if self.restype is None else self.restype._type_
        message = marshal.dumps((self.name, result_type, kinds, [_encode_argument(argument) for argument in arguments]))
        sizes = [ctypes.sizeof(argument) for argument in outputs]
        reply = memoryview(self.library.ask(SIZE.pack(len(message)) + message, ANSWER.size + sum(sizes)))
        position = ANSWER.size
        for argument, size in zip(outputs, sizes, strict=True):
            memoryview(argument).cast("B")[:] = reply[position : position + size]
            position += size
        return None if self.restype is None else self.restype(ANSWER.unpack(reply[: ANSWER.size])[0]).value


def _is_output(argument: Any) -> bool:
    return isinstance(argument, ctypes.Array)


def _encode_argument(argument: Any) -> Any:
    """Encode an argument for the message.

    A memory block becomes a tuple (number, size), and an output array a set of its size in bytes. Anything else stays
    as it is.
    """
    if isinstance(argument, MemoryBlock):
        return tuple(argument)
    return {ctypes.sizeof(argument)} if _is_output(argument) else argument


def _write_all(file: IO[bytes], data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[file.write(remaining) :]


def _read(file: IO[bytes], size: int) -> bytes:
    """Read exactly ``size`` bytes. Return no bytes if the other end has closed before."""
    data = file.read(size)
    while data and len(data) < size:
        next_data = file.read(size - len(data))
        data = data + next_data if next_data else b""
    return data


def _kill_server(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and close its pipes."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


# ---------------------------------------------------------------- server


def _serve_calls(path: str) -> None:
    """Load the library ``path``, report whether that worked, and execute calls from standard input until the client
    closes it.

    The answer to a call is the 64-bit result, followed by the contents of the output arrays.
    """
    import resource
    from io import FileIO

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tasks, answers = FileIO(0), FileIO(1, "w")
    try:
        library = ctypes.CDLL(path)
    except OSError:
        _write_all(answers, ANSWER.pack(NOT_LOADED))
        return
    _write_all(answers, ANSWER.pack(LOADED))
    blocks: dict[int, Any] = {}
    while (size := _read(tasks, SIZE.size)) and (task := _read(tasks, *SIZE.unpack(size))):
        name, result_type, kinds, encoded_arguments = marshal.loads(task)
        function = getattr(library, name)
        function.restype, function.argtypes = TYPES.get(result_type), [TYPES[kind] for kind in kinds]
        arguments = [_decode_argument(encoded_argument, blocks) for encoded_argument in encoded_arguments]
        result = function(*arguments) or 0
        pairs = zip(arguments, encoded_arguments, strict=True)
        outputs = [bytes(argument) for argument, encoded in pairs if isinstance(encoded, set)]
        _write_all(answers, b"".join((ANSWER.pack(result & (1 << 64) - 1), *outputs)))


def _decode_argument(argument: Any, blocks: dict[int, Any]) -> Any:
    """Decode an argument for the library: the inverse of :func:`_encode_argument`, in the server.

    ``blocks`` holds the memory blocks by number. A new number, or another size than before, gets a new block of zeros.
    """
    if isinstance(argument, tuple):
        number, size = argument
        if number not in blocks or len(blocks[number]) != size:
            blocks[number] = ctypes.create_string_buffer(size)
        return blocks[number]
    if isinstance(argument, list):
        return (TEXT * len(argument))(*argument)
    if isinstance(argument, set):
        return ctypes.create_string_buffer(*argument)
    return argument


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the client has gone
        _serve_calls(sys.argv[1])
