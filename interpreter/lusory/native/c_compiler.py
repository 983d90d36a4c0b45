"""Find a C compiler, and build shared libraries in temporary directories.

:func:`load_library` returns the library of a game, from the cache or newly built. The environment variable
``LUSORY_CC`` names a compiler; ``off`` switches native code off.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict, Unpack

from ..codegen.c.function_printer_and_c_types import NotNative
from ..codegen.c.marshalling import GeneratedC, Reader, Row, StateForm
from ..codegen.generated_code_check_and_loading import make_cache_key
from ..state.setting_value_limits_builtins_and_names import Setting
from ..support.cache import Cache
from ..support.process_pool import count_processors

PREFIX = "lusory-build-"
"""The beginning of the names of temporary directories."""

POPCOUNT = ("-mpopcnt",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Flag for the instruction that counts bits, which all x86-64 processors have had since 2008."""

FLAGS = ("-fPIC", "-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", *POPCOUNT)
LIBRARIES = ("-lm",)
LARGE_TEXT_LENGTH = 260_000
"""Compile more than this many characters of C with ``-O1``, to save time."""

EXTRA = "ziglang"
"""The Python package with a C compiler, for machines that have none."""

PASSED_VARIABLES = ("PATH", "HOME", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR")
"""Environment variables that a compiler gets: the path of programs, and the places of its caches."""

SECONDS, KILOBYTES = 300, 4_000_000
"""Limits for a compiler: processor time and virtual memory."""


class NoNative(Exception):
    """Signal that there is no native code for a game. The message says why."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command line, and the first line of its ``--version``."""

    command: tuple[str, ...]
    version: str


def find_compiler() -> Compiler:
    """Return the C compiler of this machine: ``cc``, or the command that LUSORY_CC names.

    Without a ``cc``, it is the compiler of an optional Python package. Raises NoNative if there is none that says its
    version, or if LUSORY_CC is ``off``.
    """
    return _find_compiler(os.environ.get("LUSORY_CC", ""))


@lru_cache(maxsize=4)
def _find_compiler(name: str) -> Compiler:
    """Return the compiler for a value of LUSORY_CC, where an empty one stands for ``cc``. Raise NoNative if there is
    none.
    """
    if name == "off":
        raise NoNative("LUSORY_CC is off")
    path = shutil.which(name or "cc")
    if path is not None:
        command: tuple[str, ...] = (path,)
    elif not name and find_spec(EXTRA) is not None:
        command = sys.executable, "-m", EXTRA, "cc"
    else:
        raise NoNative(f"no C compiler: `{name or 'cc'}` is not on the path")
    try:
        output = subprocess.run(
            [*command, "--version"], capture_output=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise NoNative(f"`{shlex.join(command)}` does not say its version") from None
    return Compiler(command, output.stdout.decode(errors="replace").partition("\n")[0])


CompilerProcess = subprocess.Popen[bytes]
StartCallback = Callable[[CompilerProcess], None]


def compile_library(text: str, flags: Sequence[str] = (), notify: StartCallback | None = None, parts: int = 1) -> bytes:
    """Compile C to a shared library with :data:`FLAGS`, ``-O2`` and ``flags``, and return its bytes.

    A text of more than LARGE_TEXT_LENGTH characters has ``-O1`` instead. With several ``parts``, the whole text is
    compiled once for each, in parallel: part ``n`` (from 0) with ``-DPART=n``, the last part first. Then they are
    linked. ``notify`` is called with each compiler process that starts: once for 1 part, 4 times for 3. Raise NoNative
    if there is no compiler, if it takes too long, or, with its first error, if it fails. Raise UnicodeEncodeError if
    the text is not ASCII. Nothing is kept on disk.
    """
    level = "-O1" if len(text) > LARGE_TEXT_LENGTH else "-O2"
    options = [*FLAGS, level, *flags]
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        folder_path = Path(folder)
        source, library_file = folder_path / "game.c", folder_path / "game.so"
        source.write_text(text, encoding="ascii")
        if parts == 1:
            _run([["-shared", *options, "-o", str(library_file), str(source), *LIBRARIES]], folder, notify)
        else:
            objects = [str(folder_path / f"{part}.o") for part in range(parts)]
            commands = [["-c", *options, f"-DPART={part}", "-o", objects[part], str(source)] for part in range(parts)]
            _run(commands[::-1], folder, notify)  # start with the last part, which takes longest
            _run([["-shared", *options, "-o", str(library_file), *objects, *LIBRARIES]], folder, notify)
        return library_file.read_bytes()


def _run(commands: Sequence[Sequence[str]], folder: str, notify: StartCallback | None) -> None:
    """Run the compiler with each list of arguments, at most as many at a time as there are processors.

    Raise NoNative for the first that fails; then, and after any other exception, the others are killed.
    """
    command = find_compiler().command
    waiting_commands = list(commands)[::-1]
    processes: list[CompilerProcess] = []
    read_end, write_end = os.pipe()  # the read end reports the end of this process
    try:
        while waiting_commands or processes:
            while waiting_commands and len(processes) < count_processors():
                processes.append(_start_compiler([*command, *waiting_commands.pop()], folder, read_end))
                if notify is not None:
                    notify(processes[-1])
            _wait_for(processes[0])
            processes.pop(0)
    finally:  # after Ctrl-C or a failure, some compilers are still at work
        for process in processes:
            kill_compiler(process)
        for process in processes:
            process.communicate()
        with open(write_end, "wb") as lifeline:
            lifeline.write(b"\n" * len(commands))
        os.close(read_end)


WATCHDOG = '{ read line || rm -rf "$TMPDIR"; kill -KILL -$$; } <&3 >/dev/null 2>&1'
"""Shell code that waits for a line or the end of its lifeline, then kills its process group.

The group is the compiler and its children. An end without a line means that this process was killed, so the code first
removes the folder of temporary files.
"""


def _start_compiler(command: Sequence[str], folder: str, lifeline: int) -> CompilerProcess:
    """Start a compiler with limits and a watchdog, and return its process. Raise NoNative if it can't be started.

    ``folder`` is for temporary files. ``lifeline`` is the read end of a pipe whose write end only this process has:
    when this process ends, the watchdog removes the folder and kills the compiler.
    """
    limits = f"ulimit -c 0; ulimit -t {SECONDS}; ulimit -v {KILOBYTES}"
    script = f'exec 3<&0; {limits}; {WATCHDOG} & exec "$@" </dev/null 3<&-'
    environment = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ} | {
        "TMPDIR": folder,
        "LC_ALL": "C",
    }
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", *command],
            stdin=lifeline,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:  # e.g. a system without a shell
        raise NoNative(f"the C compiler can't be started: {error.strerror}") from None


def _wait_for(process: CompilerProcess) -> None:
    """Wait for a compiler to finish. Raises NoNative."""
    try:
        _, errors = process.communicate(timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        raise NoNative("the C compiler takes too long") from None
    if process.returncode:
        lines = errors.decode(errors="replace").splitlines()
        first_error = next((line for line in lines if "error" in line), f"exit code {process.returncode}")
        raise NoNative(f"the C compiler gives up: {first_error}")


def kill_compiler(process: CompilerProcess) -> None:
    """Kill the process group of a compiler, and with it its children.

    Do nothing once the compiler has been waited for, because its process id may then belong to another process.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class NotBuilt(NoNative):
    """Signal that native code is not built yet, but might be."""


class BuildOptions(TypedDict, total=False):
    """Options for :func:`load_library`.

    Attributes:
        flags: Additional flags for the compiler.
        build: Whether to build a library that is not in the cache. The default is True.
        notify: Called with each compiler process that starts.
    """

    flags: Sequence[str]
    build: bool
    notify: StartCallback | None


@dataclass(frozen=True)
class Library:
    """A library file, which exists at least as long as this object, with the formats of results and states."""

    path: Path
    reader: Reader
    form: StateForm | None


def load_library(
    setting: Setting, kind: str, generate_c: Callable[[], GeneratedC], cache: Cache | None, **how: Unpack[BuildOptions]
) -> Library:
    """Return the library of a setting, with its ``path``, ``reader`` and ``form``, from ``cache`` if possible.

    A library that is built is stored in ``cache``; it is not loaded here. ``kind`` (``games`` or ``steps``)
    distinguishes the libraries of a setting; so do the machine, the compiler and the flags. ``generate_c`` makes the C
    if it is needed. Without a cache, or if it can't keep the library, ``path`` is a temporary file, which lives as long
    as the result. Raise NoNative first if there is no compiler. Raise NotBuilt if the library is not in the cache and
    ``build`` is False. Raise NoNative, too, if C does not support the game or the compiler fails.
    """
    flags = tuple(how.get("flags", ()))
    key = f"{make_cache_key(setting, 'playout')} {kind} {platform.machine()} {find_compiler()} {FLAGS} {flags}"
    entry = None if cache is None else cache.load_code(f"{key} reader")
    path = None if cache is None or entry is None else cache.find_library(key)
    if path is not None and entry is not None:
        row, texts, templates, width, form = entry
        reader = Reader(setting, Row(*row), texts, templates, width)
        return Library(path, reader, None if form is None else StateForm(*form))
    if not how.get("build", True):
        raise NotBuilt("it is not built")
    try:
        generated = generate_c()
    except NotNative as error:
        raise NoNative(str(error)) from None
    content = compile_library(generated.text, flags, how.get("notify"), generated.parts)
    if cache is not None:
        row_reader, form = generated.reader, None if generated.form is None else astuple(generated.form)
        new_entry = astuple(row_reader.row), row_reader.texts, row_reader.templates, row_reader.width, form
        cache.store_code(f"{key} reader", new_entry)
        cache.store_library(key, content)
        path = cache.find_library(key)
    if path is not None:
        return Library(path, generated.reader, generated.form)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    library = Library(folder / "game.so", generated.reader, generated.form)
    weakref.finalize(library, shutil.rmtree, folder, ignore_errors=True)
    library.path.write_bytes(content)
    return library
