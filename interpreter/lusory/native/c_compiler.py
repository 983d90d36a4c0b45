"""Find a C compiler, and build shared libraries in temporary directories.

:func:`library` returns the library of a game, from the cache or newly built. The environment variable ``LUSORY_CC``
names a compiler; ``off`` switches native code off.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, TypedDict, Unpack

from ..codegen.c.marshalling import Reader, Row, StateForm, form_of, plain_form
from ..codegen.c.printer import NotNative
from ..codegen.compiled_module import cache_key
from ..state.setting import Setting
from ..support.cache import Cache
from ..support.folders import is_owned, try_lock
from ..support.process_pool import count_processors

PREFIX, HELD = "lusory-build-", "held"


class Workshop:
    """A temporary directory that is removed with this object. ``path`` is its location.

    A lock file in it shows that its process is alive. Each new workshop removes the directories of dead processes.
    """

    def __init__(self) -> None:
        for left in _left():
            shutil.rmtree(left, ignore_errors=True)
        folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.path = Path(folder.name)
        unseen = self.path / "lock"
        lock = unseen.open("wb")
        try_lock(lock.fileno())
        os.rename(unseen, self.path / HELD)  # the file gets its name only when it is locked
        self.close = weakref.finalize(self, _gone, folder, lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _gone(folder: tempfile.TemporaryDirectory[str], lock: IO[bytes]) -> None:
    lock.close()
    folder.cleanup()


def _left() -> Iterator[str]:
    """Yield the directories of this user whose processes have ended."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for entry in found:
            if entry.name.startswith(PREFIX) and _is_left(entry):
                yield entry.path


def _is_left(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
        if not (stat.S_ISDIR(status.st_mode) and is_owned(status)):
            return False
        with open(os.path.join(entry.path, HELD), "rb") as held:
            return try_lock(held.fileno())
    except OSError:
        return False


POPCOUNT = ("-mpopcnt",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Flag for the instruction that counts bits, which all x86-64 processors have had since 2008."""

FLAGS = ("-fPIC", "-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", *POPCOUNT)
LIBRARIES = ("-lm",)
LARGE = 260_000
"""From this many characters of C on, compile with ``-O1`` to save time."""

EXTRA = "ziglang"
"""The Python package with a C compiler, for machines that have none."""

PASSED = ("PATH", "HOME", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR")
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


def compiler() -> Compiler:
    """Return the C compiler of this machine. Raises NoNative."""
    return _compiler(os.environ.get("LUSORY_CC", ""))


@lru_cache(maxsize=4)
def _compiler(named: str) -> Compiler:
    if named == "off":
        raise NoNative("LUSORY_CC is off")
    path = shutil.which(named or "cc")
    if path is not None:
        command: tuple[str, ...] = (path,)
    elif not named and find_spec(EXTRA) is not None:
        command = sys.executable, "-m", EXTRA, "cc"
    else:
        raise NoNative(f"no C compiler: `{named or 'cc'}` is not on the path")
    try:
        said = subprocess.run(
            [*command, "--version"], capture_output=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise NoNative(f"`{shlex.join(command)}` does not say its version") from None
    return Compiler(command, said.stdout.decode(errors="replace").partition("\n")[0])


Child = subprocess.Popen[bytes]
Began = Callable[[Child], None]


def compiled(text: str, flags: Sequence[str] = (), began: Began | None = None, parts: int = 1) -> bytes:
    """Compile C to a shared library, and return its bytes. Raises NoNative.

    The text consists of ``parts`` parts, which are compiled in parallel with ``-DPART=n``. ``began`` is called with
    each compiler process that starts.
    """
    level = "-O1" if len(text) > LARGE else "-O2"
    options = [*FLAGS, level, *flags]
    with Workshop() as own:
        folder, source, made = str(own), own / "game.c", own / "game.so"
        source.write_text(text, encoding="ascii")
        if parts == 1:
            _run([["-shared", *options, "-o", str(made), str(source), *LIBRARIES]], folder, began)
        else:
            objects = [str(own / f"{part}.o") for part in range(parts)]
            commands = [["-c", *options, f"-DPART={part}", "-o", objects[part], str(source)] for part in range(parts)]
            _run(commands[::-1], folder, began)  # start with the last part, which takes longest
            _run([["-shared", *options, "-o", str(made), *objects, *LIBRARIES]], folder, began)
        return made.read_bytes()


def _run(commands: Sequence[Sequence[str]], folder: str, began: Began | None) -> None:
    """Run compilers, at most as many at a time as there are processors."""
    command = compiler().command
    waiting = list(commands)[::-1]
    at_work: list[Child] = []
    end, other_end = os.pipe()  # the read end reports the end of this process
    try:
        while waiting or at_work:
            while waiting and len(at_work) < count_processors():
                at_work.append(_child([*command, *waiting.pop()], folder, end))
                if began is not None:
                    began(at_work[-1])
            _awaited(at_work[0])
            at_work.pop(0)
    finally:  # after Ctrl-C or a failure, some compilers are still at work
        for child in at_work:
            ended(child)
        for child in at_work:
            child.communicate()
        os.close(end)
        os.close(other_end)


WATCHED = "{ read nothing; kill -KILL -$$; } <&3 >/dev/null 2>&1"
"""Shell code that waits for the end of its lifeline, then kills its process group: the compiler and its children."""


def _child(command: Sequence[str], folder: str, lifeline: int) -> Child:
    """Start a compiler with limits and a watchdog.

    ``lifeline`` is the read end of a pipe whose write end only this process has.
    """
    limits = f"ulimit -c 0; ulimit -t {SECONDS}; ulimit -v {KILOBYTES}"
    limited = f'exec 3<&0; {limits}; {WATCHED} & exec "$@" </dev/null 3<&-'
    own = {name: os.environ[name] for name in PASSED if name in os.environ} | {"TMPDIR": folder, "LC_ALL": "C"}
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", limited, "sh", *command],
            stdin=lifeline,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=own,
            start_new_session=True,
        )
    except OSError as error:  # e.g. a system without a shell
        raise NoNative(f"the C compiler can't be started: {error.strerror}") from None


def _awaited(child: Child) -> None:
    """Wait for a compiler to finish. Raises NoNative."""
    try:
        _, said = child.communicate(timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        raise NoNative("the C compiler takes too long") from None
    if child.returncode:
        lines = said.decode(errors="replace").splitlines()
        first = next((line for line in lines if "error" in line), f"exit code {child.returncode}")
        raise NoNative(f"the C compiler gives up: {first}")


def ended(child: Child) -> None:
    """Kill a compiler and its children.

    Does nothing once the compiler has been waited for, because its process id may then belong to another process.
    """
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


class NotBuilt(NoNative):
    """Signal that native code is not built yet, but might be."""


class How(TypedDict, total=False):
    """Options for :func:`library`.

    Attributes:
        flags: Additional flags for the compiler.
        build: Whether to build a library that is not in the cache. The default is True.
        began: Called with each compiler process that starts.
    """

    flags: Sequence[str]
    build: bool
    began: Began | None


class Printed(Protocol):
    """The C of a game.

    ``reader`` reads its results, ``form`` is the format of a serialized state (None: there is none), and ``parts`` is
    the number of its parts.
    """

    @property
    def text(self) -> str: ...

    @property
    def reader(self) -> Reader: ...

    @property
    def form(self) -> StateForm | None: ...

    @property
    def parts(self) -> int: ...


@dataclass(frozen=True)
class Library:
    """A library file, which exists at least as long as this object, with the formats of results and states."""

    path: Path
    reader: Reader
    form: StateForm | None
    workshop: Workshop | None = None


def library(
    setting: Setting, kind: str, printed: Callable[[], Printed], cache: Cache | None, **how: Unpack[How]
) -> Library:
    """Return the library of a setting, from ``cache`` if possible. Raises NoNative and NotBuilt.

    ``kind`` distinguishes the libraries of a setting. ``printed`` makes the C if it is needed.
    """
    flags = tuple(how.get("flags", ()))
    key = f"{cache_key(setting, 'playout')} {kind} {platform.machine()} {compiler()} {FLAGS} {flags}"
    kept = None if cache is None else cache.code(f"{key} reader")
    path = None if cache is None or kept is None else cache.library(key)
    if path is not None and kept is not None:
        row, texts, made, width, form = kept
        reader = Reader(setting, Row(*row), texts, made, width)
        return Library(path, reader, None if form is None else form_of(form))
    if not how.get("build", True):
        raise NotBuilt("it is not built")
    try:
        text = printed()
    except NotNative as refused:
        raise NoNative(str(refused)) from None
    content = compiled(text.text, flags, how.get("began"), text.parts)
    if cache is not None:
        one, form = text.reader, None if text.form is None else plain_form(text.form)
        row = one.row.seats, one.row.ranks, one.row.payoffs, one.row.shown, one.row.kinds
        cache.store_code(f"{key} reader", (row, one.texts, one.made, one.width, form))
        cache.store_library(key, content)
    workshop = Workshop()
    path = workshop.path / "game.so"
    path.write_bytes(content)
    return Library(path, text.reader, text.form, workshop)
